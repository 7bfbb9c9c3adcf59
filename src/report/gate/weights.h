/*
 * weights.h - detect profiles whose counts of samples are weights
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_WEIGHTS_H
#define REPORT_GATE_WEIGHTS_H

#include "profile/profile.h"

#include <stdbool.h>
#include <stdint.h>

enum weights_source {
	WEIGHTS_FOREIGN, /* the profile has no comment written by cpa */
	WEIGHTS_STACKS,  /* from cpa: samples/count counts stacks */
	WEIGHTS_PERIODS, /* from an older cpa, or merged with its files: samples/count counts periods */
};

/*
 * Parse the comments that cpa writes into profiles of CPU time.
 *
 * periods  out, for WEIGHTS_PERIODS the mean number of periods per stack, in merged files the largest one; 0 without
 *          stacks
 */
enum weights_source weights_of_comments(const struct profile *p, double *periods);

/* The share of the time in which programs waited for a processor, by a comment of cpa; 0 if there is none, the largest of
 * several. */
double weights_busy_share(const struct profile *p);

/*
 * Returns true if each row is known to be one sample: a count is 1 in every row, equal stacks with equal labels are
 * separate rows, or each row has unique labels while rows share stacks, as with timestamps.
 *
 * count  sample type that counts samples; PROFILE_NONE for none
 */
bool weights_row_is_sample(const struct profile *p, uint32_t count);

#endif

/*
 * around.h - who calls the candidates of a renaming, and whom they call
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_AROUND_H
#define REPORT_AROUND_H

#include "profile/keys.h"

#include <stdbool.h>
#include <stdint.h>

enum around_way { AROUND_CALLERS, AROUND_CALLEES, N_AROUND_WAYS };

/* The neighbours of the candidates of one side, and how much of them. */
struct around {
	uint32_t n;        /* candidates */
	struct keys calls; /* way, candidate, neighbour */
	double *weight;    /* [calls.n] */
	size_t cap_weight;
	double (*sum)[N_AROUND_WAYS]; /* [n] */
	uint32_t *seen;               /* [calls.n] last stack that counted, + 1 */
	size_t cap_seen;
};

void around_init(struct around *a, uint32_t n);
void around_release(struct around *a);

/* Add v, once for every stack; stacks come one after the other. */
void around_add(struct around *a, enum around_way way, uint32_t candidate, uint32_t neighbour, uint32_t stack,
		double v);

/* Forget a neighbour that tells nothing. */
void around_drop(struct around *a, bool (*tells)(const void *arg, uint32_t neighbour), const void *arg);

/* What of a candidate's callers or callees is this neighbour, 0 to 1. */
double around_part(const struct around *a, enum around_way way, uint32_t candidate, uint32_t neighbour);

/* How alike the neighbours of two candidates are. */
struct around_like {
	double same[N_AROUND_WAYS]; /* what they have in common of each other's parts, 0 to 1 */
	double spread
		[N_AROUND_WAYS]; /* sum over neighbours of sqrt(p (1 - p)), p the mean part: the noise of same, but for a factor */
};

/* All pairs, [gone * come->n + come]; the caller frees. */
struct around_like *around_compare(const struct around *gone, const struct around *come);

#endif

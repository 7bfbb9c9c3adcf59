/*
 * edit.h - changes to a profile before it is shared
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * These functions modify the profile. Only the code that loads it may call them, before it is shared.
 */
#ifndef PROFILE_EDIT_H
#define PROFILE_EDIT_H

#include "base/err.h"
#include "profile/profile.h"

/* The label that -diff_base adds to every sample of the base, with the text "true". */
#define BASE_LABEL "pprof::base"

/* Make a mapping the first one, which is the program itself. */
void profile_set_program(struct profile *p, uint32_t map);

/* Set the file name of the first mapping, which is the program itself. A profile without mappings is unchanged. */
void profile_set_binary(struct profile *p, const char *file);

/* Set the build id of the first mapping if it has none. */
void profile_set_build_id(struct profile *p, const char *build_id);

/* Append a comment. */
void profile_add_comment(struct profile *p, const char *text);

/* Remove drop_frames and keep_frames. */
void profile_clear_frame_filters(struct profile *p);

/*
 * Set a text label on every sample, replacing all its text labels with that key.
 *
 * Fails   ERR_LIMIT
 * Like    pprof profile/profile.go, SetLabel
 */
int profile_set_label(struct profile *p, const char *key, const char *text, struct err *err);

/* Like profile_set_label, with string ids of the profile. */
int profile_set_label_ids(struct profile *p, str_id key, str_id text, struct err *err);

/* Remove the numbers, which differ between runs, from names of Java's lambdas, hidden, generated and proxy classes. */
void profile_stabilize_names(struct profile *p);

/*
 * Keep only the samples with lo <= time < hi, and adapt time and duration of the profile. Samples without a time are
 * removed.
 *
 * keeps_label  keep the label; otherwise it is removed from the samples
 * n_timeless   out: number of samples without a time
 * Fails        ERR_USAGE if no sample has a time
 */
int profile_select_times(struct profile *p, int64_t lo, int64_t hi, bool keeps_label, uint32_t *n_timeless,
			 struct err *err);

/*
 * Multiply the values of each type, rounding halves away from zero. Rows that become 0 are kept.
 *
 * ratio   [n_types]
 * Fails   ERR_RANGE when a value overflows int64_t, naming sample and type
 */
int profile_scale(struct profile *p, const double *ratio, struct err *err);

/* Negate every value. Fails with ERR_RANGE, like profile_scale. */
int profile_negate(struct profile *p, struct err *err);

#endif

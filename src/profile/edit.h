/*
 * edit.h - last changes by the loader, before a profile is shared
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * These write into the profile. Only who has just read or merged it may call them.
 */
#ifndef PROFILE_EDIT_H
#define PROFILE_EDIT_H

#include "base/err.h"
#include "profile/profile.h"

/* The label that -diff_base gives every sample of the base, with the text "true". */
#define BASE_LABEL "pprof::base"

/* Name the file of the first mapping, which is the program itself; nothing without mappings. */
void profile_set_binary(struct profile *p, const char *file);

/* Give the first mapping a build id if it has none. */
void profile_set_build_id(struct profile *p, const char *build_id);

/* Append a comment. */
void profile_add_comment(struct profile *p, const char *text);

/* Forget drop_frames and keep_frames. */
void profile_keep_all_frames(struct profile *p);

/*
 * Give every sample a label with a text, in place of all texts it has under that key.
 *
 * Fails   ERR_LIMIT
 * Like    pprof profile/profile.go, SetLabel
 */
int profile_set_label(struct profile *p, const char *key, const char *text, struct err *err);

/* The same by strings that the profile has. */
int profile_set_label_ids(struct profile *p, str_id key, str_id text, struct err *err);

/*
 * Multiply the values of each type, halves away from zero. Rows that become 0 stay.
 *
 * ratio   [n_types]
 * Fails   ERR_RANGE when a value leaves 64 bits, naming sample and type
 */
int profile_scale(struct profile *p, const double *ratio, struct err *err);

/* Change the sign of every value, exactly. Fails with ERR_RANGE, as profile_scale. */
int profile_negate(struct profile *p, struct err *err);

#endif

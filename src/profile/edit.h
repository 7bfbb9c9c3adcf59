/*
 * edit.h - last changes by the loader, before a profile is shared
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * These write into the profile. Only who has just read or merged it may call them.
 */
#ifndef PROFILE_EDIT_H
#define PROFILE_EDIT_H

#include "profile/profile.h"

/* Name the file of the first mapping, which is the program itself; nothing without mappings. */
void profile_set_binary(struct profile *p, const char *file);

/* Give the first mapping a build id if it has none. */
void profile_set_build_id(struct profile *p, const char *build_id);

/* Append a comment. */
void profile_add_comment(struct profile *p, const char *text);

/* Forget drop_frames and keep_frames. */
void profile_keep_all_frames(struct profile *p);

#endif

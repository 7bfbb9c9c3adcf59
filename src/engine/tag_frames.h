/*
 * tag_frames.h - labels as frames of stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_TAG_FRAMES_H
#define ENGINE_TAG_FRAMES_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"

/*
 * Add frames for tagroot, the first key at the root, and for tagleaf, the last key at the leaf. The
 * frame of a key is named after the values of a row, in unit; its file is the key.
 *
 * p       a copy of the struct: its columns are shared and replaced, not written to
 * mem     new columns live there
 * notes   a line is appended for each of the two that no row has a label for
 * Fails   ERR_LIMIT when the stacks, which were shared by rows with other labels, get too large
 * Like    pprof internal/driver/tagroot.go
 */
int tag_frames_add(struct profile *p, const struct query *q, struct arena *mem, struct buf *notes, struct err *err);

#endif

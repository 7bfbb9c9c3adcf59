/*
 * save.h - save profiles that were fetched
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_SAVE_H
#define ANSWER_SAVE_H

#include "answer/load.h"
#include "base/buf.h"
#include "profile/profile.h"

/*
 * Save a profile if a source of it was fetched, unless --no-save. It goes to PPROF_TMPDIR, else cpa/profiles in the
 * XDG state folder, else the temporary folder. Only its owner can read it. It is no failure when it cannot be saved.
 *
 * base    NULL, or what was taken off
 * notes   a line is appended that says where it is, or why it was not saved
 * Like    pprof internal/driver/fetch.go, fetchProfiles; the folder is another one
 */
void answer_save_fetched(const struct profile *p, const struct load *target, const struct load *base,
			 struct buf *notes);

/* Append the beginning of the file's name: pprof.BINARY.TYPE.TYPE. and so on. */
void answer_save_prefix(const struct profile *p, struct buf *out);

#endif

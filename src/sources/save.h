/*
 * save.h - save fetched profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_SAVE_H
#define SOURCES_SAVE_H

#include "base/buf.h"
#include "profile/profile.h"
#include "sources/read.h"

/*
 * Save a profile if one of its sources was fetched, unless --no-save is given. The folder is PPROF_TMPDIR, else
 * cpa/profiles in the XDG state folder, else the temporary folder. The file is readable by its owner only. Failure to
 * save is not an error.
 *
 * base    the bases that were subtracted, or NULL
 * notes   a line is appended with the file name, or with the reason why the profile was not saved
 * Like    pprof internal/driver/fetch.go, fetchProfiles, but in a different folder
 */
void sources_save_fetched(const struct profile *p, const struct source_set *new, const struct source_set *base,
			  struct buf *notes);

#endif

/*
 * save.h - keep what was fetched
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_SAVE_H
#define CLI_REPORT_SAVE_H

#include "answer/load.h"
#include "base/buf.h"
#include "profile/profile.h"

/*
 * Save a profile if any of what it was loaded from was fetched, and say where; unless --no-save.
 * It goes to PPROF_TMPDIR, else cpa/profiles in the XDG state folder, else the temporary folder. Only
 * its owner can read it. That it cannot be saved is said, and no trouble.
 *
 * base    NULL, or what was taken off
 * Like    pprof internal/driver/fetch.go, fetchProfiles; the folder is another one
 */
void cmd_report_save_fetched(const struct profile *p, const struct load *target, const struct load *base);

/* Append what the name of the file begins with: pprof.BINARY.TYPE.TYPE. and so on. */
void cmd_report_save_prefix(const struct profile *p, struct buf *out);

#endif

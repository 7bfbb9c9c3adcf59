/*
 * naming.h - names of functions for profiles that were just written, and many profiles as one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_RUN_NAMING_H
#define CLI_RUN_NAMING_H

#include "base/err.h"
#include "base/texts.h"

#include <stdint.h>

/* Put names into each of these files, as cpa symbolize does. What goes wrong is said; the file then stays as it is. */
void naming_put(const struct texts *paths);

/*
 * Add up these files, as cpa merge does, and write one. Of many, comments and durations would say little.
 *
 * comment   instead of theirs when there are several
 * duration  likewise, in ns
 * Fails   as compare_load, io_write_file
 */
int naming_merge(const struct texts *paths, const char *comment, int64_t duration, const char *to, struct err *err);

#endif

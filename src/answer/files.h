/*
 * files.h - put names into profile files, and add up several of them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The notes about the files go to events, once they are read.
 */
#ifndef ANSWER_FILES_H
#define ANSWER_FILES_H

#include "answer/loaded.h"
#include "base/err.h"
#include "base/texts.h"

#include <stdint.h>

/*
 * Put names into a file, as cpa symbolize does.
 *
 * Fails   as compare_load, io_write_file; the file is then as before
 */
int answer_files_symbolize(const char *path, const struct load_events *events, struct err *err);

/*
 * Add up files, as cpa merge does, and write one.
 *
 * paths     one or more
 * comment   instead of their comments when there are several, which would say little
 * duration  likewise, in ns
 * Fails     as compare_load, io_write_file
 */
int answer_files_merge(const struct texts *paths, const char *comment, int64_t duration, const char *to,
		       const struct load_events *events, struct err *err);

#endif

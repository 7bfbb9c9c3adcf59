/*
 * files.h - symbolize and merge profile files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Notes about the files are passed to events after reading.
 */
#ifndef ANSWER_FILES_H
#define ANSWER_FILES_H

#include "answer/loaded.h"
#include "base/err.h"
#include "base/string_list.h"

#include <stdint.h>

/*
 * Add names to a file, as cpa symbolize does.
 *
 * Fails   as compare_load, io_write_file_private; the file is then unchanged
 */
int answer_files_symbolize(const char *path, const struct load_events *events, struct err *err);

/*
 * Merge files into one, as cpa merge does.
 *
 * paths     at least one
 * comment   replaces the comments of the files if there are several
 * duration  replaces their durations if there are several files, in ns
 * Fails     as compare_load, io_write_file_private
 */
int answer_files_merge(const struct string_list *paths, const char *comment, int64_t duration, const char *to,
		       const struct load_events *events, struct err *err);

#endif

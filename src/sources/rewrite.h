/*
 * rewrite.h - symbolize and merge profile files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Notes about the files are passed to events after reading.
 */
#ifndef SOURCES_REWRITE_H
#define SOURCES_REWRITE_H

#include "base/err.h"
#include "base/string_list.h"
#include "sources/load.h"
#include "symbol/options.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Add the names to a file that a report would find on this machine.
 *
 * waiting  reports the progress of debuginfod; may be NULL
 * Fails    as sources_set_read, sources_symbolize, io_write_file_private; the file is then unchanged
 */
int rewrite_symbolize(const char *path, symbol_progress_fn waiting, const struct load_events *events, struct err *err);

struct rewrite_options {
	const char *comment;        /* replaces the comments of the files if there are several */
	int64_t duration;           /* replaces their durations if there are several files, in ns */
	bool wants_names;           /* add names, as rewrite_symbolize does */
	symbol_progress_fn waiting; /* as for rewrite_symbolize */
};

/*
 * Merge files into one, as cpa merge does.
 *
 * paths   at least one
 * Fails   as rewrite_symbolize
 */
int rewrite_merge(const struct string_list *paths, const struct rewrite_options *m, const char *to,
		  const struct load_events *events, struct err *err);

#endif

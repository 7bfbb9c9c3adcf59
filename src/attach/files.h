/*
 * files.h - the profiles of the processes that are run, as files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_FILES_H
#define ATTACH_FILES_H

#include "attach/run.h"
#include "base/buf.h"
#include "libcpaprof/collector/collect.h"

#include <stdbool.h>
#include <sys/types.h>

struct attach_files {
	const struct attach_options *options;
	struct attach_result *result;
	unsigned n_written, n_replaced, n_every;
	bool is_full; /* a message said that no more are written */
};

/* Write the profiles of a process that ended, or executed another program. Fits collect_done_fn. */
void attach_files_write(void *files, struct process *p);

/* Write the profiles of a process that still runs, with the number n_every. Fits collect_done_fn. */
void attach_files_write_numbered(void *files, struct process *p);

/*
 * Append the name of a file: %p is the process, %t seconds since 1970, %h this host, %% one %.
 *
 * more    inserted before the suffix
 */
void attach_file_name(const char *name, pid_t pid, const char *more, struct buf *out);

/* Does this process have files, and can clients see it? The program itself always. */
bool attach_follows(const struct attach_options *o, const struct process_facts *f);

/* Format a message and hand it to the user's functions. attach_error gives ERR_IO. */
void attach_note(const struct attach_messages *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int attach_error(const struct attach_messages *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif

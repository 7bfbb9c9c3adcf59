/*
 * messages.h - messages and progress on standard error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_MESSAGES_H
#define FRONT_CLI_MESSAGES_H

#include "base/buf.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATUS_FINE = 0, STATUS_NO = 1, STATUS_TROUBLE = 2 };

/* Should output to this descriptor have colours? choice is the value of --color. From no-color.org. */
bool say_wants_color(int fd, const char *choice);

/* Print errors in colour; the default is no colour. */
void say_set_color(bool on);

/* Is fd a terminal that can overwrite lines, that is, neither dumb nor without a size? */
bool say_can_rewrite(int fd);

/* Stop writing escape sequences to standard error: no colours, no progress. */
void say_disable_escapes(void);

/* Print "cpa: ", a message without control characters, and a newline. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Print an error in the same way. Returns STATUS_TROUBLE. */
int say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The message of the last say_error, "" for none. Call when no other thread prints messages. */
const char *say_last_error(void);

/*
 * Append messages to a buffer instead of printing them, and show no progress, while the full screen uses the terminal.
 *
 * to      NULL: print to standard error again. Any thread may print messages at the same time.
 */
void say_redirect(struct buf *to);

/*
 * Show on a terminal what cpa is doing, after half a second; does nothing without a terminal.
 *
 * what    borrowed until progress_end
 */
void progress_begin(const char *what);
void progress_end(void);

/* Also show the activity of stop, which lives until progress_end, and its percentage if it is known. NULL for none. */
void progress_follow(const struct stop *stop);

/* Show the number of profiles still being fetched, and the minimum remaining time in seconds, instead of the text. */
void progress_fetch(size_t left, int64_t seconds);

/* The same for running processes that are sampled. */
void progress_record(size_t left, int64_t seconds);

/*
 * Show the file that is requested from a debuginfod server, instead of the text. A callback for query.waiting; any
 * thread may call it.
 *
 * name    a path or file name from an untrusted profile; NULL: show the previous text again
 * got     number of size bytes received; both 0 before the first
 */
void progress_debuginfod(void *arg, const char *name, int64_t got, int64_t size);

/* Also show how many files of the total are done, from the next update on. */
void progress_count(size_t done, size_t all);

#endif

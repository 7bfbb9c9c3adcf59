/*
 * messages.h - talk to the user on standard error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_MESSAGES_H
#define CLI_MESSAGES_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { STATUS_FINE = 0, STATUS_NO = 1, STATUS_TROUBLE = 2 };

/* Should this descriptor get colours? choice is the value of --color. From no-color.org. */
bool say_color(int fd, const char *choice);

/* Choose the colour of errors; before it they have none. */
void say_set_color(bool on);

/* "cpa: " and a sentence, made harmless, and a newline. */
void say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* The same for something that went wrong. Gives STATUS_TROUBLE. */
int say_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Append what is said to a buffer instead, and show no progress: while the full screen has the terminal.
 *
 * to      NULL goes back to standard error. Guarded: any thread may say something.
 */
void say_into(struct buf *to);

/*
 * Tell on a terminal what takes so long, from half a second on; nothing anywhere else.
 *
 * what    stays the caller's; shown until progress_end
 */
void progress_begin(const char *what);
void progress_end(void);

/* Show instead of it how many profiles are still on their way, and for how many seconds at least. */
void progress_fetch(size_t left, int64_t seconds);

/*
 * Show instead of it what a debuginfod server is asked for. Fits query.waiting; from any thread.
 *
 * name    a path or file name, hostile; NULL shows what was shown before
 * got     of size bytes, both 0 as long as nothing comes
 */
void progress_asking(void *arg, const char *name, int64_t got, int64_t size);

/* Show behind it how many of all files are done, from the next time on that something is shown. */
void progress_count(size_t done, size_t all);

#endif

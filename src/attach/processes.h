/*
 * processes.h - find running processes by name, and those that others have started
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_PROCESSES_H
#define ATTACH_PROCESSES_H

#include "base/buf.h"
#include "base/err.h"

#include <stddef.h>
#include <sys/types.h>

/*
 * Parse "PID[,PID...]", decimal numbers above 0. Duplicates are dropped.
 *
 * text    [n]
 * pid     [SAMPLE_PIDS_MAX] out
 * Fails   ERR_USAGE
 */
int attach_parse_pids(const char *text, size_t n, pid_t *pid, size_t *n_pids, struct err *err);

/*
 * Parse a list of process ids and names, separated by commas. A name means all processes of that name except this
 * one: the name of its file or of its first argument, without the folder, or the name that the kernel shows.
 *
 * pid     [SAMPLE_PIDS_MAX] out, without duplicates
 * found   for each name a line "NAME: PID, PID" is appended
 * Fails   ERR_USAGE; ERR_IO if there is no process of a name
 */
int attach_processes_find(const char *text, pid_t *pid, size_t *n_pids, struct buf *found, struct err *err);

/*
 * Find the running processes that some processes have started, and those that these have started.
 *
 * Returns an array of *n process ids; the caller frees it
 */
pid_t *attach_processes_below(const pid_t *pid, size_t n_pids, size_t *n);

#endif

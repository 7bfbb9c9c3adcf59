/*
 * text.h - the threads of a process for people
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_THREADS_TEXT_H
#define CLI_THREADS_TEXT_H

#include "base/buf.h"
#include "cli/threads/snap_names.h"

/*
 * Append a dump of threads: those with the same stack that wait for the same together, most threads
 * first, in lines of at most 80 columns.
 *
 * s    of kind SNAP_THREADS
 */
void threads_text(const struct snap *s, struct snap_names *names, struct buf *out);

#endif

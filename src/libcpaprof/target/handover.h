/*
 * handover.h - an inherited descriptor of the segment, for programs that cannot open it by its path
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The path of the segment, /proc/PID/fd/N of the collector, can be opened only by the user of the collector, in its
 * user and pid namespaces, with /proc mounted and with the same capabilities. So a process opens the segment before it
 * changes one of these. The descriptor has one of the last numbers below the limit of open files, where the programs
 * that the process executes find it. They keep it for the programs that they execute themselves. No other process has
 * a descriptor.
 */
#ifndef LIBCPAPROF_TARGET_HANDOVER_H
#define LIBCPAPROF_TARGET_HANDOVER_H

#include "libcpaprof/target/env.h"
#include "libcpaprof/target/segment.h"

#include <stdbool.h>

/*
 * Map the segment from its path, or from an inherited descriptor if the path cannot be opened. A descriptor that is not
 * needed is closed. Returns NULL if there is no such segment.
 */
struct segment_head *cpi_handover_map(const struct env *e);

/* Open the segment for the programs that this process will execute. Call this before a change of user or namespace. */
void cpi_handover_open_sig(void);

/* Can the next program of this process map the segment? */
bool cpi_handover_reaches_sig(void);

/*
 * Let the next program inherit the descriptor, or undo this when exec has failed. Does nothing if all programs are
 * followed, because they always inherit it.
 */
void cpi_handover_exec_sig(bool begin);

#endif

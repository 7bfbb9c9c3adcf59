/*
 * build_id.h - the build id of an object in the memory of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_BUILD_ID_H
#define LIBCPAPROF_COLLECTOR_BUILD_ID_H

#include <stdint.h>
#include <sys/types.h>

/*
 * Read the build id of the object that is loaded at start, from memory, so that a file that was
 * replaced or deleted does not matter.
 *
 * id      [MODULE_ID_MAX] out
 * Gives   its length; 0 when there is none, or the memory may not be read
 */
uint32_t build_id_read(pid_t pid, uint64_t start, uint8_t *id);

#endif

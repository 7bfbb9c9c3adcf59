/*
 * objects.h - the list of loaded objects that walks of stacks look up
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_OBJECTS_H
#define LIBCPAPROF_TARGET_OBJECTS_H

#include <stdbool.h>

/* Is the list of objects to be kept, that walks look up? Makes the first. */
void cpi_objects_init(void);
/* Around each walk. */
void cpi_objects_enter_sig(void);
void cpi_objects_leave_sig(void);
/* Make the list again when what is loaded has changed. One thread at a time calls this. */
void cpi_objects_refresh(bool changed);
/* Around dlclose; when it begins no walk is under way, or one that takes very long. */
void cpi_objects_close_begin(void);
void cpi_objects_close_end(void);
/* In the child of fork: walks of other threads are not under way here. */
void cpi_objects_forget(void);

#endif

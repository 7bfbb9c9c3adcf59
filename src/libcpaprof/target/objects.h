/*
 * objects.h - the list of loaded objects that stack walks use
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_OBJECTS_H
#define LIBCPAPROF_TARGET_OBJECTS_H

#include <stdbool.h>

/* Find out whether walks need a list of objects, and create the first list if they do. */
void cpi_objects_init(void);
extern bool cpi_objects_is_needed; /* do walks need a list? Set before handlers run */
void cpi_objects_count_walk_sig(int change);

/* Start and end a walk, which may read the list. */
static inline void cpi_objects_read_begin_sig(void)
{
	if (cpi_objects_is_needed)
		cpi_objects_count_walk_sig(1);
}

static inline void cpi_objects_read_end_sig(void)
{
	if (cpi_objects_is_needed)
		cpi_objects_count_walk_sig(-1);
}

/* Make a new list if the loaded objects have changed. Only one thread may call this at a time. */
void cpi_objects_refresh(bool changed);
/* Call before and after dlclose. cpi_objects_close_begin waits until no walk is running, for at most 0.1 s. */
void cpi_objects_close_begin(void);
void cpi_objects_close_end(void);
/* In the child of fork: forget the walks of other threads, which do not run in the child. */
void cpi_objects_forget(void);

#endif

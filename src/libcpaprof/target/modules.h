/*
 * modules.h - list of the loaded objects with mapped code, for the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_MODULES_H
#define LIBCPAPROF_TARGET_MODULES_H

#include <stdbool.h>

/* Publish the code that is mapped: the program and its libraries. */
void cpi_modules_publish(void);
/* Publish the objects loaded or unloaded since the last call. Any thread may call this, but no signal handler. */
void cpi_modules_refresh(void);

#endif

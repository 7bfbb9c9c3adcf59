/*
 * modules.h - the objects whose code is mapped, as the collector reads them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_MODULES_H
#define LIBCPAPROF_TARGET_MODULES_H

#include <stdbool.h>

/* Publish what code is mapped: the program and its libraries. */
void cpi_modules_publish(void);
/* The same when what is loaded has changed. Any thread may call it, but no handler. */
void cpi_modules_refresh(void);

#endif

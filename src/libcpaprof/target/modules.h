/*
 * modules.h - list of the loaded objects with mapped code, for the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_TARGET_MODULES_H
#define LIBCPAPROF_TARGET_MODULES_H

#include <link.h>
#include <stdint.h>

enum { MODULE_NOTE_NAME = 4 };

/* Find a note of an object in memory. name: at most 3 characters, padded to MODULE_NOTE_NAME bytes. NULL for none. */
const ElfW(Nhdr) * cpi_modules_note(const struct dl_phdr_info *o, uint32_t type, const char *name);
/* Publish the code that is mapped: the program and its libraries. */
void cpi_modules_publish(void);
/* Publish the objects loaded or unloaded since the last call. Any thread may call this, but no signal handler. */
void cpi_modules_refresh(void);

#endif

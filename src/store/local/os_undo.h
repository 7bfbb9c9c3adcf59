/*
 * os_undo.h - undoes changes of files that were not synced, as a power failure does; for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Everything here does nothing unless it is enabled.
 */
#ifndef STORE_LOCAL_OS_UNDO_H
#define STORE_LOCAL_OS_UNDO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Start or stop recording; what is recorded is forgotten. */
void os_undo_enable(bool on);
bool os_undo_is_enabled(void);

/* Record a change: before a write or truncation, before a file is removed or replaced, after it was created or renamed. */
void os_undo_write(int fd, size_t n, uint64_t offset);
void os_undo_truncate(int fd, uint64_t n);
void os_undo_remove(int dir, const char *name);
void os_undo_create(int dir, const char *name, bool is_folder);
void os_undo_rename(int dir, const char *from, const char *to);

/* A file or folder was synced: its changes are durable. */
void os_undo_forget(int fd);

/* Undo all changes that are not durable, newest first. */
void os_undo_all(void);

#endif

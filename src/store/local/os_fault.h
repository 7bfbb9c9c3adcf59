/*
 * os_fault.h - faults at changes of files, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only builds with --enable-dev, and the tests that set faults themselves, have os_fault.c; else missing.c has no fault.
 * CPA_STORE_DIE_AT=N selects the N-th call of a process, and CPA_STORE_DIE what happens there:
 *
 *	kill      the process ends before the call (default)
 *	half      a write writes half of its bytes, then the process ends
 *	discard   everything that was not synced is undone, as if the power had failed, then the process ends
 *	full      this call and all later ones that need space fail with ENOSPC
 *	full1     only this call fails with ENOSPC
 *	sync      this call and later syncs of the same file fail with EIO
 */
#ifndef STORE_LOCAL_OS_FAULT_H
#define STORE_LOCAL_OS_FAULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum os_need { NEEDS_NOTHING, NEEDS_SPACE, NEEDS_SYNC };

/* Count a change. Returns 0 if it is to be made, 1 if only its first half, -1 and errno if it fails. */
int os_count_change(enum os_need need, int fd);

/* End the process as the fault says. */
_Noreturn void os_die(void);

/* For tests in one process: select a fault, counting from now; what is a value of CPA_STORE_DIE or NULL for none. */
void os_set_fault(uint64_t at, const char *what);

/* The number of changes so far, since the start or the last os_set_fault. */
uint64_t os_changes(void);

/* ---- undoes changes of files that were not synced, as a power failure does; for tests ---- */

/* Everything here does nothing unless it is enabled. */

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

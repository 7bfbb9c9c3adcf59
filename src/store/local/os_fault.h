/*
 * os_fault.h - faults at changes of files, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Only builds with --enable-dev, and the tests that set faults themselves, have os_fault.c and os_undo.c; else missing.c has no
 * fault.
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

#endif

/*
 * fork.c - a forked child gets its own slot, rings and timers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Our signal is blocked while the kernel copies the process. Otherwise timers of the parent would restart the
 * copying, again and again if it takes longer than a period.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/recording.h"
#include "libcpaprof/target/stacks.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/wait.h"

#include <sys/mman.h>

static void fork_before(void)
{
	uint64_t bit = sys_bit(cpi.sig);

	sys_mask(SIG_BLOCK, &bit, &cpi_local.mask);
}

static void fork_in_parent(void)
{
	sys_mask(SIG_SETMASK, &cpi_local.mask, NULL);
}

/*
 * The child keeps only a reference to its parent. If the process profiles itself, the child has a copy of the collector
 * and of the slot. The counts belong to the parent, so their memory is released.
 */
static void reset_child(void)
{
	/* a process without a slot has the same mappings as its parent: refer to the parent of that process */
	bool has_slot = atomic_load(&cpi.proc) != NULL;
	uint32_t parent = has_slot ? cpi.slot + 1 : cpi.parent, serial = has_slot ? cpi.serial : cpi.parent_serial;

	cpi_threads_forget();
	cpi_locals_forget();
	cpi_tables_forget();
	cpi_heap_forget();
	cpi_holders_forget();
	cpi.process_timer = NO_TIMER;
	cpi.armed = 0;
	if (cpi.is_self) {
		cpi.pid = sys_getpid();
		atomic_load(&cpi.proc)->pid = cpi.pid;
		atomic_store(&cpi.head->cpu, 0);
		/* MADV_DONTNEED sets the counts to zero */
		sys_call(SYS_madvise, (long)cpi.tables, (long)cpi.n_tables * TABLES_SIZE, MADV_DONTNEED, 0);
		return;
	}
	cpi_process_begin(parent, serial);
	if (!cpi_is_on_sig()) {
		cpi.head = NULL;
		return;
	}
	atomic_fetch_add(&cpi.head->n_forked, 1);
	cpi_process_claim_forked();
	if (!cpi_recording_fork())
		return;
	cpi_thread_begin(cpi_local.lo, cpi_local.top, 0);
}

static void fork_in_child(void)
{
	if (cpi.head && cpi.pid != sys_getpid()) /* a fork handler of the program may have caused the reset already */
		reset_child();
	sys_mask(SIG_SETMASK, &cpi_local.mask, NULL);
}

void cpi_fork_check(void)
{
	uint64_t bit = sys_bit(cpi.sig), before;

	if (cpi.pid == sys_getpid())
		return;
	sys_mask(SIG_BLOCK, &bit, &before);
	reset_child();
	sys_mask(SIG_SETMASK, &before, NULL);
}

void cpi_fork_init(void)
{
	pthread_atfork(fork_before, fork_in_parent, fork_in_child);
}

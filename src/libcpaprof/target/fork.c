/*
 * fork.c - a child is a process of its own: own slot, own rings, own timers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Our signal is held back while the kernel copies the process: timers of the parent would else restart
 * the copying, again and again when it takes longer than a period.
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

static void before_fork(void)
{
	uint64_t bit = sys_bit(cpi.sig);

	sys_mask(SIG_BLOCK, &bit, &cpi_local.mask);
}

static void in_parent(void)
{
	sys_mask(SIG_SETMASK, &cpi_local.mask, NULL);
}

/*
 * The child begins with nothing but where it comes from. One that has its own collector has a copy of that,
 * with the slot in it; what was counted is given back.
 */
static void start_again(void)
{
	/* one that took no sample has the mappings of the one before it */
	bool told = atomic_load(&cpi.proc) != NULL;
	uint32_t parent = told ? cpi.slot + 1 : cpi.parent, serial = told ? cpi.serial : cpi.parent_serial;

	cpi_threads_forget();
	cpi_locals_forget();
	cpi_tables_forget();
	cpi_heap_forget();
	cpi_holders_forget();
	cpi.process_timer = NO_TIMER;
	cpi.armed = 0;
	if (cpi.self) {
		cpi.pid = sys_getpid();
		atomic_load(&cpi.proc)->pid = cpi.pid;
		atomic_store(&cpi.head->cpu, 0);
		/* zeros: what was counted is the parent's */
		sys_call(SYS_madvise, (long)cpi.tables, (long)cpi.n_tables * TABLES_SIZE, MADV_DONTNEED, 0);
		return;
	}
	cpi_process_begin(parent, serial);
	if (!cpi_on_sig()) {
		cpi.head = NULL;
		return;
	}
	cpi_process_show();
	if (!cpi_recording_fork())
		return;
	cpi_thread_enter(cpi_local.lo, cpi_local.top, 0);
}

static void in_child(void)
{
	if (cpi.head && cpi.pid != sys_getpid()) /* handlers of the program may have called us */
		start_again();
	sys_mask(SIG_SETMASK, &cpi_local.mask, NULL);
}

void cpi_fork_check(void)
{
	uint64_t bit = sys_bit(cpi.sig), before;

	if (cpi.pid == sys_getpid())
		return;
	sys_mask(SIG_BLOCK, &bit, &before);
	start_again();
	sys_mask(SIG_SETMASK, &before, NULL);
}

void cpi_fork_init(void)
{
	pthread_atfork(before_fork, in_parent, in_child);
}

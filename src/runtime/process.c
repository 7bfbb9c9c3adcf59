/*
 * process.c - the slot of this process in the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "runtime/sys.h"
#include "runtime/target.h"

struct target cpi;

bool cpi_process_claim(uint32_t parent, uint32_t parent_serial)
{
	for (uint32_t i = 0; i < N_PROCS; i++) {
		struct segment_proc *p = &cpi.procs[i];
		uint32_t is = PROC_FREE;

		if (atomic_load(&p->state) != PROC_FREE || !atomic_compare_exchange_strong(&p->state, &is, PROC_SETUP))
			continue;
		cpi.proc = p;
		cpi.slot = i;
		cpi.serial = atomic_fetch_add(&p->serial, 1) + 1;
		p->pid = cpi.pid;
		p->parent = parent;
		p->parent_serial = parent_serial;
		p->signal = (uint32_t)cpi.sig;
		p->start_ns = sys_now(CLOCK_REALTIME);
		atomic_store(&p->engine, 0);
		atomic_store(&p->error, 0);
		atomic_store(&p->modules, 0);
		atomic_store(&p->orphans, 0);
		atomic_store(&p->lost, 0);
		atomic_store(&p->adopted, 0);
		if (!parent)
			cpi_modules_publish();
		atomic_store_explicit(&p->state, PROC_LIVE, memory_order_release);
		return true;
	}
	atomic_fetch_add(&cpi.head->refused, 1);
	return false;
}

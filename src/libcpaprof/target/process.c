/*
 * process.c - the slot of this process in the segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/target/locals.h"
#include "libcpaprof/target/modules.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"

#include <fcntl.h>
#include <sys/stat.h>

struct target cpi;

void cpi_process_begin(uint32_t parent, uint32_t parent_serial)
{
	cpi.pid = sys_getpid();
	cpi.parent = parent;
	cpi.parent_serial = parent_serial;
	cpi.start_ns = sys_now(CLOCK_REALTIME);
	atomic_store(&cpi.proc, NULL);
	atomic_store(&cpi.claiming, 0);
	atomic_store(&cpi.has_reported, 0);
	atomic_store(&cpi.engine, 0);
	atomic_store(&cpi.error, 0);
	atomic_store(&cpi.perf_error, 0);
}

/* The inode of the pid namespace of this process. 0 if there is no /proc, or if a sandbox may forbid the call. */
static uint64_t pid_namespace_sig(void)
{
	static const char path[] = "/proc/self/ns/pid";
	struct stat file;

	if (cpi.is_self || atomic_load(&cpi.is_sandboxed) ||
	    sys_call(SYS_newfstatat, AT_FDCWD, (long)path, (long)&file, 0) != 0)
		return 0;
	return file.st_ino;
}

static void fill_sig(struct segment_proc *p, uint32_t slot)
{
	cpi.slot = slot;
	cpi.serial = atomic_fetch_add(&p->serial, 1) + 1;
	p->pid = cpi.pid;
	p->parent = cpi.parent;
	p->parent_serial = cpi.parent_serial;
	p->signal = (uint32_t)cpi.sig;
	p->start_ns = cpi.start_ns;
	p->pid_namespace = pid_namespace_sig();
	p->locals = (uint64_t)(uintptr_t)cpi_locals_table_sig();
	atomic_store(&p->engine, 0);
	atomic_store(&p->error, 0);
	atomic_store(&p->modules, 0);
	atomic_store(&p->modules_read, 0);
	atomic_store(&p->n_signal_changes, 0);
	atomic_store(&p->generation, atomic_load(&cpi.generation));
	atomic_store(&p->n_orphans, 0);
	atomic_store(&p->lost, 0);
	atomic_store(&p->adopted, 0);
	atomic_store(&p->armed, atomic_load(&cpi.armed));
	atomic_store(&p->heap, atomic_load(&cpi.heap));
	atomic_store(&p->perf_error, atomic_load(&cpi.perf_error));
	atomic_store(&p->execs, 0);
	atomic_store(&p->cpu_ns, 0);
	atomic_store(&p->slotless_ns, 0);
	atomic_store(&p->n_slotless, 0);
	atomic_store(&cpi.proc, p);
	cpi_process_set_engine_sig(0, 0);
}

/* Claim one of the first n slots. */
static bool target_process_claim_sig(uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		struct segment_proc *p = &cpi.procs[i];
		uint32_t expected = PROC_FREE;

		if (atomic_load(&p->state) != PROC_FREE ||
		    !atomic_compare_exchange_strong(&p->state, &expected, segment_claim(cpi.pid)))
			continue;
		fill_sig(p, i);
		if (!cpi.parent) /* a process without a parent does not claim its slot in a signal handler */
			cpi_modules_publish();
		atomic_store_explicit(&p->state, PROC_LIVE, memory_order_release);
		return true;
	}
	return false;
}

bool cpi_process_claim_sig(void)
{
	/* only one thread tries, and only once: if no slot is free now, the process never gets one */
	if (atomic_exchange(&cpi.claiming, 1))
		return false;
	if (target_process_claim_sig(N_PROCS))
		return true;
	atomic_fetch_add(&cpi.head->n_refused, 1);
	return false;
}

void cpi_process_claim_forked(void)
{
	if (!(atomic_load(&cpi.head->flags) & FLAG_SERVED) || atomic_exchange(&cpi.claiming, 1))
		return;
	if (!target_process_claim_sig(N_PROCS - N_PROCS_RESERVED))
		atomic_store(&cpi.claiming, 0);
}

/* Report the CPU time of this process, which has no slot, to the process that it was forked from. */
static void report_slotless_sig(uint64_t ns)
{
	struct segment_proc *p = &cpi.procs[(cpi.parent - 1) % N_PROCS];

	if (atomic_exchange(&cpi.has_reported, 1))
		return;
	if (atomic_load(&p->state) == PROC_LIVE && atomic_load(&p->serial) == cpi.parent_serial) {
		atomic_fetch_add(&p->slotless_ns, ns);
		atomic_fetch_add(&p->n_slotless, 1);
	} else {
		atomic_fetch_add(&cpi.head->slotless_ns, ns);
		atomic_fetch_add(&cpi.head->n_slotless, 1);
	}
}

void cpi_process_report_cpu_sig(bool ends)
{
	struct segment_proc *p;
	uint64_t ns;

	/* a child of vfork shares our memory but is another process */
	if (!cpi.head || cpi.is_self || atomic_load(&cpi.is_sandboxed) || sys_getpid() != cpi.pid)
		return;
	p = atomic_load(&cpi.proc);
	ns = sys_now(CLOCK_PROCESS_CPUTIME_ID);
	if (p)
		atomic_store(&p->cpu_ns, ns);
	else if (ends && cpi.parent)
		report_slotless_sig(ns);
}

void cpi_process_set_engine_sig(uint32_t engine, uint32_t error)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_fetch_or(&cpi.engine, engine);
	if (error)
		atomic_store(&cpi.error, error);
	if (!p)
		return;
	atomic_fetch_or(&p->engine, atomic_load(&cpi.engine));
	atomic_store(&p->error, atomic_load(&cpi.error));
}

void cpi_perf_set_error_sig(uint32_t error)
{
	struct segment_proc *p = atomic_load(&cpi.proc);

	atomic_store(&cpi.perf_error, error);
	if (p)
		atomic_store(&p->perf_error, error);
}

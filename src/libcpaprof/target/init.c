/*
 * init.c - start profiling in this process, if there is a collector
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * If anything is missing or invalid, the program runs as it would without us.
 */
#include "config.h"

#include "libcpaprof/target/clock.h"
#include "libcpaprof/target/env.h"
#include "libcpaprof/target/guard.h"
#include "libcpaprof/target/handover.h"
#include "libcpaprof/target/heap.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/objects.h"
#include "libcpaprof/target/sample.h"
#include "libcpaprof/target/sys.h"
#include "libcpaprof/target/target.h"
#include "libcpaprof/target/threads.h"
#include "libcpaprof/target/unwind/unwind.h"

#include <sys/mman.h>

static void set_layout(struct segment_head *head)
{
	struct segment_layout l = segment_lay_out(head->size);
	uint8_t *base = (uint8_t *)head;

	cpi.process_timer = NO_TIMER;
	cpi.max_depth = head->max_depth < 1 || head->max_depth > FRAMES_MAX ? FRAMES_MAX : head->max_depth;
	cpi.n_rings = l.n_rings;
	cpi.procs = (struct segment_proc *)(base + l.section[SECTION_PROCS]);
	cpi.ring = (struct segment_ring *)(base + l.section[SECTION_RINGS]);
	cpi.words = (uint64_t *)(base + l.section[SECTION_WORDS]);
	cpi.modules_at = l.section[SECTION_MODULES];
	cpi.labels = base + l.section[SECTION_LABELS];
	cpi.tables = base + l.section[SECTION_TABLES];
	cpi.n_tables = l.n_tables;
	cpi.cookie = head->nonce[0] ^ head->nonce[1];
}

void cpi_init(const struct target_callbacks *callbacks)
{
	cpi.callbacks = callbacks;
	cpi_next();
	cpi.sig = SIGPROF;
	cpi_threads_init();
	cpi_thread_begin_main();
	cpi.is_ready = true;
}

bool cpi_attach(struct segment_head *head, bool is_self)
{
	set_layout(head);
	cpi.is_self = is_self;
	cpi.head = head;
	cpi.sig = cpi_guard_choose();
	cpi_process_begin(0, 0);
	if (!cpi_process_claim_sig()) {
		cpi.head = NULL;
		return false;
	}
	cpi_objects_init();
	cpi_sample_init(cpi.n_rings);
	cpi_guard_install();
	cpi_fork_init();
	cpi_heap_init();
	if (is_self)
		atomic_store(&head->active, 1);
	else if (atomic_load(&head->cpu))
		cpi_thread_start_sampling();
	return true;
}

struct segment_head *cpi_parent_segment(void)
{
	struct env e = { 0 };
	struct segment_head *head = cpi_env_read(&e) ? cpi_handover_map(&e) : NULL;

	if (!head || head->follow == FOLLOW_ALL || atomic_load(&head->main_pid) == sys_getpid())
		return head;
	atomic_store(&head->has_unfollowed, 1);
	munmap(head, head->size);
	cpi_env_remove();
	return NULL;
}

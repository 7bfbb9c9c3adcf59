/*
 * sweep.c - free slots, tables and rings that ended processes claimed but never set up
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process may be killed at any instruction. Then a slot, table or ring stays in the state "being set up", with the
 * pid of the process. It is freed if the state has not changed since the last sweep and no process has that pid: setup
 * takes microseconds, sweeps are seconds apart.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"

#include "libcpaprof/target/stacks.h"

#include <errno.h>
#include <signal.h>

enum { ROUNDS = 32 };

/* Free a stale claim. In all three kinds of states, 0 means free. */
static void free_stale(_Atomic uint32_t *state, uint32_t *last)
{
	uint32_t now = atomic_load_explicit(state, memory_order_relaxed), before = *last;
	pid_t pid = (pid_t)(now >> CLAIM_BITS);

	*last = now;
	if ((now & ((1U << CLAIM_BITS) - 1)) != CLAIM_SETUP || now != before)
		return;
	if (pid <= 0 || (kill(pid, 0) != 0 && errno == ESRCH))
		atomic_compare_exchange_strong(state, &now, PROC_FREE);
}

void collect_sweep(struct collect *c)
{
	uint8_t *tables = (uint8_t *)c->head + c->layout.section[SECTION_TABLES];
	uint32_t *last = c->last_claim, n = collect_n_rings(c);

	if (++c->n_rounds % ROUNDS)
		return;
	for (uint32_t i = 0; i < N_PROCS; i++)
		free_stale(&collect_slot(c, i)->state, last++);
	for (uint32_t i = 0; i < c->layout.n_tables; i++)
		free_stale(&((struct segment_tables *)(tables + (size_t)i * TABLES_SIZE))->state, last++);
	for (uint32_t i = 0; i < n; i++)
		free_stale(&collect_ring(c, i)->state, last++);
}

bool collect_was_loaded(const struct collect *c)
{
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (atomic_load(&collect_slot(c, i)->serial))
			return true;
	return false;
}

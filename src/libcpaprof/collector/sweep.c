/*
 * sweep.c - what was taken by processes that ended before they had filled it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A process may be killed between two instructions. What it claimed then says so, and by whom, for ever. It is free
 * again when it is as at the last sweep and nobody has that process id: to fill takes microseconds, sweeps are
 * seconds apart.
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"

#include "libcpaprof/target/stacks.h"

#include <errno.h>
#include <signal.h>

enum { ROUNDS = 32 };

/* All three states have 0 for free. */
static void look(_Atomic uint32_t *state, uint32_t *last)
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
	uint8_t *tables = (uint8_t *)c->head + c->at.section[SECTION_TABLES];
	uint32_t *last = c->claim;

	if (++c->n_rounds % ROUNDS)
		return;
	for (uint32_t i = 0; i < N_PROCS; i++)
		look(&collect_slot(c, i)->state, last++);
	for (uint32_t i = 0; i < c->at.n_tables; i++)
		look(&((struct segment_tables *)(tables + (size_t)i * TABLES_SIZE))->state, last++);
	for (uint32_t i = 0; i < c->at.n_rings; i++)
		look(&collect_ring(c, i)->state, last++);
}

bool collect_was_loaded(const struct collect *c)
{
	for (uint32_t i = 0; i < N_PROCS; i++)
		if (atomic_load(&collect_slot(c, i)->serial))
			return true;
	return false;
}

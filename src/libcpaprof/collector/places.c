/*
 * places.c - what code is where in a process: what it tells, and what the kernel says
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"

enum { LOOK_NS_PER_DRAIN = COLLECT_DRAIN_MS * 1000000 / 50, LOOKS_RARE = 100 };

/* The number is read first: what it counts was told before. */
void collect_modules(struct process *p)
{
	struct segment_proc *s = collect_slot(p->c, collect_slot_of(p));
	uint32_t now = atomic_load_explicit(&s->generation, memory_order_acquire);
	uint32_t to = atomic_load_explicit(&s->modules, memory_order_acquire);

	/* what it says of itself once another has its slot is not its own */
	if (atomic_load(&s->serial) != p->serial)
		return;
	p->maps.now = p->table.generation = now;
	if (to == p->modules_read)
		return;
	maps_take_modules(&p->maps,
			  (const uint8_t *)p->c->head + p->c->at.section[SECTION_MODULES] +
				  (size_t)collect_slot_of(p) * MODULES_MAX,
			  p->modules_read, to);
	p->modules_read = to;
	atomic_store_explicit(&s->modules_read, to, memory_order_release);
}

/* Looks take a fiftieth of the time at most, where there are thousands of mappings. */
void collect_look_at_maps(struct process *p)
{
	uint64_t start = collect_wall_ns(), end, n;

	maps_add_live(&p->maps, p->pid);
	end = collect_wall_ns();
	n = end > start ? (end - start) / LOOK_NS_PER_DRAIN : 0;
	p->since_look = 0;
	p->look_wait = n < LOOKS_RARE ? (unsigned)n : LOOKS_RARE;
}

void collect_find_places(struct process *p, bool now)
{
	struct table_loc *loc = p->table.loc.data;
	uint32_t n = (uint32_t)p->table.loc.n, left = p->table.n_found;
	bool missing = false;

	for (uint32_t i = left; i < n; i++)
		if (i >= N_PLACES && !loc[i].map) {
			loc[i].map = maps_find(&p->maps, loc[i].addr);
			missing |= !loc[i].map;
		}
	if (missing && !p->ended && p->proven) {
		if (!now && p->since_look < p->look_wait)
			return;
		collect_look_at_maps(p);
		for (uint32_t i = left; i < n; i++)
			if (i >= N_PLACES && !loc[i].map)
				loc[i].map = maps_find(&p->maps, loc[i].addr);
	}
	p->table.n_found = n;
}

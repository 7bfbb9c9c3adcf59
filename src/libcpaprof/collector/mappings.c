/*
 * mappings.c - the mappings of a process, as reported by itself and by the kernel
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/collect_int.h"

#include <string.h>

enum { READ_NS_PER_DRAIN = COLLECT_DRAIN_MS * 1000000 / 50, INTERVAL_MAX = 100 };

/* The generation is read first: the process writes the modules before it increments the generation. */
void collect_read_modules(struct process *p)
{
	struct segment_proc *s = collect_slot(p->c, collect_slot_index(p));
	uint32_t now = atomic_load_explicit(&s->generation, memory_order_acquire);
	uint32_t to = atomic_load_explicit(&s->modules, memory_order_acquire);

	/* another process has claimed the slot: these are its modules */
	if (atomic_load(&s->serial) != p->serial)
		return;
	p->maps.generation = p->table.generation = now;
	if (to == p->modules_read)
		return;
	maps_add_modules(&p->maps,
			 (const uint8_t *)p->c->head + p->c->layout.section[SECTION_MODULES] +
				 (size_t)collect_slot_index(p) * MODULES_MAX,
			 p->modules_read, to);
	p->modules_read = to;
	atomic_store_explicit(&s->modules_read, to, memory_order_release);
}

/* Reads take at most a fiftieth of the time, even with thousands of mappings. */
void collect_read_maps(struct process *p)
{
	uint64_t start = clock_wall(), end, n;

	maps_add_live(&p->maps, p->pid);
	end = clock_wall();
	n = end > start ? (end - start) / READ_NS_PER_DRAIN : 0;
	p->n_drains_since_maps = 0;
	p->maps_interval = n < INTERVAL_MAX ? (unsigned)n : INTERVAL_MAX;
}

/* Is this mapping memory without a file, in which programs generate code? map: index + 1; 0: not known. */
static bool is_memory(const struct maps *maps, uint32_t map)
{
	static const char *const names[] = { "//anon", "[anon", "/memfd:" };
	const struct map *m;
	const char *path;

	if (!map)
		return false;
	m = (const struct map *)maps->map.data + map - 1;
	path = (const char *)maps->texts.data + m->path;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (m->n_path >= strlen(names[i]) && memcmp(path, names[i], strlen(names[i])) == 0)
			return true;
	return false;
}

void collect_find_mappings(struct process *p, bool now)
{
	struct table_loc *loc = p->table.loc.data;
	uint32_t n = (uint32_t)p->table.loc.n, first = p->table.n_found;
	bool missing = false;

	for (uint32_t i = first; i < n; i++)
		if (i >= N_PSEUDO_FRAMES && !loc[i].map) {
			loc[i].map = maps_find(&p->maps, loc[i].addr);
			missing |= !loc[i].map;
		}
	if (missing && !p->has_ended && p->is_verified) {
		if (!now && p->n_drains_since_maps < p->maps_interval)
			return;
		collect_read_maps(p);
		for (uint32_t i = first; i < n; i++)
			if (i >= N_PSEUDO_FRAMES && !loc[i].map)
				loc[i].map = maps_find(&p->maps, loc[i].addr);
	}
	for (uint32_t i = first; i < n && !p->has_generated_code; i++)
		p->has_generated_code = is_memory(&p->maps, loc[i].map);
	p->table.n_found = n;
}

/*
 * tier_view.c - a dictionary as a tier has it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Equal functions and lines of several processes, and in 1h and 1d of several builds, become one location, so that stacks are equal and
 * the dictionary is small. The binary is kept by its name, as reports by binary need it.
 */
#include "config.h"

#include "base/str.h"
#include "store/local/tier/tier_int.h"

#include <string.h>

static bool is_named(const struct dict *d, uint32_t loc)
{
	for (uint32_t i = d->loc_line[loc]; i < d->loc_line[loc + 1]; i++)
		if (d->line_func[i] != PROFILE_NONE && d->func_name[d->line_func[i]])
			return true;
	return false;
}

static void view_mappings(struct tier_view *v, const struct dict *d, enum store_tier to)
{
	struct mapping *map = arena_alloc(v->memory, d->n_maps, 2 * sizeof(*map));

	for (uint32_t i = 0; i < d->n_maps; i++) {
		struct mapping *coarse = &map[d->n_maps + i];

		map[i] = d->map[i];
		*coarse = d->map[i];
		coarse->start = coarse->limit = coarse->offset = 0;
		if (to >= TIER_1H)
			coarse->build_id = 0;
	}
	v->d.map = map;
	v->d.n_maps = 2 * d->n_maps;
}

static void view_locations(struct tier_view *v, const struct dict *d)
{
	uint32_t *map = arena_alloc(v->memory, d->n_locs, sizeof(*map));
	uint64_t *addr = arena_alloc(v->memory, d->n_locs, sizeof(*addr));

	for (uint32_t i = 0; i < d->n_locs; i++) {
		bool named = is_named(d, i);

		map[i] = named && d->loc_map[i] != PROFILE_NONE ? d->loc_map[i] + d->n_maps : d->loc_map[i];
		addr[i] = named ? 0 : d->loc_addr[i];
	}
	v->d.loc_map = map;
	v->d.loc_addr = addr;
}

/* The meta of snapshots: with the program and the start of its process. */
static struct dict_meta snapshot_meta(struct tier_view *v, const struct dict *d, const struct dict_meta *m)
{
	struct dict_meta out = *m;

	out.n_places = m->n_places > 0;
	out.n_comments = 0;
	out.comment = arena_alloc(v->memory, m->n_comments, sizeof(*out.comment));
	for (uint32_t i = 0; i < m->n_comments; i++)
		if (starts_with(strtab_text(d->str, m->comment[i]), "start: "))
			out.comment[out.n_comments++] = m->comment[i];
	return out;
}

/* The meta of slots: with the binary of the program, and increases instead of counters. */
static struct dict_meta slot_meta(struct tier_view *v, const struct dict *d, const struct dict_meta *m)
{
	struct dict_meta out = *m;

	out.n_comments = 0;
	out.n_places = m->n_places > 0;
	if (out.n_places) {
		out.place = arena_alloc(v->memory, 1, sizeof(*out.place));
		out.place[0] = m->place[0];
		out.place[0].map = m->place[0].map % d->n_maps + d->n_maps;
		out.place[0].start = out.place[0].limit = 0;
	}
	out.temporality = arena_alloc(v->memory, m->n_types, sizeof(*out.temporality));
	for (uint32_t t = 0; t < m->n_types; t++)
		out.temporality[t] =
			m->temporality[t] == TEMPORALITY_CUMULATIVE ? TEMPORALITY_INCREASE : m->temporality[t];
	return out;
}

void tier_view_init(struct tier_view *v, const struct dict *d, enum store_tier to)
{
	*v = (struct tier_view){ .d = *d, .memory = arena_new(), .n_metas = d->n_metas };
	view_mappings(v, d, to);
	view_locations(v, d);
	v->d.meta = arena_alloc(v->memory, d->n_metas, 2 * sizeof(*v->d.meta));
	for (uint32_t i = 0; i < d->n_metas; i++) {
		v->d.meta[i] = snapshot_meta(v, d, &d->meta[i]);
		v->d.meta[d->n_metas + i] = slot_meta(v, d, &d->meta[i]);
	}
	v->d.n_metas = 2 * d->n_metas;
	v->d.index = NULL;
}

void tier_view_release(struct tier_view *v)
{
	arena_free(v->memory);
}

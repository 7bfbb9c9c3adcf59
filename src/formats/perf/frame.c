/*
 * frame.c - locations and mappings of the profile, from addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>

int perfdata_frame_mapping(struct perf_reader *r, uint32_t module, struct err *err)
{
	struct perf_module *m = &r->module[module];
	struct mapping new;

	if (m->map != PERF_NONE)
		return 0;
	new = (struct mapping){ .id = ++r->n_maps,
				.start = m->start,
				.limit = m->limit,
				.offset = m->offset,
				.file = m->file,
				.build_id = m->build_id,
				.kernel_symbol = m->kernel_symbol,
				.has_functions = m->func != PERF_NONE };
	return builder_mapping(r->b, &new, &m->map, err);
}

/* The location of an address in a mapping of the profile, or outside all (PERF_NONE). func: PERF_NONE: not known. */
static int frame_location(struct perf_reader *r, uint32_t map, uint64_t addr, uint32_t func, uint32_t *out,
			  struct err *err)
{
	uint64_t h = hash_mix(hash_u64(addr), map + UINT64_C(1));
	struct builder_location new = { .id = r->n_locs + 1, .addr = addr, .map = map };
	struct builder_line line = { .func = func };
	int rc;

	for (size_t pos = idtab_start(&r->loc_tab, h); idtab_next(&r->loc_tab, h, &pos, out);)
		if (builder_location_is(r->b, *out, addr, map))
			return 0;
	if (format_exceeds(r->n_locs + 1, r->options->max_count))
		return err_set(err, ERR_LIMIT,
			       "perf.data: more than %" PRIu64 " locations; raise the limit with --max-count",
			       r->options->max_count);
	rc = builder_location(r->b, &new, &line, func != PERF_NONE, out, err);
	if (rc < 0)
		return rc;
	idtab_put(&r->loc_tab, h, *out);
	r->n_locs++;
	return 0;
}

static int frame_push(struct perf_reader *r, uint32_t loc, struct err *err)
{
	if (format_exceeds(r->n_stack + 1, r->options->max_depth))
		return err_set(err, ERR_LIMIT,
			       "perf.data: more than %" PRIu64 " frames; raise the limit with --max-depth",
			       r->options->max_depth);
	r->stack = mem_grow(r->stack, &r->cap_stack, r->n_stack + 1, sizeof(*r->stack));
	r->stack[r->n_stack++] = loc;
	return 0;
}

int perfdata_frame_add(struct perf_reader *r, struct perf_process *process, enum perf_mode mode, uint64_t addr,
		       bool is_return, struct err *err)
{
	const struct perf_maps *maps = mode == PERF_KERNEL         ? r->kernel
				       : mode == PERF_GUEST_KERNEL ? r->guest
				       : mode == PERF_USER         ? process->maps
								   : NULL;
	uint64_t key = maps ? maps->version : 0;
	const struct perf_map *map;
	struct perf_frame_slot *slot;
	uint32_t map_id = PERF_NONE, func = PERF_NONE, loc;
	int rc = 0;

	addr -= is_return && addr && !r->is_simpleperf;
	slot = &r->slot[hash_mix(addr ^ hash_secret[0], key ^ hash_secret[1]) % PERF_FRAME_SLOTS];
	if (slot->addr == addr && slot->key == key && slot->loc != PERF_NONE)
		return frame_push(r, slot->loc, err);
	map = perfdata_maps_find(maps, addr);
	slot->addr = addr;
	slot->key = key;
	slot->loc = PERF_NONE;
	if (map) {
		rc = perfdata_frame_mapping(r, map->module, err);
		map_id = r->module[map->module].map;
		func = r->module[map->module].func;
		addr -= map->shift;
	}
	rc = rc < 0 ? rc : frame_location(r, map_id, addr, func, &loc, err);
	if (rc < 0)
		return rc;
	slot->loc = loc;
	return frame_push(r, loc, err);
}

int perfdata_frame_function(struct perf_reader *r, str_id name, uint32_t *out, struct err *err)
{
	struct builder_function f = { .id = ++r->n_funcs, .name = name };

	return builder_function(r->b, &f, out, err);
}

int perfdata_frame_add_named(struct perf_reader *r, const char *name, uint32_t *loc, struct err *err)
{
	struct builder_location l = { .id = r->n_locs + 1, .map = PROFILE_NONE };
	struct builder_line line = { 0 };
	int rc = 0;

	if (*loc == PERF_NONE) {
		rc = perfdata_frame_function(r, strtab_addz(builder_strings(r->b), name), &line.func, err);
		rc = rc < 0 ? rc : builder_location(r->b, &l, &line, 1, loc, err);
		r->n_locs++;
	}
	return rc < 0 ? rc : frame_push(r, *loc, err);
}

/*
 * location_table.c - mappings and locations of formats whose frames have addresses, each once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/location_table.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>

enum { LOCATIONS_EXPECTED = 256, MAPPINGS_EXPECTED = 16 };

struct table_location {
	uint64_t addr;
	size_t first_line, n_lines;
	uint32_t map;
};

struct location_table {
	struct builder *b;
	const struct format_options *options;
	struct idtab map_at, loc_at;
	struct mapping *map;        /* [n_maps] */
	struct table_location *loc; /* [n_locs] */
	struct builder_line *line;  /* [n_lines] of all locations */
	uint32_t *map_id, *loc_id;
	size_t n_maps, cap_maps, cap_map_ids, n_locs, cap_locs, cap_loc_ids, n_lines, cap_lines;
};

struct location_table *location_table_new(struct builder *b, const struct format_options *options)
{
	struct location_table *t = mem_zalloc(1, sizeof(*t));

	t->b = b;
	t->options = options;
	idtab_init(&t->map_at, MAPPINGS_EXPECTED);
	idtab_init(&t->loc_at, LOCATIONS_EXPECTED);
	return t;
}

void location_table_free(struct location_table *t)
{
	if (!t)
		return;
	idtab_release(&t->map_at);
	idtab_release(&t->loc_at);
	free(t->map);
	free(t->map_id);
	free(t->loc);
	free(t->loc_id);
	free(t->line);
	free(t);
}

static int location_table_check(const struct location_table *t, size_t n, const char *what, struct err *err)
{
	if (!format_exceeds(n + 1, t->options->max_count))
		return 0;
	return err_set(err, ERR_LIMIT, "more than %" PRIu64 " %s; raise the limit with --max-count",
		       t->options->max_count, what);
}

static bool location_table_has_mapping(const struct mapping *a, const struct mapping *b)
{
	return a->start == b->start && a->limit == b->limit && a->offset == b->offset && a->file == b->file &&
	       a->build_id == b->build_id;
}

int location_table_mapping(struct location_table *t, const struct mapping *m, uint32_t *out, struct err *err)
{
	struct mapping copy = *m;
	uint64_t hash = hash_mix(hash_u64((uint64_t)m->file << 32 | m->build_id),
				 hash_mix(hash_u64(m->start), hash_u64(m->offset)));
	uint32_t i;
	int rc;

	for (size_t at = idtab_start(&t->map_at, hash); idtab_next(&t->map_at, hash, &at, &i);)
		if (location_table_has_mapping(&t->map[i], m)) {
			*out = t->map_id[i];
			return 0;
		}
	copy.id = t->n_maps + 1;
	rc = location_table_check(t, t->n_maps, "mappings", err);
	rc = rc < 0 ? rc : builder_mapping(t->b, &copy, out, err);
	if (rc < 0)
		return rc;
	idtab_put(&t->map_at, hash, (uint32_t)t->n_maps);
	t->map = mem_grow(t->map, &t->cap_maps, t->n_maps + 1, sizeof(*t->map));
	t->map_id = mem_grow(t->map_id, &t->cap_map_ids, t->n_maps + 1, sizeof(*t->map_id));
	t->map[t->n_maps] = copy;
	t->map_id[t->n_maps++] = *out;
	return 0;
}

static uint64_t location_table_hash(uint32_t map, uint64_t addr, const struct builder_line *lines, size_t n)
{
	uint64_t hash = hash_mix(hash_u64(addr), hash_u64(map));

	for (size_t i = 0; i < n; i++)
		hash = hash_mix(hash, hash_u64((uint64_t)lines[i].func << 32 ^ (uint64_t)lines[i].no ^
					       (uint64_t)lines[i].col << 20));
	return hash;
}

static bool location_table_has_location(const struct location_table *t, const struct table_location *l, uint32_t map,
					uint64_t addr, const struct builder_line *lines, size_t n)
{
	if (l->addr != addr || l->map != map || l->n_lines != n)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct builder_line *own = &t->line[l->first_line + i];

		if (own->func != lines[i].func || own->no != lines[i].no || own->col != lines[i].col)
			return false;
	}
	return true;
}

int location_table_location(struct location_table *t, uint32_t map, uint64_t addr, const struct builder_line *lines,
			    size_t n, uint32_t *out, struct err *err)
{
	const struct builder_location l = { .id = t->n_locs + 1, .addr = addr, .map = map };
	uint64_t hash = location_table_hash(map, addr, lines, n);
	uint32_t i;
	int rc;

	for (size_t at = idtab_start(&t->loc_at, hash); idtab_next(&t->loc_at, hash, &at, &i);)
		if (location_table_has_location(t, &t->loc[i], map, addr, lines, n)) {
			*out = t->loc_id[i];
			return 0;
		}
	rc = location_table_check(t, t->n_locs, "locations", err);
	rc = rc < 0 ? rc : builder_location(t->b, &l, lines, n, out, err);
	if (rc < 0)
		return rc;
	idtab_put(&t->loc_at, hash, (uint32_t)t->n_locs);
	t->loc = mem_grow(t->loc, &t->cap_locs, t->n_locs + 1, sizeof(*t->loc));
	t->loc_id = mem_grow(t->loc_id, &t->cap_loc_ids, t->n_locs + 1, sizeof(*t->loc_id));
	t->loc[t->n_locs] = (struct table_location){ addr, t->n_lines, n, map };
	t->loc_id[t->n_locs++] = *out;
	for (size_t k = 0; k < n; k++) {
		t->line = mem_grow(t->line, &t->cap_lines, t->n_lines + 1, sizeof(*t->line));
		t->line[t->n_lines++] = lines[k];
	}
	return 0;
}

/*
 * maps.c - files that are mapped, and where processes have them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"
#include "base/mem.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdlib.h>

enum { MAPS_MAX = 1 << 16, ALL_MAPS_MAX = 1 << 21 };

/* Mappings of a file are one module wherever they are; memory without a file differs at each place. */
static bool module_is(const struct perf_module *a, const struct perf_mapped *m)
{
	return a->file == m->file && a->build_id == m->build_id && a->offset == m->offset && a->owner == m->owner &&
	       a->is_kernel == m->is_kernel && a->limit - a->start == m->limit - m->start &&
	       ((!m->owner && !m->is_kernel) || a->start == m->start);
}

int perfdata_module_find(struct perf_reader *r, const struct perf_mapped *m, uint32_t *out, struct err *err)
{
	uint64_t words[] = { (uint64_t)m->file << 32 | m->build_id, m->offset, m->limit - m->start,
			     (uint64_t)m->owner << 1 | m->is_kernel, m->owner || m->is_kernel ? m->start : 0 };
	uint64_t h = hash_bytes(words, sizeof(words));

	for (size_t pos = idtab_start(&r->module_tab, h); idtab_next(&r->module_tab, h, &pos, out);)
		if (module_is(&r->module[*out], m))
			return 0;
	if (format_exceeds(r->n_modules + 1, r->options->max_count) || r->n_modules >= PERF_NONE - 1)
		return err_set(err, ERR_LIMIT,
			       "perf.data: more than %" PRIu64 " mappings; raise the limit with --max-count",
			       r->options->max_count);
	r->module = mem_grow(r->module, &r->cap_modules, r->n_modules + 1, sizeof(*r->module));
	r->module[r->n_modules] = (struct perf_module){ .file = m->file,
							.build_id = m->build_id,
							.start = m->start,
							.limit = m->limit,
							.offset = m->offset,
							.owner = m->owner,
							.is_kernel = m->is_kernel,
							.map = PERF_NONE,
							.func = PERF_NONE };
	idtab_put(&r->module_tab, h, (uint32_t)r->n_modules);
	*out = (uint32_t)r->n_modules++;
	return 0;
}

struct perf_maps *perfdata_maps_share(struct perf_maps *maps)
{
	if (maps)
		maps->n_users++;
	return maps;
}

void perfdata_maps_drop(struct perf_reader *r, struct perf_maps **maps)
{
	struct perf_maps *m = *maps;

	*maps = NULL;
	if (!m || --m->n_users)
		return;
	r->n_all_maps -= m->n;
	free(m->map);
	free(m);
}

/* The number of mappings that end at an address or before it. */
static size_t maps_before(const struct perf_maps *m, uint64_t addr)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->map[mid].limit <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct perf_map *perfdata_maps_find(const struct perf_maps *maps, uint64_t addr)
{
	size_t i = maps ? maps_before(maps, addr) : 0;

	return maps && i < maps->n && maps->map[i].start <= addr ? &maps->map[i] : NULL;
}

/* Make mappings that only this user has, so that they can be changed. */
static struct perf_maps *maps_own(struct perf_reader *r, struct perf_maps **maps)
{
	struct perf_maps *old = *maps, *new;

	if (old && old->n_users == 1)
		return old;
	new = mem_zalloc(1, sizeof(*new));
	new->n_users = 1;
	new->files_version = old ? old->files_version : 0;
	if (old && old->n) {
		new->map = mem_grow(NULL, &new->cap, old->n, sizeof(*new->map));
		memcpy(new->map, old->map, old->n * sizeof(*new->map));
		new->n = old->n;
		r->n_all_maps += new->n;
		old->n_users--;
	} else if (old) {
		old->n_users--;
	}
	*maps = new;
	return new;
}

/* Is one of n mappings that of a file? */
static bool maps_have_file(const struct perf_reader *r, const struct perf_map *map, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!r->module[map[i].module].owner)
			return true;
	return false;
}

/* Forget the mappings of processes that have ended. */
static void maps_sweep(struct perf_reader *r)
{
	for (size_t i = 0; i < r->n_processes; i++)
		if (r->process[i].has_ended)
			perfdata_maps_drop(r, &r->process[i].maps);
}

/* Replace n entries from i on by those of new[n_new]. */
static void maps_splice(struct perf_reader *r, struct perf_maps *m, size_t i, size_t n, const struct perf_map *new,
			size_t n_new)
{
	m->map = mem_grow(m->map, &m->cap, m->n + n_new, sizeof(*m->map));
	memmove(m->map + i + n_new, m->map + i + n, (m->n - i - n) * sizeof(*m->map));
	if (n_new)
		memcpy(m->map + i, new, n_new * sizeof(*new));
	m->n = m->n - n + n_new;
	r->n_all_maps = r->n_all_maps - n + n_new;
}

int perfdata_maps_set(struct perf_reader *r, struct perf_maps **maps, uint64_t start, uint64_t limit, uint32_t module,
		      struct err *err)
{
	bool has_file;
	struct perf_map new[3]; /* the rest of the first one, the new one, the rest of the last one */
	size_t i, n = 0, n_new = 0;
	struct perf_maps *m;

	if (r->n_all_maps + (*maps ? (*maps)->n : 0) >= ALL_MAPS_MAX)
		maps_sweep(r);
	m = *maps;
	i = m ? maps_before(m, start) : 0;
	while (m && i + n < m->n && m->map[i + n].start < limit)
		n++;
	if (n == 0 && module == PERF_NONE)
		return 0;
	m = maps_own(r, maps);
	if (m->n >= MAPS_MAX || r->n_all_maps >= ALL_MAPS_MAX)
		return err_set(err, ERR_LIMIT, "perf.data: more than %d mappings in a process, or %d in all",
			       (int)MAPS_MAX, (int)ALL_MAPS_MAX);
	if (n && m->map[i].start < start) {
		new[n_new] = m->map[i];
		new[n_new++].limit = start;
	}
	if (module != PERF_NONE)
		new[n_new++] = (struct perf_map){ start, limit, start - r->module[module].start, module };
	if (n && m->map[i + n - 1].limit > limit) {
		new[n_new] = m->map[i + n - 1];
		new[n_new++].start = limit;
	}
	has_file = (n && maps_have_file(r, m->map + i, n)) || maps_have_file(r, new, n_new);
	maps_splice(r, m, i, n, new, n_new);
	m->version = ++r->n_versions;
	if (has_file)
		m->files_version = m->version;
	return 0;
}

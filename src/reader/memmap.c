/*
 * memmap.c - put mappings right, and find the one an address is in
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * pprof asks mapping after mapping for each address and changes mappings as it goes. Here two
 * segment trees over the sorted addresses hold, for each address, the first mapping that contains
 * it and the first whose missing front part does; a mapping only ever grows, so marking the new
 * part is enough, and an address costs the logarithm.
 */
#include "config.h"

#include "reader/memmap.h"

#include "base/search.h"
#include "base/str.h"
#include "reader/legacy_text.h"

#include "base/buf.h"
#include "base/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void memmap_release(struct memmap *m)
{
	free(m->map);
}

/* Putting right */

static bool is_continued(const struct mapping *a, const struct mapping *b)
{
	if (a->file && b->file && a->file != b->file)
		return false;
	if (a->build_id && b->build_id && a->build_id != b->build_id)
		return false;
	if (a->limit != b->start)
		return false;
	return !a->offset || !b->offset || a->offset + (a->limit - a->start) == b->offset;
}

/* Is this the name of a shared library: ".so" at the end, or ".so.N" or ".so_N" anywhere? */
static bool is_library(struct slice file)
{
	for (const char *at; (at = slice_find(file, ".so")) != NULL;) {
		file = slice_make(at + 3, file.p + file.n);
		if (file.n == 0)
			return true;
		if (file.n > 1 && (file.p[0] == '.' || file.p[0] == '_') && file.p[1] >= '0' && file.p[1] <= '9')
			return true;
	}
	return false;
}

static bool is_main_binary(const struct strtab *str, str_id file, struct buf *name)
{
	struct slice rest = { strtab_text(str, file), strtab_len(str, file) };

	name->len = 0;
	for (const char *at; (at = slice_find(rest, "(deleted)")) != NULL;) {
		buf_add(name, rest.p, (size_t)(at - rest.p));
		rest = slice_make(at + strlen("(deleted)"), rest.p + rest.n);
	}
	buf_add(name, rest.p, rest.n);
	rest = slice_trim((struct slice){ name->data, name->len });
	return rest.n && !is_library(rest) && rest.p[0] != '[';
}

void memmap_settle(struct memmap *m, struct strtab *str)
{
	struct buf name = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < m->n; i++) {
		const struct mapping *next = &m->map[i];

		if (n == 0 || !is_continued(&m->map[n - 1], next)) {
			m->map[n++] = *next;
			continue;
		}
		m->map[n - 1].limit = next->limit;
		if (next->file)
			m->map[n - 1].file = next->file;
		if (next->build_id)
			m->map[n - 1].build_id = next->build_id;
	}
	m->n = n;
	for (size_t i = 0; i < n; i++) {
		if (is_main_binary(str, m->map[i].file, &name)) {
			struct mapping first = m->map[0];

			m->map[0] = m->map[i];
			m->map[i] = first;
			break;
		}
	}
	buf_release(&name);
}

/* Finding */

/* For each of n sorted addresses the lowest mapping marked over it. */
struct marks {
	size_t n;
	uint32_t *low; /* [2 * n] a segment tree; leaf i is low[n + i] */
};

static struct marks marks_make(size_t n)
{
	struct marks t = { n, mem_alloc(2 * n, sizeof(*t.low)) };

	memset(t.low, 0xff, 2 * n * sizeof(*t.low));
	return t;
}

static void mark(uint32_t *low, uint32_t map)
{
	if (map < *low)
		*low = map;
}

/* Mark the addresses in [start, limit). */
static void marks_add(struct marks *t, const uint64_t *sorted, uint64_t start, uint64_t limit, uint32_t map)
{
	size_t lo = lower_bound_u64(sorted, t->n, start) + t->n, hi = lower_bound_u64(sorted, t->n, limit) + t->n;

	for (; lo < hi; lo /= 2, hi /= 2) {
		if (lo & 1)
			mark(&t->low[lo++], map);
		if (hi & 1)
			mark(&t->low[--hi], map);
	}
}

static uint32_t marks_get(const struct marks *t, size_t leaf)
{
	uint32_t map = PROFILE_NONE;

	for (size_t i = leaf + t->n; i > 0; i /= 2)
		mark(&map, t->low[i]);
	return map;
}

static int compare_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t *sort_addrs(const uint64_t *addr, size_t n, size_t *n_sorted)
{
	uint64_t *sorted = mem_alloc(n, sizeof(*sorted));
	size_t n_distinct = 0;

	if (n)
		memcpy(sorted, addr, n * sizeof(*addr));
	qsort(sorted, n, sizeof(*sorted), compare_addr);
	for (size_t i = 0; i < n; i++)
		if (i == 0 || sorted[i] != sorted[n_distinct - 1])
			sorted[n_distinct++] = sorted[i];
	*n_sorted = n_distinct;
	return sorted;
}

/* Correct what handlers are known to write about the main binary when its text was remapped. */
static void fix_first(struct memmap *m, const struct strtab *str)
{
	static const uint64_t usual_start = 0x400000;
	static const char huge[] = "/anon_hugepage";

	if (m->n > 1 && starts_with(strtab_text(str, m->map[0].file), huge) && m->map[0].limit == m->map[1].start)
		memmove(m->map, m->map + 1, --m->n * sizeof(*m->map));
	if (m->n > 0 && m->map[0].start - m->map[0].offset == usual_start) {
		m->map[0].start = usual_start;
		m->map[0].offset = 0;
	}
}

/* Take in the part in front of a mapping, for handlers that left it out. */
static void grow_down(struct mapping *map, struct marks *inside, const uint64_t *sorted, uint32_t i)
{
	map->start -= map->offset;
	map->offset = 0;
	marks_add(inside, sorted, map->start, map->limit, i);
}

void memmap_assign(struct memmap *m, const struct strtab *str, const uint64_t *addr, uint32_t n, uint32_t *map)
{
	uint32_t everything = PROFILE_NONE;
	size_t n_sorted;
	uint64_t *sorted = sort_addrs(addr, n, &n_sorted);
	struct marks inside = marks_make(n_sorted), front = marks_make(n_sorted);

	fix_first(m, str);
	for (uint32_t i = 0; i < m->n; i++) {
		const struct mapping *p = &m->map[i];

		marks_add(&inside, sorted, p->start, p->limit, i);
		if (p->offset && p->offset <= p->start && p->start <= p->limit)
			marks_add(&front, sorted, p->start - p->offset, p->start, i);
	}
	for (uint32_t i = 0; i < n; i++) {
		size_t leaf = lower_bound_u64(sorted, n_sorted, addr[i]);

		map[i] = addr[i] ? marks_get(&inside, leaf) : PROFILE_NONE;
		if (map[i] != PROFILE_NONE || addr[i] == 0)
			continue;
		if (everything == PROFILE_NONE && (map[i] = marks_get(&front, leaf)) != PROFILE_NONE) {
			grow_down(&m->map[map[i]], &inside, sorted, map[i]);
			continue;
		}
		if (everything == PROFILE_NONE) {
			everything = (uint32_t)m->n;
			m->map = mem_grow(m->map, &m->cap, m->n + 1, sizeof(*m->map));
			m->map[m->n++] = (struct mapping){ .limit = UINT64_MAX };
		}
		map[i] = everything;
	}
	free(sorted);
	free(inside.low);
	free(front.low);
}

/*
 * disasm_symbols.c - which symbols the report disasm shows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/disasm_int.h"

#include "base/mem.h"
#include "engine/matcher.h"
#include "engine/trim.h"
#include "report/address.h"
#include "symbol/demangle.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What is looked for: an expression, and perhaps an address. */
struct wanted {
	const char *pattern;
	struct matcher rx;
	bool has_addr;
	uint64_t addr;
	bool found; /* some symbol has the address, though maybe no samples */
};

struct shown {
	const struct nodes *nodes;
	const struct trimmed *t;
};

static const char *printed_name(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct shown *s = arg;

	places_add_name(s->nodes->places, nodes_place(s->nodes, s->t->node[i]), scratch);
	*n = scratch->len;
	return buf_text(scratch);
}

/* The function alone, so that ^main$ matches too. */
static const char *bare_name(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct shown *s = arg;
	const struct places *pl = s->nodes->places;
	str_id name = pl->place[nodes_place(s->nodes, s->t->node[i])].name;

	(void)scratch;
	*n = strtab_len(pl->p->str, name);
	return profile_text(pl->p, name);
}

/* Does a mapping have something that is asked for? */
static bool is_wanted(const struct mapping *map, const struct wanted *w, const bool *file_matches)
{
	return (map->file && file_matches[map->file]) ||
	       (w->has_addr && map->start <= w->addr && w->addr <= map->limit);
}

static void add_to_object(struct disasm_making *m, uint32_t object, uint64_t addr, uint32_t node)
{
	struct disasm_object *o = &m->object[object];

	o->node = mem_grow(o->node, &o->cap, o->n + 1, sizeof(*o->node));
	o->node[o->n++] = (struct disasm_node){ addr, node };
}

static int by_addr(const void *a, const void *b)
{
	const struct disasm_node *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Bring the nodes of wanted mappings into the addresses of their binaries. */
static void place_nodes(struct disasm_making *m, const struct trimmed *t)
{
	const struct profile *p = m->p;
	uint32_t *loc_of = mem_alloc(m->nodes.n, sizeof(*loc_of));

	for (uint32_t loc = p->n_locs, n; loc-- > 0;)
		loc_of[places_of(m->nodes.places, loc, &n)[0]] = loc;
	for (uint32_t i = 0; i < t->n; i++) {
		uint32_t loc = loc_of[t->node[i]], map = p->loc_map[loc];
		uint64_t addr;

		if (map != PROFILE_NONE && m->binaries.of_map[map] >= 0 &&
		    binaries_address(&m->binaries, map, p->loc_addr[loc], &addr))
			add_to_object(m, (uint32_t)m->binaries.of_map[map], addr, t->node[i]);
	}
	free(loc_of);
	for (uint32_t i = 0; i < m->binaries.n; i++)
		if (m->object[i].n)
			qsort(m->object[i].node, m->object[i].n, sizeof(*m->object[i].node), by_addr);
}

static const char *copy(const char *name, struct arena *mem)
{
	return arena_strndup(mem, name, strlen(name));
}

static int matches(struct wanted *w, const char *name, size_t n, bool *yes, struct err *err)
{
	return *w->pattern ? regex_match(w->rx.rx, name, n, yes, err) : (*yes = true, 0);
}

/* The form of a symbol's name that matches; NULL when none does. Like pprof internal/binutils matchSymbol. */
static int matching_name(struct wanted *w, const char *name, struct arena *mem, const char **out, struct err *err)
{
	static const enum demangle_mode modes[] = { DEMANGLE_FULL, DEMANGLE_TEMPLATES, DEMANGLE_DEFAULT };
	struct buf readable = { 0 };
	bool yes = false;
	int rc = matches(w, name, strlen(name), &yes, err);

	*out = yes ? copy(name, mem) : NULL;
	for (size_t i = 0; rc == 0 && !yes && *name == '_' && i < sizeof(modes) / sizeof(modes[0]); i++) {
		readable.len = 0;
		if (!demangle(name, modes[i], &readable))
			continue;
		rc = matches(w, readable.data, readable.len, &yes, err);
		if (yes)
			*out = arena_strndup(mem, readable.data, readable.len);
	}
	buf_release(&readable);
	return rc;
}

/* Symbols at one address, which end where the next one begins. */
struct group {
	const struct object_symbol *symbol;
	size_t n;
	uint64_t start, last;
};

/* The names that a group is shown by; none when it is not asked for. */
static int names_of_group(struct wanted *w, const struct group *g, uint64_t addr, struct arena *mem,
			  struct disasm_symbol *out, struct err *err)
{
	int rc = 0;

	out->n_names = 0;
	if (w->has_addr && w->addr &&
	    ((w->addr >= g->start && w->addr <= g->last) || (addr >= g->start && addr <= g->last))) {
		out->name = arena_alloc(mem, g->n, sizeof(const char *));
		for (size_t i = 0; i < g->n; i++)
			out->name[out->n_names++] = copy(g->symbol[i].name, mem);
		w->found = true;
		return 0;
	}
	for (size_t i = 0; rc == 0 && out->n_names == 0 && i < g->n; i++) {
		const char *name;

		rc = matching_name(w, g->symbol[i].name, mem, &name, err);
		if (rc == 0 && name) {
			out->name = arena_alloc(mem, 1, sizeof(const char *));
			out->name[out->n_names++] = name;
		}
	}
	return rc;
}

static void add_symbol(struct disasm_making *m, uint32_t object, const struct group *g, struct disasm_symbol s,
		       size_t lo, size_t hi)
{
	s.object = object;
	s.start = g->start;
	s.lo = lo;
	s.hi = hi;
	s.range = (struct disasm_range){ .start = g->start, .stop = g->last + (g->last < UINT64_MAX) };
	m->symbol = mem_grow(m->symbol, &m->cap_symbols, (size_t)m->n_symbols + 1, sizeof(*m->symbol));
	m->symbol[m->n_symbols++] = s;
}

/* Go through the symbols of an object and its nodes side by side. addr: the wanted address in the object. */
static int find_symbols(struct disasm_making *m, uint32_t object, uint64_t addr, struct wanted *w, struct err *err)
{
	const struct disasm_object *o = &m->object[object];
	const struct object_symbol *symbol;
	size_t n = object_symbols(m->binaries.binary[object].o, &symbol), lo = 0, hi;
	int rc = 0;

	for (size_t i = 0, end; rc == 0 && i < n; i = end, lo = hi) {
		struct disasm_symbol s = { 0 };
		struct group g = { .symbol = &symbol[i], .start = symbol[i].addr };
		bool has_addr;

		for (end = i + 1; end < n && symbol[end].addr == g.start; end++)
			;
		g.n = end - i;
		g.last = end < n ? symbol[end].addr - 1 : UINT64_MAX;
		while (lo < o->n && o->node[lo].addr < g.start)
			lo++;
		for (hi = lo; hi < o->n && o->node[hi].addr <= g.last; hi++)
			;
		has_addr = w->has_addr &&
			   ((addr >= g.start && addr <= g.last) || (w->addr >= g.start && w->addr <= g.last));
		if (lo == hi && !has_addr)
			continue;
		rc = names_of_group(w, &g, addr, m->mem, &s, err);
		if (rc == 0 && s.n_names && lo < hi)
			add_symbol(m, object, &g, s, lo, hi);
	}
	return rc;
}

/* The wanted address in an object, by the first of its mappings that has it; else as it is. */
static uint64_t wanted_address(const struct disasm_making *m, uint32_t object, const struct wanted *w)
{
	uint64_t addr;

	for (uint32_t i = 0; w->has_addr && i < m->p->n_maps; i++)
		if (m->binaries.of_map[i] == object && w->addr >= m->p->map[i].start && w->addr < m->p->map[i].limit &&
		    binaries_address(&m->binaries, i, w->addr, &addr))
			return addr;
	return w->addr;
}

static int find_all(struct disasm_making *m, struct wanted *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < m->binaries.n; i++) {
		rc = stop_check(m->binaries.where.stop, err);
		if (rc == 0 && m->binaries.binary[i].o)
			rc = find_symbols(m, i, wanted_address(m, i, w), w, err);
	}
	return rc;
}

/* A stripped binary has most of its symbols in a debug file. False when there is none for any. */
static bool find_debug_files(const struct disasm_making *m)
{
	bool any = false;
	const char *path;

	for (uint32_t i = 0; i < m->binaries.n; i++)
		if (m->binaries.binary[i].o && m->object[i].n)
			any |= object_debug(m->binaries.binary[i].o, &m->binaries.where, NULL, &path) >= 0;
	return any;
}

static int nothing_found(const struct disasm_making *m, const struct wanted *w, struct err *err)
{
	bool looked = false;

	for (uint32_t i = 0; i < m->binaries.n; i++)
		looked |= m->binaries.binary[i].o != NULL;
	if (*m->binaries.why.msg && !looked)
		return err_set(err, m->binaries.why.code, "%s", m->binaries.why.msg);
	if (!w->has_addr)
		return err_set(err, ERR_USAGE, "no matches found for regexp %s", w->pattern);
	if (!w->found)
		return err_set(err, ERR_USAGE, "no matches found for address 0x%" PRIx64, w->addr);
	return err_set(err, ERR_USAGE,
		       "address 0x%" PRIx64
		       " found in binary, but the corresponding symbols do not have samples in the profile",
		       w->addr);
}

/* Which files have a node whose printed name matches, as in pprof, or the name of its function. */
static int match_files(struct disasm_making *m, struct wanted *w, const struct trimmed *t, bool *file_matches,
		       struct err *err)
{
	const struct shown shown = { &m->nodes, t };
	uint8_t *yes = mem_zalloc(t->n, 1), *bare = mem_zalloc(t->n, 1);
	int rc = *w->pattern ? matcher_all(&w->rx, printed_name, &shown, t->n, yes, 1, err) : 0;

	if (rc == 0 && *w->pattern)
		rc = matcher_all(&w->rx, bare_name, &shown, t->n, bare, 1, err);
	for (uint32_t i = 0; i < t->n; i++)
		if (yes[i] || bare[i] || !*w->pattern)
			file_matches[m->nodes.places->place[nodes_place(&m->nodes, t->node[i])].objfile] = true;
	free(yes);
	free(bare);
	return rc;
}

static int find(struct disasm_making *m, struct wanted *w, const struct query *q, struct buf *notes, struct err *err)
{
	struct trimmed t;
	bool *file_matches = arena_zalloc(m->mem, strtab_count(m->p->str), sizeof(*file_matches));
	size_t before = notes->len;
	int rc;

	trim_cut(&m->nodes, q, m->mem, &t);
	rc = match_files(m, w, &t, file_matches, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < m->p->n_maps; i++)
		if (is_wanted(&m->p->map[i], w, file_matches))
			binaries_of(&m->binaries, i, notes);
	m->object = arena_zalloc(m->mem, m->binaries.n, sizeof(*m->object));
	place_nodes(m, &t);
	rc = find_all(m, w, err);
	if (rc == 0 && m->n_symbols == 0 && find_debug_files(m))
		rc = find_all(m, w, err);
	if (rc == 0 && m->n_symbols == 0)
		rc = nothing_found(m, w, err);
	if (rc < 0 && m->binaries.n == 1 && !m->binaries.verbose && notes->len > before) {
		notes->len = before; /* the error says the same */
		notes->data[before] = 0;
	}
	return rc;
}

int report_disasm_symbols(struct disasm_making *m, const struct query *q, struct buf *notes, struct err *err)
{
	struct wanted w = { .pattern = q->pattern };
	int rc;

	w.has_addr = address_parse(q->pattern, &w.addr);
	rc = matcher_init(&w.rx, "disasm", q->pattern, err);
	w.rx.stop = q->stop;
	if (rc == 0)
		rc = find(m, &w, q, notes, err);
	matcher_release(&w.rx);
	return rc;
}

void report_disasm_release(struct disasm_making *m)
{
	for (uint32_t i = 0; m->object && i < m->binaries.n; i++)
		free(m->object[i].node);
	binaries_release(&m->binaries);
	free(m->symbol);
}

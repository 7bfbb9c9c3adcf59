/*
 * disasm_symbols.c - the symbols of the disasm report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The address of every node is converted to one of its binary. Only symbols with nodes are matched, since the others
 * are not shown: a large binary has a thousand times as many symbols. All mappings of a binary are treated as one.
 */
#include "config.h"

#include "report/disasm_int.h"

#include "base/mem.h"
#include "engine/matcher.h"
#include "engine/query.h"
#include "engine/trim.h"
#include "symbol/demangle/demangle.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The pattern: a regular expression that may also be an address. */
struct disasm_wanted {
	const char *pattern;
	struct matcher rx;
	bool has_addr;
	uint64_t addr;
	bool found; /* does a symbol contain the address, with or without samples? */
};

struct shown_nodes {
	const struct nodes *nodes;
	const struct trim_result *t;
};

static const char *printed_name(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct shown_nodes *s = arg;

	places_add_name(s->nodes->places, nodes_place(s->nodes, s->t->node[i]), scratch);
	*n = scratch->len;
	return buf_text(scratch);
}

/* The name of the function without address, file and line, so that ^main$ matches it. */
static const char *bare_name(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct shown_nodes *s = arg;
	const struct places *pl = s->nodes->places;
	str_id name = pl->place[nodes_place(s->nodes, s->t->node[i])].name;

	(void)scratch;
	*n = strtab_len(pl->p->str, name);
	return profile_text(pl->p, name);
}

/* Returns true if a mapping matches the pattern by its file or the address. */
static bool report_disasm_is_wanted(const struct mapping *map, const struct disasm_wanted *w, const bool *file_matches)
{
	return (map->file && file_matches[map->file]) ||
	       (w->has_addr && map->start <= w->addr && w->addr <= map->limit);
}

static void add_to_object(struct disasm_builder *m, uint32_t object, uint64_t addr, uint32_t node)
{
	struct disasm_object *o = &m->object[object];

	o->node = mem_grow(o->node, &o->cap, o->n + 1, sizeof(*o->node));
	o->node[o->n++] = (struct disasm_node){ addr, node };
}

static int report_disasm_by_addr(const void *a, const void *b)
{
	const struct disasm_node *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->node > y->node) - (x->node < y->node);
}

/* Convert the nodes of matching mappings to addresses of their binaries. */
static void place_nodes(struct disasm_builder *m, const struct trim_result *t)
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
			qsort(m->object[i].node, m->object[i].n, sizeof(*m->object[i].node), report_disasm_by_addr);
}

static const char *report_disasm_copy(const char *name, struct arena *mem)
{
	return arena_strndup(mem, name, strlen(name));
}

static int report_disasm_matches(struct disasm_wanted *w, const char *name, size_t n, bool *yes, struct err *err)
{
	return *w->pattern ? regex_match(w->rx.rx, name, n, yes, err) : (*yes = true, 0);
}

/* Find the form of a symbol's name that matches; NULL for none. Like pprof internal/binutils matchSymbol. */
static int matching_name(struct disasm_wanted *w, const char *name, struct arena *mem, const char **out,
			 struct err *err)
{
	static const enum demangle_mode modes[] = { DEMANGLE_FULL, DEMANGLE_TEMPLATES, DEMANGLE_DEFAULT };
	struct buf readable = { 0 };
	bool yes = false;
	int rc = report_disasm_matches(w, name, strlen(name), &yes, err);

	*out = yes ? report_disasm_copy(name, mem) : NULL;
	for (size_t i = 0; rc == 0 && !yes && *name == '_' && i < sizeof(modes) / sizeof(modes[0]); i++) {
		readable.len = 0;
		if (!demangle(name, modes[i], &readable))
			continue;
		rc = report_disasm_matches(w, readable.data, readable.len, &yes, err);
		if (yes)
			*out = arena_strndup(mem, readable.data, readable.len);
	}
	buf_release(&readable);
	return rc;
}

/* A group of symbols at one address; it ends where the next symbol begins. */
struct disasm_group {
	const struct object_symbol *symbol;
	size_t n;
	uint64_t start, last;
};

/* Find the matching names of a group; there are none if the group is not shown. */
static int names_of_group(struct disasm_wanted *w, const struct disasm_group *g, uint64_t addr, struct arena *mem,
			  struct disasm_symbol *out, struct err *err)
{
	int rc = 0;

	out->n_names = 0;
	if (w->has_addr && w->addr &&
	    ((w->addr >= g->start && w->addr <= g->last) || (addr >= g->start && addr <= g->last))) {
		out->name = arena_alloc(mem, g->n, sizeof(const char *));
		for (size_t i = 0; i < g->n; i++)
			out->name[out->n_names++] = report_disasm_copy(g->symbol[i].name, mem);
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

/* List the addresses around which a symbol is shown: those of its nodes [s->lo, s->hi), and the requested one;
   UINT64_MAX for none. */
static void report_disasm_add_samples(const struct disasm_builder *m, struct disasm_symbol *s, uint64_t wanted)
{
	const struct disasm_node *node = m->object[s->object].node;
	uint64_t *sample = arena_alloc(m->mem, s->hi - s->lo + 1, sizeof(*sample));
	size_t i = s->lo;
	uint32_t n = 0;

	for (; i < s->hi && node[i].addr < wanted; i++)
		sample[n++] = node[i].addr;
	if (wanted >= s->range.start && wanted < s->range.stop)
		sample[n++] = wanted;
	for (; i < s->hi; i++)
		sample[n++] = node[i].addr;
	s->range.sample = sample;
	s->range.n_samples = n;
}

static void add_symbol(struct disasm_builder *m, const struct disasm_group *g, struct disasm_symbol s, uint64_t wanted)
{
	assert(s.lo < s.hi && s.hi <= m->object[s.object].n && g->start <= g->last);
	s.start = g->start;
	s.range = (struct disasm_range){ .start = g->start, .stop = g->last + (g->last < UINT64_MAX) };
	report_disasm_add_samples(m, &s, wanted);
	m->symbol = mem_grow(m->symbol, &m->cap_symbols, (size_t)m->n_symbols + 1, sizeof(*m->symbol));
	m->symbol[m->n_symbols++] = s;
}

/* Merge the symbols of an object with its nodes. addr is the requested address in the object. */
static int report_disasm_merge_symbols(struct disasm_builder *m, uint32_t object, uint64_t addr,
				       struct disasm_wanted *w, struct err *err)
{
	const struct disasm_object *o = &m->object[object];
	const struct object_symbol *symbol;
	size_t n = object_symbols(m->binaries.binary[object].o, &symbol), lo = 0, hi;
	int rc = 0;

	for (size_t i = 0, end; rc == 0 && i < n; i = end, lo = hi) {
		struct disasm_symbol s = { .object = object };
		struct disasm_group g = { .symbol = &symbol[i], .start = symbol[i].addr };
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
		s.lo = lo;
		s.hi = hi;
		if (rc == 0 && s.n_names && lo < hi)
			add_symbol(m, &g, s,
				   has_addr ? (addr >= g.start && addr <= g.last ? addr : w->addr) : UINT64_MAX);
	}
	return rc;
}

/* Convert the requested address to one of an object, by the first mapping that contains it. Other addresses are
 * returned unchanged. */
static uint64_t wanted_address(const struct disasm_builder *m, uint32_t object, const struct disasm_wanted *w)
{
	uint64_t addr;

	for (uint32_t i = 0; w->has_addr && i < m->p->n_maps; i++)
		if (m->binaries.of_map[i] == object && w->addr >= m->p->map[i].start && w->addr < m->p->map[i].limit &&
		    binaries_address(&m->binaries, i, w->addr, &addr))
			return addr;
	return w->addr;
}

static int find_all(struct disasm_builder *m, struct disasm_wanted *w, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < m->binaries.n; i++) {
		rc = stop_check(m->binaries.where.stop, err);
		if (rc == 0 && m->binaries.binary[i].o)
			rc = report_disasm_merge_symbols(m, i, wanted_address(m, i, w), w, err);
	}
	return rc;
}

/* Load the debug files, which have most symbols of stripped binaries. Returns false if there is none. */
static bool find_debug_files(const struct disasm_builder *m)
{
	bool any = false;
	const char *path;

	for (uint32_t i = 0; i < m->binaries.n; i++)
		if (m->binaries.binary[i].o && m->object[i].n)
			any |= object_debug(m->binaries.binary[i].o, &m->binaries.where, NULL, &path) >= 0;
	return any;
}

/* Reasons why instructions of matching functions, including inlined ones, cannot be shown. */
struct missing {
	bool no_binary;   /* the profile does not name the binary of a location of a matching function */
	bool no_address;  /* a location of a matching function has no address */
	bool is_compiled; /* a location has a matching function that is not inlined there */
	str_id container; /* a function into which a matching function is inlined; 0 for none */
};

static void note_container(const struct profile *p, const bool *matches, uint32_t loc, struct missing *out)
{
	uint32_t func = p->line_func[p->loc_line[loc + 1] - 1];

	if (func != PROFILE_NONE && !matches[func] && out->container == 0)
		out->container = p->func_name[func];
	out->is_compiled |= func != PROFILE_NONE && matches[func];
}

/* Open the binaries of all locations with a matching function. */
static int open_matching(struct disasm_builder *m, struct disasm_wanted *w, struct missing *out, struct buf *notes,
			 struct err *err)
{
	const struct profile *p = m->p;
	bool *yes = mem_zalloc((size_t)p->n_funcs + 1, sizeof(*yes));
	int rc = 0;

	for (uint32_t f = 0; rc == 0 && f < p->n_funcs; f++)
		rc = report_disasm_matches(w, profile_text(p, p->func_name[f]), strtab_len(p->str, p->func_name[f]),
					   &yes[f], err);
	for (uint32_t loc = 0; rc == 0 && loc < p->n_locs; loc++) {
		uint32_t map = p->loc_map[loc], line = p->loc_line[loc], end = p->loc_line[loc + 1];

		while (line < end && (p->line_func[line] == PROFILE_NONE || !yes[p->line_func[line]]))
			line++;
		if (line == end)
			continue;
		note_container(p, yes, loc, out);
		if (p->loc_addr[loc] == 0)
			out->no_address = true;
		else if (map == PROFILE_NONE || (!p->map[map].file && !p->map[map].build_id))
			out->no_binary = true;
		else
			binaries_open(&m->binaries, map, notes);
	}
	free(yes);
	return rc;
}

/* Append a name as a shell word with an expression that matches the name. */
static void add_expression(const char *name, struct buf *out)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:/@,";
	const char *quote = name[strspn(name, plain)] ? "'" : "";

	buf_addz(out, quote);
	for (; *name; name++) {
		if (strchr("\\+*?()|[]{}^$", *name))
			buf_addz(out, "\\");
		buf_add(out, *name == '\'' ? "." : name, 1);
	}
	buf_addz(out, quote);
}

static int no_matches(const struct disasm_builder *m, const struct disasm_wanted *w, const struct missing *missing,
		      struct err *err)
{
	struct buf hint = { 0 };
	int rc;

	if (missing->container && !missing->is_compiled) {
		buf_addz(&hint, "; it is inlined everywhere, try: cpa disasm ");
		add_expression(profile_text(m->p, missing->container), &hint);
	}
	rc = err_set(err, ERR_USAGE, "no matches found for regexp %s%s", w->pattern, buf_text(&hint));
	buf_release(&hint);
	return rc;
}

static int nothing_found(struct disasm_builder *m, struct disasm_wanted *w, struct buf *notes, struct err *err)
{
	struct missing missing = { 0 };

	if (!w->has_addr && open_matching(m, w, &missing, notes, err) < 0)
		return err->code;
	if (*m->binaries.first_error.msg)
		return err_set(err, m->binaries.first_error.code, "%s", m->binaries.first_error.msg);
	if (missing.no_binary)
		return err_set(err, ERR_USAGE,
			       "no machine code: the profile does not name the binary of the functions that match %s; "
			       "pass it before the profile: cpa disasm REGEX BINARY SOURCE",
			       w->pattern);
	if (missing.no_address)
		return err_set(err, ERR_USAGE,
			       "no machine code: functions that match %s have no addresses in the profile", w->pattern);
	if (!w->has_addr)
		return no_matches(m, w, &missing, err);
	if (!w->found)
		return err_set(err, ERR_USAGE, "no matches found for address 0x%" PRIx64, w->addr);
	return err_set(err, ERR_USAGE,
		       "address 0x%" PRIx64
		       " found in binary, but the corresponding symbols do not have samples in the profile",
		       w->addr);
}

/*
 * Mark the files of nodes with a matching function, as pprof does. A node without a function is printed as its binary,
 * so the name of the binary is matched.
 */
static int match_files(struct disasm_builder *m, struct disasm_wanted *w, const struct trim_result *t,
		       bool *file_matches, struct err *err)
{
	const struct shown_nodes shown_nodes = { &m->nodes, t };
	uint8_t *yes = mem_zalloc(t->n, 1), *bare = mem_zalloc(t->n, 1);
	int rc = *w->pattern ? matcher_all(&w->rx, printed_name, &shown_nodes, t->n, yes, 1, err) : 0;

	if (rc == 0 && *w->pattern)
		rc = matcher_all(&w->rx, bare_name, &shown_nodes, t->n, bare, 1, err);
	for (uint32_t i = 0; i < t->n; i++)
		if (yes[i] || bare[i] || !*w->pattern)
			file_matches[places_detail(m->nodes.places, nodes_place(&m->nodes, t->node[i]))->objfile] =
				true;
	free(yes);
	free(bare);
	return rc;
}

/* Remove the line with the same message as an error from the notes after start. */
static void drop_note(struct buf *notes, size_t start, const char *msg)
{
	size_t n = strlen(msg);
	char *line = notes->len > start ? strstr(notes->data + start, msg) : NULL;

	if (!line || line[n] != '\n')
		return;
	memmove(line, line + n + 1, strlen(line + n + 1) + 1);
	notes->len -= n + 1;
}

static int find_symbols_of_query(struct disasm_builder *m, struct disasm_wanted *w, const struct query *q,
				 struct buf *notes, struct err *err)
{
	struct trim_result t;
	bool *file_matches = arena_zalloc(m->mem, strtab_count(m->p->str), sizeof(*file_matches));
	size_t before = notes->len;
	int rc;

	trim_cut(&m->nodes, &q->filter, m->mem, &t);
	rc = match_files(m, w, &t, file_matches, err);
	if (rc < 0)
		return rc;
	for (uint32_t i = 0; i < m->p->n_maps; i++)
		if (report_disasm_is_wanted(&m->p->map[i], w, file_matches))
			binaries_open(&m->binaries, i, notes);
	m->n_objects = m->binaries.n;
	m->object = arena_zalloc(m->mem, m->n_objects, sizeof(*m->object));
	place_nodes(m, &t);
	rc = find_all(m, w, err);
	if (rc == 0 && m->n_symbols == 0 && find_debug_files(m))
		rc = find_all(m, w, err);
	if (rc == 0 && m->n_symbols == 0)
		rc = nothing_found(m, w, notes, err);
	if (rc < 0 && err)
		drop_note(notes, before, err->msg);
	return rc;
}

int report_disasm_find_symbols(struct disasm_builder *m, const struct query *q, struct buf *notes, struct err *err)
{
	struct disasm_wanted w = { .pattern = q->pattern };
	int rc;

	w.has_addr = address_parse(q->pattern, &w.addr);
	rc = matcher_init(&w.rx, "disasm", q->pattern, err);
	w.rx.stop = q->stop;
	if (rc == 0)
		rc = find_symbols_of_query(m, &w, q, notes, err);
	matcher_release(&w.rx);
	return rc;
}

/*
 * weblist_samples.c - which addresses have samples, and which functions are asked for
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are walked in the order of their first row, which is the order of the samples; an address
 * counts as often as it stands on a stack, as in pprof.
 */
#include "config.h"

#include "report/weblist_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/matcher.h"
#include "report/address.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct samples {
	const struct profile *p;
	int64_t *weight;                /* [stacks] */
	uint32_t *first_row, *last_row; /* [stacks] PROFILE_NONE for a stack that no row has */
	int64_t *flat, *cum;            /* [n_locs] */
	uint32_t *order;                /* [n_locs] place of the first visit, from 1; 0 for none */
	uint32_t *visited, n_visited;   /* [n_locs] locations by first visit */
	uint64_t *addr;                 /* [n_locs] */
	uint8_t *matches;               /* [strings] of the profile: the pattern does */
	bool has_addr;
	uint64_t wanted;
};

static void add_rows(struct samples *s, const struct view *v)
{
	for (uint32_t row = 0; row < v->n && !stop_step(v->stop, row); row++) {
		uint32_t stack = s->p->stack[row];
		int64_t value = v->val[SIDE_TARGET][row], div = v->mean ? v->div[SIDE_TARGET][row] : 0;

		if (div != 0 && div != -1)
			value /= div;
		else if (div == -1)
			value = value == INT64_MIN ? value : -value;
		s->weight[stack] = num_add_capped(s->weight[stack], value);
		if (s->first_row[stack] == PROFILE_NONE)
			s->first_row[stack] = row;
		s->last_row[stack] = row;
	}
}

static void visit_first(struct samples *s, uint32_t stack)
{
	const struct csr *stacks = &s->p->stacks;
	const uint32_t *loc = stacks->item + stacks->off[stack];
	uint32_t n = stacks->off[stack + 1] - stacks->off[stack];
	int64_t value = s->weight[stack];

	for (uint32_t i = n; i-- > 0;) {
		s->cum[loc[i]] = num_add_capped(s->cum[loc[i]], value);
		if (s->order[loc[i]])
			continue;
		s->visited[s->n_visited++] = loc[i];
		s->order[loc[i]] = s->n_visited;
	}
	if (n)
		s->flat[loc[0]] = num_add_capped(s->flat[loc[0]], value);
}

static void name_location(const struct profile *p, uint32_t loc, str_id *pretty)
{
	for (uint32_t line = p->loc_line[loc]; line < p->loc_line[loc + 1]; line++)
		if (p->line_func[line] != PROFILE_NONE)
			pretty[p->func_sysname[p->line_func[line]]] = p->func_name[p->line_func[line]] + 1;
}

static void visit_last(const struct samples *s, uint32_t stack, str_id *pretty)
{
	const struct csr *stacks = &s->p->stacks;

	for (uint32_t i = stacks->off[stack + 1]; i-- > stacks->off[stack];)
		name_location(s->p, stacks->item[i], pretty);
}

/* Does some name of a binary stand for several names as seen? Then the last one in the samples counts. */
static bool has_several_names(const struct profile *p)
{
	str_id *seen = mem_zalloc(strtab_count(p->str), sizeof(*seen));
	bool several = false;

	for (uint32_t f = 0; f < p->n_funcs; f++) {
		str_id *name = &seen[p->func_sysname[f]];

		several |= *name && *name != p->func_name[f] + 1;
		*name = p->func_name[f] + 1;
	}
	free(seen);
	return several;
}

static void walk_stacks(struct samples *s, const struct view *v, str_id *pretty)
{
	bool several = has_several_names(s->p);

	for (uint32_t row = 0; row < v->n && !stop_step(v->stop, row); row++) {
		uint32_t stack = s->p->stack[row];

		if (s->first_row[stack] == row)
			visit_first(s, stack);
		if (several && s->last_row[stack] == row)
			visit_last(s, stack, pretty);
	}
	for (uint32_t i = 0; !several && i < s->n_visited; i++)
		name_location(s->p, s->visited[i], pretty);
}

/* Locations without an address get some above all mappings. */
static void set_addresses(struct samples *s)
{
	uint64_t next = 1;

	for (uint32_t i = 0; i < s->p->n_maps; i++)
		next = s->p->map[i].limit > next ? s->p->map[i].limit : next;
	if (next > UINT64_MAX - s->p->n_locs)
		next = UINT64_MAX - s->p->n_locs;
	for (uint32_t i = 0; i < s->n_visited; i++) {
		uint32_t loc = s->visited[i];

		s->addr[loc] = s->p->loc_addr[loc] ? s->p->loc_addr[loc] : next++;
	}
}

struct wanted_texts {
	const struct profile *p;
	const str_id *text;
};

static const char *text_of(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct wanted_texts *w = arg;

	(void)scratch;
	*n = strtab_len(w->p->str, w->text[i]);
	return profile_text(w->p, w->text[i]);
}

/* Match every name and file that a visited location has. */
static int match_texts(struct samples *s, const char *pattern, struct err *err)
{
	const struct profile *p = s->p;
	uint32_t n_strings = strtab_count(p->str), n = 0;
	str_id *text = mem_alloc(n_strings, sizeof(*text));
	struct wanted_texts wanted = { p, text };
	uint8_t *yes;
	struct matcher m;
	int rc = matcher_init(&m, "weblist", pattern, err);

	for (uint32_t f = 0; f < p->n_funcs; f++)
		s->matches[p->func_name[f]] = s->matches[p->func_sysname[f]] = s->matches[p->func_file[f]] = 1;
	for (uint32_t i = 0; i < p->n_maps; i++)
		s->matches[p->map[i].file] = 1;
	for (str_id id = 0; id < n_strings; id++)
		if (s->matches[id])
			text[n++] = id;
	assert(n <= n_strings);
	yes = mem_zalloc(n, 1);
	if (rc == 0 && m.rx)
		rc = matcher_all(&m, text_of, &wanted, n, yes, 1, err);
	for (uint32_t i = 0; i < n; i++)
		s->matches[text[i]] = yes[i] || !*pattern;
	matcher_release(&m);
	free(yes);
	free(text);
	return rc;
}

static void add_interest(struct web *w, str_id id)
{
	strtab_add_of(w->interest, w->v->p->str, id);
	w->any_interest = true;
	w->nameless |= id == 0;
}

/* Is the function of a line asked for? Its names are noted. */
static bool mark_line(struct web *w, uint32_t line)
{
	const struct profile *p = w->v->p;
	uint32_t f = p->line_func[line];

	if (f == PROFILE_NONE)
		return false;
	add_interest(w, p->func_name[f]);
	add_interest(w, p->func_sysname[f]);
	return true;
}

static bool mark_location(struct web *w, const struct samples *s, uint32_t loc)
{
	const struct profile *p = s->p;
	uint32_t lo = p->loc_line[loc], hi = p->loc_line[loc + 1];
	bool marked = false, by_file;

	if (s->has_addr && s->addr[loc] == s->wanted)
		return lo < hi && mark_line(w, hi - 1);
	by_file = p->loc_map[loc] != PROFILE_NONE && s->matches[p->map[p->loc_map[loc]].file];
	for (uint32_t line = lo; line < hi; line++) {
		uint32_t f = p->line_func[line];

		if (f != PROFILE_NONE && ((line == lo && by_file) || s->matches[p->func_name[f]] ||
					  s->matches[p->func_sysname[f]] || s->matches[p->func_file[f]]))
			marked |= mark_line(w, line);
	}
	return marked;
}

static int by_addr(const void *a, const void *b)
{
	const struct web_addr *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* A list of all addresses; locations that share one are added up. */
static void fill_addresses(struct web *w, const struct samples *s)
{
	uint32_t n = 0;

	w->addr = arena_alloc(w->mem, s->n_visited, sizeof(*w->addr));
	for (uint32_t i = 0; i < s->n_visited; i++) {
		uint32_t loc = s->visited[i];

		w->addr[i] = (struct web_addr){ .addr = s->addr[loc],
						.loc = mark_location(w, s, loc) ? loc : PROFILE_NONE,
						.order = i,
						.flat = s->flat[loc],
						.cum = s->cum[loc] };
	}
	if (s->n_visited)
		qsort(w->addr, s->n_visited, sizeof(*w->addr), by_addr);
	for (uint32_t i = 0; i < s->n_visited; i++) {
		if (n && w->addr[n - 1].addr == w->addr[i].addr) {
			w->addr[n - 1].flat = num_add_capped(w->addr[n - 1].flat, w->addr[i].flat);
			w->addr[n - 1].cum = num_add_capped(w->addr[n - 1].cum, w->addr[i].cum);
			if (w->addr[n - 1].loc == PROFILE_NONE)
				w->addr[n - 1].loc = w->addr[i].loc;
			continue;
		}
		w->addr[n++] = w->addr[i];
	}
	assert(n <= s->n_visited && s->n_visited <= s->p->n_locs);
	w->n_addrs = n;
}

int web_read_samples(struct web *w, struct err *err)
{
	const struct profile *p = w->v->p;
	struct arena *mem = arena_new();
	struct samples s = { .p = p };
	int rc;

	s.weight = arena_zalloc(mem, p->stacks.n, sizeof(*s.weight));
	s.first_row = arena_alloc(mem, p->stacks.n, sizeof(*s.first_row));
	s.last_row = arena_alloc(mem, p->stacks.n, sizeof(*s.last_row));
	for (uint32_t i = 0; i < p->stacks.n; i++)
		s.first_row[i] = s.last_row[i] = PROFILE_NONE;
	s.flat = arena_zalloc(mem, p->n_locs, sizeof(*s.flat));
	s.cum = arena_zalloc(mem, p->n_locs, sizeof(*s.cum));
	s.order = arena_zalloc(mem, p->n_locs, sizeof(*s.order));
	s.visited = arena_alloc(mem, p->n_locs, sizeof(*s.visited));
	s.addr = arena_zalloc(mem, p->n_locs, sizeof(*s.addr));
	s.matches = arena_zalloc(mem, strtab_count(p->str), 1);
	s.has_addr = address_parse(w->q->pattern, &s.wanted);
	w->pretty = arena_zalloc(w->mem, strtab_count(p->str), sizeof(*w->pretty));
	add_rows(&s, w->v);
	walk_stacks(&s, w->v, w->pretty);
	set_addresses(&s);
	rc = stop_check(w->q->stop, err);
	if (rc == 0)
		rc = match_texts(&s, w->q->pattern, err);
	if (rc == 0)
		fill_addresses(w, &s);
	arena_free(mem);
	return rc;
}

/*
 * weblist_samples.c - addresses with samples, and matching functions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stacks are visited in the order of their first row, which is the order of the samples.
 */
#include "config.h"

#include "report/weblist_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "engine/matcher.h"
#include "engine/query.h"
#include "report/binaries.h"

#include <assert.h>
#include <stdlib.h>

struct weblist_samples {
	const struct profile *p;
	int64_t *weight;                /* [stacks] weight of each stack */
	uint32_t *first_row, *last_row; /* [stacks] rows of the profile; PROFILE_NONE for a stack without rows */
	int64_t *flat;                  /* [n_locs] */
	uint32_t *order;                /* [n_locs] position of the first visit, from 1; 0 for none */
	uint32_t *visited, n_visited;   /* [n_locs] locations by first visit */
	uint64_t *addr;                 /* [n_locs] */
	uint8_t *matches;               /* [strings] 1 if the pattern matches the string */
	bool has_addr;
	uint64_t wanted;
};

static void weblist_samples_add_rows(struct weblist_samples *s, const struct view *v)
{
	for (uint32_t row = 0; row < v->n && !stop_step(v->stop, row); row++) {
		uint32_t stack = s->p->stack[row];
		int64_t value = v->val[row], div = v->mean ? v->div[row] : 0;

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

static void visit_first(struct weblist_samples *s, uint32_t stack)
{
	const struct stack_lists *stacks = &s->p->stacks;
	uint32_t first = stacks->off[stack], loc = PROFILE_NONE;

	for (uint32_t i = stacks->off[stack + 1]; i-- > first;) {
		loc = stack_id_at(stacks, i);
		if (s->order[loc])
			continue;
		s->visited[s->n_visited++] = loc;
		s->order[loc] = s->n_visited;
	}
	if (loc != PROFILE_NONE)
		s->flat[loc] = num_add_capped(s->flat[loc], s->weight[stack]);
}

static void named_location(const struct profile *p, uint32_t loc, str_id *pretty)
{
	for (uint32_t line = p->loc_line[loc]; line < p->loc_line[loc + 1]; line++)
		if (p->line_func[line] != PROFILE_NONE)
			pretty[p->func_sysname[p->line_func[line]]] = p->func_name[p->line_func[line]] + 1;
}

static void visit_last(const struct weblist_samples *s, uint32_t stack, str_id *pretty)
{
	const struct stack_lists *stacks = &s->p->stacks;

	for (uint32_t i = stacks->off[stack + 1]; i-- > stacks->off[stack];)
		named_location(s->p, stack_id_at(stacks, i), pretty);
}

/* Returns true if a name of the binary has several displayed names. Then the last one in the samples is used. */
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

static void walk_stacks(struct weblist_samples *s, const struct view *v, str_id *pretty)
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
		named_location(s->p, s->visited[i], pretty);
}

/* Give locations without an address unique ones above all mappings. */
static void set_addresses(struct weblist_samples *s)
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

static const char *weblist_samples_text_of(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct wanted_texts *w = arg;

	(void)scratch;
	*n = strtab_len(w->p->str, w->text[i]);
	return profile_text(w->p, w->text[i]);
}

/* Match the names and files of all visited locations. */
static int weblist_samples_match_texts(struct weblist_samples *s, const char *pattern, struct err *err)
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
		rc = matcher_all(&m, weblist_samples_text_of, &wanted, n, yes, 1, err);
	for (uint32_t i = 0; i < n; i++)
		s->matches[text[i]] = yes[i] || !*pattern;
	matcher_release(&m);
	free(yes);
	free(text);
	return rc;
}

static void add_matched_name(struct weblist_builder *w, str_id id)
{
	strtab_add_from(w->matched_names, w->v->p->str, id);
	w->has_matched_names = true;
	w->matches_nameless |= id == 0;
}

/* Returns true if the function of a line matches, and records its names. */
static bool mark_line(struct weblist_builder *w, uint32_t line)
{
	const struct profile *p = w->v->p;
	uint32_t f = p->line_func[line];

	if (f == PROFILE_NONE)
		return false;
	add_matched_name(w, p->func_name[f]);
	add_matched_name(w, p->func_sysname[f]);
	return true;
}

static bool mark_location(struct weblist_builder *w, const struct weblist_samples *s, uint32_t loc)
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

static int weblist_samples_by_addr(const void *a, const void *b)
{
	const struct weblist_addr *x = a, *y = b;

	if (x->addr != y->addr)
		return x->addr < y->addr ? -1 : 1;
	return (x->order > y->order) - (x->order < y->order);
}

/* List all addresses; locations that share one are summed up. */
static void fill_addresses(struct weblist_builder *w, const struct weblist_samples *s)
{
	uint32_t n = 0;

	w->addr = arena_alloc(w->mem, s->n_visited, sizeof(*w->addr));
	w->addr_of = arena_alloc(w->mem, s->p->n_locs, sizeof(*w->addr_of));
	for (uint32_t loc = 0; loc < s->p->n_locs; loc++)
		w->addr_of[loc] = PROFILE_NONE;
	for (uint32_t i = 0; i < s->n_visited; i++) {
		uint32_t loc = s->visited[i];

		w->addr[i] = (struct weblist_addr){ .addr = s->addr[loc],
						    .loc = mark_location(w, s, loc) ? loc : PROFILE_NONE,
						    .order = i,
						    .flat = s->flat[loc] };
	}
	if (s->n_visited)
		qsort(w->addr, s->n_visited, sizeof(*w->addr), weblist_samples_by_addr);
	for (uint32_t i = 0; i < s->n_visited; i++) {
		uint32_t loc = s->visited[w->addr[i].order];

		if (n && w->addr[n - 1].addr == w->addr[i].addr) {
			w->addr[n - 1].flat = num_add_capped(w->addr[n - 1].flat, w->addr[i].flat);
			if (w->addr[n - 1].loc == PROFILE_NONE)
				w->addr[n - 1].loc = w->addr[i].loc;
		} else {
			w->addr[n++] = w->addr[i];
		}
		w->addr_of[loc] = n - 1;
	}
	assert(n <= s->n_visited && s->n_visited <= s->p->n_locs);
	w->n_addrs = n;
}

int weblist_read_samples(struct weblist_builder *w, struct err *err)
{
	const struct profile *p = w->v->p;
	struct arena *mem = arena_new();
	struct weblist_samples s = { .p = p };
	int rc;

	s.weight = w->stack_weight = arena_zalloc(w->mem, p->stacks.n, sizeof(*s.weight));
	s.first_row = arena_alloc(mem, p->stacks.n, sizeof(*s.first_row));
	s.last_row = arena_alloc(mem, p->stacks.n, sizeof(*s.last_row));
	for (uint32_t i = 0; i < p->stacks.n; i++)
		s.first_row[i] = s.last_row[i] = PROFILE_NONE;
	s.flat = arena_zalloc(mem, p->n_locs, sizeof(*s.flat));
	s.order = arena_zalloc(mem, p->n_locs, sizeof(*s.order));
	s.visited = arena_alloc(mem, p->n_locs, sizeof(*s.visited));
	s.addr = arena_zalloc(mem, p->n_locs, sizeof(*s.addr));
	s.matches = arena_zalloc(mem, strtab_count(p->str), 1);
	s.has_addr = address_parse(w->q->pattern, &s.wanted);
	w->pretty = arena_zalloc(w->mem, strtab_count(p->str), sizeof(*w->pretty));
	weblist_samples_add_rows(&s, w->v);
	walk_stacks(&s, w->v, w->pretty);
	set_addresses(&s);
	rc = stop_check(w->q->stop, err);
	if (rc == 0)
		rc = weblist_samples_match_texts(&s, w->q->pattern, err);
	if (rc == 0)
		fill_addresses(w, &s);
	arena_free(mem);
	return rc;
}

/* Groups of an address: group[off[addr] .. off[addr + 1]). */
struct weblist_samples_groups {
	size_t *off; /* [n_addrs + 2] */
	uint32_t *group;
};

static void weblist_samples_find_groups(const struct weblist_builder *w, const struct weblist_member *member,
					uint32_t n, struct weblist_samples_groups *out)
{
	size_t *off = mem_zalloc((size_t)w->n_addrs + 2, sizeof(*off));

	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = w->inst[member[i].inst].lo; a < w->inst[member[i].inst].hi; a++)
			off[a + 2]++;
	for (size_t a = 2; a < (size_t)w->n_addrs + 2; a++)
		off[a] += off[a - 1];
	out->group = mem_alloc(off[w->n_addrs + 1], sizeof(*out->group));
	for (uint32_t i = 0; i < n; i++)
		for (uint32_t a = w->inst[member[i].inst].lo; a < w->inst[member[i].inst].hi; a++)
			out->group[off[a + 1]++] = member[i].group;
	out->off = off;
}

void weblist_sum_groups(const struct weblist_builder *w, const struct weblist_member *member, uint32_t n,
			struct weblist_values *out, uint32_t n_groups)
{
	const struct stack_lists *stacks = &w->v->p->stacks;
	uint32_t *seen = mem_zalloc(n_groups, sizeof(*seen)); /* last stack that was counted for a group, + 1 */
	struct weblist_samples_groups of;

	weblist_samples_find_groups(w, member, n, &of);
	for (uint32_t stack = 0; stack < stacks->n && !stop_step(w->v->stop, stack); stack++) {
		int64_t value = w->stack_weight[stack];

		for (uint32_t i = stacks->off[stack]; value && i < stacks->off[stack + 1]; i++) {
			uint32_t addr = w->addr_of[stack_id_at(stacks, i)];

			assert(addr < w->n_addrs);
			for (size_t k = of.off[addr]; k < of.off[addr + 1]; k++) {
				uint32_t g = of.group[k];

				if (seen[g] == stack + 1)
					continue;
				seen[g] = stack + 1;
				out[g].cum = num_add_capped(out[g].cum, value);
				if (i == stacks->off[stack])
					out[g].flat = num_add_capped(out[g].flat, value);
			}
		}
	}
	free(of.group);
	free(of.off);
	free(seen);
}

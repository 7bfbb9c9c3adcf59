/*
 * compact.c - remove empty rows and unused entries from a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows, stacks and label sets keep their order; unused ones are removed in place. Mappings, functions
 * and locations may change their order, since a removed row may have been the first to use them: they
 * are renumbered by walking the remaining rows, then copied in the new order.
 */
#include "config.h"

#include "profile/compact.h"

#include "base/arena.h"
#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* New ids of one table in order of first use. */
struct renumber {
	uint32_t n;
	uint32_t *new_id; /* [old n] PROFILE_NONE when unused */
	uint32_t *old_id; /* [n] */
};

struct compact {
	struct profile *p;
	struct renumber maps, funcs, locs, labels;
	bool *stack_used, *set_used; /* [n of each] */
};

static void renumber_init(struct renumber *r, uint32_t n)
{
	r->n = 0;
	r->old_id = mem_alloc(n, sizeof(*r->old_id));
	r->new_id = mem_alloc(n, sizeof(*r->new_id));
	memset(r->new_id, 0xff, n * sizeof(*r->new_id));
}

static void renumber_release(struct renumber *r)
{
	free(r->new_id);
	free(r->old_id);
}

/* Mark an id as used. True when it was marked already. */
static bool renumber_use(struct renumber *r, uint32_t old)
{
	if (r->new_id[old] != PROFILE_NONE)
		return true;
	r->old_id[r->n] = old;
	r->new_id[old] = r->n++;
	return false;
}

static void use_loc(struct compact *c, uint32_t loc)
{
	const struct profile *p = c->p;

	if (renumber_use(&c->locs, loc))
		return;
	if (p->loc_map[loc] != PROFILE_NONE)
		renumber_use(&c->maps, p->loc_map[loc]);
	for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
		renumber_use(&c->funcs, p->line_func[l]);
}

static void use_labels(struct compact *c, uint32_t set)
{
	const struct csr *sets = &c->p->label_sets;

	if (!c->set_used[set])
		for (uint32_t i = sets->off[set]; i < sets->off[set + 1]; i++)
			renumber_use(&c->labels, sets->item[i]);
	c->set_used[set] = true;
}

static void use_row(struct compact *c, uint32_t row)
{
	const struct profile *p = c->p;
	uint32_t stack = p->stack[row];

	if (!c->stack_used[stack])
		for (uint32_t i = p->stacks.off[stack]; i < p->stacks.off[stack + 1]; i++)
			use_loc(c, stack_id_at(&p->stacks, i));
	c->stack_used[stack] = true;
	use_labels(c, p->labels[row]);
}

static void use_all(struct compact *c)
{
	if (c->p->n_maps)
		renumber_use(&c->maps, 0);
	for (uint32_t row = 0; row < c->p->n_rows; row++)
		if (!profile_row_is_zero(c->p, row))
			use_row(c, row);
}

/* New ids of lists that keep their order; undefined for unused lists. */
static uint32_t *lists_ids(const bool *used, uint32_t n)
{
	uint32_t *id = mem_alloc(n, sizeof(*id)), next = 0;

	for (uint32_t i = 0; i < n; i++) {
		id[i] = next;
		next += used[i];
	}
	return id;
}

static void move_rows(struct compact *c)
{
	struct profile *p = c->p;
	uint32_t *stack = lists_ids(c->stack_used, p->stacks.n);
	uint32_t *set = lists_ids(c->set_used, p->label_sets.n);
	uint32_t n = 0;

	for (uint32_t row = 0; row < p->n_rows; row++) {
		if (profile_row_is_zero(p, row))
			continue;
		for (uint32_t t = 0; t < p->n_types; t++)
			p->value[t][n] = p->value[t][row];
		p->stack[n] = stack[p->stack[row]];
		p->labels[n++] = set[p->labels[row]];
	}
	assert(n <= p->n_rows);
	p->n_rows = n;
	free(stack);
	free(set);
}

static void move_lists(struct csr *lists, const bool *used, const struct renumber *items)
{
	uint32_t n = 0, end = 0, first = 0; /* off[i] is overwritten before list i is read */

	for (uint32_t i = 0; i < lists->n; i++) {
		uint32_t next = lists->off[i + 1];

		for (uint32_t k = first; used[i] && k < next; k++)
			lists->item[end++] = items->new_id[lists->item[k]];
		if (used[i])
			lists->off[++n] = end;
		first = next;
	}
	assert(n <= lists->n && end <= first);
	lists->n = n;
}

static void compact_move_stacks(struct stack_lists *s, const bool *used, const struct renumber *locs)
{
	uint32_t n = 0, end = 0, first = 0; /* off[i] is overwritten before stack i is read */

	for (uint32_t i = 0; i < s->n; i++) {
		uint32_t next = s->off[i + 1];

		for (uint32_t k = first; used[i] && k < next; k++)
			stack_store(stack_address(s, end++), s->width, locs->new_id[stack_id_at(s, k)]);
		if (used[i])
			s->off[++n] = end;
		first = next;
	}
	assert(n <= s->n && end <= first);
	s->n = n;
}

/* column[i] = column[old_id[i]], for ids in any order. */
static void gather(void *column, const struct renumber *r, size_t size)
{
	char *copy = mem_alloc(r->n, size), *at = column;

	assert(column || r->n == 0);
	for (uint32_t i = 0; i < r->n; i++)
		memcpy(copy + i * size, at + r->old_id[i] * size, size);
	memcpy(column, copy, r->n * size);
	free(copy);
}

static void number_ids(uint64_t *id, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		id[i] = (uint64_t)i + 1;
}

static void move_maps(struct compact *c)
{
	struct profile *p = c->p;

	gather(p->map, &c->maps, sizeof(*p->map));
	assert(c->maps.n <= p->n_maps);
	p->n_maps = c->maps.n;
	for (uint32_t i = 0; i < p->n_maps; i++)
		p->map[i].id = (uint64_t)i + 1;
}

static void move_funcs(struct compact *c)
{
	struct profile *p = c->p;

	gather(p->func_name, &c->funcs, sizeof(*p->func_name));
	gather(p->func_sysname, &c->funcs, sizeof(*p->func_sysname));
	gather(p->func_file, &c->funcs, sizeof(*p->func_file));
	gather(p->func_start, &c->funcs, sizeof(*p->func_start));
	assert(c->funcs.n <= p->n_funcs);
	p->n_funcs = c->funcs.n;
	number_ids(p->func_id, p->n_funcs);
}

static void move_labels(struct compact *c)
{
	struct profile *p = c->p;

	gather(p->label_key, &c->labels, sizeof(*p->label_key));
	gather(p->label_text, &c->labels, sizeof(*p->label_text));
	gather(p->label_unit, &c->labels, sizeof(*p->label_unit));
	gather(p->label_num, &c->labels, sizeof(*p->label_num));
	gather(p->label_is_text, &c->labels, sizeof(*p->label_is_text));
	assert(c->labels.n <= p->n_labels);
	p->n_labels = c->labels.n;
}

/* Reorder the lines by the new order of the locations; loc_line still has all old locations. */
static void compact_move_lines(struct compact *c)
{
	struct profile *p = c->p;
	struct renumber lines;

	renumber_init(&lines, p->n_lines);
	for (uint32_t i = 0; i < c->locs.n; i++) {
		uint32_t loc = c->locs.old_id[i];

		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++)
			renumber_use(&lines, l);
	}
	for (uint32_t i = 0; i < lines.n; i++)
		p->line_func[lines.old_id[i]] = c->funcs.new_id[p->line_func[lines.old_id[i]]];
	gather(p->line_func, &lines, sizeof(*p->line_func));
	gather(p->line_no, &lines, sizeof(*p->line_no));
	gather(p->line_col, &lines, sizeof(*p->line_col));
	assert(lines.n <= p->n_lines);
	p->n_lines = lines.n;
	renumber_release(&lines);
}

static void move_locs(struct compact *c)
{
	struct profile *p = c->p;
	uint32_t *line = mem_alloc((size_t)c->locs.n + 1, sizeof(*line));

	compact_move_lines(c);
	line[0] = 0;
	for (uint32_t i = 0; i < c->locs.n; i++) {
		uint32_t loc = c->locs.old_id[i];

		line[i + 1] = line[i] + p->loc_line[loc + 1] - p->loc_line[loc];
		if (p->loc_map[loc] != PROFILE_NONE)
			p->loc_map[loc] = c->maps.new_id[p->loc_map[loc]];
	}
	memcpy(p->loc_line, line, ((size_t)c->locs.n + 1) * sizeof(*line));
	free(line);
	gather(p->loc_addr, &c->locs, sizeof(*p->loc_addr));
	gather(p->loc_map, &c->locs, sizeof(*p->loc_map));
	gather(p->loc_folded, &c->locs, sizeof(*p->loc_folded));
	assert(c->locs.n <= p->n_locs && p->loc_line[c->locs.n] == p->n_lines);
	p->n_locs = c->locs.n;
	number_ids(p->loc_id, p->n_locs);
}

static void compact_init(struct compact *c, struct profile *p)
{
	c->p = p;
	renumber_init(&c->maps, p->n_maps);
	renumber_init(&c->funcs, p->n_funcs);
	renumber_init(&c->locs, p->n_locs);
	renumber_init(&c->labels, p->n_labels);
	c->stack_used = mem_zalloc(p->stacks.n, sizeof(*c->stack_used));
	c->set_used = mem_zalloc(p->label_sets.n, sizeof(*c->set_used));
	c->set_used[0] = true; /* the empty set */
}

static void compact_release(struct compact *c)
{
	renumber_release(&c->maps);
	renumber_release(&c->funcs);
	renumber_release(&c->locs);
	renumber_release(&c->labels);
	free(c->stack_used);
	free(c->set_used);
}

void profile_compact(struct profile *p)
{
	if (profile_has_zero_row(p))
		profile_drop_unused(p);
}

/* Move all but the stacks to their new ids. */
static void compact_move(struct compact *c)
{
	move_rows(c);
	move_lists(&c->p->label_sets, c->set_used, &c->labels);
	move_maps(c);
	move_funcs(c);
	move_labels(c);
	move_locs(c);
}

void profile_drop_unused(struct profile *p)
{
	struct compact c;

	compact_init(&c, p);
	use_all(&c);
	compact_move(&c);
	compact_move_stacks(&p->stacks, c.stack_used, &c.locs);
	compact_release(&c);
}

void profile_drop_unused_but_stacks(struct profile *p, const uint32_t *loc, uint32_t n, uint32_t *new_id)
{
	uint32_t n_before = p->n_locs;
	struct compact c;

	compact_init(&c, p);
	if (p->n_maps)
		renumber_use(&c.maps, 0);
	for (uint32_t i = 0; i < n; i++)
		use_loc(&c, loc[i]);
	for (uint32_t row = 0; row < p->n_rows; row++)
		if (!profile_row_is_zero(p, row)) {
			use_labels(&c, p->labels[row]);
			c.stack_used[p->stack[row]] = true;
		}
	compact_move(&c);
	memcpy(new_id, c.locs.new_id, n_before * sizeof(*new_id));
	compact_release(&c);
}

void profile_own_columns(struct profile *d)
{
#define OWN(column, n)                                                                                                 \
	column = memcpy(arena_alloc(d->mem, (size_t)(n) + 1, sizeof(*column)), column, (size_t)(n) * sizeof(*column))
	OWN(d->stacks.off, d->stacks.n + 1);
	OWN(d->stacks.packed, stack_bytes(d->stacks.off[d->stacks.n], d->stacks.width));
	OWN(d->label_sets.off, d->label_sets.n + 1);
	OWN(d->label_sets.item, d->label_sets.off[d->label_sets.n]);
	OWN(d->label_key, d->n_labels);
	OWN(d->label_text, d->n_labels);
	OWN(d->label_unit, d->n_labels);
	OWN(d->label_num, d->n_labels);
	OWN(d->label_is_text, d->n_labels);
	OWN(d->loc_id, d->n_locs);
	OWN(d->loc_addr, d->n_locs);
	OWN(d->loc_map, d->n_locs);
	OWN(d->loc_folded, d->n_locs);
	OWN(d->loc_line, d->n_locs + 1);
	OWN(d->line_func, d->n_lines);
	OWN(d->line_no, d->n_lines);
	OWN(d->line_col, d->n_lines);
	OWN(d->func_id, d->n_funcs);
	OWN(d->func_name, d->n_funcs);
	OWN(d->func_sysname, d->n_funcs);
	OWN(d->func_file, d->n_funcs);
	OWN(d->func_start, d->n_funcs);
	OWN(d->map, d->n_maps);
#undef OWN
}

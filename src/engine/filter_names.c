/*
 * filter_names.c - filters by name: what they make of functions and locations
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each string that lines or mappings use is matched once per expression. From these bits come bits
 * of functions, from these what each location keeps of its lines and what stacks have to know of
 * it.
 */
#include "config.h"

#include "engine/filter_int.h"

#include "base/mem.h"
#include "profile/simplify.h"

#include <stdlib.h>
#include <string.h>

enum { BIT_PRUNE = 1 << NAME_PRUNE_FROM };

struct naming {
	struct filter *f;
	const struct profile *p;
	unsigned set; /* bits of the expressions that are set */
	str_id *text; /* [n_texts] distinct, names of functions first */
	uint8_t *hit; /* [n_texts] bits */
	uint32_t n_names, n_texts;
	uint32_t *text_of; /* [strings] its place in text + 1, 0 when it has none */
	uint8_t *func;     /* [n_funcs] bits */
	uint8_t *loc;      /* [n_locs] LOC_ */
	uint8_t *gone;     /* [n_lines] this line goes */
	uint32_t n_gone;
	bool seen[N_NAMES]; /* some location matched */
};

static void need(struct naming *x, str_id id)
{
	if (x->text_of[id])
		return;
	x->text[x->n_texts] = id;
	x->text_of[id] = ++x->n_texts;
}

/* Which strings lines and mappings use. */
static void collect(struct naming *x)
{
	const struct profile *p = x->p;
	bool *func = mem_zalloc(p->n_funcs, sizeof(*func));

	x->text_of = mem_zalloc(strtab_count(p->str), sizeof(*x->text_of));
	x->text = mem_alloc((size_t)p->n_funcs * 2 + p->n_maps, sizeof(*x->text));
	for (uint32_t l = 0; l < p->n_lines; l++)
		if (p->line_func[l] != PROFILE_NONE)
			func[p->line_func[l]] = true;
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (func[i])
			need(x, p->func_name[i]);
	x->n_names = x->n_texts;
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (func[i])
			need(x, p->func_file[i]);
	for (uint32_t i = 0; i < p->n_maps; i++)
		need(x, p->map[i].file);
	free(func);
}

static const char *whole_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct naming *x = arg;

	(void)scratch;
	*n = strtab_len(x->p->str, x->text[i]);
	return profile_text(x->p, x->text[i]);
}

static const char *simple_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	return simplify_name(whole_text(arg, i, scratch, n), n);
}

static int match_texts(struct naming *x, struct err *err)
{
	int rc = 0;

	x->hit = mem_zalloc(x->n_texts, sizeof(*x->hit));
	for (int i = 0; rc == 0 && i < N_NAMES; i++) {
		bool is_prune = i == NAME_PRUNE_FROM;

		if (x->set & 1u << i)
			rc = matcher_all(&x->f->name[i], is_prune ? simple_text : whole_text, x,
					 is_prune ? x->n_names : x->n_texts, x->hit, (uint8_t)(1u << i), err);
	}
	return rc;
}

static uint8_t hit_of(const struct naming *x, str_id id)
{
	return x->text_of[id] ? x->hit[x->text_of[id] - 1] : 0;
}

static void judge_functions(struct naming *x)
{
	const struct profile *p = x->p;

	x->func = mem_alloc(p->n_funcs, sizeof(*x->func));
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		uint8_t name = hit_of(x, p->func_name[i]), file = hit_of(x, p->func_file[i]);

		x->func[i] = (uint8_t)((name | file) & ~BIT_PRUNE);
		if (p->func_name[i])
			x->func[i] |= name & BIT_PRUNE;
	}
}

static uint8_t line_bits(const struct naming *x, uint32_t line)
{
	uint32_t func = x->p->line_func[line];

	return func == PROFILE_NONE ? 0 : x->func[func];
}

static void take_line(struct naming *x, uint32_t line)
{
	x->n_gone += !x->gone[line];
	x->gone[line] = 1;
}

/* Take the lines whose bits have this state; how many lines are left? */
static uint32_t take_lines(struct naming *x, uint32_t loc, uint8_t bit, bool state)
{
	uint32_t left = 0;

	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++) {
		bool has_function = x->p->line_func[l] != PROFILE_NONE;

		if (!x->gone[l] && has_function && ((line_bits(x, l) & bit) != 0) == state)
			take_line(x, l);
		left += !x->gone[l];
	}
	return left;
}

static uint32_t take_all_lines(struct naming *x, uint32_t loc)
{
	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++)
		take_line(x, l);
	return 0;
}

static uint32_t lines_left(const struct naming *x, uint32_t loc)
{
	uint32_t left = 0;

	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++)
		left += !x->gone[l];
	return left;
}

/* focus, ignore, hide and show. map: the bits of the mapping. */
static void judge_location(struct naming *x, uint32_t loc, uint8_t map)
{
	const uint8_t focus = 1 << NAME_FOCUS, ignore = 1 << NAME_IGNORE, hide = 1 << NAME_HIDE, show = 1 << NAME_SHOW;
	uint8_t all = map;

	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++)
		all |= line_bits(x, l);
	if (all & ignore) {
		x->seen[NAME_IGNORE] = true;
		x->loc[loc] |= LOC_IGNORED;
	} else if (!(x->set & focus) || all & focus) {
		x->seen[NAME_FOCUS] = true;
		x->loc[loc] |= LOC_FOCUSED;
	}
	if (all & hide) {
		x->seen[NAME_HIDE] = true;
		if ((map & hide ? take_all_lines(x, loc) : take_lines(x, loc, hide, true)) == 0)
			x->loc[loc] |= LOC_HIDDEN;
	}
	if (x->set & show) {
		if ((map & show ? lines_left(x, loc) : take_lines(x, loc, show, false)) == 0)
			x->loc[loc] |= LOC_HIDDEN;
		else
			x->seen[NAME_SHOW] = true;
	}
}

/* Take the callers of the outermost line that matches. */
static void judge_show_from(struct naming *x, uint32_t loc, uint8_t map)
{
	const uint8_t from = 1 << NAME_SHOW_FROM;
	uint32_t first = x->p->loc_line[loc], l = x->p->loc_line[loc + 1];

	if (!(map & from)) {
		while (l > first && (x->gone[l - 1] || !(line_bits(x, l - 1) & from)))
			l--;
		if (l == first)
			return;
		for (; l < x->p->loc_line[loc + 1]; l++)
			take_line(x, l);
	}
	x->seen[NAME_SHOW_FROM] = true;
	x->loc[loc] |= LOC_FROM;
}

/* Take what the innermost line that matches has called. */
static void judge_prune_from(struct naming *x, uint32_t loc)
{
	uint32_t l = x->p->loc_line[loc], end = x->p->loc_line[loc + 1];

	while (l < end && (x->gone[l] || !(line_bits(x, l) & BIT_PRUNE)))
		l++;
	if (l == end)
		return;
	x->loc[loc] |= LOC_PRUNE;
	while (l > x->p->loc_line[loc])
		take_line(x, --l);
}

static void judge_locations(struct naming *x)
{
	const struct profile *p = x->p;
	bool any = x->set & (1 << NAME_FOCUS | 1 << NAME_IGNORE | 1 << NAME_HIDE | 1 << NAME_SHOW);

	x->loc = mem_zalloc(p->n_locs, sizeof(*x->loc));
	x->gone = mem_zalloc(p->n_lines, sizeof(*x->gone));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint8_t map = p->loc_map[loc] == PROFILE_NONE ? 0 : hit_of(x, p->map[p->loc_map[loc]].file);

		map &= (uint8_t)~BIT_PRUNE;
		if (any)
			judge_location(x, loc, map);
		if (x->set & 1 << NAME_SHOW_FROM)
			judge_show_from(x, loc, map);
		if (x->set & BIT_PRUNE)
			judge_prune_from(x, loc);
	}
}

/* New columns of lines without those that go. */
static void remove_lines(struct naming *x)
{
	const struct profile *p = x->p;
	struct profile d = *p;
	uint32_t n = 0;

	d.loc_line = arena_alloc(x->f->mem, (size_t)p->n_locs + 1, sizeof(*d.loc_line));
	d.n_lines = p->n_lines - x->n_gone;
	d.line_func = arena_alloc(x->f->mem, d.n_lines, sizeof(*d.line_func));
	d.line_no = arena_alloc(x->f->mem, d.n_lines, sizeof(*d.line_no));
	d.line_col = arena_alloc(x->f->mem, d.n_lines, sizeof(*d.line_col));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		d.loc_line[loc] = n;
		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
			if (x->gone[l])
				continue;
			d.line_func[n] = p->line_func[l];
			d.line_no[n] = p->line_no[l];
			d.line_col[n++] = p->line_col[l];
		}
	}
	d.loc_line[p->n_locs] = n;
	x->f->d = d;
}

static void tell(struct naming *x)
{
	static const char *const option[] = { "Focus", "Ignore", "Hide", "Show", "ShowFrom" };

	for (int i = 0; i <= NAME_SHOW_FROM; i++)
		if (x->set & 1u << i && !x->seen[i])
			filter_hint_names(x->f, option[i], x->f->name[i].pattern);
}

int filter_names(struct filter *f, struct err *err)
{
	struct naming x = { .f = f, .p = &f->d };
	int rc;

	for (int i = 0; i < N_NAMES; i++)
		x.set |= f->name[i].rx ? 1u << i : 0;
	if (!x.set)
		return 0;
	collect(&x);
	rc = match_texts(&x, err);
	if (rc == 0) {
		judge_functions(&x);
		judge_locations(&x);
		tell(&x);
		if (x.n_gone)
			remove_lines(&x);
		rc = filter_stacks(f, x.loc, err);
	}
	free(x.text_of);
	free(x.text);
	free(x.hit);
	free(x.func);
	free(x.loc);
	free(x.gone);
	return rc;
}

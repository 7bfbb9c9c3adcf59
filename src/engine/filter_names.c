/*
 * filter_names.c - filters by name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each string that lines or mappings use is matched once per expression. The bits of functions are computed from these,
 * and from them the lines that each location keeps and the location's bits for stacks.
 *
 * A first pass over the stacks then finds the part of each that remains. If some stack changes, a second pass copies
 * these parts. Both are split over threads by number of frames; a thread writes only the data of its own stacks.
 */
#include "config.h"

#include "base/mem.h"
#include "base/pool.h"
#include "engine/filter_int.h"
#include "engine/query_filter.h"
#include "profile/prune.h"

#include <assert.h>
#include <stdlib.h>

enum { FRAMES_PER_THREAD = 200000 };

/* The part of a stack that remains: the locations in [first, end) that are not hidden. */
struct filter_names_range {
	uint32_t first, end;
};

struct stack_cutter {
	const struct stack_lists *in;
	struct stack_lists out;
	const uint8_t *loc;               /* [n_locs] LOC_ flags */
	bool by_focus, show_from, prune;  /* options that are set */
	bool any_hidden;                  /* hide or show removed whole locations */
	uint8_t *removed;                 /* [stacks] is the stack removed, with its rows? */
	struct filter_names_range *range; /* [stacks] */
	uint32_t *n_remaining;            /* [stacks] number of locations that remain */
	struct stop *stop;
	unsigned parts;
	struct outcome {
		bool any_removed, any_changes;
	} * part; /* [parts] */
};

static uint32_t visible(const struct stack_cutter *c, struct filter_names_range r)
{
	uint32_t n = r.end - r.first;

	for (uint32_t i = r.first; c->any_hidden && i < r.end; i++)
		n -= (c->loc[stack_id_at(c->in, i)] & LOC_HIDDEN) != 0;
	return n;
}

/* Is location i of the stacks visible, and does it have this bit? */
static bool has_bit(const struct stack_cutter *c, uint32_t i, uint8_t bit)
{
	return (c->loc[stack_id_at(c->in, i)] & (bit | LOC_HIDDEN)) == bit;
}

/* Find the part of a stack that remains; false when the stack is removed with its rows. */
static bool filter_names_find_range(const struct stack_cutter *c, uint32_t stack, struct filter_names_range *r)
{
	uint8_t all = 0;

	*r = (struct filter_names_range){ c->in->off[stack], c->in->off[stack + 1] };
	for (uint32_t i = r->first; i < r->end; i++)
		all |= c->loc[stack_id_at(c->in, i)];
	if (c->by_focus) {
		if (!(all & LOC_FOCUSED) || all & LOC_IGNORED)
			return false;
		if (all & LOC_HIDDEN && visible(c, *r) == 0)
			return false;
	}
	if (c->show_from) {
		while (r->end > r->first && !has_bit(c, r->end - 1, LOC_FROM))
			r->end--;
		if (r->end == r->first)
			return false;
	}
	if (c->prune && all & LOC_PRUNE) {
		uint32_t i = r->first;

		while (i < r->end && !has_bit(c, i, LOC_PRUNE))
			i++;
		if (i < r->end)
			r->first = i;
	}
	return true;
}

static void filter_names_find_ranges(void *arg, unsigned part)
{
	struct stack_cutter *c = arg;
	struct outcome o = { 0 };

	for (uint32_t s = profile_stack_part(c->in, part, c->parts),
		      end = profile_stack_part(c->in, part + 1, c->parts);
	     s < end && !stop_step(c->stop, s); s++) {
		struct filter_names_range *r = &c->range[s];

		if (filter_names_find_range(c, s, r)) {
			c->n_remaining[s] = visible(c, *r);
			o.any_changes |= c->n_remaining[s] != c->in->off[s + 1] - c->in->off[s];
		} else {
			r->end = r->first;
			c->n_remaining[s] = 0;
			c->removed[s] = 1;
			o.any_removed = true;
		}
	}
	c->part[part] = o;
}

static void copy_part(void *arg, unsigned part)
{
	const struct stack_cutter *c = arg;

	for (uint32_t s = profile_stack_part(c->in, part, c->parts),
		      end = profile_stack_part(c->in, part + 1, c->parts);
	     s < end && !stop_step(c->stop, s); s++) {
		uint32_t to = c->out.off[s];

		for (uint32_t i = c->range[s].first; i < c->range[s].end; i++) {
			uint32_t loc = stack_id_at(c->in, i);

			if (!(c->loc[loc] & LOC_HIDDEN))
				stack_store(stack_address(&c->out, to++), c->out.width, loc);
		}
	}
}

/* Copy the parts of stacks that remain. */
static void cut_stacks(struct stack_cutter *c, struct arena *mem)
{
	uint32_t n = 0;

	c->out.n = c->in->n;
	c->out.off = arena_alloc(mem, (size_t)c->in->n + 1, sizeof(*c->out.off));
	for (uint32_t s = 0; s < c->in->n; s++) {
		c->out.off[s] = n;
		n += c->n_remaining[s];
	}
	assert(n <= c->in->off[c->in->n]);
	c->out.off[c->in->n] = n;
	c->out.width = c->in->width;
	c->out.packed = arena_own(mem, mem_alloc_large(stack_bytes(n, c->out.width), 1));
	pool_run(copy_part, c, c->parts);
}

static bool filter_names_is_set(const struct filter *f, int name)
{
	return f->name[name].rx != NULL;
}

static bool has_hidden(const struct filter *f, const uint8_t *loc)
{
	for (uint32_t i = 0; i < f->d.n_locs; i++)
		if (loc[i] & LOC_HIDDEN)
			return true;
	return false;
}

/* Combine the match bits of the locations of each stack into bits of the stack. Fails: ERR_STOPPED */
static int filter_stacks(struct filter *f, const uint8_t *loc, struct err *err)
{
	struct stack_cutter c = { .in = &f->d.stacks, .loc = loc, .stop = f->q->stop };
	uint64_t wish = f->d.stacks.off[f->d.stacks.n] / FRAMES_PER_THREAD + 1;
	bool any_removed = false, any_changes = false;

	c.by_focus = filter_names_is_set(f, NAME_FOCUS) || filter_names_is_set(f, NAME_IGNORE) ||
		     filter_names_is_set(f, NAME_HIDE) || filter_names_is_set(f, NAME_SHOW);
	c.show_from = filter_names_is_set(f, NAME_SHOW_FROM);
	c.prune = filter_names_is_set(f, NAME_PRUNE_FROM);
	c.any_hidden = has_hidden(f, loc);
	c.removed = arena_zalloc(f->mem, c.in->n, sizeof(*c.removed));
	c.range = mem_alloc(c.in->n, sizeof(*c.range));
	c.n_remaining = mem_alloc(c.in->n, sizeof(*c.n_remaining));
	c.parts = wish < pool_size() ? (unsigned)wish : pool_size();
	c.part = mem_zalloc(c.parts, sizeof(*c.part));
	stop_begin(c.stop, "filtering", c.in->n);
	pool_run(filter_names_find_ranges, &c, c.parts);
	for (unsigned i = 0; i < c.parts; i++) {
		any_removed |= c.part[i].any_removed;
		any_changes |= c.part[i].any_changes;
	}
	if (any_removed)
		f->stack_removed = c.removed;
	if (any_changes && !stop_is_set(c.stop)) {
		cut_stacks(&c, f->mem);
		f->d.stacks = c.out;
	}
	free(c.range);
	free(c.n_remaining);
	free(c.part);
	return stop_check(c.stop, err);
}

enum { BIT_PRUNE = 1 << NAME_PRUNE_FROM };

struct name_filter {
	struct filter *f;
	const struct profile *p;
	unsigned set; /* bits of the expressions that are set */
	str_id *text; /* [n_texts] distinct, names of functions first */
	uint8_t *hit; /* [n_texts] bits of each text */
	uint32_t n_names, n_texts;
	uint32_t *text_of;     /* [strings] index in text + 1; 0 for none */
	uint8_t *func;         /* [n_funcs] bits of each function */
	uint8_t *loc;          /* [n_locs] LOC_ flags */
	uint8_t *line_removed; /* [n_lines] is the line removed? */
	uint32_t n_lines_removed;
	bool seen[N_NAMES]; /* expressions that matched a location */
};

/* Add a string to be matched. */
static void filter_names_add_text(struct name_filter *x, str_id id)
{
	if (x->text_of[id])
		return;
	x->text[x->n_texts] = id;
	x->text_of[id] = ++x->n_texts;
}

/* Collect the strings that lines and mappings use. */
static void collect_texts(struct name_filter *x)
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
			filter_names_add_text(x, p->func_name[i]);
	assert(x->n_texts <= p->n_funcs);
	x->n_names = x->n_texts;
	for (uint32_t i = 0; i < p->n_funcs; i++)
		if (func[i])
			filter_names_add_text(x, p->func_file[i]);
	for (uint32_t i = 0; i < p->n_maps; i++)
		filter_names_add_text(x, p->map[i].file);
	free(func);
}

static const char *whole_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	const struct name_filter *x = arg;

	(void)scratch;
	*n = strtab_len(x->p->str, x->text[i]);
	return profile_text(x->p, x->text[i]);
}

static const char *simple_text(const void *arg, uint32_t i, struct buf *scratch, size_t *n)
{
	return simplify_name(whole_text(arg, i, scratch, n), n);
}

static int filter_names_match_texts(struct name_filter *x, struct err *err)
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

static uint8_t hit_of(const struct name_filter *x, str_id id)
{
	return x->text_of[id] ? x->hit[x->text_of[id] - 1] : 0;
}

static void set_function_bits(struct name_filter *x)
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

static uint8_t line_bits(const struct name_filter *x, uint32_t line)
{
	uint32_t func = x->p->line_func[line];

	return func == PROFILE_NONE ? 0 : x->func[func];
}

static void remove_line(struct name_filter *x, uint32_t line)
{
	x->n_lines_removed += !x->line_removed[line];
	x->line_removed[line] = 1;
}

/* Remove the lines of a location for which the bit has this state. Returns the number of lines that remain. */
static uint32_t remove_lines_of(struct name_filter *x, uint32_t loc, uint8_t bit, bool state)
{
	uint32_t n = 0;

	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++) {
		bool has_function = x->p->line_func[l] != PROFILE_NONE;

		if (!x->line_removed[l] && has_function && ((line_bits(x, l) & bit) != 0) == state)
			remove_line(x, l);
		n += !x->line_removed[l];
	}
	return n;
}

static uint32_t remove_all_lines(struct name_filter *x, uint32_t loc)
{
	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++)
		remove_line(x, l);
	return 0;
}

static uint32_t count_lines(const struct name_filter *x, uint32_t loc)
{
	uint32_t n = 0;

	for (uint32_t l = x->p->loc_line[loc]; l < x->p->loc_line[loc + 1]; l++)
		n += !x->line_removed[l];
	return n;
}

/* Apply focus, ignore, hide and show. map: the bits of the mapping. */
static void filter_location(struct name_filter *x, uint32_t loc, uint8_t map)
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
		if ((map & hide ? remove_all_lines(x, loc) : remove_lines_of(x, loc, hide, true)) == 0)
			x->loc[loc] |= LOC_HIDDEN;
	}
	if (x->set & show) {
		if ((map & show ? count_lines(x, loc) : remove_lines_of(x, loc, show, false)) == 0)
			x->loc[loc] |= LOC_HIDDEN;
		else
			x->seen[NAME_SHOW] = true;
	}
}

/* Remove the callers of the outermost line that matches. */
static void apply_show_from(struct name_filter *x, uint32_t loc, uint8_t map)
{
	const uint8_t from = 1 << NAME_SHOW_FROM;
	uint32_t first = x->p->loc_line[loc], l = x->p->loc_line[loc + 1];

	if (!(map & from)) {
		while (l > first && (x->line_removed[l - 1] || !(line_bits(x, l - 1) & from)))
			l--;
		if (l == first)
			return;
		for (; l < x->p->loc_line[loc + 1]; l++)
			remove_line(x, l);
	}
	x->seen[NAME_SHOW_FROM] = true;
	x->loc[loc] |= LOC_FROM;
}

/* Remove the callees of the innermost line that matches. */
static void apply_prune_from(struct name_filter *x, uint32_t loc)
{
	uint32_t l = x->p->loc_line[loc], end = x->p->loc_line[loc + 1];

	while (l < end && (x->line_removed[l] || !(line_bits(x, l) & BIT_PRUNE)))
		l++;
	if (l == end)
		return;
	x->loc[loc] |= LOC_PRUNE;
	while (l > x->p->loc_line[loc])
		remove_line(x, --l);
}

static void filter_locations(struct name_filter *x)
{
	const struct profile *p = x->p;
	bool any = x->set & (1 << NAME_FOCUS | 1 << NAME_IGNORE | 1 << NAME_HIDE | 1 << NAME_SHOW);

	x->loc = mem_zalloc(p->n_locs, sizeof(*x->loc));
	x->line_removed = mem_zalloc(p->n_lines, sizeof(*x->line_removed));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint8_t map = p->loc_map[loc] == PROFILE_NONE ? 0 : hit_of(x, p->map[p->loc_map[loc]].file);

		map &= (uint8_t)~BIT_PRUNE;
		if (any)
			filter_location(x, loc, map);
		if (x->set & 1 << NAME_SHOW_FROM)
			apply_show_from(x, loc, map);
		if (x->set & BIT_PRUNE)
			apply_prune_from(x, loc);
	}
}

/* Make columns of lines without the removed lines. */
static void drop_lines(struct name_filter *x)
{
	const struct profile *p = x->p;
	struct profile d = *p;
	uint32_t n = 0;

	d.loc_line = arena_alloc(x->f->mem, (size_t)p->n_locs + 1, sizeof(*d.loc_line));
	d.n_lines = p->n_lines - x->n_lines_removed;
	d.line_func = arena_alloc(x->f->mem, d.n_lines, sizeof(*d.line_func));
	d.line_no = arena_alloc(x->f->mem, d.n_lines, sizeof(*d.line_no));
	d.line_col = arena_alloc(x->f->mem, d.n_lines, sizeof(*d.line_col));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		d.loc_line[loc] = n;
		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
			if (x->line_removed[l])
				continue;
			d.line_func[n] = p->line_func[l];
			d.line_no[n] = p->line_no[l];
			d.line_col[n++] = p->line_col[l];
		}
	}
	assert(n == d.n_lines);
	d.loc_line[p->n_locs] = n;
	x->f->d = d;
}

/* Add a note for every expression that matched nothing. */
static void add_hints(struct name_filter *x)
{
	static const char *const option[] = { "Focus", "Ignore", "Hide", "Show", "ShowFrom" };

	for (int i = 0; i <= NAME_SHOW_FROM; i++)
		if (x->set & 1u << i && !x->seen[i])
			filter_hint_names(x->f, option[i], x->f->name[i].pattern);
}

int filter_names(struct filter *f, struct err *err)
{
	struct name_filter x = { .f = f, .p = &f->d };
	int rc;

	for (int i = 0; i < N_NAMES; i++)
		x.set |= f->name[i].rx ? 1u << i : 0;
	if (!x.set)
		return 0;
	collect_texts(&x);
	rc = filter_names_match_texts(&x, err);
	if (rc == 0) {
		set_function_bits(&x);
		filter_locations(&x);
		add_hints(&x);
		if (x.n_lines_removed)
			drop_lines(&x);
		rc = filter_stacks(f, x.loc, err);
	}
	free(x.text_of);
	free(x.text);
	free(x.hit);
	free(x.func);
	free(x.loc);
	free(x.line_removed);
	return rc;
}

/*
 * filter_stacks.c - filters by name: what they leave of stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One walk judges each stack and finds the part that stays; only when some stack changes a second
 * one copies what is left. Both are split over threads by number of frames; a thread writes what
 * belongs to its own stacks.
 */
#include "config.h"

#include "engine/filter_int.h"

#include "base/mem.h"
#include "base/pool.h"

#include <stdlib.h>
#include <string.h>

enum { FRAMES_PER_THREAD = 200000 };

/* Locations that stay are those of [first, end) that are not hidden. */
struct range {
	uint32_t first, end;
};

struct cutting {
	const struct csr *in;
	struct csr out;
	const uint8_t *loc;              /* [n_locs] LOC_ */
	bool by_focus, show_from, prune; /* what is asked */
	bool any_hidden;                 /* hide or show took whole locations */
	uint8_t *goes;                   /* [stacks] */
	struct range *range;             /* [stacks] */
	uint32_t *left;                  /* [stacks] locations that stay */
	struct stop *stop;
	unsigned parts;
	struct outcome {
		bool any_goes, any_changes;
	} * part; /* [parts] */
};

static uint32_t visible(const struct cutting *c, struct range r)
{
	uint32_t n = r.end - r.first;

	for (uint32_t i = r.first; c->any_hidden && i < r.end; i++)
		n -= (c->loc[c->in->item[i]] & LOC_HIDDEN) != 0;
	return n;
}

/* Is the location there, and has it this bit? */
static bool is_at(const struct cutting *c, uint32_t i, uint8_t bit)
{
	return (c->loc[c->in->item[i]] & (bit | LOC_HIDDEN)) == bit;
}

/* What stays of a stack; false when it goes with its rows. */
static bool judge(const struct cutting *c, uint32_t stack, struct range *r)
{
	const uint32_t *item = c->in->item;
	uint8_t all = 0;

	*r = (struct range){ c->in->off[stack], c->in->off[stack + 1] };
	for (uint32_t i = r->first; i < r->end; i++)
		all |= c->loc[item[i]];
	if (c->by_focus) {
		if (!(all & LOC_FOCUSED) || all & LOC_IGNORED)
			return false;
		if (all & LOC_HIDDEN && visible(c, *r) == 0)
			return false;
	}
	if (c->show_from) {
		while (r->end > r->first && !is_at(c, r->end - 1, LOC_FROM))
			r->end--;
		if (r->end == r->first)
			return false;
	}
	if (c->prune && all & LOC_PRUNE) {
		uint32_t i = r->first;

		while (i < r->end && !is_at(c, i, LOC_PRUNE))
			i++;
		if (i < r->end)
			r->first = i;
	}
	return true;
}

static void judge_part(void *arg, unsigned part)
{
	struct cutting *c = arg;
	struct outcome o = { 0 };

	for (uint32_t s = csr_part(c->in, part, c->parts), end = csr_part(c->in, part + 1, c->parts);
	     s < end && !stop_step(c->stop, s); s++) {
		struct range *r = &c->range[s];

		if (judge(c, s, r)) {
			c->left[s] = visible(c, *r);
			o.any_changes |= c->left[s] != c->in->off[s + 1] - c->in->off[s];
		} else {
			r->end = r->first;
			c->left[s] = 0;
			c->goes[s] = 1;
			o.any_goes = true;
		}
	}
	c->part[part] = o;
}

static void copy_part(void *arg, unsigned part)
{
	const struct cutting *c = arg;

	for (uint32_t s = csr_part(c->in, part, c->parts), end = csr_part(c->in, part + 1, c->parts);
	     s < end && !stop_step(c->stop, s); s++) {
		uint32_t *to = c->out.item + c->out.off[s];

		for (uint32_t i = c->range[s].first; i < c->range[s].end; i++)
			if (!(c->loc[c->in->item[i]] & LOC_HIDDEN))
				*to++ = c->in->item[i];
	}
}

static void cut(struct cutting *c, struct arena *mem)
{
	uint32_t n = 0;

	c->out.n = c->in->n;
	c->out.off = arena_alloc(mem, (size_t)c->in->n + 1, sizeof(*c->out.off));
	for (uint32_t s = 0; s < c->in->n; s++) {
		c->out.off[s] = n;
		n += c->left[s];
	}
	c->out.off[c->in->n] = n;
	c->out.item = arena_own(mem, mem_alloc_large(n, sizeof(*c->out.item)));
	pool_run(copy_part, c, c->parts);
}

static bool is_set(const struct filter *f, int name)
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

int filter_stacks(struct filter *f, const uint8_t *loc, struct err *err)
{
	struct cutting c = { .in = &f->d.stacks, .loc = loc, .stop = f->q->stop };
	uint64_t wish = f->d.stacks.off[f->d.stacks.n] / FRAMES_PER_THREAD + 1;
	bool any_goes = false, any_changes = false;

	c.by_focus = is_set(f, NAME_FOCUS) || is_set(f, NAME_IGNORE) || is_set(f, NAME_HIDE) || is_set(f, NAME_SHOW);
	c.show_from = is_set(f, NAME_SHOW_FROM);
	c.prune = is_set(f, NAME_PRUNE_FROM);
	c.any_hidden = has_hidden(f, loc);
	c.goes = arena_zalloc(f->mem, c.in->n, sizeof(*c.goes));
	c.range = mem_alloc(c.in->n, sizeof(*c.range));
	c.left = mem_alloc(c.in->n, sizeof(*c.left));
	c.parts = wish < pool_size() ? (unsigned)wish : pool_size();
	c.part = mem_zalloc(c.parts, sizeof(*c.part));
	stop_begin(c.stop, "filtering", c.in->n);
	pool_run(judge_part, &c, c.parts);
	for (unsigned i = 0; i < c.parts; i++) {
		any_goes |= c.part[i].any_goes;
		any_changes |= c.part[i].any_changes;
	}
	if (any_goes)
		f->stack_goes = c.goes;
	if (any_changes && !stop_is_set(c.stop)) {
		cut(&c, f->mem);
		f->d.stacks = c.out;
	}
	free(c.range);
	free(c.left);
	free(c.part);
	return stop_check(c.stop, err);
}

/*
 * boxes.c - fold stacks into a tree of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Level by level, the stacks of a box are split by their next frame. Only parts that are large enough become boxes and
 * are split further, so the long tail of a large profile costs one step per stack, not a tree.
 *
 * While stacks are split, every part that is large enough is a candidate. If there are more than max_boxes, the minimum
 * rises to the size of the smallest of the largest ones, and after the last level (or when there are too many of them)
 * smaller candidates are removed. A removed candidate is added to the rest of its parent, as if it had never been one, so
 * stacks are split once only. Boxes that lead to frames to keep have no minimum; they are additional to the largest boxes.
 */
#include "config.h"

#include "engine/boxes.h"

#include "base/mem.h"

#include <assert.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>

/* The values of one side of a candidate. */
struct box_values {
	int64_t self, total, rest;
};

/* A part that is large enough for a box, and the parts of it that are not. Each is larger than its children. */
struct box_candidate {
	uint32_t parent, place;
	uint32_t n_rest;
	bool inlined, has_kept;
	bool is_path; /* on the path, or the root: always a box */
	bool is_last; /* its children are too deep */
	struct box_values new;
};

/* The values of a candidate that only a comparison has. */
struct box_base {
	struct box_values base;
	int64_t rest_width;
	uint32_t n_shrunk;
};

/* Candidates that become boxes, chosen in their order: those larger than min, and some of exactly that size. */
struct box_choice {
	int64_t min;
	uint32_t n_ties; /* boxes of exactly the size min that may still be chosen */
	uint32_t n_kept; /* boxes smaller than min that lead to a frame to keep, at most half of max */
	bool is_final;   /* false: min may still rise */
};

enum { TALLY_MORE = 64, MANY_STACKS = 50000 /* memory for the candidates is then reserved at once */ };

/* The largest sizes so far: max of them, a quarter more, and TALLY_MORE. */
struct tally {
	int64_t *size;
	size_t n, cap, max;
};

struct box_builder {
	const struct view *v;
	const struct boxes_options *options;
	struct parts ps;
	struct boxes *b;
	struct arena *mem; /* owns the columns of b */
	size_t cap;        /* their length */
	int first_side;    /* SIDE_NEW without a base: the base is not in use */
	uint32_t max;      /* boxes that are neither root, rest, on the path, nor kept although small */
	uint64_t n_large;  /* candidates of such boxes so far */
	uint32_t n_kept;   /* candidates smaller than min that lead to a frame to keep, at most max */
	int64_t min;       /* size of the smallest candidate that is still of use */
	int64_t first_min; /* min at the root */
	uint32_t level;    /* level of the boxes that are being made */
	bool has_limit;    /* only the largest candidates become boxes; their sizes are in tally */
	struct tally tally;
	struct box_candidate *candidate; /* [n_candidates] level by level, by list, by part */
	struct box_base *base;           /* [n_candidates] NULL without a base */
	uint32_t n_candidates, n_chosen; /* n_chosen: of them, those that were left when small ones were removed last */
	size_t cap_candidates, cap_base;
	uint32_t *box, *next; /* candidates of the lists of this level, and of the next level; NONE if removed */
	size_t n_next, cap_box, cap_next;
};

static int64_t boxes_larger(const int64_t side[N_SIDES])
{
	return side[SIDE_NEW] > side[SIDE_BASE] ? side[SIDE_NEW] : side[SIDE_BASE];
}

/* The minimum size of a box, given its minimum share of another box. */
static int64_t min_size(double share, int64_t all)
{
	double min = ceil(share * (double)all);

	return !(min > 1) || all == 0 ? 1 : min < (double)all ? (int64_t)min : all;
}

/* Allocate the columns for n boxes, as one piece of memory. */
static void boxes_allocate(struct box_builder *f, size_t n)
{
	size_t n_values = 1 + 2 * (size_t)(N_SIDES - f->first_side);
	struct boxes *b = f->b;
	int64_t *value;
	uint32_t *id;

	value = mem_alloc_large(n, n_values * sizeof(*value) + 3 * sizeof(*id) + sizeof(*b->inlined));
	arena_own(f->mem, value);
	b->width = value;
	for (int side = f->first_side; side < N_SIDES; side++) {
		b->self[side] = value += n;
		b->total[side] = value += n;
	}
	b->parent = id = (uint32_t *)(value + n);
	b->place = id += n;
	b->n_rest = id += n;
	b->inlined = (bool *)(id + n);
	f->cap = n;
}

static uint32_t boxes_add_box(struct box_builder *f, uint32_t parent, uint32_t place, const int64_t total[N_SIDES])
{
	struct boxes *b = f->b;
	uint32_t i = b->n++;

	assert(parent == BOXES_NONE ? i == 0 : parent < i);
	assert(b->n <= f->cap);
	b->parent[i] = parent;
	b->place[i] = place;
	b->n_rest[i] = 0;
	b->inlined[i] = false;
	b->width[i] = 0;
	for (int side = f->first_side; side < N_SIDES; side++) {
		b->self[side][i] = 0;
		b->total[side][i] = total[side];
	}
	return i;
}

/* The k-th largest of n sizes above 0, 0 < k <= n: find its bytes, the highest first. */
static int64_t boxes_select_size(const int64_t *size, size_t n, size_t k)
{
	uint64_t found = 0, mask = 0, bits = 0;
	unsigned shift = 0;

	assert(k > 0 && k <= n);
	for (size_t i = 0; i < n; i++)
		bits |= (uint64_t)size[i];
	for (; bits; bits >>= CHAR_BIT)
		shift += CHAR_BIT;
	for (; shift > 0; mask |= (uint64_t)UINT8_MAX << shift) {
		size_t count[UINT8_MAX + 1] = { 0 };
		unsigned byte = UINT8_MAX;

		shift -= CHAR_BIT;
		for (size_t i = 0; i < n; i++)
			if (((uint64_t)size[i] & mask) == found)
				count[(uint64_t)size[i] >> shift & UINT8_MAX]++;
		for (; count[byte] < k; byte--)
			k -= count[byte];
		found |= (uint64_t)byte << shift;
	}
	return (int64_t)found;
}

/* Keep the max largest sizes, and choose the candidates that have them: the first ones of several of the same size. */
static struct box_choice tally_choose(struct tally *t)
{
	struct box_choice choice = { .min = boxes_select_size(t->size, t->n, t->max) };
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (t->size[i] > choice.min)
			t->size[n++] = t->size[i];
	assert(n < t->max);
	choice.n_ties = (uint32_t)(t->max - n);
	while (n < t->max)
		t->size[n++] = choice.min;
	t->n = n;
	return choice;
}

/*
 * Record a size. Returns the smallest size that a box after this one needs to be among the largest: more than that of the
 * smallest of max boxes, because of boxes of the same size the first ones are chosen.
 */
static int64_t tally_add(struct tally *t, int64_t size, int64_t min)
{
	assert(t->max > 0 && size > 0);
	t->size = mem_grow(t->size, &t->cap, t->n + 1, sizeof(*t->size));
	t->size[t->n++] = size;
	return t->n < t->max + t->max / 4 + TALLY_MORE ? min : tally_choose(t).min + 1;
}

/* Is a part the next box of the path? The size of the last box of the path can raise the minimum. */
static bool is_on_path(struct box_builder *f, const struct part *part, int64_t size)
{
	int64_t min = min_size(f->options->path_share, size);

	if (part->place != f->options->path[f->level - 1])
		return false;
	if (f->level == f->options->n_path && min > f->min)
		f->min = min;
	return true;
}

static bool is_large(struct box_builder *f, const struct part *part, int64_t size)
{
	if (part->has_kept && size < f->min && f->n_kept < f->max) {
		f->n_kept++;
		return true;
	}
	if (size < f->min)
		return false;
	f->n_large++;
	if (f->has_limit)
		f->min = tally_add(&f->tally, size, f->min);
	return true;
}

static uint32_t boxes_add_candidate(struct box_builder *f, struct box_candidate c, const int64_t total[N_SIDES])
{
	uint32_t i = f->n_candidates++;

	c.new.total = total[SIDE_NEW];
	f->candidate = mem_grow(f->candidate, &f->cap_candidates, f->n_candidates, sizeof(*f->candidate));
	f->candidate[i] = c;
	if (f->b->has_base) {
		f->base = mem_grow(f->base, &f->cap_base, f->n_candidates, sizeof(*f->base));
		f->base[i] = (struct box_base){ .base.total = total[SIDE_BASE] };
	}
	return i;
}

static void boxes_total_of(const struct box_builder *f, uint32_t candidate, int64_t total[N_SIDES])
{
	total[SIDE_NEW] = f->candidate[candidate].new.total;
	total[SIDE_BASE] = f->base ? f->base[candidate].base.total : 0;
}

static int64_t boxes_size_of(const struct box_builder *f, uint32_t candidate)
{
	int64_t total[N_SIDES];

	boxes_total_of(f, candidate, total);
	return boxes_larger(total);
}

/* Add a part, or a candidate that is removed, to the rest of its parent. */
static void boxes_add_to_rest(struct box_builder *f, uint32_t parent, const int64_t total[N_SIDES])
{
	f->candidate[parent].n_rest++;
	f->candidate[parent].new.rest += total[SIDE_NEW];
	if (f->base) {
		f->base[parent].base.rest += total[SIDE_BASE];
		f->base[parent].rest_width += boxes_larger(total);
	}
}

/* Make candidates of the parts of a list. */
static void split_box(struct box_builder *f, size_t list)
{
	bool is_last = f->level > f->options->max_levels, is_path = f->level <= f->options->n_path;
	uint32_t parent = f->box[list];

	if (parent != BOXES_NONE)
		f->candidate[parent].new.self = f->ps.self[list][SIDE_NEW];
	if (parent != BOXES_NONE && f->base)
		f->base[parent].base.self = f->ps.self[list][SIDE_BASE];
	for (size_t i = f->ps.first[list]; i < f->ps.first[list + 1]; i++) {
		struct part *part = &f->ps.part[i];
		int64_t size = boxes_larger(part->total);
		struct box_candidate c = { .parent = parent,
					   .place = part->place,
					   .inlined = part->inlined,
					   .has_kept = part->has_kept,
					   .is_path = is_path };

		part->is_selected = false;
		if (parent == BOXES_NONE)
			continue;
		if (f->options->drop_negative && part->total[SIDE_NEW] < part->total[SIDE_BASE]) {
			f->base[parent].n_shrunk++;
			continue;
		}
		part->is_selected = !is_last && (is_path ? is_on_path(f, part, size) : is_large(f, part, size));
		if (!part->is_selected) {
			f->candidate[parent].is_last = is_last;
			boxes_add_to_rest(f, parent, part->total);
			continue;
		}
		f->next = mem_grow(f->next, &f->cap_next, f->n_next + 1, sizeof(*f->next));
		f->next[f->n_next++] = boxes_add_candidate(f, c, part->total);
	}
}

static bool boxes_too_many(const struct box_builder *f)
{
	return f->n_large > f->max;
}

/* Is the tree complete, too large, or stopped? */
static bool boxes_is_done(const struct box_builder *f)
{
	return f->ps.n == 0 || (boxes_too_many(f) && !f->has_limit) || stop_is_set(f->v->stop);
}

/* Does the next candidate become a box? */
static bool boxes_choose(const struct box_builder *f, struct box_choice *choice, uint32_t candidate)
{
	const struct box_candidate *c = &f->candidate[candidate];
	int64_t size = boxes_size_of(f, candidate);
	bool is_tie = size == choice->min;

	if (c->is_path)
		return true;
	if (is_tie && choice->n_ties) {
		choice->n_ties--;
		return true;
	}
	if (size > choice->min)
		return true;
	if (!c->has_kept || choice->n_kept >= f->max / 2 || (is_tie && choice->is_final))
		return false;
	choice->n_kept++;
	return true;
}

/*
 * Remove the candidates that are not chosen. A candidate is removed before its children are. Returns the new number of each
 * candidate, or BOXES_NONE; freed by the caller.
 */
static uint32_t *boxes_remove_small(struct box_builder *f, struct box_choice choice)
{
	uint32_t *to = mem_alloc(f->n_candidates, sizeof(*to)), n = 0;

	for (uint32_t i = 0; i < f->n_candidates; i++) {
		uint32_t parent = i ? to[f->candidate[i].parent] : BOXES_NONE;
		int64_t total[N_SIDES];

		if (boxes_choose(f, &choice, i)) {
			f->candidate[n] = f->candidate[i];
			f->candidate[n].parent = parent;
			if (f->base)
				f->base[n] = f->base[i];
			to[i] = n++;
			continue;
		}
		to[i] = BOXES_NONE;
		boxes_total_of(f, i, total);
		if (parent != BOXES_NONE)
			boxes_add_to_rest(f, parent, total);
	}
	f->n_candidates = f->n_chosen = n;
	return to;
}

/* Keep only the largest candidates so far. */
static void boxes_raise_min(struct box_builder *f)
{
	struct box_choice choice = tally_choose(&f->tally);
	uint32_t *to = boxes_remove_small(f, choice);

	f->min = choice.min + 1;
	for (size_t i = 0; i < f->ps.n; i++)
		f->box[i] = to[f->box[i]];
	free(to);
}

static void split_level(struct box_builder *f)
{
	uint32_t *box = f->box;
	size_t cap = f->cap_box;

	parts_split(&f->ps);
	if (stop_is_set(f->v->stop))
		return;
	f->n_next = 0;
	for (size_t list = 0; list < f->ps.n; list++)
		split_box(f, list);
	parts_next_level(&f->ps);
	f->box = f->next;
	f->cap_box = f->cap_next;
	f->next = box;
	f->cap_next = cap;
	if (f->has_limit && f->n_candidates - f->n_chosen > f->max / 4 && f->tally.n > f->max)
		boxes_raise_min(f);
}

/* Fold all stacks into candidates. */
static void boxes_fold(struct box_builder *f)
{
	struct box_candidate root = { .parent = BOXES_NONE, .place = BOXES_NONE, .is_path = true };

	parts_start(&f->ps, f->v, f->b->places, &f->options->parts);
	f->min = f->first_min = min_size(f->options->min_share, boxes_larger(f->ps.total));
	assert(f->ps.total[SIDE_NEW] >= 0 && f->ps.total[SIDE_BASE] >= 0 && f->min >= 1);
	f->b->has_base = f->options->wants_base || f->ps.has_base;
	f->first_side = f->b->has_base ? SIDE_BASE : SIDE_NEW;
	if (f->has_limit && f->v->p->stacks.n >= MANY_STACKS) {
		f->cap_candidates = f->max / 2 * 3;
		f->candidate = mem_alloc_large(f->cap_candidates, sizeof(*f->candidate));
		f->tally.cap = f->tally.max + f->tally.max / 4 + TALLY_MORE;
		f->tally.size = mem_alloc(f->tally.cap, sizeof(*f->tally.size));
	}
	f->box = mem_grow(f->box, &f->cap_box, 1, sizeof(*f->box));
	f->box[0] = boxes_add_candidate(f, root, f->ps.total);
	for (uint32_t level = 1; !boxes_is_done(f); level++) {
		f->level = level;
		split_level(f);
	}
	parts_release(&f->ps);
}

static int64_t boxes_rest_width(const struct box_builder *f, uint32_t candidate)
{
	return f->base ? f->base[candidate].rest_width : f->candidate[candidate].new.rest;
}

/* Is the sum of the parts of a candidate that are too small large enough for a box? */
static bool boxes_has_rest(const struct box_builder *f, uint32_t candidate, int64_t min)
{
	bool is_path = candidate + 1 < f->options->n_path && !f->b->is_full;

	return f->candidate[candidate].n_rest && boxes_rest_width(f, candidate) >= (is_path ? f->first_min : min);
}

/* Add the sum of the parts of a candidate that are too small: as a box, or to its width. */
static void add_rest(struct box_builder *f, uint32_t parent, uint32_t candidate, int64_t min)
{
	const struct box_candidate *c = &f->candidate[candidate];
	const int64_t rest[N_SIDES] = { [SIDE_NEW] = c->new.rest,
					[SIDE_BASE] = f->base ? f->base[candidate].base.rest : 0 };
	int64_t width = boxes_rest_width(f, candidate);
	struct boxes *b = f->b;
	uint32_t box;

	assert(width >= 0);
	b->n_cut += c->n_rest;
	b->n_deep += c->is_last ? c->n_rest : 0;
	b->cut_width += width;
	b->n_shrunk += f->base ? f->base[candidate].n_shrunk : 0;
	if (!boxes_has_rest(f, candidate, min)) {
		b->width[parent] += width;
		return;
	}
	box = boxes_add_box(f, parent, BOXES_NONE, rest);
	b->n_rest[box] = c->n_rest;
	b->width[box] = width;
}

/* Make the boxes: the candidates, each followed by the rest of its parent. */
static void boxes_build(struct box_builder *f, int64_t min)
{
	struct boxes *b = f->b;
	uint32_t *box = mem_alloc(f->n_candidates, sizeof(*box)), next = 1;
	size_t n = f->n_candidates;

	for (uint32_t i = 0; i < f->n_candidates; i++)
		n += boxes_has_rest(f, i, min);
	boxes_allocate(f, n);
	box[0] = boxes_add_box(f, BOXES_NONE, BOXES_NONE, f->ps.total);
	for (uint32_t i = 0; i < f->n_candidates; i++) {
		int64_t self[N_SIDES] = { [SIDE_NEW] = f->candidate[i].new.self,
					  [SIDE_BASE] = f->base ? f->base[i].base.self : 0 };

		for (; next < f->n_candidates && f->candidate[next].parent == i; next++) {
			int64_t total[N_SIDES];

			boxes_total_of(f, next, total);
			box[next] = boxes_add_box(f, box[i], f->candidate[next].place, total);
			b->inlined[box[next]] = f->candidate[next].inlined;
		}
		for (int side = f->first_side; side < N_SIDES; side++)
			b->self[side][box[i]] = self[side];
		b->width[box[i]] = boxes_larger(self);
		add_rest(f, box[i], i, min);
	}
	assert(b->n == n);
	b->min = min;
	free(box);
}

/* Add the width of each box to its parent's. */
static void boxes_add_widths(struct boxes *b)
{
	assert(b->n > 0 && b->parent[0] == BOXES_NONE);
	for (uint32_t i = b->n; i-- > 1;)
		b->width[b->parent[i]] += b->width[i];
}

int boxes_make(const struct view *v, const struct places *pl, const struct boxes_options *options, struct arena *mem,
	       struct boxes *out, struct err *err)
{
	struct box_builder f = { .v = v, .options = options, .b = out, .mem = mem, .has_limit = options->max_boxes };
	struct box_choice choice = { .n_ties = UINT32_MAX, .is_final = true };
	int rc = 0;

	if (v->mean)
		return err_set(err, ERR_USAGE, "-mean does not apply to flame: averages cannot be added");
	assert(options->n_path == 0 || options->path);
	*out = (struct boxes){ .places = pl };
	f.max = options->max_boxes && options->max_boxes < BOXES_MAX ? options->max_boxes : BOXES_MAX;
	f.tally.max = f.max;
	boxes_fold(&f);
	choice.min = f.min;
	if (boxes_too_many(&f) && f.has_limit) {
		choice = tally_choose(&f.tally);
		choice.is_final = out->is_full = true;
	} else if (boxes_too_many(&f)) {
		rc = err_set(err, ERR_LIMIT, "more than %d boxes; -nodecount=N keeps the N widest", BOXES_MAX);
	}
	free(boxes_remove_small(&f, choice));
	boxes_build(&f, choice.min);
	free(f.tally.size);
	free(f.candidate);
	free(f.base);
	free(f.box);
	free(f.next);
	boxes_add_widths(out);
	return stop_is_set(v->stop) ? stop_check(v->stop, err) : rc;
}

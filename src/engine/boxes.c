/*
 * boxes.c - fold stacks into a tree of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Level by level, the stacks of a box are split by their next frame. Only parts that are large enough become boxes and
 * are split further, so the long tail of a large profile costs one step per stack, not a tree.
 *
 * If there are more boxes than max_boxes, a first pass finds the sizes of the largest boxes without making any. The
 * smallest of these sizes is then the minimum in a second pass. Boxes that lead to frames to keep have no minimum; they
 * are additional to the largest boxes.
 */
#include "config.h"

#include "engine/boxes.h"

#include "base/mem.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* The largest sizes so far, fewer than twice max_sizes of them. */
struct tally {
	int64_t *size;
	size_t n, cap, max_sizes;
};

struct box_builder {
	const struct view *v;
	const struct boxes_options *options;
	struct parts ps;
	struct boxes *b;
	size_t cap;           /* length of the columns of b */
	int first_side;       /* SIDE_NEW without a base: the base is not in use */
	uint32_t n_real, max; /* boxes that are neither root nor rest, and their limit */
	uint32_t n_kept;      /* boxes smaller than min that lead to a frame to keep, at most half of max */
	int64_t min;          /* size of the smallest box */
	uint32_t n_ties;      /* boxes of exactly the size min that may still be added */
	uint32_t level;       /* level of the boxes that are being made */
	struct tally *tally;  /* sizes collected by the first pass; NULL in the second pass */
	uint32_t *box, *next; /* boxes of the lists of this level, and of the next level */
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

static void boxes_grow(struct box_builder *f)
{
	struct boxes *b = f->b;
	size_t cap = f->cap * 2 + 64;

#define GROW(column) column = mem_grow(column, &(size_t){ f->cap }, cap, sizeof(*column))
	GROW(b->parent);
	GROW(b->place);
	GROW(b->n_rest);
	GROW(b->inlined);
	GROW(b->width);
	for (int side = f->first_side; side < N_SIDES; side++) {
		GROW(b->self[side]);
		GROW(b->total[side]);
	}
#undef GROW
	f->cap = cap;
}

static uint32_t boxes_add_box(struct box_builder *f, uint32_t parent, uint32_t place, const int64_t total[N_SIDES])
{
	struct boxes *b = f->b;
	uint32_t i = b->n++;

	assert(parent == BOXES_NONE ? i == 0 : parent < i);
	if (b->n > f->cap)
		boxes_grow(f);
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

static int larger_first(const void *a, const void *b)
{
	int64_t l = *(const int64_t *)a, r = *(const int64_t *)b;

	return (l < r) - (l > r);
}

/* Record a size. Returns the smallest size that can still be among the max_sizes largest. */
static int64_t tally_add(struct tally *t, int64_t size, int64_t min)
{
	assert(t->max_sizes > 0);
	t->size = mem_grow(t->size, &t->cap, t->n + 1, sizeof(*t->size));
	t->size[t->n++] = size;
	if (t->n < 2 * t->max_sizes)
		return min;
	qsort(t->size, t->n, sizeof(*t->size), larger_first);
	t->n = t->max_sizes;
	return t->size[t->n - 1];
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
	if (part->has_kept && size < f->min && f->n_kept < f->max / 2) {
		f->n_kept++;
		return true;
	}
	if (size < f->min)
		return false;
	if (f->tally)
		f->min = tally_add(f->tally, size, f->min);
	else if (size == f->min && f->n_ties == 0)
		return false;
	else
		f->n_ties -= size == f->min;
	return true;
}

/* Add a rest box for the parts that are too small, if their sum is large enough. */
static void add_rest(struct box_builder *f, uint32_t parent, uint32_t n, const int64_t total[N_SIDES], int64_t width)
{
	struct boxes *b = f->b;
	uint32_t box;

	assert(width >= 0);
	b->n_cut += n;
	b->cut_width += width;
	if (n == 0 || width < f->min) {
		b->width[parent] += width;
		return;
	}
	box = boxes_add_box(f, parent, BOXES_NONE, total);
	b->n_rest[box] = n;
	b->width[box] = width;
}

/* Make boxes for the parts of a list. */
static void split_box(struct box_builder *f, size_t list)
{
	struct boxes *b = f->b;
	bool is_last = f->level > f->options->max_levels, is_path = f->level <= f->options->n_path;
	uint32_t parent = f->box[list], n = 0;
	int64_t rest[N_SIDES] = { 0 }, width = 0;

	for (int side = f->first_side; side < N_SIDES; side++)
		b->self[side][parent] = f->ps.self[list][side];
	b->width[parent] = boxes_larger(f->ps.self[list]);
	for (size_t i = f->ps.first[list]; i < f->ps.first[list + 1]; i++) {
		struct part *part = &f->ps.part[i];
		int64_t size = boxes_larger(part->total);

		if (f->options->drop_negative && part->total[SIDE_NEW] < part->total[SIDE_BASE]) {
			b->n_shrunk++;
			continue;
		}
		part->is_selected = !is_last && (is_path ? is_on_path(f, part, size) : is_large(f, part, size));
		if (!part->is_selected) {
			n++;
			b->n_deep += is_last;
			width += size;
			for (int side = 0; side < N_SIDES; side++)
				rest[side] += part->total[side];
			continue;
		}
		f->next = mem_grow(f->next, &f->cap_next, f->n_next + 1, sizeof(*f->next));
		f->next[f->n_next] = 0;
		if (!f->tally) {
			f->next[f->n_next] = boxes_add_box(f, parent, part->place, part->total);
			b->inlined[f->next[f->n_next]] = part->inlined;
			f->n_real += !is_path;
		}
		f->n_next++;
	}
	if (!f->tally)
		add_rest(f, parent, n, rest, width);
}

static bool boxes_too_many(const struct box_builder *f)
{
	return f->n_real - f->n_kept > f->max;
}

/* Is the tree complete, too large, or stopped? */
static bool boxes_is_done(const struct box_builder *f)
{
	return f->ps.n == 0 || boxes_too_many(f) || stop_is_set(f->v->stop);
}

static void split_level(struct box_builder *f)
{
	uint32_t *box = f->box;
	size_t cap = f->cap_box;

	parts_split(&f->ps);
	if (stop_is_set(f->v->stop))
		return;
	f->n_next = 0;
	for (size_t list = 0; list < f->ps.n && !boxes_too_many(f); list++)
		split_box(f, list);
	parts_next_level(&f->ps);
	f->box = f->next;
	f->cap_box = f->cap_next;
	f->next = box;
	f->cap_next = cap;
}

/* Fold all stacks into boxes of at least this size; 0 means the size from the options. */
static void boxes_fold(struct box_builder *f, int64_t min)
{
	parts_start(&f->ps, f->v, f->b->places, &f->options->parts);
	f->min = min ? min : min_size(f->options->min_share, boxes_larger(f->ps.total));
	assert(f->ps.total[SIDE_NEW] >= 0 && f->ps.total[SIDE_BASE] >= 0 && f->min >= 1);
	f->b->has_base = f->options->wants_base || f->ps.has_base;
	f->first_side = f->b->has_base ? SIDE_BASE : SIDE_NEW;
	f->b->n = f->n_real = f->n_kept = 0;
	f->b->n_cut = f->b->n_deep = f->b->n_shrunk = 0;
	f->b->cut_width = 0;
	f->box = mem_grow(f->box, &f->cap_box, 1, sizeof(*f->box));
	f->box[0] = boxes_add_box(f, BOXES_NONE, BOXES_NONE, f->ps.total);
	for (uint32_t level = 1; !boxes_is_done(f); level++) {
		f->level = level;
		split_level(f);
	}
	f->b->min = f->min;
	parts_release(&f->ps);
}

/* Fold again when there are too many boxes, keeping only the largest. */
static void fold_largest(struct box_builder *f)
{
	struct tally t = { .max_sizes = f->max };
	int64_t min;
	size_t n = 0;

	f->tally = &t;
	boxes_fold(f, 0);
	f->tally = NULL;
	if (stop_is_set(f->v->stop)) {
		free(t.size);
		return;
	}
	qsort(t.size, t.n, sizeof(*t.size), larger_first);
	assert(f->max > 0 && t.n >= f->max);
	min = t.size[f->max - 1];
	while (t.size[n] > min)
		n++;
	assert(n < f->max);
	f->n_ties = (uint32_t)(f->max - n);
	free(t.size);
	f->b->is_full = true;
	boxes_fold(f, min);
}

static void finish_boxes(struct boxes *b, struct arena *mem)
{
	assert(b->n > 0 && b->parent[0] == BOXES_NONE);
	for (uint32_t i = b->n; i-- > 1;)
		b->width[b->parent[i]] += b->width[i];
	arena_own(mem, b->parent);
	arena_own(mem, b->place);
	arena_own(mem, b->n_rest);
	arena_own(mem, b->inlined);
	arena_own(mem, b->width);
	for (int side = 0; side < N_SIDES; side++) {
		arena_own(mem, b->self[side]);
		arena_own(mem, b->total[side]);
	}
}

int boxes_make(const struct view *v, const struct places *pl, const struct boxes_options *options, struct arena *mem,
	       struct boxes *out, struct err *err)
{
	struct box_builder f = { .v = v, .options = options, .b = out, .n_ties = UINT32_MAX };
	int rc = 0;

	if (v->mean)
		return err_set(err, ERR_USAGE, "-mean does not apply to flame: averages cannot be added");
	assert(options->n_path == 0 || options->path);
	*out = (struct boxes){ .places = pl };
	f.max = options->max_boxes && options->max_boxes < BOXES_MAX ? options->max_boxes : BOXES_MAX;
	boxes_fold(&f, 0);
	if (boxes_too_many(&f) && options->max_boxes)
		fold_largest(&f);
	else if (boxes_too_many(&f))
		rc = err_set(err, ERR_LIMIT, "more than %d boxes; -nodecount=N keeps the N widest", BOXES_MAX);
	free(f.box);
	free(f.next);
	finish_boxes(out, mem);
	return stop_is_set(v->stop) ? stop_check(v->stop, err) : rc;
}

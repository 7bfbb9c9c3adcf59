/*
 * tree_rows.c - the rows of the Tree view: boxes, folding, search
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/tree.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/num.h"
#include "engine/query.h"
#include "engine/view.h"
#include "front/shell/widgets/find.h"
#include "front/shell/widgets/number.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* ---- boxes ---- */

enum { MAX_LEVELS = 100000 };

static const double min_share = 0.0005;

/* Index the children of boxes: count them, then add up. */
static void view_tree_rows_find_children(struct tree *t, struct arena *mem)
{
	const struct flame *f = t->f;

	t->first = arena_zalloc(mem, (size_t)f->n + 2, sizeof(*t->first));
	for (uint32_t i = 1; i < f->n; i++)
		t->first[f->parent[i] + 1]++;
	for (uint32_t i = 0; i < f->n; i++)
		t->first[i + 1] += t->first[i];
}

static void find_paths(struct tree *t, struct arena *mem)
{
	const struct flame *f = t->f;
	uint64_t *name = mem_alloc(f->n_frames, sizeof(*name));

	assert(f->n > 0);
	for (uint32_t i = 0; i < f->n_frames; i++)
		name[i] = hash_bytes(f->frames[i].name, strlen(f->frames[i].name));
	t->path = arena_alloc(mem, f->n, sizeof(*t->path));
	t->path[TREE_ROOT] = 1;
	for (uint32_t i = 1; i < f->n; i++)
		t->path[i] = hash_mix(hash_u64(t->path[f->parent[i]]), f->n_rest[i] ? 3 : name[f->frame[i]]);
	free(name);
}

int tree_make(const struct model_request *a, struct model *m, struct err *err)
{
	const struct flame_options ask = { .min_share = min_share, .max_levels = MAX_LEVELS };
	struct tree *t = arena_zalloc(m->mem, 1, sizeof(*t));
	struct query q = *a->q;
	struct view v;
	uint64_t max;
	int rc;

	if (q.mean)
		return err_set(err, ERR_USAGE,
			       "averages cannot be added to a tree of calls\n"
			       "mean=false shows sums; tree | less shows pprof's tree");
	q.drop_negative &= a->show_sides;
	rc = view_make(a->p, &q.filter, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_flame_make(&v, &q, &ask, &m->report, err);
	if (rc < 0)
		return rc;
	t->f = m->report.flame;
	t->head = &m->report.head;
	t->two_sides = a->show_sides && t->f->has_base;
	t->inverted = q.inverted;
	max = num_abs(t->f->total[SIDE_NEW][0]);
	if (t->f->total[SIDE_BASE] && num_abs(t->f->total[SIDE_BASE][0]) > max)
		max = num_abs(t->f->total[SIDE_BASE][0]);
	t->value_width = shell_number_width(t->head, (int64_t)(max < INT64_MAX ? max : INT64_MAX));
	view_tree_rows_find_children(t, m->mem);
	find_paths(t, m->mem);
	m->view_data = t;
	return stop_check(q.stop, err);
}

static int64_t side(const struct flame *f, bool self, enum side side, uint32_t box)
{
	const int64_t *column = self ? f->self[side] : f->total[side];

	return column ? column[box] : 0;
}

int64_t tree_value(const struct tree *t, uint32_t box, enum tree_by by)
{
	switch (by) {
	case TREE_AFTER:
		return side(t->f, false, SIDE_NEW, box);
	case TREE_BEFORE:
		return side(t->f, false, SIDE_BASE, box);
	case TREE_CUM: /* these are differences unless both sides are shown */
	case TREE_CHANGE:
		return side(t->f, false, SIDE_NEW, box) - side(t->f, false, SIDE_BASE, box);
	case TREE_FLAT:
	case TREE_FLAT_CHANGE:
		return side(t->f, true, SIDE_NEW, box) - side(t->f, true, SIDE_BASE, box);
	default:
		return 0;
	}
}

const char *tree_name(const struct tree *t, uint32_t box)
{
	assert(box < t->f->n);
	return box == TREE_ROOT || t->f->n_rest[box] ? "" : t->f->frames[t->f->frame[box]].name;
}

/* ---- rows ---- */

enum tree_by tree_sorted_by(const struct tree *t, const struct tree_state *s)
{
	return s->sort_by[t->two_sides];
}

uint32_t tree_selected(const struct tree_state *s)
{
	assert(s->list.n == 0 || s->list.selected < s->list.n);
	return s->list.n ? s->row[s->list.selected].box : TREE_ROOT;
}

bool tree_is_chain(const struct tree *t, uint32_t box)
{
	uint32_t parent = t->f->parent[box];

	assert(box != TREE_ROOT && box < t->f->n);
	return parent != TREE_ROOT && tree_n_children(t, parent) == 1;
}

/* The order for comparing two boxes. */
struct box_order {
	const struct tree *t;
	enum tree_by by;
};

static int by_value_name(const void *a, const void *b, void *arg)
{
	const struct box_order *x = arg;
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	bool l_rest = x->t->f->n_rest[l], r_rest = x->t->f->n_rest[r];
	uint64_t l_value = num_abs(tree_value(x->t, l, x->by)), r_value = num_abs(tree_value(x->t, r, x->by));
	int c = l_rest - r_rest;

	if (c == 0 && l_value != r_value)
		return l_value > r_value ? -1 : 1;
	if (c == 0)
		c = strcmp(tree_name(x->t, l), tree_name(x->t, r));
	return c ? c : (l > r) - (l < r);
}

static void sort_children(const struct tree *t, struct tree_state *s)
{
	struct box_order x = { t, tree_sorted_by(t, s) };

	for (uint32_t i = 0; i < s->n; i++)
		if (tree_n_children(t, i) > 1)
			qsort_r(s->child + t->first[i], tree_n_children(t, i), sizeof(*s->child), by_value_name, &x);
	for (uint32_t i = 0; i + 1 < s->n; i++)
		s->index[s->child[i]] = i;
}

void tree_sort(const struct tree *t, struct tree_state *s)
{
	uint32_t box = tree_selected(s);

	sort_children(t, s);
	tree_show(t, s, box);
}

/* Push the children of a row on the stack of rows to show, the last child first. */
static size_t push_children(const struct tree *t, const struct tree_state *s, struct tree_row **todo, size_t *cap,
			    size_t n, struct tree_row of)
{
	uint32_t children = tree_n_children(t, of.box);

	*todo = mem_grow(*todo, cap, n + children, sizeof(**todo));
	for (uint32_t i = children; i-- > 0;)
		(*todo)[n++] = (struct tree_row){ s->child[t->first[of.box] + i],
						  of.level + (of.box != TREE_ROOT && children > 1) };
	return n;
}

void tree_show(const struct tree *t, struct tree_state *s, uint32_t select)
{
	struct tree_row *todo = NULL;
	size_t cap = 0, n = push_children(t, s, &todo, &cap, 0, (struct tree_row){ TREE_ROOT, 0 });
	uint32_t rows = 0, at = s->list.selected;

	s->deepest = 0;
	while (n) {
		struct tree_row row = todo[--n];

		s->row = mem_grow(s->row, &s->cap_rows, (size_t)rows + 1, sizeof(*s->row));
		if (row.box == select)
			at = rows;
		s->row[rows++] = row;
		s->deepest = row.level > s->deepest ? row.level : s->deepest;
		if (s->is_open[row.box])
			n = push_children(t, s, &todo, &cap, n, row);
	}
	free(todo);
	s->list.n = rows;
	shell_list_select(&s->list, at);
}

void tree_fold(const struct tree *t, struct tree_state *s, uint32_t box, bool open)
{
	assert(box < s->n && s->n == t->f->n);
	s->is_open[box] = open && tree_n_children(t, box);
	tree_show(t, s, box);
}

void tree_fold_all(const struct tree *t, struct tree_state *s)
{
	uint32_t box = tree_selected(s);

	while (box != TREE_ROOT && t->f->parent[box] != TREE_ROOT)
		box = t->f->parent[box];
	memset(s->is_open, 0, s->n * sizeof(*s->is_open));
	tree_show(t, s, box);
}

bool tree_unfold_below(const struct tree *t, struct tree_state *s, uint32_t box, uint32_t max)
{
	uint32_t *todo = mem_alloc(s->n, sizeof(*todo)), n = 0, added = 0, i;

	todo[n++] = box;
	for (i = 0; i < n && added + tree_n_children(t, todo[i]) <= max; i++) {
		uint32_t children = tree_n_children(t, todo[i]);

		s->is_open[todo[i]] = children;
		added += children;
		memcpy(todo + n, s->child + t->first[todo[i]], children * sizeof(*todo));
		n += children;
	}
	assert(n <= s->n);
	free(todo);
	tree_show(t, s, box);
	return i == n;
}

/* Open the path with the largest values: from the root to the child with the largest value, and further while a
   child has more than half of the value of its caller. */
static void open_hot_path(const struct tree *t, struct tree_state *s)
{
	enum tree_by by = t->two_sides ? TREE_CHANGE : TREE_CUM;

	for (uint32_t box = TREE_ROOT; tree_n_children(t, box);) {
		uint32_t best = s->child[t->first[box]];

		for (uint32_t i = t->first[box] + 1; i < t->first[box + 1]; i++)
			if (num_abs(tree_value(t, s->child[i], by)) > num_abs(tree_value(t, best, by)) &&
			    !t->f->n_rest[s->child[i]])
				best = s->child[i];
		if (box != TREE_ROOT && num_abs(tree_value(t, best, by)) <= num_abs(tree_value(t, box, by)) / 2)
			break;
		s->is_open[best] = tree_n_children(t, best) && !t->f->n_rest[best];
		box = best;
	}
}

/* Allocate a zeroed column for a new model, and free the old one. */
static void *new_column(void *old, size_t n, size_t size)
{
	free(old);
	return mem_zalloc(n, size);
}

static void number_children(const struct tree *t, struct tree_state *s)
{
	uint32_t *next = mem_alloc(s->n, sizeof(*next));

	memcpy(next, t->first, s->n * sizeof(*next));
	for (uint32_t i = 1; i < s->n; i++)
		s->child[next[t->f->parent[i]]++] = i;
	free(next);
}

/* The state of the previous model's boxes. */
struct old_boxes {
	struct idtab open, rows; /* tables by path: open boxes, and rows up to the selected row */
	uint64_t *open_path, *row_path;
	uint32_t n_open, n_rows;
};

static void view_tree_rows_remember(const struct tree_state *s, struct old_boxes *b)
{
	b->open_path = mem_alloc(s->n, sizeof(uint64_t));
	b->n_rows = s->list.n ? s->list.selected + 1 : 0;
	b->row_path = mem_alloc(b->n_rows, sizeof(uint64_t));
	idtab_init(&b->open, 0);
	idtab_init(&b->rows, b->n_rows);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!s->is_open[i])
			continue;
		b->open_path[b->n_open] = s->path[i];
		idtab_put(&b->open, s->path[i], b->n_open++);
	}
	for (uint32_t i = 0; i < b->n_rows; i++) {
		b->row_path[i] = s->path[s->row[i].box];
		idtab_put(&b->rows, b->row_path[i], i);
	}
}

/* The index of a path in a table; UINT32_MAX when it is missing. */
static uint32_t view_tree_rows_find(const struct idtab *tab, const uint64_t *paths, uint64_t path)
{
	uint32_t id;

	for (size_t pos = idtab_start(tab, path); idtab_next(tab, path, &pos, &id);)
		if (paths[id] == path)
			return id;
	return UINT32_MAX;
}

/* Restore open boxes. Return the box that was selected, else the nearest row above it. */
static uint32_t view_tree_rows_restore(const struct tree *t, struct tree_state *s, const struct old_boxes *b)
{
	uint32_t select = TREE_ROOT, best = 0;

	for (uint32_t i = 1; i < s->n; i++) {
		uint32_t row = view_tree_rows_find(&b->rows, b->row_path, t->path[i]);

		s->is_open[i] =
			tree_n_children(t, i) && view_tree_rows_find(&b->open, b->open_path, t->path[i]) != UINT32_MAX;
		if (row != UINT32_MAX && row + 1 > best) {
			best = row + 1;
			select = i;
		}
	}
	return select;
}

void tree_set_model(const struct tree *t, struct tree_state *s)
{
	bool is_known = s->n && s->was_inverted == t->inverted;
	struct old_boxes b = { 0 };
	uint32_t select = TREE_ROOT;

	if (!s->n) {
		s->sort_by[false] = TREE_CUM;
		s->sort_by[true] = TREE_CHANGE;
	}
	if (is_known)
		view_tree_rows_remember(s, &b);
	s->n = t->f->n;
	s->child = new_column(s->child, s->n, sizeof(*s->child));
	s->index = new_column(s->index, s->n, sizeof(*s->index));
	s->is_open = new_column(s->is_open, s->n, sizeof(*s->is_open));
	s->path = new_column(s->path, s->n, sizeof(*s->path));
	memcpy(s->path, t->path, s->n * sizeof(*s->path));
	s->was_inverted = t->inverted;
	number_children(t, s);
	sort_children(t, s);
	if (is_known) {
		select = view_tree_rows_restore(t, s, &b);
		idtab_release(&b.open);
		idtab_release(&b.rows);
		free(b.open_path);
		free(b.row_path);
	}
	if (select == TREE_ROOT) { /* the selected path does not exist: another tree, or inverted */
		s->list.selected = s->list.top = 0;
		open_hot_path(t, s);
	}
	tree_show(t, s, select);
}

void tree_release(struct tree_state *s)
{
	free(s->child);
	free(s->index);
	free(s->is_open);
	free(s->path);
	free(s->row);
	free(s->hit);
	free(s->opened);
}

/* ---- search ---- */

/*
 * Boxes are searched in preorder: a box, then its callees, each with everything below it. While a text is
 * typed, boxes that were unfolded for the previous text are folded again.
 */

/* The box after a box; TREE_ROOT after the last box. */
static uint32_t next_box(const struct tree *t, const struct tree_state *s, uint32_t box)
{
	if (tree_n_children(t, box))
		return s->child[t->first[box]];
	for (; box != TREE_ROOT; box = t->f->parent[box])
		if (s->index[box] + 1 < t->first[t->f->parent[box] + 1])
			return s->child[s->index[box] + 1];
	return TREE_ROOT;
}

/* The box before a box; the last box for TREE_ROOT. */
static uint32_t box_before(const struct tree *t, const struct tree_state *s, uint32_t box)
{
	if (box != TREE_ROOT && s->index[box] == t->first[t->f->parent[box]])
		return t->f->parent[box];
	if (box != TREE_ROOT)
		box = s->child[s->index[box] - 1];
	while (tree_n_children(t, box))
		box = s->child[t->first[box + 1] - 1];
	return box;
}

static bool is_hit(const struct tree *t, const struct tree_state *s, uint32_t box)
{
	return box != TREE_ROOT && !t->f->n_rest[box] && s->hit[t->f->frame[box]];
}

/* Unfold the path to a box, and select it. */
static void reveal(const struct tree *t, struct tree_state *s, uint32_t box)
{
	assert(box != TREE_ROOT && box < s->n);
	for (uint32_t i = t->f->parent[box]; i != TREE_ROOT; i = t->f->parent[i]) {
		if (s->is_open[i])
			continue;
		s->is_open[i] = true;
		s->opened = mem_grow(s->opened, &s->cap_opened, s->n_opened + 1, sizeof(*s->opened));
		s->opened[s->n_opened++] = i;
	}
	tree_show(t, s, box);
}

/* Select the first match from a box on, including the box, wrapping around. */
static bool go_from(const struct tree *t, struct tree_state *s, uint32_t box, bool back)
{
	if (!s->n_hits)
		return false;
	while (!is_hit(t, s, box))
		box = back ? box_before(t, s, box) : next_box(t, s, box);
	reveal(t, s, box);
	return true;
}

bool tree_search_next(const struct tree *t, struct tree_state *s, bool back)
{
	uint32_t box = tree_selected(s);

	if (!s->hit || !s->n_hits)
		return false;
	s->n_opened = 0; /* boxes opened by the search stay open from now on */
	go_from(t, s, back ? box_before(t, s, box) : next_box(t, s, box), back);
	s->search_found = TREE_ROOT;
	s->n_opened = 0;
	return true;
}

void tree_update_search(const struct tree *t, struct tree_state *s, const char *text)
{
	struct find *find;

	free(s->hit);
	s->hit = NULL;
	s->n_hits = 0;
	s->n_opened = 0;
	s->search_found = TREE_ROOT;
	if (!*text)
		return;
	find = find_new(text);
	s->hit = mem_zalloc(t->f->n_frames, sizeof(*s->hit));
	for (uint32_t i = 0; i < t->f->n_frames; i++)
		s->hit[i] = find_matches(find, t->f->frames[i].name);
	for (uint32_t i = 1; i < t->f->n; i++)
		s->n_hits += is_hit(t, s, i);
	find_free(find);
}

void tree_search(const struct tree *t, struct tree_state *s, const char *text)
{
	bool is_continued = s->hit && s->search_found == tree_selected(s);
	uint32_t from = is_continued ? s->search_start : tree_selected(s);

	for (size_t i = 0; is_continued && i < s->n_opened; i++)
		s->is_open[s->opened[i]] = false;
	tree_show(t, s, from);
	tree_update_search(t, s, text);
	s->search_start = from;
	go_from(t, s, from, false);
	s->search_found = tree_selected(s);
}

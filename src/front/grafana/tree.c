/*
 * tree.c - stacks as a tree of function names, in the forms of Pyroscope
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The engine folds the stacks into a call tree of functions, as for cpa tree and flame graphs; here calls are joined by names, of
 * both sides of a comparison. Functions that are not shown are added up as "other" below their caller.
 */
#include "config.h"

#include "front/grafana/grafana_int.h"

#include "base/arena.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "engine/calltree.h"
#include "engine/places.h"
#include "engine/query.h"
#include "engine/view.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TREE_OTHER "other"

/* ---- building ---- */

static uint32_t tree_add_node(struct grafana_tree *t, uint32_t parent, str_id name)
{
	uint32_t i = t->n++;
	size_t cap[4] = { t->cap, t->cap, t->cap, t->cap };

	for (int side = 0; side < 2; side++) {
		size_t own[2] = { t->cap, t->cap };

		t->self[side] = mem_grow(t->self[side], &own[0], t->n, sizeof(**t->self));
		t->total[side] = mem_grow(t->total[side], &own[1], t->n, sizeof(**t->total));
		t->self[side][i] = t->total[side][i] = 0;
	}
	t->parent = mem_grow(t->parent, &cap[0], t->n, sizeof(*t->parent));
	t->name = mem_grow(t->name, &cap[1], t->n, sizeof(*t->name));
	t->cap = cap[0];
	t->parent[i] = parent;
	t->name[i] = name;
	return i;
}

void grafana_tree_init(struct grafana_tree *t)
{
	*t = (struct grafana_tree){ .names = strtab_new() };
	tree_add_node(t, 0, strtab_addz(t->names, "total"));
}

void grafana_tree_release(struct grafana_tree *t)
{
	for (int side = 0; side < 2; side++) {
		free(t->self[side]);
		free(t->total[side]);
	}
	free(t->parent);
	free(t->name);
	free(t->order);
	free(t->first);
	strtab_free(t->names);
	*t = (struct grafana_tree){ 0 };
}

static uint64_t tree_hash(uint32_t parent, str_id name)
{
	uint64_t h = ((uint64_t)parent << 32 | name) * UINT64_C(0x9e3779b97f4a7c15);

	return h ^ h >> 29;
}

/* The child of a node with a name, which is added if it is new. */
static uint32_t tree_child(struct grafana_tree *t, struct idtab *ids, uint32_t parent, str_id name)
{
	uint64_t hash = tree_hash(parent, name);
	uint32_t id;

	for (size_t pos = idtab_start(ids, hash); idtab_next(ids, hash, &pos, &id);)
		if (t->parent[id] == parent && t->name[id] == name)
			return id;
	id = tree_add_node(t, parent, name);
	idtab_put(ids, hash, id);
	return id;
}

/* Join the nodes of a call tree with those of a side. */
static void tree_join(struct grafana_tree *t, int side, const struct calltree *calls)
{
	uint32_t *node = mem_alloc((size_t)calls->n + 1, sizeof(*node));
	str_id *name = mem_zalloc((size_t)calls->places->n + 1, sizeof(*name));
	struct buf text = { 0 };
	struct idtab ids;

	idtab_init(&ids, (size_t)calls->n + t->n);
	for (uint32_t i = 1; i < t->n; i++)
		idtab_put(&ids, tree_hash(t->parent[i], t->name[i]), i);
	for (uint32_t i = 0; i < calls->n; i++) {
		uint32_t place = calls->place[i];

		if (!name[place]) {
			text.len = 0;
			places_add_name(calls->places, place, &text);
			name[place] = strtab_addz(t->names, text.len ? buf_text(&text) : "?");
		}
		node[i] = tree_child(t, &ids, calls->parent[i] == CALLTREE_NONE ? 0 : node[calls->parent[i]],
				     name[place]);
		t->self[side][node[i]] += calls->flat[i];
		t->total[side][node[i]] += calls->cum[i];
		if (calls->parent[i] == CALLTREE_NONE)
			t->self[side][0] -= calls->cum[i];
	}
	idtab_release(&ids);
	buf_release(&text);
	free(name);
	free(node);
}

int grafana_tree_add(struct grafana_tree *t, int side, const struct profile *p, uint32_t type, struct stop *stop,
		     struct err *err)
{
	struct arena *mem = arena_new();
	struct calltree calls = { 0 };
	struct buf notes = { 0 };
	struct places places;
	struct query q;
	struct view v;
	char number[16];
	int rc;

	query_init(&q);
	snprintf(number, sizeof(number), "%" PRIu32, type);
	q.sample_index = number;
	q.granularity = GRAIN_FUNCTIONS;
	q.stop = stop;
	rc = view_make(p, &q.filter, mem, &v, &notes, err);
	if (rc == 0) {
		rc = places_make(p, &q.filter, mem, &places, err);
		rc = rc < 0 ? rc : calltree_make(&v, &places, &calls, err);
		if (rc == 0) {
			t->total[side][0] = t->self[side][0] =
				v.side_total[SIDE_NEW]; /* also of samples without a stack */
			tree_join(t, side, &calls);
		}
		calltree_release(&calls);
		places_release(&places);
	}
	query_release(&q);
	buf_release(&notes);
	arena_free(mem);
	return rc;
}

void grafana_tree_keep(struct grafana_tree *t, const struct pyro_texts *path)
{
	bool *is_kept = mem_zalloc(t->n, sizeof(*is_kept));
	uint32_t at = 0, *end = mem_alloc(path->n + 1, sizeof(*end));
	size_t depth = 0;

	end[0] = 0;
	for (uint32_t i = 1; i < t->n && depth < path->n; i++)
		if (t->parent[i] == at && strcmp(strtab_text(t->names, t->name[i]), path->item[depth]) == 0)
			end[++depth] = at = i;
	for (uint32_t i = 1; depth == path->n && i < t->n; i++)
		is_kept[i] = t->parent[i] == at || is_kept[t->parent[i]];
	for (size_t k = 0; depth == path->n && k <= depth; k++)
		is_kept[end[k]] = true;
	for (int side = 0; side < 2; side++) {
		int64_t total = depth == path->n ? t->total[side][at] : 0;

		for (uint32_t i = 0; i < t->n; i++)
			if (!is_kept[i])
				t->self[side][i] = t->total[side][i] = 0;
		for (size_t k = 0; k < depth; k++) {
			t->self[side][end[k]] = 0;
			t->total[side][end[k]] = total;
		}
		t->total[side][at] = total;
	}
	free(is_kept);
	free(end);
}

/* ---- order and selection ---- */

/* qsort has no argument: the tree that this thread sorts. */
static _Thread_local const struct grafana_tree *tree_sorted;

static int tree_compare(const void *a, const void *b)
{
	const struct grafana_tree *t = tree_sorted;
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (t->parent[x] != t->parent[y])
		return t->parent[x] < t->parent[y] ? -1 : 1;
	return strcmp(strtab_text(t->names, t->name[x]), strtab_text(t->names, t->name[y]));
}

static int64_t tree_size(const struct grafana_tree *t, uint32_t i)
{
	return t->total[0][i] > t->total[1][i] ? t->total[0][i] : t->total[1][i];
}

static int tree_compare_sizes(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

/* The least size of nodes of which there are at most max. */
static int64_t tree_find_min(const struct grafana_tree *t, size_t max)
{
	int64_t *size, min = 1;

	if (t->n - 1 <= max)
		return min;
	size = mem_alloc(t->n, sizeof(*size));
	for (uint32_t i = 1; i < t->n; i++)
		size[i - 1] = tree_size(t, i);
	qsort(size, t->n - 1, sizeof(*size), tree_compare_sizes);
	min = size[max] == size[max - 1] ? size[max] + 1 : size[max - 1];
	free(size);
	return min > 1 ? min : 1;
}

void grafana_tree_sort(struct grafana_tree *t, size_t max)
{
	t->order = mem_alloc(t->n, sizeof(*t->order));
	t->first = mem_zalloc((size_t)t->n + 1, sizeof(*t->first));
	for (uint32_t i = 1; i < t->n; i++) {
		t->order[i - 1] = i;
		t->first[t->parent[i] + 1]++;
	}
	for (uint32_t i = 0; i < t->n; i++)
		t->first[i + 1] += t->first[i];
	tree_sorted = t;
	if (t->n > 2)
		qsort(t->order, t->n - 1, sizeof(*t->order), tree_compare);
	tree_sorted = NULL;
	t->min = tree_find_min(t, max ? max : 1);
}

/* ---- flame graphs ---- */

/* A box of a level. node UINT32_MAX: the sum of those that are not shown, whose values are in total. */
struct tree_box {
	uint32_t node;
	int64_t at[2], total[2];
};

struct tree_flame {
	const struct grafana_tree *t;
	int n_sides;
	struct tree_box *box, *next; /* [n_boxes] of a level, [n_next] of the next one */
	size_t n_boxes, n_next, cap_boxes, cap_next;
	int64_t *number; /* [strtab_count(names)] + 1 of names in the response; 0: not in it */
	struct buf *out;
	int64_t n_names, max_self;
};

static void flame_add_next(struct tree_flame *f, uint32_t node, const int64_t *at, const int64_t *total)
{
	f->next = mem_grow(f->next, &f->cap_next, f->n_next + 1, sizeof(*f->next));
	f->next[f->n_next++] = (struct tree_box){ node, { at[0], at[1] }, { total[0], total[1] } };
}

/* Add the children of a box to the next level. */
static void flame_add_children(struct tree_flame *f, const struct tree_box *b)
{
	const struct grafana_tree *t = f->t;
	int64_t at[2], rest[2], total[2];

	for (int side = 0; side < 2; side++) {
		at[side] = b->at[side] + t->self[side][b->node];
		rest[side] = b->total[side] - t->self[side][b->node];
	}
	for (uint32_t k = t->first[b->node]; k < t->first[b->node + 1]; k++) {
		uint32_t child = t->order[k];

		if (tree_size(t, child) < t->min)
			continue;
		for (int side = 0; side < 2; side++)
			total[side] = t->total[side][child];
		flame_add_next(f, child, at, total);
		for (int side = 0; side < 2; side++) {
			at[side] += total[side];
			rest[side] -= total[side];
		}
	}
	if (rest[0] > 0 || rest[1] > 0)
		flame_add_next(f, UINT32_MAX, at, rest);
}

/* The number of a name in the response, which is added if it is new. */
static int64_t flame_number(struct tree_flame *f, uint32_t node)
{
	str_id name = 0; /* of TREE_OTHER, if there is no function with this name */

	if (node == UINT32_MAX)
		strtab_find(f->t->names, TREE_OTHER, strlen(TREE_OTHER), &name);
	else
		name = f->t->name[node];
	if (!f->number[name]) {
		const char *text = name ? strtab_text(f->t->names, name) : TREE_OTHER;

		f->number[name] = ++f->n_names;
		pyro_put_bytes(f->out, 1, text, strlen(text));
	}
	return f->number[name] - 1;
}

/* Append a level to levels, as a field of the message. Names are appended to f->out. */
static void flame_put_level(struct tree_flame *f, struct buf *levels)
{
	size_t level = pyro_open(levels, 2), list = pyro_open(levels, 1);
	int64_t end[2] = { 0, 0 };

	for (size_t i = 0; i < f->n_boxes; i++) {
		const struct tree_box *b = &f->box[i];

		for (int side = 0; side < f->n_sides; side++) {
			int64_t self = b->node == UINT32_MAX ? b->total[side] : f->t->self[side][b->node];

			pyro_put_varint(levels, (uint64_t)(b->at[side] - end[side]));
			pyro_put_varint(levels, (uint64_t)b->total[side]);
			pyro_put_varint(levels, (uint64_t)self);
			end[side] = b->at[side] + b->total[side];
			f->max_self = self > f->max_self ? self : f->max_self;
		}
		pyro_put_varint(levels, (uint64_t)flame_number(f, b->node));
		if (b->node != UINT32_MAX)
			flame_add_children(f, b);
	}
	pyro_close(levels, list);
	pyro_close(levels, level);
}

void grafana_tree_put_flame(const struct grafana_tree *t, bool is_diff, struct buf *out)
{
	struct tree_flame f = { .t = t, .n_sides = is_diff ? 2 : 1, .out = out };
	const int64_t zero[2] = { 0, 0 }, total[2] = { t->total[0][0], t->total[1][0] };
	struct buf levels = { 0 };

	f.number = mem_zalloc(strtab_count(t->names), sizeof(*f.number));
	flame_add_next(&f, 0, zero, total);
	while (f.n_next) {
		struct tree_box *box = f.box;
		size_t cap = f.cap_boxes;

		f.box = f.next;
		f.n_boxes = f.n_next;
		f.cap_boxes = f.cap_next;
		f.next = box;
		f.n_next = 0;
		f.cap_next = cap;
		flame_put_level(&f, &levels);
	}
	buf_add(out, levels.data, levels.len);
	pyro_put_int(out, 3, total[0] + (is_diff ? total[1] : 0));
	pyro_put_int(out, 4, f.max_self);
	if (is_diff) {
		pyro_put_int(out, 5, total[0]);
		pyro_put_int(out, 6, total[1]);
	}
	buf_release(&levels);
	free(f.number);
	free(f.box);
	free(f.next);
}

/* ---- serialized trees ---- */

static void tree_put_node(struct buf *out, const char *name, int64_t self, uint64_t n_children)
{
	pyro_put_varint(out, strlen(name));
	buf_addz(out, name);
	pyro_put_varint(out, (uint64_t)self);
	pyro_put_varint(out, n_children);
}

/* The sum of the children that are not shown, and the number of those that are. */
static int64_t tree_rest(const struct grafana_tree *t, uint32_t node, uint64_t *n_shown, bool *has_other)
{
	int64_t rest = t->total[0][node] - t->self[0][node];

	*n_shown = 0;
	*has_other = false;
	for (uint32_t k = t->first[node]; k < t->first[node + 1]; k++)
		if (tree_size(t, t->order[k]) >= t->min) {
			rest -= t->total[0][t->order[k]];
			*has_other |= strcmp(strtab_text(t->names, t->name[t->order[k]]), TREE_OTHER) == 0;
			++*n_shown;
		}
	return rest;
}

void grafana_tree_put_bytes(const struct grafana_tree *t, struct buf *out)
{
	uint32_t *stack = mem_alloc((size_t)t->n + 1, sizeof(*stack));
	int64_t *more = mem_zalloc(t->n, sizeof(*more)); /* added to self of functions named "other" */
	size_t n = 0;

	stack[n++] = 0;
	while (n) {
		uint32_t node = stack[--n];
		const char *name = node ? strtab_text(t->names, t->name[node]) : "";
		bool has_other;
		uint64_t n_shown;
		int64_t rest = tree_rest(t, node, &n_shown, &has_other);

		tree_put_node(out, name, t->self[0][node] + more[node], n_shown + (rest > 0 && !has_other));
		if (rest > 0 && !has_other)
			tree_put_node(out, TREE_OTHER, rest, 0);
		for (uint32_t k = t->first[node]; k < t->first[node + 1]; k++) {
			uint32_t child = t->order[k];

			if (tree_size(t, child) < t->min)
				continue;
			stack[n++] = child;
			if (rest > 0 && strcmp(strtab_text(t->names, t->name[child]), TREE_OTHER) == 0)
				more[child] = rest;
		}
	}
	free(stack);
	free(more);
}

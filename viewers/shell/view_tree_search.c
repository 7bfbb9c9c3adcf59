/*
 * view_tree_search.c - searching the tree, also where it is folded
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Boxes have an order: a box, then what it calls, the first child with all below it first. While a text is
 * typed, what was unfolded for the text so far is folded again.
 */
#include "config.h"

#include "viewers/shell/view_tree_int.h"

#include "base/mem.h"
#include "viewers/shell/find.h"

#include <stdlib.h>
#include <string.h>

/* The box after this one; TREE_ROOT behind the last. */
static uint32_t next_box(const struct tree *t, const struct tree_state *s, uint32_t box)
{
	if (tree_n_children(t, box))
		return s->child[t->first[box]];
	for (; box != TREE_ROOT; box = t->f->parent[box])
		if (s->at[box] + 1 < t->first[t->f->parent[box] + 1])
			return s->child[s->at[box] + 1];
	return TREE_ROOT;
}

/* The box before this one; the last one before TREE_ROOT. */
static uint32_t box_before(const struct tree *t, const struct tree_state *s, uint32_t box)
{
	if (box != TREE_ROOT && s->at[box] == t->first[t->f->parent[box]])
		return t->f->parent[box];
	if (box != TREE_ROOT)
		box = s->child[s->at[box] - 1];
	while (tree_n_children(t, box))
		box = s->child[t->first[box + 1] - 1];
	return box;
}

static bool is_hit(const struct tree *t, const struct tree_state *s, uint32_t box)
{
	return box != TREE_ROOT && !t->f->n_rest[box] && s->hit[t->f->frame[box]];
}

/* Unfold the way to a box, and select it. */
static void reveal(const struct tree *t, struct tree_state *s, uint32_t box)
{
	for (uint32_t i = t->f->parent[box]; i != TREE_ROOT; i = t->f->parent[i]) {
		if (s->is_open[i])
			continue;
		s->is_open[i] = true;
		s->opened = mem_grow(s->opened, &s->cap_opened, s->n_opened + 1, sizeof(*s->opened));
		s->opened[s->n_opened++] = i;
	}
	tree_show(t, s, box);
}

/* From a box on, which may be a match itself; goes on at the other end. */
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
	s->n_opened = 0; /* stays open from now on */
	go_from(t, s, back ? box_before(t, s, box) : next_box(t, s, box), back);
	s->found = TREE_ROOT;
	s->n_opened = 0;
	return true;
}

void tree_search_again(const struct tree *t, struct tree_state *s, const char *text)
{
	struct find *find;

	free(s->hit);
	s->hit = NULL;
	s->n_hits = 0;
	s->n_opened = 0;
	s->found = TREE_ROOT;
	if (!*text)
		return;
	find = find_new(text);
	s->hit = mem_zalloc(t->f->n_frames, sizeof(*s->hit));
	for (uint32_t i = 0; i < t->f->n_frames; i++)
		s->hit[i] = find_in(find, t->f->frames[i].name);
	for (uint32_t i = 1; i < t->f->n; i++)
		s->n_hits += is_hit(t, s, i);
	find_free(find);
}

void tree_search(const struct tree *t, struct tree_state *s, const char *text)
{
	bool goes_on = s->hit && s->found == tree_selected(s);
	uint32_t from = goes_on ? s->from : tree_selected(s);

	for (size_t i = 0; goes_on && i < s->n_opened; i++)
		s->is_open[s->opened[i]] = false;
	tree_show(t, s, from);
	tree_search_again(t, s, text);
	s->from = from;
	go_from(t, s, from, false);
	s->found = tree_selected(s);
}

/*
 * rename.c - functions that may only have another name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One walk over the stacks of either side adds up who calls the candidates and whom they call. Of
 * these neighbours those count that both sides have: their weights, each side's as parts of their
 * sum, are laid over each other, and what they have in common is the likeness of two candidates.
 */
#include "config.h"

#include "report/rename.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "report/around.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NEAR_WEIGHT 0.2 /* of the heavier one */
#define SAME_WEIGHT 0.5 /* the same where callers and callees are alike, so that only its cost changed */
#define ALIKE 0.8

/* Collecting the neighbours of the candidates of one side. */
struct walk {
	const struct diff *d;
	enum side side;
	uint32_t *candidate; /* [rows] + 1, 0 for others */
	bool *hot;           /* [locations] some candidate is in it */
	struct around *around;
};

static void walk_stack(struct walk *w, uint32_t stack, double v)
{
	const struct diff_side *s = &w->d->side[w->side];
	const struct csr *stacks = &s->view.p->stacks;
	uint32_t callee = PROFILE_NONE;

	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++) {
		uint32_t n;
		const uint32_t *row = places_of(&s->places, stacks->item[i], &n);

		for (uint32_t k = 0; k < n; callee = row[k++]) {
			if (callee == PROFILE_NONE || callee == row[k])
				continue;
			if (w->candidate[callee])
				around_add(w->around, AROUND_CALLERS, w->candidate[callee] - 1, row[k], stack, v);
			if (w->candidate[row[k]])
				around_add(w->around, AROUND_CALLEES, w->candidate[row[k]] - 1, callee, stack, v);
		}
	}
}

static bool is_hot(const struct walk *w, const struct csr *stacks, uint32_t stack)
{
	bool hot = false;

	for (uint32_t i = stacks->off[stack]; i < stacks->off[stack + 1]; i++)
		hot |= w->hot[stacks->item[i]];
	return hot;
}

static void find_hot(struct walk *w)
{
	const struct places *pl = &w->d->side[w->side].places;

	w->hot = mem_zalloc(pl->p->n_locs, sizeof(*w->hot));
	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		uint32_t n;
		const uint32_t *row = places_of(pl, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			w->hot[loc] |= w->candidate[row[k]] != 0;
	}
}

static bool on_both(const void *arg, uint32_t row)
{
	const struct diff *d = arg;

	return (diff_flat(d, SIDE_BASE, row) || diff_cum(d, SIDE_BASE, row)) &&
	       (diff_flat(d, SIDE_TARGET, row) || diff_cum(d, SIDE_TARGET, row));
}

static void find_around(struct around *a, const struct diff *d, enum side side, const struct rename_row *row,
			uint32_t n)
{
	const struct graph *g = &d->side[side].graph;
	struct walk w = { .d = d, .side = side, .around = a };

	around_init(a, n);
	w.candidate = mem_zalloc(match_count(d->match), sizeof(*w.candidate));
	for (uint32_t i = 0; i < n; i++)
		w.candidate[row[i].row] = i + 1;
	find_hot(&w);
	for (uint32_t s = 0; s < g->view->p->stacks.n; s++)
		if (g->weight[SIDE_TARGET][s] && is_hot(&w, &g->view->p->stacks, s))
			walk_stack(&w, s, fabs((double)g->weight[SIDE_TARGET][s]));
	around_drop(a, on_both, d);
	free(w.candidate);
	free(w.hot);
}

struct pair {
	uint32_t gone, come;
	double score;
	struct compare_rename found;
};

static bool near(double a, double b, double part)
{
	return fabs(a - b) < part * fmax(a, b);
}

/* The last part of a name: behind packages, classes and receivers. */
static const char *short_name(const char *name)
{
	const char *at = name;

	for (const char *c = name; *c && *c != '(' && *c != '[' && *c != '<'; c++)
		if (c[1] && c[1] != '(' && (*c == '.' || *c == '/' || *c == ':'))
			at = c + 1;
	return at;
}

static bool near_name(const char *a, const char *b)
{
	size_t n;

	a = short_name(a);
	b = short_name(b);
	n = strlen(a) > strlen(b) ? strlen(a) : strlen(b);
	return n > 0 && utf8_distance(a, b) * 3 <= n;
}

static bool judge(const struct diff *d, const struct rename_row *g, const struct rename_row *c,
		  const struct around_like *like, struct pair *out)
{
	struct compare_rename *r = &out->found;
	bool both;

	*r = (struct compare_rename){ .from = g->label,
				      .to = c->label,
				      .share_before = g->share,
				      .share_after = c->share,
				      .same_callers = like->same[AROUND_CALLERS] >= ALIKE,
				      .same_callees = like->same[AROUND_CALLEES] >= ALIKE,
				      .near_name =
					      near_name(match_name(d->match, g->row), match_name(d->match, c->row)) };
	both = r->same_callers && r->same_callees;
	if (!near(g->share, c->share, both ? SAME_WEIGHT : NEAR_WEIGHT) ||
	    !(r->same_callers || r->same_callees || r->near_name))
		return false;
	out->score = like->same[AROUND_CALLERS] + like->same[AROUND_CALLEES] + 2 * r->near_name +
		     near(g->own, c->own, NEAR_WEIGHT) - fabs(g->share - c->share) / fmax(g->share, c->share);
	return true;
}

static int compare_pairs(const void *a, const void *b)
{
	const struct pair *l = a, *r = b;

	if (l->score != r->score)
		return l->score > r->score ? -1 : 1;
	if (l->gone != r->gone)
		return l->gone < r->gone ? -1 : 1;
	return (l->come > r->come) - (l->come < r->come);
}

static int compare_shares(const void *a, const void *b)
{
	const struct compare_rename *l = a, *r = b;

	if (l->share_before != r->share_before)
		return l->share_before > r->share_before ? -1 : 1;
	return strcmp(l->from, r->from);
}

/* The best pairs first, each row once. */
static uint32_t take_best(struct pair *pair, size_t n, struct compare_rename out[COMPARE_RENAMES])
{
	bool gone[RENAME_ROWS] = { false }, come[RENAME_ROWS] = { false };
	uint32_t found = 0;

	qsort(pair, n, sizeof(*pair), compare_pairs);
	for (size_t i = 0; i < n && found < COMPARE_RENAMES; i++) {
		if (gone[pair[i].gone] || come[pair[i].come])
			continue;
		gone[pair[i].gone] = come[pair[i].come] = true;
		out[found++] = pair[i].found;
	}
	assert(found <= COMPARE_RENAMES);
	qsort(out, found, sizeof(*out), compare_shares);
	return found;
}

uint32_t rename_find(const struct diff *d, const struct rename_row *gone, uint32_t n_gone,
		     const struct rename_row *come, uint32_t n_come, struct compare_rename out[COMPARE_RENAMES])
{
	struct around left, right;
	struct pair *pair;
	struct around_like *like;
	size_t n = 0;

	assert(n_gone <= RENAME_ROWS && n_come <= RENAME_ROWS);
	if (n_gone == 0 || n_come == 0)
		return 0;
	find_around(&left, d, SIDE_BASE, gone, n_gone);
	find_around(&right, d, SIDE_TARGET, come, n_come);
	like = around_compare(&left, &right);
	pair = mem_alloc((size_t)n_gone * n_come, sizeof(*pair));
	for (uint32_t g = 0; g < n_gone; g++)
		for (uint32_t c = 0; c < n_come; c++) {
			pair[n].gone = g;
			pair[n].come = c;
			n += judge(d, &gone[g], &come[c], &like[(size_t)g * n_come + c], &pair[n]);
		}
	assert(n <= (size_t)n_gone * n_come);
	n_gone = take_best(pair, n, out);
	free(pair);
	free(like);
	around_release(&left);
	around_release(&right);
	return n_gone;
}

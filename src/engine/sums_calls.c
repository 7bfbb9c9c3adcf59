/*
 * sums_calls.c - count calls while the samples of a profile with sums are read again
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/sums.h"

#include "base/mem.h"
#include "engine/edges_int.h"
#include "profile/sums.h"

#include <stdlib.h>

/* The walk of the second reading. */
struct sums_calls {
	struct edge_walk *w;
	uint32_t *n; /* [parts] samples */
	bool is_finished;
};

static bool sums_calls_start(void *arg, const struct profile *tables, size_t size, unsigned parts)
{
	struct sums_calls *c = arg;

	(void)size;
	if (c->n || tables->n_locs != c->w->g->view->p->n_locs || parts > c->w->parts)
		return false;
	c->n = mem_zalloc(parts, sizeof(*c->n));
	return true;
}

static bool sums_calls_add(void *arg, unsigned part, const struct walk_samples *s)
{
	struct sums_calls *c = arg;
	const struct view *v = c->w->g->view;
	size_t from = 0;

	if (stop_is_set(v->stop) || (c->w->settled && c->w->settled->n_left == 0))
		return true;
	for (uint32_t i = 0; i < s->n; from = s->loc_end[i++]) {
		struct share share = { c->n[part]++, s->value[v->type][s->first + i], 0 };

		if (share.weight)
			edges_walk_stack(c->w, &c->w->part[part], (const uint8_t *)(s->loc + from),
					 (uint32_t)(s->loc_end[i] - from), STACK_WIDE, &share);
	}
	return true;
}

static bool sums_calls_finish(void *arg, struct builder *b)
{
	struct sums_calls *c = arg;

	(void)b;
	c->is_finished = true;
	return true;
}

static void sums_calls_attach(void *arg, struct profile *p)
{
	(void)arg, (void)p;
}

void sums_count_calls(struct edge_walk *w)
{
	const struct profile *p = w->g->view->p;
	struct profile_sums *sums = p->sums;
	struct sums_calls c = { .w = w };
	const struct sample_walk walk = { &c, sums_calls_start, sums_calls_add, sums_calls_finish, sums_calls_attach };
	struct profile *again = NULL;
	struct err err;

	if (sums->lacks_stacks || (w->settled && w->settled->n_left == 0))
		return;
	sums->lacks_stacks = sums->source.read(sums->source.arg, &walk, &again, &err) < 0 || !c.is_finished ||
			     again->content_hash != p->content_hash;
	profile_free(again);
	free(c.n);
}

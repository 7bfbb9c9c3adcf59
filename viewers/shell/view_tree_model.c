/*
 * view_tree_model.c - the boxes of the view tree
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_tree_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "engine/view.h"
#include "report/head.h"

#include <stdlib.h>
#include <string.h>

enum { MAX_LEVELS = 100000 };

static const double min_share = 0.0005;

/* Children of boxes in order of their numbers: how many, then where. */
static void find_children(struct tree *t, struct arena *mem)
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

	for (uint32_t i = 0; i < f->n_frames; i++)
		name[i] = hash_bytes(f->frames[i].name, strlen(f->frames[i].name));
	t->path = arena_alloc(mem, f->n, sizeof(*t->path));
	t->path[TREE_ROOT] = 1;
	for (uint32_t i = 1; i < f->n; i++)
		t->path[i] = hash_mix(hash_u64(t->path[f->parent[i]]), f->n_rest[i] ? 3 : name[f->frame[i]]);
	free(name);
}

/* One unit for all, as tree and top have. */
static void choose_unit(struct head *h, const struct query *q, const struct flame *f)
{
	int64_t min = 0;

	for (uint32_t i = 0; i < f->n; i++)
		for (int side = 0; side < FLAME_SIDES && f->total[side]; side++)
			if (f->total[side][i] > 0 && (min == 0 || f->total[side][i] < min))
				min = f->total[side][i];
	h->out_unit = q->unit;
	report_head_choose_unit_for(h, min, false);
}

int tree_make(const struct ask *a, struct model *m, struct err *err)
{
	const struct flame_ask ask = { .min_share = min_share, .max_levels = MAX_LEVELS };
	struct tree *t = arena_zalloc(m->mem, 1, sizeof(*t));
	struct query q = *a->q;
	struct view v;
	int rc;

	if (q.mean)
		return err_set(err, ERR_USAGE,
			       "averages do not add up to a tree of calls\n"
			       "mean=false shows their sums; tree | less is pprof's list");
	q.drop_negative &= a->two_sides;
	rc = view_make(a->p, &q, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_flame_make(&v, &q, &ask, &m->report, err);
	if (rc < 0)
		return rc;
	t->f = m->report.flame;
	t->head = &m->report.head;
	t->two_sides = a->two_sides && t->f->has_base;
	t->inverted = q.inverted;
	choose_unit(&m->report.head, &q, t->f);
	find_children(t, m->mem);
	find_paths(t, m->mem);
	m->own = t;
	return stop_check(q.stop, err);
}

static int64_t side(const struct flame *f, bool self, enum flame_side side, uint32_t box)
{
	const int64_t *column = self ? f->self[side] : f->total[side];

	return column ? column[box] : 0;
}

int64_t tree_value(const struct tree *t, uint32_t box, enum tree_by by)
{
	switch (by) {
	case TREE_AFTER:
		return side(t->f, false, FLAME_AFTER, box);
	case TREE_BEFORE:
		return side(t->f, false, FLAME_BEFORE, box);
	case TREE_TOTAL: /* a difference when nobody asked for two sides */
	case TREE_CHANGE:
		return side(t->f, false, FLAME_AFTER, box) - side(t->f, false, FLAME_BEFORE, box);
	case TREE_SELF:
	case TREE_SELF_CHANGE:
		return side(t->f, true, FLAME_AFTER, box) - side(t->f, true, FLAME_BEFORE, box);
	default:
		return 0;
	}
}

const char *tree_name(const struct tree *t, uint32_t box)
{
	return box == TREE_ROOT || t->f->n_rest[box] ? "" : t->f->frames[t->f->frame[box]].name;
}

/*
 * view_flame_make.c - the model of the flame graph: boxes, their places, who lies below whom
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/view.h"
#include "viewers/shell/view_flame.h"

#include <string.h>

/* Boxes of a fifth of a cell of this width are there at once; deeper than that many levels none are. */
enum { CELLS = 400, PER_CELL = 5, LEVELS = 2000 };

static void link_tiles(struct flame_model *own, struct arena *mem)
{
	const struct flame *f = own->f;
	uint32_t n = own->l.n;

	own->tile = arena_alloc(mem, n, sizeof(*own->tile));
	own->child = arena_zalloc(mem, (size_t)n + 1, sizeof(*own->child));
	own->deepest = arena_alloc(mem, n, sizeof(*own->deepest));
	own->level = arena_alloc(mem, (size_t)own->l.n_levels + 1, sizeof(*own->level));
	for (uint32_t i = n; i-- > 0;) {
		own->tile[own->l.tile[i].box] = i;
		own->deepest[i] = own->l.tile[i].level;
		own->level[own->l.tile[i].level] = i;
	}
	own->level[own->l.n_levels] = n;
	for (uint32_t i = n; i-- > 1;) {
		uint32_t up = own->tile[f->parent[own->l.tile[i].box]];

		own->child[up + 1]++; /* counted, and then added up */
		if (own->deepest[up] < own->deepest[i])
			own->deepest[up] = own->deepest[i];
	}
	own->child[0] = 1;
	for (uint32_t i = 0; i < n; i++)
		own->child[i + 1] += own->child[i];
}

static struct flame_source source_of(const struct opt_list *list)
{
	return (struct flame_source){ .source = list->item, .n = list->n };
}

int shell_flame_view_make(const struct ask *a, struct model *m, struct err *err)
{
	struct flame_model *own = arena_zalloc(m->mem, 1, sizeof(*own));
	int cells = a->width > CELLS ? a->width : CELLS;
	struct flame_ask ask = { .min_share = 1.0 / PER_CELL / cells,
				 .max_levels = LEVELS,
				 .way = (const uint32_t *)a->part.data,
				 .n_way = (uint32_t)(a->part.len / sizeof(uint32_t)) };
	struct query q = *a->q;
	struct view v;
	int rc;

	q.keep_base = true;
	q.nodecount = q.nodecount == 0 ? -1 : q.nodecount; /* zooming shows all of them */
	own->style = (struct flame_style){ .title = "", .icicle = q.icicle, .diff_self = q.diff_self };
	ask.side[FLAME_BEFORE] = source_of(q.base.n ? &q.base : &q.diff_base);
	rc = flame_style_read(q.order, q.theme, q.color_by, &own->style, err);
	if (rc == 0)
		rc = view_make(a->data->sides, &q, m->mem, &v, &m->notes, err);
	if (rc == 0)
		rc = report_flame_make(&v, &q, &ask, &m->report, err);
	if (rc < 0)
		return rc;
	own->r = &m->report;
	own->f = m->report.flame;
	flame_lay_out(own->f, &own->style, m->mem, &own->l);
	link_tiles(own, m->mem);
	own->n_legend = flame_legend(&m->report, &own->style, m->mem, &own->legend);
	m->own = own;
	return stop_check(q.stop, err);
}

/*
 * outline.c - the table of contents of a PDF of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/outline.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"

#include <inttypes.h>
#include <stdlib.h>

enum { N_HEAVY = 25, NAME_COLUMNS = 100 };

struct outline {
	const struct painter *p;
	const struct outline_ask *ask;
	const uint32_t *tile; /* [boxes] the tile of each */
};

static int add(const struct outline *o, int parent, const char *text, uint32_t page, double x, double y, bool is_open)
{
	struct buf link = { 0 };
	int id;

	buf_addf(&link, "page=%" PRIu32 " pos=[%d %d]", page + 1, (int)x, (int)y);
	id = o->p->lib->pdf_surface_add_outline(o->ask->surface, parent, text, buf_text(&link),
						is_open ? CAIRO_PDF_OUTLINE_FLAG_OPEN : (cairo_pdf_outline_flags_t)0);
	buf_release(&link);
	return id;
}

/* How much a function weighs in the outline. */
static uint64_t weight(const struct flame_function *fn)
{
	return num_abs(fn->flat[FLAME_AFTER] - fn->flat[FLAME_BEFORE]);
}

static int compare(const void *a, const void *b)
{
	const struct flame_function *x = *(const struct flame_function *const *)a,
				    *y = *(const struct flame_function *const *)b;
	uint64_t i = weight(x), j = weight(y);

	return i != j ? (i > j ? -1 : 1) : (x > y) - (x < y); /* then the widest first */
}

static void add_function(const struct outline *o, int parent, const struct flame_function *fn)
{
	const struct report *r = o->p->r;
	struct buf raw = { 0 }, name = { 0 }, text = { 0 };
	struct rectangle at;
	uint32_t page = pages_find(o->p, o->ask->pages, &o->p->layout.tile[o->tile[fn->box]], &at);

	if (r->flame->has_base) {
		int64_t change = fn->flat[FLAME_AFTER] - fn->flat[FLAME_BEFORE];

		if (change > 0)
			buf_addz(&text, "+");
		report_add_value(&r->head, change, &text);
	} else {
		unit_add_percent_tight(&text, fn->flat[FLAME_AFTER], r->head.total);
	}
	flame_add_name(r->flame, fn->box, &raw);
	font_add_text(buf_text(&raw), &name);
	buf_addz(&text, "  ");
	flame_add_short(buf_text(&name), NAME_COLUMNS, &text);
	add(o, parent, buf_text(&text), page, at.x, at.y, false);
	buf_release(&raw);
	buf_release(&name);
	buf_release(&text);
}

static void add_functions(const struct outline *o)
{
	size_t n = o->ask->n;
	const struct flame_function **order = mem_alloc(n + 1, sizeof(*order));
	int parent;

	for (size_t i = 0; i < n; i++)
		order[i] = &o->ask->function[i];
	qsort(order, n, sizeof(*order), compare);
	if (n && weight(order[0])) {
		parent = add(o, CAIRO_PDF_OUTLINE_ROOT,
			     o->p->r->flame->has_base ? "Largest changes of flat" : "Heaviest functions, by flat", 0, 0,
			     0, true);
		for (size_t i = 0; i < n && i < N_HEAVY && weight(order[i]); i++)
			add_function(o, parent, order[i]);
	}
	free(order);
}

void outline_add(const struct painter *p, const struct outline_ask *ask)
{
	uint32_t *tile = arena_alloc(p->mem, p->layout.n, sizeof(*tile));
	const struct outline o = { p, ask, tile };
	int picture = add(&o, CAIRO_PDF_OUTLINE_ROOT, "Picture", 0, 0, 0, true);

	for (uint32_t i = 0; i < p->layout.n; i++)
		tile[p->layout.tile[i].box] = i;
	for (uint32_t i = 0; ask->pages->n > 1 && i < ask->pages->n; i++) {
		struct buf s = { 0 };

		pages_add_name(ask->pages, i, &s);
		add(&o, picture, buf_text(&s), i, 0, 0, false);
		buf_release(&s);
	}
	add_functions(&o);
	if (ask->n)
		add(&o, CAIRO_PDF_OUTLINE_ROOT, "All functions", ask->pages->n, 0, 0, false);
}

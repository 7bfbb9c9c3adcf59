/*
 * pages.c - which levels of a flame graph are on which page of a PDF
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/pages.h"

#include "base/mem.h"

#include <inttypes.h>
#include <math.h>

/* How many levels there is room for, and more than the one that is repeated. */
static uint32_t count_levels(const struct painter *p, double top, double bottom, double height)
{
	double n = floor((height - top - bottom) / p->size->row);

	return n < 2 ? 2 : (uint32_t)n;
}

void pages_make(const struct painter *p, const struct pdf_paper *paper, const char *note, struct pages *out)
{
	struct painter measure = *p;
	uint32_t n_levels = p->layout.n_levels, lo = 0;
	double most = paper->width > 0 ? paper->height : PDF_MAX_SIDE;
	size_t cap = 0;

	measure.cr = NULL;
	*out = (struct pages){ 0 };
	do {
		double top = paint_head(&measure, NULL, lo == 0),
		       bottom = paint_note(&measure, 0, note) + p->size->margin;
		uint32_t n = count_levels(p, top, bottom, most), hi = n < n_levels - lo ? lo + n : n_levels;
		double height = top + (hi - lo) * p->size->row + bottom;

		out->page = mem_grow(out->page, &cap, out->n + 1, sizeof(*out->page));
		out->page[out->n++] =
			(struct pdf_page){ lo, hi, top, paper->width > 0 ? paper->height : fmin(ceil(height), most) };
		lo = hi - 1;
	} while (lo + 1 < n_levels);
	arena_own(p->mem, out->page);
}

void pages_add_name(const struct pages *pages, uint32_t i, struct buf *out)
{
	const struct pdf_page *page = &pages->page[i];

	buf_addf(out, "page %" PRIu32 " of %" PRIu32 ", levels %" PRIu32 "\xe2\x80\x93%" PRIu32, i + 1, pages->n,
		 page->lo, page->hi - 1);
}

uint32_t pages_find(const struct painter *p, const struct pages *pages, const struct flame_tile *t,
		    struct rectangle *out)
{
	uint32_t i = 0;

	while (t->level >= pages->page[i].hi)
		i++;
	*out = paint_place(p, t, pages->page[i].top, pages->page[i].lo, pages->page[i].hi);
	return i;
}

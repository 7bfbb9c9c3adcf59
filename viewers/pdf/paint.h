/*
 * paint.h - a flame graph drawn with cairo: head, levels, note
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The same for PDF and PNG, for whole pictures and for pages that show some levels of one.
 */
#ifndef VIEWERS_PDF_PAINT_H
#define VIEWERS_PDF_PAINT_H

#include "base/arena.h"
#include "viewers/flame/flame.h"
#include "viewers/pdf/cairo.h"
#include "viewers/pdf/font.h"

#include <stdbool.h>
#include <stdint.h>

/* Sizes of everything, in the unit of the page. */
struct sizes {
	double margin, row;        /* row: how high a level is */
	double title, text, boxes; /* of fonts */
};

extern const struct sizes sizes_screen, sizes_paper;

struct painter {
	const struct cairo *lib;
	cairo_t *cr; /* NULL: only measure */
	const struct report *r;
	const struct flame_style *style;
	struct arena *mem;
	const struct sizes *size;
	double width;   /* of the page */
	bool is_pixels; /* edges of boxes lie between pixels */
	struct font *title, *text, *boxes;
	struct flame_layout layout;
	uint32_t *first;    /* [layout.n_levels + 1] tiles of a level */
	uint32_t *by_color; /* [layout.n] tiles of each level by colour */
	const struct flame_legend *legend;
	size_t n_legend;
};

/*
 * Place everything.
 *
 * style, size   must live on
 * Gives         a painter that painter_release takes; what it points to lives in mem, but for the fonts
 */
struct painter painter_make(const struct cairo *lib, const struct fontconfig *fc, const struct report *r,
			    const struct flame_style *style, const struct sizes *size, double width, bool is_pixels,
			    struct arena *mem);
void painter_release(struct painter *p);

/* Set the colour of text, and a weaker one. */
void paint_ink(const struct painter *p);
void paint_faint(const struct painter *p);

/* Fill the page. */
void paint_ground(const struct painter *p);

/*
 * Draw title, a line below it, and the legend.
 *
 * below    the line below the title; NULL for what is measured
 * Gives    where the picture can begin
 */
double paint_head(const struct painter *p, const char *below, bool has_legend);

/* Draw levels [lo, hi), the highest of the page at top. Gives where they end. */
double paint_levels(const struct painter *p, double top, uint32_t lo, uint32_t hi);

/* Where a tile is drawn when a page shows levels [lo, hi). */
struct rectangle {
	double x, y, width, height;
};
struct rectangle paint_place(const struct painter *p, const struct flame_tile *t, double top, uint32_t lo, uint32_t hi);

/* Draw what was left out, and more that is to be said about the picture, or "". Gives where it ends. */
double paint_note(const struct painter *p, double top, const char *more);

#endif

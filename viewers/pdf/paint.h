/*
 * paint.h - a flame graph drawn with cairo: head, levels, note
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * PDF and PNG use this code, for whole pictures and for pages that show some levels of a picture.
 */
#ifndef VIEWERS_PDF_PAINT_H
#define VIEWERS_PDF_PAINT_H

#include "base/arena.h"
#include "viewers/flame/flame.h"
#include "viewers/pdf/cairo.h"
#include "viewers/pdf/font.h"

#include <stdbool.h>
#include <stdint.h>

/* Sizes in the unit of the page. */
struct sizes {
	double margin, row;        /* row: height of a level */
	double title, text, boxes; /* font sizes of the title, of text, and of boxes */
};

extern const struct sizes sizes_screen, sizes_paper;

struct painter {
	const struct cairo *lib;
	cairo_t *cr; /* NULL: only measure */
	const struct report *r;
	const struct flame_style *style;
	struct arena *mem;
	const struct sizes *size;
	double width;   /* width of the page */
	bool is_raster; /* is it an image? Then edges of boxes are at whole pixels */
	struct font *title, *text, *boxes;
	struct flame_layout layout;
	uint32_t *first;    /* [layout.n_levels + 1] first tile of each level */
	uint32_t *by_color; /* [layout.n] tiles, of each level sorted by colour */
	const struct flame_legend *legend;
	size_t n_legend;
};

/*
 * Lay out the picture.
 *
 * style, size   must outlive the painter
 * Returns         a painter for painter_release; its data lives in mem, except for the fonts
 */
struct painter painter_make(const struct cairo *lib, const struct fontconfig *fc, const struct report *r,
			    const struct flame_style *style, const struct sizes *size, double width, bool is_pixels,
			    struct arena *mem);
void painter_release(struct painter *p);

/* Set the colour of text, and that of secondary text. */
void paint_set_text_color(const struct painter *p);
void paint_set_muted_color(const struct painter *p);

/* Fill the page with the background colour. */
void paint_background(const struct painter *p);

/*
 * Draw title, a line below it, and the legend.
 *
 * below    the line below the title; NULL for the subtitle
 * Returns    the y at which the picture starts
 */
double paint_head(const struct painter *p, const char *below, bool has_legend);

/* Draw levels [lo, hi) from y top. Returns the y at which they end. */
double paint_levels(const struct painter *p, double top, uint32_t lo, uint32_t hi);

/* The place of a tile on a page that shows levels [lo, hi). */
struct rectangle {
	double x, y, width, height;
};
struct rectangle paint_tile_rectangle(const struct painter *p, const struct flame_tile *t, double top, uint32_t lo,
				      uint32_t hi);

/* Draw the note about the picture, and a second one, which may be "". Returns the y at which they end. */
double paint_note(const struct painter *p, double top, const char *more);

#endif

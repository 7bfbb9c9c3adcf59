/*
 * svg_int.h - what the files that draw an SVG share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lengths are thousandths of a pixel.
 */
#ifndef VIEWERS_SVG_INT_H
#define VIEWERS_SVG_INT_H

#include "base/buf.h"
#include "viewers/flame/flame.h"
#include "viewers/xml/xml.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* boxes.js knows these too. */
enum {
	PX = 1000,
	MARGIN = 10 * PX,
	PAD = 3 * PX,      /* between the edge of a box and its name */
	COLUMN = 7230,     /* of text of 12 px; DejaVu Sans Mono has 0.602 em, others less */
	COLUMN_BIG = 9640, /* of the title, 16 px */
	LINE = 18 * PX,
};

/* Which colours are there, and how their text is told from that of others. */
struct svg_palette {
	bool used[FLAME_COLORS], used_new[FLAME_COLORS], used_gone[FLAME_COLORS];
	bool own_ink[FLAME_COLORS]; /* not that of most boxes: text is of class tN */
	uint32_t common;            /* the colour of most boxes */
};

struct svg {
	const struct report *r;
	const struct flame_style *style;
	struct flame_layout l;
	const struct flame_legend *legend;
	size_t n_legend;
	struct svg_palette palette;
	struct xml xml;
	int64_t width, row;    /* of the picture; how far apart levels are */
	struct buf name, text; /* for a moment */
};

/* Find out which colours there are. */
void svg_palette_make(struct svg *s);

/* Write <style>, and <defs> with the hatches of what is new or gone. */
void svg_add_style(struct svg *s);

/* Make a buffer an empty string. */
void svg_clear(struct buf *b);

/* The class of a box or a swatch: "c3"; "n3" is hatched. */
void svg_add_class(struct buf *out, uint8_t color, char sign);

/* Write what is above or below the boxes, from y; gives how high it is. */
int64_t svg_add_head(struct svg *s, int64_t y);
int64_t svg_add_legend(struct svg *s, int64_t y);
int64_t svg_add_note(struct svg *s, int64_t y);

#endif

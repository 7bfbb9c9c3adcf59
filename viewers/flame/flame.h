/*
 * flame.h - the picture of a flame graph, in no format: where boxes lie, how they look, what they say
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * SVG, PDF, PNG, web page and terminal draw this; they add nothing but ink.
 */
#ifndef VIEWERS_FLAME_H
#define VIEWERS_FLAME_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "report/flame.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum flame_order { FLAME_BY_NAME, FLAME_BY_WEIGHT };
enum flame_color_by { FLAME_PACKAGE, FLAME_MODULE, FLAME_FILE, FLAME_FUNCTION, FLAME_HEAT };
enum flame_theme { FLAME_AUTO, FLAME_LIGHT, FLAME_DARK };

/* How a picture shall look. */
struct flame_style {
	enum flame_order order;
	enum flame_color_by color_by;
	enum flame_theme theme;
	bool icicle;       /* roots at the top */
	bool diff_self;    /* in a comparison, colour by self */
	double width;      /* of the picture, in pixels or points */
	double min_width;  /* what was asked for, for the note about what was left out */
	const char *title; /* "" for one made of the profile; hostile */
};

/*
 * Read how boxes are ordered and coloured, by names of options in upper or lower case. Other fields stay.
 *
 * Fails   ERR_USAGE
 */
int flame_style_read(const char *order, const char *theme, const char *color_by, struct flame_style *style,
		     struct err *err);

/* Where a box lies. The root is at x 0 and level 0 and spans all. */
struct flame_tile {
	uint32_t box; /* of the report */
	uint32_t level;
	int64_t x, width; /* in the unit of flame.width */
	uint8_t color;    /* into flame_colors */
	char sign;        /* of a comparison: '+' grew, '-' shrank, 'n' new, 'g' gone, '=' unchanged; else 0 */
};

struct flame_layout {
	uint32_t n, n_levels;
	struct flame_tile *tile; /* [n] by level, then from left to right */
	int64_t span;            /* the width of the root */
};

/* Place all boxes of a report. The result lives in mem. */
void flame_lay_out(const struct flame *f, const struct flame_style *style, struct arena *mem, struct flame_layout *out);

/*
 * Colour the tiles of a picture of a part of the same profile as the whole is coloured: what the whole
 * leaves out has the colour of its group, or of others.
 */
void flame_color_as(const struct flame *whole, const struct flame_style *style, const struct flame *f,
		    struct flame_layout *layout);

/* A colour of boxes and of text on it: 0xRRGGBB. */
struct flame_color {
	uint32_t fill, ink;
};

enum { FLAME_COLORS = 36 };

/* The colours in a theme; [FLAME_COLORS], FLAME_AUTO as FLAME_LIGHT. */
const struct flame_color *flame_colors(enum flame_theme theme);

/* What is around the boxes: 0xRRGGBB. */
struct flame_page {
	uint32_t paper, ink, quiet; /* behind all, for words, for words that matter less */
	uint32_t line;              /* between boxes */
	uint32_t match;             /* boxes that were searched for; its ink is black */
};

/* The page in a theme; FLAME_AUTO as FLAME_LIGHT. */
const struct flame_page *flame_page(enum flame_theme theme);

/* What a colour stands for, most of the picture first. Lives in mem. */
struct flame_legend {
	uint8_t color;
	char sign; /* as in struct flame_tile */
	const char *text;
};

/* The legend of a picture; gives how many entries, 0 when colours mean nothing that is worth telling. */
size_t flame_legend(const struct report *r, const struct flame_style *style, struct arena *mem,
		    const struct flame_legend **out);

/* Append the name of a box as it is written on it and told of it: harmless, on one line. */
void flame_add_name(const struct flame *f, uint32_t box, struct buf *out);

/* The sign of a tile as it is written: "+", a minus, "new", "gone", "="; "" for 0. */
const char *flame_sign(char sign);

/* Append what is written on a tile: its sign unless it is unchanged, and its name, shortened; nothing when nothing fits. */
void flame_add_label(const struct flame *f, const struct flame_tile *t, size_t columns, struct buf *out);

/* How many columns of a fixed-width font a text takes: 0, 1 or 2 each character. */
size_t flame_columns(const char *text);

/*
 * The length in bytes of the first character of a text with the marks that are set on it; 0 at the end.
 *
 * columns  set to how many it takes
 */
size_t flame_next(const char *text, size_t *columns);

/*
 * Append a name, shortened from its middle until it takes at most so many columns; nothing when
 * not even its ends fit. No character is cut.
 */
void flame_add_short(const char *name, size_t columns, struct buf *out);

/* Append what is to be told of a box: lines ended by \n, the name first. */
void flame_add_details(const struct report *r, uint32_t box, struct buf *out);

/* A function (or what frames are) over all its boxes; where it calls itself it counts once. */
struct flame_function {
	uint32_t box;              /* its widest */
	int64_t width;             /* of its boxes, or of all stacks, as cum and flat */
	int64_t cum[FLAME_SIDES];  /* before: 0 without a base */
	int64_t flat[FLAME_SIDES]; /* the same */
};

/*
 * All functions that have a box of their own, the widest first and then by name; in a comparison those
 * first whose cum changed most. Their sums are over all stacks where the report has these, else over the
 * boxes of the picture.
 *
 * out     lives in mem
 * Gives   how many
 */
size_t flame_functions(const struct flame *f, struct arena *mem, struct flame_function **out);

/* Append the title; the line below it (what is measured, how much, of what); the note at the end about
   what was left out and what may be chance, or that there are no samples; else nothing. Each on one line
   without \n. */
void flame_add_title(const struct report *r, const struct flame_style *style, struct buf *out);
void flame_add_subtitle(const struct report *r, struct buf *out);
void flame_add_note(const struct report *r, const struct flame_style *style, struct buf *out);

/* Append the package a function belongs to as its name, file and binary tell; nothing when nothing does. */
void package_add(const struct flame_frame *f, struct buf *out);

#endif

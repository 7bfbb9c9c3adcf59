/*
 * flame.h - the picture of a flame graph, independent of any format: places, colours and texts of its boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * SVG, PDF, PNG, web page and terminal all draw this picture.
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

/* Options of a picture. */
struct flame_style {
	enum flame_order order;
	enum flame_color_by color_by;
	enum flame_theme theme;
	bool icicle;       /* roots at the top */
	bool diff_self;    /* in a comparison, colour boxes by the change of flat */
	double width;      /* width of the picture, in pixels or points */
	double min_width;  /* the requested limit, for the note about boxes left out */
	const char *title; /* title; "": generated from the profile; untrusted */
};

/*
 * Set order, theme and color_by from the values of their options, in upper or lower case. Other fields are unchanged.
 *
 * Fails   ERR_USAGE
 */
int flame_style_read(const char *order, const char *theme, const char *color_by, struct flame_style *style,
		     struct err *err);

/* A tile: the place of a box in the picture. The root is at x 0 and level 0, and as wide as the picture. */
struct flame_tile {
	uint32_t box; /* index of the box in the report */
	uint32_t level;
	int64_t x, width; /* position and width in the unit of flame.width */
	uint8_t color;    /* index in flame_colors */
	char sign;        /* in a comparison: '+' grew, '-' shrank, 'n' new, 'g' gone, '=' unchanged; else 0 */
};

struct flame_layout {
	uint32_t n, n_levels;
	struct flame_tile *tile; /* [n] ordered by level, then from left to right */
	int64_t span;            /* the width of the root */
};

/* Place all boxes of a report. The result lives in mem. */
void flame_lay_out(const struct flame *f, const struct flame_style *style, struct arena *mem, struct flame_layout *out);

/*
 * Give the tiles of f, which shows only a part of the profile, the colours that they have in whole, which shows all of
 * it. Functions that are omitted in whole have the colour of their group, or that of other groups.
 */
void flame_color_like(const struct flame *whole, const struct flame_style *style, const struct flame *f,
		      struct flame_layout *layout);

/* Append the name of the group of a frame, which determines its colour. */
void flame_add_group(const struct flame_frame *f, enum flame_color_by by, struct buf *out);

/* The colour of a box and of the text on it: 0xRRGGBB. */
struct flame_color {
	uint32_t fill, ink;
};

enum { FLAME_COLORS = 36 };

/* The colours of a theme: [FLAME_COLORS]. FLAME_AUTO has those of FLAME_LIGHT. */
const struct flame_color *flame_colors(enum flame_theme theme);

/* Colours of the page around the boxes: 0xRRGGBB. */
struct flame_page {
	uint32_t paper, ink, quiet; /* colours of the background, of text, of secondary text */
	uint32_t line;              /* borders of boxes */
	uint32_t match;             /* boxes that match a search; the text on them is black */
};

/* The page colours of a theme. FLAME_AUTO has those of FLAME_LIGHT. */
const struct flame_page *flame_page(enum flame_theme theme);

/* An entry of the legend: a colour and its meaning. */
struct flame_legend {
	uint8_t color;
	char sign; /* sign of a change, see struct flame_tile */
	const char *text;
};

/*
 * Make the legend of a picture, groups of the largest area first. It lives in mem.
 *
 * Returns   the number of entries; 0 when colours have no meaning
 */
size_t flame_legend(const struct report *r, const struct flame_style *style, struct arena *mem,
		    const struct flame_legend **out);

/* The meaning of the width of a box, for the legend of a comparison; "" when it is the value of the box. */
const char *flame_width_text(const struct flame *f);

/* Append the name of a box as the picture shows it: on one line, with control characters escaped. */
void flame_add_name(const struct flame *f, uint32_t box, struct buf *out);

/* The sign of a tile as text: "+", a minus, "new", "gone", "="; "" for 0. */
const char *flame_sign(char sign);

/* Append the label of a tile: its sign, unless it is unchanged, and its shortened name. Append nothing if neither fits.
 * */
void flame_add_label(const struct flame *f, const struct flame_tile *t, size_t columns, struct buf *out);

/*
 * Append a text in a limited number of columns. A longer text is cut and ends in dots; nothing is appended if not even
 * the dots fit.
 */
typedef void flame_fit_fn(const char *text, size_t columns, struct buf *out);
flame_fit_fn flame_add_truncated;

/*
 * Append the name of a function or a file in a limited number of columns: as many of its last parts as fit. If even the
 * last part does not fit, it is cut. No character is split.
 */
flame_fit_fn flame_add_shortened;

/*
 * Append a value in the unit of the report, with thousands separators and control characters escaped; with_sign puts a
 * + before positive values.
 */
void flame_add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out);

/*
 * Append the details of a box: lines that end in \n. They are the name, the values, the file and the binary, and perhaps
 * FLAME_INLINED.
 */
void flame_add_details(const struct report *r, uint32_t box, struct buf *out);

#define FLAME_INLINED "(inlined)\n"

/* Append parts of the details: the values of a box; the file and the binary of a frame. */
void flame_add_values(const struct report *r, uint32_t box, struct buf *out);
void flame_add_where(const struct flame_frame *f, struct buf *out);

/* Sums of a function (or file, line, address) over all its boxes; recursive calls count once. */
struct flame_function {
	uint32_t box;          /* index of the widest box of the function */
	int64_t width;         /* width of its boxes or, like cum and flat, of all stacks */
	int64_t cum[N_SIDES];  /* [SIDE_BASE] is 0 without a base */
	int64_t flat[N_SIDES]; /* likewise */
};

/*
 * List the functions that have a box, sorted by width, widest first, then by name; in a comparison by change of cum,
 * largest first. Sums are over all stacks if the report has these, else over the boxes of the picture.
 *
 * out     lives in mem
 * Returns   the number of functions
 */
size_t flame_functions(const struct flame *f, struct arena *mem, struct flame_function **out);

/*
 * Append one line without \n: the title; the subtitle (files, total, filters); the note after the picture (boxes left
 * out, changes that may be due to chance, no samples), which may be empty.
 */
void flame_add_title(const struct report *r, const struct flame_style *style, struct buf *out);
void flame_add_subtitle(const struct report *r, struct buf *out);
void flame_add_note(const struct report *r, const struct flame_style *style, struct buf *out);

/* Append the package of a function, derived from its name, file and binary; nothing when it is unknown. */
void package_add(const struct flame_frame *f, struct buf *out);

#endif

/*
 * font.h - text of one font and size: measured, shortened, drawn, with fallback fonts for missing characters
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cairo's simple text functions have no fallback for a character that a font lacks. Here each character is looked up,
 * first in the font itself, then in the fonts that fontconfig considers similar. A character without a glyph is drawn
 * as the font's missing glyph, but is found by search and copied as itself.
 */
#ifndef VIEWERS_PDF_FONT_H
#define VIEWERS_PDF_FONT_H

#include "base/buf.h"
#include "viewers/flame/flame.h"
#include "viewers/pdf/cairo.h"

#include <stdbool.h>

struct font;

enum { FONT_HIDDEN_MAX = 1000 }; /* bytes of a text that are searchable, but not shown */

struct font_spec {
	const char *family; /* name for fontconfig; a similar font is used if it is missing */
	double size;
	bool is_bold;
	bool is_fixed_width; /* font_column_width is defined */
	bool is_raster;      /* is it for an image? Then outlines are hinted to pixels */
};

/* Make a font, owned by the caller. Text drawn with it remains valid without it. */
struct font *font_new(const struct cairo *lib, const struct fontconfig *fc, const struct font_spec *spec);

/* Takes NULL. */
void font_free(struct font *f);

/*
 * Append a text in a form that the functions below accept: tabs become blanks, and invalid characters become U+FFFD.
 * Otherwise cairo would refuse the whole document.
 */
void font_add_safe(const char *text, struct buf *out);

/* The width of a column of a fixed-width font. */
double font_column_width(const struct font *f);

/* The width of a text. */
double font_width(struct font *f, const char *text);

/* Append a text, shortened by fit to a maximum width; nothing if that is impossible. */
void font_fit(struct font *f, const char *text, double width, flame_fit_fn *fit, struct buf *out);

/*
 * Draw a text in the current colour.
 *
 * x, y    start of its base line
 * shown   from font_add_safe
 * meant   the searchable text, of which shown is a short form; NULL: the same; "": none. If more than FONT_HIDDEN_MAX
 *         bytes of it are not shown, shown is used instead.
 */
void font_draw_text(struct font *f, cairo_t *cr, double x, double y, const char *shown, const char *meant);

#endif

/*
 * font.h - text of one font and size: measured, shortened, drawn, with other fonts for what it lacks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Cairo's simple text functions know no other font for a character that a font lacks. Here each
 * character is looked up, first in the font itself, then in what fontconfig knows to be near it. A
 * character that nobody can draw becomes the font's own sign for it, and is still the character for
 * those who search or copy.
 */
#ifndef VIEWERS_PDF_FONT_H
#define VIEWERS_PDF_FONT_H

#include "base/buf.h"
#include "viewers/pdf/cairo.h"

#include <stdbool.h>

struct font;

enum { FONT_MAX_HIDDEN = 1000 }; /* how many bytes a text may mean that are not shown */

struct font_ask {
	const char *family; /* as fontconfig names it; something near it is used when it is missing */
	double size;
	bool is_bold;
	bool is_grid;   /* of fixed width: font_column has a meaning */
	bool is_pixels; /* for pixels: outlines are fitted to them */
};

/* A font; owned by the caller. Text that is drawn with it lives on without it. */
struct font *font_new(const struct cairo *lib, const struct fontconfig *fc, const struct font_ask *ask);

/* Takes NULL. */
void font_free(struct font *f);

/*
 * Append a text as all functions here want it, and cairo wherever it takes text, which refuses a
 * whole document otherwise: tabs are blanks, U+FFFD stands for what is no character.
 */
void font_add_text(const char *text, struct buf *out);

/* How wide a column of a font of fixed width is. */
double font_column(const struct font *f);

/* How wide a text is. */
double font_width(struct font *f, const char *text);

/* Append a text, shortened from its middle until it is at most so wide; nothing when not even its ends are. */
void font_fit(struct font *f, const char *text, double width, struct buf *out);

/*
 * Draw a text in the colour that is set.
 *
 * x, y    where its base line begins
 * shown   see font_add_text
 * meant   what is found by a search: shown in full; NULL for the same; "" for nothing. With more than
 *         FONT_MAX_HIDDEN bytes that are not shown it is what is shown.
 */
void font_show(struct font *f, cairo_t *cr, double x, double y, const char *shown, const char *meant);

#endif

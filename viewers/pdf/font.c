/*
 * font.c - text of one font and size: measured, shortened, drawn, with fallback fonts for missing characters
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/font.h"

#include "base/columns.h"
#include "base/mem.h"
#include "base/utf8.h"
#include "viewers/flame/flame.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	MAX_FACES = 16, /* max faces: the font and its fallbacks; characters of further scripts are drawn as missing */
	N_SLOTS = 1024  /* number of cached characters, a power of 2 */
};

struct face {
	cairo_scaled_font_t *scaled;
	FcCharSet *chars; /* characters of the face, owned by the fallbacks; NULL for the font itself */
};

struct letter {
	uint32_t c; /* code point; 0: the slot is empty */
	uint32_t face;
	unsigned long index; /* index of the glyph; 0: no face has it */
	double advance;      /* distance to the next character; 0 for a combining mark */
	double back;         /* for a combining mark: distance back to its start */
};

struct font {
	const struct cairo *lib;
	const struct fontconfig *fc;
	struct font_spec spec;
	double column; /* width of a column; 0 if the font does not have a fixed width */
	struct face face[MAX_FACES];
	uint32_t n_faces;
	FcPattern *pattern;   /* pattern to match fallbacks */
	FcFontSet *fallbacks; /* fallbacks, nearest first; NULL until a character is missing */
	bool is_sorted;
	struct letter slot[N_SLOTS];
};

static cairo_scaled_font_t *scaled_font_new(const struct font *f, cairo_font_face_t *face)
{
	cairo_font_options_t *options = f->lib->font_options_create();
	cairo_matrix_t size, page;
	cairo_scaled_font_t *scaled;

	f->lib->matrix_init_scale(&size, f->spec.size, f->spec.size);
	f->lib->matrix_init_identity(&page);
	f->lib->font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
	f->lib->font_options_set_hint_style(options,
					    f->spec.is_raster ? CAIRO_HINT_STYLE_SLIGHT : CAIRO_HINT_STYLE_NONE);
	f->lib->font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
	scaled = f->lib->scaled_font_create(face, &size, &page, options);
	f->lib->font_options_destroy(options);
	f->lib->font_face_destroy(face);
	return scaled;
}

/* The glyph of a character in a face; 0 if the face lacks it. */
static unsigned long glyph_of(const struct font *f, uint32_t face, const char *s, size_t len)
{
	cairo_glyph_t *glyph = NULL;
	int n = 0;
	unsigned long index = 0;

	assert(face < f->n_faces);
	if (f->lib->scaled_font_text_to_glyphs(f->face[face].scaled, 0, 0, s, (int)len, &glyph, &n, NULL, NULL, NULL) ==
		    CAIRO_STATUS_SUCCESS &&
	    n == 1)
		index = glyph[0].index;
	f->lib->glyph_free(glyph);
	return index;
}

static double advance_of(const struct font *f, uint32_t face, unsigned long index)
{
	cairo_glyph_t glyph = { .index = index };
	cairo_text_extents_t size;

	assert(face < f->n_faces);
	f->lib->scaled_font_glyph_extents(f->face[face].scaled, &glyph, 1, &size);
	return size.x_advance > 0 ? size.x_advance : 0;
}

/* Find the fallback fonts, nearest first; each has characters that the ones before it lack. */
static void sort_fonts(struct font *f)
{
	FcResult result;

	f->is_sorted = true;
	f->pattern = f->fc->PatternCreate();
	f->fc->PatternAddString(f->pattern, FC_FAMILY, (const FcChar8 *)f->spec.family);
	f->fc->ConfigSubstitute(NULL, f->pattern, FcMatchPattern);
	f->fc->DefaultSubstitute(f->pattern);
	f->fallbacks = f->fc->FontSort(NULL, f->pattern, FcTrue, NULL, &result);
}

/* Is a font scalable? Bitmap and colour fonts are not. */
static bool is_outline(const struct font *f, FcPattern *font)
{
	FcBool scales = FcFalse, is_colored = FcFalse;

	f->fc->PatternGetBool(font, FC_SCALABLE, 0, &scales);
	f->fc->PatternGetBool(font, FC_COLOR, 0, &is_colored);
	return scales && !is_colored;
}

/* Add the nearest font that has a character; false if there is none or the faces are full. */
static bool add_face(struct font *f, uint32_t c)
{
	FcCharSet *chars;

	if (!f->is_sorted)
		sort_fonts(f);
	for (int i = 0; f->fallbacks && f->n_faces < MAX_FACES && i < f->fallbacks->nfont; i++) {
		FcPattern *font = f->fallbacks->fonts[i], *ready;

		if (!is_outline(f, font) || f->fc->PatternGetCharSet(font, FC_CHARSET, 0, &chars) != FcResultMatch ||
		    !f->fc->CharSetHasChar(chars, c))
			continue;
		ready = f->fc->FontRenderPrepare(NULL, f->pattern, font);
		f->face[f->n_faces] =
			(struct face){ scaled_font_new(f, f->lib->ft_font_face_create_for_pattern(ready)), chars };
		f->fc->PatternDestroy(ready);
		f->n_faces++;
		return true;
	}
	return false;
}

static void letter_find(struct font *f, uint32_t c, const char *s, size_t len, struct letter *out)
{
	char character[8] = { 0 };

	*out = (struct letter){ .c = c, .index = glyph_of(f, 0, s, len) };
	for (uint32_t i = 1; !out->index && i < f->n_faces; i++) {
		out->face = i;
		out->index = f->fc->CharSetHasChar(f->face[i].chars, c) ? glyph_of(f, i, s, len) : 0;
	}
	if (!out->index && add_face(f, c)) {
		out->face = f->n_faces - 1;
		out->index = glyph_of(f, out->face, s, len);
	}
	if (!out->index)
		out->face = 0;
	out->advance = advance_of(f, out->face, out->index);
	memcpy(character, s, len);
	if (column_count(character) == 0) {
		out->back = out->advance;
		out->advance = 0;
	}
}

/* The first character of a text, and its length in bytes. */
static const struct letter *font_next(struct font *f, const char *s, size_t n, size_t *len)
{
	uint32_t c = 0xfffd;
	struct letter *l;

	*len = utf8_decode(s, n, &c);
	assert(*len);
	l = &f->slot[c % N_SLOTS];
	if (l->c != c)
		letter_find(f, c, s, *len, l);
	return l;
}

struct font *font_new(const struct cairo *lib, const struct fontconfig *fc, const struct font_spec *spec)
{
	struct font *f = mem_zalloc(1, sizeof(*f));
	size_t len;

	f->lib = lib;
	f->fc = fc;
	f->spec = *spec;
	f->face[0].scaled = scaled_font_new(
		f, lib->toy_font_face_create(spec->family, CAIRO_FONT_SLANT_NORMAL,
					     spec->is_bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL));
	f->n_faces = 1;
	if (spec->is_fixed_width)
		f->column = font_next(f, "0", 1, &len)->advance;
	return f;
}

void font_free(struct font *f)
{
	if (!f)
		return;
	for (uint32_t i = 0; i < f->n_faces; i++)
		f->lib->scaled_font_destroy(f->face[i].scaled);
	if (f->fallbacks)
		f->fc->FontSetDestroy(f->fallbacks);
	if (f->pattern)
		f->fc->PatternDestroy(f->pattern);
	free(f);
}

void font_add_safe(const char *text, struct buf *out)
{
	size_t n = strlen(text), len;

	for (size_t i = 0; i < n; i += len) {
		uint32_t c = 0xffff;

		len = utf8_decode(text + i, n - i, &c);
		if (c < ' ')
			buf_addz(out, " ");
		else if ((c & 0xfffe) == 0xfffe || (c >= 0xfdd0 && c < 0xfdf0))
			buf_addz(out, "\xef\xbf\xbd");
		else
			buf_add(out, text + i, len);
		len = len ? len : 1;
	}
}

double font_column_width(const struct font *f)
{
	return f->column;
}

double font_width(struct font *f, const char *text)
{
	size_t n = strlen(text), len;
	double width = 0;

	for (size_t i = 0; i < n; i += len)
		width += font_next(f, text + i, n - i, &len)->advance;
	return width;
}

void font_fit(struct font *f, const char *text, double width, flame_fit_fn *fit, struct buf *out)
{
	size_t columns = column_count(text), low = 0;
	struct buf s = { 0 };

	if (f->column > 0 && (double)columns > width / f->column)
		columns = width > 0 ? (size_t)(width / f->column) : 0;
	fit(text, columns, &s);
	if (font_width(f, buf_text(&s)) <= width) {
		buf_addz(out, buf_text(&s));
	} else {
		size_t high = columns; /* too many */

		while (high - low > 1) {
			size_t middle = low + (high - low) / 2;

			s.len = 0;
			fit(text, middle, &s);
			if (s.len && font_width(f, buf_text(&s)) > width)
				high = middle;
			else
				low = middle;
		}
		fit(text, low, out);
	}
	buf_release(&s);
}

/* The lengths of the common prefix and the common suffix of both texts, in whole characters. */
static void find_hidden(const char *shown, const char *meant, size_t *head, size_t *tail)
{
	size_t n = strlen(shown), m = strlen(meant), shorter = n < m ? n : m, h = 0, t = 0;

	while (h < shorter && shown[h] == meant[h])
		h++;
	while (h && ((shown[h] & 0xc0) == 0x80 || (meant[h] & 0xc0) == 0x80))
		h--;
	while (t < shorter - h && shown[n - t - 1] == meant[m - t - 1])
		t++;
	while (t && (shown[n - t] & 0xc0) == 0x80)
		t--;
	if (h + t == n && h && n < m) /* the last character represents the hidden text */
		for (h--; h && (shown[h] & 0xc0) == 0x80;)
			h--;
	else if (t == n && t && n < m) /* the first character represents the hidden text */
		for (t--; t && (shown[n - t] & 0xc0) == 0x80;)
			t--;
	*head = h;
	*tail = t;
}

/* Glyphs to draw, and the text that they represent. */
struct font_line {
	cairo_glyph_t *glyph;
	cairo_text_cluster_t *cluster;
	uint32_t *face; /* [n_glyphs] */
	size_t n_glyphs, n_clusters;
	struct buf text;
};

/* Add the glyphs of a character and its marks. Returns the position of the next. */
static double line_add_letter(struct font *f, const char *s, size_t n, double x, double y, struct font_line *out)
{
	size_t len;

	for (size_t i = 0; i < n; i += len) {
		const struct letter *l = font_next(f, s + i, n - i, &len);

		out->face[out->n_glyphs] = l->face;
		out->glyph[out->n_glyphs++] = (cairo_glyph_t){ l->index, x - l->back, y };
		x += l->advance;
	}
	return x;
}

/*
 * Map the glyphs from index `from` on to a text: the first run of glyphs of one face represents the whole text, later
 * runs represent nothing.
 */
static void line_add_clusters(struct font_line *l, size_t from, const char *meant, size_t n)
{
	for (size_t end; from < l->n_glyphs; from = end) {
		for (end = from + 1; end < l->n_glyphs && l->face[end] == l->face[from];)
			end++;
		l->cluster[l->n_clusters++] = (cairo_text_cluster_t){ (int)n, (int)(end - from) };
		buf_add(&l->text, meant, n);
		n = 0;
	}
}

/* Add the characters of a text, each mapped to itself. Returns the position of the next. */
static double line_add_letters(struct font *f, const char *s, size_t n, double x, double y, struct font_line *out)
{
	size_t len, columns;

	for (size_t i = 0; i < n; i += len) {
		size_t from = out->n_glyphs;

		len = column_next(s + i, &columns);
		len = len && len < n - i ? len : n - i;
		x = line_add_letter(f, s + i, len, x, y, out);
		line_add_clusters(out, from, s + i, len);
	}
	return x;
}

/* Draw glyphs, one call for each run of one face. */
static void font_draw_line(const struct font *f, cairo_t *cr, const struct font_line *l)
{
	const char *text = buf_text(&l->text);
	size_t from = 0, at = 0; /* glyph, cluster */

	while (at < l->n_clusters) {
		size_t glyphs = 0, bytes = 0, first = at;
		uint32_t face = l->face[from];

		while (at < l->n_clusters && l->face[from + glyphs] == face) {
			glyphs += (size_t)l->cluster[at].num_glyphs;
			bytes += (size_t)l->cluster[at++].num_bytes;
		}
		f->lib->set_scaled_font(cr, f->face[face].scaled);
		f->lib->show_text_glyphs(cr, text, (int)bytes, l->glyph + from, (int)glyphs, l->cluster + first,
					 (int)(at - first), (cairo_text_cluster_flags_t)0);
		text += bytes;
		from += glyphs;
	}
}

void font_draw_text(struct font *f, cairo_t *cr, double x, double y, const char *shown, const char *meant)
{
	size_t n = strlen(shown), head = n, tail = 0, hidden, from;
	struct font_line l = { .glyph = mem_alloc(n + 1, sizeof(*l.glyph)),
			       .cluster = mem_alloc(n + 1, sizeof(*l.cluster)),
			       .face = mem_zalloc(n + 1, sizeof(*l.face)) };

	if (meant)
		find_hidden(shown, meant, &head, &tail);
	hidden = meant ? strlen(meant) - head - tail : 0;
	if (hidden > FONT_HIDDEN_MAX) {
		head = n;
		tail = 0;
	}
	x = line_add_letters(f, shown, head, x, y, &l);
	from = l.n_glyphs;
	x = line_add_letter(f, shown + head, n - head - tail, x, y, &l);
	line_add_clusters(&l, from, meant ? meant + head : "", hidden);
	line_add_letters(f, shown + n - tail, tail, x, y, &l);
	font_draw_line(f, cr, &l);
	free(l.glyph);
	free(l.cluster);
	free(l.face);
	buf_release(&l.text);
}

/*
 * svg.c - flame graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There is one <g> for each level. It contains a <rect> for each box, with the details of the box as its <title>, and a
 * <text> for each box that is wide enough. There is no separate data: the script reads places, names and numbers from
 * these elements.
 *
 * The style uses constants, without variables: image viewers support little CSS and skip the rest.
 *
 * The script wraps title and notes again when the width changes, so data-text has the whole text.
 */
#include "config.h"

#include "viewers/svg/svg.h"

#include "base/buf.h"
#include "base/columns.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/pool.h"
#include "viewers/flame/flame.h"
#include "viewers/svg/script.js.h"
#include "viewers/xml/xml.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Keep in sync with boxes.js. */
enum {
	PX = 1000,
	MARGIN = 10 * PX,
	PAD = 3 * PX,      /* space between the edge of a box and its name */
	COLUMN = 7230,     /* width of a column of 12 px text; DejaVu Sans Mono has 0.602 em, other fonts less */
	COLUMN_BIG = 9640, /* width of a column of the title, 16 px */
	LINE = 18 * PX,
};

/* The colours in use, and those whose text needs a class. */
struct svg_palette {
	bool used[FLAME_COLORS], used_new[FLAME_COLORS], used_gone[FLAME_COLORS];
	bool own_ink[FLAME_COLORS]; /* text on it needs another colour than on most boxes: class tN */
	uint32_t common;            /* the colour of most boxes */
};

/* The details of a frame that are the same for all its boxes, as XML. */
struct svg_details {
	const char *name, *where; /* lines; NULL before they are used */
	size_t n_name, n_where;   /* bytes */
};

struct svg_svg {
	const struct report *r;
	const struct flame_style *style;
	struct flame_layout l;
	const struct flame_legend *legend;
	size_t n_legend;
	struct svg_palette palette;
	struct xml xml;
	int64_t width, row;    /* width of the picture; distance of levels */
	struct buf name, text; /* scratch buffer */
};

/* The boxes that one thread writes. Tiles are in the order of the picture, so texts of consecutive tiles are joined. */
struct svg_boxes {
	const struct svg_svg *s;
	uint32_t first, end;         /* tiles */
	struct buf *out, own;        /* out is own, or the text of the picture */
	struct buf text;             /* scratch buffer */
	struct svg_details *details; /* [n_frames] */
	struct arena *mem;
};

/* Rules for all themes. The script adds .ui and sets .live. */
static const char rules[] =
	"text,.ui{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;font-size:12px}"
	"text{white-space:pre}"
	".title text,.strong{font-weight:bold}.title text{font-size:16px}"
	".w{stroke-width:.6}"
	".h{stroke:#888;stroke-width:1.5;stroke-opacity:.6}"
	".bar{stroke:#999}"
	".rows text{pointer-events:none}"
	".live rect{cursor:pointer}"
	".rows rect.a{opacity:.55}"
	".rows rect:hover{fill-opacity:.75}"
	".rows rect:focus{outline:none}"
	".rows rect:focus-visible{outline:2px solid #06f;outline-offset:-2px;stroke:#06f;stroke-width:2}"
	".found rect{opacity:.4}"
	".found rect.a{opacity:.3}"
	".found rect.m{opacity:1}"
	".found text.m{fill:#000}"
	".ui input,.ui button{font:inherit;color:inherit;box-sizing:border-box;height:24px;margin:0 0 0 4px;padding:0 "
	"6px;"
	"border:1px solid #888;border-radius:3px}"
	".ui input{width:180px}"
	".ui button{cursor:pointer}"
	".ui div{text-align:right;white-space:nowrap}"
	".ui span{line-height:22px}"
	".narrow>div{display:flex;flex-direction:row-reverse;justify-content:space-between;align-items:center}"
	".ui :focus-visible{outline:2px solid #06f}"
	"@media print{.ui{display:none}.page{width:100%;height:auto}}";

/* The class of a box or a swatch: "c3"; "n3" is hatched. */
static void svg_add_class(struct buf *out, uint8_t color, char sign)
{
	char text[NUM_DIGITS + 1] = { sign == 'n' || sign == 'g' ? sign : 'c' };

	buf_add(out, text, (size_t)(num_put(text + 1, color) - text));
}

static void svg_mark_used(struct svg_palette *p, uint8_t color, char sign)
{
	p->used[color] = true;
	p->used_new[color] |= sign == 'n';
	p->used_gone[color] |= sign == 'g';
}

/* Find the colours that are used. */
static void find_colors(struct svg_svg *s)
{
	const struct flame_color *color[] = { flame_colors(FLAME_LIGHT), flame_colors(FLAME_DARK) };
	struct svg_palette *p = &s->palette;
	uint32_t count[FLAME_COLORS] = { 0 };

	for (uint32_t i = 0; i < s->l.n; i++) {
		svg_mark_used(p, s->l.tile[i].color, s->l.tile[i].sign);
		count[s->l.tile[i].color]++;
	}
	for (size_t i = 0; i < s->n_legend; i++)
		svg_mark_used(p, s->legend[i].color, s->legend[i].sign);
	for (uint32_t i = 0; i < FLAME_COLORS; i++)
		p->common = count[i] > count[p->common] ? i : p->common;
	for (int theme = 0; theme < 2; theme++)
		for (uint32_t i = 0; i < FLAME_COLORS; i++)
			p->own_ink[i] |= p->used[i] && color[theme][i].ink != color[theme][p->common].ink;
}

static void svg_add_colors(const struct svg_palette *p, enum flame_theme theme, struct buf *out)
{
	const struct flame_color *color = flame_colors(theme);
	const struct flame_page *page = flame_page(theme);

	buf_addf(out, ".page,.ui input,.ui button,.ui span{background:#%06" PRIx32 "}.b,.bar{fill:#%06" PRIx32 "}",
		 page->paper, page->paper);
	buf_addf(out, "text,.ui{fill:#%06" PRIx32 ";color:#%06" PRIx32 "}", page->ink, page->ink);
	buf_addf(out, ".soft,.sub text,.note text{fill:#%06" PRIx32 "}", page->quiet);
	buf_addf(out, ".w{stroke:#%06" PRIx32 "}.found rect.m{fill:#%06" PRIx32 "}", page->line, page->match);
	buf_addf(out, ".rows text{fill:#%06" PRIx32 "}", color[p->common].ink);
	for (int i = 0; i < FLAME_COLORS; i++) {
		if (p->used[i])
			buf_addf(out, ".c%d{fill:#%06" PRIx32 "}", i, color[i].fill);
		if (p->own_ink[i])
			buf_addf(out, ".rows .t%d{fill:#%06" PRIx32 "}", i, color[i].ink);
	}
}

static void add_rules(const struct svg_svg *s, struct buf *out)
{
	const struct svg_palette *p = &s->palette;
	bool dark = s->style->theme == FLAME_DARK;

	svg_add_colors(p, dark ? FLAME_DARK : FLAME_LIGHT, out);
	if (s->style->theme == FLAME_AUTO) {
		buf_addz(out, "@media screen and (prefers-color-scheme:dark){");
		svg_add_colors(p, FLAME_DARK, out);
		buf_addz(out, "}");
	}
	if (dark) {
		buf_addz(out, "@media print{");
		svg_add_colors(p, FLAME_LIGHT, out);
		buf_addz(out, "}");
	}
	for (int i = 0; i < FLAME_COLORS; i++) {
		if (p->used_new[i])
			buf_addf(out, ".n%d{fill:url(#n%d)}", i, i);
		if (p->used_gone[i])
			buf_addf(out, ".g%d{fill:url(#g%d)}", i, i);
	}
	buf_addz(out, rules);
}

/* A colour with hatches: rising for new boxes, falling for those that are gone. */
static void add_hatch(struct svg_svg *s, char sign, int color)
{
	struct xml *x = &s->xml;
	char text[32];

	xml_begin(x, "pattern");
	snprintf(text, sizeof(text), "%c%d", sign, color);
	xml_attribute(x, "id", text);
	xml_attribute(x, "width", "8");
	xml_attribute(x, "height", "8");
	xml_attribute(x, "patternUnits", "userSpaceOnUse");
	xml_attribute(x, "patternTransform", sign == 'n' ? "rotate(45)" : "rotate(-45)");
	xml_begin(x, "rect");
	snprintf(text, sizeof(text), "c%d", color);
	xml_attribute(x, "class", text);
	xml_attribute(x, "width", "8");
	xml_attribute(x, "height", "8");
	xml_end(x);
	xml_begin(x, "path");
	xml_attribute(x, "class", "h");
	xml_attribute(x, "d", "M4 0v8");
	xml_end(x);
	xml_end(x);
}

/* Write <style>, and <defs> with the hatches of new and gone boxes. */
static void add_style(struct svg_svg *s)
{
	struct buf css = { 0 };

	add_rules(s, &css);
	xml_newline(&s->xml);
	xml_begin(&s->xml, "style");
	xml_cdata(&s->xml, buf_text(&css));
	xml_end(&s->xml);
	xml_begin(&s->xml, "defs");
	for (int i = 0; i < FLAME_COLORS; i++) {
		if (s->palette.used_new[i])
			add_hatch(s, 'n', i);
		if (s->palette.used_gone[i])
			add_hatch(s, 'g', i);
	}
	xml_end(&s->xml);
	buf_release(&css);
}

/* Clear a buffer. */
static void svg_clear(struct buf *b)
{
	b->len = 0;
	buf_addz(b, "");
}

enum { LINES_MAX = 3, SWATCH = 14 * PX, GAP = 20 * PX, LEGEND_COLUMNS = 48 };

/* The first n bytes of a text as a string; valid until the next call. */
static const char *part(struct svg_svg *s, const char *text, size_t n)
{
	svg_clear(&s->text);
	buf_add(&s->text, text, n);
	return buf_text(&s->text);
}

/* The length of the words of a text that fit into a number of columns; 0 if not even the first word fits. */
static size_t fitting_length(struct svg_svg *s, const char *text, size_t columns)
{
	size_t fits = 0;

	for (size_t at = 0;; at++) {
		at += strcspn(text + at, " ");
		if (column_count(part(s, text, at)) > columns)
			return fits;
		fits = at;
		if (!text[at])
			return fits;
	}
}

static void svg_add_line(struct svg_svg *s, int64_t y, const char *text)
{
	xml_begin(&s->xml, "text");
	xml_number(&s->xml, "y", y);
	xml_text(&s->xml, text);
	xml_end(&s->xml);
}

/* Write a text on at most LINES_MAX lines, and cut the last line if necessary. Returns the height. */
static int64_t svg_add_lines(struct svg_svg *s, int64_t y, const char *class, const char *text, int64_t column,
			     int64_t line)
{
	size_t columns = (size_t)((s->width - 2 * MARGIN) / column), n;
	int64_t height = 0;
	char place[64];

	if (!*text)
		return 0;
	xml_newline(&s->xml);
	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "class", class);
	snprintf(place, sizeof(place), "translate(%d %lld)", MARGIN / PX, (long long)(y / PX));
	xml_attribute(&s->xml, "transform", place);
	xml_attribute(&s->xml, "data-text", text);
	for (int i = 1; *text; i++, text += n + (text[n] == ' ')) {
		n = i < LINES_MAX ? fitting_length(s, text, columns) : 0;
		height += line;
		if (n > 0) {
			svg_add_line(s, height - line / 4, part(s, text, n));
			continue;
		}
		svg_clear(&s->text);
		flame_add_truncated(text, columns, &s->text);
		svg_add_line(s, height - line / 4, buf_text(&s->text));
		n = strlen(text);
	}
	xml_end(&s->xml);
	return height;
}

/* Write the text above the boxes, from y. Returns its height. */
static int64_t svg_add_head(struct svg_svg *s, int64_t y)
{
	int64_t height;

	svg_clear(&s->name);
	flame_add_title(s->r, s->style, &s->name);
	height = svg_add_lines(s, y, "title", buf_text(&s->name), COLUMN_BIG, LINE + 4 * PX);
	svg_clear(&s->name);
	flame_add_subtitle(s->r, &s->name);
	return height + svg_add_lines(s, y + height, "sub", buf_text(&s->name), COLUMN, LINE);
}

static int64_t svg_add_note(struct svg_svg *s, int64_t y)
{
	svg_clear(&s->name);
	flame_add_note(s->r, s->style, &s->name);
	return svg_add_lines(s, y, "note", buf_text(&s->name), COLUMN, LINE);
}

static void add_swatch(struct svg_svg *s, const struct flame_legend *e)
{
	const char *sign = e->sign == '+' || e->sign == '-' ? flame_sign(e->sign) : "";

	svg_clear(&s->text);
	svg_add_class(&s->text, e->color, e->sign);
	xml_begin(&s->xml, "rect");
	xml_attribute(&s->xml, "class", buf_text(&s->text));
	xml_number(&s->xml, "width", SWATCH);
	xml_number(&s->xml, "height", SWATCH);
	xml_end(&s->xml);
	if (!*sign)
		return;
	svg_clear(&s->text);
	buf_addf(&s->text, "t%d", e->color);
	xml_begin(&s->xml, "text");
	xml_attribute(&s->xml, "class", buf_text(&s->text));
	xml_number(&s->xml, "x", (SWATCH - COLUMN) / 2);
	xml_number(&s->xml, "y", 11 * PX);
	xml_text(&s->xml, sign);
	xml_end(&s->xml);
}

/* Begin an entry of the legend at x and y, or on the next line; x advances to the next entry. */
static void begin_entry(struct svg_svg *s, int64_t width, int64_t *x, int64_t *y)
{
	char place[64];

	if (*x > MARGIN && *x + width > s->width - MARGIN) {
		*x = MARGIN;
		*y += LINE;
	}
	snprintf(place, sizeof(place), "translate(%lld %lld)", (long long)(*x / PX), (long long)(*y / PX));
	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "transform", place);
	*x += width + GAP;
}

/* Write the legend: entries side by side, on as many lines as they need. Returns its height. */
static int64_t svg_add_legend(struct svg_svg *s, int64_t y)
{
	const char *width_text = flame_width_text(s->r->flame);
	int64_t x = MARGIN, top = y;

	if (!s->n_legend)
		return 0;
	xml_newline(&s->xml);
	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "class", "legend");
	for (size_t i = 0; i < s->n_legend; i++) {
		svg_clear(&s->name);
		flame_add_truncated(s->legend[i].text, LEGEND_COLUMNS, &s->name);
		begin_entry(s, SWATCH + 5 * PX + (int64_t)column_count(buf_text(&s->name)) * COLUMN, &x, &y);
		add_swatch(s, &s->legend[i]);
		xml_begin(&s->xml, "text");
		xml_number(&s->xml, "x", SWATCH + 5 * PX);
		xml_number(&s->xml, "y", 11 * PX);
		xml_text(&s->xml, buf_text(&s->name));
		xml_end(&s->xml);
		xml_end(&s->xml);
	}
	if (*width_text) {
		begin_entry(s, (int64_t)column_count(width_text) * COLUMN, &x, &y);
		xml_begin(&s->xml, "text");
		xml_attribute(&s->xml, "class", "soft");
		xml_number(&s->xml, "y", 11 * PX);
		xml_text(&s->xml, width_text);
		xml_end(&s->xml);
		xml_end(&s->xml);
	}
	xml_end(&s->xml);
	return y + LINE - top;
}

enum {
	ROW = 18,
	BYTES_PER_BOX = 256, /* about */
	BOXES_PER_THREAD = 4000,
	ROW_MIN = 2,
	ROW_TEXT = 14,
	MAX_HEIGHT = 32000
};

/* Narrower boxes have no border, since it would hide them. */
enum { BORDER_MIN = 2 * PX };

/* Convert a position in the layout to a position in the picture. */
static int64_t svg_x_of(const struct svg_svg *s, int64_t at)
{
	__int128 span = s->width - 2 * MARGIN;

	return MARGIN + (int64_t)((2 * span * at + s->l.span) / (2 * (__int128)s->l.span));
}

static void svg_add_label(struct svg_boxes *b, const struct flame_tile *t, int64_t x, int64_t width)
{
	svg_clear(&b->text);
	flame_add_label(b->s->r->flame, t, (size_t)((width - 2 * PAD + PX) / COLUMN), &b->text);
	if (b->text.len == 0)
		return;
	buf_addz(b->out, "<text");
	if (b->s->palette.own_ink[t->color])
		buf_addf(b->out, " class=\"t%d\"", t->color);
	xml_add_number(b->out, "x", x + PAD);
	xml_add_number(b->out, "y", (b->s->row - PX) / 2 + 4 * PX + 500);
	buf_addz(b->out, ">");
	xml_add_text(b->out, buf_text(&b->text));
	buf_addz(b->out, "</text>");
}

/* A copy of the scratch buffer as XML. n: set to its length */
static const char *svg_copy(struct svg_boxes *b, size_t *n)
{
	size_t start = b->out->len;
	const char *copy;

	xml_add_text(b->out, buf_text(&b->text));
	*n = b->out->len - start;
	copy = arena_strndup(b->mem, b->out->data + start, *n);
	b->out->len = start;
	return copy;
}

static const struct svg_details *svg_details_of(struct svg_boxes *b, uint32_t box)
{
	const struct flame *f = b->s->r->flame;
	struct svg_details *d = &b->details[f->frame[box]];

	if (d->name)
		return d;
	svg_clear(&b->text);
	flame_add_name(f, box, &b->text);
	buf_addz(&b->text, "\n");
	d->name = svg_copy(b, &d->n_name);
	svg_clear(&b->text);
	flame_add_where(&f->frames[f->frame[box]], &b->text);
	d->where = svg_copy(b, &d->n_where);
	return d;
}

/* Append the details of a box, without the last newline. Like flame_add_details */
static void svg_add_details(struct svg_boxes *b, uint32_t box)
{
	const struct flame *f = b->s->r->flame;
	bool is_frame = !f->n_rest[box] && f->frame[box] != FLAME_NONE;
	const struct svg_details *d = is_frame ? svg_details_of(b, box) : NULL;

	svg_clear(&b->text);
	if (!d) {
		flame_add_details(b->s->r, box, &b->text);
		xml_add_text(b->out, buf_text(&b->text));
	} else {
		flame_add_values(b->s->r, box, &b->text);
		buf_add(b->out, d->name, d->n_name);
		xml_add_text(b->out, buf_text(&b->text));
		buf_add(b->out, d->where, d->n_where);
		buf_addz(b->out, f->inlined[box] ? FLAME_INLINED : "");
	}
	while (b->out->len && b->out->data[b->out->len - 1] == '\n')
		b->out->data[--b->out->len] = '\0';
}

static void svg_add_box(struct svg_boxes *b, const struct flame_tile *t)
{
	int64_t x = svg_x_of(b->s, t->x), width = svg_x_of(b->s, t->x + t->width) - x;

	buf_addz(b->out, "\n<rect class=\"");
	svg_add_class(b->out, t->color, t->sign);
	buf_addz(b->out, t->sign == '+' ? " u" : t->sign == '-' ? " d" : "");
	buf_addz(b->out, width >= BORDER_MIN ? " w\"" : "\"");
	xml_add_number(b->out, "x", x);
	xml_add_number(b->out, "width", width);
	xml_add_number(b->out, "height", b->s->row > 4 * PX ? b->s->row - PX : b->s->row);
	buf_addz(b->out, "><title>");
	svg_add_details(b, t->box);
	buf_addz(b->out, "</title></rect>");
	if (width >= COLUMN + 2 * PAD - PX && b->s->row >= ROW_TEXT * PX)
		svg_add_label(b, t, x, width);
}

/* Write the boxes of a thread, and the start and end of levels. */
static void svg_boxes_run(void *arg, unsigned number)
{
	struct svg_boxes *b = &((struct svg_boxes *)arg)[number];
	const struct svg_svg *s = b->s;

	b->mem = arena_new();
	b->details = arena_zalloc(b->mem, s->r->flame->n_frames, sizeof(*b->details));
	buf_room(b->out, (size_t)(b->end - b->first) * BYTES_PER_BOX);
	for (uint32_t i = b->first; i < b->end; i++) {
		const struct flame_tile *t = &s->l.tile[i];

		if (i == 0 || t->level != t[-1].level) {
			int64_t at = s->style->icicle ? t->level : s->l.n_levels - 1 - t->level;

			buf_addz(b->out, i ? "</g>\n<g transform=\"" : "\n<g transform=\"");
			buf_addf(b->out, "translate(0 %lld)\">", (long long)(at * s->row / PX));
		}
		svg_add_box(b, t);
	}
	buf_addz(b->out, b->end == s->l.n ? "</g>" : "");
	buf_release(&b->text);
	arena_free(b->mem);
}

/* Write all boxes, on several threads if there are many. */
static void svg_add_boxes(struct svg_svg *s)
{
	unsigned wish = s->l.n / BOXES_PER_THREAD + 1, n = wish < pool_size() ? wish : pool_size();
	struct svg_boxes *b = mem_zalloc(n, sizeof(*b));
	struct buf *out = xml_flush(&s->xml);

	for (unsigned i = 0; i < n; i++) {
		b[i].s = s;
		b[i].first = (uint32_t)((uint64_t)s->l.n * i / n);
		b[i].end = (uint32_t)((uint64_t)s->l.n * (i + 1) / n);
		b[i].out = i ? &b[i].own : out;
	}
	pool_run(svg_boxes_run, b, n);
	for (unsigned i = 1; i < n; i++) {
		buf_add(out, b[i].own.data, b[i].own.len);
		buf_release(&b[i].own);
	}
	free(b);
}

/* Write all levels below y. Returns their height. */
static int64_t svg_add_rows(struct svg_svg *s, int64_t y)
{
	char text[64];

	xml_newline(&s->xml);
	xml_begin(&s->xml, "g");
	snprintf(text, sizeof(text), "rows%s%s", s->style->icicle ? " icicle" : "",
		 s->r->flame->has_base ? " diff" : "");
	xml_attribute(&s->xml, "class", text);
	snprintf(text, sizeof(text), "translate(0 %lld)", (long long)(y / PX));
	xml_attribute(&s->xml, "transform", text);
	xml_number(&s->xml, "data-row", s->row);
	xml_number(&s->xml, "data-levels", (int64_t)s->l.n_levels * PX);
	if (s->l.span > 0 && s->l.n > 0 && s->xml.writer)
		svg_add_boxes(s);
	xml_end(&s->xml);
	return s->row * s->l.n_levels;
}

/* Start the picture, with a title for screen readers and the window. */
static void svg_begin(struct svg_svg *s, int64_t height)
{
	struct buf b = { 0 };

	xml_begin(&s->xml, "svg");
	xml_attribute(&s->xml, "xmlns", "http://www.w3.org/2000/svg");
	xml_attribute(&s->xml, "class", "page");
	xml_number(&s->xml, "width", s->width);
	xml_number(&s->xml, "height", height);
	buf_addf(&b, "0 0 %lld %lld", (long long)(s->width / PX), (long long)(height / PX));
	xml_attribute(&s->xml, "viewBox", buf_text(&b));
	xml_attribute(&s->xml, "role", "img");
	svg_clear(&b);
	flame_add_title(s->r, s->style, &b);
	xml_attribute(&s->xml, "aria-label", buf_text(&b));
	xml_begin(&s->xml, "title");
	xml_text(&s->xml, buf_text(&b));
	xml_end(&s->xml);
	svg_clear(&b);
	flame_add_subtitle(s->r, &b);
	xml_begin(&s->xml, "desc");
	xml_text(&s->xml, buf_text(&b));
	xml_end(&s->xml);
	buf_release(&b);
}

/* Write everything, or without a writer only measure. Returns the height. */
static int64_t svg_add_parts(struct svg_svg *s)
{
	int64_t y = 8 * PX;

	y += svg_add_head(s, y) + 4 * PX;
	y += svg_add_legend(s, y) + 6 * PX;
	y += svg_add_rows(s, y) + 2 * PX;
	y += svg_add_note(s, y);
	return y + 8 * PX;
}

static int64_t svg_measure(struct svg_svg *s)
{
	struct _xmlTextWriter *writer = s->xml.writer;
	int64_t height;

	s->xml.writer = NULL;
	height = svg_add_parts(s);
	s->xml.writer = writer;
	s->xml.failed = false;
	return height;
}

static void svg_svg_draw(struct svg_svg *s)
{
	svg_begin(s, svg_measure(s));
	add_style(s);
	xml_newline(&s->xml);
	xml_begin(&s->xml, "rect");
	xml_attribute(&s->xml, "class", "b");
	xml_attribute(&s->xml, "width", "100%");
	xml_attribute(&s->xml, "height", "100%");
	xml_end(&s->xml);
	svg_add_parts(s);
	xml_newline(&s->xml);
	xml_begin(&s->xml, "script");
	xml_cdata(&s->xml, script);
	xml_end(&s->xml);
	xml_end(&s->xml);
}

int svg_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err)
{
	struct svg_svg s = { .r = r, .style = style, .width = llround(style->width) * PX };
	struct arena *mem;
	int rc = xml_open(&s.xml, "SVG", out, err);

	assert(r->flame && style && out);
	if (rc < 0)
		return rc;
	mem = arena_new();
	flame_lay_out(r->flame, style, mem, &s.l);
	s.n_legend = flame_legend(r, style, mem, &s.legend);
	s.row = MAX_HEIGHT / s.l.n_levels;
	s.row = (s.row > ROW ? ROW : s.row < ROW_MIN ? ROW_MIN : s.row) * PX;
	find_colors(&s);
	buf_room(out, (size_t)s.l.n * BYTES_PER_BOX);
	svg_svg_draw(&s);
	rc = xml_close(&s.xml, err);
	arena_free(mem);
	buf_release(&s.name);
	buf_release(&s.text);
	return rc;
}

/*
 * svg.c - call graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Colours are in attributes, so they also appear where a policy forbids styles or a program supports few of them. The
 * style sheet replaces them by those of the theme: classes k1 to k8 are shares of the total, "down" is a decrease.
 */
#include "config.h"

#include "viewers/graph/callgraph.h"

#include "base/columns.h"
#include "base/utf8.h"
#include "report/head.h"
#include "viewers/flame/flame.h"
#include "viewers/graph/callgraph.css.h"
#include "viewers/graph/layout.h"
#include "viewers/text/text.h"
#include "viewers/xml/xml.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Lengths in thousandths of a point, except for the limits. */
enum {
	PX = 1000,
	MARGIN = 8 * PX,
	PAD_X = 6 * PX,
	PAD_Y = 4 * PX,
	HEAD_FONT = 12,
	HEAD_LINE = 16 * PX,
	ARROW = 10,     /* points; space that Graphviz leaves for the head of an arrow */
	FONT_EXTRA = 2, /* fonts are larger than those of pprof, whose smallest text is hard to read */
	LINES_MAX = 14, /* lines of a box; if there are more, middle ones are left out */
	LINE_COLUMNS = 60,
	TITLE_BYTES = 2000,
	NAME_BYTES = 900,  /* bytes of each name in the title of a call */
	LABELS_MAX = 1000, /* boxes of a graph with labels; labels are left out of larger graphs */
};

static const char inline_text[] = "(inline)";

/* Width of a column of text of size 1: DejaVu Sans Mono has 0.602 em. Distance of its lines. */
static const double column_em = 0.602, line_em = 1.2;

/* Colours of a file, which a web page has in its own style sheet. */
static const char file_colors[] =
	":root{--paper:#fff;--panel:#f4f5f7;--edge:#8a919c;--ink:#1a1a1a;--focus:#0b57d0;--more:#a63c00;--less:#0b57a4;"
	"--hot:#f0736b;--cold:#7fb0ee}"
	"@media screen and "
	"(prefers-color-scheme:dark){:root{--paper:#1b1b1b;--panel:#262626;--edge:#858585;--ink:#ececec;"
	"--focus:#8ab4f8;--more:#ff9f5a;--less:#74b6ff;--hot:#96281f;--cold:#24509a}}\n";

/* The lines of a box. */
struct svg_lines {
	uint32_t n;
	const char *line[LINES_MAX];
	size_t columns; /* of the widest line */
};

struct graph_svg {
	const struct callgraph *g;
	const struct callgraph_style *style;
	struct layout layout;
	const struct callgraph_box **box; /* [layout.n_boxes] */
	struct svg_lines *lines;          /* [layout.n_boxes] */
	int *font;                        /* [layout.n_boxes] */
	uint32_t *drawn;                  /* [g->n] index of a box in layout.box */
	uint32_t n_labels;                /* arrows that attach labels; calls follow */
	struct arena *mem;
	struct row_places places;
	struct xml xml;
	struct buf text; /* scratch buffer */
	int64_t dy;      /* height of the head */
};

static struct buf *clear_text(struct graph_svg *s)
{
	s->text.len = 0;
	return &s->text;
}

/* Convert points to thousandths. */
static int64_t px(double points)
{
	return llround(points * PX);
}

static int64_t font_px(int font, double em, size_t n)
{
	return px(font * em * (double)n);
}

/* ---- sizes ---- */

/* Replace the text of a line that is left out; NULL to skip the line. n: number of lines of the box. */
static const char *shown_line(const char *line, uint32_t i, uint32_t n)
{
	enum { HALF = LINES_MAX / 2 };

	if (n <= LINES_MAX || i < HALF || i > n - LINES_MAX + HALF)
		return line;
	return i == HALF ? "…" : NULL;
}

/* Split the text of a box into lines, with limits on their length and number. */
static void split_lines(struct graph_svg *s, const struct callgraph_box *b, struct svg_lines *out)
{
	struct buf line = { 0 };
	uint32_t n = 1, i = 0;

	s->text.len = 0;
	callgraph_add_text(s->g, b, &s->text);
	for (size_t k = 0; k < s->text.len; k++)
		n += s->text.data[k] == '\n';
	for (char *at = s->text.data, *end; at; at = end, i++) {
		const char *shown;

		end = strchr(at, '\n');
		if (end)
			*end++ = '\0';
		shown = shown_line(at, i, n);
		if (!shown)
			continue;
		line.len = 0;
		flame_add_truncated(shown, LINE_COLUMNS, &line);
		out->line[out->n++] = arena_strndup(s->mem, buf_text(&line), line.len);
		if (column_count(buf_text(&line)) > out->columns)
			out->columns = column_count(buf_text(&line));
	}
	buf_release(&line);
}

static void graph_svg_add_box(struct graph_svg *s, const struct callgraph_box *b)
{
	uint32_t i = s->layout.n_boxes++;
	struct svg_lines *lines = &s->lines[i];

	s->box[i] = b;
	s->drawn[b - s->g->box] = i;
	split_lines(s, b, lines);
	s->font[i] = b->font + FONT_EXTRA;
	s->layout.box[i].width = (double)(font_px(s->font[i], column_em, lines->columns) + 2 * PAD_X) / PX;
	s->layout.box[i].height = (double)(font_px(s->font[i], line_em, lines->n) + 2 * PAD_Y) / PX;
}

/* Reserve space for a label: a value, and "(inline)" below it. */
static void set_label(struct graph_svg *s, int64_t value, bool is_inlined, struct layout_arrow *a)
{
	size_t columns;

	s->text.len = 0;
	callgraph_add_value(s->g, value, &s->text);
	columns = column_count(buf_text(&s->text)) + 1;
	if (is_inlined && columns < strlen(inline_text) + 1)
		columns = strlen(inline_text) + 1;
	a->columns = columns < LAYOUT_COLUMNS_MAX ? (uint32_t)columns : LAYOUT_COLUMNS_MAX;
	a->lines = is_inlined ? 2 : 1;
}

/* Fill in the sizes of boxes and labels. Labels of samples are left out of a large graph. */
static void graph_svg_measure(struct graph_svg *s)
{
	const struct callgraph *g = s->g;
	bool has_labels = g->n <= LABELS_MAX;

	s->box = arena_alloc(s->mem, g->n, sizeof(*s->box));
	s->lines = arena_zalloc(s->mem, g->n, sizeof(*s->lines));
	s->drawn = arena_alloc(s->mem, g->n, sizeof(*s->drawn));
	s->font = arena_alloc(s->mem, g->n, sizeof(*s->font));
	s->layout.box = arena_zalloc(s->mem, g->n, sizeof(*s->layout.box));
	s->layout.arrow = arena_zalloc(s->mem, (size_t)g->n + g->n_calls, sizeof(*s->layout.arrow));
	for (uint32_t i = 0; i < g->n; i++) {
		const struct callgraph_box *b = &g->box[i];
		struct layout_arrow *a = &s->layout.arrow[s->n_labels];

		if (b->label && !has_labels)
			continue;
		graph_svg_add_box(s, b);
		if (!b->label)
			continue;
		*a = (struct layout_arrow){ .from = s->drawn[b->parent], .to = s->drawn[i], .weight = 100 };
		set_label(s, b->weight, false, a);
		s->n_labels++;
	}
	for (uint32_t i = 0; i < g->n_calls; i++) {
		const struct edge *e = g->call[i];
		const struct callgraph_box *from = callgraph_box_of(g, e->src), *to = callgraph_box_of(g, e->dst);
		struct layout_arrow *a = &s->layout.arrow[s->n_labels + i];
		int64_t weight = callgraph_weight(e);

		*a = (struct layout_arrow){ .from = s->drawn[from - g->box],
					    .to = s->drawn[to - g->box],
					    .weight = callgraph_thickness(g, weight, CALLGRAPH_WEIGHT_MAX),
					    .is_long = has_labels && from->has_labels };
		set_label(s, weight, e->inlined, a);
	}
	s->layout.n_arrows = s->n_labels + g->n_calls;
}

/* ---- drawing ---- */

static void graph_svg_add_color(struct graph_svg *s, const char *attribute, uint32_t color)
{
	char text[16];

	snprintf(text, sizeof(text), "#%06" PRIx32, color);
	xml_attribute(&s->xml, attribute, text);
}

/* The class of an element whose colour shows a value. */
static void graph_svg_add_class(struct graph_svg *s, int64_t value)
{
	int step = callgraph_step(s->g, value);
	char text[32];

	snprintf(text, sizeof(text), "k%d%s", step < 0 ? -step : step, step < 0 ? " down" : "");
	xml_attribute(&s->xml, "class", text);
}

static void graph_svg_add_title(struct graph_svg *s, const char *text, size_t n)
{
	struct buf title = { 0 };

	utf8_add_short(&title, text, n, TITLE_BYTES);
	xml_begin(&s->xml, "title");
	xml_text(&s->xml, buf_text(&title));
	xml_end(&s->xml);
	buf_release(&title);
}

/* Write a line of text; y is the top of the line. A font of 0 is that of the group. */
static void graph_svg_add_line(struct graph_svg *s, const char *text, int64_t x, int64_t y, int font)
{
	xml_begin(&s->xml, "text");
	xml_number(&s->xml, "x", x);
	xml_number(&s->xml, "y", y + px(0.92 * font));
	xml_text(&s->xml, text);
	xml_end(&s->xml);
}

static void add_point(struct graph_svg *s, double x, double y)
{
	int64_t at[2] = { px(x), px(y) };

	for (int i = 0; i < 2; i++) {
		uint64_t size = at[i] < 0 ? 0 - (uint64_t)at[i] : (uint64_t)at[i];

		buf_addf(&s->text, "%s%s%" PRIu64 ".%02d", i ? "," : " ", at[i] < 0 ? "-" : "", size / PX,
			 (int)(size % PX / 10));
	}
}

static void add_curve(struct graph_svg *s, const struct layout_arrow *a)
{
	buf_addz(clear_text(s), "M");
	for (uint32_t i = 0; i < a->n_points; i++) {
		if (i % 3 == 1)
			buf_addz(&s->text, " C");
		add_point(s, a->point[i].x, a->point[i].y);
	}
	xml_attribute(&s->xml, "d", buf_text(&s->text));
}

/* Write the head of an arrow: a triangle from the end of the curve, in its direction. */
static void graph_svg_add_head(struct graph_svg *s, const struct layout_arrow *a, int width, uint32_t color)
{
	const struct layout_point *end = &a->point[a->n_points - 1];
	double x = 0, y = 0, length = 0, half = 3 + width / 2.0;

	for (uint32_t i = a->n_points - 1; i-- > 0 && length < 0.01;) {
		x = end->x - a->point[i].x;
		y = end->y - a->point[i].y;
		length = hypot(x, y);
	}
	if (length <= 0)
		return;
	x /= length;
	y /= length;
	clear_text(s);
	add_point(s, end->x + ARROW * x, end->y + ARROW * y);
	add_point(s, end->x - half * y, end->y + half * x);
	add_point(s, end->x + half * y, end->y - half * x);
	xml_begin(&s->xml, "polygon");
	xml_attribute(&s->xml, "points", buf_text(&s->text) + 1);
	graph_svg_add_color(s, "fill", color);
	xml_end(&s->xml);
}

/* Write an arrow with its label; color is that of its line. */
static void add_arrow(struct graph_svg *s, const struct layout_arrow *a, int64_t value, int width, bool is_dotted,
		      uint32_t color)
{
	int64_t top = px(a->label.y) - font_px(LAYOUT_FONT, line_em, a->lines) / 2;

	xml_begin(&s->xml, "path");
	xml_attribute(&s->xml, "fill", "none");
	graph_svg_add_color(s, "stroke", color);
	if (width > 1)
		xml_number(&s->xml, "stroke-width", width * PX);
	if (is_dotted)
		xml_attribute(&s->xml, "stroke-dasharray", "2,4");
	add_curve(s, a);
	xml_end(&s->xml);
	graph_svg_add_head(s, a, width, color);
	callgraph_add_value(s->g, value, clear_text(s));
	graph_svg_add_line(s, buf_text(&s->text), px(a->label.x), top, LAYOUT_FONT);
	if (a->lines > 1)
		graph_svg_add_line(s, inline_text, px(a->label.x), top + font_px(LAYOUT_FONT, line_em, 1), LAYOUT_FONT);
}

/* Write the line that attaches labels to their box. */
static void add_label_arrow(struct graph_svg *s, const struct layout_arrow *a)
{
	const struct callgraph_box *b = s->box[a->to];

	xml_newline(&s->xml);
	xml_begin(&s->xml, "g");
	add_arrow(s, a, b->weight, 1, b->is_part, 0);
	xml_end(&s->xml);
}

/* Append the name of a shown node of the net. */
static void graph_svg_add_short_name(const struct graph_svg *s, uint32_t node, struct buf *out)
{
	const char *name = s->g->net->shown.name[s->g->net->position[node] - 1];
	struct buf safe = { 0 };

	utf8_add_safe(&safe, name, strlen(name));
	utf8_add_short(out, buf_text(&safe), safe.len, NAME_BYTES);
	buf_release(&safe);
}

static void graph_svg_add_call(struct graph_svg *s, const struct layout_arrow *a, const struct edge *e)
{
	int64_t weight = callgraph_weight(e);
	struct buf *title = clear_text(s);

	xml_newline(&s->xml);
	xml_begin(&s->xml, "g");
	graph_svg_add_class(s, weight);
	graph_svg_add_short_name(s, e->src, title);
	buf_addz(title, e->residual ? " ... " : " → ");
	graph_svg_add_short_name(s, e->dst, title);
	buf_addz(title, " (");
	callgraph_add_value(s->g, weight, title);
	buf_addz(title, e->inlined ? ", inlined)" : ")");
	graph_svg_add_title(s, title->data, title->len);
	add_arrow(s, a, weight, callgraph_thickness(s->g, weight, CALLGRAPH_WIDTH_MAX), e->residual,
		  callgraph_color(s->g, weight, false));
	xml_end(&s->xml);
}

/* Begin the group of a box: a link if the page has one for it. */
static void begin_box(struct graph_svg *s, const struct callgraph_box *b)
{
	const struct net *net = s->g->net;
	bool is_link = !b->label && s->style->add_link;

	xml_newline(&s->xml);
	xml_begin(&s->xml, is_link ? "a" : "g");
	if (is_link) {
		struct row_place place = row_places_of(&s->places, nodes_place(&net->nodes, net->shown.node[b->node]));

		s->style->add_link(s->style->arg, &place, clear_text(s));
		xml_attribute(&s->xml, "href", buf_text(&s->text));
	}
	if (b->label)
		xml_attribute(&s->xml, "class", "label");
	else
		graph_svg_add_class(s, b->weight);
}

static void add_box_title(struct graph_svg *s, const struct callgraph_box *b)
{
	struct buf *title = clear_text(s);

	if (b->label)
		callgraph_add_text(s->g, b, title);
	else
		utf8_add_safe(title, s->g->net->shown.name[b->node], strlen(s->g->net->shown.name[b->node]));
	buf_addz(title, " (");
	callgraph_add_value(s->g, b->weight, title);
	buf_addz(title, ")");
	graph_svg_add_title(s, title->data, title->len);
}

static void draw_box(struct graph_svg *s, uint32_t i)
{
	const struct callgraph_box *b = s->box[i];
	const struct layout_box *at = &s->layout.box[i];
	const struct svg_lines *lines = &s->lines[i];
	int64_t y = px(at->at.y) - font_px(s->font[i], line_em, lines->n) / 2;

	begin_box(s, b);
	add_box_title(s, b);
	xml_begin(&s->xml, "rect");
	xml_number(&s->xml, "x", px(at->at.x - at->width / 2));
	xml_number(&s->xml, "y", px(at->at.y - at->height / 2));
	xml_number(&s->xml, "width", px(at->width));
	xml_number(&s->xml, "height", px(at->height));
	graph_svg_add_color(s, "fill", b->label ? 0xf8f8f8 : callgraph_color(s->g, b->weight, true));
	graph_svg_add_color(s, "stroke", b->label ? 0 : callgraph_color(s->g, b->weight, false));
	if (b->label)
		xml_number(&s->xml, "rx", 4 * PX);
	xml_end(&s->xml);
	xml_begin(&s->xml, "g");
	xml_number(&s->xml, "font-size", s->font[i] * PX);
	for (uint32_t k = 0; k < lines->n; k++)
		graph_svg_add_line(s, lines->line[k], px(at->at.x), y + font_px(s->font[i], line_em, k), s->font[i]);
	xml_end(&s->xml);
	xml_end(&s->xml);
}

/* Write the head of the report at the top left of a file. */
static void add_head_lines(struct graph_svg *s, const char *head)
{
	struct buf line = { 0 };
	int64_t y = MARGIN;

	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "text-anchor", "start");
	for (size_t n; *head; head += n + (head[n] == '\n'), y += HEAD_LINE) {
		struct buf safe = { 0 };

		n = strcspn(head, "\n");
		line.len = 0;
		utf8_add_safe(&safe, head, n);
		flame_add_truncated(buf_text(&safe), 2 * LINE_COLUMNS, &line);
		graph_svg_add_line(s, buf_text(&line), MARGIN, y, HEAD_FONT);
		buf_release(&safe);
	}
	xml_end(&s->xml);
	buf_release(&line);
}

static void graph_svg_begin(struct graph_svg *s, int64_t width, int64_t height)
{
	const struct head *h = &s->g->r->head;
	struct buf *b = clear_text(s);

	xml_begin(&s->xml, "svg");
	xml_attribute(&s->xml, "xmlns", "http://www.w3.org/2000/svg");
	xml_attribute(&s->xml, "class", "callgraph");
	xml_number(&s->xml, "width", width);
	xml_number(&s->xml, "height", height);
	buf_addf(b, "0 0 %" PRId64 " %" PRId64, width / PX, height / PX);
	xml_attribute(&s->xml, "viewBox", buf_text(b));
	xml_attribute(&s->xml, "role", s->style->add_link ? "group" : "img");
	buf_addz(clear_text(s), "Call graph: ");
	utf8_add_safe(b, h->file, strlen(h->file));
	buf_addz(b, *h->file ? " " : "");
	utf8_add_safe(b, h->type, strlen(h->type));
	xml_attribute(&s->xml, "aria-label", buf_text(b));
	xml_attribute(&s->xml, "font-family", "DejaVu Sans Mono,Menlo,Consolas,Liberation Mono,monospace");
	xml_number(&s->xml, "font-size", LAYOUT_FONT * PX);
	xml_attribute(&s->xml, "text-anchor", "middle");
	if (s->style->is_element)
		return;
	graph_svg_add_title(s, buf_text(b), b->len);
	xml_begin(&s->xml, "style");
	xml_text(&s->xml, file_colors);
	xml_text(&s->xml, CALLGRAPH_STYLE);
	xml_end(&s->xml);
}

static void draw_graph(struct graph_svg *s)
{
	char move[64];

	snprintf(move, sizeof(move), "translate(%d %" PRId64 ")", MARGIN / PX, s->dy / PX);
	xml_newline(&s->xml);
	xml_begin(&s->xml, "g");
	xml_attribute(&s->xml, "transform", move);
	for (uint32_t i = 0; i < s->n_labels; i++)
		add_label_arrow(s, &s->layout.arrow[i]);
	for (uint32_t i = 0; i < s->g->n_calls; i++)
		graph_svg_add_call(s, &s->layout.arrow[s->n_labels + i], s->g->call[i]);
	for (uint32_t i = 0; i < s->layout.n_boxes; i++)
		draw_box(s, i);
	xml_end(&s->xml);
}

static void graph_svg_draw(struct graph_svg *s)
{
	int64_t width = px(s->layout.width) + 2 * MARGIN, head_width = 0;
	struct buf head = { 0 };

	s->dy = MARGIN;
	if (!s->style->is_element)
		text_add_head(s->g->r, true, &head);
	for (const char *at = buf_text(&head); *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n')) {
		int64_t line = font_px(HEAD_FONT, column_em, strcspn(at, "\n"));

		head_width = line > head_width ? line : head_width;
		s->dy += HEAD_LINE;
	}
	width = head_width + 2 * MARGIN > width ? head_width + 2 * MARGIN : width;
	graph_svg_begin(s, (width + PX - 1) / PX * PX, (px(s->layout.height) + s->dy + MARGIN + PX - 1) / PX * PX);
	if (!s->style->is_element) {
		xml_begin(&s->xml, "rect");
		xml_attribute(&s->xml, "class", "paper");
		xml_attribute(&s->xml, "width", "100%");
		xml_attribute(&s->xml, "height", "100%");
		graph_svg_add_color(s, "fill", 0xffffff);
		xml_end(&s->xml);
		add_head_lines(s, buf_text(&head));
	}
	draw_graph(s);
	xml_end(&s->xml);
	buf_release(&head);
}

int callgraph_draw_svg(const struct callgraph *g, const struct callgraph_style *style, const struct stop *stop,
		       struct buf *out, struct err *err)
{
	struct graph_svg s = { .g = g, .style = style };
	int rc;

	if (g->net->shown.n > CALLGRAPH_NODES_MAX)
		return err_set(err, ERR_LIMIT,
			       "a call graph of %" PRIu32 " nodes is too large; show at most %d (nodecount)",
			       g->net->shown.n, CALLGRAPH_NODES_MAX);
	s.mem = arena_new();
	row_places_init(&s.places, &g->net->places, s.mem);
	graph_svg_measure(&s);
	rc = layout_make(&s.layout, stop, s.mem, err);
	if (rc == 0)
		rc = style->is_element ? xml_open_element(&s.xml, "SVG", out, err) : xml_open(&s.xml, "SVG", out, err);
	if (rc == 0) {
		graph_svg_draw(&s);
		rc = xml_close(&s.xml, err);
	}
	buf_release(&s.text);
	arena_free(s.mem);
	return rc;
}

/*
 * view_flame_draw.c - the boxes of the flame graph as cells
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A row of cells is a level. Each box begins with a border, so that neighbours of one colour can be told apart
 * where there are few colours or none; the part of a cell at its right end is drawn in eighths.
 */
#include "config.h"

#include "viewers/shell/view_flame.h"

#include <stdlib.h>

enum {
	EIGHTHS = 8,
	FULL_BLOCK = 0x2588, /* those of 7/8 to 1/8 follow */
	HALF_BLOCK = 0x258c,
	EDGE = 0x258f, /* an eighth, at the left side of a cell */
	LINE = 0x2502,
	DOT = 0xb7,
	POINTER = 0x25ba,
	STAR = '*',
	/* Rows of the pane from which there is a line of what is zoomed, one and two of what is selected, of colours. */
	ROWS_CRUMBS = 6,
	ROWS_DETAIL = 3,
	ROWS_DETAILS = 10,
	ROWS_LEGEND = 14,
};

enum flame_theme shell_flame_theme_of(const struct shell *s, const struct flame_style *style)
{
	if (style->theme != FLAME_AUTO)
		return style->theme;
	return s->dark ? FLAME_DARK : FLAME_LIGHT;
}

/* What boxes are drawn with. */
struct brush {
	const struct shell *s;
	const struct flame_state *st;
	struct grid *g;
	struct area a; /* of all boxes */
	const struct flame_color *color;
	const struct flame_page *page;
	bool fine;             /* there are blocks of eighths */
	struct flame_run *run; /* [a.width] */
	struct buf text;
};

static bool run_matches(const struct brush *b, const struct flame_run *r)
{
	bool any = false;

	if (!b->st->found.frame)
		return false;
	for (uint32_t t = r->end - r->n; t < r->end && !any; t++)
		any = shell_flame_matches(b->st, t);
	return any;
}

static struct look look_of(const struct brush *b, const struct flame_run *r, bool is_selected, bool is_match)
{
	struct flame_color c = b->color[r->n > 1 ? 0 : b->st->on->l.tile[r->tile].color];
	struct look look = { c.ink, c.fill, 0 };

	if (is_match)
		look = (struct look){ 0, b->page->match, ATTR_BOLD | ATTR_UNDERLINE };
	if (is_selected && b->s->depth == DEPTH_NONE) /* others are reverse */
		return (struct look){ COLOR_OWN, COLOR_OWN, (uint8_t)(look.attr | ATTR_BOLD | ATTR_UNDERLINE) };
	if (is_selected)
		return (struct look){ b->page->paper, b->page->ink, (uint8_t)(look.attr | ATTR_BOLD) };
	return look;
}

static void put(const struct brush *b, int x, int y, uint32_t ch, struct look look)
{
	grid_fill(b->g, (struct area){ b->a.x + x, b->a.y + y, 1, 1 }, ch, look);
}

/* The part of a cell that a box ends in. */
static void draw_part(const struct brush *b, int x, int y, int eighths, struct look look)
{
	struct look part = { look.paper, COLOR_OWN, 0 };

	if (b->fine)
		put(b, x, y, FULL_BLOCK + (uint32_t)(EIGHTHS - eighths), part);
	else if (eighths >= EIGHTHS / 2 && b->g->ascii)
		put(b, x, y, ' ', look);
	else if (eighths >= EIGHTHS / 2)
		put(b, x, y, HALF_BLOCK, part);
}

/* What is written on a box. */
static const char *text_of(struct brush *b, const struct flame_run *r, int columns)
{
	const struct flame_model *m = b->st->on;

	if (columns <= 0)
		return "";
	b->text.len = 0;
	buf_addz(&b->text, ""); /* the next may add nothing */
	flame_add_label(m->f, &m->l.tile[r->tile], (size_t)columns, &b->text);
	return buf_text(&b->text);
}

/* What a box begins with; where there is no room for more it is its sign. */
static uint32_t edge_of(const struct brush *b, const struct flame_run *r, bool is_selected, bool is_match)
{
	char sign = b->st->on->l.tile[r->tile].sign;

	if (is_selected)
		return POINTER;
	if (is_match && b->s->depth == DEPTH_NONE)
		return STAR;
	if (sign && sign != '=' && r->width <= (int)flame_columns(flame_sign(sign)))
		return (unsigned char)sign;
	return b->fine ? EDGE : LINE;
}

static void draw_run(struct brush *b, const struct flame_run *r, int y, bool is_selected)
{
	bool is_match = run_matches(b, r), no_color = b->s->depth == DEPTH_NONE;
	struct look look = look_of(b, r, is_selected, is_match), edge = look;
	struct area a = { b->a.x + r->x, b->a.y + y, r->width, 1 };
	uint32_t ch;

	edge.attr = look.attr & (uint8_t)~ATTR_UNDERLINE;
	if (r->width == 0 && is_selected) {
		put(b, r->x, y, POINTER, edge);
		return;
	}
	if (r->width == 0 && !b->fine && r->eighths < EIGHTHS / 2)
		put(b, r->x, y, is_match && no_color ? STAR : DOT, (struct look){ look.paper, COLOR_OWN, 0 });
	else if (r->eighths)
		draw_part(b, r->x + r->width, y, r->eighths, look);
	if (r->width == 0)
		return;
	grid_fill(b->g, a, ' ', look);
	grid_text(b->g, a, 1, 0, text_of(b, r, r->width - 1), look);
	ch = edge_of(b, r, is_selected, is_match);
	if (ch == EDGE && !is_match)
		edge.ink = b->page->line;
	put(b, r->x, y, ch, edge);
}

/* The row that a level is drawn in; it may be outside. */
static int row_of(const struct flame_state *st, uint32_t level)
{
	int64_t row = (int64_t)level - st->on->l.tile[st->zoom_tile].level - st->top;

	row = st->is_flame ? st->body.height - 1 - row : row;
	return row < 0 || row >= st->body.height ? -1 : (int)row;
}

static void draw_level(struct brush *b, uint32_t level)
{
	const struct flame_state *st = b->st;
	const struct flame_model *m = st->on;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	bool has_selected = m->l.tile[st->at_tile].level == level;
	uint32_t lo, hi;
	size_t n, at;

	shell_flame_level(st, level, &lo, &hi);
	n = shell_flame_runs(&m->l, lo, hi, zoom->x, zoom->width, b->a.width, b->run);
	at = has_selected ? shell_flame_run_of(b->run, n, st->at_tile) : n;
	for (size_t i = 0; i < n; i++)
		draw_run(b, &b->run[i], row_of(st, level), i == at);
}

/* Scroll so that the selected box is seen, when it has just been selected. */
static void follow(struct flame_state *st)
{
	const struct flame_model *m = st->on;
	uint32_t first = m->l.tile[st->zoom_tile].level, n = m->deepest[st->zoom_tile] - first + 1;
	uint32_t at = m->l.tile[st->at_tile].level - first,
		 height = st->body.height > 0 ? (uint32_t)st->body.height : 1;

	if (!st->is_followed && at < st->top)
		st->top = at;
	if (!st->is_followed && at >= st->top + height)
		st->top = at - height + 1;
	if (n <= height)
		st->top = 0;
	else if (st->top > n - height)
		st->top = n - height;
	st->is_followed = true;
}

static void draw_boxes(struct shell *s, struct flame_state *st, struct grid *g, struct area a)
{
	const struct flame_model *m = st->on;
	enum flame_theme theme = shell_flame_theme_of(s, &m->style);
	uint32_t first = m->l.tile[st->zoom_tile].level, deepest = m->deepest[st->zoom_tile];
	struct brush b = { .s = s,
			   .st = st,
			   .g = g,
			   .a = a,
			   .color = flame_colors(theme),
			   .page = flame_page(theme),
			   .fine = s->depth >= DEPTH_256 && !g->ascii };

	if (a.height < 1 || a.width < 1)
		return;
	b.run = mem_alloc((size_t)a.width + 1, sizeof(*b.run));
	follow(st);
	for (uint32_t level = first + st->top; level <= deepest && level < first + st->top + (uint32_t)a.height;
	     level++)
		draw_level(&b, level);
	free(b.run);
	buf_release(&b.text);
}

void shell_flame_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct flame_state *st = p->state;
	struct area body = a;
	int crumbs = a.height >= ROWS_CRUMBS, details = (a.height >= ROWS_DETAIL) + (a.height >= ROWS_DETAILS);
	bool tells = st->on->n_legend && (s->depth != DEPTH_NONE || st->on->f->has_base);
	int legend = tells && a.height >= ROWS_LEGEND;

	shell_flame_refine(s, p);
	body.y += crumbs;
	body.height -= crumbs + details + legend;
	st->body = (struct area){ 0, crumbs, body.width, body.height };
	draw_boxes(s, st, g, body);
	st->n_crumbs = 0;
	if (crumbs)
		shell_flame_draw_crumbs(s, p, g, (struct area){ a.x, a.y, a.width, 1 });
	if (legend)
		shell_flame_draw_legend(s, p, g, (struct area){ a.x, body.y + body.height, a.width, 1 });
	if (details)
		shell_flame_draw_details(s, p, g, (struct area){ a.x, a.y + a.height - details, a.width, details });
}

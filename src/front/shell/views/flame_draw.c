/*
 * flame_draw.c - drawing the flame graph: boxes, and the lines around them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/flame.h"

#include "base/columns.h"
#include "base/unit.h"
#include "front/shell/widgets/number.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The colours for this terminal. */
static enum flame_theme theme_of(const struct shell *s, const struct flame_style *style)
{
	if (style->theme != FLAME_AUTO)
		return style->theme;
	return s->is_dark ? FLAME_DARK : FLAME_LIGHT;
}

/* ---- lines around the boxes ---- */

enum { CRUMB_MIN = 12 }; /* minimum columns of a name when there are many */

static bool view_flame_draw_is_empty(const struct flame_model *m)
{
	return m->f->width[0] == 0;
}

/* Append the numbers of levels scrolled away, and the search result. */
static void view_flame_draw_add_right(const struct pane *p, struct buf *out)
{
	const struct flame_state *st = p->state;
	const struct flame_model *m = st->graph, *whole = p->model->view_data;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	int64_t below = (int64_t)m->deepest[st->zoom_tile] - zoom->level + 1 - st->top - st->body.height;
	const struct flame_found *found = &st->found;

	if (found->frame) {
		buf_addz(out, found->n ? "matches " : "no match");
		if (found->n)
			unit_add_percent_trimmed(out, found->width, whole->f->width[0]);
		if (found->n)
			buf_addf(out, ", %s box%s", shell_number_count(found->n).text, found->n == 1 ? "" : "es");
		if (found->n && st->zoom_tile) {
			buf_addz(out, ", ");
			unit_add_percent_trimmed(out, found->width_zoomed, zoom->width);
			buf_addz(out, " of this");
		}
	}
	if (st->top)
		buf_addf(out, "  %s%u", st->is_flame ? "\xe2\x86\x93" : "\xe2\x86\x91", (unsigned)st->top);
	if (below > 0)
		buf_addf(out, "  %s%" PRId64, st->is_flame ? "\xe2\x86\x91" : "\xe2\x86\x93", below);
}

static int draw_crumb(struct flame_state *st, struct grid *g, struct area a, int x, const char *text, size_t n)
{
	int end = grid_text(g, a, x, 0, text, theme_style(n == st->zoom.n ? ROLE_KEY : ROLE_COMMAND));

	if (st->n_crumbs < CRUMBS_MAX)
		st->crumb[st->n_crumbs++] = (struct flame_crumb){ .x = x, .width = end - x, .n = n };
	return end;
}

/* Draw the zoomed path, all > main > work: the last names, as many as fit. */
static void view_flame_draw_path(struct flame_state *st, struct grid *g, struct area a)
{
	const struct flame_model *m = st->graph;
	size_t depth = m->l.tile[st->zoom_tile].level, max, first;
	uint32_t *box = mem_alloc(depth + 1, sizeof(*box));
	struct buf name = { 0 }, brief = { 0 };
	int x, each;

	max = a.width > 2 * (CRUMB_MIN + 3) ? (size_t)a.width / (CRUMB_MIN + 3) : 1;
	max = max < CRUMBS_MAX - 2 ? max : CRUMBS_MAX - 2;
	first = depth > max ? depth - max : 0;
	for (uint32_t i = (uint32_t)depth, at = m->l.tile[st->zoom_tile].box; i > 0; at = m->f->parent[at])
		box[i--] = at;
	x = draw_crumb(st, g, a, 0, "all", 0);
	each = (a.width - x) / (int)(depth - first) - 3;
	if (first)
		x = grid_text(g, a, x, 0, " \xe2\x80\xa6", theme_style(ROLE_MUTED));
	for (size_t i = first + 1; i <= depth && x < a.width; i++) {
		name.len = brief.len = 0;
		flame_add_name(m->f, box[i], &name);
		flame_add_shortened(buf_text(&name), (size_t)(each > 3 ? each : 3), &brief);
		x = grid_text(g, a, x, 0, " \xe2\x80\xba ", theme_style(ROLE_MUTED));
		x = draw_crumb(st, g, a, x, buf_text(&brief), i);
	}
	buf_release(&name);
	buf_release(&brief);
	free(box);
}

/* Draw the line above the boxes: the zoomed path and the search result. */
static void view_flame_draw_crumbs(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct flame_state *st = p->state;
	struct buf text = { 0 };
	int columns;

	(void)s;
	view_flame_draw_add_right(p, &text);
	columns = (int)column_count(buf_text(&text));
	grid_text_right(g, a, a.width, 0, buf_text(&text), theme_style(*p->search ? ROLE_KEY : ROLE_MUTED));
	a.width -= columns ? columns + 2 : 0;
	text.len = 0;
	buf_addz(&text, "");
	if (view_flame_draw_is_empty(st->graph)) {
		flame_add_note(st->graph->r, &st->graph->style, &text);
		grid_text(g, a, 0, 0, buf_text(&text), theme_style(ROLE_PLAIN));
	} else if (st->zoom_tile) {
		view_flame_draw_path(st, g, a);
	} else {
		if (st->graph->f->inverted)
			buf_addz(&text, "inverted: functions first, then their callers  ");
		if (st->graph->f->has_base)
			flame_add_subtitle(st->graph->r, &text);
		else if (!text.len)
			buf_addz(&text, "all");
		grid_text(g, a, 0, 0, buf_text(&text), theme_style(ROLE_MUTED));
	}
	buf_release(&text);
}

/* An entry of the legend: the text in and after a colour sample. In a comparison the texts are short. */
struct flame_draw_entry {
	const char *sign, *text;
	struct style style;
};

static struct flame_draw_entry view_flame_draw_entry_of(const struct shell *s, const struct flame_model *m, size_t i)
{
	static const char *const brief[] = { "", "doubled", "grew", "same", "shrank", "halved", "" };
	const struct flame_legend *l = &m->legend[i];
	struct flame_color c = flame_colors(theme_of(s, &m->style))[l->color];
	bool is_change = l->sign && m->n_legend == sizeof(brief) / sizeof(brief[0]);

	return (struct flame_draw_entry){ .sign = l->sign ? flame_sign(l->sign) : " ",
					  .text = is_change ? brief[i] : l->text,
					  .style = { c.ink, c.fill, 0 } };
}

/* The columns of an entry, with the blanks around its text. */
static int entry_columns(const struct flame_draw_entry *e)
{
	int text = (int)column_count(e->text);

	return (int)column_count(e->sign) + (text ? text + 1 : 0) + 2;
}

/* The number of entries that fit. */
static size_t entries_that_fit(const struct shell *s, const struct flame_model *m, int width)
{
	size_t i;

	for (i = 0; i < m->n_legend; i++) {
		struct flame_draw_entry e = view_flame_draw_entry_of(s, m, i);

		width -= entry_columns(&e);
		if (width < -2)
			break;
	}
	return i;
}

static void draw_legend(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	const struct flame_model *m = p->model->view_data; /* a part has the colours of the whole graph */
	struct buf text = { 0 };
	int x = 0, more = 8;
	size_t n;

	if (m->f->has_base)
		x = grid_text(g, a, x, 0, "width: larger side  ", theme_style(ROLE_MUTED));
	n = entries_that_fit(s, m, a.width - x);
	if (n < m->n_legend)
		n = entries_that_fit(s, m, a.width - x - more);
	for (size_t i = 0; i < n; i++) {
		struct flame_draw_entry e = view_flame_draw_entry_of(s, m, i);

		grid_text(g, a, grid_text(g, a, x, 0, e.sign, e.style) + 1, 0, e.text, theme_style(ROLE_PLAIN));
		x += entry_columns(&e);
	}
	if (n < m->n_legend) {
		buf_addf(&text, "+%zu more", m->n_legend - n);
		grid_text(g, a, x, 0, buf_text(&text), theme_style(ROLE_MUTED));
	}
	buf_release(&text);
}

/* "34.5% of main.work": the share of the zoomed box. */
static void view_flame_draw_add_share(const struct flame_state *st, struct buf *out)
{
	const struct flame_model *m = st->graph;
	const struct flame_tile *at = &m->l.tile[st->selected_tile], *zoom = &m->l.tile[st->zoom_tile];

	if (!st->zoom_tile || st->selected_tile == st->zoom_tile)
		return;
	unit_add_percent_trimmed(out, at->width, zoom->width);
	buf_addz(out, " of the zoomed box");
}

/* Join the details from the second line on. */
static void view_flame_draw_join(const char *text, struct buf *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		buf_addz(out, out->len ? "  \xc2\xb7  " : "");
		buf_add(out, text, n);
		text += n + (text[n] == '\n');
	}
}

static void draw_details(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	const struct flame_state *st = p->state;
	const struct flame_model *m = st->graph;
	const struct flame_tile *at = &m->l.tile[st->selected_tile];
	struct buf all = { 0 }, right = { 0 }, line = { 0 }, name = { 0 };
	size_t n;
	int room;

	(void)s;
	flame_add_details(m->r, at->box, &all);
	n = strcspn(buf_text(&all), "\n");
	view_flame_draw_join(buf_text(&all) + n + 1, &line);
	view_flame_draw_add_share(st, &right);
	room = a.height > 1 ? a.width - (right.len ? (int)right.len + 2 : 0) : a.width / 2;
	all.data[n] = '\0';
	flame_add_shortened(all.data, room > 3 ? (size_t)room : 3, &name);
	room = grid_text(g, a, 0, 0, buf_text(&name), theme_style(ROLE_KEY));
	if (a.height > 1) {
		grid_text_right(g, a, a.width, 0, buf_text(&right), theme_style(ROLE_MUTED));
		grid_text(g, a, 0, 1, buf_text(&line), theme_style(ROLE_PLAIN));
	} else {
		grid_text(g, a, room + 2, 0, buf_text(&line), theme_style(ROLE_PLAIN));
	}
	buf_release(&name);
	buf_release(&all);
	buf_release(&right);
	buf_release(&line);
}

/* ---- boxes ---- */

/*
 * A row of cells is a level. Each box begins with a border, so that neighbours of one colour differ
 * when there are few colours or none; the cell at its right end is drawn in eighths.
 */

enum {
	EIGHTHS = 8,
	FULL_BLOCK = 0x2588, /* followed by the blocks of 7/8 to 1/8 */
	HALF_BLOCK = 0x258c,
	EDGE = 0x258f, /* the left eighth of a cell */
	LINE = 0x2502,
	DOT = 0xb7,
	POINTER = 0x25ba,
	STAR = '*',
	/* Minimum rows of the pane for the line of the zoomed path, for one and two lines about the selection, and
	   for the legend. */
	ROWS_CRUMBS = 6,
	ROWS_DETAIL = 3,
	ROWS_DETAILS = 10,
	ROWS_LEGEND = 14,
};

/* The context for drawing boxes. */
struct brush {
	const struct shell *s;
	const struct flame_state *st;
	struct grid *g;
	struct area a; /* area of all boxes */
	const struct flame_color *color;
	const struct flame_page *page;
	bool has_eighths;      /* can the terminal show eighths? */
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

static struct style view_flame_draw_style_of(const struct brush *b, const struct flame_run *r, bool is_selected,
					     bool is_match)
{
	struct flame_color c = b->color[r->n > 1 ? 0 : b->st->graph->l.tile[r->tile].color];
	struct style style = { c.ink, c.fill, 0 };

	if (is_match)
		style = (struct style){ 0, b->page->match, ATTR_BOLD | ATTR_UNDERLINE };
	if (is_selected && b->s->palette == PALETTE_NONE) /* other boxes are shown in reverse video */
		return (struct style){ COLOR_DEFAULT, COLOR_DEFAULT,
				       (uint8_t)(style.attr | ATTR_BOLD | ATTR_UNDERLINE) };
	if (is_selected)
		return (struct style){ b->page->paper, b->page->ink, (uint8_t)(style.attr | ATTR_BOLD) };
	return style;
}

static void view_flame_draw_put(const struct brush *b, int x, int y, uint32_t ch, struct style style)
{
	grid_fill(b->g, (struct area){ b->a.x + x, b->a.y + y, 1, 1 }, ch, style);
}

/* Draw the last, partial cell of a box. */
static void view_flame_draw_part(const struct brush *b, int x, int y, int eighths, struct style style)
{
	struct style part = { style.bg, COLOR_DEFAULT, 0 };

	if (b->has_eighths)
		view_flame_draw_put(b, x, y, FULL_BLOCK + (uint32_t)(EIGHTHS - eighths), part);
	else if (eighths >= EIGHTHS / 2 && b->g->is_ascii)
		view_flame_draw_put(b, x, y, ' ', style);
	else if (eighths >= EIGHTHS / 2)
		view_flame_draw_put(b, x, y, HALF_BLOCK, part);
}

/* The text in a box. */
static const char *view_flame_draw_text_of(struct brush *b, const struct flame_run *r, int columns)
{
	const struct flame_model *m = b->st->graph;

	if (columns <= 0)
		return "";
	b->text.len = 0;
	buf_addz(&b->text, ""); /* the label may be empty */
	if (r->n > 1) {
		buf_addf(&b->text, "%" PRIu32 " boxes", r->n);
		return (int)b->text.len <= columns ? buf_text(&b->text) : "";
	}
	flame_add_label(m->f, &m->l.tile[r->tile], (size_t)columns, &b->text);
	return buf_text(&b->text);
}

/* The first character of a box's text, which is all that a narrow box shows. */
static uint32_t edge_of(const struct brush *b, const struct flame_run *r, bool is_selected, bool is_match)
{
	char sign = b->st->graph->l.tile[r->tile].sign;

	if (is_selected)
		return POINTER;
	if (is_match && b->s->palette == PALETTE_NONE)
		return STAR;
	if (sign && sign != '=' && r->width <= (int)column_count(flame_sign(sign)))
		return (unsigned char)sign;
	return b->has_eighths ? EDGE : LINE;
}

static void draw_run(struct brush *b, const struct flame_run *r, int y, bool is_selected)
{
	bool is_match = run_matches(b, r), no_color = b->s->palette == PALETTE_NONE;
	struct style style = view_flame_draw_style_of(b, r, is_selected, is_match), edge = style;
	struct area a = { b->a.x + r->x, b->a.y + y, r->width, 1 };
	uint32_t ch;

	edge.attr = style.attr & (uint8_t)~ATTR_UNDERLINE;
	if (r->width == 0 && is_selected) {
		view_flame_draw_put(b, r->x, y, POINTER, edge);
		return;
	}
	if (r->width == 0 && !b->has_eighths && r->eighths < EIGHTHS / 2)
		view_flame_draw_put(b, r->x, y, is_match && no_color ? STAR : DOT,
				    (struct style){ style.bg, COLOR_DEFAULT, 0 });
	else if (r->eighths)
		view_flame_draw_part(b, r->x + r->width, y, r->eighths, style);
	if (r->width == 0)
		return;
	grid_fill(b->g, a, ' ', style);
	grid_text(b->g, a, 1, 0, view_flame_draw_text_of(b, r, r->width - 1), style);
	ch = edge_of(b, r, is_selected, is_match);
	if (ch == EDGE && !is_match)
		edge.fg = b->page->line;
	view_flame_draw_put(b, r->x, y, ch, edge);
}

/* The row of a level; -1 when it is outside. */
static int view_flame_draw_row_of(const struct flame_state *st, uint32_t level)
{
	int64_t row = (int64_t)level - st->graph->l.tile[st->zoom_tile].level - st->top;

	row = st->is_flame ? st->body.height - 1 - row : row;
	return row < 0 || row >= st->body.height ? -1 : (int)row;
}

static void draw_level(struct brush *b, uint32_t level)
{
	const struct flame_state *st = b->st;
	const struct flame_model *m = st->graph;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	bool has_selected = m->l.tile[st->selected_tile].level == level;
	uint32_t lo, hi;
	size_t n, at;

	shell_flame_level(st, level, &lo, &hi);
	n = shell_flame_runs(&m->l, lo, hi, zoom->x, zoom->width, b->a.width, b->run);
	n = shell_flame_join(m->f, &m->l, zoom->width, b->a.width, b->run, n);
	at = has_selected ? shell_flame_run_of(b->run, n, st->selected_tile) : n;
	for (size_t i = 0; i < n; i++)
		draw_run(b, &b->run[i], view_flame_draw_row_of(st, level), i == at);
}

/* Scroll to the selected box if it was just selected. */
static void view_flame_draw_follow(struct flame_state *st)
{
	const struct flame_model *m = st->graph;
	uint32_t first = m->l.tile[st->zoom_tile].level, n = m->deepest[st->zoom_tile] - first + 1;
	uint32_t at = m->l.tile[st->selected_tile].level - first,
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
	const struct flame_model *m = st->graph;
	enum flame_theme theme = theme_of(s, &m->style);
	uint32_t first = m->l.tile[st->zoom_tile].level, deepest = m->deepest[st->zoom_tile];
	struct brush b = { .s = s,
			   .st = st,
			   .g = g,
			   .a = a,
			   .color = flame_colors(theme),
			   .page = flame_page(theme),
			   .has_eighths = s->palette >= PALETTE_256 && !g->is_ascii };

	if (a.height < 1 || a.width < 1)
		return;
	b.run = mem_alloc((size_t)a.width + 1, sizeof(*b.run));
	view_flame_draw_follow(st);
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
	bool has_legend = st->graph->n_legend && (s->palette != PALETTE_NONE || st->graph->f->has_base);
	int legend = has_legend && a.height >= ROWS_LEGEND;

	shell_flame_refine(s, p);
	body.y += crumbs;
	body.height -= crumbs + details + legend;
	st->body = (struct area){ 0, crumbs, body.width, body.height };
	draw_boxes(s, st, g, body);
	st->n_crumbs = 0;
	if (crumbs)
		view_flame_draw_crumbs(s, p, g, (struct area){ a.x, a.y, a.width, 1 });
	if (legend)
		draw_legend(s, p, g, (struct area){ a.x, body.y + body.height, a.width, 1 });
	if (details)
		draw_details(s, p, g, (struct area){ a.x, a.y + a.height - details, a.width, details });
}

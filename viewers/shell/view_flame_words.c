/*
 * view_flame_words.c - what is said around the boxes of the flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"
#include "viewers/shell/view_flame.h"

#include <inttypes.h>
#include <string.h>

enum { CRUMB_LEAST = 12 }; /* columns that a name gets when there are many */

static bool is_empty(const struct flame_model *m)
{
	return m->f->width[0] == 0;
}

/* Levels that are scrolled away, and what was searched for. */
static void add_right(const struct pane *p, struct buf *out)
{
	const struct flame_state *st = p->state;
	const struct flame_model *m = st->on, *whole = p->model->own;
	const struct flame_tile *zoom = &m->l.tile[st->zoom_tile];
	int64_t below = (int64_t)m->deepest[st->zoom_tile] - zoom->level + 1 - st->top - st->body.height;
	const struct flame_found *found = &st->found;

	if (found->frame) {
		buf_addz(out, found->n ? "matches " : "nothing matches");
		if (found->n)
			unit_add_percent_tight(out, found->width, whole->f->width[0]);
		if (found->n)
			buf_addf(out, ", %" PRIu64 " box%s", found->n, found->n == 1 ? "" : "es");
		if (found->n && st->zoom_tile) {
			buf_addz(out, ", ");
			unit_add_percent_tight(out, found->here, zoom->width);
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
	int end = grid_text(g, a, x, 0, text, theme_look(n == st->zoom.n ? LOOK_KEY : LOOK_COMMAND));

	if (st->n_crumbs < CRUMBS_MAX)
		st->crumb[st->n_crumbs++] = (struct flame_crumb){ .x = x, .width = end - x, .n = n };
	return end;
}

/* all > main > work: the last ones, as many as fit. */
static void draw_way(struct flame_state *st, struct grid *g, struct area a)
{
	const struct flame_model *m = st->on;
	size_t depth = m->l.tile[st->zoom_tile].level, most, first;
	uint32_t *box = mem_alloc(depth + 1, sizeof(*box));
	struct buf name = { 0 }, brief = { 0 };
	int x, each;

	most = a.width > 2 * (CRUMB_LEAST + 3) ? (size_t)a.width / (CRUMB_LEAST + 3) : 1;
	most = most < CRUMBS_MAX - 2 ? most : CRUMBS_MAX - 2;
	first = depth > most ? depth - most : 0;
	for (uint32_t i = (uint32_t)depth, at = m->l.tile[st->zoom_tile].box; i > 0; at = m->f->parent[at])
		box[i--] = at;
	x = draw_crumb(st, g, a, 0, "all", 0);
	each = (a.width - x) / (int)(depth - first) - 3;
	if (first)
		x = grid_text(g, a, x, 0, " \xe2\x80\xa6", theme_look(LOOK_QUIET));
	for (size_t i = first + 1; i <= depth && x < a.width; i++) {
		name.len = brief.len = 0;
		flame_add_name(m->f, box[i], &name);
		flame_add_short(buf_text(&name), (size_t)(each > 3 ? each : 3), &brief);
		x = grid_text(g, a, x, 0, " \xe2\x80\xba ", theme_look(LOOK_QUIET));
		x = draw_crumb(st, g, a, x, buf_text(&brief), i);
	}
	buf_release(&name);
	buf_release(&brief);
	free(box);
}

void shell_flame_draw_crumbs(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct flame_state *st = p->state;
	struct buf text = { 0 };
	int columns;

	(void)s;
	add_right(p, &text);
	columns = (int)flame_columns(buf_text(&text));
	grid_text_right(g, a, a.width, 0, buf_text(&text), theme_look(*p->search ? LOOK_KEY : LOOK_QUIET));
	a.width -= columns ? columns + 2 : 0;
	text.len = 0;
	buf_addz(&text, "");
	if (is_empty(st->on)) {
		flame_add_note(st->on->r, &st->on->style, &text);
		grid_text(g, a, 0, 0, buf_text(&text), theme_look(LOOK_PLAIN));
	} else if (st->zoom_tile) {
		draw_way(st, g, a);
	} else {
		if (st->on->f->inverted)
			buf_addz(&text, "inverted: functions first, then their callers  ");
		if (st->on->f->has_base)
			flame_add_subtitle(st->on->r, &text);
		else if (!text.len)
			buf_addz(&text, "all");
		grid_text(g, a, 0, 0, buf_text(&text), theme_look(LOOK_QUIET));
	}
	buf_release(&text);
}

/* What is written in and behind a swatch. Of a comparison there are brief words, as a line is short. */
struct entry {
	const char *sign, *text;
	struct look look;
};

static struct entry entry_of(const struct shell *s, const struct flame_model *m, size_t i)
{
	static const char *const brief[] = { "", "doubled", "grew", "same", "shrank", "halved", "" };
	const struct flame_legend *l = &m->legend[i];
	struct flame_color c = flame_colors(shell_flame_theme_of(s, &m->style))[l->color];
	bool is_change = l->sign && m->n_legend == sizeof(brief) / sizeof(brief[0]);

	return (struct entry){ .sign = l->sign ? flame_sign(l->sign) : " ",
			       .text = is_change ? brief[i] : l->text,
			       .look = { c.ink, c.fill, 0 } };
}

/* The columns of an entry, with the blanks before its text and behind it. */
static int entry_columns(const struct entry *e)
{
	int text = (int)flame_columns(e->text);

	return (int)flame_columns(e->sign) + (text ? text + 1 : 0) + 2;
}

/* How many entries fit. */
static size_t entries_that_fit(const struct shell *s, const struct flame_model *m, int width)
{
	size_t i;

	for (i = 0; i < m->n_legend; i++) {
		struct entry e = entry_of(s, m, i);

		width -= entry_columns(&e);
		if (width < -2)
			break;
	}
	return i;
}

void shell_flame_draw_legend(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	const struct flame_model *m = p->model->own; /* a part has the colours of the whole */
	struct buf text = { 0 };
	int x = 0, more = 8;
	size_t n;

	if (m->f->has_base)
		x = grid_text(g, a, x, 0, "width: larger side  ", theme_look(LOOK_QUIET));
	n = entries_that_fit(s, m, a.width - x);
	if (n < m->n_legend)
		n = entries_that_fit(s, m, a.width - x - more);
	for (size_t i = 0; i < n; i++) {
		struct entry e = entry_of(s, m, i);

		grid_text(g, a, grid_text(g, a, x, 0, e.sign, e.look) + 1, 0, e.text, theme_look(LOOK_PLAIN));
		x += entry_columns(&e);
	}
	if (n < m->n_legend) {
		buf_addf(&text, "+%zu more", m->n_legend - n);
		grid_text(g, a, x, 0, buf_text(&text), theme_look(LOOK_QUIET));
	}
	buf_release(&text);
}

/* "34.5% of main.work": the share of what is zoomed. */
static void add_share(const struct flame_state *st, struct buf *out)
{
	const struct flame_model *m = st->on;
	const struct flame_tile *at = &m->l.tile[st->at_tile], *zoom = &m->l.tile[st->zoom_tile];

	if (!st->zoom_tile || st->at_tile == st->zoom_tile)
		return;
	unit_add_percent_tight(out, at->width, zoom->width);
	buf_addz(out, " of what is zoomed");
}

/* All lines of the details behind the first on one. */
static void join(const char *text, struct buf *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		buf_addz(out, out->len ? "  \xc2\xb7  " : "");
		buf_add(out, text, n);
		text += n + (text[n] == '\n');
	}
}

void shell_flame_draw_details(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	const struct flame_state *st = p->state;
	const struct flame_model *m = st->on;
	const struct flame_tile *at = &m->l.tile[st->at_tile];
	struct buf all = { 0 }, right = { 0 }, line = { 0 }, name = { 0 };
	size_t n;
	int room;

	(void)s;
	flame_add_details(m->r, at->box, &all);
	n = strcspn(buf_text(&all), "\n");
	join(buf_text(&all) + n + 1, &line);
	add_share(st, &right);
	room = a.height > 1 ? a.width - (right.len ? (int)right.len + 2 : 0) : a.width / 2;
	all.data[n] = '\0';
	flame_add_short(all.data, room > 3 ? (size_t)room : 3, &name);
	room = grid_text(g, a, 0, 0, buf_text(&name), theme_look(LOOK_KEY));
	if (a.height > 1) {
		grid_text_right(g, a, a.width, 0, buf_text(&right), theme_look(LOOK_QUIET));
		grid_text(g, a, 0, 1, buf_text(&line), theme_look(LOOK_PLAIN));
	} else {
		grid_text(g, a, room + 2, 0, buf_text(&line), theme_look(LOOK_PLAIN));
	}
	buf_release(&name);
	buf_release(&all);
	buf_release(&right);
	buf_release(&line);
}

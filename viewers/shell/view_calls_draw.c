/*
 * view_calls_draw.c - drawing Callers and callees
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_calls.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "report/calls.h"
#include "viewers/flame/flame.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CRUMB_MAX = 24 };

/* ---- the columns of a side ---- */

static const struct sheet_column callers[] = {
	[CALLS_SHEET_WEIGHT] = { "calls", "calls", "", 1, 9, false, false },
	[CALLS_SHEET_SHARE] = { "calls%", "calls%", "", 2, 7, false, false },
	[CALLS_SHEET_TOTAL] = { "total%", "total%", "", 3, 7, false, false },
	[CALLS_SHEET_NAME] = { "name", "callers", "", 0, 0, true, false },
};

static const struct sheet_column callees[] = {
	[CALLS_SHEET_WEIGHT] = { "calls", "calls", "", 1, 9, false, false },
	[CALLS_SHEET_SHARE] = { "calls%", "calls%", "", 2, 7, false, false },
	[CALLS_SHEET_TOTAL] = { "total%", "total%", "", 3, 7, false, false },
	[CALLS_SHEET_NAME] = { "name", "callees", "", 0, 0, true, false },
};

static const union cell *cell_of(const struct sheet *s, uint32_t row, uint32_t col)
{
	const struct calls_side *side = s->rows;

	return &side->all->r->table.cell[((size_t)side->first + row) * N_CALLS_COLS + col];
}

static const char *text(const struct sheet *s, uint32_t row, uint32_t col)
{
	(void)col;
	return cell_of(s, row, CALLS_NAME)->text;
}

static double weight(const struct sheet *s, uint32_t row, uint32_t col)
{
	(void)col;
	return (double)num_abs(cell_of(s, row, CALLS_WEIGHT)->value);
}

/* A value; a difference has a sign and a colour. */
static void add_value(const struct calls_rows *c, int64_t value, struct buf *out, struct look *look)
{
	if (c->is_net && value > 0)
		buf_addz(out, "+");
	report_add_value(&c->r->head, value, out);
	if (c->is_net && value)
		*look = theme_look(value > 0 ? LOOK_GREW : LOOK_SHRANK);
}

static void cell(const struct sheet *s, uint32_t at, uint32_t col, struct buf *out, struct look *look)
{
	const struct calls_rows *c = ((const struct calls_side *)s->rows)->all;
	uint32_t row = s->row[at];
	int64_t value = cell_of(s, row, CALLS_WEIGHT)->value;

	switch ((enum calls_column)col) {
	case CALLS_SHEET_WEIGHT:
		add_value(c, value, out, look);
		break;
	case CALLS_SHEET_SHARE:
		unit_add_share(out, cell_of(s, row, CALLS_WEIGHT_PCT)->real);
		break;
	case CALLS_SHEET_TOTAL:
		unit_add_percent(out, value, c->r->head.total);
		*look = c->is_net ? *look : theme_heat(unit_percent(value, c->r->head.total));
		break;
	case CALLS_SHEET_NAME:
		buf_addz(out, text(s, row, col));
		break;
	}
}

static const char *mark(const struct sheet *s, uint32_t row)
{
	return cell_of(s, row, CALLS_INLINED)->text;
}

const struct sheet_class shell_calls_callers = { callers, 4, CALLS_SHEET_NAME, cell, weight, text, mark };
const struct sheet_class shell_calls_callees = { callees, 4, CALLS_SHEET_NAME, cell, weight, text, mark };

/* ---- the way here ---- */

/* What a pane of the way is about: the function in its middle, else what was typed. */
static const char *crumb_of(const struct pane *p)
{
	const struct calls_state *state = p->state;
	const char *line = strchr(p->line, ' ');

	return state->node ? state->node : line ? line + 1 : p->line;
}

static int crumb_width(const struct pane *p)
{
	int width = (int)flame_columns(crumb_of(p));

	return width < CRUMB_MAX ? width : CRUMB_MAX;
}

/* The panes of this view that lead here without another between them; as many as there is room for. */
static size_t first_crumb(const struct shell *s, int room)
{
	size_t at = s->at;

	room -= crumb_width(s->pane[at]);
	while (at > 0 && s->pane[at - 1]->class == &shell_view_calls && s->at - at + 1 < CALLS_CRUMBS) {
		room -= crumb_width(s->pane[at - 1]) + 3;
		if (room < 2)
			break;
		at--;
	}
	return at;
}

static void draw_crumbs(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;
	struct buf count = { 0 };
	size_t first;
	int x = 1;

	if (c->n > 1)
		buf_addf(&count, "%" PRIu32 "/%" PRIu32 " matches  [ ]", state->which + 1, c->n);
	grid_text_right(g, a, a.width, 0, buf_text(&count), theme_look(LOOK_KEY));
	a.width -= (int)count.len + 2;
	buf_release(&count);
	state->n_crumbs = 0;
	if (s->pane[s->at] != p || a.width < 2)
		return;
	first = first_crumb(s, a.width - 1);
	if (first > 0 && s->pane[first - 1]->class == &shell_view_calls)
		x = grid_text(g, a, x, 0, "\xe2\x80\xa6 > ", theme_look(LOOK_QUIET));
	for (size_t i = first; i <= s->at; i++) {
		state->crumb_x[state->n_crumbs++] = x;
		x = grid_text_short(g, a, x, 0, crumb_of(s->pane[i]), CRUMB_MAX,
				    theme_look(i == s->at ? LOOK_KEY : LOOK_COMMAND));
		state->crumb_x[state->n_crumbs] = x;
		if (i < s->at)
			x = grid_text(g, a, x, 0, " > ", theme_look(LOOK_QUIET));
	}
}

/* ---- the function in the middle ---- */

static int draw_number(const struct calls_rows *c, struct grid *g, struct area a, int x, const char *what,
		       int64_t value, bool here)
{
	struct look plain = theme_look(LOOK_KEY), look = plain, heat;
	struct buf text = { 0 };

	x = grid_text(g, a, x, 0, what, here ? theme_selected(plain) : plain);
	add_value(c, value, &text, &look);
	x = grid_text(g, a, x, 0, buf_text(&text), here ? theme_selected(look) : look);
	text.len = 0;
	buf_addz(&text, " ");
	unit_add_percent_tight(&text, value, c->r->head.total);
	heat = c->is_net ? look : theme_heat(unit_percent(value, c->r->head.total));
	x = grid_text(g, a, x, 0, buf_text(&text), here ? theme_selected(heat) : heat);
	buf_release(&text);
	return x + 2;
}

static void draw_node(const struct pane *p, struct grid *g, struct area a)
{
	enum { NAME_ROOM = 48 };
	const struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;
	const union cell *node = c->r->table.cell + (size_t)shell_calls_node(p) * N_CALLS_COLS;
	bool here = state->part == PART_NODE;
	struct look look = theme_look(LOOK_KEY);
	int x = 1;

	grid_fill(g, a, ' ', theme_look(here ? LOOK_SELECTED : LOOK_PLAIN));
	if (a.width >= NAME_ROOM) {
		x = draw_number(c, g, a, x, "flat ", node[CALLS_FLAT].value, here);
		x = draw_number(c, g, a, x, "cum ", node[CALLS_CUM].value, here);
	}
	grid_text_short(g, a, x, 0, node[CALLS_NAME].text, a.width - x, here ? theme_selected(look) : look);
}

/* ---- all of it ---- */

static void draw_side(struct sheet *s, struct grid *g, struct area a)
{
	const char *nothing = s->class == &shell_calls_callers ? "nothing calls it" : "it calls nothing";
	struct buf where = { 0 };

	if (a.height < 1)
		return;
	sheet_draw(s, g, a);
	if (s->list.n == 0)
		buf_addz(&where, s->find ? "none has that" : nothing);
	else if (s->is_quiet)
		buf_addf(&where, "%" PRIu32, s->list.n);
	else
		sheet_add_position(s, &where);
	grid_text_right(g, (struct area){ a.x + a.width / 2, a.y, a.width - a.width / 2, 1 }, a.width - a.width / 2, 0,
			buf_text(&where), theme_look(LOOK_HEAD));
	buf_release(&where);
}

/* Share lines: each side gets half, and what the other does not need. */
static int share(int room, uint32_t above, uint32_t below)
{
	int half = room / 2, need = above < (uint32_t)room ? (int)above : room,
	    other = below < (uint32_t)room ? (int)below : room;

	if (need <= half)
		return need;
	return other < room - half ? (need < room - other ? need : room - other) : half;
}

void shell_calls_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	enum { AROUND = 4 }; /* crumbs, two headings, the function */
	struct calls_state *state = p->state;
	int above = 0;

	for (uint32_t c = 0; c < CALLS_SHEET_NAME; c++) {
		int *one = &state->callers.width[c], *two = &state->callees.width[c];

		*one = *two = *one > *two ? *one : *two;
	}
	state->middle_y = 0;
	if (a.height >= AROUND) {
		above = share(a.height - AROUND, state->callers.list.n, state->callees.list.n);
		draw_crumbs(s, p, g, (struct area){ a.x, a.y, a.width, 1 });
		draw_side(&state->callers, g, (struct area){ a.x, a.y + 1, a.width, above + 1 });
		state->middle_y = above + 2;
	}
	state->callees_y = state->middle_y + 1;
	if (a.height > 0)
		draw_node(p, g, (struct area){ a.x, a.y + state->middle_y, a.width, 1 });
	draw_side(&state->callees, g,
		  (struct area){ a.x, a.y + state->callees_y, a.width, a.height - state->callees_y });
}

/*
 * view_top.c - Top: functions by their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows come from the report top. Flat and cum are sorted there, as at the prompt (sort=cum), since that
 * also chooses the rows of top10; by other columns they are sorted here.
 */
#include "config.h"

#include "viewers/shell/view_top.h"

#include "base/mem.h"
#include "engine/view.h"
#include "report/top.h"
#include "viewers/shell/headline.h"

#include <stdlib.h>
#include <string.h>

struct top_state {
	struct sheet sheet;
	bool is_made;      /* the sheet is */
	enum sort came;    /* of the model before */
	struct find *last; /* what n and N look for; NULL: nothing */
	char *name;        /* of the selected row, to find it again */
	char *function;
};

static int make(const struct ask *a, struct model *m, struct err *err)
{
	struct top_rows *t = arena_zalloc(m->mem, 1, sizeof(*t));
	struct view v;
	int rc = view_make(a->data->p, a->q, m->mem, &v, &m->notes, err);

	if (rc == 0)
		rc = top_make(&v, a->q, &m->report, err);
	if (rc < 0)
		return rc;
	t->r = &m->report;
	t->came = a->q->sort;
	t->is_net = a->data->has_base;
	t->place = top_places(v.p, &m->report, m->mem);
	t->sum = arena_zalloc(m->mem, m->report.table.n_rows, sizeof(*t->sum));
	m->own = t;
	return 0;
}

/* Flat, flat% and sum% have one order, cum and cum% the other. Gives false for other columns. */
static bool order_of(uint32_t col, enum sort *out)
{
	switch ((enum top_column)col) {
	case SHEET_FLAT:
	case SHEET_FLAT_PCT:
	case SHEET_SUM_PCT:
		*out = SORT_FLAT;
		return true;
	case SHEET_CUM:
	case SHEET_CUM_PCT:
		*out = SORT_CUM;
		return true;
	default:
		return false;
	}
}

static void remember(struct top_state *state)
{
	const struct top_rows *t = state->sheet.rows;
	uint32_t row;

	if (!sheet_selected(&state->sheet, &row))
		return;
	free(state->name);
	free(state->function);
	state->name = mem_strndup(top_sheet.text(&state->sheet, row, SHEET_NAME),
				  strlen(top_sheet.text(&state->sheet, row, SHEET_NAME)));
	state->function = mem_strndup(t->place[row].function, strlen(t->place[row].function));
}

/* Select the row of the same name, else of the same function. */
static void select_again(struct top_state *state)
{
	const struct top_rows *t = state->sheet.rows;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; state->name && i < state->sheet.n_rows; i++) {
		if (strcmp(top_sheet.text(&state->sheet, i, SHEET_NAME), state->name) == 0) {
			found = i;
			break;
		}
		if (found == UINT32_MAX && *state->function && strcmp(t->place[i].function, state->function) == 0)
			found = i;
	}
	if (found < UINT32_MAX)
		sheet_select(&state->sheet, found);
}

/* Sort by what the sheet says. */
static void arrange(struct top_state *state)
{
	const struct top_rows *t = state->sheet.rows;
	enum sort order;

	sheet_sort(&state->sheet, !state->sheet.is_reversed && order_of(state->sheet.by, &order) && order == t->came);
	top_add_up(&state->sheet);
}

static void shown(struct shell *s, struct pane *p)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->own;
	enum sort order;

	(void)s;
	if (!state->is_made)
		sheet_init(&state->sheet, &top_sheet, t->came == SORT_CUM ? SHEET_CUM : SHEET_FLAT);
	else if (t->came != state->came && !(order_of(state->sheet.by, &order) && order == t->came))
		state->sheet.by = t->came == SORT_CUM ? SHEET_CUM : SHEET_FLAT;
	state->is_made = true;
	state->came = t->came;
	sheet_set_rows(&state->sheet, t, t->r->table.n_rows);
	arrange(state);
	select_again(state);
}

/* ---- drawing ---- */

/* Why there is nothing, and what to do about it. */
static void draw_nothing(const struct pane *p, struct grid *g, struct area a)
{
	const struct top_state *state = p->state;
	const struct head *h = &p->model->report.head;
	const char *why = "This profile has no samples with a value of this type; t shows other types.";

	if (state->sheet.find)
		why = "No name has that; Esc shows all rows.";
	else if (h->n_dropped)
		why = "All rows are too small to be shown; A shows them.";
	else if (h->n_filters)
		why = "No sample is left by the filters; c shows them, u undoes the last one.";
	grid_text(g, a, 2, 1, why, theme_look(LOOK_PLAIN));
}

static void draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct top_state *state = p->state;
	struct area below = { a.x, a.y + 1, a.width, a.height - 1 };
	struct buf head = { 0 }, where = { 0 };

	(void)s;
	if (a.height < 1)
		return;
	sheet_add_position(&state->sheet, &where);
	headline_add(&p->model->report, a.width - (int)where.len - 2, &head);
	if ((int)where.len + 2 < a.width)
		grid_text(g, (struct area){ a.x, a.y, a.width - (int)where.len - 2, 1 }, 1, 0, buf_text(&head),
			  theme_look(LOOK_QUIET));
	grid_text_right(g, a, a.width, 0, buf_text(&where), theme_look(state->sheet.find ? LOOK_MATCH : LOOK_QUIET));
	sheet_draw(&state->sheet, g, below);
	if (state->sheet.list.n == 0)
		draw_nothing(p, g, below);
	buf_release(&where);
	buf_release(&head);
}

/* ---- keys ---- */

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)s;
	if (!list_key(&state->sheet.list, e))
		return false;
	remember(state);
	return true;
}

static bool open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	struct buf name = { 0 };
	uint32_t row;

	(void)e;
	if (!sheet_selected(&state->sheet, &row))
		return false;
	shell_quote(top_sheet.text(&state->sheet, row, SHEET_NAME), &name);
	shell_linef(s, "peek %s", buf_text(&name));
	buf_release(&name);
	return true;
}

/* Sort by a column. What the report can sort is asked at the prompt, and comes with a new model. */
static void sort_by(struct shell *s, struct pane *p, uint32_t col)
{
	struct top_state *state = p->state;
	enum sort order;

	state->sheet.by = col;
	state->sheet.is_reversed = false;
	arrange(state);
	if (order_of(col, &order) && order != (enum sort)settings_query(s->now)->sort)
		shell_linef(s, "sort=%s", order == SORT_CUM ? "cum" : "flat");
}

static bool sort_beside(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	uint32_t col = sheet_beside(&state->sheet, e->key == '<' ? -1 : 1);

	if (col != state->sheet.by)
		sort_by(s, p, col);
	return true;
}

static bool reverse(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)s;
	(void)e;
	state->sheet.is_reversed = !state->sheet.is_reversed;
	arrange(state);
	return true;
}

static bool find_next(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	if (!state->last)
		shell_say(s, false, "nothing was searched for yet; / does");
	else if (!sheet_find(&state->sheet, state->last, e->key == 'N' ? -1 : 1))
		shell_say(s, false, "no row has it");
	remember(state);
	return true;
}

/* The filter. What was searched for last stays for n and N when it is taken away. */
static void search(struct shell *s, struct pane *p, const char *text)
{
	struct top_state *state = p->state;

	(void)s;
	if (*text) {
		find_free(state->last);
		state->last = find_new(text);
	}
	sheet_filter(&state->sheet, *text ? find_new(text) : NULL);
	select_again(state);
	top_add_up(&state->sheet);
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	uint32_t row, col;

	if (e->kind == EVENT_WHEEL)
		return move(s, p, e);
	if (e->y == 1 && sheet_heading_at(&state->sheet, e->x, &col)) {
		if (col == state->sheet.by)
			return reverse(s, p, e);
		sort_by(s, p, col);
		return true;
	}
	if (!list_row_at(&state->sheet.list, e->y - 2, &row))
		return false;
	list_go(&state->sheet.list, row);
	remember(state);
	return e->kind == EVENT_DOUBLE ? open_row(s, p, e) : true;
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->own;
	uint32_t row;

	if (sheet_selected(&state->sheet, &row))
		shell_quote_place(s, &t->place[row], out);
}

static void end(struct pane *p)
{
	struct top_state *state = p->state;

	sheet_release(&state->sheet);
	find_free(state->last);
	free(state->name);
	free(state->function);
}

static const struct binding keys[] = {
	{ "Enter", "its callers and callees; double click too", "callers", "peek NAME", open_row },
	{ "2 p", NULL, NULL, "peek NAME", open_row },
	{ "< >", "sort by the column to the left, to the right; or click on a heading", "sort", "sort=cum", sort_beside },
	{ "I", "turn the order round; or click on the heading again", NULL, NULL, reverse },
	{ "n N", "next, previous row that has what / searched for last", NULL, NULL, find_next },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "h l Left Right", "more of long names", NULL, NULL, move },
};

const struct pane_class view_top = {
	.title = "Top",
	.explain = "Functions by their weight. flat is what was measured in the function itself, cum also what it called. "
		   "Percents are of the total in the title; sum% is flat% of all rows down to here. "
		   "/ leaves only rows whose name has what you type: Enter keeps that, Esc shows all rows again. "
		   "Warm colours: 5 % of the total and more; red: 20 % and more.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct top_state),
	.make = make,
	.shown = shown,
	.draw = draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};

/*
 * view_top.c - Top: functions by their weight
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows come from the report top. Flat and cum are sorted there, as at the prompt (sort=cum), since that
 * also chooses the rows of top10; by other columns they are sorted here.
 *
 * Of large profiles the first model leaves out what was inlined, which takes as long as all the rest; the
 * second one has it.
 */
#include "config.h"

#include "viewers/shell/view_top.h"

#include "base/mem.h"
#include "engine/view.h"
#include "report/top.h"
#include "viewers/shell/headline.h"
#include "viewers/shell/quote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* For the second model; and from how many frames on there are two. */
enum { WANT_INLINED = 1, MANY_FRAMES = 4 << 20 };

struct top_state {
	struct sheet plain, sides;
	struct sheet *sheet; /* the one that is shown; NULL before the first model */
	enum sort came;      /* of the model before */
	struct find *last;   /* what n and N search for; NULL: nothing */
	char *name;          /* of the selected row, to find it again */
	char *function;
};

/* Rows with before and after, where there are two sides; averages have none. */
static int make_report(const struct ask *a, struct model *m, struct top_rows *t, struct view *v, struct err *err)
{
	int rc;

	t->is_net = a->data->has_base;
	t->is_sides = a->two_sides && !a->q->mean;
	if (a->two_sides && a->q->mean)
		buf_addz(&m->notes, "averages do not add up: no before and after, just the difference\n");
	rc = view_make(t->is_sides ? a->p : a->data->p, a->q, m->mem, v, &m->notes, err);
	if (rc < 0)
		return rc;
	t->before = v->side_total[SIDE_BASE];
	t->after = v->side_total[SIDE_TARGET];
	if (t->is_sides)
		return report_top_sides_make(v, a->q, &m->report, err);
	t->is_quick = !(a->want & WANT_INLINED) && v->p->stacks.off[v->p->stacks.n] >= MANY_FRAMES;
	return (t->is_quick ? report_top_make_quick : report_top_make)(v, a->q, &m->report, &m->notes, err);
}

/* Profiles can hold differences without a base. */
static bool has_negative(const struct report *r)
{
	for (size_t i = 0; i < r->table.n_rows; i++) {
		const union cell *cell = r->table.cell + i * r->table.n_cols;

		if (cell[TOP_FLAT].value < 0 || cell[TOP_CUM].value < 0)
			return true;
	}
	return false;
}

static int make(const struct ask *a, struct model *m, struct err *err)
{
	struct top_rows *t = arena_zalloc(m->mem, 1, sizeof(*t));
	struct view v;
	int rc = make_report(a, m, t, &v, err);

	if (rc < 0)
		return rc;
	t->r = &m->report;
	t->is_net |= !t->is_sides && has_negative(t->r);
	t->came = a->q->sort;
	t->place = shell_top_places(v.p, &m->report, m->mem);
	t->sum = arena_zalloc(m->mem, m->report.table.n_rows, sizeof(*t->sum));
	m->own = t;
	return 0;
}

/* The order that the report has when it is sorted by a column. Gives false for columns it does not sort by. */
static bool order_of(const struct sheet *s, uint32_t col, enum sort *out)
{
	bool sides = s->class == &shell_top_sides_sheet;
	bool flat = sides ? col == SIDES_DELTA : col == SHEET_FLAT || col == SHEET_FLAT_PCT || col == SHEET_SUM_PCT;
	bool cum = sides ? col == SIDES_CUM_DELTA : col == SHEET_CUM || col == SHEET_CUM_PCT;

	assert(col < s->class->n_columns);
	*out = cum ? SORT_CUM : SORT_FLAT;
	return flat || cum;
}

/* The column that an order is of. */
static uint32_t column_of(const struct sheet *s, enum sort order)
{
	if (s->class == &shell_top_sides_sheet)
		return order == SORT_CUM ? SIDES_CUM_DELTA : SIDES_DELTA;
	return order == SORT_CUM ? SHEET_CUM : SHEET_FLAT;
}

static const char *name_of(const struct sheet *s, uint32_t row)
{
	return s->class->text(s, row, s->class->name);
}

static void forget(struct top_state *state)
{
	free(state->name);
	free(state->function);
	state->name = state->function = NULL;
}

static void remember(struct top_state *state)
{
	const struct top_rows *t = state->sheet->rows;
	uint32_t row;

	if (!sheet_selected(state->sheet, &row))
		return;
	forget(state);
	state->name = mem_strndup(name_of(state->sheet, row), strlen(name_of(state->sheet, row)));
	state->function = mem_strndup(t->place[row].function, strlen(t->place[row].function));
}

/* Select the row of the same name, else of the same function. */
static void select_again(struct top_state *state)
{
	const struct top_rows *t = state->sheet->rows;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; state->name && i < state->sheet->n_rows; i++) {
		if (strcmp(name_of(state->sheet, i), state->name) == 0) {
			found = i;
			break;
		}
		if (found == UINT32_MAX && *state->function && strcmp(t->place[i].function, state->function) == 0)
			found = i;
	}
	if (found < UINT32_MAX)
		sheet_select(state->sheet, found);
}

/* Other rows are shown, or in another order. */
static void add_up(struct top_state *state)
{
	if (state->sheet == &state->plain)
		shell_top_add_up(state->sheet);
}

/* Sort by what the sheet says. */
static void arrange(struct top_state *state)
{
	const struct top_rows *t = state->sheet->rows;
	enum sort order;

	assert(state->sheet->rows == t && state->sheet->n_rows == t->r->table.n_rows);
	sheet_sort(state->sheet,
		   !state->sheet->is_reversed && order_of(state->sheet, state->sheet->by, &order) && order == t->came);
	add_up(state);
}

/* The key that the chosen columns are saved under. */
static const char *kept_name(const struct top_rows *t)
{
	return t->is_sides ? "top.sides.columns" : "top.columns";
}

/* The sheet of a model; what is searched for goes over to it. */
static void choose_sheet(struct shell *s, struct top_state *state, const struct top_rows *t, const char *search)
{
	struct sheet *sheet = t->is_sides ? &state->sides : &state->plain;
	enum sort order;

	if (!sheet->class)
		sheet_init(sheet, t->is_sides ? &shell_top_sides_sheet : &shell_top_sheet, 0);
	columns_read(s, sheet, kept_name(t));
	if (!sheet->rows || (t->came != state->came && !(order_of(sheet, sheet->by, &order) && order == t->came)))
		sheet->by = column_of(sheet, t->came);
	state->came = t->came;
	state->sheet = sheet;
	sheet_set_rows(sheet, t, t->r->table.n_rows);
	sheet_filter(sheet, search);
}

static void shown(struct shell *s, struct pane *p)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->own;
	struct list was = state->sheet ? state->sheet->list : (struct list){ 0 };
	struct list *list;

	if (state->sheet && was.at == 0 && t->came != state->came)
		forget(state); /* on the heaviest row: show the heaviest one of the new order */
	choose_sheet(s, state, t, p->search);
	arrange(state);
	select_again(state);
	remember(state);
	list = &state->sheet->list; /* the selected row stays where it was on the screen */
	list->top = list->at > was.at - was.top ? list->at - (was.at - was.top) : 0;
	if (t->is_quick) {
		p->want = WANT_INLINED;
		shell_refresh(s, p);
		p->want = 0;
	}
}

/* ---- drawing ---- */

/* Draw why there are no rows, and a remedy. */
static void draw_nothing(const struct shell *s, const struct pane *p, struct grid *g, struct area a)
{
	const struct top_state *state = p->state;
	const struct head *h = &p->model->report.head;
	const char *why = headline_none(s, h);

	if (state->sheet->find)
		why = "No name has that; Esc shows all rows.";
	else if (h->n_dropped)
		why = "All rows are too small to be shown; A shows them.";
	grid_text(g, a, 2, 1, why, theme_look(LOOK_PLAIN));
}

static void draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->own;
	struct area below = { a.x, a.y + 1, a.width, a.height - 1 };
	struct buf head = { 0 }, where = { 0 };

	(void)s;
	if (a.height < 1)
		return;
	sheet_add_position(state->sheet, &where);
	if (t->is_sides)
		headline_add_sides(t->r, t->before, t->after, a.width - (int)where.len - 3, &head);
	else
		headline_add(t->r, a.width - (int)where.len - 3, &head);
	if ((int)where.len + 2 < a.width)
		grid_text(g, (struct area){ a.x, a.y, a.width - (int)where.len - 2, 1 }, 1, 0, buf_text(&head),
			  theme_look(LOOK_QUIET));
	grid_text_right(g, a, a.width, 0, buf_text(&where), theme_look(state->sheet->find ? LOOK_MATCH : LOOK_QUIET));
	sheet_draw(state->sheet, g, below);
	if (state->sheet->list.n == 0)
		draw_nothing(s, p, g, below);
	buf_release(&where);
	buf_release(&head);
}

/* ---- keys ---- */

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)s;
	if (!shell_list_key(&state->sheet->list, e))
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
	if (!sheet_selected(state->sheet, &row))
		return false;
	shell_quote(name_of(state->sheet, row), &name);
	shell_linef(s, "peek %s", buf_text(&name));
	buf_release(&name);
	return true;
}

/* Sort by a column. What the report can sort is asked at the prompt, and comes with a new model. */
static void sort_by(struct shell *s, struct pane *p, uint32_t col)
{
	struct top_state *state = p->state;
	enum sort order;

	state->sheet->by = col;
	state->sheet->is_reversed = false;
	arrange(state);
	remember(state);
	if (order_of(state->sheet, col, &order) && order != (enum sort)settings_query(s->now)->sort)
		shell_linef(s, "sort=%s", order == SORT_CUM ? "cum" : "flat");
}

static bool sort_beside(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	uint32_t col = sheet_beside(state->sheet, e->key == '<' ? -1 : 1);

	if (col != state->sheet->by)
		sort_by(s, p, col);
	return true;
}

static bool reverse(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)s;
	(void)e;
	state->sheet->is_reversed = !state->sheet->is_reversed;
	arrange(state);
	remember(state);
	return true;
}

static bool choose_columns(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)e;
	columns_open(s, state->sheet, kept_name(p->model->own));
	return true;
}

static bool find_next(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	if (!state->last)
		shell_say(s, false, "nothing was searched for yet; / does");
	else if (!sheet_find(state->sheet, state->last, e->key == 'N' ? -1 : 1))
		shell_say(s, false, "no row has it");
	remember(state);
	return true;
}

/* The filter. What was searched for last stays for n and N when it is taken away. */
static void search(struct shell *s, struct pane *p, const char *text)
{
	struct top_state *state = p->state;

	(void)s;
	if (*text)
		find_set(&state->last, text);
	sheet_filter(state->sheet, text);
	select_again(state);
	add_up(state);
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	uint32_t row, col;

	if (e->kind == EVENT_WHEEL)
		return move(s, p, e);
	if (e->y == 1 && sheet_heading_at(state->sheet, e->x, &col)) {
		if (col == state->sheet->by)
			return reverse(s, p, e);
		sort_by(s, p, col);
		return true;
	}
	if (!shell_list_row_at(&state->sheet->list, e->y - 2, &row))
		return false;
	shell_list_go(&state->sheet->list, row);
	remember(state);
	return e->kind == EVENT_DOUBLE ? open_row(s, p, e) : true;
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->own;
	uint32_t row;

	if (sheet_selected(state->sheet, &row))
		shell_quote_place(s, &t->place[row], out);
}

static void end(struct pane *p)
{
	struct top_state *state = p->state;

	sheet_release(&state->plain);
	sheet_release(&state->sides);
	find_free(state->last);
	forget(state);
}

static const struct binding keys[] = {
	{ "Enter", "its callers and callees; double click too", "callers", "peek NAME", open_row },
	{ "2 p", NULL, NULL, "peek NAME", open_row },
	{ "< >", "sort by the column to the left, to the right; or click on a heading", "sort", "sort=cum",
	  sort_beside },
	{ "I", "turn the order round; or click on the heading again", NULL, NULL, reverse },
	{ "C", "choose the columns", "columns", NULL, choose_columns },
	{ "n N", "next, previous row that has what / searched for last", NULL, NULL, find_next },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, move },
	{ "h l Left Right", "more of long names", NULL, NULL, move },
};

const struct pane_class shell_view_top = {
	.title = "Top",
	.explain =
		"Functions by their weight. flat is what was measured in the function itself, cum also what it called. "
		"Percents are of the total in the title; sum% is flat% of all rows down to here. "
		"/ leaves only rows whose name has what you type: Enter keeps that, Esc shows all rows again. "
		"Warm colours: 5 % of the total and more; red: 20 % and more. "
		"In a comparison rows have before, after and the change (d shows the difference alone): + and red "
		"grew, "
		"- and green shrank; new was not there before, gone is not there "
		"any more, from 0 was there but took nothing itself.",
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

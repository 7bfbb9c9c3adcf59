/*
 * top.c - the Top view: functions by flat or cum
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Rows come from the report top. It also sorts by flat and cum, as at the prompt (sort=cum), because the order
 * determines the rows of top10. Other columns are sorted here.
 *
 * For large profiles the first model leaves out which functions were inlined, because finding that takes as long as
 * everything else. A second model adds it.
 */
#include "config.h"

#include "front/shell/views/top.h"

#include "base/mem.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/top.h"
#include "front/shell/views/headline.h"
#include "front/shell/quote.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* The flag that requests the second model, and the number of frames from which there are two models. */
enum { WANT_INLINED = 1, MANY_FRAMES = 4 << 20 };

struct top_state {
	struct sheet plain, sides;
	struct sheet *sheet;      /* the sheet that is shown; NULL before the first model */
	enum sort sort;           /* order of the previous model */
	struct find *last_search; /* the search that n and N repeat; NULL: none */
	char *name;               /* name and function of the selected row, to find it again */
	char *function;
};

/* Make rows with before and after if there are two sides. Averages have no before and after. */
static int view_top_make_report(const struct model_request *a, struct model *m, struct top_rows *t, struct view *v,
				struct err *err)
{
	int rc;

	t->is_net = a->is_change;
	t->is_sides = a->show_sides && !a->q->mean;
	if (a->show_sides && a->q->mean)
		buf_addz(&m->notes, "averages cannot be added; showing only the change\n");
	rc = view_make(t->is_sides ? a->p : a->joined, &a->q->filter, m->mem, v, &m->notes, err);
	if (rc < 0)
		return rc;
	t->before = v->side_total[SIDE_BASE];
	t->after = v->side_total[SIDE_NEW];
	if (t->is_sides)
		return report_top_sides_make(v, a->q, &m->report, err);
	t->is_preliminary = !(a->flags & WANT_INLINED) && v->p->stacks.off[v->p->stacks.n] >= MANY_FRAMES;
	return (t->is_preliminary ? report_top_make_quick : report_top_make)(v, a->q, &m->report, &m->notes, err);
}

/* A profile can contain differences even without a base. */
static bool has_negative(const struct report *r)
{
	for (size_t i = 0; i < r->table.n_rows; i++) {
		const union cell *cell = r->table.cell + i * r->table.n_cols;

		if (cell[TOP_FLAT].value < 0 || cell[TOP_CUM].value < 0)
			return true;
	}
	return false;
}

static int view_top_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct top_rows *t = arena_zalloc(m->mem, 1, sizeof(*t));
	struct view v;
	int rc = view_top_make_report(a, m, t, &v, err);

	if (rc < 0)
		return rc;
	t->r = &m->report;
	t->is_net |= !t->is_sides && has_negative(t->r);
	t->sort = a->q->sort;
	t->place = shell_top_places(v.p, &m->report, m->mem);
	t->sum = arena_zalloc(m->mem, m->report.table.n_rows, sizeof(*t->sum));
	m->view_data = t;
	return 0;
}

/* The report's order for a column; false if the report cannot sort by this column. */
static bool order_of(const struct sheet *s, uint32_t col, enum sort *out)
{
	bool sides = s->class == &shell_top_sides_sheet;
	bool flat = sides ? col == TOP_SIDES_FLAT_DELTA : col == TOP_FLAT || col == TOP_FLAT_PCT || col == TOP_SUM_PCT;
	bool cum = sides ? col == TOP_SIDES_CUM_DELTA : col == TOP_CUM || col == TOP_CUM_PCT;

	assert(col < s->class->n_columns);
	*out = cum ? SORT_CUM : SORT_FLAT;
	return flat || cum;
}

/* The column that corresponds to an order of the report. */
static uint32_t column_of(const struct sheet *s, enum sort order)
{
	if (s->class == &shell_top_sides_sheet)
		return order == SORT_CUM ? TOP_SIDES_CUM_DELTA : TOP_SIDES_FLAT_DELTA;
	return order == SORT_CUM ? TOP_CUM : TOP_FLAT;
}

static const char *view_top_name_of(const struct sheet *s, uint32_t row)
{
	return s->class->text(s, row, s->class->name);
}

static void forget_selection(struct top_state *state)
{
	free(state->name);
	free(state->function);
	state->name = state->function = NULL;
}

static void view_top_remember(struct top_state *state)
{
	const struct top_rows *t = state->sheet->rows;
	uint32_t row;

	if (!sheet_selected(state->sheet, &row))
		return;
	forget_selection(state);
	state->name = mem_strndup(view_top_name_of(state->sheet, row), strlen(view_top_name_of(state->sheet, row)));
	state->function = mem_strndup(t->place[row].function, strlen(t->place[row].function));
}

/* Select the row with the same name, else with the same function. Return false if there is none. */
static bool restore_selection(struct top_state *state)
{
	const struct top_rows *t = state->sheet->rows;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; state->name && i < state->sheet->n_rows; i++) {
		if (strcmp(view_top_name_of(state->sheet, i), state->name) == 0) {
			found = i;
			break;
		}
		if (found == UINT32_MAX && *state->function && strcmp(t->place[i].function, state->function) == 0)
			found = i;
	}
	return found < UINT32_MAX && sheet_select(state->sheet, found);
}

/* Update sum% for the rows shown. */
static void view_top_add_up(struct top_state *state)
{
	if (state->sheet == &state->plain)
		shell_top_add_up(state->sheet);
}

/* Sort by the sheet's column. */
static void sort_sheet(struct top_state *state)
{
	const struct top_rows *t = state->sheet->rows;
	enum sort order;

	assert(state->sheet->rows == t && state->sheet->n_rows == t->r->table.n_rows);
	sheet_sort(state->sheet, !state->sheet->is_reversed &&
					 order_of(state->sheet, state->sheet->sort_column, &order) && order == t->sort);
	view_top_add_up(state);
}

/* The preference of the chosen columns. */
static const char *prefs_name(const struct top_rows *t)
{
	return t->is_sides ? "top.sides.columns" : "top.columns";
}

/* Choose the sheet of a model; the search applies to it too. */
static void choose_sheet(struct shell *s, struct top_state *state, const struct top_rows *t, const char *search)
{
	struct sheet *sheet = t->is_sides ? &state->sides : &state->plain;
	enum sort order;

	if (!sheet->class)
		sheet_init(sheet, t->is_sides ? &shell_top_sides_sheet : &shell_top_sheet, 0);
	columns_read(s, sheet, prefs_name(t));
	if (!sheet->rows ||
	    (t->sort != state->sort && !(order_of(sheet, sheet->sort_column, &order) && order == t->sort)))
		sheet->sort_column = column_of(sheet, t->sort);
	state->sort = t->sort;
	state->sheet = sheet;
	sheet_set_rows(sheet, t, t->r->table.n_rows);
	sheet_filter(sheet, search);
}

static void view_top_model_changed(struct shell *s, struct pane *p)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->view_data;
	struct list was = state->sheet ? state->sheet->list : (struct list){ 0 };
	struct list *list;

	if (state->sheet && was.selected == 0 && t->sort != state->sort)
		forget_selection(state); /* the first row was selected: select the first row of the new order */
	choose_sheet(s, state, t, p->search);
	sort_sheet(state);
	list = &state->sheet->list;
	if (!restore_selection(state) && state->name && list->n)
		/* the selected row has disappeared: select the row now at its position */
		shell_list_select(list, was.selected < list->n ? was.selected : list->n - 1);
	view_top_remember(state);
	/* keep the selected row at the same place on the screen */
	list->top = list->selected > was.selected - was.top ? list->selected - (was.selected - was.top) : 0;
	if (t->is_preliminary) {
		p->flags = WANT_INLINED;
		shell_refresh(s, p);
		p->flags = 0;
	}
}

/* ---- drawing ---- */

/* Draw why there are no rows, and a remedy. */
static void draw_nothing(const struct shell *s, const struct pane *p, struct grid *g, struct area a)
{
	const struct top_state *state = p->state;
	const struct head *h = &p->model->report.head;
	const char *why = headline_no_rows(s, h);

	if (state->sheet->find)
		why = "No name matches; Esc shows all rows.";
	else if (h->n_dropped)
		why = "All rows are too small to show; A shows them.";
	grid_text(g, a, 2, 1, why, theme_style(ROLE_PLAIN));
}

static void view_top_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->view_data;
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
			  theme_style(ROLE_MUTED));
	grid_text_right(g, a, a.width, 0, buf_text(&where), theme_style(state->sheet->find ? ROLE_MATCH : ROLE_MUTED));
	sheet_draw(state->sheet, g, below);
	if (state->sheet->list.n == 0)
		draw_nothing(s, p, g, below);
	buf_release(&where);
	buf_release(&head);
}

/* ---- keys ---- */

static bool view_top_move(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)s;
	if (!shell_list_key(&state->sheet->list, e))
		return false;
	view_top_remember(state);
	return true;
}

static bool view_top_open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	struct buf name = { 0 };
	uint32_t row;

	(void)e;
	if (!sheet_selected(state->sheet, &row))
		return false;
	shell_quote(view_top_name_of(state->sheet, row), &name);
	shell_run_linef(s, "peek %s", buf_text(&name));
	buf_release(&name);
	return true;
}

/* Sort by a column. If the report can sort by it, set the option, which makes a new model. */
static void view_top_sort_by(struct shell *s, struct pane *p, uint32_t col)
{
	struct top_state *state = p->state;
	enum sort order;

	state->sheet->sort_column = col;
	state->sheet->is_reversed = false;
	sort_sheet(state);
	view_top_remember(state);
	if (order_of(state->sheet, col, &order) && order != (enum sort)settings_query(s->settings)->sort)
		shell_run_linef(s, "sort=%s", order == SORT_CUM ? "cum" : "flat");
}

static bool sort_by_neighbour(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	uint32_t col = sheet_neighbour_column(state->sheet, e->key == '<' ? -1 : 1);

	if (col != state->sheet->sort_column)
		view_top_sort_by(s, p, col);
	return true;
}

static bool view_top_reverse(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)s;
	(void)e;
	state->sheet->is_reversed = !state->sheet->is_reversed;
	sort_sheet(state);
	view_top_remember(state);
	return true;
}

static bool choose_columns(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	(void)e;
	columns_open(s, state->sheet, prefs_name(p->model->view_data));
	return true;
}

static bool view_top_find_next(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;

	if (!state->last_search)
		shell_notify(s, false, "no search yet; press /");
	else if (!sheet_find(state->sheet, state->last_search, e->key == 'N' ? -1 : 1))
		shell_notify(s, false, "no match");
	view_top_remember(state);
	return true;
}

/* Filter the rows. When the filter is removed, n and N still use it. */
static void view_top_search(struct shell *s, struct pane *p, const char *text)
{
	struct top_state *state = p->state;

	(void)s;
	if (*text)
		find_set(&state->last_search, text);
	sheet_filter(state->sheet, text);
	(void)restore_selection(state);
	view_top_add_up(state);
}

static bool view_top_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct top_state *state = p->state;
	uint32_t row, col;

	if (e->kind == EVENT_WHEEL)
		return view_top_move(s, p, e);
	if (e->y == 1 && sheet_heading_at(state->sheet, e->x, &col)) {
		if (col == state->sheet->sort_column)
			return view_top_reverse(s, p, e);
		view_top_sort_by(s, p, col);
		return true;
	}
	if (!shell_list_row_at(&state->sheet->list, e->y - 2, &row))
		return false;
	shell_list_select(&state->sheet->list, row);
	view_top_remember(state);
	return e->kind == EVENT_DOUBLE ? view_top_open_row(s, p, e) : true;
}

static void view_top_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	struct top_state *state = p->state;
	const struct top_rows *t = p->model->view_data;
	uint32_t row;

	if (sheet_selected(state->sheet, &row))
		shell_quote_place(s, &t->place[row], out);
}

static void view_top_release_state(struct pane *p)
{
	struct top_state *state = p->state;

	sheet_release(&state->plain);
	sheet_release(&state->sides);
	find_free(state->last_search);
	forget_selection(state);
}

static const struct binding keys[] = {
	{ "Enter", "callers and callees", "callers", "peek NAME", .act = view_top_open_row },
	{ "2 p", NULL, NULL, "peek NAME", .act = view_top_open_row },
	{ "< >", "sort by the column to the left or right; or click on a heading", "sort", "sort=cum",
	  .act = sort_by_neighbour },
	{ "I", "reverse the order; or click on the heading again", NULL, NULL, .act = view_top_reverse },
	{ "C", "choose the columns", "columns", NULL, .act = choose_columns },
	{ "n N", "next and previous match of the last search", NULL, NULL, .act = view_top_find_next },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move", NULL, NULL, .act = view_top_move },
	{ "h l Left Right", "scroll long names", NULL, NULL, .act = view_top_move },
};

const struct pane_class shell_view_top = {
	.title = "Top",
	.help = "Functions by flat or cum. flat is measured in the function itself, cum includes its callees. "
		"Percentages refer to the total in the title; sum% is flat% of all rows down to this one. / shows "
		"only rows whose name matches: Enter keeps the filter, Esc shows all rows again. Colours: warm "
		"from 5 % of the total, red from 20 %. A comparison shows before, after and change (d shows the "
		"change alone): + and red mark growth, - and green reduction; new marks functions that were not "
		"there before, gone those that are not there after, and from 0 those that had only callees before.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct top_state),
	.make = view_top_make,
	.model_changed = view_top_model_changed,
	.draw = view_top_draw,
	.mouse = view_top_mouse,
	.add_selection = view_top_add_selection,
	.search = view_top_search,
	.release = view_top_release_state,
};

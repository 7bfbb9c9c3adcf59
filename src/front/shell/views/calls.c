/*
 * calls.c - the Callers view: a function between its callers and callees
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each step to a caller or callee runs a line (peek ^name$) and thus opens a new pane. A step back shows the previous
 * pane, and the line at the top lists these panes.
 */
#include "config.h"

#include "front/shell/views/calls.h"
#include "front/shell/views/views.h"

#include "base/columns.h"
#include "base/mem.h"
#include "base/unit.h"
#include "engine/query.h"
#include "engine/view.h"
#include "front/shell/widgets/name.h"
#include "front/shell/quote.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	CALLS_CRUMBS = 16,
	CRUMB_MAX = 24,
	AROUND = 4 /* lines: the visited panes, two headings, and the function */
};

enum calls_part { PART_CALLERS, PART_NODE, PART_CALLEES };

struct calls_state {
	struct sheet callers, callees;
	struct calls_side above, below;
	bool is_made;                  /* are the sheets initialised? */
	int height;                    /* height that the lines were chosen for */
	uint32_t current;              /* index of the function in the middle */
	enum calls_part part;          /* the part that contains the selected row: callers, function, callees */
	char *node, *name;             /* the function in the middle and the selected one, to find them again */
	char *caller;                  /* the caller or callee that the selected line belongs to */
	struct find *last_search;      /* the search that n and N repeat */
	int middle_y, callees_y;       /* lines where the middle function and its callees begin */
	int crumb_x[CALLS_CRUMBS + 1]; /* [n_crumbs + 1] columns at which the names of visited panes begin */
	int n_crumbs;                  /* number of visited panes in the line at the top, with this pane */
};

/* ---- the model ---- */

static struct calls_rows *view_calls_find_groups(const struct report *r, struct arena *mem)
{
	struct calls_rows *c = arena_zalloc(mem, 1, sizeof(*c));
	const struct table *t = &r->table;
	struct calls_group *g;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		n += t->role[i] == ROW_NODE;
	c->r = r;
	c->group = arena_alloc(mem, n, sizeof(*c->group));
	for (uint32_t i = 0; i < t->n_rows;) {
		g = &c->group[c->n++];
		g->first = i;
		while (i < t->n_rows && t->role[i] == ROW_CALLER)
			i++;
		assert(i < t->n_rows && t->role[i] == ROW_NODE);
		g->node = i++;
		while (i < t->n_rows && t->role[i] == ROW_CALLEE)
			i++;
		g->end = i;
	}
	return c;
}

static int view_calls_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct calls_rows *c;
	struct calls_grand grand;
	struct view v;
	int rc = view_make(a->joined, &a->q->filter, m->mem, &v, &m->notes, err);

	if (rc == 0)
		rc = report_calls_make_grand(&v, a->q, &m->report, &grand, err);
	if (rc < 0)
		return rc;
	c = view_calls_find_groups(&m->report, m->mem);
	c->grand = grand;
	c->is_net = a->is_change;
	for (uint32_t i = 0; i < c->n; i++)
		c->is_net |= m->report.table.cell[(size_t)c->group[i].node * N_CALLS_COLS + CALLS_CUM].value < 0;
	m->view_data = c;
	return 0;
}

static const char *view_calls_name_of(const struct calls_rows *c, uint32_t row)
{
	return c->r->table.cell[(size_t)row * N_CALLS_COLS + CALLS_NAME].text;
}

/* The row of the function in the middle. */
static uint32_t node_of(const struct pane *p)
{
	const struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;

	assert(state->current < c->n);
	return c->group[state->current].node;
}

/* The sheet of the selected row; NULL for the function in the middle. */
static struct sheet *sheet_of(struct calls_state *state)
{
	return state->part == PART_CALLERS ? &state->callers : state->part == PART_CALLEES ? &state->callees : NULL;
}

/* The selected line; false when the function in the middle is selected. */
static bool view_calls_selected_line(const struct pane *p, const struct calls_side **side, uint32_t *line)
{
	const struct sheet *sheet = sheet_of(p->state);

	if (!sheet || !sheet_selected(sheet, line))
		return false;
	*side = sheet->rows;
	return true;
}

/* The name of the selected function. */
static const char *selected_name(const struct pane *p)
{
	const struct calls_side *side;
	uint32_t line;

	return view_calls_selected_line(p, &side, &line) ? shell_calls_side_function(side, line)
							 : view_calls_name_of(p->model->view_data, node_of(p));
}

static void view_calls_set_text(char **to, const char *text)
{
	char *own = mem_strndup(text, strlen(text));

	free(*to);
	*to = own;
}

/* ---- selection ---- */

static void view_calls_remember(struct pane *p)
{
	struct calls_state *state = p->state;
	const struct calls_side *side;
	uint32_t line;

	view_calls_set_text(&state->node, view_calls_name_of(p->model->view_data, node_of(p)));
	view_calls_set_text(&state->name, selected_name(p));
	view_calls_set_text(&state->caller,
			    view_calls_selected_line(p, &side, &line) ? shell_calls_side_near(side, line) : "");
}

/* Select a part. If it has no rows, select the function in the middle. */
static void go_to_part(struct calls_state *state, enum calls_part part)
{
	struct sheet *sheet;

	state->part = part;
	sheet = sheet_of(state);
	if (sheet && sheet->list.n == 0)
		state->part = PART_NODE;
	state->callers.is_inactive = state->part != PART_CALLERS;
	state->callees.is_inactive = state->part != PART_CALLEES;
}

/* Divide lines between two sides: each gets half, plus the lines that the other does not need. */
static int view_calls_share(int room, uint32_t above, uint32_t below)
{
	int half = room / 2, need = above < (uint32_t)room ? (int)above : room,
	    other = below < (uint32_t)room ? (int)below : room;

	if (need <= half)
		return need;
	return other < room - half ? (need < room - other ? need : room - other) : half;
}

/*
 * Set the lines of both sides for a height of the pane: callers and callees, and their own callers and callees in the
 * lines that remain.
 */
static void calls_set_lines(struct pane *p, int height)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;
	struct calls_span above = { &c->group[state->current], false }, below = { &c->group[state->current], true };
	int64_t room = (int64_t)height - AROUND - shell_calls_span_rows(above) - shell_calls_span_rows(below);
	uint32_t spare = room > 0 ? (uint32_t)room : 0, wish = shell_calls_span_wish(c, below);
	uint32_t n = (uint32_t)view_calls_share((int)spare, shell_calls_span_wish(c, above), wish);

	state->height = height;
	shell_calls_side_set(&state->above, c, above, n);
	shell_calls_side_set(&state->below, c, below, wish < spare - n ? wish : spare - n);
	sheet_set_rows(&state->callers, &state->above, state->above.n_lines);
	sheet_set_rows(&state->callees, &state->below, state->below.n_lines);
	sheet_sort(&state->callers, true);
	sheet_sort(&state->callees, true);
}

static void view_calls_show_group(struct pane *p, uint32_t which, int height)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;
	const struct calls_group *g = &c->group[which];

	assert(which < c->n && g->first <= g->node && g->node < g->end && g->end <= c->r->table.n_rows);
	state->current = which;
	calls_set_lines(p, height);
	go_to_part(state, state->part);
}

/* Select the line of a function that belongs to a caller or callee; false when there is none. */
static bool select_name(struct calls_state *state, const char *name, const char *near)
{
	struct sheet *sheet = sheet_of(state);

	for (uint32_t i = 0; sheet && i < sheet->n_rows; i++)
		if (strcmp(shell_calls_side_function(sheet->rows, i), name) == 0 &&
		    strcmp(shell_calls_side_near(sheet->rows, i), near) == 0)
			return sheet_select(sheet, i);
	return false;
}

/* Select the last selected function again, else the caller or callee that it belonged to. */
static void calls_select_last(struct calls_state *state)
{
	if (state->name && !select_name(state, state->name, state->caller))
		select_name(state, state->caller, state->caller);
}

static void view_calls_model_changed(struct shell *s, struct pane *p)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;
	uint32_t which = state->current < c->n ? state->current : 0;

	if (!state->is_made) {
		sheet_init(&state->callers, &shell_callers_sheet, CALLS_SHEET_CUM);
		sheet_init(&state->callees, &shell_callees_sheet, CALLS_SHEET_CUM);
		state->part = PART_NODE;
		state->is_made = true;
	}
	for (uint32_t i = c->n; state->node && i-- > 0;)
		which = strcmp(view_calls_name_of(c, c->group[i].node), state->node) == 0 ? i : which;
	view_calls_show_group(p, which, frame_body(s).height);
	calls_select_last(state);
	view_calls_remember(p);
}

/* ---- drawing: the visited functions ---- */

/* The name of a visited pane: the function in its middle, else the pattern as typed. */
static const char *crumb_of(const struct pane *p)
{
	const struct calls_state *state = p->state;
	const char *line = strchr(p->line, ' ');

	return state->node ? state->node : line ? line + 1 : p->line;
}

static int crumb_width(const struct pane *p)
{
	int width = (int)column_count(crumb_of(p));

	return width < CRUMB_MAX ? width : CRUMB_MAX;
}

/* The index of the first pane to list at the top: the panes of this view that were opened one after another up to
   the current pane, as many as fit. */
static size_t first_crumb(const struct shell *s, int room)
{
	size_t at = s->current;

	room -= crumb_width(s->pane[at]);
	while (at > 0 && s->pane[at - 1]->class == &shell_view_calls && s->current - at + 1 < CALLS_CRUMBS) {
		room -= crumb_width(s->pane[at - 1]) + 3;
		if (room < 2)
			break;
		at--;
	}
	return at;
}

static void view_calls_draw_crumbs(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;
	struct buf count = { 0 };
	size_t first;
	int x = 1;

	if (c->n > 1)
		buf_addf(&count, "%" PRIu32 "/%" PRIu32 " matches  [ ]", state->current + 1, c->n);
	grid_text_right(g, a, a.width, 0, buf_text(&count), theme_style(ROLE_KEY));
	a.width -= (int)count.len + 2;
	buf_release(&count);
	state->n_crumbs = 0;
	if (s->pane[s->current] != p || a.width < 2)
		return;
	first = first_crumb(s, a.width - 1);
	if (first > 0 && s->pane[first - 1]->class == &shell_view_calls)
		x = grid_text(g, a, x, 0, "\xe2\x80\xa6 > ", theme_style(ROLE_MUTED));
	for (size_t i = first; i <= s->current; i++) {
		assert(state->n_crumbs < CALLS_CRUMBS);
		state->crumb_x[state->n_crumbs++] = x;
		x = shell_name_draw(g, a, x, 0, crumb_of(s->pane[i]), "", i == s->current ? a.width - x : CRUMB_MAX,
				    theme_style(i == s->current ? ROLE_KEY : ROLE_COMMAND), theme_style(ROLE_MUTED));
		state->crumb_x[state->n_crumbs] = x;
		if (i < s->current)
			x = grid_text(g, a, x, 0, " > ", theme_style(ROLE_MUTED));
	}
}

/* ---- drawing: the function in the middle ---- */

static int draw_number(const struct calls_rows *c, struct grid *g, struct area a, int x, const char *what,
		       int64_t value, bool here)
{
	struct style plain = theme_style(ROLE_KEY), style = plain, heat;
	struct buf text = { 0 };

	x = grid_text(g, a, x, 0, what, here ? theme_selected(plain) : plain);
	shell_calls_add_value(c, value, &text, &style);
	x = grid_text(g, a, x, 0, buf_text(&text), here ? theme_selected(style) : style);
	text.len = 0;
	buf_addz(&text, " ");
	unit_add_percent_trimmed(&text, value, c->r->head.total);
	heat = c->is_net ? style : theme_heat(unit_percent(value, c->r->head.total));
	x = grid_text(g, a, x, 0, buf_text(&text), here ? theme_selected(heat) : heat);
	buf_release(&text);
	return x + 2;
}

static void draw_node(const struct pane *p, struct grid *g, struct area a)
{
	enum { NAME_ROOM = 48 };
	const struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;
	const union cell *node = c->r->table.cell + (size_t)node_of(p) * N_CALLS_COLS;
	bool here = state->part == PART_NODE;
	struct style style = theme_style(ROLE_KEY);
	int x = 1;

	grid_fill(g, a, ' ', theme_style(here ? ROLE_SELECTED : ROLE_PLAIN));
	if (a.width >= NAME_ROOM) {
		x = draw_number(c, g, a, x, "flat ", node[CALLS_FLAT].value, here);
		x = draw_number(c, g, a, x, "cum ", node[CALLS_CUM].value, here);
	}
	shell_name_draw(g, a, x, 0, node[CALLS_NAME].text, "", a.width - x, here ? theme_selected(style) : style,
			style);
}

/* ---- drawing: all parts ---- */

static void draw_side(struct sheet *s, struct grid *g, struct area a)
{
	const struct calls_side *side = s->rows;
	const char *nothing = s->class == &shell_callers_sheet ? "no callers" : "no callees";
	struct buf where = { 0 };

	if (a.height < 1)
		return;
	sheet_draw(s, g, a);
	if (s->list.n == 0)
		buf_addz(&where, s->find ? "no match" : nothing);
	else if (s->is_inactive)
		unit_add_count(&where, s->find ? s->list.n : side->n_rows);
	else
		sheet_add_position(s, &where);
	/* does the position fit after the heading? */
	if ((int)where.len + s->x_begin[CALLS_SHEET_NAME] + (int)sizeof("callees ") <= a.width)
		grid_text_right(g, a, a.width, 0, buf_text(&where), theme_style(ROLE_HEADING));
	buf_release(&where);
}

static void view_calls_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct calls_state *state = p->state;
	int above = 0;

	if (state->height != a.height) {
		calls_set_lines(p, a.height);
		go_to_part(state, state->part);
		calls_select_last(state);
	}
	for (uint32_t c = 0; c < CALLS_SHEET_NAME; c++) {
		int *one = &state->callers.width[c], *two = &state->callees.width[c];

		*one = *two = *one > *two ? *one : *two;
	}
	state->middle_y = 0;
	if (a.height >= AROUND) {
		above = view_calls_share(a.height - AROUND, state->callers.list.n, state->callees.list.n);
		view_calls_draw_crumbs(s, p, g, (struct area){ a.x, a.y, a.width, 1 });
		draw_side(&state->callers, g, (struct area){ a.x, a.y + 1, a.width, above + 1 });
		state->middle_y = above + 2;
	}
	state->callees_y = state->middle_y + 1;
	if (a.height > 0)
		draw_node(p, g, (struct area){ a.x, a.y + state->middle_y, a.width, 1 });
	draw_side(&state->callees, g,
		  (struct area){ a.x, a.y + state->callees_y, a.width, a.height - state->callees_y });
}

/* ---- keys ---- */

/* Move through all three parts as one list. */
static bool view_calls_move(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	uint32_t above = state->callers.list.n, below = state->callees.list.n;
	struct list all = { .n = above + 1 + below, .height = p->area.height };

	(void)s;
	all.selected = state->part == PART_CALLERS ? state->callers.list.selected
		       : state->part == PART_NODE  ? above
						   : above + 1 + state->callees.list.selected;
	if (!shell_list_key(&all, e))
		return false;
	go_to_part(state, all.selected < above ? PART_CALLERS : all.selected == above ? PART_NODE : PART_CALLEES);
	if (state->part == PART_CALLERS)
		shell_list_select(&state->callers.list, all.selected);
	else if (state->part == PART_CALLEES)
		shell_list_select(&state->callees.list, all.selected - above - 1);
	view_calls_remember(p);
	return true;
}

static bool open_selected(struct shell *s, struct pane *p)
{
	struct buf name = { 0 };

	shell_quote(selected_name(p), &name);
	shell_run_linef(s, "peek %s", buf_text(&name));
	buf_release(&name);
	return true;
}

static bool view_calls_open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;

	(void)e;
	if (state->part == PART_NODE && c->n == 1) {
		shell_notify(s, false, "already in the middle; Left and Right go to its largest caller and callee");
		return true;
	}
	return open_selected(s, p);
}

/* Open the selected caller (Left) or callee (Right); the first one if the selection is elsewhere. */
static bool view_calls_open_side(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	enum calls_part part = e->key == KEY_LEFT_ || e->key == 'h' ? PART_CALLERS : PART_CALLEES;

	if (state->part != part) {
		go_to_part(state, part);
		if (state->part == part)
			shell_list_select(&sheet_of(state)->list, 0);
	}
	if (state->part != part) {
		shell_notify(s, false, part == PART_CALLERS ? "no callers" : "no callees");
		return true;
	}
	view_calls_remember(p);
	return open_selected(s, p);
}

static bool change_part(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	enum calls_part part = state->part == PART_CALLEES ? PART_CALLERS : PART_CALLEES;

	(void)s;
	(void)e;
	go_to_part(state, part);
	if (state->part != part)
		go_to_part(state, part == PART_CALLERS ? PART_CALLEES : PART_CALLERS);
	view_calls_remember(p);
	return true;
}

static bool view_calls_step(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->view_data;

	if (c->n == 1) {
		shell_notify(s, false, "only this function matches");
		return true;
	}
	state->part = PART_NODE;
	view_calls_show_group(p, (state->current + (e->key == '[' ? c->n - 1 : 1)) % c->n, frame_body(s).height);
	view_calls_remember(p);
	return true;
}

/* The name of row i of callers and callees, not counting the function between them. */
static const char *name_at(const struct calls_state *state, uint32_t i)
{
	const struct sheet *sheet = i < state->callers.list.n ? &state->callers : &state->callees;

	return sheet->class->text(sheet, sheet->row[i - (sheet == &state->callees ? state->callers.list.n : 0)],
				  CALLS_SHEET_NAME);
}

static void go_to_row(struct calls_state *state, uint32_t i)
{
	uint32_t above = state->callers.list.n;

	go_to_part(state, i < above ? PART_CALLERS : PART_CALLEES);
	shell_list_select(&sheet_of(state)->list, i < above ? i : i - above);
}

/* Find a match among the rows of both sides, wrapping around. From the function in the middle, start with its first
   callee or its last caller. */
static bool view_calls_find_row(struct calls_state *state, int by)
{
	uint32_t above = state->callers.list.n, n = above + state->callees.list.n, at;

	at = state->part == PART_CALLERS   ? state->callers.list.selected
	     : state->part == PART_CALLEES ? above + state->callees.list.selected
	     : by > 0                      ? above + n - 1
					   : above;
	for (uint32_t i = 0; i < n; i++) {
		at = by > 0 ? (at + 1) % n : (at + n - 1) % n;
		if (!find_matches(state->last_search, name_at(state, at)))
			continue;
		go_to_row(state, at);
		return true;
	}
	return false;
}

static bool view_calls_find_next(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;

	if (!state->last_search)
		shell_notify(s, false, "no search yet; press /");
	else if (!view_calls_find_row(state, e->key == 'N' ? -1 : 1))
		shell_notify(s, false, "no match");
	view_calls_remember(p);
	return true;
}

static void view_calls_search(struct shell *s, struct pane *p, const char *text)
{
	struct calls_state *state = p->state;

	(void)s;
	if (*text)
		find_set(&state->last_search, text);
	sheet_filter(&state->callers, text);
	sheet_filter(&state->callees, text);
	go_to_part(state, state->part);
	calls_select_last(state);
}

/* Go back to the visited pane whose name was clicked. */
static bool view_calls_click_crumb(struct shell *s, const struct calls_state *state, int x)
{
	for (int i = 0; i < state->n_crumbs; i++)
		if (x >= state->crumb_x[i] && x < state->crumb_x[i + 1]) {
			for (int k = state->n_crumbs - 1; k > i; k--)
				shell_back(s);
			return true;
		}
	return false;
}

static bool view_calls_mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	uint32_t row;

	if (e->kind == EVENT_WHEEL)
		return view_calls_move(s, p, e);
	if (e->y == 0 && state->middle_y > 1)
		return view_calls_click_crumb(s, state, e->x);
	if (e->y < state->middle_y && shell_list_row_at(&state->callers.list, e->y - 2, &row)) {
		go_to_part(state, PART_CALLERS);
		shell_list_select(&state->callers.list, row);
	} else if (e->y == state->middle_y) {
		go_to_part(state, PART_NODE);
	} else if (shell_list_row_at(&state->callees.list, e->y - state->callees_y - 1, &row)) {
		go_to_part(state, PART_CALLEES);
		shell_list_select(&state->callees.list, row);
	} else {
		return false;
	}
	view_calls_remember(p);
	return e->kind == EVENT_DOUBLE ? view_calls_open_row(s, p, e) : true;
}

static void view_calls_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	const struct calls_rows *c = p->model->view_data;
	const struct calls_side *side;
	uint32_t line;

	shell_quote_place(s,
			  view_calls_selected_line(p, &side, &line) ? shell_calls_side_place(side, line)
								    : &c->r->table.place[node_of(p)],
			  out);
}

static void view_calls_release_state(struct pane *p)
{
	struct calls_state *state = p->state;

	sheet_release(&state->callers);
	sheet_release(&state->callees);
	find_free(state->last_search);
	free(state->node);
	free(state->name);
	free(state->caller);
	free(state->above.line);
	free(state->below.line);
}

static const struct binding keys[] = {
	{ "Enter", "move the selected function to the middle; Backspace goes back", "open", "peek NAME",
	  .act = view_calls_open_row },
	{ "2 p", NULL, NULL, "peek NAME", .act = view_calls_open_row },
	{ "Left h", "go to the selected caller, else the largest", "caller", "peek NAME", .act = view_calls_open_side },
	{ "Right l", "go to the selected callee, else the largest", "callee", "peek NAME",
	  .act = view_calls_open_side },
	{ "Tab BackTab", "switch between callers and callees", NULL, NULL, .act = change_part },
	{ "[ ]", "previous and next matching function", NULL, NULL, .act = view_calls_step },
	{ "n N", "next and previous match of the last search", NULL, NULL, .act = view_calls_find_next },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move through callers, function and callees", NULL,
	  NULL, .act = view_calls_move },
};

const struct pane_class shell_view_calls = {
	.title = "Callers and callees",
	.help = "A function in the middle, its callers above it and its callees below it, the largest first. cum "
		"is the cost of the samples in which the caller calls the callee, calls% its percentage of the cum "
		"of the function in the middle, cum% its percentage of the total. (inline) marks an inlined call. "
		"Lines that they do not need show their own callers and callees, indented, with the part of the value "
		"that comes from there or continues there. The parts add up to the value: (no caller) and (itself) are "
		"what no other function has, \"3 others\" is the sum of functions without a line, and Enter on these "
		"opens the caller or callee above. A stack with several such calls counts once, at the outermost. "
		"The line at the top shows the path so far; click on a name to return to it.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct calls_state),
	.make = view_calls_make,
	.model_changed = view_calls_model_changed,
	.draw = view_calls_draw,
	.mouse = view_calls_mouse,
	.add_selection = view_calls_add_selection,
	.search = view_calls_search,
	.release = view_calls_release_state,
};

/*
 * view_calls.c - Callers and callees: a function between those that call it and those that it calls
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each step to a caller or a callee is a line at the prompt (peek ^name$) and so a pane of its own: the
 * way back is the way of panes, and the crumbs on top show it.
 */
#include "config.h"

#include "viewers/shell/sheet.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "engine/view.h"
#include "report/calls.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/quote.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CALLS_CRUMBS = 16 };

/* One function with its rows in the report: callers [first, node), callees (node, end). */
struct calls_group {
	uint32_t first, node, end;
};

/* The model. */
struct calls_rows {
	const struct report *r;
	bool is_net; /* values are differences */
	uint32_t n;
	struct calls_group *group; /* [n] what the expression matched */
};

/* The rows of one side, for its sheet. */
struct calls_side {
	const struct calls_rows *all;
	uint32_t first;
};

enum calls_part { PART_CALLERS, PART_NODE, PART_CALLEES };

struct calls_state {
	struct sheet callers, callees;
	struct calls_side above, below;
	bool is_made;                  /* the sheets are */
	uint32_t which;                /* the group in the middle */
	enum calls_part part;          /* where the selected row is */
	char *node, *name;             /* names of the one in the middle and of the selected one, to find them again */
	struct find *last;             /* what n and N search for */
	int middle_y, callees_y;       /* lines of the view where these begin */
	int crumb_x[CALLS_CRUMBS + 1]; /* [n_crumbs + 1] where crumbs begin */
	int n_crumbs;                  /* the last one is this pane */
};

enum calls_column { CALLS_SHEET_WEIGHT, CALLS_SHEET_SHARE, CALLS_SHEET_TOTAL, CALLS_SHEET_NAME };

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

static const struct sheet_class callers_class = { callers, 4, CALLS_SHEET_NAME, cell, weight, text, mark };
static const struct sheet_class callees_class = { callees, 4, CALLS_SHEET_NAME, cell, weight, text, mark };

/* ---- the model ---- */

static struct calls_rows *find_groups(const struct report *r, struct arena *mem)
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

static int make(const struct ask *a, struct model *m, struct err *err)
{
	struct calls_rows *c;
	struct view v;
	int rc = view_make(a->data->p, a->q, m->mem, &v, &m->notes, err);

	if (rc == 0)
		rc = report_calls_make(&v, a->q, &m->report, &m->notes, err);
	if (rc < 0)
		return rc;
	c = find_groups(&m->report, m->mem);
	c->is_net = a->data->has_base;
	for (uint32_t i = 0; i < c->n; i++)
		c->is_net |= m->report.table.cell[(size_t)c->group[i].node * N_CALLS_COLS + CALLS_CUM].value < 0;
	m->own = c;
	return 0;
}

static const char *name_of(const struct calls_rows *c, uint32_t row)
{
	return c->r->table.cell[(size_t)row * N_CALLS_COLS + CALLS_NAME].text;
}

/* The row of the report in the middle. */
static uint32_t node_of(const struct pane *p)
{
	const struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;

	assert(state->which < c->n);
	return c->group[state->which].node;
}

/* The sheet of the selected row; NULL for the function in the middle. */
static struct sheet *sheet_of(struct calls_state *state)
{
	return state->part == PART_CALLERS ? &state->callers : state->part == PART_CALLEES ? &state->callees : NULL;
}

static uint32_t selected(const struct pane *p)
{
	struct calls_state *state = p->state;
	const struct sheet *sheet = sheet_of(state);
	uint32_t row;

	if (!sheet || !sheet_selected(sheet, &row))
		return node_of(p);
	return ((const struct calls_side *)sheet->rows)->first + row;
}

static void set_text(char **to, const char *text)
{
	char *own = mem_strndup(text, strlen(text));

	free(*to);
	*to = own;
}

/* ---- what is selected ---- */

static void remember(struct pane *p)
{
	struct calls_state *state = p->state;

	set_text(&state->node, name_of(p->model->own, node_of(p)));
	set_text(&state->name, name_of(p->model->own, selected(p)));
}

/* Go to a part, or where it has no rows to the function in the middle. */
static void go_to_part(struct calls_state *state, enum calls_part part)
{
	struct sheet *sheet;

	state->part = part;
	sheet = sheet_of(state);
	if (sheet && sheet->list.n == 0)
		state->part = PART_NODE;
	state->callers.is_quiet = state->part != PART_CALLERS;
	state->callees.is_quiet = state->part != PART_CALLEES;
}

static void show_group(struct pane *p, uint32_t which)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;
	const struct calls_group *g = &c->group[which];

	assert(which < c->n && g->first <= g->node && g->node < g->end && g->end <= c->r->table.n_rows);
	state->which = which;
	state->above = (struct calls_side){ c, g->first };
	state->below = (struct calls_side){ c, g->node + 1 };
	sheet_set_rows(&state->callers, &state->above, g->node - g->first);
	sheet_set_rows(&state->callees, &state->below, g->end - g->node - 1);
	sheet_sort(&state->callers, true);
	sheet_sort(&state->callees, true);
	go_to_part(state, state->part);
}

/* Select the row of a name in its part. */
static void select_name(struct calls_state *state, const char *name)
{
	struct sheet *sheet = sheet_of(state);

	for (uint32_t i = 0; sheet && i < sheet->n_rows; i++)
		if (strcmp(sheet->class->text(sheet, i, CALLS_SHEET_NAME), name) == 0) {
			sheet_select(sheet, i);
			return;
		}
}

static void shown(struct shell *s, struct pane *p)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;
	uint32_t which = state->which < c->n ? state->which : 0;

	(void)s;
	if (!state->is_made) {
		sheet_init(&state->callers, &callers_class, CALLS_SHEET_WEIGHT);
		sheet_init(&state->callees, &callees_class, CALLS_SHEET_WEIGHT);
		state->part = PART_NODE;
		state->is_made = true;
	}
	for (uint32_t i = c->n; state->node && i-- > 0;)
		which = strcmp(name_of(c, c->group[i].node), state->node) == 0 ? i : which;
	show_group(p, which);
	if (state->name)
		select_name(state, state->name);
	remember(p);
}

/* ---- drawing: the way here ---- */

enum { CRUMB_MAX = 24 };

/* The name of a pane on the way: the function in its middle, else the pattern that was typed. */
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
		assert(state->n_crumbs < CALLS_CRUMBS);
		state->crumb_x[state->n_crumbs++] = x;
		x = grid_text_short(g, a, x, 0, crumb_of(s->pane[i]), CRUMB_MAX,
				    theme_look(i == s->at ? LOOK_KEY : LOOK_COMMAND));
		state->crumb_x[state->n_crumbs] = x;
		if (i < s->at)
			x = grid_text(g, a, x, 0, " > ", theme_look(LOOK_QUIET));
	}
}

/* ---- drawing: the function in the middle ---- */

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
	const union cell *node = c->r->table.cell + (size_t)node_of(p) * N_CALLS_COLS;
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

/* ---- drawing: all of it ---- */

static void draw_side(struct sheet *s, struct grid *g, struct area a)
{
	const char *nothing = s->class == &callers_class ? "nothing calls it" : "it calls nothing";
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

static void draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
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

/* ---- keys ---- */

/* One list of all three parts for keys that move. */
static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	uint32_t above = state->callers.list.n, below = state->callees.list.n;
	struct list all = { .n = above + 1 + below, .height = p->area.height };

	(void)s;
	all.at = state->part == PART_CALLERS ? state->callers.list.at
		 : state->part == PART_NODE  ? above
					     : above + 1 + state->callees.list.at;
	if (!shell_list_key(&all, e))
		return false;
	go_to_part(state, all.at < above ? PART_CALLERS : all.at == above ? PART_NODE : PART_CALLEES);
	if (state->part == PART_CALLERS)
		shell_list_go(&state->callers.list, all.at);
	else if (state->part == PART_CALLEES)
		shell_list_go(&state->callees.list, all.at - above - 1);
	remember(p);
	return true;
}

static bool open_selected(struct shell *s, struct pane *p)
{
	struct buf name = { 0 };

	shell_quote(name_of(p->model->own, selected(p)), &name);
	shell_linef(s, "peek %s", buf_text(&name));
	buf_release(&name);
	return true;
}

static bool open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;

	(void)e;
	if (state->part == PART_NODE && c->n == 1) {
		shell_say(s, false, "this one is in the middle; Left and Right go to its heaviest caller and callee");
		return true;
	}
	return open_selected(s, p);
}

/* To a side: its selected row, else its heaviest. */
static bool open_side(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	enum calls_part part = e->key == KEY_LEFT_ || e->key == 'h' ? PART_CALLERS : PART_CALLEES;

	if (state->part != part) {
		go_to_part(state, part);
		if (state->part == part)
			shell_list_go(&sheet_of(state)->list, 0);
	}
	if (state->part != part) {
		shell_say(s, false, part == PART_CALLERS ? "nothing calls it" : "it calls nothing");
		return true;
	}
	remember(p);
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
	remember(p);
	return true;
}

static bool step(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;

	if (c->n == 1) {
		shell_say(s, false, "the expression matches this function alone");
		return true;
	}
	state->part = PART_NODE;
	show_group(p, (state->which + (e->key == '[' ? c->n - 1 : 1)) % c->n);
	remember(p);
	return true;
}

/* Row i of callers, then callees; the function between them is none of them. */
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
	shell_list_go(&sheet_of(state)->list, i < above ? i : i - above);
}

/* The rows of both sides in a ring; from the function in the middle it goes to the side that lies that way. */
static bool find_row(struct calls_state *state, int by)
{
	uint32_t above = state->callers.list.n, n = above + state->callees.list.n, at;

	at = state->part == PART_CALLERS   ? state->callers.list.at
	     : state->part == PART_CALLEES ? above + state->callees.list.at
	     : by > 0                      ? above + n - 1
					   : above;
	for (uint32_t i = 0; i < n; i++) {
		at = by > 0 ? (at + 1) % n : (at + n - 1) % n;
		if (!find_in(state->last, name_at(state, at)))
			continue;
		go_to_row(state, at);
		return true;
	}
	return false;
}

static bool find_next(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;

	if (!state->last)
		shell_say(s, false, "nothing was searched for yet; / does");
	else if (!find_row(state, e->key == 'N' ? -1 : 1))
		shell_say(s, false, "no row has it");
	remember(p);
	return true;
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct calls_state *state = p->state;

	(void)s;
	if (*text)
		find_set(&state->last, text);
	sheet_filter(&state->callers, text);
	sheet_filter(&state->callees, text);
	go_to_part(state, state->part);
	select_name(state, state->name);
}

/* Back to the pane whose crumb was clicked. */
static bool click_crumb(struct shell *s, const struct calls_state *state, int x)
{
	for (int i = 0; i < state->n_crumbs; i++)
		if (x >= state->crumb_x[i] && x < state->crumb_x[i + 1]) {
			for (int k = state->n_crumbs - 1; k > i; k--)
				shell_back(s);
			return true;
		}
	return false;
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct calls_state *state = p->state;
	uint32_t row;

	if (e->kind == EVENT_WHEEL)
		return move(s, p, e);
	if (e->y == 0 && state->middle_y > 1)
		return click_crumb(s, state, e->x);
	if (e->y < state->middle_y && shell_list_row_at(&state->callers.list, e->y - 2, &row)) {
		go_to_part(state, PART_CALLERS);
		shell_list_go(&state->callers.list, row);
	} else if (e->y == state->middle_y) {
		go_to_part(state, PART_NODE);
	} else if (shell_list_row_at(&state->callees.list, e->y - state->callees_y - 1, &row)) {
		go_to_part(state, PART_CALLEES);
		shell_list_go(&state->callees.list, row);
	} else {
		return false;
	}
	remember(p);
	return e->kind == EVENT_DOUBLE ? open_row(s, p, e) : true;
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct calls_rows *c = p->model->own;

	shell_quote_place(s, &c->r->table.place[selected(p)], out);
}

static void end(struct pane *p)
{
	struct calls_state *state = p->state;

	sheet_release(&state->callers);
	sheet_release(&state->callees);
	find_free(state->last);
	free(state->node);
	free(state->name);
}

static const struct binding keys[] = {
	{ "Enter", "the selected one comes to the middle; double click too. Backspace goes back", "go there",
	  "peek NAME", open_row },
	{ "2 p", NULL, NULL, "peek NAME", open_row },
	{ "Left h", "the selected caller, else the heaviest one, comes to the middle", "caller", "peek NAME",
	  open_side },
	{ "Right l", "the selected callee, else the heaviest one, comes to the middle", "callee", "peek NAME",
	  open_side },
	{ "Tab BackTab", "to the callers, to the callees", NULL, NULL, change_part },
	{ "[ ]", "the function before, the next one, when the expression matches several", NULL, NULL, step },
	{ "n N", "next, previous row that has what / searched for last", NULL, NULL, find_next },
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End", "move over callers, the function, callees", NULL,
	  NULL, move },
};

const struct pane_class shell_view_calls = {
	.title = "Callers and callees",
	.explain = "In the middle a function, above it those who call it, below those it calls, the heaviest first. "
		   "calls is what was measured in samples where one called the other, calls% its share of cum of the "
		   "function in the middle, total% its share of the total in the title. (inline): the call was "
		   "inlined. The line on top is the way here; click on a name to go back there.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct calls_state),
	.make = make,
	.shown = shown,
	.draw = draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};

/*
 * view_calls.c - Callers and callees: a function between those who call it and those it calls
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each step to a caller or a callee is a line at the prompt (peek ^name$) and so a pane of its own: the
 * way back is the way of panes, and the crumbs on top show it.
 */
#include "config.h"

#include "viewers/shell/view_calls.h"

#include "base/mem.h"
#include "engine/view.h"
#include "report/calls.h"
#include "viewers/shell/quote.h"

#include <stdlib.h>
#include <string.h>

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
		while (t->role[i] == ROW_CALLER)
			i++;
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
		rc = report_calls_make(&v, a->q, &m->report, err);
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

uint32_t shell_calls_node(const struct pane *p)
{
	const struct calls_state *state = p->state;
	const struct calls_rows *c = p->model->own;

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
		return shell_calls_node(p);
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

	set_text(&state->node, name_of(p->model->own, shell_calls_node(p)));
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
		sheet_init(&state->callers, &shell_calls_callers, CALLS_SHEET_WEIGHT);
		sheet_init(&state->callees, &shell_calls_callees, CALLS_SHEET_WEIGHT);
		state->part = PART_NODE;
		state->is_made = true;
	}
	for (uint32_t i = 0; state->node && i < c->n; i++)
		if (strcmp(name_of(c, c->group[i].node), state->node) == 0) {
			which = i;
			break;
		}
	show_group(p, which);
	if (state->name)
		select_name(state, state->name);
	remember(p);
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

static bool go_on(struct shell *s, struct pane *p)
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
	return go_on(s, p);
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
	return go_on(s, p);
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
	if (*text) {
		find_free(state->last);
		state->last = find_new(text);
	}
	sheet_filter(&state->callers, *text ? find_new(text) : NULL);
	sheet_filter(&state->callees, *text ? find_new(text) : NULL);
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
	.draw = shell_calls_draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};

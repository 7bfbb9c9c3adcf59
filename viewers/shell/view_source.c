/*
 * view_source.c - the view Source: lines with their weight, the instructions of a line below it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "report/list.h"
#include "viewers/shell/screen.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const struct source_row *selected(const struct pane *p)
{
	const struct source_state *st = p->state;

	return st->list.at < st->list.n ? &st->row[st->list.at] : NULL;
}

static const struct source_routine *routine(const struct pane *p)
{
	const struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;

	return &sm->routine[st->routine];
}

static bool move(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;

	(void)s;
	if (st->is_choosing)
		return shell_list_key(&st->routines, e);
	if (!shell_list_key(&st->list, e))
		return false;
	shell_source_remember(p);
	return true;
}

/* The model is to have something more, or no longer. */
static void want(struct shell *s, struct pane *p, unsigned what, bool yes)
{
	p->want = yes ? p->want | what : p->want & ~what;
	shell_refresh(s, p);
}

static void set_below(struct pane *p, uint8_t what, bool yes)
{
	struct source_state *st = p->state;

	for (uint32_t i = 0; i < p->model->report.table.n_rows; i++)
		st->below[i] = yes ? st->below[i] | what : (uint8_t)(st->below[i] & ~what);
	shell_source_rows(p);
	shell_source_remember(p);
}

/* Has a routine any instructions? */
static bool has_code(const struct pane *p)
{
	const struct source_routine *r = routine(p);

	for (uint32_t i = r->lo; i < r->hi; i++)
		if (shell_source_has_below(p, i, BELOW_CODE))
			return true;
	return false;
}

static void say_no_code(struct shell *s, const struct pane *p)
{
	size_t n = strcspn(buf_text(&p->model->notes), "\n");

	if (n)
		shell_say(s, true, "no instructions: %.*s", (int)n, buf_text(&p->model->notes));
	else
		shell_say(s, true, "no instructions are known of these lines");
}

static bool toggle_code(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;

	(void)e;
	st->show_code = !st->show_code;
	if (sm->has_code && st->show_code && !has_code(p))
		say_no_code(s, p);
	if (sm->has_code || !st->show_code)
		set_below(p, BELOW_CODE, st->show_code);
	else
		want(s, p, SOURCE_WITH_CODE, true);
	return true;
}

static bool show_inlined(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;

	(void)s;
	st->hide_inlined = e->key != '+';
	set_below(p, BELOW_INLINED, !st->hide_inlined);
	return true;
}

/* Open or close a line; its instructions are fetched when nothing else is to be seen. */
static void toggle_line(struct shell *s, struct pane *p, uint32_t line)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	uint8_t has = (shell_source_has_below(p, line, BELOW_INLINED) ? BELOW_INLINED : 0) |
		      (shell_source_has_below(p, line, BELOW_CODE) ? BELOW_CODE : 0);
	bool has_weight = shell_source_cell(p, line)[LIST_CUM].value || shell_source_cell(p, line)[LIST_FLAT].value;

	if (!sm->has_code && has_weight) {
		st->has_line = st->opens_line = true;
		want(s, p, SOURCE_WITH_CODE, true);
	} else if (!has) {
		if (has_weight)
			say_no_code(s, p);
		else
			shell_say(s, false, "nothing is known of this line");
	} else {
		st->below[line] = (st->below[line] & has) == has ? 0 : has;
		shell_source_rows(p);
		shell_source_remember(p);
	}
}

static bool open_row(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	const struct source_row *row = selected(p);

	(void)e;
	if (st->is_choosing) {
		st->is_choosing = false;
		shell_source_show(p, st->routines.at);
		return true;
	}
	if (!row)
		return false;
	switch ((enum source_kind)row->kind) {
	case SOURCE_INLINED:
		shell_source_open(s, shell_source_cell(p, row->i)[LIST_FUNCTION].text,
				  shell_source_cell(p, row->i)[LIST_LINE].value);
		break;
	case SOURCE_CODE:
		shell_linef(s, "disasm 0x%" PRIx64, sm->code.inst[row->i].addr);
		break;
	default:
		toggle_line(s, p, row->line);
	}
	return true;
}

/* Select the line that is by further less hot, or hotter, than the one at hand; the hottest from others. */
static bool go_hot(struct shell *s, struct pane *p, int by)
{
	struct source_state *st = p->state;
	const struct source_row *row = selected(p);
	const union cell *cell;
	uint32_t i = 0, to = 0;

	if (st->is_choosing || !st->n_hot)
		return false;
	while (row && i < st->n_hot && st->hot[i] != row->line)
		i++;
	if (row && i < st->n_hot)
		to = by > 0 ? (i + 1) % st->n_hot : (i + st->n_hot - 1) % st->n_hot;
	cell = shell_source_cell(p, st->hot[to]);
	shell_source_go_line(p, cell[LIST_LINE].value);
	shell_say(s, false, "line %" PRId64 ", %" PRIu32 " of %" PRIu32 " by weight", cell[LIST_LINE].value, to + 1,
		  st->n_hot);
	return true;
}

static bool next_hot(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	return go_hot(s, p, 1);
}

static bool last_hot(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	return go_hot(s, p, -1);
}

/* Go to the first match from a row on, by steps of 1 or -1, around the end. */
static void find(struct shell *s, struct pane *p, uint32_t from, int by)
{
	struct source_state *st = p->state;
	uint32_t row;

	if (!code_find_row(st->find, p, shell_source_row_text, st->list.n, from, by, &row)) {
		shell_say(s, true, "\"%s\" is not in this function", p->search);
		return;
	}
	shell_list_go(&st->list, row);
	shell_source_remember(p);
}

static void search(struct shell *s, struct pane *p, const char *text)
{
	struct source_state *st = p->state;

	if (!st->find)
		st->find_from = st->list.at;
	st->find = code_find_new(st->find, text);
	if (*text && st->list.n && !st->is_choosing)
		find(s, p, st->find_from < st->list.n ? st->find_from : 0, 1);
}

static bool next_found(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	uint32_t n = st->list.n;
	int by = e->key == 'n' ? 1 : -1;

	if (!st->find)
		return go_hot(s, p, by);
	if (n && !st->is_choosing)
		find(s, p, by > 0 ? (st->list.at + 1) % n : (st->list.at + n - 1) % n, by);
	return true;
}

static bool go_routine(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	uint32_t by = e->key == '}' ? 1 : sm->n - 1;

	if (sm->n < 2)
		shell_say(s, false, "only this function matches");
	else
		shell_source_show(p, (st->routine + by) % sm->n);
	return true;
}

static bool choose(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;

	(void)s;
	(void)e;
	st->is_choosing = !st->is_choosing;
	st->routines.at = st->routine;
	return true;
}

static bool leave(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	bool was = st->is_choosing;

	(void)s;
	(void)e;
	st->is_choosing = false;
	return was;
}

static bool toggle_whole(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	want(s, p, SOURCE_WHOLE, !(p->want & SOURCE_WHOLE));
	return true;
}

static bool edit(struct shell *s, struct pane *p, const struct event *e)
{
	const struct source_routine *r = routine(p);
	const struct source_row *row = selected(p);
	struct err err;
	int rc;

	(void)e;
	if (!*r->path || !s->open.host.edit) {
		shell_say(s, true, *r->path ? "no editor can be started here" : "there is no file to edit");
		return true;
	}
	if (s->screen)
		screen_pause(s->screen);
	rc = s->open.host.edit(s->open.host.arg, r->path, row ? shell_source_cell(p, row->line)[LIST_LINE].value : 1,
			       &err);
	if (s->screen)
		screen_resume(s->screen);
	if (rc < 0)
		shell_say(s, true, "%s", err.msg);
	return true;
}

static bool mouse(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	struct list *l = st->is_choosing ? &st->routines : &st->list;
	bool is_open = e->kind == EVENT_DOUBLE;
	uint32_t row;

	if (e->kind != EVENT_CLICK && !is_open)
		return move(s, p, e);
	if (!shell_list_row_at(l, e->y - (p->area.height - l->height), &row))
		return false;
	shell_list_go(l, row);
	if (!st->is_choosing)
		shell_source_remember(p);
	return is_open ? open_row(s, p, e) : true;
}

static void subject(struct shell *s, struct pane *p, struct buf *out)
{
	const struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	const struct source_row *row = selected(p);

	(void)s;
	if (st->is_choosing)
		shell_quote(sm->routine[st->routines.at].name, out);
	else if (row && row->kind == SOURCE_INLINED)
		shell_quote(shell_source_cell(p, row->i)[LIST_FUNCTION].text, out);
	else
		shell_quote(routine(p)->name, out);
}

static void shown(struct shell *s, struct pane *p)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	bool asked = st->opens_line || st->show_code;

	if (st->routines.at >= sm->n)
		st->routines.at = 0;
	shell_source_follow(p);
	if (sm->has_code && asked && !has_code(p))
		say_no_code(s, p);
}

static void end(struct pane *p)
{
	struct source_state *st = p->state;

	find_free(st->find);
	free(st->row);
	free(st->below);
	free(st->hot);
	free(st->name);
	free(st->file);
}

void shell_source_open(struct shell *s, const char *name, int64_t line)
{
	struct buf subject = { 0 };
	struct source_state *st;
	struct pane *p;

	shell_quote(name, &subject);
	shell_linef(s, "list %s", buf_text(&subject));
	buf_release(&subject);
	p = shell_pane(s);
	if (p->class != &shell_view_source || line <= 0)
		return;
	st = p->state;
	if (p->model && !p->is_waiting) {
		shell_source_go_line(p, line);
	} else {
		st->has_line = true;
		st->line = line;
	}
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move; sideways in long lines", NULL,
	  NULL, move },
	{ "Enter Space", "open or close a line: inlined calls, instructions; go to an inlined call's source", "open",
	  NULL, open_row },
	{ "a", "instructions below all lines, or none", "asm", NULL, toggle_code },
	{ "]", "the next line by weight", "next hot", NULL, next_hot },
	{ "[", "the one before by weight", NULL, NULL, last_hot },
	{ "n N", "next and last match; without a search the next hot line", NULL, NULL, next_found },
	{ "} {", "next and last function that matches", NULL, "list NAME", go_routine },
	{ "L", "all functions that match, to choose one", NULL, NULL, choose },
	{ "w", "the whole file, or only the function", "whole", NULL, toggle_whole },
	{ "+ -", "show or hide the inlined calls of all lines", NULL, NULL, show_inlined },
	{ "E", "open the file in $VISUAL or $EDITOR", "edit", NULL, edit },
	{ "Esc", NULL, NULL, NULL, leave },
};

const struct pane_class shell_view_source = {
	.title = "Source",
	.explain =
		"Lines of the function with their own weight (flat) and with what they call (cum). The bar is full for "
		"flat, shaded for the rest of cum, against the heaviest line. A + behind a line number: Enter shows "
		"more.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct source_state),
	.make = shell_source_make,
	.shown = shown,
	.draw = shell_source_draw,
	.mouse = mouse,
	.subject = subject,
	.search = search,
	.end = end,
};

/*
 * source.c - the Source view: lines with their values, inlined calls and instructions below them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/source.h"
#include "front/shell/views/views.h"

#include "base/path.h"
#include "report/list.h"
#include "front/shell/widgets/name.h"
#include "front/shell/quote.h"
#include "front/shell/terminal/screen.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SENTENCES_MAX = 6, INDENT = 2 };

/* ---- keys ---- */

/* Set or clear a flag of the model, and make it again. */
static void view_source_set_flag(struct shell *s, struct pane *p, unsigned what, bool yes)
{
	p->flags = yes ? p->flags | what : p->flags & ~what;
	shell_refresh(s, p);
}

static void set_below(struct pane *p, uint8_t what, bool yes)
{
	struct source_state *st = p->state;

	for (uint32_t i = 0; i < p->model->report.table.n_rows; i++)
		st->below[i] = yes ? st->below[i] | what : (uint8_t)(st->below[i] & ~what);
	shell_source_make_rows(p);
	shell_source_remember(p);
}

/* Does the current function have instructions? */
static bool view_source_has_code(const struct pane *p)
{
	const struct source_routine *r = shell_source_routine(p);

	for (uint32_t i = r->lo; i < r->hi; i++)
		if (shell_source_has_below(p, i, BELOW_CODE))
			return true;
	return false;
}

static void notify_no_code(struct shell *s, const struct pane *p)
{
	size_t n = strcspn(buf_text(&p->model->notes), "\n");

	if (n)
		shell_notify(s, true, "no instructions: %.*s", (int)n, buf_text(&p->model->notes));
	else
		shell_notify(s, true, "no instructions are known for these lines");
}

static bool toggle_code(struct shell *s, struct pane *p, const struct event *e)
{
	struct source_state *st = p->state;
	const struct source_model *sm = shell_source_model(p);

	(void)e;
	st->show_code = !st->show_code;
	if (sm->has_code && st->show_code && !view_source_has_code(p))
		notify_no_code(s, p);
	if (sm->has_code || !st->show_code)
		set_below(p, BELOW_CODE, st->show_code);
	else
		view_source_set_flag(s, p, SOURCE_WITH_CODE, true);
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

/* Open or close a line. Its instructions are loaded if the line has no other details. */
static void toggle_line(struct shell *s, struct pane *p, uint32_t line)
{
	struct source_state *st = p->state;
	const struct source_model *sm = shell_source_model(p);
	uint8_t has = (shell_source_has_below(p, line, BELOW_INLINED) ? BELOW_INLINED : 0) |
		      (shell_source_has_below(p, line, BELOW_CODE) ? BELOW_CODE : 0);
	bool has_value = shell_source_cell(p, line)[LIST_CUM].value || shell_source_cell(p, line)[LIST_FLAT].value;

	if (!sm->has_code && has_value) {
		st->has_line = st->opens_line = true;
		view_source_set_flag(s, p, SOURCE_WITH_CODE, true);
	} else if (!has) {
		if (has_value)
			notify_no_code(s, p);
		else
			shell_notify(s, false, "no details for this line");
	} else {
		st->below[line] = (st->below[line] & has) == has ? 0 : has;
		shell_source_make_rows(p);
		shell_source_remember(p);
	}
}

static bool view_source_open_row(struct shell *s, struct pane *p, const struct event *e)
{
	const struct source_model *sm = shell_source_model(p);
	const struct source_row *row = shell_source_selected(p);

	(void)e;
	if (code_accept_choice(p))
		return true;
	if (!row)
		return false;
	switch ((enum source_kind)row->kind) {
	case SOURCE_INLINED:
		shell_source_open(s, shell_source_cell(p, row->i)[LIST_FUNCTION].text,
				  shell_source_cell(p, row->i)[LIST_LINE].value);
		break;
	case SOURCE_CODE:
		shell_run_linef(s, "disasm 0x%" PRIx64, sm->weblist.inst[row->i].addr);
		break;
	default:
		toggle_line(s, p, row->line);
	}
	return true;
}

static bool toggle_whole(struct shell *s, struct pane *p, const struct event *e)
{
	(void)e;
	view_source_set_flag(s, p, SOURCE_WHOLE, !(p->flags & SOURCE_WHOLE));
	return true;
}

static bool view_source_edit(struct shell *s, struct pane *p, const struct event *e)
{
	const struct source_routine *r = shell_source_routine(p);
	const struct source_row *row = shell_source_selected(p);
	struct err err;
	int rc;

	(void)e;
	if (!*r->path || !s->options.host.edit) {
		shell_notify(s, true, *r->path ? "cannot start an editor here" : "no file to edit");
		return true;
	}
	if (s->screen)
		screen_pause(s->screen);
	rc = s->options.host.edit(s->options.host.arg, r->path,
				  row ? shell_source_cell(p, row->line)[LIST_LINE].value : 1, &err);
	if (s->screen)
		screen_resume(s->screen);
	if (rc < 0)
		shell_notify(s, true, "%s", err.msg);
	return true;
}

static void view_source_add_selection(struct shell *s, struct pane *p, struct buf *out)
{
	const struct source_state *st = p->state;
	const struct source_model *sm = shell_source_model(p);
	const struct source_row *row = shell_source_selected(p);

	(void)s;
	if (st->code.is_choosing)
		shell_quote(sm->routine[st->code.routines.selected].name, out);
	else if (row && row->kind == SOURCE_INLINED)
		shell_quote(shell_source_cell(p, row->i)[LIST_FUNCTION].text, out);
	else
		shell_quote(shell_source_routine(p)->name, out);
}

static void view_source_model_changed(struct shell *s, struct pane *p)
{
	struct source_state *st = p->state;
	const struct source_model *sm = shell_source_model(p);
	bool requested = st->opens_line || st->show_code;

	if (st->code.routines.selected >= sm->code.n)
		st->code.routines.selected = 0;
	shell_source_set_model(p);
	if (sm->has_code && requested && !view_source_has_code(p))
		notify_no_code(s, p);
}

static void view_source_release_state(struct pane *p)
{
	struct source_state *st = p->state;

	code_pane_release(p);
	free(st->row);
	free(st->below);
	free(st->name);
	free(st->file);
}

void shell_source_open(struct shell *s, const char *name, int64_t line)
{
	struct buf selection = { 0 };
	struct source_state *st;
	struct pane *p;

	shell_quote(name, &selection);
	shell_run_linef(s, "list %s", buf_text(&selection));
	buf_release(&selection);
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

/* ---- drawing ---- */

static void view_source_add_place(const char *file, int64_t line, struct buf *out)
{
	if (!*file)
		return;
	path_add_base(out, file);
	if (line > 0)
		buf_addf(out, ":%" PRId64, line);
}

static void line_row(const struct pane *p, const struct source_row *row, struct code_row *out)
{
	const struct source_state *st = p->state;
	const union cell *cell = shell_source_cell(p, row->i);
	uint8_t below = st->below[row->i];

	out->flat = &cell[LIST_FLAT].value;
	out->cum = cell[LIST_CUM].value;
	snprintf(out->number, sizeof(out->number), "%" PRId64, cell[LIST_LINE].value);
	out->mark = out->number;
	out->has_more = (shell_source_has_below(p, row->i, BELOW_INLINED) && !(below & BELOW_INLINED)) ||
			(shell_source_has_below(p, row->i, BELOW_CODE) && !(below & BELOW_CODE));
	out->text = cell[LIST_SOURCE].text;
	out->role = ROLE_PLAIN;
}

static void inlined_row(const struct pane *p, const struct source_row *row, struct code_row *out)
{
	const union cell *cell = shell_source_cell(p, row->i);

	out->cum = cell[LIST_CUM].value;
	buf_addz(&out->scratch, "| inlined ");
	buf_addz(&out->scratch, cell[LIST_FUNCTION].text);
	buf_addz(&out->scratch, " ");
	view_source_add_place(cell[LIST_FILE].text, cell[LIST_LINE].value, &out->scratch);
	out->role = ROLE_COMMAND;
}

static void add_indent(uint32_t depth, struct buf *out)
{
	buf_fill(out, ' ', INDENT * (size_t)(depth < 20 ? depth : 20));
}

/* An inlined call that contains the instructions after it. */
static void call_row(const struct pane *p, const struct source_row *row, struct code_row *out)
{
	const struct weblist_call *call = &shell_source_model(p)->weblist.call[row->i];

	out->has_values = false;
	buf_addz(&out->scratch, "| ");
	add_indent(call->depth, &out->scratch);
	buf_addz(&out->scratch, "> ");
	buf_addz(&out->scratch, call->source);
	buf_addz(&out->scratch, *call->source ? "  " : "");
	view_source_add_place(call->file, call->line, &out->scratch);
	out->role = ROLE_MUTED;
}

static void code_row(const struct pane *p, const struct source_row *row, struct code_row *out)
{
	const struct weblist_inst *it = &shell_source_model(p)->weblist.inst[row->i];

	out->flat = &it->flat;
	out->cum = it->cum;
	buf_addz(&out->scratch, it->new_block ? ": " : "| ");
	add_indent(it->depth, &out->scratch);
	buf_addf(&out->scratch, "%" PRIx64 "  ", it->addr);
	code_add_instruction(it->text, &out->scratch);
	out->role = ROLE_PLAIN;
}

static void view_source_fill_row(const struct pane *p, uint32_t i, struct code_row *out)
{
	const struct source_row *row = shell_source_row(p, i);

	out->has_values = true;
	switch ((enum source_kind)row->kind) {
	case SOURCE_LINE:
		line_row(p, row, out);
		break;
	case SOURCE_INLINED:
		inlined_row(p, row, out);
		break;
	case SOURCE_CALL:
		call_row(p, row, out);
		break;
	case SOURCE_CODE:
		code_row(p, row, out);
		break;
	}
	if (!out->text)
		out->text = buf_text(&out->scratch);
}

/* Draw the source location of an inlined instruction. */
static void view_source_draw_extra(const struct code_place *at, int end)
{
	const struct source_row *row = shell_source_row(at->p, at->i);
	const struct weblist_inst *it;
	struct buf text = { 0 };

	if (row->kind != SOURCE_CODE)
		return;
	it = &shell_source_model(at->p)->weblist.inst[row->i];
	if (!it->depth)
		return;
	buf_addz(&text, "  ; ");
	view_source_add_place(it->file, it->line, &text);
	code_draw_text(at->g, at->area, end, 0, buf_text(&text), code_style(at, ROLE_MUTED), NULL);
	buf_release(&text);
}

/* Draw why the source is missing, and a remedy. Return the number of lines. */
static int draw_missing(const struct pane *p, struct grid *g, struct area a)
{
	const struct source_routine *r = shell_source_routine(p);
	int max = a.height / 2 < SENTENCES_MAX ? a.height / 2 : SENTENCES_MAX, y;
	struct buf text = { 0 };

	if (!*r->error)
		return 0;
	y = code_draw_sentences(g, a, r->error, max, ROLE_ERROR);
	if (*r->tried)
		buf_addf(&text, "tried %s\n", r->tried);
	if (*r->file && *r->file != '<')
		buf_addz(&text, ":source_path=DIR sets where sources are; trim_path=PREFIX removes a prefix of their "
				"names; --symfs=DIR replaces /");
	a.y += y;
	y += code_draw_sentences(g, a, buf_text(&text), max - y, ROLE_MUTED);
	buf_release(&text);
	return y;
}

static void view_source_draw_heading(const struct pane *p, const struct code_columns *c, struct grid *g,
				     struct area line)
{
	const char *path =
		*shell_source_routine(p)->path ? shell_source_routine(p)->path : shell_source_routine(p)->file;

	shell_name_draw(g, line, c->text, 0, *path ? path : "unknown file", "", line.width - c->text,
			theme_style(ROLE_HEADING), theme_style(ROLE_HEADING));
}

/* ---- the view ---- */

static struct code_routine view_source_routine_at(const struct pane *p, uint32_t i)
{
	const struct source_routine *r = &shell_source_model(p)->routine[i];

	assert(i < shell_source_model(p)->code.n);
	return (struct code_routine){ r->name, r->file, r->flat, r->cum };
}

static void view_source_add_name(const struct pane *p, struct buf *out)
{
	buf_addz(out, shell_source_routine(p)->name);
}

static void view_source_select_row(struct pane *p, uint32_t row)
{
	shell_list_select(&((struct source_state *)p->state)->code.list, row);
	shell_source_remember(p);
}

/* Only lines have a number in hot: rows below a line count as the line. */
static uint32_t hot_line(const struct pane *p)
{
	return shell_source_selected(p) ? shell_source_selected(p)->line : CODE_NONE;
}

static void view_source_select_hot(struct pane *p, uint32_t hot, struct buf *out)
{
	int64_t line = shell_source_cell(p, hot)[LIST_LINE].value;

	shell_source_go_line(p, line);
	buf_addf(out, "line %" PRId64, line);
}

static const struct code_class class = {
	.mark_title = "line",
	.routine = view_source_routine_at,
	.add_name = view_source_add_name,
	.show = shell_source_show,
	.select = view_source_select_row,
	.remember = shell_source_remember,
	.open = view_source_open_row,
	.hot = hot_line,
	.select_hot = view_source_select_hot,
	.search_text = shell_source_search_text,
	.row = view_source_fill_row,
	.draw_heading = view_source_draw_heading,
	.draw_notes = draw_missing,
	.draw_extra = view_source_draw_extra,
};

static int view_source_make(const struct model_request *a, struct model *m, struct err *err)
{
	int rc = shell_source_make(a, m, err);

	((struct source_model *)m->view_data)->code.class = &class;
	return rc;
}

static const struct binding keys[] = {
	{ "j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right", "move; scroll long lines sideways",
	  NULL, NULL, .act = code_move },
	{ "Enter Space", "open or close inlined calls and instructions of a line; on an inlined call: its source",
	  "open", NULL, .act = view_source_open_row },
	{ "a", "show or hide the instructions of all lines", "asm", NULL, .act = toggle_code },
	{ "]", "next line by value", "next hot", NULL, .act = code_next_hot },
	{ "[", "previous line by value", NULL, NULL, .act = code_next_hot },
	{ "n N", "next and previous match; without a search, the same as ] and [", NULL, NULL, .act = code_next_found },
	{ "} {", "next and previous matching function", NULL, "list NAME", .act = code_next_routine },
	{ "L", "choose one of the matching functions", NULL, NULL, .act = code_choose },
	{ "w", "show the whole file, or only the function", "whole", NULL, .act = toggle_whole },
	{ "+ -", "show or hide the inlined calls of all lines", NULL, NULL, .act = show_inlined },
	{ "E", "open the file in $VISUAL or $EDITOR", "edit", NULL, .act = view_source_edit },
	{ "Esc", NULL, NULL, NULL, .act = code_cancel_choice },
};

const struct pane_class shell_view_source = {
	.title = "Source",
	.help = "Lines of the function with their flat and cum. The bar is full for flat and shaded for the rest "
		"of cum, relative to the largest line. A + after a line number: Enter shows more.",
	.key = keys,
	.n_keys = sizeof(keys) / sizeof(keys[0]),
	.state_size = sizeof(struct source_state),
	.make = view_source_make,
	.model_changed = view_source_model_changed,
	.draw = code_draw,
	.mouse = code_mouse,
	.add_selection = view_source_add_selection,
	.search = code_search,
	.release = view_source_release_state,
};

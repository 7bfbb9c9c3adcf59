/*
 * view_source_draw.c - source on the screen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "base/path.h"
#include "base/unit.h"
#include "report/list.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { HEIGHT_FOR_TITLE = 5, HEIGHT_FOR_HEAD = 3, MOST_SENTENCES = 6, INDENT = 2 };

/* A row that is being drawn. */
struct drawn {
	struct pane *p;
	struct grid *g;
	const struct code_columns *c;
	const struct source_row *row;
	struct area area;
	bool is_selected;
};

static struct look look_of(const struct drawn *d, enum role role)
{
	struct look look = theme_look(role);

	return d->is_selected ? theme_selected(look) : look;
}

static int draw_text(const struct drawn *d, int x, const char *text, enum role role, struct find *find)
{
	const struct source_state *st = d->p->state;

	return code_draw_text(d->g, d->area, x, st->list.left, text, look_of(d, role), find);
}

static void add_place(const char *file, int64_t line, struct buf *out)
{
	if (!*file)
		return;
	path_add_base(out, file);
	if (line > 0)
		buf_addf(out, ":%" PRId64, line);
}

static void draw_line(const struct drawn *d)
{
	const struct source_state *st = d->p->state;
	const union cell *cell = shell_source_cell(d->p, d->row->i);
	uint8_t below = st->below[d->row->i];
	bool has_more = (shell_source_has_below(d->p, d->row->i, BELOW_INLINED) && !(below & BELOW_INLINED)) ||
			(shell_source_has_below(d->p, d->row->i, BELOW_CODE) && !(below & BELOW_CODE));
	char number[24];

	code_draw_values(&st->values, d->c, d->g, d->area, &cell[LIST_FLAT].value, cell[LIST_CUM].value,
			 d->is_selected);
	if (d->c->mark) {
		snprintf(number, sizeof(number), "%" PRId64, cell[LIST_LINE].value);
		grid_text_right(d->g, d->area, d->c->mark, 0, number, look_of(d, LOOK_QUIET));
		if (has_more)
			grid_text(d->g, d->area, d->c->mark, 0, "+", look_of(d, LOOK_KEY));
	}
	draw_text(d, d->c->text, cell[LIST_SOURCE].text, LOOK_PLAIN, st->find);
}

static void draw_inlined(const struct drawn *d)
{
	const struct source_state *st = d->p->state;
	const union cell *cell = shell_source_cell(d->p, d->row->i);
	struct buf text = { 0 };

	code_draw_values(&st->values, d->c, d->g, d->area, NULL, cell[LIST_CUM].value, d->is_selected);
	buf_addz(&text, "| inlined ");
	buf_addz(&text, cell[LIST_FUNCTION].text);
	buf_addz(&text, " ");
	add_place(cell[LIST_FILE].text, cell[LIST_LINE].value, &text);
	draw_text(d, d->c->text, buf_text(&text), LOOK_COMMAND, st->find);
	buf_release(&text);
}

/* A call that was inlined, on the way to the instructions that follow. */
static void draw_call(const struct drawn *d)
{
	const struct source_model *sm = d->p->model->own;
	const struct source_state *st = d->p->state;
	const struct weblist_call *call = &sm->code.call[d->row->i];
	struct buf text = { 0 };

	buf_addz(&text, "| ");
	buf_fill(&text, ' ', INDENT * (size_t)(call->depth < 20 ? call->depth : 20));
	buf_addz(&text, "> ");
	buf_addz(&text, call->source);
	buf_addz(&text, *call->source ? "  " : "");
	add_place(call->file, call->line, &text);
	draw_text(d, d->c->text, buf_text(&text), LOOK_QUIET, st->find);
	buf_release(&text);
}

static void draw_code(const struct drawn *d)
{
	const struct source_model *sm = d->p->model->own;
	const struct source_state *st = d->p->state;
	const struct weblist_inst *it = &sm->code.inst[d->row->i];
	struct buf text = { 0 };
	int x;

	code_draw_values(&st->values, d->c, d->g, d->area, &it->flat, it->cum, d->is_selected);
	buf_addz(&text, it->new_block ? ": " : "| ");
	buf_fill(&text, ' ', INDENT * (size_t)(it->depth < 20 ? it->depth : 20));
	buf_addf(&text, "%" PRIx64 "  ", it->addr);
	code_add_instruction(it->text, &text);
	x = draw_text(d, d->c->text, buf_text(&text), LOOK_PLAIN, st->find);
	text.len = 0;
	if (it->depth) {
		buf_addz(&text, "  ; ");
		add_place(it->file, it->line, &text);
		code_draw_text(d->g, d->area, x, 0, buf_text(&text), look_of(d, LOOK_QUIET), NULL);
	}
	buf_release(&text);
}

static void draw_row(const struct drawn *d)
{
	if (d->is_selected)
		grid_fill(d->g, d->area, ' ', theme_look(LOOK_SELECTED));
	switch ((enum source_kind)d->row->kind) {
	case SOURCE_LINE:
		draw_line(d);
		break;
	case SOURCE_INLINED:
		draw_inlined(d);
		break;
	case SOURCE_CALL:
		draw_call(d);
		break;
	case SOURCE_CODE:
		draw_code(d);
		break;
	}
}

/* Why there is no text, and what helps. Gives how many lines that took. */
static int draw_missing(const struct source_routine *r, struct grid *g, struct area a)
{
	int most = a.height / 2 < MOST_SENTENCES ? a.height / 2 : MOST_SENTENCES, y;
	struct buf text = { 0 };

	if (!*r->error)
		return 0;
	y = code_draw_sentences(g, a, r->error, most, LOOK_ERROR);
	if (*r->tried)
		buf_addf(&text, "tried %s\n", r->tried);
	if (*r->file && *r->file != '<')
		buf_addz(&text, ":source_path=FOLDER says where sources are; trim_path=PREFIX takes off the front of "
				"their names; --symfs=FOLDER stands for /");
	a.y += y;
	y += code_draw_sentences(g, a, buf_text(&text), most - y, LOOK_QUIET);
	buf_release(&text);
	return y;
}

static int draw_head(const struct pane *p, const struct code_columns *c, struct grid *g, struct area a)
{
	const struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	const struct source_routine *r = &sm->routine[st->routine];
	const char *path = *r->path ? r->path : r->file;
	int y = 0;

	if (a.height >= HEIGHT_FOR_TITLE)
		code_draw_title(&st->values, g, (struct area){ a.x, a.y + y++, a.width, 1 }, r->name, st->routine,
				sm->n, r->flat, r->cum);
	if (a.height >= HEIGHT_FOR_HEAD) {
		struct area row = { a.x, a.y + y++, a.width, 1 };

		code_draw_heads(c, g, row, sm->by_cum);
		if (c->mark)
			grid_text_right(g, row, c->mark, 0, "line", theme_look(LOOK_HEAD));
		grid_text_short(g, row, c->text, 0, *path ? path : "no file is known", a.width - c->text,
				theme_look(LOOK_HEAD));
	}
	return y + draw_missing(r, g, (struct area){ a.x, a.y + y, a.width, a.height - y });
}

static void draw_rows(struct pane *p, const struct code_columns *c, struct grid *g, struct area a)
{
	struct source_state *st = p->state;
	bool has_bar = st->list.n > (uint32_t)(a.height > 0 ? a.height : 0);

	shell_list_fit(&st->list, st->list.n, a.height);
	for (int y = 0; y < a.height && st->list.top + (uint32_t)y < st->list.n; y++) {
		uint32_t i = st->list.top + (uint32_t)y;
		struct drawn d = { .p = p,
				   .g = g,
				   .c = c,
				   .row = &st->row[i],
				   .area = { a.x, a.y + y, a.width - has_bar, 1 },
				   .is_selected = i == st->list.at };

		draw_row(&d);
	}
	shell_list_draw_bar(&st->list, g, a, theme_look(LOOK_PLAIN));
}

static struct code_choice choice(const struct pane *p, uint32_t i)
{
	const struct source_routine *r = &((const struct source_model *)p->model->own)->routine[i];

	return (struct code_choice){ r->name, r->file, r->flat, r->cum };
}

void shell_source_draw(struct shell *s, struct pane *p, struct grid *g, struct area a)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;
	struct code_columns c = code_columns(&st->values, a.width - 1, st->line_width + 1, sm->by_cum);
	int y;

	(void)s;
	if (st->is_choosing) {
		code_draw_choice(p, &st->routines, sm->n, choice, sm->by_cum, sm->is_change, g, a);
		return;
	}
	y = draw_head(p, &c, g, a);
	draw_rows(p, &c, g, (struct area){ a.x, a.y + y, a.width, a.height - y > 0 ? a.height - y : 0 });
}

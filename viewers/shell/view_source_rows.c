/*
 * view_source_rows.c - which rows of source are shown, and which one is selected
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "base/mem.h"
#include "report/list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const union cell *shell_source_cell(const struct pane *p, uint32_t row)
{
	return p->model->report.table.cell + (size_t)row * N_LIST_COLS;
}

static bool is_line(const struct pane *p, uint32_t row)
{
	return p->model->report.table.role[row] == ROW_LINE;
}

static const struct weblist_line *code_of(const struct pane *p, uint32_t line)
{
	const struct source_model *sm = p->model->own;

	return sm->has_code && sm->line_code[line] != SOURCE_NONE ? &sm->code.line[sm->line_code[line]] : NULL;
}

bool shell_source_has_below(const struct pane *p, uint32_t line, uint8_t what)
{
	const struct source_model *sm = p->model->own;
	const struct source_state *st = p->state;

	if (what == BELOW_CODE)
		return code_of(p, line) != NULL;
	return line + 1 < sm->routine[st->routine].hi && !is_line(p, line + 1);
}

const char *shell_source_row_text(const struct pane *p, uint32_t i, struct buf *scratch)
{
	const struct source_model *sm = p->model->own;
	const struct source_row *row = &((const struct source_state *)p->state)->row[i];

	switch ((enum source_kind)row->kind) {
	case SOURCE_LINE:
		return shell_source_cell(p, row->i)[LIST_SOURCE].text;
	case SOURCE_INLINED:
		return shell_source_cell(p, row->i)[LIST_FUNCTION].text;
	case SOURCE_CALL:
		return sm->code.call[row->i].source;
	case SOURCE_CODE:
		scratch->len = 0;
		buf_addf(scratch, "%llx %s", (unsigned long long)sm->code.inst[row->i].addr,
			 sm->code.inst[row->i].text);
		return buf_text(scratch);
	}
	return "";
}

static void add_row(struct source_state *st, enum source_kind kind, uint32_t i, uint32_t line)
{
	st->row = mem_grow(st->row, &st->cap_rows, (size_t)st->list.n + 1, sizeof(*st->row));
	st->row[st->list.n++] = (struct source_row){ kind, i, line };
}

static void add_code(const struct pane *p, uint32_t line)
{
	const struct source_model *sm = p->model->own;
	const struct weblist_line *code = code_of(p, line);
	struct source_state *st = p->state;

	for (uint32_t i = code ? code->lo : 0; code && i < code->hi; i++) {
		const struct weblist_inst *it = &sm->code.inst[i];

		for (uint32_t k = it->lo; k < it->hi; k++)
			add_row(st, SOURCE_CALL, k, line);
		if (!it->is_code)
			continue;
		code_values_add(&st->values, it->flat);
		code_values_add(&st->values, it->cum);
		add_row(st, SOURCE_CODE, i, line);
	}
}

static void add_line(struct pane *p, uint32_t line)
{
	struct source_state *st = p->state;
	const struct source_model *sm = p->model->own;

	code_values_add(&st->values, shell_source_cell(p, line)[LIST_FLAT].value);
	code_values_add(&st->values, shell_source_cell(p, line)[LIST_CUM].value);
	add_row(st, SOURCE_LINE, line, line);
	for (uint32_t i = line + 1; i < sm->routine[st->routine].hi && !is_line(p, i); i++) {
		code_values_add(&st->values, shell_source_cell(p, i)[LIST_CUM].value);
		if (st->below[line] & BELOW_INLINED)
			add_row(st, SOURCE_INLINED, i, line);
	}
	if (st->below[line] & BELOW_CODE)
		add_code(p, line);
}

static uint32_t row_of(const struct source_state *st, const struct source_row *wanted)
{
	uint32_t line = 0;

	for (uint32_t i = 0; i < st->list.n; i++) {
		if (st->row[i].kind == wanted->kind && st->row[i].i == wanted->i && st->row[i].line == wanted->line)
			return i;
		if (st->row[i].kind == SOURCE_LINE && st->row[i].line == wanted->line)
			line = i;
	}
	return line;
}

void shell_source_rows(struct pane *p)
{
	const struct source_model *sm = p->model->own;
	struct source_state *st = p->state;
	const struct source_routine *r = &sm->routine[st->routine];
	struct source_row at = { 0 };
	bool had = st->list.at < st->list.n;
	uint32_t above = st->list.at - st->list.top;
	char number[24];

	if (had)
		at = st->row[st->list.at];
	st->values = (struct code_values){ .head = &p->model->report.head, .is_change = sm->is_change, .width = 4 };
	st->list.n = 0;
	for (uint32_t i = r->lo; i < r->hi; i++)
		if (is_line(p, i))
			add_line(p, i);
	st->line_width =
		snprintf(number, sizeof(number), "%lld",
			 r->hi > r->lo && st->list.n
				 ? (long long)shell_source_cell(p, st->row[st->list.n - 1].line)[LIST_LINE].value
				 : 0LL);
	st->line_width = st->line_width < 4 ? 4 : st->line_width;
	st->list.at = had ? row_of(st, &at) : 0;
	st->list.top = st->list.at > above ? st->list.at - above : 0;
	shell_list_go(&st->list, st->list.at);
}

/* The lines of the routine that have weight, the hottest first. */
static void find_hot(struct pane *p)
{
	const struct source_model *sm = p->model->own;
	struct source_state *st = p->state;
	const struct source_routine *r = &sm->routine[st->routine];
	struct code_weight *all = mem_alloc((size_t)(r->hi - r->lo) + 1, sizeof(*all));
	uint32_t n = 0;

	for (uint32_t i = r->lo; i < r->hi; i++) {
		int64_t flat = shell_source_cell(p, i)[LIST_FLAT].value, cum = shell_source_cell(p, i)[LIST_CUM].value;

		if (is_line(p, i) && (flat || cum))
			all[n++] = code_weight(flat, cum, sm->by_cum, i);
	}
	code_sort_weights(all, n);
	free(st->hot);
	st->hot = mem_alloc((size_t)n + 1, sizeof(*st->hot));
	st->n_hot = n;
	for (uint32_t i = 0; i < n; i++)
		st->hot[i] = all[i].i;
	free(all);
}

void shell_source_remember(struct pane *p)
{
	const struct source_model *sm = p->model->own;
	struct source_state *st = p->state;
	const struct source_routine *r = &sm->routine[st->routine];

	if (!st->name || strcmp(st->name, r->name) != 0 || strcmp(st->file, r->file) != 0) {
		free(st->name);
		free(st->file);
		st->name = mem_strndup(r->name, strlen(r->name));
		st->file = mem_strndup(r->file, strlen(r->file));
	}
	st->line = st->list.n ? shell_source_cell(p, st->row[st->list.at].line)[LIST_LINE].value : 0;
}

/* Scroll so that the selected row has some around it. */
static void center(struct list *l)
{
	uint32_t third = l->height > 0 ? (uint32_t)l->height / 3 : 0;

	l->top = l->at > third ? l->at - third : 0;
	shell_list_go(l, l->at);
}

void shell_source_go_line(struct pane *p, int64_t line)
{
	struct source_state *st = p->state;
	uint32_t best = 0;

	for (uint32_t i = 0; i < st->list.n; i++)
		if (st->row[i].kind == SOURCE_LINE && shell_source_cell(p, st->row[i].i)[LIST_LINE].value <= line)
			best = i;
	if (best < st->list.top || best >= st->list.top + (uint32_t)st->list.height) {
		st->list.at = best;
		center(&st->list);
	}
	shell_list_go(&st->list, best);
	shell_source_remember(p);
}

void shell_source_show(struct pane *p, uint32_t i)
{
	struct source_state *st = p->state;

	st->routine = i;
	st->list = (struct list){ .height = st->list.height > 0 ? st->list.height : p->area.height - 3 };
	find_hot(p);
	shell_source_rows(p);
	if (st->n_hot) {
		st->list.top = UINT32_MAX / 2; /* far from everything, so that it is centered */
		shell_source_go_line(p, shell_source_cell(p, st->hot[0])[LIST_LINE].value);
	}
	shell_source_remember(p);
}

static bool has_line(const struct pane *p, const struct source_routine *r, int64_t line)
{
	for (uint32_t i = r->lo; i < r->hi; i++)
		if (is_line(p, i) && shell_source_cell(p, i)[LIST_LINE].value == line)
			return true;
	return false;
}

/* The routine that was shown; of another file when that one has gone. Of none, one that has the line wanted. */
static bool find_routine(const struct pane *p, const struct source_state *st, uint32_t *out)
{
	const struct source_model *sm = p->model->own;
	bool found = false;

	for (uint32_t i = 0; st->has_line && !st->name && !found && i < sm->n; i++)
		if (has_line(p, &sm->routine[i], st->line)) {
			*out = i;
			found = true;
		}

	for (uint32_t i = 0; st->name && i < sm->n; i++) {
		if (strcmp(sm->routine[i].name, st->name) != 0)
			continue;
		if (!found || strcmp(sm->routine[i].file, st->file) == 0)
			*out = i;
		found = true;
	}
	return found;
}

void shell_source_follow(struct pane *p)
{
	struct source_state *st = p->state;
	bool keeps = st->has_line;
	int64_t line = st->line;
	uint32_t n = p->model->report.table.n_rows, above = st->list.at - st->list.top;

	free(st->below);
	st->below = mem_zalloc((size_t)n + 1, 1);
	memset(st->below, (st->hide_inlined ? 0 : BELOW_INLINED) | (st->show_code ? BELOW_CODE : 0), n);
	st->list.n = 0;
	st->routine = 0;
	if (find_routine(p, st, &st->routine))
		keeps = true;
	shell_source_show(p, st->routine);
	if (!keeps)
		return;
	shell_source_go_line(p, line);
	if (!st->has_line)
		st->list.top = st->list.at > above ? st->list.at - above : 0;
	st->has_line = false;
	if (st->opens_line && st->list.n) {
		st->below[st->row[st->list.at].line] = BELOW_INLINED | BELOW_CODE;
		shell_source_rows(p);
	}
	st->opens_line = false;
	shell_list_go(&st->list, st->list.at);
}

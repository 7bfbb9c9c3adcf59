/*
 * source_rows.c - the rows of the Source view: model, shown rows, selection
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines come from the report list, so that their numbers agree with its text. Instructions come from
 * weblist, which assigns them to lines and functions. The two are joined by file and line.
 */
#include "config.h"

#include "front/shell/views/source.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/list.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the model ---- */

static const union cell *cells(const struct model *m, uint32_t row)
{
	return m->report.table.cell + (size_t)row * N_LIST_COLS;
}

/* The paths that were tried for a file, from the notes of list: "FILE was not found; tried A, B". */
static const char *tried_paths(const char *notes, const char *file, struct arena *mem)
{
	static const char between[] = " was not found; tried ";
	size_t n = strlen(file);

	for (const char *line = notes; *line; line += strcspn(line, "\n") + 1) {
		const char *rest = line + n;

		if (strncmp(line, file, n) == 0 && starts_with(rest, between))
			return arena_strndup(mem, rest + strlen(between), strcspn(rest, "\n") - strlen(between));
		if (!line[strcspn(line, "\n")])
			break;
	}
	return "";
}

/* Copy the notes of list, except missing files, which the view reports itself. */
static void keep_notes(const char *notes, struct buf *out)
{
	while (*notes) {
		size_t n = strcspn(notes, "\n");
		const char *missing = strstr(notes, " was not found; tried ");

		if (!missing || missing > notes + n) {
			buf_add(out, notes, n);
			buf_addz(out, "\n");
		}
		notes += n + (notes[n] != 0);
	}
}

static struct source_routine routine_of(const struct model *m, uint32_t row, const char *notes)
{
	const union cell *cell = cells(m, row);

	return (struct source_routine){ .name = cell[LIST_FUNCTION].text,
					.file = cell[LIST_FILE].text,
					.path = cell[LIST_PATH].text,
					.error = cell[LIST_ERROR].text,
					.tried = tried_paths(notes, cell[LIST_FILE].text, m->mem),
					.flat = cell[LIST_FLAT].value,
					.cum = cell[LIST_CUM].value,
					.lo = row + 1,
					.hi = row + 1 };
}

/* Sort by value, the largest first; functions with equal values by name, as in the table. */
static void view_source_rows_sort_routines(struct source_model *sm, struct arena *mem)
{
	struct source_routine *sorted = arena_alloc(mem, sm->code.n, sizeof(*sorted));
	struct code_sort_key *key = mem_alloc(sm->code.n, sizeof(*key));

	for (uint32_t i = 0; i < sm->code.n; i++)
		key[i] = code_sort_key(sm->routine[i].flat, sm->routine[i].cum, sm->code.by_cum, i);
	code_sort(key, sm->code.n);
	for (uint32_t i = 0; i < sm->code.n; i++)
		sorted[i] = sm->routine[key[i].i];
	free(key);
	sm->routine = sorted;
}

static void find_routines(const struct model *m, struct source_model *out, const char *notes)
{
	const struct table *t = &m->report.table;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		n += t->role[i] == ROW_ROUTINE;
	assert(n > 0 && t->role[0] == ROW_ROUTINE); /* report_list_make fails if there are none */
	out->routine = arena_alloc(m->mem, n, sizeof(*out->routine));
	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (t->role[i] == ROW_ROUTINE)
			out->routine[out->code.n++] = routine_of(m, i, notes);
		else
			out->routine[out->code.n - 1].hi = i + 1;
	}
	view_source_rows_sort_routines(out, m->mem);
}

static const char *view_source_rows_clean(const char *path, struct arena *mem)
{
	struct buf out = { 0 };
	const char *text;

	path_add_clean(&out, path);
	text = arena_strndup(mem, buf_text(&out), out.len);
	buf_release(&out);
	return text;
}

/* Is one path a suffix of the other? Both are clean. */
static bool view_source_rows_is_same_file(const char *a, const char *b)
{
	size_t n_a = strlen(a), n_b = strlen(b);

	if (n_a < n_b)
		return view_source_rows_is_same_file(b, a);
	if (strcmp(a + (n_a - n_b), b) != 0)
		return false;
	return n_a == n_b || (n_b && (a[n_a - n_b - 1] == '/' || *b == '/'));
}

/* Does a line have instructions, and not just inlined calls? */
static bool view_source_rows_has_code(const struct source_model *sm, uint32_t line)
{
	for (uint32_t i = sm->weblist.line[line].lo; i < sm->weblist.line[line].hi; i++)
		if (sm->weblist.inst[i].is_code)
			return true;
	return false;
}

/* Join the rows of a function with lines [lo, hi) of the weblist, which belong to the same file. Both are ascending. */
static void join_lines(const struct model *m, struct source_model *sm, const struct source_routine *r, uint32_t lo,
		       uint32_t hi)
{
	assert(r->lo <= r->hi && r->hi <= m->report.table.n_rows);
	for (uint32_t row = r->lo; row < r->hi; row++) {
		int64_t line = cells(m, row)[LIST_LINE].value;

		if (m->report.table.role[row] != ROW_LINE)
			continue;
		while (lo < hi && sm->weblist.line[lo].no < line)
			lo++;
		if (lo < hi && sm->weblist.line[lo].no == line && view_source_rows_has_code(sm, lo))
			sm->line_code[row] = lo;
	}
}

static void join_code(const struct model *m, struct source_model *sm)
{
	uint32_t n_rows = m->report.table.n_rows;
	const char **file = arena_alloc(m->mem, sm->weblist.n ? sm->weblist.n : 1, sizeof(*file));

	sm->line_code = arena_alloc(m->mem, n_rows ? n_rows : 1, sizeof(*sm->line_code));
	for (uint32_t i = 0; i < n_rows; i++)
		sm->line_code[i] = CODE_NONE;
	for (uint32_t i = 0; i < sm->weblist.n; i++)
		file[i] = view_source_rows_clean(sm->weblist.func[i].file, m->mem);
	for (uint32_t i = 0; i < sm->code.n; i++) {
		const char *wanted = view_source_rows_clean(sm->routine[i].file, m->mem);

		for (uint32_t f = 0; f < sm->weblist.n; f++)
			if (view_source_rows_is_same_file(file[f], wanted))
				join_lines(m, sm, &sm->routine[i], sm->weblist.func[f].lo, sm->weblist.func[f].hi);
	}
}

/* Add the instructions. Without any, the lines are shown alone. */
static int make_code(const struct view *v, const struct query *q, struct model *m, struct source_model *sm,
		     struct err *err)
{
	int rc = report_weblist_make(v, q, &m->extra, &sm->weblist, &m->notes, err);

	if (rc == ERR_STOPPED)
		return rc;
	if (rc < 0) {
		sm->weblist = (struct weblist){ 0 };
		buf_addf(&m->notes, "%s\n", err->msg);
	}
	sm->has_code = true;
	join_code(m, sm);
	return 0;
}

int shell_source_make(const struct model_request *a, struct model *m, struct err *err)
{
	struct source_model *sm = arena_zalloc(m->mem, 1, sizeof(*sm));
	struct query q = *a->q;
	struct buf notes = { 0 };
	struct view v;
	int rc = view_make(a->joined, &q.filter, m->mem, &v, &m->notes, err);

	m->view_data = sm;
	sm->code.by_cum = q.sort == SORT_CUM;
	sm->code.is_change = a->is_change;
	q.bare_lines = true;
	q.whole_files = a->flags & SOURCE_WHOLE;
	if (rc == 0)
		rc = report_list_make(&v, &q, &m->report, &notes, err);
	if (rc == 0) {
		find_routines(m, sm, buf_text(&notes));
		keep_notes(buf_text(&notes), &m->notes);
		if (a->flags & SOURCE_WITH_CODE)
			rc = make_code(&v, &q, m, sm, err);
	}
	buf_release(&notes);
	return rc;
}

/* ---- rows and selection ---- */

const struct source_routine *shell_source_routine(const struct pane *p)
{
	const struct source_state *st = p->state;

	assert(st->code.routine < shell_source_model(p)->code.n);
	return &shell_source_model(p)->routine[st->code.routine];
}

const struct source_row *shell_source_selected(const struct pane *p)
{
	const struct source_state *st = p->state;

	return st->code.list.selected < st->code.list.n ? &st->row[st->code.list.selected] : NULL;
}

const struct source_row *shell_source_row(const struct pane *p, uint32_t i)
{
	const struct source_state *st = p->state;

	assert(i < st->code.list.n);
	return &st->row[i];
}

const union cell *shell_source_cell(const struct pane *p, uint32_t row)
{
	assert(row < p->model->report.table.n_rows);
	return p->model->report.table.cell + (size_t)row * N_LIST_COLS;
}

static bool view_source_rows_is_line(const struct pane *p, uint32_t row)
{
	return p->model->report.table.role[row] == ROW_LINE;
}

static const struct weblist_line *code_of(const struct pane *p, uint32_t line)
{
	const struct source_model *sm = shell_source_model(p);

	return sm->has_code && sm->line_code[line] != CODE_NONE ? &sm->weblist.line[sm->line_code[line]] : NULL;
}

bool shell_source_has_below(const struct pane *p, uint32_t line, uint8_t what)
{
	if (what == BELOW_CODE)
		return code_of(p, line) != NULL;
	return line + 1 < shell_source_routine(p)->hi && !view_source_rows_is_line(p, line + 1);
}

const char *shell_source_search_text(const struct pane *p, uint32_t i, struct buf *scratch)
{
	const struct source_model *sm = shell_source_model(p);
	const struct source_row *row = shell_source_row(p, i);

	switch ((enum source_kind)row->kind) {
	case SOURCE_LINE:
		return shell_source_cell(p, row->i)[LIST_SOURCE].text;
	case SOURCE_INLINED:
		return shell_source_cell(p, row->i)[LIST_FUNCTION].text;
	case SOURCE_CALL:
		return sm->weblist.call[row->i].source;
	case SOURCE_CODE:
		scratch->len = 0;
		buf_addf(scratch, "%llx %s", (unsigned long long)sm->weblist.inst[row->i].addr,
			 sm->weblist.inst[row->i].text);
		return buf_text(scratch);
	}
	return "";
}

static void view_source_rows_add_row(struct source_state *st, enum source_kind kind, uint32_t i, uint32_t line)
{
	assert(kind <= SOURCE_CODE);
	st->row = mem_grow(st->row, &st->cap_rows, (size_t)st->code.list.n + 1, sizeof(*st->row));
	st->row[st->code.list.n++] = (struct source_row){ kind, i, line };
}

static void view_source_rows_add_code(const struct pane *p, uint32_t line)
{
	const struct source_model *sm = shell_source_model(p);
	const struct weblist_line *code = code_of(p, line);
	struct source_state *st = p->state;

	for (uint32_t i = code ? code->lo : 0; code && i < code->hi; i++) {
		const struct weblist_inst *it = &sm->weblist.inst[i];

		for (uint32_t k = it->lo; k < it->hi; k++)
			view_source_rows_add_row(st, SOURCE_CALL, k, line);
		if (!it->is_code)
			continue;
		code_values_add(&st->code.values, it->flat);
		code_values_add(&st->code.values, it->cum);
		view_source_rows_add_row(st, SOURCE_CODE, i, line);
	}
}

static void view_source_rows_add_line(struct pane *p, uint32_t line)
{
	struct source_state *st = p->state;

	code_values_add(&st->code.values, shell_source_cell(p, line)[LIST_FLAT].value);
	code_values_add(&st->code.values, shell_source_cell(p, line)[LIST_CUM].value);
	view_source_rows_add_row(st, SOURCE_LINE, line, line);
	for (uint32_t i = line + 1; i < shell_source_routine(p)->hi && !view_source_rows_is_line(p, i); i++) {
		code_values_add(&st->code.values, shell_source_cell(p, i)[LIST_CUM].value);
		if (st->below[line] & BELOW_INLINED)
			view_source_rows_add_row(st, SOURCE_INLINED, i, line);
	}
	if (st->below[line] & BELOW_CODE)
		view_source_rows_add_code(p, line);
}

static uint32_t view_source_rows_row_of(const struct source_state *st, const struct source_row *wanted)
{
	uint32_t line = 0;

	for (uint32_t i = 0; i < st->code.list.n; i++) {
		if (st->row[i].kind == wanted->kind && st->row[i].i == wanted->i && st->row[i].line == wanted->line)
			return i;
		if (st->row[i].kind == SOURCE_LINE && st->row[i].line == wanted->line)
			line = i;
	}
	return line;
}

void shell_source_make_rows(struct pane *p)
{
	struct source_state *st = p->state;
	const struct source_routine *r = shell_source_routine(p);
	struct source_row at = { 0 };
	bool had = st->code.list.selected < st->code.list.n;
	uint32_t above = st->code.list.selected - st->code.list.top;
	char number[24];

	if (had)
		at = st->row[st->code.list.selected];
	st->code.values = code_values(p);
	st->code.list.n = 0;
	for (uint32_t i = r->lo; i < r->hi; i++)
		if (view_source_rows_is_line(p, i))
			view_source_rows_add_line(p, i);
	st->code.mark_width =
		snprintf(number, sizeof(number), "%lld",
			 r->hi > r->lo && st->code.list.n
				 ? (long long)shell_source_cell(p, st->row[st->code.list.n - 1].line)[LIST_LINE].value
				 : 0LL);
	st->code.mark_width = st->code.mark_width < 4 ? 4 : st->code.mark_width;
	st->code.list.selected = had ? view_source_rows_row_of(st, &at) : 0;
	st->code.list.top = st->code.list.selected > above ? st->code.list.selected - above : 0;
	shell_list_select(&st->code.list, st->code.list.selected);
}

/* The values of a row of the table; false if the row is not a line. */
static bool view_source_rows_get_values(const struct pane *p, uint32_t i, int64_t *flat, int64_t *cum)
{
	*flat = shell_source_cell(p, i)[LIST_FLAT].value;
	*cum = shell_source_cell(p, i)[LIST_CUM].value;
	return view_source_rows_is_line(p, i);
}

void shell_source_remember(struct pane *p)
{
	struct source_state *st = p->state;
	const struct source_routine *r = shell_source_routine(p);

	if (!st->name || strcmp(st->name, r->name) != 0 || strcmp(st->file, r->file) != 0) {
		free(st->name);
		free(st->file);
		st->name = mem_strndup(r->name, strlen(r->name));
		st->file = mem_strndup(r->file, strlen(r->file));
	}
	st->line = st->code.list.n ? shell_source_cell(p, st->row[st->code.list.selected].line)[LIST_LINE].value : 0;
}

/* Scroll so that the selected row has some rows above it. */
static void center(struct list *l)
{
	uint32_t third = l->height > 0 ? (uint32_t)l->height / 3 : 0;

	l->top = l->selected > third ? l->selected - third : 0;
	shell_list_select(l, l->selected);
}

void shell_source_go_line(struct pane *p, int64_t line)
{
	struct source_state *st = p->state;
	uint32_t best = 0;

	assert(p->model);
	for (uint32_t i = 0; i < st->code.list.n; i++)
		if (st->row[i].kind == SOURCE_LINE && shell_source_cell(p, st->row[i].i)[LIST_LINE].value <= line)
			best = i;
	if (best < st->code.list.top || best >= st->code.list.top + (uint32_t)st->code.list.height) {
		st->code.list.selected = best;
		center(&st->code.list);
	}
	shell_list_select(&st->code.list, best);
	shell_source_remember(p);
}

void shell_source_show(struct pane *p, uint32_t i)
{
	struct source_state *st = p->state;

	assert(i < shell_source_model(p)->code.n);
	st->code.routine = i;
	st->code.list = (struct list){ .height = st->code.list.height > 0 ? st->code.list.height : p->area.height - 3 };
	code_find_hot(p, shell_source_routine(p)->lo, shell_source_routine(p)->hi, view_source_rows_get_values);
	shell_source_make_rows(p);
	if (st->code.n_hot) {
		st->code.list.top = UINT32_MAX / 2; /* no longer visible, so that it is centered */
		shell_source_go_line(p, shell_source_cell(p, st->code.hot[0])[LIST_LINE].value);
	}
	shell_source_remember(p);
}

static bool has_line(const struct pane *p, const struct source_routine *r, int64_t line)
{
	for (uint32_t i = r->lo; i < r->hi; i++)
		if (view_source_rows_is_line(p, i) && shell_source_cell(p, i)[LIST_LINE].value == line)
			return true;
	return false;
}

/* Find the function that was shown, if necessary in another file. If none was shown, find the function with the
   requested line. */
static bool find_routine(const struct pane *p, const struct source_state *st, uint32_t *out)
{
	const struct source_model *sm = shell_source_model(p);
	bool found = false;

	for (uint32_t i = 0; st->has_line && !st->name && !found && i < sm->code.n; i++)
		if (has_line(p, &sm->routine[i], st->line)) {
			*out = i;
			found = true;
		}

	for (uint32_t i = 0; st->name && i < sm->code.n; i++) {
		if (strcmp(sm->routine[i].name, st->name) != 0)
			continue;
		if (!found || strcmp(sm->routine[i].file, st->file) == 0)
			*out = i;
		found = true;
	}
	return found;
}

void shell_source_set_model(struct pane *p)
{
	struct source_state *st = p->state;
	bool keeps = st->has_line;
	int64_t line = st->line;
	uint32_t n = p->model->report.table.n_rows, above = st->code.list.selected - st->code.list.top;

	free(st->below);
	st->below = mem_zalloc((size_t)n + 1, 1);
	memset(st->below, (st->hide_inlined ? 0 : BELOW_INLINED) | (st->show_code ? BELOW_CODE : 0), n);
	st->code.list.n = 0;
	st->code.routine = 0;
	if (find_routine(p, st, &st->code.routine))
		keeps = true;
	shell_source_show(p, st->code.routine);
	if (!keeps)
		return;
	shell_source_go_line(p, line);
	if (!st->has_line)
		st->code.list.top = st->code.list.selected > above ? st->code.list.selected - above : 0;
	st->has_line = false;
	if (st->opens_line && st->code.list.n) {
		st->below[st->row[st->code.list.selected].line] = BELOW_INLINED | BELOW_CODE;
		shell_source_make_rows(p);
	}
	st->opens_line = false;
	shell_list_select(&st->code.list, st->code.list.selected);
}

/*
 * view_source_model.c - source lines with their weight, and their instructions when they are wanted
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Lines come from the report list, so that their numbers are those of its text; instructions from
 * weblist, which knows what is below which line of which function. The two meet by file and line.
 */
#include "config.h"

#include "viewers/shell/view_source_int.h"

#include "base/num.h"
#include "base/path.h"
#include "base/str.h"
#include "engine/view.h"
#include "report/list.h"

#include <stdlib.h>
#include <string.h>

static const union cell *cells(const struct model *m, uint32_t row)
{
	return m->report.table.cell + (size_t)row * N_LIST_COLS;
}

/* Where a file was looked for, of the notes of list: "FILE was not found; tried A, B". */
static const char *tried_of(const char *notes, const char *file, struct arena *mem)
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

/* What list has to say besides files that were not found, which the view itself tells. */
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
					.tried = tried_of(notes, cell[LIST_FILE].text, m->mem),
					.flat = cell[LIST_FLAT].value,
					.cum = cell[LIST_CUM].value,
					.lo = row + 1,
					.hi = row + 1 };
}

static int by_weight(const void *a, const void *b)
{
	const struct source_routine *x = a, *y = b;

	if (num_abs(x->flat) != num_abs(y->flat))
		return num_abs(x->flat) > num_abs(y->flat) ? -1 : 1;
	if (num_abs(x->cum) != num_abs(y->cum))
		return num_abs(x->cum) > num_abs(y->cum) ? -1 : 1;
	return (x->lo > y->lo) - (x->lo < y->lo); /* by name */
}

static int by_cum(const void *a, const void *b)
{
	const struct source_routine *x = a, *y = b;

	if (num_abs(x->cum) != num_abs(y->cum))
		return num_abs(x->cum) > num_abs(y->cum) ? -1 : 1;
	return by_weight(a, b);
}

static void find_routines(const struct model *m, struct source_model *out, const char *notes)
{
	const struct table *t = &m->report.table;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->n_rows; i++)
		n += t->role[i] == ROW_ROUTINE;
	out->routine = arena_alloc(m->mem, n ? n : 1, sizeof(*out->routine));
	for (uint32_t i = 0; i < t->n_rows; i++) {
		if (t->role[i] == ROW_ROUTINE)
			out->routine[out->n++] = routine_of(m, i, notes);
		else
			out->routine[out->n - 1].hi = i + 1;
	}
	qsort(out->routine, out->n, sizeof(*out->routine), out->by_cum ? by_cum : by_weight);
}

static const char *clean(const char *path, struct arena *mem)
{
	struct buf out = { 0 };
	const char *text;

	path_add_clean(&out, path);
	text = arena_strndup(mem, buf_text(&out), out.len);
	buf_release(&out);
	return text;
}

/* Is one path the end of the other? Both are clean. */
static bool is_same_file(const char *a, const char *b)
{
	size_t n_a = strlen(a), n_b = strlen(b);

	if (n_a < n_b)
		return is_same_file(b, a);
	if (strcmp(a + (n_a - n_b), b) != 0)
		return false;
	return n_a == n_b || (n_b && (a[n_a - n_b - 1] == '/' || *b == '/'));
}

/* Has a line instructions, and not just inlined calls? */
static bool has_code(const struct source_model *sm, uint32_t line)
{
	for (uint32_t i = sm->code.line[line].lo; i < sm->code.line[line].hi; i++)
		if (sm->code.inst[i].is_code)
			return true;
	return false;
}

/* Lines [lo, hi) of the code belong to the file of a routine: both go up. */
static void join_lines(const struct model *m, struct source_model *sm, const struct source_routine *r, uint32_t lo,
		       uint32_t hi)
{
	for (uint32_t row = r->lo; row < r->hi; row++) {
		int64_t line = cells(m, row)[LIST_LINE].value;

		if (m->report.table.role[row] != ROW_LINE)
			continue;
		while (lo < hi && sm->code.line[lo].no < line)
			lo++;
		if (lo < hi && sm->code.line[lo].no == line && has_code(sm, lo))
			sm->line_code[row] = lo;
	}
}

static void join_code(const struct model *m, struct source_model *sm)
{
	uint32_t n_rows = m->report.table.n_rows;
	const char **file = arena_alloc(m->mem, sm->code.n ? sm->code.n : 1, sizeof(*file));

	sm->line_code = arena_alloc(m->mem, n_rows ? n_rows : 1, sizeof(*sm->line_code));
	for (uint32_t i = 0; i < n_rows; i++)
		sm->line_code[i] = SOURCE_NONE;
	for (uint32_t i = 0; i < sm->code.n; i++)
		file[i] = clean(sm->code.func[i].file, m->mem);
	for (uint32_t i = 0; i < sm->n; i++) {
		const char *wanted = clean(sm->routine[i].file, m->mem);

		for (uint32_t f = 0; f < sm->code.n; f++)
			if (is_same_file(file[f], wanted))
				join_lines(m, sm, &sm->routine[i], sm->code.func[f].lo, sm->code.func[f].hi);
	}
}

/* Instructions that cannot be had are no reason to show nothing. */
static int add_code(const struct view *v, const struct query *q, struct model *m, struct source_model *sm,
		    struct err *err)
{
	int rc = report_weblist_make(v, q, &m->more, &sm->code, &m->notes, err);

	if (rc == ERR_STOPPED)
		return rc;
	if (rc < 0) {
		sm->code = (struct weblist){ 0 };
		buf_addf(&m->notes, "%s\n", err->msg);
	}
	sm->has_code = true;
	join_code(m, sm);
	return 0;
}

int shell_source_make(const struct ask *a, struct model *m, struct err *err)
{
	struct source_model *sm = arena_zalloc(m->mem, 1, sizeof(*sm));
	struct query q = *a->q;
	struct buf notes = { 0 };
	struct view v;
	int rc = view_make(a->data->p, &q, m->mem, &v, &m->notes, err);

	m->own = sm;
	sm->by_cum = q.sort == SORT_CUM;
	sm->is_change = a->data->has_base;
	q.bare_lines = true;
	q.whole_files = a->want & SOURCE_WHOLE;
	if (rc == 0)
		rc = report_list_make(&v, &q, &m->report, &notes, err);
	if (rc == 0) {
		find_routines(m, sm, buf_text(&notes));
		keep_notes(buf_text(&notes), &m->notes);
		if (a->want & SOURCE_WITH_CODE)
			rc = add_code(&v, &q, m, sm, err);
	}
	buf_release(&notes);
	return rc;
}

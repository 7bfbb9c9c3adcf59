/*
 * series.c - totals of stored profiles over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/series.h"

#include "answer/draw.h"
#include "answer/series_int.h"
#include "answer/stored_due.h"
#include "base/amount.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"
#include "report/head.h"
#include "viewers/svg/svg.h"
#include "viewers/text/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 20, READ_STEPS_MAX = 2000 };

/* ---- values ---- */

struct series_values *series_column(struct series_data *s, const char *key, const char *value)
{
	struct series_values *c;
	struct buf text = { 0 };

	for (size_t i = 0; i < s->n_columns; i++)
		if (strcmp(s->column[i].name, value) == 0)
			return &s->column[i];
	s->column = mem_grow(s->column, &s->cap_columns, s->n_columns + 1, sizeof(*s->column));
	c = &s->column[s->n_columns++];
	*c = (struct series_values){ 0 };
	c->name = arena_strndup(s->mem, value, strlen(value));
	utf8_add_safe(&text, key, strlen(key));
	buf_addz(&text, "=");
	utf8_add_safe(&text, value, strlen(value));
	c->key = arena_strndup(s->mem, buf_text(&text), text.len);
	c->title = *value ? c->key + text.len - strlen(strchr(c->key, '=') + 1) : "(none)";
	c->value = arena_zalloc(s->mem, s->totals.n_steps, sizeof(*c->value));
	buf_release(&text);
	return c;
}

/* Find a sample type by name or number; "" is the last. */
static int answer_series_find_type(struct series_data *s, const char *name, struct err *err)
{
	const struct stored_totals *t = &s->totals;
	struct buf names = { 0 };
	size_t digits = strspn(name, "0123456789");

	s->samples = -1;
	for (uint32_t i = 0; i < t->n_types; i++)
		if (strcmp(t->type[i].name, "samples") == 0)
			s->samples = i;
	s->type = t->n_types - 1;
	if (!*name)
		return 0;
	for (s->type = 0; s->type < t->n_types; s->type++)
		if (strcmp(t->type[s->type].name, name) == 0)
			return 0;
	if (!name[digits] && digits < 9 && strtoul(name, NULL, 10) < t->n_types) {
		s->type = (uint32_t)strtoul(name, NULL, 10);
		return 0;
	}
	for (uint32_t i = 0; i < t->n_types; i++)
		buf_addf(&names, "%s%s", i ? " " : "", t->type[i].name);
	err_set(err, ERR_USAGE, "sample_index \"%.100s\" must be one of: [%.500s]", name, buf_text(&names));
	buf_release(&names);
	return ERR_USAGE;
}

/* Take the values of the store's totals. */
static void use_totals(struct series_data *s, const char *by)
{
	const struct stored_totals *t = &s->totals;

	for (size_t g = 0; g < t->n_groups; g++) {
		struct series_values *c = by ? series_column(s, by, t->group[g].value) : NULL;

		for (uint32_t i = 0; i < t->n_steps; i++) {
			int64_t value = t->group[g].total[s->type][i];

			s->total[i] = num_add_capped(s->total[i], value);
			if (s->samples >= 0)
				s->n_samples[i] = num_add_capped(s->n_samples[i], t->group[g].total[s->samples][i]);
			if (c)
				c->value[i] = value;
		}
	}
	s->window = t->n_types ? t->type[s->type].window : 0;
}

static int compare_columns(const void *a, const void *b)
{
	const struct series_values *x = a, *y = b;

	return x->total != y->total ? (x->total > y->total ? -1 : 1) : strcmp(x->name, y->name);
}

/* Sort the values of a label, largest first, and add up those beyond a limit. */
static void sort_columns(struct series_data *s)
{
	struct series_values *other;

	for (size_t i = 0; i < s->n_columns; i++)
		for (uint32_t k = 0; k < s->totals.n_steps; k++)
			s->column[i].total = num_add_capped(s->column[i].total, s->column[i].value[k]);
	if (s->n_columns)
		qsort(s->column, s->n_columns, sizeof(*s->column), compare_columns);
	if (s->n_columns <= COLUMNS_MAX)
		return;
	other = &s->column[COLUMNS_MAX - 1];
	other->key = other->title = "other";
	for (size_t i = COLUMNS_MAX; i < s->n_columns; i++)
		for (uint32_t k = 0; k < s->totals.n_steps; k++)
			other->value[k] = num_add_capped(other->value[k], s->column[i].value[k]);
	s->n_columns = COLUMNS_MAX;
}

/* ---- source ---- */

/* Set the times and the step of the query. */
static int set_steps(struct stored_source *source, const struct query *q, struct err *err)
{
	struct store_query *query = &source->query;
	int64_t t0, t1;

	if (!stored_span(source, q->stop, &t0, &t1)) {
		t0 = query->t0 == INT64_MIN ? query->t1 - 1
					    : query->t0; /* store_read then fails with the nearest profile */
		t1 = query->t1;
	}
	query->begin_ns = query->t0;
	query->t0 = t0;
	query->t1 = t1;
	query->step_ns = stored_step(source->window, t0, t1);
	if (*q->step && amount_parse_duration("--step", q->step, &query->step_ns, err) < 0)
		return ERR_USAGE;
	return query->step_ns > 0 ? 0 : err_set(err, ERR_USAGE, "--step=%s: not a duration above 0", q->step);
}

static int note_label(void *arg, const struct store_series *s, struct err *err)
{
	const char **by = arg;

	(void)err;
	for (size_t i = 0; *by && i < s->n_labels; i++)
		if (strcmp(s->label[i].name, *by) == 0)
			*by = NULL;
	return 0;
}

/* Is the label one of series, not of samples? */
static bool answer_series_is_series_label(const struct stored_source *source, const char *by)
{
	if (strcmp(by, "service") == 0 || strcmp(by, "kind") == 0)
		return true;
	return store_each_series(source->store, &source->query, note_label, &by, NULL) == 0 && !by;
}

static bool has_filters(const struct query *q)
{
	return *q->focus || *q->ignore || *q->hide || *q->show || *q->show_from || *q->tagfocus || *q->tagignore ||
	       *q->prune_from;
}

/* Read nothing, to fail with the sentence that names the nearest profile. */
static int explain_nothing(const struct stored_source *source, const struct query *q, struct err *err)
{
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	int rc = store_read(source->store, &source->query, q->stop, &p, &sum, err);

	store_sum_release(&sum);
	profile_free(p);
	return rc < 0 ? stored_explain_nothing(source, err) : err_set(err, ERR_IO, "no profiles");
}

/* Note that a counter is 0 because it needs a second snapshot. */
static void note_young(const struct stored_source *source, const struct series_data *s, struct buf *notes)
{
	const struct stored_type *type = &s->totals.type[s->type];
	uint64_t profiles = 0;

	for (uint32_t i = 0; i < s->totals.n_steps; i++) {
		profiles += s->totals.profiles[i];
		if (s->total[i])
			return;
	}
	if (type->temporality == TEMPORALITY_CUMULATIVE)
		stored_note_young(source, type->name, profiles, s->totals.n_series, notes);
}

static int answer_series_read_values(const struct stored_source *source, const struct query *q, struct series_data *s,
				     struct buf *notes, struct err *err)
{
	const char *by = *q->by ? q->by + strlen("label:") : NULL;
	bool in_series = by && answer_series_is_series_label(source, by),
	     reads = has_filters(q) || *q->function || (by && !in_series);
	int rc;

	reads |= source->query.reduce != REDUCE_DEFAULT || source->query.id;
	rc = stored_totals_read(source->store, &source->query, in_series ? by : NULL, q->stop, &s->totals, err);
	if (rc == 0 && s->totals.n_series == 0)
		rc = explain_nothing(source, q, err);
	if (rc == 0 && reads && s->totals.n_steps > READ_STEPS_MAX)
		rc = err_set(err, ERR_USAGE, "%" PRIu32 " steps; at most %d are possible if profiles are read",
			     s->totals.n_steps, READ_STEPS_MAX);
	rc = rc < 0 ? rc : answer_series_find_type(s, q->sample_index, err);
	if (rc < 0)
		return rc;
	s->total = arena_zalloc(s->mem, s->totals.n_steps, sizeof(*s->total));
	s->n_samples = arena_zalloc(s->mem, s->totals.n_steps, sizeof(*s->n_samples));
	if (!reads && s->totals.type[s->type].temporality == TEMPORALITY_CUMULATIVE)
		rc = stored_totals_read_increase(source->store, &source->query, by, q->stop, s->type, &s->totals, err);
	if (rc == 0 && reads)
		rc = series_read(source, q, by, s, notes, err);
	else if (rc == 0)
		use_totals(s, by);
	if (rc == 0)
		note_young(source, s, notes);
	if (rc == 0 && by)
		sort_columns(s);
	return rc;
}

/* ---- marks ---- */

struct marks {
	struct series_data *s;
	struct buf *text; /* [n_steps] */
	bool any;
};

static int answer_series_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct marks *marks = arg;
	const struct stored_totals *t = &marks->s->totals;
	int64_t step = (m->time_ns - t->t0) / t->step_ns;

	(void)service, (void)err;
	if (m->time_ns < t->t0 || step >= t->n_steps)
		return 0;
	buf_addf(&marks->text[step], "%s%s %s", marks->text[step].len ? ", " : "", m->kind, m->text);
	marks->any = true;
	return 0;
}

/* ---- table ---- */

enum { COL_TIME, COL_TOTAL, COL_SAMPLES, COL_PROFILES, COL_INSTANCES, N_FIXED };

static const struct column fixed[N_FIXED] = {
	[COL_TIME] = { "time", "time", CELL_WORD },
	[COL_TOTAL] = { "total", "total", CELL_VALUE },
	[COL_SAMPLES] = { "samples", "samples", CELL_COUNT },
	[COL_PROFILES] = { "profiles", "profiles", CELL_COUNT },
	[COL_INSTANCES] = { "instances", "instances", CELL_COUNT },
};

/* The cell of a fixed column. */
static union cell fixed_cell(const struct series_data *s, uint32_t col, uint32_t step)
{
	struct buf time = { 0 };
	union cell cell = { .value = 0 };

	switch (col) {
	case COL_TIME:
		time_add_exact(&time, s->totals.t0 + step * s->totals.step_ns);
		cell.text = arena_strndup(s->mem, buf_text(&time), time.len);
		buf_release(&time);
		break;
	case COL_TOTAL:
		cell.value = s->total[step];
		break;
	case COL_SAMPLES:
		cell.value = s->n_samples[step];
		break;
	case COL_PROFILES:
		cell.value = (int64_t)s->totals.profiles[step];
		break;
	default:
		cell.value = s->totals.instances[step];
		break;
	}
	return cell;
}

static void answer_series_fill_table(const struct series_data *s, const struct marks *marks, struct table *t)
{
	struct column *col = arena_alloc(s->mem, N_FIXED + s->n_columns + 1, sizeof(*col));
	uint32_t of[N_FIXED], n_fixed = 0;

	for (uint32_t c = 0; c < N_FIXED; c++) {
		if (c == COL_SAMPLES && (s->samples < 0 || (uint32_t)s->samples == s->type))
			continue;
		of[n_fixed] = c;
		col[n_fixed++] = fixed[c];
	}
	t->n_cols = n_fixed;
	for (size_t i = 0; i < s->n_columns; i++)
		col[t->n_cols++] = (struct column){ s->column[i].key, s->column[i].title, CELL_VALUE };
	if (marks->any)
		col[t->n_cols++] = (struct column){ "marks", "marks", CELL_NAME };
	t->col = col;
	t->n_rows = s->totals.n_steps;
	t->cell = arena_alloc(s->mem, (size_t)t->n_rows * t->n_cols, sizeof(*t->cell));
	for (uint32_t i = 0; i < t->n_rows; i++) {
		union cell *cell = t->cell + (size_t)i * t->n_cols;

		for (uint32_t c = 0; c < n_fixed; c++)
			cell[c] = fixed_cell(s, of[c], i);
		for (size_t c = 0; c < s->n_columns; c++)
			cell[n_fixed + c].value = s->column[c].value[i];
		if (marks->any)
			cell[t->n_cols - 1].text = arena_strndup(s->mem, buf_text(&marks->text[i]), marks->text[i].len);
	}
}

/* The line that says what was read, and the source with absolute times. */
static void fill_comments(const struct series_data *s, const struct stored_source *source, struct head *h)
{
	const struct store_query *q = &source->query;
	struct store_query own = *q;
	struct buf line = { 0 };
	uint64_t n = 0;

	for (uint32_t i = 0; i < s->totals.n_steps; i++)
		n += s->totals.profiles[i];
	h->comment = arena_alloc(s->mem, 2, sizeof(*h->comment));
	h->n_comments = 2;
	buf_addf(&line, "store: %s/%s, %" PRIu64 " profile%s of %" PRIu64 " instance%s, raw, ", q->service, q->kind, n,
		 n == 1 ? "" : "s", s->totals.n_instances, s->totals.n_instances == 1 ? "" : "s");
	time_add_span(&line, q->t0, q->t1);
	buf_addz(&line, ", steps of ");
	time_add_duration(&line, q->step_ns);
	buf_addf(&line, "%s%s", s->totals.builds.len ? "; " : "", buf_text(&s->totals.builds));
	h->comment[0] = arena_strndup(s->mem, line.data, line.len);
	line.len = 0;
	own.n_keep = source->n_own;
	window_print(source->window, &own, &line);
	h->comment[1] = arena_strndup(s->mem, line.data, line.len);
	buf_release(&line);
}

static void fill_head(const struct series_data *s, const struct stored_source *source, const struct query *q,
		      struct head *h)
{
	const struct stored_type *type = &s->totals.type[s->type];
	struct query own = *q;
	uint64_t min = 0;

	*h = (struct head){ .command = "series",
			    .file = "",
			    .build_id = "",
			    .doc_url = "",
			    .type = arena_strndup(s->mem, type->name, strlen(type->name)),
			    .unit = arena_strndup(s->mem, type->unit, strlen(type->unit)),
			    .time_ns = s->totals.t0,
			    .duration_ns = source->query.t1 - source->query.t0,
			    .out_unit = q->unit,
			    .ratio = query_ratio(q),
			    .is_whole = true };
	for (uint32_t i = 0; i < s->totals.n_steps; i++) {
		uint64_t size = num_abs(s->total[i]);

		min = size && (min == 0 || size < min) ? size : min;
	}
	h->total = s->window;
	h->is_mean_total = series_reduce(source, type) == REDUCE_MEAN;
	fill_comments(s, source, h);
	own.tagroot = *q->by ? "" : q->tagroot; /* --by makes columns, not frames */
	report_head_fill_filters(h, &own, s->mem);
	report_head_choose_unit_for(h, (int64_t)min, false);
}

/* ---- report ---- */

static int answer_series_make(const struct stored_source *source, const struct query *q, struct series_data *s,
			      struct answer *out, struct err *err)
{
	struct marks marks = { .s = s };
	int rc = answer_series_read_values(source, q, s, &out->notes, err);

	if (rc < 0)
		return err_wrap(err, "%.300s", window_text(source->window));
	marks.text = mem_zalloc(s->totals.n_steps, sizeof(*marks.text));
	rc = store_each_mark(source->store, source->query.service, source->query.is_pattern, "", answer_series_add_mark,
			     &marks, err);
	if (rc == 0) {
		fill_head(s, source, q, &out->report.head);
		answer_series_fill_table(s, &marks, &out->report.table);
	}
	for (uint32_t i = 0; i < s->totals.n_steps; i++)
		buf_release(&marks.text[i]);
	free(marks.text);
	return rc;
}

static int open_and_make(const char *source, const struct query *q, struct series_data *s, struct answer *out,
			 struct err *err)
{
	struct stored_source from;
	int rc = stored_open(source, q, &from, err);

	rc = rc < 0 ? rc : set_steps(&from, q, err);
	rc = rc < 0 ? rc : answer_series_make(&from, q, s, out, err);
	if (rc == 0) {
		buf_addz(&out->notes, store_get_damage(from.store));
		out->is_partial = *store_get_damage(from.store) && !from.query.partial;
	}
	stored_close(&from);
	return rc;
}

static int answer_series_draw(const struct report_type *t, const struct query *q, bool color, struct answer *out,
			      struct err *err)
{
	if (ends_with(q->output, ".svg"))
		return svg_series_draw(&out->report, &out->text, err);
	if (q->plot)
		text_plot_series(&out->report, color, &out->text);
	else
		answer_draw(t, &out->report, q, color, &out->text);
	return 0;
}

int answer_series(const struct report_type *t, const char *source, const struct query *query, bool color,
		  struct answer *out, struct err *err)
{
	struct query q = *query;
	struct series_data s = { .mem = arena_new() };
	int rc;

	query_apply_defaults(&q, &t->defaults);
	out->report.mem = s.mem;
	if (*q.by && *q.function)
		rc = err_set(err, ERR_USAGE, "--by and --function exclude each other");
	else if (q.plot && q.shape != FORMAT_TEXT)
		rc = err_set(err, ERR_USAGE, "--plot is text; omit --json, --csv and --markdown");
	else if (!stored_is_source(source))
		rc = err_set(err, ERR_USAGE, "%.300s: series needs a store; write store:SERVICE", source);
	else
		rc = open_and_make(source, &q, &s, out, err);
	rc = rc < 0 ? rc : answer_series_draw(t, &q, color, out, err);
	if (s.totals.memory)
		stored_totals_release(&s.totals);
	free(s.column);
	return rc;
}

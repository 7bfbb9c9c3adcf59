/*
 * series.c - totals of stored profiles over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/series.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/time.h"
#include "base/utf8.h"
#include "sources/stored.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS_MAX = 20, READ_STEPS_MAX = 2000 };

/* ---- values ---- */

struct series_values *series_column(struct series_data *s, const char *key, const char *value)
{
	struct series_values *c;
	struct buf text = { 0 };

	for (size_t i = 0; i < s->out->n_columns; i++)
		if (strcmp(s->out->column[i].name, value) == 0)
			return &s->out->column[i];
	s->out->column = mem_grow(s->out->column, &s->out->cap_columns, s->out->n_columns + 1, sizeof(*s->out->column));
	c = &s->out->column[s->out->n_columns++];
	*c = (struct series_values){ 0 };
	c->name = arena_strndup(s->out->mem, value, strlen(value));
	utf8_add_safe(&text, key, strlen(key));
	buf_addz(&text, "=");
	utf8_add_safe(&text, value, strlen(value));
	c->key = arena_strndup(s->out->mem, buf_text(&text), text.len);
	c->title = *value ? c->key + text.len - strlen(strchr(c->key, '=') + 1) : "(none)";
	c->value = arena_zalloc(s->out->mem, s->totals.n_steps, sizeof(*c->value));
	buf_release(&text);
	return c;
}

/* Find a sample type by name or number; "" is the last. */
static int series_find_type(struct series_data *s, const char *name, struct err *err)
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

			s->out->total[i] = num_add_capped(s->out->total[i], value);
			if (s->samples >= 0)
				s->out->n_samples[i] =
					num_add_capped(s->out->n_samples[i], t->group[g].total[s->samples][i]);
			if (c)
				c->value[i] = value;
		}
	}
	s->out->window = t->n_types ? t->type[s->type].window : 0;
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

	for (size_t i = 0; i < s->out->n_columns; i++)
		for (uint32_t k = 0; k < s->totals.n_steps; k++)
			s->out->column[i].total = num_add_capped(s->out->column[i].total, s->out->column[i].value[k]);
	if (s->out->n_columns)
		qsort(s->out->column, s->out->n_columns, sizeof(*s->out->column), compare_columns);
	if (s->out->n_columns <= COLUMNS_MAX)
		return;
	other = &s->out->column[COLUMNS_MAX - 1];
	other->key = other->title = "other";
	for (size_t i = COLUMNS_MAX; i < s->out->n_columns; i++)
		for (uint32_t k = 0; k < s->totals.n_steps; k++)
			other->value[k] = num_add_capped(other->value[k], s->out->column[i].value[k]);
	s->out->n_columns = COLUMNS_MAX;
}

/* ---- source ---- */

/* Set the times and the step of the query. */
static int set_steps(struct stored_source *source, const struct query *q, struct err *err)
{
	struct store_query *query = &source->query;
	int64_t t0, t1;

	if (!stored_span(source, q->stop, &t0, &t1)) {
		struct buf samples = { 0 };
		int rc = store_describe_samples(source->store, query, &samples,
						err); /* fails if a label does not exist */

		buf_release(&samples);
		if (rc < 0)
			return err_wrap(err, "%.300s", window_text(source->window));
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
static bool series_is_series_label(const struct stored_source *source, const char *by)
{
	struct store_query all = source->query;

	if (strcmp(by, "service") == 0 || strcmp(by, "kind") == 0)
		return true;
	all.n_match = 0; /* conditions may be on samples */
	return store_each_series(source->store, &all, note_label, &by, NULL) == 0 && !by;
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
		if (s->out->total[i])
			return;
	}
	if (type->temporality == TEMPORALITY_CUMULATIVE)
		stored_note_young(source, type->name, profiles, s->totals.n_series, notes);
}

static int series_read_values(const struct stored_source *source, const struct query *q, struct series_data *s,
			      struct buf *notes, struct err *err)
{
	const char *by = *q->by ? q->by + strlen("label:") : NULL;
	bool in_series = by && series_is_series_label(source, by),
	     reads = has_filters(q) || *q->function || (by && !in_series);
	int rc;

	reads |= source->query.reduce != REDUCE_DEFAULT || source->query.id;
	rc = stored_totals_read(source->store, &source->query, in_series ? by : NULL, q->stop, &s->totals, err);
	if (rc == 0 && s->totals.n_series == 0)
		rc = explain_nothing(source, q, err);
	if (rc == 0 && reads && s->totals.n_steps > READ_STEPS_MAX)
		rc = err_set(err, ERR_USAGE, "%" PRIu32 " steps; at most %d are possible if profiles are read",
			     s->totals.n_steps, READ_STEPS_MAX);
	rc = rc < 0 ? rc : series_find_type(s, q->sample_index, err);
	if (rc < 0)
		return rc;
	s->out->total = arena_zalloc(s->out->mem, s->totals.n_steps, sizeof(*s->out->total));
	s->out->n_samples = arena_zalloc(s->out->mem, s->totals.n_steps, sizeof(*s->out->n_samples));
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

static int series_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct series *s = arg;
	int64_t step = (m->time_ns - s->t0) / s->step_ns;
	struct buf text = { 0 };

	(void)service, (void)err;
	if (m->time_ns < s->t0 || step >= s->n_steps)
		return 0;
	if (!s->mark)
		s->mark = arena_zalloc(s->mem, s->n_steps, sizeof(*s->mark));
	buf_addf(&text, "%s%s%s %s", s->mark[step] ? s->mark[step] : "", s->mark[step] ? ", " : "", m->kind, m->text);
	s->mark[step] = arena_strndup(s->mem, buf_text(&text), text.len);
	buf_release(&text);
	return 0;
}

/* ---- result ---- */

/* The line that says what was read, and the source with absolute times. */
static void series_set_comments(const struct series_data *s, const struct stored_source *source)
{
	const struct store_query *q = &source->query;
	struct store_query own = *q;
	struct buf line = { 0 }, samples = { 0 };
	struct err ignored;
	uint64_t n = 0;

	store_describe_samples(source->store, q, &samples, &ignored); /* the names were checked when values were read */
	for (uint32_t i = 0; i < s->totals.n_steps; i++)
		n += s->totals.profiles[i];
	buf_addf(&line, "store: %s/%s, %" PRIu64 " profile%s of %" PRIu64 " instance%s, ", q->service, q->kind, n,
		 n == 1 ? "" : "s", s->totals.n_instances, s->totals.n_instances == 1 ? "" : "s");
	store_add_tiers(s->totals.tiers, &line);
	buf_addz(&line, ", ");
	time_add_span(&line, q->t0, q->t1);
	buf_addz(&line, ", steps of ");
	time_add_duration(&line, q->step_ns);
	buf_addf(&line, "%s%s", samples.len ? "; only samples with " : "", buf_text(&samples));
	buf_addf(&line, "%s%s", s->totals.builds.len ? "; " : "", buf_text(&s->totals.builds));
	s->out->comment[0] = arena_strndup(s->out->mem, line.data, line.len);
	line.len = 0;
	own.n_keep = source->n_own;
	window_print(source->window, &own, &line);
	s->out->comment[1] = arena_strndup(s->out->mem, line.data, line.len);
	buf_release(&line);
	buf_release(&samples);
}

/* Describe the steps and the type, whose values are there. */
static void series_describe(const struct series_data *s, const struct stored_source *source)
{
	const struct stored_type *type = &s->totals.type[s->type];
	struct series *out = s->out;

	out->type = arena_strndup(out->mem, type->name, strlen(type->name));
	out->unit = arena_strndup(out->mem, type->unit, strlen(type->unit));
	out->t0 = s->totals.t0;
	out->duration_ns = source->query.t1 - source->query.t0;
	out->step_ns = s->totals.step_ns;
	out->n_steps = s->totals.n_steps;
	out->profiles = arena_alloc(out->mem, out->n_steps, sizeof(*out->profiles));
	memcpy(out->profiles, s->totals.profiles, out->n_steps * sizeof(*out->profiles));
	out->instances = arena_alloc(out->mem, out->n_steps, sizeof(*out->instances));
	memcpy(out->instances, s->totals.instances, out->n_steps * sizeof(*out->instances));
	out->has_samples = s->samples >= 0 && (uint32_t)s->samples != s->type;
	out->is_mean = series_reduce(source, type) == REDUCE_MEAN;
	out->is_partial = *store_get_damage(source->store) && !source->query.partial;
	series_set_comments(s, source);
}

static int series_read_all(const struct stored_source *source, const struct query *q, struct series_data *s,
			   struct buf *notes, struct err *err)
{
	int rc = series_read_values(source, q, s, notes, err);

	if (rc < 0)
		return err_wrap(err, "%.300s", window_text(source->window));
	series_describe(s, source);
	return store_each_mark(source->store, source->query.service, source->query.is_pattern, "", series_add_mark,
			       s->out, err);
}

int sources_series(const char *source, const struct query *q, struct series *out, struct buf *notes, struct err *err)
{
	struct series_data s = { .out = out };
	struct stored_source from = { 0 };
	int rc;

	*out = (struct series){ .mem = arena_new() };
	if (!stored_is_source(source))
		return err_set(err, ERR_USAGE, "%.300s: series needs a store; write store:SERVICE", source);
	rc = stored_open(source, q, &from, err);
	rc = rc < 0 ? rc : set_steps(&from, q, err);
	rc = rc < 0 ? rc : series_read_all(&from, q, &s, notes, err);
	if (rc == 0)
		buf_addz(notes, store_get_damage(from.store));
	stored_close(&from);
	if (s.totals.memory)
		stored_totals_release(&s.totals);
	return rc;
}

/*
 * stored_split.c - split a source store: into runs or steps
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The name of each part is that of a source of its own. Its option runs=1 says that it is not split again.
 */
#include "config.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/time.h"
#include "sources/stored.h"

#include <stdlib.h>
#include <string.h>

enum {
	RUNS_MIN = 3,
	RUNS_MAX = 12,
	RUN_SAMPLES = 300, /* at least, in a slice of time */
	STEPS = 12,
	STEPS_MAX = 2000,
};

/* The profiles of a query. */
struct stored_split_found {
	int64_t *start; /* [n] */
	size_t n, cap;
	char **instance; /* [n_instances] sorted, owned */
	size_t n_instances, cap_instances;
	uint64_t samples;
};

static void found_release(struct stored_split_found *f)
{
	for (size_t i = 0; i < f->n_instances; i++)
		free(f->instance[i]);
	free(f->instance);
	free(f->start);
}

static void add_instance(struct stored_split_found *f, const char *name)
{
	size_t lo;

	if (sources_find_name(f->instance, f->n_instances, sizeof(*f->instance), name, &lo))
		return;
	f->instance = mem_grow(f->instance, &f->cap_instances, f->n_instances + 1, sizeof(*f->instance));
	memmove(f->instance + lo + 1, f->instance + lo, (f->n_instances - lo) * sizeof(*f->instance));
	f->instance[lo] = mem_strndup(name, strlen(name));
	f->n_instances++;
}

static int stored_split_add_item(void *arg, const struct store_item *item, struct err *err)
{
	struct stored_split_found *f = arg;

	(void)err;
	f->start = mem_grow(f->start, &f->cap, f->n + 1, sizeof(*f->start));
	f->start[f->n++] = item->start_ns;
	for (size_t i = 0; i < item->n_labels; i++)
		if (strcmp(item->label[i].name, "instance") == 0)
			add_instance(f, item->label[i].value);
	return 0;
}

static int stored_split_add_samples(void *arg, const struct store_block_total *t, struct err *err)
{
	struct stored_split_found *f = arg;

	(void)err;
	for (uint32_t i = 0; i < t->n_types; i++)
		if (strcmp(t->type[i], "samples") == 0 && strcmp(t->unit[i], "count") == 0 && t->total[i] > 0)
			f->samples += (uint64_t)t->total[i];
	return 0;
}

static int stored_split_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

static int stored_split_find(const struct stored_source *s, struct stop *stop, struct stored_split_found *out,
			     struct err *err)
{
	int rc = store_list(s->store, &s->query, stop, stored_split_add_item, out, err);

	if (rc == 0)
		rc = store_totals(s->store, &s->query, stop, stored_split_add_samples, out, err);
	if (rc < 0)
		return err_wrap(err, "%.300s", window_text(s->window));
	if (out->n)
		qsort(out->start, out->n, sizeof(*out->start), stored_split_compare_times);
	return 0;
}

/* ---- parts ---- */

/* Append text as an expression that matches only it. */
static void stored_split_add_quoted(const char *text, struct buf *out)
{
	for (; *text; text++) {
		if (strchr("\\.+*?()|[]{}^$", *text))
			buf_addz(out, "\\");
		buf_add(out, text, 1);
	}
}

/* The matches of a query, and one more, whose value is moved. */
static int stored_split_add_match(struct store_query *q, enum match_op op, const struct buf *value, struct err *err)
{
	struct label_match *match = mem_alloc(q->n_match + 1, sizeof(*match));

	if (q->n_match)
		memcpy(match, q->match, q->n_match * sizeof(*match));
	match[q->n_match] =
		(struct label_match){ .op = op, .name = "instance", .value = mem_strndup(value->data, value->len) };
	q->match = match;
	q->n_match++;
	return op == MATCH_REGEX ? window_compile_match(&match[q->n_match - 1], err) : 0;
}

/* Add sources of instances; instance i belongs to source i modulo n. */
static int split_instances(const struct stored_parts *to, const struct stored_split_found *f, size_t n, struct err *err)
{
	int rc = 0;

	for (size_t part = 0; part < n && rc == 0; part++) {
		bool is_single = part + n >= f->n_instances;
		struct store_query q = to->from->query;
		struct buf value = { 0 };

		for (size_t i = part; i < f->n_instances; i += n) {
			buf_addz(&value, i == part ? "" : "|");
			if (is_single)
				buf_addz(&value, f->instance[i]);
			else
				stored_split_add_quoted(f->instance[i], &value);
		}
		rc = stored_split_add_match(&q, is_single ? MATCH_EQUAL : MATCH_REGEX, &value, err);
		stored_add_part(to, &q, true);
		buf_release(&value);
	}
	return rc;
}

/* Append slices of time with equal numbers of profiles. */
static void stored_split_time(const struct stored_parts *to, const struct stored_split_found *f, size_t n)
{
	bool is_long = (f->start[f->n - 1] - f->start[0]) / (int64_t)n >= 10 * NS_PER_S;
	struct store_query q = to->from->query;
	int64_t end = q.t1 == INT64_MAX ? f->start[f->n - 1] + 1 : q.t1;

	q.t0 = q.t0 == INT64_MIN ? f->start[0] : q.t0;
	for (size_t i = 1; i <= n; i++) {
		int64_t cut = i == n ? end : f->start[i * f->n / n];

		if (i < n && is_long)
			cut -= cut % NS_PER_S; /* times are then short to print */
		if (cut <= q.t0)
			continue;
		q.t1 = cut;
		stored_add_part(to, &q, true);
		q.t0 = cut;
	}
}

static size_t stored_split_clamp(uint64_t n, size_t lo, size_t hi)
{
	return n < lo ? lo : n > hi ? hi : (size_t)n;
}

int stored_split_runs(const struct stored_parts *to, struct stop *stop, struct err *err)
{
	const struct stored_source *s = to->from;
	const char *runs = window_option(s->window, "runs");
	struct stored_split_found f = { 0 };
	size_t n = runs ? strtoul(runs, NULL, 10) : 0;
	int rc;

	if (n == 1)
		return 0;
	rc = stored_split_find(s, stop, &f, err);
	if (rc == 0 && runs && n == 0 && f.n_instances == 0 && f.n)
		rc = err_set(err, ERR_USAGE, "%.300s: these profiles have no label instance; write +runs=N",
			     window_text(s->window));
	else if (rc == 0 && runs && n == 0)
		rc = split_instances(to, &f, f.n_instances, err);
	else if (rc == 0 && !runs && f.n_instances >= RUNS_MIN)
		rc = split_instances(to, &f, stored_split_clamp(f.n_instances, RUNS_MIN, RUNS_MAX), err);
	else if (rc == 0 && f.n > 1)
		stored_split_time(
			to, &f,
			stored_split_clamp(n ? n : stored_split_clamp(f.samples / RUN_SAMPLES, RUNS_MIN, RUNS_MAX), 1,
					   f.n));
	found_release(&f);
	return rc;
}

/* ---- steps ---- */

int64_t stored_step(const struct window *w, int64_t t0, int64_t t1)
{
	static const int seconds[] = { 1,   2,   5,    10,   15,   30,    60,    120,  300,
				       600, 900, 1800, 3600, 7200, 10800, 21600, 43200 };
	const char *option = window_option(w, "step");
	const int64_t day = NS_PER_DAY, share = (t1 - t0) / STEPS;
	int64_t step = NS_PER_S;

	if (option && amount_scan_duration(option, &step))
		return step;
	for (size_t i = 0; i < sizeof(seconds) / sizeof(seconds[0]); i++)
		if (seconds[i] * NS_PER_S <= share)
			step = seconds[i] * NS_PER_S;
	return share >= day ? share / day * day : step;
}

static int stored_split_add_span(void *arg, const struct store_block_total *t, struct err *err)
{
	int64_t *span = arg;

	(void)err;
	span[0] = t->t0 < span[0] ? t->t0 : span[0];
	span[1] = t->t1 > span[1] ? t->t1 : span[1];
	return 0;
}

bool stored_span(const struct stored_source *s, struct stop *stop, int64_t *t0, int64_t *t1)
{
	int64_t span[2] = { INT64_MAX, INT64_MIN };

	if (store_totals(s->store, &s->query, stop, stored_split_add_span, span, NULL) < 0 || span[0] > span[1])
		return false;
	*t0 = s->query.t0 == INT64_MIN ? span[0] : s->query.t0;
	*t1 = s->query.t1 == INT64_MAX ? span[1] + 1 : s->query.t1;
	return true;
}

/* The step of a trend: of two weeks or more a day, which has each hour once, of more than 400 days a week. */
static int64_t stored_split_trend_step(const struct window *w, int64_t t0, int64_t t1)
{
	int64_t span = t1 - t0;

	if (window_option(w, "step") || span < 2 * NS_PER_WEEK)
		return stored_step(w, t0, t1);
	return span <= 400 * NS_PER_DAY ? NS_PER_DAY : NS_PER_WEEK;
}

/* Append the steps that have profiles. */
static int split_steps(const struct stored_parts *to, const struct stored_split_found *f, struct err *err)
{
	const struct stored_source *s = to->from;
	struct store_query q = s->query;
	int64_t t0 = q.t0 == INT64_MIN ? f->start[0] : q.t0, t1 = q.t1 == INT64_MAX ? f->start[f->n - 1] + 1 : q.t1;
	int64_t step = stored_split_trend_step(s->window, t0, t1);
	size_t next = 0;

	if ((t1 - t0) / step >= STEPS_MAX)
		return err_set(err, ERR_USAGE, "%.300s: the window has more than %d steps; write a longer +step=D",
			       window_text(s->window), STEPS_MAX);
	for (int64_t t = t0; t < t1; t += step) {
		size_t first = next;

		q.t0 = t;
		q.t1 = t + step < t1 ? t + step : t1;
		while (next < f->n && f->start[next] < q.t1)
			next++;
		if (next > first)
			stored_add_part(to, &q, true);
	}
	return 0;
}

int stored_split_steps(const struct stored_parts *to, struct stop *stop, struct err *err)
{
	const struct stored_source *s = to->from;
	const char *runs = window_option(s->window, "runs");
	struct stored_split_found f = { 0 };
	int rc = runs && strcmp(runs, "1") == 0 ? 0 : stored_split_find(s, stop, &f, err);

	if (rc == 0 && f.n > 0)
		rc = split_steps(to, &f, err);
	found_release(&f);
	return rc;
}

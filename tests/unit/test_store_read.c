/*
 * test_store_read.c - windows of a store: sums and reductions as a naive model computes them, lists, totals, errors
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The model keeps all values in arrays [series][profile][row][column]. Stores are made of random profiles, divided into
 * segments by time or at random, and read with random queries.
 */
#include "config.h"

#include "store/local/read/local.h"
#include "store/store.h"

#include "profile/builder.h"
#include "tests/unit/make_store.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SERIES = 6, PROFILES = 150, ROWS = 9, COLUMNS = 2, OWN_ROW = 0 };

#define SECOND INT64_C(1000000000)
#define T0 (INT64_C(1795000000) * SECOND)

/* Of profile k of series s. */
struct model {
	unsigned seed;
	int n_series, n[SERIES];
	bool is_heap;
	int64_t start[SERIES][PROFILES];
	int build[SERIES][PROFILES]; /* changes at a restart */
	int64_t value[SERIES][PROFILES][ROWS][COLUMNS];
};

static unsigned next(struct model *m, unsigned n)
{
	m->seed = m->seed * 1103515245 + 12345;
	return (m->seed >> 8) % n;
}

static const char *instance_of(int s)
{
	static const char *const name[SERIES] = { "i0", "i1", "i2", "i3", "i4", "i5" };

	return name[s];
}

static const char *env_of(int s)
{
	return s % 3 == 2 ? "dev" : "prod";
}

/* Counters rise; gauges and deltas are random; some rows are missing, some fall by one, and processes restart. */
static void fill(struct model *m, unsigned seed, bool is_heap)
{
	memset(m, 0, sizeof(*m));
	m->seed = seed;
	m->is_heap = is_heap;
	m->n_series = 1 + (int)next(m, SERIES);
	for (int s = 0; s < m->n_series; s++) {
		int64_t t = T0 + next(m, 600) * SECOND;
		int64_t counter[ROWS] = { 0 };

		m->n[s] = 1 + (int)next(m, PROFILES);
		for (int k = 0; k < m->n[s]; k++) {
			bool restart = k && next(m, 40) == 0, has_new_build = restart && next(m, 2);

			t += (1 + next(m, 20)) * SECOND;
			m->start[s][k] = t;
			m->build[s][k] = k ? m->build[s][k - 1] + has_new_build : 0;
			for (int r = 0; r < ROWS; r++) {
				bool is_rare = r > ROWS - 4;

				if (restart)
					counter[r] = 0;
				if (!is_rare || next(m, 10) == 0)
					counter[r] += next(m, 5) * next(m, 1000);
				m->value[s][k][r][0] = is_heap      ? counter[r] - (counter[r] > 1 && next(m, 30) == 0)
						       : next(m, 3) ? (int64_t)next(m, 100)
								    : 0;
				m->value[s][k][r][1] = next(m, is_rare ? 8 : 2) ? 0 : (int64_t)next(m, 1000000);
				if (!is_heap && next(m, 20) == 0)
					m->value[s][k][r][1] = -(int64_t)next(m, 100);
			}
		}
	}
}

/* --- making the store --- */

/* Without a mapping, so that rows of several builds are equal. */
static uint32_t row_stack(struct builder *b, int r)
{
	struct strtab *str = builder_strings(b);
	char name[16];
	uint32_t loc = 0;
	struct builder_line line = { 0 };

	snprintf(name, sizeof(name), "f%d", r);
	struct builder_function f = { .id = (uint64_t)r + 1, .name = strtab_addz(str, name) };

	builder_function(b, &f, &line.func, NULL);
	builder_location(b, &(struct builder_location){ .id = (uint64_t)r + 1, .map = PROFILE_NONE }, &line, 1, &loc,
			 NULL);
	return loc;
}

static struct profile *make_profile(const struct model *m, int s, int k)
{
	struct builder *b = builder_new();
	struct strtab *str = builder_strings(b);
	struct mapping map = {
		.id = 1, .start = 0x1000 + 0x1000 * (uint64_t)s, .limit = 0x9000, .file = strtab_addz(str, "x")
	};
	struct builder_label own = { .key = strtab_addz(str, "instance"),
				     .text = strtab_addz(str, "own"),
				     .is_text = true };
	char build[16];
	uint32_t label, map_id;
	struct profile *p;

	snprintf(build, sizeof(build), "build%d", m->build[s][k]);
	map.build_id = strtab_addz(str, build);
	builder_type(b, strtab_addz(str, m->is_heap ? "alloc_space" : "samples"),
		     strtab_addz(str, m->is_heap ? "bytes" : "count"));
	builder_type(b, strtab_addz(str, m->is_heap ? "inuse_space" : "cpu"),
		     strtab_addz(str, m->is_heap ? "bytes" : "nanoseconds"));
	builder_mapping(b, &map, &map_id, NULL);
	builder_label(b, &own, &label, NULL);
	for (int r = 0; r < ROWS; r++) {
		uint32_t loc = row_stack(b, r);

		builder_sample(b, m->value[s][k][r], &loc, 1, &label, r == OWN_ROW, NULL);
	}
	builder_meta(b)->time_ns = m->start[s][k];
	builder_meta(b)->duration_ns = m->is_heap ? 0 : 10; /* counters with a duration would be deltas */
	p = builder_seal(b);
	builder_free(b);
	return p;
}

static void add_profile(struct chapter_builder *b, const struct model *m, int s, int k)
{
	struct store_label label[] = { { "env", env_of(s) }, { "instance", instance_of(s) } };
	struct dict *d = chapter_builder_dict(b);
	struct profile *p = make_profile(m, s, k);
	struct stored stored;
	struct err err;

	assert_int_equal(dict_add_profile(d, p, &stored, &err), 0);
	assert_int_equal(dict_add_series(d, "shop", m->is_heap ? "heap" : "cpu", label, 2, &stored.series, &err), 0);
	chapter_builder_add(b, &stored);
	dict_release_stored(&stored);
	profile_free(p);
}

/* Write the profiles as segments: by time, or at random if they overlap. */
static void write_segments(struct made_store *made, struct model *m, unsigned parts, bool overlap)
{
	int64_t span = (PROFILES + 30) * 20 * SECOND / parts + 1;

	for (unsigned part = 0; part < parts; part++) {
		struct chapter_builder *b = chapter_builder_new("shop");
		unsigned seed = m->seed;

		m->seed = 1;
		for (int s = 0; s < m->n_series; s++)
			for (int k = 0; k < m->n[s]; k++) {
				unsigned own = (unsigned)((m->start[s][k] - T0) / span);

				if (overlap && next(m, 4) == 0)
					own = next(m, parts);
				if ((own < parts ? own : parts - 1) == part)
					add_profile(b, m, s, k);
			}
		m->seed = seed;
		if (chapter_builder_profiles(b))
			made_store_segment(made, &b, 1);
		else
			chapter_builder_free(b);
	}
}

/* --- the model of a query --- */

struct answer {
	int64_t value[ROWS][SERIES][COLUMNS]; /* of a row and instance; without keep, instance 0 */
	double mean[ROWS][SERIES][COLUMNS];   /* of columns whose reduction is a mean */
	bool is_mean[COLUMNS];
	uint64_t profiles;
	uint32_t series;
};

static bool has_reset(const struct model *m, int s, int k)
{
	if (m->build[s][k] != m->build[s][k - 1])
		return true;
	for (int r = 0; r < ROWS; r++)
		if (m->value[s][k][r][0] < m->value[s][k - 1][r][0] - 1)
			return true;
	return false;
}

static enum reduce reduction(const struct model *m, int c, enum reduce reduce)
{
	if (reduce == REDUCE_DEFAULT)
		reduce = !m->is_heap ? REDUCE_SUM : c == 0 ? REDUCE_INCREASE : REDUCE_MEAN;
	return reduce == REDUCE_INCREASE && !m->is_heap ? REDUCE_SUM : reduce;
}

/* The reduction of a row of a series; profiles [lo, hi) are in the window. */
static int64_t reduce_row(const struct model *m, int s, int lo, int hi, int r, int c, enum reduce reduce)
{
	bool counter = m->is_heap && c == 0;
	int64_t v = 0;

	switch (reduction(m, c, reduce)) {
	case REDUCE_FIRST:
		return m->value[s][lo][r][c];
	case REDUCE_LAST:
		return m->value[s][hi - 1][r][c];
	case REDUCE_MAX:
		v = m->value[s][lo][r][c];
		for (int k = lo; k < hi; k++)
			v = m->value[s][k][r][c] > v ? m->value[s][k][r][c] : v;
		return v;
	case REDUCE_INCREASE:
		for (int k = lo ? lo : 1; k < hi; k++)
			v += m->value[s][k][r][c] - (counter && has_reset(m, s, k) ? 0 : m->value[s][k - 1][r][c]);
		return v;
	default:
		for (int k = lo; k < hi; k++)
			v += m->value[s][k][r][c];
		return v;
	}
}

static void compute(const struct model *m, const struct store_query *q, struct answer *a)
{
	memset(a, 0, sizeof(*a));
	for (int s = 0; s < m->n_series; s++) {
		int lo = 0, hi = 0;

		if (q->n_match && (strcmp(q->match[0].value, env_of(s)) == 0) != (q->match[0].op == MATCH_EQUAL))
			continue;
		while (lo < m->n[s] && m->start[s][lo] < q->t0)
			lo++;
		for (hi = lo; hi < m->n[s] && m->start[s][hi] < q->t1;)
			hi++;
		if (lo == hi)
			continue;
		a->series++;
		a->profiles += (uint64_t)(hi - lo);
		for (int r = 0; r < ROWS; r++)
			for (int c = 0; c < COLUMNS; c++) {
				int group = q->n_keep && r != OWN_ROW ? s : 0;
				int64_t v = reduce_row(m, s, lo, hi, r, c, q->reduce);

				a->is_mean[c] = reduction(m, c, q->reduce) == REDUCE_MEAN;
				a->mean[r][group][c] += (double)v / (hi - lo);
				a->value[r][group][c] += v;
			}
	}
}

/* --- comparing --- */

static void read_answer(const struct profile *p, struct answer *a)
{
	memset(a, 0, sizeof(*a));
	for (uint32_t i = 0; i < p->n_rows; i++) {
		uint32_t loc = stack_id_at(&p->stacks, p->stacks.off[p->stack[i]]), set = p->labels[i];
		int r = atoi(profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]) + 1), s = 0;

		assert_int_equal(p->stacks.off[p->stack[i] + 1] - p->stacks.off[p->stack[i]], 1);
		for (uint32_t k = p->label_sets.off[set]; k < p->label_sets.off[set + 1]; k++) {
			const char *text = profile_text(p, p->label_text[p->label_sets.item[k]]);

			if (strcmp(text, "own") != 0)
				s = atoi(text + 1);
			else
				assert_int_equal(r, OWN_ROW);
		}
		for (int c = 0; c < COLUMNS; c++) {
			assert_int_equal(a->value[r][s][c], 0);
			a->value[r][s][c] = p->value[c][i];
		}
	}
}

/* A row has to be within 1 of its mean, and the total has to be the rounded one. */
static void check_means(const struct answer *want, const struct answer *got, int c, const char *what)
{
	double exact = 0, total = 0;

	for (int r = 0; r < ROWS; r++)
		for (int i = 0; i < SERIES; i++) {
			double error = (double)got->value[r][i][c] - want->mean[r][i][c];

			/* the own row has the label "own" in all groups, and each of them rounds it */
			if ((error <= -1 || error >= 1) && r != OWN_ROW)
				fail_msg("%s: row %d, instance %d, column %d: %" PRId64 " instead of %f", what, r, i, c,
					 got->value[r][i][c], want->mean[r][i][c]);
			exact += want->mean[r][i][c];
			total += (double)got->value[r][i][c];
		}
	if (total - exact > 0.5 + 1e-6 || exact - total > 0.5 + 1e-6)
		fail_msg("%s: column %d: a total of %f instead of %f", what, c, total, exact);
}

static void check_query(struct store *s, const struct model *m, const struct store_query *q, const char *what)
{
	struct answer want, got;
	struct profile *p;
	struct store_sum sum;
	struct err err = { 0 };
	int rc;

	compute(m, q, &want);
	rc = store_read(s, q, NULL, &p, &sum, &err);
	if (!want.profiles) {
		assert_int_equal(rc, ERR_IO);
		assert_non_null(strstr(err.msg, "nothing of shop"));
		return;
	}
	if (rc)
		fail_msg("%s: %s", what, err.msg);
	read_answer(p, &got);
	assert_int_equal(sum.profiles, want.profiles);
	assert_int_equal(sum.series, want.series);
	assert_int_equal(sum.instances, want.series);
	for (int c = 0; c < COLUMNS; c++)
		if (want.is_mean[c])
			check_means(&want, &got, c, what);
	for (int r = 0; r < ROWS; r++)
		for (int i = 0; i < SERIES; i++)
			for (int c = 0; c < COLUMNS; c++)
				if (!want.is_mean[c] && want.value[r][i][c] != got.value[r][i][c])
					fail_msg("%s: reduce %d, row %d, instance %d, column %d: %" PRId64
						 " instead of %" PRId64,
						 what, q->reduce, r, i, c, got.value[r][i][c], want.value[r][i][c]);
	profile_free(p);
	store_sum_release(&sum);
}

static void check_store(unsigned seed, bool is_heap, bool overlap)
{
	static struct model m;
	static const char *const keep[] = { "instance" };
	struct label_match match = { .name = "env", .value = "prod" };
	struct made_store made;
	struct store *s;
	struct err err;
	char what[64];

	fill(&m, seed, is_heap);
	made_store_init(&made);
	write_segments(&made, &m, 1 + next(&m, 9), overlap);
	if (local_open(made.dir, &s, &err))
		fail_msg("%s", err.msg);
	for (int i = 0; i < 40; i++) {
		struct store_query q = { .service = "shop", .kind = is_heap ? "heap" : "cpu", .match = &match };

		q.t0 = i % 10 ? T0 + next(&m, 3600) * SECOND : INT64_MIN;
		q.t1 = i % 10 ? q.t0 + next(&m, 1800) * SECOND : INT64_MAX;
		q.reduce = (enum reduce)next(&m, REDUCE_INCREASE + 1);
		q.n_match = next(&m, 2);
		match.op = next(&m, 2) ? MATCH_EQUAL : MATCH_NOT_EQUAL;
		q.keep = keep;
		q.n_keep = next(&m, 4) == 0;
		snprintf(what, sizeof(what), "seed %u, query %d", seed, i);
		check_query(s, &m, &q, what);
	}
	store_close(s);
	made_store_release(&made);
}

static void windows_of_counters_and_gauges_equal_the_model(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 8; seed++)
		check_store(seed, true, false);
}

static void windows_of_deltas_equal_the_model(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 4; seed++)
		check_store(seed, false, seed % 2);
}

static void chapters_may_overlap_in_time(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 8; seed++)
		check_store(seed, true, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows_of_counters_and_gauges_equal_the_model),
		cmocka_unit_test(windows_of_deltas_equal_the_model),
		cmocka_unit_test(chapters_may_overlap_in_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_sums.c - sums of many profiles give the same as their merged samples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/sums.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/diff.h"
#include "engine/trim.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "profile/sums.h"
#include "tests/unit/make_graph.h"

enum { FILES = 5 };

static uint32_t next(uint32_t *seed, uint32_t n)
{
	*seed = *seed * 1664525 + 1013904223;
	return (*seed >> 16) % n;
}

/* Random stacks with recursion, inlined calls, functions with several locations and files, and samples of value 0. */
static struct profile *random_profile(uint32_t *seed)
{
	static const char *const word[] = { "a",         "b",       "0x10=a",    "0x20=c+d", "d+c",
					    "e@x:1+a+d", "e@y:2",   "f@x:3",     "g+f@x:4",  "h+g+b",
					    "i@z:1:2",   "i@z:2:1", "k+l+m+n+a", "n",        "0x30=o+p",
					    "p+o",       "q^3",     "q^4",       "r@x+r@x",  "b@w:9+b" };
	struct make m = make_start("n/count t/nanoseconds");

	make_map(&m, "program");
	for (uint32_t row = next(seed, 12); row < 14; row++) {
		char stack[256] = "";

		for (uint32_t depth = next(seed, 7); depth > 0; depth--)
			strcat(strcat(stack, *stack ? ";" : ""), word[next(seed, sizeof(word) / sizeof(word[0]))]);
		ROW(&m, stack, next(seed, 3), 100 * next(seed, 3));
	}
	return make_end(&m);
}

static void random_query(struct query *q, uint32_t *seed)
{
	static const int grain[] = { GRAIN_FUNCTIONS, GRAIN_FUNCTIONS, GRAIN_FILEFUNCTIONS, GRAIN_LINES };
	static const char *const index[] = { "", "0", "n" };

	query_init(q);
	q->granularity = grain[next(seed, 4)];
	q->noinlines = next(seed, 8) == 0;
	q->showcolumns = next(seed, 2);
	q->sample_index = index[next(seed, 3)];
	q->nodefraction = next(seed, 3) * 0.08;
	q->edgefraction = next(seed, 3) * 0.05;
	q->nodecount = next(seed, 3) == 0 ? 4 : 0;
}

/* The profiles merged as samples, or as sums. whole: functions whose samples keep their stacks; NULL: all samples */
static struct profile *merged(uint32_t seed, const struct query *q, const struct strtab *whole)
{
	struct merger *m = merger_new(false);
	struct profile *p;
	struct err err;

	for (int i = 0; i < FILES; i++) {
		p = random_profile(&seed);
		if (whole)
			assert_true(sums_make(p, &q->filter, whole));
		assert_int_equal(merger_add(m, (const struct profile *const *)&p, NULL, 1, &err), 0);
		profile_free(p);
		if (i == FILES / 2)
			assert_int_equal(merger_end_group(m, &err), 0);
	}
	p = merger_finish(m);
	merger_free(m);
	return p;
}

static struct graph_fixture graph_of(struct profile *p, const struct query *q)
{
	return (struct graph_fixture){ .p = p, .q = *q, .mem = arena_new() };
}

static void check_same_places(const struct graph_fixture *a, const struct graph_fixture *b)
{
	assert_int_equal(a->v.total, b->v.total);
	assert_int_equal(a->pl.n, b->pl.n);
	assert_int_equal(a->p->n_locs, b->p->n_locs);
	for (uint32_t i = 0; i < a->pl.n; i++) {
		struct buf x = { 0 }, y = { 0 };

		places_add_name(&a->pl, i, &x);
		places_add_name(&b->pl, i, &y);
		assert_string_equal(buf_text(&x), buf_text(&y));
		assert_int_equal(a->g.nodes.flat[i], b->g.nodes.flat[i]);
		assert_int_equal(a->g.nodes.cum[i], b->g.nodes.cum[i]);
		buf_release(&x);
		buf_release(&y);
	}
}

/* Compare the notes about inlined calls. Returns false if they cannot be made of the sums. */
static bool has_same_notes(struct graph_fixture *a, struct graph_fixture *b)
{
	struct node_names names;
	struct trim_result t, u;
	const enum inlined *want, *got;

	node_names_init(&names, &a->pl, a->mem);
	trim_make(&a->g.nodes, &a->q.filter, &names, a->mem, &t);
	node_names_init(&names, &b->pl, b->mem);
	trim_make(&b->g.nodes, &b->q.filter, &names, b->mem, &u);
	want = trim_inlined(&a->g, &t, a->mem);
	got = trim_inlined(&b->g, &u, b->mem);
	assert_int_equal(t.n, u.n);
	for (uint32_t i = 0; i < t.n; i++)
		assert_int_equal(t.node[i], u.node[i]);
	for (uint32_t i = 0; got && i < t.n; i++)
		assert_int_equal(want[i], got[i]);
	return got != NULL;
}

/* Compare one random set of profiles. Returns false if the notes cannot be made of the sums. */
static bool check_round(uint32_t seed, const struct query *q, const struct strtab *whole)
{
	struct graph_fixture all = graph_of(merged(seed, q, NULL), q), sums = graph_of(merged(seed, q, whole), q);
	bool same;

	graph_fixture_run(&all);
	graph_fixture_run(&sums);
	check_same_places(&all, &sums);
	same = has_same_notes(&all, &sums);
	graph_fixture_release(&all);
	graph_fixture_release(&sums);
	return same;
}

static void sums_give_the_same_as_samples(void **state)
{
	struct strtab *none = strtab_new(), *all = strtab_new();
	uint32_t seed = 7, known = 0, unknown = 0;
	char name[2] = "a";

	(void)state;
	for (; *name <= 'r'; ++*name)
		strtab_addz(all, name);
	for (int round = 0; round < 400; round++) {
		struct query q;

		random_query(&q, &seed);
		seed += 1;
		if (check_round(seed, &q, none))
			known++;
		else
			unknown++;
		assert_true(check_round(seed, &q, all));
		query_release(&q);
	}
	assert_true(known > 50 && unknown > 50);
	strtab_free(none);
	strtab_free(all);
}

/* The functions that a trial finds suffice for the profiles that it read. */
static void functions_found_in_a_sample_suffice_for_it(void **state)
{
	uint32_t seed = 11;

	(void)state;
	for (int round = 0; round < 200; round++) {
		struct strtab *whole = strtab_new();
		struct graph_fixture trial;
		struct query q;
		struct err err;
		double share;

		random_query(&q, &seed);
		trial = graph_of(merged(seed, &q, whole), &q);
		graph_fixture_run(&trial);
		assert_int_equal(sums_find_whole(&trial.v, &q.filter, whole, &share, &err), 0);
		graph_fixture_release(&trial);
		assert_true(check_round(seed, &q, whole));
		strtab_free(whole);
		query_release(&q);
	}
}

/* Compare two random profiles. Fails as diff_make. */
static int random_diff(uint32_t seed, const struct query *q, bool reduce, struct profile *p[N_SIDES], struct arena *mem,
		       struct diff *d)
{
	struct buf notes = { 0 };
	struct err err;
	int rc;

	p[SIDE_BASE] = random_profile(&seed);
	p[SIDE_NEW] = random_profile(&seed);
	if (reduce)
		assert_true(diff_reduce(p[SIDE_BASE], &q->filter));
	rc = diff_make((const struct profile *const *)p, &q->filter, mem, d, &notes, &err);
	buf_release(&notes);
	return rc;
}

static void a_diff_with_sums_of_the_base_is_the_same(void **state)
{
	uint32_t seed = 5;

	(void)state;
	for (int round = 0; round < 300; round++) {
		struct profile *p[N_SIDES], *with_sums[N_SIDES];
		struct arena *mem = arena_new();
		struct query q;
		struct diff a, b;

		random_query(&q, &seed);
		assert_int_equal(random_diff(seed, &q, false, p, mem, &a), 0);
		assert_int_equal(random_diff(seed, &q, true, with_sums, mem, &b), 0);
		assert_int_equal(match_count(a.match), match_count(b.match));
		for (int side = 0; side < N_SIDES; side++) {
			assert_int_equal(a.side[side].total, b.side[side].total);
			for (uint32_t row = 0; row < match_count(a.match); row++) {
				assert_int_equal(diff_flat(&a, side, row), diff_flat(&b, side, row));
				assert_int_equal(diff_cum(&a, side, row), diff_cum(&b, side, row));
			}
			profile_free(p[side]);
			profile_free(with_sums[side]);
		}
		diff_release(&a);
		diff_release(&b);
		arena_free(mem);
		query_release(&q);
	}
}

static bool makes_sums(struct make *m)
{
	struct strtab *none = strtab_new();
	struct profile *p = make_end(m);
	struct query q;
	bool made;

	query_init(&q);
	made = sums_make(p, &q.filter, none);
	assert_true(made == (p->sums != NULL));
	query_release(&q);
	profile_free(p);
	strtab_free(none);
	return made;
}

static void values_below_0_have_no_sums(void **state)
{
	struct make m = make_start("n/count t/count");

	(void)state;
	ROW(&m, "a;b", 1, 1);
	ROW(&m, "b", -1, 1);
	assert_false(makes_sums(&m));
}

static void samples_of_a_base_have_no_sums(void **state)
{
	struct make m = make_start("n/count");
	struct builder_label l = { .key = make_text(&m, BASE_LABEL, strlen(BASE_LABEL)),
				   .text = make_text(&m, "true", 4),
				   .is_text = true };
	uint32_t label;

	(void)state;
	ROW(&m, "a;b", 1);
	assert_int_equal(builder_label(m.b, &l, &label, NULL), 0);
	make_row(&m, "b", (const int64_t[]){ 1 }, &label, 1);
	assert_false(makes_sums(&m));
}

static void only_named_locations_have_sums(void **state)
{
	struct make m = make_start("n/count"), unused = make_start("n/count");

	(void)state;
	ROW(&m, "a;0x10=", 1);
	assert_false(makes_sums(&m));
	ROW(&unused, "a;b", 1);
	ROW(&unused, "a;0x10=", 0);
	assert_true(makes_sums(&unused));
}

static void renamed_functions_are_noticed(void **state)
{
	struct make m = make_start("n/count");
	struct profile *p;
	str_id *before, a, b, c;

	(void)state;
	ROW(&m, "a;b;a@x", 1);
	c = make_text(&m, "c", 1);
	p = make_end(&m);
	before = sums_names(p);
	a = p->func_name[0];
	b = p->func_name[1];
	assert_true(sums_names_are_same(p, before));
	p->func_name[0] = p->func_name[2] = c;
	assert_true(sums_names_are_same(p, before));
	p->func_name[2] = a;
	assert_false(sums_names_are_same(p, before));
	p->func_name[0] = a;
	p->func_name[1] = a;
	assert_false(sums_names_are_same(p, before));
	p->func_name[1] = b;
	free(before);
	profile_free(p);
}

static void queries_that_need_samples_have_no_sums(void **state)
{
	struct query q;

	(void)state;
	query_init(&q);
	assert_true(sums_can_answer(&q.filter));
	q.focus = "a";
	assert_false(sums_can_answer(&q.filter));
	q.focus = "";
	q.tagfocus = "k=v";
	assert_false(sums_can_answer(&q.filter));
	q.tagfocus = "";
	q.mean = true;
	assert_false(sums_can_answer(&q.filter));
	q.mean = false;
	q.granularity = GRAIN_ADDRESSES;
	assert_false(sums_can_answer(&q.filter));
	query_release(&q);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_give_the_same_as_samples),
		cmocka_unit_test(functions_found_in_a_sample_suffice_for_it),
		cmocka_unit_test(a_diff_with_sums_of_the_base_is_the_same),
		cmocka_unit_test(values_below_0_have_no_sums),
		cmocka_unit_test(samples_of_a_base_have_no_sums),
		cmocka_unit_test(only_named_locations_have_sums),
		cmocka_unit_test(renamed_functions_are_noticed),
		cmocka_unit_test(queries_that_need_samples_have_no_sums),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_sides.c - combine two loaded profiles for comparisons
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "sources/sides.h"

#include "profile/edit.h"
#include "profile/encode.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

/* Pairs of testdata: similar and different, with labels, with two sampling rates, with frames to drop, without names. */
static const char *const pairs[][2] = {
	{ "compare/build-new.pb.gz", "compare/build-base.pb.gz" },
	{ "compare/label-new.pb.gz", "compare/label-base.pb.gz" },
	{ "compare/parent-new.pb.gz", "compare/parent-base.pb.gz" },
	{ "compare/rate-1khz.pb.gz", "compare/rate-100hz.pb.gz" },
	{ "go-heap2.pb.gz", "go-heap1.pb.gz" },
	{ "go-cpu.pb.gz", "go-cpu.pb.gz" },
	{ "cpp.heap_v2", "cpp.growth" },
	{ "cpp-cpu.pb.gz", "cpp.cpu" },
};

enum { N_PAIRS = sizeof(pairs) / sizeof(pairs[0]), DROPS = 6 };

static struct profile *load(const char *new, const char *base, bool separate, const char *normalize)
{
	const char *folder = getenv("TESTDATA");
	struct query q = { 0 };
	struct source_set t = { .n = 1, .kind = "source", .q = &q }, b = { .n = base != NULL, .kind = "base", .q = &q };
	char name[2][1000];
	const char *path[] = { name[0], name[1] };
	struct profile *p;
	struct err err;

	if (!folder)
		skip();
	query_init(&q);
	q.keep_base = separate;
	q.normalize = normalize;
	q.symbolize = "none";
	snprintf(name[0], sizeof(name[0]), "%s/%s", folder, new);
	snprintf(name[1], sizeof(name[1]), "%s/%s", folder, base ? base : "");
	t.source = &path[0];
	b.source = &path[1];
	if (sides_read(&t, &b, &p, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	buf_release(&t.notes);
	buf_release(&t.info);
	buf_release(&b.notes);
	buf_release(&b.info);
	return p;
}

static void expect_same(const struct profile *a, const struct profile *b, const char *what)
{
	struct buf x = { 0 }, y = { 0 };

	profile_encode(a, &x, NULL);
	profile_encode(b, &y, NULL);
	if (x.len != y.len || memcmp(x.data, y.data, x.len) != 0)
		fail_msg("%s: %u rows, %u", what, a->n_rows, b->n_rows);
	buf_release(&x);
	buf_release(&y);
}

static struct profile *make(const struct profile *new, const struct profile *base, bool separate, const char *normalize)
{
	const struct sides_options options = {
		.keep_sides = separate, .normalize = normalize, .new_name = "new", .base_name = "base"
	};
	struct profile *out;
	struct err err;

	if (sides_make(new, base, &options, &out, &err) < 0)
		fail_msg("%s", err.msg);
	return out;
}

static void joining_sides_equals_loading_with_base(void **state)
{
	(void)state;
	for (int i = 0; i < N_PAIRS; i++) {
		struct profile *separate = load(pairs[i][0], pairs[i][1], true, ""), *joined;
		struct profile *whole = load(pairs[i][0], pairs[i][1], false, "");

		assert_int_equal(sides_join(separate, &joined, NULL), 0);
		expect_same(joined, whole, pairs[i][0]);
		profile_free(joined);
		profile_free(whole);
		profile_free(separate);
	}
}

static void combining_equals_loading_both_and_modifies_neither(void **state)
{
	static const char *const modes[] = { "", "total" };

	(void)state;
	for (int i = 0; i < N_PAIRS; i++) {
		for (int k = 0; k < 4; k++) {
			struct profile *t = load(pairs[i][0], NULL, false, ""), *b = load(pairs[i][1], NULL, false, "");
			struct profile *t2 = load(pairs[i][0], NULL, false, ""),
				       *b2 = load(pairs[i][1], NULL, false, "");
			struct profile *loaded = load(pairs[i][0], pairs[i][1], k & 1, modes[k >> 1]);
			struct profile *made = make(t, b, k & 1, modes[k >> 1]);

			if (i != DROPS) /* frames were dropped before combining, which made stacks equal */
				expect_same(made, loaded, pairs[i][0]);
			expect_same(t, t2, "new");
			expect_same(b, b2, "base");
			profile_free(made);
			profile_free(loaded);
			profile_free(t);
			profile_free(b);
			profile_free(t2);
			profile_free(b2);
		}
	}
}

static void joining_removes_the_label_of_the_base(void **state)
{
	struct profile *separate = load(pairs[1][0], pairs[1][1], true, ""), *joined;
	bool found = false;

	(void)state;
	for (uint32_t l = 0; l < separate->n_labels; l++)
		found |= strcmp(profile_text(separate, separate->label_key[l]), BASE_LABEL) == 0;
	assert_true(found);
	assert_int_equal(sides_join(separate, &joined, NULL), 0);
	for (uint32_t l = 0; l < joined->n_labels; l++)
		assert_string_not_equal(profile_text(joined, joined->label_key[l]), BASE_LABEL);
	profile_free(joined);
	profile_free(separate);
}

/* Stack a: the new has 5 with a label and 7 without, the base 3 and 7. So 2 with the label remain. */
static void joins_rows_with_equal_stacks_and_labels(void **state)
{
	struct make m[2];
	struct profile *p[2], *separate, *joined;

	(void)state;
	for (int i = 0; i < 2; i++) {
		const struct builder_label l = { .key = 0, .num = 3 };
		uint32_t label;

		m[i] = make_start("n/count");
		builder_label(m[i].b, &l, &label, NULL);
		make_row(&m[i], "a;main", (const int64_t[]){ 5 - 2 * i }, &label, 1);
		ROW(&m[i], "a;main", 7);
		ROW(&m[i], i ? "c;main" : "b;main", 1);
		p[i] = make_end(&m[i]);
	}
	separate = make(p[0], p[1], true, "");
	assert_int_equal(separate->n_rows, 6);
	assert_int_equal(sides_join(separate, &joined, NULL), 0);
	assert_int_equal(joined->n_rows, 3);
	assert_int_equal(joined->value[0][0], 2);
	assert_int_equal(joined->value[0][1], 1);
	assert_int_equal(joined->value[0][2], -1);
	assert_int_equal(separate->n_rows, 6);
	profile_free(joined);
	profile_free(separate);
	profile_free(p[0]);
	profile_free(p[1]);
}

static void combining_equal_sides_leaves_no_rows(void **state)
{
	struct profile *p = load("go-cpu.pb.gz", NULL, false, ""), *separate = make(p, p, true, ""), *joined;

	(void)state;
	assert_int_equal(sides_join(separate, &joined, NULL), 0);
	assert_int_equal(joined->n_rows, 0);
	profile_free(joined);
	profile_free(separate);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(joining_sides_equals_loading_with_base),
		cmocka_unit_test(combining_equals_loading_both_and_modifies_neither),
		cmocka_unit_test(joining_removes_the_label_of_the_base),
		cmocka_unit_test(joins_rows_with_equal_stacks_and_labels),
		cmocka_unit_test(combining_equal_sides_leaves_no_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

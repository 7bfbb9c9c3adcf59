/*
 * test_merge_stacks.c - merging profiles at once makes the same of random profiles as a merger
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/merge.h"

#include "base/mem.h"
#include "base/pool.h"
#include "profile/builder.h"
#include "profile/encode.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/check_profile.h"

enum { N = 3, MAPS = 4, FUNCS = 30, LOCS = 200, DEPTH = 8 };

static struct err err;
static uint64_t random_state;

static uint32_t below(uint32_t n)
{
	random_state = random_state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((random_state >> 33) % n);
}

static str_id text(struct builder *b, const char *format, uint32_t n)
{
	char name[64];

	snprintf(name, sizeof(name), format, n);
	return strtab_add(builder_strings(b), name, strlen(name));
}

/* Mappings 0 and 1 are equal, except for their start. */
static void add_maps(struct builder *b)
{
	for (uint32_t i = 0; i < MAPS; i++) {
		uint64_t start = (1 + below(8)) << 20;
		struct mapping m = { .id = i + 1,
				     .start = start,
				     .limit = start + 0x10000,
				     .file = text(b, "lib%" PRIu32, i ? i - 1 : 0) };

		builder_mapping(b, &m, &(uint32_t){ 0 }, &err);
	}
}

static void add_locations(struct builder *b)
{
	const struct profile *p = builder_profile(b);

	for (uint32_t i = 0; i < FUNCS; i++)
		builder_function(b,
				 &(struct builder_function){ .id = i + 1,
							     .name = text(b, "f%" PRIu32, below(FUNCS)),
							     .file = text(b, "%" PRIu32 ".c", below(3)) },
				 &(uint32_t){ 0 }, &err);
	for (uint32_t i = 0; i < LOCS; i++) {
		struct builder_line line[2] = { { below(FUNCS), below(3), 0 }, { below(FUNCS), below(3), 0 } };
		struct builder_location l = { .id = i + 1, .map = below(MAPS + 1) };

		l.map = l.map == MAPS ? PROFILE_NONE : l.map;
		l.addr = (l.map == PROFILE_NONE ? 0 : p->map[l.map].start) + below(20);
		builder_location(b, &l, line, below(3), &(uint32_t){ 0 }, &err);
	}
}

/* labels: do some samples have labels? largest: of the values */
static void add_rows(struct builder *b, uint32_t n_rows, bool labels, bool repeats, int64_t largest)
{
	for (uint32_t i = 0; i < n_rows; i++) {
		uint32_t loc[DEPTH], label[2], n = below(DEPTH), n_labels = labels ? below(3) : 0, stack, set = 0;
		struct builder_rows rows;

		for (uint32_t k = 0; k < n; k++)
			loc[k] = below(below(2) ? 3 : LOCS - 10);
		if (repeats)
			builder_stack_append(b, loc, n, &stack, &err);
		else
			builder_stack(b, loc, n, builder_stack_hash(loc, n), &stack, &err);
		for (uint32_t k = 0; k < n_labels; k++)
			builder_label(b,
				      &(struct builder_label){ .key = text(b, "key%" PRIu32, below(2)),
							       .text = text(b, "text%" PRIu32, below(2)),
							       .is_text = true },
				      &label[k], &err);
		builder_label_set(b, label, n_labels, &set, &err);
		builder_rows(b, 1, &rows, &err);
		rows.stack[0] = stack;
		rows.labels[0] = set;
		for (uint32_t t = 0; t < builder_n_types(b); t++)
			builder_values(b, t)[rows.first] = below(2) ? (int64_t)below(3) - 1 : largest;
	}
}

static struct profile *make(uint64_t seed, uint32_t n_rows, uint32_t number, int64_t largest)
{
	static const char *const unit[N] = { "microseconds", "milliseconds", "microseconds" };
	struct builder *b = builder_new();
	struct profile *p;

	random_state = seed * 10 + number;
	builder_type(b, text(b, "samples", 0), text(b, "count", 0));
	builder_type(b, text(b, "cpu", 0), text(b, seed % 2 ? unit[number] : unit[0], 0));
	builder_meta(b)->time_ns = 5 + below(100);
	add_maps(b);
	add_locations(b);
	add_rows(b, n_rows, seed % 3 == 0, below(2), largest);
	p = builder_seal(b);
	builder_free(b);
	return p;
}

static struct profile *merge_in_turn(struct profile *const *src, uint32_t n)
{
	struct merger *m = merger_new(false);
	struct profile *p = NULL;

	if (merger_add(m, (const struct profile *const *)src, NULL, n, &err) == 0)
		p = merger_finish(m);
	merger_free(m);
	return p;
}

static void expect_equal(const struct profile *a, const struct profile *b, uint64_t seed)
{
	struct buf x = { 0 }, y = { 0 };

	if (profile_check(b, &err) < 0)
		fail_msg("seed %" PRIu64 ": %s", seed, err.msg);
	profile_encode(a, &x, NULL);
	profile_encode(b, &y, NULL);
	if (x.len != y.len || memcmp(x.data, y.data, x.len) != 0)
		fail_msg("seed %" PRIu64 ": %" PRIu32 " rows, %" PRIu32, seed, a->n_rows, b->n_rows);
	buf_release(&x);
	buf_release(&y);
}

static void compare(uint64_t seed, uint32_t n_rows, unsigned threads, bool uses_up)
{
	struct profile *src[N], *in_turn, *at_once = NULL;
	const struct merge_options options = { .used_up = uses_up ? src : NULL };

	pool_set_size(threads);
	for (uint32_t i = 0; i < N; i++)
		src[i] = make(seed, n_rows, i, 1);
	in_turn = merge_in_turn(src, N);
	assert_int_equal(profile_merge((const struct profile *const *)src, N, &options, &at_once, &err), 0);
	expect_equal(in_turn, at_once, seed);
	for (uint32_t i = 0; i < N; i++)
		profile_free(src[i]);
	profile_free(in_turn);
	profile_free(at_once);
	pool_set_size(0);
}

static void small_profiles(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++)
		compare(seed, 1 + (uint32_t)seed % 40, 1 + seed % 2, seed % 5 == 0);
}

static void large_profiles(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 6; seed++)
		compare(seed, 30000, 1 + seed % 4, seed % 2);
}

/* More than a huge page of stacks is given back while they are copied. */
static void used_up_profiles_of_several_huge_pages(void **state)
{
	(void)state;
	compare(8, 1000000, 2, true);
}

static void overflows_are_reported_with_the_same_words(void **state)
{
	struct profile *src[2], *out = NULL;
	char expected[sizeof(err.msg)];

	(void)state;
	for (uint32_t i = 0; i < 2; i++)
		src[i] = make(2, 50, i, INT64_MAX - 5);
	assert_null(merge_in_turn(src, 2));
	memcpy(expected, err.msg, sizeof(expected));
	assert_int_equal(profile_merge((const struct profile *const *)src, 2, NULL, &out, &err), ERR_RANGE);
	assert_string_equal(err.msg, expected);
	profile_free(src[0]);
	profile_free(src[1]);
}

static void a_stop_ends_the_merge(void **state)
{
	struct stop stop = { 0 };
	const struct merge_options options = { .stop = &stop };
	struct profile *src[N], *out = NULL;

	(void)state;
	for (uint32_t i = 0; i < N; i++)
		src[i] = make(4, 100, i, 1);
	stop_set(&stop);
	assert_int_equal(profile_merge((const struct profile *const *)src, N, &options, &out, &err), ERR_STOPPED);
	assert_null(out);
	for (uint32_t i = 0; i < N; i++)
		profile_free(src[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small_profiles),
		cmocka_unit_test(large_profiles),
		cmocka_unit_test(used_up_profiles_of_several_huge_pages),
		cmocka_unit_test(overflows_are_reported_with_the_same_words),
		cmocka_unit_test(a_stop_ends_the_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

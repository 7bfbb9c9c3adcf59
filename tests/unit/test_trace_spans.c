/*
 * test_trace_spans.c - samples and waits of a thread become spans, and spans become nested slices
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "libcpaprof/collector/trace/trace_spans.h"

#define US 1000ULL
#define MS 1000000ULL

static const struct spans_window window = { .begin = 100 * MS, .end = 1100 * MS, .join_ns = 5 * MS };

/* Format spans as "BEGIN-END[w]SOURCE", in us from the start of the window. */
static const char *spans_of(const struct span_sample *sample, size_t n, const struct span_wait *wait, size_t n_waits)
{
	static char text[4096];
	struct vec out = { 0 };
	size_t len = 0;

	*text = '\0';
	assert_int_equal(spans_make(&window, sample, n, wait, n_waits, &out), 0);
	for (size_t i = 0; i < out.n; i++) {
		const struct trace_span *s = (const struct trace_span *)out.data + i;

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%llu-%llu %s%u", i ? ", " : "",
					(unsigned long long)((s->begin - window.begin) / US),
					(unsigned long long)((s->end - window.begin) / US), s->is_wait ? "w" : "",
					s->source);
	}
	vec_release(&out, sizeof(struct trace_span));
	return text;
}

#define AT(ms) (window.begin + (ms)*MS)
#define SAMPLES(...)                                                                                                   \
	(const struct span_sample[]){ __VA_ARGS__ },                                                                   \
		sizeof((const struct span_sample[]){ __VA_ARGS__ }) / sizeof(struct span_sample)
#define WAITS(...)                                                                                                     \
	(const struct span_wait[]){ __VA_ARGS__ },                                                                     \
		sizeof((const struct span_wait[]){ __VA_ARGS__ }) / sizeof(struct span_wait)

static void no_samples_make_no_spans(void **state)
{
	(void)state;
	assert_string_equal(spans_of(NULL, 0, NULL, 0), "");
}

static void a_sample_covers_the_time_before_it(void **state)
{
	(void)state;
	assert_string_equal(spans_of(SAMPLES({ AT(50), 10 * MS, 7 }), NULL, 0), "40000-50000 7");
	assert_string_equal(spans_of(SAMPLES({ AT(50), 10 * MS, 7 }, { AT(90), 10 * MS, 8 }), NULL, 0),
			    "40000-50000 7, 80000-90000 8");
}

static void a_sample_reaches_back_to_the_previous_sample_or_the_window_start(void **state)
{
	(void)state;
	assert_string_equal(spans_of(SAMPLES({ AT(5), 30 * MS, 1 }, { AT(10), 30 * MS, 2 }), NULL, 0),
			    "0-5000 1, 5000-10000 2");
}

static void a_small_gap_between_samples_is_closed(void **state)
{
	(void)state;
	assert_string_equal(
		spans_of(SAMPLES({ AT(20), 10 * MS, 1 }, { AT(34), 10 * MS, 2 }, { AT(49), 10 * MS, 3 }), NULL, 0),
		"10000-20000 1, 20000-34000 2, 39000-49000 3");
}

static void a_certain_wait_is_excluded_from_samples(void **state)
{
	(void)state;
	assert_string_equal(spans_of(SAMPLES({ AT(50), 10 * MS, 1 }), WAITS({ AT(30), AT(46), 9, true })),
			    "24000-30000 1, 30000-46000 w9, 46000-50000 1");
	assert_string_equal(spans_of(SAMPLES({ AT(40), 10 * MS, 1 }), WAITS({ AT(30), AT(46), 9, true })),
			    "20000-30000 1, 30000-46000 w9");
	assert_string_equal(
		spans_of(SAMPLES({ AT(28), 1 * MS, 3 }, { AT(50), 10 * MS, 1 }), WAITS({ AT(30), AT(46), 9, true })),
		"27000-28000 3, 28000-30000 1, 30000-46000 w9, 46000-50000 1");
}

static void an_uncertain_wait_yields_to_samples(void **state)
{
	(void)state;
	assert_string_equal(spans_of(SAMPLES({ AT(50), 10 * MS, 1 }), WAITS({ AT(30), AT(60), 9, false })),
			    "30000-40000 w9, 40000-50000 1, 50000-60000 w9");
	assert_string_equal(spans_of(SAMPLES({ AT(50), 10 * MS, 1 }), WAITS({ AT(42), AT(48), 9, false })),
			    "40000-50000 1");
	assert_string_equal(spans_of(SAMPLES({ AT(50), 10 * MS, 1 }),
				     WAITS({ AT(30), AT(42), 9, false }, { AT(45), AT(55), 8, false })),
			    "30000-40000 w9, 40000-50000 1, 50000-55000 w8");
}

static void the_first_of_two_overlapping_waits_counts(void **state)
{
	(void)state;
	assert_string_equal(
		spans_of(NULL, 0,
			 WAITS({ AT(10), AT(30), 1, true }, { AT(20), AT(40), 2, true }, { AT(22), AT(35), 3, true })),
		"10000-30000 w1, 30000-40000 w2");
}

static void a_wait_observed_once_is_short(void **state)
{
	(void)state;
	assert_string_equal(spans_of(NULL, 0, WAITS({ AT(10), AT(10), 1, true }, { AT(1000), AT(1000), 2, true })),
			    "10000-10001 w1");
}

static void invalid_times_are_ignored(void **state)
{
	(void)state;
	assert_string_equal(
		spans_of(SAMPLES({ 0, 10 * MS, 1 }, { AT(20), UINT64_MAX, 2 }, { AT(20), 10 * MS, 3 },
				 { AT(15), 10 * MS, 4 }, { AT(1001), 10 * MS, 5 }, { UINT64_MAX, 10 * MS, 6 }),
			 NULL, 0),
		"0-20000 2");
	assert_string_equal(spans_of(NULL, 0, WAITS({ 0, UINT64_MAX, 1, true })), "0-1000000 w1");
	assert_string_equal(spans_of(NULL, 0, WAITS({ AT(30), AT(10), 1, true }, { UINT64_MAX, UINT64_MAX, 2, false })),
			    "");
}

/* Format slices as "DEPTH:ID BEGIN-END #TAG". */
static const char *slices_of(struct slices *s)
{
	static char text[4096];
	size_t len = 0;

	*text = '\0';
	slices_end(s);
	for (size_t i = 0; i < s->slice.n; i++) {
		const struct trace_slice *x = (const struct trace_slice *)s->slice.data + i;

		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s%u:%u %llu-%llu #%u", i ? ", " : "",
					x->depth, x->id, (unsigned long long)x->begin, (unsigned long long)x->end,
					x->tag);
	}
	slices_release(s);
	return text;
}

static void add(struct slices *s, uint64_t begin, uint64_t end, const char *ids, uint32_t tag)
{
	struct slice_frame frame[16];
	size_t n = strlen(ids);

	for (size_t i = 0; i < n; i++)
		frame[i] = (struct slice_frame){ (uint32_t)(ids[i] - '0'), (uint32_t)i };
	slices_add(s, begin, end, frame, n, tag);
}

static void common_callers_of_adjacent_spans_are_one_slice(void **state)
{
	struct slices s = { .max = 100 };

	(void)state;
	add(&s, 10, 20, "123", 1);
	add(&s, 20, 30, "124", 1);
	add(&s, 30, 35, "12", 1);
	add(&s, 35, 40, "1233", 1);
	assert_string_equal(slices_of(&s),
			    "0:1 10-40 #0, 1:2 10-40 #1, 2:3 10-20 #1, 2:4 20-30 #1, 2:3 35-40 #0, 3:3 35-40 #1");
}

static void slices_end_at_a_gap(void **state)
{
	struct slices s = { .max = 100 };

	(void)state;
	add(&s, 10, 20, "12", 1);
	add(&s, 21, 30, "12", 1);
	assert_string_equal(slices_of(&s), "0:1 10-20 #0, 1:2 10-20 #1, 0:1 21-30 #0, 1:2 21-30 #1");
}

static void different_labels_start_a_new_slice(void **state)
{
	struct slices s = { .max = 100 };

	(void)state;
	add(&s, 10, 20, "12", 5);
	add(&s, 20, 30, "12", 6);
	add(&s, 30, 40, "123", 7);
	add(&s, 40, 50, "12", 6);
	add(&s, 50, 60, "12", 5);
	assert_string_equal(slices_of(&s), "0:1 10-60 #0, 1:2 10-20 #5, 1:2 20-50 #6, 2:3 30-40 #7, 1:2 50-60 #5");
}

static void empty_spans_and_spans_back_in_time_are_ignored(void **state)
{
	struct slices s = { .max = 100 };

	(void)state;
	add(&s, 10, 20, "1", 1);
	add(&s, 15, 30, "2", 1);
	add(&s, 20, 20, "3", 1);
	add(&s, 20, 25, "", 1);
	add(&s, 25, 30, "1", 1);
	assert_string_equal(slices_of(&s), "0:1 10-20 #1, 0:1 25-30 #1");
}

static void slices_beyond_the_limit_are_counted(void **state)
{
	struct slices s = { .max = 3 };

	(void)state;
	add(&s, 10, 20, "12", 1);
	add(&s, 20, 30, "134", 1);
	add(&s, 30, 40, "134", 1);
	add(&s, 50, 60, "1", 1);
	assert_int_equal(s.n_dropped, 3);
	assert_string_equal(slices_of(&s), "0:1 10-40 #0, 1:2 10-20 #1, 1:3 20-40 #0");
}

static uint32_t draw(uint32_t most)
{
	static uint64_t x = 1;

	x = x * 6364136223846793005ULL + 1442695040888963407ULL;
	return (uint32_t)(x >> 33) % most;
}

static int by_time(const void *a, const void *b)
{
	const struct span_sample *x = a, *y = b;

	return x->ns < y->ns ? -1 : x->ns > y->ns;
}

static int by_begin(const void *a, const void *b)
{
	const struct span_wait *x = a, *y = b;

	return x->begin < y->begin ? -1 : x->begin > y->begin;
}

/* Check that no two slices overlap partly. */
static void assert_nest(const struct slices *s)
{
	const struct trace_slice *x = s->slice.data;
	uint64_t open[16] = { 0 };

	for (size_t i = 0; i < s->slice.n; i++) {
		assert_true(x[i].begin < x[i].end && (i == 0 || x[i].begin >= x[i - 1].begin));
		open[x[i].depth] = x[i].end;
		assert_true(x[i].depth == 0 || x[i].end <= open[x[i].depth - 1]);
	}
}

static void random_spans_make_nested_slices(void **state)
{
	enum { ROUNDS = 2000, N = 20 };

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct span_sample sample[N];
		struct span_wait wait[N];
		struct vec out = { 0 };
		struct slices s = { .max = 10 + draw(100) };
		uint64_t last = 0;

		for (int i = 0; i < N; i++) {
			sample[i] = (struct span_sample){ AT(draw(1200)) - 50 * MS, draw(50) * MS, draw(4) };
			wait[i].begin = AT(draw(1200)) - 50 * MS;
			wait[i].end = wait[i].begin + draw(80) * MS;
			wait[i].source = draw(4);
			wait[i].is_certain = draw(2);
		}
		qsort(sample, N, sizeof(*sample), by_time);
		qsort(wait, N, sizeof(*wait), by_begin);
		assert_int_equal(spans_make(&window, sample, draw(N + 1), wait, draw(N + 1), &out), 0);
		for (size_t i = 0; i < out.n; i++) {
			const struct trace_span *x = (const struct trace_span *)out.data + i;
			static const char *const stack[] = { "1", "12", "1234", "13" };

			assert_true(x->begin >= last && x->begin < x->end && x->end <= window.end);
			last = x->end;
			add(&s, x->begin, x->end, stack[x->source], 1 + x->is_wait);
		}
		slices_end(&s);
		assert_nest(&s);
		slices_release(&s);
		vec_release(&out, sizeof(struct trace_span));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(no_samples_make_no_spans),
		cmocka_unit_test(a_sample_covers_the_time_before_it),
		cmocka_unit_test(a_sample_reaches_back_to_the_previous_sample_or_the_window_start),
		cmocka_unit_test(a_small_gap_between_samples_is_closed),
		cmocka_unit_test(a_certain_wait_is_excluded_from_samples),
		cmocka_unit_test(an_uncertain_wait_yields_to_samples),
		cmocka_unit_test(the_first_of_two_overlapping_waits_counts),
		cmocka_unit_test(a_wait_observed_once_is_short),
		cmocka_unit_test(invalid_times_are_ignored),
		cmocka_unit_test(common_callers_of_adjacent_spans_are_one_slice),
		cmocka_unit_test(slices_end_at_a_gap),
		cmocka_unit_test(different_labels_start_a_new_slice),
		cmocka_unit_test(empty_spans_and_spans_back_in_time_are_ignored),
		cmocka_unit_test(slices_beyond_the_limit_are_counted),
		cmocka_unit_test(random_spans_make_nested_slices),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

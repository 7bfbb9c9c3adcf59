/*
 * test_edit.c - changes to a profile before it is shared
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/edit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/unit/check_profile.h"
#include "tests/unit/make_profile.h"

static struct err err;

static uint32_t label(struct make *m, const char *key, const char *text, int64_t num)
{
	struct builder_label l = { .key = make_text(m, key, strlen(key)),
				   .text = make_text(m, text, strlen(text)),
				   .num = num,
				   .is_text = *text != 0 };
	uint32_t id = 0;

	assert_int_equal(builder_label(m->b, &l, &id, &err), 0);
	return id;
}

/* The labels of a row as "key=text" or "key=number", separated by blanks. */
static const char *labels(const struct profile *p, uint32_t row, char out[200])
{
	uint32_t set = p->labels[row];
	size_t n = 0;

	out[0] = 0;
	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t l = p->label_sets.item[i];

		n += (size_t)snprintf(out + n, 200 - n, "%s%s=", n ? " " : "", profile_text(p, p->label_key[l]));
		if (p->label_is_text[l])
			n += (size_t)snprintf(out + n, 200 - n, "%s", profile_text(p, p->label_text[l]));
		else
			n += (size_t)snprintf(out + n, 200 - n, "%d", (int)p->label_num[l]);
	}
	return out;
}

static void setting_a_label_replaces_the_text_labels_of_its_key_on_every_row(void **state)
{
	struct make m = make_start("cpu/ns");
	const int64_t value = 1;
	struct profile *p;
	char text[200];

	(void)state;
	ROW(&m, "a", 1);
	make_row(&m, "b", &value, (const uint32_t[]){ label(&m, "k", "old", 0), label(&m, "x", "y", 0) }, 2);
	make_row(&m, "c", &value, (const uint32_t[]){ label(&m, "k", "", 7) }, 1);
	p = make_end(&m);
	assert_int_equal(profile_set_label(p, "k", "new", &err), 0);
	assert_int_equal(profile_check(p, &err), 0);
	assert_string_equal(labels(p, 0, text), "k=new");
	assert_string_equal(labels(p, 1, text), "x=y k=new");
	assert_string_equal(labels(p, 2, text), "k=7 k=new");
	profile_free(p);
}

static struct profile *with_values(int64_t a, int64_t b)
{
	struct make m = make_start("n/count cpu/ns");

	ROW(&m, "a", a, b);
	return make_end(&m);
}

static void each_type_is_scaled_by_its_ratio_and_rounded(void **state)
{
	struct profile *p = with_values(3, -3);

	(void)state;
	assert_int_equal(profile_scale(p, (const double[]){ 1, 0.5 }, &err), 0);
	assert_int_equal(p->value[0][0], 3);
	assert_int_equal(p->value[1][0], -2);
	profile_free(p);
}

static void the_error_names_a_value_too_large_to_scale(void **state)
{
	struct profile *p = with_values(1, INT64_MAX / 2);

	(void)state;
	assert_int_equal(profile_scale(p, (const double[]){ 1, 3 }, &err), ERR_RANGE);
	assert_non_null(strstr(err.msg, "sample 1: cpu times 3 overflows 64 bits"));
	profile_free(p);
}

static void negation_is_exact(void **state)
{
	struct profile *p = with_values(INT64_MAX, -5);

	(void)state;
	assert_int_equal(profile_negate(p, &err), 0);
	assert_true(p->value[0][0] == -INT64_MAX);
	assert_int_equal(p->value[1][0], 5);
	profile_free(p);
}

static void the_smallest_number_cannot_be_negated(void **state)
{
	struct profile *p = with_values(0, INT64_MIN);

	(void)state;
	assert_int_equal(profile_negate(p, &err), ERR_RANGE);
	assert_non_null(strstr(err.msg, "sample 1: cpu times -1 overflows 64 bits"));
	profile_free(p);
}

static uint32_t label_time(struct make *m, int64_t ns)
{
	return label(m, PROFILE_TIME_LABEL, "", ns);
}

static struct profile *make_timed(void)
{
	struct make m = make_start("n/count");
	const int64_t value[] = { 1, 2, 4, 8 };

	make_row(&m, "a", &value[0], (const uint32_t[]){ label_time(&m, 0), label(&m, "k", "x", 0) }, 2);
	make_row(&m, "b", &value[1], (const uint32_t[]){ label_time(&m, 10) }, 1);
	make_row(&m, "c", &value[2], (const uint32_t[]){ label_time(&m, 20), label(&m, PROFILE_TIME_LABEL, "noon", 0) },
		 2);
	make_row(&m, "d", &value[3], NULL, 0);
	builder_meta(m.b)->time_ns = 1000;
	builder_meta(m.b)->duration_ns = 25;
	return make_end(&m);
}

static void samples_between_two_times_are_kept_without_the_label(void **state)
{
	struct profile *p = make_timed();
	uint32_t n_timeless;
	char text[200];

	(void)state;
	assert_int_equal(profile_select_times(p, 10, 30, false, &n_timeless, &err), 0);
	assert_int_equal(profile_check(p, &err), 0);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->value[0][0] + p->value[0][1], 6);
	assert_int_equal(n_timeless, 1);
	assert_string_equal(labels(p, 0, text), "");
	assert_string_equal(labels(p, 1, text), "time=noon");
	assert_int_equal(p->meta.time_ns, 1010);
	assert_int_equal(p->meta.duration_ns, 15);
	profile_free(p);
}

static void the_end_of_the_selected_time_is_excluded_and_the_label_may_stay(void **state)
{
	struct profile *p = make_timed();
	uint32_t n_timeless;
	char text[200];

	(void)state;
	assert_int_equal(profile_select_times(p, 0, 20, true, &n_timeless, &err), 0);
	assert_int_equal(profile_check(p, &err), 0);
	assert_int_equal(p->n_rows, 2);
	assert_string_equal(labels(p, 0, text), "time=0 k=x");
	assert_string_equal(labels(p, 1, text), "time=10");
	assert_int_equal(p->meta.duration_ns, 20);
	profile_free(p);
}

static void without_a_start_earlier_times_are_kept_too(void **state)
{
	struct make m = make_start("n/count");
	const int64_t value = 1;
	uint32_t n_timeless;
	struct profile *p;

	(void)state;
	make_row(&m, "a", &value, (const uint32_t[]){ label_time(&m, -5) }, 1);
	make_row(&m, "b", &value, (const uint32_t[]){ label_time(&m, 5) }, 1);
	builder_meta(m.b)->duration_ns = 25;
	p = make_end(&m);
	assert_int_equal(profile_select_times(p, INT64_MIN, 10, false, &n_timeless, &err), 0);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->meta.duration_ns, 10);
	profile_free(p);
}

static void a_profile_without_times_cannot_be_selected_by_time(void **state)
{
	struct profile *p = with_values(1, 1);
	uint32_t n_timeless;

	(void)state;
	assert_int_equal(profile_select_times(p, 0, 1, false, &n_timeless, &err), ERR_USAGE);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(setting_a_label_replaces_the_text_labels_of_its_key_on_every_row),
		cmocka_unit_test(each_type_is_scaled_by_its_ratio_and_rounded),
		cmocka_unit_test(the_error_names_a_value_too_large_to_scale),
		cmocka_unit_test(negation_is_exact),
		cmocka_unit_test(the_smallest_number_cannot_be_negated),
		cmocka_unit_test(samples_between_two_times_are_kept_without_the_label),
		cmocka_unit_test(the_end_of_the_selected_time_is_excluded_and_the_label_may_stay),
		cmocka_unit_test(without_a_start_earlier_times_are_kept_too),
		cmocka_unit_test(a_profile_without_times_cannot_be_selected_by_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

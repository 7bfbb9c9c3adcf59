/*
 * test_filter_tags.c - filters by label, and labels as frames
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter.h"
#include "engine/query.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_filter.h"

#define ROW_A "f;main {route=/a tenant=t1} 1"
#define ROW_B "f;main {route=/b} 2"
#define ROW_C "g;main {size#2048:bytes} 4"
#define ROW_D "g;main {size#1:kb wait#3:ms status=404} 8"
#define RANGE(expr) "tagfocus:Interpreted '" expr "' as range, not regexp\n"

static struct profile *sample(void)
{
	struct make m = make_start("cpu/ns");

	make_labelled(&m, "f;main", "route=/a tenant=t1", 1);
	make_labelled(&m, "f;main", "route=/b", 2);
	make_labelled(&m, "g;main", "size#2048:bytes", 4);
	make_labelled(&m, "g;main", "size#1:kb wait#3:ms status=404", 8);
	return make_end(&m);
}

static void check(const char *option, const char *value, const char *rows, const char *notes)
{
	struct profile *p = sample();
	struct query q;

	query_init(&q);
	for (size_t i = 0; i < query_n_options; i++)
		if (strcmp(query_options[i].name, option) == 0)
			memcpy((char *)&q + query_options[i].at, &value, sizeof(value));
	EXPECT_FILTERED(p, &q, rows, notes);
	query_release(&q);
	profile_free(p);
}

static void matches_an_expression_with_key_and_value(void **state)
{
	(void)state;
	check("tagfocus", "^route:/a$", ROW_A, "");
	check("tagfocus", "t", ROW_A "\n" ROW_B "\n" ROW_D, "");
}

static void without_a_key_all_expressions_of_a_list_must_match(void **state)
{
	(void)state;
	check("tagfocus", "route,tenant", ROW_A, "");
}

static void with_a_key_one_expression_of_a_list_must_match(void **state)
{
	(void)state;
	check("tagfocus", "route=a,b", ROW_A "\n" ROW_B, "");
	check("tagfocus", "route=^t", "", "TagFocus expression matched no samples; its values are /a, /b\n");
}

static void the_key_ends_at_the_first_equals_sign(void **state)
{
	(void)state;
	check("tagfocus", "route=a=b", "", "TagFocus expression matched no samples; its values are /a, /b\n");
	check("tagfocus", "=/b", ROW_B, "");
}

static void a_number_with_a_unit_is_a_range(void **state)
{
	(void)state;
	check("tagfocus", "2kb", ROW_C, RANGE("2kb"));
	check("tagfocus", "2kb:", ROW_C, RANGE("2kb:"));
	check("tagfocus", ":1kb", ROW_D, RANGE(":1kb"));
	check("tagfocus", "1kb:2048b", ROW_C "\n" ROW_D, RANGE("1kb:2048b"));
	check("tagfocus", "wait=2ms:1s", ROW_D, RANGE("2ms:1s"));
}

static void reads_a_value_in_its_own_unit(void **state)
{
	(void)state;
	check("tagfocus", "size=1024b", ROW_D, RANGE("1024b")); /* bytes is the first unit of the key */
}

static void a_list_of_ranges_matches_any_range(void **state)
{
	(void)state;
	check("tagfocus", "size=1kb,2kb:3kb", ROW_C "\n" ROW_D, RANGE("1kb,2kb:3kb"));
}

static void a_list_of_numbers_also_matches_text_labels(void **state)
{
	(void)state;
	check("tagfocus", "status=403,404", ROW_D, RANGE("403,404"));
}

static void a_single_number_does_not_match_text_labels_and_gets_a_hint(void **state)
{
	(void)state;
	check("tagfocus", "status=404", "",
	      RANGE("404") "TagFocus expression matched no samples; '404' is a range of numbers; "
			   "for text labels use 'status=^404$'\n");
}

static void ranges_with_incompatible_units_are_expressions(void **state)
{
	(void)state;
	check("tagfocus", "1kb:2ms", "",
	      "TagFocus expression matched no samples; available label keys: route, tenant, size, wait, status\n");
}

static void numbers_that_overflow_64_bits_are_an_error(void **state)
{
	(void)state;
	check("tagfocus", "9223372036854775807:", "",
	      RANGE("9223372036854775807:") "TagFocus expression matched no samples; available label keys: route, "
					    "tenant, size, wait, status\n");
	check("tagignore", "size=99999999999999999999",
	      "parsing tagignore: a number in the range 99999999999999999999 overflows 64 bits", "");
}

static void tagignore_removes_matching_rows(void **state)
{
	(void)state;
	check("tagignore", "route=.", ROW_C "\n" ROW_D, "");
	check("tagignore", ".", ROW_C, "");
}

static void notes_that_no_samples_remain(void **state)
{
	struct profile *p = sample();
	struct query q;

	(void)state;
	query_init(&q);
	q.tagfocus = "tenant";
	q.tagignore = "route";
	EXPECT_FILTERED(p, &q, "", "No samples are left after tagfocus, tagignore\n");
	query_release(&q);
	profile_free(p);
}

static void tagshow_and_taghide_remove_labels_but_no_rows(void **state)
{
	(void)state;
	check("tagshow", "^s", "f;main 1\nf;main 2\n" ROW_C "\ng;main {size#1:kb status=404} 8", "");
	check("taghide", "^s|tenant", "f;main {route=/a} 1\n" ROW_B "\ng;main 4\ng;main {wait#3:ms} 8", "");
	check("taghide", "nosuch", ROW_A "\n" ROW_B "\n" ROW_C "\n" ROW_D,
	      "TagHide expression matched no samples; available label keys: route, tenant, size, wait, status\n");
}

static void labels_of_removed_rows_do_not_match(void **state)
{
	struct profile *p = sample();
	struct query q;

	(void)state;
	query_init(&q);
	q.focus = "^f$";
	q.tagshow = "size";
	EXPECT_FILTERED(
		p, &q, "f;main 1\nf;main 2",
		"TagShow expression matched no samples; available label keys: route, tenant, size, wait, status\n");
	query_release(&q);
	profile_free(p);
}

static void the_first_key_of_tagroot_is_nearest_to_the_root(void **state)
{
	(void)state;
	check("tagroot", "route,,tenant",
	      "f;main;t1@tenant;/a@route {route=/a tenant=t1} 1\nf;main;@tenant;/b@route {route=/b} 2\n"
	      "g;main;@tenant;@route {size#2048:bytes} 4\n"
	      "g;main;@tenant;@route {size#1:kb wait#3:ms status=404} 8",
	      "");
}

static void the_last_key_of_tagleaf_is_nearest_to_the_leaf(void **state)
{
	(void)state;
	check("tagleaf", "size,route",
	      "/a@route;@size;f;main {route=/a tenant=t1} 1\n/b@route;@size;f;main {route=/b} 2\n"
	      "@route;2kB@size;g;main {size#2048:bytes} 4\n"
	      "@route;1kB@size;g;main {size#1:kb wait#3:ms status=404} 8",
	      "");
}

static void frames_of_labels_get_the_next_ids(void **state)
{
	struct profile *p = sample();
	struct query q;
	struct filtered l;

	(void)state;
	query_init(&q);
	q.tagroot = "route";
	q.tagleaf = "tenant";
	l = filtered_run(p, &q);
	assert_int_equal(l.p->n_locs, p->n_locs + 5); /* frames for /a, t1, /b, no tenant, no route */
	assert_int_equal(l.p->loc_id[p->n_locs], p->loc_id[p->n_locs - 1] + 1);
	assert_string_equal(profile_text(l.p, l.p->func_name[p->n_funcs]), "/a");
	assert_string_equal(profile_text(l.p, l.p->func_name[p->n_funcs + 1]), "t1");
	assert_int_equal(l.p->loc_map[p->n_locs], PROFILE_NONE);
	assert_int_equal(l.p->stacks.n, 4 - 1); /* two rows share stack and frames */
	filtered_release(&l);
	query_release(&q);
	profile_free(p);
}

static void new_ids_fill_gaps_once_the_largest_64_bit_id_is_used(void **state)
{
	struct profile *p = sample();
	struct query q;
	struct filtered l;

	(void)state;
	p->loc_id[0] = UINT64_MAX;
	p->loc_id[1] = 2;
	query_init(&q);
	q.tagroot = "route";
	l = filtered_run(p, &q);
	assert_int_equal(l.p->loc_id[p->n_locs], 1);
	assert_int_equal(l.p->loc_id[p->n_locs + 1], 4); /* 2 and 3 are in use */
	filtered_release(&l);
	query_release(&q);
	profile_free(p);
}

static void frames_of_labels_can_be_focused_on(void **state)
{
	struct profile *p = sample();
	struct query q;

	(void)state;
	query_init(&q);
	q.tagleaf = "route";
	q.focus = "^/a$";
	EXPECT_FILTERED(p, &q, "/a@route;f;main {route=/a tenant=t1} 1", "");
	query_release(&q);
	profile_free(p);
}

static void several_values_of_a_key_make_one_frame(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q;

	(void)state;
	make_labelled(&m, "f", "k#5 k=x k=y k#2048:bytes", 1);
	make_labelled(&m, "f", "k#2048", 2);
	p = make_end(&m);
	query_init(&q);
	q.tagroot = "k";
	EXPECT_FILTERED(p, &q, "f;x,y,5,2kB@k {k#5: k=x k=y k#2048:bytes} 1\nf;2048@k {k#2048:} 2", "");
	query_release(&q);
	profile_free(p);
}

static void scales_numbers_only_if_one_has_a_unit(void **state)
{
	struct make m = make_start("cpu/ns");
	struct profile *p;
	struct query q;

	(void)state;
	make_labelled(&m, "f", "k#5 k#2048:bytes", 1);
	make_labelled(&m, "f", "k#2048", 2);
	p = make_end(&m);
	query_init(&q);
	q.tagroot = "k";
	q.unit = "kb";
	EXPECT_FILTERED(p, &q, "f;5kb,2kB@k {k#5: k#2048:bytes} 1\nf;2048@k {k#2048:} 2", "");
	query_release(&q);
	profile_free(p);
}

static void notes_a_key_that_no_row_has(void **state)
{
	struct profile *p = sample();
	struct query q;

	(void)state;
	query_init(&q);
	q.tagroot = ",";
	EXPECT_FILTERED(
		p, &q, ROW_A "\n" ROW_B "\n" ROW_C "\n" ROW_D,
		"TagRoot expression matched no samples; available label keys: route, tenant, size, wait, status\n");
	query_release(&q);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matches_an_expression_with_key_and_value),
		cmocka_unit_test(without_a_key_all_expressions_of_a_list_must_match),
		cmocka_unit_test(with_a_key_one_expression_of_a_list_must_match),
		cmocka_unit_test(the_key_ends_at_the_first_equals_sign),
		cmocka_unit_test(a_number_with_a_unit_is_a_range),
		cmocka_unit_test(reads_a_value_in_its_own_unit),
		cmocka_unit_test(a_list_of_ranges_matches_any_range),
		cmocka_unit_test(a_list_of_numbers_also_matches_text_labels),
		cmocka_unit_test(a_single_number_does_not_match_text_labels_and_gets_a_hint),
		cmocka_unit_test(ranges_with_incompatible_units_are_expressions),
		cmocka_unit_test(numbers_that_overflow_64_bits_are_an_error),
		cmocka_unit_test(tagignore_removes_matching_rows),
		cmocka_unit_test(notes_that_no_samples_remain),
		cmocka_unit_test(tagshow_and_taghide_remove_labels_but_no_rows),
		cmocka_unit_test(labels_of_removed_rows_do_not_match),
		cmocka_unit_test(the_first_key_of_tagroot_is_nearest_to_the_root),
		cmocka_unit_test(the_last_key_of_tagleaf_is_nearest_to_the_leaf),
		cmocka_unit_test(frames_of_labels_get_the_next_ids),
		cmocka_unit_test(new_ids_fill_gaps_once_the_largest_64_bit_id_is_used),
		cmocka_unit_test(frames_of_labels_can_be_focused_on),
		cmocka_unit_test(several_values_of_a_key_make_one_frame),
		cmocka_unit_test(scales_numbers_only_if_one_has_a_unit),
		cmocka_unit_test(notes_a_key_that_no_row_has),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_speedscope.c - profiles for speedscope.app
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "engine/query.h"
#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Draw a sample type. Returns the status; out may be NULL; frees p. */
static int draw_as(struct profile *p, const char *type, bool inverted, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct buf text = { 0 }, notes = { 0 };
	struct query q;
	struct view v;
	int rc;

	query_init(&q);
	q.sample_index = type;
	q.inverted = inverted;
	assert_int_equal(view_make(p, &q.filter, mem, &v, &notes, err), 0);
	rc = export_speedscope(&v, &q, &text, err);
	if (out)
		*out = text;
	else
		buf_release(&text);
	buf_release(&notes);
	query_release(&q);
	arena_free(mem);
	profile_free(p);
	return rc;
}

static int draw(struct profile *p, const char *type, struct buf *out, struct err *err)
{
	return draw_as(p, type, false, out, err);
}

/* Draw, and expect the output to contain a text. */
static void expect_part(struct make *m, const char *type, const char *want)
{
	struct buf out = { 0 };
	struct err err;

	assert_int_equal(draw(make_end(m), type, &out, &err), 0);
	if (!strstr(buf_text(&out), want))
		fail_msg("no %s in:\n%s", want, buf_text(&out));
	buf_release(&out);
}

static void writes_stacks_from_the_root_with_inlined_frames(void **state)
{
	struct make m = make_start("cpu/nanoseconds");

	(void)state;
	ROW(&m, "in+out;main", 3);
	ROW(&m, "main", 4);
	ROW(&m, "in+out;main", 5);
	expect_part(&m, "", "\"samples\": [[2,1,0],\n[2]],\n      \"weights\": [8,\n4]");
}

/* As a reader adds the first stack again, if it does not find equal stacks. */
static void adds_up_equal_stacks_with_different_ids(void **state)
{
	struct make m = make_start("cpu/nanoseconds");
	struct builder_rows rows;
	uint32_t stack;

	(void)state;
	ROW(&m, "main", 3);
	ROW(&m, "f;main", 4);
	assert_int_equal(builder_stack_append(m.b, (uint32_t[]){ 0 }, 1, &stack, NULL), 0);
	assert_int_equal(stack, 2);
	assert_int_equal(builder_rows(m.b, 1, &rows, NULL), 0);
	rows.stack[0] = stack;
	builder_values(m.b, 0)[rows.first] = 5;
	expect_part(&m, "", "\"samples\": [[0],\n[0,1]],\n      \"weights\": [8,\n4]");
}

static void an_inverted_stack_starts_at_its_leaf(void **state)
{
	struct make m = make_start("cpu/nanoseconds");
	struct buf out = { 0 };
	struct err err;

	(void)state;
	ROW(&m, "in+out;main", 3);
	assert_int_equal(draw_as(make_end(&m), "", true, &out, &err), 0);
	assert_non_null(strstr(buf_text(&out), "\"samples\": [[0,1,2]]"));
	buf_release(&out);
}

static void a_frame_has_the_file_and_line_of_its_function(void **state)
{
	struct make m = make_start("cpu/nanoseconds");

	(void)state;
	ROW(&m, "f@/src/f.c:20^12", 3);
	expect_part(&m, "", "{\"name\": \"f\", \"file\": \"/src/f.c\", \"line\": 12}");
}

static void writes_a_profile_per_sample_type_and_activates_the_selected_one(void **state)
{
	struct make m = make_start("objects/count space/bytes wait/ms");

	(void)state;
	ROW(&m, "f", 1, 2, 3);
	expect_part(&m, "space", "\"activeProfileIndex\": 1,");
}

static void translates_units(void **state)
{
	struct make m = make_start("wait/ms");

	(void)state;
	ROW(&m, "f", 1);
	expect_part(&m, "", "\"name\": \"wait\",\n      \"unit\": \"milliseconds\"");
}

static void appends_units_unknown_to_speedscope_to_the_name(void **state)
{
	struct make m = make_start("space/pages");

	(void)state;
	ROW(&m, "f", 1);
	expect_part(&m, "", "\"name\": \"space (pages)\",\n      \"unit\": \"none\"");
}

static void omits_stacks_of_weight_0(void **state)
{
	struct make m = make_start("cpu/nanoseconds");

	(void)state;
	ROW(&m, "f", 0);
	ROW(&m, "g", 7);
	ROW(&m, "h", 2);
	ROW(&m, "h", -2);
	expect_part(&m, "", "\"samples\": [[1]],\n      \"weights\": [7]");
}

static void refuses_negative_weights(void **state)
{
	struct make m = make_start("a/count b/count");
	struct err err;

	(void)state;
	ROW(&m, "f", -1, 1);
	assert_int_equal(draw(make_end(&m), "b", NULL, &err), ERR_USAGE);
	assert_non_null(strstr(err.msg, "a has negative values, which speedscope cannot show"));
}

static void refuses_overflow_of_any_sample_type(void **state)
{
	struct make m = make_start("a/count b/count");
	struct err err;

	(void)state;
	ROW(&m, "f", INT64_MAX, 1);
	ROW(&m, "g", 1, 1);
	assert_int_equal(draw(make_end(&m), "b", NULL, &err), ERR_RANGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_stacks_from_the_root_with_inlined_frames),
		cmocka_unit_test(adds_up_equal_stacks_with_different_ids),
		cmocka_unit_test(an_inverted_stack_starts_at_its_leaf),
		cmocka_unit_test(a_frame_has_the_file_and_line_of_its_function),
		cmocka_unit_test(writes_a_profile_per_sample_type_and_activates_the_selected_one),
		cmocka_unit_test(translates_units),
		cmocka_unit_test(appends_units_unknown_to_speedscope_to_the_name),
		cmocka_unit_test(omits_stacks_of_weight_0),
		cmocka_unit_test(refuses_negative_weights),
		cmocka_unit_test(refuses_overflow_of_any_sample_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

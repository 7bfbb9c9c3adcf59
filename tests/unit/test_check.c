/*
 * test_check.c - check the invariants of a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each test damages a valid profile in one place, checks that it is rejected, and restores it before freeing
 * it.
 */
#include "config.h"

#include "profile/builder.h"
#include "tests/unit/check_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

static struct err err;

/* Build two locations of one mapping in one stack, one label and one comment. */
static int set_up(void **state)
{
	struct builder *b = builder_new();
	struct strtab *str = builder_strings(b);
	struct mapping map = { .id = 1, .limit = 100, .file = strtab_addz(str, "prog") };
	struct builder_function f = { .id = 1, .name = strtab_addz(str, "main") };
	struct builder_label label = { .key = strtab_addz(str, "k"), .num = 1 };
	struct builder_line line = { .no = 3 };
	uint32_t locs[2], id, l;

	builder_type(b, strtab_addz(str, "samples"), strtab_addz(str, "count"));
	builder_comment(b, strtab_addz(str, "hello"));
	if (builder_mapping(b, &map, &id, &err) < 0 || builder_function(b, &f, &line.func, &err) < 0 ||
	    builder_label(b, &label, &l, &err) < 0)
		return -1;
	for (uint32_t i = 0; i < 2; i++) {
		struct builder_location loc = { .id = i + 1, .addr = i, .map = 0 };

		if (builder_location(b, &loc, &line, 1, &locs[i], &err) < 0)
			return -1;
	}
	if (builder_sample(b, &(int64_t){ 1 }, locs, 2, &l, 1, &err) < 0)
		return -1;
	*state = builder_seal(b);
	builder_free(b);
	return 0;
}

static int tear_down(void **state)
{
	profile_free(*state);
	return 0;
}

static void assert_invalid(const struct profile *p, const char *message)
{
	assert_int_equal(profile_check(p, &err), ERR_FORMAT);
	if (!strstr(err.msg, message))
		fail_msg("\"%s\" does not contain \"%s\"", err.msg, message);
}

static void a_built_profile_is_valid(void **state)
{
	assert_int_equal(profile_check(*state, &err), 0);
}

static void names_a_missing_column(void **state)
{
	struct profile *p = *state;
	uint32_t *kept = p->line_func;

	p->line_func = NULL;
	assert_invalid(p, "column line_func is missing");
	p->line_func = kept;
}

static void a_profile_without_types_is_invalid(void **state)
{
	struct profile *p = *state;

	p->n_types = 0;
	assert_invalid(p, "no sample types");
	p->n_types = 1;
}

static void missing_values_are_invalid(void **state)
{
	struct profile *p = *state;
	int64_t *values = p->value[0];

	p->value[0] = NULL;
	assert_invalid(p, "values of type 0");
	p->value[0] = values;
}

static void a_row_of_a_missing_stack_is_invalid(void **state)
{
	struct profile *p = *state;

	p->stack[0] = 1;
	assert_invalid(p, "stack of row 0: id 1 of 1");
}

static void a_row_of_a_missing_label_set_is_invalid(void **state)
{
	struct profile *p = *state;

	p->labels[0] = 2;
	assert_invalid(p, "label set of row 0: id 2 of 2");
}

static void a_frame_of_a_missing_location_is_invalid(void **state)
{
	struct profile *p = *state;

	stack_store(stack_address(&p->stacks, 1), p->stacks.width, 2);
	assert_invalid(p, "frame 1: id 2 of 2");
}

static void descending_offsets_are_invalid(void **state)
{
	struct profile *p = *state;

	p->loc_line[1] = 3;
	assert_invalid(p, "lines: offset 2 is 2 after 3");
}

static void offsets_that_do_not_start_at_0_are_invalid(void **state)
{
	struct profile *p = *state;

	p->stacks.off[0] = 1;
	assert_invalid(p, "stacks: offset 0 is 1");
}

static void lines_without_a_location_are_invalid(void **state)
{
	struct profile *p = *state;

	p->loc_line[2] = 1;
	assert_invalid(p, "locations have 1 lines, but the profile has 2");
}

static void a_label_in_set_0_is_invalid(void **state)
{
	struct profile *p = *state;

	p->label_sets.off[1] = 1;
	assert_invalid(p, "label set 0 is not empty");
}

static void a_line_without_function_is_invalid(void **state)
{
	struct profile *p = *state;

	p->line_func[1] = PROFILE_NONE;
	assert_invalid(p, "function of line 1: id 4294967295 of 1");
}

static void a_missing_mapping_is_invalid(void **state)
{
	struct profile *p = *state;

	p->loc_map[1] = 1;
	assert_invalid(p, "mapping of location 1: id 1 of 1");
}

static void a_location_may_have_no_mapping(void **state)
{
	struct profile *p = *state;

	p->loc_map[1] = PROFILE_NONE;
	assert_int_equal(profile_check(p, &err), 0);
}

static void missing_strings_are_invalid(void **state)
{
	struct profile *p = *state;
	str_id none = strtab_count(p->str);
	struct {
		str_id *at;
		const char *message;
	} uses[] = {
		{ &p->type[0].name, "type 0" },
		{ &p->type[0].unit, "type 0" },
		{ &p->label_key[0], "key of label 0" },
		{ &p->label_text[0], "text of label 0" },
		{ &p->label_unit[0], "unit of label 0" },
		{ &p->func_name[0], "name of function 0" },
		{ &p->func_sysname[0], "system name of function 0" },
		{ &p->func_file[0], "file of function 0" },
		{ &p->map[0].file, "mapping 0" },
		{ &p->map[0].build_id, "mapping 0" },
		{ &p->meta.comment[0], "comment 0" },
		{ &p->meta.period_type.unit, "header string 1" },
		{ &p->meta.doc_url, "header string 5" },
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++) {
		str_id kept = *uses[i].at;

		*uses[i].at = none;
		assert_invalid(p, uses[i].message);
		*uses[i].at = kept;
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_built_profile_is_valid),
		TEST(names_a_missing_column),
		TEST(a_profile_without_types_is_invalid),
		TEST(missing_values_are_invalid),
		TEST(a_row_of_a_missing_stack_is_invalid),
		TEST(a_row_of_a_missing_label_set_is_invalid),
		TEST(a_frame_of_a_missing_location_is_invalid),
		TEST(descending_offsets_are_invalid),
		TEST(offsets_that_do_not_start_at_0_are_invalid),
		TEST(lines_without_a_location_are_invalid),
		TEST(a_label_in_set_0_is_invalid),
		TEST(a_line_without_function_is_invalid),
		TEST(a_missing_mapping_is_invalid),
		TEST(a_location_may_have_no_mapping),
		TEST(missing_strings_are_invalid),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_merger.c - profiles added up little by little
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/merge.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "profile/check.h"
#include "tests/unit/make_profile.h"

static struct err err;

/* A profile of one row, taken at a time. */
static struct profile *one(const char *types, const char *stack, const int64_t *values, int64_t time_ns)
{
	struct make m = make_start(types);

	make_row(&m, stack, values, NULL, 0);
	builder_meta(m.b)->time_ns = time_ns;
	return make_end(&m);
}

#define ONE(types, stack, time, ...) one(types, stack, (const int64_t[]){ __VA_ARGS__ }, time)

/* Add a profile, which is freed. */
static int add(struct merger *m, struct profile *p)
{
	int rc = merger_add(m, (const struct profile *const *)&p, NULL, 1, &err);

	profile_free(p);
	return rc;
}

static void must_add(struct merger *m, struct profile *p)
{
	if (add(m, p) < 0)
		fail_msg("%s", err.msg);
}

static struct profile *finish(struct merger *m)
{
	struct profile *p = merger_finish(m);

	merger_free(m);
	if (profile_check(p, &err) < 0)
		fail_msg("%s", err.msg);
	return p;
}

static void must_refuse(struct merger *m, struct profile *p, int code, const char *why)
{
	assert_int_equal(add(m, p), code);
	if (!strstr(err.msg, why))
		fail_msg("\"%s\" does not say \"%s\"", err.msg, why);
	merger_free(m);
}

static const char *function(const struct profile *p, uint32_t row)
{
	uint32_t loc = p->stacks.item[p->stacks.off[p->stack[row]]];

	return profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]);
}

static void what_is_added_later_finds_the_rows_of_before(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("cpu/ns", "a;main", 0, 1));
	must_add(m, ONE("cpu/ns", "b;main", 0, 2));
	must_add(m, ONE("cpu/ns", "a;main", 0, 4));
	p = finish(m);
	assert_int_equal(p->n_rows, 2);
	assert_int_equal(p->n_funcs, 3);
	assert_string_equal(function(p, 0), "a");
	assert_int_equal(p->value[SIDE_TARGET][0][0], 5);
	assert_int_equal(p->value[SIDE_TARGET][0][1], 2);
	profile_free(p);
}

static void a_finer_unit_that_comes_later_scales_what_was_there(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("samples/count cpu/ms", "a", 0, 1, 3));
	must_add(m, ONE("samples/count cpu/us", "a", 0, 1, 500));
	must_add(m, ONE("samples/count cpu/ms", "a", 0, 1, 2));
	p = finish(m);
	assert_string_equal(profile_text(p, p->type[1].unit), "us");
	assert_int_equal(p->value[SIDE_TARGET][0][0], 3);
	assert_int_equal(p->value[SIDE_TARGET][1][0], 5500);
	profile_free(p);
}

static void a_type_that_a_later_one_lacks_goes_with_the_rows_that_only_had_it(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("samples/count wall/ns", "only", 0, 0, 3));
	must_add(m, ONE("samples/count wall/ns", "a", 0, 1, 3));
	must_add(m, ONE("samples/count", "a", 0, 1));
	p = finish(m);
	assert_int_equal(p->n_types, 1);
	assert_int_equal(p->n_rows, 1);
	assert_int_equal(p->n_funcs, 1);
	assert_int_equal(p->value[SIDE_TARGET][0][0], 2);
	profile_free(p);
}

static void a_missing_time_makes_only_those_of_its_group_forgotten(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 50, 1));
	assert_int_equal(merger_pause(m, &err), 0);
	must_add(m, ONE("cpu/ns", "a", 20, 1));
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	must_add(m, ONE("cpu/ns", "a", 70, 1));
	p = finish(m);
	assert_int_equal(p->meta.time_ns, 50);
	profile_free(p);
}

static void a_row_that_became_zero_goes_at_the_end_of_its_group(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	must_add(m, ONE("cpu/ns", "b", 0, 1));
	must_add(m, ONE("cpu/ns", "a", 0, -1));
	assert_int_equal(merger_pause(m, &err), 0);
	must_add(m, ONE("cpu/ns", "a", 0, 7));
	p = finish(m);
	assert_int_equal(p->n_rows, 2);
	assert_string_equal(function(p, 0), "b");
	assert_string_equal(function(p, 1), "a");
	assert_int_equal(p->value[SIDE_TARGET][0][1], 7);
	profile_free(p);
}

static void messages_count_profiles_over_all_calls(void **state)
{
	struct merger *m = merger_new(false);

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	must_add(m, ONE("cpu/ns", "a", 0, INT64_MAX - 1));
	must_refuse(m, ONE("cpu/ns", "a", 0, 1), ERR_RANGE, "profile 3, sample 1: its cpu");
}

static void kinds_that_do_not_fit_are_refused_with_a_way_out(void **state)
{
	struct merger *m = merger_new(false);

	(void)state;
	must_add(m, ONE("inuse_objects/count inuse_space/bytes", "a", 0, 1, 1));
	must_refuse(m, ONE("objects/count space/bytes", "a", 0, 1, 1), ERR_FORMAT, "; --intersect-types adds");
}

static void no_way_out_is_named_where_there_is_none(void **state)
{
	struct merger *m = merger_new(false);

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	assert_int_equal(add(m, ONE("wall/ns", "a", 0, 1)), ERR_FORMAT);
	assert_null(strstr(err.msg, "--intersect-types"));
	merger_free(m);
}

static void heaps_of_go_and_of_others_meet_in_what_is_in_use(void **state)
{
	struct merger *m = merger_new(true);
	struct make go = make_start("alloc_objects/count alloc_space/bytes inuse_objects/count inuse_space/bytes");
	struct profile *p;

	(void)state;
	builder_meta(go.b)->default_type = make_text(&go, "inuse_space", 11);
	ROW(&go, "a", 9, 900, 4, 400);
	must_add(m, make_end(&go));
	must_add(m, ONE("objects/count space/bytes", "a", 0, 1, 50));
	p = finish(m);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[0].name), "inuse_objects");
	assert_string_equal(profile_text(p, p->type[1].name), "inuse_space");
	assert_string_equal(profile_text(p, p->meta.default_type), "inuse_space");
	assert_int_equal(p->value[SIDE_TARGET][0][0], 5);
	assert_int_equal(p->value[SIDE_TARGET][1][0], 450);
	profile_free(p);
}

static void the_default_type_is_named_as_in_the_first_profile(void **state)
{
	struct merger *m = merger_new(true);
	struct make go = make_start("inuse_objects/count inuse_space/bytes");
	struct profile *p;

	(void)state;
	must_add(m, ONE("objects/count space/bytes", "a", 0, 1, 50));
	builder_meta(go.b)->default_type = make_text(&go, "inuse_space", 11);
	ROW(&go, "a", 4, 400);
	must_add(m, make_end(&go));
	p = finish(m);
	assert_string_equal(profile_text(p, p->meta.default_type), "space");
	profile_free(p);
}

static void without_a_default_type_the_last_one_that_is_left_stays_it(void **state)
{
	struct merger *m = merger_new(true);
	struct profile *p;

	(void)state;
	must_add(m, ONE("alloc_space/bytes inuse_objects/count inuse_space/bytes", "a", 0, 1, 1, 1));
	must_add(m, ONE("objects/count space/bytes", "a", 0, 1, 1));
	p = finish(m);
	assert_int_equal(p->meta.default_type, 0);
	profile_free(p);
}

static void a_profile_that_has_both_names_keeps_them_apart(void **state)
{
	struct merger *m = merger_new(true);
	struct profile *p;

	(void)state;
	must_add(m, ONE("space/bytes inuse_space/bytes", "a", 0, 1, 20));
	must_add(m, ONE("space/bytes", "a", 0, 5));
	p = finish(m);
	assert_int_equal(p->n_types, 1);
	assert_int_equal(p->value[SIDE_TARGET][0][0], 6);
	profile_free(p);
}

static void types_whose_units_do_not_fit_are_left_out_when_asked(void **state)
{
	struct merger *m = merger_new(true);
	struct profile *p;

	(void)state;
	must_add(m, ONE("a/count b/bytes c/count", "f", 0, 1, 2, 3));
	must_add(m, ONE("a/count b/seconds c/count", "f", 0, 10, 20, 30));
	p = finish(m);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[1].name), "c");
	assert_int_equal(p->value[SIDE_TARGET][0][0], 11);
	assert_int_equal(p->value[SIDE_TARGET][1][0], 33);
	profile_free(p);
}

static void period_types_that_differ_leave_none_when_asked(void **state)
{
	struct merger *m = merger_new(true);
	struct make other = make_start("a/count");
	struct profile *p;

	(void)state;
	must_add(m, ONE("a/count", "f", 0, 1));
	builder_meta(other.b)->period = 10;
	builder_meta(other.b)->has_period_type = true;
	builder_meta(other.b)->period_type.name = make_text(&other, "cpu", 3);
	ROW(&other, "f", 1);
	must_add(m, make_end(&other));
	p = finish(m);
	assert_int_equal(p->meta.period, 0);
	assert_false(p->meta.has_period_type);
	assert_int_equal(p->meta.period_type.name, 0);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_added_later_finds_the_rows_of_before),
		cmocka_unit_test(a_finer_unit_that_comes_later_scales_what_was_there),
		cmocka_unit_test(a_type_that_a_later_one_lacks_goes_with_the_rows_that_only_had_it),
		cmocka_unit_test(a_missing_time_makes_only_those_of_its_group_forgotten),
		cmocka_unit_test(a_row_that_became_zero_goes_at_the_end_of_its_group),
		cmocka_unit_test(messages_count_profiles_over_all_calls),
		cmocka_unit_test(kinds_that_do_not_fit_are_refused_with_a_way_out),
		cmocka_unit_test(no_way_out_is_named_where_there_is_none),
		cmocka_unit_test(heaps_of_go_and_of_others_meet_in_what_is_in_use),
		cmocka_unit_test(the_default_type_is_named_as_in_the_first_profile),
		cmocka_unit_test(without_a_default_type_the_last_one_that_is_left_stays_it),
		cmocka_unit_test(a_profile_that_has_both_names_keeps_them_apart),
		cmocka_unit_test(types_whose_units_do_not_fit_are_left_out_when_asked),
		cmocka_unit_test(period_types_that_differ_leave_none_when_asked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

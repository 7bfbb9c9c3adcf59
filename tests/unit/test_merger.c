/*
 * test_merger.c - merge profiles incrementally
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

#include "tests/unit/check_profile.h"
#include "tests/unit/make_profile.h"

static struct err err;

/* A profile of one row, recorded at a given time. */
static struct profile *one(const char *types, const char *stack, const int64_t *values, int64_t time_ns)
{
	struct make m = make_start(types);

	make_row(&m, stack, values, NULL, 0);
	builder_meta(m.b)->time_ns = time_ns;
	return make_end(&m);
}

#define ONE(types, stack, time, ...) one(types, stack, (const int64_t[]){ __VA_ARGS__ }, time)

/* Add a profile and free it. */
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

static void must_refuse(struct merger *m, struct profile *p, int code, const char *message)
{
	assert_int_equal(add(m, p), code);
	if (!strstr(err.msg, message))
		fail_msg("\"%s\" does not contain \"%s\"", err.msg, message);
	merger_free(m);
}

static const char *function(const struct profile *p, uint32_t row)
{
	uint32_t loc = stack_id_at(&p->stacks, p->stacks.off[p->stack[row]]);

	return profile_text(p, p->func_name[p->line_func[p->loc_line[loc]]]);
}

static void later_profiles_add_to_existing_rows(void **state)
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
	assert_int_equal(p->value[0][0], 5);
	assert_int_equal(p->value[0][1], 2);
	profile_free(p);
}

static void a_finer_unit_rescales_the_earlier_sum(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("samples/count cpu/ms", "a", 0, 1, 3));
	must_add(m, ONE("samples/count cpu/us", "a", 0, 1, 500));
	must_add(m, ONE("samples/count cpu/ms", "a", 0, 1, 2));
	p = finish(m);
	assert_string_equal(profile_text(p, p->type[1].unit), "us");
	assert_int_equal(p->value[0][0], 3);
	assert_int_equal(p->value[1][0], 5500);
	profile_free(p);
}

static void dropping_a_type_removes_rows_that_become_empty(void **state)
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
	assert_int_equal(p->value[0][0], 2);
	profile_free(p);
}

static void a_missing_time_discards_only_the_times_of_its_group(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 50, 1));
	assert_int_equal(merger_end_group(m, &err), 0);
	must_add(m, ONE("cpu/ns", "a", 20, 1));
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	must_add(m, ONE("cpu/ns", "a", 70, 1));
	p = finish(m);
	assert_int_equal(p->meta.time_ns, 50);
	profile_free(p);
}

static void rows_that_became_zero_are_removed_after_each_group(void **state)
{
	struct merger *m = merger_new(false);
	struct profile *p;

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	must_add(m, ONE("cpu/ns", "b", 0, 1));
	must_add(m, ONE("cpu/ns", "a", 0, -1));
	assert_int_equal(merger_end_group(m, &err), 0);
	must_add(m, ONE("cpu/ns", "a", 0, 7));
	p = finish(m);
	assert_int_equal(p->n_rows, 2);
	assert_string_equal(function(p, 0), "b");
	assert_string_equal(function(p, 1), "a");
	assert_int_equal(p->value[0][1], 7);
	profile_free(p);
}

static void messages_number_profiles_over_all_calls(void **state)
{
	struct merger *m = merger_new(false);

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	must_add(m, ONE("cpu/ns", "a", 0, INT64_MAX - 1));
	must_refuse(m, ONE("cpu/ns", "a", 0, 1), ERR_RANGE, "profile 3, sample 1: the sum of cpu");
}

static void incompatible_profiles_are_refused_with_a_remedy(void **state)
{
	struct merger *m = merger_new(false);

	(void)state;
	must_add(m, ONE("inuse_objects/count inuse_space/bytes", "a", 0, 1, 1));
	must_refuse(m, ONE("objects/count space/bytes", "a", 0, 1, 1), ERR_FORMAT, "; use --intersect-types");
}

static void intersect_types_is_not_suggested_if_it_cannot_help(void **state)
{
	struct merger *m = merger_new(false);

	(void)state;
	must_add(m, ONE("cpu/ns", "a", 0, 1));
	assert_int_equal(add(m, ONE("wall/ns", "a", 0, 1)), ERR_FORMAT);
	assert_null(strstr(err.msg, "--intersect-types"));
	merger_free(m);
}

static void go_heaps_and_others_share_the_values_in_use(void **state)
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
	assert_int_equal(p->value[0][0], 5);
	assert_int_equal(p->value[1][0], 450);
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

static void a_missing_default_type_means_the_last_remaining_type(void **state)
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

static void space_and_inuse_space_of_one_profile_are_distinct(void **state)
{
	struct merger *m = merger_new(true);
	struct profile *p;

	(void)state;
	must_add(m, ONE("space/bytes inuse_space/bytes", "a", 0, 1, 20));
	must_add(m, ONE("space/bytes", "a", 0, 5));
	p = finish(m);
	assert_int_equal(p->n_types, 1);
	assert_int_equal(p->value[0][0], 6);
	profile_free(p);
}

static void intersect_drops_types_with_incompatible_units(void **state)
{
	struct merger *m = merger_new(true);
	struct profile *p;

	(void)state;
	must_add(m, ONE("a/count b/bytes c/count", "f", 0, 1, 2, 3));
	must_add(m, ONE("a/count b/seconds c/count", "f", 0, 10, 20, 30));
	p = finish(m);
	assert_int_equal(p->n_types, 2);
	assert_string_equal(profile_text(p, p->type[1].name), "c");
	assert_int_equal(p->value[0][0], 11);
	assert_int_equal(p->value[1][0], 33);
	profile_free(p);
}

static void intersect_drops_different_period_types(void **state)
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
		cmocka_unit_test(later_profiles_add_to_existing_rows),
		cmocka_unit_test(a_finer_unit_rescales_the_earlier_sum),
		cmocka_unit_test(dropping_a_type_removes_rows_that_become_empty),
		cmocka_unit_test(a_missing_time_discards_only_the_times_of_its_group),
		cmocka_unit_test(rows_that_became_zero_are_removed_after_each_group),
		cmocka_unit_test(messages_number_profiles_over_all_calls),
		cmocka_unit_test(incompatible_profiles_are_refused_with_a_remedy),
		cmocka_unit_test(intersect_types_is_not_suggested_if_it_cannot_help),
		cmocka_unit_test(go_heaps_and_others_share_the_values_in_use),
		cmocka_unit_test(the_default_type_is_named_as_in_the_first_profile),
		cmocka_unit_test(a_missing_default_type_means_the_last_remaining_type),
		cmocka_unit_test(space_and_inuse_space_of_one_profile_are_distinct),
		cmocka_unit_test(intersect_drops_types_with_incompatible_units),
		cmocka_unit_test(intersect_drops_different_period_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

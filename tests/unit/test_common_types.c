/*
 * test_common_types.c - sample types that profiles have in common
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The profiles have a header and no rows. Types are written "cpu/ms wall/s".
 */
#include "config.h"

#include "profile/common_types.h"
#include "profile/builder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

enum { PROFILES_MAX = 4 };

static struct err err;

/* The profiles of a test, and the result. */
struct trial {
	bool intersect;
	struct profile *p[PROFILES_MAX];
	size_t n;
	struct common_types a;
};

static struct value_type value_type(struct strtab *str, char *text)
{
	char *slash = strchr(text, '/');

	*slash = 0;
	return (struct value_type){ strtab_addz(str, text), strtab_addz(str, slash + 1) };
}

/* Add a profile. period is NULL for none; preset is the default type. */
static void add(struct trial *t, const char *types, const char *period, const char *default_name)
{
	struct builder *b = builder_new();
	struct strtab *str = builder_strings(b);
	char *copy = strdup(types), *at;

	for (char *type = strtok_r(copy, " ", &at); type; type = strtok_r(NULL, " ", &at)) {
		struct value_type v = value_type(str, type);

		builder_type(b, v.name, v.unit);
	}
	free(copy);
	if (period) {
		copy = strdup(period);
		builder_meta(b)->period_type = value_type(str, copy);
		builder_meta(b)->has_period_type = true;
		free(copy);
	}
	builder_meta(b)->default_type = strtab_addz(str, default_name);
	t->p[t->n++] = builder_seal(b);
	builder_free(b);
}

static int find(struct trial *t)
{
	return common_types_find((const struct profile *const *)t->p, t->n,
				 &(struct common_types_options){ .intersect = t->intersect }, &t->a, &err);
}

static void done(struct trial *t)
{
	common_types_release(&t->a);
	for (size_t i = 0; i < t->n; i++)
		profile_free(t->p[i]);
}

static void assert_refused(struct trial *t, const char *message)
{
	assert_int_equal(find(t), ERR_FORMAT);
	if (!strstr(err.msg, message))
		fail_msg("\"%s\" does not contain \"%s\"", err.msg, message);
	done(t);
}

static const char *default_name(const struct trial *t, size_t i)
{
	return profile_text(t->p[i], common_types_default(&t->a, t->p[i], i));
}

static void common_types_keep_the_order_of_the_first_profile(void **state)
{
	const uint32_t columns[] = { 0, 2, 3, 1 };
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x c/x", NULL, "");
	add(&t, "d/x c/x e/x a/x", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_int_equal(t.a.n_types, 2);
	assert_memory_equal(t.a.column, columns, sizeof(columns));
	done(&t);
}

static void types_with_the_same_name_are_matched_in_order(void **state)
{
	const uint32_t columns[] = { 0, 2, 1, 2 };
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x a/x", NULL, "");
	add(&t, "c/x a/x a/x a/x", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_int_equal(t.a.n_types, 2);
	assert_memory_equal(t.a.column, columns, sizeof(columns));
	done(&t);
}

static void a_type_that_a_later_profile_lacks_is_not_common(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x", NULL, "");
	add(&t, "a/x b/x", NULL, "");
	add(&t, "b/x", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_int_equal(t.a.n_types, 1);
	assert_int_equal(t.a.column[0], 1);
	assert_int_equal(t.a.column[2], 0);
	done(&t);
}

static void the_error_names_the_profile_without_a_common_type(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x", NULL, "");
	add(&t, "b/x", NULL, "");
	add(&t, "a/x c/x", NULL, "");
	add(&t, "b/x", NULL, "");
	assert_refused(&t, "no common sample type: profile 1 has a, b, profile 3 has a, c");
}

static void values_are_scaled_to_the_finest_unit(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "cpu/s", NULL, "");
	add(&t, "cpu/us", NULL, "");
	add(&t, "cpu/ms", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_int_equal(t.a.unit_source[0], 1);
	assert_true(t.a.ratio[0] == 1e6);
	assert_true(t.a.ratio[1] == 1);
	assert_true(t.a.ratio[2] == 1e3);
	done(&t);
}

static void the_first_of_equal_units_is_kept(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "cpu/ns", "cpu/ns", "");
	add(&t, "cpu/nanoseconds", "cpu/nanoseconds", "");
	assert_int_equal(find(&t), 0);
	assert_int_equal(t.a.unit_source[0], 0);
	assert_int_equal(t.a.period_source, 0);
	done(&t);
}

static void unknown_units_are_compatible_only_if_equal(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/widgets", NULL, "");
	add(&t, "a/widgets", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_true(t.a.ratio[0] == 1 && t.a.ratio[1] == 1);
	done(&t);
}

static void units_of_different_kinds_are_refused(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x cpu/ms", NULL, "");
	add(&t, "a/x cpu/bytes", NULL, "");
	assert_refused(&t, "sample type cpu has incompatible units: profile 1 uses ms, profile 2 uses bytes");
}

static void the_finest_period_unit_is_found(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x", "cpu/ms", "");
	add(&t, "a/x", "cpu/ns", "");
	assert_int_equal(find(&t), 0);
	assert_int_equal(t.a.period_source, 1);
	done(&t);
}

static void period_types_with_different_names_are_refused(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x", "cpu/ns", "");
	add(&t, "a/x", "space/bytes", "");
	assert_refused(&t, "profile 1 has \"cpu\" in \"ns\", profile 2 has \"space\" in \"bytes\"");
}

static void a_missing_period_type_differs_from_a_present_one(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x", "cpu/ns", "");
	add(&t, "a/x", NULL, "");
	assert_refused(&t, "profile 2 has \"\" in \"\"");
}

static void missing_period_types_are_compatible(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x", NULL, "");
	add(&t, "a/x", NULL, "");
	assert_int_equal(find(&t), 0);
	done(&t);
}

static void a_common_default_type_is_kept(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x c/x", NULL, "c");
	add(&t, "b/x c/x", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_string_equal(default_name(&t, 0), "c");
	done(&t);
}

static void a_removed_default_type_becomes_the_first_common_one(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x c/x", NULL, "a");
	add(&t, "b/x c/x", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_string_equal(default_name(&t, 0), "b");
	done(&t);
}

static void a_missing_default_is_set_only_if_types_moved(void **state)
{
	struct trial t = { 0 };

	(void)state;
	add(&t, "a/x b/x", NULL, "");
	add(&t, "b/x a/x", NULL, "");
	assert_int_equal(find(&t), 0);
	assert_string_equal(default_name(&t, 0), "");
	assert_string_equal(default_name(&t, 1), "a");
	done(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(common_types_keep_the_order_of_the_first_profile),
		cmocka_unit_test(types_with_the_same_name_are_matched_in_order),
		cmocka_unit_test(a_type_that_a_later_profile_lacks_is_not_common),
		cmocka_unit_test(the_error_names_the_profile_without_a_common_type),
		cmocka_unit_test(values_are_scaled_to_the_finest_unit),
		cmocka_unit_test(the_first_of_equal_units_is_kept),
		cmocka_unit_test(unknown_units_are_compatible_only_if_equal),
		cmocka_unit_test(units_of_different_kinds_are_refused),
		cmocka_unit_test(the_finest_period_unit_is_found),
		cmocka_unit_test(period_types_with_different_names_are_refused),
		cmocka_unit_test(a_missing_period_type_differs_from_a_present_one),
		cmocka_unit_test(missing_period_types_are_compatible),
		cmocka_unit_test(a_common_default_type_is_kept),
		cmocka_unit_test(a_removed_default_type_becomes_the_first_common_one),
		cmocka_unit_test(a_missing_default_is_set_only_if_types_moved),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

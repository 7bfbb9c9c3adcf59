/*
 * test_label_unit.c - the unit of the numbers of a label key
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/label_unit.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_filter.h"

/* Rows with these labels, one list each. */
static struct profile *rows(const char *const *labels, size_t n)
{
	struct make m = make_start("cpu/ns");

	for (size_t i = 0; i < n; i++)
		make_labelled(&m, "f", labels[i], 1);
	return make_end(&m);
}

#define EXPECT_UNIT(key, want, notes, ...)                                                                             \
	do {                                                                                                           \
		const char *const labels_[] = { __VA_ARGS__ };                                                         \
		struct profile *p_ = rows(labels_, sizeof(labels_) / sizeof(*labels_));                                \
                                                                                                                       \
		expect_unit(p_, key, want, notes);                                                                     \
		profile_free(p_);                                                                                      \
	} while (0)

static void expect_unit(const struct profile *p, const char *key, const char *want, const char *notes)
{
	struct arena *mem = arena_new();
	struct label_units u;
	struct buf told = { 0 };
	str_id id = 0;

	label_units_make(p, mem, &u, &told);
	assert_true(strtab_find(p->str, key, strlen(key), &id));
	if (want)
		assert_string_equal(u.unit[id], want);
	else
		assert_null(u.unit[id]);
	assert_string_equal(buf_text(&told), notes);
	buf_release(&told);
	arena_free(mem);
}

static void the_first_unit_in_the_rows_is_used(void **state)
{
	(void)state;
	EXPECT_UNIT("wait", "us", "", "wait#1", "wait#1:us", "wait#2:s wait#2:ms", "wait#2:us");
}

static void without_units_the_key_is_the_unit(void **state)
{
	(void)state;
	EXPECT_UNIT("size", "size", "", "size#1");
	EXPECT_UNIT("request", "bytes", "", "request#1");
	EXPECT_UNIT("alignment", "bytes", "", "alignment#1");
	EXPECT_UNIT("request", "kb", "", "request#1:kb");
}

static void text_has_no_unit(void **state)
{
	(void)state;
	EXPECT_UNIT("route", NULL, "", "route=/a");
}

static void escapes_control_characters_in_notes_about_incompatible_units(void **state)
{
	(void)state;
	EXPECT_UNIT("b", "us", "For tag b used unit us, also encountered unit(s) \\x1b[m\n", "b#1:us a#1:s",
		    "b#1:\033[m a#1:ms");
}

static void a_labels_own_unit_takes_precedence(void **state)
{
	const char *const labels[] = { "wait#1:us wait#2:ms wait#3" };
	struct profile *p = rows(labels, 1);
	struct arena *mem = arena_new();
	struct label_units u;

	(void)state;
	label_units_make(p, mem, &u, NULL);
	assert_string_equal(label_unit(&u, p, 0), "us");
	assert_string_equal(label_unit(&u, p, 1), "ms");
	assert_string_equal(label_unit(&u, p, 2), "us");
	arena_free(mem);
	profile_free(p);
}

static void converts_numbers_to_the_finest_unit_of_their_key(void **state)
{
	const char *const labels[] = { "wait#3:ms wait#2:s wait#7:us wait#5 wait#9:kb wait#9223372036854775807:s" };
	struct profile *p = rows(labels, 1);
	struct arena *mem = arena_new();
	struct label_units u;

	(void)state;
	label_units_make(p, mem, &u, NULL);
	assert_string_equal(u.shown[p->label_key[0]], "us");
	assert_int_equal(label_number(&u, p, 0), 3000);
	assert_int_equal(label_number(&u, p, 1), 2000000);
	assert_int_equal(label_number(&u, p, 2), 7);
	assert_int_equal(label_number(&u, p, 3), 5000); /* without a unit: in the first unit of the key */
	assert_int_equal(label_number(&u, p, 4), 9);
	assert_int_equal(label_number(&u, p, 5), INT64_MAX);
	arena_free(mem);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_unit_in_the_rows_is_used),
		cmocka_unit_test(without_units_the_key_is_the_unit),
		cmocka_unit_test(text_has_no_unit),
		cmocka_unit_test(escapes_control_characters_in_notes_about_incompatible_units),
		cmocka_unit_test(a_labels_own_unit_takes_precedence),
		cmocka_unit_test(converts_numbers_to_the_finest_unit_of_their_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_labels.c - ids in the values of labels, and the patterns that replace them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/regex.h"
#include "report/labels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void ids_are_replaced_by_the_pattern(void **state)
{
	static const struct {
		const char *text, *name;
		uint32_t n;
		bool is_certain;
	} cases[] = {
		{ "/orders", "/orders", 0, false },
		{ "/v1/orders", "/v1/orders", 0, false },
		{ "/orders/17", "/orders/:id", 1, false },
		{ "/orders/17/items/4?x", "/orders/:id/items/:id?x", 2, false },
		{ "200", "200", 0, false },
		{ "shop-2", "shop-2", 0, false },
		{ "1234567", ":id", 1, true },
		{ "user:1234567", "user::id", 1, true },
		{ "deadbeef", "deadbeef", 0, false },
		{ "0123456789abcdef", ":id", 1, true },
		{ "a(b)|c.d/9/$^\\", "a(b)|c.d/:id/$^\\", 1, false },
		{ "0b5e4fd2-11aa-4c6e-9d6f-5a0f1e2d3c4b/x", ":id/x", 1, true },
		{ "0b5e4fd2-11aa-4c6e-9d6f-5a0f1e2d3c4", "0b5e4fd2-11aa-4c6e-9d6f-5a0f1e2d3c4", 0, false },
		{ "", "", 0, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf name = { 0 }, pattern = { 0 }, to = { 0 }, out = { 0 };
		struct regex *r;
		struct err err;
		size_t n = 0;
		bool is_certain;

		assert_int_equal(labels_find_ids(cases[i].text, &name, &pattern, &to, &is_certain), cases[i].n);
		assert_int_equal(is_certain, cases[i].is_certain);
		assert_string_equal(buf_text(&name), cases[i].name);
		assert_int_equal(regex_new(buf_text(&pattern), &r, &err), 0);
		assert_int_equal(
			regex_replace_all(r, cases[i].text, strlen(cases[i].text), buf_text(&to), &out, &n, &err), 0);
		assert_string_equal(buf_text(&out), cases[i].name);
		regex_free(r);
		buf_release(&name);
		buf_release(&pattern);
		buf_release(&to);
		buf_release(&out);
	}
}

static void too_many_ids_have_no_pattern(void **state)
{
	struct buf name = { 0 }, pattern = { 0 }, to = { 0 };
	bool is_certain;

	(void)state;
	assert_int_equal(labels_find_ids("a/1/2/3/4/5/6/7/8/9/10/11", &name, &pattern, &to, &is_certain), 11);
	assert_int_equal(pattern.len, 0);
	buf_release(&name);
	buf_release(&pattern);
	buf_release(&to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_replaced_by_the_pattern),
		cmocka_unit_test(too_many_ids_have_no_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

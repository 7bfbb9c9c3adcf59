/*
 * test_shell_name.c - function names and values shortened to a narrow width
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/name.h"

#include "base/columns.h"
#include "front/shell/widgets/number.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "viewers/flame/flame.h"

#define DOTS "\xe2\x80\xa6"

static void expect_name(const char *name, size_t columns, const char *want)
{
	struct buf b = { 0 };

	shell_name_add(name, columns, &b);
	assert_string_equal(buf_text(&b), want);
	assert_true(column_count(want) <= columns);
	buf_release(&b);
}

static void a_name_that_fits_is_unchanged(void **state)
{
	(void)state;
	expect_name("main", 4, "main");
	expect_name("", 1, "");
	expect_name("std::map<int, long>::find(int const&)", 40, "std::map<int, long>::find(int const&)");
}

static void go_names_keep_their_method(void **state)
{
	const char *deflate = "github.com/klauspost/compress/flate.(*compressor).deflate";

	(void)state;
	expect_name(deflate, 46, DOTS "/compress/flate.(*compressor).deflate");
	expect_name(deflate, 34, DOTS "/flate.(*compressor).deflate");
	expect_name(deflate, 24, DOTS "(*compressor).deflate");
	expect_name(deflate, 10, DOTS "deflate");
	expect_name("net/http.(*Transport).dialConnFor", 31, DOTS "/http.(*Transport).dialConnFor");
	expect_name("shop/depot.(*Depot).Routes.func1.func2.1", 30, DOTS "(*Depot).Routes.func1.func2.1");
	expect_name("slices.Grow[go.shape.[]uint8,go.shape.uint8]", 34, "slices.Grow[" DOTS "]");
}

static void cpp_names_lose_types_before_their_method(void **state)
{
	const char *push =
		"std::vector<std::pair<int, std::string>, std::allocator<int> >::push_back(std::pair<int> const&)";

	(void)state;
	expect_name(push, 60, "std::vector<pair<int, string>, allocator<int> >::push_back");
	expect_name(push, 34, "std::vector<" DOTS ">::push_back");
	expect_name("void std::sort<long*>(long*, long*) const", 20, "std::sort<long*>");
	expect_name("bool grid::Order<int>::operator()(int, int) const", 30, "grid::Order<int>::operator()");
	expect_name("std::ostream& operator<< <char>(std::ostream&, char)", 30, "operator<< <char>");
	expect_name("(anonymous namespace)::walk(tree const*)", 30, "(anonymous namespace)::walk");
	expect_name("Order::operator->", 14, DOTS "operator->");
}

static void rust_names_keep_type_and_trait(void **state)
{
	(void)state;
	expect_name("<core::ptr::non_null::NonNull<T> as core::cmp::PartialEq>::eq", 34,
		    "<NonNull<T> as PartialEq>::eq");
	expect_name("<alloc::vec::Vec<T> as alloc::vec::spec::SpecFromIter<T,I>>::from_iter", 34,
		    DOTS "T> as SpecFromIter<" DOTS ">>::from_iter");
	expect_name("std::thread::lifecycle::spawn_unchecked::{{closure}}::{{closure}}", 42,
		    DOTS "spawn_unchecked::{{closure}}::{{closure}}");
}

static void a_name_with_one_part_keeps_its_start_and_end(void **state)
{
	(void)state;
	expect_name("initialize_the_table_of_symbols", 15, "initial" DOTS "symbols");
	expect_name("ab", 1, "");
}

/* Unbalanced brackets are text. */
static void unbalanced_brackets_are_handled_as_text(void **state)
{
	static const char *const odd[] = { "a<b<c<d<e<f<g<h",
					   ">>>>>>>>>>>>>>>>>>",
					   "((((((((((((((((((",
					   "a)b)c)d)e)f)g)h)i)j",
					   "operator operator operator operator",
					   "a::::::::::::::::::::::::",
					   "//////////////////",
					   "<<<<::::>>>>::::<<<<",
					   "a->b->c->d->e->f->g->h",
					   "[[[[[[]]]]]]]]]]]]]]" };

	(void)state;
	for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
		for (size_t columns = 0; columns < 20; columns++) {
			struct buf b = { 0 };

			shell_name_add(odd[i], columns, &b);
			assert_true(column_count(buf_text(&b)) <= columns);
			buf_release(&b);
		}
}

static void expect_short_value(int64_t value, const char *from, const char *to, const char *want)
{
	struct head h = { .unit = from, .out_unit = to };
	struct buf b = { 0 };

	shell_number_add_brief(&h, value, &b);
	assert_string_equal(buf_text(&b), want);
	buf_release(&b);
}

static void values_in_columns_have_three_digits(void **state)
{
	(void)state;
	expect_short_value(34583029, "bytes", "auto", "33.0MB");
	expect_short_value(-7906610, "bytes", "auto", "-7.54MB");
	expect_short_value(262300, "bytes", "auto", "256kB");
	expect_short_value(1048575, "bytes", "auto", "1024kB");
	expect_short_value(10480000, "bytes", "auto", "9.99MB");
	expect_short_value(8 << 20, "bytes", "auto", "8MB");
	expect_short_value(870000000, "nanoseconds", "auto", "870ms");
	expect_short_value(0, "bytes", "auto", "0");
}

static void a_chosen_unit_is_used(void **state)
{
	(void)state;
	expect_short_value(34583029, "bytes", "kB", "33,772.49kB");
	expect_short_value(3328000000, "nanoseconds", "ms", "3328ms");
}

static void counts_have_grouped_digits(void **state)
{
	(void)state;
	expect_short_value(999, "count", "auto", "999");
	expect_short_value(1000, "count", "auto", "1,000");
	expect_short_value(-1234567, "count", "auto", "-1,234,567");
	expect_short_value(INT64_C(1) << 52, "count", "auto", "4,503,599,627,370,496");
	assert_string_equal(shell_number_count(UINT64_MAX).text, "18,446,744,073,709,551,615");
}

static void digits_are_not_grouped_in_a_narrow_column(void **state)
{
	struct head h = { .unit = "count", .out_unit = "auto" };
	struct buf b = { 0 };

	(void)state;
	shell_number_add_fitting(&h, 123456789, 10, &b);
	assert_string_equal(buf_text(&b), "123456789");
	shell_number_add_fitting(&h, 23456789, 10, &b);
	assert_string_equal(buf_text(&b), "12345678923,456,789");
	buf_release(&b);
}

static void a_column_has_room_for_all_values_up_to_its_largest(void **state)
{
	struct head h = { .unit = "bytes", .out_unit = "auto" };

	(void)state;
	assert_int_equal(shell_number_width(&h, 8 << 20),
			 6); /* 8MB is 3 columns wide, but 341kB is 5 and 1.01MB is 6 */
	assert_int_equal(shell_number_width(&h, 0), 0);
	h.unit = "count";
	assert_int_equal(shell_number_width(&h, 1234567), 9);
	assert_int_equal(shell_number_width(&h, INT64_MIN), 25);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_that_fits_is_unchanged),
		cmocka_unit_test(go_names_keep_their_method),
		cmocka_unit_test(cpp_names_lose_types_before_their_method),
		cmocka_unit_test(rust_names_keep_type_and_trait),
		cmocka_unit_test(a_name_with_one_part_keeps_its_start_and_end),
		cmocka_unit_test(unbalanced_brackets_are_handled_as_text),
		cmocka_unit_test(values_in_columns_have_three_digits),
		cmocka_unit_test(a_chosen_unit_is_used),
		cmocka_unit_test(counts_have_grouped_digits),
		cmocka_unit_test(digits_are_not_grouped_in_a_narrow_column),
		cmocka_unit_test(a_column_has_room_for_all_values_up_to_its_largest),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

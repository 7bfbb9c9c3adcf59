/*
 * test_callgrind.c - a profile for kcachegrind
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/calls.h"
#include "tests/unit/make_net.h"

#define HEAD "positions: instr line\nevents: samples(count)\n"

/* Draw a profile; the caller releases the result. */
static struct buf draw(struct make *m, bool tree)
{
	struct buf out = { 0 };
	struct report r = { .mem = arena_new() };
	struct net_fixture n;

	net_fixture_start(&n, m);
	query_apply_defaults(&n.q,
			     &(struct query_defaults){ .by_address = true, .by_object = true, .untrimmed = true });
	n.q.call_tree = tree;
	net_fixture_run(&n, false);
	report_calls_head(&n.net, &n.q, &n.v, true, &r);
	callgrind_draw(&n.net, &r, &out);
	report_release(&r);
	net_fixture_release(&n);
	return out;
}

static void expect_drawn(struct make *m, bool tree, const char *want)
{
	struct buf out = draw(m, tree);

	assert_string_equal(buf_text(&out), want);
	buf_release(&out);
}

static void writes_names_once_and_then_numbers(void **state)
{
	struct make m = make_start("samples/count");

	(void)state;
	make_map(&m, "/bin/app");
	ROW(&m, "0x10=g@g.c:3;0x20=f@f.c:5", 7);
	ROW(&m, "0x30=h@g.c:9;0x20=f@f.c:5", 2);
	expect_drawn(&m, false,
		     HEAD "\nob=(1) /bin/app\nfl=(1) g.c\nfn=(1) g\n0x10 3 7\n"
			  "\nob=(1)\nfl=(1)\nfn=(2) h\n+32 9 2\n"
			  "\nob=(1)\nfl=(2) f.c\nfn=(3) f\n-16 5 0\n"
			  "cfl=(1)\ncfn=(1)\ncalls=0 -32 3\n* * 7\n"
			  "cfl=(1)\ncfn=(2)\ncalls=0 * 9\n* * 2\n");
}

/* As in pprof, the length of an absolute address includes 0x. */
static void writes_relative_addresses_if_shorter(void **state)
{
	struct make m = make_start("samples/count");

	(void)state;
	make_map(&m, "b");
	ROW(&m, "0x1000=f@f.c:1", 4);
	ROW(&m, "0x1001=f@f.c:2", 3);
	ROW(&m, "0xffffffffffff0000=f@f.c:3", 2);
	ROW(&m, "0x5=f@f.c:4", 1);
	expect_drawn(&m, false, HEAD "\nob=(1) b\nfl=(1) f.c\nfn=(1) f\n0x1000 1 4\n+1 2 3\n-69633 3 2\n0x5 4 1\n");
}

static void functions_without_file_or_binary_have_empty_fields(void **state)
{
	struct make m = make_start("samples/count");

	(void)state;
	ROW(&m, "f;g", 1);
	expect_drawn(&m, false,
		     HEAD
		     "\nob=\nfl=\nfn=(1) f\n0x0 0 1\n\nob=\nfl=\nfn=(2) g\n* 0 0\ncfl=\ncfn=(1)\ncalls=0 * 0\n* * 1\n");
}

static void a_location_without_function_has_an_empty_name(void **state)
{
	struct make m = make_start("samples/count");

	(void)state;
	make_map(&m, "lib");
	ROW(&m, "0x7f", 3);
	expect_drawn(&m, false, HEAD "\nob=(1) lib\nfl=\nfn=\n0x7f 0 3\n");
}

static void numbers_callees_with_the_same_name_and_file(void **state)
{
	struct make m = make_start("samples/count");

	(void)state;
	make_map(&m, "b");
	ROW(&m, "0x10=f@f.c:3^1;0x1=m@m.c:1", 5);
	ROW(&m, "0x20=f@f.c:9^8;0x1=m@m.c:1", 2);
	expect_drawn(&m, false,
		     HEAD "\nob=(1) b\nfl=(1) f.c\nfn=(1) f\n0x10 3 5\n+16 9 2\n"
			  "\nob=(1)\nfl=(2) m.c\nfn=(2) m\n0x1 1 0\n"
			  "cfl=(1)\ncfn=(3) f [1/2]\ncalls=0 -16 3\n* * 5\n"
			  "cfl=(1)\ncfn=(4) f [2/2]\ncalls=0 * 9\n* * 2\n");
}

static void numbers_a_function_for_each_caller_in_a_tree(void **state)
{
	struct make m = make_start("samples/count");
	struct buf out;

	(void)state;
	make_map(&m, "b");
	ROW(&m, "0x10=f@f.c:3;0x1=a@m.c:1", 5);
	ROW(&m, "0x10=f@f.c:3;0x2=b@m.c:2", 2);
	out = draw(&m, true);
	assert_non_null(strstr(buf_text(&out), "f [1/2]\n"));
	assert_non_null(strstr(buf_text(&out), "f [2/2]\n"));
	buf_release(&out);
}

static void escapes_hostile_names(void **state)
{
	struct make m = make_start("samples/count");
	struct buf out;

	(void)state;
	make_map(&m, "b\nfn=(9) x");
	ROW(&m, "f\n0x0 1 99\r\033[31m@f\n.c:1", 1);
	out = draw(&m, false);
	assert_string_equal(buf_text(&out), HEAD "\nob=(1) b\\nfn=(9) x\nfl=(1) f\\n.c\n"
						 "fn=(1) f\\n0x0 1 99\\r\\x1b[31m\n0x0 1 1\n");
	buf_release(&out);
}

static void writes_a_header_without_samples(void **state)
{
	struct make m = make_start("samples/count");

	(void)state;
	expect_drawn(&m, false, "positions: instr line\nevents: samples(minimum)\n"); /* like pprof */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(writes_names_once_and_then_numbers),
		cmocka_unit_test(writes_relative_addresses_if_shorter),
		cmocka_unit_test(functions_without_file_or_binary_have_empty_fields),
		cmocka_unit_test(a_location_without_function_has_an_empty_name),
		cmocka_unit_test(numbers_callees_with_the_same_name_and_file),
		cmocka_unit_test(numbers_a_function_for_each_caller_in_a_tree),
		cmocka_unit_test(escapes_hostile_names),
		cmocka_unit_test(writes_a_header_without_samples),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

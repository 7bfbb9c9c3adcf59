/*
 * test_tag_sums.c - sums that pictures make have no bound but 64 bits
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/net.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/unit/make_graph.h"
#include "tests/unit/make_labels.h"

static void numbers_that_read_the_same_add_up_to_the_end_of_64_bits(void **state)
{
	struct make m = make_start("cpu/ns");
	struct label_units units;
	struct asked a;
	struct net net;
	struct err err;

	(void)state;
	labels_row(&m, "f", INT64_MAX, "bytes:1048576:bytes bytes:1048577:bytes");
	a = ask_about(&m);
	ask(&a);
	label_units_make(a.p, a.mem, &units, NULL);
	assert_int_equal(net_make(&a.v, &a.q, true, &units, a.mem, &net, &err), 0);
	assert_int_equal(net.tags.n, 1);
	assert_true(net.tags.tag[0].flat == INT64_MAX);
	net_release(&net);
	ask_release(&a);
}

static void calls_of_one_stack_may_weigh_more_together_than_64_bits_hold(void **state)
{
	struct make m = make_start("cpu/ns");
	struct label_units units;
	struct asked a;
	struct net net;
	struct err err;

	(void)state;
	ROW(&m, "b;f;a;f", INT64_MAX);
	a = ask_about(&m);
	ask(&a);
	label_units_make(a.p, a.mem, &units, NULL);
	assert_int_equal(net_make(&a.v, &a.q, true, &units, a.mem, &net, &err), 0);
	net_calls(&net, &a.q, NULL, a.mem);
	assert_int_equal(net.shown.n, 3);
	net_release(&net);
	ask_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(numbers_that_read_the_same_add_up_to_the_end_of_64_bits),
		cmocka_unit_test(calls_of_one_stack_may_weigh_more_together_than_64_bits_hold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_tag_sums.c - sums of pictures saturate at 64 bits
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

static void equal_numbers_saturate_at_64_bits(void **state)
{
	struct make m = make_start("cpu/ns");
	struct label_units units;
	struct graph_fixture a;
	struct net net;
	struct err err;

	(void)state;
	labels_row(&m, "f", INT64_MAX, "bytes:1048576:bytes bytes:1048577:bytes");
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	label_units_make(a.p, a.mem, &units, NULL);
	assert_int_equal(net_make(&a.v, &a.q.filter, true, &units, a.mem, &net, &err), 0);
	assert_int_equal(net.tags.n, 1);
	assert_true(net.tags.tag[0].flat == INT64_MAX);
	net_release(&net);
	graph_fixture_release(&a);
}

static void calls_of_one_stack_saturate_at_64_bits(void **state)
{
	struct make m = make_start("cpu/ns");
	struct label_units units;
	struct graph_fixture a;
	struct net net;
	struct err err;

	(void)state;
	ROW(&m, "b;f;a;f", INT64_MAX);
	a = graph_fixture_start(&m);
	graph_fixture_run(&a);
	label_units_make(a.p, a.mem, &units, NULL);
	assert_int_equal(net_make(&a.v, &a.q.filter, true, &units, a.mem, &net, &err), 0);
	net_calls(&net, &a.q.filter, NULL, a.mem);
	assert_int_equal(net.shown.n, 3);
	net_release(&net);
	graph_fixture_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_numbers_saturate_at_64_bits),
		cmocka_unit_test(calls_of_one_stack_saturate_at_64_bits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

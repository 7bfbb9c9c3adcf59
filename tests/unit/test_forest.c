/*
 * test_forest.c - packing and reading the callers of samples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/forest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NONE PROFILE_NONE

/* Random numbers, always the same. */
static uint32_t below(uint32_t n)
{
	static uint64_t state = 1;

	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 32) * n >> 32);
}

/* The stack of a node, its values, and the hash of both. */
static uint64_t mix(uint64_t h, uint64_t v)
{
	return (h ^ v) * UINT64_C(0x9e3779b97f4a7c15) ^ (h >> 29);
}

static void tree_is(const struct forest_tree *t, uint32_t n_types, const char *expected)
{
	struct forest_reader r = { t, n_types, t->data };
	struct forest_node node;
	int64_t value[2] = { 7, 7 };
	char text[256] = "";

	while (forest_read(&r, &node, value)) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%u:%u", n ? " " : "", (unsigned)node.up, (unsigned)node.loc);
		for (uint32_t k = 0; k < n_types; k++) {
			n = strlen(text);
			snprintf(text + n, sizeof(text) - n, "%c%d", k ? ',' : '=', (int)value[k]);
		}
	}
	assert_string_equal(text, expected);
}

static void unused_nodes_are_not_packed(void **state)
{
	/* a calls b and c; b calls an unused node, which calls another, and f; c calls e; d is a root. Values of a, f and e. */
	const uint32_t parent[] = { NONE, 0, 1, 2, 1, 0, 5, NONE }, loc[] = { 3, 1, 0, 0, 3, 2, 4, 1 };
	const bool is_used[] = { true, true, false, false, true, true, true, true };
	const uint32_t number[] = { 0, 1, 2, 3, 4 }, slot[] = { 1, 0, 0, 0, 2, 0, 3, 0 };
	const int64_t count[] = { 1, 2, 300 }, other[] = { 0, 5, 5 };
	const int64_t *value[] = { count, other };
	struct forest_source s = { 8, parent, loc, is_used, number, slot, 2, 3, value };
	uint32_t locs[] = { 10, 11, 12, 13, 14 };
	struct forest_tree t;

	(void)state;
	forest_pack(&s, &t);
	t.n_locs = 5;
	t.loc = memcpy(malloc(sizeof(locs)), locs, sizeof(locs));
	assert_int_equal(t.like[1], 1);
	tree_is(&t, 2, "0:13=1,0 0:11=0,0 0:13=2,5 2:12=0,0 0:14=300,5 3:11=0,0");
	forest_tree_release(&t);
}

static void multiples_of_a_type_are_not_stored(void **state)
{
	const uint32_t parent[] = { NONE, 0 }, loc[] = { 0, 0 }, number[] = { 0 }, slot[] = { 1, 2 };
	const bool is_used[] = { true, true };
	const int64_t count[] = { 0, 3 }, ns[] = { 0, 30000000 };
	const int64_t *value[] = { count, ns };
	struct forest_source s = { 2, parent, loc, is_used, number, slot, 2, 2, value };
	struct forest_tree t;

	(void)state;
	forest_pack(&s, &t);
	t.n_locs = 1;
	t.loc = calloc(1, sizeof(*t.loc));
	assert_int_equal(t.size, 4); /* a byte for each node, and one for its count */
	tree_is(&t, 2, "0:0=0,0 0:0=3,30000000");
	forest_tree_release(&t);
}

static void random_trees_have_the_same_stacks_after_packing(void **state)
{
	enum { NODES = 3000 };
	static uint32_t parent[NODES], loc[NODES], slot[NODES], number[64], locs[64];
	static uint64_t hash[NODES];
	static bool is_used[NODES];
	static int64_t v[NODES];
	const int64_t *value[] = { v };
	uint64_t expected = 0, sum = 0, path[NODES + 1] = { 0 };
	struct forest_source s = { NODES, parent, loc, is_used, number, slot, 1, NODES, value };
	struct forest_tree t;
	struct forest_node node;
	uint32_t depth = 0;

	(void)state;
	for (uint32_t i = 0; i < 64; i++)
		number[i] = locs[i] = i;
	for (uint32_t i = 0; i < NODES; i++) {
		parent[i] = i ? i - 1 : NONE;
		for (uint32_t up = below(4) ? 0 : below(20); up > 0 && parent[i] != NONE; up--)
			parent[i] = parent[parent[i]];
		loc[i] = below(64);
		is_used[i] = true;
		v[i] = below(3) ? 0 : (int64_t)below(UINT32_MAX) << below(30);
		slot[i] = v[i] ? i + 1 : 0;
		hash[i] = mix(parent[i] == NONE ? 0 : hash[parent[i]], loc[i]);
		expected += v[i] ? mix(hash[i], (uint64_t)v[i]) : 0;
	}
	forest_pack(&s, &t);
	t.n_locs = 64;
	t.loc = memcpy(malloc(sizeof(locs)), locs, sizeof(locs));
	struct forest_reader r = { &t, 1, t.data };
	int64_t own[2];

	while (forest_read(&r, &node, own)) {
		assert_true(node.up <= depth);
		depth = depth + 1 - node.up;
		path[depth] = mix(path[depth - 1], node.loc);
		sum += node.has_value ? mix(path[depth], (uint64_t)own[0]) : 0;
	}
	assert_true(sum == expected);
	forest_tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(unused_nodes_are_not_packed),
		cmocka_unit_test(multiples_of_a_type_are_not_stored),
		cmocka_unit_test(random_trees_have_the_same_stacks_after_packing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

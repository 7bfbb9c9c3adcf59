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

/* Nodes in depth-first order; slot: index of the values + 1. */
struct nodes {
	uint32_t n;
	const uint32_t *parent, *loc, *slot; /* [n] */
	const bool *is_used;                 /* [n] */
};

static void pack_last(struct forest_packer *p, const struct nodes *nodes, const uint32_t *path, uint32_t *depth)
{
	uint32_t node = path[--*depth];

	forest_pack(p, *depth, nodes->loc[node], nodes->slot[node] - 1);
}

/* Pack the used nodes, and let locs [n_locs] be the locations. */
static void pack(struct forest_packer *p, const struct nodes *nodes, const uint32_t *locs, uint32_t n_locs,
		 struct forest_tree *out)
{
	uint32_t *path = calloc(nodes->n, sizeof(*path)), depth = 0;

	for (uint32_t i = 0; i < nodes->n; i++) {
		if (!nodes->is_used[i])
			continue;
		while (depth && path[depth - 1] != nodes->parent[i])
			pack_last(p, nodes, path, &depth);
		path[depth++] = i;
	}
	while (depth)
		pack_last(p, nodes, path, &depth);
	free(path);
	forest_packer_finish(p, out);
	out->n_locs = n_locs;
	out->loc = memcpy(malloc(n_locs * sizeof(*locs)), locs, n_locs * sizeof(*locs));
}

static void tree_is(const struct forest_tree *t, uint32_t n_types, const char *expected)
{
	struct forest_reader r;
	struct forest_node node;
	int64_t value[2] = { 7, 7 };
	char text[256] = "";

	forest_reader_init(&r, t, n_types);
	while (forest_read(&r, &node, value)) {
		size_t n = strlen(text);

		snprintf(text + n, sizeof(text) - n, "%s%u:%u", n ? " " : "", (unsigned)node.n_ends,
			 (unsigned)node.loc);
		for (uint32_t type = 0; node.has_value && type < n_types; type++) {
			int64_t factor, v = value[forest_find_column(t, type, &factor)];

			n = strlen(text);
			snprintf(text + n, sizeof(text) - n, "%c%d", type ? ',' : '=', (int)(v * factor));
		}
	}
	assert_string_equal(text, expected);
}

static void nodes_are_read_before_what_they_call(void **state)
{
	/* a calls b and c; b calls an unused node, which calls another, and f; c calls e; d is a root. Values of a, f and e. */
	const uint32_t parent[] = { NONE, 0, 1, 2, 1, 0, 5, NONE }, loc[] = { 3, 1, 0, 0, 3, 2, 4, 1 };
	const bool is_used[] = { true, true, false, false, true, true, true, true };
	const uint32_t slot[] = { 1, 0, 0, 0, 2, 0, 3, 0 }, locs[] = { 10, 11, 12, 13, 14 }, like[] = { 0, 1 };
	const int64_t count[] = { 1, 2, 300 }, other[] = { 0, 5, 5 }, factor[] = { 1, 1 };
	const int64_t *value[] = { count, other };
	struct forest_packer p;
	struct forest_tree t;

	(void)state;
	forest_packer_init(&p, 2, like, factor, value, 1);
	pack(&p, &(struct nodes){ 8, parent, loc, slot, is_used }, locs, 5, &t);
	tree_is(&t, 2, "1:11 0:13=1,0 0:12 2:14=300,5 0:11 3:13=2,5");
	forest_tree_release(&t);
}

static void multiples_of_a_type_are_not_stored(void **state)
{
	const uint32_t parent[] = { NONE, 0 }, loc[] = { 0, 0 }, slot[] = { 1, 2 }, locs[] = { 0 }, like[] = { 0, 0 };
	const bool is_used[] = { true, true };
	const int64_t count[] = { 0, 3 }, factor[] = { 1, 10000000 };
	const int64_t *value[] = { count, NULL };
	struct forest_packer p;
	struct forest_tree t;

	(void)state;
	forest_packer_init(&p, 2, like, factor, value, 100);
	pack(&p, &(struct nodes){ 2, parent, loc, slot, is_used }, locs, 1, &t);
	assert_int_equal(t.size, 5); /* a byte for each node, one for the end of both, and one for each count */
	tree_is(&t, 2, "0:0=0,0 2:0=3,30000000");
	forest_tree_release(&t);
}

static void random_trees_have_the_same_stacks_after_packing(void **state)
{
	enum { NODES = 3000, LOCS = 64 };
	static uint32_t parent[NODES], loc[NODES], slot[NODES], locs[LOCS];
	static uint64_t hash[NODES];
	static bool is_used[NODES];
	static int64_t v[NODES];
	const uint32_t like[] = { 0 };
	const int64_t *value[] = { v }, factor[] = { 1 };
	uint64_t expected = 0, sum = 0, path[NODES + 1] = { 0 };
	struct forest_packer p;
	struct forest_reader r;
	struct forest_tree t;
	struct forest_node node;
	uint32_t depth = 0;
	int64_t own;

	(void)state;
	for (uint32_t i = 0; i < LOCS; i++)
		locs[i] = 1000 * i;
	for (uint32_t i = 0; i < NODES; i++) {
		parent[i] = i ? i - 1 : NONE;
		for (uint32_t up = below(4) ? 0 : below(20); up > 0 && parent[i] != NONE; up--)
			parent[i] = parent[parent[i]];
		loc[i] = below(LOCS);
		is_used[i] = true;
		v[i] = below(3) ? 0 : (int64_t)below(UINT32_MAX) << below(30);
		slot[i] = v[i] ? i + 1 : 0;
		hash[i] = mix(parent[i] == NONE ? 0 : hash[parent[i]], locs[loc[i]]);
		expected += v[i] ? mix(hash[i], (uint64_t)v[i]) : 0;
	}
	forest_packer_init(&p, 1, like, factor, value, 100);
	pack(&p, &(struct nodes){ NODES, parent, loc, slot, is_used }, locs, LOCS, &t);
	forest_reader_init(&r, &t, 1);
	while (forest_read(&r, &node, &own)) {
		path[depth + 1] = mix(path[depth], node.loc);
		sum += node.has_value ? mix(path[depth + 1], (uint64_t)own) : 0;
		assert_true(node.n_ends <= depth + 1);
		depth = depth + 1 - node.n_ends;
	}
	assert_int_equal(depth, 0);
	assert_true(sum == expected);
	forest_tree_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_are_read_before_what_they_call),
		cmocka_unit_test(multiples_of_a_type_are_not_stored),
		cmocka_unit_test(random_trees_have_the_same_stacks_after_packing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

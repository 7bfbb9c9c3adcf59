/*
 * test_idmap.c - map the ids of a file to indices of a column
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/proto_int.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

#define N(array) (sizeof(array) / sizeof(array[0]))

static void expect_indices(const uint64_t *id, size_t n)
{
	struct idmap m;
	uint64_t twice;

	assert_true(idmap_init(&m, id, n, &twice));
	for (size_t i = 0; i < n; i++)
		assert_int_equal(idmap_get(&m, id[i]), i);
	idmap_release(&m);
}

static void expect_none(const uint64_t *id, size_t n, uint64_t missing)
{
	struct idmap m;
	uint64_t twice;

	assert_true(idmap_init(&m, id, n, &twice));
	assert_int_equal(idmap_get(&m, missing), IDMAP_NONE);
	idmap_release(&m);
}

static void expect_duplicate(const uint64_t *id, size_t n, uint64_t which)
{
	struct idmap m;
	uint64_t twice = 99;

	assert_false(idmap_init(&m, id, n, &twice));
	assert_true(twice == which);
	idmap_release(&m);
}

static const uint64_t sequential[] = { 1, 2, 3, 4 };
static const uint64_t dense[] = { 7, 3, 1000, 1 };
static const uint64_t sparse[] = { UINT64_MAX, 5, UINT64_C(1) << 63, 6000000000 };

static void a_map_without_ids_finds_nothing(void **state)
{
	(void)state;
	expect_none(sequential, 0, 0);
	expect_none(sequential, 0, 1);
}

static void sequential_ids_are_their_index_plus_one(void **state)
{
	(void)state;
	expect_indices(sequential, N(sequential));
}

static void dense_ids_are_found(void **state)
{
	(void)state;
	expect_indices(dense, N(dense));
}

static void sparse_ids_are_found_up_to_the_largest(void **state)
{
	(void)state;
	expect_indices(sparse, N(sparse));
}

static void missing_ids_are_not_found(void **state)
{
	static const uint64_t missing[] = { 0, 6, 999, 1001, 5000000000, UINT64_MAX - 1 };

	(void)state;
	for (size_t i = 0; i < N(missing); i++) {
		expect_none(sequential, N(sequential), missing[i]);
		expect_none(dense, N(dense), missing[i]);
		expect_none(sparse, N(sparse), missing[i]);
	}
}

/* At 4 * n + 1024 the array becomes a hash table. */
static void ids_at_the_limit_of_dense_maps_are_found(void **state)
{
	(void)state;
	for (uint64_t max = 1024 + 4 * 3 - 2; max <= 1024 + 4 * 3 + 1; max++)
		expect_indices((const uint64_t[]){ max, 2, 1 }, 3);
}

static void many_sparse_ids_are_found(void **state)
{
	uint64_t id[3000];

	(void)state;
	for (size_t i = 0; i < N(id); i++)
		id[i] = (i + 1) * UINT64_C(0x9e3779b97f4a7c15);
	expect_indices(id, N(id));
}

static void id_0_is_refused_at_any_position(void **state)
{
	(void)state;
	expect_duplicate((const uint64_t[]){ 0 }, 1, 0);
	expect_duplicate((const uint64_t[]){ 1, 2, 0 }, 3, 0);
	expect_duplicate((const uint64_t[]){ UINT64_MAX, 0 }, 2, 0);
}

static void a_duplicate_id_is_reported(void **state)
{
	(void)state;
	expect_duplicate((const uint64_t[]){ 1, 2, 2 }, 3, 2);
	expect_duplicate((const uint64_t[]){ 1, 1 }, 2, 1);
	expect_duplicate((const uint64_t[]){ UINT64_MAX, 4, UINT64_MAX }, 3, UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_map_without_ids_finds_nothing),
		cmocka_unit_test(sequential_ids_are_their_index_plus_one),
		cmocka_unit_test(dense_ids_are_found),
		cmocka_unit_test(sparse_ids_are_found_up_to_the_largest),
		cmocka_unit_test(missing_ids_are_not_found),
		cmocka_unit_test(ids_at_the_limit_of_dense_maps_are_found),
		cmocka_unit_test(many_sparse_ids_are_found),
		cmocka_unit_test(id_0_is_refused_at_any_position),
		cmocka_unit_test(a_duplicate_id_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

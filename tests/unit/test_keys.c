/*
 * test_keys.c - table of keys that are lists of words
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/keys.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

static struct err err;

static uint32_t add(struct keys *k, const uint64_t *word, size_t n)
{
	uint32_t id = UINT32_MAX;

	assert_int_equal(keys_add(k, word, n, keys_hash(word, n), &id, &err), 0);
	return id;
}

static void ids_are_assigned_in_order_and_found(void **state)
{
	const uint64_t a[] = { 1, 2 }, b[] = { 1, 3 };
	struct keys k;

	(void)state;
	keys_init(&k, 2, 0);
	assert_int_equal(add(&k, a, 2), 0);
	assert_int_equal(add(&k, b, 2), 1);
	assert_int_equal(add(&k, a, 2), 0);
	assert_int_equal(k.n, 2);
	keys_release(&k);
}

static void keys_with_equal_hashes_are_distinct(void **state)
{
	const uint64_t a[] = { 1 }, b[] = { 2 };
	uint32_t id = 9;
	struct keys k;

	(void)state;
	keys_init(&k, 1, 0);
	assert_int_equal(keys_add(&k, a, 1, 5, &id, &err), 0);
	assert_false(keys_find(&k, b, 1, 5, &id));
	assert_int_equal(keys_add(&k, b, 1, 5, &id, &err), 0);
	assert_int_equal(id, 1);
	keys_release(&k);
}

static void a_key_differs_from_its_prefix(void **state)
{
	const uint64_t a[] = { 1, 2, 3 };
	struct keys k;

	(void)state;
	keys_init(&k, 0, 0);
	for (size_t n = 3; n > 0; n--)
		assert_int_equal(add(&k, a, n), 3 - n);
	for (size_t n = 3; n > 0; n--)
		assert_int_equal(add(&k, a, n), 3 - n);
	keys_release(&k);
}

static void a_missing_key_leaves_the_id_unchanged(void **state)
{
	const uint64_t a[] = { 1 };
	uint32_t id = 9;
	struct keys k;

	(void)state;
	keys_init(&k, 1, 100);
	assert_false(keys_find(&k, a, 1, keys_hash(a, 1), &id));
	assert_int_equal(id, 9);
	keys_release(&k);
}

static void keys_survive_growth(void **state)
{
	enum { N = 10000 };
	struct keys k;

	(void)state;
	keys_init(&k, 0, 0);
	for (int round = 0; round < 2; round++)
		for (uint64_t i = 0; i < N; i++) {
			const uint64_t word[] = { i, i, i };

			assert_int_equal(add(&k, word, 1 + i % 3), i);
		}
	keys_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ids_are_assigned_in_order_and_found),
		cmocka_unit_test(keys_with_equal_hashes_are_distinct),
		cmocka_unit_test(a_key_differs_from_its_prefix),
		cmocka_unit_test(a_missing_key_leaves_the_id_unchanged),
		cmocka_unit_test(keys_survive_growth),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

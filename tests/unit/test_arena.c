/*
 * test_arena.c - memory that is freed all at once
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/arena.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void blocks_of_any_size_are_aligned_and_disjoint(void **state)
{
	struct arena *a = arena_new();
	unsigned char *block[400];

	(void)state;
	for (size_t i = 0; i < 400; i++) {
		block[i] = arena_alloc(a, i, 7);
		assert_int_equal((uintptr_t)block[i] % _Alignof(max_align_t), 0);
		memset(block[i], (int)(i & 0xff), i * 7);
	}
	for (size_t i = 0; i < 400; i++)
		for (size_t k = 0; k < i * 7; k++)
			assert_int_equal(block[i][k], i & 0xff);
	arena_free(a);
}

static void alloc_of_zero_bytes_is_not_null(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_non_null(arena_alloc(a, 0, 8));
	arena_free(a);
}

static void zalloc_of_zero_bytes_is_not_null(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_non_null(arena_zalloc(a, 0, 8));
	arena_free(a);
}

/* The sanitizers find a block that is freed twice or never. */
static void a_block_that_is_released_early_is_freed_once(void **state)
{
	struct arena *a = arena_new();
	char *small = arena_alloc(a, 1, 1), *own = arena_own(a, malloc(10)), *large = arena_alloc(a, 3, 1 << 20);

	(void)state;
	arena_release(a, own);
	arena_release(a, small);
	arena_release(a, NULL);
	*small = 1;
	large[(3 << 20) - 1] = 1;
	arena_release(a, large);
	arena_free(a);
}

static void zalloc_clears_memory(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	for (size_t n = 1; n < 3000000; n *= 3) {
		char *p = arena_zalloc(a, n, 1);

		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[i], 0);
		memset(p, 1, n);
	}
	arena_free(a);
}

static void a_block_much_larger_than_a_chunk_can_be_written_to_its_end(void **state)
{
	struct arena *a = arena_new();
	char *big = arena_alloc(a, 3, 1 << 20), *small = arena_alloc(a, 1, 1);

	(void)state;
	memset(big, 1, 3 << 20);
	*small = 2;
	assert_int_equal(big[(3 << 20) - 1], 1);
	arena_free(a);
}

static void strndup_copies_nul_bytes_and_appends_one(void **state)
{
	struct arena *a = arena_new();
	char *copy = arena_strndup(a, "ab\0cdef", 5);

	(void)state;
	assert_memory_equal(copy, "ab\0cd\0", 6);
	arena_free(a);
}

static void own_returns_the_same_block(void **state)
{
	struct arena *a = arena_new();
	void *p = malloc(8);

	(void)state;
	assert_ptr_equal(arena_own(a, p), p);
	arena_free(a); /* the sanitized build reports a leak of p */
}

static void null_can_be_owned_and_freed(void **state)
{
	struct arena *a = arena_new();

	(void)state;
	assert_null(arena_own(a, NULL));
	arena_free(a);
	arena_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(blocks_of_any_size_are_aligned_and_disjoint),
		cmocka_unit_test(alloc_of_zero_bytes_is_not_null),
		cmocka_unit_test(zalloc_of_zero_bytes_is_not_null),
		cmocka_unit_test(a_block_that_is_released_early_is_freed_once),
		cmocka_unit_test(zalloc_clears_memory),
		cmocka_unit_test(a_block_much_larger_than_a_chunk_can_be_written_to_its_end),
		cmocka_unit_test(strndup_copies_nul_bytes_and_appends_one),
		cmocka_unit_test(own_returns_the_same_block),
		cmocka_unit_test(null_can_be_owned_and_freed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

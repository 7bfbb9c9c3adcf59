/*
 * test_hash.c - hash functions for bytes and ids
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>

#include <cmocka.h>

enum { LONGEST = 150, N_FUNCTIONS = 2 };

static uint64_t (*const function[N_FUNCTIONS])(const void *data, size_t n) = { hash_bytes, hash_many_bytes };

static void equal_bytes_have_equal_hashes_at_any_alignment(void **state)
{
	uint8_t room[LONGEST + 9];

	(void)state;
	for (size_t n = 0; n <= LONGEST; n++) {
		uint64_t first[N_FUNCTIONS];

		for (size_t shift = 0; shift < 9; shift++) {
			for (size_t i = 0; i < n; i++)
				room[shift + i] = (uint8_t)(i * 7);
			for (int f = 0; f < N_FUNCTIONS; f++) {
				if (shift == 0)
					first[f] = function[f](room, n);
				assert_int_equal(function[f](room + shift, n), first[f]);
			}
		}
	}
}

static void every_bit_affects_the_hash(void **state)
{
	(void)state;
	for (size_t n = 1; n <= LONGEST; n++) {
		uint8_t bytes[LONGEST] = { 0 };
		uint64_t zero[N_FUNCTIONS] = { hash_bytes(bytes, n), hash_many_bytes(bytes, n) };

		for (size_t bit = 0; bit < n * 8; bit++) {
			bytes[bit / 8] ^= (uint8_t)(1 << bit % 8);
			for (int f = 0; f < N_FUNCTIONS; f++)
				assert_true(function[f](bytes, n) != zero[f]);
			bytes[bit / 8] = 0;
		}
	}
}

static void the_number_of_zero_bytes_affects_the_hash(void **state)
{
	static const uint8_t zeros[LONGEST];
	uint64_t seen[N_FUNCTIONS][LONGEST + 1];

	(void)state;
	for (int f = 0; f < N_FUNCTIONS; f++)
		for (size_t n = 0; n <= LONGEST; n++) {
			seen[f][n] = function[f](zeros, n);
			for (size_t i = 0; i < n; i++)
				assert_true(seen[f][i] != seen[f][n]);
		}
}

/* With a fixed key, so that every run is the same. */
static void small_ids_are_spread_over_many_buckets(void **state)
{
	const uint64_t secret[2] = { hash_secret[0], hash_secret[1] };
	unsigned used = 0;
	bool bucket[1024] = { false };

	(void)state;
	hash_secret[0] = 0xa0761d6478bd642f;
	hash_secret[1] = 0xe7037ed1a0b428db;
	for (uint64_t id = 1; id <= 1024; id++)
		bucket[hash_u64(id) % 1024] = true;
	memcpy(hash_secret, secret, sizeof(secret));
	for (size_t i = 0; i < 1024; i++)
		used += bucket[i];
	assert_in_range(used, 500, 1024); /* a random function is expected to reach 647 */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(equal_bytes_have_equal_hashes_at_any_alignment),
		cmocka_unit_test(every_bit_affects_the_hash),
		cmocka_unit_test(the_number_of_zero_bytes_affects_the_hash),
		cmocka_unit_test(small_ids_are_spread_over_many_buckets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

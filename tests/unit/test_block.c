/*
 * test_block.c - blocks of profiles: what is written is read, damage is an error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/block.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { ROWS = 300, COLUMNS = 4 };

static struct value_type types[COLUMNS];
static struct dict_meta metas[3] = { { .n_types = COLUMNS, .type = types },
				     { .n_types = COLUMNS, .type = types },
				     { .n_types = 1, .type = types } };
static const struct dict dictionary = { .n_rows = ROWS, .n_metas = 3, .meta = metas };

static uint64_t state = 1;

static uint32_t number(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)(state >> 33) % below;
}

/* A profile of COLUMNS columns: CPU samples and time, and two columns with cells of their own. */
static struct stored make_profile(unsigned i)
{
	struct stored s = { .meta = i / 7 % 2, .n_columns = COLUMNS };

	s.start_ns = INT64_C(1763900000000000000) + i * INT64_C(600000000000) + number(1000000);
	s.duration_ns = INT64_C(30000000000) + number(100000);
	s.row = mem_alloc(ROWS, sizeof(*s.row));
	s.value = mem_alloc(ROWS * COLUMNS, sizeof(*s.value));
	for (uint32_t row = 0; row < ROWS; row++)
		if (number(10) * row < 100 + number(200))
			s.row[s.n++] = row;
	for (uint32_t k = 0; k < s.n; k++) {
		int64_t samples = 1 + number(number(20) ? 5 : 100000);

		s.value[k] = samples;
		s.value[s.n + k] = samples * 10000000;
		s.value[2 * s.n + k] = 1 + number(200);
		s.value[3 * s.n + k] = (int64_t)number(3) - 1;
	}
	return s;
}

static void check_same(const struct stored *a, const struct stored *b)
{
	assert_int_equal(a->start_ns, b->start_ns);
	assert_int_equal(a->duration_ns, b->duration_ns);
	assert_int_equal(a->meta, b->meta);
	assert_int_equal(a->n_columns, b->n_columns);
	assert_int_equal(a->n, b->n);
	assert_memory_equal(a->row, b->row, a->n * sizeof(*a->row));
	assert_memory_equal(a->value, b->value, (size_t)a->n * a->n_columns * sizeof(*a->value));
}

/* Encode n profiles, decode them together and one by one, and compare. */
static void check_round_trip(struct stored *p, unsigned n, const bool *is_chain, struct buf *out)
{
	const struct stored *list[BLOCK_PROFILES_MAX];
	struct stored all[BLOCK_PROFILES_MAX], one;
	struct block b;
	struct err err;

	for (unsigned i = 0; i < n; i++)
		list[i] = &p[i];
	block_encode(list, n, is_chain, out);
	assert_int_equal(block_open(&b, (uint8_t *)out->data, out->len, &dictionary, &err), 0);
	assert_int_equal(b.n, n);
	assert_int_equal(block_profiles(&b, all, &err), 0);
	for (unsigned i = 0; i < n; i++) {
		check_same(&p[i], &all[i]);
		assert_int_equal(block_profile(&b, i, &one, &err), 0);
		check_same(&p[i], &one);
		dict_release_stored(&one);
		dict_release_stored(&all[i]);
	}
	block_release(&b);
}

static void release(struct stored *p, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		dict_release_stored(&p[i]);
}

static void profiles_are_restored_exactly(void **unused)
{
	static const bool chains[][COLUMNS] = { { 0 }, { 1, 1, 1, 1 }, { 0, 0, 1, 0 }, { 1, 1, 0, 0 } };
	struct stored p[BLOCK_PROFILES_MAX];

	(void)unused;
	for (unsigned n = 1; n <= BLOCK_PROFILES_MAX; n += 1 + n / 2) {
		for (unsigned i = 0; i < n; i++)
			p[i] = make_profile(i);
		for (unsigned k = 0; k < 4; k++) {
			struct buf out = { 0 };

			check_round_trip(p, n, chains[k], &out);
			buf_release(&out);
		}
		release(p, n);
	}
}

static void extreme_values_and_empty_profiles_are_restored(void **unused)
{
	static const int64_t values[] = { INT64_MAX, INT64_MIN, -1, 1, INT64_MIN, INT64_MAX };
	static const bool chains[2][1] = { { false }, { true } };
	struct stored p[8];

	(void)unused;
	for (unsigned i = 0; i < 8; i++) {
		p[i] = (struct stored){ .meta = 2, .n_columns = 1, .start_ns = i ? INT64_MAX - 8 + i : INT64_MIN };
		p[i].duration_ns = i % 2 ? INT64_MIN : INT64_MAX;
		p[i].row = mem_alloc(1, sizeof(*p[i].row));
		p[i].value = mem_alloc(1, sizeof(*p[i].value));
		p[i].n = i < 6;
		p[i].row[0] = i % 3 ? ROWS - 1 : 0;
		p[i].value[0] = i < 6 ? values[i] : 0;
	}
	for (unsigned k = 0; k < 2; k++) {
		struct buf out = { 0 };

		check_round_trip(p, 8, chains[k], &out);
		buf_release(&out);
	}
	release(p, 8);
}

static void a_column_that_is_a_multiple_of_another_has_no_data(void **unused)
{
	static const bool chain[COLUMNS] = { 0 };
	struct stored p[10];
	const struct stored *list[10];
	struct buf two = { 0 }, one = { 0 };

	(void)unused;
	for (unsigned i = 0; i < 10; i++) {
		p[i] = make_profile(i);
		p[i].n_columns = 2;
		list[i] = &p[i];
	}
	block_encode(list, 10, chain, &two);
	for (unsigned i = 0; i < 10; i++)
		p[i].n_columns = 1;
	block_encode(list, 10, chain, &one);
	assert_in_range(two.len, one.len + 1, one.len + 7);
	buf_release(&one);
	buf_release(&two);
	release(p, 10);
}

static void add_row(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	uint64_t *sum = arg;

	(void)cell;
	for (uint32_t i = 0; i < n; i++)
		sum[row] += (uint64_t)value[i];
}

/* Every change of a byte is found, or changes nothing but numbers: no crash, and rows stay within the dictionary. */
static void damage_never_leads_outside_the_data(void **unused)
{
	static const bool chain[COLUMNS] = { 0, 0, 1, 0 };
	struct stored p[9], all[BLOCK_PROFILES_MAX];
	const struct stored *list[9];
	struct buf out = { 0 };
	struct err err;
	unsigned n_refused = 0, n_tried = 0;

	(void)unused;
	for (unsigned i = 0; i < 9; i++) {
		p[i] = make_profile(i);
		list[i] = &p[i];
	}
	block_encode(list, 9, chain, &out);
	for (size_t at = 0; at < out.len; at++)
		for (unsigned bit = 0; bit < 9; bit++) {
			uint64_t sum[ROWS] = { 0 };
			size_t n = bit < 8 ? out.len : at;
			uint8_t *copy = mem_alloc(n, 1);
			struct block b;
			int rc;

			memcpy(copy, out.data, n);
			if (bit < 8)
				copy[at] ^= (uint8_t)(1 << bit);
			rc = block_open(&b, copy, n, &dictionary, &err);
			for (uint32_t k = 0; !rc && k < b.n_columns; k++)
				rc = block_each_row(&b, k, add_row, sum, &err);
			if (!rc && (bit == 0 || bit == 7)) {
				rc = block_profiles(&b, all, &err);
				if (!rc)
					release(all, b.n);
			}
			n_refused += rc != 0;
			n_tried++;
			if (rc)
				assert_int_equal(rc, ERR_FORMAT);
			if (bit == 8)
				assert_int_equal(rc, ERR_FORMAT);
			block_release(&b);
			free(copy);
		}
	assert_in_range(n_refused, n_tried / 9, n_tried);
	buf_release(&out);
	release(p, 9);
}

static void the_id_depends_on_series_and_start(void **unused)
{
	/* XXH3-128 of libxxhash, of "0123456789abcdef", 1, and seven zeros */
	static const uint8_t expected[16] = { 0x73, 0x0d, 0xc5, 0x62, 0x51, 0x45, 0x86, 0x13,
					      0xe2, 0x3c, 0xb6, 0xe4, 0xd6, 0x49, 0x44, 0x33 };
	uint8_t a[16], b[16], hash[17] = "0123456789abcdef";

	(void)unused;
	block_profile_id(hash, 1, a);
	assert_memory_equal(a, expected, 16);
	block_profile_id(hash, 2, b);
	assert_memory_not_equal(a, b, 16);
	block_profile_id(hash, 1, b);
	assert_memory_equal(a, b, 16);
	hash[3]++;
	block_profile_id(hash, 1, b);
	assert_memory_not_equal(a, b, 16);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(profiles_are_restored_exactly),
		cmocka_unit_test(extreme_values_and_empty_profiles_are_restored),
		cmocka_unit_test(a_column_that_is_a_multiple_of_another_has_no_data),
		cmocka_unit_test(damage_never_leads_outside_the_data),
		cmocka_unit_test(the_id_depends_on_series_and_start),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * test_packed.c - packed lists of ids, decoded four or two at a time, compared with one at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "formats/pprof/cursor.h"
#include "formats/pprof/proto_int.h"

enum { N_IDS = 3000000, LIST_MAX = 400, ROUNDS = 2000 };

typedef const uint8_t *(*packed_fn)(const struct idmap *map, const uint8_t *at, const uint8_t *end,
				    const uint8_t *readable, struct packed_out *out);

static uint64_t state = 1;

static uint32_t draw(uint32_t below)
{
	state = state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(state >> 33) % below;
}

static size_t put(uint8_t *to, uint64_t v)
{
	size_t n = 0;

	for (; v >= 0x80; v >>= 7)
		to[n++] = (uint8_t)(v | 0x80);
	to[n++] = (uint8_t)v;
	return n;
}

/* Index i of a list that was written with a width. */
static uint32_t index_at(const uint8_t *list, uint32_t width, size_t i)
{
	uint32_t index;

	if (width == STACK_NARROW)
		return stack_load(list + i * width, STACK_NARROW);
	memcpy(&index, list + i * width, sizeof(index));
	return index;
}

/* Check that fn wrote the ids that a plain cursor reads, up to the byte where fn stopped. */
static void check_width(packed_fn fn, const struct idmap *map, const uint8_t *list, size_t n, const uint8_t *readable,
			uint32_t width)
{
	uint8_t place[(LIST_MAX * 5 + STACK_SPARE_IDS) * STACK_WIDE];
	struct packed_out out = { .to = place, .width = width };
	struct cursor c = { list, list + n, NULL };
	const uint8_t *stop = fn(map, list, list + n, readable, &out);
	uint32_t largest = 0;
	uint64_t id = 0;
	size_t i = 0;

	assert_in_range(stop - list, 0, n);
	while (c.at < stop) {
		assert_true(cursor_varint(&c, &id));
		assert_int_equal(index_at(place, width, i++), id - 1);
		largest = id - 1 > largest ? (uint32_t)(id - 1) : largest;
	}
	assert_int_equal(out.max, largest);
	assert_ptr_equal(c.at, stop);
	assert_int_equal(out.n, i);
	assert_ptr_equal(out.to, place + i * width);
}

static void check(packed_fn fn, const struct idmap *map, const uint8_t *list, size_t n, const uint8_t *readable)
{
	check_width(fn, map, list, n, readable, STACK_WIDE);
	check_width(fn, map, list, n, readable, STACK_NARROW);
}

static void both_decoders_agree_with_the_cursor(void **unused)
{
	const struct idmap map = { .n = N_IDS, .sequential = true };
	static uint8_t list[LIST_MAX * 5 + 64]; /* packed_quads reads up to 64 bytes after a list */

	(void)unused;
	for (int round = 0; round < ROUNDS; round++) {
		size_t n = 0, ids = draw(LIST_MAX / 8);

		for (size_t i = 0; i < ids; i++) /* ids of one to four bytes, sometimes an unknown one */
			n += put(list + n, draw(1000) ? 1 + draw((uint32_t)1 << (5 + draw(17)))
					   : draw(2)  ? 0
						      : N_IDS + 7);
		check(packed_pairs, &map, list, n, list + n);
		check(packed_indices, &map, list, n, list + n);
		check(packed_indices, &map, list, n, list + sizeof(list));
		if (packed_has_quads())
			check(packed_quads, &map, list, n, list + sizeof(list));
	}
}

static void long_ids_may_be_anywhere(void **unused)
{
	const struct idmap map = { .n = N_IDS, .sequential = true };
	static uint8_t list[LIST_MAX * 5 + 64];

	(void)unused;
	for (size_t first = 0; first < 130; first++) {
		size_t n = first;

		memset(list, 7, first);
		while (n < first + 150)
			n += put(list + n, (1 << 20) + n);
		check(packed_indices, &map, list, n, list + sizeof(list));
	}
}

static void unknown_ids_are_left_to_the_caller(void **unused)
{
	const struct idmap map = { .n = 100, .sequential = true };
	static const uint8_t unknown[] = { 101, 0 };
	uint8_t list[40], place[40 * STACK_WIDE];

	(void)unused;
	for (size_t at = 0; at < 32; at++)
		for (size_t i = 0; i < sizeof(unknown); i++) {
			struct packed_out out = { .to = place, .width = STACK_WIDE };

			memset(list, 5, sizeof(list));
			list[at] = unknown[i];
			assert_true(packed_indices(&map, list, list + 32, list + 40, &out) <= list + at);
		}
}

static void a_list_is_decoded_whatever_follows(void **unused)
{
	const struct idmap map = { .n = 100, .sequential = true };
	static const uint8_t after[] = { 0, 101, 0x80, 0xff };
	uint8_t list[300], place[300 * STACK_WIDE];

	(void)unused;
	for (size_t i = 0; packed_has_quads() && i < sizeof(after); i++)
		for (size_t n = 0; n < 200; n++) {
			struct packed_out out = { .to = place, .width = STACK_NARROW };

			memset(list, after[i], sizeof(list));
			memset(list, 7, n);
			assert_ptr_equal(packed_quads(&map, list, list + n, list + sizeof(list), &out), list + n);
			assert_int_equal(out.n, n);
		}
}

static void a_number_that_is_cut_is_left_to_the_caller(void **unused)
{
	const struct idmap map = { .n = N_IDS, .sequential = true };
	uint8_t list[300], place[300 * STACK_WIDE];

	(void)unused;
	for (size_t n = 1; n < 200; n++) {
		struct packed_out out = { .to = place, .width = STACK_NARROW };

		memset(list, 7, sizeof(list));
		list[n - 1] = 0x87;
		assert_true(packed_indices(&map, list, list + n, list + sizeof(list), &out) < list + n);
	}
}

static void large_indices_are_left_to_the_caller(void **unused)
{
	const struct idmap map = { .n = IDMAP_NONE - 1, .sequential = true };
	uint8_t list[64], place[64 * STACK_WIDE];

	(void)unused;
	memset(list, 7, sizeof(list));
	for (int is_large = 0; is_large <= 1; is_large++) {
		struct packed_out out = { .to = place, .width = STACK_NARROW };

		put(list + 10, (UINT64_C(1) << 24) + (uint64_t)is_large);
		assert_int_equal(packed_indices(&map, list, list + 16, list + 64, &out) <= list + 10, is_large);
		assert_int_equal(out.max, is_large ? 6 : (1 << 24) - 1);
	}
}

static void decoding_stops_at_the_end(void **unused)
{
	const struct idmap map = { .n = 100, .sequential = true };
	uint8_t list[32], place[32 * STACK_WIDE];

	(void)unused;
	memset(list, 7, sizeof(list));
	for (size_t n = 0; n < 16; n++) {
		struct packed_out out = { .to = place, .width = STACK_WIDE };

		assert_true(packed_indices(&map, list, list + n, list + 32, &out) <= list + n);
		assert_in_range(out.n, 0, n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_decoders_agree_with_the_cursor),
		cmocka_unit_test(long_ids_may_be_anywhere),
		cmocka_unit_test(unknown_ids_are_left_to_the_caller),
		cmocka_unit_test(a_list_is_decoded_whatever_follows),
		cmocka_unit_test(a_number_that_is_cut_is_left_to_the_caller),
		cmocka_unit_test(large_indices_are_left_to_the_caller),
		cmocka_unit_test(decoding_stops_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

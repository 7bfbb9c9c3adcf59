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
				    const uint8_t *readable, uint32_t **out, uint32_t *max);

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

/* Check that fn wrote the ids that a plain cursor reads, up to the byte where fn stopped. */
static void check(packed_fn fn, const struct idmap *map, const uint8_t *list, size_t n, const uint8_t *readable)
{
	uint32_t place[LIST_MAX * 4], *out = place;
	struct cursor c = { list, list + n, NULL };
	uint32_t max = 0, largest = 0;
	const uint8_t *stop = fn(map, list, list + n, readable, &out, &max);
	uint64_t id = 0;
	size_t i = 0;

	assert_in_range(stop - list, 0, n);
	while (c.at < stop) {
		assert_true(cursor_varint(&c, &id));
		assert_int_equal(place[i++], id - 1);
		largest = id - 1 > largest ? (uint32_t)(id - 1) : largest;
	}
	assert_int_equal(max, largest);
	assert_ptr_equal(c.at, stop);
	assert_int_equal(out - place, i);
}

static void both_decoders_agree_with_the_cursor(void **unused)
{
	const struct idmap map = { .n = N_IDS, .sequential = true };
	static uint8_t list[LIST_MAX * 5 + 64];

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

static void unknown_ids_are_left_to_the_caller(void **unused)
{
	const struct idmap map = { .n = 100, .sequential = true };
	uint8_t list[40];
	uint32_t place[40], max = 0, *out = place;

	(void)unused;
	memset(list, 5, sizeof(list));
	list[9] = 101;
	assert_true(packed_indices(&map, list, list + 32, list + 40, &out, &max) <= list + 9);
	out = place;
	list[9] = 0;
	assert_true(packed_indices(&map, list, list + 32, list + 40, &out, &max) <= list + 9);
}

static void decoding_stops_at_the_end(void **unused)
{
	const struct idmap map = { .n = 100, .sequential = true };
	uint8_t list[32];
	uint32_t place[32], max = 0, *out = place;

	(void)unused;
	memset(list, 7, sizeof(list));
	for (size_t n = 0; n < 16; n++) {
		out = place;
		assert_true(packed_indices(&map, list, list + n, list + 32, &out, &max) <= list + n);
		assert_true(out <= place + n);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_decoders_agree_with_the_cursor),
		cmocka_unit_test(unknown_ids_are_left_to_the_caller),
		cmocka_unit_test(decoding_stops_at_the_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

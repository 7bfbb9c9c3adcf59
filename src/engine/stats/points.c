/*
 * points.c - sort points, which are cells on a logarithmic scale
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Many points are radix-sorted by the upper halves of x and w, 11 bits at a time, without unpredictable branches; an
 * insertion sort then orders points with equal halves. Merge sort is used for few points, or if insertion would take
 * too long.
 */
#include "config.h"

#include "engine/stats/judge_int.h"

#include <stdint.h>
#include <string.h>

enum {
	INSERTION_MAX = 12, /* max points for insertion sort */
	RADIX_MIN = 700,    /* min points for radix sort */
	DIGIT_BITS = 11,
	DIGITS = 6,
	DIGIT_VALUES = 1 << DIGIT_BITS,
	MOVES_PER_POINT_MAX = 4, /* max moves per point for the final insertion sort, on average */
};

void stats_points_merge(const struct stats_point *a, uint32_t n, const struct stats_point *b, uint32_t m,
			struct stats_point *to)
{
	const struct stats_point *from[2] = { a, b }, *end_a = a + n, *end_b = b + m;

	while (from[0] < end_a && from[1] < end_b)
		*to++ = *from[stats_point_is_before(from[1], from[0])]++;
	memcpy(to, from[0], (size_t)(end_a - from[0]) * sizeof(*to));
	to += end_a - from[0];
	memmove(to, from[1], (size_t)(end_b - from[1]) * sizeof(*to));
}

/* Insertion sort. Returns false after this many moves; p is then a permutation of the points. */
static bool points_insert(struct stats_point *p, uint32_t n, uint64_t moves)
{
	for (uint32_t i = 1; i < n; i++) {
		struct stats_point moved = p[i];
		uint32_t at = i;

		for (; at && stats_point_is_before(&moved, &p[at - 1]); at--)
			p[at] = p[at - 1];
		p[at] = moved;
		if (i - at > moves)
			return false;
		moves -= i - at;
	}
	return true;
}

static void sort_by_merging(struct stats_point *p, uint32_t n, struct stats_point *spare)
{
	if (n <= INSERTION_MAX) {
		points_insert(p, n, UINT64_MAX);
		return;
	}
	sort_by_merging(p, n / 2, spare);
	sort_by_merging(p + n / 2, n - n / 2, spare);
	memcpy(spare, p, n / 2 * sizeof(*p));
	stats_points_merge(spare, n / 2, p + n / 2, n - n / 2, p);
}

/* The upper half of a number, as an unsigned word with the same order. */
static uint64_t upper_half(double v)
{
	uint64_t bits;

	v += 0.0; /* no -0 */
	memcpy(&bits, &v, sizeof(bits));
	return (bits >> 63 ? ~bits : bits | UINT64_C(1) << 63) >> 32;
}

static uint32_t points_digit_of(uint64_t key, int digit)
{
	return (uint32_t)(key >> (digit * DIGIT_BITS)) & (DIGIT_VALUES - 1);
}

/* The sort keys, and the indices of their points. */
struct points_keys {
	uint64_t *key;
	uint32_t *from;
};

/* Distribute the keys by a digit. */
static void points_distribute(const struct points_keys *a, uint32_t n, int digit, uint32_t count[DIGIT_VALUES],
			      struct points_keys *to)
{
	uint32_t sum = 0;

	for (uint32_t i = 0; i < DIGIT_VALUES; i++) {
		uint32_t one = count[i];

		count[i] = sum;
		sum += one;
	}
	for (uint32_t i = 0; i < n; i++) {
		uint32_t at = count[points_digit_of(a->key[i], digit)]++;

		to->key[at] = a->key[i];
		to->from[at] = a->from[i];
	}
}

/* Move point from[i] to index i. */
static void permute(struct stats_point *p, uint32_t n, uint32_t *from)
{
	for (uint32_t i = 0; i < n; i++) {
		struct stats_point first = p[i];
		uint32_t at = i;

		if (from[i] == i)
			continue;
		for (uint32_t next; (next = from[at]) != i; at = next) {
			p[at] = p[next];
			from[at] = at;
		}
		p[at] = first;
		from[at] = at;
	}
}

static void points_sort_by_bits(struct stats_point *p, uint32_t n, struct stats_point *spare)
{
	_Static_assert(sizeof(*spare) >= 2 * (sizeof(uint64_t) + sizeof(uint32_t)),
		       "spare has room for two lists of keys");
	uint64_t *word = (uint64_t *)(void *)spare;
	uint32_t *half = (uint32_t *)(void *)(word + 2 * (size_t)n), count[DIGITS][DIGIT_VALUES];
	struct points_keys keys = { word, half }, other = { word + n, half + n };

	memset(count, 0, sizeof(count));
	for (uint32_t i = 0; i < n; i++) {
		uint64_t key = upper_half(p[i].x) << 32 | upper_half(p[i].w);

		keys.key[i] = key;
		keys.from[i] = i;
		for (int digit = 0; digit < DIGITS; digit++)
			count[digit][points_digit_of(key, digit)]++;
	}
	for (int digit = 0; digit < DIGITS; digit++) {
		struct points_keys t = keys;

		if (count[digit][points_digit_of(keys.key[0], digit)] == n)
			continue;
		points_distribute(&keys, n, digit, count[digit], &other);
		keys = other;
		other = t;
	}
	permute(p, n, keys.from);
}

void stats_points_sort(struct stats_point *p, uint32_t n, struct stats_point *spare)
{
	if (n >= RADIX_MIN) {
		points_sort_by_bits(p, n, spare);
		if (points_insert(p, n, (uint64_t)MOVES_PER_POINT_MAX * n))
			return;
	}
	sort_by_merging(p, n, spare);
}

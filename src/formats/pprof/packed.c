/*
 * packed.c - decode packed lists of ids fast
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most bytes of a profile are stacks: lists of varints of two or three bytes. Their lengths are
 * unpredictable, so a branch on the length costs more than the decoding itself.
 *
 * packed_quads decodes four numbers of at most three bytes at a time (after "Vectorized VByte Decoding",
 * Plaisance, Kurz and Lemire, 2015). The top bits of twelve bytes show where the numbers end. They index
 * a table of shuffles that move each number into its own lane, where its groups of seven bits are joined.
 * There are only 81 shuffles, so the table has their numbers, and takes two pages. The top bits of 64 bytes are loaded at
 * once, and those of the 64 bytes after them meanwhile, so that the next four numbers need not wait for them.
 * packed_pairs decodes two numbers of at most four bytes with plain 64-bit arithmetic.
 */
#include "config.h"

#include "formats/pprof/proto_int.h"

#include <pthread.h>
#include <string.h>

/* Decode the varint in the low bytes of x, at most four bytes. */
static inline uint32_t decode_varint(uint64_t x)
{
	return (uint32_t)((x & 0x7f) | (x >> 1 & 0x3f80) | (x >> 2 & 0x1fc000) | (x >> 3 & 0xfe00000));
}

const uint8_t *packed_pairs(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    struct packed_out *out)
{
	const uint64_t high = UINT64_C(0x8080808080808080);

	while (readable - at >= 8) {
		uint64_t w, stop, first, second;
		uint32_t a, b, n;

		memcpy(&w, at, 8);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
		w = __builtin_bswap64(w);
#endif
		stop = ~w & high;
		first = stop & -stop; /* top bit of the last byte of the first number */
		stop ^= first;
		second = stop & -stop;
		if (!second || first > UINT32_C(0x80000000) || second >> 32 > first)
			break;
		n = ((unsigned)__builtin_ctzll(second) + 1) / 8;
		if (n > end - at)
			break;
		a = idmap_get(map, decode_varint(w & (first - 1)));
		b = idmap_get(map, decode_varint((w & (second - 1)) >> (__builtin_ctzll(first) + 1)));
		if (a == IDMAP_NONE || b == IDMAP_NONE || !packed_fits(out, a | b))
			break;
		packed_put(out, a);
		packed_put(out, b);
		at += n;
	}
	return at;
}

#ifdef __x86_64__
#include <smmintrin.h>

#define QUAD_TARGET __attribute__((target("sse4.1,popcnt")))

/* The loader of glibc 2.33 knows it. The test of the compiler executes CPUID several times at each start, which is slow in
   virtual machines. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_QUADS (CPU_FEATURE_ACTIVE(SSE4_1) && CPU_FEATURE_ACTIVE(POPCNT))
#else
#define HAS_QUADS (__builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("popcnt"))
#endif

enum {
	QUAD_BYTES = 12,
	QUAD_MASKS = 1 << QUAD_BYTES,
	QUAD_MAX = 3,
	QUAD_KINDS = 81,
	QUAD_LENGTH = 15,
	QUAD_LOAD = 16,
	QUAD_WINDOW = 64,
	QUAD_STEP = QUAD_WINDOW - QUAD_BYTES + 1, /* from a window to the next one */
};

/* Shuffles that move four numbers into four lanes: the input byte for each byte of the lanes, 0x80 for none. */
static uint8_t quad_shuffle[QUAD_KINDS][16];

/* By the top bits of twelve bytes: 16 * number of the shuffle + length of the four numbers, or 0 if one is longer than three
   bytes. Filled in once. */
static uint16_t quads[QUAD_MASKS];
static bool has_quads; /* does the CPU support them? */
static pthread_once_t quads_once = PTHREAD_ONCE_INIT;

/* Fill in the shuffle of four lengths, which are the digits of kind to the base 3, less 1. */
static void quad_fill(unsigned kind)
{
	unsigned at = 0, mask = 0, digits = kind;

	memset(quad_shuffle[kind], 0x80, sizeof(quad_shuffle[kind]));
	for (unsigned lane = 0; lane < 4; lane++, digits /= QUAD_MAX) {
		for (unsigned i = 0; i <= digits % QUAD_MAX; i++) {
			quad_shuffle[kind][4 * lane + i] = (uint8_t)at;
			mask |= (i < digits % QUAD_MAX ? 1U : 0U) << at++;
		}
	}
	for (unsigned after = 0; after < (unsigned)QUAD_MASKS >> at; after++)
		quads[mask | after << at] = (uint16_t)(16 * kind + at);
}

static void quads_fill(void)
{
	for (unsigned kind = 0; kind < QUAD_KINDS; kind++)
		quad_fill(kind);
	has_quads = HAS_QUADS;
}

bool packed_has_quads(void)
{
	pthread_once(&quads_once, quads_fill);
	return has_quads;
}

/* The top bits of the next QUAD_WINDOW bytes. */
QUAD_TARGET static inline uint64_t quad_bits(const uint8_t *at)
{
	uint64_t bits = 0;

	for (unsigned i = 0; i < QUAD_WINDOW; i += QUAD_LOAD)
		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + i)))
			<< i;
	return bits;
}

/* Four numbers of at most three bytes, less 1. */
QUAD_TARGET static inline __m128i quad_decode(const uint8_t *at, const uint8_t shuffle[16])
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);

	x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle));
	x = _mm_or_si128(_mm_or_si128(_mm_and_si128(x, _mm_set1_epi32(0x7f)),
				      _mm_and_si128(_mm_srli_epi32(x, 1), _mm_set1_epi32(0x3f80))),
			 _mm_and_si128(_mm_srli_epi32(x, 2), _mm_set1_epi32(0x1fc000)));
	return _mm_sub_epi32(x, _mm_set1_epi32(1));
}

/* Write four ids, of which the last ones may be overwritten. */
QUAD_TARGET static inline void quad_store(uint8_t *to, __m128i x, uint32_t width)
{
	if (width == STACK_NARROW)
		x = _mm_shuffle_epi8(x, _mm_setr_epi8(0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, -1, -1, -1, -1));
	_mm_storeu_si128((__m128i *)(void *)to, x);
}

QUAD_TARGET static uint32_t quad_max(__m128i x)
{
	x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4e));
	return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xb1)));
}

/* The state of packed_quads. */
struct quad_state {
	const uint8_t *at;
	uint8_t *to;
	__m128i max; /* in each lane */
};

/*
 * Decode the next four numbers, and advance past n of them.
 *
 * bits     top bits of the bytes from s->at on
 * Returns  the bytes of all four, or 0 if one has more than three
 */
QUAD_TARGET static inline __attribute__((always_inline)) unsigned quad_next(struct quad_state *s, uint64_t bits,
									    unsigned n, uint32_t width)
{
	static const int32_t lanes[8] = { -1, -1, -1, -1, 0, 0, 0, 0 };
	unsigned quad = quads[bits & (QUAD_MASKS - 1)], length = quad & QUAD_LENGTH;
	__m128i x = quad_decode(s->at, quad_shuffle[quad / 16]);

	if (length == 0)
		return 0;
	if (n < 4)
		x = _mm_and_si128(x, _mm_loadu_si128((const __m128i *)(const void *)(lanes + 4 - n)));
	s->max = _mm_max_epu32(s->max, x);
	quad_store(s->to, x, width);
	s->to += n * width;
	s->at += length;
	return length;
}

/*
 * Decode the last QUAD_WINDOW bytes of a list or less, but at least one. They are counted first, so that only the number of steps
 * cannot be predicted. Stops before a number of more than three bytes.
 */
QUAD_TARGET static inline __attribute__((always_inline)) void quads_last(struct quad_state *s, const uint8_t *end,
									 uint32_t width)
{
	uint64_t all = ~UINT64_C(0) >> (QUAD_WINDOW - (end - s->at)), bits = quad_bits(s->at) & all;
	unsigned n = (unsigned)__builtin_popcountll(bits ^ all), length;

	if (bits > all / 2) /* the last number has no end */
		return;
	for (; n > 4; n -= 4, bits >>= length) {
		length = quad_next(s, bits, 4, width);
		if (length == 0)
			return;
	}
	if (quad_next(s, bits, n, width))
		s->at = end;
}

/* Decode four numbers at a time while QUAD_BYTES or more are left. Returns false if a number has more than three bytes. */
QUAD_TARGET static inline __attribute__((always_inline)) bool quads_full(struct quad_state *s, const uint8_t *end,
									 uint32_t width)
{
	const uint8_t *window = s->at, *limit = end - QUAD_BYTES;
	uint64_t bits = quad_bits(window), next = 0; /* bits: of the window, from s->at on */

	for (;; bits = next >> (s->at - window)) {
		const uint8_t *last = limit;

		if (limit - window >= QUAD_STEP) {
			next = quad_bits(window + QUAD_STEP);
			last = window + QUAD_STEP - 1;
		}
		while (s->at <= last) {
			unsigned length = quad_next(s, bits, 4, width);

			if (length == 0)
				return false;
			bits >>= length;
		}
		if (s->at > limit)
			return true;
		window += QUAD_STEP;
	}
}

QUAD_TARGET static inline __attribute__((always_inline)) const uint8_t *
quads_of(const struct idmap *map, const uint8_t *start, const uint8_t *end, struct packed_out *out, uint32_t width)
{
	struct quad_state s = { start, out->to, _mm_setzero_si128() };
	uint32_t largest;

	if ((end - start <= QUAD_WINDOW || quads_full(&s, end, width)) && s.at < end)
		quads_last(&s, end, width);
	largest = quad_max(s.max);
	if (largest >= map->n) /* an id is 0 or too large; the caller finds it */
		return start;
	out->max = largest > out->max ? largest : out->max;
	out->n += (size_t)(s.to - out->to) / width;
	out->to = s.to;
	return s.at;
}

QUAD_TARGET const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at, const uint8_t *end,
					const uint8_t *readable, struct packed_out *out)
{
	if (readable - end < QUAD_WINDOW)
		return at;
	return out->width == STACK_NARROW ? quads_of(map, at, end, out, STACK_NARROW)
					  : quads_of(map, at, end, out, STACK_WIDE);
}
#else
bool packed_has_quads(void)
{
	return false;
}

const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    struct packed_out *out)
{
	(void)map, (void)end, (void)readable, (void)out;
	return at;
}
#endif

const uint8_t *packed_indices(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			      struct packed_out *out)
{
	if (map->sequential && packed_has_quads())
		at = packed_quads(map, at, end, readable, out);
	return at == end ? at : packed_pairs(map, at, end, readable, out);
}

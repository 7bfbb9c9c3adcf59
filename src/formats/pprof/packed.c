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
 * once, so that the next four numbers need not wait for them.
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
			    uint32_t **out, uint32_t *max)
{
	const uint64_t high = UINT64_C(0x8080808080808080);
	uint32_t *to = *out, most = *max;

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
		if (a == IDMAP_NONE || b == IDMAP_NONE)
			break;
		to[0] = a;
		to[1] = b;
		to += 2;
		at += n;
		most = a > most ? a : most;
		most = b > most ? b : most;
	}
	*out = to;
	*max = most;
	return at;
}

#ifdef __x86_64__
#include <smmintrin.h>

/* The loader of glibc 2.33 knows it. The test of the compiler executes CPUID several times at each start, which is slow in
   virtual machines. */
#if __has_include(<sys/platform/x86.h>)
#include <sys/platform/x86.h>
#define HAS_SSE4_1 CPU_FEATURE_ACTIVE(SSE4_1)
#else
#define HAS_SSE4_1 __builtin_cpu_supports("sse4.1")
#endif

enum {
	QUAD_BYTES = 12,
	QUAD_MASKS = 1 << QUAD_BYTES,
	QUAD_MAX = 3,
	QUAD_KINDS = 81,
	QUAD_LENGTH = 15,
	QUAD_LOAD = 16,
	QUAD_WINDOW = 64,
};

/* Shuffles that move four numbers into four lanes: the input byte for each byte of the lanes, 0x80 for none. */
static uint8_t quad_shuffle[QUAD_KINDS][16];

/* By the top bits of twelve bytes: 16 * number of the shuffle + length of the four numbers, or 0 if one is longer than three
   bytes. Filled in once. */
static uint16_t quads[QUAD_MASKS];
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
}

bool packed_has_quads(void)
{
	return HAS_SSE4_1;
}

/* The top bits of the next 64 bytes, or of the next 16 if fewer than 80 are readable. last: set to where the last twelve start */
__attribute__((target("sse4.1"))) static inline uint64_t quad_bits(const uint8_t *at, const uint8_t *readable,
								   const uint8_t **last)
{
	unsigned bytes = readable - at >= QUAD_WINDOW + QUAD_LOAD ? QUAD_WINDOW : QUAD_LOAD;
	uint64_t bits = 0;

	*last = bytes == QUAD_WINDOW ? at + QUAD_WINDOW - QUAD_BYTES : at;
	for (unsigned i = 0; i < bytes; i += QUAD_LOAD)
		bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(_mm_loadu_si128((const __m128i *)(const void *)(at + i)))
			<< i;
	return bits;
}

/* Four numbers of at most three bytes, less 1. */
__attribute__((target("sse4.1"))) static inline __m128i quad_decode(const uint8_t *at, const uint8_t shuffle[16])
{
	__m128i x = _mm_loadu_si128((const __m128i *)(const void *)at);

	x = _mm_shuffle_epi8(x, _mm_loadu_si128((const __m128i *)(const void *)shuffle));
	x = _mm_or_si128(_mm_or_si128(_mm_and_si128(x, _mm_set1_epi32(0x7f)),
				      _mm_and_si128(_mm_srli_epi32(x, 1), _mm_set1_epi32(0x3f80))),
			 _mm_and_si128(_mm_srli_epi32(x, 2), _mm_set1_epi32(0x1fc000)));
	return _mm_sub_epi32(x, _mm_set1_epi32(1));
}

__attribute__((target("sse4.1"))) static uint32_t quad_max(__m128i x)
{
	x = _mm_max_epu32(x, _mm_shuffle_epi32(x, 0x4e));
	return (uint32_t)_mm_cvtsi128_si32(_mm_max_epu32(x, _mm_shuffle_epi32(x, 0xb1)));
}

__attribute__((target("sse4.1"))) const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at,
							      const uint8_t *end, const uint8_t *readable,
							      uint32_t **out, uint32_t *max)
{
	const uint8_t *start = at;
	__m128i most = _mm_setzero_si128();
	uint32_t *to = *out, largest;

	pthread_once(&quads_once, quads_fill);
	while (readable - at >= QUAD_LOAD) {
		const uint8_t *last; /* bits has those of the next four numbers up to here */
		uint64_t bits = quad_bits(at, readable, &last);

		do {
			unsigned quad = quads[bits & (QUAD_MASKS - 1)], length = quad & QUAD_LENGTH;
			__m128i x = quad_decode(at, quad_shuffle[quad / 16]);

			if (length == 0 || length > end - at)
				goto out;
			most = _mm_max_epu32(most, x);
			_mm_storeu_si128((__m128i *)(void *)to, x);
			to += 4;
			at += length;
			bits >>= length;
		} while (at <= last);
	}
out:
	largest = quad_max(most);
	if (largest >= map->n) /* an id is 0 or too large; the caller finds it */
		return start;
	*max = largest > *max ? largest : *max;
	*out = to;
	return at;
}
#else
bool packed_has_quads(void)
{
	return false;
}

const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    uint32_t **out, uint32_t *max)
{
	(void)map, (void)end, (void)readable, (void)out, (void)max;
	return at;
}
#endif

const uint8_t *packed_indices(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			      uint32_t **out, uint32_t *max)
{
	if (map->sequential && packed_has_quads())
		at = packed_quads(map, at, end, readable, out, max);
	return packed_pairs(map, at, end, readable, out, max);
}

/*
 * hash.h - hash functions for bytes and ids, with a random key per process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The key prevents a hostile file from putting all its names into one bucket. No output depends on
 * it, since tables assign ids in order of insertion.
 */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

extern uint64_t hash_secret[2]; /* set once before main by hash.c */

/* Mix two words into one by folding their 128-bit product, as wyhash does. */
static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
#ifdef __SIZEOF_INT128__
	__uint128_t m = (__uint128_t)a * b;

	return (uint64_t)m ^ (uint64_t)(m >> 64);
#else
	uint64_t lo = (a & 0xffffffff) * (b | 1), hi = (a >> 32) * (b | 1);

	lo ^= hi << 32 | hi >> 32;
	lo ^= lo >> 29;
	return lo * 0x9e3779b97f4a7c15 ^ lo >> 32;
#endif
}

/* Hash of one word. */
static inline uint64_t hash_u64(uint64_t v)
{
	return hash_mix(hash_mix(v ^ hash_secret[0], hash_secret[1]), 0x9e3779b97f4a7c15);
}

/* Hash of n bytes. */
static inline uint64_t hash_bytes(const void *data, size_t n)
{
	const unsigned char *p = data;
	uint64_t h = n ^ hash_secret[0], w, x;

	for (; n > 16; p += 16, n -= 16) {
		memcpy(&w, p, 8);
		memcpy(&x, p + 8, 8);
		h = hash_mix(w ^ hash_secret[1] ^ h, x ^ hash_secret[0]);
	}
	w = x = 0;
	if (n >= 8) {
		memcpy(&w, p, 8);
		memcpy(&x, p + n - 8, 8);
	} else if (n >= 4) {
		uint32_t lo, hi;

		memcpy(&lo, p, 4);
		memcpy(&hi, p + n - 4, 4);
		w = lo;
		x = hi;
	} else if (n > 0) {
		w = (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
	}
	return hash_mix(w ^ hash_secret[1] ^ h, x ^ hash_secret[0] ^ 0x9e3779b97f4a7c15);
}

/* Another hash of n bytes, which takes less time if there are many. */
uint64_t hash_many_bytes(const void *data, size_t n);

#endif

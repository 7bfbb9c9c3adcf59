/*
 * hash.c - the random key of the hash functions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/hash.h"

#include <sys/random.h>
#include <time.h>

uint64_t hash_secret[2] = { 0xa0761d6478bd642f, 0xe7037ed1a0b428db };

uint64_t hash_many_bytes(const void *data, size_t n)
{
	enum { LANES = 4, WORDS = 2 * LANES };
	uint64_t h[LANES] = { n ^ hash_secret[0], hash_u64(1), hash_u64(2), hash_u64(3) }, w[WORDS];
	const unsigned char *p = data;

	for (; n >= sizeof(w); p += sizeof(w), n -= sizeof(w)) {
		memcpy(w, p, sizeof(w));
		for (int i = 0; i < LANES; i++) /* the processor multiplies for all of them at the same time */
			h[i] = hash_mix(w[2 * i] ^ hash_secret[1] ^ h[i], w[2 * i + 1] ^ hash_secret[0]);
	}
	h[0] = hash_mix(h[0] ^ hash_secret[0], h[1] ^ hash_secret[1]);
	h[2] = hash_mix(h[2] ^ hash_secret[1], h[3] ^ hash_secret[0]);
	return hash_mix(h[0] ^ hash_bytes(p, n), h[2] ^ hash_secret[1]);
}

__attribute__((constructor)) static void hash_seed(void)
{
	uint64_t seed[2] = { (uint64_t)time(NULL), 0 };

	(void)!getrandom(seed, sizeof(seed), GRND_NONBLOCK);
	hash_secret[0] ^= seed[0];
	hash_secret[1] = (hash_secret[1] ^ seed[1]) | 1;
}

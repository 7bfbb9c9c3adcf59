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

__attribute__((constructor)) static void hash_seed(void)
{
	uint64_t seed[2] = { (uint64_t)time(NULL), 0 };

	(void)!getrandom(seed, sizeof(seed), GRND_NONBLOCK);
	hash_secret[0] ^= seed[0];
	hash_secret[1] = (hash_secret[1] ^ seed[1]) | 1;
}

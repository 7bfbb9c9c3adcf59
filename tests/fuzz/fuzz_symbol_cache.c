/*
 * fuzz_symbol_cache.c - any bytes as a file of the symbol cache
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The checksum is corrected first, since no input would pass it. Stops when an accepted file refers to data
 * outside it.
 */
#include "config.h"

#include "fuzz.h"

#include "symbol/cache.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct bytes b = fuzz_bytes(data, n);
	struct cache c;

	if (n >= 16) {
		uint64_t sum = cache_sum(b.data, n);

		memcpy(b.data + 8, &sum, sizeof(sum));
	}
	if (cache_parse(b.data, b.n, "0123456789abcdef", &c))
		for (uint32_t k = 0; k < c.off[c.n]; k++)
			if (strlen(c.text + c.frame[k].name) >= c.n_text ||
			    strlen(c.text + c.frame[k].file) >= c.n_text)
				abort();
	free(b.data);
	return 0;
}

/*
 * fuzz_jit.c - any bytes as a perf map or a jitdump
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "base/utf8.h"
#include "symbol/jit/jit.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t addr[] = { 0, 0x1000, 0x1008, 0x2000, 0x7f0000001000, UINT64_MAX };
	const size_t n = sizeof(addr) / sizeof(addr[0]);
	FILE *f = size ? fmemopen((void *)(uintptr_t)data, size, "r") : NULL;
	struct jit *j = jit_new(addr, n);
	struct jit_name name;
	size_t n_found = 0;
	uint32_t c;

	if (f) {
		jit_read(j, f, NULL);
		fclose(f);
	}
	for (size_t i = 0; i < n; i++) {
		size_t len;

		if (!jit_find(j, addr[i], &name))
			continue;
		n_found++;
		len = strlen(name.function);
		if (name.offset > addr[i] || len == 0)
			abort();
		for (size_t at = 0, step; at < len; at += step) {
			step = utf8_decode(name.function + at, len - at, &c);
			if (!step || (c != '\t' && !utf8_is_safe(c)))
				abort();
		}
	}
	if (n_found != jit_count(j))
		abort();
	jit_free(j);
	return 0;
}

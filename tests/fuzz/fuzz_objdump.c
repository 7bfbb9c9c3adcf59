/*
 * fuzz_objdump.c - any bytes as the output of objdump
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "symbol/objdump.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint64_t start = size ? (uint64_t)data[0] << 4 : 0, stop = size & 1 ? UINT64_MAX : start + 0x2000;
	struct arena *mem = arena_new();
	struct buf text = { 0 };
	struct objdump_text out;
	size_t length = 0;

	buf_add(&text, data, size);
	objdump_read(&text, start, stop, mem, &out);
	for (uint32_t i = 0; i < out.n; i++) {
		const struct instruction *in = &out.inst[i];

		if (in->addr < start || in->addr >= stop || in->line < 0 || in->line > UINT32_MAX)
			abort();
		length += strlen(in->text) + strlen(in->function) + strlen(in->file) + out.before[i];
	}
	if (length > (size_t)1 << 40)
		abort();
	arena_free(mem);
	return 0;
}

/*
 * fuzz_frames.c - any bytes as a program with DWARF, and lookups of addresses in it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Stops when offsets of frames are not ascending or a string is missing. Small programs have their code at low
 * addresses, so low addresses are looked up.
 */
#include "config.h"

#include "fuzz.h"

#include "base/pool.h"
#include "symbol/frames.h"

#include <sys/mman.h>
#include <unistd.h>

enum { N_ADDRESSES = 600 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct frames_files files = { .alt_fd = -1, .path = "fuzz" };
	uint64_t addr[N_ADDRESSES];
	struct arena *mem = arena_new();
	struct frames f;
	struct err err;
	bool whole;

	pool_set_size(1);
	for (uint64_t i = 0; i < N_ADDRESSES; i++)
		addr[i] = i < 300 ? i : (i - 300) * 16 + 0x1000;
	files.fd = files.debug_fd = memfd_create("fuzz", MFD_CLOEXEC);
	if (files.fd < 0 || (n && write(files.fd, data, n) != (ssize_t)n))
		abort();
	frames_read(&files, addr, N_ADDRESSES, mem, &f, &whole, &err);
	if (f.n != N_ADDRESSES || f.off[0] != 0)
		abort();
	for (uint32_t i = 0; i < f.n; i++) {
		if (f.off[i] > f.off[i + 1])
			abort();
		for (uint32_t k = f.off[i]; k < f.off[i + 1]; k++)
			if (strlen(f.frame[k].name) + strlen(f.frame[k].file) > SIZE_MAX / 2)
				abort();
	}
	close(files.fd);
	arena_free(mem);
	return 0;
}

/*
 * object_lzma.c - the symbols that some systems put into stripped programs
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "symbol/object_lzma.h"

#include "base/io.h"
#include "base/mem.h"

#include <lzma.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

enum {
	UNPACKED_MAX = 256 << 20,
	MEMORY_MAX = 128 << 20, /* for the dictionary */
	PIECE = 1 << 16
};

/* Unpack to a descriptor. */
static bool unpack(const uint8_t *data, size_t n, int fd)
{
	lzma_stream s = LZMA_STREAM_INIT;
	uint8_t *piece = mem_alloc(PIECE, 1);
	uint64_t total = 0;
	lzma_ret rc = lzma_stream_decoder(&s, MEMORY_MAX, 0);

	s.next_in = data;
	s.avail_in = n;
	while (rc == LZMA_OK) {
		s.next_out = piece;
		s.avail_out = PIECE;
		rc = lzma_code(&s, LZMA_FINISH);
		total += PIECE - s.avail_out;
		if (total > UNPACKED_MAX || io_write_fd(fd, piece, PIECE - s.avail_out, NULL) < 0)
			rc = LZMA_MEM_ERROR;
	}
	lzma_end(&s);
	free(piece);
	return rc == LZMA_STREAM_END;
}

int object_lzma_unpack(const uint8_t *data, size_t n, const char *name)
{
	int fd = memfd_create(name, MFD_CLOEXEC);

	if (fd >= 0 && !unpack(data, n, fd)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

void object_lzma_open(const struct object_file *f, struct object_file *out)
{
	size_t n;
	const uint8_t *data = object_file_section_bytes(f, ".gnu_debugdata", &n);
	int fd = data ? object_lzma_unpack(data, n, "gnu_debugdata") : -1;

	*out = (struct object_file){ .fd = -1 };
	if (fd >= 0)
		object_file_take(fd, f->path, out, NULL);
}

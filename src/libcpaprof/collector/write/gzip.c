/*
 * gzip.c - compress a stream, without the host's heap
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/collector/write/gzip.h"

#include "libcpaprof/collector/read/memory.h"

#include <errno.h>
#include <stdint.h>
#include <zlib.h>

enum { LEVEL = 1, WINDOW_GZIP = 15 + 16, MEMORY = 8, MEMORY_SMALL = 4, POOL = 512 << 10, OUT = 16 << 10 };

struct collector_gzip {
	z_stream z;
	snap_sink_fn *sink;
	void *arg;
	int error;
	size_t used; /* number of bytes of pool in use */
	uint8_t out[OUT];
	_Alignas(16) uint8_t pool[POOL]; /* memory for zlib, which needs about 270 kB */
};

static void *pool_alloc(void *arg, unsigned n, unsigned size)
{
	struct collector_gzip *g = arg;
	size_t bytes = ((size_t)n * size + 15) & ~(size_t)15, at = g->used;

	if (bytes > POOL - at)
		return NULL;
	g->used += bytes;
	return g->pool + at;
}

/* Does nothing: the pool is released as a whole. */
static void pool_free(void *arg, void *p)
{
	(void)arg;
	(void)p;
}

struct collector_gzip *gzip_open(snap_sink_fn *sink, void *arg, bool is_small)
{
	struct collector_gzip *g = memory_map(sizeof(*g));

	if (!g)
		return NULL;
	g->sink = sink;
	g->arg = arg;
	g->z = (z_stream){ .zalloc = pool_alloc, .zfree = pool_free, .opaque = g };
	g->z.next_out = g->out;
	g->z.avail_out = OUT;
	if (deflateInit2(&g->z, LEVEL, Z_DEFLATED, WINDOW_GZIP, is_small ? MEMORY_SMALL : MEMORY, Z_DEFAULT_STRATEGY) ==
	    Z_OK)
		return g;
	memory_unmap(g, sizeof(*g));
	return NULL;
}

static void collector_gzip_write_out(struct collector_gzip *g)
{
	size_t n = OUT - g->z.avail_out;

	if (n && !g->error)
		g->error = g->sink(g->arg, g->out, n);
	g->z.next_out = g->out;
	g->z.avail_out = OUT;
}

/* Compress until zlib has used up the input. */
static void deflate_all(struct collector_gzip *g, int flush)
{
	do {
		int rc = deflate(&g->z, flush);

		if (rc == Z_STREAM_ERROR && !g->error)
			g->error = -EIO;
		if (g->z.avail_out > 0)
			return;
		collector_gzip_write_out(g);
	} while (!g->error);
}

bool gzip_sink(void *arg, const void *data, size_t n)
{
	struct collector_gzip *g = arg;

	while (n && !g->error) {
		unsigned part = n > UINT32_MAX ? UINT32_MAX : (unsigned)n;

		g->z.next_in = (void *)(uintptr_t)data;
		g->z.avail_in = part;
		deflate_all(g, Z_NO_FLUSH);
		data = (const uint8_t *)data + part;
		n -= part;
	}
	return !g->error;
}

int gzip_close(struct collector_gzip *g)
{
	int rc;

	deflate_all(g, Z_FINISH);
	collector_gzip_write_out(g);
	deflateEnd(&g->z);
	rc = g->error;
	memory_unmap(g, sizeof(*g));
	return rc;
}

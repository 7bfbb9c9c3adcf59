/*
 * gzip.c - compress bytes with gzip, on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes are cut into pieces, and any thread compresses a piece to a deflate stream. The concatenated streams are
 * one stream if only the last has a final block. libdeflate marks the last block of every piece as final, so each piece
 * is decompressed again, block by block, to find where that block begins. Its mark is cleared, and an empty stored
 * block is appended, which also ends at a byte boundary.
 */
#include "config.h"

#include "formats/common/gzip.h"

#include "base/mem.h"
#include "base/pool.h"
#include "base/zlib.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
	PIECE_BYTES = 1 << 20,
	LEVEL_SINGLE = 6, /* compression level of a single piece */
	LEVEL_MANY = 4,   /* compression level of several pieces: 3 % larger, in 55 % of the time */
	WAITING_MAX = 8,  /* max queued pieces; with more, the producer compresses one itself before it continues */
	SYNC_BYTES = 6,   /* an empty stored block and the bits before it */
	BLOCK_END = 128,  /* bit of z_stream.data_type: inflate is at the end of a block */
	LAST_BLOCK = 64,  /* bit of z_stream.data_type: the block is the last one */
	UNUSED_BITS = 7,  /* mask of the number of unused bits in the last byte */
};

struct piece {
	uint8_t *data; /* input; after compression, the compressed input */
	size_t n;
	bool has_failed; /* set if there was not enough memory, or zlib is missing */
};

struct gzip {
	pthread_mutex_t lock; /* guards the fields below, except pieces that a thread has taken */
	pthread_cond_t changed;
	struct piece **piece;
	size_t n, cap;    /* number of complete pieces */
	size_t next;      /* first piece that no thread has taken */
	bool is_complete; /* no more pieces will follow */
	/* fields used only by the producer */
	struct piece *current;
	size_t n_bytes;
	uint32_t crc;
	gzip_source_fn source;
	void *arg;
	int rc;
	struct err err;
};

static struct piece *piece_new(void)
{
	struct piece *p = mem_zalloc(1, sizeof(*p));

	p->data = mem_alloc(PIECE_BYTES, 1);
	return p;
}

static void piece_free(struct piece *p)
{
	if (!p)
		return;
	free(p->data);
	free(p);
}

/*
 * Find the last block of a deflate stream.
 *
 * scratch   [room] buffer for the decompressed stream
 * begin     set to its first bit
 * end       set to the bit after it
 */
static bool last_block(const uint8_t *packed, size_t n, uint8_t *scratch, size_t room, size_t *begin, size_t *end)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)n };
	const struct zlib *lib;
	bool found = false;

	if (zlib_load(&lib, NULL) < 0 || zlib_inflate_init(lib, &z, -MAX_WBITS) != Z_OK)
		return false;
	z.next_out = scratch;
	z.avail_out = (uInt)room;
	*begin = 0;
	while (!found && lib->inflate(&z, Z_BLOCK) == Z_OK) {
		*end = 8 * (n - z.avail_in) - ((unsigned)z.data_type & UNUSED_BITS);
		found = (z.data_type & BLOCK_END) && (z.data_type & LAST_BLOCK);
		if (!found && (z.data_type & BLOCK_END))
			*begin = *end;
	}
	lib->inflateEnd(&z);
	return found;
}

/* Change a compressed piece of n bytes so that another piece can follow. Returns its new size, 0 on failure. */
static size_t piece_clear_final(uint8_t *packed, size_t n, uint8_t *scratch, size_t room)
{
	static const uint8_t empty[] = { 0x00, 0x00, 0xff, 0xff };
	size_t begin, end, at;

	if (!last_block(packed, n, scratch, room, &begin, &end))
		return 0;
	packed[begin / 8] &= (uint8_t) ~(1u << begin % 8);
	at = (end + 3 + 7) / 8; /* three bits of 0: a stored block that is not the last */
	if (at > n)
		packed[n] = 0;
	memcpy(packed + at, empty, sizeof(empty));
	return at + sizeof(empty);
}

static void piece_pack(struct piece *p, bool is_first, bool is_last)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(is_first && is_last ? LEVEL_SINGLE : LEVEL_MANY);
	size_t bound = libdeflate_deflate_compress_bound(c, PIECE_BYTES);
	uint8_t *packed = mem_alloc(bound + SYNC_BYTES, 1);
	size_t n = c ? libdeflate_deflate_compress(c, p->data, p->n, packed, bound) : 0;

	libdeflate_free_compressor(c);
	if (n && !is_last)
		n = piece_clear_final(packed, n, p->data, PIECE_BYTES);
	free(p->data);
	p->has_failed = n == 0;
	p->data = mem_trim(packed, n, 1);
	p->n = n;
}

/* Compress the next free piece. Called with the lock held, which is released meanwhile. */
static void pack_next(struct gzip *g)
{
	size_t i = g->next++;
	struct piece *p = g->piece[i];
	bool is_last = g->is_complete && i + 1 == g->n;

	pthread_mutex_unlock(&g->lock);
	piece_pack(p, i == 0, is_last);
	pthread_mutex_lock(&g->lock);
}

/* Queue the current piece. is_last: no more pieces follow. */
static void piece_finish(struct gzip *g, bool is_last)
{
	pthread_mutex_lock(&g->lock);
	g->piece = mem_grow(g->piece, &g->cap, g->n + 1, sizeof(struct piece *));
	g->piece[g->n++] = g->current;
	g->current = NULL;
	g->is_complete = is_last;
	pthread_cond_broadcast(&g->changed);
	if (!is_last && g->n - g->next > WAITING_MAX)
		pack_next(g);
	pthread_mutex_unlock(&g->lock);
}

bool format_gzip_write(void *gzip, const void *data, size_t n)
{
	struct gzip *g = gzip;
	const uint8_t *from = data;

	g->crc = libdeflate_crc32(g->crc, data, n);
	g->n_bytes += n;
	while (n) {
		size_t some;

		if (g->current->n == PIECE_BYTES) {
			piece_finish(g, false);
			g->current = piece_new();
		}
		some = PIECE_BYTES - g->current->n < n ? PIECE_BYTES - g->current->n : n;
		memcpy(g->current->data + g->current->n, from, some);
		g->current->n += some;
		from += some;
		n -= some;
	}
	return true;
}

static void gzip_run_thread(void *arg, unsigned part)
{
	struct gzip *g = arg;

	if (part == 0) {
		g->rc = g->source(g->arg, g, &g->err);
		piece_finish(g, true);
	}
	pthread_mutex_lock(&g->lock);
	while (!g->is_complete || g->next < g->n)
		if (g->next < g->n)
			pack_next(g);
		else
			pthread_cond_wait(&g->changed, &g->lock);
	pthread_mutex_unlock(&g->lock);
}

static void put_u32(struct buf *out, size_t v)
{
	uint8_t le[] = { (uint8_t)v, (uint8_t)(v >> 8), (uint8_t)(v >> 16), (uint8_t)(v >> 24) };

	buf_add(out, le, sizeof(le));
}

/* Concatenate the pieces. */
static int gzip_join(const struct gzip *g, struct buf *out, struct err *err)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff };
	const struct zlib *lib;
	size_t n = 0;

	if (g->n > 1 && zlib_load(&lib, err) < 0)
		return ERR_IO;
	for (size_t i = 0; i < g->n; i++) {
		if (g->piece[i]->has_failed)
			return err_set(err, ERR_LIMIT, "out of memory while compressing the profile");
		n += g->piece[i]->n;
	}
	buf_room(out, n + sizeof(head) + 8);
	buf_add(out, head, sizeof(head));
	for (size_t i = 0; i < g->n; i++)
		buf_add(out, g->piece[i]->data, g->piece[i]->n);
	put_u32(out, g->crc);
	put_u32(out, g->n_bytes);
	return 0;
}

int format_gzip_pack(gzip_source_fn source, void *arg, unsigned n_threads, struct buf *out, struct err *err)
{
	struct gzip g = { .source = source, .arg = arg, .current = piece_new() };
	int rc;

	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.changed, NULL);
	pool_run(gzip_run_thread, &g, n_threads);
	rc = g.rc < 0 ? err_set(err, g.rc, "%s", g.err.msg) : gzip_join(&g, out, err);
	pthread_cond_destroy(&g.changed);
	pthread_mutex_destroy(&g.lock);
	for (size_t i = 0; i < g.n; i++)
		piece_free(g.piece[i]);
	free(g.piece);
	return rc;
}

/*
 * gzip.c - pack bytes with gzip, on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes are cut into pieces, each packed by any thread into a deflate stream of its own. Put
 * behind each other they are one stream once only the last says that it ends there: libdeflate marks
 * the last block of each piece as final, so where that block begins is found by unpacking the piece
 * again, block by block. Its mark is cleared and an empty stored block put behind, which also ends on a
 * whole byte.
 */
#include "config.h"

#include "viewers/export/gzip.h"

#include "base/mem.h"
#include "base/pool.h"

#include <libdeflate.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum {
	PIECE_BYTES = 1 << 20,
	LEVEL_ONE = 6,   /* what fits into one piece */
	LEVEL_MANY = 4,  /* 3 % larger, in 55 % of the time */
	MAX_WAITING = 8, /* pieces; the maker packs one itself before it goes on */
	JOINT_BYTES = 6, /* an empty stored block with the bits in front of it */
	BLOCK_END = 128, /* of z_stream.data_type: inflate stands behind a block, */
	LAST_BLOCK = 64, /* which is the last, */
	UNUSED_BITS = 7, /* and so many bits of the last byte are still to come */
};

struct piece {
	uint8_t *data; /* as it was made, then packed */
	size_t n;
	bool failed; /* no memory */
};

struct gzip {
	pthread_mutex_t lock; /* guards what follows, but not the pieces that are taken */
	pthread_cond_t changed;
	struct piece **piece;
	size_t n, cap; /* complete pieces */
	size_t next;   /* the first that nobody has taken */
	bool made;     /* there will be no more */
	/* the maker's own */
	struct piece *filling;
	size_t n_bytes;
	uint32_t crc;
	gzip_make_fn make;
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
 * scratch   [room] where the stream unpacks to
 * begin     its first bit
 * end       the bit behind it
 */
static bool last_block(const uint8_t *packed, size_t n, uint8_t *scratch, size_t room, size_t *begin, size_t *end)
{
	z_stream z = { .next_in = (Bytef *)(uintptr_t)packed, .avail_in = (uInt)n };
	bool found = false;

	if (inflateInit2(&z, -MAX_WBITS) != Z_OK)
		return false;
	z.next_out = scratch;
	z.avail_out = (uInt)room;
	*begin = 0;
	while (!found && inflate(&z, Z_BLOCK) == Z_OK) {
		*end = 8 * (n - z.avail_in) - ((unsigned)z.data_type & UNUSED_BITS);
		found = (z.data_type & BLOCK_END) && (z.data_type & LAST_BLOCK);
		if (!found && (z.data_type & BLOCK_END))
			*begin = *end;
	}
	inflateEnd(&z);
	return found;
}

/* Make a packed piece one that another follows. Its size is n, then what is returned; 0 on failure. */
static size_t piece_open(uint8_t *packed, size_t n, uint8_t *scratch, size_t room)
{
	static const uint8_t empty[] = { 0x00, 0x00, 0xff, 0xff };
	size_t begin, end, at;

	if (!last_block(packed, n, scratch, room, &begin, &end))
		return 0;
	packed[begin / 8] &= (uint8_t) ~(1u << begin % 8);
	at = (end + 3 + 7) / 8; /* three bits say that the block is stored and not the last */
	if (at > n)
		packed[n] = 0;
	memcpy(packed + at, empty, sizeof(empty));
	return at + sizeof(empty);
}

static void piece_pack(struct piece *p, bool first, bool last)
{
	struct libdeflate_compressor *c = libdeflate_alloc_compressor(first && last ? LEVEL_ONE : LEVEL_MANY);
	size_t bound = libdeflate_deflate_compress_bound(c, PIECE_BYTES);
	uint8_t *packed = mem_alloc(bound + JOINT_BYTES, 1);
	size_t n = c ? libdeflate_deflate_compress(c, p->data, p->n, packed, bound) : 0;

	libdeflate_free_compressor(c);
	if (n && !last)
		n = piece_open(packed, n, p->data, PIECE_BYTES);
	free(p->data);
	p->failed = n == 0;
	p->data = mem_trim(packed, n, 1);
	p->n = n;
}

/* Pack the next piece that nobody has. Holds the lock, which is let go meanwhile. */
static void pack_next(struct gzip *g)
{
	size_t i = g->next++;
	struct piece *p = g->piece[i];
	bool last = g->made && i + 1 == g->n;

	pthread_mutex_unlock(&g->lock);
	piece_pack(p, i == 0, last);
	pthread_mutex_lock(&g->lock);
}

/* The piece that is filled is complete. The last one is only ever handed over as such. */
static void piece_done(struct gzip *g, bool last)
{
	pthread_mutex_lock(&g->lock);
	g->piece = mem_grow(g->piece, &g->cap, g->n + 1, sizeof(struct piece *));
	g->piece[g->n++] = g->filling;
	g->filling = NULL;
	g->made = last;
	pthread_cond_broadcast(&g->changed);
	if (!last && g->n - g->next > MAX_WAITING)
		pack_next(g);
	pthread_mutex_unlock(&g->lock);
}

bool export_gzip_put(void *gzip, const void *data, size_t n)
{
	struct gzip *g = gzip;
	const uint8_t *from = data;

	g->crc = libdeflate_crc32(g->crc, data, n);
	g->n_bytes += n;
	while (n) {
		size_t some;

		if (g->filling->n == PIECE_BYTES) {
			piece_done(g, false);
			g->filling = piece_new();
		}
		some = PIECE_BYTES - g->filling->n < n ? PIECE_BYTES - g->filling->n : n;
		memcpy(g->filling->data + g->filling->n, from, some);
		g->filling->n += some;
		from += some;
		n -= some;
	}
	return true;
}

static void pack_part(void *arg, unsigned part)
{
	struct gzip *g = arg;

	if (part == 0) {
		g->rc = g->make(g->arg, g, &g->err);
		piece_done(g, true);
	}
	pthread_mutex_lock(&g->lock);
	while (!g->made || g->next < g->n)
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

/* Put the pieces together. */
static int join(const struct gzip *g, struct buf *out, struct err *err)
{
	static const uint8_t head[] = { 0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff };
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		if (g->piece[i]->failed)
			return err_set(err, ERR_LIMIT, "no memory to pack the profile");
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

int export_gzip_pack(gzip_make_fn make, void *arg, unsigned n_threads, struct buf *out, struct err *err)
{
	struct gzip g = { .make = make, .arg = arg, .filling = piece_new() };
	int rc;

	pthread_mutex_init(&g.lock, NULL);
	pthread_cond_init(&g.changed, NULL);
	pool_run(pack_part, &g, n_threads);
	rc = g.rc < 0 ? err_set(err, g.rc, "%s", g.err.msg) : join(&g, out, err);
	pthread_cond_destroy(&g.changed);
	pthread_mutex_destroy(&g.lock);
	for (size_t i = 0; i < g.n; i++)
		piece_free(g.piece[i]);
	free(g.piece);
	return rc;
}

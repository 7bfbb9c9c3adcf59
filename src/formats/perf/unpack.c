/*
 * unpack.c - records that perf record compressed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes of all compressed records are one zstd stream, and a record in it may begin in one block and end in the next.
 * Unpacked bytes are kept in chunks until their records are processed.
 */
#include "config.h"

#include "base/mem.h"
#include "base/zstd.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CHUNK_BYTES = 512 << 10, ROOM_MIN = 64 << 10 };
#define RATIO_FREE ((size_t)1 << 30) /* unpacked bytes before the ratio is checked */
#define RATIO_MAX 1000

/* A chunk that is not used; its index. */
static uint32_t unpack_chunk(struct perf_reader *r)
{
	uint32_t i = 0;

	while (i < r->n_chunks && r->chunk[i].data)
		i++;
	if (i == r->n_chunks) {
		r->chunk = mem_grow(r->chunk, &r->cap_chunks, r->n_chunks + 1, sizeof(*r->chunk));
		r->n_chunks++;
	}
	r->chunk[i] = (struct perf_chunk){ .data = mem_alloc(CHUNK_BYTES, 1), .cap = CHUNK_BYTES };
	r->n_chunk_bytes += CHUNK_BYTES;
	return i;
}

/* Free chunks of which all records were processed, except the current one. */
static void unpack_free_chunks(struct perf_reader *r)
{
	for (uint32_t i = 0; i < r->n_chunks; i++)
		if (i != r->current_chunk && r->chunk[i].data && r->chunk[i].n_queued == 0) {
			free(r->chunk[i].data);
			r->chunk[i].data = NULL;
			r->n_chunk_bytes -= CHUNK_BYTES;
		}
}

/* Make room in the current chunk, or continue in another one, to which an incomplete record is moved. */
static void unpack_make_room(struct perf_reader *r)
{
	struct perf_chunk *c = r->n_chunks ? &r->chunk[r->current_chunk] : NULL;
	size_t n_rest;
	uint32_t next;

	if (c && c->cap - c->n >= ROOM_MIN)
		return;
	next = unpack_chunk(r);
	c = r->n_chunks > 1 ? &r->chunk[r->current_chunk] : NULL;
	if (c && c->data && next != r->current_chunk) {
		n_rest = c->n - r->n_taken;
		memcpy(r->chunk[next].data, c->data + r->n_taken, n_rest);
		r->chunk[next].n = n_rest;
	}
	r->n_taken = 0;
	r->current_chunk = next;
	unpack_free_chunks(r);
}

/* Add the complete records of the current chunk. */
static int unpack_take_records(struct perf_reader *r, struct err *err)
{
	struct perf_record rec;
	int rc = 0;

	for (;;) {
		const struct perf_chunk *c = &r->chunk[r->current_chunk];

		if (!perfdata_record_at(r, c->data + r->n_taken, c->n - r->n_taken, &rec))
			break;
		r->n_taken += rec.n;
		rc = rec.type == PERF_FINISHED_ROUND ? perfdata_queue_end_round(r, err)
						     : perfdata_queue_add(r, &rec, r->current_chunk + 1, err);
		if (rc < 0)
			return rc;
	}
	/* a size below that of a header cannot be waited for */
	if (r->chunk[r->current_chunk].n - r->n_taken >= PERF_HEADER_SIZE &&
	    perfdata_u16(r, r->chunk[r->current_chunk].data + r->n_taken + 6) < PERF_HEADER_SIZE)
		r->is_unpack_damaged = true;
	return 0;
}

static int unpack_limits(const struct perf_reader *r, struct err *err)
{
	if (format_exceeds(r->n_unpacked, r->options->max_inflated))
		return err_set(err, ERR_LIMIT,
			       "perf.data: records inflate to more than %" PRIu64
			       " bytes; raise the limit with --max-inflated",
			       r->options->max_inflated);
	if (r->n_unpacked > RATIO_FREE && r->n_unpacked / RATIO_MAX > r->n_packed)
		return err_set(err, ERR_LIMIT, "perf.data: records inflate to more than %d times their size",
			       RATIO_MAX);
	return 0;
}

static int unpack_stream(struct perf_reader *r, const struct zstd *lib, ZSTD_inBuffer *in, struct err *err)
{
	for (bool is_full = true; in->pos < in->size || is_full;) {
		struct perf_chunk *c;
		ZSTD_outBuffer to;
		size_t left;
		int rc;

		unpack_make_room(r);
		c = &r->chunk[r->current_chunk];
		to = (ZSTD_outBuffer){ c->data, c->cap, c->n };
		left = lib->decompressStream(r->zstd, &to, in);
		r->n_unpacked += to.pos - c->n;
		c->n = to.pos;
		is_full = to.pos == to.size;
		rc = unpack_limits(r, err);
		rc = rc < 0 ? rc : unpack_take_records(r, err);
		if (rc < 0)
			return rc;
		if (lib->isError(left) || r->is_unpack_damaged) {
			r->is_unpack_damaged = true;
			return 0;
		}
	}
	return 0;
}

int perfdata_unpack(struct perf_reader *r, const uint8_t *p, size_t n, size_t position, struct err *err)
{
	ZSTD_inBuffer in = { p, n, 0 };
	const struct zstd *lib;
	int rc;

	if (r->is_unpack_damaged) {
		skipped_add(&r->zstd_damaged, position);
		return 0;
	}
	rc = zstd_load(&lib, err);
	if (rc < 0)
		return err_wrap(err, "perf.data: compressed records");
	if (!r->zstd && !(r->zstd = lib->createDStream()))
		return err_set(err, ERR_IO, "zstd: out of memory");
	r->n_packed += n;
	rc = unpack_stream(r, lib, &in, err);
	if (rc == 0 && r->is_unpack_damaged)
		skipped_add(&r->zstd_damaged, position);
	return rc;
}

void perfdata_unpack_restart(struct perf_reader *r)
{
	const struct zstd *lib;

	if (r->zstd && zstd_load(&lib, NULL) == 0)
		lib->freeDStream(r->zstd);
	r->zstd = NULL;
	r->is_unpack_damaged = false;
	if (r->n_chunks)
		r->chunk[r->current_chunk].n = r->n_taken;
}

void perfdata_unpack_release(struct perf_reader *r)
{
	const struct zstd *lib;

	if (r->zstd && zstd_load(&lib, NULL) == 0)
		lib->freeDStream(r->zstd);
	for (size_t i = 0; i < r->n_chunks; i++)
		free(r->chunk[i].data);
	free(r->chunk);
}

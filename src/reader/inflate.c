/*
 * inflate.c - take away the layers of compression
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A gzip file of one member says its size at its end, so libdeflate can unpack it in one go, which
 * is the fastest there is. Everything else (several members, a size that is not true, damage)
 * goes through zlib, which also knows what to say about damage. zstd has its own library.
 */
#include "config.h"

#include "reader/reader_int.h"

#include "base/mem.h"

#include <assert.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

enum {
	RATIO_FREE = 64 << 20, /* bytes that may come out of any input before the ratio is looked at */
	OUT_STEP = 1 << 20,
	GZIP_LEAST = 18,      /* header and trailer */
	DEFLATE_RATIO = 1040, /* no deflate stream grows by more */
};

/* What is being unpacked, and what came out. */
struct unpack {
	const uint8_t *in;
	size_t n_in;
	const struct reader_limits *limits;
	uint8_t *out;
	size_t n_out, cap;
};

static int unpack_check(const struct unpack *u, size_t n_out, struct err *err)
{
	if (reader_over(n_out, u->limits->max_inflated))
		return err_set(err, ERR_LIMIT,
			       "inflates to more than %" PRIu64 " bytes; --max-inflated lifts this limit",
			       u->limits->max_inflated);
	if (n_out > RATIO_FREE && reader_over(n_out / u->n_in, u->limits->max_ratio))
		return err_set(err, ERR_LIMIT,
			       "inflates to more than %" PRIu64 " times its size; --max-ratio lifts this limit",
			       u->limits->max_ratio);
	return 0;
}

/* Room for more output, within the limits. */
static int unpack_grow(struct unpack *u, struct err *err)
{
	assert(u->n_out <= u->cap);
	if (u->cap - u->n_out >= OUT_STEP / 2)
		return 0;
	if (unpack_check(u, u->n_out, err) < 0)
		return ERR_LIMIT;
	u->out = mem_grow(u->out, &u->cap, u->n_out + OUT_STEP, 1);
	return 0;
}

/*
 * One gzip member whose last four bytes tell its size. False when it is anything else, or when that
 * size is over a limit: zlib finds out whether it is true.
 */
static bool gzip_at_once(struct unpack *u)
{
	const uint8_t *tail = u->in + u->n_in - 4;
	size_t size = (size_t)tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
	size_t used, made;
	struct libdeflate_decompressor *d;
	enum libdeflate_result rc;

	if (size / DEFLATE_RATIO > u->n_in || unpack_check(u, size, NULL) < 0)
		return false;
	u->out = mem_alloc_large(size + 1, 1);
	u->cap = size + 1;
	d = libdeflate_alloc_decompressor();
	rc = d ? libdeflate_gzip_decompress_ex(d, u->in, u->n_in, u->out, size, &used, &made) : LIBDEFLATE_BAD_DATA;
	libdeflate_free_decompressor(d);
	if (rc != LIBDEFLATE_SUCCESS || used != u->n_in)
		return false;
	u->n_out = made;
	return true;
}

static int gzip_error(const z_stream *z, int rc, size_t n_in, struct err *err)
{
	size_t at = n_in - z->avail_in;

	if (rc == Z_BUF_ERROR)
		return err_set(err, ERR_FORMAT, "gzip data ends too early, after %zu bytes", n_in);
	if (rc == Z_MEM_ERROR)
		return err_set(err, ERR_IO, "gzip: out of memory");
	return err_set(err, ERR_FORMAT, "gzip data is damaged near byte %zu: %s", at, z->msg ? z->msg : "bad data");
}

/* Any number of gzip members, by zlib. */
static int gzip_members(struct unpack *u, struct err *err)
{
	z_stream z = { 0 };
	size_t fed = 0;
	int rc = inflateInit2(&z, 15 + 16), bad = 0;

	u->n_out = 0;
	if (rc != Z_OK)
		return err_set(err, ERR_IO, "gzip: out of memory");
	for (;;) {
		if (z.avail_in == 0 && fed < u->n_in) {
			size_t n = u->n_in - fed < UINT32_MAX ? u->n_in - fed : UINT32_MAX;

			z.next_in = (Bytef *)(uintptr_t)(u->in + fed);
			z.avail_in = (uInt)n;
			fed += n;
		}
		bad = unpack_grow(u, err);
		if (bad < 0)
			break;
		z.next_out = u->out + u->n_out;
		z.avail_out = u->cap - u->n_out < UINT32_MAX ? (uInt)(u->cap - u->n_out) : UINT32_MAX;
		rc = inflate(&z, Z_NO_FLUSH);
		u->n_out = (size_t)(z.next_out - u->out);
		if (rc == Z_STREAM_END && z.avail_in == 0 && fed == u->n_in)
			break;
		if (rc == Z_STREAM_END)
			rc = inflateReset(&z);
		if (rc == Z_BUF_ERROR && z.avail_out == 0)
			continue;
		if (rc != Z_OK) {
			bad = gzip_error(&z, rc, fed, err);
			break;
		}
	}
	inflateEnd(&z);
	return bad;
}

static int unpack_gzip(struct unpack *u, struct err *err)
{
	return u->n_in >= GZIP_LEAST && gzip_at_once(u) ? 0 : gzip_members(u, err);
}

static int unpack_zstd(struct unpack *u, struct err *err)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	ZSTD_inBuffer in = { u->in, u->n_in, 0 };
	size_t left = 1;
	int bad = 0;

	if (!z)
		return err_set(err, ERR_IO, "zstd: out of memory");
	while (bad == 0) {
		ZSTD_outBuffer out;

		bad = unpack_grow(u, err);
		if (bad < 0)
			break;
		out = (ZSTD_outBuffer){ u->out, u->cap, u->n_out };
		left = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(left)) {
			bad = err_set(err, ERR_FORMAT, "zstd data is damaged near byte %zu: %s", in.pos,
				      ZSTD_getErrorName(left));
			break;
		}
		if (in.pos == in.size && out.pos == u->n_out && left > 0)
			bad = err_set(err, ERR_FORMAT, "zstd data ends too early, after %zu bytes", in.size);
		u->n_out = out.pos;
		if (in.pos == in.size && left == 0)
			break;
	}
	ZSTD_freeDStream(z);
	return bad;
}

typedef int (*unpack_fn)(struct unpack *u, struct err *err);

static unpack_fn unpack_detect(const struct bytes *b)
{
	static const uint8_t gzip[] = { 0x1f, 0x8b }, zstd[] = { 0x28, 0xb5, 0x2f, 0xfd };

	if (b->n >= sizeof(gzip) && memcmp(b->data, gzip, sizeof(gzip)) == 0)
		return unpack_gzip;
	if (b->n >= sizeof(zstd) && memcmp(b->data, zstd, sizeof(zstd)) == 0)
		return unpack_zstd;
	return NULL;
}

int reader_inflate(struct bytes *in, const struct reader_limits *limits, struct bytes *out, struct err *err)
{
	struct bytes now = *in;
	int rc = 0;

	assert(limits && out);
	*in = (struct bytes){ 0 };
	for (uint64_t layer = 1;; layer++) {
		unpack_fn fn = unpack_detect(&now);
		struct unpack u = { .in = now.data, .n_in = now.n, .limits = limits };

		if (!fn)
			break;
		if (reader_over(layer, limits->max_nesting))
			rc = err_set(err, ERR_LIMIT,
				     "compressed more than %" PRIu64 " times over; --max-nesting lifts this limit",
				     limits->max_nesting);
		else
			rc = fn(&u, err);
		if (rc == 0)
			rc = unpack_check(&u, u.n_out, err);
		free(now.data);
		now = (struct bytes){ u.out, u.n_out };
		if (rc < 0)
			break;
	}
	if (rc < 0)
		free(now.data);
	else
		*out = now;
	return rc;
}

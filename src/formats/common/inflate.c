/*
 * inflate.c - decompress gzip, zstd and LZ4
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A gzip file of one member ends with its size, so libdeflate can decompress it in one call, which is fastest.
 * Everything else (several members, a wrong size, damage) goes through zlib, which also reports what is damaged. zstd
 * is decompressed by libzstd, LZ4 by liblz4.
 *
 * The ratio of the whole file is limited, but it is known only at the end. When the output so far exceeds the ratio,
 * the rest of the output is counted without storing it, so that a decompression bomb costs only 64 MiB. If the total is
 * within the options, the input is decompressed a second time. Input is rejected without counting if the size at the end
 * of the file exceeds the ratio too.
 */
#include "config.h"

#include "formats/common/format.h"

#include "base/lz4.h"
#include "base/mem.h"
#include "base/zlib.h"
#include "base/zstd.h"

#include <assert.h>
#include <inttypes.h>
#include <libdeflate.h>
#include <stdlib.h>
#include <string.h>

enum {
	OUT_STEP = 1 << 20,
	GZIP_SIZE_MIN = 18,   /* size of the header and trailer of a gzip file */
	DEFLATE_RATIO = 1040, /* above the maximum compression ratio of deflate */
	COUNTED_STEP = 128 << 10,
	FRAME_MAGIC_BYTES = 4,
	SKIPPABLE_HEADER_BYTES = 8, /* number and size */
	LZ4_LEGACY_BLOCK = 8 << 20, /* max size of a decompressed block */
};

/* The numbers with which frames begin, little-endian. */
#define ZSTD_MAGIC UINT32_C(0xfd2fb528)
#define LZ4_MAGIC UINT32_C(0x184d2204)
#define LZ4_LEGACY_MAGIC UINT32_C(0x184c2102)

/* State of decompressing one layer. */
struct unpack {
	const uint8_t *in;
	size_t n_in;
	const struct format_options *options;
	uint8_t *out;
	size_t n_out, cap;
	enum { UNPACK_CHECKED, UNPACK_COUNTED, UNPACK_TRUSTED } mode; /* TRUSTED: the first pass checked the size */
	size_t n_counted; /* bytes of output that were counted but not stored */
	size_t claimed;   /* size of the last member, according to the end of the gzip file; 0: none */
};

/* The little-endian number at an offset; 0 if it is cut. */
static uint32_t unpack_u32(const uint8_t *data, size_t n, size_t at)
{
	if (n - at < sizeof(uint32_t))
		return 0;
	return (uint32_t)data[at] | (uint32_t)data[at + 1] << 8 | (uint32_t)data[at + 2] << 16 |
	       (uint32_t)data[at + 3] << 24;
}

/* Is this the number of a frame that decompressors skip? */
static bool unpack_is_skippable(size_t magic)
{
	return (magic & ~(size_t)15) == 0x184d2a50;
}

static int unpack_check(const struct unpack *u, size_t n_out, struct err *err)
{
	if (format_exceeds(n_out, u->options->max_inflated))
		return err_set(err, ERR_LIMIT,
			       "inflates to more than %" PRIu64 " bytes; raise the limit with --max-inflated",
			       u->options->max_inflated);
	if (n_out > FORMAT_RATIO_FREE && format_exceeds(n_out / u->n_in, u->options->max_ratio))
		return err_set(err, ERR_LIMIT,
			       "inflates to more than %" PRIu64 " times its size; raise the limit with --max-ratio",
			       u->options->max_ratio);
	return 0;
}

/* Does the ratio of the output so far to the input consumed so far exceed the limit? */
static bool is_suspicious(const struct unpack *u, size_t used)
{
	return u->mode == UNPACK_CHECKED && u->n_out > FORMAT_RATIO_FREE && used &&
	       format_exceeds(u->n_out / used, u->options->max_ratio);
}

/* Make room for more output, within the limits. used is the number of input bytes consumed. */
static int unpack_grow(struct unpack *u, size_t used, struct err *err)
{
	assert(u->n_out <= u->cap);
	if (u->mode != UNPACK_COUNTED && u->cap - u->n_out >= OUT_STEP / 2)
		return 0;
	if (unpack_check(u, u->n_counted + u->n_out, err) < 0)
		return ERR_LIMIT;
	if (is_suspicious(u, used)) {
		if (unpack_check(u, u->claimed, err) < 0)
			return ERR_LIMIT;
		u->mode = UNPACK_COUNTED;
		free(u->out);
		u->cap = COUNTED_STEP;
		u->out = mem_alloc(u->cap, 1);
	}
	if (u->mode == UNPACK_COUNTED) {
		u->n_counted += u->n_out;
		u->n_out = 0;
	} else {
		u->out = mem_grow(u->out, &u->cap, u->n_out + OUT_STEP, 1);
	}
	return 0;
}

/*
 * Decompress a gzip file of one member, whose last four bytes are its size. False when it is anything
 * else, or when that size exceeds a limit: then zlib determines the real size.
 */
static bool gzip_whole(struct unpack *u)
{
	const uint8_t *tail = u->in + u->n_in - 4;
	size_t size = (size_t)tail[0] | (size_t)tail[1] << 8 | (size_t)tail[2] << 16 | (size_t)tail[3] << 24;
	size_t used, n_made;
	struct libdeflate_decompressor *d;
	enum libdeflate_result rc;

	u->claimed = size;
	if (size / DEFLATE_RATIO > u->n_in || unpack_check(u, size, NULL) < 0)
		return false;
	u->out = mem_alloc_large(size + 1, 1);
	u->cap = size + 1;
	d = libdeflate_alloc_decompressor();
	rc = d ? libdeflate_gzip_decompress_ex(d, u->in, u->n_in, u->out, size, &used, &n_made) : LIBDEFLATE_BAD_DATA;
	libdeflate_free_decompressor(d);
	if (rc != LIBDEFLATE_SUCCESS || used != u->n_in)
		return false;
	u->n_out = n_made;
	return true;
}

static int gzip_error(const z_stream *z, int rc, size_t n_in, struct err *err)
{
	size_t at = n_in - z->avail_in;

	if (rc == Z_BUF_ERROR)
		return err_set(err, ERR_FORMAT, "gzip data is truncated after %zu bytes", n_in);
	if (rc == Z_MEM_ERROR)
		return err_set(err, ERR_IO, "gzip: out of memory");
	return err_set(err, ERR_FORMAT, "gzip data is damaged near byte %zu: %s", at, z->msg ? z->msg : "bad data");
}

/* Decompress any number of gzip members with zlib. */
static int gzip_members(struct unpack *u, struct err *err)
{
	z_stream z = { 0 };
	const struct zlib *lib;
	size_t n_fed = 0;
	int rc, error = 0;

	u->n_out = 0;
	if (zlib_load(&lib, err) < 0)
		return ERR_IO;
	if (zlib_inflate_init(lib, &z, 15 + 16) != Z_OK)
		return err_set(err, ERR_IO, "gzip: out of memory");
	for (;;) {
		if (z.avail_in == 0 && n_fed < u->n_in) {
			size_t n = u->n_in - n_fed < UINT32_MAX ? u->n_in - n_fed : UINT32_MAX;

			z.next_in = (Bytef *)(uintptr_t)(u->in + n_fed);
			z.avail_in = (uInt)n;
			n_fed += n;
		}
		error = unpack_grow(u, n_fed - z.avail_in, err);
		if (error < 0)
			break;
		z.next_out = u->out + u->n_out;
		z.avail_out = u->cap - u->n_out < UINT32_MAX ? (uInt)(u->cap - u->n_out) : UINT32_MAX;
		rc = lib->inflate(&z, Z_NO_FLUSH);
		u->n_out = (size_t)(z.next_out - u->out);
		if (rc == Z_STREAM_END && z.avail_in == 0 && n_fed == u->n_in)
			break;
		if (rc == Z_STREAM_END)
			rc = lib->inflateReset(&z);
		if (rc == Z_BUF_ERROR && z.avail_out == 0)
			continue;
		if (rc != Z_OK) {
			error = gzip_error(&z, rc, n_fed, err);
			break;
		}
	}
	lib->inflateEnd(&z);
	return error;
}

static int unpack_gzip(struct unpack *u, struct err *err)
{
	return u->n_in >= GZIP_SIZE_MIN && gzip_whole(u) ? 0 : gzip_members(u, err);
}

/* Window size of a zstd frame in bytes; 0 if its header does not contain it. From RFC 8878, 3.1.1.1. */
static uint64_t zstd_window(const uint8_t *frame, size_t n)
{
	static const uint8_t dictionary[] = { 0, 1, 2, 4 }, content[] = { 1, 2, 4, 8 };
	uint64_t size = 0;
	size_t at;

	if (n < 6)
		return 0;
	if (!(frame[4] & 0x20)) {
		size = UINT64_C(1) << (10 + (frame[5] >> 3));
		return size + size / 8 * (frame[5] & 7);
	}
	at = 5 + (size_t)dictionary[frame[4] & 3];
	if (n < at + content[frame[4] >> 6])
		return 0;
	for (unsigned i = 0; i < content[frame[4] >> 6]; i++)
		size |= (uint64_t)frame[at + i] << 8 * i;
	return size;
}

static int zstd_error(const struct zstd *lib, size_t code, const struct unpack *u, size_t frame, size_t at,
		      struct err *err)
{
	const uint64_t mib = UINT64_C(1) << 20, window_max = UINT64_C(1) << 27; /* ZSTD_WINDOWLOG_LIMIT_DEFAULT */
	uint64_t window = 0, n;
	int log = 28;

	if (lib->getErrorCode(code) == ZSTD_error_frameParameter_windowTooLarge)
		window = zstd_window(u->in + frame, u->n_in - frame);
	if (window <= window_max)
		return err_set(err, ERR_FORMAT, "zstd data is damaged near byte %zu: %s", at, lib->getErrorName(code));
	while (log < 63 && window > UINT64_C(1) << log)
		log++;
	n = window / mib + (window % mib > 0);
	return err_set(err, ERR_LIMIT,
		       "needs a window of %" PRIu64 " %s (zstd --long=%d), more than the %" PRIu64
		       " MiB that cpa accepts; decompress it first with zstd -d --long=%d",
		       n % 1024 ? n : n / 1024, n % 1024 ? "MiB" : "GiB", log, window_max / mib, log);
}

static int unpack_zstd(struct unpack *u, struct err *err)
{
	ZSTD_inBuffer in = { u->in, u->n_in, 0 };
	size_t left = 1, frame = 0; /* frame: offset of the current frame */
	const struct zstd *lib;
	int error = zstd_load(&lib, err);
	ZSTD_DStream *z = error == 0 ? lib->createDStream() : NULL;

	if (error < 0)
		return error;
	if (!z)
		return err_set(err, ERR_IO, "zstd: out of memory");
	while (error == 0) {
		ZSTD_outBuffer out;

		error = unpack_grow(u, in.pos, err);
		if (error < 0)
			break;
		out = (ZSTD_outBuffer){ u->out, u->cap, u->n_out };
		left = lib->decompressStream(z, &out, &in);
		if (lib->isError(left)) {
			error = zstd_error(lib, left, u, frame, in.pos, err);
			break;
		}
		if (left == 0)
			frame = in.pos;
		if (in.pos == in.size && out.pos == u->n_out && left > 0)
			error = err_set(err, ERR_FORMAT, "zstd data is truncated after %zu bytes", in.size);
		u->n_out = out.pos;
		if (in.pos == in.size && left == 0)
			break;
	}
	lib->freeDStream(z);
	return error;
}

/* Decompress an LZ4 frame, or skip one that only has data for other programs. at: its offset, set to that after it. */
static int unpack_lz4_frame(struct unpack *u, const struct lz4 *lib, LZ4F_dctx *z, size_t *at, struct err *err)
{
	for (size_t left = 1; left > 0;) {
		size_t n = u->n_in - *at, n_out;

		if (unpack_grow(u, *at, err) < 0)
			return ERR_LIMIT;
		n_out = u->cap - u->n_out;
		left = lib->decompress(z, u->out + u->n_out, &n_out, u->in + *at, &n, NULL);
		if (lib->isError(left))
			return err_set(err, ERR_FORMAT, "LZ4 data is damaged near byte %zu: %s", *at,
				       lib->getErrorName(left));
		if (left > 0 && n == 0 && n_out == 0)
			return err_set(err, ERR_FORMAT, "LZ4 data is truncated after %zu bytes", u->n_in);
		*at += n;
		u->n_out += n_out;
	}
	return 0;
}

/*
 * Decompress a frame of the format of LZ4 before 1.4 (lz4 -l), which liblz4 does not do: a number, then blocks that begin
 * with their size. It ends with the data, or with the number of another frame. at: its offset, set to that after it.
 */
static int unpack_lz4_legacy(struct unpack *u, const struct lz4 *lib, size_t *at, struct err *err)
{
	for (*at += FRAME_MAGIC_BYTES; *at < u->n_in;) {
		size_t size = unpack_u32(u->in, u->n_in, *at), left = u->n_in - *at;
		int n;

		if (left < FRAME_MAGIC_BYTES)
			return err_set(err, ERR_FORMAT, "LZ4 data is truncated after %zu bytes", u->n_in);
		if (size == LZ4_MAGIC || size == LZ4_LEGACY_MAGIC || unpack_is_skippable(size))
			return 0;
		if (size > LZ4_COMPRESSBOUND(LZ4_LEGACY_BLOCK))
			return err_set(err, ERR_FORMAT, "LZ4 data is damaged near byte %zu: size of a block", *at);
		if (size > left - FRAME_MAGIC_BYTES)
			return err_set(err, ERR_FORMAT, "LZ4 data is truncated after %zu bytes", u->n_in);
		if (unpack_grow(u, *at, err) < 0)
			return ERR_LIMIT;
		u->out = mem_grow(u->out, &u->cap, u->n_out + LZ4_LEGACY_BLOCK, 1);
		n = lib->decompress_safe((const char *)u->in + *at + FRAME_MAGIC_BYTES, (char *)u->out + u->n_out,
					 (int)size, LZ4_LEGACY_BLOCK);
		if (n < 0)
			return err_set(err, ERR_FORMAT, "LZ4 data is damaged near byte %zu", *at);
		*at += FRAME_MAGIC_BYTES + size;
		u->n_out += (size_t)n;
	}
	return 0;
}

/* Decompress any number of LZ4 frames. */
static int unpack_lz4(struct unpack *u, struct err *err)
{
	const struct lz4 *lib;
	LZ4F_dctx *z = NULL;
	size_t at = 0;
	int error = lz4_load(&lib, err);

	if (error < 0)
		return error;
	if (lib->isError(lib->createDecompressionContext(&z, LZ4F_VERSION)))
		return err_set(err, ERR_IO, "LZ4: out of memory");
	while (error == 0 && at < u->n_in)
		error = unpack_u32(u->in, u->n_in, at) == LZ4_LEGACY_MAGIC ? unpack_lz4_legacy(u, lib, &at, err)
									   : unpack_lz4_frame(u, lib, z, &at, err);
	lib->freeDecompressionContext(z);
	return error;
}

typedef int (*unpack_fn)(struct unpack *u, struct err *err);

/* The first frame that is not skippable. zstd and LZ4 have the same skippable frames. */
static uint32_t unpack_frame(const struct bytes *b)
{
	size_t at = 0, size;

	while (unpack_is_skippable(unpack_u32(b->data, b->n, at)) && b->n - at >= SKIPPABLE_HEADER_BYTES) {
		size = unpack_u32(b->data, b->n, at + FRAME_MAGIC_BYTES);
		if (size > b->n - at - SKIPPABLE_HEADER_BYTES)
			break;
		at += SKIPPABLE_HEADER_BYTES + size;
	}
	return unpack_u32(b->data, b->n, at);
}

static unpack_fn unpack_detect(const struct bytes *b)
{
	if (b->n >= 2 && b->data[0] == 0x1f && b->data[1] == 0x8b)
		return unpack_gzip;
	switch (unpack_frame(b)) {
	case ZSTD_MAGIC:
		return unpack_zstd;
	case LZ4_MAGIC:
	case LZ4_LEGACY_MAGIC:
		return unpack_lz4;
	default:
		return NULL;
	}
}

bool format_is_compressed(const uint8_t *data, size_t n)
{
	const struct bytes b = { .data = (uint8_t *)(uintptr_t)data, .n = n };

	return unpack_detect(&b) || unpack_is_skippable(unpack_u32(data, n, 0));
}

/* Decompress one layer. Repeat this if the first pass only counted and the size is within the limits. */
static int inflate_unpack(unpack_fn fn, struct unpack *u, struct err *err)
{
	int rc = fn(u, err);

	if (rc == 0)
		rc = unpack_check(u, u->n_counted + u->n_out, err);
	if (rc < 0 || u->mode != UNPACK_COUNTED)
		return rc;
	free(u->out);
	*u = (struct unpack){ .in = u->in, .n_in = u->n_in, .options = u->options, .mode = UNPACK_TRUSTED };
	return fn(u, err);
}

int format_inflate(struct bytes *in, const struct format_options *options, struct bytes *out, struct err *err)
{
	struct bytes current = *in;
	int rc = 0;

	assert(options && out);
	*in = (struct bytes){ 0 };
	for (uint64_t layer = 1;; layer++) {
		unpack_fn fn = unpack_detect(&current);
		struct unpack u = { .in = current.data, .n_in = current.n, .options = options };

		if (!fn)
			break;
		if (format_exceeds(layer, options->max_nesting))
			rc = err_set(err, ERR_LIMIT,
				     "compression is nested more than %" PRIu64
				     " deep; raise the limit with --max-nesting",
				     options->max_nesting);
		else
			rc = inflate_unpack(fn, &u, err);
		io_release(&current);
		current = (struct bytes){ .data = u.out, .n = u.n_out };
		if (rc < 0)
			break;
	}
	if (rc < 0)
		io_release(&current);
	else
		*out = current;
	return rc;
}

/*
 * fuzz_pieces.c - a profile.proto that is read in pieces is the same as one that is read as a whole
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Unknown fields before the input make the file large enough. A piece ends within the input.
 */
#include "config.h"

#include "fuzz.h"

#include <zlib.h>

#include "base/buf.h"
#include "base/pool.h"
#include "formats/pprof/pprof.h"
#include "tests/unit/same_profile.h"
#include "tests/unit/wire.h"

enum { UNKNOWN_FIELD = 99, FIELD_BYTES = 5, FIRST_BYTES = PIECE_BYTES / 2 };

static void check(bool is_right, const char *what, const char *detail)
{
	if (is_right)
		return;
	fprintf(stderr, "read in pieces: %s: %s\n", what, detail);
	abort();
}

/* The input after so many unknown bytes that the first piece ends in it. */
static struct buf make_content(const uint8_t *data, size_t n)
{
	static const char unknown[PIECE_BYTES];
	size_t in_first = 0;
	struct buf b = { 0 };

	for (size_t i = 0; i < n; i++)
		in_first += data[i];
	in_first %= n + 1;
	wire_bytes(&b, UNKNOWN_FIELD, unknown, FIRST_BYTES);
	wire_bytes(&b, UNKNOWN_FIELD, unknown, PIECE_BYTES - in_first - FIRST_BYTES - (size_t)2 * FIELD_BYTES);
	buf_add(&b, data, n);
	return b;
}

static struct bytes make_gzip(const struct buf *content)
{
	struct bytes packed = { .data = mem_alloc(content->len + 1000, 1), .n = content->len + 1000 };
	z_stream z = { .next_in = (Bytef *)content->data,
		       .avail_in = (uInt)content->len,
		       .next_out = packed.data,
		       .avail_out = (uInt)packed.n };

	check(deflateInit2(&z, 0, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK &&
		      deflate(&z, Z_FINISH) == Z_STREAM_END,
	      "zlib", "failed");
	packed.n = z.total_out;
	deflateEnd(&z);
	return packed;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct profile *whole = NULL, *p = NULL;
	struct buf content;
	struct bytes packed;
	struct pieces *pieces;
	struct err err = { 0 };
	const char *difference;
	int rc;

	if (n > PIECE_BYTES / 4)
		return 0;
	content = make_content(data, n);
	packed = make_gzip(&content);
	pool_set_size(n % 2 + 1);
	pieces = pieces_open(&packed, &fuzz_limits);
	check(pieces, "not opened", "");
	rc = pprof_read((const uint8_t *)content.data, content.len, &fuzz_limits, &whole, &err);
	fuzz_judge(rc, whole, &err);
	if (pprof_read_pieces(pieces, &fuzz_limits, &p) == 0) {
		fuzz_judge(0, p, &err);
		check(rc == 0, "accepted", err.msg);
		difference = profile_difference(p, whole);
		check(!difference, "differs", difference);
	}
	pieces_close(pieces);
	profile_free(p);
	profile_free(whole);
	free(packed.data);
	buf_release(&content);
	return 0;
}

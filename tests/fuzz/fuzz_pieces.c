/*
 * fuzz_pieces.c - a profile.proto that is read in pieces is the same as one that is read as a whole
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Unknown fields before the input make the file large enough. A piece ends within the input. The file is also read with a walk,
 * which has to get the same samples.
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

/* Sums over the samples that a part of a walk got. */
struct sums {
	uint64_t n, n_locs, locs, values;
};

static bool start_walk(void *arg, const struct profile *tables, size_t size, unsigned parts)
{
	(void)size;
	check(parts <= 2 && tables->n_rows == 0, "walk", "start");
	memset(arg, 0, 2 * sizeof(struct sums));
	return tables->n_locs % 4 != 3;
}

static bool add_to_walk(void *arg, unsigned part, const struct walk_samples *s)
{
	struct sums *to = (struct sums *)arg + part;
	size_t end = s->n ? s->loc_end[s->n - 1] : 0;

	to->n += s->n;
	to->n_locs += end;
	for (size_t i = 0; i < end; i++)
		to->locs += s->loc[i];
	for (uint32_t i = 0; i < s->n; i++)
		to->values += (uint64_t)s->value[0][s->first + i];
	return true;
}

static bool finish_walk(void *arg, struct builder *b)
{
	(void)arg, (void)b;
	return true;
}

static void attach_walk(void *arg, struct profile *p)
{
	struct sums *s = arg;

	check(p->n_rows == 0, "walk", "rows");
	s->n += s[1].n;
	s->n_locs += s[1].n_locs;
	s->locs += s[1].locs;
	s->values += s[1].values;
}

static struct sums sums_of(const struct profile *p)
{
	struct sums s = { .n = p->n_rows };

	for (uint32_t i = 0; i < p->n_rows; i++) {
		s.values += (uint64_t)p->value[0][i];
		s.n_locs += p->stacks.off[p->stack[i] + 1] - p->stacks.off[p->stack[i]];
		for (uint32_t k = p->stacks.off[p->stack[i]]; k < p->stacks.off[p->stack[i] + 1]; k++)
			s.locs += stack_id_at(&p->stacks, k);
	}
	return s;
}

/* Read with a walk. whole: NULL if the file is damaged */
static void check_walk(const struct bytes *packed, const struct profile *whole)
{
	struct sums got[2] = { 0 }, want;
	const struct sample_walk walk = { got, start_walk, add_to_walk, finish_walk, attach_walk };
	struct format_options options = fuzz_limits;
	struct pieces *pieces;
	struct profile *p = NULL;

	options.walk = &walk;
	options.skips_labels = true;
	pieces = pieces_open(packed, &options);
	if (pprof_read_pieces(pieces, &options, &p) == 0) {
		check(whole, "walk", "accepted");
		want = sums_of(whole);
		check(p->n_rows == whole->n_rows || memcmp(got, &want, sizeof(want)) == 0, "walk", "differs");
	}
	pieces_close(pieces);
	profile_free(p);
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
	check_walk(&packed, whole);
	profile_free(p);
	profile_free(whole);
	free(packed.data);
	buf_release(&content);
	return 0;
}

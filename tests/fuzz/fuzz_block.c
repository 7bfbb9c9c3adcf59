/*
 * fuzz_block.c - any bytes as a block: read as rows and as profiles, which agree and are the same after writing
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Meta k of the dictionary has k + 1 columns.
 */
#include "config.h"

#include "fuzz.h"

#include "store/local/format/block.h"

enum { METAS = 8, ROWS = 5000 };

static void need(bool good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "block: %s\n", what);
	abort();
}

struct sum {
	uint64_t cells;
	const struct block *block;
	uint64_t last; /* sum over the profiles of the values that a chain ends with, or of all values */
	bool is_chain;
};

static void add_row(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct sum *s = arg;

	need(row < ROWS && n >= 1 && n <= s->block->n, "row out of range");
	for (uint32_t i = 0; i < n; i++) {
		need(cell[i] < s->block->n && (!i || cell[i] > cell[i - 1]), "profiles of a row are not ascending");
		s->last += (uint64_t)value[i] * (s->is_chain ? s->block->n - cell[i] : 1);
	}
	s->cells += n;
}

static void check_sum(const struct block *b, const struct stored *p, uint32_t column, uint64_t sum)
{
	for (uint32_t i = 0; i < b->n; i++)
		for (uint32_t k = 0; k < p[i].n; k++)
			sum -= (uint64_t)p[i].value[(size_t)column * p[i].n + k];
	need(sum == 0, "rows and profiles differ");
}

static void check_written(const struct block *b, const struct stored *p, const struct dict *d)
{
	struct stored again[BLOCK_PROFILES_MAX];
	const struct stored *list[BLOCK_PROFILES_MAX];
	struct buf out = { 0 };
	struct block c;
	struct err err;

	for (uint32_t i = 0; i < b->n; i++)
		list[i] = &p[i];
	block_encode(list, b->n, b->is_chain, &out);
	need(!block_open(&c, (uint8_t *)out.data, out.len, d, &err) && !block_profiles(&c, again, &err),
	     "not readable after writing");
	need(c.n == b->n && c.n_columns == b->n_columns, "other counts after writing");
	for (uint32_t i = 0; i < b->n; i++) {
		size_t n = (size_t)p[i].n * p[i].n_columns;

		need(p[i].n == again[i].n && p[i].start_ns == again[i].start_ns && p[i].meta == again[i].meta &&
			     p[i].duration_ns == again[i].duration_ns &&
			     memcmp(p[i].row, again[i].row, p[i].n * sizeof(*p[i].row)) == 0 &&
			     memcmp(p[i].value, again[i].value, n * sizeof(*p[i].value)) == 0,
		     "changed by writing and reading");
		dict_release_stored(&again[i]);
	}
	block_release(&c);
	buf_release(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct dict_meta metas[METAS];
	struct dict d = { .n_rows = ROWS, .n_metas = METAS, .meta = metas };
	struct bytes copy = fuzz_bytes(data, n);
	struct stored p[BLOCK_PROFILES_MAX];
	uint64_t sums[METAS];
	struct block b;
	struct err err;
	int rc;

	for (uint32_t k = 0; k < METAS; k++)
		metas[k].n_types = k + 1;
	rc = block_open(&b, copy.data, n, &d, &err);
	for (uint32_t k = 0; !rc && k < b.n_columns; k++) {
		struct sum s = { .block = &b, .is_chain = b.is_chain[k] };

		rc = block_each_row(&b, k, add_row, &s, &err);
		sums[k] = s.last;
	}
	if (!rc)
		rc = block_profiles(&b, p, &err);
	if (!rc) {
		for (uint32_t k = 0; k < b.n_columns; k++)
			check_sum(&b, p, k, sums[k]);
		check_written(&b, p, &d);
		for (uint32_t i = 0; i < b.n; i++)
			dict_release_stored(&p[i]);
	}
	need(!rc || (rc == ERR_FORMAT && err.msg[0]), "an error without a message");
	block_release(&b);
	free(copy.data);
	return 0;
}

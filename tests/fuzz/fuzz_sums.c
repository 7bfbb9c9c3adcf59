/*
 * fuzz_sums.c - any bytes as the sum of a chapter: an error with a message, or numbers that are in range
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fuzz.h"

#include "../unit/make_profile.h"
#include "../unit/make_segment.h"
#include "store/local/format/sums.h"

enum { PROFILES = 70, STACKS = 3 };

static struct chapter *make_chapter(void)
{
	struct chapter_builder *b = chapter_builder_new("shop");
	struct chapter *c;
	struct err err;

	for (int i = 0; i < PROFILES; i++) {
		const struct store_label label = { "instance", i % 2 ? "a" : "b" };
		struct make m = make_start("samples/count cpu/nanoseconds");

		for (int s = 0; s < STACKS; s++)
			ROW(&m, ((char[]){ (char)('a' + s), 0 }), i + s, 10 * (i + s));
		segment_builder_profile(b, "cpu", &label, 1, i * 1000, make_end(&m));
	}
	if (chapter_builder_finish(b, 3, &c, &err) || c->n_sums != 1)
		abort();
	chapter_builder_free(b);
	return c;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static struct chapter *c;
	struct stored rows = { 0 };
	struct sum_content sum;
	struct err err = { 0 };
	int rc;

	c = c ? c : make_chapter();
	c->sum[0].data = data;
	c->sum[0].size = c->sum[0].raw = n;
	c->sum[0].crc = pack_crc(data, n);
	rc = chapter_open_sum(c, 0, &sum, &err);
	if (rc && (rc != ERR_FORMAT || strncmp(err.msg, "sum 1 of shop: ", 15) != 0))
		abort();
	if (rc)
		return 0;
	for (size_t i = 0; i < sum.n_starts; i++)
		if (sum.start[i].series >= c->dict.n_series || sum.start[i].tier >= N_TIERS)
			abort();
	if (block_profile(&sum.rows, 0, &rows, &err) == 0)
		for (uint32_t i = 1; i < rows.n; i++)
			if (rows.row[i] <= rows.row[i - 1])
				abort();
	dict_release_stored(&rows);
	for (size_t i = 0; i < sum.n_metas; i++)
		if (sum.meta[i].meta >= c->dict.n_metas)
			abort();
	chapter_close_sum(&sum);
	return 0;
}

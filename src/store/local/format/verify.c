/*
 * verify.c - check chapters and segments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/verify.h"

#include <inttypes.h>
#include <stdlib.h>

/* Compare the totals of a block with the sums of its profiles. */
static int verify_check_totals(const struct chapter *ch, uint32_t i, const struct block *b, struct err *err)
{
	const struct block_entry *e = &ch->block[i];
	struct stored *all = mem_zalloc(b->n + 1, sizeof(*all));
	int rc = block_profiles(b, all, err);

	for (uint32_t c = 0; rc == 0 && c < e->n_columns; c++) {
		uint64_t sum = 0;

		for (uint32_t k = 0; k < b->n; k++)
			for (uint32_t row = 0; row < all[k].n; row++)
				sum += (uint64_t)all[k].value[(size_t)c * all[k].n + row];
		if (sum != (uint64_t)e->total[c])
			rc = err_set(err, ERR_FORMAT,
				     "block %" PRIu32 ": column %" PRIu32 " adds up to %" PRId64
				     ", but its total is %" PRId64,
				     i, c, (int64_t)sum, e->total[c]);
	}
	for (uint32_t k = 0; k < b->n && rc == 0; k++)
		dict_release_stored(&all[k]);
	free(all);
	return rc;
}

static int verify_check_block(const struct chapter *ch, uint32_t i, bool deep, struct buf *raw, struct err *err)
{
	const struct block_entry *e = &ch->block[i];
	struct block b;
	int rc = chapter_open_block(ch, i, raw, &b, err);

	if (rc < 0)
		return rc;
	if (b.n != e->profiles || b.n_columns != e->n_columns)
		rc = err_set(err, ERR_FORMAT, "block %" PRIu32 " has %" PRIu32 " profiles, but %" PRIu32 " are listed",
			     i, b.n, e->profiles);
	for (uint32_t k = 0; rc == 0 && k < b.n; k++)
		if (b.start_ns[k] < e->t0 || b.start_ns[k] > e->t1)
			rc = err_set(err, ERR_FORMAT, "block %" PRIu32 ": profile %" PRIu32 " is outside its span", i,
				     k);
	if (rc == 0 && deep)
		rc = verify_check_totals(ch, i, &b, err);
	block_release(&b);
	return rc;
}

int verify_chapter(const struct chapter *ch, bool deep, struct stop *stop, struct err *err)
{
	struct buf raw = { 0 };
	uint64_t profiles = 0;
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ch->n_blocks; i++) {
		rc = stop_check(stop, err);
		if (rc == 0)
			rc = verify_check_block(ch, i, deep, &raw, err);
		profiles += ch->block[i].profiles;
	}
	if (rc == 0 && profiles != ch->profiles)
		rc = err_set(err, ERR_FORMAT, "%" PRIu64 " profiles, but %" PRIu64 " are listed", profiles,
			     ch->profiles);
	buf_release(&raw);
	return rc;
}

int verify_segment(const struct segment *s, bool deep, struct stop *stop, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++) {
		const struct segment_chapter *row = segment_chapter_at(s, i);
		struct chapter *ch;

		rc = segment_read_chapter(s, i, &ch, err);
		if (rc < 0)
			break;
		rc = verify_chapter(ch, deep, stop, err);
		if (rc == 0 && ch->profiles != row->profiles)
			rc = err_set(err, ERR_FORMAT, "%" PRIu64 " profiles, but the directory lists %" PRIu64,
				     ch->profiles, row->profiles);
		if (rc == ERR_FORMAT)
			err_wrap(err, "%s", row->service);
		chapter_free(ch);
	}
	return rc;
}

/*
 * idset.c - sets of profile ids
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/idset.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

int idset_add_chapter(struct idset *s, const struct chapter *ch, struct err *err)
{
	struct buf raw = { 0 };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < ch->n_blocks; i++) {
		const struct dict_series *series = &ch->dict.series[ch->block[i].series];
		struct block b;

		rc = chapter_open_block(ch, i, &raw, &b, err);
		if (rc < 0)
			break;
		s->id = mem_grow(s->id, &s->cap, s->n + b.n, sizeof(*s->id));
		for (uint32_t k = 0; k < b.n; k++)
			block_profile_id(series->hash, b.start_ns[k], s->id[s->n++]);
		block_release(&b);
	}
	buf_release(&raw);
	return rc;
}

int idset_add_segment(struct idset *s, const struct segment *segment, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(segment); i++) {
		struct chapter *ch;

		rc = segment_read_chapter(segment, i, &ch, err);
		if (rc == 0) {
			rc = idset_add_chapter(s, ch, err);
			chapter_free(ch);
		}
	}
	return rc;
}

static int idset_compare_ids(const void *a, const void *b)
{
	return memcmp(a, b, 16);
}

void idset_sort(struct idset *s)
{
	if (s->n > 0)
		qsort(s->id, s->n, sizeof(*s->id), idset_compare_ids);
}

bool idset_has(const struct idset *s, const uint8_t id[16])
{
	return s->n > 0 && bsearch(id, s->id, s->n, sizeof(*s->id), idset_compare_ids);
}

void idset_release(struct idset *s)
{
	free(s->id);
	*s = (struct idset){ 0 };
}

bool idset_is_within(const struct idset *a, const struct idset *sets, size_t n)
{
	for (size_t i = 0; i < a->n; i++) {
		size_t k = 0;

		while (k < n && !idset_has(&sets[k], a->id[i]))
			k++;
		if (k == n)
			return false;
	}
	return true;
}

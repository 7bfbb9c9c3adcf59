/*
 * make_segment.h - write segments of given profiles to memory, and print them, for tests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TESTS_UNIT_MAKE_SEGMENT_H
#define TESTS_UNIT_MAKE_SEGMENT_H

#include "base/buf.h"
#include "store/local/format/segment.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct segment_builder {
	struct segment_writer *writer;
	struct buf *out;
};

static inline int segment_builder_write(void *arg, const void *data, size_t n, struct err *err)
{
	(void)err;
	buf_add(arg, data, n);
	return 0;
}

static inline struct segment_builder segment_builder_begin(struct buf *out)
{
	static const struct segment_info info = { .tier = TIER_RAW, .level = 1, .t0 = 1, .t1 = 2, .made = 3 };

	return (struct segment_builder){ segment_writer_new(&info, 3, segment_builder_write, out), out };
}

/* Add a profile and free it. */
static inline void segment_builder_profile(struct chapter_builder *b, const char *kind,
					   const struct store_label *labels, size_t n_labels, int64_t start_ns,
					   struct profile *p)
{
	struct dict *d = chapter_builder_dict(b);
	struct stored s;
	struct err err;

	if (dict_add_profile(d, p, &s, &err) || dict_add_series(d, "any", kind, labels, n_labels, &s.series, &err))
		abort();
	s.start_ns = start_ns;
	s.duration_ns = 30;
	chapter_builder_add(b, &s);
	dict_release_stored(&s);
	profile_free(p);
}

/* Finish a chapter, add it and free it with its builder. */
static inline void segment_builder_chapter(struct segment_builder *s, struct chapter_builder *b)
{
	struct chapter *c;
	struct err err;

	if (chapter_builder_finish(b, 3, &c, &err) || segment_writer_add(s->writer, c, &err))
		abort();
	chapter_free(c);
	chapter_builder_free(b);
}

static inline void segment_builder_end(struct segment_builder *s)
{
	struct err err;
	uint32_t crc;

	if (segment_writer_finish(s->writer, &crc, &err))
		abort();
	segment_writer_free(s->writer);
}

static inline void segment_print_profile(const struct stored *s, struct buf *out)
{
	buf_addf(out, "profile %" PRId64 " %" PRId64 " %u:", s->start_ns, s->duration_ns, s->meta);
	for (uint32_t i = 0; i < s->n; i++) {
		buf_addf(out, " %u", s->row[i]);
		for (uint32_t k = 0; k < s->n_columns; k++)
			buf_addf(out, ",%" PRId64, s->value[(size_t)k * s->n + i]);
	}
	buf_addz(out, "\n");
}

static inline int segment_print_block(const struct chapter *c, uint32_t i, struct buf *out, struct err *err)
{
	struct stored s[BLOCK_PROFILES_MAX];
	struct buf buffer = { 0 };
	struct block b;
	int rc;

	buf_addf(out, "block %u: %u profiles,", i, c->block[i].profiles);
	for (uint32_t k = 0; k < c->block[i].n_columns; k++)
		buf_addf(out, " %" PRId64, c->block[i].total[k]);
	buf_addf(out, "\nseries %u\n", c->block[i].series);
	rc = chapter_open_block(c, i, &buffer, &b, err);
	if (!rc) {
		rc = block_profiles(&b, s, err);
		for (uint32_t k = 0; k < b.n && !rc; k++) {
			segment_print_profile(&s[k], out);
			dict_release_stored(&s[k]);
		}
		block_release(&b);
	}
	buf_release(&buffer);
	return rc;
}

/* Append everything that a segment contains as text. */
static inline int segment_print(const struct segment *s, struct buf *out, struct err *err)
{
	const struct segment_info *info = segment_get_info(s);
	int rc = 0;

	buf_addf(out, "%d %u %u %" PRId64 " %" PRId64 " %" PRId64 "\n", info->tier, info->level, info->flags, info->t0,
		 info->t1, info->made);
	buf_add(out, info->store, 16);
	for (uint32_t i = 0; i < segment_n_chapters(s) && !rc; i++) {
		const struct segment_chapter *row = segment_chapter_at(s, i);
		struct chapter *c;

		buf_addf(out, "chapter %s %" PRId64 "..%" PRId64 " %" PRIu64 "\n", row->service, row->t0, row->t1,
			 row->profiles);
		rc = segment_read_chapter(s, i, &c, err);
		if (rc)
			return rc;
		for (unsigned t = DICT_STRINGS; t < DICT_TABLES_END; t++)
			dict_encode(&c->dict, (enum dict_table)t, 0, out);
		for (uint32_t k = 0; k < c->n_marks; k++)
			buf_addf(out, "mark %" PRId64 " %s %s %s\n", c->mark[k].time_ns, c->mark[k].env,
				 c->mark[k].kind, c->mark[k].text);
		for (uint32_t k = 0; k < c->n_blocks && !rc; k++)
			rc = segment_print_block(c, k, out, err);
		chapter_free(c);
	}
	return rc;
}

#endif

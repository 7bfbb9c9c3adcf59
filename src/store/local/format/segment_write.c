/*
 * segment_write.c - write segments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment_file.h"
#include "store/local/format/varint.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct segment_writer {
	struct segment_info info;
	segment_write_fn *write;
	void *arg;
	struct packer *packer;
	uint64_t offset; /* bytes written */
	uint32_t n_chapters;
	struct buf raw, packed, directory;
	uint64_t last_offset; /* of the chapter before */
	char *last_service;
};

struct segment_writer *segment_writer_new(const struct segment_info *info, int level, segment_write_fn *write,
					  void *arg)
{
	struct segment_writer *w = mem_zalloc(1, sizeof(*w));

	w->info = *info;
	w->write = write;
	w->arg = arg;
	w->packer = pack_new(level);
	return w;
}

void segment_writer_free(struct segment_writer *w)
{
	if (!w)
		return;
	pack_free(w->packer);
	buf_release(&w->raw);
	buf_release(&w->packed);
	buf_release(&w->directory);
	free(w->last_service);
	free(w);
}

static int write_bytes(struct segment_writer *w, const void *data, size_t n, struct err *err)
{
	w->offset += n;
	return n ? w->write(w->arg, data, n, err) : 0;
}

static int segment_write_header(struct segment_writer *w, struct err *err)
{
	uint8_t h[SEGMENT_HEADER] = { 0 };

	memcpy(h, SEGMENT_MAGIC, 8);
	segment_put(h + 8, 2, w->info.tier == TIER_RAW ? SEGMENT_MAJOR_RAW : SEGMENT_MAJOR);
	segment_put(h + 10, 2, SEGMENT_MINOR);
	h[12] = (uint8_t)w->info.tier;
	h[13] = (uint8_t)w->info.level;
	segment_put(h + 14, 2, w->info.flags);
	memcpy(h + 16, w->info.store, 16);
	segment_put(h + 32, 8, (uint64_t)w->info.t0);
	segment_put(h + 40, 8, (uint64_t)w->info.t1);
	segment_put(h + 48, 8, (uint64_t)w->info.made);
	segment_put(h + 60, 4, pack_crc(h, 60));
	return write_bytes(w, h, sizeof(h), err);
}

/* Write the header of a section; returns its number of padding bytes in *padding. */
static int begin_section(struct segment_writer *w, unsigned kind, unsigned codec, unsigned flags, uint32_t crc,
			 uint64_t raw, uint64_t stored, uint32_t items, struct err *err)
{
	uint8_t h[SEGMENT_SECTION];

	segment_put(h, 2, kind);
	h[2] = (uint8_t)codec;
	h[3] = (uint8_t)flags;
	segment_put(h + 4, 4, crc);
	segment_put(h + 8, 8, raw);
	segment_put(h + 16, 8, stored);
	segment_put(h + 24, 4, items);
	segment_put(h + 28, 4, pack_crc(h, 28));
	return write_bytes(w, h, sizeof(h), err);
}

/* Fill up to a multiple of 8. */
static int end_section(struct segment_writer *w, struct err *err)
{
	static const uint8_t zeros[8];

	return write_bytes(w, zeros, (size_t)(-w->offset % 8), err);
}

/* Write w->raw as a section. */
static int write_section(struct segment_writer *w, unsigned kind, uint32_t items, uint32_t *crc, struct err *err)
{
	bool is_packed;
	uint32_t sum;
	int rc;

	if (w->raw.len > PACK_RAW_MAX)
		return err_set(err, ERR_LIMIT, "a table of a segment exceeds %d MiB", PACK_RAW_MAX >> 20);
	w->packed.len = 0;
	is_packed = pack_add(w->packer, w->raw.data, w->raw.len, &w->packed);
	sum = pack_crc(w->packed.data, w->packed.len);
	rc = begin_section(w, kind, is_packed, kind == SECTION_SOURCES || kind == SECTION_SUMS ? SECTION_OPTIONAL : 0,
			   sum, w->raw.len, w->packed.len, items, err);
	if (!rc)
		rc = write_bytes(w, w->packed.data, w->packed.len, err);
	if (crc)
		*crc = sum;
	return rc ? rc : end_section(w, err);
}

static void segment_write_put_text(struct buf *out, const char *text)
{
	size_t n = strlen(text);

	varint_put(out, n);
	buf_add(out, text, n);
}

static int write_blocks(struct segment_writer *w, const struct chapter *c, struct err *err)
{
	uint64_t t0 = 0, size = 0;
	uint8_t crc[4];
	int rc;

	w->raw.len = 0;
	for (uint32_t i = 0; i < c->n_blocks; i++) {
		const struct block_entry *e = &c->block[i];

		varint_put(&w->raw, e->series - (i ? c->block[i - 1].series : 0));
		varint_put_delta(&w->raw, (uint64_t)e->t0, t0);
		t0 = (uint64_t)e->t0;
		varint_put(&w->raw, (uint64_t)e->t1 - t0);
		varint_put(&w->raw, e->profiles);
		varint_put(&w->raw, e->size);
		varint_put(&w->raw, e->raw);
		segment_put(crc, 4, e->crc);
		buf_add(&w->raw, crc, 4);
		varint_put(&w->raw, e->n_columns);
		for (uint32_t k = 0; k < e->n_columns; k++)
			varint_put_signed(&w->raw, e->total[k]);
		size += e->size;
	}
	rc = write_section(w, SECTION_BLOCKS, c->n_blocks, NULL, err);
	if (!rc)
		rc = begin_section(w, SECTION_BLOCK_DATA, 0, SECTION_NO_CRC, 0, size, size, c->n_blocks, err);
	for (uint32_t i = 0; i < c->n_blocks && !rc; i++)
		rc = write_bytes(w, c->block[i].data, c->block[i].size, err);
	return rc ? rc : end_section(w, err);
}

static int write_marks(struct segment_writer *w, const struct chapter *c, struct err *err)
{
	w->raw.len = 0;
	for (uint32_t i = 0; i < c->n_marks; i++) {
		varint_put_signed(&w->raw, c->mark[i].time_ns);
		segment_write_put_text(&w->raw, c->mark[i].env);
		segment_write_put_text(&w->raw, c->mark[i].kind);
		segment_write_put_text(&w->raw, c->mark[i].text);
	}
	return c->n_marks ? write_section(w, SECTION_MARKS, c->n_marks, NULL, err) : 0;
}

static int write_sources(struct segment_writer *w, const struct chapter *c, struct err *err)
{
	w->raw.len = 0;
	if (!c->sources)
		return 0;
	segment_write_put_text(&w->raw, c->sources);
	return write_section(w, SECTION_SOURCES, 1, NULL, err);
}

static int write_sums(struct segment_writer *w, const struct chapter *c, struct err *err)
{
	uint64_t size = 0;
	uint8_t crc[4];
	int rc;

	w->raw.len = 0;
	for (uint32_t i = 0; i < c->n_sums; i++) {
		const struct chapter_sum *s = &c->sum[i];

		varint_put(&w->raw, s->kind);
		varint_put(&w->raw, s->meta);
		varint_put(&w->raw, s->size);
		varint_put(&w->raw, s->raw);
		segment_put(crc, 4, s->crc);
		buf_add(&w->raw, crc, 4);
		size += s->size;
	}
	if (!c->n_sums)
		return 0;
	rc = write_section(w, SECTION_SUMS, c->n_sums, NULL, err);
	if (!rc)
		rc = begin_section(w, SECTION_SUM_DATA, 0, SECTION_NO_CRC | SECTION_OPTIONAL, 0, size, size, c->n_sums,
				   err);
	for (uint32_t i = 0; i < c->n_sums && !rc; i++)
		rc = write_bytes(w, c->sum[i].data, c->sum[i].size, err);
	return rc ? rc : end_section(w, err);
}

int segment_writer_add(struct segment_writer *w, const struct chapter *c, struct err *err)
{
	uint64_t first;
	int rc = w->offset ? 0 : segment_write_header(w, err);

	assert(!w->last_service || strcmp(w->last_service, c->service) < 0);
	first = w->offset;
	for (unsigned t = DICT_STRINGS; t < DICT_TABLES_END && !rc; t++) {
		w->raw.len = 0;
		dict_encode(&c->dict, (enum dict_table)t, 0, &w->raw);
		rc = write_section(w, t, dict_count(&c->dict, (enum dict_table)t), NULL, err);
	}
	if (!rc)
		rc = write_blocks(w, c, err);
	if (!rc)
		rc = write_marks(w, c, err);
	if (!rc)
		rc = write_sources(w, c, err);
	if (!rc)
		rc = write_sums(w, c, err);
	if (rc)
		return rc;
	segment_write_put_text(&w->directory, c->service);
	varint_put(&w->directory, first - w->last_offset);
	varint_put(&w->directory, w->offset - first);
	varint_put_signed(&w->directory, c->t0);
	varint_put(&w->directory, (uint64_t)c->t1 - (uint64_t)c->t0);
	varint_put(&w->directory, c->profiles);
	w->last_offset = first;
	w->n_chapters++;
	free(w->last_service);
	w->last_service = mem_strndup(c->service, strlen(c->service));
	return 0;
}

int segment_writer_finish(struct segment_writer *w, uint32_t *crc, struct err *err)
{
	uint8_t f[SEGMENT_FOOTER] = { 0 };
	uint64_t first;
	uint32_t sum;
	int rc = w->offset ? 0 : segment_write_header(w, err);

	first = w->offset;
	w->raw.len = 0;
	buf_add(&w->raw, w->directory.data, w->directory.len);
	if (!rc)
		rc = write_section(w, SECTION_DIRECTORY, w->n_chapters, &sum, err);
	if (rc)
		return rc;
	segment_put(f, 8, first);
	segment_put(f + 8, 8, w->offset - first);
	segment_put(f + 16, 8, w->offset + SEGMENT_FOOTER);
	segment_put(f + 24, 4, w->n_chapters);
	segment_put(f + 28, 4, sum);
	segment_put(f + 40, 4, pack_crc(f, 40));
	memcpy(f + 44, SEGMENT_END, 4);
	*crc = sum;
	return write_bytes(w, f, sizeof(f), err);
}

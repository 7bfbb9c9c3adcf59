/*
 * segment.c - read segments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/format/segment.h"

#include "base/arena.h"
#include "base/mem.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment_file.h"
#include "store/local/format/sums.h"
#include "store/local/format/varint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct segment {
	char *name;
	const uint8_t *data;
	size_t size;
	struct segment_info info;
	uint64_t directory; /* offset, where the chapters end */
	uint32_t n_chapters;
	struct segment_chapter *chapter;
	struct arena *memory;
};

/* A section: its header, and data if it was requested. */
struct section {
	unsigned kind, codec, flags;
	uint32_t crc, items;
	uint64_t raw, stored;
	const uint8_t *data; /* [stored] */
	uint64_t next;       /* offset after it */
};

/* A list that is being read. */
struct segment_list {
	const uint8_t *at, *end;
};

/* --- sections --- */

static int read_section(const struct segment *s, uint64_t offset, uint64_t end, struct section *out, struct err *err)
{
	const uint8_t *h = s->data + offset;

	if (end < offset || end - offset < SEGMENT_SECTION)
		return err_set(err, ERR_FORMAT, "the section at byte %" PRIu64 " is cut off", offset);
	if (segment_get(h + 28, 4) != pack_crc(h, 28))
		return err_set(err, ERR_FORMAT, "the checksum of the section header at byte %" PRIu64 " is wrong",
			       offset);
	*out = (struct section){ .kind = (unsigned)segment_get(h, 2), .codec = h[2], .flags = h[3] };
	out->crc = (uint32_t)segment_get(h + 4, 4);
	out->raw = segment_get(h + 8, 8);
	out->stored = segment_get(h + 16, 8);
	out->items = (uint32_t)segment_get(h + 24, 4);
	out->data = h + SEGMENT_SECTION;
	offset += SEGMENT_SECTION;
	if (out->stored > end - offset || (out->stored + 7) / 8 * 8 > end - offset)
		return err_set(err, ERR_FORMAT, "section %u at byte %" PRIu64 " is cut off", out->kind, offset);
	for (uint64_t i = out->stored; i % 8; i++)
		if (out->data[i])
			return err_set(err, ERR_FORMAT, "the bytes after section %u are not zero", out->kind);
	out->next = offset + (out->stored + 7) / 8 * 8;
	return 0;
}

/* The content of a section, checked and decompressed. *memory is freed by the caller. */
static int expand_section(const struct section *s, struct segment_list *out, uint8_t **memory, struct err *err)
{
	int rc;

	*memory = NULL;
	if (pack_crc(s->data, s->stored) != s->crc)
		return err_set(err, ERR_FORMAT, "section %u: its checksum is wrong", s->kind);
	*out = (struct segment_list){ s->data, s->data + s->stored };
	if (!s->codec && s->raw == s->stored)
		return 0;
	if (s->codec != 1)
		return err_set(err, ERR_FORMAT, "section %u: it has encoding %u, which this cpa does not know", s->kind,
			       s->codec);
	rc = pack_check(s->stored, s->raw, err);
	if (!rc) {
		*memory = mem_alloc(s->raw, 1);
		*out = (struct segment_list){ *memory, *memory + s->raw };
		rc = pack_expand(s->data, s->stored, *memory, s->raw, err);
	}
	if (rc) {
		free(*memory);
		*memory = NULL;
		return err_wrap(err, "section %u", s->kind);
	}
	return 0;
}

static bool take_text(struct segment_list *l, struct arena *memory, char **out)
{
	uint64_t n;

	if (!varint_get(&l->at, l->end, &n) || n > (size_t)(l->end - l->at) || memchr(l->at, 0, n))
		return false;
	*out = arena_strndup(memory, (const char *)l->at, n);
	l->at += n;
	return true;
}

/* --- opening --- */

static int check_header(struct segment *s, struct err *err)
{
	const uint8_t *h = s->data;
	struct segment_info *i = &s->info;

	if (s->size < SEGMENT_HEADER + SEGMENT_FOOTER || memcmp(h, SEGMENT_MAGIC, 8) != 0)
		return err_set(err, ERR_FORMAT, "not a segment of a store, or cut off");
	if (segment_get(h + 60, 4) != pack_crc(h, 60))
		return err_set(err, ERR_FORMAT, "header: its checksum is wrong");
	if (segment_get(h + 8, 2) > SEGMENT_MAJOR)
		return err_set(err, ERR_FORMAT,
			       "written by a newer cpa: format version %u, this cpa (" PACKAGE_VERSION
			       ") reads version %u; a cpa that reads version %u is needed",
			       (unsigned)segment_get(h + 8, 2), SEGMENT_MAJOR, (unsigned)segment_get(h + 8, 2));
	if (h[12] >= N_TIERS)
		return err_set(err, ERR_FORMAT, "header: tier %u does not exist", h[12]);
	i->tier = h[12];
	i->level = h[13];
	i->flags = (unsigned)segment_get(h + 14, 2);
	memcpy(i->store, h + 16, 16);
	i->t0 = (int64_t)segment_get(h + 32, 8);
	i->t1 = (int64_t)segment_get(h + 40, 8);
	i->made = (int64_t)segment_get(h + 48, 8);
	return 0;
}

static int check_footer(struct segment *s, struct section *directory, struct err *err)
{
	const uint8_t *f = s->data + s->size - SEGMENT_FOOTER;
	uint64_t end = s->size - SEGMENT_FOOTER;
	int rc;

	if (memcmp(f + 44, SEGMENT_END, 4) != 0)
		return err_set(err, ERR_FORMAT, "footer: missing; the file is cut off");
	if (segment_get(f + 40, 4) != pack_crc(f, 40))
		return err_set(err, ERR_FORMAT, "footer: its checksum is wrong");
	s->directory = segment_get(f, 8);
	if (segment_get(f + 16, 8) != s->size || s->directory < SEGMENT_HEADER || s->directory > end)
		return err_set(err, ERR_FORMAT, "footer: the file has %zu bytes instead of %" PRIu64, s->size,
			       segment_get(f + 16, 8));
	rc = read_section(s, s->directory, end, directory, err);
	if (rc)
		return err_wrap(err, "directory");
	s->n_chapters = (uint32_t)segment_get(f + 24, 4);
	if (directory->kind != SECTION_DIRECTORY || directory->next != end || directory->items != s->n_chapters ||
	    directory->crc != segment_get(f + 28, 4))
		return err_set(err, ERR_FORMAT, "directory: it differs from the footer");
	return 0;
}

static bool take_chapter(struct segment *s, struct segment_list *l, struct segment_chapter *c)
{
	uint64_t span;
	char *service;

	if (!take_text(l, s->memory, &service) || !varint_get(&l->at, l->end, &c->offset) ||
	    !varint_get(&l->at, l->end, &c->length) || !varint_get_signed(&l->at, l->end, &c->t0) ||
	    !varint_get(&l->at, l->end, &span) || !varint_get(&l->at, l->end, &c->profiles))
		return false;
	c->service = service;
	return !__builtin_add_overflow(c->t0, span, &c->t1);
}

static int read_directory(struct segment *s, const struct section *section, struct err *err)
{
	struct segment_list l;
	uint8_t *memory;
	uint64_t end = SEGMENT_HEADER;
	int rc = expand_section(section, &l, &memory, err);

	if (!rc && s->n_chapters > (size_t)(l.end - l.at))
		rc = err_set(err, ERR_FORMAT, "it is too short for %u services", s->n_chapters);
	if (!rc)
		s->chapter = arena_zalloc(s->memory, s->n_chapters, sizeof(*s->chapter));
	for (uint32_t i = 0; i < s->n_chapters && !rc; i++) {
		struct segment_chapter *c = &s->chapter[i];

		if (!take_chapter(s, &l, c))
			rc = err_set(err, ERR_FORMAT, "service %u is damaged", i + 1);
		else if (i && strcmp(c[-1].service, c->service) >= 0)
			rc = err_set(err, ERR_FORMAT, "service %u is out of order", i + 1);
		else if (__builtin_add_overflow(c->offset, i ? c[-1].offset : 0, &c->offset) || c->offset != end ||
			 c->length > s->directory - end)
			rc = err_set(err, ERR_FORMAT, "service %u is not in the file", i + 1);
		else
			end += c->length;
	}
	if (!rc && (l.at != l.end || end != s->directory))
		rc = err_set(err, ERR_FORMAT, "bytes are left over");
	free(memory);
	return rc ? err_wrap(err, "directory") : 0;
}

static int map_file(struct segment *s, int fd, struct err *err)
{
	struct stat st;
	void *data;

	if (fstat(fd, &st) < 0)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode) || st.st_size <= 0)
		return err_set(err, ERR_FORMAT, "not a segment of a store, or cut off");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_SHARED, fd, 0);
	if (data == MAP_FAILED)
		return err_set(err, ERR_IO, "%s", strerror(errno));
	s->data = data;
	s->size = (size_t)st.st_size;
	return 0;
}

int segment_open(int fd, const char *name, struct segment **out, struct err *err)
{
	struct segment *s = mem_zalloc(1, sizeof(*s));
	struct section directory;
	int rc;

	s->name = mem_strndup(name, strlen(name));
	s->memory = arena_new();
	rc = map_file(s, fd, err);
	if (!rc)
		rc = check_header(s, err);
	if (!rc)
		rc = check_footer(s, &directory, err);
	if (!rc)
		rc = read_directory(s, &directory, err);
	if (rc) {
		segment_close(s);
		return err_wrap(err, "%s", name);
	}
	*out = s;
	return 0;
}

void segment_close(struct segment *s)
{
	if (!s)
		return;
	if (s->data)
		munmap((void *)(uintptr_t)s->data, s->size);
	arena_free(s->memory);
	free(s->name);
	free(s);
}

const struct segment_info *segment_get_info(const struct segment *s)
{
	return &s->info;
}

uint32_t segment_n_chapters(const struct segment *s)
{
	return s->n_chapters;
}

const struct segment_chapter *segment_chapter_at(const struct segment *s, uint32_t i)
{
	return &s->chapter[i];
}

/* --- chapters --- */

static bool segment_take_block(struct chapter *c, struct segment_list *l, struct block_entry *e, const uint8_t **data,
			       uint64_t *left)
{
	uint64_t series, span, profiles, size, raw, n;
	const struct block_entry *before = e > c->block ? e - 1 : NULL;
	int64_t step;

	if (!varint_get(&l->at, l->end, &series) || !varint_get_signed(&l->at, l->end, &step) ||
	    !varint_get(&l->at, l->end, &span) || !varint_get(&l->at, l->end, &profiles) ||
	    !varint_get(&l->at, l->end, &size) || !varint_get(&l->at, l->end, &raw) || l->end - l->at < 4)
		return false;
	e->crc = (uint32_t)segment_get(l->at, 4);
	l->at += 4;
	if (!varint_get(&l->at, l->end, &n) || n > (size_t)(l->end - l->at))
		return false;
	e->n_columns = (uint32_t)n;
	e->total = arena_alloc(c->memory, n, sizeof(*e->total));
	for (uint32_t k = 0; k < n; k++)
		if (!varint_get_signed(&l->at, l->end, &e->total[k]))
			return false;
	e->t0 = (int64_t)((before ? (uint64_t)before->t0 : 0) + (uint64_t)step);
	if (__builtin_add_overflow(e->t0, span, &e->t1) || series >= c->dict.n_series || size > *left || profiles < 1 ||
	    profiles > BLOCK_PROFILES_MAX || raw > PACK_RAW_MAX)
		return false;
	e->series = (uint32_t)series + (before ? before->series : 0);
	e->profiles = (uint32_t)profiles;
	e->size = size;
	e->raw = raw;
	e->data = *data;
	*data += size;
	*left -= size;
	return e->series < c->dict.n_series;
}

static int read_blocks(struct chapter *c, const struct section *s, const struct section *data, struct err *err)
{
	uint64_t left = data->stored, profiles = 0;
	const uint8_t *at = data->data;
	uint8_t *memory;
	struct segment_list l;
	int rc = expand_section(s, &l, &memory, err);

	if (rc)
		return rc;
	if (s->items > (size_t)(l.end - l.at) / 8)
		rc = err_set(err, ERR_FORMAT, "section %u: it is too short for %u blocks", s->kind, s->items);
	else
		c->block = arena_zalloc(c->memory, s->items, sizeof(*c->block));
	for (; c->n_blocks < s->items && !rc; c->n_blocks++) {
		if (!segment_take_block(c, &l, &c->block[c->n_blocks], &at, &left))
			rc = err_set(err, ERR_FORMAT, "section %u: block %u is damaged", s->kind, c->n_blocks + 1);
		profiles += rc ? 0 : c->block[c->n_blocks].profiles;
	}
	if (!rc && (l.at != l.end || left || profiles != c->profiles || data->items != s->items))
		rc = err_set(err, ERR_FORMAT, "section %u: its blocks differ from the directory or the data", s->kind);
	free(memory);
	return rc;
}

static bool segment_take_sum(struct chapter *c, struct segment_list *l, const uint8_t **data, uint64_t *left)
{
	struct chapter_sum *s = &c->sum[c->n_sums];
	uint64_t kind, meta, size, raw;

	if (!varint_get(&l->at, l->end, &kind) || !varint_get(&l->at, l->end, &meta) ||
	    !varint_get(&l->at, l->end, &size) || !varint_get(&l->at, l->end, &raw) || l->end - l->at < 4 ||
	    kind >= strtab_count(c->dict.str) || meta >= c->dict.n_metas || size > *left || raw > PACK_RAW_MAX)
		return false;
	*s = (struct chapter_sum){ (str_id)kind, (uint32_t)meta, *data, size, raw, (uint32_t)segment_get(l->at, 4) };
	l->at += 4;
	*data += size;
	*left -= size;
	return true;
}

static int segment_read_sums(struct chapter *c, const struct section *s, const struct section *data, struct err *err)
{
	uint64_t left = data->stored;
	const uint8_t *at = data->data;
	struct segment_list l;
	uint8_t *memory;
	int rc = expand_section(s, &l, &memory, err);

	if (rc)
		return rc;
	if (s->items > (size_t)(l.end - l.at) / 8)
		rc = err_set(err, ERR_FORMAT, "section %u: it is too short for %u sums", s->kind, s->items);
	else
		c->sum = arena_zalloc(c->memory, s->items, sizeof(*c->sum));
	for (; !rc && c->n_sums < s->items; c->n_sums++)
		if (!segment_take_sum(c, &l, &at, &left))
			rc = err_set(err, ERR_FORMAT, "section %u: sum %u is damaged", s->kind, c->n_sums + 1);
	if (!rc && (l.at != l.end || left || data->items != s->items))
		rc = err_set(err, ERR_FORMAT, "section %u: its sums differ from the data", s->kind);
	free(memory);
	return rc;
}

static int read_marks(struct chapter *c, const struct section *s, struct err *err)
{
	uint8_t *memory;
	struct segment_list l;
	int rc = expand_section(s, &l, &memory, err);

	if (rc)
		return rc;
	if (s->items > (size_t)(l.end - l.at) / 4)
		rc = err_set(err, ERR_FORMAT, "section %u: it is too short for %u marks", s->kind, s->items);
	else
		c->mark = arena_zalloc(c->memory, s->items, sizeof(*c->mark));
	for (; c->n_marks < s->items && !rc; c->n_marks++) {
		struct store_mark *m = &c->mark[c->n_marks];

		if (!varint_get_signed(&l.at, l.end, &m->time_ns) || !take_text(&l, c->memory, &m->env) ||
		    !take_text(&l, c->memory, &m->kind) || !take_text(&l, c->memory, &m->text))
			rc = err_set(err, ERR_FORMAT, "section %u: mark %u is damaged", s->kind, c->n_marks + 1);
	}
	if (!rc && l.at != l.end)
		rc = err_set(err, ERR_FORMAT, "section %u: bytes are left over", s->kind);
	free(memory);
	return rc;
}

static int segment_read_sources(struct chapter *c, const struct section *s, struct err *err)
{
	uint8_t *memory;
	struct segment_list l;
	char *text;
	int rc = expand_section(s, &l, &memory, err);

	if (rc)
		return rc;
	if (!take_text(&l, c->memory, &text) || l.at != l.end)
		rc = err_set(err, ERR_FORMAT, "section %u is damaged", s->kind);
	else
		c->sources = text;
	free(memory);
	return rc;
}

/* The parts of a chapter that are read: head is described in segment.h; frames are all but stacks, the nodes and
   rows. */
enum segment_part { PART_ALL, PART_HEAD, PART_FRAMES, PART_STACKS };

static int segment_read_table(struct chapter *c, const struct section *s, enum segment_part part, struct err *err)
{
	bool keeps = part == PART_STACKS && s->kind == DICT_NODES;
	uint8_t *memory;
	struct segment_list l;
	int rc = expand_section(s, &l, &memory, err);

	if (rc)
		return rc;
	if (keeps)
		rc = dict_keep_nodes(&c->dict, s->items, l.at, (size_t)(l.end - l.at), memory, err);
	else
		rc = dict_decode(&c->dict, (enum dict_table)s->kind, s->items, l.at, (size_t)(l.end - l.at), err);
	if (!keeps || rc)
		free(memory);
	return rc ? err_wrap(err, "section %u", s->kind) : 0;
}

static bool segment_has_part(enum segment_part part, unsigned table)
{
	bool is_stack = table == DICT_NODES || table == DICT_ROWS;

	if (part == PART_HEAD)
		return table == DICT_STRINGS || table == DICT_MAPPINGS || table == DICT_METAS || table == DICT_SERIES;
	return part == PART_ALL || is_stack == (part == PART_STACKS);
}

/* Read the sections of a chapter, which are in order of their kinds. */
static int read_sections(const struct segment *s, uint32_t i, struct chapter *c, enum segment_part part,
			 struct err *err)
{
	uint64_t at = s->chapter[i].offset, end = at + s->chapter[i].length;
	struct section section, blocks = { 0 }, sums = { 0 };
	unsigned last = 0;
	int rc = 0;

	for (; at < end && !rc; at = section.next) {
		rc = read_section(s, at, end, &section, err);
		if (rc)
			return rc;
		if (section.kind <= last || (section.kind > last + 1 && last < SECTION_BLOCK_DATA))
			return err_set(err, ERR_FORMAT, "section %u follows section %u", section.kind, last);
		last = section.kind;
		if (section.kind < DICT_TABLES_END)
			rc = segment_has_part(part, section.kind) ? segment_read_table(c, &section, part, err) : 0;
		else if (part == PART_STACKS)
			break;
		else if (section.kind == SECTION_BLOCKS)
			blocks = section;
		else if (section.kind == SECTION_BLOCK_DATA)
			rc = read_blocks(c, &blocks, &section, err);
		else if (section.kind == SECTION_MARKS)
			rc = read_marks(c, &section, err);
		else if (section.kind == SECTION_SOURCES)
			rc = segment_read_sources(c, &section, err);
		else if (section.kind == SECTION_SUMS)
			sums = section;
		else if (section.kind == SECTION_SUM_DATA)
			rc = sums.kind ? segment_read_sums(c, &sums, &section, err)
				       : err_set(err, ERR_FORMAT, "section %u is missing", SECTION_SUMS);
		else if (!(section.flags & SECTION_OPTIONAL))
			rc = err_set(err, ERR_FORMAT, "section %u was written by a newer cpa", section.kind);
	}
	if (!rc && last < (part == PART_STACKS ? (unsigned)DICT_ROWS : (unsigned)SECTION_BLOCK_DATA))
		rc = err_set(err, ERR_FORMAT, "section %u is missing", last + 1);
	return rc;
}

static int read_chapter(const struct segment *s, uint32_t i, enum segment_part part, struct chapter **out,
			struct err *err)
{
	const struct segment_chapter *row = &s->chapter[i];
	struct chapter *c = mem_zalloc(1, sizeof(*c));
	int rc;

	c->file = s->name;
	c->service = row->service;
	c->t0 = row->t0;
	c->t1 = row->t1;
	c->profiles = row->profiles;
	c->memory = arena_new();
	dict_init(&c->dict);
	rc = read_sections(s, i, c, part, err);
	if (rc) {
		err_wrap(err, "%s: %s", s->name, row->service);
		chapter_free(c);
		return rc;
	}
	*out = c;
	return 0;
}

uint32_t segment_count_entries(const struct segment *s, uint32_t i, enum dict_table table)
{
	uint64_t at = s->chapter[i].offset, end = at + s->chapter[i].length;
	struct section section;

	for (; at < end; at = section.next) {
		if (read_section(s, at, end, &section, NULL) < 0)
			return 0;
		if (section.kind == (unsigned)table)
			return section.items;
	}
	return 0;
}

int segment_read_chapter(const struct segment *s, uint32_t i, struct chapter **out, struct err *err)
{
	return read_chapter(s, i, PART_ALL, out, err);
}

int segment_read_chapter_frames(const struct segment *s, uint32_t i, struct chapter **out, struct err *err)
{
	return read_chapter(s, i, PART_FRAMES, out, err);
}

int segment_read_stacks(const struct segment *s, uint32_t i, struct chapter *c, struct err *err)
{
	int rc = read_sections(s, i, c, PART_STACKS, err);

	return rc ? err_wrap(err, "%s: %s", c->file, c->service) : 0;
}

int chapter_decode_nodes(struct chapter *c, struct err *err)
{
	int rc = dict_decode_nodes(&c->dict, err);

	return rc ? err_wrap(err, "%s: %s: section %u", c->file, c->service, DICT_NODES) : 0;
}

void segment_drop_pages(const struct segment *s, uint32_t i)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)s->data + s->chapter[i].offset;
	uintptr_t end = start + s->chapter[i].length;

	start -= start % page;
	madvise((void *)start, end - start, MADV_DONTNEED);
}

int segment_read_chapter_head(const struct segment *s, uint32_t i, struct chapter **out, struct err *err)
{
	return read_chapter(s, i, PART_HEAD, out, err);
}

/* ---- check chapters and segments ---- */

/* The sum of the values of a column. */
struct verify_column {
	uint64_t sum, n_cells;
};

static void verify_add_row(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value)
{
	struct verify_column *c = arg;

	(void)row;
	(void)cell;
	for (uint32_t i = 0; i < n; i++)
		c->sum += (uint64_t)value[i];
	c->n_cells += n;
}

/* Restore the profiles of a block, which also checks their number of values, and add up column [n_columns]. */
static int verify_sum_profiles(const struct block *b, struct verify_column *column, struct err *err)
{
	struct stored *all = mem_zalloc(b->n + 1, sizeof(*all));
	int rc = block_profiles(b, all, err);

	for (uint32_t k = 0; rc == 0 && k < b->n; k++) {
		for (uint32_t c = 0; c < b->n_columns; c++)
			for (uint32_t row = 0; row < all[k].n; row++)
				column[c].sum += (uint64_t)all[k].value[(size_t)c * all[k].n + row];
		dict_release_stored(&all[k]);
	}
	free(all);
	return rc;
}

/* Add up the columns of a block. If it has few enough cells and no chain, its profiles need not be restored. */
static int verify_sum_columns(const struct block *b, struct verify_column *column, struct err *err)
{
	uint64_t n_cells = 0;
	int rc = 0;

	for (uint32_t c = 0; rc == 0 && c < b->n_columns && n_cells <= BLOCK_VALUES_MAX; c++) {
		rc = block_each_row(b, c, verify_add_row, &column[c], err);
		n_cells += b->is_chain[c] ? BLOCK_VALUES_MAX + 1 : column[c].n_cells * b->n_columns;
	}
	if (rc < 0 || n_cells <= BLOCK_VALUES_MAX)
		return rc;
	memset(column, 0, b->n_columns * sizeof(*column));
	return verify_sum_profiles(b, column, err);
}

/* Compare the totals of a block with the sums of its profiles. */
static int verify_check_totals(const struct chapter *ch, uint32_t i, const struct block *b, struct err *err)
{
	const struct block_entry *e = &ch->block[i];
	struct verify_column *column = mem_zalloc(e->n_columns, sizeof(*column));
	int rc = verify_sum_columns(b, column, err);

	for (uint32_t c = 0; rc == 0 && c < e->n_columns; c++)
		if (column[c].sum != (uint64_t)e->total[c])
			rc = err_set(err, ERR_FORMAT,
				     "block %" PRIu32 ": column %" PRIu32 " adds up to %" PRId64
				     ", but its total is %" PRId64,
				     i, c, (int64_t)column[c].sum, e->total[c]);
	free(column);
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
	for (uint32_t i = 0; rc == 0 && deep && i < ch->n_sums; i++)
		rc = chapter_sums_verify(ch, i, stop, err);
	buf_release(&raw);
	return rc;
}

int verify_segment(const struct segment *s, bool deep, struct stop *stop, struct err *err)
{
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++) {
		const struct segment_chapter *row = segment_chapter_at(s, i);
		struct chapter *ch = NULL;

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

/*
 * chapter.c - make chapters of profiles, and open their blocks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Until a chapter is finished, its profiles are kept as varints, which takes a sixth of their memory.
 */
#include "config.h"

#include "base/arena.h"
#include "base/mem.h"
#include "store/local/format/pack.h"
#include "store/local/format/segment.h"
#include "store/local/format/sums.h"
#include "store/local/format/varint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* A profile that was added. */
struct chapter_entry {
	uint32_t series, meta;
	int64_t start_ns, duration_ns;
	struct stored_slot slot;
	size_t at; /* of the rows in builder.data; equal if they are the same */
};

struct chapter_builder {
	char *service;
	struct dict dict;
	struct chapter_entry *entry;
	size_t n, cap, last; /* last: in data, the rows that were added last */
	struct buf data;
	struct store_mark *mark;
	size_t n_marks, cap_marks;
	struct arena *memory;
};

struct chapter_builder *chapter_builder_new(const char *service)
{
	struct chapter_builder *b = mem_zalloc(1, sizeof(*b));

	b->memory = arena_new();
	b->service = arena_strndup(b->memory, service, strlen(service));
	dict_init(&b->dict);
	return b;
}

void chapter_builder_free(struct chapter_builder *b)
{
	if (!b)
		return;
	dict_release(&b->dict);
	free(b->entry);
	free(b->mark);
	buf_release(&b->data);
	arena_free(b->memory);
	free(b);
}

struct dict *chapter_builder_dict(struct chapter_builder *b)
{
	return &b->dict;
}

void chapter_builder_repeat(struct chapter_builder *b, const struct stored *s)
{
	b->entry = mem_grow(b->entry, &b->cap, b->n + 1, sizeof(*b->entry));
	b->entry[b->n++] = (struct chapter_entry){ s->series, s->meta, s->start_ns, s->duration_ns, s->slot, b->last };
}

void chapter_builder_add(struct chapter_builder *b, const struct stored *s)
{
	size_t n_values = (size_t)s->n * s->n_columns;
	uint32_t next = 0;

	b->last = b->data.len;
	chapter_builder_repeat(b, s);
	varint_put(&b->data, s->n);
	varint_put(&b->data, s->n_columns);
	for (uint32_t i = 0; i < s->n; i++) {
		varint_put(&b->data, s->row[i] - next);
		next = s->row[i] + 1;
	}
	for (size_t i = 0; i < n_values; i++)
		varint_put_signed(&b->data, s->value[i]);
}

void chapter_builder_mark(struct chapter_builder *b, const struct store_mark *m)
{
	b->mark = mem_grow(b->mark, &b->cap_marks, b->n_marks + 1, sizeof(*b->mark));
	b->mark[b->n_marks++] = (struct store_mark){ m->time_ns, arena_strndup(b->memory, m->env, strlen(m->env)),
						     arena_strndup(b->memory, m->kind, strlen(m->kind)),
						     arena_strndup(b->memory, m->text, strlen(m->text)) };
}

uint64_t chapter_builder_profiles(const struct chapter_builder *b)
{
	return b->n;
}

/* Restore a profile that was added. */
static void unpack_profile(const struct chapter_builder *b, const struct chapter_entry *e, struct stored *s)
{
	const uint8_t *at = (const uint8_t *)b->data.data + e->at, *end = (const uint8_t *)b->data.data + b->data.len;
	uint64_t n = 0, n_columns = 0, v = 0, next = 0;
	size_t n_values;

	*s = (struct stored){ .slot = e->slot, .series = e->series, .meta = e->meta };
	s->start_ns = e->start_ns;
	s->duration_ns = e->duration_ns;
	if (!varint_get(&at, end, &n) || !varint_get(&at, end, &n_columns))
		assert(!"own data is well-formed");
	s->n = (uint32_t)n;
	s->n_columns = (uint32_t)n_columns;
	n_values = (size_t)n * n_columns;
	s->row = mem_alloc(n, sizeof(*s->row));
	s->value = mem_alloc(n_values, sizeof(*s->value));
	for (uint32_t i = 0; i < n && varint_get(&at, end, &v); i++) {
		s->row[i] = (uint32_t)(next + v);
		next += v + 1;
	}
	for (size_t i = 0; i < n_values && varint_get_signed(&at, end, &s->value[i]); i++)
		;
}

/* --- finishing --- */

struct chapter_finisher {
	struct chapter_builder *builder;
	struct chapter *chapter;
	struct packer *packer;
	struct chapter_sums *sums;
	uint32_t *class; /* [n_metas] the first meta with equal types */
	struct buf raw, packed;
	struct stored profile[BLOCK_PROFILES_MAX];
	size_t cap_blocks;
};

static bool has_equal_types(const struct dict_meta *a, const struct dict_meta *b)
{
	if (a->n_types != b->n_types)
		return false;
	for (uint32_t t = 0; t < a->n_types; t++)
		if (a->type[t].name != b->type[t].name || a->type[t].unit != b->type[t].unit ||
		    a->temporality[t] != b->temporality[t])
			return false;
	return true;
}

static void find_classes(struct chapter_finisher *f)
{
	const struct dict *d = &f->chapter->dict;

	f->class = mem_alloc(d->n_metas, sizeof(*f->class));
	for (uint32_t m = 0; m < d->n_metas; m++) {
		uint32_t first = 0;

		/* Few are distinct, so the class of an earlier meta is found after few comparisons. */
		while (first < m && (f->class[first] != first || !has_equal_types(&d->meta[first], &d->meta[m])))
			first++;
		f->class[m] = first;
	}
}

static int chapter_compare_entries(const void *a, const void *b)
{
	const struct chapter_entry *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Has profile i the rows of the one before it? They are the same memory then. */
static bool chapter_is_repeat(const struct chapter_finisher *f, size_t i)
{
	return i && f->profile[i].value && f->profile[i].value == f->profile[i - 1].value;
}

static int64_t *sum_columns(const struct chapter_finisher *f, size_t n, uint32_t n_columns)
{
	int64_t *total = arena_zalloc(f->chapter->memory, n_columns, sizeof(*total));

	for (uint32_t k = 0; k < n_columns; k++) {
		uint64_t sum = 0, own = 0;

		for (size_t i = 0; i < n; i++) {
			const struct stored *s = &f->profile[i];

			if (!chapter_is_repeat(f, i))
				own = 0;
			for (uint32_t row = 0; row < s->n && !chapter_is_repeat(f, i); row++)
				own += (uint64_t)s->value[(size_t)k * s->n + row];
			sum += own;
		}
		total[k] = (int64_t)sum;
	}
	return total;
}

/* Write the first n profiles as a block. */
static int finish_block(struct chapter_finisher *f, size_t n, struct err *err)
{
	const struct stored *list[BLOCK_PROFILES_MAX], *first = &f->profile[0];
	const struct dict_meta *meta = &f->chapter->dict.meta[first->meta];
	struct chapter *c = f->chapter;
	bool *is_chain = mem_alloc(meta->n_types, sizeof(*is_chain));
	struct block_entry *e;

	for (uint32_t k = 0; k < meta->n_types; k++)
		is_chain[k] =
			meta->temporality[k] == TEMPORALITY_CUMULATIVE || meta->temporality[k] == TEMPORALITY_GAUGE;
	for (size_t i = 0; i < n; i++)
		list[i] = &f->profile[i];
	f->raw.len = f->packed.len = 0;
	block_encode(list, n, is_chain, &f->raw);
	free(is_chain);
	if (f->raw.len > PACK_RAW_MAX)
		return err_set(err, ERR_LIMIT, "a profile of %s has %" PRIu32 " rows, too many to store", c->service,
			       first->n);
	pack_add(f->packer, f->raw.data, f->raw.len, &f->packed);
	c->block = mem_grow(c->block, &f->cap_blocks, c->n_blocks + 1, sizeof(*c->block));
	e = &c->block[c->n_blocks++];
	*e = (struct block_entry){ .series = first->series, .profiles = (uint32_t)n, .n_columns = first->n_columns };
	e->t0 = first->start_ns;
	e->t1 = f->profile[n - 1].start_ns;
	e->total = sum_columns(f, n, first->n_columns);
	e->data = memcpy(arena_alloc(c->memory, f->packed.len, 1), f->packed.data, f->packed.len);
	e->size = f->packed.len;
	e->raw = f->raw.len;
	e->crc = pack_crc(e->data, e->size);
	return 0;
}

/* Write a block of the entries from i on: of one series, with equal types, and not too many values. */
static int chapter_take_block(struct chapter_finisher *f, size_t *i, struct err *err)
{
	const struct chapter_entry *first = f->builder->entry + *i, *end = f->builder->entry + f->builder->n,
				   *e = first;
	size_t n = 0, n_values = 0;
	int rc;

	for (; n < BLOCK_PROFILES_MAX && e < end && e->series == first->series &&
	       f->class[e->meta] == f->class[first->meta];
	     e++) {
		struct stored *s = &f->profile[n];

		if (n && e->at == e[-1].at) {
			*s = f->profile[n - 1];
			s->meta = e->meta;
			s->start_ns = e->start_ns;
			s->duration_ns = e->duration_ns;
			n++;
			continue;
		}
		unpack_profile(f->builder, e, s);
		n_values += (size_t)s->n * s->n_columns;
		if (n && n_values > BLOCK_VALUES_MAX) {
			dict_release_stored(s);
			break;
		}
		n++;
	}
	rc = finish_block(f, n, err);
	for (size_t k = 0; rc == 0 && k < n; k++)
		chapter_sums_add(f->sums, &f->profile[k], f->class[first->meta]);
	for (size_t k = n; k-- > 0;)
		if (!chapter_is_repeat(f, k))
			dict_release_stored(&f->profile[k]);
	*i += n;
	return rc;
}

static void chapter_find_span(struct chapter *c, const struct chapter_builder *b)
{
	c->t0 = INT64_MAX;
	c->t1 = INT64_MIN;
	for (size_t i = 0; i < b->n; i++) {
		c->t0 = b->entry[i].start_ns < c->t0 ? b->entry[i].start_ns : c->t0;
		c->t1 = b->entry[i].start_ns > c->t1 ? b->entry[i].start_ns : c->t1;
	}
	for (size_t i = 0; i < b->n_marks && !b->n; i++) {
		c->t0 = b->mark[i].time_ns < c->t0 ? b->mark[i].time_ns : c->t0;
		c->t1 = b->mark[i].time_ns > c->t1 ? b->mark[i].time_ns : c->t1;
	}
}

/* Move the content of the builder to a chapter. */
static struct chapter *begin_chapter(struct chapter_builder *b)
{
	struct chapter *c = mem_zalloc(1, sizeof(*c));

	c->service = b->service;
	c->memory = b->memory;
	c->dict = b->dict;
	dict_sort_nodes(&c->dict);
	c->mark = arena_own(c->memory, b->mark);
	c->n_marks = (uint32_t)b->n_marks;
	c->profiles = b->n;
	chapter_find_span(c, b);
	b->memory = NULL;
	b->mark = NULL;
	dict_init(&b->dict);
	return c;
}

int chapter_builder_finish(struct chapter_builder *b, int level, struct chapter **out, struct err *err)
{
	struct chapter_finisher *f = mem_zalloc(1, sizeof(*f));
	int rc = 0;

	f->builder = b;
	f->chapter = begin_chapter(b);
	f->packer = pack_new(level);
	f->sums = chapter_sums_new(&f->chapter->dict);
	find_classes(f);
	if (b->n)
		qsort(b->entry, b->n, sizeof(*b->entry), chapter_compare_entries);
	for (size_t i = 0; i < b->n && !rc;)
		rc = chapter_take_block(f, &i, err);
	f->chapter->block = arena_own(f->chapter->memory, f->chapter->block);
	if (!rc)
		chapter_sums_finish(f->sums, f->packer, f->chapter);
	if (!rc)
		*out = f->chapter;
	else
		chapter_free(f->chapter);
	pack_free(f->packer);
	chapter_sums_free(f->sums);
	buf_release(&f->raw);
	buf_release(&f->packed);
	free(f->class);
	free(f);
	return rc;
}

/* --- reading --- */

void chapter_free(struct chapter *c)
{
	if (!c)
		return;
	dict_release(&c->dict);
	arena_free(c->memory);
	free(c);
}

static int open_block(const struct chapter *c, const struct block_entry *e, struct buf *buffer, struct block *out,
		      struct err *err)
{
	const uint8_t *data = e->data;
	int rc;

	if (pack_crc(e->data, e->size) != e->crc)
		return err_set(err, ERR_FORMAT, "its checksum is wrong");
	if (e->raw != e->size) {
		rc = pack_check(e->size, e->raw, err);
		if (rc)
			return rc;
		buffer->len = 0;
		data = (const uint8_t *)buf_room(buffer, e->raw);
		rc = pack_expand(e->data, e->size, buffer->data, e->raw, err);
		if (rc)
			return rc;
	}
	rc = block_open(out, data, e->raw, &c->dict, err);
	if (rc)
		return rc;
	if (out->n != e->profiles || out->n_columns != e->n_columns || out->start_ns[0] != e->t0 ||
	    out->start_ns[out->n - 1] != e->t1) {
		block_release(out);
		return err_set(err, ERR_FORMAT, "its profiles differ from the list of blocks");
	}
	return 0;
}

int chapter_open_block(const struct chapter *c, uint32_t i, struct buf *buffer, struct block *out, struct err *err)
{
	int rc = open_block(c, &c->block[i], buffer, out, err);

	if (rc)
		err_wrap(err, "%s%sblock %" PRIu32 " of %s", c->file ? c->file : "", c->file ? ": " : "", i + 1,
			 c->service);
	return rc;
}

const char *chapter_label(const struct chapter *c, const struct dict_series *s, const char *name)
{
	for (uint32_t i = 0; i < s->n_labels; i++)
		if (strcmp(strtab_text(c->dict.str, s->name[i]), name) == 0)
			return strtab_text(c->dict.str, s->value[i]);
	if (strcmp(name, "service") == 0)
		return c->service;
	return strcmp(name, "kind") == 0 ? strtab_text(c->dict.str, s->kind) : "";
}

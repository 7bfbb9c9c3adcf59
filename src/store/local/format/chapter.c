/*
 * chapter.c - make chapters of profiles, and open their blocks
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Profiles that come by series and start are encoded block by block. Others are kept as varints until the end.
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

/* Makes blocks of profiles that come by series and start. */
struct chapter_encoder {
	struct chapter *chapter;
	struct packer *packer;
	struct chapter_sums *sums;
	uint32_t *class; /* [n_classes] the first meta with equal types */
	uint32_t n_classes;
	size_t cap_classes, cap_blocks;
	struct buf raw, packed;
	struct stored profile[BLOCK_PROFILES_MAX]; /* [n] of the next block */
	size_t n, n_values;
};

/* A profile that was added. */
struct chapter_entry {
	uint32_t series, meta;
	int64_t start_ns, duration_ns;
	struct stored_slot slot;
	size_t at; /* of the rows in builder.data; equal if they are the same */
};

struct chapter_builder {
	struct chapter *chapter;
	uint64_t n_profiles;
	struct chapter_encoder *encoder; /* NULL: profiles come in any order, and are encoded at the end */
	struct chapter_entry *entry;
	size_t n, cap, last; /* last: in data, the rows that were added last */
	struct buf data;
	size_t cap_marks;
	int rc; /* of the encoder */
	struct err err;
};

struct chapter_builder *chapter_builder_new(const char *service)
{
	struct chapter_builder *b = mem_zalloc(1, sizeof(*b));
	struct chapter *c = mem_zalloc(1, sizeof(*c));

	c->memory = arena_new();
	c->service = arena_strndup(c->memory, service, strlen(service));
	c->t0 = INT64_MAX;
	c->t1 = INT64_MIN;
	dict_init(&c->dict);
	b->chapter = c;
	return b;
}

struct dict *chapter_builder_dict(struct chapter_builder *b)
{
	return &b->chapter->dict;
}

uint64_t chapter_builder_profiles(const struct chapter_builder *b)
{
	return b->n_profiles;
}

void chapter_builder_mark(struct chapter_builder *b, const struct store_mark *m)
{
	struct chapter *c = b->chapter;

	c->mark = mem_grow(c->mark, &b->cap_marks, (size_t)c->n_marks + 1, sizeof(*c->mark));
	c->mark[c->n_marks++] = (struct store_mark){ m->time_ns, arena_strndup(c->memory, m->env, strlen(m->env)),
						     arena_strndup(c->memory, m->kind, strlen(m->kind)),
						     arena_strndup(c->memory, m->text, strlen(m->text)) };
}

/* --- encoding --- */

static struct chapter_encoder *encoder_new(struct chapter *c, int level)
{
	struct chapter_encoder *e = mem_zalloc(1, sizeof(*e));

	e->chapter = c;
	e->packer = pack_new(level);
	e->sums = chapter_sums_new(&c->dict);
	return e;
}

/* Has profile i of the next block the rows of the one before it? They are the same memory then. */
static bool encoder_is_repeat(const struct chapter_encoder *e, size_t i)
{
	return i && e->profile[i].value && e->profile[i].value == e->profile[i - 1].value;
}

static void encoder_clear_block(struct chapter_encoder *e)
{
	for (size_t i = e->n; i-- > 0;)
		if (!encoder_is_repeat(e, i))
			dict_release_stored(&e->profile[i]);
	e->n = e->n_values = 0;
}

static void encoder_free(struct chapter_encoder *e)
{
	if (!e)
		return;
	encoder_clear_block(e);
	pack_free(e->packer);
	chapter_sums_free(e->sums);
	buf_release(&e->raw);
	buf_release(&e->packed);
	free(e->class);
	free(e);
}

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

/* The first meta with the types of a meta. */
static uint32_t encoder_find_class(struct chapter_encoder *e, uint32_t meta)
{
	const struct dict *d = &e->chapter->dict;

	e->class = mem_grow(e->class, &e->cap_classes, (size_t)meta + 1, sizeof(*e->class));
	for (; e->n_classes <= meta; e->n_classes++) {
		uint32_t m = e->n_classes, first = 0;

		/* Few are distinct, so the class of an earlier meta is found after few comparisons. */
		while (first < m && (e->class[first] != first || !has_equal_types(&d->meta[first], &d->meta[m])))
			first++;
		e->class[m] = first;
	}
	return e->class[meta];
}

static int64_t *sum_columns(const struct chapter_encoder *e, uint32_t n_columns)
{
	int64_t *total = arena_zalloc(e->chapter->memory, n_columns, sizeof(*total));

	for (uint32_t k = 0; k < n_columns; k++) {
		uint64_t sum = 0, own = 0;

		for (size_t i = 0; i < e->n; i++) {
			const struct stored *s = &e->profile[i];

			if (!encoder_is_repeat(e, i))
				own = 0;
			for (uint32_t row = 0; row < s->n && !encoder_is_repeat(e, i); row++)
				own += (uint64_t)s->value[(size_t)k * s->n + row];
			sum += own;
		}
		total[k] = (int64_t)sum;
	}
	return total;
}

/* Encode and compress the profiles of the next block. */
static int encoder_pack_block(struct chapter_encoder *e, struct err *err)
{
	const struct stored *list[BLOCK_PROFILES_MAX], *first = &e->profile[0];
	const struct dict_meta *meta = &e->chapter->dict.meta[first->meta];
	bool *is_chain = mem_alloc(meta->n_types, sizeof(*is_chain));

	for (uint32_t k = 0; k < meta->n_types; k++)
		is_chain[k] =
			meta->temporality[k] == TEMPORALITY_CUMULATIVE || meta->temporality[k] == TEMPORALITY_GAUGE;
	for (size_t i = 0; i < e->n; i++)
		list[i] = &e->profile[i];
	e->raw.len = e->packed.len = 0;
	block_encode(list, e->n, is_chain, &e->raw);
	free(is_chain);
	if (e->raw.len > PACK_RAW_MAX)
		return err_set(err, ERR_LIMIT, "a profile of %s has %" PRIu32 " rows, too many to store",
			       e->chapter->service, first->n);
	pack_add(e->packer, e->raw.data, e->raw.len, &e->packed);
	return 0;
}

/* Write the profiles of the next block, if there are any. */
static int encoder_end_block(struct chapter_encoder *e, struct err *err)
{
	const struct stored *first = &e->profile[0];
	struct chapter *c = e->chapter;
	struct block_entry *entry;
	int rc = e->n ? encoder_pack_block(e, err) : 0;

	if (rc < 0 || !e->n)
		return rc;
	c->block = mem_grow(c->block, &e->cap_blocks, (size_t)c->n_blocks + 1, sizeof(*c->block));
	entry = &c->block[c->n_blocks++];
	*entry = (struct block_entry){ .series = first->series,
				       .profiles = (uint32_t)e->n,
				       .n_columns = first->n_columns,
				       .t0 = first->start_ns,
				       .t1 = e->profile[e->n - 1].start_ns,
				       .total = sum_columns(e, first->n_columns),
				       .size = e->packed.len,
				       .raw = e->raw.len };
	entry->data = memcpy(arena_alloc(c->memory, e->packed.len, 1), e->packed.data, e->packed.len);
	entry->crc = pack_crc(entry->data, entry->size);
	for (size_t i = 0; i < e->n; i++)
		chapter_sums_add(e->sums, &e->profile[i], e->class[first->meta]);
	encoder_clear_block(e);
	return 0;
}

/* Is a profile with n values one of the next block? That has one series, equal types, and not too many values. */
static bool encoder_has_room(struct chapter_encoder *e, uint32_t series, uint32_t meta, size_t n_values)
{
	const struct stored *first = &e->profile[0];
	uint32_t class = encoder_find_class(e, meta);

	return e->n < BLOCK_PROFILES_MAX && (!e->n || (first->series == series && e->class[first->meta] == class &&
						       e->n_values + n_values <= BLOCK_VALUES_MAX));
}

/* Add the next profile, which is taken over. */
static int encoder_add(struct chapter_encoder *e, struct stored *s, struct err *err)
{
	size_t n_values = (size_t)s->n * s->n_columns;
	int rc = encoder_has_room(e, s->series, s->meta, n_values) ? 0 : encoder_end_block(e, err);

	if (rc < 0) {
		dict_release_stored(s);
		return rc;
	}
	e->profile[e->n++] = *s;
	e->n_values += n_values;
	return 0;
}

/* --- adding profiles --- */

void chapter_builder_expect_sorted(struct chapter_builder *b, int level)
{
	assert(!b->n_profiles);
	b->encoder = encoder_new(b->chapter, level);
}

/* Encode a copy of a profile. */
static void chapter_builder_encode(struct chapter_builder *b, const struct stored *s)
{
	size_t n_values = (size_t)s->n * s->n_columns;
	struct stored copy = *s;

	if (b->rc < 0)
		return;
	copy.row = mem_alloc(s->n, sizeof(*s->row));
	copy.value = mem_alloc(n_values, sizeof(*s->value));
	if (s->n)
		memcpy(copy.row, s->row, s->n * sizeof(*s->row));
	if (n_values)
		memcpy(copy.value, s->value, n_values * sizeof(*s->value));
	b->rc = encoder_add(b->encoder, &copy, &b->err);
}

/* Keep the rows of a profile as varints, which take a sixth of their memory. */
static void chapter_builder_keep(struct chapter_builder *b, const struct stored *s)
{
	size_t n_values = (size_t)s->n * s->n_columns;
	uint32_t next = 0;

	b->last = b->data.len;
	varint_put(&b->data, s->n);
	varint_put(&b->data, s->n_columns);
	for (uint32_t i = 0; i < s->n; i++) {
		varint_put(&b->data, s->row[i] - next);
		next = s->row[i] + 1;
	}
	for (size_t i = 0; i < n_values; i++)
		varint_put_signed(&b->data, s->value[i]);
}

static void chapter_builder_count(struct chapter_builder *b, const struct stored *s)
{
	struct chapter *c = b->chapter;

	b->n_profiles++;
	c->t0 = s->start_ns < c->t0 ? s->start_ns : c->t0;
	c->t1 = s->start_ns > c->t1 ? s->start_ns : c->t1;
}

void chapter_builder_repeat(struct chapter_builder *b, const struct stored *s)
{
	assert(!b->encoder);
	chapter_builder_count(b, s);
	b->entry = mem_grow(b->entry, &b->cap, b->n + 1, sizeof(*b->entry));
	b->entry[b->n++] = (struct chapter_entry){ s->series, s->meta, s->start_ns, s->duration_ns, s->slot, b->last };
}

void chapter_builder_add(struct chapter_builder *b, const struct stored *s)
{
	if (b->encoder) {
		chapter_builder_count(b, s);
		chapter_builder_encode(b, s);
	} else {
		chapter_builder_keep(b, s);
		chapter_builder_repeat(b, s);
	}
}

/* Restore the rows of a profile that was kept. */
static void unpack_profile(const struct chapter_builder *b, const struct chapter_entry *e, struct stored *s)
{
	const uint8_t *at = (const uint8_t *)b->data.data + e->at, *end = (const uint8_t *)b->data.data + b->data.len;
	uint64_t n = 0, n_columns = 0, v = 0, next = 0;
	size_t n_values;

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

static int chapter_compare_entries(const void *a, const void *b)
{
	const struct chapter_entry *x = a, *y = b;

	if (x->series != y->series)
		return x->series < y->series ? -1 : 1;
	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	return x->at < y->at ? -1 : x->at > y->at;
}

/* Encode entry i. Its rows are the memory of those of the entry before it, if they are the same and of one block. */
static void encode_entry(struct chapter_builder *b, size_t i)
{
	const struct chapter_entry *entry = &b->entry[i];
	struct chapter_encoder *e = b->encoder;
	struct stored s = { 0 };
	bool is_repeat = i && entry->at == entry[-1].at && e->n && encoder_has_room(e, entry->series, entry->meta, 0);

	if (is_repeat)
		s = e->profile[e->n - 1];
	else
		unpack_profile(b, entry, &s);
	s.slot = entry->slot;
	s.series = entry->series;
	s.meta = entry->meta;
	s.start_ns = entry->start_ns;
	s.duration_ns = entry->duration_ns;
	if (is_repeat)
		e->profile[e->n++] = s;
	else
		b->rc = encoder_add(e, &s, &b->err);
}

/* Sort the profiles that were kept, and encode them. */
static void encode_kept(struct chapter_builder *b, int level)
{
	b->encoder = encoder_new(b->chapter, level);
	if (b->n)
		qsort(b->entry, b->n, sizeof(*b->entry), chapter_compare_entries);
	for (size_t i = 0; i < b->n && b->rc == 0; i++)
		encode_entry(b, i);
}

int chapter_builder_finish(struct chapter_builder *b, int level, struct chapter **out, struct err *err)
{
	struct chapter *c = b->chapter;

	dict_sort_nodes(&c->dict);
	if (!b->encoder)
		encode_kept(b, level);
	if (b->rc == 0)
		b->rc = encoder_end_block(b->encoder, &b->err);
	if (b->rc < 0) {
		if (err)
			*err = b->err;
		return b->rc;
	}
	for (uint32_t i = 0; i < c->n_marks && !b->n_profiles; i++) {
		c->t0 = c->mark[i].time_ns < c->t0 ? c->mark[i].time_ns : c->t0;
		c->t1 = c->mark[i].time_ns > c->t1 ? c->mark[i].time_ns : c->t1;
	}
	chapter_sums_finish(b->encoder->sums, b->encoder->packer, c);
	c->profiles = b->n_profiles;
	c->block = arena_own(c->memory, c->block);
	c->mark = arena_own(c->memory, c->mark);
	*out = c;
	b->chapter = NULL;
	return 0;
}

void chapter_builder_free(struct chapter_builder *b)
{
	if (!b)
		return;
	encoder_free(b->encoder);
	if (b->chapter) {
		free(b->chapter->block);
		free(b->chapter->mark);
	}
	chapter_free(b->chapter);
	free(b->entry);
	buf_release(&b->data);
	free(b);
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

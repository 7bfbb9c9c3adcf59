/*
 * head.c - the content of a journal in memory: per service a dictionary and the records of its profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/format/head.h"

#include "base/hash.h"
#include "base/mem.h"
#include "store/local/format/varint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct journal_head *head_new(bool has_ids)
{
	struct journal_head *h = mem_zalloc(1, sizeof(*h));

	h->has_ids = has_ids;
	idtab_init(&h->by_name, 16);
	if (has_ids)
		idtab_init(&h->by_id, 1024);
	return h;
}

void head_free(struct journal_head *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->n; i++) {
		struct head_service *s = &h->service[i];

		free(s->name);
		chapter_builder_free(s->builder);
		content_release(&s->content);
		buf_release(&s->records);
	}
	free(h->service);
	free(h->dirty);
	free(h->id);
	idtab_release(&h->by_name);
	if (h->has_ids)
		idtab_release(&h->by_id);
	free(h);
}

static bool store_head_find_service(const struct journal_head *h, const char *name, size_t length, uint32_t *out)
{
	uint64_t hash = hash_bytes(name, length);

	for (size_t pos = idtab_start(&h->by_name, hash); idtab_next(&h->by_name, hash, &pos, out);)
		if (strlen(h->service[*out].name) == length && memcmp(h->service[*out].name, name, length) == 0)
			return true;
	return false;
}

static void set_dirty(struct journal_head *h, uint32_t service)
{
	if (h->service[service].is_dirty)
		return;
	h->service[service].is_dirty = true;
	h->dirty = mem_grow(h->dirty, &h->cap_dirty, h->n_dirty + 1, sizeof(*h->dirty));
	h->dirty[h->n_dirty++] = service;
}

uint32_t head_add_service(struct journal_head *h, const char *name, size_t length)
{
	struct head_service *s;
	uint32_t i;

	if (store_head_find_service(h, name, length, &i))
		return i;
	i = (uint32_t)h->n;
	h->service = mem_grow(h->service, &h->cap, h->n + 1, sizeof(*h->service));
	s = &h->service[h->n++];
	memset(s, 0, sizeof(*s));
	s->name = mem_strndup(name, length);
	s->builder = chapter_builder_new(s->name);
	s->dict = chapter_builder_dict(s->builder);
	idtab_put(&h->by_name, hash_bytes(name, length), i);
	h->memory += sizeof(*s) + length + 1024;
	return i;
}

bool head_name_service(struct journal_head *h, uint32_t service, const char *name, size_t length)
{
	struct head_service *s = &h->service[service];
	uint32_t other;

	if (!s->is_unnamed || s->n_records || dict_count(s->dict, DICT_NODES) ||
	    store_head_find_service(h, name, length, &other))
		return false;
	chapter_builder_free(s->builder);
	free(s->name);
	s->name = mem_strndup(name, length);
	s->builder = chapter_builder_new(s->name);
	s->dict = chapter_builder_dict(s->builder);
	s->is_unnamed = false;
	idtab_put(&h->by_name, hash_bytes(name, length), service);
	return true;
}

static void store_head_add_id(struct journal_head *h, const struct head_service *s, const struct stored *p,
			      uint64_t content)
{
	struct head_id *id;
	uint64_t hash;

	h->id = mem_grow(h->id, &h->cap_ids, h->n_ids + 1, sizeof(*h->id));
	id = &h->id[h->n_ids];
	block_profile_id(s->dict->series[p->series].hash, p->start_ns, id->id);
	id->content = content;
	memcpy(&hash, id->id, sizeof(hash));
	idtab_put(&h->by_id, hash, (uint32_t)h->n_ids++);
	h->memory += sizeof(*id) + 2 * sizeof(uint64_t);
}

const uint64_t *head_find_id(const struct journal_head *h, const uint8_t id[16])
{
	uint64_t hash;
	uint32_t i;

	memcpy(&hash, id, sizeof(hash));
	for (size_t pos = idtab_start(&h->by_id, hash); idtab_next(&h->by_id, hash, &pos, &i);)
		if (memcmp(h->id[i].id, id, 16) == 0)
			return &h->id[i].content;
	return NULL;
}

/* Append a record: its tag, service, length and body. */
static void put_record(struct buf *out, unsigned tag, uint32_t service, const struct buf *body)
{
	buf_fill(out, (char)tag, 1);
	varint_put(out, service);
	varint_put(out, body->len);
	buf_add(out, body->data, body->len);
}

static void add_record(struct journal_head *h, uint32_t service, unsigned tag, const struct buf *body)
{
	struct head_service *s = &h->service[service];
	size_t before = s->records.cap;

	put_record(&s->records, tag, service, body);
	s->n_records++;
	h->memory += s->records.cap - before;
	set_dirty(h, service);
}

void head_add_profile(struct journal_head *h, uint32_t service, const struct stored *p, uint64_t content)
{
	struct buf body = { 0 };
	uint32_t row = 0;

	varint_put(&body, p->series);
	varint_put(&body, p->meta);
	varint_put_signed(&body, p->start_ns);
	varint_put_signed(&body, p->duration_ns);
	varint_put(&body, p->n);
	for (uint32_t i = 0; i < p->n; row = p->row[i++])
		varint_put(&body, p->row[i] - row);
	for (size_t i = 0; i < (size_t)p->n * p->n_columns; i++)
		varint_put_signed(&body, p->value[i]);
	add_record(h, service, RECORD_PROFILE, &body);
	buf_release(&body);
	h->n_profiles++;
	if (h->has_ids)
		store_head_add_id(h, &h->service[service], p, content);
}

static void store_head_put_text(struct buf *out, const char *text)
{
	size_t n = text ? strlen(text) : 0;

	varint_put(out, n);
	buf_add(out, text, n);
}

void head_add_mark(struct journal_head *h, uint32_t service, const struct store_mark *m)
{
	struct buf body = { 0 };

	varint_put_signed(&body, m->time_ns);
	store_head_put_text(&body, m->env);
	store_head_put_text(&body, m->kind);
	store_head_put_text(&body, m->text);
	add_record(h, service, RECORD_MARK, &body);
	buf_release(&body);
}

size_t head_memory(const struct journal_head *h)
{
	size_t n = h->memory;

	for (size_t i = 0; i < h->n; i++)
		if (h->service[i].builder)
			n += h->service[i].dict->memory + content_memory(&h->service[i].content);
	return n;
}

uint32_t head_n_services(const struct journal_head *h)
{
	return (uint32_t)h->n;
}

const char *head_service(const struct journal_head *h, uint32_t i)
{
	return h->service[i].name;
}

uint64_t head_profiles(const struct journal_head *h)
{
	return h->n_profiles;
}

/* Add a record with the name of each service that the journal does not have yet, up to and including this one. A service can
   have a number and no record of its own, if its only profile was a duplicate or was refused. */
static uint32_t head_add_names(const struct journal_head *h, size_t n_named, uint32_t service, struct buf *out)
{
	struct buf body = { 0 };
	uint32_t n = 0;

	for (size_t i = n_named; i <= service; i++, n++) {
		body.len = 0;
		buf_addz(&body, h->service[i].name);
		put_record(out, RECORD_SERVICE, (uint32_t)i, &body);
	}
	buf_release(&body);
	return n;
}

/* Records of a service that are not logged: what its dictionary grew by, profiles and marks. */
static uint32_t add_service_records(const struct journal_head *h, uint32_t service, struct buf *out)
{
	const struct head_service *s = &h->service[service];
	struct buf body = { 0 };
	uint32_t n = 0;

	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++) {
		uint32_t count = dict_count(s->dict, (enum dict_table)t);

		if (count == s->logged[t])
			continue;
		body.len = 0;
		varint_put(&body, count - s->logged[t]);
		dict_encode(s->dict, (enum dict_table)t, s->logged[t], &body);
		put_record(out, (unsigned)t, service, &body);
		n++;
	}
	buf_add(out, s->records.data + s->records_logged, s->records.len - s->records_logged);
	buf_release(&body);
	return n + s->n_records - s->n_records_logged;
}

static size_t head_named_after(size_t n_named, uint32_t service)
{
	return service < n_named ? n_named : (size_t)service + 1;
}

uint32_t head_add_records(const struct journal_head *h, size_t max, struct buf *out, size_t *n_services)
{
	size_t first = out->len, n_named = h->n_named;
	uint32_t n = 0;

	for (*n_services = 0; *n_services < h->n_dirty && out->len - first < max; ++*n_services) {
		uint32_t service = h->dirty[*n_services];

		n += head_add_names(h, n_named, service, out);
		n_named = head_named_after(n_named, service);
		n += add_service_records(h, service, out);
	}
	return n;
}

static void head_set_service_logged(struct head_service *s)
{
	for (int t = DICT_STRINGS; t < DICT_TABLES_END; t++)
		s->logged[t] = dict_count(s->dict, (enum dict_table)t);
	s->is_dirty = false;
	s->records_logged = s->records.len;
	s->n_records_logged = s->n_records;
}

void head_set_logged(struct journal_head *h, size_t n_services)
{
	assert(n_services <= h->n_dirty);
	for (size_t i = 0; i < n_services; i++) {
		h->n_named = head_named_after(h->n_named, h->dirty[i]);
		head_set_service_logged(&h->service[h->dirty[i]]);
	}
	h->n_dirty -= n_services;
	if (n_services)
		memmove(h->dirty, h->dirty + n_services, h->n_dirty * sizeof(*h->dirty));
}

void head_set_all_logged(struct journal_head *h)
{
	for (size_t i = 0; i < h->n; i++)
		head_set_service_logged(&h->service[i]);
	h->n_dirty = 0;
	h->n_named = h->n;
}

void head_set_all_dirty(struct journal_head *h)
{
	h->n_dirty = h->n_named = 0;
	for (uint32_t i = 0; i < h->n; i++) {
		struct head_service *s = &h->service[i];

		s->is_dirty = false;
		memset(s->logged, 0, sizeof(s->logged));
		s->records_logged = s->n_records_logged = 0;
		set_dirty(h, i);
	}
}

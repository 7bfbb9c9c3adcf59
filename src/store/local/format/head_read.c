/*
 * head_read.c - decodes records of a journal, and makes chapters of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/format/head.h"
#include "store/local/format/varint.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	SERVICE_NAME_MAX = 64 << 10,
	UNNAMED_MAX = 1024, /* services without a name in a row */
};

/* Columns of row ids and values; each takes a byte or more, so the size of the record limits them. */
static int head_read_decode_rows(const uint8_t *at, const uint8_t *end, const struct dict *d, struct stored *s,
				 struct err *err)
{
	size_t cells = (size_t)s->n * s->n_columns;
	uint64_t row = 0, delta;

	if (s->n > (size_t)(end - at) || cells > (size_t)(end - at) - s->n)
		return err_set(err, ERR_FORMAT, "a profile of %" PRIu32 " rows is cut off", s->n);
	s->row = mem_alloc(s->n + 1, sizeof(*s->row));
	s->value = mem_alloc(cells + 1, sizeof(*s->value));
	for (uint32_t i = 0; i < s->n; i++) {
		if (!varint_get(&at, end, &delta) || (i && !delta) || delta >= d->n_rows || row + delta >= d->n_rows)
			return err_set(err, ERR_FORMAT, "row %" PRIu32 " of a profile does not exist", i);
		row += delta;
		s->row[i] = (uint32_t)row;
	}
	for (size_t i = 0; i < cells; i++)
		if (!varint_get_signed(&at, end, &s->value[i]))
			return err_set(err, ERR_FORMAT, "value %zu of a profile is cut off", i);
	if (at != end)
		return err_set(err, ERR_FORMAT, "%zu bytes follow a profile", (size_t)(end - at));
	return 0;
}

static int decode_profile(const uint8_t *at, const uint8_t *end, const struct dict *d, struct stored *s,
			  struct err *err)
{
	uint64_t series, meta, n;
	int rc;

	memset(s, 0, sizeof(*s));
	if (!varint_get(&at, end, &series) || !varint_get(&at, end, &meta) ||
	    !varint_get_signed(&at, end, &s->start_ns) || !varint_get_signed(&at, end, &s->duration_ns) ||
	    !varint_get(&at, end, &n))
		return err_set(err, ERR_FORMAT, "a profile is cut off");
	if (series >= d->n_series)
		return err_set(err, ERR_FORMAT, "series %" PRIu64 " of %" PRIu32 " does not exist", series,
			       d->n_series);
	if (meta >= d->n_metas)
		return err_set(err, ERR_FORMAT, "meta %" PRIu64 " of %" PRIu32 " does not exist", meta, d->n_metas);
	if (n > d->n_rows)
		return err_set(err, ERR_FORMAT, "a profile has %" PRIu64 " rows of %" PRIu32, n, d->n_rows);
	s->series = (uint32_t)series;
	s->meta = (uint32_t)meta;
	s->n = (uint32_t)n;
	s->n_columns = d->meta[meta].n_types;
	rc = head_read_decode_rows(at, end, d, s, err);
	if (rc < 0)
		dict_release_stored(s);
	return rc;
}

static char *get_text(const uint8_t **at, const uint8_t *end)
{
	uint64_t n;
	char *text;

	if (!varint_get(at, end, &n) || n > (size_t)(end - *at))
		return NULL;
	text = mem_strndup((const char *)*at, n);
	*at += n;
	return text;
}

static void mark_release(struct store_mark *m)
{
	free(m->env);
	free(m->kind);
	free(m->text);
}

static int decode_mark(const uint8_t *at, const uint8_t *end, struct store_mark *m, struct err *err)
{
	memset(m, 0, sizeof(*m));
	if (varint_get_signed(&at, end, &m->time_ns) && (m->env = get_text(&at, end)) &&
	    (m->kind = get_text(&at, end)) && (m->text = get_text(&at, end)) && at == end)
		return 0;
	mark_release(m);
	return err_set(err, ERR_FORMAT, "a mark is cut off");
}

/* Add services up to this number whose names are missing, since later records have their numbers. */
static int head_add_unnamed(struct journal_head *h, uint64_t service, struct err *err)
{
	char name[64];

	if (service - h->n >= UNNAMED_MAX)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " of %zu does not exist", service, h->n);
	while (h->n <= service) {
		snprintf(name, sizeof(name), "[cpa: unnamed service %zu]", h->n);
		if (head_add_service(h, name, strlen(name)) + 1 != h->n)
			return err_set(err, ERR_FORMAT, "service %" PRIu64 " has no name", service);
		h->service[h->n - 1].is_unnamed = true;
	}
	return 0;
}

/* Returns 1 if the names of services before this one are missing. */
static int read_service(struct journal_head *h, uint64_t service, const char *name, size_t n, struct err *err)
{
	size_t known = h->n;
	int rc = 0;

	if (n == 0 || n > SERVICE_NAME_MAX || memchr(name, 0, n))
		return err_set(err, ERR_FORMAT, "the name of service %" PRIu64 " is not valid", service);
	if (service < h->n && head_name_service(h, (uint32_t)service, name, n))
		return 0;
	if (service < h->n)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " follows service %zu", service, h->n - 1);
	if (service > h->n)
		rc = head_add_unnamed(h, service - 1, err);
	if (rc < 0)
		return rc;
	if (head_add_service(h, name, n) != service)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " has the name of another one", service);
	if (service == known)
		return 0;
	err_set(err, ERR_FORMAT, "service %" PRIu64 " follows %zu services", service, known);
	return 1;
}

static int head_read_table(struct head_service *s, unsigned tag, const uint8_t *at, const uint8_t *end, struct err *err)
{
	const uint8_t *first;
	uint64_t items, from;
	int rc;

	if (!varint_get(&at, end, &items) || items > UINT32_MAX)
		return err_set(err, ERR_FORMAT, "entries of a table are cut off");
	first = at;
	if (varint_get(&first, end, &from) && from > dict_count(s->dict, (enum dict_table)tag))
		return err_set(err, ERR_FORMAT, "%s: entries before %" PRIu64 " are missing",
			       dict_table_name((enum dict_table)tag), from);
	rc = dict_decode(s->dict, (enum dict_table)tag, (uint32_t)items, at, (size_t)(end - at), err);
	s->is_broken = rc < 0;
	return rc;
}

static int head_read_profile(struct journal_head *h, uint32_t service, const uint8_t *body, size_t n, struct err *err)
{
	struct head_service *s = &h->service[service];
	struct stored p;
	int rc = decode_profile(body, body + n, s->dict, &p, err);

	if (rc < 0)
		return rc;
	head_add_profile(h, service, &p, h->has_ids ? content_hash(&s->content, s->dict, &p) : 0);
	dict_release_stored(&p);
	return 0;
}

static int head_read_mark(struct journal_head *h, uint32_t service, const uint8_t *body, size_t n, struct err *err)
{
	struct store_mark m;
	int rc = decode_mark(body, body + n, &m, err);

	if (rc < 0)
		return rc;
	head_add_mark(h, service, &m);
	mark_release(&m);
	return 0;
}

int head_read_record(struct journal_head *h, unsigned tag, uint64_t service, const uint8_t *body, size_t n,
		     struct err *err)
{
	bool has_name = service < h->n;
	int rc;

	if (tag == RECORD_SERVICE)
		return read_service(h, service, (const char *)body, n, err);
	rc = has_name ? 0 : head_add_unnamed(h, service, err);
	if (rc < 0)
		return rc;
	if (h->service[service].is_broken)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " has a damaged table", service);
	if (tag >= DICT_STRINGS && tag < DICT_TABLES_END)
		rc = head_read_table(&h->service[service], tag, body, body + n, err);
	else if (tag == RECORD_PROFILE)
		rc = head_read_profile(h, (uint32_t)service, body, n, err);
	else if (tag == RECORD_MARK)
		rc = head_read_mark(h, (uint32_t)service, body, n, err);
	else
		rc = err_set(err, ERR_FORMAT, "a record has the unknown type %u", tag);
	if (rc < 0 || has_name)
		return rc;
	err_set(err, ERR_FORMAT, "the name of service %" PRIu64 " is missing", service);
	return 1;
}

int head_each(const struct head_service *s, head_profile_fn *profile, head_mark_fn *mark, void *arg, struct err *err)
{
	const uint8_t *at = (const uint8_t *)s->records.data, *end = at + s->records.len;
	int rc = 0;

	while (rc == 0 && at < end) {
		unsigned tag = *at++;
		uint64_t service, n;
		struct stored p;
		struct store_mark m;

		if (!varint_get(&at, end, &service) || !varint_get(&at, end, &n) || n > (size_t)(end - at))
			return err_set(err, ERR_FORMAT, "%s: a record is cut off", s->name);
		if (tag == RECORD_PROFILE) {
			rc = decode_profile(at, at + n, s->dict, &p, err);
			if (rc == 0) {
				rc = profile(arg, &p, err);
				dict_release_stored(&p);
			}
		} else if (mark) {
			rc = decode_mark(at, at + n, &m, err);
			if (rc == 0) {
				rc = mark(arg, &m, err);
				mark_release(&m);
			}
		}
		at += n;
	}
	return rc;
}

static int build_profile(void *arg, const struct stored *p, struct err *err)
{
	(void)err;
	chapter_builder_add(arg, p);
	return 0;
}

static int build_mark(void *arg, const struct store_mark *m, struct err *err)
{
	(void)err;
	chapter_builder_mark(arg, m);
	return 0;
}

int head_make_chapter(struct journal_head *h, uint32_t i, int level, struct chapter **out, struct err *err)
{
	struct head_service *s = &h->service[i];
	int rc = head_each(s, build_profile, build_mark, s->builder, err);

	buf_release(&s->records);
	if (rc == 0)
		rc = chapter_builder_finish(s->builder, level, out, err);
	if (rc < 0)
		return rc;
	chapter_builder_free(s->builder);
	s->builder = NULL;
	s->dict = NULL;
	content_release(&s->content);
	return 0;
}

/*
 * journal_check.c - checks the records of a batch before they are written to a journal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/format/journal_check.h"

#include "base/mem.h"
#include "store/local/format/head.h"
#include "store/local/format/varint.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void journal_counts_read(struct journal_counts *c, const struct journal_head *h)
{
	c->service = mem_grow(c->service, &c->cap, h->n + 1, sizeof(*c->service));
	c->n = h->n;
	for (size_t i = 0; i < h->n; i++)
		for (int t = 0; t < DICT_TABLES_END; t++)
			c->service[i].n[t] = h->service[i].logged[t];
}

void journal_counts_copy(struct journal_counts *to, const struct journal_counts *from)
{
	to->service = mem_grow(to->service, &to->cap, from->n + 1, sizeof(*to->service));
	to->n = from->n;
	if (from->n)
		memcpy(to->service, from->service, from->n * sizeof(*to->service));
}

void journal_counts_release(struct journal_counts *c)
{
	free(c->service);
	*c = (struct journal_counts){ 0 };
}

static int journal_check_service(struct journal_counts *c, uint64_t service, struct err *err)
{
	if (service != c->n)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " follows %zu services", service, c->n);
	c->service = mem_grow(c->service, &c->cap, c->n + 1, sizeof(*c->service));
	c->service[c->n++] = (struct journal_entries){ 0 };
	return 0;
}

static int journal_check_reference(const struct journal_entries *has, enum dict_table table, uint64_t id,
				   struct err *err)
{
	if (id < has->n[table])
		return 0;
	return err_set(err, ERR_FORMAT, "entry %" PRIu64 " of %" PRIu64 " %s does not exist", id, has->n[table],
		       dict_table_name(table));
}

static int journal_check_profile(const struct journal_entries *has, const uint8_t *at, const uint8_t *end,
				 struct err *err)
{
	uint64_t series, meta, n, delta, row = 0;
	int64_t start_ns, duration_ns;
	int rc;

	if (!varint_get(&at, end, &series) || !varint_get(&at, end, &meta) || !varint_get_signed(&at, end, &start_ns) ||
	    !varint_get_signed(&at, end, &duration_ns) || !varint_get(&at, end, &n))
		return err_set(err, ERR_FORMAT, "a profile is cut off");
	rc = journal_check_reference(has, DICT_SERIES, series, err);
	if (rc == 0)
		rc = journal_check_reference(has, DICT_METAS, meta, err);
	for (uint64_t i = 0; rc == 0 && i < n; i++) {
		if (!varint_get(&at, end, &delta) || __builtin_add_overflow(row, delta, &row))
			return err_set(err, ERR_FORMAT, "row %" PRIu64 " of a profile is cut off", i);
		rc = journal_check_reference(has, DICT_ROWS, row, err);
	}
	return rc;
}

static int journal_check_record(struct journal_counts *c, unsigned tag, uint64_t service, const uint8_t *at, size_t n,
				struct err *err)
{
	const uint8_t *end = at + n;
	uint64_t items = 0, first = 0;

	if (tag == RECORD_SERVICE)
		return journal_check_service(c, service, err);
	if (service >= c->n)
		return err_set(err, ERR_FORMAT, "service %" PRIu64 " of %zu does not exist", service, c->n);
	if (tag == RECORD_PROFILE)
		return journal_check_profile(&c->service[service], at, end, err);
	if (tag == RECORD_MARK)
		return 0;
	if (tag < DICT_STRINGS || tag >= DICT_TABLES_END || !varint_get(&at, end, &items) ||
	    !varint_get(&at, end, &first))
		return err_set(err, ERR_FORMAT, "entries of a table are cut off");
	if (first != c->service[service].n[tag])
		return err_set(err, ERR_FORMAT, "%s begin at entry %" PRIu64 ", but the file has %" PRIu64,
			       dict_table_name((enum dict_table)tag), first, c->service[service].n[tag]);
	c->service[service].n[tag] += items;
	return 0;
}

int journal_check_records(struct journal_counts *c, const struct buf *records, uint32_t n, struct err *err)
{
	const uint8_t *at = (const uint8_t *)records->data, *end = at + records->len;

	for (uint32_t i = 0; i < n; i++) {
		unsigned tag = at < end ? *at++ : 0;
		uint64_t service, length = 0;
		int rc;

		if (!varint_get(&at, end, &service) || !varint_get(&at, end, &length) || length > (size_t)(end - at))
			rc = err_set(err, ERR_FORMAT, "it is cut off");
		else
			rc = journal_check_record(c, tag, service, at, length, err);
		if (rc < 0)
			return err_wrap(err, "record %" PRIu32, i + 1);
		at += length;
	}
	if (at != end)
		return err_set(err, ERR_FORMAT, "%zu bytes follow the last record", (size_t)(end - at));
	return 0;
}

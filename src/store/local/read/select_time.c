/*
 * select_time.c - times of the profiles of a query, and times in messages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "store/local/read/select.h"

#include <stdlib.h>
#include <string.h>

typedef int select_start_fn(void *arg, const uint8_t hash[16], int64_t start_ns);

static int each_start_of_block(const struct store_query *q, const struct chapter *c, uint32_t i, struct buf *buffer,
			       select_start_fn *fn, void *arg, struct err *err)
{
	const uint8_t *hash = c->dict.series[c->block[i].series].hash;
	struct block b;
	int rc;

	if (c->block[i].t1 < q->t0 || c->block[i].t0 >= q->t1)
		return 0;
	rc = chapter_open_block(c, i, buffer, &b, err);
	if (rc < 0)
		return rc;
	for (uint32_t k = 0; rc == 0 && k < b.n; k++)
		if (b.start_ns[k] >= q->t0 && b.start_ns[k] < q->t1)
			rc = fn(arg, hash, b.start_ns[k]);
	block_release(&b);
	return rc;
}

static int each_start_of_chapter(const struct store_query *q, const struct chapter *c, select_start_fn *fn, void *arg,
				 struct err *err)
{
	struct buf buffer = { 0 };
	uint32_t series = UINT32_MAX;
	int rc = 0, match = 0;

	for (uint32_t i = 0; rc == 0 && i < c->n_blocks; i++) {
		if (c->block[i].series != series) {
			series = c->block[i].series;
			match = select_series(q, c, &c->dict.series[series], err);
		}
		if (match < 0)
			rc = match;
		else if (match)
			rc = each_start_of_block(q, c, i, &buffer, fn, arg, err);
	}
	buf_release(&buffer);
	return rc;
}

/* Call fn for each profile of the query, in any order; fn returns 0, or ERR_* to end. */
static int select_each_start(const struct store_query *q, const struct selection *sel, select_start_fn *fn, void *arg,
			     struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < sel->n; i++) {
		const struct select_chapter *from = &sel->chapter[i];
		struct chapter *c = NULL;

		rc = select_read(from, &c, err);
		if (rc == 0) {
			rc = each_start_of_chapter(q, c, fn, arg, err);
			if (rc == ERR_FORMAT)
				select_damage(from, err);
		}
		select_release(from, c);
		if ((rc == ERR_FORMAT || rc == ERR_IO) && q->partial)
			rc = 0;
	}
	return rc;
}

/* A profile that may be one of the latest. */
struct late {
	int64_t start_ns;
	uint8_t hash[16];
};

struct late_list {
	struct late *p;
	size_t n, cap;
};

static int add_late(void *arg, const uint8_t hash[16], int64_t start_ns)
{
	struct late_list *list = arg;

	list->p = mem_grow(list->p, &list->cap, list->n + 1, sizeof(*list->p));
	list->p[list->n].start_ns = start_ns;
	memcpy(list->p[list->n++].hash, hash, 16);
	return 0;
}

/* Latest first. */
static int compare_late(const void *a, const void *b)
{
	const struct late *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns > y->start_ns ? -1 : 1;
	return -memcmp(x->hash, y->hash, sizeof(x->hash));
}

int select_find_cut(const struct store_query *q, const struct selection *sel, struct select_cut *cut, struct err *err)
{
	struct late_list list = { 0 };
	int rc = select_each_start(q, sel, add_late, &list, err);

	*cut = (struct select_cut){ .t0 = INT64_MIN };
	if (rc == 0 && list.n > q->limit) {
		qsort(list.p, list.n, sizeof(*list.p), compare_late);
		cut->t0 = list.p[q->limit - 1].start_ns;
		memcpy(cut->hash, list.p[q->limit - 1].hash, sizeof(cut->hash));
	}
	free(list.p);
	return rc;
}

int64_t select_window_start(const struct store_query *q, const struct select_cut *cut, const uint8_t hash[16])
{
	if (cut->t0 <= q->t0)
		return q->t0;
	return cut->t0 + (memcmp(hash, cut->hash, sizeof(cut->hash)) < 0);
}

static bool is_same_day(const struct tm *a, const struct tm *b)
{
	return a->tm_year == b->tm_year && a->tm_yday == b->tm_yday;
}

static void select_time_print_clock(const struct tm *tm, bool has_date, bool has_seconds, struct buf *out)
{
	char text[64];

	strftime(text, sizeof(text), has_date ? "%Y-%m-%d %H:%M" : "%H:%M", tm);
	buf_addz(out, text);
	if (has_seconds)
		buf_addf(out, ":%02d", tm->tm_sec);
}

void select_print_span(int64_t t0, int64_t t1, struct buf *out)
{
	time_t clock = time(NULL);
	struct tm from, to, now;
	bool has_seconds = (time_split(t0, &from) || from.tm_sec || time_split(t1, &to) || to.tm_sec);
	bool has_date;

	time_split(t1, &to);
	gmtime_r(&clock, &now);
	has_date = !is_same_day(&from, &now) || !is_same_day(&to, &now);
	select_time_print_clock(&from, has_date, has_seconds, out);
	buf_addz(out, "..");
	select_time_print_clock(&to, has_date && !is_same_day(&from, &to), has_seconds, out);
	buf_addz(out, " UTC");
}

void select_print_time(int64_t ns, struct buf *out)
{
	time_t clock = time(NULL);
	struct tm tm, now;

	time_split(ns, &tm);
	gmtime_r(&clock, &now);
	select_time_print_clock(&tm, !is_same_day(&tm, &now), true, out);
	buf_addz(out, " UTC");
}

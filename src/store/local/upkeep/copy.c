/*
 * copy.c - write what a query selects as a segment
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/upkeep/copy.h"

#include "base/mem.h"
#include "store/local/upkeep/chapter_copy.h"

#include <stdlib.h>
#include <string.h>

/* ns to ms, rounded down. */
static int64_t ms_of(int64_t ns)
{
	return ns / 1000000 - (ns % 1000000 < 0);
}

int copy_open(struct store *s, const struct store_query *q, struct store_copy *out, struct err *err)
{
	int64_t t0 = INT64_MAX, t1 = INT64_MIN;
	int rc;

	*out = (struct store_copy){ .query = q };
	if (q->limit > 0)
		return err_set(err, ERR_USAGE, "limit= cannot be used here; select a window");
	rc = select_open(s, q, &out->selection, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < out->selection.n; i++) {
		const struct select_chapter *ch = &out->selection.chapter[i];

		t0 = ch->t0 < t0 ? ch->t0 : t0;
		t1 = ch->t1 > t1 ? ch->t1 : t1;
		out->bytes += ch->bytes;
	}
	t0 = t0 < q->t0 ? q->t0 : t0;
	t1 = t1 >= q->t1 ? q->t1 - 1 : t1;
	out->t0 = ms_of(t0);
	out->t1 = ms_of(t1) + 1;
	return 0;
}

void copy_close(struct store_copy *c)
{
	select_close(&c->selection);
}

static int compare_services(const void *a, const void *b)
{
	const struct select_chapter *const *x = a, *const *y = b;
	int order = strcmp((*x)->service, (*y)->service);

	return order ? order : (*x > *y) - (*x < *y);
}

static int copy_service(struct store_copy *c, const struct select_chapter *const *list, size_t n, int level,
			struct stop *stop, store_copy_fn *fn, void *arg, struct err *err)
{
	struct chapter_filter f = { .t0 = c->query->t0, .t1 = c->query->t1, .query = c->query };
	struct chapter_builder *b = chapter_builder_new(list[0]->service);
	struct chapter_copied copied = CHAPTER_COPIED;
	struct chapter *ch = NULL;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct chapter *from = NULL;

		rc = select_read(list[i], &from, err);
		if (rc == 0)
			rc = copy_chapter(from, &f, stop, b, &copied, err);
		if (rc == ERR_FORMAT && from)
			select_damage(list[i], err);
		select_release(list[i], from);
	}
	if (rc == 0 && copied.profiles > 0)
		rc = chapter_builder_finish(b, level, &ch, err);
	if (rc == 0 && ch)
		rc = fn(arg, ch, err);
	chapter_free(ch);
	chapter_builder_free(b);
	c->copied += copied.profiles;
	return rc;
}

int copy_run(struct store_copy *c, int level, struct stop *stop, store_copy_fn *fn, void *arg, struct err *err)
{
	size_t n = c->selection.n;
	const struct select_chapter **list = mem_alloc(n + 1, sizeof(const struct select_chapter *));
	int rc = 0;

	c->copied = 0;
	for (size_t i = 0; i < n; i++)
		list[i] = &c->selection.chapter[i];
	if (n > 0)
		qsort(list, n, sizeof(*list), compare_services);
	for (size_t lo = 0, hi; rc == 0 && lo < n; lo = hi) {
		for (hi = lo + 1; hi < n && !strcmp(list[hi]->service, list[lo]->service);)
			hi++;
		rc = copy_service(c, list + lo, hi - lo, level, stop, fn, arg, err);
	}
	free(list);
	if (rc == 0 && c->copied == 0)
		rc = err_set(err, ERR_IO, "no profile of %s is selected", c->query->service);
	return rc;
}

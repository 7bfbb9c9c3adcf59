/*
 * remove.c - delete the profiles of a query: segments that contain some are written again without them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/time.h"
#include "store/local/tier/tier.h"
#include "store/local/upkeep/copy.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "store/local/write/writer_state.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

enum { REMOVE_ZSTD_LEVEL = 9 };

struct removal {
	struct store_writer *w;
	const struct store_query *q;
	struct catalogue_selection found; /* chapters of the services of q */
	uint64_t n;                       /* removed profiles */
};

static bool is_affected(const struct removal *r, const char *service, int64_t segment)
{
	for (size_t i = 0; i < r->found.n_chapters; i++)
		if (r->found.chapter[i].segment == segment && !strcmp(r->found.chapter[i].service, service))
			return true;
	return false;
}

static int open_segment(struct store_writer *w, const char *file, struct segment **out, struct err *err)
{
	int fd = openat(w->dir, file, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return err_set(err, ERR_IO, "%s/%s: %s", w->directory, file, strerror(errno));
	rc = segment_open(fd, file, out, err);
	close(fd);
	return rc;
}

/* Copy what remains of a chapter. */
static int keep_chapter(struct removal *r, const struct catalogue_segment *row, const struct segment *s, uint32_t i,
			struct store_file *f, struct chapter_copied *n, struct err *err)
{
	const char *service = segment_chapter_at(s, i)->service;
	struct chapter_filter filter = {
		.t0 = INT64_MIN,
		.t1 = INT64_MAX,
		.query = is_affected(r, service, row->id) ? r->q : NULL,
		.is_inverse = true,
	};
	struct chapter_builder *b = chapter_builder_new(service);
	struct chapter *from = NULL, *to = NULL;
	uint64_t before = n->profiles;
	int rc = segment_read_chapter(s, i, &from, err);

	chapter_builder_expect_sorted(b, REMOVE_ZSTD_LEVEL);
	if (rc == 0)
		rc = copy_chapters((const struct chapter *const *)&from, 1, &filter, NULL, b, n, NULL, err);
	if (rc == 0 && n->profiles > before)
		rc = chapter_builder_finish(b, REMOVE_ZSTD_LEVEL, &to, err);
	if (rc == 0 && to && row->tier != TIER_RAW)
		to->sources = row->file;
	if (rc == 0 && to)
		rc = writer_file_add(f, to, err);
	chapter_free(from);
	chapter_free(to);
	chapter_builder_free(b);
	return rc;
}

/* Replace the row of a segment by that of its copy, or remove it if out is NULL. */
static int swap_row(struct removal *r, const struct catalogue_segment *old, struct catalogue_segment *row,
		    const struct segment *out, uint64_t dropped, struct err *err)
{
	struct catalogue *c = r->w->catalogue;
	struct catalogue_loss loss = {
		.ts = r->w->now(), .t0 = old->t0, .t1 = old->t1, .tier = old->tier, .what = "rm", .profiles = dropped
	};
	int rc = catalogue_begin(c, err);

	if (rc == 0 && out)
		rc = catalogue_add_segment(c, row, out, err);
	if (rc == 0)
		rc = catalogue_remove_segment(c, old->id, err);
	if (rc == 0)
		rc = catalogue_add_loss(c, &loss, err);
	if (rc == 0)
		rc = catalogue_commit(c, err);
	catalogue_rollback(c);
	if (rc < 0 && out)
		writer_discard_file(r->w, row->file, CAP_SEGMENTS);
	if (rc < 0)
		return rc;
	r->n += dropped;
	writer_segments_changed(r->w);
	return writer_remove_file(r->w, old->file, CAP_SEGMENTS, err);
}

/* bytes: to be reserved for the copy, which takes more as available */
static int rewrite_within(struct removal *r, const struct catalogue_segment *old, uint64_t bytes, struct err *err)
{
	struct chapter_copied n = CHAPTER_COPIED;
	struct catalogue_segment row = { 0 };
	struct segment *s, *out = NULL;
	struct segment_info info;
	struct store_file *f = NULL;
	int rc = open_segment(r->w, old->file, &s, err);

	if (rc < 0)
		return rc;
	info = *segment_get_info(s);
	rc = writer_file_begin(r->w, &info, REMOVE_ZSTD_LEVEL, bytes, &f, err);
	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++)
		rc = keep_chapter(r, old, s, i, f, &n, err);
	if (rc == 0 && n.dropped > 0 && n.profiles > 0)
		rc = writer_file_finish(f, NULL, &row, &out, err);
	else
		writer_file_discard(f);
	if (rc == 0 && n.dropped > 0)
		rc = swap_row(r, old, &row, out, n.dropped, err);
	segment_close(out);
	segment_close(s);
	return rc;
}

/* A full store has no room for a copy, but a segment that is removed as a whole needs none. */
static int rewrite(struct removal *r, const struct catalogue_segment *old, struct err *err)
{
	int rc = rewrite_within(r, old, 0, err);

	return rc == ERR_LIMIT ? rewrite_within(r, old, old->bytes, err) : rc;
}

/* Add the series and marks of a chapter again. */
static int add_again(struct store_writer *w, const struct catalogue_chapter *ch, struct err *err)
{
	struct segment *s;
	int rc = open_segment(w, ch->file, &s, err);

	if (rc < 0)
		return rc;
	for (uint32_t i = 0; rc == 0 && i < segment_n_chapters(s); i++) {
		struct chapter *head;

		if (strcmp(segment_chapter_at(s, i)->service, ch->service))
			continue;
		rc = segment_read_chapter_head(s, i, &head, err);
		if (rc == 0) {
			rc = catalogue_add_series(w->catalogue, head, err);
			chapter_free(head);
		}
	}
	segment_close(s);
	return rc;
}

/* The series of the services of which profiles were removed, from what remains. */
static int renew_series(struct removal *r, struct err *err)
{
	struct catalogue *c = r->w->catalogue;
	const char *last = NULL;
	int rc = catalogue_begin(c, err);

	for (size_t i = 0; rc == 0 && i < r->found.n_chapters; i++) {
		const char *service = r->found.chapter[i].service;
		struct catalogue_query q = { .service = service, .t0 = INT64_MIN, .t1 = INT64_MAX };
		struct catalogue_selection rest;

		if (last && !strcmp(last, service))
			continue;
		last = service;
		rc = catalogue_remove_service(c, service, err);
		if (rc == 0)
			rc = catalogue_select(c, &q, &rest, err);
		if (rc < 0)
			break;
		for (size_t k = 0; rc == 0 && k < rest.n_chapters; k++)
			rc = add_again(r->w, &rest.chapter[k], err);
		catalogue_selection_release(&rest);
	}
	if (rc == 0)
		rc = catalogue_commit(c, err);
	catalogue_rollback(c);
	return rc;
}

/* A slot cannot be removed in part. Fails with ERR_USAGE. */
static int check_slots(const struct removal *r, struct err *err)
{
	const int64_t edge[2] = { r->q->t0, r->q->t1 };

	for (size_t i = 0; i < r->found.n_chapters; i++) {
		const struct catalogue_chapter *c = &r->found.chapter[i];

		for (int k = 0; k < 2 && c->tier != TIER_RAW; k++) {
			int64_t start = tier_slot_start(c->tier, edge[k]);
			struct buf span = { 0 };

			if (edge[k] == INT64_MIN || edge[k] == INT64_MAX || start == edge[k] || c->t1 < start ||
			    c->t0 >= edge[k])
				continue;
			select_print_span(start, start + tier_slot_ns(c->tier), &span);
			err_set(err, ERR_USAGE,
				"the resolution of %s is %s there, and a part of %s cannot be removed; begin and end "
				"the window at the ends of slots",
				c->service, store_tier_name(c->tier), span.data);
			buf_release(&span);
			return ERR_USAGE;
		}
	}
	return 0;
}

static int remove_selected(struct removal *r, struct err *err)
{
	struct catalogue_query q = {
		.service = r->q->service, .is_pattern = r->q->is_pattern, .t0 = r->q->t0, .t1 = r->q->t1
	};
	struct catalogue_segments all;
	int rc = catalogue_get_segments(r->w->catalogue, N_TIERS, &all, err);

	if (rc < 0)
		return rc;
	if (q.t0 > INT64_MIN + NS_PER_DAY)
		q.t0 -= NS_PER_DAY; /* a slot may begin before the window */
	rc = catalogue_select(r->w->catalogue, &q, &r->found, err);
	if (rc == 0)
		rc = check_slots(r, err);
	for (size_t i = 0; rc == 0 && i < all.n; i++) {
		size_t k = 0;

		while (k < r->found.n_chapters && r->found.chapter[k].segment != all.row[i].id)
			k++;
		if (k < r->found.n_chapters)
			rc = rewrite(r, &all.row[i], err);
	}
	if (rc == 0 && r->n > 0)
		rc = renew_series(r, err);
	if (r->found.arena)
		catalogue_selection_release(&r->found);
	catalogue_segments_release(&all);
	return rc;
}

int upkeep_remove(struct store_writer *w, const struct store_query *q, uint64_t *n, struct err *err)
{
	struct removal r = { .w = w, .q = q };
	struct err ignored;
	int rc;

	err = err ? err : &ignored;
	if (q->limit > 0 || (q->pin && *q->pin))
		return err_set(err, ERR_USAGE,
			       q->limit > 0 ? "limit= cannot be used here; select a window"
					    : "a pin is removed with: cpa store unpin");
	rc = writer_flush(w, err); /* puts everything that is stored now into segments */
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&w->maintenance);
	rc = remove_selected(&r, err);
	pthread_mutex_unlock(&w->maintenance);
	if (n)
		*n = r.n;
	return rc;
}

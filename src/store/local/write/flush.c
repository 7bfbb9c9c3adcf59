/*
 * flush.c - writes journals as segments
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * 1. The batch is committed, and a new journal receives what follows.
 * 2. The old head is written as a segment, synced and renamed, and the segment is read and verified.
 * 3. One transaction adds the segment, and sets next_journal to the number after the journal.
 * 4. The journal is removed.
 */
#include "config.h"

#include "base/mem.h"
#include "base/time.h"
#include "store/local/format/segment.h"
#include "store/local/os.h"
#include "store/local/write/spool_state.h"
#include "store/local/write/writer.h"
#include "store/local/write/writer_journal.h"
#include "store/local/write/writer_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FLUSH_LEVEL = 3,       /* of zstd */
	HEAD_BYTES = 96 << 20, /* memory of a head after which it is flushed */
	SLACK = 64 << 10,
};
static const int64_t flush_every_ns = NS_PER_HOUR;

static bool flush_is_empty(const struct store_journal *j)
{
	return j->batches == 0 && j->head->n == 0;
}

/* Move the active journal to the pending ones, and begin a new one if reopen is set. */
static int rotate(struct store_writer *w, bool reopen, struct err *err)
{
	struct store_journal *fresh = NULL, **end = &w->pending;
	bool is_needed;
	int64_t seq;
	int rc;

	pthread_mutex_lock(&w->lock);
	is_needed = w->active && !flush_is_empty(w->active);
	seq = w->next_journal;
	w->next_journal += is_needed && reopen;
	pthread_mutex_unlock(&w->lock);
	if (!is_needed)
		return 0;
	if (reopen && writer_begin_journal(w, seq, true, &fresh, NULL) < 0)
		fresh = NULL; /* there is no room: the flush makes some, and the next append tries again */
	pthread_mutex_lock(&w->lock);
	rc = writer_journal_commit(w, w->active, err);
	if (rc == 0) {
		while (*end)
			end = &(*end)->next;
		*end = w->active;
		w->active = fresh;
		fresh = NULL;
	}
	pthread_mutex_unlock(&w->lock);
	if (fresh)
		writer_drop_journal(w, fresh);
	return rc;
}

static int flush_compare_chapters(const void *a, const void *b)
{
	const struct chapter *const *x = a, *const *y = b;

	return strcmp((*x)->service, (*y)->service);
}

/* Make the chapters of a head, unless a flush that failed made them. */
static int make_chapters(struct store_journal *j, struct err *err)
{
	uint32_t n = head_n_services(j->head);

	if (!j->chapter)
		j->chapter = mem_zalloc(n + 1, sizeof(*j->chapter));
	while (j->n_chapters < n) {
		int rc = head_make_chapter(j->head, j->n_chapters, FLUSH_LEVEL, &j->chapter[j->n_chapters], err);

		if (rc < 0)
			return rc;
		j->n_chapters++;
	}
	qsort(j->chapter, n, sizeof(*j->chapter), flush_compare_chapters);
	return 0;
}

static bool has_content(const struct chapter *c)
{
	return c->profiles || c->n_marks;
}

static int64_t to_ms(int64_t ns)
{
	return ns / 1000000 - (ns % 1000000 < 0);
}

/* Write the chapters of a journal as a segment. row->file is "" if there is nothing to write. */
static int flush_write_segment(struct store_writer *w, struct store_journal *j, struct catalogue_segment *row,
			       struct segment **out, struct err *err)
{
	struct segment_info info = { .tier = TIER_RAW, .t0 = INT64_MAX, .t1 = INT64_MIN };
	struct store_file *f;
	uint32_t n = 0;
	int rc;

	for (uint32_t i = 0; i < j->n_chapters; i++) {
		const struct chapter *c = j->chapter[i];

		if (!has_content(c))
			continue;
		n++;
		info.t0 = to_ms(c->t0) < info.t0 ? to_ms(c->t0) : info.t0;
		info.t1 = to_ms(c->t1) + 1 > info.t1 ? to_ms(c->t1) + 1 : info.t1;
	}
	if (n == 0)
		return 0;
	rc = writer_file_begin(w, &info, FLUSH_LEVEL, j->end, &f, err);
	for (uint32_t i = 0; rc == 0 && i < j->n_chapters; i++) {
		if (has_content(j->chapter[i]))
			rc = writer_file_add(f, j->chapter[i], err);
		if (rc < 0)
			writer_file_discard(f);
	}
	return rc < 0 ? rc : writer_file_finish(f, NULL, row, out, err);
}

/* Read a segment before its journal is removed: it must have all profiles of the head. */
static int flush_check_segment(const struct store_journal *j, const struct segment *s, struct err *err)
{
	uint64_t n = 0;
	int rc = s ? verify_segment(s, true, NULL, err) : 0;

	for (uint32_t i = 0; rc == 0 && s && i < segment_n_chapters(s); i++)
		n += segment_chapter_at(s, i)->profiles;
	if (rc == 0 && n != head_profiles(j->head))
		rc = err_set(err, ERR_FORMAT, "it has %" PRIu64 " profiles, but the journal has %" PRIu64, n,
			     head_profiles(j->head));
	return rc == ERR_FORMAT ? err_wrap(err, "%s: the segment that was written of it is damaged", j->name) : rc;
}

static int flush_add_rows(struct store_writer *w, const struct store_journal *j, struct catalogue_segment *row,
			  const struct segment *s, struct err *err)
{
	int rc = catalogue_begin(w->catalogue, err);

	if (rc == 0 && s)
		rc = catalogue_add_segment(w->catalogue, row, s, err);
	for (uint32_t i = 0; rc == 0 && i < j->n_chapters; i++)
		if (has_content(j->chapter[i]))
			rc = catalogue_add_series(w->catalogue, j->chapter[i], err);
	if (rc == 0)
		rc = catalogue_set_number(w->catalogue, "next_journal", j->seq + 1, err);
	if (rc == 0)
		rc = catalogue_commit(w->catalogue, err);
	if (rc < 0)
		catalogue_rollback(w->catalogue);
	return rc;
}

void writer_set_aside(struct store_writer *w, const char *name, const char *why)
{
	struct err err;
	uint64_t bytes;

	if (bad_move(w->dir, w->directory, w->dir_mode, name, why, &bytes, &err) < 0)
		writer_add_note(w, "%s", err.msg);
	cap_settle(&w->cap, CAP_BAD, 0, bytes);
}

/* Remove a journal that is in segments, unless a follower needs it; if that fails, the next opening of the store does it. */
static void remove_journal(struct store_writer *w, const struct store_journal *j)
{
	if (!j->is_damaged) {
		spool_retire(w, j->seq, head_profiles(j->head), j->end, j->charged);
		return;
	}
	writer_set_aside(w, j->name, j->problem);
	cap_release(&w->cap, CAP_JOURNALS, j->charged);
	spool_lose(w, j->seq, head_profiles(j->head));
}

/* Flush the oldest pending journal. */
static int flush_journal(struct store_writer *w, struct store_journal *j, struct err *err)
{
	struct catalogue_segment row = { 0 };
	struct segment *s = NULL;
	int rc = make_chapters(j, err);

	if (rc == 0)
		rc = flush_write_segment(w, j, &row, &s, err);
	if (rc < 0)
		return rc;
	rc = flush_check_segment(j, s, err);
	if (rc == 0)
		rc = flush_add_rows(w, j, &row, s, err);
	segment_close(s);
	if (rc < 0) {
		if (*row.file)
			writer_discard_file(w, row.file, CAP_SEGMENTS);
		return rc;
	}
	remove_journal(w, j); /* before it leaves the list: a follower finds it in one of both */
	pthread_mutex_lock(&w->lock);
	w->pending = j->next;
	w->generation++;
	pthread_mutex_unlock(&w->lock);
	writer_journal_close(j);
	return 0;
}

int writer_flush_locked(struct store_writer *w, bool reopen, struct err *err)
{
	struct err ignored;
	int rc = rotate(w, reopen, err), failed = 0;

	/* When the active journal cannot be written, the others can make room. */
	while (!failed && w->pending)
		failed = flush_journal(w, w->pending, rc < 0 || !err ? &ignored : err);
	return rc < 0 ? rc : failed;
}

int writer_flush(struct store_writer *w, struct err *err)
{
	int rc;

	pthread_mutex_lock(&w->maintenance);
	rc = writer_flush_locked(w, true, err);
	pthread_mutex_unlock(&w->maintenance);
	return rc;
}

bool writer_flush_is_due(struct store_writer *w)
{
	const struct store_journal *j;
	bool is_due;

	pthread_mutex_lock(&w->lock);
	j = w->active;
	is_due = w->pending != NULL;
	if (!is_due && j && !flush_is_empty(j)) {
		int64_t age = w->now() - j->made_ns;

		/* A clock that was set back must not delay it. */
		is_due = age >= flush_every_ns || age < -flush_every_ns ||
			 j->end >= cap_journal_bytes(&w->cap) / 4 * 3 || head_memory(j->head) >= HEAD_BYTES;
	}
	pthread_mutex_unlock(&w->lock);
	return is_due;
}

void writer_segments_changed(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->generation++;
	pthread_mutex_unlock(&w->lock);
}

void writer_get_head(struct store_writer *w, uint64_t *bytes, uint64_t *profiles)
{
	*bytes = *profiles = 0;
	pthread_mutex_lock(&w->lock);
	for (const struct store_journal *j = w->pending; j; j = j->next) {
		*bytes += j->charged;
		*profiles += head_profiles(j->head);
	}
	if (w->active) {
		*bytes += w->active->charged;
		*profiles += head_profiles(w->active->head);
	}
	pthread_mutex_unlock(&w->lock);
}

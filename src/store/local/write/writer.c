/*
 * writer.c - appends profiles to a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "store/local/os.h"
#include "store/local/write/spool_state.h"
#include "store/local/write/writer_journal.h"
#include "store/local/write/writer_state.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum {
	HEAD_BYTES_MAX = 192 << 20, /* memory of a head, after which appends fail until it is flushed */
	CHECK_EVERY = 64,           /* profiles after which the memory is counted */
	ROW_BYTES = 40,             /* estimates of the bytes in a journal */
	FUNCTION_BYTES = 100,
	FLUSH_SLACK = 128 << 10,
	MOVES_MAX = 1 << 20,  /* profiles of one series and the same start */
	NOTES_MAX = 64 << 10, /* bytes of notes that are not taken */
};

void writer_add_note(struct store_writer *w, const char *format, ...)
{
	char line[1200];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (w->notes.len < NOTES_MAX)
		buf_addf(&w->notes, "%s\n", line);
}

void writer_take_notes(struct store_writer *w, struct buf *out)
{
	pthread_mutex_lock(&w->lock);
	buf_add(out, buf_text(&w->notes), w->notes.len);
	w->notes.len = 0;
	pthread_mutex_unlock(&w->lock);
}

int writer_begin_journal(struct store_writer *w, int64_t seq, bool may_free, struct store_journal **out,
			 struct err *err)
{
	uint64_t size = cap_journal_bytes(&w->cap);

	if (!cap_try_reserve(&w->cap, size)) {
		int rc = may_free ? cap_reserve(&w->cap, size, "a journal", err)
				  : err_set(err, ERR_LIMIT, "%s: the quota leaves no room for a journal", w->directory);

		if (rc < 0)
			return rc;
	}
	return writer_journal_create(w, seq, size, out, err);
}

void writer_drop_journal(struct store_writer *w, struct store_journal *j)
{
	if (os_unlink(w->dir, j->name) == 0)
		cap_release(&w->cap, CAP_JOURNALS, j->charged);
	writer_journal_close(j);
}

/* Take `lock`, with an active journal. On failure the lock is not held. */
static int lock_active(struct store_writer *w, struct err *err)
{
	struct store_journal *j = NULL;
	int64_t seq;
	int rc;

	pthread_mutex_lock(&w->lock);
	if (w->active)
		return 0;
	seq = w->next_journal++;
	rc = writer_begin_journal(w, seq, false, &w->active, err);
	if (rc == 0)
		return 0;
	pthread_mutex_unlock(&w->lock);
	if (rc != ERR_LIMIT)
		return rc;
	pthread_mutex_lock(&w->maintenance);
	rc = writer_begin_journal(w, seq, true, &j, err);
	pthread_mutex_lock(&w->lock);
	pthread_mutex_unlock(&w->maintenance);
	if (w->active) { /* by another thread meanwhile */
		if (rc == 0)
			writer_drop_journal(w, j);
		return 0;
	}
	w->active = j;
	if (rc < 0)
		pthread_mutex_unlock(&w->lock);
	return rc;
}

/* Is there room for the segments that the journals become with a profile of so many bytes? `lock` is held. */
static bool has_flush_room(struct store_writer *w, uint64_t bytes, uint64_t *need)
{
	*need = w->active->end + w->uncommitted + bytes;
	for (const struct store_journal *j = w->pending; j; j = j->next)
		*need += j->end;
	*need += *need / 8 + FLUSH_SLACK; /* a segment compresses a little less */
	if (!cap_try_reserve(&w->cap, *need))
		return false;
	cap_settle(&w->cap, CAP_SEGMENTS, *need, 0);
	return true;
}

/*
 * Make room for the flush before profiles are accepted: else a full store could neither flush its journal nor remove data.
 *
 * `lock` is held; on failure it is not.
 */
static int make_flush_room(struct store_writer *w, uint64_t bytes, struct err *err)
{
	uint64_t need;
	int rc;

	if (has_flush_room(w, bytes, &need))
		return 0;
	pthread_mutex_unlock(&w->lock);
	pthread_mutex_lock(&w->maintenance);
	rc = cap_reserve(&w->cap, need, "the segment of the next profiles", err);
	if (rc == 0)
		cap_settle(&w->cap, CAP_SEGMENTS, need, 0);
	pthread_mutex_unlock(&w->maintenance);
	return rc < 0 ? rc : lock_active(w, err);
}

/*
 * Keep the journal within its share of the quota: commit a batch that may be as large as half of it, and flush the journal
 * when it is full. A flush in time makes small segments instead of a large one for which there would be no room.
 *
 * `lock` is held; on failure it is not.
 */
static int keep_share(struct store_writer *w, const struct profile *p, struct err *err)
{
	uint64_t bytes = ROW_BYTES * (uint64_t)p->n_rows + FUNCTION_BYTES * (uint64_t)p->n_funcs;
	uint64_t share = cap_journal_bytes(&w->cap);
	int rc = 0;

	if (w->uncommitted >= share / 2) {
		rc = writer_journal_commit(w, w->active, err);
		w->uncommitted = 0;
	}
	if (rc == 0 && w->active->end < share)
		return w->uncommitted && bytes < share / 4 ? 0 : make_flush_room(w, bytes, err);
	pthread_mutex_unlock(&w->lock);
	rc = rc < 0 ? rc : writer_flush(w, err);
	return rc < 0 ? rc : lock_active(w, err);
}

/* Find a profile of this id in the heads, then in the segments. */
static int find_content(struct store_writer *w, const char *service, const uint8_t hash[16], const uint8_t id[16],
			int64_t start_ns, bool *found, uint64_t *content, bool *in_slot, struct err *err)
{
	const uint64_t *c = head_find_id(w->active->head, id);

	for (const struct store_journal *j = w->pending; j && !c; j = j->next)
		c = head_find_id(j->head, id);
	*found = c != NULL;
	*in_slot = false;
	if (c)
		*content = *c;
	return c ? 0 : seen_find(w->seen, w->generation, service, hash, id, start_ns, found, content, in_slot, err);
}

/*
 * Find out whether a profile is stored already. Another profile may have its start, since formats have coarse times: then the
 * new one is moved by 1 ns until the start is free or its content is found.
 */
static int place_profile(struct store_writer *w, const char *service, const uint8_t hash[16], uint64_t content,
			 int64_t *start_ns, uint8_t id[16], bool *duplicate, struct err *err)
{
	*duplicate = false;
	for (int i = 0; i < MOVES_MAX && *start_ns < INT64_MAX; i++, ++*start_ns) {
		uint64_t other;
		bool found, in_slot;
		int rc;

		block_profile_id(hash, *start_ns, id);
		rc = find_content(w, service, hash, id, *start_ns, &found, &other, &in_slot, err);
		if (rc == 0 && in_slot) { /* a slot has no single profiles: this one may be in it */
			*duplicate = true;
			return 0;
		}
		if (rc < 0 || !found)
			return rc;
		if (other == content) {
			*duplicate = true;
			return 0;
		}
	}
	return err_set(err, ERR_LIMIT, "%s: too many profiles of the same series and start", service);
}

static int store_writer_append(struct store_writer *w, const struct store_input *in, uint8_t id[16], bool *duplicate,
			       struct err *err)
{
	struct journal_head *h = w->active->head;
	uint32_t service = head_add_service(h, in->service, strlen(in->service)), series;
	struct head_service *s = &h->service[service];
	size_t before = h->memory + s->dict->memory;
	struct stored p;
	uint64_t content;
	int rc = dict_add_series(s->dict, in->service, in->kind, in->label, in->n_labels, &series, err);

	if (rc == 0)
		rc = dict_add_profile(s->dict, in->profile, &p, err);
	if (rc < 0)
		return rc;
	p.series = series;
	if (!p.start_ns)
		p.start_ns = in->start_ns;
	if (!p.duration_ns)
		p.duration_ns = in->duration_ns;
	content = content_hash(&s->content, s->dict, &p);
	rc = place_profile(w, in->service, s->dict->series[series].hash, content, &p.start_ns, id, duplicate, err);
	if (rc == 0 && !*duplicate)
		head_add_profile(h, service, &p, content);
	dict_release_stored(&p);
	w->uncommitted += h->memory + s->dict->memory - before;
	return rc;
}

int writer_append(struct store_writer *w, const struct store_input *in, uint8_t *id, bool *duplicate, struct err *err)
{
	uint8_t local[16];
	struct journal_head *h;
	int rc;

	if (!*in->service)
		return err_set(err, ERR_USAGE, "a profile needs the name of a service");
	rc = lock_active(w, err);
	rc = rc < 0 ? rc : keep_share(w, in->profile, err);
	if (rc < 0)
		return rc;
	h = w->active->head;
	if (h->n_profiles % CHECK_EVERY == 0 && head_memory(h) > HEAD_BYTES_MAX)
		rc = err_set(err, ERR_LIMIT, "%s: %" PRIu64 " profiles wait to be written as a segment", w->directory,
			     h->n_profiles);
	if (rc == 0)
		rc = store_writer_append(w, in, id ? id : local, duplicate, err);
	pthread_mutex_unlock(&w->lock);
	return rc;
}

int writer_add_mark(struct store_writer *w, const char *service, const struct store_mark *m, struct err *err)
{
	int rc = lock_active(w, err);

	if (rc < 0)
		return rc;
	head_add_mark(w->active->head, head_add_service(w->active->head, service, strlen(service)), m);
	pthread_mutex_unlock(&w->lock);
	return 0;
}

int writer_commit(struct store_writer *w, struct err *err)
{
	int rc;

	pthread_mutex_lock(&w->lock);
	rc = w->active ? writer_journal_commit(w, w->active, err) : 0;
	w->uncommitted = 0;
	pthread_mutex_unlock(&w->lock);
	if (rc == 0)
		spool_wake(w);
	return rc;
}

/* The sums of the catalogue, of now or of the last time it could be read. */
static struct catalogue_stat get_sums(struct store_writer *w)
{
	struct catalogue_stat s;
	bool is_new = false;

	if (pthread_mutex_trylock(&w->maintenance) == 0) {
		struct err ignored;

		is_new = catalogue_get_stat(w->catalogue, &s, &ignored) == 0;
		pthread_mutex_unlock(&w->maintenance);
	}
	pthread_mutex_lock(&w->cap.lock);
	if (is_new)
		w->cap.stat = s;
	else
		s = w->cap.stat;
	pthread_mutex_unlock(&w->cap.lock);
	return s;
}

void writer_get_stat(struct store_writer *w, struct store_stat *out)
{
	struct catalogue_stat s = get_sums(w);
	uint64_t used[N_CAP_KINDS];

	cap_get_used(&w->cap, used);
	*out = (struct store_stat){ .cap = w->cap.limit,
				    .used = cap_used(&w->cap),
				    .index_bytes = catalogue_bytes(w->catalogue),
				    .pin_bytes = used[CAP_PINS],
				    .bad_bytes = used[CAP_BAD],
				    .segments = (uint32_t)s.segments,
				    .services = (uint32_t)s.services,
				    .first_ns = s.first,
				    .last_ns = s.last };
	for (int i = 0; i < N_TIERS; i++) {
		out->bytes[i] = s.bytes[i];
		out->profiles[i] = s.profiles[i];
	}
	writer_get_head(w, &out->journal_bytes, &out->head_profiles);
	out->journal_bytes += used[CAP_SPOOL];
}

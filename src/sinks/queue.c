/*
 * queue.c - follow the journals of a store, and collect what is to be sent
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A journal is always read from its start, since its profiles refer to entries before them. The profiles before the position are
 * not sent; counters among them are remembered, so the increase of the next one is known.
 */
#include "config.h"

#include "sinks/queue_int.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/time.h"
#include "profile/temporality.h"
#include "store/local/format/block.h"
#include "store/local/read/local.h"
#include "store/local/read/select.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum {
	IDLE_MS = 250,
	NICE = 5,
	RETRY_OPEN_MS = 1000,
	LABELS_MAX = 64,
	ROWS_MAX = 256 << 10, /* of the profiles that wait */
};

void sink_queue_log(struct sink_queue *q, const char *format, ...)
{
	char text[600], line[800];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	snprintf(line, sizeof(line), "sink=%s %s", q->name, text);
	q->o.log(q->o.log_arg, line);
}

enum queue_ending sink_queue_get_ending(struct sink_queue *q)
{
	enum queue_ending ending;

	pthread_mutex_lock(&q->lock);
	ending = q->ending;
	pthread_mutex_unlock(&q->lock);
	return stop_is_set(&q->stop) ? QUEUE_ENDS_NOW : ending;
}

/* ---- profiles ---- */

/* The value of a label of an item; "service" and "kind" are labels here. "": it has none. */
static const char *queue_label(const struct sink_item *item, const char *name)
{
	if (strcmp(name, "service") == 0)
		return item->service;
	if (strcmp(name, "kind") == 0)
		return item->kind;
	for (size_t i = 0; i < item->n_labels; i++)
		if (strcmp(item->label[i].name, name) == 0)
			return item->label[i].value;
	return "";
}

static int queue_matches(const struct sink_queue *q, const struct sink_item *item, struct err *err)
{
	int rc = 1;

	for (size_t i = 0; rc > 0 && i < q->query.n_match; i++)
		rc = select_match(&q->query.match[i], queue_label(item, q->query.match[i].name), err);
	return rc;
}

void sink_queue_clear(struct sink_queue *q)
{
	for (size_t i = 0; i < q->n_waiting; i++)
		sink_waiting_release(&q->waiting[i]);
	q->n_waiting = q->n_rows = 0;
	sink_queue_clear_marks(q);
	pthread_mutex_lock(&q->lock);
	q->oldest_ns = 0;
	pthread_mutex_unlock(&q->lock);
}

/* Replace counters of the profile by their increases, as the kind of the sink needs it. */
static int queue_make_increases(struct sink_queue *q, struct sink_waiting *x, struct err *err)
{
	struct profile *made;
	int rc;

	if (q->o.sink->kind->keeps_counters || !sink_is_cumulative(x->profile))
		return 0;
	if (!q->history && local_open(q->o.directory, &q->history, err) < 0)
		q->history = NULL;
	if (q->history)
		sink_increases_seed(q->increases, &x->item, q->history, &q->stop);
	rc = sink_increases_apply(q->increases, &x->item, &made, err);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&q->lock);
	q->stat.n_first += rc > 0;
	pthread_mutex_unlock(&q->lock);
	profile_free(x->profile);
	x->item.profile = x->profile = made;
	return 0;
}

/* Count a profile that could not be read. */
static void queue_count_damaged(struct sink_queue *q, const char *why)
{
	pthread_mutex_lock(&q->lock);
	q->stat.n_damaged++;
	pthread_mutex_unlock(&q->lock);
	sink_queue_log(q, "profile=unreadable error=\"%.300s\"", why);
}

/* Describe a stored profile. label [LABELS_MAX] */
static void queue_describe(const char *service, const struct dict *d, const struct stored *p, struct store_label *label,
			   struct sink_item *out)
{
	const struct dict_series *s = &d->series[p->series];

	*out = (struct sink_item){ .service = service,
				   .kind = strtab_text(d->str, s->kind),
				   .label = label,
				   .n_labels = s->n_labels < LABELS_MAX ? s->n_labels : LABELS_MAX,
				   .start_ns = p->start_ns,
				   .duration_ns = p->duration_ns };
	for (size_t i = 0; i < out->n_labels; i++)
		label[i] = (struct store_label){ strtab_text(d->str, s->name[i]), strtab_text(d->str, s->value[i]) };
	block_profile_id(s->hash, p->start_ns, out->id);
}

/* Is there a counter in the profile, so that it must be remembered although it is not sent? */
static bool queue_has_counter(const struct dict *d, const struct stored *p)
{
	const struct dict_meta *m = &d->meta[p->meta];

	for (uint32_t t = 0; t < m->n_types; t++)
		if (m->temporality[t] == TEMPORALITY_CUMULATIVE)
			return true;
	return false;
}

/* Add the strings of an item and its profile to those that wait. */
static void queue_add(struct sink_queue *q, const struct sink_item *item, struct profile *p)
{
	sink_waiting_init(&q->waiting[q->n_waiting++], item, p);
	q->n_rows += p->n_rows;
	pthread_mutex_lock(&q->lock);
	if (!q->oldest_ns)
		q->oldest_ns = item->start_ns + item->duration_ns;
	pthread_mutex_unlock(&q->lock);
}

/* A profile that was passed before this process started: remember its counters. */
static int queue_remember(struct sink_queue *q, struct sink_item *item, const struct dict *d, const struct stored *p,
			  struct err *err)
{
	static const struct dict_profile_options options = { .place_mappings = true };
	struct profile *made;
	int rc;

	if (q->o.sink->kind->keeps_counters || !queue_has_counter(d, p) || queue_matches(q, item, err) <= 0)
		return 0;
	rc = dict_make_profile(d, p, &options, &made, err);
	if (rc < 0)
		return 0;
	item->profile = made;
	sink_increases_apply(q->increases, item, NULL, err);
	profile_free(made);
	return 0;
}

/* Called for each profile of a batch of a journal. */
static int queue_take(void *arg, const char *service, const struct dict *d, const struct stored *p, struct err *err)
{
	static const struct dict_profile_options options = { .place_mappings = true };
	struct sink_queue *q = arg;
	struct store_label label[LABELS_MAX];
	struct sink_item item;
	struct profile *made;
	struct err problem;
	int rc;

	if (q->has_lost_place)
		return 0;
	queue_describe(service, d, p, label, &item);
	if (++q->ahead.profiles <= q->at.profiles && q->n_waiting == 0)
		return queue_remember(q, &item, d, p, err);
	rc = queue_matches(q, &item, &problem);
	if (rc > 0) {
		rc = dict_make_profile(d, p, &options, &made, &problem);
		if (rc == 0) {
			queue_add(q, &item, made);
			rc = queue_make_increases(q, &q->waiting[q->n_waiting - 1], &problem);
			if (rc < 0)
				sink_waiting_release(&q->waiting[--q->n_waiting]);
		}
	}
	if (rc < 0)
		queue_count_damaged(q, problem.msg);
	return q->n_waiting < q->batch_max && q->n_rows < ROWS_MAX ? 0 : sink_queue_deliver(q, err);
}

/* ---- journals ---- */

/* Open the journal at the position, or the next one. Returns 1; 0 if there is none yet. */
static int queue_open(struct sink_queue *q, struct err *err)
{
	uint32_t rewrites;
	char name[64];
	int rc, fd;

	if (!spool_find(q->o.store, q->at.journal, &q->journal))
		return 0;
	fd = spool_open(q->o.store, q->journal.seq, name, err);
	if (fd < 0)
		return fd;
	rc = journal_follow_open(fd, name, &q->follower, &rewrites, err);
	if (rc == ERR_FORMAT && q->journal.is_complete) { /* its header is damaged: continue with the next one */
		queue_count_damaged(q, err->msg);
		q->at = (struct spool_position){ .journal = q->journal.seq + 1 };
		q->is_unsynced = true;
		return 1;
	}
	if (rc < 0)
		return rc;
	q->journal.rewrites = rewrites;
	if (q->at.journal != q->journal.seq || q->at.rewrites != rewrites)
		q->at = (struct spool_position){ q->journal.seq, rewrites, 0 };
	q->ahead = (struct spool_position){ q->journal.seq, rewrites, 0 };
	return 1;
}

static void queue_close(struct sink_queue *q)
{
	if (q->follower && *journal_follow_damage(q->follower))
		queue_count_damaged(q, journal_follow_damage(q->follower));
	journal_follow_close(q->follower);
	q->follower = NULL;
	q->has_lost_place = false;
}

/* Save the position, from time to time so that it survives a power failure. */
static void queue_save(struct sink_queue *q, bool is_last)
{
	enum { SYNC_S = 10 };
	int64_t now = clock_mono_ns();
	bool sync = is_last || now - q->synced_ns > SYNC_S * NS_PER_S;
	struct err err;

	if (!q->is_unsynced || !sync)
		return;
	if (spool_save(q->o.store, q->name, &q->at, true, &err) < 0) {
		sink_queue_log(q, "position=failed error=\"%.300s\"", err.msg);
		return;
	}
	q->synced_ns = now;
	q->is_unsynced = false;
}

/* Read the batches of the journal that are durable. Returns 1 if there was one. */
static int queue_read(struct sink_queue *q, struct err *err)
{
	struct spool_journal now;
	bool has_next = false;
	int rc;

	/* It is kept, pending or active; if it was removed meanwhile, all of it was durable. */
	if (!spool_find(q->o.store, q->journal.seq, &now) || now.seq != q->journal.seq)
		now = (struct spool_journal){ q->journal.seq, q->journal.rewrites, UINT64_MAX, true };
	if (now.rewrites != q->journal.rewrites && now.batches != UINT64_MAX) { /* its batches are others now */
		queue_close(q);
		return 1;
	}
	while ((rc = journal_follow_next(q->follower, now.batches, err)) > 0 &&
	       sink_queue_get_ending(q) != QUEUE_ENDS_NOW) {
		has_next = true;
		rc = journal_follow_each(q->follower, queue_take, sink_queue_take_mark, q, err);
		if (rc < 0 || q->has_lost_place)
			break;
		if (q->n_waiting == 0 && q->n_marks == 0 &&
		    q->ahead.profiles > q->at.profiles) { /* those that do not match */
			q->at = q->ahead;
			q->is_unsynced = true;
		}
		queue_save(q, false);
	}
	if (rc == 0 && (q->n_waiting || q->n_marks) && !q->has_lost_place)
		rc = sink_queue_deliver(q, err);
	if (q->has_lost_place) {
		queue_close(q);
		return 1;
	}
	if (rc == 0 && now.is_complete && sink_queue_get_ending(q) != QUEUE_ENDS_NOW) {
		q->at = (struct spool_position){ .journal = q->journal.seq + 1 };
		q->is_unsynced = true;
		q->synced_ns = 0; /* the next save has a sync, which removes the journal */
		queue_close(q);
		has_next = true;
	}
	return rc < 0 ? rc : has_next;
}

static void queue_end(struct sink_queue *q)
{
	sink_queue_clear(q);
	queue_close(q);
	queue_save(q, true);
	pthread_mutex_lock(&q->lock);
	q->has_ended = true;
	pthread_cond_broadcast(&q->ended);
	pthread_mutex_unlock(&q->lock);
}

static void *queue_run(void *arg)
{
	struct sink_queue *q = arg;

	setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), NICE); /* of this thread: what is stored comes first */
	while (sink_queue_get_ending(q) != QUEUE_ENDS_NOW) {
		struct err err;
		int rc = q->follower ? 1 : queue_open(q, &err);

		if (rc > 0 && q->follower)
			rc = queue_read(q, &err);
		if (rc == ERR_STOPPED)
			break;
		if (rc < 0) {
			sink_queue_log(q, "journal=failed error=\"%.300s\"", err.msg);
			sink_queue_clear(q);
			queue_close(q);
		}
		queue_save(q, false);
		if (rc > 0)
			continue;
		if (sink_queue_get_ending(q) != QUEUE_CONTINUES)
			break;
		spool_wait(q->o.store, rc < 0 ? RETRY_OPEN_MS : IDLE_MS);
	}
	queue_end(q);
	return NULL;
}

/* ---- start and end ---- */

static int queue_parse_match(const char *match, struct window **window, struct store_query *query, struct err *err)
{
	struct window_clock clock = { .now_ns = clock_wall_ns() };
	struct buf source = { 0 };
	struct err problem;
	int rc;

	if (!*match)
		return 0;
	buf_addf(&source, "store:*%s@-1h", match);
	rc = window_parse(source.data, window, &problem);
	if (rc == 0) {
		rc = window_resolve(*window, &clock, query, &problem);
		if (rc < 0)
			window_free(*window);
	}
	buf_release(&source);
	if (rc < 0)
		*window = NULL;
	return rc < 0 ? err_set(err, ERR_USAGE,
				"match=%.100s: expected conditions on labels, as in {env=prod,region=~eu.*}", match)
		      : 0;
}

int sink_check_match(const char *match, struct err *err)
{
	struct window *window = NULL;
	struct store_query query;
	int rc = queue_parse_match(match, &window, &query, err);

	window_free(window);
	return rc;
}

static void queue_free(struct sink_queue *q)
{
	window_free(q->window);
	sink_increases_free(q->increases);
	if (q->history)
		store_close(q->history);
	q->o.sink->kind->close(q->o.sink);
	pthread_mutex_destroy(&q->lock);
	pthread_cond_destroy(&q->ended);
	free(q->waiting);
	free(q->mark);
	free(q->item);
	free(q->result);
	free(q);
}

int sink_queue_start(const struct sink_queue_options *o, struct sink_queue **out, struct err *err)
{
	struct sink_queue *q = mem_zalloc(1, sizeof(*q));
	struct spool_stat spool;
	int rc;

	q->o = *o;
	snprintf(q->name, sizeof(q->name), "%s", o->name);
	q->stat.kind = o->sink->kind->name;
	memcpy(q->stat.name, q->name, sizeof(q->name));
	pthread_mutex_init(&q->lock, NULL);
	cond_init(&q->ended);
	q->increases = sink_increases_new();
	q->batch_max = o->sink->kind->batch_max < SINK_BATCH_MAX ? o->sink->kind->batch_max : SINK_BATCH_MAX;
	q->waiting = mem_zalloc(q->batch_max, sizeof(*q->waiting));
	q->item = mem_zalloc(q->batch_max, sizeof(*q->item));
	q->result = mem_zalloc(q->batch_max, sizeof(*q->result));
	q->synced_ns = clock_mono_ns();
	rc = queue_parse_match(o->match, &q->window, &q->query, err);
	rc = rc < 0 ? rc : spool_add(o->store, o->name, o->spool, &q->at, err);
	if (rc == 0) {
		spool_get_stat(o->store, o->name, &spool);
		if (o->spool > spool.max)
			sink_queue_log(q, "spool=%" PRIu64 " reason=\"a quarter of the quota is the limit\"",
				       spool.max);
	}
	if (rc == 0 && (rc = pthread_create(&q->thread, NULL, queue_run, q)) != 0)
		rc = err_set(err, ERR_IO, "cannot create a thread: %s", strerror(rc));
	if (rc < 0)
		queue_free(q);
	else
		*out = q;
	return rc;
}

void sink_queue_get_stat(struct sink_queue *q, struct sink_stat *out)
{
	struct spool_stat spool;
	int64_t oldest_ns;

	spool_get_stat(q->o.store, q->name, &spool);
	pthread_mutex_lock(&q->lock);
	*out = q->stat;
	oldest_ns = q->oldest_ns;
	pthread_mutex_unlock(&q->lock);
	out->n_lost = spool.n_lost;
	out->spool_bytes = spool.bytes;
	out->spool_max = spool.max;
	out->lag_s = oldest_ns ? (double)(clock_wall_ns() - oldest_ns) / 1e9 : 0;
	out->lag_s = out->lag_s < 0 ? 0 : out->lag_s;
}

void sink_queue_end(struct sink_queue *q, bool sends_all)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	q->ending = sends_all && q->ending != QUEUE_ENDS_NOW ? QUEUE_ENDS_EMPTY : QUEUE_ENDS_NOW;
	pthread_mutex_unlock(&q->lock);
	spool_wake(q->o.store);
}

void sink_queue_stop(struct sink_queue *q, int64_t limit_ns)
{
	if (!q)
		return;
	pthread_mutex_lock(&q->lock);
	for (int64_t now; !q->has_ended && (now = clock_mono_ns()) < limit_ns;)
		cond_wait_ms(&q->ended, &q->lock, (unsigned)((limit_ns - now) / 1000000) + 1);
	pthread_mutex_unlock(&q->lock);
	stop_set(&q->stop);
	spool_wake(q->o.store);
	pthread_join(q->thread, NULL);
	queue_free(q);
}

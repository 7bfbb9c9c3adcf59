/*
 * queue_send.c - send the profiles of a queue until each is sent or refused
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sinks/queue_int.h"

#include "base/hash.h"
#include "base/time.h"

#include <inttypes.h>
#include <string.h>

enum {
	WAIT_FIRST_MS = 1000,
	WAIT_MAX_MS = 300000,
	WAIT_POLL_MS = 200,
	REFUSALS_LOGGED = 5, /* lines about refusals in a row, then one of a hundred */
	REFUSALS_EVERY = 100,
};

/* The wait after a failure: as the system asked, else twice as long as after the one before, with a random part of a half. */
static int64_t queue_wait_ms(const struct sink_queue *q, int64_t retry_ns)
{
	int64_t ms = WAIT_FIRST_MS;
	int64_t words[2] = { clock_mono_ns(), (int64_t)(intptr_t)q };

	for (unsigned i = 1; i < q->n_failures && ms < WAIT_MAX_MS; i++)
		ms *= 2;
	ms = ms < WAIT_MAX_MS ? ms : WAIT_MAX_MS;
	ms = ms / 2 + (int64_t)(hash_bytes((const char *)words, sizeof(words)) % (uint64_t)(ms / 2 + 1));
	if (retry_ns > 0)
		ms = retry_ns / 1000000 < WAIT_MAX_MS ? retry_ns / 1000000 : WAIT_MAX_MS;
	return ms;
}

/* Save the position without a sync. Returns true if the spool removed the journal: what waits is lost, and counted. */
static bool queue_check_place(struct sink_queue *q)
{
	struct spool_position at = q->at;

	if (spool_save(q->o.store, q->name, &at, false, NULL) <= 0)
		return false;
	sink_queue_log(q, "state=lost reason=\"the spool is full\" journal=%" PRId64, at.journal);
	q->at = at;
	q->has_lost_place = true;
	return true;
}

/* Wait before the next try. Returns false if there is no next try. */
static bool queue_pause(struct sink_queue *q, int64_t ms)
{
	int64_t limit = clock_mono_ns() + ms * 1000000;

	for (int64_t now; (now = clock_mono_ns()) < limit;) {
		int64_t left = (limit - now) / 1000000 + 1;

		if (sink_queue_get_ending(q) != QUEUE_CONTINUES || queue_check_place(q))
			return false;
		spool_wait(q->o.store, (unsigned)(left < WAIT_POLL_MS ? left : WAIT_POLL_MS));
	}
	return true;
}

/* Log a failure that is the first one, or of another outcome than the one before. */
static void queue_note_failure(struct sink_queue *q, const struct sink_result *r, int64_t ms)
{
	const char *why = r->why;
	bool is_new;

	pthread_mutex_lock(&q->lock);
	is_new = !*q->stat.problem || q->failure != r->outcome;
	q->failure = r->outcome;
	q->stat.n_tries++;
	memcpy(q->stat.problem, why, strnlen(why, sizeof(q->stat.problem) - 1) + 1);
	q->stat.problem[sizeof(q->stat.problem) - 1] = '\0';
	pthread_mutex_unlock(&q->lock);
	if (is_new)
		sink_queue_log(q, "state=%s retry_ms=%" PRId64 " error=\"%.250s\"",
			       r->outcome == SINK_DENIED ? "denied" : "failing", ms, why);
}

static void queue_note_success(struct sink_queue *q)
{
	bool was_failing;

	pthread_mutex_lock(&q->lock);
	was_failing = *q->stat.problem != '\0';
	*q->stat.problem = '\0';
	pthread_mutex_unlock(&q->lock);
	q->n_failures = 0;
	if (was_failing)
		sink_queue_log(q, "state=ok");
}

static void queue_count(struct sink_queue *q, const struct sink_item *x, const struct sink_result *r)
{
	uint64_t n;

	pthread_mutex_lock(&q->lock);
	q->stat.n_sent += r->outcome == SINK_SENT;
	q->stat.n_refused += r->outcome == SINK_REFUSED;
	n = q->stat.n_refused;
	pthread_mutex_unlock(&q->lock);
	if (r->outcome == SINK_REFUSED && (n <= REFUSALS_LOGGED || n % REFUSALS_EVERY == 0))
		sink_queue_log(q, "profile=refused service=\"%.100s\" kind=%.64s refused=%" PRIu64 " reason=\"%.250s\"",
			       x->service, x->kind, n, r->why);
}

/* Try once. What is sent or refused is counted and leaves the list. *later: the first result that says to try again, if any. */
static int queue_try(struct sink_queue *q, struct sink_result *later, bool *is_later, struct err *err)
{
	size_t n = q->n_waiting, n_kept = 0;
	int rc;

	memset(q->result, 0, n * sizeof(*q->result));
	for (size_t i = 0; i < n; i++)
		q->item[i] = q->waiting[i].item;
	rc = q->o.sink->kind->send(q->o.sink, q->item, n, &q->stop, q->result, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++) {
		if (sink_is_unsent(&q->result[i])) {
			if (n_kept == 0)
				*later = q->result[i];
			q->waiting[n_kept++] = q->waiting[i];
			continue;
		}
		queue_count(q, &q->item[i], &q->result[i]);
		sink_waiting_release(&q->waiting[i]);
	}
	q->n_waiting = n_kept;
	*is_later = n_kept > 0;
	return 0;
}

int sink_queue_deliver(struct sink_queue *q, struct err *err)
{
	while ((q->n_waiting || q->n_marks) && !q->has_lost_place) {
		struct sink_result later = { 0 };
		bool is_later = false;
		int64_t ms;
		int rc;

		if (sink_queue_get_ending(q) == QUEUE_ENDS_NOW)
			return err_set(err, ERR_STOPPED, "cancelled");
		rc = q->n_waiting ? queue_try(q, &later, &is_later, err) : 0;
		if (rc == 0 && !is_later)
			rc = sink_queue_try_marks(q, &later, &is_later, err);
		if (rc < 0)
			return rc;
		if (!is_later)
			break;
		q->n_failures++;
		ms = queue_wait_ms(q, later.retry_ns);
		queue_note_failure(q, &later, ms);
		if (!queue_pause(q, ms) && !q->has_lost_place)
			return err_set(err, ERR_STOPPED, "cancelled");
	}
	if (!q->has_lost_place) {
		queue_note_success(q);
		q->at = q->ahead;
		q->is_unsynced = true;
		queue_check_place(q);
	}
	sink_queue_clear(q);
	return 0;
}

/*
 * queue_int.h - the queue of a sink, for its two files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SINKS_QUEUE_INT_H
#define SINKS_QUEUE_INT_H

#include "sinks/increase.h"
#include "sinks/queue.h"
#include "sinks/request.h"
#include "store/local/format/journal_follow.h"
#include "store/local/write/spool.h"
#include "store/window/window.h"

#include <pthread.h>

enum { SINK_BATCH_MAX = 8192 };

/* The end of a queue: it continues, it ends when all profiles are sent, or now. */
enum queue_ending { QUEUE_CONTINUES, QUEUE_ENDS_EMPTY, QUEUE_ENDS_NOW };

struct sink_queue {
	struct sink_queue_options o;
	char name[SPOOL_NAME_MAX + 1];
	struct window *window; /* of the match */
	struct store_query query;
	struct stop stop;
	pthread_t thread;

	/* of the thread */
	struct journal_follower *follower;
	struct spool_position at;    /* after the profiles that were sent */
	struct spool_position ahead; /* after those that wait */
	struct spool_journal journal;
	struct sink_increases *increases;
	struct store *history;        /* for the profile before the first one of a series; NULL before it is needed */
	struct sink_waiting *waiting; /* [n_waiting], of batch_max at most */
	size_t n_waiting, batch_max, n_rows;
	struct sink_mark *mark; /* [n_marks] that wait; owned */
	size_t n_marks, cap_marks;
	struct sink_item *item; /* [batch_max], as result */
	struct sink_result *result;
	int64_t synced_ns;         /* monotonic: the position was synced last */
	bool is_unsynced;          /* it was saved without a sync since */
	bool has_lost_place;       /* the journal was removed: continue at `at` */
	unsigned n_failures;       /* in a row */
	enum sink_outcome failure; /* of the last one */

	pthread_mutex_t lock;
	pthread_cond_t ended;
	struct sink_stat stat;    /* guarded by lock */
	int64_t oldest_ns;        /* end of the oldest profile that waits; 0: none; guarded by lock */
	enum queue_ending ending; /* guarded by lock */
	bool has_ended;           /* guarded by lock */
};

void sink_queue_log(struct sink_queue *q, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* QUEUE_ENDS_EMPTY: when all is sent, or a request fails. QUEUE_ENDS_NOW: before another request. */
enum queue_ending sink_queue_get_ending(struct sink_queue *q);

/* Send what waits, again and again until it is sent or refused, and save the position. Fails with ERR_STOPPED. */
int sink_queue_deliver(struct sink_queue *q, struct err *err);

/* Drop what waits. */
void sink_queue_clear(struct sink_queue *q);

/* --- queue_marks.c --- */

/* Called for each mark of a batch of a journal: add it to those that wait, unless it was sent or does not match. */
int sink_queue_take_mark(void *arg, const char *service, const struct store_mark *m, struct err *err);

/* Try to send the marks that wait. *is_later: send them again; later says why. Fails with ERR_STOPPED. */
int sink_queue_try_marks(struct sink_queue *q, struct sink_result *later, bool *is_later, struct err *err);
void sink_queue_clear_marks(struct sink_queue *q);

#endif

/*
 * queue.h - send the profiles of a store to another system while they are stored
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread follows the journals (store/local/write/spool.h), sends what matches, and saves its position. Each profile is sent at least
 * once; after the end of the process, those sent since the last saved position are sent again, with the same ids. Ingest does not
 * wait for it.
 */
#ifndef SINKS_QUEUE_H
#define SINKS_QUEUE_H

#include "sinks/sink.h"
#include "store/local/write/writer.h"

#include <stdbool.h>
#include <stdint.h>

/* Log a line of key=value pairs. The thread of the queue calls it. */
typedef void sink_log_fn(void *arg, const char *line);

struct sink_queue_options {
	struct store_writer *store; /* borrowed */
	const char *directory;      /* of the store; borrowed */
	const char *name;           /* copied */
	struct sink *sink;          /* owned by the queue */
	const char *match;          /* "{env=prod,service=~shop.*}"; "" for all; copied */
	uint64_t spool;             /* bytes; 0 for the default */
	sink_log_fn *log;
	void *log_arg;
};

enum { SINK_WHY_MAX = 256 };

/* Numbers of a sink since the start of its queue. */
struct sink_stat {
	char name[65];
	const char *kind;
	uint64_t n_sent, n_refused, n_lost,
		n_damaged; /* lost: for lack of room in the spool; damaged: could not be read */
	uint64_t n_first;  /* counters that were sent as 0: nothing is known before */
	uint64_t n_tries;  /* tries that failed */
	uint64_t spool_bytes, spool_max;
	double lag_s;               /* age of the oldest profile that is not sent; 0: all are sent */
	char problem[SINK_WHY_MAX]; /* of the last try; "" when it succeeded */
};

struct sink_queue;

/* Check a match. Fails with ERR_USAGE. */
int sink_check_match(const char *match, struct err *err);

/* Start a queue. On failure the sink is closed. Fails with ERR_USAGE, ERR_IO. */
int sink_queue_start(const struct sink_queue_options *o, struct sink_queue **out, struct err *err);

/* Any thread. */
void sink_queue_get_stat(struct sink_queue *q, struct sink_stat *out);

/*
 * Ask a queue to end by itself; takes NULL. A failure to send ends it.
 *
 * sends_all  when all that is stored is sent; false: after the request that is being sent, so that its profiles are not sent again
 */
void sink_queue_end(struct sink_queue *q, bool sends_all);

/* End a queue and release it; takes NULL. A request that is still being sent at limit_ns (monotonic) is cancelled. */
void sink_queue_stop(struct sink_queue *q, int64_t limit_ns);

#endif

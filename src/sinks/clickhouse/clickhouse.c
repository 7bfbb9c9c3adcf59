/*
 * clickhouse.c - the sink of stores in ClickHouse
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Counters and gauges are stored as they were scraped, so both stores give the same answers. A batch that failed is kept, and sent again
 * with the same bytes when its profiles come again; others, as those after a restart, are compared with what the server has
 * (store/clickhouse/writer.h). Small batches wait for more profiles, since a server has to merge the parts that batches make.
 */
#include "config.h"

#include "sinks/clickhouse/clickhouse.h"

#include "base/mem.h"
#include "base/time.h"
#include "sinks/outcome.h"
#include "sinks/request.h"
#include "store/clickhouse/clickhouse.h"
#include "store/clickhouse/writer.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
	CLICKHOUSE_BATCH_MAX = 8192,
	CLICKHOUSE_SMALL = 256, /* a batch of fewer profiles is sent at most every CLICKHOUSE_EVERY_MS */
	CLICKHOUSE_EVERY_MS = 2000,
	CLICKHOUSE_POLL_MS = 50,
};

#define CLICKHOUSE_LATE_NS (10 * NS_PER_S)

/* A profile of the batch in the writer. */
struct clickhouse_entry {
	uint8_t id[16];
	char refused[256]; /* why it could not be added; "": it was */
};

struct clickhouse {
	struct sink sink;
	struct click_server server;
	struct click_writer *writer;
	struct clickhouse_entry *batch; /* [n] not written yet */
	size_t n, cap;
	int64_t sent_ms; /* monotonic: a batch was sent last */
};

static int clickhouse_open(const char *url, const struct sink_options *o, struct sink **out, struct err *err)
{
	struct clickhouse *s = mem_zalloc(1, sizeof(*s));
	int rc = sink_refuse_words(o, "clickhouse", err);

	rc = rc < 0 ? rc : click_server_init(&s->server, url, &o->fetch, err);
	if (rc < 0) {
		free(s);
		return rc;
	}
	s->sink.kind = &sink_clickhouse;
	s->sent_ms = clock_mono_ms() - CLICKHOUSE_EVERY_MS;
	*out = &s->sink;
	return 0;
}

/* Add a profile to the batch. Returns false if the batch must be written first. */
static bool clickhouse_add(struct clickhouse *s, const struct sink_item *item)
{
	const struct click_input in = { .service = item->service,
					.kind = item->kind,
					.label = item->label,
					.n_labels = item->n_labels,
					.profile = item->profile,
					.start_ns = item->start_ns,
					.duration_ns = item->duration_ns };
	struct clickhouse_entry *e;
	struct err err;
	int rc;

	s->writer = s->writer ? s->writer : click_writer_new(&s->server, "cpa collect");
	if (click_writer_is_full(s->writer))
		return false;
	rc = click_writer_add(s->writer, &in, &err);
	s->batch = mem_grow(s->batch, &s->cap, s->n + 1, sizeof(*s->batch));
	e = &s->batch[s->n++];
	*e = (struct clickhouse_entry){ .refused = "" };
	memcpy(e->id, item->id, sizeof(e->id));
	if (rc < 0)
		memcpy(e->refused, err.msg, strnlen(err.msg, sizeof(e->refused) - 1));
	return true;
}

/* Forget a batch whose profiles do not come again: its bytes may have arrived, which a new writer asks the server. */
static void clickhouse_drop_batch(struct clickhouse *s)
{
	click_writer_free(s->writer);
	s->writer = NULL;
	s->n = 0;
}

/* Are the profiles of the batch the first ones of item [n]? */
static bool clickhouse_is_again(const struct clickhouse *s, const struct sink_item *item, size_t n)
{
	for (size_t i = 0; i < s->n; i++)
		if (i == n || memcmp(s->batch[i].id, item[i].id, sizeof(item[i].id)) != 0)
			return false;
	return true;
}

/* Wait until a small batch may be sent; not while the queue catches up after an outage. Fails with ERR_STOPPED. */
static int clickhouse_wait(const struct clickhouse *s, const struct sink_item *item, size_t n, struct stop *stop,
			   struct err *err)
{
	const struct timespec poll = { 0, CLICKHOUSE_POLL_MS * NS_PER_MS };
	const struct sink_item *last = &item[n - 1];
	bool is_late = clock_wall_ns() - last->start_ns - last->duration_ns > CLICKHOUSE_LATE_NS;

	while (n < CLICKHOUSE_SMALL && !is_late && !stop_is_set(stop) &&
	       clock_mono_ms() - s->sent_ms < CLICKHOUSE_EVERY_MS)
		nanosleep(&poll, NULL);
	return stop_check(stop, err);
}

/* Write the batch; its profiles are those of result [s->n]. A request that the server refuses is an error of its tables, or of cpa, and
   not of the profiles: they wait. */
static int clickhouse_flush(struct clickhouse *s, struct stop *stop, struct sink_result *result, struct err *err)
{
	struct click_counts counts = { 0 };
	struct err own;
	int rc = click_writer_flush(s->writer, stop, &counts, &own);

	s->sent_ms = clock_mono_ms();
	if (rc == ERR_STOPPED) {
		*err = own;
		return rc;
	}
	for (size_t i = 0; i < s->n; i++)
		if (rc < 0)
			sink_setf(&result[i], SINK_LATER, "%s", own.msg);
		else if (*s->batch[i].refused)
			sink_setf(&result[i], SINK_REFUSED, "%s", s->batch[i].refused);
	if (rc == 0)
		s->n = 0;
	return 0;
}

static int clickhouse_send(struct sink *sink, const struct sink_item *item, size_t n, struct stop *stop,
			   struct sink_result *result, struct err *err)
{
	struct clickhouse *s = (struct clickhouse *)sink;
	int rc = clickhouse_wait(s, item, n, stop, err);

	if (rc < 0)
		return rc;
	if (!clickhouse_is_again(s, item, n))
		clickhouse_drop_batch(s);
	for (size_t first = 0; first < n;) {
		size_t in_batch;

		if (!s->n)
			while (first + s->n < n && clickhouse_add(s, &item[first + s->n]))
				continue;
		in_batch = s->n;
		if (!in_batch) { /* profiles that were refused have filled the writer */
			clickhouse_drop_batch(s);
			continue;
		}
		rc = clickhouse_flush(s, stop, result + first, err);
		if (rc < 0)
			return rc;
		first += in_batch;
		for (size_t i = first; s->n && i < n; i++) /* those after a batch that waits */
			result[i] = result[first - 1];
		if (s->n)
			return 0;
	}
	return 0;
}

static int clickhouse_send_marks(struct sink *sink, const struct sink_mark *mark, size_t n, struct stop *stop,
				 struct sink_result *result, struct err *err)
{
	struct clickhouse *s = (struct clickhouse *)sink;
	struct buf rows = { 0 };
	struct err own;
	int rc;

	s->writer = s->writer ? s->writer : click_writer_new(&s->server, "cpa collect");
	for (size_t i = 0; i < n; i++)
		click_put_mark(&rows, mark[i].service, &mark[i].mark);
	rc = click_writer_marks(s->writer, &rows, stop, &own);
	buf_release(&rows);
	if (rc == ERR_STOPPED)
		*err = own;
	else if (rc < 0)
		sink_setf(result, SINK_LATER, "%s", own.msg);
	return rc == ERR_STOPPED ? rc : 0;
}

static void clickhouse_close(struct sink *sink)
{
	struct clickhouse *s = (struct clickhouse *)sink;

	click_writer_free(s->writer);
	click_server_release(&s->server);
	free(s->batch);
	free(s);
}

static const char *const clickhouse_prefixes[] = { "clickhouse://", "clickhouse+https://", NULL };

const struct sink_kind sink_clickhouse = {
	.name = "clickhouse",
	.prefix = clickhouse_prefixes,
	.help = "a store in ClickHouse, with the path /DATABASE, tried with 18.16.1 and chdb-core 26.9",
	.batch_max = CLICKHOUSE_BATCH_MAX,
	.keeps_counters = true,
	.open = clickhouse_open,
	.send = clickhouse_send,
	.send_marks = clickhouse_send_marks,
	.close = clickhouse_close,
};

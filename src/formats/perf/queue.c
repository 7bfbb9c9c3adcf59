/*
 * queue.c - puts records into the order of time
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * perf writes the buffers of all CPUs one after the other, then the mark of a round. Records that are in a buffer after the
 * mark are newer than all that were in any buffer when the round before it began. At each mark, the records up to the
 * largest time before the previous mark are processed. Only places are kept, not records. The files of a directory are
 * read one after the other, so all of their records are in the queue before the first one is processed.
 */
#include "config.h"

#include "base/mem.h"
#include "formats/perf/perf_int.h"

#include <inttypes.h>
#include <stdlib.h>

/* Without marks, the older half is processed when there are so many records, or so many unpacked bytes. */
enum { QUEUE_MAX = 1 << 20, QUEUE_BYTES_MAX = 64 << 20 };

static int queue_compare(const void *left, const void *right)
{
	const struct perf_queued *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

static void queue_sort(struct perf_reader *r)
{
	size_t i = 1;

	while (i < r->n_queued && r->queue[i - 1].time <= r->queue[i].time)
		i++;
	if (i < r->n_queued)
		qsort(r->queue, r->n_queued, sizeof(*r->queue), queue_compare);
}

static int queue_process(struct perf_reader *r, const struct perf_queued *q, struct err *err)
{
	struct perf_record rec;

	perfdata_record_at(r, q->p, UINT16_MAX, &rec);
	if (q->chunk)
		r->chunk[q->chunk - 1].n_queued--;
	return perfdata_record_process(r, &rec, err);
}

/* Process the records of the sorted queue up to a time. */
static int queue_flush(struct perf_reader *r, uint64_t time, struct err *err)
{
	size_t n = 0;
	int rc = 0;

	for (; rc == 0 && n < r->n_queued && r->queue[n].time <= time; n++)
		rc = queue_process(r, &r->queue[n], err);
	if (n == 0)
		return rc;
	r->n_queued -= n;
	memmove(r->queue, r->queue + n, r->n_queued * sizeof(*r->queue));
	return rc;
}

int perfdata_queue_add(struct perf_reader *r, const struct perf_record *rec, uint32_t chunk, struct err *err)
{
	uint64_t time = perfdata_event_time(r, rec, NULL);

	if (time == 0 || time == UINT64_MAX) /* made by perf itself, or a recording without times */
		return perfdata_record_process(r, rec, err);
	if (r->n_parts && format_exceeds(r->n_queued + 1, r->options->max_count))
		return err_set(err, ERR_LIMIT,
			       "perf.data: more than %" PRIu64 " records; raise the limit with --max-count",
			       r->options->max_count);
	if (!r->n_parts && (r->n_queued >= QUEUE_MAX || r->n_chunk_bytes > QUEUE_BYTES_MAX)) {
		int rc;

		queue_sort(r);
		rc = r->n_queued ? queue_flush(r, r->queue[r->n_queued / 2].time, err) : 0;
		if (rc < 0)
			return rc;
	}
	if (r->n_queued == 0)
		r->n_records = 0;
	r->queue = mem_grow(r->queue, &r->cap_queue, r->n_queued + 1, sizeof(*r->queue));
	r->queue[r->n_queued++] = (struct perf_queued){ time, rec->p, r->n_records++, chunk };
	if (chunk)
		r->chunk[chunk - 1].n_queued++;
	r->time_max = time > r->time_max ? time : r->time_max;
	return 0;
}

int perfdata_queue_end_round(struct perf_reader *r, struct err *err)
{
	int rc;

	if (r->n_parts)
		return 0;
	queue_sort(r);
	rc = queue_flush(r, r->time_flush, err);
	r->time_flush = r->time_max;
	return rc;
}

int perfdata_queue_end(struct perf_reader *r, struct err *err)
{
	queue_sort(r);
	return queue_flush(r, UINT64_MAX, err);
}

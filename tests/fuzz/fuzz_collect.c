/*
 * fuzz_collect.c - any bytes as slots, rings, modules and labels of the shared segment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input is a list of writes: section, number of words, offset in words, the words. Missing words are zeros. A
 * section number of N_WHERE or more drains the segment. To the collector the processes look like this one, but with an
 * id that does not exist, so that the kernel is not queried about real processes. Finally all profiles are written and
 * read back.
 */
#include "config.h"

#include "fuzz.h"

#include "base/buf.h"
#include "libcpaprof/collector/collect_int.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/trace/trace_int.h"
#include "libcpaprof/collector/write/write.h"
#include "libcpaprof/target/labels.h"

enum {
	SLOTS = 3,
	PID_OF_NOBODY = (1 << 22) - 1,
	DRAINS = 16,
	BEGIN_NS = 1000 /* start of the timeline, near the small times in the input */
};
enum where { WHERE_PROCS, WHERE_RINGS, WHERE_MODULES, WHERE_WORDS, WHERE_INDEX, WHERE_SETS, WHERE_HEAD, N_WHERE };

struct ending {
	unsigned n_done;
	struct trace *trace;
	struct process *traced;
};

static int add_bytes(void *arg, const void *data, size_t n)
{
	buf_add(arg, data, n);
	return 0;
}

static void write_cpu(struct process *p)
{
	struct buf out = { 0 };
	struct profile *read = NULL;
	struct snap *s;
	struct bytes in;
	struct err err;
	int rc;

	if (snap_take(p, SNAP_CPU, 0, &s) != 0 || write_snap(s, 0, NULL, NULL, add_bytes, &out) != 0)
		abort();
	in = (struct bytes){ .data = (uint8_t *)out.data, .n = out.len };
	rc = formats_read(&in, &formats_options_default, &read, &err);
	fuzz_judge(rc, read, &err);
	if (rc != 0) {
		fprintf(stderr, "the written profile cannot be read: %s\n", err.msg);
		abort();
	}
	profile_free(read);
	snap_free(s);
}

/* Write a timeline of what was collected. It has no names, because only errors while writing matter. */
static void write_trace(struct trace *t)
{
	struct buf out = { 0 };
	struct snap *s;

	trace_poll(t);
	trace_end(t);
	if (trace_snap(t, &s) != 0 || trace_write(t, NULL, NULL, add_bytes, &out) != 0 || out.len == 0)
		abort();
	snap_free(s);
	buf_release(&out);
	trace_free(t);
}

static void done(void *arg, struct process *p)
{
	struct ending *e = arg;

	e->n_done++;
	if (e->trace && e->traced == p) {
		write_trace(e->trace);
		e->trace = NULL;
	}
	write_cpu(p);
}

static void begin_all(struct collect *c)
{
	for (uint32_t i = 0; i < SLOTS; i++) {
		struct segment_proc *slot = collect_slot(c, i);
		struct segment_ring *ring = collect_ring(c, i);

		slot->pid = PID_OF_NOBODY - i;
		slot->serial = 1 + i;
		slot->state = PROC_LIVE;
		ring->proc = i;
		ring->serial = 1 + i;
		ring->state = RING_OWNED;
	}
}

/* The address of a section, and the number of words worth writing. */
static uint64_t *section(const struct collect *c, enum where where, size_t *n)
{
	static const uint8_t of[N_WHERE] = { SECTION_PROCS,  SECTION_RINGS,  SECTION_MODULES, SECTION_WORDS,
					     SECTION_LABELS, SECTION_LABELS, N_SECTIONS };
	static const size_t words[N_WHERE] = { 2 * SLOTS * sizeof(struct segment_proc) / 8,
					       2 * SLOTS * sizeof(struct segment_ring) / 8,
					       SLOTS * MODULES_MAX / 8,
					       SLOTS * RING_WORDS,
					       64,
					       4096,
					       offsetof(struct segment_head, engine) / 8 };
	uint64_t at = where == WHERE_HEAD ? 0 : c->layout.section[of[where]];

	at += where == WHERE_INDEX ? LABELS_INDEX_AT : where == WHERE_SETS ? LABELS_SETS_AT : 0;
	*n = words[where];
	return (uint64_t *)((uint8_t *)c->head + at);
}

/* Perform a write. Returns the number of input bytes consumed. */
static size_t act(struct collect *c, const uint8_t *data, size_t n, unsigned *drains)
{
	uint8_t head[4] = { 0 };
	size_t size, most, at;
	uint64_t *to;

	memcpy(head, data, n < sizeof(head) ? n : sizeof(head));
	if (head[0] >= N_WHERE) {
		if ((*drains)++ < DRAINS)
			collect_drain(c);
		return 1;
	}
	if (n <= sizeof(head))
		return n;
	to = section(c, head[0], &most);
	at = (head[2] | (size_t)head[3] << 8) % most;
	size = (size_t)head[1] * 8;
	size = size < n - sizeof(head) ? size : n - sizeof(head);
	size = size < (most - at) * 8 ? size : (most - at) * 8;
	memcpy(to + at, data + sizeof(head), size);
	/* do not query the kernel about other processes */
	for (uint32_t i = 0; i < 2 * SLOTS; i++)
		collect_slot(c, i)->pid = PID_OF_NOBODY - i;
	return sizeof(head) + size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct collector_options options = { .hz = 100, .n_tables = 1, .is_self = true };
	struct ending e = { 0 };
	struct collect *c;
	unsigned drains = 0;

	if (collect_open(&options, done, &e, &c) != 0)
		return 0;
	begin_all(c);
	collect_drain(c);
	e.traced = &c->process[0];
	if (trace_begin(e.traced, &e.trace) != 0)
		abort();
	e.trace->begin_ns = BEGIN_NS;
	while (n) {
		size_t took = act(c, data, n, &drains);

		data += took;
		n -= took;
	}
	collect_drain(c);
	collect_finish(c);
	if (e.n_done < SLOTS)
		abort();
	collect_close(c);
	return 0;
}

/*
 * trace_write.c - write a timeline in the Trace Event Format, compressed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slices are complete events ("ph": "X"), thread by thread, callers before callees: readers nest slices that begin at
 * the same time in that order. Times are relative to the start of the trace.
 */
#include "config.h"

#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/order.h"
#include "libcpaprof/collector/trace_int.h"
#include "libcpaprof/collector/trace_json.h"
#include "libcpaprof/collector/trace_names.h"
#include "libcpaprof/collector/trace_spans.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define WAIT_TAG (1U << 31)

enum { HZ_DEFAULT = 100 };

struct trace_writer {
	const struct trace *t;
	uint64_t end_ns, period_ns;
	struct trace_names names;
	uint32_t *samples, *waits, *threads; /* indexes sorted by thread, then by time; NULL: none */
	struct vec sample, wait, span;       /* data of the current thread: struct span_sample, span_wait, trace_span */
	struct slices slices;
	uint64_t n_odd_times, n_dropped, ran_ns;
	size_t n_slices_remaining; /* number of slices that may still be written */
	bool has_element;          /* the current JSON list is not empty */
	struct trace_json json;
};

/* The data of one thread. info: NULL if the thread was never polled. */
struct thread_part {
	uint32_t tid;
	const struct trace_thread *info;
	size_t sample, sample_end, wait, wait_end, thread; /* positions in the sorted arrays */
};

static const struct trace_sample *sample_at(const struct trace_writer *x, size_t i)
{
	return (const struct trace_sample *)x->t->sample.data + x->samples[i];
}

static const struct trace_wait *wait_at(const struct trace_writer *x, size_t i)
{
	return (const struct trace_wait *)x->t->wait.data + x->waits[i];
}

static const struct trace_thread *thread_at(const struct trace_writer *x, size_t i)
{
	return (const struct trace_thread *)x->t->thread.data + x->threads[i];
}

static int compare_u64(uint64_t a, uint64_t b)
{
	return a < b ? -1 : a > b;
}

static int compare_samples(const void *arg, uint32_t a, uint32_t b)
{
	const struct trace_sample *s = arg;

	return s[a].tid != s[b].tid ? compare_u64(s[a].tid, s[b].tid) : compare_u64(s[a].ns, s[b].ns);
}

static int compare_waits(const void *arg, uint32_t a, uint32_t b)
{
	const struct trace_wait *w = arg;

	return w[a].tid != w[b].tid ? compare_u64(w[a].tid, w[b].tid) : compare_u64(w[a].begin, w[b].begin);
}

static int compare_threads(const void *arg, uint32_t a, uint32_t b)
{
	const struct trace_thread *t = arg;

	return compare_u64(t[a].tid, t[b].tid);
}

/* Advance p to the next thread. Returns false at the end. */
static bool next_part(const struct trace_writer *x, struct thread_part *p)
{
	size_t n_samples = x->t->sample.n, n_waits = x->t->wait.n, n_threads = x->t->thread.n;
	uint64_t tid = UINT64_MAX;

	p->sample = p->sample_end;
	p->wait = p->wait_end;
	if (p->sample < n_samples)
		tid = sample_at(x, p->sample)->tid;
	if (p->wait < n_waits && wait_at(x, p->wait)->tid < tid)
		tid = wait_at(x, p->wait)->tid;
	if (p->thread < n_threads && thread_at(x, p->thread)->tid < tid)
		tid = thread_at(x, p->thread)->tid;
	if (tid == UINT64_MAX)
		return false;
	p->tid = (uint32_t)tid;
	while (p->sample_end < n_samples && sample_at(x, p->sample_end)->tid == tid)
		p->sample_end++;
	while (p->wait_end < n_waits && wait_at(x, p->wait_end)->tid == tid)
		p->wait_end++;
	p->info = p->thread < n_threads && thread_at(x, p->thread)->tid == tid ? thread_at(x, p->thread++) : NULL;
	return true;
}

static void next_item(struct trace_writer *x, const char *between)
{
	if (x->has_element)
		trace_json_put(&x->json, ",", 1);
	trace_json_put(&x->json, between, strlen(between));
	x->has_element = true;
}

static void put_string(struct trace_writer *x, const char *s)
{
	trace_json_text(&x->json, s, strlen(s));
}

static int add_label(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct trace_writer *x = arg;

	next_item(x, "");
	trace_json_text(&x->json, key, n_key);
	trace_json_put(&x->json, ":", 1);
	trace_json_text(&x->json, value, n_value);
	return 0;
}

/* The line is omitted: it would be that of the first sample, and some readers treat functions with different arguments
 * as different functions. */
static void add_file(struct trace_writer *x, const struct trace_frame *f)
{
	size_t n;
	const char *file = strings_get(&x->names.strings, f->file, &n);

	next_item(x, "\"file\":");
	trace_json_text(&x->json, file, n);
}

static void add_args(struct trace_writer *x, const struct trace_frame *f, const struct trace_wait *w, uint32_t label)
{
	if (!f->file && !label && !(w && (w->holder || w->woken)))
		return;
	trace_json_put(&x->json, ",\"args\":{", 9);
	x->has_element = false;
	if (f->file)
		add_file(x, f);
	if (w && w->holder) {
		next_item(x, "\"holder\":");
		trace_json_add(&x->json, "%" PRIu32, w->holder);
	}
	if (w && w->woken) {
		next_item(x, "\"woken\":");
		trace_json_add(&x->json, "%" PRIu32 ",\"ran_us\":%" PRIu32 ",\"ready_us\":%" PRIu32, w->woken,
			       w->ran_us, w->ready_us);
	}
	if (label && x->t->p->c) {
		next_item(x, "\"labels\":{");
		x->has_element = false;
		collect_labels(x->t->p->c, label, add_label, x);
		trace_json_put(&x->json, "}", 1);
	}
	trace_json_put(&x->json, "}", 1);
	x->has_element = true;
}

static void write_slice(struct trace_writer *x, uint32_t tid, const struct trace_slice *s)
{
	const struct trace_frame *f = trace_names_frame(&x->names, s->at);
	const struct trace_wait *w =
		s->tag & WAIT_TAG ? (const struct trace_wait *)x->t->wait.data + (s->tag & ~WAIT_TAG) : NULL;
	size_t n;
	const char *name = strings_get(&x->names.strings, f->name, &n);

	next_item(x, "\n{\"ph\":\"X\",\"name\":");
	trace_json_text(&x->json, name, n);
	trace_json_add(&x->json, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":", w ? "wait" : "function",
		       (int)x->t->p->pid, tid);
	trace_json_us(&x->json, s->begin - x->t->begin_ns);
	trace_json_put(&x->json, ",\"dur\":", 7);
	trace_json_us(&x->json, s->end - s->begin);
	if (w)
		trace_json_add(&x->json, ",\"cname\":\"thread_state_sleeping\"");
	add_args(x, f, w, w ? w->label : s->tag ? s->tag - 1 : 0);
	trace_json_put(&x->json, "}", 1);
}

/* Write a metadata event. Its value is text, or number if text is NULL. */
static void write_meta(struct trace_writer *x, const char *what, uint32_t tid, const char *key, const char *text,
		       uint32_t number)
{
	next_item(x, "\n");
	trace_json_add(&x->json, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32 ",\"args\":{\"%s\":", what,
		       (int)x->t->p->pid, tid, key);
	if (text)
		put_string(x, text);
	else
		trace_json_add(&x->json, "%" PRIu32, number);
	trace_json_put(&x->json, "}}", 2);
}

/* Convert the samples and waits of a thread to spans. */
static int make_spans(struct trace_writer *x, const struct thread_part *p)
{
	const struct spans_window w = { .begin = x->t->begin_ns, .end = x->end_ns, .join_ns = x->period_ns / 2 };
	size_t n_samples = p->sample_end - p->sample, n_waits = p->wait_end - p->wait;
	struct span_sample *s;
	struct span_wait *wait;

	x->sample.n = x->wait.n = x->span.n = 0;
	s = vec_reserve(&x->sample, n_samples, sizeof(*s), TRACE_EVENTS_MAX);
	wait = vec_reserve(&x->wait, n_waits, sizeof(*wait), TRACE_EVENTS_MAX);
	if (!s || !wait)
		return -ENOMEM;
	for (size_t i = 0; i < n_samples; i++) {
		const struct trace_sample *from = sample_at(x, p->sample + i);

		s[i] = (struct span_sample){ from->ns, from->weight * x->period_ns, from->stack };
		x->n_odd_times += from->ns < w.begin || from->ns > w.end;
	}
	for (size_t i = 0; i < n_waits; i++) {
		const struct trace_wait *from = wait_at(x, p->wait + i);

		wait[i] = (struct span_wait){ from->begin, from->end, x->waits[p->wait + i], from->woken == 0 };
	}
	return spans_make(&w, s, n_samples, wait, n_waits, &x->span);
}

static void add_slices(struct trace_writer *x, const struct trace_span *s)
{
	if (s->is_wait) {
		const struct trace_wait *w = (const struct trace_wait *)x->t->wait.data + s->source;

		trace_names_stack(&x->names, w->at, w->n);
		trace_names_push(&x->names, w->reason);
		slices_add(&x->slices, s->begin, s->end, x->names.stack, x->names.n, WAIT_TAG | s->source);
	} else {
		const struct table_stack *stack = (const struct table_stack *)x->t->p->table.stack.data + s->source;
		uint32_t label = stack->label < WAIT_TAG - 1 ? stack->label : 0;

		trace_names_stack(&x->names, stack->at, stack->n);
		slices_add(&x->slices, s->begin, s->end, x->names.stack, x->names.n, label + 1);
		x->ran_ns += s->end - s->begin;
	}
}

static int write_part(struct trace_writer *x, const struct thread_part *p, size_t share)
{
	char name[32];
	int rc = make_spans(x, p);

	snprintf(name, sizeof(name), "thread %" PRIu32, p->tid);
	write_meta(x, "thread_name", p->tid, "name", p->info && *p->info->name ? p->info->name : name, 0);
	write_meta(x, "thread_sort_index", p->tid, "sort_index", NULL, p->tid);
	x->slices.slice.n = 0;
	x->slices.max = share;
	x->slices.n_dropped = 0;
	for (size_t i = 0; rc == 0 && i < x->span.n; i++)
		add_slices(x, (const struct trace_span *)x->span.data + i);
	slices_end(&x->slices);
	for (size_t i = 0; rc == 0 && i < x->slices.slice.n; i++)
		write_slice(x, p->tid, (const struct trace_slice *)x->slices.slice.data + i);
	x->n_slices_remaining -= x->slices.slice.n;
	x->n_dropped += x->slices.n_dropped;
	return rc < 0 || x->slices.failed || x->names.failed ? -ENOMEM : 0;
}

/* Each thread may write an equal share of the slices; the unused rest is left to the following threads. */
static int write_parts(struct trace_writer *x)
{
	struct thread_part p = { 0 };
	size_t n = 0;
	int rc = 0;

	while (next_part(x, &p))
		n++;
	p = (struct thread_part){ 0 };
	while (rc == 0 && next_part(x, &p)) {
		if (!p.info || !p.info->is_ours)
			rc = write_part(x, &p, x->n_slices_remaining / n);
		n--;
	}
	return rc;
}

static void put_number(struct trace_writer *x, const char *key, uint64_t n)
{
	next_item(x, "\n");
	trace_json_add(&x->json, "\"%s\":%" PRIu64, key, n);
}

static void put_ms(struct trace_writer *x, const char *key, uint64_t ns)
{
	next_item(x, "\n");
	trace_json_add(&x->json, "\"%s\":", key);
	trace_json_us(&x->json, ns / 1000); /* time in ms with three decimals */
}

static void write_other(struct trace_writer *x, const char *program, size_t n_program)
{
	const struct trace *t = x->t;

	trace_json_add(&x->json, "],\n\"otherData\":{\"producer\":\"cpa " PACKAGE_VERSION "\"");
	x->has_element = true;
	next_item(x, "\n\"about\":");
	put_string(x,
		   "Sampled stacks and observed waits of a C or C++ program, for ui.perfetto.dev, chrome://tracing and "
		   "speedscope. It is not the execution trace of Go, and not for go tool trace.");
	put_ms(x, "began_unix_ms", t->wall_ns);
	put_number(x, "began_monotonic_ns", t->begin_ns);
	put_ms(x, "duration_ms", x->end_ns - t->begin_ns);
	put_number(x, "pid", (uint64_t)t->p->pid);
	next_item(x, "\n\"program\":");
	trace_json_text(&x->json, program, n_program);
	put_number(x, "hz", t->hz);
	put_number(x, "samples", t->sample.n);
	put_ms(x, "cpu_ms", x->ran_ns);
	put_number(x, "looks", t->n_polls);
	put_ms(x, "looks_cpu_ms", t->poll_ns);
	put_ms(x, "looks_apart_most_ms", t->max_gap_ns);
	put_number(x, "lost_samples", t->n_lost);
	put_number(x, "odd_times", x->n_odd_times);
	put_number(x, "bad_records", t->n_bad);
	put_number(x, "left_out", t->n_no_room + x->n_dropped);
	if (t->error) {
		char text[64];

		snprintf(text, sizeof(text), "errno %d", t->error);
		next_item(x, "\n\"threads_not_seen\":");
		put_string(x, text);
	}
	trace_json_put(&x->json, "}}\n", 3);
}

static int write_all(struct trace_writer *x)
{
	struct process_info facts;
	const char *slash, *base;
	char name[64];
	int rc;

	process_info(x->t->p, &facts);
	slash = facts.n_program ? memrchr(facts.program, '/', facts.n_program) : NULL;
	base = slash ? slash + 1 : facts.program;
	snprintf(name, sizeof(name), "%.*s", (int)(facts.program + facts.n_program - base), base);
	trace_json_add(&x->json, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	write_meta(x, "process_name", (uint32_t)x->t->p->pid, "name", name, 0);
	rc = write_parts(x);
	write_other(x, facts.program, facts.n_program);
	trace_json_flush(&x->json);
	return rc;
}

static bool sort_all(struct trace_writer *x)
{
	const struct trace *t = x->t;

	x->samples = order_make(t->sample.n, compare_samples, t->sample.data);
	x->waits = order_make(t->wait.n, compare_waits, t->wait.data);
	x->threads = order_make(t->thread.n, compare_threads, t->thread.data);
	return (x->samples || !t->sample.n) && (x->waits || !t->wait.n) && (x->threads || !t->thread.n);
}

static void release(struct trace_writer *x)
{
	order_free(x->samples, x->t->sample.n);
	order_free(x->waits, x->t->wait.n);
	order_free(x->threads, x->t->thread.n);
	vec_release(&x->sample, sizeof(struct span_sample));
	vec_release(&x->wait, sizeof(struct span_wait));
	vec_release(&x->span, sizeof(struct trace_span));
	slices_release(&x->slices);
	trace_names_release(&x->names);
	memory_unmap(x, sizeof(*x));
}

int trace_write(const struct trace *t, snap_names_fn *names, void *names_arg, snap_sink_fn *sink, void *arg)
{
	struct trace_writer *x = memory_map(sizeof(*x));
	int rc, packed;

	if (!x)
		return -ENOMEM;
	x->t = t;
	x->end_ns = t->end_ns ? t->end_ns : clock_now();
	x->period_ns = 1000000000 / (t->hz ? t->hz : HZ_DEFAULT);
	x->n_slices_remaining = TRACE_EVENTS_MAX;
	x->json.gzip = gzip_open(sink, arg, false);
	rc = trace_names_init(&x->names, t, names, names_arg);
	if (!x->json.gzip || !sort_all(x))
		rc = -ENOMEM;
	if (rc == 0)
		rc = write_all(x);
	packed = x->json.gzip ? gzip_close(x->json.gzip) : 0;
	release(x);
	return rc < 0 ? rc : packed;
}

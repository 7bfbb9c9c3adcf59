/*
 * trace_write.c - write a timeline in the Trace Event Format, compressed with gzip
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slices are complete events ("ph": "X"), thread by thread, callers before callees: readers nest slices that begin at
 * the same time in that order. Times are relative to the start of the trace.
 *
 * If the scheduler's view is available, waits have its times, and polls only add the stacks of these waits. The CPUs are the threads of a second process, whose slices are the threads that ran.
 */
#include "config.h"

#include "libcpaprof/collector/labels.h"
#include "libcpaprof/collector/read/order.h"
#include "libcpaprof/collector/trace/trace_write_int.h"
#include "libcpaprof/collector/write/gzip.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bits of the tag of a slice, and of the source of a wait. Without FROM_OFF the rest is an index in trace.wait. */
#define WAIT_TAG (1U << 31)
#define FROM_OFF (1U << 30) /* the rest is a position in trace_writer.offs */
#define IS_RUN (1U << 29)   /* the thread ran shortly in the functions of a wait */

enum { HZ_DEFAULT = 100 };

/* The data of one thread. info: NULL if the thread was never polled. */
struct thread_part {
	uint32_t tid;
	const struct trace_thread *info;
	size_t sample, sample_end, wait, wait_end, off, off_end, thread; /* positions in the sorted arrays */
};

static const struct trace_sample *sample_at(const struct trace_writer *x, size_t i)
{
	return (const struct trace_sample *)x->t->sample.data + x->samples[i];
}

static const struct trace_wait *wait_at(const struct trace_writer *x, size_t i)
{
	return (const struct trace_wait *)x->t->wait.data + x->waits[i];
}

static const struct sched_off *off_at(const struct trace_writer *x, size_t i)
{
	return (const struct sched_off *)x->t->sched.off.data + x->offs[i];
}

ORDER_BY(compare_samples, struct trace_sample, tid, ns)
ORDER_BY(compare_waits, struct trace_wait, tid, begin)
ORDER_BY(compare_offs, struct sched_off, tid, begin)
ORDER_BY(trace_write_compare_runs, struct sched_run, cpu, begin)
ORDER_BY(trace_write_compare_threads, struct trace_thread, tid, tid)

/* Advance p to the next thread. Returns false at the end. */
static bool next_part(const struct trace_writer *x, struct thread_part *p)
{
	size_t n_samples = x->t->sample.n, n_waits = x->t->wait.n, n_threads = x->t->thread.n;
	size_t n_offs = x->t->sched.off.n;
	uint64_t tid = UINT64_MAX;

	p->sample = p->sample_end;
	p->wait = p->wait_end;
	p->off = p->off_end;
	if (p->sample < n_samples)
		tid = sample_at(x, p->sample)->tid;
	if (p->wait < n_waits && wait_at(x, p->wait)->tid < tid)
		tid = wait_at(x, p->wait)->tid;
	if (p->off < n_offs && off_at(x, p->off)->tid < tid)
		tid = off_at(x, p->off)->tid;
	if (p->thread < n_threads && trace_write_thread(x, p->thread)->tid < tid)
		tid = trace_write_thread(x, p->thread)->tid;
	if (tid == UINT64_MAX)
		return false;
	p->tid = (uint32_t)tid;
	while (p->sample_end < n_samples && sample_at(x, p->sample_end)->tid == tid)
		p->sample_end++;
	while (p->wait_end < n_waits && wait_at(x, p->wait_end)->tid == tid)
		p->wait_end++;
	while (p->off_end < n_offs && off_at(x, p->off_end)->tid == tid)
		p->off_end++;
	p->info = p->thread < n_threads && trace_write_thread(x, p->thread)->tid == tid
			  ? trace_write_thread(x, p->thread++)
			  : NULL;
	return true;
}

void trace_write_next(struct trace_writer *x, const char *between)
{
	if (x->has_element)
		stream_put(&x->json, ",", 1);
	stream_put(&x->json, between, strlen(between));
	x->has_element = true;
}

void trace_write_string(struct trace_writer *x, const char *s)
{
	stream_json(&x->json, s, strlen(s));
}

static int trace_write_add_label(void *arg, const char *key, size_t n_key, const char *value, size_t n_value)
{
	struct trace_writer *x = arg;

	trace_write_next(x, "");
	stream_json(&x->json, key, n_key);
	stream_put(&x->json, ":", 1);
	stream_json(&x->json, value, n_value);
	return 0;
}

/* The line is omitted: it would be that of the first sample, and some readers treat functions with different arguments
 * as different functions. */
static void trace_write_add_file(struct trace_writer *x, const struct trace_frame *f)
{
	size_t n;
	const char *file = strings_get(&x->names.strings, f->file, &n);

	trace_write_next(x, "\"file\":");
	stream_json(&x->json, file, n);
}

/* The index + 1 in sched.why of the kernel function of a wait; 0: not known. */
static uint32_t trace_write_find_why(const struct trace_writer *x, const struct sched_off *off)
{
	const struct sched_chain *chain = x->t->sched.chain.data;

	return off->chain ? chain[off->chain - 1].why : 0;
}

static void trace_write_add_off(struct trace_writer *x, const struct sched_off *off)
{
	const char(*why)[KERNEL_NAME_MAX] = x->t->sched.why.data;
	uint32_t n_why = trace_write_find_why(x, off);

	trace_write_next(x, "\"cpu\":");
	stream_add(&x->json, "%u", off->cpu);
	if (off->next_cpu != off->cpu) {
		trace_write_next(x, "\"next_cpu\":");
		stream_add(&x->json, "%u", off->next_cpu);
	}
	if (sched_is_ready(off)) {
		trace_write_next(x, "\"preempted\":");
		stream_add(&x->json, off->kind == OFF_PREEMPTED ? "true" : "false");
	}
	if (off->kind == OFF_WAIT && n_why) {
		trace_write_next(x, "\"kernel\":");
		stream_json(&x->json, why[n_why - 1], strlen(why[n_why - 1]));
	}
}

/* w and off: the wait of the slice; NULL: none */
static void add_args(struct trace_writer *x, const struct trace_frame *f, const struct trace_wait *w,
		     const struct sched_off *off, uint32_t label)
{
	if (!f->file && !label && !off && !(w && (w->holder || w->woken)))
		return;
	stream_put(&x->json, ",\"args\":{", 9);
	x->has_element = false;
	if (f->file)
		trace_write_add_file(x, f);
	if (w && w->holder) {
		trace_write_next(x, "\"holder\":");
		stream_add(&x->json, "%" PRIu32, w->holder);
	}
	if (off)
		trace_write_add_off(x, off);
	else if (w && w->woken) {
		trace_write_next(x, "\"woken\":");
		stream_add(&x->json, "%" PRIu32 ",\"ran_us\":%" PRIu32 ",\"ready_us\":%" PRIu32, w->woken, w->ran_us,
			   w->ready_us);
	}
	if (label && x->t->p->c) {
		trace_write_next(x, "\"labels\":{");
		x->has_element = false;
		collect_labels(x->t->p->c, label, trace_write_add_label, x);
		stream_put(&x->json, "}", 1);
	}
	stream_put(&x->json, "}", 1);
	x->has_element = true;
}

/* The off of a tag, and the wait that polls saw; NULL: none. */
static const struct sched_off *find_off(const struct trace_writer *x, uint32_t tag, const struct trace_wait **w)
{
	const struct trace_wait *wait = x->t->wait.data;
	uint32_t i = tag & ~(WAIT_TAG | FROM_OFF), k;

	*w = NULL;
	if (!(tag & WAIT_TAG))
		return NULL;
	if (!(tag & FROM_OFF)) {
		*w = &wait[i];
		return NULL;
	}
	k = ((const uint32_t *)x->off_wait.data)[i - x->first_off];
	*w = k ? &wait[k - 1] : NULL;
	return off_at(x, i);
}

void trace_write_begin(struct trace_writer *x, const char *name, size_t n, const char *category, int pid, uint32_t tid,
		       uint64_t begin, uint64_t end)
{
	trace_write_next(x, "\n{\"ph\":\"X\",\"name\":");
	stream_json(&x->json, name, n);
	stream_add(&x->json, ",\"cat\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":", category, pid, tid);
	stream_us(&x->json, begin - x->t->begin_ns);
	stream_put(&x->json, ",\"dur\":", 7);
	stream_us(&x->json, end - begin);
}

static void write_slice(struct trace_writer *x, uint32_t tid, const struct trace_slice *s)
{
	const struct trace_frame *f = trace_names_frame(&x->names, s->at);
	const struct trace_wait *w;
	const struct sched_off *off = find_off(x, s->tag, &w);
	bool is_ready = off && sched_is_ready(off), is_wait = s->tag & WAIT_TAG;
	size_t n;
	const char *name = strings_get(&x->names.strings, f->name, &n);

	trace_write_begin(x, name, n,
			  is_ready  ? "ready"
			  : is_wait ? "wait"
				    : "function",
			  (int)x->t->p->pid, tid, s->begin, s->end);
	if (is_wait)
		stream_add(&x->json, ",\"cname\":\"thread_state_%s\"", is_ready ? "runnable" : "sleeping");
	add_args(x, f, w, off, w ? w->label : s->tag && !is_wait ? s->tag - 1 : 0);
	stream_put(&x->json, "}", 1);
}

void trace_write_meta(struct trace_writer *x, const char *what, int pid, uint32_t tid, const char *key,
		      const char *text, uint32_t number)
{
	trace_write_next(x, "\n");
	stream_add(&x->json, "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%" PRIu32 ",\"args\":{\"%s\":", what,
		   pid, tid, key);
	if (text)
		trace_write_string(x, text);
	else
		stream_add(&x->json, "%" PRIu32, number);
	stream_put(&x->json, "}}", 2);
}

static bool trace_write_add_wait(struct trace_writer *x, uint64_t begin, uint64_t end, uint32_t source, bool is_certain)
{
	const struct span_wait wait = { begin, end, source, is_certain };

	return vec_add(&x->wait, &wait, 1, sizeof(wait), TRACE_EVENTS_MAX * 4UL);
}

/*
 * Find the wait that polls saw in each off of a thread. A poll sees a wait a little after its start and before its end.
 *
 * alone   out, zeroed: bitmap of the waits without an off, by their position in the part
 * Returns false if out of memory
 */
static bool match_waits(struct trace_writer *x, const struct thread_part *p, uint64_t *alone)
{
	size_t n = p->off_end - p->off, first = p->off;
	uint32_t *match;

	x->off_wait.n = 0;
	x->first_off = p->off;
	match = vec_reserve(&x->off_wait, n, sizeof(*match), SCHED_OFFS_MAX);
	if (!match)
		return false;
	memset(match, 0, n * sizeof(*match));
	for (size_t i = p->wait; i < p->wait_end; i++) {
		const struct trace_wait *w = wait_at(x, i);
		bool is_alone = true;

		while (first < p->off_end && off_at(x, first)->end < w->begin)
			first++;
		for (size_t k = first; k < p->off_end && off_at(x, k)->begin <= w->end; k++) {
			match[k - p->off] = match[k - p->off] ? match[k - p->off] : x->waits[i] + 1;
			is_alone = false;
		}
		if (is_alone)
			alone[(i - p->wait) / 64] |= 1ULL << (i - p->wait) % 64;
	}
	return true;
}

/* Add the off at a position, and the run after it, if the polls saw both in one wait. */
static bool add_off_wait(struct trace_writer *x, const struct thread_part *p, size_t k)
{
	const uint32_t *match = x->off_wait.data;
	const struct sched_off *off = off_at(x, k);
	uint32_t wait = match[k - p->off];

	if (off->kind == OFF_UNKNOWN && !wait)
		return true;
	if (!trace_write_add_wait(x, off->begin, off->end, FROM_OFF | (uint32_t)k, true))
		return false;
	return !wait || k + 1 == p->off_end || match[k + 1 - p->off] != wait ||
	       trace_write_add_wait(x, off->end, off_at(x, k + 1)->begin, IS_RUN | (wait - 1), false);
}

/* Combine the waits that polls saw with the times off the CPU, in order of time. */
static bool combine_waits(struct trace_writer *x, const struct thread_part *p)
{
	size_t n = p->wait_end - p->wait, size = (n / 64 + 1) * sizeof(uint64_t), k = p->off;
	uint64_t *alone = memory_map(size);
	bool fine = alone && match_waits(x, p, alone);

	for (size_t i = 0; fine && i < n; i++) {
		const struct trace_wait *w = wait_at(x, p->wait + i);

		if (!(alone[i / 64] >> i % 64 & 1))
			continue;
		for (; fine && k < p->off_end && off_at(x, k)->begin < w->begin; k++)
			fine = add_off_wait(x, p, k);
		fine = fine && trace_write_add_wait(x, w->begin, w->end, x->waits[p->wait + i], w->woken == 0);
	}
	for (; fine && k < p->off_end; k++)
		fine = add_off_wait(x, p, k);
	memory_unmap(alone, size);
	return fine;
}

/* Convert the samples and waits of a thread to spans. */
static int make_spans(struct trace_writer *x, const struct thread_part *p)
{
	const struct spans_window w = { .begin = x->t->begin_ns, .end = x->end_ns, .join_ns = x->period_ns / 2 };
	size_t n_samples = p->sample_end - p->sample;
	struct span_sample *s;

	x->sample.n = x->wait.n = x->span.n = 0;
	s = vec_reserve(&x->sample, n_samples, sizeof(*s), TRACE_EVENTS_MAX);
	if (!s || !combine_waits(x, p))
		return -ENOMEM;
	for (size_t i = 0; i < n_samples; i++) {
		const struct trace_sample *from = sample_at(x, p->sample + i);

		s[i] = (struct span_sample){ from->ns, from->weight * x->period_ns, from->stack };
		x->n_odd_times += from->ns < w.begin || from->ns > w.end;
	}
	return spans_make(&w, s, n_samples, x->wait.data, x->wait.n, &x->span);
}

/* Set the current stack to that of a run. Returns its label. */
static uint32_t set_run_stack(struct trace_writer *x, const struct trace_span *s)
{
	const struct table_stack *stack = (const struct table_stack *)x->t->p->table.stack.data + s->source;

	trace_names_stack(&x->names, stack->at, stack->n);
	return stack->label < IS_RUN - 1 ? stack->label : 0;
}

/* Set the current stack to the callers that the runs before and after a wait have in common; NULL: no such run. */
static void set_common_stack(struct trace_writer *x, const struct trace_span *before, const struct trace_span *after)
{
	size_t n, same = 0;

	x->names.n = 0;
	if (!before || !after)
		return;
	set_run_stack(x, before);
	n = x->names.n;
	memcpy(x->saved, x->names.stack, n * sizeof(*x->saved));
	set_run_stack(x, after);
	while (same < n && same < x->names.n && x->saved[same].id == x->names.stack[same].id)
		same++;
	x->names.n = same;
}

/* Set the current stack to that of an off, at span s of the current thread, with its kind as innermost frame. */
static void set_off_stack(struct trace_writer *x, const struct trace_span *s, const struct sched_off *off,
			  const struct trace_wait *w)
{
	const struct trace_span *all = x->span.data, *before = s > all ? s - 1 : NULL;
	const struct trace_span *after = s + 1 < all + x->span.n ? s + 1 : NULL;
	uint32_t ready = (uint32_t)x->t->reason.n, wait = ready + 1;

	before = before && !before->is_wait && before->end == s->begin ? before : NULL;
	after = after && !after->is_wait && after->begin == s->end ? after : NULL;
	x->names.n = 0;
	if (w)
		trace_names_stack(&x->names, w->at, w->n);
	else if (!sched_is_ready(off))
		set_common_stack(x, before, after);
	else if (after || before) /* a preempted thread continues where it was */
		set_run_stack(x, after ? after : before);
	if (sched_is_ready(off))
		trace_names_push(&x->names, ready);
	else if (w)
		trace_names_push(&x->names, w->reason);
	else
		trace_names_push(&x->names, wait + trace_write_find_why(x, off));
}

static void add_slices(struct trace_writer *x, const struct trace_span *s)
{
	const struct trace_wait *w = NULL;
	uint32_t tag = WAIT_TAG | s->source;

	if (!s->is_wait) {
		tag = set_run_stack(x, s) + 1;
		x->ran_ns += s->end - s->begin;
	} else if (s->source & FROM_OFF) {
		const struct sched_off *off = find_off(x, tag, &w);

		set_off_stack(x, s, off, w);
	} else {
		w = (const struct trace_wait *)x->t->wait.data + (s->source & ~IS_RUN);
		trace_names_stack(&x->names, w->at, w->n);
		if (s->source & IS_RUN)
			tag = w->label < IS_RUN - 1 ? w->label + 1 : 1;
		else
			trace_names_push(&x->names, w->reason);
	}
	slices_add(&x->slices, s->begin, s->end, x->names.stack, x->names.n, tag);
}

const char *trace_write_name(const struct trace_thread *info, uint32_t tid, char *buffer, size_t size)
{
	if (info && *info->name)
		return info->name;
	snprintf(buffer, size, "thread %" PRIu32, tid);
	return buffer;
}

static int trace_write_part(struct trace_writer *x, const struct thread_part *p, size_t share)
{
	char name[32];
	int pid = (int)x->t->p->pid, rc = make_spans(x, p);

	trace_write_meta(x, "thread_name", pid, p->tid, "name", trace_write_name(p->info, p->tid, name, sizeof(name)),
			 0);
	trace_write_meta(x, "thread_sort_index", pid, p->tid, "sort_index", NULL, p->tid);
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
			rc = trace_write_part(x, &p, x->n_slices_remaining / n);
		n--;
	}
	return rc;
}

void trace_write_number(struct trace_writer *x, const char *key, uint64_t n)
{
	trace_write_next(x, "\n");
	stream_add(&x->json, "\"%s\":%" PRIu64, key, n);
}

static void put_ms(struct trace_writer *x, const char *key, uint64_t ns)
{
	trace_write_next(x, "\n");
	stream_add(&x->json, "\"%s\":", key);
	stream_us(&x->json, ns / 1000); /* time in ms with three decimals */
}

static void write_other(struct trace_writer *x, const char *program, size_t n_program)
{
	const struct trace *t = x->t;

	stream_add(&x->json, "],\n\"otherData\":{\"producer\":\"cpa " PACKAGE_VERSION "\"");
	x->has_element = true;
	trace_write_next(x, "\n\"about\":");
	trace_write_string(x, "Sampled stacks, waits and context switches of a C or C++ program, for ui.perfetto.dev, "
			      "chrome://tracing and "
			      "speedscope. It is not the execution trace of Go, and not for go tool trace.");
	put_ms(x, "began_unix_ms", t->wall_ns);
	trace_write_number(x, "began_monotonic_ns", t->begin_ns);
	put_ms(x, "duration_ms", x->end_ns - t->begin_ns);
	trace_write_number(x, "pid", (uint64_t)t->p->pid);
	trace_write_next(x, "\n\"program\":");
	stream_json(&x->json, program, n_program);
	trace_write_number(x, "hz", t->hz);
	trace_write_number(x, "samples", t->sample.n);
	put_ms(x, "cpu_ms", x->ran_ns);
	trace_write_number(x, "looks", t->n_polls);
	put_ms(x, "looks_cpu_ms", t->poll_ns);
	put_ms(x, "looks_apart_most_ms", t->max_gap_ns);
	trace_write_number(x, "lost_samples", t->n_lost);
	trace_write_number(x, "odd_times", x->n_odd_times);
	trace_write_number(x, "bad_records", t->n_bad);
	trace_write_number(x, "left_out", t->n_no_room + t->sched.n_no_room + x->n_dropped);
	trace_write_sched(x);
	if (t->error) {
		char text[64];

		snprintf(text, sizeof(text), "errno %d", t->error);
		trace_write_next(x, "\n\"threads_not_seen\":");
		trace_write_string(x, text);
	}
	stream_put(&x->json, "}}\n", 3);
}

static int trace_write_all(struct trace_writer *x)
{
	struct process_info facts;
	const char *slash, *base;
	char name[64];
	int rc;

	process_info(x->t->p, &facts);
	slash = facts.n_program ? memrchr(facts.program, '/', facts.n_program) : NULL;
	base = slash ? slash + 1 : facts.program;
	snprintf(name, sizeof(name), "%.*s", (int)(facts.program + facts.n_program - base), base);
	stream_add(&x->json, "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
	trace_write_meta(x, "process_name", (int)x->t->p->pid, (uint32_t)x->t->p->pid, "name", name, 0);
	rc = write_parts(x);
	trace_write_cpus(x);
	write_other(x, facts.program, facts.n_program);
	stream_flush(&x->json);
	return rc;
}

/* A snap_sink_fn; gzip_close reports the first error. */
static int trace_write_pack(void *gzip, const void *data, size_t n)
{
	return gzip_sink(gzip, data, n) ? 0 : -EIO;
}

static bool sort_all(struct trace_writer *x)
{
	const struct trace *t = x->t;

	x->samples = order_make(t->sample.n, compare_samples, t->sample.data);
	x->waits = order_make(t->wait.n, compare_waits, t->wait.data);
	x->threads = order_make(t->thread.n, trace_write_compare_threads, t->thread.data);
	x->offs = order_make(t->sched.off.n, compare_offs, t->sched.off.data);
	x->runs = order_make(t->sched.run.n, trace_write_compare_runs, t->sched.run.data);
	return (x->offs || !t->sched.off.n) && (x->runs || !t->sched.run.n) && (x->samples || !t->sample.n) &&
	       (x->waits || !t->wait.n) && (x->threads || !t->thread.n);
}

static void trace_write_release(struct trace_writer *x)
{
	order_free(x->samples, x->t->sample.n);
	order_free(x->waits, x->t->wait.n);
	order_free(x->threads, x->t->thread.n);
	order_free(x->offs, x->t->sched.off.n);
	order_free(x->runs, x->t->sched.run.n);
	vec_release(&x->off_wait, sizeof(uint32_t));
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
	x->json.sink = trace_write_pack;
	x->json.arg = gzip_open(sink, arg, false);
	rc = trace_names_init(&x->names, t, names, names_arg);
	if (!x->json.arg || !sort_all(x))
		rc = -ENOMEM;
	if (rc == 0)
		rc = trace_write_all(x);
	packed = x->json.arg ? gzip_close(x->json.arg) : 0;
	trace_write_release(x);
	return rc < 0 ? rc : packed;
}

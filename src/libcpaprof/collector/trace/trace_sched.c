/*
 * trace_sched.c - the scheduler's view of the threads of a timeline
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread has an event per CPU, which its new threads inherit. The records of several CPUs are merged by their
 * times: at each poll, only records older than the newest that another CPU may still add are applied.
 *
 * Two events may report one switch, if a thread was created while the events were opened: a thread that leaves a CPU
 * twice within DUPLICATE_NS has left it once.
 */
#include "config.h"

#include "libcpaprof/collector/trace/trace_sched.h"

#include "libcpaprof/collector/read/order.h"
#include "libcpaprof/collector/trace/trace_int.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	RING_BYTES = 512 << 10,
	RING_BYTES_MIN = 32 << 10,
	EVENTS_MAX = 1 << 14, /* of a trace; each is an open file */
	SCANS = 4,            /* of the threads, until none is new */
	PENDING_MAX = 1 << 22,
	SETTLE_NS = 1000000, /* records are complete after this time */
	DUPLICATE_NS = 20000,
};

enum record_kind { RECORD_IN, RECORD_OUT, RECORD_NEW, RECORD_END, RECORD_LOST };

struct switch_record {
	uint64_t ns;
	uint32_t tid, chain; /* chain of RECORD_LOST: number of lost records */
	uint16_t ring;
	uint8_t kind, off; /* off: enum off_kind */
};

enum trace_sched_thread_state { STATE_START, STATE_RUNNING, STATE_OFF, STATE_UNKNOWN };

struct sched_cpu {
	uint32_t last_run;           /* index + 1 in sched.run; 0: none */
	uint32_t chain_tid, n_chain; /* the last stack: its thread, its index + 1 */
};

static struct perf_event_attr trace_sched_make_attr(const struct sched *s)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = s->has_chains ? PERF_COUNT_SW_CONTEXT_SWITCHES : PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
		.sample_period = 1,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = !s->has_chains,
		.exclude_hv = 1,
		.exclude_callchain_user = 1,
		.task = 1,
		.context_switch = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.inherit_thread = !s->no_inherit_thread,
	};

	if (s->has_chains) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
		attr.sample_max_stack = SCHED_CHAIN_DEPTH;
	}
	return attr;
}

/* Open an event on one CPU. The first event decides what the kernel permits. */
static int trace_sched_open_on_cpu(struct sched *s, size_t ring, pid_t tid)
{
	int *fd = vec_reserve(&s->fd, 1, sizeof(*fd), EVENTS_MAX), rc;
	struct perf_event_attr attr = trace_sched_make_attr(s);

	if (!fd)
		return -EMFILE;
	rc = perf_rings_open(&s->rings, ring, &attr, tid, 0, fd);
	if (rc == -EINVAL && !s->no_inherit_thread) {
		s->no_inherit_thread = true;
		return trace_sched_open_on_cpu(s, ring, tid);
	}
	if ((rc == -EACCES || rc == -EPERM) && s->has_chains && s->fd.n == 0) {
		s->has_chains = false;
		return trace_sched_open_on_cpu(s, ring, tid);
	}
	s->fd.n += rc == 0;
	return rc;
}

/* Close the events from index n on. */
static void close_events(struct sched *s, size_t n)
{
	for (size_t i = n; i < s->fd.n; i++)
		close(((const int *)s->fd.data)[i]);
	s->fd.n = n < s->fd.n ? n : s->fd.n;
}

/* Open events of a thread on all CPUs, or none. A CPU may have gone offline, and the thread may have ended. */
static int open_thread(struct trace *t, uint32_t tid)
{
	struct sched *s = &t->sched;
	size_t n = s->fd.n;
	int rc = 0;

	for (size_t i = 0; i < s->rings.n && (rc == 0 || rc == -ENODEV); i++)
		rc = trace_sched_open_on_cpu(s, i, (pid_t)tid);
	if (rc == 0 || rc == -ENODEV)
		return 0;
	close_events(s, n);
	return rc == -ESRCH ? 0 : rc;
}

/* The threads that have events. */
struct trace_sched_scan {
	struct trace *t;
	uint32_t n_new;
	int error;
};

static bool open_new_thread(void *arg, uint32_t tid)
{
	struct trace_sched_scan *x = arg;
	struct trace_thread *thread = trace_find_thread(x->t, tid);

	if (!thread || thread->has_events)
		return thread;
	x->error = -open_thread(x->t, tid);
	thread->has_events = true;
	x->n_new++;
	return x->error == 0;
}

/* Open events of all threads. A thread that is created meanwhile by one without an event has inherited none. */
static int open_threads(struct trace *t)
{
	struct trace_sched_scan x = { .t = t };

	for (int i = 0; i < SCANS; i++) {
		int rc = task_each(t->sampler.folder, open_new_thread, &x);

		if (rc < 0)
			return -rc;
		if (x.error || x.n_new == 0)
			break;
		x.n_new = 0;
	}
	return x.error;
}

void trace_sched_begin(struct trace *t)
{
	struct sched *s = &t->sched;
	int rc;

	s->rings.bytes = RING_BYTES;
	s->rings.bytes_min = RING_BYTES_MIN;
	s->has_chains = true;
	rc = perf_rings_init(&s->rings);
	if (rc == 0 && s->rings.n && !vec_reserve(&s->cpu, s->rings.n, sizeof(struct sched_cpu), s->rings.n))
		rc = -ENOMEM;
	s->error = -rc;
	if (rc == 0) {
		s->cpu.n = s->rings.n;
		perf_rings_raise_files_limit();
		s->error = open_threads(t);
	}
	s->begin_ns = clock_now();
	for (size_t i = 0; i < s->fd.n; i++)
		ioctl(((const int *)s->fd.data)[i], PERF_EVENT_IOC_ENABLE, 0);
	if (s->fd.n == 0 && s->error == 0)
		s->error = ESRCH;
}

/* The index + 1 of a stack in s->chain; 0: no room. */
static uint32_t trace_sched_add_chain(struct sched *s, const struct sched_chain *new)
{
	uint32_t at = 0;
	struct sched_chain *x = s->chain.data;

	for (uint32_t i = 0; i < new->n; i++)
		at = (at ^ (uint32_t) new->ip[i]) * 2654435769U;
	for (at %= SCHED_CHAIN_SLOTS; s->chain_slot[at]; at = (at + 1) % SCHED_CHAIN_SLOTS)
		if (memcmp(&x[s->chain_slot[at] - 1], new, sizeof(*new)) == 0)
			return s->chain_slot[at];
	if (vec_add(&s->chain, new, 1, sizeof(*new), SCHED_CHAINS_MAX))
		s->chain_slot[at] = (uint16_t)s->chain.n;
	return s->chain_slot[at];
}

/* Keep the stack of a thread that is leaving the CPU; the record of its switch follows. */
static void trace_sched_read_sample(struct sched *s, unsigned ring, const uint64_t *word, size_t n)
{
	struct sched_cpu *cpu = (struct sched_cpu *)s->cpu.data + ring;
	struct sched_chain chain = { 0 };

	if (!s->has_chains || n < 4)
		return;
	for (size_t i = 4; i < n && i - 4 < word[3] && chain.n < SCHED_CHAIN_DEPTH; i++)
		if (word[i] < PERF_CONTEXT_MAX)
			chain.ip[chain.n++] = word[i];
	cpu->chain_tid = (uint32_t)(word[0] >> 32);
	cpu->n_chain = chain.n ? trace_sched_add_chain(s, &chain) : 0;
}

static void read_switch(struct sched *s, unsigned ring, uint16_t misc, struct switch_record *r)
{
	struct sched_cpu *cpu = (struct sched_cpu *)s->cpu.data + ring;

	r->kind = misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_OUT : RECORD_IN;
	r->off = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT ? OFF_PREEMPTED : OFF_WAIT;
	if (r->kind == RECORD_OUT && cpu->chain_tid == r->tid)
		r->chain = cpu->n_chain;
	cpu->n_chain = 0;
}

/* Add a record to s->pending. All but samples end with thread, time and CPU. */
static void trace_sched_read_record(void *arg, unsigned ring, const struct perf_event_header *h)
{
	struct trace *t = arg;
	struct sched *s = &t->sched;
	const uint64_t *word = (const uint64_t *)(h + 1);
	size_t n = (h->size - sizeof(*h)) / sizeof(*word);
	struct switch_record r = { .ring = (uint16_t)ring };
	uint32_t pid;

	if (h->type == PERF_RECORD_SAMPLE) {
		trace_sched_read_sample(s, ring, word, n);
		return;
	}
	if (n < 3)
		return;
	pid = (uint32_t)word[n - 3];
	r.tid = (uint32_t)(word[n - 3] >> 32);
	r.ns = word[n - 2];
	if (h->type == PERF_RECORD_SWITCH) {
		read_switch(s, ring, h->misc, &r);
	} else if (h->type == PERF_RECORD_LOST) {
		r.kind = RECORD_LOST;
		r.chain = word[1] < UINT32_MAX ? (uint32_t)word[1] : UINT32_MAX;
	} else if ((h->type == PERF_RECORD_FORK || h->type == PERF_RECORD_EXIT) && n >= 6) {
		pid = (uint32_t)word[0]; /* pid, parent; tid, its parent */
		r.tid = (uint32_t)word[1];
		r.kind = h->type == PERF_RECORD_FORK ? RECORD_NEW : RECORD_END;
	} else {
		return;
	}
	if (pid != (uint32_t)t->p->pid && r.kind != RECORD_LOST)
		return;
	s->n_no_room += !vec_add(&s->pending, &r, 1, sizeof(r), PENDING_MAX);
}

static uint16_t cpu_of(const struct sched *s, const struct switch_record *r)
{
	return (uint16_t)s->rings.ring[r->ring].cpu;
}

static void trace_sched_add_off(struct sched *s, const struct sched_off *new)
{
	if (new->end >= new->begin + SCHED_MIN_NS)
		s->n_no_room += !vec_add(&s->off, new, 1, sizeof(*new), SCHED_OFFS_MAX);
}

/* Add a run of a thread, or extend the last run on its CPU. Runs on a CPU do not overlap. */
static void trace_sched_add_run(struct sched *s, uint16_t ring, const struct sched_run *new)
{
	struct sched_cpu *cpu = (struct sched_cpu *)s->cpu.data + ring;
	struct sched_run *last = cpu->last_run ? (struct sched_run *)s->run.data + cpu->last_run - 1 : NULL, *to;
	uint64_t begin = last && last->end > new->begin ? last->end : new->begin;

	if (begin >= new->end)
		return;
	if (last && begin < last->end + SCHED_MIN_NS && last->tid == new->tid) {
		last->end = new->end;
		last->n_switches += new->n_switches;
		last->then = new->then;
		return;
	}
	to = vec_add(&s->run, new, 1, sizeof(*new), SCHED_RUNS_MAX);
	if (!to) {
		s->n_no_room++;
		return;
	}
	to->begin = begin;
	cpu->last_run = (uint32_t)s->run.n;
}

/* The thread has got a CPU. */
static void apply_in(struct sched *s, struct sched_thread *x, const struct switch_record *r)
{
	uint16_t cpu = cpu_of(s, r);

	if (x->state == STATE_RUNNING && r->ns < x->since + DUPLICATE_NS)
		return;
	if (x->state == STATE_OFF)
		trace_sched_add_off(s, &(struct sched_off){ x->since, r->ns, r->tid, x->chain, x->cpu, cpu, x->kind });
	if (x->state == STATE_START)
		trace_sched_add_off(s, &(struct sched_off){ s->begin_ns, r->ns, r->tid, 0, cpu, cpu, OFF_UNKNOWN });
	x->state = STATE_RUNNING;
	x->since = r->ns;
	x->cpu = cpu;
}

/* The thread has left its CPU, or it has ended. */
static void apply_out(struct sched *s, struct sched_thread *x, const struct switch_record *r)
{
	uint64_t begin = x->state == STATE_START ? s->begin_ns : x->since;

	if (x->state == STATE_OFF && r->ns < x->since + DUPLICATE_NS)
		return;
	x->n_waited += r->off == OFF_WAIT;
	x->n_preempted += r->off == OFF_PREEMPTED;
	if (x->state == STATE_START || x->state == STATE_RUNNING)
		trace_sched_add_run(s, r->ring, &(struct sched_run){ begin, r->ns, r->tid, 1, cpu_of(s, r), r->off });
	x->state = r->off == OFF_ENDED ? STATE_UNKNOWN : STATE_OFF;
	x->kind = r->off;
	x->since = r->ns;
	x->chain = r->chain;
	x->cpu = cpu_of(s, r);
}

static void trace_sched_apply(struct trace *t, struct switch_record *r)
{
	struct sched *s = &t->sched;
	struct trace_thread *thread;
	struct sched_thread *x;

	if (r->kind == RECORD_LOST) {
		s->n_lost += r->chain;
		s->epoch++;
		return;
	}
	s->n_switches += r->kind == RECORD_IN || r->kind == RECORD_OUT;
	thread = trace_find_thread(t, r->tid);
	if (!thread) {
		s->n_no_room++;
		return;
	}
	x = &thread->sched;
	if (x->epoch != s->epoch)
		x->state = STATE_UNKNOWN;
	x->epoch = s->epoch;
	if (r->kind == RECORD_IN) {
		apply_in(s, x, r);
	} else if (r->kind == RECORD_NEW) {
		*x = (struct sched_thread){ STATE_OFF, OFF_NEW, cpu_of(s, r), s->epoch, 0, r->ns, 0, 0 };
	} else {
		if (r->kind == RECORD_END)
			r->off = OFF_ENDED;
		apply_out(s, x, r);
	}
}

ORDER_BY(compare_records, struct switch_record, ns, ns)

/* Apply the pending records before a time, in order, and keep the others. */
static void apply_pending(struct trace *t, uint64_t before)
{
	struct sched *s = &t->sched;
	struct switch_record *r = s->pending.data;
	uint32_t *order = order_make(s->pending.n, compare_records, r);
	size_t n_kept = 0;

	if (!order) {
		s->n_no_room += s->pending.n;
		s->epoch += s->pending.n > 0;
		s->pending.n = 0;
		return;
	}
	for (size_t i = 0; i < s->pending.n && r[order[i]].ns < before; i++)
		trace_sched_apply(t, &r[order[i]]);
	for (size_t i = 0; i < s->pending.n; i++)
		if (r[i].ns >= before)
			r[n_kept++] = r[i];
	order_free(order, s->pending.n);
	s->pending.n = n_kept;
}

void trace_sched_poll(struct trace *t)
{
	struct sched *s = &t->sched;
	uint64_t now = clock_now();

	if (s->fd.n == 0)
		return;
	perf_rings_read(&s->rings, trace_sched_read_record, t);
	apply_pending(t, now - SETTLE_NS);
}

/* End the last state of each thread. */
static void end_threads(struct trace *t)
{
	struct sched *s = &t->sched;

	for (size_t i = 0; i < t->thread.n; i++) {
		const struct trace_thread *thread = (const struct trace_thread *)t->thread.data + i;
		const struct sched_thread *x = &thread->sched;
		struct sched_run run = { x->since, s->end_ns, thread->tid, 0, x->cpu, OFF_UNKNOWN };

		if (x->epoch != s->epoch)
			continue;
		if (x->state == STATE_OFF)
			trace_sched_add_off(s, &(struct sched_off){ x->since, s->end_ns, thread->tid, x->chain, x->cpu,
								    x->cpu, x->kind });
		for (uint16_t k = 0; x->state == STATE_RUNNING && k < s->rings.n; k++)
			if (s->rings.ring[k].cpu == x->cpu)
				trace_sched_add_run(s, k, &run);
	}
}

/* The index + 1 of a name in s->why; 0: no room. */
static uint32_t add_why(struct sched *s, const char *name)
{
	char(*x)[KERNEL_NAME_MAX] = s->why.data;

	for (size_t i = 0; i < s->why.n; i++)
		if (strcmp(x[i], name) == 0)
			return (uint32_t)i + 1;
	return vec_add(&s->why, name, 1, sizeof(*x), SCHED_CHAINS_MAX) ? (uint32_t)s->why.n : 0;
}

static int trace_sched_compare_addresses(const void *arg, uint32_t a, uint32_t b)
{
	const uint64_t *addr = arg;

	return order_compare_u64(addr[a], addr[b]);
}

/* Make a sorted list of all different addresses of the stacks. Returns their number. */
static size_t list_addresses(const struct sched *s, struct kernel_name *out)
{
	const struct sched_chain *chain = s->chain.data;
	struct vec all = { 0 };
	uint64_t *addr = vec_reserve(&all, s->chain.n * SCHED_CHAIN_DEPTH, sizeof(*addr), SIZE_MAX / sizeof(*addr));
	uint32_t *order;
	size_t n = 0;

	for (size_t i = 0; addr && i < s->chain.n; i++)
		for (uint32_t k = 0; k < chain[i].n; k++)
			addr[all.n++] = chain[i].ip[k];
	order = addr ? order_make(all.n, trace_sched_compare_addresses, addr) : NULL;
	for (size_t i = 0; order && i < all.n; i++)
		if (n == 0 || out[n - 1].addr != addr[order[i]])
			out[n++] = (struct kernel_name){ .addr = addr[order[i]] };
	order_free(order, all.n);
	vec_release(&all, sizeof(*addr));
	return n;
}

static const struct kernel_name *find_name(const struct kernel_name *name, size_t n, uint64_t addr)
{
	size_t lo = kallsyms_find_first(name, n, addr);

	return lo < n && name[lo].start ? &name[lo] : NULL;
}

/* The function in which a thread waited: the innermost one outside the scheduler. NULL: not known. */
static const char *trace_sched_find_why(const struct sched_chain *chain, const struct kernel_name *name, size_t n)
{
	for (uint32_t i = 0; i < chain->n; i++) {
		const struct kernel_name *x = find_name(name, n, chain->ip[i]);

		if (!x)
			return NULL;
		if (!kallsyms_is_scheduler(x->name))
			return x->name;
	}
	return NULL;
}

static void name_chains(struct sched *s)
{
	size_t size = s->chain.n * SCHED_CHAIN_DEPTH * sizeof(struct kernel_name);
	struct kernel_name *name = s->chain.n ? memory_map(size) : NULL;
	struct sched_chain *chain = s->chain.data;
	size_t n = name ? list_addresses(s, name) : 0;

	if (n && kallsyms_find(name, n) == 0)
		for (size_t i = 0; i < s->chain.n; i++) {
			const char *why = trace_sched_find_why(&chain[i], name, n);

			chain[i].why = why ? add_why(s, why) : 0;
		}
	memory_unmap(name, size);
}

void trace_sched_end(struct trace *t)
{
	struct sched *s = &t->sched;

	if (s->fd.n) {
		for (size_t i = 0; i < s->fd.n; i++)
			ioctl(((const int *)s->fd.data)[i], PERF_EVENT_IOC_DISABLE, 0);
		s->end_ns = clock_now();
		perf_rings_read(&s->rings, trace_sched_read_record, t);
		apply_pending(t, UINT64_MAX);
		end_threads(t);
		name_chains(s);
	}
	close_events(s, 0);
	vec_release(&s->fd, sizeof(int));
	perf_rings_release(&s->rings);
}

void trace_sched_release(struct trace *t)
{
	struct sched *s = &t->sched;

	vec_release(&s->off, sizeof(struct sched_off));
	vec_release(&s->run, sizeof(struct sched_run));
	vec_release(&s->chain, sizeof(struct sched_chain));
	vec_release(&s->why, KERNEL_NAME_MAX);
	vec_release(&s->cpu, sizeof(struct sched_cpu));
	vec_release(&s->pending, sizeof(struct switch_record));
}

/*
 * events.c - perf events of the kernel: open them for processes, read their samples
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A thread that starts while events are opened may get an inherited event and one of its own. Its samples by
 * inherited events are then dropped. The layout of records is that of perf_event_open(2).
 */
#include "config.h"

#include "attach/events.h"

#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "libcpaprof/collector/read/perf_rings.h"
#include "libcpaprof/collector/read/read_stack.h"

#include <dirent.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
	RING_BYTES = 4 << 20, /* of a CPU */
	RING_BYTES_MIN = 128 << 10,
	SCANS = 4,      /* of the threads of a process, until none is new */
	LATE_READS = 3, /* of the last records of threads that have ended */
};

static const struct event_type types[] = {
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, true },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, true },
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, false },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, false },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, false },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, false },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, false },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, false },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, false },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ, false },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, false },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, false },
};

const struct event_type *events_find(const char *name, size_t n)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strlen(types[i].name) == n && memcmp(types[i].name, name, n) == 0)
			return &types[i];
	return NULL;
}

const struct event_type *events_named(const char *name)
{
	return events_find(name, strlen(name));
}

const char *events_names(void)
{
	return "cpu-clock, task-clock, cycles, instructions, cache-references, cache-misses, branches, branch-misses, "
	       "page-faults, major-faults, context-switches, cpu-migrations";
}

/* An open event: its id in records, and the thread it was opened for. */
struct opened {
	uint64_t id;
	uint32_t tid; /* 0: not of a thread */
	uint32_t type;
	int fd;
};

/* A process executes another program. */
struct exec {
	uint32_t pid, tid;
	uint64_t time_ns;
	bool is_reported;
};

/* A thread with own events. */
struct own {
	uint32_t pid, tid;
	uint64_t sampled; /* sum of the periods of samples of event 0 */
	int n_alive;      /* the thread, and those that inherited its events */
	unsigned n_reads; /* number of calls of events_read since none was alive */
	bool inherits;    /* does it have those of another thread too? Then these count its time that was not sampled */
};

struct events {
	struct events_options o;
	struct perf_rings rings;
	struct opened *opened;                  /* [n_opened] */
	size_t n_opened, cap_opened, n_enabled; /* those from n_enabled on are not enabled yet */
	struct own *own;                        /* [n_own] sorted by tid when events are started */
	size_t n_own, cap_own;
	struct exec *exec; /* [n_execs] in the records that are being read */
	size_t n_execs, cap_execs;
	bool has_lost;          /* have records been lost? Then threads that still run may seem to have ended */
	bool no_inherit_thread; /* the kernel cannot inherit by threads only */
};

int events_new(const struct events_options *o, struct events **out, struct err *err)
{
	struct events *e = mem_zalloc(1, sizeof(*e));

	e->o = *o;
	e->rings.bytes = RING_BYTES;
	e->rings.bytes_min = RING_BYTES_MIN;
	if (perf_rings_init(&e->rings) < 0) {
		events_free(e);
		return err_set(err, ERR_IO, "/sys/devices/system/cpu/online: cannot read the list of CPUs");
	}
	perf_rings_raise_files_limit();
	*out = e;
	return 0;
}

void events_free(struct events *e)
{
	for (size_t i = 0; e && i < e->n_opened; i++)
		close(e->opened[i].fd);
	if (e) {
		perf_rings_release(&e->rings);
		free(e->opened);
		free(e->own);
		free(e->exec);
	}
	free(e);
}

static struct perf_event_attr attach_events_make_attr(const struct events *e, size_t type)
{
	const struct events_options *o = &e->o;
	const struct event_type *t = o->type[type];
	bool is_switch = o->all_switches && type == 0;
	struct perf_event_attr attr = {
		.type = t->type,
		.size = sizeof(attr),
		.config = t->config,
		.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD,
		.disabled = 1,
		.inherit = 1,
		.exclude_kernel = o->no_kernel,
		.exclude_hv = 1,
		.exclude_idle = 1,
		.mmap = 1,
		.mmap_data = o->all_mappings,
		.mmap2 = 1,
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.context_switch = is_switch,
		.sample_id_all = 1,
		.watermark = 1,
		.exclude_callchain_kernel = o->no_kernel,
		.use_clockid = 1,
		.inherit_thread = !o->has_children && !e->no_inherit_thread,
		.clockid = CLOCK_MONOTONIC,
	};

	attr.wakeup_watermark = e->rings.ring[0].page ? (uint32_t)(e->rings.bytes / 4) : 0; /* 0: a half */
	if (is_switch) {
		attr.sample_period = 1;
	} else if (t->is_time) {
		attr.sample_period = NS_PER_S / o->hz;
	} else {
		attr.freq = 1;
		attr.sample_freq = o->hz;
	}
	if (o->n_stack) {
		attr.sample_type |= PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		attr.sample_regs_user = read_stack_event_regs();
		attr.sample_stack_user = (uint32_t)(is_switch ? o->n_switch_stack : o->n_stack);
	}
	return attr;
}

/* Open one event on one CPU. Returns 0 or -errno. */
static int attach_events_open_on_cpu(struct events *e, size_t type, size_t ring, pid_t pid, unsigned long flags,
				     uint32_t tid)
{
	struct perf_event_attr attr = attach_events_make_attr(e, type);
	struct opened new = { .tid = tid, .type = (uint32_t)type };
	int rc = perf_rings_open(&e->rings, ring, &attr, pid, flags, &new.fd);

	if (rc == -EINVAL && attr.inherit_thread) {
		e->no_inherit_thread = true;
		attr.inherit_thread = 0;
		rc = perf_rings_open(&e->rings, ring, &attr, pid, flags, &new.fd);
	}
	if (rc < 0)
		return rc;
	if (ioctl(new.fd, PERF_EVENT_IOC_ID, &new.id) != 0)
		rc = -errno;
	e->opened = mem_grow(e->opened, &e->cap_opened, e->n_opened + 1, sizeof(*e->opened));
	e->opened[e->n_opened++] = new; /* also after a failure: it is closed at the end */
	return rc;
}

/* Open all events on all CPUs. A CPU may have gone offline. */
static int open_all(struct events *e, pid_t pid, unsigned long flags, uint32_t tid)
{
	size_t n_open = 0;

	for (size_t i = 0; i < e->rings.n; i++)
		for (size_t t = 0; t < e->o.n_types; t++) {
			int rc = attach_events_open_on_cpu(e, t, i, pid, flags, tid);

			if (rc < 0 && rc != -ENODEV)
				return rc;
			n_open += rc == 0;
		}
	return n_open ? 0 : -ENODEV;
}

static bool has_tid(const struct events *e, uint32_t tid)
{
	for (size_t i = 0; i < e->n_own; i++)
		if (e->own[i].tid == tid)
			return true;
	return false;
}

/* Open events for the threads of a process that have none. Returns their number, or -errno. */
static int add_new_threads(struct events *e, pid_t pid)
{
	char name[32];
	const struct dirent *entry;
	DIR *folder;
	int n = 0, rc = 0;

	snprintf(name, sizeof(name), "/proc/%d/task", (int)pid);
	folder = opendir(name);
	if (!folder)
		return errno == ENOENT ? -ESRCH : -errno;
	while (rc == 0 && (entry = readdir(folder))) {
		uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);

		if (tid == 0 || has_tid(e, tid))
			continue;
		rc = open_all(e, (pid_t)tid, 0, tid);
		if (rc == -ESRCH) { /* the thread has ended */
			rc = 0;
			continue;
		}
		e->own = mem_grow(e->own, &e->cap_own, e->n_own + 1, sizeof(*e->own));
		e->own[e->n_own++] = (struct own){ .pid = (uint32_t)pid, .tid = tid, .n_alive = 1 };
		n++;
	}
	closedir(folder);
	return rc < 0 ? rc : n;
}

int events_add_process(struct events *e, pid_t pid)
{
	int n = add_new_threads(e, pid), rc = n == 0 ? -ESRCH : n;

	/* a thread that was created meanwhile by one without an event has inherited none */
	for (int i = 1; i < SCANS && n > 0; i++) {
		n = add_new_threads(e, pid);
		rc = n < 0 && n != -ESRCH ? n : rc;
	}
	return rc < 0 ? rc : 0;
}

int events_add_machine(struct events *e)
{
	return open_all(e, -1, 0, 0);
}

int events_add_cgroup(struct events *e, int folder)
{
	return open_all(e, folder, PERF_FLAG_PID_CGROUP, 0);
}

static int attach_events_compare_ids(const void *a, const void *b)
{
	uint64_t x = ((const struct opened *)a)->id, y = ((const struct opened *)b)->id;

	return (x > y) - (x < y);
}

static int compare_tids(const void *a, const void *b)
{
	uint32_t x = ((const struct own *)a)->tid, y = ((const struct own *)b)->tid;

	return (x > y) - (x < y);
}

/* The thread, if it has own events. */
static struct own *find_own(const struct events *e, uint32_t tid)
{
	return e->n_own ? bsearch(&(struct own){ .tid = tid }, e->own, e->n_own, sizeof(*e->own), compare_tids) : NULL;
}

void events_start(struct events *e)
{
	for (size_t i = e->n_enabled; i < e->n_opened; i++)
		ioctl(e->opened[i].fd, PERF_EVENT_IOC_ENABLE, 0);
	e->n_enabled = e->n_opened;
	qsort(e->opened, e->n_opened, sizeof(*e->opened), attach_events_compare_ids);
	if (e->n_own)
		qsort(e->own, e->n_own, sizeof(*e->own), compare_tids);
}

void events_stop(struct events *e)
{
	for (size_t i = 0; i < e->n_opened; i++)
		ioctl(e->opened[i].fd, PERF_EVENT_IOC_DISABLE, 0);
}

void events_wait(const struct events *e, int ms)
{
	struct pollfd *wait = mem_zalloc(e->rings.n, sizeof(*wait));

	for (size_t i = 0; i < e->rings.n; i++)
		wait[i] = (struct pollfd){ .fd = e->rings.ring[i].fd, .events = POLLIN };
	poll(wait, e->rings.n, ms);
	/* a ring whose event belongs to an ended thread is always ready */
	for (size_t i = 0; i < e->rings.n; i++)
		if (wait[i].revents & (POLLHUP | POLLERR)) {
			const struct timespec pause = { .tv_nsec = 10000000 };

			nanosleep(&pause, NULL);
			break;
		}
	free(wait);
}

/* The event with an id; NULL: none. */
static const struct opened *find_opened(const struct events *e, uint64_t id)
{
	const struct opened key = { .id = id };

	return e->n_opened ? bsearch(&key, e->opened, e->n_opened, sizeof(key), attach_events_compare_ids) : NULL;
}

/* A record, read word by word. */
struct events_words {
	const uint64_t *at, *end;
};

static uint64_t attach_events_next_word(struct events_words *w)
{
	return w->at < w->end ? *w->at++ : 0;
}

static void set_thread(struct event_record *r, uint64_t word)
{
	r->pid = (uint32_t)word;
	r->tid = (uint32_t)(word >> 32);
}

/* Split the call chain into its parts. */
static void read_chain(struct events_words *w, struct event_record *r)
{
	uint64_t n = attach_events_next_word(w);

	if (n > (uint64_t)(w->end - w->at))
		n = (uint64_t)(w->end - w->at);
	for (uint64_t i = 0; i < n; i++) {
		uint64_t ip = w->at[i];

		if (ip == PERF_CONTEXT_KERNEL) {
			r->kernel = &w->at[i + 1];
			r->n_kernel = 0;
		} else if (ip == PERF_CONTEXT_USER) {
			r->user = &w->at[i + 1];
			r->n_user = 0;
		} else if (ip >= PERF_CONTEXT_MAX) {
			break;
		} else if (r->user) {
			r->n_user++;
		} else if (r->kernel) {
			r->n_kernel++;
		}
	}
	w->at += n;
}

/* Read the user registers and the copy of the stack. */
static void read_stack(struct events_words *w, struct event_record *r)
{
	uint64_t abi = attach_events_next_word(w), n;
	size_t n_regs = read_stack_n_event_regs();

	if (abi != PERF_SAMPLE_REGS_ABI_NONE) {
		if ((size_t)(w->end - w->at) < n_regs)
			return;
		r->reg = abi == PERF_SAMPLE_REGS_ABI_64 ? w->at : NULL;
		w->at += n_regs;
	}
	n = attach_events_next_word(w);
	if (n == 0 || n / sizeof(uint64_t) + 1 > (uint64_t)(w->end - w->at))
		return;
	r->stack = (const unsigned char *)w->at;
	w->at += n / sizeof(uint64_t);
	r->n_stack = attach_events_next_word(w);
	if (r->n_stack > n)
		r->n_stack = n;
}

static bool attach_events_read_sample(const struct events *e, struct events_words *w, struct event_record *r)
{
	const struct opened *event = find_opened(e, attach_events_next_word(w));
	struct own *own;

	r->kind = RECORD_SAMPLE;
	set_thread(r, attach_events_next_word(w));
	r->time_ns = attach_events_next_word(w);
	r->period = attach_events_next_word(w);
	if (e->o.n_stack) {
		read_chain(w, r);
		read_stack(w, r);
	}
	if (!event)
		return false;
	r->type = event->type;
	own = event->tid && event->type == 0 ? find_own(e, event->tid) : NULL;
	if (own)
		own->sampled += r->period;
	if (event->tid == 0 || event->tid == r->tid)
		return true;
	own = find_own(e, r->tid);
	if (own)
		own->inherits = true;
	return !own;
}

/* Read the end of a record that is no sample: thread, time, id. Is its event the right one for its thread? */
static bool read_sample_id(const struct events *e, const struct events_words *w, struct event_record *r)
{
	const struct opened *event;

	if (w->end - w->at < 3)
		return false;
	set_thread(r, w->end[-3]);
	r->time_ns = w->end[-2];
	event = find_opened(e, w->end[-1]);
	return event && event->type == 0 && (event->tid == 0 || event->tid == r->tid || !find_own(e, r->tid));
}

/* A thread started or ended, by the event that reports it: its new threads inherit the same events. */
static void count_event_thread(const struct events *e, const struct events_words *w, int change)
{
	const struct opened *event = w->end - w->at < 3 ? NULL : find_opened(e, w->end[-1]);
	struct own *own = event && event->type == 0 && event->tid ? find_own(e, event->tid) : NULL;

	if (own)
		own->n_alive += change;
}

static void read_mapping(const struct events_words *w, struct event_record *r)
{
	const uint64_t *at = w->at; /* pid and tid, address, length, offset, device, inode, its generation, flags */

	r->kind = RECORD_MAPPING;
	if (w->end - at < 9 + 3)
		return;
	r->lo = at[1];
	r->hi = at[1] + at[2];
	r->offset = at[3];
	r->dev_major = (uint32_t)at[4];
	r->dev_minor = (uint32_t)(at[4] >> 32);
	r->ino = at[5];
	r->prot = (uint32_t)at[7];
	r->path = (const char *)&at[8]; /* the kernel ends it with NULs, before the sample id */
}

/* The arguments of events_read. */
struct events_reader {
	struct events *e;
	event_record_fn *fn;
	void *arg;
};

/*
 * Report each exec before the later records of its process, which may be in the buffer of another CPU. Returns false if
 * the record is an exec that has been reported.
 */
static bool report_execs(const struct events_reader *x, unsigned ring, const struct event_record *r)
{
	const struct events *e = x->e;
	bool is_reported = false;

	for (size_t i = 0; i < e->n_execs; i++) {
		struct exec *exec = &e->exec[i];
		const struct event_record before = {
			.kind = RECORD_EXEC, .pid = exec->pid, .tid = exec->tid, .time_ns = exec->time_ns
		};

		if (exec->pid != r->pid || exec->time_ns > r->time_ns)
			continue;
		if (!exec->is_reported)
			x->fn(x->arg, ring, &before);
		exec->is_reported = true;
		is_reported |= exec->time_ns == r->time_ns;
	}
	return r->kind != RECORD_EXEC || !is_reported;
}

/* Remember an exec. */
static void peek_exec(void *arg, unsigned ring, const struct perf_event_header *h)
{
	struct events_words w = { (const uint64_t *)(h + 1), (const uint64_t *)(h + 1) + (h->size - sizeof(*h)) / 8 };
	struct events *e = ((const struct events_reader *)arg)->e;
	struct event_record r = { 0 };

	(void)ring;
	if (h->type != PERF_RECORD_COMM || !(h->misc & PERF_RECORD_MISC_COMM_EXEC) || !read_sample_id(e, &w, &r))
		return;
	e->exec = mem_grow(e->exec, &e->cap_execs, e->n_execs + 1, sizeof(*e->exec));
	e->exec[e->n_execs++] = (struct exec){ r.pid, r.tid, r.time_ns, false };
}

static void attach_events_read_record(void *arg, unsigned ring, const struct perf_event_header *h)
{
	struct events_words w = { (const uint64_t *)(h + 1), (const uint64_t *)(h + 1) + (h->size - sizeof(*h)) / 8 };
	const struct events_reader *x = arg;
	const struct events *e = x->e;
	struct event_record r = { 0 };
	bool is_valid = false;

	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		is_valid = attach_events_read_sample(e, &w, &r);
		break;
	case PERF_RECORD_LOST:
		attach_events_next_word(&w);
		r.kind = RECORD_LOST;
		r.n_lost = attach_events_next_word(&w);
		x->e->has_lost = true;
		is_valid = true;
		break;
	case PERF_RECORD_SWITCH:
		r.kind = h->misc & PERF_RECORD_MISC_SWITCH_OUT ? RECORD_SWITCH_OUT : RECORD_SWITCH_IN;
		r.is_preempted = h->misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
		is_valid = read_sample_id(e, &w, &r);
		break;
	case PERF_RECORD_MMAP2:
		read_mapping(&w, &r);
		is_valid = r.path && read_sample_id(e, &w, &r);
		break;
	case PERF_RECORD_COMM:
		r.kind = RECORD_EXEC;
		if (w.end - w.at > 3)
			snprintf(r.name, sizeof(r.name), "%.*s", EVENT_NAME_MAX - 1, (const char *)(w.at + 1));
		is_valid = h->misc & PERF_RECORD_MISC_COMM_EXEC && read_sample_id(e, &w, &r);
		break;
	case PERF_RECORD_FORK:
		count_event_thread(e, &w, 1);
		r.kind = RECORD_START;
		is_valid = read_sample_id(e, &w, &r);
		set_thread(&r, attach_events_next_word(
				       &w)); /* pid and parent; of the child, not of the thread that forks */
		r.parent = r.tid;
		r.tid = (uint32_t)attach_events_next_word(&w);
		break;
	case PERF_RECORD_EXIT:
		count_event_thread(e, &w, -1);
		r.kind = RECORD_EXIT;
		is_valid = read_sample_id(e, &w, &r);
		break;
	default:
		break;
	}
	if (is_valid && report_execs(x, ring, &r))
		x->fn(x->arg, ring, &r);
}

/* Report what was counted of event 0 and not sampled, of one thread and those that inherited its events. */
static void read_rest(const struct events_reader *x, const struct own *own)
{
	struct event_record r = { .kind = RECORD_REST, .pid = own->pid, .tid = own->tid };
	const struct events *e = x->e;
	uint64_t sum = 0, value;

	for (size_t i = 0; i < e->n_opened && !own->inherits; i++)
		if (e->opened[i].tid == own->tid && e->opened[i].type == 0 &&
		    read(e->opened[i].fd, &value, sizeof(value)) == sizeof(value))
			sum += value;
	r.period = sum > own->sampled ? sum - own->sampled : 0;
	if (r.period)
		x->fn(x->arg, 0, &r);
}

void events_read_rest(struct events *e, event_record_fn *fn, void *arg)
{
	for (size_t i = 0; i < e->n_own && e->o.type[0]->is_time; i++)
		read_rest(&(struct events_reader){ e, fn, arg }, &e->own[i]);
}

static bool is_over(const struct events *e, uint32_t tid)
{
	const struct own *own = tid ? find_own(e, tid) : NULL;

	return own && own->n_reads >= LATE_READS;
}

/* Was the buffer of a ring mapped with this event? The others write to it, and it is polled. */
static bool owns_ring(const struct events *e, int fd)
{
	for (size_t i = 0; i < e->rings.n; i++)
		if (e->rings.ring[i].fd == fd)
			return true;
	return false;
}

/*
 * Close the events of threads that have ended, with all that inherited them. Records of several CPUs are not in order:
 * a start may be read after the end.
 */
static void close_ended(const struct events_reader *x)
{
	struct events *e = x->e;
	size_t n = 0, n_over = 0;

	for (size_t i = 0; i < e->n_own; i++) {
		e->own[i].n_reads = e->own[i].n_alive > 0 ? 0 : e->own[i].n_reads + 1;
		n_over += e->own[i].n_reads >= LATE_READS;
	}
	if (n_over == 0 || e->n_enabled < e->n_opened)
		return;
	for (size_t i = 0; i < e->n_own; i++)
		if (e->own[i].n_reads >= LATE_READS && e->o.type[0]->is_time)
			read_rest(x, &e->own[i]);
	for (size_t i = 0; i < e->n_opened; i++)
		if (is_over(e, e->opened[i].tid) && !owns_ring(e, e->opened[i].fd))
			close(e->opened[i].fd);
		else
			e->opened[n++] = e->opened[i];
	e->n_enabled = e->n_opened = n;
	n = 0;
	for (size_t i = 0; i < e->n_own; i++)
		if (e->own[i].n_reads < LATE_READS)
			e->own[n++] = e->own[i];
	e->n_own = n;
}

void events_read(struct events *e, event_record_fn *fn, void *arg)
{
	struct events_reader x = { e, fn, arg };

	e->n_execs = 0;
	perf_rings_peek(&e->rings, peek_exec, &x);
	perf_rings_read(&e->rings, attach_events_read_record, &x);
	if (e->o.closes_ended && !e->has_lost)
		close_ended(&x);
}

/*
 * threads.c - print the threads of a running process for people, in Go's text format, or as a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The process is not affected: it is not stopped, and gets no signal and no code of ours. Running threads are sampled
 * with perf events for a short time, and polled until they wait.
 */
#include "config.h"

#include "attach/threads.h"

#include "attach/events.h"
#include "attach/names.h"
#include "base/mem.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "libcpaprof/collector/read/read_stack.h"
#include "libcpaprof/collector/read/task.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/threads.h"
#include "libcpaprof/collector/write/write.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	FUNCTION_COLUMN = 40,
	NAME_COLUMNS = 2 * THREADS_WIDTH,
	CIRCLE_MAX = 64,
	RUNNING_HZ = 1000,
	RUNNING_STACK = 32 << 10
};

enum { WIDTH = THREADS_WIDTH, INDENT = 4 };

void attach_threads_add_piece(struct buf *out, const char *piece, size_t n, size_t *column)
{
	size_t width = utf8_count(piece, n);

	if (*column + 1 + width > WIDTH - 1) {
		buf_addz(out, "\n ");
		*column = 1;
	}
	buf_addz(out, " ");
	buf_add(out, piece, n);
	*column += 1 + width;
}

void attach_threads_add_place(struct buf *out, const char *file, size_t n, uint64_t line)
{
	const char *slash = n ? memrchr(file, '/', n) : NULL, *base = slash ? slash + 1 : file;
	struct buf safe = { 0 };

	if (n) {
		utf8_add_safe(&safe, base, (size_t)(file + n - base));
		utf8_add_short(out, buf_text(&safe), safe.len, THREADS_PLACE_MAX);
		if (line)
			buf_addf(out, ":%" PRIu64, line);
	}
	buf_release(&safe);
}

void attach_threads_add_line(struct buf *out, const char *function, const struct buf *place, size_t column)
{
	size_t n_place = utf8_count(buf_text(place), place->len), most = WIDTH - 1 - INDENT - 2 - n_place, n;
	struct buf safe = { 0 }, cut = { 0 };

	assert(n_place + INDENT + 2 < WIDTH);
	utf8_add_safe(&safe, function, strlen(function));
	utf8_add_short(&cut, buf_text(&safe), safe.len, n_place ? most : most + 2);
	n = utf8_count(buf_text(&cut), cut.len);
	buf_fill(out, ' ', INDENT);
	buf_add(out, cut.data, cut.len);
	if (n_place) {
		buf_fill(out, ' ', n < column && column <= most ? column - n + 2 : 2);
		buf_add(out, place->data, place->len);
	}
	buf_addz(out, "\n");
	buf_release(&safe);
	buf_release(&cut);
}

struct threads_writer {
	const struct snap *s;
	struct attach_names *names;
	struct buf *out;
	const struct snap_row **row; /* [s->row.n] sorted by group */
};

/* Rows [at, at + n) of writer.row. */
struct threads_group {
	size_t at, n;
	uint32_t first;                   /* smallest tid of the group */
	uint64_t longest_ns, shortest_ns; /* wait times; 0: not known */
};

static const struct snap_thread *thread_of(const struct snap *s, const struct snap_row *row)
{
	return (const struct snap_thread *)s->thread.data + row->thread - 1;
}

/* Compare two rows by group: stack, labels and kind of wait. Equal stacks have equal positions. */
static int compare_kind(const struct snap *s, const struct snap_row *a, const struct snap_row *b)
{
	if (a->at != b->at)
		return a->at < b->at ? -1 : 1;
	if (a->n != b->n)
		return a->n < b->n ? -1 : 1;
	if (a->label != b->label)
		return a->label < b->label ? -1 : 1;
	return strcmp(thread_of(s, a)->wait, thread_of(s, b)->wait);
}

static int attach_threads_compare_rows(const void *a, const void *b, void *arg)
{
	const struct snap_row *x = *(const struct snap_row *const *)a, *y = *(const struct snap_row *const *)b;
	const struct snap *s = arg;
	int d = compare_kind(s, x, y);

	if (d == 0)
		d = strcmp(thread_of(s, x)->name, thread_of(s, y)->name);
	if (d == 0)
		d = thread_of(s, x)->tid < thread_of(s, y)->tid ? -1 : 1;
	return d;
}

static int attach_threads_compare_groups(const void *a, const void *b)
{
	const struct threads_group *x = a, *y = b;
	uint64_t x_s = x->longest_ns / NS_PER_S, y_s = y->longest_ns / NS_PER_S;

	if (x_s != y_s)
		return x_s > y_s ? -1 : 1;
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	return x->first < y->first ? -1 : 1;
}

/* Write "NAME" and its tid, or the number of threads with this name. */
static void attach_threads_add_name(struct buf *out, const struct snap_thread *t, size_t n, bool id)
{
	struct buf name = { 0 };

	utf8_add_safe(&name, t->name, strnlen(t->name, sizeof(t->name)));
	buf_addf(out, "\"%s\"", buf_text(&name));
	if (id)
		buf_addf(out, " %" PRIu32, t->tid);
	else if (n > 1)
		buf_addf(out, " (%zu)", n);
	buf_release(&name);
}

static void attach_threads_add_names(const struct threads_writer *w, const struct threads_group *g, struct buf *out,
				     size_t column)
{
	struct buf piece = { 0 };
	size_t used = 0;

	for (size_t i = g->at, same; i < g->at + g->n; i += same) {
		const struct snap_thread *t = thread_of(w->s, w->row[i]);

		for (same = 1; i + same < g->at + g->n; same++)
			if (strcmp(thread_of(w->s, w->row[i + same])->name, t->name) != 0)
				break;
		piece.len = 0;
		if (used > NAME_COLUMNS) {
			buf_addf(&piece, "and %zu more", g->at + g->n - i);
			attach_threads_add_piece(out, piece.data, piece.len, &column);
			break;
		}
		attach_threads_add_name(&piece, t, same, g->n == 1);
		if (i + same < g->at + g->n)
			buf_addz(&piece, ",");
		attach_threads_add_piece(out, piece.data, piece.len, &column);
		used += piece.len;
	}
	buf_release(&piece);
}

/* Find a thread by its tid. The threads of a snap are sorted by tid. NULL: none. */
static const struct snap_thread *attach_threads_find_thread(const struct snap *s, uint32_t tid)
{
	return tid ? vec_find_tid(&s->thread, sizeof(struct snap_thread), tid) : NULL;
}

/* Write the holder of the mutexes that a group waits for, if one thread holds them all. */
static void add_holder(const struct threads_writer *w, const struct threads_group *g)
{
	uint32_t holder = thread_of(w->s, w->row[g->at])->holder;
	const struct snap_thread *t = attach_threads_find_thread(w->s, holder);

	for (size_t i = g->at; i < g->at + g->n; i++)
		if (thread_of(w->s, w->row[i])->holder != holder)
			return;
	if (!t)
		return;
	buf_addz(w->out, "  for a mutex held by ");
	attach_threads_add_name(w->out, t, 1, true);
	buf_addz(w->out, "\n");
}

/* The number of threads in the deadlock that this thread is part of: each waits for a mutex of the next. 0: none. */
static size_t circle_length(const struct snap *s, const struct snap_thread *first)
{
	const struct snap_thread *t = attach_threads_find_thread(s, first->holder);
	size_t n = 1;

	for (; t && t != first && n < CIRCLE_MAX; n++)
		t = attach_threads_find_thread(s, t->holder);
	return t == first ? n : 0;
}

/* Write a deadlock of n threads, unless another thread in it has a smaller tid. So each deadlock is written once. */
static void add_circle(const struct threads_writer *w, const struct snap_thread *first, size_t n)
{
	const struct snap_thread *t = first;

	for (size_t i = 0; i < n && t; i++, t = attach_threads_find_thread(w->s, t->holder))
		if (t->tid < first->tid)
			return;
	buf_addz(w->out, "\ndeadlock:\n");
	for (size_t i = 0; i < n && t; i++) {
		buf_addz(w->out, "    ");
		attach_threads_add_name(w->out, t, 1, true);
		buf_addz(w->out, " waits for a mutex held by ");
		t = attach_threads_find_thread(w->s, t->holder);
		if (t)
			attach_threads_add_name(w->out, t, 1, true);
		buf_addz(w->out, "\n");
	}
}

/* Write all deadlocks. */
static void add_deadlocks(const struct threads_writer *w)
{
	const struct snap_thread *t = w->s->thread.data;

	for (size_t i = 0; i < w->s->thread.n; i++) {
		size_t n = t[i].holder ? circle_length(w->s, &t[i]) : 0;

		if (n)
			add_circle(w, &t[i], n);
	}
}

/* Write " for 3s to 5s", unless all wait times are less than a second. */
static void attach_threads_add_wait(struct buf *out, const struct threads_group *g)
{
	uint64_t lo = g->shortest_ns / NS_PER_S, hi = g->longest_ns / NS_PER_S;

	if (hi == 0)
		return;
	buf_addz(out, " for ");
	if (lo != hi)
		buf_addf(out, "%" PRIu64 "s to ", lo);
	buf_addf(out, "%" PRIu64 "s", hi);
}

/* Write "3 threads, futex for 3s to 5s, cpu 1.2s:" and names. */
static void attach_threads_add_head(const struct threads_writer *w, const struct threads_group *g)
{
	struct buf head = { 0 };
	uint64_t cpu_ns = 0;

	assert(g->longest_ns >= g->shortest_ns);
	for (size_t i = g->at; i < g->at + g->n; i++)
		cpu_ns += thread_of(w->s, w->row[i])->cpu_ns;
	unit_add_count(&head, g->n);
	buf_addf(&head, " thread%s, %s", g->n == 1 ? "" : "s", thread_of(w->s, w->row[g->at])->wait);
	attach_threads_add_wait(&head, g);
	buf_addz(&head, ", cpu ");
	unit_add_label(&head, cpu_ns > INT64_MAX ? INT64_MAX : (int64_t)cpu_ns, "ns", "auto");
	buf_addz(&head, ":");
	attach_threads_add_names(w, g, &head, head.len);
	buf_addf(w->out, "%s\n", buf_text(&head));
	buf_release(&head);
}

/* Write a frame without a name: its address, and the offset in its file. */
static void add_nameless(const struct snap_frame *f, struct buf *function, struct buf *place)
{
	struct buf safe = { 0 };
	const char *base = f->path;
	size_t n = f->n_path;

	buf_addf(function, "0x%" PRIx64, f->addr);
	for (size_t i = 0; i < f->n_path; i++)
		if (f->path[i] == '/') {
			base = f->path + i + 1;
			n = f->n_path - i - 1;
		}
	if (n) {
		utf8_add_safe(&safe, base, n);
		utf8_add_short(place, safe.data, safe.len, THREADS_PLACE_MAX);
		buf_addf(place, "+0x%" PRIx64, f->offset);
	}
	buf_release(&safe);
}

/* Write the lines of a frame, inlined functions first. If write is false, only widen *column to the widest name. */
static void each_line(const struct threads_writer *w, const struct snap_row *row, uint32_t k, size_t *column,
		      bool write)
{
	struct buf function = { 0 }, place = { 0 };
	struct snap_name name = { 0 };
	struct snap_frame f;

	assert(k < row->n);
	snap_frame(w->s, row, k, &f);
	for (uint32_t i = 0;; i++) {
		bool named = !f.pseudo && attach_names_at(w->names, w->s->p, f.addr, f.map, i, &name);

		if (!named && i > 0)
			break;
		function.len = place.len = 0;
		if (named)
			attach_threads_add_place(&place, name.file, name.file ? strlen(name.file) : 0, name.line);
		else if (!f.pseudo)
			add_nameless(&f, &function, &place);
		buf_addz(&function, named ? name.function : f.pseudo ? f.pseudo : "");
		if (write)
			attach_threads_add_line(w->out, buf_text(&function), &place, *column);
		else if (function.len > *column && function.len <= FUNCTION_COLUMN)
			*column = function.len;
		if (!named)
			break;
	}
	buf_release(&function);
	buf_release(&place);
}

static void attach_threads_add_group(const struct threads_writer *w, const struct threads_group *g)
{
	const struct snap_row *row = w->row[g->at];
	size_t column = 0;

	assert(g->n > 0 && g->at + g->n <= w->s->row.n);
	buf_addz(w->out, "\n");
	attach_threads_add_head(w, g);
	add_holder(w, g);
	for (uint32_t k = 0; k < row->n; k++)
		each_line(w, row, k, &column, false);
	for (uint32_t k = 0; k < row->n; k++)
		each_line(w, row, k, &column, true);
	if (row->n == 0)
		buf_addz(w->out, "    (no stack)\n");
}

static void attach_threads_add_title(const struct threads_writer *w)
{
	const struct snap_thread *t = w->s->thread.data;
	struct process_info f;
	struct buf name = { 0 };
	size_t n = w->s->thread.n;

	process_info(w->s->p, &f);
	for (size_t i = 0; i < n; i++)
		if (t[i].tid == (uint32_t)f.pid)
			utf8_add_safe(&name, t[i].name, strnlen(t[i].name, sizeof(t[i].name)));
	buf_addf(w->out, "process %d", (int)f.pid);
	if (name.len)
		buf_addf(w->out, " (%s)", buf_text(&name));
	buf_addz(w->out, ": ");
	unit_add_count(w->out, n);
	buf_addf(w->out, " thread%s\n", n == 1 ? "" : "s");
	buf_release(&name);
}

static void add_threads(const struct snap *s, struct attach_names *names, struct buf *out)
{
	const struct snap_row *row = s->row.data;
	size_t n = s->row.n, n_groups = 0;
	struct threads_group *group = mem_alloc(n, sizeof(*group));
	struct threads_writer w = {
		.s = s, .names = names, .out = out, .row = mem_alloc(n, sizeof(const struct snap_row *))
	};

	for (size_t i = 0; i < n; i++) {
		assert(row[i].thread > 0 && row[i].thread <= s->thread.n);
		w.row[i] = &row[i];
	}
	qsort_r((void *)w.row, n, sizeof(*w.row), attach_threads_compare_rows, (void *)(uintptr_t)s);
	for (size_t i = 0; i < n; i++) {
		uint32_t tid = thread_of(s, w.row[i])->tid;
		uint64_t wait = thread_of(s, w.row[i])->wait_ns;

		if (i == 0 || compare_kind(s, w.row[i - 1], w.row[i]) != 0)
			group[n_groups++] = (struct threads_group){ .at = i, .first = tid, .shortest_ns = wait };
		group[n_groups - 1].n++;
		if (tid < group[n_groups - 1].first)
			group[n_groups - 1].first = tid;
		if (wait > group[n_groups - 1].longest_ns)
			group[n_groups - 1].longest_ns = wait;
		if (wait < group[n_groups - 1].shortest_ns)
			group[n_groups - 1].shortest_ns = wait;
	}
	qsort(group, n_groups, sizeof(*group), attach_threads_compare_groups);
	attach_threads_add_title(&w);
	add_deadlocks(&w);
	for (size_t i = 0; i < n_groups; i++)
		attach_threads_add_group(&w, &group[i]);
	free(group);
	free((void *)w.row);
}

/* Set the error for a process whose threads cannot be read. */
static int attach_threads_set_error(pid_t pid, int rc, struct err *err)
{
	int error = -rc;
	char scope[2];

	if (error == ESRCH || error == EINVAL)
		return err_set(err, ERR_IO, "process %d does not exist", (int)pid);
	if (error == ENOSYS)
		return err_set(err, ERR_IO, "process %d: this kernel has no /proc/PID/task/TID/syscall", (int)pid);
	if (error != EPERM && error != EACCES)
		return err_set(err, ERR_IO, "process %d: %s", (int)pid, strerror(error));
	task_read_file(AT_FDCWD, "/proc/sys/kernel/yama/ptrace_scope", scope, sizeof(scope));
	if (scope[0] > '0')
		return err_set(err, ERR_IO, "process %d: permission denied (kernel.yama.ptrace_scope is %c)", (int)pid,
			       scope[0]);
	return err_set(err, ERR_IO, "process %d: permission denied (another user's process, or protected)", (int)pid);
}

static int attach_threads_write_snap(const struct attach_threads_options *o, const struct snap *s, struct buf *out,
				     struct err *err)
{
	struct attach_names *names = NULL;
	int rc = 0;

	if (!o->proto)
		rc = attach_names_new(s, &names, err);
	if (rc == 0 && (o->proto || o->debug)) {
		rc = write_snap(s, (int)o->debug, o->proto ? NULL : attach_names_at, names, buf_take, out);
		if (rc < 0)
			err_set(err, ERR_IO, "%s", strerror(-rc));
	} else if (rc == 0) {
		add_threads(s, names, out);
	}
	attach_names_free(names);
	return rc;
}

/* Samples of the threads of a process, opened when a dump first needs them. */
struct threads_running {
	struct process *p;
	struct events *events;
	bool is_tried;
};

/* Open the events. Without the permission there are none. */
static void attach_threads_open_running(struct threads_running *r, pid_t pid)
{
	struct events_options o = { .type = { events_named("cpu-clock") },
				    .n_types = 1,
				    .hz = RUNNING_HZ,
				    .no_kernel = true,
				    .n_stack = RUNNING_STACK };
	struct err err;

	r->is_tried = true;
	if (events_new(&o, &r->events, &err) < 0)
		return;
	if (events_add_process(r->events, pid) == 0) {
		events_start(r->events);
		return;
	}
	events_free(r->events);
	r->events = NULL;
}

static void on_running(void *arg, unsigned ring, const struct event_record *record)
{
	struct threads_running *r = arg;
	const struct stack_sample sample = { .reg = record->reg, .stack = record->stack, .n_stack = record->n_stack };

	(void)ring;
	if (record->kind == RECORD_SAMPLE && record->reg)
		threads_add_sample(r->p, record->tid, &sample);
}

/* A threads_sample_fn. */
static void sample_running(void *arg, struct process *p)
{
	struct threads_running *r = arg;
	struct process_info f;

	if (!r->is_tried) {
		process_info(p, &f);
		attach_threads_open_running(r, f.pid);
	}
	if (r->events)
		events_read(r->events, on_running, r);
}

int attach_threads(pid_t pid, const struct attach_threads_options *o, struct buf *out, struct err *err)
{
	struct process *p = NULL;
	struct snap *s = NULL;
	struct threads_running running = { 0 };
	int rc;

	assert(pid > 0 && o->debug >= 0 && o->debug <= 2);
	rc = process_open(pid, &p);
	if (rc == 0) {
		running.p = p;
		threads_sample_with(p, sample_running, &running);
		rc = snap_take(p, SNAP_THREADS, 0, &s);
		events_free(running.events);
	}
	rc = rc < 0 ? attach_threads_set_error(pid, rc, err) : attach_threads_write_snap(o, s, out, err);
	snap_free(s);
	process_close(p);
	return rc;
}

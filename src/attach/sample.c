/*
 * sample.c - sample running processes from outside: the session, and the profile that it makes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/sample.h"

#include "attach/files.h"
#include "attach/names.h"
#include "attach/processes.h"
#include "attach/sample_int.h"
#include "attach/snap.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/search.h"
#include "base/time.h"
#include "formats/pprof/pprof.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/read/kallsyms.h"
#include "libcpaprof/collector/read/task.h"
#include "libcpaprof/collector/requests.h"
#include "libcpaprof/collector/stack_table.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "profile/prune.h"
#include "symbol/kernel.h"

#include <assert.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>

enum {
	REFRESH_SHARE = 50, /* reading mappings takes at most 1/50 of the time */
	PID_DIGITS = 10,
	LATE_ROUNDS = 3 /* after the end of a process its last samples are read */
};

/* Find the events. names NULL: CPU time. */
static int find_events(const char *names, const struct event_type **type, size_t *n, struct err *err)
{
	static const char cpu[] = "cpu-clock";
	const char *at = names && *names ? names : cpu;

	for (*n = 0;; at++) {
		size_t len = strcspn(at, ",");

		if (*n == SAMPLE_EVENTS_MAX)
			return err_set(err, ERR_USAGE, "more than %d events", SAMPLE_EVENTS_MAX);
		type[*n] = events_find(at, len);
		if (!type[*n])
			return err_set(err, ERR_USAGE, "\"%.*s\" is not an event; events: %s",
				       (int)(len < 100 ? len : 100), at, events_names());
		for (size_t i = 0; i < *n; i++)
			if (type[i] == type[*n])
				return err_set(err, ERR_USAGE, "event %s is given twice", type[i]->name);
		++*n;
		at += len;
		if (!*at)
			return 0;
	}
}

int attach_check_events(const char *names, struct err *err)
{
	const struct event_type *type[SAMPLE_EVENTS_MAX];
	size_t n;

	return find_events(names, type, &n, err);
}

static void attach_sample_read_name(pid_t pid, char name[THREAD_NAME_MAX + 1])
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	task_read_file(AT_FDCWD, path, name, THREAD_NAME_MAX + 1);
	for (size_t n = strlen(name); n && name[n - 1] == '\n'; n--)
		name[n - 1] = '\0';
}

struct pid_key {
	const struct session *s;
	pid_t pid;
};

static bool is_below_pid(const void *arg, size_t i)
{
	const struct pid_key *key = arg;

	return key->s->target[i]->pid < key->pid;
}

static size_t find_target(const struct session *s, pid_t pid)
{
	return lower_bound(0, s->n, is_below_pid, &(struct pid_key){ s, pid });
}

struct sampled *attach_sample_new(pid_t pid, struct process *p)
{
	struct sampled *t = mem_zalloc(1, sizeof(*t));

	t->pid = pid;
	t->p = p;
	t->labels = attach_labels_new();
	t->external_labels =
		(struct external_labels){ .read = attach_labels_read, .each = attach_labels_each, .arg = t->labels };
	return t;
}

/* Insert a target at its position. */
static struct sampled *insert_target(struct session *s, pid_t pid, struct process *p)
{
	struct sampled *t = attach_sample_new(pid, p);
	size_t at = find_target(s, pid);

	s->target = mem_grow(s->target, &s->cap, s->n + 1, sizeof(struct sampled *));
	memmove(s->target + at + 1, s->target + at, (s->n - at) * sizeof(struct sampled *));
	s->target[at] = t;
	s->n++;
	return t;
}

/* The target for samples of processes that ended before they could be opened: pid 0. NULL: out of memory. */
static struct sampled *ended_target(struct session *s)
{
	struct sampled *t = attach_sample_known(s, 0);
	struct process *p;

	if (t || external_open_ended(&s->external, &p) < 0)
		return t;
	t = insert_target(s, 0, p);
	snprintf(t->name, sizeof(t->name), "(ended)");
	return t;
}

/* Start a target. Returns 0 or -errno. */
static int attach_sample_add_target(struct session *s, pid_t pid, bool is_requested)
{
	uint64_t start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	struct process *p;
	struct sampled *t;
	int rc = external_open(pid, &s->external, &p);

	if (rc < 0)
		return rc;
	t = insert_target(s, pid, p);
	t->is_requested = is_requested;
	if (is_requested || s->kind != SAMPLE_CPU)
		attach_sample_find_context(s, t);
	t->read_ns = clock_now();
	t->read_cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
	t->has_library = s->library && collect_has_segment(s->library, pid);
	attach_sample_read_name(pid, t->name);
	return 0;
}

struct sampled *attach_sample_known(const struct session *s, pid_t pid)
{
	size_t at = find_target(s, pid);

	return at < s->n && s->target[at]->pid == pid ? s->target[at] : NULL;
}

struct sampled *attach_sample_target(struct session *s, pid_t pid)
{
	size_t at = find_target(s, pid);

	if (at < s->n && s->target[at]->pid == pid)
		return s->target[at];
	if (s->o->n_pids && !s->o->follow) /* a child, inherited because the kernel cannot tell threads from children */
		return NULL;
	if (pid > 0 && attach_sample_add_target(s, pid, false) == 0)
		return s->target[at];
	return ended_target(s);
}

void attach_sample_refresh(const struct session *s, struct sampled *t)
{
	uint64_t start;

	if (!t->is_stale || clock_now() - t->read_ns < REFRESH_SHARE * t->read_cost_ns)
		return;
	start = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	t->is_stale = false;
	external_read_maps(t->p);
	if (s->kind != SAMPLE_CPU)
		attach_sample_find_context(s, t);
	t->has_library |= s->library && collect_has_segment(s->library, t->pid);
	t->read_ns = clock_now();
	t->read_cost_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID) - start;
}

void attach_sample_refresh_all(struct session *s)
{
	for (size_t i = 0; i < s->n; i++)
		attach_sample_refresh(s, s->target[i]);
}

void attach_sample_exec(struct session *s, pid_t pid)
{
	size_t at = find_target(s, pid);
	bool is_requested;

	if (at == s->n || s->target[at]->pid != pid)
		return;
	is_requested = s->target[at]->is_requested;
	s->target[at]->is_copy = s->o->begun && is_requested && !s->has_executed;
	s->has_executed |= is_requested;
	s->old = mem_grow(s->old, &s->cap_old, s->n_old + 1, sizeof(struct sampled *));
	s->old[s->n_old++] = s->target[at];
	memmove(s->target + at, s->target + at + 1, (--s->n - at) * sizeof(struct sampled *));
	if (is_requested)
		attach_sample_add_target(s, pid, true);
}

static void free_target(struct sampled *t)
{
	process_close(t->p);
	attach_labels_free(t->labels);
	free(t);
}

/* Read the state of a target. Returns false if it is not needed any more: it has ended without a sample. */
static bool update_target(struct session *s, struct sampled *t)
{
	bool has_ended = external_has_ended(t->p);

	if (t->n_rounds >= LATE_ROUNDS)
		return true;
	t->n_rounds += has_ended;
	collect_find_mappings(t->p, false);
	attach_jits_track(&s->jits, t->p);
	return t->n_rounds < LATE_ROUNDS || s->kind != SAMPLE_CPU || t->pid == 0 || attach_sample_is_written(t);
}

bool attach_sample_continues(struct session *s)
{
	uint64_t now = clock_now(), limit = s->o->duration_ns;
	bool is_running = s->o->n_pids == 0;
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		struct sampled *t = s->target[i];

		if (!update_target(s, t)) {
			free_target(t);
			continue;
		}
		s->target[n++] = t;
		is_running |= (t->is_requested || (s->o->follow && !s->o->begun)) && !external_has_ended(t->p);
	}
	s->n = n;
	if (s->o->stop) {
		stop_set_done(s->o->stop, (now - s->start_ns) / NS_PER_MS);
		if (stop_is_set(s->o->stop))
			return false;
	}
	return is_running && (!limit || now - s->start_ns < limit);
}

/* Start the targets of processes that those of the options have started already. */
static void open_children(struct session *s)
{
	size_t n;
	pid_t *pid = attach_processes_below(s->o->pid, s->o->n_pids, &n);

	s->child = pid;
	for (size_t i = 0; i < n; i++)
		if (!attach_sample_known(s, pid[i]) && attach_sample_add_target(s, pid[i], false) == 0)
			s->child[s->n_children++] = pid[i];
}

static int open_targets(struct session *s, struct err *err)
{
	for (size_t i = 0; i < s->o->n_pids; i++) {
		int rc = attach_sample_add_target(s, s->o->pid[i], true);

		if (rc < 0)
			return attach_sample_explain(s, s->o->pid[i], -rc, err);
	}
	if (s->o->follow && s->o->n_pids && !s->o->begun)
		open_children(s);
	return 0;
}

void attach_sample_describe(struct session *s)
{
	static const char *const count = "count", *const ns = "nanoseconds", *const samples = "samples";
	struct external *e = &s->external;
	struct snap_types *t = &e->types;

	e->period = NS_PER_S / s->hz;
	t->value[0] = (struct snap_value_type){ samples, count };
	t->period = (struct snap_value_type){ "cpu", ns };
	if (s->kind == SAMPLE_WALL && s->events) {
		e->period = 1;
		t->value[1] = t->period = (struct snap_value_type){ "wall", ns };
		snprintf(e->comment[0], sizeof(e->comment[0]),
			 "wall-clock time of all threads, from perf events, CPU time at %u Hz", s->hz);
	} else if (s->kind == SAMPLE_WALL) {
		t->value[1] = t->period = (struct snap_value_type){ "wall", ns };
		snprintf(e->comment[0], sizeof(e->comment[0]), "wall-clock time of all threads, read through /proc");
	} else if (s->kind == SAMPLE_OFF_CPU) {
		e->period = 1;
		t->value[0].type = "waits";
		t->value[1] = t->period = (struct snap_value_type){ "off_cpu", ns };
		snprintf(e->comment[0], sizeof(e->comment[0]), "time in which threads wait, from perf events");
	} else {
		for (size_t i = 0; i < s->n_types; i++)
			t->value[1 + i] = (struct snap_value_type){ s->type[i]->name, count };
		if (s->type[0]->is_time)
			t->value[1] = t->period;
		else
			t->period = t->value[1];
		e->period = s->type[0]->is_time ? e->period : 1;
		snprintf(e->comment[0], sizeof(e->comment[0]), "perf events from outside, %s, %u Hz",
			 s->o->events && *s->o->events ? s->o->events : "CPU time", s->hz);
	}
	t->default_type = t->value[1].type;
}

void attach_sample_describe_result(struct session *s)
{
	const struct sampled *ended = attach_sample_known(s, 0);
	struct external *e = &s->external;
	struct process_info f = { .n_samples = 0 };

	if (s->kind == SAMPLE_WALL && !s->events)
		snprintf(e->comment[1], sizeof(e->comment[1]), "running threads have no stack: %s",
			 pseudo_frame_name[PSEUDO_RUNNING]);
	else if (!s->has_kernel)
		snprintf(e->comment[1], sizeof(e->comment[1]),
			 "without time in the kernel, which needs kernel.perf_event_paranoid <= 1 or root");
	if (s->n_lost)
		snprintf(e->comment[2], sizeof(e->comment[2]), "lost: %llu records of perf events",
			 (unsigned long long)s->n_lost);
	if (ended)
		process_info(ended->p, &f);
	if (f.n_samples)
		snprintf(e->comment[3], sizeof(e->comment[3]),
			 "samples of processes that ended early, without a stack: %llu",
			 (unsigned long long)f.n_samples);
	attach_sample_describe_labels(s);
}

/* Make the profile of a target, with the names that can only be looked up while it runs. */
static int attach_sample_read_target(const struct session *s, const struct sampled *t, struct profile **out,
				     struct err *err)
{
	struct attach_jit_names *names;
	struct snap *snap;
	int rc = snap_take(t->p, SNAP_EXTERNAL, 0, &snap);

	*out = NULL;
	if (rc < 0)
		return err_set(err, ERR_IO, "process %d: %s", (int)t->pid, strerror(-rc));
	names = attach_jit_names_new(snap, attach_jits_find(&s->jits, t->pid), NULL);
	rc = attach_snap_profile(snap, names ? attach_jit_names_at : NULL, names, out, err);
	if (rc == 0)
		attach_sample_comment_context(t, *out);
	attach_jit_names_free(names);
	snap_free(snap);
	if (rc < 0)
		return err_wrap(err, "process %d", (int)t->pid);
	if (!external_has_ended(t->p))
		rc = attach_names_add_process(*out, t->pid, err);
	if (rc < 0) {
		profile_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Is this a function of the kernel's scheduler? */
static bool is_scheduler(const struct profile *p, uint32_t loc)
{
	uint32_t line = p->loc_line[loc];

	return p->loc_map[loc] != PROFILE_NONE && line < p->loc_line[loc + 1] &&
	       kernel_is_name(profile_text(p, p->map[p->loc_map[loc]].file)) &&
	       kallsyms_is_scheduler(profile_text(p, p->func_name[p->line_func[line]]));
}

/* Add names of kernel functions: the addresses are different after the next start of the machine. Frees p on failure. */
static int attach_sample_finish(const struct session *s, struct profile *p, struct profile **out, struct err *err)
{
	int rc = s->has_kernel ? attach_names_add_kernel(p, err) : 0;

	*out = NULL;
	if (rc < 0) {
		profile_free(p);
		return rc;
	}
	if (s->kind != SAMPLE_CPU) /* each wait ends in the scheduler: show what called it */
		profile_drop_leaves(p, is_scheduler);
	*out = p;
	return 0;
}

int attach_sample_read(const struct session *s, const struct sampled *t, struct profile **out, struct err *err)
{
	int rc = attach_sample_read_target(s, t, out, err);

	return rc < 0 ? rc : attach_sample_finish(s, *out, out, err);
}

/* Read the profile of a target, with its name and pid as labels. */
static int read_labelled(const struct session *s, const struct sampled *t, struct profile **out, struct err *err)
{
	char pid[PID_DIGITS + 2];
	int rc = attach_sample_read_target(s, t, out, err);

	if (rc < 0)
		return rc;
	snprintf(pid, sizeof(pid), "%d", (int)t->pid);
	rc = profile_set_label(*out, "process", t->name, err);
	if (rc == 0)
		rc = profile_set_label(*out, "pid", pid, err);
	if (rc == 0)
		rc = attach_sample_label_service(t, *out, err);
	if (rc < 0) {
		profile_free(*out);
		*out = NULL;
	}
	return rc;
}

/* Add the stacks of a process. Samples of processes that ended early have none, and are counted as incomplete. */
static void count_stacks(const struct sampled *t, uint64_t *n, uint64_t *n_complete)
{
	uint64_t n_stacks, complete;
	struct process_info f;

	process_info(t->p, &f);
	external_count(t->p, &n_stacks, &complete);
	*n += n_stacks ? n_stacks : f.n_samples;
	*n_complete += complete;
}

/* Replace the comments of all processes by a summary. */
static void summarize(const struct session *s, struct sampled *const *t, size_t n, struct profile *sum)
{
	uint64_t n_samples = 0, n_complete = 0;
	struct buf b = { 0 };
	char busy[120];

	for (size_t i = 0; i < n; i++)
		count_stacks(t[i], &n_samples, &n_complete);
	sum->meta.n_comments = 0;
	sum->meta.duration_ns = (int64_t)(s->end_ns - s->start_ns); /* not their sum: they ran at the same time */
	buf_addf(&b, "cpa %s: %zu processes, %s", PACKAGE_VERSION, n, s->external.comment[0]);
	profile_add_comment(sum, buf_text(&b));
	for (int i = 1; i < EXTERNAL_COMMENTS; i++)
		if (s->external.comment[i][0])
			profile_add_comment(sum, s->external.comment[i]);
	if (busy_comment(busy_share(&s->busy[0], &s->busy[1]), busy, sizeof(busy)) > 0)
		profile_add_comment(sum, busy);
	b.len = 0;
	buf_addf(&b, "stacks, complete: %" PRIu64 " of %" PRIu64 " (%.2f%%)", n_complete, n_samples,
		 n_samples ? 100.0 * (double)n_complete / (double)n_samples : 0.0);
	if (n_samples)
		profile_add_comment(sum, buf_text(&b));
	buf_release(&b);
}

static int merge_targets(const struct session *s, struct sampled *const *t, size_t n, struct profile **out,
			 struct err *err)
{
	struct merger *m = merger_new(false);
	struct profile *sum;
	int rc = 0;

	assert(n >= 2);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		struct profile *p;

		rc = read_labelled(s, t[i], &p, err);
		if (rc < 0)
			break;
		rc = merger_add(m, (const struct profile *const *)&p, NULL, 1, err);
		profile_free(p);
	}
	if (rc < 0) {
		merger_free(m);
		return rc;
	}
	sum = merger_finish(m);
	merger_free(m);
	summarize(s, t, n, sum);
	return attach_sample_finish(s, sum, out, err);
}

bool attach_sample_is_written(const struct sampled *t)
{
	struct process_info f;

	process_info(t->p, &f);
	return !t->is_copy && !t->has_library && (f.n_samples || f.weight || t->is_requested);
}

/* Make the profile of all targets with samples. */
static int attach_sample_read_all(const struct session *s, struct profile **out, struct err *err)
{
	struct sampled **t = mem_zalloc(s->n + s->n_old + 1, sizeof(struct sampled *));
	bool is_program = !s->o->begun || s->has_executed; /* otherwise cpa itself was sampled */
	size_t n = 0;
	int rc = 0;

	for (size_t i = 0; i < s->n + s->n_old; i++) {
		struct sampled *a = i < s->n_old ? s->old[i] : s->target[i - s->n_old];

		if (attach_sample_is_written(a))
			t[n++] = a;
	}
	if (is_program && n == 0 && s->o->begun)
		attach_note(&s->o->messages, "no samples: the program has ended at once");
	else if (is_program && n == 0)
		rc = err_set(err, ERR_IO, "no samples: nothing ran");
	else if (is_program)
		rc = n == 1 ? attach_sample_read(s, t[0], out, err) : merge_targets(s, t, n, out, err);
	free(t);
	return rc;
}

static uint64_t own_cpu_ns(void)
{
	struct rusage use;

	getrusage(RUSAGE_SELF, &use);
	return (uint64_t)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) * NS_PER_S +
	       (uint64_t)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) * 1000;
}

static void count_target(const struct session *s, const struct sampled *t, struct sample_result *r)
{
	struct collect_totals *totals = &r->totals;
	uint64_t all, with_stack;

	if (!attach_sample_is_written(t))
		return;
	totals->n_processes++;
	count_stacks(t, &totals->n_stacks, &totals->n_complete);
	if (s->kind != SAMPLE_CPU || s->n_types > 1 || !s->type[0]->is_time)
		return;
	external_weigh(t->p, &all, &with_stack);
	totals->cpu_ns += all;
	totals->sampled_ns += with_stack;
}

static void note_incomplete(const struct session *s)
{
	struct attach_incomplete all = { 0 };
	struct incomplete x;

	for (size_t i = 0; i < s->n + s->n_old; i++) {
		incomplete_get((i < s->n ? s->target[i] : s->old[i - s->n])->p, &x);
		attach_incomplete_add(&all, &x, true);
	}
	attach_note_incomplete(&s->o->messages, &all);
}

static void fill_result(const struct session *s, uint64_t own_start_ns, struct sample_result *r)
{
	*r = (struct sample_result){ .kind = s->kind, .n_lost = s->n_lost, .has_kernel = s->has_kernel };
	for (size_t i = 0; i < s->n; i++)
		count_target(s, s->target[i], r);
	for (size_t i = 0; i < s->n_old; i++)
		count_target(s, s->old[i], r);
	r->duration_ns = s->end_ns - s->start_ns;
	r->own_ns = own_cpu_ns() - own_start_ns;
}

void attach_sample_release(struct session *s)
{
	events_free(s->events);
	images_free(s->images);
	free(s->pending);
	for (size_t i = 0; i < s->n + s->n_old; i++) {
		struct sampled *t = i < s->n ? s->target[i] : s->old[i - s->n];

		free_target(t);
	}
	attach_jits_release(&s->jits);
	file_cache_release(&s->external.files);
	free(s->target);
	free(s->old);
	free(s->child);
}

/* Open the events, or fall back to wall-clock time. */
static int attach_sample_choose(struct session *s, struct err *err)
{
	struct err why;
	bool is_optional =
		s->o->kind != SAMPLE_OFF_CPU && s->o->n_pids && !s->o->needs_events && !(s->o->events && *s->o->events);

	struct utsname system;

	if (s->o->kind == SAMPLE_CPU && (s->o->n_pids == 0 || s->o->follow))
		s->images = images_new();
	if (uname(&system) == 0 && attach_sample_is_dangerous(system.release))
		attach_note(&s->o->messages,
			    "Linux %s: perf events of the CPU clock can hang machines with Linux 6.16 and 6.17",
			    system.release);
	if (attach_sample_open_events(s, &why) == 0)
		return 0;
	events_free(s->events);
	s->events = NULL;
	if (!is_optional || why.code == ERR_USAGE) {
		*err = why;
		return why.code;
	}
	attach_note(&s->o->messages,
		    s->kind == SAMPLE_WALL ? "%s; stacks of running threads are missing"
					   : "%s; sampling wall-clock time instead of CPU time",
		    why.msg);
	s->kind = SAMPLE_WALL;
	return 0;
}

static int attach_sample_sample(struct session *s, struct profile **out, struct sample_result *result, struct err *err)
{
	uint64_t own_start_ns = own_cpu_ns();
	int rc = open_targets(s, err);

	if (rc == 0)
		rc = attach_sample_choose(s, err);
	if (rc < 0)
		return rc;
	for (size_t i = 0; s->kind != s->o->kind && i < s->n; i++)
		attach_sample_find_context(s, s->target[i]);
	attach_sample_describe(s);
	s->start_ns = clock_now();
	busy_read(&s->busy[0]);
	if (s->o->stop)
		stop_begin(s->o->stop, "sampling", s->o->duration_ns / NS_PER_MS);
	if (s->events)
		attach_sample_run_events(s);
	else
		attach_sample_run_wall(s);
	s->end_ns = clock_now();
	busy_read(&s->busy[1]);
	attach_sample_describe_result(s);
	rc = attach_sample_read_all(s, out, err);
	fill_result(s, own_start_ns, result);
	note_incomplete(s);
	return rc;
}

int attach_sample(const struct sample_options *o, struct profile **out, struct sample_result *result, struct err *err)
{
	struct session s = { .o = o, .kind = o->kind, .hz = o->hz ? o->hz : SAMPLE_HZ_DEFAULT };
	int rc = find_events(o->events, s.type, &s.n_types, err);

	*out = NULL;
	assert(o->messages.note && o->hz <= SAMPLE_HZ_MAX && o->n_pids <= SAMPLE_PIDS_MAX);
	assert(o->n_pids == 0 || !o->cgroup);
	s.external.kernel_start = kallsyms_address("_stext");
	if (rc == 0 && o->kind == SAMPLE_WALL && o->n_pids == 0)
		rc = err_set(err, ERR_USAGE, "wall-clock time is sampled of given processes only");
	if (rc == 0 && o->kind != SAMPLE_CPU && o->events && *o->events)
		rc = err_set(err, ERR_USAGE, "events are for CPU profiles only");
	if (rc == 0)
		rc = attach_sample_sample(&s, out, result, err);
	attach_sample_release(&s);
	return rc;
}

int attach_sample_packed(const struct sample_options *o, struct buf *out, struct sample_result *result, struct err *err)
{
	struct profile *p;
	int rc = attach_sample(o, &p, result, err);

	if (rc < 0 || !p)
		return rc;
	rc = pprof_write(p, 1, out, err);
	profile_free(p);
	return rc;
}

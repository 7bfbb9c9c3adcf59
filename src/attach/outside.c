/*
 * outside.c - sample programs of a run that cannot load our library, with perf events
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/outside.h"

#include "attach/sample_int.h"
#include "base/io.h"
#include "base/mem.h"
#include "formats/pprof/pprof.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/collector/read/kallsyms.h"
#include "libcpaprof/collector/requests.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

enum {
	IDLE_MS = 100,
	BUSY_MS = 10,
	NEW_MS = 1, /* a process that has just executed its program may end soon */
	NEW_ROUNDS = 10
};

struct attach_outside {
	const struct attach_options *options;
	struct collect *c;
	struct sample_options sample;
	struct session s;
	pid_t first; /* the first process that was sampled */
	pthread_t thread;
	bool is_running, is_counted; /* is_counted: its processes are in the totals of the collector */
	_Atomic bool stops;
	unsigned n_sampled, n_refused; /* requests */
	unsigned n_new_rounds;         /* number of rounds until the last process is not new any more */
	struct err why;                /* why the last one was refused */
};

/* Open the events of a process. */
static int open_process(struct attach_outside *x, pid_t pid)
{
	struct session *s = &x->s;
	int rc;

	if (!s->events) {
		x->first = pid;
		return attach_sample_open_events(s, &x->why);
	}
	rc = events_add_process(s->events, pid);
	return rc < 0 ? attach_sample_explain(s, pid, -rc, &x->why) : 0;
}

/* A collect_request_fn. */
static void on_request(void *arg, pid_t pid, bool is_running)
{
	struct attach_outside *x = arg;
	uint64_t used_ns = is_running ? collect_cpu_ns(pid) : 0;
	int rc = open_process(x, pid);
	struct sampled *t;

	if (x->s.events)
		events_start(x->s.events);
	x->n_new_rounds = NEW_ROUNDS;
	x->n_sampled += rc == 0;
	x->n_refused += rc < 0;
	if (rc < 0)
		return;
	t = used_ns ? attach_sample_target(&x->s, pid) : NULL;
	if (t)
		external_add_unsampled(t->p, used_ns);
}

static void *answer_requests(void *arg)
{
	struct attach_outside *x = arg;
	uint32_t seen = 0;

	while (!x->stops) {
		collect_requests_wait(x->c, &seen, x->n_new_rounds ? NEW_MS : x->s.events ? BUSY_MS : IDLE_MS);
		x->n_new_rounds -= x->n_new_rounds > 0;
		collect_requests_each(x->c, on_request, x);
		if (!x->s.events)
			continue;
		attach_sample_read_events(&x->s);
		attach_sample_continues(&x->s);
	}
	return NULL;
}

struct attach_outside *attach_outside_new(const struct attach_options *o, struct collect *c)
{
	struct attach_outside *x;
	struct utsname system;

	assert(o->collect.hz > 0);
	/* the user did not ask for perf events */
	if (uname(&system) == 0 && attach_sample_is_dangerous(system.release))
		return NULL;
	x = mem_zalloc(1, sizeof(*x));
	x->options = o;
	x->c = c;
	x->sample = (struct sample_options){
		.kind = SAMPLE_CPU,
		.pid = &x->first,
		.n_pids = 1,
		.hz = o->collect.hz,
		.max_depth = o->collect.max_depth,
		.follow = true,
		.messages = o->messages,
	};
	x->s = (struct session){ .o = &x->sample, .library = c, .kind = SAMPLE_CPU, .hz = o->collect.hz, .n_types = 1 };
	x->s.type[0] = events_named("cpu-clock");
	x->s.external.kernel_start = kallsyms_address("_stext");
	x->s.start_ns = clock_now();
	attach_sample_describe(&x->s);
	collect_requests_answer(c, true);
	return x;
}

void attach_outside_start(struct attach_outside *x)
{
	if (!x)
		return;
	x->is_running = pthread_create(&x->thread, NULL, answer_requests, x) == 0;
	if (!x->is_running)
		collect_requests_answer(x->c, false);
}

static void end_sampling(struct attach_outside *x)
{
	collect_requests_answer(x->c, false);
	if (!x->is_running)
		return;
	x->stops = true;
	pthread_join(x->thread, NULL);
	x->is_running = false;
	if (x->s.events)
		attach_sample_end_events(&x->s);
}

static bool is_outside_wanted(const struct attach_outside *x, const struct sampled *t)
{
	struct process_info f;

	process_info(t->p, &f);
	return attach_sample_is_written(t) && attach_follows(x->options, &f);
}

static void add_outside_totals(const struct attach_outside *x, const struct sampled *t)
{
	struct collect_totals add = { .n_processes = 1 };

	if (!is_outside_wanted(x, t))
		return;
	external_weigh(t->p, &add.cpu_ns, &add.sampled_ns);
	external_count(t->p, &add.n_stacks, &add.n_complete);
	collect_add_outside(x->c, &add);
}

void attach_outside_stop(struct attach_outside *x)
{
	if (!x || x->is_counted)
		return;
	end_sampling(x);
	x->is_counted = true;
	for (size_t i = 0; i < x->s.n_old; i++)
		add_outside_totals(x, x->s.old[i]);
	for (size_t i = 0; i < x->s.n; i++)
		add_outside_totals(x, x->s.target[i]);
}

/* Write the file of a process. */
static void write_process(struct attach_outside *x, const struct sampled *t, struct attach_files *files)
{
	struct buf path = { 0 }, profile = { 0 };
	struct profile *p = NULL;
	struct incomplete stacks;
	struct err err;
	char more[32];
	int rc;

	if (!is_outside_wanted(x, t) || !attach_files_has_room(files))
		return;
	incomplete_get(t->p, &stacks);
	attach_incomplete_add(&files->incomplete, &stacks, true);
	snprintf(more, sizeof(more), "-outside-%zu", files->result->written.n);
	attach_file_name(x->options->file[0].name, t->pid ? t->pid : getpid(), more, &path);
	rc = attach_sample_read(&x->s, t, &p, &err);
	rc = rc < 0 ? rc : pprof_write(p, 1, &profile, &err);
	rc = rc < 0 ? rc : io_write_file_private(buf_text(&path), profile.data, profile.len, &err);
	if (rc < 0)
		attach_error(&x->options->messages, "%s", err.msg);
	else
		attach_files_add(files, buf_text(&path));
	profile_free(p);
	buf_release(&path);
	buf_release(&profile);
}

unsigned attach_outside_finish(struct attach_outside *x, struct attach_files *files)
{
	if (!x)
		return 0;
	x->s.end_ns = clock_now();
	attach_sample_describe_result(&x->s);
	for (size_t i = 0; i < x->s.n_old; i++)
		write_process(x, x->s.old[i], files);
	for (size_t i = 0; i < x->s.n; i++)
		write_process(x, x->s.target[i], files);
	if (x->n_refused)
		attach_note(&x->options->messages, "not sampled with perf events either: %s", x->why.msg);
	return x->n_sampled;
}

void attach_outside_free(struct attach_outside *x)
{
	if (!x)
		return;
	end_sampling(x);
	attach_sample_release(&x->s);
	free(x);
}

/*
 * process.c - sources "pid:N": running processes, which are sampled before they are read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/process.h"

#include "attach/processes.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/unit.h"
#include "fetch/url.h"

#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECONDS_MAX = 1000000, SECOND_MS = 1000 };

static const char prefix[] = "pid:";

struct process_source {
	struct sample_options options;
	pid_t *pid;   /* [options.n_pids] */
	char *events; /* options.events, or NULL */
	struct stop stop;
	pthread_t thread;
	bool has_thread;
	/* written by the thread */
	atomic_bool is_done;
	int rc;
	struct err err;
	struct profile *profile;
	struct buf notes;
};

bool sources_is_process(const char *source)
{
	return url_is_process(source) || (starts_with(source, prefix) && access(source, F_OK) != 0);
}

/* ---- parameters ---- */

/* A parameter of a source: its name, and the text after =, or NULL. */
struct parameter {
	const char *name, *value;
	size_t n_name, n_value;
};

static bool process_is_named(const struct parameter *p, const char *name)
{
	for (size_t i = 0; i < p->n_name; i++)
		if ((p->name[i] == '_' ? '-' : p->name[i]) != name[i])
			return false;
	return name[p->n_name] == '\0';
}

static int set_number(const struct parameter *p, uint64_t max, uint64_t *out, struct err *err)
{
	uint64_t n = 0;

	for (size_t i = 0; i < p->n_value && n <= max; i++)
		n = p->value[i] >= '0' && p->value[i] <= '9' ? n * 10 + (uint64_t)(p->value[i] - '0') : max + 1;
	if (n == 0 || n > max)
		return err_set(err, ERR_USAGE, "%.*s must be 1 to %" PRIu64, (int)p->n_name, p->name, max);
	*out = n;
	return 0;
}

static int set_kind(const struct parameter *p, enum sample_kind kind, struct sample_options *o, struct err *err)
{
	if (p->value)
		return err_set(err, ERR_USAGE, "%.*s takes no value", (int)p->n_name, p->name);
	if (o->kind != SAMPLE_CPU && o->kind != kind)
		return err_set(err, ERR_USAGE, "off-cpu and wall cannot be combined");
	o->kind = kind;
	return 0;
}

static int set_events(const struct parameter *p, struct process_source *to, struct err *err)
{
	free(to->events);
	to->options.events = to->events = mem_strndup(p->value ? p->value : "", p->n_value);
	return attach_check_events(to->events, err);
}

static int set_parameter(const struct parameter *p, struct process_source *to, uint64_t *seconds, struct err *err)
{
	struct sample_options *o = &to->options;
	uint64_t n = 0;
	int rc = 0;

	if (process_is_named(p, "event"))
		return set_events(p, to, err);
	if (process_is_named(p, "hz")) {
		rc = set_number(p, SAMPLE_HZ_MAX, &n, err);
		o->hz = (unsigned)n;
		return rc;
	}
	if (process_is_named(p, "seconds"))
		return set_number(p, SECONDS_MAX, seconds, err);
	if (process_is_named(p, "off-cpu"))
		return set_kind(p, SAMPLE_OFF_CPU, o, err);
	if (process_is_named(p, "wall"))
		return set_kind(p, SAMPLE_WALL, o, err);
	if (!process_is_named(p, "follow"))
		return err_set(
			err, ERR_USAGE,
			"unknown parameter %.*s; there are event=NAME, follow, hz=N, off-cpu, seconds=N and wall",
			(int)(p->n_name < 40 ? p->n_name : 40), p->name);
	o->follow = true;
	return p->value ? err_set(err, ERR_USAGE, "follow takes no value") : 0;
}

/* Parse "NAME=VALUE&NAME". */
static int process_read_parameters(const char *text, struct process_source *to, uint64_t *seconds, struct err *err)
{
	int rc = 0;

	while (rc == 0 && *text) {
		size_t n = strcspn(text, "&"), n_name = strcspn(text, "=&");
		struct parameter p = { .name = text, .n_name = n_name };

		if (n_name < n) {
			p.value = text + n_name + 1;
			p.n_value = n - n_name - 1;
		}
		rc = n ? set_parameter(&p, to, seconds, err) : 0;
		text += n + (text[n] == '&');
	}
	if (rc == 0 && to->events && *to->events && to->options.kind != SAMPLE_CPU)
		rc = err_set(err, ERR_USAGE, "event cannot be combined with off-cpu or wall");
	return rc;
}

int sources_process_new(const char *source, int64_t seconds, struct process_source **out, struct err *err)
{
	const char *pids = source + strlen(prefix);
	size_t n = strcspn(pids, "?");
	struct process_source *p = mem_zalloc(1, sizeof(*p));
	uint64_t duration = SAMPLE_SECONDS_DEFAULT;
	int rc;

	p->pid = mem_alloc(SAMPLE_PIDS_MAX, sizeof(*p->pid));
	p->options.pid = p->pid;
	p->options.stop = &p->stop;
	rc = attach_parse_pids(pids, n, p->pid, &p->options.n_pids, err);
	if (rc == 0)
		rc = process_read_parameters(pids + n + (pids[n] == '?'), p, &duration, err);
	if (rc == 0 && seconds > SECONDS_MAX)
		rc = err_set(err, ERR_USAGE, "-seconds must be at most %d", SECONDS_MAX);
	if (rc < 0) {
		sources_process_free(p);
		return rc;
	}
	p->options.duration_ns = (seconds > 0 ? (uint64_t)seconds : duration) * SECOND_MS * NS_PER_MS;
	*out = p;
	return 0;
}

void sources_process_free(struct process_source *p)
{
	if (!p)
		return;
	profile_free(p->profile);
	buf_release(&p->notes);
	free(p->events);
	free(p->pid);
	free(p);
}

/* ---- messages ---- */

/* Append " (NAME)", with the name of a process. */
static void process_add_name(pid_t pid, struct buf *out)
{
	char path[64], name[64];
	ssize_t n = -1;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0) {
		n = read(fd, name, sizeof(name));
		close(fd);
	}
	if (n > 1)
		buf_addf(out, " (%.*s)", (int)n - 1, name); /* without the newline */
}

static uint64_t sources_process_ms(const struct process_source *p)
{
	return p->options.duration_ns / NS_PER_MS;
}

void sources_process_describe(const struct process_source *p, struct buf *out)
{
	enum { NAMES_MAX = 3 };
	size_t n = p->options.n_pids;

	buf_addf(out, "process%s ", n == 1 ? "" : "es");
	for (size_t i = 0; i < n && i < NAMES_MAX; i++) {
		buf_addf(out, "%s%d", i ? ", " : "", (int)p->pid[i]);
		process_add_name(p->pid[i], out);
	}
	if (n > NAMES_MAX)
		buf_addf(out, " and %zu more", n - NAMES_MAX);
	buf_addf(out, " for %" PRIu64 "s", sources_process_ms(p) / SECOND_MS);
}

void sources_process_add_totals(const struct collect_totals *t, struct buf *out)
{
	buf_addf(out, "sampled %.3f of %.3f s of CPU time in %" PRIu64 " process%s", (double)t->sampled_ns * 1e-9,
		 (double)t->cpu_ns * 1e-9, t->n_processes, t->n_processes == 1 ? "" : "es");
	if (t->n_stacks)
		buf_addf(out, ", %.3g %% complete", 100.0 * (double)t->n_complete / (double)t->n_stacks);
}

static void add_other_totals(const struct sample_result *r, struct buf *out)
{
	static const char *const kind[] = {
		[SAMPLE_CPU] = "", [SAMPLE_OFF_CPU] = ", off CPU", [SAMPLE_WALL] = ", in wall-clock time"
	};
	const struct collect_totals *t = &r->totals;

	buf_addf(out, "sampled %" PRIu64 " process%s%s", t->n_processes, t->n_processes == 1 ? "" : "es",
		 kind[r->kind]);
	if (t->n_stacks && (t->n_complete || r->kind == SAMPLE_CPU)) /* else the end of stacks was not determined */
		buf_addf(out, ", %.3g %% complete", 100.0 * (double)t->n_complete / (double)t->n_stacks);
}

void sources_process_add_result(const struct sample_result *r, struct buf *out)
{
	if (r->totals.cpu_ns)
		sources_process_add_totals(&r->totals, out);
	else
		add_other_totals(r, out);
	if (r->n_lost) {
		buf_addz(out, ", ");
		unit_add_count(out, r->n_lost);
		buf_addz(out, " records lost");
	}
	if (r->kind == SAMPLE_CPU && !r->has_kernel)
		buf_addz(out, ", without the kernel");
	buf_addz(out, "; ");
	unit_add_count(out, r->totals.n_stacks);
	buf_addf(out, " stack%s in %.1f s, cpa used %.3f s of CPU time", r->totals.n_stacks == 1 ? "" : "s",
		 (double)r->duration_ns * 1e-9, (double)r->own_ns * 1e-9);
}

/* ---- sampling ---- */

static void process_add_note(void *arg, const char *text)
{
	struct process_source *p = arg;

	buf_addf(&p->notes, "%s\n", text);
}

static void *process_sample(void *arg)
{
	struct process_source *p = arg;
	struct sample_result result;

	p->rc = attach_sample(&p->options, &p->profile, &result, &p->err);
	if (p->rc == 0) {
		sources_process_add_result(&result, &p->notes);
		buf_addz(&p->notes, "\n");
		if (result.totals.n_stacks == 0 && result.kind == SAMPLE_CPU)
			process_add_note(p, "no CPU time was used; the parameter off-cpu shows where threads wait");
	}
	atomic_store(&p->is_done, true);
	return NULL;
}

void sources_process_start(struct process_source *p)
{
	int failed;

	p->options.messages = (struct attach_messages){ .arg = p, .note = process_add_note, .error = process_add_note };
	failed = pthread_create(&p->thread, NULL, process_sample, p);
	p->has_thread = failed == 0;
	if (failed)
		p->rc = err_set(&p->err, ERR_IO, "cannot create a thread: %s", strerror(failed));
}

void sources_process_stop(struct process_source *p)
{
	stop_set(&p->stop);
}

bool sources_process_is_running(struct process_source *p, uint64_t *left_ms)
{
	uint64_t done = atomic_load_explicit(&p->stop.done, memory_order_relaxed), all = sources_process_ms(p);

	if (!p->has_thread || atomic_load(&p->is_done))
		return false;
	*left_ms = done < all ? all - done : 0;
	return true;
}

int sources_process_finish(struct process_source *p, struct profile **out, struct buf *notes, struct err *err)
{
	if (p->has_thread)
		pthread_join(p->thread, NULL);
	p->has_thread = false;
	buf_add(notes, buf_text(&p->notes), p->notes.len);
	if (p->rc < 0) {
		*err = p->err;
		return p->rc;
	}
	*out = p->profile;
	p->profile = NULL;
	return 0;
}

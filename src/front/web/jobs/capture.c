/*
 * capture.c - fetch profiles from servers in the background: servers, list, start and stop
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/jobs/capture_int.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[][2] = {
	{ "profile", "CPU" },           { "heap", "heap" },
	{ "allocs", "allocations" },    { "block", "blocking" },
	{ "mutex", "lock contention" }, { "goroutine", "goroutines" },
	{ "threadcreate", "threads" },
};
enum { N_KINDS = sizeof(kinds) / sizeof(kinds[0]) };

const char *captures_kind(size_t i, const char **title)
{
	if (i >= N_KINDS)
		return NULL;
	if (title)
		*title = kinds[i][1];
	return kinds[i][0];
}

struct captures *captures_new(struct workspace *w, struct jobs *jobs, const struct query *q,
			      const struct load_request *reload)
{
	struct captures *c = mem_zalloc(1, sizeof(*c));

	c->workspace = w;
	c->jobs = jobs;
	c->q = q;
	c->reload = reload;
	pthread_mutex_init(&c->lock, NULL);
	cond_init(&c->stopped);
	return c;
}

/* Stop a capture. The fence orders keep before the stop for other threads. */
static void stop_runner(struct capture_runner *r, bool keep)
{
	atomic_store(&r->keep, keep);
	atomic_thread_fence(memory_order_release);
	stop_set(&r->stop);
	if (!keep)
		stop_set(&r->load_stop);
}

void captures_free(struct captures *c)
{
	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i <= CAPTURE_SERVERS_MAX; i++)
		stop_runner(&c->runner[i], false);
	pthread_cond_broadcast(&c->stopped);
	pthread_mutex_unlock(&c->lock);
	for (size_t i = 0; i <= CAPTURE_SERVERS_MAX; i++)
		if (c->runner[i].is_started)
			pthread_join(c->runner[i].thread, NULL);
	for (size_t i = 0; i < c->n_servers; i++)
		sources_server_release(&c->server[i]);
	pthread_cond_destroy(&c->stopped);
	pthread_mutex_destroy(&c->lock);
	free(c);
}

int captures_add_server(struct captures *c, const char *source, struct err *err)
{
	struct profile_server s;
	int rc = sources_server_parse(source, &s, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < c->n_servers; i++) {
		if (strcmp(c->server[i].prefix, s.prefix) == 0) {
			sources_server_release(&s);
			return 0;
		}
	}
	if (c->n_servers == CAPTURE_SERVERS_MAX) {
		sources_server_release(&s);
		return err_set(err, ERR_LIMIT, "more than %d servers", CAPTURE_SERVERS_MAX);
	}
	c->server[c->n_servers++] = s;
	return 0;
}

size_t captures_n_servers(const struct captures *c)
{
	return c->n_servers;
}

const char *captures_server_name(const struct captures *c, size_t i)
{
	assert(i < c->n_servers);
	return c->server[i].name;
}

bool captures_is_process(const struct captures *c, size_t i)
{
	assert(i < c->n_servers);
	return c->server[i].is_process;
}

bool captures_can_end_early(const struct captures *c, size_t i)
{
	assert(i < c->n_servers);
	return !starts_with(c->server[i].prefix, "https");
}

bool captures_can_reload(const struct captures *c)
{
	return c->reload != NULL;
}

struct capture_status *capture_of(struct captures *c, unsigned number)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->status[i].number == number)
			return &c->status[i];
	return NULL;
}

static void session_capture_add_name(const struct captures *c, const struct capture_options *o, char *out, size_t size)
{
	char seconds[24] = "";

	if (o->server == c->n_servers) {
		snprintf(out, size, "sources of the command line");
		return;
	}
	if (o->seconds)
		snprintf(seconds, sizeof(seconds), " %us", o->seconds);
	snprintf(out, size, "%.120s %s%s", c->server[o->server].name, o->kind, seconds);
}

/* Set previous to the last complete capture of the same kind from the same server. */
static void find_previous(const struct captures *c, struct capture_status *s)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct capture_status *o = &c->status[i];

		if (o->state == CAPTURE_DONE && o->options.server == s->options.server &&
		    o->options.kind == s->options.kind)
			memcpy(s->previous, o->id, sizeof(s->previous));
	}
}

/* Remove the oldest capture that is not running; there is one, because there are fewer runners than captures. */
static void drop_oldest(struct captures *c)
{
	size_t i = 0;

	while (c->status[i].state == CAPTURE_RUNNING)
		i++;
	assert(i < c->n);
	memmove(&c->status[i], &c->status[i + 1], (c->n - i - 1) * sizeof(*c->status));
	memmove(&c->start_ms[i], &c->start_ms[i + 1], (c->n - i - 1) * sizeof(*c->start_ms));
	c->n--;
}

struct capture_status *capture_add(struct captures *c, const struct capture_options *options)
{
	struct capture_status s = { .number = ++c->n_numbers, .options = *options };

	if (c->n == CAPTURES_MAX)
		drop_oldest(c);
	s.started_ns = clock_wall_ns();
	session_capture_add_name(c, options, s.name, sizeof(s.name));
	find_previous(c, &s);
	c->start_ms[c->n] = clock_mono_ms();
	c->status[c->n] = s;
	return &c->status[c->n++];
}

/* Check options, and replace kind by the static text. */
static int session_capture_check(const struct captures *c, struct capture_options *o, struct err *err)
{
	const char *kind = NULL;

	if (o->server == c->n_servers && !c->reload)
		return err_set(err, ERR_USAGE, "the sources are files; only those on servers can be fetched again");
	if (o->server > c->n_servers)
		return err_set(err, ERR_USAGE, "no such server; servers are given on the command line of cpa -http");
	for (size_t i = 0; i < N_KINDS && !kind; i++)
		if (strcmp(kinds[i][0], o->kind) == 0)
			kind = kinds[i][0];
	if (!kind)
		return err_set(err, ERR_USAGE, "unknown kind of profile %.20s", o->kind);
	o->kind = kind;
	if (o->server < c->n_servers && c->server[o->server].is_process && kind != kinds[0][0])
		return err_set(err, ERR_USAGE, "a running process has only CPU profiles");
	if (o->server < c->n_servers && kind == kinds[0][0] && o->seconds == 0)
		return err_set(err, ERR_USAGE, "a CPU profile needs a duration, from 1 to %d seconds",
			       CAPTURE_SECONDS_MAX);
	if (o->seconds > CAPTURE_SECONDS_MAX)
		return err_set(err, ERR_USAGE, "a capture takes at most %d seconds", CAPTURE_SECONDS_MAX);
	if (o->hz > CAPTURE_HZ_MAX)
		return err_set(err, ERR_USAGE, "at most %d samples per second", CAPTURE_HZ_MAX);
	if (o->repeat_minutes > CAPTURE_REPEAT_MINUTES_MAX)
		return err_set(err, ERR_USAGE, "a capture is repeated at least once in %d minutes",
			       CAPTURE_REPEAT_MINUTES_MAX);
	return 0;
}

static int session_capture_start(struct captures *c, struct capture_runner *r, const struct capture_options *o,
				 struct err *err)
{
	int failed;

	if (r->is_running)
		return err_set(err, ERR_USAGE, "a capture from %s is running; stop it first",
			       o->server < c->n_servers ? c->server[o->server].name : "the command line's sources");
	if (r->is_started)
		pthread_join(r->thread, NULL);
	r->captures = c;
	r->options = *o;
	r->keep = false;
	r->stop = r->load_stop = (struct stop){ 0 };
	r->n_bytes = 0;
	r->is_running = true;
	r->number = capture_add(c, o)->number;
	failed = pthread_create(&r->thread, NULL, capture_run, r);
	r->is_started = r->is_running = failed == 0;
	if (failed) {
		capture_of(c, r->number)->state = CAPTURE_FAILED;
		return err_set(err, ERR_IO, "cannot create a thread: %s", strerror(failed));
	}
	return 0;
}

int captures_start(struct captures *c, const struct capture_options *options, unsigned *number, struct err *err)
{
	struct capture_options o = *options;
	int rc = session_capture_check(c, &o, err);

	if (rc < 0)
		return rc;
	pthread_mutex_lock(&c->lock);
	rc = session_capture_start(c, &c->runner[o.server], &o, err);
	*number = c->runner[o.server].number;
	pthread_mutex_unlock(&c->lock);
	return rc;
}

bool captures_stop(struct captures *c, unsigned number, bool keep)
{
	bool is_found = false;

	pthread_mutex_lock(&c->lock);
	for (size_t i = 0; i <= c->n_servers; i++) {
		struct capture_runner *r = &c->runner[i];

		if (!r->is_running || r->number != number)
			continue;
		stop_runner(r, keep);
		pthread_cond_broadcast(&c->stopped);
		is_found = true;
	}
	pthread_mutex_unlock(&c->lock);
	return is_found;
}

/* Copy a status, with the numbers of a running capture. The lock is held. */
static void copy_status(const struct captures *c, size_t i, struct capture_status *out)
{
	*out = c->status[i];
	if (out->state != CAPTURE_RUNNING)
		return;
	out->elapsed_ms = clock_mono_ms() - c->start_ms[i];
	out->n_bytes = c->runner[out->options.server].n_bytes;
	out->is_stopping = stop_is_set(&c->runner[out->options.server].stop);
}

size_t captures_list(struct captures *c, struct capture_status out[CAPTURES_MAX])
{
	size_t n;

	pthread_mutex_lock(&c->lock);
	n = c->n;
	for (size_t i = 0; i < n; i++)
		copy_status(c, n - 1 - i, &out[i]);
	pthread_mutex_unlock(&c->lock);
	return n;
}

bool captures_find(struct captures *c, unsigned number, struct capture_status *out)
{
	const struct capture_status *s;

	pthread_mutex_lock(&c->lock);
	s = capture_of(c, number);
	if (s)
		copy_status(c, (size_t)(s - c->status), out);
	pthread_mutex_unlock(&c->lock);
	return s != NULL;
}

bool captures_is_busy(struct captures *c, size_t server)
{
	bool is_busy;

	pthread_mutex_lock(&c->lock);
	is_busy = server <= c->n_servers && c->runner[server].is_running;
	pthread_mutex_unlock(&c->lock);
	return is_busy;
}

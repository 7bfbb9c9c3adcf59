/*
 * requests.c - start the requests that are due, and handle their results
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "base/mem.h"
#include "base/time.h"
#include "fetch/folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEEP_S = 90, NOT_FOUND = 404 };

/* A running request. */
struct requests_request {
	struct scrape_collector *c;
	struct scrape_state *state;
	struct scrape_config *config; /* a reference */
	const struct scrape_job *job;
	const struct scrape_kind *kind; /* NULL: the version */
	struct scrape_labels *labels;   /* a reference */
	size_t index;                   /* of the kind */
	bool is_threads;                /* asks a server of cpa for threads instead of goroutines */
	int64_t begin_ns, begin_mono_ns;
};

static uint64_t scrape_requests_count_missed(const struct scrape_schedule *s)
{
	uint64_t n = 0;

	for (size_t i = 0; i < s->n; i++)
		n += s->state[i].n_missed;
	return n;
}

/* Were all kinds of a target scraped once? */
static bool scrape_requests_is_done(const struct scrape_state *s)
{
	uint64_t all = s->target->schedule.n >= 64 ? UINT64_MAX : (UINT64_C(1) << s->target->schedule.n) - 1;

	return (s->done & all) == all;
}

/* The next request of a target, counting those that were missed. */
static int64_t scrape_requests_find_next(struct scrape_collector *c, struct scrape_schedule *s, int64_t now_ns,
					 size_t *kind)
{
	uint64_t missed = scrape_requests_count_missed(s);
	int64_t due = scrape_schedule_next(s, now_ns, kind);

	missed = scrape_requests_count_missed(s) - missed;
	if (missed > 0) {
		pthread_mutex_lock(&c->stats.lock);
		c->stats.n_missed += missed;
		pthread_mutex_unlock(&c->stats.lock);
	}
	return due;
}

void scrape_plan_next(struct scrape_collector *c, struct scrape_state *s, int64_t now_ns)
{
	size_t kind;
	int64_t due = scrape_requests_find_next(c, &s->target->schedule, now_ns, &kind);

	if (s->open || c->stop_ns || (c->o.once && scrape_requests_is_done(s)))
		due = INT64_MAX;
	scrape_heap_set(&c->heap, s, due);
}

/* ---- results ---- */

static void send_kind(struct scrape_collector *c, struct scrape_state *s, size_t index);

static enum scrape_result scrape_requests_result_of(const struct fetch_request *r)
{
	if (r->rc == 0)
		return SCRAPE_OK;
	if (r->rc == ERR_STOPPED)
		return SCRAPE_CANCELLED;
	if (r->rc == ERR_LIMIT || r->rc == ERR_FORMAT)
		return SCRAPE_DROPPED;
	if (r->status == 200)
		return SCRAPE_UNREACHABLE; /* the response ended early */
	return scrape_result_of_status(r->status, r->is_go_pprof, r->retry_after > 0);
}

/* Log a change of the state of a target. A missing kind is a state of the kind, and normal for block and mutex. */
static void log_result(struct scrape_collector *c, struct scrape_state *s, const struct requests_request *x,
		       enum scrape_result result, const char *message)
{
	const char *instance = s->target ? s->target->instance : "", *service = x->labels->service;

	if (result == SCRAPE_MISSING) {
		scrape_log(c, "service=\"%s\" target=\"%s\" kind=%s state=missing", service, instance, x->kind->name);
		return;
	}
	if (result == SCRAPE_CANCELLED || (s->has_logged && s->logged == result))
		return;
	if (result == SCRAPE_OK)
		scrape_log(c, "service=\"%s\" target=\"%s\" state=ok", service, instance);
	else
		scrape_log(c, "service=\"%s\" target=\"%s\" kind=%s state=%s error=\"%s\"", service, instance,
			   x->kind->name, scrape_result_name(result), message);
	s->logged = result;
	s->has_logged = true;
}

static void scrape_requests_set_error(struct scrape_state *s, const struct requests_request *x,
				      enum scrape_result result, const char *message)
{
	if (result == SCRAPE_OK || result == SCRAPE_CANCELLED)
		return;
	if (result != SCRAPE_MISSING)
		s->has_failed = true;
	scrape_state_fail(s, result == SCRAPE_UNREACHABLE ? "" : x->kind->name, x->kind->name, message);
}

static void log_version(struct scrape_collector *c, const struct requests_request *x, const char *message)
{
	char plain[SCRAPE_ERROR_MAX];

	scrape_log(c, "service=\"%s\" target=\"%s\" version=unknown error=\"%s\"", x->labels->service,
		   x->state->target ? x->state->target->instance : "", scrape_plain(plain, message));
}

static void scrape_requests_decode(struct scrape_collector *c, struct requests_request *x, struct fetch_request *r)
{
	struct scrape_decode *d = mem_zalloc(1, sizeof(*d));

	d->c = c;
	d->state = x->state;
	d->state->n_refs++;
	d->config = scrape_config_ref(x->config);
	d->job = x->job;
	d->kind = x->kind;
	d->labels = scrape_labels_ref(x->labels);
	d->bytes = r->bytes;
	d->n_bytes = r->bytes.n;
	d->begin_ns = x->begin_ns;
	memcpy(d->version, x->state->version, sizeof(d->version));
	atomic_fetch_add(&c->n_pending, 1);
	scrape_decoders_add(c->decoders, d);
}

/* The response to a request for a profile. */
static void end_kind(struct scrape_collector *c, struct requests_request *x, struct fetch_request *r)
{
	struct scrape_state *s = x->state;
	enum scrape_result result = scrape_requests_result_of(r);
	int64_t now = clock_wall_ns();
	char message[SCRAPE_ERROR_MAX];

	scrape_plain(message, r->rc < 0 ? r->err.msg : "");
	scrape_stats_request(&c->stats, x->kind->name, result, clock_mono_ns() - x->begin_mono_ns, r->bytes.n);
	s->n_bytes += r->bytes.n;
	if (result == SCRAPE_DROPPED)
		scrape_stats_drop(&c->stats, r->rc == ERR_LIMIT ? SCRAPE_DROP_SIZE : SCRAPE_DROP_FORMAT);
	log_result(c, s, x, result, message);
	scrape_requests_set_error(s, x, result, message);
	if (s->target && !s->target->is_removed) {
		struct scrape_schedule *schedule = &s->target->schedule;

		scrape_schedule_end(schedule, now, result, r->retry_after * NS_PER_S, r->bytes.n);
		if (x->index < 64 && !(x->index < schedule->n && schedule->state[x->index].retry_ns))
			s->done |= UINT64_C(1) << x->index;
		if (c->o.once)
			scrape_schedule_hurry(schedule, s->done, now);
	}
	if (r->rc == 0)
		scrape_requests_decode(c, x, r);
}

/* The response to a request for the version. */
static void end_version(struct scrape_collector *c, struct requests_request *x, struct fetch_request *r)
{
	struct buf version = { 0 };
	struct err err;

	x->state->wants_version = false;
	if (r->rc == 0) {
		if (scrape_version_parse((const char *)r->bytes.data, r->bytes.n, x->job->version_field, &version,
					 &err) == 0)
			snprintf(x->state->version, sizeof(x->state->version), "%s", buf_text(&version));
		else
			log_version(c, x, err.msg);
		fetch_loop_release(c->loop, r->bytes.n);
		free(r->bytes.data);
	} else if (r->rc != ERR_STOPPED) {
		log_version(c, x, r->err.msg);
	}
	buf_release(&version);
}

/* Is the kind of the running request still scraped? A reload may have removed it or changed its index. */
static bool can_send_again(const struct scrape_collector *c, const struct scrape_state *s)
{
	return s->target && !s->target->is_removed && s->target->schedule.running < s->target->schedule.n &&
	       !c->stop_ns;
}

static void done(void *arg, struct fetch_request *r)
{
	struct requests_request *x = arg;
	struct scrape_collector *c = x->c;
	struct scrape_state *s = x->state;

	s->open = NULL;
	if (c->stop_ns && r->rc == ERR_IO && !r->has_answer)
		r->rc = ERR_STOPPED;
	if (x->is_threads && r->status == NOT_FOUND && can_send_again(c, s)) {
		s->has_no_threads = true; /* not a server of cpa */
		send_kind(c, s, s->target->schedule.running);
	} else if (x->kind) {
		end_kind(c, x, r);
	} else {
		end_version(c, x, r);
	}
	if (s->target && s->target->is_removed) {
		scrape_target_free(s->target);
		s->target = NULL;
		scrape_state_unref(s); /* of the target */
	} else if (s->target) {
		scrape_plan_next(c, s, clock_wall_ns());
	}
	scrape_state_unref(s);
	scrape_labels_unref(x->labels);
	scrape_config_unref(x->config);
	free(x);
}

/* ---- starts ---- */

/* Will the target have another request soon, on the same connection? */
static bool is_used_soon(const struct scrape_schedule *s, size_t kind, int64_t now_ns)
{
	for (size_t i = 0; i < s->n; i++)
		if (i == kind ? s->kind[i].every_ns < KEEP_S * NS_PER_S
			      : s->state[i].slot_ns - now_ns - s->kind[kind].capture_ns < KEEP_S * NS_PER_S)
			return true;
	return false;
}

static struct requests_request *new_request(struct scrape_collector *c, struct scrape_state *s)
{
	struct requests_request *x = mem_zalloc(1, sizeof(*x));

	x->c = c;
	x->state = s;
	s->n_refs++;
	x->config = scrape_config_ref(c->config);
	x->job = &c->config->job[s->target->job];
	x->labels = scrape_labels_ref(s->target->labels);
	x->begin_ns = clock_wall_ns();
	x->begin_mono_ns = clock_mono_ns();
	return x;
}

static void start_version(struct scrape_collector *c, struct scrape_state *s)
{
	struct requests_request *x = new_request(c, s);
	struct fetch_start start = { .group = c->group[s->target->job], .extra_ms = 10000, .done = done, .arg = x };
	struct url url;

	scrape_version_make_url(x->job, &s->target->folder, &url);
	start.url = &url;
	s->open = fetch_loop_start(c->loop, &start);
	url_release(&url);
}

/* The kind of a job with this name. A target may have fewer kinds than its job. */
static const struct scrape_kind *find_kind(const struct scrape_job *j, const char *name)
{
	size_t i = 0;

	while (i + 1 < j->n_kinds && strcmp(j->kind[i].name, name) != 0)
		i++;
	return &j->kind[i];
}

/* Send the request for a kind, whose slot has begun. */
static void send_kind(struct scrape_collector *c, struct scrape_state *s, size_t index)
{
	struct scrape_schedule *schedule = &s->target->schedule;
	struct requests_request *x = new_request(c, s);
	const struct scrape_kind *kind = find_kind(x->job, schedule->kind[index].name);
	int64_t seconds = kind->capture_ns / NS_PER_S;
	struct fetch_start start = { .group = c->group[s->target->job],
				     .capture_ms = kind->capture_ns / NS_PER_MS,
				     .extra_ms = x->job->timeout_ns / NS_PER_MS,
				     .closes = !is_used_soon(schedule, index, x->begin_ns),
				     .done = done,
				     .arg = x };
	struct buf query = { 0 };
	struct url url;

	x->kind = kind;
	x->index = index;
	x->is_threads = !s->has_no_threads && strcmp(kind->path, "goroutine") == 0;
	if (seconds > 0)
		buf_addf(&query, "seconds=%lld", (long long)seconds);
	fetch_folder_url(&s->target->folder, x->is_threads ? "threads" : kind->path, buf_text(&query), seconds, &url);
	start.url = &url;
	s->open = fetch_loop_start(c->loop, &start);
	url_release(&url);
	buf_release(&query);
}

static void start_kind(struct scrape_collector *c, struct scrape_state *s, size_t index)
{
	scrape_stats_time(&c->stats, SCRAPE_START_DELAY,
			  scrape_schedule_begin(&s->target->schedule, index, clock_wall_ns()));
	send_kind(c, s, index);
}

static void start_target(struct scrape_collector *c, struct scrape_state *s, int64_t now_ns)
{
	size_t kind;

	if (!c->group[s->target->job]) { /* its files cannot be read: a log line said so */
		s->has_failed = true;
		scrape_heap_set(&c->heap, s, c->o.once ? INT64_MAX : now_ns + 60 * NS_PER_S);
		return;
	}
	if (scrape_requests_find_next(c, &s->target->schedule, now_ns, &kind) > now_ns) {
		scrape_plan_next(c, s, now_ns);
		return;
	}
	if (s->wants_version)
		start_version(c, s);
	else
		start_kind(c, s, kind);
	if (s->open)
		scrape_heap_set(&c->heap, s, INT64_MAX);
}

int64_t scrape_start_due(struct scrape_collector *c)
{
	int64_t now = clock_wall_ns(), wait_ns;

	while (c->heap.n > 0 && c->heap.item[0]->due_ns <= now) {
		if (fetch_loop_n_open(c->loop) >= c->open_max)
			return NS_PER_S / 10;
		if (!scrape_rate_take(&c->rate, clock_boot_ns(), &wait_ns))
			return wait_ns > NS_PER_MS ? wait_ns : NS_PER_MS;
		start_target(c, c->heap.item[0], now);
	}
	if (c->heap.n == 0 || c->heap.item[0]->due_ns == INT64_MAX)
		return INT64_MAX;
	return c->heap.item[0]->due_ns - now;
}

void scrape_cancel_open(struct scrape_collector *c, bool all)
{
	int64_t now = clock_wall_ns();

	for (size_t i = 0; i < c->targets.n; i++) {
		struct scrape_state *s = c->targets.target[i]->owner_data;
		const struct scrape_schedule *schedule = &c->targets.target[i]->schedule;
		int64_t capture = schedule->is_running ? schedule->kind[schedule->running].capture_ns : 0;

		if (s->open && (all || now - schedule->begin_ns < capture / 2))
			fetch_loop_cancel(c->loop, s->open, "the collector ends");
		else if (!s->open)
			scrape_heap_set(&c->heap, s, INT64_MAX);
	}
}

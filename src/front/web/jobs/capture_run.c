/*
 * capture_run.c - the thread of a capture
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/jobs/capture_int.h"

#include "base/time.h"
#include "engine/query.h"
#include "profile/merge.h"

#include <stdio.h>
#include <string.h>

/* Data of a running capture, without the lock. */
struct capture_run {
	struct capture_runner *r;
	struct capture_options options;
	struct load_events events;
	struct buf source;         /* of the piece being fetched; loaded may borrow it */
	struct load_result loaded; /* the first piece, as loaded; or all pieces, added up */
	uint64_t n_samples;
	unsigned n_pieces;
};

static void capture_run_fetch(void *arg, struct remote *remote, const struct query *q, struct buf *notes)
{
	struct capture_run *run = arg;

	(void)q; /* its stop is only that of reading the answer */
	remote_watch(remote, &run->r->n_bytes, &run->r->keep);
	remote_fetch(remote, NULL, &run->r->stop, notes);
}

/* The sum of the first sample type, if it is a count. */
static uint64_t capture_run_count_samples(const struct profile *p)
{
	uint64_t n = 0;

	if (p->n_types == 0 || strcmp(profile_text(p, p->type[0].unit), "count") != 0)
		return 0;
	for (uint32_t row = 0; row < p->n_rows; row++)
		n += p->value[0][row] > 0 ? (uint64_t)p->value[0][row] : 0;
	return n;
}

static void note_piece(struct capture_run *run)
{
	struct captures *c = run->r->captures;
	struct capture_status *s;

	pthread_mutex_lock(&c->lock);
	s = capture_of(c, run->r->number);
	s->n_samples = run->n_samples;
	s->n_pieces = run->n_pieces;
	pthread_mutex_unlock(&c->lock);
}

/* Add a piece to those before. Takes over l. */
static int capture_run_add_piece(struct capture_run *run, struct load_result *l, struct err *err)
{
	const struct profile *both[] = { run->loaded.profile, l->profile };
	struct profile *sum;
	int rc;

	run->n_samples += capture_run_count_samples(l->profile);
	run->n_pieces++;
	if (!run->loaded.profile) {
		run->loaded = *l;
		return 0;
	}
	rc = profile_merge(both, 2, NULL, &sum, err);
	load_result_release(l);
	if (rc < 0)
		return rc;
	load_result_release(&run->loaded);
	run->loaded.profile = sum;
	return 0;
}

/* A load, as work beside the jobs. */
struct capture_load {
	struct load_request request;
	struct load_result *out;
};

static int capture_run_load(void *arg, struct err *err)
{
	struct capture_load *l = arg;

	return sources_load(&l->request, l->out, err);
}

/* Fetch a piece, or the sources of the command line. */
static int fetch_piece(struct capture_run *run, unsigned seconds, struct err *err)
{
	struct captures *c = run->r->captures;
	struct load_result l = { 0 };
	struct capture_load work = { .out = &l };
	struct load_request *request = &work.request;
	struct query q = *c->q;
	const char *word;
	int rc;

	if (run->options.server == c->n_servers) {
		*request = *c->reload;
	} else {
		run->source.len = 0;
		sources_server_add_source(&c->server[run->options.server], run->options.kind, seconds, run->options.hz,
					  &run->source);
		word = buf_text(&run->source);
		q.seconds = -1; /* the source contains the duration */
		q.normalize = "";
		*request = (struct load_request){ .q = &q, .word = &word, .n_words = 1 };
	}
	request->is_reload = true;
	request->stop = &run->r->load_stop;
	request->events = &run->events;
	rc = jobs_run_beside(c->jobs, request->stop, capture_run_load, &work, err);
	if (rc == 0)
		return capture_run_add_piece(run, &l, err);
	load_result_release(&l);
	if (run->source.len) /* the list of captures names it */
		sources_server_cut_source(buf_text(&run->source), err);
	return rc;
}

static int fetch_all_pieces(struct capture_run *run, struct err *err)
{
	const struct captures *c = run->r->captures;
	bool has_pieces = run->options.server < c->n_servers && strcmp(run->options.kind, "profile") == 0;
	unsigned n_remaining = run->options.seconds;
	int rc;

	do {
		unsigned seconds =
			has_pieces && n_remaining > CAPTURE_PIECE_SECONDS ? CAPTURE_PIECE_SECONDS : n_remaining;

		rc = fetch_piece(run, seconds, err);
		n_remaining -= seconds;
		if (rc == 0)
			note_piece(run);
	} while (rc == 0 && n_remaining > 0 && !stop_is_set(&run->r->stop));
	return rc;
}

/* Append the measured time to the name of a capture that was stopped. */
static void name_measured(const struct capture_run *run, char *name)
{
	int64_t ns = run->loaded.profile->meta.duration_ns;

	if (ns > 0 && ns < run->options.seconds * NS_PER_S)
		snprintf(name + strlen(name), CAPTURE_NAME_BYTES - strlen(name), ", stopped after %.1fs",
			 (double)ns / 1e9);
}

/* Open the result; name, id and err describe the outcome. Returns the state of the capture. */
static enum capture_state capture_finish(struct capture_run *run, int rc, char *name, char *id, struct err *err)
{
	struct captures *c = run->r->captures;
	struct open_profile *o;
	bool is_stopped, keep, has_failed;

	pthread_mutex_lock(&c->lock); /* keep is set before the stop, which does not order them for other threads */
	is_stopped = stop_is_set(&run->r->stop);
	keep = run->r->keep;
	pthread_mutex_unlock(&c->lock);
	if (is_stopped && !keep)
		return CAPTURE_DISCARDED;
	if (is_stopped && !run->loaded.profile) {
		if (rc == 0)
			err_set(err, ERR_STOPPED, "stopped before there was data to keep");
		else
			err_wrap(err, "stopped, and there is nothing to keep");
		return CAPTURE_FAILED;
	}
	has_failed = rc < 0 && !is_stopped;
	if (has_failed && !run->loaded.profile)
		return CAPTURE_FAILED;
	if (is_stopped)
		name_measured(run, name);
	if (workspace_open(c->workspace, &run->loaded, name, OPEN_CAPTURE, &o, has_failed ? NULL : err) < 0)
		return CAPTURE_FAILED;
	memcpy(id, workspace_id(o), WORKSPACE_ID_LENGTH + 1);
	workspace_put(c->workspace, o);
	return has_failed ? CAPTURE_FAILED : CAPTURE_DONE;
}

static void capture_run_once(struct capture_runner *r)
{
	struct captures *c = r->captures;
	struct capture_run run = { .r = r, .options = r->options };
	struct capture_status *s;
	char name[CAPTURE_NAME_BYTES], id[WORKSPACE_ID_LENGTH + 1] = "";
	enum capture_state state;
	struct err err = { 0 };
	int rc;

	pthread_mutex_lock(&c->lock);
	memcpy(name, capture_of(c, r->number)->name, sizeof(name));
	pthread_mutex_unlock(&c->lock);
	run.events = (struct load_events){ .arg = &run, .fetch = capture_run_fetch };
	rc = fetch_all_pieces(&run, &err);
	state = capture_finish(&run, rc, name, id, &err);
	load_result_release(&run.loaded);
	buf_release(&run.source);
	pthread_mutex_lock(&c->lock);
	s = capture_of(c, r->number);
	s->elapsed_ms = clock_mono_ms() - c->start_ms[s - c->status];
	s->n_bytes = r->n_bytes;
	s->state = state;
	memcpy(s->name, name, sizeof(s->name));
	memcpy(s->id, id, sizeof(s->id));
	if (state == CAPTURE_FAILED)
		memcpy(s->error, err.msg, sizeof(s->error));
	pthread_mutex_unlock(&c->lock);
}

/* Wait until the next capture of a repeated one starts. Returns false if it was stopped. */
static bool wait_for_next(struct capture_runner *r, int64_t start_ms)
{
	struct captures *c = r->captures;
	int64_t end_ms = start_ms + (int64_t)r->options.repeat_minutes * 60000;
	struct timespec end = { .tv_sec = (time_t)(end_ms / 1000), .tv_nsec = (long)(end_ms % 1000) * 1000000 };
	bool is_stopped;

	pthread_mutex_lock(&c->lock);
	while (!stop_is_set(&r->stop) && clock_mono_ms() < end_ms)
		pthread_cond_timedwait(&c->stopped, &c->lock, &end);
	is_stopped = stop_is_set(&r->stop);
	if (!is_stopped) {
		r->n_bytes = 0;
		r->number = capture_add(c, &r->options)->number;
	}
	pthread_mutex_unlock(&c->lock);
	return !is_stopped;
}

void *capture_run(void *runner)
{
	struct capture_runner *r = runner;
	int64_t start_ms;

	do {
		start_ms = clock_mono_ms();
		capture_run_once(r);
	} while (r->options.repeat_minutes && !stop_is_set(&r->stop) && !stop_is_set(&r->load_stop) &&
		 wait_for_next(r, start_ms));
	pthread_mutex_lock(&r->captures->lock);
	r->is_running = false;
	pthread_mutex_unlock(&r->captures->lock);
	return NULL;
}

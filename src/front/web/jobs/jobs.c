/*
 * jobs.c - requests of a server that are being answered
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The thread of the first client with a key computes the response, even if that client disconnects while others wait.
 * A separate thread polls the stops of all clients, because the thread that computes cannot.
 */
#include "config.h"

#include "front/web/jobs/jobs.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/time.h"
#include "base/unit.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

enum {
	POLL_MS = 10,
	SMALL_BYTES = 32 << 20,  /* a job that allocated less is not stopped, since that would not help */
	MEMORY_WAIT_MS = 20,     /* time before a failed allocation is tried again */
	MEMORY_RETRIES_MAX = 500 /* 10 s: then the process ends */
};

struct waiter {
	struct waiter *next;
	const struct jobs_client *client;
	bool is_replaced; /* has a newer request for the same part of the same tab arrived? */
};

struct flight {
	struct flight *next; /* in the order of arrival */
	const char *key;     /* NULL: never shared; else borrowed from the first client */
	struct waiter *waiters;
	unsigned n_refs; /* threads that use the flight */
	bool is_running, is_done;
	bool is_beside;    /* needs no client, and is not counted in n_running */
	bool is_too_large; /* stopped because of its memory */
	atomic_uint_fast64_t allocated;
	struct stop own_stop, *stop; /* stop: own_stop, or that of work beside the jobs */
	int64_t start_ms;
	struct http_response response; /* once done */
};

struct jobs {
	pthread_mutex_t lock; /* guards everything below */
	pthread_cond_t changed;
	struct flight *first; /* flights that are not done */
	unsigned n_running, max_running;
	pthread_t poller;
	bool has_poller, is_closing;
	uint64_t memory_max;        /* 0: no limit */
	atomic_bool is_memory_gone; /* an allocation failed since the last check; not guarded */
};

struct jobs *jobs_new(void)
{
	struct jobs *j = mem_zalloc(1, sizeof(*j));

	pthread_mutex_init(&j->lock, NULL);
	cond_init(&j->changed);
	j->max_running = pool_size() < JOBS_RUNNING_MAX ? pool_size() : JOBS_RUNNING_MAX;
	return j;
}

void jobs_free(struct jobs *j)
{
	if (!j)
		return;
	assert(!j->first);
	pthread_mutex_lock(&j->lock);
	j->is_closing = true;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	if (j->has_poller)
		pthread_join(j->poller, NULL);
	if (j->memory_max)
		mem_set_wait(NULL, NULL);
	pthread_cond_destroy(&j->changed);
	pthread_mutex_destroy(&j->lock);
	free(j);
}

/* Wait for a change, or for POLL_MS, because a stop that is set wakes no thread. */
static void wait_briefly(struct jobs *j)
{
	cond_wait_ms(&j->changed, &j->lock, POLL_MS);
}

static bool wants_response(const struct waiter *w)
{
	return !w->is_replaced && !stop_is_set(w->client->stop);
}

static bool has_client(const struct flight *f)
{
	for (const struct waiter *w = f->waiters; w; w = w->next)
		if (wants_response(w))
			return true;
	return false;
}

/* Wait until another thread may have released memory. Locks may be held, so this only leaves a note for the poller. */
static bool wait_for_memory(void *arg, unsigned n)
{
	const struct timespec wait = { .tv_nsec = MEMORY_WAIT_MS * 1000000L };
	struct jobs *j = arg;

	atomic_store(&j->is_memory_gone, true);
	nanosleep(&wait, NULL);
	return n < MEMORY_RETRIES_MAX;
}

void jobs_limit_memory(struct jobs *j, uint64_t bytes)
{
	j->memory_max = bytes;
	mem_set_wait(wait_for_memory, j);
}

/* Stop the largest job if the process needs too much memory. Jobs are stopped one after the other. */
static void check_memory(struct jobs *j)
{
	bool is_gone = j->memory_max && atomic_exchange(&j->is_memory_gone, false);
	struct flight *largest = NULL;

	if (!j->memory_max || (!is_gone && mem_resident() <= j->memory_max))
		return;
	for (struct flight *f = j->first; f; f = f->next) {
		if (!f->is_running)
			continue;
		if (f->is_too_large)
			return;
		if (!largest || f->allocated > largest->allocated)
			largest = f;
	}
	if (!largest || (!is_gone && largest->allocated < SMALL_BYTES))
		return;
	largest->is_too_large = true;
	stop_set(largest->stop);
}

static void *poller_main(void *arg)
{
	struct jobs *j = arg;

	pthread_mutex_lock(&j->lock);
	while (!j->is_closing) {
		for (struct flight *f = j->first; f; f = f->next)
			if (!f->is_beside && !has_client(f))
				stop_set(f->stop);
		check_memory(j);
		if (j->first)
			wait_briefly(j);
		else
			pthread_cond_wait(&j->changed, &j->lock);
	}
	pthread_mutex_unlock(&j->lock);
	return NULL;
}

/* Replace older requests for the same part of the same tab. */
static void replace_older(struct jobs *j, const struct jobs_client *client)
{
	if (!*client->tab)
		return;
	for (struct flight *f = j->first; f; f = f->next)
		for (struct waiter *w = f->waiters; w; w = w->next)
			if (strcmp(w->client->tab, client->tab) == 0 && strcmp(w->client->slot, client->slot) == 0)
				w->is_replaced = true;
}

/* The flight that computes this key and still has a client. */
static struct flight *jobs_find_same(struct jobs *j, const char *key)
{
	for (struct flight *f = j->first; f; f = f->next)
		if (key && f->key && strcmp(f->key, key) == 0 && !stop_is_set(f->stop))
			return f;
	return NULL;
}

static void flight_start(struct jobs *j, struct flight *f, const char *key)
{
	struct flight **end = &j->first;

	f->key = key;
	if (!f->stop)
		f->stop = &f->own_stop;
	f->start_ms = clock_mono_ms();
	while (*end)
		end = &(*end)->next;
	*end = f;
	if (!j->has_poller)
		j->has_poller = pthread_create(&j->poller, NULL, poller_main, j) == 0;
	pthread_cond_broadcast(&j->changed);
}

/* Is this the first flight that does not run yet? */
static bool jobs_is_next(const struct jobs *j, const struct flight *f)
{
	const struct flight *first = j->first;

	while (first->is_running)
		first = first->next;
	return first == f;
}

static void flight_remove(struct jobs *j, const struct flight *f)
{
	struct flight **at = &j->first;

	while (*at != f)
		at = &(*at)->next;
	*at = f->next;
	pthread_cond_broadcast(&j->changed);
}

/* Compute the response of a new flight. The lock is held, but not while make runs. */
static void fly(struct jobs *j, struct flight *f, jobs_make_fn make, void *arg)
{
	struct http_response made = { 0 };
	unsigned n_threads;

	while (!stop_is_set(f->stop) && (j->n_running == j->max_running || !jobs_is_next(j, f)))
		wait_briefly(j);
	f->is_running = true;
	n_threads = pool_size() / ++j->n_running;
	pthread_cond_broadcast(&j->changed);
	pthread_mutex_unlock(&j->lock);
	if (!stop_is_set(f->stop)) {
		pool_limit(n_threads ? n_threads : 1);
		mem_count_into(&f->allocated);
		make(arg, f->stop, &made);
		mem_count_into(NULL);
		pool_limit(0);
	}
	pthread_mutex_lock(&j->lock);
	if (f->is_too_large) {
		http_response_release(&made);
		made = (struct http_response){ 0 };
	}
	f->response = made;
	f->is_done = true;
	j->n_running--;
	flight_remove(j, f);
}

static void leave(struct flight *f, struct waiter *w)
{
	struct waiter **at = &f->waiters;

	while (*at != w)
		at = &(*at)->next;
	*at = w->next;
	if (--f->n_refs)
		return;
	http_response_release(&f->response);
	free(f);
}

static int fail_too_large(const struct jobs *j, struct err *err)
{
	struct buf size = { 0 };
	int rc;

	unit_add_label(&size, (int64_t)j->memory_max, "bytes", "auto");
	rc = err_set(
		err, ERR_MEMORY,
		"this needs more memory than the server may use (%s); select fewer samples or rows, close profiles, or "
		"start cpa with a larger --http-memory",
		buf_text(&size));
	buf_release(&size);
	return rc;
}

int jobs_run(struct jobs *j, const struct jobs_client *client, const char *key, jobs_make_fn make, void *arg,
	     struct http_response *out, struct err *err)
{
	struct waiter self = { .client = client };
	struct flight *new = mem_zalloc(1, sizeof(*new)), *f; /* not with the lock held: see check_memory */
	bool is_too_large;
	int rc;

	pthread_mutex_lock(&j->lock);
	replace_older(j, client);
	f = jobs_find_same(j, key);
	if (f) {
		self.next = f->waiters;
		f->waiters = &self;
		f->n_refs++;
		while (!f->is_done && wants_response(&self))
			wait_briefly(j);
	} else {
		f = new;
		new = NULL;
		flight_start(j, f, key);
		f->waiters = &self;
		f->n_refs = 1;
		fly(j, f, make, arg);
	}
	rc = stop_check(client->stop, err);
	if (rc == 0 && self.is_replaced)
		rc = err_set(err, ERR_STOPPED, "stopped by a newer request");
	is_too_large = f->is_too_large;
	if (rc == 0 && !is_too_large)
		http_response_share(&f->response, out);
	leave(f, &self);
	pthread_mutex_unlock(&j->lock);
	free(new);
	return rc == 0 && is_too_large ? fail_too_large(j, err) : rc;
}

int jobs_run_beside(struct jobs *j, struct stop *stop, jobs_work_fn work, void *arg, struct err *err)
{
	struct flight f = { .is_beside = true, .is_running = true, .stop = stop };
	int rc;

	pthread_mutex_lock(&j->lock);
	flight_start(j, &f, NULL);
	pthread_mutex_unlock(&j->lock);
	mem_count_into(&f.allocated);
	rc = work(arg, err);
	mem_count_into(NULL);
	pthread_mutex_lock(&j->lock);
	flight_remove(j, &f);
	pthread_mutex_unlock(&j->lock);
	return rc < 0 && f.is_too_large ? fail_too_large(j, err) : rc;
}

static bool has_tab(const struct flight *f, const char *tab)
{
	for (const struct waiter *w = f->waiters; w; w = w->next)
		if (strcmp(w->client->tab, tab) == 0)
			return true;
	return false;
}

bool jobs_find_progress(struct jobs *j, const char *tab, struct jobs_progress *out)
{
	const struct flight *found = NULL;

	if (!*tab)
		return false;
	pthread_mutex_lock(&j->lock);
	for (const struct flight *f = j->first; f; f = f->next)
		if (has_tab(f, tab))
			found = f;
	if (found) {
		*out = (struct jobs_progress){ .elapsed_ms = (uint64_t)(clock_mono_ms() - found->start_ms),
					       .percent = -1 };
		if (found->is_running)
			out->percent = stop_percent(found->stop, &out->activity);
	}
	pthread_mutex_unlock(&j->lock);
	return found;
}

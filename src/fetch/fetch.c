/*
 * fetch.c - fetch profiles from servers, with parallel requests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread runs all requests, since requests mostly wait for servers.
 */
#include "config.h"

#include "fetch/fetch.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "fetch/curl.h"
#include "fetch/transfer.h"

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	PARALLEL_MAX = 128,  /* parallel requests, as in pprof */
	STOP_POLL_MS = 50,   /* interval between checks for cancellation */
	PROFILE_SECONDS = 30 /* duration of a profile if the URL has none, as in Go's server */
};

struct fetcher {
	struct transfers shared;
	CURLM *multi;
	struct transfer *transfer; /* [n] */
	size_t n, next;            /* next: first transfer not started */
	size_t running;
};

/* Warn about the first server that receives a secret without encryption. */
static void warn_about_plain_http(const struct fetcher *r, struct buf *notes)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct url *u = r->transfer[i].request->url;

		if (transfers_are_plain(&r->shared, u)) {
			buf_addf(notes, "secrets are sent to %s without encryption; use https://\n", u->host);
			return;
		}
	}
}

static int fetcher_init(struct fetcher *r, struct fetch_request *request, const struct fetch_options *options,
			struct buf *notes, struct err *err)
{
	int rc = transfers_init(&r->shared, options, notes, err);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < r->n; i++)
		r->transfer[i] = (struct transfer){ .shared = &r->shared, .request = &request[i] };
	warn_about_plain_http(r, notes);
	r->multi = r->shared.curl->multi_init();
	return r->multi ? 0 : err_set(err, ERR_IO, "cannot initialize libcurl");
}

static void start_more(struct fetcher *r)
{
	assert(r->next <= r->n && r->running <= PARALLEL_MAX);
	for (; r->next < r->n && r->running < PARALLEL_MAX; r->next++) {
		struct transfer *t = &r->transfer[r->next];

		if (transfer_begin(t) < 0)
			continue;
		r->shared.curl->multi_add_handle(r->multi, t->easy);
		r->running++;
	}
}

static void fetch_end_finished(struct fetcher *r)
{
	const struct curl *c = r->shared.curl;
	CURLMsg *message;
	int n_remaining;

	while ((message = c->multi_info_read(r->multi, &n_remaining))) {
		CURLcode code = message->data.result;
		CURL *easy = message->easy_handle;
		struct transfer *t = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		c->easy_getinfo(easy, CURLINFO_PRIVATE, &t);
		c->multi_remove_handle(r->multi, easy);
		if (transfer_end(t, code))
			c->multi_add_handle(r->multi, t->easy);
		else
			r->running--;
	}
}

/* Duration of a profile in seconds; 0 if unknown. */
static int64_t profile_seconds(const struct url *u)
{
	static const char profile[] = "/debug/pprof/profile";

	if (u->seconds > 0)
		return u->seconds;
	return ends_with(u->path, profile) ? PROFILE_SECONDS : 0;
}

static void fetch_report_progress(const struct fetcher *r, fetch_progress_fn progress)
{
	int64_t now = clock_mono_ms(), longest = 0;
	size_t n_remaining = r->n - r->next;

	for (size_t i = 0; i < r->next; i++) {
		const struct transfer *t = &r->transfer[i];
		int64_t rest = t->easy ? profile_seconds(t->request->url) - (now - t->start_ms) / 1000 : 0;

		n_remaining += t->easy != NULL;
		longest = rest > longest ? rest : longest;
	}
	progress(n_remaining, longest);
}

/* Milliseconds that the slowest request will take; 0 if unknown. */
static uint64_t longest_ms(const struct fetcher *r)
{
	int64_t longest = 0;

	for (size_t i = 0; i < r->n; i++)
		longest = profile_seconds(r->transfer[i].request->url) > longest
				  ? profile_seconds(r->transfer[i].request->url)
				  : longest;
	return (uint64_t)longest * 1000;
}

/* Must the requests end now? If their answers are to be kept, ask for them instead. */
static bool fetcher_must_end(struct fetcher *r, const struct stop *stop)
{
	const atomic_bool *keeps = r->shared.options->keeps;

	if (!stop_is_set(stop))
		return false;
	atomic_thread_fence(memory_order_acquire); /* keeps is set before the stop */
	if (!keeps || !atomic_load(keeps))
		return true;
	for (size_t i = 0; i < r->next; i++)
		if (r->transfer[i].easy)
			transfer_end_early(&r->transfer[i]);
	return false;
}

static void fetcher_run(struct fetcher *r, fetch_progress_fn progress, struct stop *stop)
{
	const struct curl *c = r->shared.curl;
	int64_t start_ms = clock_mono_ms(), reported_ms = start_ms - 1000;
	int n_running;

	stop_begin(stop, "waiting for the server", longest_ms(r));
	for (start_more(r); r->running && !fetcher_must_end(r, stop); start_more(r)) {
		stop_set_done(stop, (uint64_t)(clock_mono_ms() - start_ms));
		if (progress && clock_mono_ms() - reported_ms >= 1000) {
			reported_ms = clock_mono_ms();
			fetch_report_progress(r, progress);
		}
		if (c->multi_perform(r->multi, &n_running) != CURLM_OK)
			break;
		fetch_end_finished(r);
		if (r->running)
			c->multi_poll(r->multi, NULL, 0, STOP_POLL_MS, NULL);
	}
	for (size_t i = 0; i < r->n; i++) {
		struct transfer *t = &r->transfer[i];

		if (t->easy)
			c->multi_remove_handle(r->multi, t->easy);
		if (t->easy || i >= r->next)
			transfer_cancel(t, "interrupted");
	}
}

void fetch_all(struct fetch_request *request, size_t n, const struct fetch_options *options, fetch_progress_fn progress,
	       struct stop *stop, struct buf *notes)
{
	struct fetcher r = { .transfer = mem_zalloc(n, sizeof(*r.transfer)), .n = n };
	struct err err;
	int rc = fetcher_init(&r, request, options, notes, &err);

	assert((request || n == 0) && options);
	if (rc == 0) {
		fetcher_run(&r, progress, stop);
		r.shared.curl->multi_cleanup(r.multi);
	}
	for (size_t i = 0; rc < 0 && i < n; i++) {
		request[i].rc = rc;
		request[i].err = err;
	}
	transfers_release(&r.shared);
	free(r.transfer);
}

/*
 * fetch.c - profiles from servers, side by side
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread runs all requests: they wait for servers, not for processors.
 */
#include "config.h"

#include "fetch/fetch.h"

#include "base/mem.h"
#include "fetch/curl.h"
#include "fetch/secrets.h"
#include "fetch/transfer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	AT_ONCE = 128,       /* as many as pprof */
	WAIT_MS = 50,        /* after so long a stop is looked for */
	PROFILE_SECONDS = 30 /* that Go's server collects when not told otherwise */
};

struct run {
	struct transfer_all all;
	CURLM *multi;
	struct transfer *transfer; /* [n] */
	size_t n, next;            /* the first that has not begun */
	size_t running;
};

static int can_read(const char *path, const char *what, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, ERR_IO, "could not load %s: %.300s: %s", what, path, strerror(errno));
	close(fd);
	return 0;
}

/* Options that only make sense together, and files that have to be there. */
static int check_tls(const struct fetch_how *how, struct err *err)
{
	static const char pair[] = "certificate/key pair specified by -tls_cert and -tls_key";
	int rc = 0;

	if (*how->tls_key && !*how->tls_cert)
		return err_set(err, ERR_USAGE, "-tls_key is specified, so -tls_cert must also be specified");
	if (*how->tls_cert && !*how->tls_key)
		return err_set(err, ERR_USAGE, "-tls_cert is specified, so -tls_key must also be specified");
	if (*how->tls_cert)
		rc = can_read(how->tls_cert, pair, err);
	if (rc == 0 && *how->tls_key)
		rc = can_read(how->tls_key, pair, err);
	if (rc == 0 && *how->tls_ca)
		rc = can_read(how->tls_ca, "CA specified by -tls_ca", err);
	if (rc == 0 && *how->netrc && strcmp(how->netrc, "true") != 0)
		rc = can_read(how->netrc, "the file of --netrc", err);
	return rc;
}

/* Once, for the first server that will be sent a secret for everybody on the way to read. */
static void warn_of_plain(const struct run *r, struct buf *notes)
{
	for (size_t i = 0; i < r->n; i++) {
		const struct url *u = r->transfer[i].get->url;

		if ((r->all.secrets.n || u->user || *r->all.how->netrc) && strcmp(u->scheme, "http") == 0 &&
		    !url_is_local(u)) {
			buf_addf(notes, "secrets go to %s without encryption; https:// would keep them\n", u->host);
			return;
		}
	}
}

static int run_init(struct run *r, struct fetch *get, const struct fetch_how *how, struct buf *notes, struct err *err)
{
	int rc = check_tls(how, err);

	if (rc == 0)
		rc = secrets_read(how, &r->all.secrets, notes, err);
	if (rc == 0)
		rc = curl_load(&r->all.curl, err);
	if (rc < 0)
		return rc;
	r->all.how = how;
	for (size_t i = 0; i < r->n; i++)
		r->transfer[i] = (struct transfer){ .all = &r->all, .get = &get[i] };
	warn_of_plain(r, notes);
	r->multi = r->all.curl->multi_init();
	return r->multi ? 0 : err_set(err, ERR_IO, "libcurl cannot be started");
}

static void begin_some(struct run *r)
{
	for (; r->next < r->n && r->running < AT_ONCE; r->next++) {
		struct transfer *t = &r->transfer[r->next];

		if (transfer_begin(t) < 0)
			continue;
		r->all.curl->multi_add_handle(r->multi, t->easy);
		r->running++;
	}
}

static void end_some(struct run *r)
{
	const struct curl *c = r->all.curl;
	CURLMsg *message;
	int left;

	while ((message = c->multi_info_read(r->multi, &left))) {
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

/* How long a server will need to collect what was asked for, as far as that is known. */
static int64_t seconds_of(const struct url *u)
{
	static const char profile[] = "/debug/pprof/profile";
	size_t n = strlen(u->path), length = strlen(profile);

	if (u->seconds > 0)
		return u->seconds;
	return n >= length && strcmp(u->path + n - length, profile) == 0 ? PROFILE_SECONDS : 0;
}

static void tell(const struct run *r, fetch_progress_fn progress)
{
	int64_t now = transfer_now_ms(), longest = 0;
	size_t left = r->n - r->next;

	for (size_t i = 0; i < r->next; i++) {
		const struct transfer *t = &r->transfer[i];
		int64_t rest = t->easy ? seconds_of(t->get->url) - (now - t->begun_ms) / 1000 : 0;

		left += t->easy != NULL;
		longest = rest > longest ? rest : longest;
	}
	progress(left, longest);
}

/* How long the servers will take, in milliseconds; 0 when that is unknown. */
static uint64_t whole_ms(const struct run *r)
{
	int64_t longest = 0;

	for (size_t i = 0; i < r->n; i++)
		longest = seconds_of(r->transfer[i].get->url) > longest ? seconds_of(r->transfer[i].get->url) : longest;
	return (uint64_t)longest * 1000;
}

static void run_all(struct run *r, fetch_progress_fn progress, struct stop *stop)
{
	const struct curl *c = r->all.curl;
	int64_t begun_ms = transfer_now_ms(), told_ms = begun_ms - 1000;
	int n_running;

	stop_begin(stop, "waiting for the server", whole_ms(r));
	for (begin_some(r); r->running && !stop_is_set(stop); begin_some(r)) {
		stop_reach(stop, (uint64_t)(transfer_now_ms() - begun_ms));
		if (progress && transfer_now_ms() - told_ms >= 1000) {
			told_ms = transfer_now_ms();
			tell(r, progress);
		}
		if (c->multi_perform(r->multi, &n_running) != CURLM_OK)
			break;
		end_some(r);
		if (r->running)
			c->multi_poll(r->multi, NULL, 0, WAIT_MS, NULL);
	}
	for (size_t i = 0; i < r->n; i++) {
		struct transfer *t = &r->transfer[i];

		if (t->easy)
			c->multi_remove_handle(r->multi, t->easy);
		if (t->easy || i >= r->next)
			transfer_stop(t, "interrupted");
	}
}

void fetch_all(struct fetch *get, size_t n, const struct fetch_how *how, fetch_progress_fn progress, struct stop *stop,
	       struct buf *notes)
{
	struct run r = { .transfer = mem_zalloc(n, sizeof(*r.transfer)), .n = n };
	struct err err;
	int rc = run_init(&r, get, how, notes, &err);

	if (rc == 0) {
		run_all(&r, progress, stop);
		r.all.curl->multi_cleanup(r.multi);
	}
	for (size_t i = 0; rc < 0 && i < n; i++) {
		get[i].rc = rc;
		get[i].err = err;
	}
	secrets_release(&r.all.secrets);
	free(r.transfer);
}

/*
 * pods_watch.c - list pods with Kubernetes' API, and watch them for changes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A list is read in pages. A watch then sends the changes since its version, a line of JSON each, until its time is over; the next
 * watch continues at the version of the last event. When the server no longer has that version, pods are listed again. Until a
 * list is complete, and while the server cannot be reached, the pods are those known before. Tokens are read for each request,
 * since Kubernetes replaces them.
 */
#include "config.h"

#include "scrape/pods.h"

#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "fetch/fetch.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ACCOUNT "/var/run/secrets/kubernetes.io/serviceaccount"

enum {
	OK = 200,
	ERROR = 400,
	GONE = 410,
	LIST_SECONDS = 25,   /* for a page */
	WATCH_SECONDS = 240, /* for which the server keeps a watch open */
	LATE_SECONDS = 15,   /* for the end of a watch */
	EVENT_MAX = 4 << 20, /* bytes of an event */
	RESTARTS_MAX = 3,    /* lists that begin again since their pages have expired */
	WAIT_MAX = 60,       /* seconds between tries */
	ASKED_WAIT_MAX = 300,
	STEADY_MS = 5000, /* a watch that lasts so long works */
	STEP_MS = 50,     /* between checks for the end */
};

/* ---- requests ---- */

/* Append the URL of the pods, with a query. Fails with ERR_IO outside of a cluster. */
static int pods_add_url(const struct scrape_pods_options *o, const char *query, struct buf *out, struct err *err)
{
	const char *host = getenv("KUBERNETES_SERVICE_HOST"), *port = getenv("KUBERNETES_SERVICE_PORT");
	size_t n = strlen(o->server);

	while (n && o->server[n - 1] == '/')
		n--;
	if (n)
		buf_add(out, o->server, n);
	else if (host && *host)
		buf_addf(out, strchr(host, ':') ? "https://[%s]:%s" : "https://%s:%s", host,
			 port && *port ? port : "443");
	else
		return err_set(err, ERR_IO,
			       "this is not in a cluster: KUBERNETES_SERVICE_HOST is not set; add server=URL");
	buf_addf(out, *o->namespace ? "/api/v1/namespaces/%s/pods?" : "/api/v1/pods?", o->namespace);
	buf_addz(out, "fieldSelector=status.phase%3DRunning");
	if (*o->selector) {
		buf_addz(out, "&labelSelector=");
		url_escape(o->selector, strlen(o->selector), URL_QUERY, out);
	}
	buf_addf(out, "&%s", query);
	return 0;
}

static struct fetch_options pods_fetch_options(const struct scrape_pods_options *o, int64_t timeout, uint64_t max)
{
	bool is_in_cluster = !*o->server;

	return (struct fetch_options){
		.tls_cert = o->cert,
		.tls_key = o->key,
		.tls_ca = *o->ca          ? o->ca
			  : is_in_cluster ? ACCOUNT "/ca.crt"
					  : "",
		.header_file = "",
		.bearer_file = *o->token_file  ? o->token_file
			       : is_in_cluster ? ACCOUNT "/token"
					       : "",
		.netrc = "",
		.timeout = timeout,
		.max = max,
		.stays_on_server = true,
	};
}

/* Put a failure into the words of the line: no path, no advice about options of cpa, but the message of the server. */
static int pods_describe(const struct fetch_request *r, struct err *err)
{
	static const char *const advice[] = { "; trust a CA", "; raise the limit", "; set a longer limit" };
	const char *reason = strstr(r->err.msg, "\": ");
	struct buf message = { 0 };
	size_t n;

	if (r->status >= ERROR) {
		if (r->bytes.n)
			scrape_pods_read_status((const char *)r->bytes.data, r->bytes.n, &message);
		err_set(err, r->status == GONE ? ERR_RANGE : ERR_IO, "the server answers %ld%s%s", r->status,
			message.len ? ": " : "", buf_text(&message));
		buf_release(&message);
		return err->code;
	}
	reason = starts_with(r->err.msg, "http fetch: Get") && reason ? reason + 3 : r->err.msg;
	reason += starts_with(reason, "--bearer_file: ") ? strlen("--bearer_file: ") : 0;
	n = strlen(reason);
	for (size_t i = 0; i < sizeof(advice) / sizeof(advice[0]); i++)
		if (strstr(reason, advice[i]))
			n = (size_t)(strstr(reason, advice[i]) - reason);
	return err_set(err, r->err.code, "%s://%s: %.*s%s", r->url->scheme, r->url->host, (int)n, reason,
		       strstr(reason, advice[0]) ? "; add ca=FILE" : "");
}

/* Send a request. Fails with ERR_STOPPED, ERR_RANGE for the status 410, and as fetch_all. */
static int pods_send(const struct scrape_pods_options *o, const char *query, struct fetch_options *options,
		     struct fetch_request *r, struct stop *stop, int64_t *wait_s, struct err *err)
{
	struct buf text = { 0 }, notes = { 0 };
	struct url url;
	int rc = pods_add_url(o, query, &text, err);

	rc = rc < 0 ? rc : url_parse(text.data, 0, &url, err);
	buf_release(&text);
	if (rc < 0)
		return rc;
	r->url = &url;
	r->takes_any = r->keeps_refusal = true;
	fetch_all(r, 1, options, NULL, stop, &notes);
	buf_release(&notes); /* Kubernetes writes tokens that others in the pod can read */
	if (stop_is_set(stop))
		rc = err_set(err, ERR_STOPPED, "interrupted");
	else if (r->rc < 0)
		rc = pods_describe(r, err);
	url_release(&url);
	r->url = NULL;
	*wait_s = r->retry_after > 0 ? r->retry_after : 0;
	return rc;
}

/* ---- the list ---- */

/* Read one page. */
static int pods_list_page(struct scrape_pods_set *set, struct stop *stop, int64_t *wait_s, struct err *err)
{
	const struct scrape_pods_options *o = set->source->pods;
	struct fetch_options options = pods_fetch_options(o, LIST_SECONDS, SCRAPE_PODS_BODY_MAX);
	struct fetch_request r = { 0 };
	struct buf query = { 0 };
	int rc;

	buf_addf(&query, "limit=%d", SCRAPE_PODS_PAGE);
	if (set->next_page) {
		buf_addz(&query, "&continue=");
		url_escape(set->next_page, strlen(set->next_page), URL_QUERY, &query);
	}
	rc = pods_send(o, query.data, &options, &r, stop, wait_s, err);
	if (rc == 0)
		rc = scrape_pods_add_page(set, (const char *)r.bytes.data, r.bytes.n, err);
	buf_release(&query);
	free(r.bytes.data);
	return rc;
}

int scrape_pods_list(struct scrape_pods_set *set, struct stop *stop, int64_t *wait_s, struct err *err)
{
	struct scrape_pods_set found = { .source = set->source };
	size_t n_pages = 0;
	int rc, n_restarts = 0;

	do {
		rc = pods_list_page(&found, stop, wait_s, err);
		if (rc == 0 && ++n_pages > SCRAPE_TARGETS_MAX)
			rc = err_set(err, ERR_LIMIT, "the list has no end");
		if (rc == ERR_RANGE && n_restarts++ < RESTARTS_MAX) {
			scrape_pods_set_release(&found);
			rc = 0;
			continue;
		}
		if (rc == ERR_RANGE) /* there is no watch whose version is too old */
			rc = err->code = ERR_IO;
	} while (rc == 0 && (found.next_page || !found.version));
	if (rc < 0) {
		scrape_pods_set_release(&found);
		return rc;
	}
	scrape_pods_set_release(set);
	*set = found;
	return 0;
}

int scrape_pods_find(uint32_t job, const struct scrape_source *source, struct scrape_list *out, struct buf *notes,
		     struct err *err)
{
	struct scrape_pods_set set = { .source = source };
	int64_t wait_s;
	int rc = scrape_pods_list(&set, NULL, &wait_s, err);

	if (rc == 0)
		scrape_pods_add_targets(&set, job, out, notes);
	else
		err_wrap(err, "targets %.500s", source->address);
	scrape_pods_set_release(&set);
	return rc;
}

/* ---- the thread ---- */

struct scrape_pods {
	struct scrape_config *config;
	void (*changed)(void *arg);
	void *arg;
	struct stop stop;
	pthread_t thread;

	/* of the thread alone */
	struct buf line; /* start of an event */
	struct err event_err;
	int event_rc;
	bool is_open;   /* did the server accept the last watch? */
	bool has_event; /* did it send an event? */

	pthread_mutex_t lock;       /* guards the following */
	struct scrape_pods_set set; /* read by its thread without the lock */
	struct buf problem;
	bool is_listed, has_news;
};

/* Apply the events of complete lines. Called with each part of the response to a watch. */
static bool pods_take_events(void *arg, const void *data, size_t n)
{
	struct scrape_pods *p = arg;
	const char *at = data, *end = at + n, *newline;
	bool changed = false;

	pthread_mutex_lock(&p->lock);
	while (p->event_rc == 0 && (newline = memchr(at, '\n', (size_t)(end - at)))) {
		buf_add(&p->line, at, (size_t)(newline - at));
		at = newline + 1;
		if (p->line.len) {
			p->event_rc =
				scrape_pods_add_event(&p->set, p->line.data, p->line.len, &changed, &p->event_err);
			p->has_event |= p->event_rc == 0;
		}
		p->line.len = 0;
	}
	p->has_news |= changed;
	pthread_mutex_unlock(&p->lock);
	if (p->event_rc == 0)
		buf_add(&p->line, at, (size_t)(end - at));
	if (p->line.len > EVENT_MAX)
		p->event_rc = err_set(&p->event_err, ERR_LIMIT, "an event has more than %d bytes", EVENT_MAX);
	if (changed)
		p->changed(p->arg);
	return p->event_rc == 0;
}

static int pods_watch(struct scrape_pods *p, int64_t *wait_s, struct err *err)
{
	const struct scrape_pods_options *o = p->set.source->pods;
	struct fetch_options options = pods_fetch_options(o, WATCH_SECONDS + LATE_SECONDS, 0);
	struct fetch_request r = { .take = pods_take_events, .take_arg = p };
	struct buf query = { 0 };
	int rc;

	p->line.len = 0;
	p->event_rc = 0;
	p->is_open = p->has_event = false;
	buf_addf(&query, "watch=1&allowWatchBookmarks=true&timeoutSeconds=%d&resourceVersion=", WATCH_SECONDS);
	url_escape(p->set.version, strlen(p->set.version), URL_QUERY, &query);
	rc = pods_send(o, query.data, &options, &r, &p->stop, wait_s, err);
	p->is_open = r.status == OK;
	if (p->event_rc < 0 && rc != ERR_STOPPED) {
		*err = p->event_err;
		rc = p->event_rc;
	} else if (rc == ERR_IO && p->is_open) {
		rc = err_set(err, ERR_IO, "the server ended a watch early");
	}
	buf_release(&query);
	free(r.bytes.data);
	return rc;
}

/* List the pods. Those known before remain until the list is complete. */
static int pods_list_again(struct scrape_pods *p, int64_t *wait_s, struct err *err)
{
	struct scrape_pods_set set = { .source = p->set.source };
	int rc = scrape_pods_list(&set, &p->stop, wait_s, err);

	if (rc < 0)
		return rc;
	pthread_mutex_lock(&p->lock);
	scrape_pods_set_release(&p->set);
	p->set = set;
	buf_release(&p->problem);
	p->is_listed = p->has_news = true;
	pthread_mutex_unlock(&p->lock);
	p->changed(p->arg);
	return 0;
}

static void pods_report(struct scrape_pods *p, const struct err *err)
{
	bool is_new;

	pthread_mutex_lock(&p->lock);
	is_new = strcmp(buf_text(&p->problem), err->msg) != 0;
	p->problem.len = 0;
	buf_addz(&p->problem, err->msg);
	p->has_news |= is_new;
	pthread_mutex_unlock(&p->lock);
	if (is_new)
		p->changed(p->arg);
}

static void pods_wait(const struct scrape_pods *p, int64_t ms)
{
	for (int64_t end = clock_mono_ms() + ms; !stop_is_set(&p->stop) && clock_mono_ms() < end;)
		usleep(STEP_MS * 1000);
}

/* The wait before the next try in ms: what the server asks for, else doubling from a second, less up to a half of it. */
static int64_t pods_wait_ms(unsigned n_failures, int64_t asked_s)
{
	int64_t ms = INT64_C(1000) << (n_failures < 7 ? n_failures - 1 : 6);

	if (asked_s > 0)
		return (asked_s < ASKED_WAIT_MAX ? asked_s : ASKED_WAIT_MAX) * 1000;
	ms = ms < WAIT_MAX * 1000 ? ms : WAIT_MAX * 1000;
	return ms - clock_mono_ns() / 1000 % (ms / 2);
}

/*
 * A watch that ends after a while is usual: of proxies that close idle connections, and of versions that are too old. Only the
 * second failure in a row is reported, and then the pods are listed, as events may be lost.
 */
static void *pods_run(void *arg)
{
	struct scrape_pods *p = arg;
	unsigned n_failures = 0;
	bool is_list = true;

	while (!stop_is_set(&p->stop)) {
		int64_t start_ms = clock_mono_ms(), asked_s = 0;
		struct err err;
		int rc = is_list ? pods_list_again(p, &asked_s, &err) : pods_watch(p, &asked_s, &err);
		bool is_short = clock_mono_ms() - start_ms < STEADY_MS;

		if (rc == ERR_STOPPED)
			break;
		if (!is_list && p->is_open && (p->has_event || !is_short))
			n_failures = 0;
		if (rc == 0) {
			if (!is_list && is_short)
				pods_wait(p, pods_wait_ms(1, 0));
			is_list = false;
			continue;
		}
		n_failures++;
		if (rc != ERR_RANGE && (is_list || n_failures > 1))
			pods_report(p, &err);
		if (rc != ERR_RANGE || n_failures > 1)
			pods_wait(p, pods_wait_ms(n_failures, asked_s));
		is_list = is_list || rc != ERR_IO || n_failures > 1;
	}
	return NULL;
}

struct scrape_pods *scrape_pods_start(struct scrape_config *c, const struct scrape_source *source,
				      void (*changed)(void *arg), void *arg)
{
	struct scrape_pods *p = mem_zalloc(1, sizeof(*p));

	p->config = scrape_config_ref(c);
	p->changed = changed;
	p->arg = arg;
	p->set.source = source;
	pthread_mutex_init(&p->lock, NULL);
	if (pthread_create(&p->thread, NULL, pods_run, p) == 0)
		return p;
	scrape_config_unref(p->config);
	pthread_mutex_destroy(&p->lock);
	free(p);
	return NULL;
}

bool scrape_pods_take(struct scrape_pods *p, uint32_t job, struct scrape_list *out, bool *has_list, struct buf *problem)
{
	bool has_news;

	pthread_mutex_lock(&p->lock);
	has_news = p->has_news;
	*has_list = p->is_listed;
	if (has_news && p->problem.len)
		buf_addf(problem, "targets %s: %s\n", p->set.source->address, buf_text(&p->problem));
	if (has_news)
		scrape_pods_add_targets(&p->set, job, out, problem);
	p->has_news = false;
	pthread_mutex_unlock(&p->lock);
	return has_news;
}

void scrape_pods_stop(struct scrape_pods *p)
{
	if (p)
		stop_set(&p->stop);
}

void scrape_pods_free(struct scrape_pods *p)
{
	if (!p)
		return;
	scrape_pods_stop(p);
	pthread_join(p->thread, NULL);
	scrape_pods_set_release(&p->set);
	scrape_config_unref(p->config);
	buf_release(&p->problem);
	buf_release(&p->line);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

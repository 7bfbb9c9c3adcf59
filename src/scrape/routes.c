/*
 * routes.c - the listeners of the collector: access, and the functions that answer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The socket of the user also runs commands of cpa store. On other listeners a secret is required for everything but the health
 * checks, unless they are on loopback.
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "base/io.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "base/url_escape.h"
#include "profile/encode.h"
#include "store/local/read/local.h"
#include "store/remote/remote.h"
#include "store/window/window.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
	OK = 200,
	BAD = 400,
	UNAUTHORIZED = 401,
	FORBIDDEN = 403,
	NOT_FOUND = 404,
	METHOD = 405,
	CONFLICT = 409,
	UNPROCESSABLE = 422,
	UNAVAILABLE = 503,
	ALIVE_S = 5,
	ARGUMENTS_MAX = 10000,
	WRONG_MS = 200,
	FORM_MAX = 64 << 10, /* longer bodies go to a temporary file */
};

static const char text_type[] = "text/plain; charset=utf-8";

static void routes_set_text(struct http_response *out, int status, const char *text)
{
	out->status = status;
	out->type = text_type;
	buf_addf(&out->body, "%s\n", text);
}

/* ---- access ---- */

/* The secret that the request has; NULL if none. */
static const struct scrape_secret *find_secret(const struct scrape_listener *l, const struct http_request *q)
{
	const char *given = http_request_header(q, "Authorization"), *key = http_request_header(q, "DD-API-KEY");
	const struct scrape_secret *found = NULL;

	/* all are compared, so that the time does not depend on which one it is */
	for (size_t i = 0; l->listen && i < l->listen->n_secrets; i++) {
		const struct scrape_secret *s = &l->listen->secret[i];

		if ((given && access_has_secret(&l->secret[i], s->user, given)) ||
		    (key && !*s->user && access_is_secret(&l->secret[i], key)))
			found = s;
	}
	return found;
}

static bool is_limited(const struct scrape_secret *secret)
{
	return secret && secret->n_services > 0;
}

bool scrape_secret_allows(const struct scrape_secret *secret, const char *service)
{
	bool is_several = strpbrk(service, "*?[") != NULL;

	if (!is_limited(secret))
		return true;
	for (size_t i = 0; i < secret->n_services; i++) {
		const char *pattern = secret->service[i];

		/* a star also matches the wildcards of a pattern, and so everything that the pattern matches */
		if (is_several && strpbrk(pattern, "?[\\") ? strcmp(pattern, service) == 0
							   : fnmatch(pattern, service, 0) == 0)
			return true;
	}
	return false;
}

static bool needs_secret(const struct scrape_listener *l, const struct http_request *q)
{
	return l->listen && l->listen->n_secrets > 0 && strcmp(q->path, "/healthz") != 0 &&
	       strcmp(q->path, "/readyz") != 0;
}

static bool routes_check(void *arg, const struct http_request *q, struct http_response *out)
{
	struct scrape_listener *l = arg;
	uint64_t now = (uint64_t)clock_mono_ns();
	struct access_verdict v = access_check(&l->rules, q, now);

	if (v.status == 0 && needs_secret(l, q) && !find_secret(l, q)) {
		v = (struct access_verdict){ .status = UNAUTHORIZED,
					     .text = "a secret is required: send Authorization: Bearer SECRET, "
						     "or SECRET as the password of Basic" };
		if (http_request_header(q, "Authorization") || http_request_header(q, "DD-API-KEY")) {
			v.text = "wrong secret";
			pthread_mutex_lock(&l->c->peers_lock);
			v.delay_ms = access_count_failure(&l->failures, now);
			pthread_mutex_unlock(&l->c->peers_lock);
			v.delay_ms = v.delay_ms < WRONG_MS ? WRONG_MS : v.delay_ms;
		}
	}
	if (v.status == 0)
		return true;
	routes_set_text(out, v.status, v.text);
	out->delay_ms = v.delay_ms;
	return false;
}

/* Bodies of pushes that are long or of unknown length go to a temporary file, not to memory. */
static bool is_upload(const struct http_request *q)
{
	const char *length = http_request_header(q, "Content-Length");

	return strcmp(q->method, "POST") == 0 && scrape_is_push(q->path) &&
	       (!length || strtoull(length, NULL, 10) > FORM_MAX);
}

/* ---- answers ---- */

static void answer_health(struct scrape_collector *c, struct http_response *out)
{
	bool is_alive = clock_mono_ns() - atomic_load(&c->beat_ns) < ALIVE_S * NS_PER_S;

	routes_set_text(out, is_alive ? OK : UNAVAILABLE, is_alive ? "ok" : "the loop has not answered for 5 s");
}

static void answer_ready(struct scrape_collector *c, struct http_response *out)
{
	struct buf why = { 0 };
	bool is_ready = scrape_writer_is_ready(c->writer, &why);

	routes_set_text(out, is_ready ? OK : UNAVAILABLE, is_ready ? "ok" : buf_text(&why));
	buf_release(&why);
}

/* Copy the value of a field of the query, unescaped. Returns false if there is none. */
static bool query_field(const char *query, const char *name, struct buf *out)
{
	size_t n_name = strlen(name);

	for (const char *at = query; *at;) {
		size_t n = strcspn(at, "&");

		if (n > n_name && strncmp(at, name, n_name) == 0 && at[n_name] == '=')
			return url_unescape(at + n_name + 1, n - n_name - 1, URL_QUERY, out) &&
			       !memchr(buf_text(out), 0, out->len);
		at += n + (at[n] == '&');
	}
	return false;
}

static int routes_read_profile(struct store *s, const struct scrape_secret *secret, const char *source,
			       struct stop *stop, struct profile **out, int *status, struct err *err)
{
	struct window_clock clock;
	struct store_sum sum = { 0 };
	struct store_query q;
	struct window *w;
	int rc = window_parse(source, &w, err);

	if (rc < 0)
		return rc;
	if (*window_where(w))
		rc = err_set(err, ERR_USAGE, "the source names another store; leave out the part before #");
	if (rc == 0 && !scrape_secret_allows(secret, window_service(w))) {
		*status = FORBIDDEN;
		rc = err_set(err, ERR_USAGE, "this secret does not allow the service %s", window_service(w));
	}
	window_clock_init(s, &clock);
	rc = rc < 0 ? rc : window_resolve(w, &clock, &q, err);
	rc = rc < 0 ? rc : store_read(s, &q, stop, out, &sum, err);
	if (rc == 0)
		store_sum_add_comments(&q, &sum, *out);
	if (is_limited(secret) && rc < 0 && rc != ERR_USAGE)
		rc = err_set(err, rc, "nothing of %s can be read", window_service(w)); /* without names of others */
	store_sum_release(&sum);
	window_free(w);
	return rc;
}

static void answer_profile(struct scrape_listener *l, const struct http_request *q, struct stop *stop,
			   struct http_response *out)
{
	struct buf source = { 0 }, full = { 0 };
	struct profile *p = NULL;
	struct store *s = NULL;
	struct err err;
	int rc = 0, status = 0;

	if (!query_field(q->query, "q", &source) || source.len == 0)
		rc = err_set(&err, ERR_USAGE, "the query needs q=SOURCE, for example q=store:shop@-1h");
	buf_addf(&full, "%s%s", starts_with(buf_text(&source), "store:") ? "" : "store:", buf_text(&source));
	rc = rc < 0 ? rc : local_open(l->c->directory.data, &s, &err);
	rc = rc < 0 ? rc : routes_read_profile(s, find_secret(l, q), full.data, stop, &p, &status, &err);
	rc = rc < 0 ? rc : profile_encode(p, &out->body, &err);
	if (rc == 0) {
		out->status = OK;
		out->type = "application/octet-stream";
		out->can_compress = true;
	} else {
		if (!status)
			status = rc == ERR_USAGE ? BAD : rc == ERR_IO ? NOT_FOUND : UNPROCESSABLE;
		routes_set_text(out, status, err.msg);
		http_response_add(out, "X-Go-Pprof", "1"); /* then cpa and pprof print the text */
	}
	profile_free(p);
	store_close(s);
	buf_release(&source);
	buf_release(&full);
}

/* Answer a query of another cpa, which reads the store of this collector. */
static void answer_query(struct scrape_listener *l, const struct http_request *q, struct stop *stop,
			 struct http_response *out)
{
	struct rpc_query query;
	struct buf failure = { 0 };
	struct store *s = NULL;
	struct err err;
	int rc = rpc_query_parse(q->body, q->n_body, &query, &err), status = BAD;

	if (rc == 0 && !scrape_secret_allows(find_secret(l, q), query.q.service)) {
		status = FORBIDDEN;
		rc = err_set(&err, ERR_USAGE, "this secret does not allow the service %s", query.q.service);
	}
	if (rc == 0) {
		status = UNPROCESSABLE;
		rc = local_open(l->c->directory.data, &s, &err);
	}
	buf_addf(&failure, "nothing of %s can be read", query.q.service);
	if (rc == 0 && !rpc_serve(s, q->path + strlen(RPC_PATH), &query.q, stop,
				  is_limited(find_secret(l, q)) ? buf_text(&failure) : NULL, &out->body)) {
		status = NOT_FOUND;
		rc = err_set(&err, ERR_USAGE, "there is no operation %s", q->path + strlen(RPC_PATH));
	}
	if (rc == 0) {
		out->status = OK;
		out->type = "application/octet-stream";
		out->can_compress = true;
	} else {
		routes_set_text(out, status, err.msg);
	}
	store_close(s);
	buf_release(&failure);
	rpc_query_release(&query);
}

/* Run a command of cpa store: the body is its arguments, joined by NUL; folder= in the query is the folder of the client. */
static void answer_command(struct scrape_collector *c, const struct http_request *q, struct http_response *out)
{
	static const int statuses[] = { OK, CONFLICT, UNPROCESSABLE };
	struct buf text = { 0 }, folder = { 0 };
	bool has_folder = query_field(q->query, "folder", &folder);
	char **argv = NULL, *body = mem_strndup(q->body, q->n_body);
	size_t cap = 0;
	int argc = 0, status;

	for (char *at = body; at < body + q->n_body && argc < ARGUMENTS_MAX; at += strlen(at) + 1) {
		argv = mem_grow(argv, &cap, (size_t)argc + 2, sizeof(*argv));
		argv[argc++] = at;
	}
	if (argc == 0 || !c->o.run_command) {
		routes_set_text(out, BAD, "the body has no arguments");
	} else {
		argv[argc] = NULL;
		status = scrape_writer_command(c->writer, has_folder ? buf_text(&folder) : NULL, argc, argv, &text);
		out->status = statuses[status >= 0 && status < 3 ? status : 2];
		out->type = text_type;
		out->body = text;
	}
	free(argv);
	free(body);
	buf_release(&folder);
}

/* Answer when the next profile of a service and kind is expected. */
static void answer_due(struct scrape_collector *c, const struct http_request *q, struct http_response *out)
{
	struct buf service = { 0 }, kind = { 0 };

	if (query_field(q->query, "service", &service) && query_field(q->query, "kind", &kind))
		scrape_due(c, buf_text(&service), buf_text(&kind), out);
	else
		routes_set_text(out, BAD, "the query needs service= and kind=");
	buf_release(&service);
	buf_release(&kind);
}

static bool answer_read(struct scrape_listener *l, const struct http_request *q, struct stop *stop,
			struct http_response *out)
{
	struct scrape_collector *c = l->c;

	if (strcmp(q->path, "/healthz") == 0)
		answer_health(c, out);
	else if (strcmp(q->path, "/readyz") == 0)
		answer_ready(c, out);
	else if (strcmp(q->path, "/api/v1/profile") == 0)
		answer_profile(l, q, stop, out);
	else if (is_limited(find_secret(l, q)))
		routes_set_text(out, FORBIDDEN,
				"this secret is limited to some services; it reads them with /api/v1/profile");
	else if (strcmp(q->path, "/") == 0)
		scrape_page(c, out);
	else if (strcmp(q->path, "/status.json") == 0)
		scrape_status_json(c, out);
	else if (strcmp(q->path, "/status.txt") == 0)
		scrape_status_text(c, out);
	else if (strcmp(q->path, "/metrics") == 0)
		scrape_metrics(c, out);
	else if (strcmp(q->path, "/api/v1/due") == 0)
		answer_due(c, q, out);
	else
		return false;
	return true;
}

static bool routes_allows(const void *secret, const char *service)
{
	return scrape_secret_allows(secret, service);
}

/* Answer by the function of the options. Returns false if it does not know the path. */
static bool answer_other(struct scrape_listener *l, const struct http_request *q, struct stop *stop,
			 struct http_response *out)
{
	const struct scrape_secret *secret = find_secret(l, q);
	const struct scrape_reader reader = { .c = l->c,
					      .directory = l->c->directory.data,
					      .is_limited = is_limited(secret),
					      .secret = secret,
					      .allows = routes_allows };

	return l->c->o.answer && l->c->o.answer(l->c->o.arg, &reader, q, stop, out);
}

static void routes_answer(void *arg, const struct http_request *q, struct stop *stop, struct http_response *out)
{
	struct scrape_listener *l = arg;
	bool is_get = strcmp(q->method, "GET") == 0 || strcmp(q->method, "HEAD") == 0;
	bool is_post = strcmp(q->method, "POST") == 0;

	if (!scrape_is_push(q->path) && answer_other(l, q, stop, out))
		return;
	if (is_get && answer_read(l, q, stop, out))
		return;
	if (is_post && scrape_is_push(q->path))
		scrape_push(l->c, find_secret(l, q), q, out);
	else if (is_post && starts_with(q->path, RPC_PATH))
		answer_query(l, q, stop, out);
	else if (is_post && !l->listen && strcmp(q->path, "/api/v1/store") == 0)
		answer_command(l->c, q, out);
	else if (is_get && scrape_is_push(q->path))
		routes_set_text(out, METHOD, "profiles are pushed with POST");
	else
		routes_set_text(out, NOT_FOUND, "there is no such page; / lists the targets");
}

/* ---- listeners ---- */

static int read_secrets(struct scrape_listener *l, struct err *err)
{
	char why[512];

	l->secret = mem_zalloc(l->listen->n_secrets + 1, sizeof(*l->secret));
	for (size_t i = 0; i < l->listen->n_secrets; i++)
		if (access_read_secret(&l->secret[i], l->listen->secret[i].file, why, sizeof(why)) < 0)
			return err_set(err, ERR_USAGE, "%s", why);
	return 0;
}

/* Fail for settings under which secrets or profiles would cross the network without encryption. */
static int check_public(const struct scrape_listener *l, struct err *err)
{
	const struct scrape_listen *listen = l->listen;

	if (*listen->client_ca)
		return err_set(err, ERR_USAGE, "listen %s: this version has no client-ca; use secret=FILE",
			       listen->address);
	if (httpd_is_public(l->http) && !*listen->tls && !listen->plain_text)
		return err_set(err, ERR_USAGE,
			       "listen %s: other machines could connect without TLS; add tls=FILE, or plain-text yes",
			       listen->address);
	return 0;
}

/* Read a file with certificate and key as a string. */
static int read_tls(const char *path, struct bytes *out, struct err *err)
{
	enum { TLS_FILE_MAX = 1 << 20 };
	int rc = io_read_file(path, TLS_FILE_MAX, NULL, out, err);

	if (rc < 0)
		return err_wrap(err, "%s", path);
	out->data = mem_grow(out->data, &(size_t){ 0 }, out->n + 1, 1);
	out->data[out->n] = 0;
	return 0;
}

static int start_listener(struct scrape_collector *c, const struct scrape_listen *listen, struct err *err)
{
	struct scrape_listener *l = &c->listener[c->n_listeners];
	struct httpd_options o = { .address = listen ? listen->address : NULL,
				   .secret_options = "secret=FILE",
				   .upload_max = SCRAPE_BODY_MAX,
				   .check = routes_check,
				   .is_upload = is_upload,
				   .answer = routes_answer,
				   .arg = l,
				   .limits = { .head_ms = 5000, .body_ms = 30000, .connections = 256 } };
	struct buf address = { 0 };
	struct bytes tls = { 0 };
	struct httpd *http = NULL;
	int rc = 0;

	pthread_mutex_lock(&c->lock); /* other listeners answer already */
	*l = (struct scrape_listener){ .c = c, .listen = listen };
	c->n_listeners++;
	pthread_mutex_unlock(&c->lock);
	if (listen) {
		rc = read_secrets(l, err);
		o.has_secret = l->rules.any_host = listen->n_secrets > 0;
		if (rc == 0 && *listen->tls) {
			rc = read_tls(listen->tls, &tls, err);
			o.tls = (const char *)tls.data;
		}
	} else {
		buf_addf(&address, "unix:%s", c->socket.data);
		o.address = address.data;
	}
	rc = rc < 0 ? rc : httpd_start(&o, &http, err);
	pthread_mutex_lock(&c->lock);
	l->http = http;
	pthread_mutex_unlock(&c->lock);
	if (rc < 0 && listen)
		err_wrap(err, "listen %s", listen->address);
	if (rc == 0 && listen)
		rc = check_public(l, err);
	if (tls.data)
		explicit_bzero(tls.data, tls.n);
	free(tls.data);
	buf_release(&address);
	return rc;
}

int scrape_listen_all(struct scrape_collector *c, struct err *err)
{
	int rc = start_listener(c, NULL, err);

	for (size_t i = 0; i < c->o.config->n_listens && rc == 0; i++) {
		const struct scrape_listen *listen = &c->o.config->listen[i];

		if (strcmp(listen->address, "unix:auto") == 0)
			continue;
		if (c->n_listeners == SCRAPE_LISTENERS_MAX)
			return err_set(err, ERR_USAGE, "more than %d addresses to listen on",
				       (int)SCRAPE_LISTENERS_MAX - 1);
		rc = start_listener(c, listen, err);
	}
	return rc;
}

void scrape_listen_stop(struct scrape_collector *c)
{
	for (size_t i = 0; i < c->n_listeners; i++) {
		struct httpd *http;

		pthread_mutex_lock(&c->lock);
		http = c->listener[i].http;
		c->listener[i].http = NULL; /* the pages of the other listeners name the rest */
		pthread_mutex_unlock(&c->lock);
		httpd_stop(http);
		for (size_t s = 0; c->listener[i].listen && s < c->listener[i].listen->n_secrets; s++)
			explicit_bzero(&c->listener[i].secret[s], sizeof(c->listener[i].secret[s]));
		free(c->listener[i].secret);
	}
	c->n_listeners = 0;
}

/*
 * fetch.c - profiles from servers: requests, side by side
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread runs all requests, because they wait for servers and not for processors.
 *
 * Redirects are followed here and not by libcurl, which would send the headers of the user to any server that a redirect
 * names.
 */
#include "config.h"

#include "fetch/fetch.h"

#include "base/err.h"
#include "base/mem.h"
#include "base/str.h"
#include "fetch/curl.h"
#include "fetch/secrets.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

/* What all requests of a run share. */
struct transfer_all {
	const struct curl *curl;
	const struct fetch_how *how;
	struct secrets secrets;
	uint64_t n_bytes; /* that all have received */
};

struct transfer {
	struct transfer_all *all;
	struct fetch *get;
	CURL *easy;                 /* NULL before the request and after its end */
	struct curl_slist *headers; /* of the request */
	char *url;                  /* URL of the current request */
	unsigned redirects;
	bool is_redirected_away; /* redirected to another server: no secrets are sent */
	int64_t start_ms, limit_ms;

	uint8_t *data;
	size_t n, cap;
	uint64_t n_dropped; /* bytes of an error page that were skipped */
	long status;
	char reason[96]; /* "404 Not Found" */
	bool is_go_pprof, is_plain;
	bool too_long, too_long_all;
	char error[CURL_ERROR_SIZE];
};

enum {
	REDIRECTS_MAX = 10,
	ERROR_PAGE_MAX = 4096, /* bytes of an error page to store */
	ERROR_PAGE_READ = 1 << 20,
	TIMEOUT_DEFAULT = 60,  /* seconds */
	TIMEOUT_MAX = 1 << 30, /* seconds */
	TIMEOUT_MORE = 5,      /* seconds on top of every timeout, as pprof has it */
};

/* Milliseconds since some point in time. */
static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Count n more bytes. False when that is over a limit. */
static bool count_bytes(struct transfer *t, size_t n)
{
	const struct fetch_how *how = t->all->how;

	t->too_long = how->max && t->n + n > how->max;
	t->too_long_all = !t->too_long && how->max_all && t->all->n_bytes + n > how->max_all;
	if (t->too_long || t->too_long_all)
		return false;
	t->all->n_bytes += n;
	return true;
}

static size_t take_bytes(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	(void)size; /* always 1 */
	if (t->status != 200 && t->n + n > ERROR_PAGE_MAX) {
		t->n_dropped += n;
		return t->n_dropped > ERROR_PAGE_READ ? 0 : n;
	}
	if (!count_bytes(t, n))
		return 0;
	t->data = mem_grow(t->data, &t->cap, t->n + n, 1);
	memcpy(t->data + t->n, data, n);
	t->n += n;
	assert(t->n <= t->cap && t->n <= t->all->n_bytes);
	return n;
}

/* The first line of the headers, "HTTP/1.1 404 Not Found". There may be several headers. */
static void take_status(struct transfer *t, const char *line, size_t n)
{
	const char *code = memchr(line, ' ', n);
	size_t length = code ? (size_t)(line + n - code - 1) : 0;

	t->status = code ? strtol(code + 1, NULL, 10) : 0;
	t->is_go_pprof = t->is_plain = false;
	length = length < sizeof(t->reason) - 1 ? length : sizeof(t->reason) - 1;
	if (code)
		memcpy(t->reason, code + 1, length);
	t->reason[length] = '\0';
}

static bool is_header(const char *line, size_t n, const char *name)
{
	return n > strlen(name) && strncasecmp(line, name, strlen(name)) == 0;
}

static size_t take_header(char *line, size_t size, size_t n, void *arg)
{
	static const char length[] = "Content-Length:";
	struct transfer *t = arg;
	size_t n_text = n;
	char text[512];

	(void)size;
	while (n_text && strchr("\r\n ", line[n_text - 1]))
		n_text--;
	n_text = n_text < sizeof(text) - 1 ? n_text : sizeof(text) - 1;
	memcpy(text, line, n_text);
	text[n_text] = '\0';
	if (starts_with(text, "HTTP/"))
		take_status(t, text, n_text);
	else if (is_header(text, n_text, "X-Go-Pprof:"))
		t->is_go_pprof = true;
	else if (is_header(text, n_text, "Content-Type:"))
		t->is_plain = strstr(text, "text/plain") != NULL;
	else if (is_header(text, n_text, length) && t->status == 200 && t->all->how->max)
		t->too_long = strtoull(text + strlen(length), NULL, 10) > t->all->how->max;
	return t->too_long ? 0 : n;
}

static int64_t limit_of(const struct transfer *t)
{
	int64_t timeout = t->all->how->timeout, seconds = t->get->url->seconds;

	if (timeout <= 0)
		timeout = seconds > 0 ? seconds + seconds / 2 : TIMEOUT_DEFAULT;
	return (timeout < TIMEOUT_MAX ? timeout : TIMEOUT_MAX) * 1000 + TIMEOUT_MORE * 1000;
}

/*
 * The proxy in the one variable of Go's that libcurl does not read. It is ignored in CGI programs, where it is a header
 * of the client.
 */
static const char *http_proxy(const struct url *u)
{
	const char *proxy = getenv("HTTP_PROXY");

	return strcmp(u->scheme, "http") == 0 && proxy && !getenv("http_proxy") && !getenv("REQUEST_METHOD") ? proxy
													     : NULL;
}

static void set_secrets(struct transfer *t)
{
	const struct curl *c = t->all->curl;
	const struct fetch_how *how = t->all->how;
	const struct url *u = t->get->url;

	for (size_t i = 0; i < t->all->secrets.n; i++)
		t->headers = c->slist_append(t->headers, t->all->secrets.line[i]);
	if (*how->netrc) {
		c->easy_setopt(t->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
		if (strcmp(how->netrc, "true") != 0)
			c->easy_setopt(t->easy, CURLOPT_NETRC_FILE, how->netrc);
	}
	if (u->user) {
		c->easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		c->easy_setopt(t->easy, CURLOPT_USERNAME, u->user);
		c->easy_setopt(t->easy, CURLOPT_PASSWORD, u->password ? u->password : "");
	}
	if (*how->tls_cert) {
		c->easy_setopt(t->easy, CURLOPT_SSLCERT, how->tls_cert);
		c->easy_setopt(t->easy, CURLOPT_SSLKEY, how->tls_key);
		c->easy_setopt(t->easy, CURLOPT_KEYPASSWD, ""); /* else OpenSSL asks on the terminal */
	}
}

static void set_connection(struct transfer *t)
{
	const struct curl *c = t->all->curl;
	const struct url *u = t->get->url;
	CURL *easy = t->easy;

	c->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	c->easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	if (u->socket)
		c->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, u->socket);
	if (url_is_local(u) && !t->is_redirected_away)
		c->easy_setopt(easy, CURLOPT_NOPROXY, "*");
	else if (http_proxy(u))
		c->easy_setopt(easy, CURLOPT_PROXY, http_proxy(u));
	c->easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* proxies see no secrets */
	if (u->insecure && !t->is_redirected_away) {
		c->easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		c->easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (*t->all->how->tls_ca) {
		c->easy_setopt(easy, CURLOPT_CAINFO, t->all->how->tls_ca);
		c->easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
}

static void set_request(struct transfer *t)
{
	const struct curl *c = t->all->curl;
	CURL *easy = t->easy;

	c->easy_setopt(easy, CURLOPT_URL, t->url);
	c->easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	c->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	c->easy_setopt(easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	c->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	c->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->error);
	c->easy_setopt(easy, CURLOPT_PRIVATE, t);
	c->easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
	c->easy_setopt(easy, CURLOPT_WRITEDATA, t);
	c->easy_setopt(easy, CURLOPT_HEADERFUNCTION, take_header);
	c->easy_setopt(easy, CURLOPT_HEADERDATA, t);
	if (t->get->body) {
		c->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->get->n_body);
		c->easy_setopt(easy, CURLOPT_POSTFIELDS, t->get->body);
		t->headers = c->slist_append(t->headers, "Content-Type: application/octet-stream");
		t->headers = c->slist_append(t->headers, "Expect:");
	}
	if (!t->is_redirected_away)
		set_secrets(t);
	c->easy_setopt(easy, CURLOPT_HTTPHEADER, t->headers);
}

static int start(struct transfer *t)
{
	int64_t left = t->start_ms + t->limit_ms - now_ms();

	assert(!t->easy && t->url && t->all->n_bytes >= t->n);
	t->easy = t->all->curl->easy_init();
	if (!t->easy)
		return err_set(&t->get->err, ERR_IO, "libcurl cannot begin a request");
	t->all->n_bytes -= t->n;
	t->n = 0;
	t->n_dropped = 0;
	t->status = 0;
	*t->reason = *t->error = '\0';
	set_request(t);
	set_connection(t);
	t->all->curl->easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)(left > 1 ? left : 1));
	return 0;
}

/* Start the request of t->get; the caller then runs its handle. Fails with the message in get->err. */
static int transfer_begin(struct transfer *t)
{
	struct buf url = { 0 };

	assert(!t->url && t->get->url);
	url_request(t->get->url, &url);
	t->url = mem_strndup(url.data, url.len);
	buf_release(&url);
	t->start_ms = now_ms();
	t->limit_ms = limit_of(t);
	return t->get->rc = start(t);
}

static void finish(struct transfer *t)
{
	assert(t->easy);
	t->all->curl->easy_cleanup(t->easy);
	t->all->curl->slist_free_all(t->headers);
	t->easy = NULL;
	t->headers = NULL;
}

/* The length of scheme, host and port, before the path. */
static size_t origin_length(const char *url)
{
	const char *host = strstr(url, "://");

	return host ? (size_t)(host - url) + 3 + strcspn(host + 3, "/?#") : 0;
}

static bool same_origin(const char *a, const char *b)
{
	size_t n = origin_length(a);

	return n == origin_length(b) && strncasecmp(a, b, n) == 0;
}

static int failed(struct transfer *t, int code, const char *what)
{
	struct buf url = { 0 };

	url_show(t->get->url, &url);
	if (t->get->body)
		err_set(&t->get->err, code, "http post %.400s: %s", url.data, what);
	else
		err_set(&t->get->err, code, "http fetch: Get \"%.400s\": %s", url.data, what);
	buf_release(&url);
	return code;
}

/* The target of a redirect, for the caller to free; NULL when the answer is not one. */
static char *redirect_of(const struct transfer *t, CURLcode code)
{
	char *to[1] = { NULL };

	if (code == CURLE_OK && t->status >= 300 && t->status < 400 && !t->get->body)
		t->all->curl->easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, to);
	return *to ? mem_strndup(*to, strlen(*to)) : NULL;
}

static int follow(struct transfer *t, const char *to)
{
	if (++t->redirects > REDIRECTS_MAX)
		return failed(t, ERR_IO, "stopped after 10 redirects");
	if (!same_origin(t->url, to)) {
		if (t->get->url->socket)
			return failed(t, ERR_IO, "the server behind the socket redirects to another one");
		t->is_redirected_away = true;
	}
	finish(t);
	free(t->url);
	t->url = mem_strndup(to, strlen(to));
	return start(t);
}

/* Report a status that is not 200, with the message of a server with Go's net/http/pprof. */
static int refused(struct transfer *t)
{
	if (t->is_go_pprof && t->is_plain && t->n) {
		while (t->n && strchr(" \t\r\n", t->data[t->n - 1]))
			t->n--;
		return err_set(&t->get->err, ERR_IO, "server response: %s - %.*s", t->reason, (int)t->n,
			       (char *)t->data);
	}
	err_set(&t->get->err, ERR_IO, "server response: %s", t->reason);
	if (t->get->body) {
		struct err why = t->get->err;

		return failed(t, ERR_IO, why.msg);
	}
	return ERR_IO;
}

static int too_long(struct transfer *t)
{
	const struct fetch_how *how = t->all->how;

	if (t->too_long)
		return err_set(&t->get->err, ERR_LIMIT, "more than %" PRIu64 " bytes; --max-input lifts this limit",
			       how->max);
	return err_set(&t->get->err, ERR_LIMIT,
		       "more than %" PRIu64 " bytes with all other answers; --max-input lifts this limit",
		       how->max_all);
}

/* Report an error of the connection, with a remedy where one is known. */
static int broken(struct transfer *t, CURLcode code)
{
	static const char trust[] = "; -tls_ca=FILE names who to trust, https+insecure:// trusts anybody";
	const struct curl *c = t->all->curl;
	const char *why = *t->error ? t->error : c->easy_strerror(code);
	long number = 0;
	bool closed = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR;
	char text[512];

	c->easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
	if (code == CURLE_OPERATION_TIMEDOUT)
		snprintf(text, sizeof(text), "no complete answer within %" PRId64 " s; -timeout=N waits longer",
			 t->limit_ms / 1000);
	else if (code == CURLE_COULDNT_CONNECT && number)
		snprintf(text, sizeof(text), "connect: %s", strerror((int)number));
	else if (code == CURLE_GOT_NOTHING)
		snprintf(text, sizeof(text), "the server closed the connection without an answer");
	else if (closed && !t->status && !*t->all->how->tls_cert && strcmp(t->get->url->scheme, "https") == 0)
		snprintf(text, sizeof(text), "the server closed the connection; it may want a certificate (-tls_cert)");
	else if (closed && strstr(why, "alert")) /* a TLS alert about our certificate */
		snprintf(text, sizeof(text), "%.400s", why);
	else if (code == CURLE_PARTIAL_FILE || closed)
		snprintf(text, sizeof(text), "the server closed the connection early, after %zu bytes", t->n);
	else if (code == CURLE_SSL_CACERT_BADFILE && !*t->all->how->tls_ca)
		snprintf(text, sizeof(text), "%.300s (Debian package ca-certificates)%s", why, trust);
	else if (code == CURLE_PEER_FAILED_VERIFICATION)
		snprintf(text, sizeof(text), "%.300s%s", why, trust);
	else
		snprintf(text, sizeof(text), "%.400s", why);
	return failed(t, ERR_IO, text);
}

static int check_answer(struct transfer *t, CURLcode code)
{
	if (t->too_long || t->too_long_all)
		return too_long(t);
	if (t->status && t->status != 200 && (code == CURLE_OK || code == CURLE_WRITE_ERROR))
		return refused(t);
	if (code != CURLE_OK)
		return broken(t, code);
	return t->get->body ? 0 : fetch_check_content(t->data, t->n, &t->get->err);
}

/*
 * End a request, with the result of libcurl.
 *
 * Gives   true when a redirect is followed: the caller then runs the new handle. Otherwise t->get has its bytes, or its
 *         error.
 */
static bool transfer_end(struct transfer *t, CURLcode code)
{
	char *to = redirect_of(t, code);
	bool is_redirected;

	t->get->rc = to ? follow(t, to) : check_answer(t, code);
	is_redirected = to && t->get->rc == 0;
	free(to);
	if (is_redirected)
		return true;
	t->get->status = t->status;
	if (t->easy)
		finish(t);
	if (t->get->rc == 0) {
		t->get->bytes = (struct bytes){ t->data, t->n };
	} else {
		free(t->data);
		t->all->n_bytes -= t->n;
	}
	t->data = NULL;
	free(t->url);
	t->url = NULL;
	return false;
}

/* Stop a request; why is the error. */
static void transfer_stop(struct transfer *t, const char *why)
{
	t->get->rc = failed(t, ERR_IO, why);
	if (t->easy)
		finish(t);
	free(t->data);
	free(t->url);
	t->data = NULL;
	t->url = NULL;
}

enum {
	AT_ONCE = 128,       /* as many as pprof */
	WAIT_MS = 50,        /* between checks for a stop */
	PROFILE_SECONDS = 30 /* that Go's server collects by default */
};

struct run {
	struct transfer_all all;
	CURLM *multi;
	struct transfer *transfer; /* [n] */
	size_t n, next;            /* next: the first that has not started */
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

/* Check options that must be given together, and files that must exist. */
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

/* Warn once, for the first server that is sent a secret without encryption. */
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

static void start_more(struct run *r)
{
	assert(r->next <= r->n && r->running <= AT_ONCE);
	for (; r->next < r->n && r->running < AT_ONCE; r->next++) {
		struct transfer *t = &r->transfer[r->next];

		if (transfer_begin(t) < 0)
			continue;
		r->all.curl->multi_add_handle(r->multi, t->easy);
		r->running++;
	}
}

static void end_finished(struct run *r)
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

/* Seconds that a server collects, as far as that is known. */
static int64_t seconds_of(const struct url *u)
{
	static const char profile[] = "/debug/pprof/profile";

	if (u->seconds > 0)
		return u->seconds;
	return ends_with(u->path, profile) ? PROFILE_SECONDS : 0;
}

static void report_progress(const struct run *r, fetch_progress_fn progress)
{
	int64_t now = now_ms(), longest = 0;
	size_t left = r->n - r->next;

	for (size_t i = 0; i < r->next; i++) {
		const struct transfer *t = &r->transfer[i];
		int64_t rest = t->easy ? seconds_of(t->get->url) - (now - t->start_ms) / 1000 : 0;

		left += t->easy != NULL;
		longest = rest > longest ? rest : longest;
	}
	progress(left, longest);
}

/* Milliseconds that the slowest server will take; 0 when unknown. */
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
	int64_t start_ms = now_ms(), reported_ms = start_ms - 1000;
	int n_running;

	stop_begin(stop, "waiting for the server", whole_ms(r));
	for (start_more(r); r->running && !stop_is_set(stop); start_more(r)) {
		stop_reach(stop, (uint64_t)(now_ms() - start_ms));
		if (progress && now_ms() - reported_ms >= 1000) {
			reported_ms = now_ms();
			report_progress(r, progress);
		}
		if (c->multi_perform(r->multi, &n_running) != CURLM_OK)
			break;
		end_finished(r);
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

void fetch_set_limits(struct fetch_how *how, int64_t max_input)
{
	enum { ANSWER_MAX = 512 << 20 }; /* bytes, unless told otherwise or memory is small */
	uint64_t quarter = mem_quarter();

	how->max = max_input >= 0 ? (uint64_t)max_input : quarter < ANSWER_MAX ? quarter : ANSWER_MAX;
	how->max_all = max_input == 0 ? 0 : quarter > how->max ? quarter : how->max;
}

void fetch_all(struct fetch *get, size_t n, const struct fetch_how *how, fetch_progress_fn progress, struct stop *stop,
	       struct buf *notes)
{
	struct run r = { .transfer = mem_zalloc(n, sizeof(*r.transfer)), .n = n };
	struct err err;
	int rc = run_init(&r, get, how, notes, &err);

	assert((get || n == 0) && how);
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

/*
 * transfer.c - one request: what is asked, what comes, what it means
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Redirects are followed here and not by libcurl, which would send the headers of our user to
 * whatever server it is sent to.
 */
#include "config.h"

#include "fetch/transfer.h"

#include "base/mem.h"
#include "base/str.h"
#include "fetch/judge.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum {
	REDIRECTS_MAX = 10,
	ERROR_PAGE_MAX = 4096, /* bytes of one that are kept */
	ERROR_PAGE_READ = 1 << 20,
	TIMEOUT_DEFAULT = 60,  /* seconds */
	TIMEOUT_MAX = 1 << 30, /* seconds */
	TIMEOUT_MORE = 5,      /* seconds on top of every timeout, as pprof has it */
};

int64_t transfer_now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What a limit counts. Gives false when it is met. */
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
	return n;
}

/* "HTTP/1.1 404 Not Found" begins the headers of an answer, of which there may be several. */
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

/* The one variable of Go's that libcurl does not read itself; not where a web server runs us, since
   there it is a header of whoever asked. */
static const char *more_proxy(const struct url *u)
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
		c->easy_setopt(t->easy, CURLOPT_KEYPASSWD, ""); /* or OpenSSL asks on the terminal */
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
	if (url_is_local(u) && !t->elsewhere)
		c->easy_setopt(easy, CURLOPT_NOPROXY, "*");
	else if (more_proxy(u))
		c->easy_setopt(easy, CURLOPT_PROXY, more_proxy(u));
	c->easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* proxies see no secrets */
	if (u->insecure && !t->elsewhere) {
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

	c->easy_setopt(easy, CURLOPT_URL, t->asked);
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
	if (!t->elsewhere)
		set_secrets(t);
	c->easy_setopt(easy, CURLOPT_HTTPHEADER, t->headers);
}

static int start(struct transfer *t)
{
	int64_t left = t->begun_ms + t->limit_ms - transfer_now_ms();

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

int transfer_begin(struct transfer *t)
{
	struct buf url = { 0 };

	url_request(t->get->url, &url);
	t->asked = mem_strndup(url.data, url.len);
	buf_release(&url);
	t->begun_ms = transfer_now_ms();
	t->limit_ms = limit_of(t);
	return t->get->rc = start(t);
}

static void finish(struct transfer *t)
{
	t->all->curl->easy_cleanup(t->easy);
	t->all->curl->slist_free_all(t->headers);
	t->easy = NULL;
	t->headers = NULL;
}

/* The length of scheme, host and port in front of the path. */
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

/* Where the answer sends us, for the caller to free; NULL when it is no redirect. */
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
	if (!same_origin(t->asked, to)) {
		if (t->get->url->socket)
			return failed(t, ERR_IO, "the server behind the socket redirects to another one");
		t->elsewhere = true;
	}
	finish(t);
	free(t->asked);
	t->asked = mem_strndup(to, strlen(to));
	return start(t);
}

/* A status that is not 200, with the words of a server that is made of Go's net/http/pprof. */
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

/* What went wrong on the way, in words that say what to do where that is known. */
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
	else if (closed && strstr(why, "alert")) /* what the server says of our certificate */
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

static int judge(struct transfer *t, CURLcode code)
{
	if (t->too_long || t->too_long_all)
		return too_long(t);
	if (t->status && t->status != 200 && (code == CURLE_OK || code == CURLE_WRITE_ERROR))
		return refused(t);
	if (code != CURLE_OK)
		return broken(t, code);
	return t->get->body ? 0 : judge_answer(t->data, t->n, &t->get->err);
}

bool transfer_end(struct transfer *t, CURLcode code)
{
	char *to = redirect_of(t, code);
	bool goes_on;

	t->get->rc = to ? follow(t, to) : judge(t, code);
	goes_on = to && t->get->rc == 0;
	free(to);
	if (goes_on)
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
	free(t->asked);
	t->asked = NULL;
	return false;
}

void transfer_stop(struct transfer *t, const char *why)
{
	t->get->rc = failed(t, ERR_IO, why);
	if (t->easy)
		finish(t);
	free(t->data);
	free(t->asked);
	t->data = NULL;
	t->asked = NULL;
}

/*
 * transfer.c - describe a request to libcurl, follow its redirects, and check its answer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Redirects are followed here and not by libcurl, which would send the user's headers to any server that a redirect
 * names.
 */
#include "config.h"

#include "fetch/transfer.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	REDIRECTS_MAX = 10,
	ERROR_PAGE_MAX = 4096, /* max bytes of an error page to store */
	ERROR_PAGE_READ = 1 << 20,
	HEADERS_MAX = 64 << 10, /* bytes of header lines that are kept */
	TIMEOUT_DEFAULT = 60,   /* seconds */
	TIMEOUT_MAX = 1 << 30,  /* seconds */
	TIMEOUT_EXTRA = 5,      /* seconds added to every timeout, as in pprof */
};

/* Count n more bytes. False when a limit is exceeded. */
static bool transfer_count_bytes(struct transfer *t, size_t n)
{
	const struct fetch_options *options = t->shared->options;

	t->too_long = options->max && t->n + n > options->max;
	t->too_long_all = !t->too_long && options->max_all && t->shared->n_bytes + n > options->max_all;
	if (t->too_long || t->too_long_all)
		return false;
	t->shared->n_bytes += n;
	return true;
}

static bool transfer_is_success(const struct transfer *t)
{
	return t->status == 200 || (t->request->accepts_2xx && t->status / 100 == 2);
}

static size_t transfer_write_body(char *data, size_t size, size_t n, void *arg)
{
	struct transfer *t = arg;

	(void)size; /* always 1 */
	if (!transfer_is_success(t) && !t->request->keeps_refusal && t->n + n > ERROR_PAGE_MAX) {
		t->n_dropped += n;
		return t->n_dropped > ERROR_PAGE_READ ? 0 : n;
	}
	if (t->request->take && transfer_is_success(t))
		return t->request->take(t->request->take_arg, data, n) ? n : 0;
	if (t->limits.has_room && !t->limits.has_room(t, n)) {
		t->is_paused = true;
		return CURL_WRITEFUNC_PAUSE;
	}
	if (!transfer_count_bytes(t, n))
		return 0;
	t->data = mem_grow(t->data, &t->cap, t->n + n, 1);
	memcpy(t->data + t->n, data, n);
	t->n += n;
	if (t->shared->options->n_received)
		atomic_fetch_add(t->shared->options->n_received, n);
	assert(t->n <= t->cap && t->n <= t->shared->n_bytes);
	return n;
}

/* Parse the status line "HTTP/1.1 404 Not Found". A response may have several, after redirects or proxies. */
static void read_status(struct transfer *t, const char *line, size_t n)
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

static size_t transfer_read_header(char *line, size_t size, size_t n, void *arg)
{
	static const char length[] = "Content-Length:", retry[] = "Retry-After:";
	struct transfer *t = arg;
	size_t n_text = n;
	char text[512];

	(void)size;
	while (n_text && strchr("\r\n ", line[n_text - 1]))
		n_text--;
	n_text = n_text < sizeof(text) - 1 ? n_text : sizeof(text) - 1;
	memcpy(text, line, n_text);
	text[n_text] = '\0';
	t->request->has_answer = true;
	if (t->request->keeps_headers && t->request->headers.len < HEADERS_MAX)
		buf_addf(&t->request->headers, "%s\n", text);
	if (starts_with(text, "HTTP/"))
		read_status(t, text, n_text);
	else if (is_header(text, n_text, "X-Go-Pprof:"))
		t->is_go_pprof = true;
	else if (is_header(text, n_text, "Content-Type:"))
		t->is_plain = strstr(text, "text/plain") != NULL;
	else if (is_header(text, n_text, retry))
		t->request->retry_after = strtoll(text + strlen(retry), NULL, 10);
	else if (is_header(text, n_text, length) && transfer_is_success(t) && t->shared->options->max)
		t->too_long = strtoull(text + strlen(length), NULL, 10) > t->shared->options->max;
	return t->too_long ? 0 : n;
}

static int64_t time_limit_ms(const struct transfer *t)
{
	int64_t timeout = t->shared->options->timeout, seconds = t->request->url->seconds;

	if (t->limits.all_ms > 0)
		return t->limits.all_ms;
	if (timeout <= 0)
		timeout = seconds > 0 ? seconds + seconds / 2 : TIMEOUT_DEFAULT;
	return (timeout < TIMEOUT_MAX ? timeout : TIMEOUT_MAX) * 1000 + TIMEOUT_EXTRA * 1000;
}

/*
 * The proxy from HTTP_PROXY, which Go reads and libcurl does not. It is ignored in CGI programs, where a client can set
 * it with a header.
 */
static const char *http_proxy(const struct url *u)
{
	const char *proxy = getenv("HTTP_PROXY");

	return strcmp(u->scheme, "http") == 0 && proxy && !getenv("http_proxy") && !getenv("REQUEST_METHOD") ? proxy
													     : NULL;
}

static void set_secrets(struct transfer *t)
{
	const struct curl *c = t->shared->curl;
	const struct fetch_options *options = t->shared->options;
	const struct url *u = t->request->url;

	for (size_t i = 0; i < t->shared->secrets.n; i++)
		t->headers = c->slist_append(t->headers, t->shared->secrets.line[i]);
	if (*options->netrc) {
		c->easy_setopt(t->easy, CURLOPT_NETRC, (long)CURL_NETRC_OPTIONAL);
		if (strcmp(options->netrc, "true") != 0)
			c->easy_setopt(t->easy, CURLOPT_NETRC_FILE, options->netrc);
	}
	if (u->user) {
		c->easy_setopt(t->easy, CURLOPT_HTTPAUTH, (long)CURLAUTH_BASIC);
		c->easy_setopt(t->easy, CURLOPT_USERNAME, u->user);
		c->easy_setopt(t->easy, CURLOPT_PASSWORD, u->password ? u->password : "");
	}
	if (*options->tls_cert) {
		c->easy_setopt(t->easy, CURLOPT_SSLCERT, options->tls_cert);
		c->easy_setopt(t->easy, CURLOPT_SSLKEY, options->tls_key);
		c->easy_setopt(t->easy, CURLOPT_KEYPASSWD, ""); /* otherwise OpenSSL would prompt on the terminal */
	}
}

/* Note the socket of a request: CURLINFO_ACTIVESOCKET is unknown until the request has ended. */
static int note_socket(void *arg, curl_socket_t fd, curlsocktype purpose)
{
	struct transfer *t = arg;

	(void)purpose;
	t->socket = fd;
	return CURL_SOCKOPT_OK;
}

static int close_socket(void *arg, curl_socket_t fd)
{
	struct transfer *t = arg;

	if (t->socket == fd)
		t->socket = CURL_SOCKET_BAD;
	return close(fd);
}

static void watch_socket(struct transfer *t)
{
	const struct curl *c = t->shared->curl;

	c->easy_setopt(t->easy, CURLOPT_SOCKOPTFUNCTION, note_socket);
	c->easy_setopt(t->easy, CURLOPT_SOCKOPTDATA, t);
	c->easy_setopt(t->easy, CURLOPT_CLOSESOCKETFUNCTION, close_socket);
	c->easy_setopt(t->easy, CURLOPT_CLOSESOCKETDATA, t);
}

static long transfer_http_version(const struct transfer *t)
{
	if (!t->request->uses_http2)
		return CURL_HTTP_VERSION_1_1;
	return strcmp(t->request->url->scheme, "http") == 0 ? CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE
							    : CURL_HTTP_VERSION_2TLS;
}

static void set_connection(struct transfer *t)
{
	const struct curl *c = t->shared->curl;
	const struct url *u = t->request->url;
	CURL *easy = t->easy;

	c->easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
	c->easy_setopt(easy, CURLOPT_HTTP_VERSION, transfer_http_version(t));
	if (u->socket)
		c->easy_setopt(easy, CURLOPT_UNIX_SOCKET_PATH, u->socket);
	if (url_is_local(u) && !t->is_redirected_away)
		c->easy_setopt(easy, CURLOPT_NOPROXY, "*");
	else if (http_proxy(u))
		c->easy_setopt(easy, CURLOPT_PROXY, http_proxy(u));
	c->easy_setopt(easy, CURLOPT_HEADEROPT, (long)CURLHEADER_SEPARATE); /* send no secrets to proxies */
	if (u->insecure && !t->is_redirected_away) {
		c->easy_setopt(easy, CURLOPT_SSL_VERIFYPEER, 0L);
		c->easy_setopt(easy, CURLOPT_SSL_VERIFYHOST, 0L);
	}
	if (*t->shared->options->tls_ca) {
		c->easy_setopt(easy, CURLOPT_CAINFO, t->shared->options->tls_ca);
		c->easy_setopt(easy, CURLOPT_CAPATH, NULL);
	}
}

static void transfer_add_type(struct transfer *t)
{
	const char *type = t->request->content_type;
	struct buf header = { 0 };

	buf_addf(&header, "Content-Type: %s", type ? type : "application/octet-stream");
	t->headers = t->shared->curl->slist_append(t->headers, buf_text(&header));
	buf_release(&header);
}

static void set_request(struct transfer *t)
{
	const struct curl *c = t->shared->curl;
	CURL *easy = t->easy;

	c->easy_setopt(easy, CURLOPT_URL, t->url);
	c->easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
	c->easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	c->easy_setopt(easy, CURLOPT_USERAGENT, PACKAGE_NAME "/" PACKAGE_VERSION);
	c->easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "gzip");
	c->easy_setopt(easy, CURLOPT_ERRORBUFFER, t->error);
	c->easy_setopt(easy, CURLOPT_PRIVATE, t);
	c->easy_setopt(easy, CURLOPT_WRITEFUNCTION, transfer_write_body);
	c->easy_setopt(easy, CURLOPT_WRITEDATA, t);
	c->easy_setopt(easy, CURLOPT_HEADERFUNCTION, transfer_read_header);
	c->easy_setopt(easy, CURLOPT_HEADERDATA, t);
	if (t->request->body) {
		c->easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)t->request->n_body);
		c->easy_setopt(easy, CURLOPT_POSTFIELDS, t->request->body);
		transfer_add_type(t);
		t->headers = c->slist_append(t->headers, "Expect:");
	}
	if (t->request->method)
		c->easy_setopt(easy, CURLOPT_CUSTOMREQUEST, t->request->method);
	for (size_t i = 0; i < t->request->n_headers && !t->is_redirected_away; i++)
		t->headers = c->slist_append(t->headers, t->request->header[i]);
	if (t->limits.connect_ms > 0)
		c->easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)t->limits.connect_ms);
	if (t->limits.buffer_bytes > 0)
		c->easy_setopt(easy, CURLOPT_BUFFERSIZE, t->limits.buffer_bytes);
	if (t->limits.closes)
		c->easy_setopt(easy, CURLOPT_FORBID_REUSE, 1L);
	if (!t->is_redirected_away)
		set_secrets(t);
	c->easy_setopt(easy, CURLOPT_HTTPHEADER, t->headers);
}

static int start_request(struct transfer *t)
{
	int64_t remaining_ms = t->start_ms + t->limit_ms - clock_mono_ms();

	assert(!t->easy && t->url && t->shared->n_bytes >= t->n);
	t->easy = t->shared->curl->easy_init();
	if (!t->easy)
		return err_set(&t->request->err, ERR_IO, "cannot create a libcurl request");
	t->shared->n_bytes -= t->n;
	t->n = 0;
	t->n_dropped = 0;
	t->status = 0;
	*t->reason = *t->error = '\0';
	set_request(t);
	set_connection(t);
	if (t->shared->options->keeps)
		watch_socket(t);
	t->shared->curl->easy_setopt(t->easy, CURLOPT_TIMEOUT_MS, (long)(remaining_ms > 1 ? remaining_ms : 1));
	return 0;
}

int transfer_begin(struct transfer *t)
{
	struct buf url = { 0 };

	assert(!t->url && t->request->url);
	url_add_request(t->request->url, &url);
	t->url = mem_strndup(url.data, url.len);
	buf_release(&url);
	t->start_ms = clock_mono_ms();
	t->socket = CURL_SOCKET_BAD;
	t->limit_ms = time_limit_ms(t);
	return t->request->rc = start_request(t);
}

static void release_request(struct transfer *t)
{
	assert(t->easy);
	t->shared->curl->easy_cleanup(t->easy);
	t->shared->curl->slist_free_all(t->headers);
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

static int transfer_set_error(struct transfer *t, int code, const char *what)
{
	struct buf url = { 0 };

	url_add_redacted(t->request->url, &url);
	if (t->request->body)
		err_set(&t->request->err, code, "http post %.400s: %s", url.data, what);
	else
		err_set(&t->request->err, code, "http fetch: Get \"%.400s\": %s", url.data, what);
	buf_release(&url);
	return code;
}

/* The target of a redirect, freed by the caller; NULL if the response is not a redirect. */
static char *redirect_target(const struct transfer *t, CURLcode code)
{
	char *target[1] = { NULL };

	if (code == CURLE_OK && t->status >= 300 && t->status < 400 && !t->request->body)
		t->shared->curl->easy_getinfo(t->easy, CURLINFO_REDIRECT_URL, target);
	return *target ? mem_strndup(*target, strlen(*target)) : NULL;
}

static int follow_redirect(struct transfer *t, const char *target)
{
	if (++t->redirects > REDIRECTS_MAX)
		return transfer_set_error(t, ERR_IO, "stopped after 10 redirects");
	if (!same_origin(t->url, target)) {
		if (t->request->url->socket)
			return transfer_set_error(t, ERR_IO,
						  "the server at the Unix socket redirects to another server");
		if (t->shared->options->stays_on_server)
			return transfer_set_error(t, ERR_IO,
						  "the server redirects to another server, which is not allowed here");
		t->is_redirected_away = true;
	}
	release_request(t);
	free(t->url);
	t->url = mem_strndup(target, strlen(target));
	return start_request(t);
}

/* The remedy for a status; "" if unknown. Servers answer 400 to HTTP on a port of HTTPS, and say so in the text. */
static const char *status_advice(const struct transfer *t)
{
	enum { UNAUTHORIZED = 401, BAD_REQUEST = 400 };

	if (t->status == UNAUTHORIZED)
		return "; send a secret with --bearer-file, --header-file or --netrc";
	if (t->status == BAD_REQUEST && strcmp(t->request->url->scheme, "http") == 0 && t->n &&
	    memmem(t->data, t->n, "HTTPS", 5))
		return "; the port expects https://";
	return "";
}

/* Report a status that is no success, with the message of the server if it uses Go's net/http/pprof. */
static int report_status(struct transfer *t)
{
	if (t->is_go_pprof && t->is_plain && t->n) {
		while (t->n && strchr(" \t\r\n", t->data[t->n - 1]))
			t->n--;
		return err_set(&t->request->err, ERR_IO, "server response: %s - %.*s", t->reason, (int)t->n,
			       (char *)t->data);
	}
	err_set(&t->request->err, ERR_IO, "server response: %s%s", t->reason, status_advice(t));
	if (t->request->body) {
		struct err status_err = t->request->err;

		return transfer_set_error(t, ERR_IO, status_err.msg);
	}
	return ERR_IO;
}

static int too_long(struct transfer *t)
{
	const struct fetch_options *options = t->shared->options;

	if (t->too_long && t->limits.all_ms > 0)
		return err_set(&t->request->err, ERR_LIMIT, "more than %" PRIu64 " bytes", options->max);
	if (t->too_long)
		return err_set(&t->request->err, ERR_LIMIT,
			       "more than %" PRIu64 " bytes; raise the limit with --max-input", options->max);
	return err_set(&t->request->err, ERR_LIMIT,
		       "more than %" PRIu64 " bytes in all answers together; raise the limit with --max-input",
		       options->max_all);
}

/* Report a connection error, with a remedy if one is known. */
static int report_connection_error(struct transfer *t, CURLcode code)
{
	static const char trust_advice[] = "; trust a CA with -tls_ca=FILE, or any certificate with https+insecure://";
	const struct curl *c = t->shared->curl;
	const char *message = *t->error ? t->error : c->easy_strerror(code);
	long number = 0;
	bool closed = code == CURLE_RECV_ERROR || code == CURLE_SEND_ERROR;
	char text[512];

	c->easy_getinfo(t->easy, CURLINFO_OS_ERRNO, &number);
	if (code == CURLE_OPERATION_TIMEDOUT)
		snprintf(text, sizeof(text), "no complete answer within %" PRId64 " s%s", t->limit_ms / 1000,
			 t->limits.all_ms > 0 ? "" : "; set a longer limit with -timeout=N");
	else if (code == CURLE_COULDNT_CONNECT && number)
		snprintf(text, sizeof(text), "connect: %s", strerror((int)number));
	else if (code == CURLE_GOT_NOTHING)
		snprintf(text, sizeof(text), "the server closed the connection without an answer%s",
			 strcmp(t->request->url->scheme, "http") == 0 ? "; if the port uses TLS, use https://" : "");
	else if (closed && !t->status && !*t->shared->options->tls_cert &&
		 strcmp(t->request->url->scheme, "https") == 0)
		snprintf(text, sizeof(text),
			 "the server closed the connection; it may require a client certificate (-tls_cert)");
	else if (closed && strstr(message, "alert")) /* TLS alert about our certificate */
		snprintf(text, sizeof(text), "%.400s", message);
	else if (code == CURLE_SSL_CONNECT_ERROR && strstr(message, "wrong version number"))
		snprintf(text, sizeof(text), "the port does not use TLS; use http://");
	else if (code == CURLE_UNSUPPORTED_PROTOCOL && strstr(message, "HTTP/0.9"))
		snprintf(text, sizeof(text), "the answer is not HTTP; if the port uses TLS, use https://");
	else if (code == CURLE_PARTIAL_FILE || closed)
		snprintf(text, sizeof(text), "the server closed the connection early, after %zu bytes", t->n);
	else if (code == CURLE_SSL_CACERT_BADFILE && !*t->shared->options->tls_ca)
		snprintf(text, sizeof(text), "%.300s (Debian package ca-certificates)%s", message, trust_advice);
	else if (code == CURLE_PEER_FAILED_VERIFICATION)
		snprintf(text, sizeof(text), "%.300s%s", message, trust_advice);
	else
		snprintf(text, sizeof(text), "%.400s", message);
	return transfer_set_error(t, ERR_IO, text);
}

static int transfer_check_answer(struct transfer *t, CURLcode code)
{
	if (t->too_long || t->too_long_all)
		return too_long(t);
	if (t->status && !transfer_is_success(t) && (code == CURLE_OK || code == CURLE_WRITE_ERROR))
		return report_status(t);
	if (code != CURLE_OK)
		return report_connection_error(t, code);
	return t->request->body || t->request->takes_any ? 0 : fetch_check_content(t->data, t->n, &t->request->err);
}

bool transfer_end(struct transfer *t, CURLcode code)
{
	char *target = redirect_target(t, code);
	bool is_redirected;

	t->request->rc = target ? follow_redirect(t, target) : transfer_check_answer(t, code);
	is_redirected = target && t->request->rc == 0;
	free(target);
	if (is_redirected)
		return true;
	t->request->status = t->status;
	t->request->is_go_pprof = t->is_go_pprof;
	if (t->easy)
		release_request(t);
	if (t->request->rc == 0 || (t->request->keeps_refusal && t->status && !transfer_is_success(t))) {
		t->request->bytes = (struct bytes){ .data = t->data, .n = t->n };
	} else {
		free(t->data);
		t->shared->n_bytes -= t->n;
	}
	t->data = NULL;
	free(t->url);
	t->url = NULL;
	return false;
}

void transfer_end_early(struct transfer *t)
{
	if (!t->is_ended_early && t->socket != CURL_SOCKET_BAD && starts_with(t->url, "http:"))
		t->is_ended_early = shutdown(t->socket, SHUT_WR) == 0;
}

void transfer_cancel(struct transfer *t, const char *message)
{
	t->request->rc = transfer_set_error(t, ERR_IO, message);
	if (t->easy)
		release_request(t);
	free(t->data);
	free(t->url);
	t->data = NULL;
	t->url = NULL;
}

static int transfer_check_readable(const char *path, const char *what, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return err_set(err, ERR_IO, "could not load %s: %.300s: %s", what, path, strerror(errno));
	close(fd);
	return 0;
}

/* Check that -tls_cert and -tls_key are given together, and that all files are readable. */
static int check_tls(const struct fetch_options *options, struct err *err)
{
	static const char pair[] = "certificate/key pair specified by -tls_cert and -tls_key";
	int rc = 0;

	if (*options->tls_key && !*options->tls_cert)
		return err_set(err, ERR_USAGE, "-tls_key is specified, so -tls_cert must also be specified");
	if (*options->tls_cert && !*options->tls_key)
		return err_set(err, ERR_USAGE, "-tls_cert is specified, so -tls_key must also be specified");
	if (*options->tls_cert)
		rc = transfer_check_readable(options->tls_cert, pair, err);
	if (rc == 0 && *options->tls_key)
		rc = transfer_check_readable(options->tls_key, pair, err);
	if (rc == 0 && *options->tls_ca)
		rc = transfer_check_readable(options->tls_ca, "CA specified by -tls_ca", err);
	if (rc == 0 && *options->netrc && strcmp(options->netrc, "true") != 0)
		rc = transfer_check_readable(options->netrc, "netrc file specified by --netrc", err);
	return rc;
}

int transfers_init(struct transfers *s, const struct fetch_options *options, struct buf *notes, struct err *err)
{
	int rc = check_tls(options, err);

	*s = (struct transfers){ .options = options };
	if (rc == 0)
		rc = secrets_read(options, &s->secrets, notes, err);
	if (rc == 0)
		rc = curl_load(&s->curl, err);
	if (rc < 0)
		transfers_release(s);
	return rc;
}

void transfers_release(struct transfers *s)
{
	secrets_release(&s->secrets);
}

bool transfers_are_plain(const struct transfers *s, const struct url *u)
{
	return (s->secrets.n || u->user || *s->options->netrc) && strcmp(u->scheme, "http") == 0 && !url_is_local(u);
}

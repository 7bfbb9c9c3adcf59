/*
 * request.c - receive requests with libmicrohttpd, and call the answer function
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libmicrohttpd calls httpd_begin_request after the request line, httpd_handle after the head, for each part of the
 * body and after the body, httpd_end_request after the response. All calls of a connection are in its thread.
 */
#include "config.h"

#include "httpd/httpd_int.h"

#include "access/peer.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/time.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum {
	STATUS_BAD = 400,
	STATUS_TOO_LARGE = 413,
	STATUS_HEAD_TOO_LARGE = 431,
	STATUS_ERROR = 500,
	STATUS_STORAGE = 507,
	LINE_BYTES = 4, /* bytes of a header line besides name and value */
	DISCARD_MAX =
		16 << 20, /* bodies of refused requests are received up to this size, so that clients read the answer */
};

void *httpd_begin_request(void *h, const char *uri, struct MHD_Connection *mc)
{
	struct httpd *server = h;
	const union MHD_ConnectionInfo *info = server->lib->get_connection_info(mc, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
	struct httpd_request *r = mem_zalloc(1, sizeof(*r));

	r->conn = info->socket_context;
	r->target = mem_strndup(uri ? uri : "", uri ? strlen(uri) : 0);
	r->q.upload = -1;
	pthread_mutex_lock(&server->lock);
	r->conn->idle_ns = 0;
	r->conn->receive_ns = clock_mono_ns();
	pthread_mutex_unlock(&server->lock);
	httpd_set_deadline(r->conn, clock_mono_ns(), server->options.limits.head_ms, 0);
	return r;
}

/* Split the target into path and query. An absolute target ("http://HOST/PATH") is for proxies and is refused. */
static bool split_target(struct httpd_request *r)
{
	char *query = strchr(r->target, '?');

	if (query)
		*query++ = '\0';
	r->q.path = r->target;
	r->q.query = query ? query : "";
	return r->target[0] == '/';
}

static enum MHD_Result httpd_request_add_header(void *arg, enum MHD_ValueKind kind, const char *name, size_t n_name,
						const char *value, size_t n_value)
{
	struct httpd_request *r = arg;
	size_t i = r->q.n_headers;

	(void)kind;
	if (!value || strlen(name) != n_name || strlen(value) != n_value)
		return MHD_NO; /* a NUL in it */
	r->head_bytes += n_name + n_value + LINE_BYTES;
	r->header = mem_grow(r->header, &r->cap_headers, i + 1, sizeof(*r->header));
	r->header[i] = (struct http_header){ name, value };
	r->q.header = r->header;
	r->q.n_headers++;
	return MHD_YES;
}

/* Parse the length of the body. Returns false if two servers could parse it differently (RFC 9112, 6.3). */
static bool httpd_request_parse_length(const struct http_request *q, uint64_t *out)
{
	const char *length = http_request_header(q, "Content-Length"),
		   *coding = http_request_header(q, "Transfer-Encoding");

	*out = 0;
	if (http_request_repeats(q, "Content-Length") || http_request_repeats(q, "Transfer-Encoding"))
		return false;
	if (coding)
		return !length && strcasecmp(coding, "chunked") == 0;
	if (!length)
		return true;
	errno = 0;
	*out = strtoull(length, NULL, 10);
	return *length && length[strspn(length, "0123456789")] == '\0' && errno == 0;
}

static void read_peer(struct httpd_conn *c)
{
	struct peer_pair pair;

	if (c->has_peer)
		return;
	c->has_peer = true;
	c->peer.is_unix = c->is_unix;
	c->peer.is_user = peer_is_user(c->fd, c->is_unix, false);
	if (!c->is_unix && peer_pair(c->fd, &pair)) {
		c->peer.is_loopback = peer_is_loopback(&pair);
		peer_format(&pair, c->peer.address, sizeof(c->peer.address));
	}
}

static void httpd_request_refuse(struct httpd_request *r, int status, const char *text)
{
	http_response_release(&r->refusal);
	httpd_set_error(r->conn->h, status, text, &r->refusal);
	r->refusal.closes = true;
	r->is_refused = true;
}

/* Create a file without a name. Returns -1 on failure. */
static int open_unlinked(void)
{
	const char *folder = getenv("TMPDIR");
	int fd = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	char path[] = "/tmp/cpa-upload-XXXXXX";

	if (fd >= 0 || (fd = mkostemp(path, O_CLOEXEC)) < 0)
		return fd;
	unlink(path);
	return fd;
}

static uint64_t body_max(const struct httpd_request *r)
{
	return r->is_upload ? r->conn->h->options.upload_max : HTTPD_FORM_MAX;
}

static void httpd_request_check_head(struct httpd_request *r, bool is_complete, uint64_t length)
{
	struct httpd *h = r->conn->h;

	if (r->head_bytes > HTTPD_HEAD_MAX) {
		httpd_request_refuse(r, STATUS_HEAD_TOO_LARGE, "the request head is longer than 16 KiB");
		return;
	}
	if (!is_complete) {
		httpd_request_refuse(r, STATUS_BAD, "invalid request");
		return;
	}
	if (h->options.check && !h->options.check(h->options.arg, &r->q, &r->refusal)) {
		r->is_refused = true;
		return;
	}
	r->is_upload = h->options.is_upload && h->options.is_upload(&r->q);
	if (length > body_max(r))
		httpd_request_refuse(r, STATUS_TOO_LARGE, "the body of the request is too large");
	else if (r->is_upload && (r->q.upload = open_unlinked()) < 0)
		httpd_request_refuse(r, STATUS_STORAGE, "cannot create a temporary file for the upload");
}

static void set_running(struct httpd_request *r, bool is_running, struct stop *stop)
{
	struct httpd *h = r->conn->h;
	uint64_t one = 1;

	pthread_mutex_lock(&h->lock);
	if (r->is_running != is_running)
		h->n_running += is_running ? 1U : -1U;
	r->is_running = is_running;
	r->conn->stop = stop;
	if (stop && (h->is_stopping || r->conn->is_gone))
		stop_set(stop);
	if (stop)
		r->conn->deadline_ns = UINT64_MAX;
	pthread_mutex_unlock(&h->lock);
	if (stop && write(h->wake, &one, sizeof(one)) < 0) /* the watcher is to poll this socket; EAGAIN: it will */
		return;
}

/* Wait before a response is sent. Returns early if the client disconnects or the server stops. */
static void delay(const struct httpd_request *r, unsigned ms)
{
	struct pollfd fd = { .fd = r->conn->fd, .events = POLLRDHUP };

	if (ms > 0)
		poll(&fd, 1, (int)ms);
}

/* The request is complete, or the rest of it does not matter. */
static void end_receiving(struct httpd_request *r)
{
	pthread_mutex_lock(&r->conn->h->lock);
	r->conn->receive_ns = 0;
	pthread_mutex_unlock(&r->conn->h->lock);
}

static enum MHD_Result send_response(struct httpd_request *r, struct MHD_Connection *mc, struct http_response *out)
{
	if (out->delay_ms > 0) {
		set_running(r, r->is_running, &r->stop);
		delay(r, out->delay_ms);
		set_running(r, r->is_running, NULL);
	}
	return httpd_send(r, mc, out);
}

static enum MHD_Result receive_head(struct httpd_request *r, struct MHD_Connection *mc, const char *method,
				    const char *version)
{
	const struct httpd *h = r->conn->h;
	uint64_t length = 0;
	bool is_complete;

	r->has_head = true;
	r->head_bytes = strlen(method) + strlen(r->target) + strlen(version) + LINE_BYTES;
	r->q.method = method;
	r->q.body = "";
	h->lib->get_connection_values_n(mc, MHD_HEADER_KIND, httpd_request_add_header, r);
	is_complete = h->lib->get_connection_values_n(mc, MHD_HEADER_KIND, NULL, NULL) == (int)r->q.n_headers;
	is_complete = split_target(r) && httpd_request_parse_length(&r->q, &length) && is_complete;
	read_peer(r->conn);
	r->q.peer = r->conn->peer;
	httpd_request_check_head(r, is_complete, length);
	set_running(r, true, NULL);
	r->body_since_ns = clock_mono_ns();
	httpd_set_deadline(r->conn, r->body_since_ns, h->options.limits.body_ms, 0);
	/* a client that waits for 100 Continue has not sent its body, and a large body is not received to be discarded */
	if (r->is_refused && (length > DISCARD_MAX || http_request_header(&r->q, "Expect"))) {
		r->refusal.closes = true;
		end_receiving(r);
		return send_response(r, mc, &r->refusal);
	}
	return MHD_YES;
}

static enum MHD_Result receive_body(struct httpd_request *r, const char *data, size_t n)
{
	struct err err;

	r->n_received += n;
	httpd_set_deadline(r->conn, r->body_since_ns, r->conn->h->options.limits.body_ms, r->n_received);
	if (r->is_refused)
		return r->n_received <= DISCARD_MAX ? MHD_YES : MHD_NO;
	if (r->n_received > body_max(r))
		httpd_request_refuse(r, STATUS_TOO_LARGE, "the body of the request is too large");
	else if (!r->is_upload)
		buf_add(&r->body, data, n);
	else if (io_write_fd(r->q.upload, data, n, &err) < 0)
		httpd_request_refuse(r, STATUS_STORAGE, "cannot store the upload");
	return MHD_YES;
}

static enum MHD_Result httpd_request_answer(struct httpd_request *r, struct MHD_Connection *mc)
{
	const struct httpd *h = r->conn->h;
	struct http_response out = { 0 };

	end_receiving(r);
	if (r->is_refused)
		return send_response(r, mc, &r->refusal);
	r->q.body = buf_text(&r->body);
	r->q.n_body = r->body.len;
	if (r->is_upload)
		lseek(r->q.upload, 0, SEEK_SET);
	set_running(r, true, &r->stop);
	h->options.answer(h->options.arg, &r->q, &r->stop, &out);
	if (!stop_is_set(&r->stop))
		delay(r, out.delay_ms);
	set_running(r, true, NULL);
	out.delay_ms = 0;
	if (stop_is_set(&r->stop)) {
		http_response_release(&out);
		return MHD_NO;
	}
	if (out.status == 0) {
		http_response_release(&out);
		httpd_set_error(h, STATUS_ERROR, "no response", &out);
	}
	return httpd_send(r, mc, &out);
}

enum MHD_Result httpd_handle(void *h, struct MHD_Connection *mc, const char *url, const char *method,
			     const char *version, const char *data, size_t *n, void **request)
{
	struct httpd_request *r = *request;
	size_t n_data = *n;

	(void)h;
	(void)url;
	if (!r)
		return MHD_NO;
	if (!r->has_head)
		return receive_head(r, mc, method, version);
	*n = 0;
	return n_data > 0 ? receive_body(r, data, n_data) : httpd_request_answer(r, mc);
}

void httpd_end_request(void *h, struct MHD_Connection *mc, void **request, enum MHD_RequestTerminationCode code)
{
	struct httpd *server = h;
	struct httpd_request *r = *request;
	uint64_t now = clock_mono_ns();

	(void)mc;
	(void)code;
	*request = NULL;
	if (!r)
		return;
	set_running(r, false, NULL);
	pthread_mutex_lock(&server->lock);
	server->last_ns = now;
	r->conn->idle_ns = now;
	r->conn->receive_ns = 0;
	pthread_mutex_unlock(&server->lock);
	httpd_set_deadline(r->conn, now, server->options.limits.idle_ms, 0);
	if (r->q.upload >= 0)
		close(r->q.upload);
	http_response_release(&r->refusal);
	buf_release(&r->body);
	free(r->header);
	free(r->target);
	free(r);
}

/*
 * conn_read.c - a connection of the server: requests
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether a request may be made is asked before its body is read. in[] holds the head until it was answered, and
 * behind it what came later: parts of its body, which go into a vec, or the next requests.
 */
#include "config.h"

#include "libcpaprof/endpoint/server_int.h"

#include <errno.h>
#include <string.h>

static const char strange[] = "this connection is of another user of this machine, or of nobody known";

bool conn_receive(struct conn *c)
{
	ssize_t n;

	do
		n = recv(c->file.fd, c->in + c->n_in, sizeof(c->in) - c->n_in, MSG_DONTWAIT);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return true;
	if (n > 0) {
		c->n_in += (size_t)n;
		return true;
	}
	/* Half a request: as Go's server says, if only to those that closed but their own side. */
	if (n == 0 && c->state == CONN_HEAD && c->n_in && !c->stranger)
		conn_refuse(c, 400, NULL);
	else
		conn_drop(c);
	return false;
}

/* So many requests a second, evenly spread but for a burst of twice as many. */
static bool is_too_many(struct server *s, uint64_t now_ns)
{
	uint64_t step = 1000000000 / s->how.limits.rate, burst = (2 * (uint64_t)s->how.limits.rate - 1) * step;

	if (s->rate_ns + burst < now_ns)
		s->rate_ns = now_ns - burst;
	if (s->rate_ns > now_ns)
		return true;
	s->rate_ns += step;
	return false;
}

/* May it be asked? Else it is answered. */
static bool admit(struct conn *c)
{
	struct server *s = c->server;
	uint64_t now = clock_now();
	struct guard_says says;

	if (c->stranger) {
		conn_say(c, 403, strange);
		return false;
	}
	says = guard_request(&s->guard, &c->head, c->is_unix, now);
	if (says.status) {
		c->extra = says.status == 401 ? "WWW-Authenticate: Bearer\r\n" : NULL;
		c->delay_ns = says.delay_ms ? now + (uint64_t)says.delay_ms * 1000000 : 0;
		conn_say(c, says.status, says.text);
		return false;
	}
	if (is_too_many(s, now)) {
		c->extra = "Retry-After: 1\r\n";
		conn_say(c, 429, "too many requests: ask again in a second");
		return false;
	}
	return true;
}

/* Answer without the body; then the connection cannot go on, for the body would be the next request. */
static void answer_unread(struct conn *c)
{
	c->head.keep = false;
	conn_work(c);
}

static void begin_body(struct conn *c)
{
	static const char go_on[] = "HTTP/1.1 100 Continue\r\n\r\n";
	const struct request_head *h = &c->head;

	c->takes_body = strcmp(h->method, "POST") == 0;
	if (!h->chunked && !h->length) {
		conn_work(c);
		return;
	}
	if (h->length > SERVE_BODY_MOST && c->takes_body) {
		conn_say(c, 413, "the body of a request may have 1 MiB");
		return;
	}
	if (!c->takes_body && (h->length > SERVE_BODY_MOST || h->expects)) {
		answer_unread(c);
		return;
	}
	/* So few bytes go in at once, or the client is gone. */
	if (h->expects && c->n_in == c->n_head &&
	    send(c->file.fd, go_on, sizeof(go_on) - 1, MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(go_on) - 1) {
		conn_drop(c);
		return;
	}
	c->state = CONN_BODY;
	c->until_ns = clock_now() + (uint64_t)c->server->how.limits.head_ms * 1000000;
}

/* A head, if there is a whole one. Gives false when more has to come. */
static bool read_head(struct conn *c)
{
	uint32_t head_ms = c->server->how.limits.head_ms;
	const char *why;
	int rc;

	if (!c->n_in)
		return false;
	if (c->idle && !c->n_head) { /* the first bytes: it is no longer idle */
		c->until_ns = clock_now() + (uint64_t)head_ms * 1000000;
		c->idle = false;
	}
	rc = request_head_parse(c->in, c->n_in, &c->head, &why);
	if (rc == HEAD_MORE)
		return false;
	c->until_ns = 0;
	if (rc < 0) {
		if (c->stranger)
			conn_say(c, 403, strange);
		else
			conn_refuse(c, -rc, why);
		return true;
	}
	c->n_head = (size_t)rc;
	if (!admit(c))
		return true;
	if (strcmp(c->head.target, "*") == 0) {
		c->own = (struct serve_answer){ .status = 200 };
		if (c->head.length || c->head.chunked)
			c->head.keep = false;
		conn_answer(c);
	} else {
		begin_body(c);
	}
	return true;
}

/* How the body goes on with what came. *n: how much of that belongs to it. */
static enum chunked_is take_body(struct conn *c, size_t *n)
{
	const char *data = c->in + c->n_head;
	struct vec *out = c->takes_body ? &c->body : NULL;
	uint64_t left = c->head.length - c->chunked.all;
	void *to;

	if (c->head.chunked)
		return chunked_take(&c->chunked, data, n, SERVE_BODY_MOST, out);
	if (*n > left)
		*n = (size_t)left;
	if (out && *n) {
		to = vec_room(out, *n, 1, SERVE_BODY_MOST);
		if (!to)
			return CHUNKED_NO_MEMORY;
		memcpy(to, data, *n);
		out->n += *n;
	}
	c->chunked.all += *n;
	return c->chunked.all == c->head.length ? CHUNKED_DONE : CHUNKED_MORE;
}

/* Gives false when more has to come. */
static bool read_body(struct conn *c)
{
	size_t n = c->n_in - c->n_head;
	enum chunked_is is = take_body(c, &n);

	memmove(c->in + c->n_head, c->in + c->n_head + n, c->n_in - c->n_head - n);
	c->n_in -= n;
	switch (is) {
	case CHUNKED_MORE:
		return false;
	case CHUNKED_DONE:
		conn_work(c);
		break;
	case CHUNKED_BAD:
		conn_refuse(c, 400, NULL);
		break;
	case CHUNKED_MUCH:
		if (c->takes_body)
			conn_say(c, 413, "the body of a request may have 1 MiB");
		else
			answer_unread(c);
		break;
	case CHUNKED_NO_MEMORY:
		conn_say(c, 503, "there is no memory to take the request");
		break;
	}
	return true;
}

void conn_read(struct conn *c)
{
	bool more = true;

	while (more && (c->state == CONN_HEAD || c->state == CONN_BODY))
		more = c->state == CONN_HEAD ? read_head(c) : read_body(c);
}

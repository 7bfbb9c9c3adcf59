/*
 * conn.c - a connection of the server: read requests, run their jobs, write answers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Access is checked before the body is read. in[] holds the head until the request was answered, followed by later
 * data: parts of the body, which are moved to a vec, or further requests.
 *
 * Header lines are in the order of Go's server: those of the answer, Date, Content-Length, Connection.
 *
 * A job runs in the thread of the server, step by step, or in its own thread, which sleeps on a futex. Such a thread
 * uses its connection and the socket pair of the server until it sets has_ended. server_run waits for the last thread.
 */
#include "config.h"

#include "libcpaprof/endpoint/chunked.h"
#include "libcpaprof/endpoint/server_int.h"

#include "libcpaprof/target/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

static const char untrusted_peer[] = "the client belongs to another user of this machine, or its user is unknown";

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
	/* Like Go's server, answer an incomplete request, in case the client closed only its own side. */
	if (n == 0 && c->state == CONN_HEAD && c->n_in && !c->is_untrusted)
		conn_refuse(c, 400, NULL);
	else
		conn_drop(c);
	return false;
}

/* Limit the rate of requests, with bursts of twice the rate. */
static bool is_above_rate(struct server *s, uint64_t now_ns)
{
	uint64_t step = 1000000000 / s->options.limits.rate, burst = (2 * (uint64_t)s->options.limits.rate - 1) * step;

	if (s->rate_ns + burst < now_ns)
		s->rate_ns = now_ns - burst;
	if (s->rate_ns > now_ns)
		return true;
	s->rate_ns += step;
	return false;
}

/* Check access and rate. Returns false if it answered with an error. */
static bool conn_admit(struct conn *c)
{
	struct server *s = c->server;
	uint64_t now = clock_now();
	struct endpoint_verdict says;

	if (c->is_untrusted) {
		conn_answer_error(c, 403, untrusted_peer);
		return false;
	}
	says = endpoint_access_check_request(&s->access, &c->head, c->is_unix, now);
	if (says.status) {
		c->extra = says.status == 401 ? "WWW-Authenticate: Bearer\r\n" : NULL;
		c->delay_ns = says.delay_ms ? now + (uint64_t)says.delay_ms * 1000000 : 0;
		conn_answer_error(c, says.status, says.text);
		return false;
	}
	if (is_above_rate(s, now)) {
		c->extra = "Retry-After: 1\r\n";
		conn_answer_error(c, 429, "too many requests; try again in a second");
		return false;
	}
	return true;
}

/* Answer without reading the body, then close the connection: otherwise the body would be taken for a request. */
static void answer_unread(struct conn *c)
{
	c->head.keep_alive = false;
	conn_start_job(c);
}

static void start_body(struct conn *c)
{
	static const char go_ahead[] = "HTTP/1.1 100 Continue\r\n\r\n";
	const struct request_head *h = &c->head;

	c->takes_body = strcmp(h->method, "POST") == 0;
	if (!h->is_chunked && !h->length) {
		conn_start_job(c);
		return;
	}
	if (h->length > SERVE_BODY_MAX && c->takes_body) {
		conn_answer_error(c, 413, "request body too large: the limit is 1 MiB");
		return;
	}
	if (!c->takes_body && (h->length > SERVE_BODY_MAX || h->expects_continue)) {
		answer_unread(c);
		return;
	}
	/* a single call can always send so few bytes, unless the client is gone */
	if (h->expects_continue && c->n_in == c->n_head &&
	    send(c->file.fd, go_ahead, sizeof(go_ahead) - 1, MSG_DONTWAIT | MSG_NOSIGNAL) != sizeof(go_ahead) - 1) {
		conn_drop(c);
		return;
	}
	c->state = CONN_BODY;
	c->until_ns = clock_now() + (uint64_t)c->server->options.limits.head_ms * 1000000;
}

/* Read the head of a request. Returns false if it is incomplete. */
static bool conn_read_head(struct conn *c)
{
	uint32_t head_ms = c->server->options.limits.head_ms;
	const char *why;
	int rc;

	if (!c->n_in)
		return false;
	if (c->is_idle && !c->n_head) { /* the first bytes of a request */
		c->until_ns = clock_now() + (uint64_t)head_ms * 1000000;
		c->is_idle = false;
	}
	rc = request_head_parse(c->in, c->n_in, &c->head, &why);
	if (rc == HEAD_MORE)
		return false;
	c->until_ns = 0;
	if (rc < 0) {
		if (c->is_untrusted)
			conn_answer_error(c, 403, untrusted_peer);
		else
			conn_refuse(c, -rc, why);
		return true;
	}
	c->n_head = (size_t)rc;
	if (!conn_admit(c))
		return true;
	if (strcmp(c->head.target, "*") == 0) {
		c->own_answer = (struct serve_answer){ .status = 200 };
		if (c->head.length || c->head.is_chunked)
			c->head.keep_alive = false;
		conn_answer(c);
	} else {
		start_body(c);
	}
	return true;
}

/* Decode received data of the body. *n out: the number of bytes that belong to it. */
static enum chunked_status decode_body(struct conn *c, size_t *n)
{
	const char *data = c->in + c->n_head;
	struct vec *out = c->takes_body ? &c->body : NULL;
	uint64_t left = c->head.length - c->chunked.n_body;

	if (c->head.is_chunked)
		return chunked_decode(&c->chunked, data, n, SERVE_BODY_MAX, out);
	if (*n > left)
		*n = (size_t)left;
	if (out && *n && !vec_add(out, data, *n, 1, SERVE_BODY_MAX))
		return CHUNKED_NO_MEMORY;
	c->chunked.n_body += *n;
	return c->chunked.n_body == c->head.length ? CHUNKED_DONE : CHUNKED_MORE;
}

/* Read the body of a request. Returns false if it is incomplete. */
static bool conn_read_body(struct conn *c)
{
	size_t n = c->n_in - c->n_head;
	enum chunked_status is = decode_body(c, &n);

	memmove(c->in + c->n_head, c->in + c->n_head + n, c->n_in - c->n_head - n);
	c->n_in -= n;
	switch (is) {
	case CHUNKED_MORE:
		return false;
	case CHUNKED_DONE:
		conn_start_job(c);
		break;
	case CHUNKED_BAD:
		conn_refuse(c, 400, NULL);
		break;
	case CHUNKED_TOO_LONG:
		if (c->takes_body)
			conn_answer_error(c, 413, "request body too large: the limit is 1 MiB");
		else
			answer_unread(c);
		break;
	case CHUNKED_NO_MEMORY:
		conn_answer_error(c, 503, "out of memory");
		break;
	}
	return true;
}

void conn_read(struct conn *c)
{
	bool more = true;

	while (more && (c->state == CONN_HEAD || c->state == CONN_BODY))
		more = c->state == CONN_HEAD ? conn_read_head(c) : conn_read_body(c);
}

enum { DATE_MAX = 64 };

/* Format "Sun, 06 Nov 1994 08:49:37 GMT". gmtime_r is not used because it reads TZ and files. */
static void write_date(time_t t, char out[DATE_MAX])
{
	static const char day[][4] = { "Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed" };
	static const char month[][4] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
					 "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
	/* Days since 1 March of year 0, in eras of 400 years, in years that begin in March. */
	unsigned long days = (unsigned long)t / 86400, second = (unsigned long)t % 86400, z = days + 719468;
	unsigned era = (unsigned)(z / 146097), of_era = (unsigned)(z % 146097);
	unsigned year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
	unsigned of_year = of_era - (365 * year + year / 4 - year / 100);
	unsigned m = (5 * of_year + 2) / 153, d = of_year - (153 * m + 2) / 5 + 1;

	m = m < 10 ? m + 2 : m - 10;
	year += era * 400 + (m < 2);
	snprintf(out, DATE_MAX, "%s, %02u %s %04u %02lu:%02lu:%02lu GMT", day[days % 7], d, month[m], year,
		 second / 3600, second / 60 % 60, second % 60);
}

static const struct serve_answer *current_answer(const struct conn *c)
{
	return c->job ? serve_answer(c->job) : &c->own_answer;
}

static bool conn_is_head(const struct conn *c)
{
	return c->head.method && strcmp(c->head.method, "HEAD") == 0;
}

/* The Connection header, if it is not the default of the version. */
static const char *connection_of(const struct request_head *h)
{
	if (h->minor > 0)
		return h->keep_alive ? "" : "Connection: close\r\n";
	return h->keep_alive ? "Connection: keep-alive\r\n" : "";
}

/* Format status line and header lines. Returns false if they do not fit. */
static bool write_lines(struct conn *c, const struct serve_answer *a)
{
	size_t n;
	char date[DATE_MAX];

	if (c->status_line[0])
		n = (size_t)snprintf(c->out, CONN_OUT, "HTTP/1.%d %s\r\n", c->head.minor > 0, c->status_line);
	else
		n = (size_t)snprintf(c->out, CONN_OUT, "HTTP/1.%d %d %s\r\n", c->head.minor > 0, a->status,
				     serve_reason(a->status));
	if (n >= CONN_OUT)
		return false;
	n += serve_headers(a, c->out + n, CONN_OUT - n);
	if (n >= CONN_OUT)
		return false;
	write_date(time(NULL), date);
	n += (size_t)snprintf(c->out + n, CONN_OUT - n, "%sDate: %s\r\nContent-Length: %zu\r\n%s\r\n",
			      c->extra ? c->extra : "", date, a->body.v.n, connection_of(&c->head));
	c->n_out = n;
	return n < CONN_OUT;
}

void conn_answer(struct conn *c)
{
	if (c->server->stopping)
		c->head.keep_alive = false;
	if (!write_lines(c, current_answer(c))) {
		conn_drop(c);
		return;
	}
	c->sent = 0;
	c->state = CONN_WRITE;
	c->until_ns = clock_now() + (uint64_t)c->server->options.limits.write_ms * 1000000;
	conn_write(c);
}

/* Answer, after a delay if requested, then close the connection. */
static void answer_and_close(struct conn *c)
{
	c->head.keep_alive = false;
	if (!c->delay_ns) {
		conn_answer(c);
		return;
	}
	c->state = CONN_DELAY;
	c->until_ns = c->delay_ns;
}

void conn_answer_error(struct conn *c, int status, const char *text)
{
	if (serve_set_text(&c->own_answer, status, true, text) < 0)
		conn_drop(c);
	else
		answer_and_close(c);
}

void conn_refuse(struct conn *c, int status, const char *why)
{
	const char *text = c->status_line;

	c->head = (struct request_head){ .minor = 1 };
	snprintf(c->status_line, sizeof(c->status_line), why && status != 501 ? "%d %s: %s" : "%d %s", status,
		 serve_reason(status), why);
	if (status == 501 && why)
		text = why;
	c->own_answer = (struct serve_answer){ .status = status, .type = "text/plain; charset=utf-8" };
	if (body_append(&c->own_answer.body, text, strlen(text)) < 0)
		conn_drop(c);
	else
		answer_and_close(c);
}

/* The answer has been written: wait for the next request, which may have been received already, or close the
 * connection. */
static void conn_finish(struct conn *c)
{
	const struct server_limits *limits = &c->server->options.limits;

	conn_end_job(c);
	body_release(&c->own_answer.body);
	vec_release(&c->body, 1);
	c->own_answer = (struct serve_answer){ 0 };
	c->chunked = (struct chunked){ 0 };
	c->status_line[0] = 0;
	c->extra = NULL;
	c->is_eof = false;
	if (!c->head.keep_alive) {
		shutdown(c->file.fd, SHUT_WR);
		c->state = CONN_LINGER;
		c->until_ns = clock_now() + (uint64_t)CONN_LINGER_MS * 1000000;
		return;
	}
	memmove(c->in, c->in + c->n_head, c->n_in - c->n_head);
	c->n_in -= c->n_head;
	c->n_head = 0;
	c->head = (struct request_head){ 0 };
	c->is_idle = true;
	c->state = CONN_HEAD;
	c->until_ns = clock_now() + (uint64_t)limits->idle_ms * 1000000;
}

void conn_write(struct conn *c)
{
	const struct vec *body = &current_answer(c)->body.v;
	uint64_t all = c->n_out + (conn_is_head(c) ? 0 : body->n),
		 of_body = c->sent > c->n_out ? c->sent - c->n_out : 0;
	struct iovec part[2] = { { c->out + (c->sent - of_body), c->n_out - (c->sent - of_body) } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };
	ssize_t n;

	if (!conn_is_head(c))
		part[1] = (struct iovec){ (char *)body->data + of_body, body->n - of_body };
	do
		n = sendmsg(c->file.fd, &m, MSG_DONTWAIT | MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	if (n < 0 && errno != EAGAIN) {
		conn_drop(c);
		return;
	}
	if (n > 0) {
		c->sent += (uint64_t)n;
		c->until_ns = clock_now() + (uint64_t)c->server->options.limits.write_ms * 1000000;
	}
	if (c->sent == all)
		conn_finish(c);
}

enum { NS = 1000000000 };

/* Wait until due_ns, or until c->events differs from events. */
static void wait_events(struct conn *c, uint32_t events, uint64_t due_ns)
{
	struct timespec due = { .tv_sec = (time_t)(due_ns / NS), .tv_nsec = (long)(due_ns % NS) };

	sys_call6(SYS_futex, (long)&c->events, FUTEX_WAIT_BITSET_PRIVATE, events, (long)&due, 0,
		  (long)FUTEX_BITSET_MATCH_ANY);
}

void conn_notify(struct conn *c, uint32_t events)
{
	atomic_fetch_or(&c->events, events);
	sys_call6(SYS_futex, (long)&c->events, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* The thread of a job. A capture ends when the client closes its side, which may still read what was measured. */
static void conn_run_thread(void *arg)
{
	struct conn *c = arg;
	struct server *s = c->server;
	uint32_t events;
	uint64_t due = 1;

	while (!((events = atomic_load(&c->events)) & WORK_GONE)) {
		due = serve_step(c->job, events & (WORK_HURRY | WORK_EOF));
		if (!due)
			break;
		wait_events(c, events, due);
	}
	if (due) {
		serve_end(c->job);
		c->job = NULL;
	}
	atomic_store(&c->has_ended, true);
	server_wake(s);
	atomic_fetch_sub(&s->n_threads, 1);
	/* If the memory was unmapped meanwhile, the kernel returns an error or wakes some other thread, which is
	 * harmless. */
	sys_call6(SYS_futex, (long)&s->n_threads, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static bool start_thread(struct conn *c)
{
	struct server *s = c->server;

	if (!s->options.spawn)
		return false;
	atomic_store(&c->events, s->stopping ? WORK_HURRY : 0);
	atomic_store(&c->has_ended, false);
	atomic_fetch_add(&s->n_threads, 1);
	c->has_thread = true;
	if (s->options.spawn(s->options.arg, conn_run_thread, c) == 0)
		return true;
	atomic_fetch_sub(&s->n_threads, 1);
	c->has_thread = false;
	return false;
}

void conn_start_job(struct conn *c)
{
	const struct serve_request r = {
		.method = c->head.method,
		.target = c->head.target,
		.body = c->body.data ? c->body.data : "",
		.n_body = c->body.n,
	};

	c->until_ns = 0;
	if (serve_begin(c->server->options.serve, &r, &c->job) < 0) {
		c->job = NULL;
		conn_answer_error(c, 503, "out of memory");
		return;
	}
	vec_release(&c->body, 1);
	c->state = CONN_WORK;
	if (!start_thread(c))
		conn_run_job(c);
}

void conn_run_job(struct conn *c)
{
	c->until_ns = serve_step(c->job, c->server->stopping || c->is_eof);
	if (!c->until_ns)
		conn_answer(c);
}

void conn_end_job(struct conn *c)
{
	serve_end(c->job);
	c->job = NULL;
}

static uint64_t ms_from_now(uint32_t ms)
{
	return clock_now() + (uint64_t)ms * 1000000;
}

int conn_open(struct server *s, struct conn *c, int fd, bool is_unix, bool is_untrusted)
{
	int one = 1, rc;

	/* clear all fields but the buffers, whose pages are allocated on first use */
	memset(c, 0, offsetof(struct conn, out));
	rc = owned_take(&c->file, fd);
	if (rc < 0)
		return rc;
	if (!is_unix)
		setsockopt(c->file.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->server = s;
	c->is_unix = is_unix;
	c->is_untrusted = is_untrusted;
	c->state = CONN_HEAD;
	c->until_ns = ms_from_now(s->options.limits.head_ms);
	return 0;
}

short conn_events(const struct conn *c)
{
	switch (c->state) {
	case CONN_HEAD:
	case CONN_BODY:
	case CONN_LINGER:
		return POLLIN;
	case CONN_WRITE:
		return POLLOUT;
	case CONN_DELAY:
	case CONN_WORK:
		return c->is_eof ? 0 : POLLRDHUP;
	case CONN_FREE:
	case CONN_ABANDONED:
		break;
	}
	return 0;
}

static void conn_release(struct conn *c)
{
	conn_end_job(c);
	body_release(&c->own_answer.body);
	vec_release(&c->body, 1);
	owned_close(&c->file);
	c->state = CONN_FREE;
	c->until_ns = 0;
}

void conn_drop(struct conn *c)
{
	if (!c->has_thread) {
		conn_release(c);
		return;
	}
	owned_close(&c->file);
	c->state = CONN_ABANDONED;
	c->until_ns = 0;
	conn_notify(c, WORK_GONE);
}

/* Discard received data, so that the client can read the answer before it gets a reset for unread data. */
static void conn_drain(struct conn *c)
{
	ssize_t n;

	for (;;) {
		if (!owned_is_valid(&c->file))
			break;
		n = recv(c->file.fd, c->in, sizeof(c->in), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			break;
		c->drained += (uint64_t)n;
		if (c->drained > CONN_DRAIN_MAX)
			break;
	}
	conn_drop(c);
}

/*
 * The client closed its side while its answer is being made. It may still wait for the answer, as in "printf ... | nc" or
 * when it stops a capture, so a capture ends now. As in Go.
 */
static void client_closed(struct conn *c, short events)
{
	if (events & (POLLERR | POLLHUP | POLLNVAL)) {
		conn_drop(c);
		return;
	}
	c->is_eof = true;
	if (c->has_thread)
		conn_notify(c, WORK_EOF);
	else if (c->state == CONN_WORK)
		conn_run_job(c);
}

void conn_ready(struct conn *c, short events)
{
	if (!owned_is_valid(&c->file)) {
		conn_drop(c);
		return;
	}
	switch (c->state) {
	case CONN_HEAD:
	case CONN_BODY:
		if (!conn_receive(c))
			return;
		break;
	case CONN_LINGER:
		conn_drain(c);
		break;
	case CONN_WRITE:
		conn_write(c);
		break;
	case CONN_DELAY:
	case CONN_WORK:
		client_closed(c, events);
		break;
	case CONN_FREE:
	case CONN_ABANDONED:
		break;
	}
	conn_read(c);
}

static void thread_ended(struct conn *c)
{
	c->has_thread = false;
	if (c->state == CONN_ABANDONED || !c->job)
		conn_release(c);
	else
		conn_answer(c);
}

void conn_check_time(struct conn *c, uint64_t now_ns)
{
	if (c->has_thread && atomic_load(&c->has_ended)) {
		thread_ended(c);
		conn_read(c);
	}
	if (c->state == CONN_FREE || !c->until_ns || c->until_ns > now_ns)
		return;
	if (c->state == CONN_WORK)
		conn_run_job(c);
	else if (c->state == CONN_DELAY)
		conn_answer(c);
	else
		conn_drop(c);
	conn_read(c);
}

void conn_stop(struct conn *c)
{
	if (c->state == CONN_HEAD || c->state == CONN_BODY)
		conn_drop(c);
	c->head.keep_alive = false;
	if (c->has_thread)
		conn_notify(c, WORK_HURRY);
	else if (c->state == CONN_WORK || c->state == CONN_DELAY)
		c->until_ns = 1;
}

static uint64_t eviction_time(const struct conn *c, uint32_t ms, uint32_t grace_ms)
{
	return c->until_ns - (uint64_t)(ms - (grace_ms < ms ? grace_ms : ms)) * 1000000;
}

enum eviction_class eviction_class(const struct conn *c, uint64_t *from_ns)
{
	const struct server_limits *l = &c->server->options.limits;

	*from_ns = 0;
	switch (c->state) {
	case CONN_HEAD:
		if (!c->is_untrusted && (!c->is_idle || c->n_in))
			*from_ns = eviction_time(c, l->head_ms, CONN_GRACE_MS);
		return c->is_untrusted ? EVICT_UNTRUSTED : *from_ns ? EVICT_SLOW : EVICT_IDLE;
	case CONN_BODY:
		*from_ns = eviction_time(c, l->head_ms, CONN_GRACE_MS);
		return EVICT_SLOW;
	case CONN_DELAY:
		return EVICT_DELAY;
	case CONN_WRITE:
		if (!c->is_untrusted)
			*from_ns = eviction_time(c, l->write_ms, CONN_GRACE_WRITE_MS);
		return c->is_untrusted ? EVICT_UNTRUSTED : EVICT_READER;
	case CONN_LINGER:
		return c->is_untrusted ? EVICT_UNTRUSTED : EVICT_LINGER;
	case CONN_FREE:
	case CONN_WORK:
	case CONN_ABANDONED:
		break;
	}
	return EVICT_NEVER;
}

/*
 * conn.c - a connection of the server: reads requests, has them answered, writes answers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Whether a request may be made is asked before its body is read. in[] holds the head until it was answered, and
 * behind it what came later: parts of its body, which go into a vec, or the next requests.
 *
 * Header lines in the order of Go's server: what the answer has, Date, Content-Length, Connection.
 *
 * An answer is made by the thread of the server, a step at a time, or by a thread of its own, which sleeps on a futex word
 * that it is woken by. Such a thread touches its connection and the pipe of the server until it says that it has ended;
 * server_run waits for the last one.
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
	uint64_t step = 1000000000 / s->options.limits.rate, burst = (2 * (uint64_t)s->options.limits.rate - 1) * step;

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
	c->until_ns = clock_now() + (uint64_t)c->server->options.limits.head_ms * 1000000;
}

/* A head, if there is a whole one. Gives false when more has to come. */
static bool read_head(struct conn *c)
{
	uint32_t head_ms = c->server->options.limits.head_ms;
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

enum { DATE_MAX = 64 };

/* "Sun, 06 Nov 1994 08:49:37 GMT". Not gmtime_r: it reads TZ, and files. */
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

static const struct serve_answer *answer_of(const struct conn *c)
{
	return c->job ? serve_answer(c->job) : &c->own;
}

static bool is_head(const struct conn *c)
{
	return c->head.method && strcmp(c->head.method, "HEAD") == 0;
}

/* How Connection goes: only where it is not what the version says by itself. */
static const char *connection_of(const struct request_head *h)
{
	if (h->minor > 0)
		return h->keep ? "" : "Connection: close\r\n";
	return h->keep ? "Connection: keep-alive\r\n" : "";
}

/* Put status line and header lines together. Gives false when they do not fit. */
static bool write_lines(struct conn *c, const struct serve_answer *a)
{
	size_t n;
	char date[DATE_MAX];

	if (c->line[0])
		n = (size_t)snprintf(c->out, CONN_OUT, "HTTP/1.%d %s\r\n", c->head.minor > 0, c->line);
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
		c->head.keep = false;
	if (!write_lines(c, answer_of(c))) {
		conn_drop(c);
		return;
	}
	c->sent = 0;
	c->state = CONN_WRITE;
	c->until_ns = clock_now() + (uint64_t)c->server->options.limits.write_ms * 1000000;
	conn_write(c);
}

/* The connection ends with it. */
static void answer_last(struct conn *c)
{
	c->head.keep = false;
	if (!c->delay_ns) {
		conn_answer(c);
		return;
	}
	c->state = CONN_DELAY;
	c->until_ns = c->delay_ns;
}

void conn_say(struct conn *c, int status, const char *text)
{
	if (serve_say(&c->own, status, true, text) < 0)
		conn_drop(c);
	else
		answer_last(c);
}

void conn_refuse(struct conn *c, int status, const char *why)
{
	const char *text = c->line;

	c->head = (struct request_head){ .minor = 1 };
	snprintf(c->line, sizeof(c->line), why && status != 501 ? "%d %s: %s" : "%d %s", status, serve_reason(status),
		 why);
	if (status == 501 && why)
		text = why;
	c->own = (struct serve_answer){ .status = status, .type = "text/plain; charset=utf-8" };
	if (body_put(&c->own.body, text, strlen(text)) < 0)
		conn_drop(c);
	else
		answer_last(c);
}

/* All is written: wait for the next request, which may be here already, or close. */
static void finish(struct conn *c)
{
	const struct server_limits *limits = &c->server->options.limits;

	conn_end_work(c);
	body_release(&c->own.body);
	vec_release(&c->body, 1);
	c->own = (struct serve_answer){ 0 };
	c->chunked = (struct chunked){ 0 };
	c->line[0] = 0;
	c->extra = NULL;
	c->eof = false;
	if (!c->head.keep) {
		shutdown(c->file.fd, SHUT_WR);
		c->state = CONN_LINGER;
		c->until_ns = clock_now() + (uint64_t)CONN_LINGER_MS * 1000000;
		return;
	}
	memmove(c->in, c->in + c->n_head, c->n_in - c->n_head);
	c->n_in -= c->n_head;
	c->n_head = 0;
	c->head = (struct request_head){ 0 };
	c->idle = true;
	c->state = CONN_HEAD;
	c->until_ns = clock_now() + (uint64_t)limits->idle_ms * 1000000;
}

void conn_write(struct conn *c)
{
	const struct vec *body = &answer_of(c)->body.v;
	uint64_t all = c->n_out + (is_head(c) ? 0 : body->n), of_body = c->sent > c->n_out ? c->sent - c->n_out : 0;
	struct iovec part[2] = { { c->out + (c->sent - of_body), c->n_out - (c->sent - of_body) } };
	struct msghdr m = { .msg_iov = part, .msg_iovlen = 2 };
	ssize_t n;

	if (!is_head(c))
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
		finish(c);
}

enum { NS = 1000000000 };

/* Until a time of CLOCK_MONOTONIC, or as soon as it is told something else. */
static void wait_told(struct conn *c, uint32_t told, uint64_t due_ns)
{
	struct timespec due = { .tv_sec = (time_t)(due_ns / NS), .tv_nsec = (long)(due_ns % NS) };

	sys_call6(SYS_futex, (long)&c->told, FUTEX_WAIT_BITSET_PRIVATE, told, (long)&due, 0,
		  (long)FUTEX_BITSET_MATCH_ANY);
}

void conn_tell(struct conn *c, uint32_t told)
{
	atomic_fetch_or(&c->told, told);
	sys_call6(SYS_futex, (long)&c->told, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

/* Does somebody wait for the answer? When it takes a while yet: one that said it is done does not. */
static void run(void *arg)
{
	struct conn *c = arg;
	struct server *s = c->server;
	uint32_t told;
	uint64_t due = 1;

	while (!((told = atomic_load(&c->told)) & WORK_GONE)) {
		due = serve_step(c->job, told & WORK_HURRY);
		if (!due || told & WORK_EOF)
			break;
		wait_told(c, told, due);
	}
	if (due) {
		serve_end(c->job);
		c->job = NULL;
	}
	atomic_store(&c->ended, true);
	server_wake(s);
	atomic_fetch_sub(&s->n_threads, 1);
	/* Memory that went meanwhile is no harm: the kernel says so, or wakes whoever waits for no reason. */
	sys_call6(SYS_futex, (long)&s->n_threads, FUTEX_WAKE_PRIVATE, 1, 0, 0, 0);
}

static bool begin_thread(struct conn *c)
{
	struct server *s = c->server;

	if (!s->options.spawn)
		return false;
	atomic_store(&c->told, s->stopping ? WORK_HURRY : 0);
	atomic_store(&c->ended, false);
	atomic_fetch_add(&s->n_threads, 1);
	c->threaded = true;
	if (s->options.spawn(s->options.arg, run, c) == 0)
		return true;
	atomic_fetch_sub(&s->n_threads, 1);
	c->threaded = false;
	return false;
}

void conn_work(struct conn *c)
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
		conn_say(c, 503, "there is no memory to answer");
		return;
	}
	vec_release(&c->body, 1);
	c->state = CONN_WORK;
	if (!begin_thread(c))
		conn_step(c);
}

void conn_step(struct conn *c)
{
	c->until_ns = serve_step(c->job, c->server->stopping);
	if (!c->until_ns)
		conn_answer(c);
}

void conn_end_work(struct conn *c)
{
	serve_end(c->job);
	c->job = NULL;
}

static uint64_t ms_from_now(uint32_t ms)
{
	return clock_now() + (uint64_t)ms * 1000000;
}

int conn_open(struct server *s, struct conn *c, int fd, bool is_unix, bool stranger)
{
	int one = 1, rc;

	/* All but the buffers, whose pages are not needed before something is in them. */
	memset(c, 0, offsetof(struct conn, out));
	rc = owned_take(&c->file, fd);
	if (rc < 0)
		return rc;
	if (!is_unix)
		setsockopt(c->file.fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->server = s;
	c->is_unix = is_unix;
	c->stranger = stranger;
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
		return c->eof ? 0 : POLLRDHUP;
	case CONN_FREE:
	case CONN_LEFT:
		break;
	}
	return 0;
}

static void release(struct conn *c)
{
	conn_end_work(c);
	body_release(&c->own.body);
	vec_release(&c->body, 1);
	owned_close(&c->file);
	c->state = CONN_FREE;
	c->until_ns = 0;
}

void conn_drop(struct conn *c)
{
	if (!c->threaded) {
		release(c);
		return;
	}
	owned_close(&c->file);
	c->state = CONN_LEFT;
	c->until_ns = 0;
	conn_tell(c, WORK_GONE);
}

/* Throw away what comes, so that the client can read the answer before it hears that we did not read it all. */
static void drain(struct conn *c)
{
	ssize_t n;

	for (;;) {
		if (!owned_is(&c->file))
			break;
		n = recv(c->file.fd, c->in, sizeof(c->in), MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return;
		if (n <= 0)
			break;
		c->drained += (uint64_t)n;
		if (c->drained > CONN_DRAIN_MOST)
			break;
	}
	conn_drop(c);
}

/*
 * While the answer is made: is the client there? One that only closed its side may wait for the answer to come,
 * as with "printf ... | nc"; but for a capture it will not stay, as far as anybody can tell.
 */
static void look_at_client(struct conn *c, short events)
{
	if (events & (POLLERR | POLLHUP | POLLNVAL)) {
		conn_drop(c);
		return;
	}
	c->eof = true;
	if (c->threaded)
		conn_tell(c, WORK_EOF);
	else if (c->state == CONN_WORK)
		conn_drop(c);
}

void conn_ready(struct conn *c, short events)
{
	if (!owned_is(&c->file)) {
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
		drain(c);
		break;
	case CONN_WRITE:
		conn_write(c);
		break;
	case CONN_DELAY:
	case CONN_WORK:
		look_at_client(c, events);
		break;
	case CONN_FREE:
	case CONN_LEFT:
		break;
	}
	conn_read(c);
}

static void thread_ended(struct conn *c)
{
	c->threaded = false;
	if (c->state == CONN_LEFT || !c->job)
		release(c);
	else
		conn_answer(c);
}

void conn_look(struct conn *c, uint64_t now_ns)
{
	if (c->threaded && atomic_load(&c->ended)) {
		thread_ended(c);
		conn_read(c);
	}
	if (c->state == CONN_FREE || !c->until_ns || c->until_ns > now_ns)
		return;
	if (c->state == CONN_WORK)
		conn_step(c);
	else if (c->state == CONN_DELAY)
		conn_answer(c);
	else
		conn_drop(c);
	conn_read(c);
}

void conn_hurry(struct conn *c)
{
	if (c->state == CONN_HEAD || c->state == CONN_BODY)
		conn_drop(c);
	c->head.keep = false;
	if (c->threaded)
		conn_tell(c, WORK_HURRY);
	else if (c->state == CONN_WORK || c->state == CONN_DELAY)
		c->until_ns = 1;
}

static uint64_t since(const struct conn *c, uint32_t ms, uint32_t grace_ms)
{
	return c->until_ns - (uint64_t)(ms - (grace_ms < ms ? grace_ms : ms)) * 1000000;
}

enum conn_spare conn_spare(const struct conn *c, uint64_t *from_ns)
{
	const struct server_limits *l = &c->server->options.limits;

	*from_ns = 0;
	switch (c->state) {
	case CONN_HEAD:
		if (!c->stranger && (!c->idle || c->n_in))
			*from_ns = since(c, l->head_ms, CONN_GRACE_MS);
		return c->stranger ? SPARE_STRANGER : *from_ns ? SPARE_SLOW : SPARE_IDLE;
	case CONN_BODY:
		*from_ns = since(c, l->head_ms, CONN_GRACE_MS);
		return SPARE_SLOW;
	case CONN_DELAY:
		return SPARE_DELAY;
	case CONN_WRITE:
		if (!c->stranger)
			*from_ns = since(c, l->write_ms, CONN_GRACE_WRITE_MS);
		return c->stranger ? SPARE_STRANGER : SPARE_READER;
	case CONN_LINGER:
		return c->stranger ? SPARE_STRANGER : SPARE_LINGER;
	case CONN_FREE:
	case CONN_WORK:
	case CONN_LEFT:
		break;
	}
	return SPARE_NOT;
}

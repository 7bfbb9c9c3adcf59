/*
 * conn_write.c - a connection of the server: answers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Header lines in the order of Go's server: what the answer has, Date, Content-Length, Connection.
 */
#include "config.h"

#include "libcpaprof/endpoint/server_int.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>

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
	c->until_ns = clock_now() + (uint64_t)c->server->how.limits.write_ms * 1000000;
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
	const struct server_limits *limits = &c->server->how.limits;

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
		c->until_ns = clock_now() + (uint64_t)c->server->how.limits.write_ms * 1000000;
	}
	if (c->sent == all)
		finish(c);
}

/*
 * conn.c - a connection of the server: its states
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "libcpaprof/endpoint/server_int.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>

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
	c->until_ns = ms_from_now(s->how.limits.head_ms);
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
	const struct server_limits *l = &c->server->how.limits;

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

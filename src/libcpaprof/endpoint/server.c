/*
 * server.c - a small HTTP/1.1 server for few clients
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One loop around poll. Each time, files are looked at first: the program may have closed ours, and opened others
 * under their numbers. While it waits it can be woken through a pair of sockets; when the program closed that under it, the
 * listening sockets are still there for as long as poll waits on them, and a connection to one wakes it as well.
 */
#include "config.h"

#include "libcpaprof/endpoint/server_int.h"

#include "libcpaprof/target/sys.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { STOP_NOT, STOP_SOON, STOP_NOW };
enum { POLL_WAKE, POLL_LISTEN, POLL_CONN = POLL_LISTEN + LISTEN_MOST, N_POLL = POLL_CONN + SERVER_CONNECTIONS };
enum { MS = 1000000, AGAIN_MS = 1000, ACCEPT_AGAIN_MS = 200 };

static void close_wake(struct server *s)
{
	owned_close(&s->wake[0]);
	owned_close(&s->wake[1]);
}

static int open_wake(struct server *s)
{
	struct owned other;
	int fd[2], rc;

	close_wake(s);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd) != 0)
		return -errno;
	rc = owned_take(&s->wake[0], fd[0]);
	if (rc == 0)
		rc = owned_take(&s->wake[1], fd[1]);
	else if (owned_take(&other, fd[1]) == 0)
		owned_close(&other);
	atomic_store(&s->wake_dev, s->wake[1].dev);
	atomic_store(&s->wake_ino, s->wake[1].ino);
	atomic_store(&s->wake_fd, s->wake[1].fd);
	return rc;
}

/* Where the listening sockets can be reached; one of which the kernel does not say is left out. */
static void note_addresses(struct server *s)
{
	for (unsigned i = 0; i < s->at.n; i++) {
		unsigned to = s->n_addresses;

		s->n_address[to] = sizeof(s->address[to]);
		if (getsockname(s->at.at[i].fd, (struct sockaddr *)&s->address[to], &s->n_address[to]) == 0)
			s->n_addresses++;
	}
}

/* Wake poll by a connection. */
static void knock(struct server *s)
{
	for (unsigned i = 0; i < s->n_addresses; i++) {
		int fd = socket(s->address[i].ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		if (fd < 0)
			continue;
		(void)connect(fd, (struct sockaddr *)&s->address[i], s->n_address[i]);
		close(fd);
	}
}

void server_wake(struct server *s)
{
	const struct owned to = { .fd = s->wake_fd, .dev = s->wake_dev, .ino = s->wake_ino };
	int saved = errno;

	if (!owned_is(&to))
		knock(s);
	else if (send(to.fd, "", 1, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
		knock(s);
	errno = saved;
}

static void set_limits(struct server_limits *l)
{
	const struct server_limits usual = { SERVER_HEAD_MS, SERVER_IDLE_MS, SERVER_WRITE_MS, SERVER_LAST_MS,
					     SERVER_RATE };

	l->head_ms = l->head_ms ? l->head_ms : usual.head_ms;
	l->idle_ms = l->idle_ms ? l->idle_ms : usual.idle_ms;
	l->write_ms = l->write_ms ? l->write_ms : usual.write_ms;
	l->last_ms = l->last_ms ? l->last_ms : usual.last_ms;
	l->rate = l->rate ? l->rate : usual.rate;
}

int server_open(const struct server_options *options, struct server **out, char *why, size_t n)
{
	struct server *s = memory_map_secret(sizeof(*s)); /* heads have it, too */
	int rc;

	*why = 0;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	s->guard = *options->guard;
	set_limits(&s->options.limits);
	s->wake[0].fd = s->wake[1].fd = -1;
	rc = listen_open(options->at, &s->at, why, n);
	if (rc == 0) {
		rc = open_wake(s);
		if (rc < 0)
			listen_close(&s->at, false);
	}
	if (rc < 0) {
		close_wake(s);
		guard_release(&s->guard);
		memory_unmap(s, sizeof(*s));
		return rc;
	}
	note_addresses(s);
	*out = s;
	return 0;
}

const struct listeners *server_listeners(const struct server *s)
{
	return &s->at;
}

void server_stop(struct server *s, bool now)
{
	uint32_t is = STOP_NOT;

	if (now)
		atomic_store(&s->stop, STOP_NOW);
	else
		atomic_compare_exchange_strong(&s->stop, &is, STOP_SOON);
	server_wake(s);
}

void server_look(struct server *s)
{
	atomic_store(&s->looks, true);
	server_wake(s);
}

/* Have what was lost again. What cannot be had is tried for later. */
static void look_at_files(struct server *s, uint64_t now_ns)
{
	bool lost = false;

	if (now_ns < s->listen_ns)
		return;
	s->listen_ns = 0;
	if (!owned_is(&s->wake[0]) || !owned_is(&s->wake[1]))
		lost = open_wake(s) < 0;
	for (unsigned i = 0; i < s->at.n && !s->stopping; i++)
		if (!listener_is_ours(&s->at.at[i])) {
			lost |= listen_again(s->options.at, &s->at) < 0;
			break;
		}
	if (lost)
		s->listen_ns = now_ns + (uint64_t)AGAIN_MS * MS;
}

static void begin_stop(struct server *s, uint64_t now_ns)
{
	s->stopping = true;
	s->last_ns = now_ns + (uint64_t)s->options.limits.last_ms * MS;
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state != CONN_FREE)
			conn_hurry(&s->conn[i]);
}

/* Gives false when nobody is there any more, or it is time. */
static bool look_at_stop(struct server *s, uint64_t now_ns)
{
	uint32_t stop = atomic_load(&s->stop);

	if (stop == STOP_NOT && atomic_load(&s->looks) && s->options.is_over && s->options.is_over(s->options.arg))
		stop = STOP_SOON;
	if (stop == STOP_NOT && !s->stopping)
		return true;
	if (stop == STOP_NOW)
		return false;
	if (!s->stopping)
		begin_stop(s, now_ns);
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state != CONN_FREE)
			return now_ns < s->last_ns;
	return false;
}

/* A place for a connection: a free one, or that of one which can be spared. NULL: none; *from_ns: before then. */
static struct conn *find_place(struct server *s, uint64_t now_ns, uint64_t *from_ns)
{
	enum conn_spare best = SPARE_NOT;
	struct conn *found = NULL;

	*from_ns = 0;
	for (int i = 0; i < SERVER_CONNECTIONS; i++) {
		struct conn *c = &s->conn[i];
		enum conn_spare spare;
		uint64_t from;

		if (c->state == CONN_FREE)
			return c;
		spare = conn_spare(c, &from);
		if (spare == SPARE_NOT)
			continue;
		if (from > now_ns) {
			*from_ns = *from_ns && *from_ns < from ? *from_ns : from;
		} else if (spare < best || (spare == best && c->until_ns < found->until_ns)) {
			best = spare;
			found = c;
		}
	}
	return found;
}

/* Take over a connection. A stranger takes the place of nobody but strangers: it is refused before it can ask. */
static void open_conn(struct server *s, struct conn *c, int fd, bool is_unix)
{
	bool stranger = !guard_peer(&s->guard, fd, is_unix);

	if (stranger && c->state != CONN_FREE && !c->stranger) {
		close(fd);
		return;
	}
	if (c->state != CONN_FREE)
		conn_drop(c);
	conn_open(s, c, fd, is_unix, stranger);
}

/* Take connections while there are places for them. */
static void accept_some(struct server *s, const struct listener *l, uint64_t now_ns)
{
	for (int i = 0; i < SERVER_CONNECTIONS && listener_is_ours(l); i++) {
		uint64_t from_ns;
		struct conn *c = find_place(s, now_ns, &from_ns);
		int fd;

		if (!c)
			return;
		fd = accept4(l->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
		if (fd < 0 && (errno == EINTR || errno == ECONNABORTED))
			continue;
		if (fd < 0 && errno == EAGAIN)
			return;
		if (fd >= 0) {
			open_conn(s, c, fd, l->is_unix);
			continue;
		}
		if (c->state != CONN_FREE)
			conn_drop(c);
		s->accept_ns = now_ns + (uint64_t)ACCEPT_AGAIN_MS * MS;
		return;
	}
}

static void look_at_time(uint64_t *soonest, uint64_t at_ns)
{
	if (at_ns && at_ns < *soonest)
		*soonest = at_ns;
}

/* When there is something to do though nobody says anything; UINT64_MAX: never. */
static uint64_t next_time(const struct server *s, uint64_t now_ns)
{
	uint64_t soonest = UINT64_MAX;

	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		look_at_time(&soonest, s->conn[i].until_ns);
	if (s->stopping)
		look_at_time(&soonest, s->last_ns);
	else if (atomic_load(&s->looks) && s->options.is_over)
		look_at_time(&soonest, now_ns + (uint64_t)AGAIN_MS * MS);
	look_at_time(&soonest, s->listen_ns);
	look_at_time(&soonest, s->accept_ns);
	look_at_time(&soonest, s->place_ns);
	return soonest;
}

/* What to wait for. Gives false when a file of ours was lost just now. */
static bool fill_poll(struct server *s, struct pollfd p[N_POLL], uint64_t now_ns)
{
	bool lost = !owned_is(&s->wake[0]), accepts = find_place(s, now_ns, &s->place_ns);

	if (accepts || s->stopping || s->accept_ns)
		s->place_ns = 0;
	accepts = accepts && !s->stopping && !s->accept_ns;

	p[POLL_WAKE] = (struct pollfd){ .fd = lost ? -1 : s->wake[0].fd, .events = POLLIN };
	for (unsigned i = 0; i < LISTEN_MOST; i++) {
		bool is = i < s->at.n && listener_is_ours(&s->at.at[i]);

		lost |= i < s->at.n && !is;
		p[POLL_LISTEN + i] = (struct pollfd){ .fd = is && accepts ? s->at.at[i].fd : -1, .events = POLLIN };
	}
	for (int i = 0; i < SERVER_CONNECTIONS; i++) {
		struct conn *c = &s->conn[i];

		if (c->state != CONN_FREE && c->state != CONN_LEFT && !owned_is(&c->file))
			conn_drop(c);
		p[POLL_CONN + i] =
			(struct pollfd){ .fd = c->state == CONN_FREE ? -1 : c->file.fd, .events = conn_events(c) };
	}
	return !lost || s->listen_ns || s->stopping;
}

/* Only files that are there are given to ppoll, which takes no more of them than the program may have open. */
static void wait_for(struct server *s, struct pollfd p[N_POLL])
{
	const struct timespec again = { .tv_nsec = (long)ACCEPT_AGAIN_MS * MS };
	uint64_t now = clock_now(), until = next_time(s, now), left = until > now ? until - now : 0;
	struct timespec ts = { .tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000) };
	struct pollfd is[N_POLL];
	nfds_t n = 0;
	int rc;

	for (int i = 0; i < N_POLL; i++)
		if (p[i].fd >= 0)
			is[n++] = p[i];
	rc = ppoll(is, n, until == UINT64_MAX ? NULL : &ts, NULL);
	if (rc < 0 && errno != EINTR)
		nanosleep(&again, NULL); /* a limit was lowered, or there is no memory now */
	for (int i = N_POLL - 1; i >= 0; i--)
		p[i].revents = p[i].fd >= 0 && rc > 0 ? is[--n].revents : 0;
}

static void see(struct server *s, const struct pollfd p[N_POLL])
{
	uint64_t now;
	char bytes[64];

	if (p[POLL_WAKE].revents && owned_is(&s->wake[0]))
		while (recv(s->wake[0].fd, bytes, sizeof(bytes), MSG_DONTWAIT) == (ssize_t)sizeof(bytes))
			;
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (p[POLL_CONN + i].revents)
			conn_ready(&s->conn[i], p[POLL_CONN + i].revents);
	now = clock_now();
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		conn_look(&s->conn[i], now);
	if (s->accept_ns && now >= s->accept_ns)
		s->accept_ns = 0;
	for (unsigned i = 0; i < s->at.n; i++)
		if (p[POLL_LISTEN + i].revents)
			accept_some(s, &s->at.at[i], now);
}

/* Nothing is waited for any more but threads: they end at once, or with what they are in the middle of. */
static void drop_all(struct server *s)
{
	uint32_t n;

	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state != CONN_FREE)
			conn_drop(&s->conn[i]);
	while ((n = atomic_load(&s->n_threads)))
		sys_call6(SYS_futex, (long)&s->n_threads, FUTEX_WAIT_PRIVATE, n, 0, 0, 0);
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state == CONN_LEFT)
			conn_look(&s->conn[i], 0);
}

void server_run(struct server *s)
{
	struct pollfd p[N_POLL];

	for (;;) {
		uint64_t now = clock_now();

		look_at_files(s, now);
		if (!look_at_stop(s, now))
			break;
		if (!fill_poll(s, p, now))
			continue;
		wait_for(s, p);
		see(s, p);
	}
	listen_close(&s->at, false); /* now: threads may take longer than anybody waits for us */
	drop_all(s);
}

void server_close(struct server *s, bool forked)
{
	if (!s)
		return;
	/* In the child jobs stay: what they began is the parent's. */
	for (int i = 0; i < SERVER_CONNECTIONS && forked; i++)
		if (s->conn[i].state != CONN_FREE) {
			vec_release(&s->conn[i].body, 1);
			owned_close(&s->conn[i].file);
		}
	listen_close(&s->at, forked);
	close_wake(s);
	guard_release(&s->guard);
	memory_unmap(s, sizeof(*s));
}

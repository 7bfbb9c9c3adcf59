/*
 * server.c - a small HTTP/1.1 server for few clients
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server is a loop around poll. Each round first verifies our descriptors, because the program may have closed them
 * and reused their numbers. Other threads wake the loop through a socket pair. If the program closed that pair during
 * poll, the listening sockets still exist for as long as poll waits on them, and a connection to one of them wakes the
 * loop, too.
 */
#include "config.h"

#include "libcpaprof/endpoint/server_int.h"

#include "libcpaprof/target/sys.h"
#include "access/owned.h"
#include "access/peer.h"

#include <errno.h>
#include <linux/futex.h>
#include <time.h>
#include <unistd.h>

enum { STOP_NOT, STOP_SOON, STOP_NOW };
enum { POLL_WAKE, POLL_LISTEN, POLL_CONN = POLL_LISTEN + LISTEN_MAX, N_POLL = POLL_CONN + SERVER_CONNECTIONS };
enum { MS = 1000000, RETRY_MS = 1000, ACCEPT_RETRY_MS = 200 };

static void close_wake(struct server *s)
{
	owned_close(&s->wake[0]);
	owned_close(&s->wake[1]);
}

static int open_wake(struct server *s)
{
	struct owned_fd other;
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

/* Store the addresses of the listening sockets, for wake_by_connect. */
static void store_addresses(struct server *s)
{
	for (unsigned i = 0; i < s->listeners.n; i++) {
		unsigned to = s->n_addresses;

		s->n_address[to] = sizeof(s->address[to]);
		if (getsockname(s->listeners.listener[i].fd, (struct sockaddr *)&s->address[to], &s->n_address[to]) ==
		    0)
			s->n_addresses++;
	}
}

/* Wake poll by connecting to a listening socket. */
static void wake_by_connect(struct server *s)
{
	for (unsigned i = 0; i < s->n_addresses; i++) {
		int fd = socket(s->address[i].ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

		struct owned_fd o;

		if (fd < 0)
			continue;
		owned_record(&o, fd);
		(void)connect(fd, (struct sockaddr *)&s->address[i], s->n_address[i]);
		owned_close(&o);
	}
}

void server_wake(struct server *s)
{
	const struct owned_fd to = { .fd = s->wake_fd, .dev = s->wake_dev, .ino = s->wake_ino };
	int saved = errno;

	if (!owned_is_valid(&to))
		wake_by_connect(s);
	else if (send(to.fd, "", 1, MSG_NOSIGNAL) < 0 && errno != EAGAIN)
		wake_by_connect(s);
	errno = saved;
}

static void set_limits(struct server_limits *l)
{
	const struct server_limits defaults = { SERVER_HEAD_MS, SERVER_IDLE_MS, SERVER_WRITE_MS, SERVER_STOP_MS,
						SERVER_RATE };

	l->head_ms = l->head_ms ? l->head_ms : defaults.head_ms;
	l->idle_ms = l->idle_ms ? l->idle_ms : defaults.idle_ms;
	l->write_ms = l->write_ms ? l->write_ms : defaults.write_ms;
	l->stop_ms = l->stop_ms ? l->stop_ms : defaults.stop_ms;
	l->rate = l->rate ? l->rate : defaults.rate;
}

int server_open(const struct server_options *options, struct server **out, char *why, size_t n)
{
	struct server *s = memory_map_secret(sizeof(*s)); /* not in core dumps, since heads contain the secret */
	int rc;

	*why = 0;
	if (!s)
		return -ENOMEM;
	s->options = *options;
	s->access = *options->access;
	set_limits(&s->options.limits);
	s->wake[0].fd = s->wake[1].fd = -1;
	rc = listen_open(options->at, &s->listeners, why, n);
	if (rc == 0) {
		rc = open_wake(s);
		if (rc < 0)
			listen_close(&s->listeners, false);
	}
	if (rc < 0) {
		close_wake(s);
		endpoint_access_release(&s->access);
		memory_unmap(s, sizeof(*s));
		return rc;
	}
	store_addresses(s);
	*out = s;
	return 0;
}

const struct listeners *server_listeners(const struct server *s)
{
	return &s->listeners;
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

void server_watch_program(struct server *s)
{
	atomic_store(&s->is_watching, true);
	server_wake(s);
}

/* Reopen descriptors that the program closed. Retry later on failure. */
static void reopen_files(struct server *s, uint64_t now_ns)
{
	bool lost = false;

	if (now_ns < s->listen_ns)
		return;
	s->listen_ns = 0;
	if (!owned_is_valid(&s->wake[0]) || !owned_is_valid(&s->wake[1]))
		lost = open_wake(s) < 0;
	for (unsigned i = 0; i < s->listeners.n && !s->stopping; i++)
		if (!listener_is_ours(&s->listeners.listener[i])) {
			lost |= listen_reopen(s->options.at, &s->listeners) < 0;
			break;
		}
	if (lost)
		s->listen_ns = now_ns + (uint64_t)RETRY_MS * MS;
}

static void start_stop(struct server *s, uint64_t now_ns)
{
	s->stopping = true;
	s->stop_ns = now_ns + (uint64_t)s->options.limits.stop_ms * MS;
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state != CONN_FREE)
			conn_stop(&s->conn[i]);
}

/* Check whether to stop. Returns false to exit the loop: no connection is left, or the deadline has passed. */
static bool check_stop(struct server *s, uint64_t now_ns)
{
	uint32_t stop = atomic_load(&s->stop);

	if (stop == STOP_NOT && atomic_load(&s->is_watching) && s->options.is_over &&
	    s->options.is_over(s->options.arg))
		stop = STOP_SOON;
	if (stop == STOP_NOT && !s->stopping)
		return true;
	if (stop == STOP_NOW)
		return false;
	if (!s->stopping)
		start_stop(s, now_ns);
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state != CONN_FREE)
			return now_ns < s->stop_ns;
	return false;
}

/* Find a slot for a connection: a free one, or one that can be evicted. NULL: none; *from_ns is then the time when one
 * can be evicted, or 0. */
static struct conn *endpoint_server_find_slot(struct server *s, uint64_t now_ns, uint64_t *from_ns)
{
	enum eviction_class best = EVICT_NEVER;
	struct conn *found = NULL;

	*from_ns = 0;
	for (int i = 0; i < SERVER_CONNECTIONS; i++) {
		struct conn *c = &s->conn[i];
		enum eviction_class spare;
		uint64_t from;

		if (c->state == CONN_FREE)
			return c;
		spare = eviction_class(c, &from);
		if (spare == EVICT_NEVER)
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

/* Take over a connection. An untrusted connection, which is refused anyway, evicts only untrusted ones. */
static void open_conn(struct server *s, struct conn *c, int fd, bool is_unix)
{
	bool is_untrusted = !peer_is_user(fd, is_unix, s->access.any_user);

	if (is_untrusted && c->state != CONN_FREE && !c->is_untrusted) {
		close(fd);
		return;
	}
	if (c->state != CONN_FREE)
		conn_drop(c);
	conn_open(s, c, fd, is_unix, is_untrusted);
}

/* Accept connections while there are slots for them. */
static void accept_connections(struct server *s, const struct listener *l, uint64_t now_ns)
{
	for (int i = 0; i < SERVER_CONNECTIONS && listener_is_ours(l); i++) {
		uint64_t from_ns;
		struct conn *c = endpoint_server_find_slot(s, now_ns, &from_ns);
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
		s->accept_ns = now_ns + (uint64_t)ACCEPT_RETRY_MS * MS;
		return;
	}
}

static void update_soonest(uint64_t *soonest, uint64_t at_ns)
{
	if (at_ns && at_ns < *soonest)
		*soonest = at_ns;
}

/* The time of the next action that needs no event; UINT64_MAX: none. */
static uint64_t next_time(const struct server *s, uint64_t now_ns)
{
	uint64_t soonest = UINT64_MAX;

	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		update_soonest(&soonest, s->conn[i].until_ns);
	if (s->stopping)
		update_soonest(&soonest, s->stop_ns);
	else if (atomic_load(&s->is_watching) && s->options.is_over)
		update_soonest(&soonest, now_ns + (uint64_t)RETRY_MS * MS);
	update_soonest(&soonest, s->listen_ns);
	update_soonest(&soonest, s->accept_ns);
	update_soonest(&soonest, s->slot_ns);
	return soonest;
}

/* Fill in the events to wait for. Returns false if a descriptor of ours was closed just now. */
static bool fill_poll(struct server *s, struct pollfd p[N_POLL], uint64_t now_ns)
{
	bool lost = !owned_is_valid(&s->wake[0]), accepts = endpoint_server_find_slot(s, now_ns, &s->slot_ns);

	if (accepts || s->stopping || s->accept_ns)
		s->slot_ns = 0;
	accepts = accepts && !s->stopping && !s->accept_ns;

	p[POLL_WAKE] = (struct pollfd){ .fd = lost ? -1 : s->wake[0].fd, .events = POLLIN };
	for (unsigned i = 0; i < LISTEN_MAX; i++) {
		bool is = i < s->listeners.n && listener_is_ours(&s->listeners.listener[i]);

		lost |= i < s->listeners.n && !is;
		p[POLL_LISTEN + i] =
			(struct pollfd){ .fd = is && accepts ? s->listeners.listener[i].fd : -1, .events = POLLIN };
	}
	for (int i = 0; i < SERVER_CONNECTIONS; i++) {
		struct conn *c = &s->conn[i];

		if (c->state != CONN_FREE && c->state != CONN_ABANDONED && !owned_is_valid(&c->file))
			conn_drop(c);
		p[POLL_CONN + i] =
			(struct pollfd){ .fd = c->state == CONN_FREE ? -1 : c->file.fd, .events = conn_events(c) };
	}
	return !lost || s->listen_ns || s->stopping;
}

/* Wait for events. Only open descriptors are passed: ppoll fails if there are more entries than RLIMIT_NOFILE. */
static void endpoint_server_wait_for(struct server *s, struct pollfd p[N_POLL])
{
	const struct timespec retry = { .tv_nsec = (long)ACCEPT_RETRY_MS * MS };
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
		nanosleep(&retry, NULL); /* RLIMIT_NOFILE was lowered, or out of memory */
	for (int i = N_POLL - 1; i >= 0; i--)
		p[i].revents = p[i].fd >= 0 && rc > 0 ? is[--n].revents : 0;
}

static void handle_events(struct server *s, const struct pollfd p[N_POLL])
{
	uint64_t now;
	char bytes[64];

	if (p[POLL_WAKE].revents && owned_is_valid(&s->wake[0]))
		while (recv(s->wake[0].fd, bytes, sizeof(bytes), MSG_DONTWAIT) == (ssize_t)sizeof(bytes))
			;
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (p[POLL_CONN + i].revents)
			conn_ready(&s->conn[i], p[POLL_CONN + i].revents);
	now = clock_now();
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		conn_check_time(&s->conn[i], now);
	if (s->accept_ns && now >= s->accept_ns)
		s->accept_ns = 0;
	for (unsigned i = 0; i < s->listeners.n; i++)
		if (p[POLL_LISTEN + i].revents)
			accept_connections(s, &s->listeners.listener[i], now);
}

/* Drop all connections, and wait for their threads, which end immediately or after their current step. */
static void drop_all(struct server *s)
{
	uint32_t n;

	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state != CONN_FREE)
			conn_drop(&s->conn[i]);
	while ((n = atomic_load(&s->n_threads)))
		sys_call6(SYS_futex, (long)&s->n_threads, FUTEX_WAIT_PRIVATE, n, 0, 0, 0);
	for (int i = 0; i < SERVER_CONNECTIONS; i++)
		if (s->conn[i].state == CONN_ABANDONED)
			conn_check_time(&s->conn[i], 0);
}

void server_run(struct server *s)
{
	struct pollfd p[N_POLL];

	for (;;) {
		uint64_t now = clock_now();

		reopen_files(s, now);
		if (!check_stop(s, now))
			break;
		if (!fill_poll(s, p, now))
			continue;
		endpoint_server_wait_for(s, p);
		handle_events(s, p);
	}
	listen_close(&s->listeners, false); /* close them before the threads end, which may take long */
	drop_all(s);
}

void server_close(struct server *s, bool forked)
{
	if (!s)
		return;
	/* In a fork child, jobs are not ended: their captures belong to the parent. */
	for (int i = 0; i < SERVER_CONNECTIONS && forked; i++)
		if (s->conn[i].state != CONN_FREE) {
			vec_release(&s->conn[i].body, 1);
			owned_close(&s->conn[i].file);
		}
	listen_close(&s->listeners, forked);
	close_wake(s);
	endpoint_access_release(&s->access);
	memory_unmap(s, sizeof(*s));
}

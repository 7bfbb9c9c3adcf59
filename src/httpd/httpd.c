/*
 * httpd.c - start and stop the server; the thread that accepts connections and watches them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sockets are opened and accepted here, not by libmicrohttpd: so the bound address is checked, one limit covers all
 * sockets, and the oldest connection that is idle or stalled is closed when there are too many. libmicrohttpd has a time limit for
 * inactivity only, which a client that sends one byte per second never exceeds; so each connection has a deadline here.
 * A shutdown of the socket ends the thread of the connection.
 */
#include "config.h"

#include "httpd/httpd_int.h"

#include "access/peer.h"
#include "base/mem.h"
#include "base/time.h"

#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	POLL_MAX = 1 + LISTEN_MAX + HTTPD_CONNECTIONS_MAX,
	POOL_BYTES = 8 * HTTPD_HEAD_MAX, /* memory per connection: heads above HTTPD_HEAD_MAX also get our error */
	PENDING_MS = 10000,
	ACCEPT_RETRY_MS = 100,
	GONE_MAX = 32, /* connections that were shut down, and whose threads have not ended yet */
};

static void wake_watcher(const struct httpd *h)
{
	uint64_t one = 1;

	if (write(h->wake, &one, sizeof(one)) < 0) /* EAGAIN: the watcher will wake anyway */
		return;
}

void httpd_set_deadline(struct httpd_conn *c, uint64_t from_ns, unsigned ms, uint64_t n_bytes)
{
	uint64_t deadline = from_ns + (uint64_t)ms * NS_PER_MS + n_bytes / HTTPD_RATE_MIN * NS_PER_S;
	bool is_earlier;

	pthread_mutex_lock(&c->h->lock);
	if (c->receive_ns)
		c->receive_ns = clock_mono_ns();
	if (c->receive_ns)
		c->slow_ns = from_ns + (uint64_t)HTTPD_SLOW_MS * NS_PER_MS + n_bytes / HTTPD_RATE_MIN * NS_PER_S;
	is_earlier = deadline < c->deadline_ns;
	c->deadline_ns = deadline;
	pthread_mutex_unlock(&c->h->lock);
	if (is_earlier)
		wake_watcher(c->h);
}

static bool is_unix_socket(int fd)
{
	struct sockaddr_storage at = { 0 };

	return getsockname(fd, (struct sockaddr *)&at, &(socklen_t){ sizeof(at) }) == 0 && at.ss_family == AF_UNIX;
}

/* Add a number to n_same of the connections in the list with the same address. Returns it; 0 if there are none. The lock is held. */
static unsigned httpd_count_same(struct httpd *h, const struct httpd_conn *like, unsigned n)
{
	unsigned n_same = 0;

	for (struct httpd_conn *c = h->conns; c; c = c->next)
		if (!c->is_unix && !like->is_unix && memcmp(&c->ip, &like->ip, sizeof(c->ip)) == 0)
			n_same = c->n_same += n;
	return n_same;
}

static void add_conn(struct httpd *h, struct MHD_Connection *mc, void **context)
{
	struct httpd_conn *c = mem_zalloc(1, sizeof(*c));
	uint64_t now = clock_mono_ns();
	struct peer_pair pair;

	c->h = h;
	c->fd = h->lib->get_connection_info(mc, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
	c->is_unix = is_unix_socket(c->fd);
	if (!c->is_unix && peer_pair(c->fd, &pair))
		c->ip = pair.there;
	c->idle_ns = now;
	c->deadline_ns = now + (uint64_t)h->options.limits.head_ms * NS_PER_MS;
	*context = c;
	pthread_mutex_lock(&h->lock);
	c->n_same = httpd_count_same(h, c, 1);
	c->n_same += c->n_same == 0;
	c->next = h->conns;
	h->conns = c;
	h->n_conns++;
	c->number = ++h->n_accepted;
	if (h->n_pending > 0)
		h->n_pending--;
	pthread_mutex_unlock(&h->lock);
	wake_watcher(h);
}

static void remove_conn(struct httpd *h, struct httpd_conn *c)
{
	pthread_mutex_lock(&h->lock);
	for (struct httpd_conn **at = &h->conns; *at; at = &(*at)->next)
		if (*at == c) {
			*at = c->next;
			h->n_conns--;
			h->n_gone -= c->is_gone;
			httpd_count_same(h, c, -1U);
			break;
		}
	pthread_mutex_unlock(&h->lock);
	free(c);
	wake_watcher(h);
}

static void notify_connection(void *arg, struct MHD_Connection *mc, void **context,
			      enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		add_conn(arg, mc, context);
	else if (*context)
		remove_conn(arg, *context);
}

/* The client has disconnected, or is disconnected. The lock is held. */
static void set_gone(struct httpd_conn *c)
{
	c->h->n_gone += !c->is_gone;
	c->is_gone = true;
	if (c->stop)
		stop_set(c->stop);
}

/* Close a connection. The lock is held, so the descriptor is still open. */
static void shut_down(struct httpd_conn *c)
{
	if (!c->is_gone)
		shutdown(c->fd, SHUT_RDWR);
	set_gone(c);
}

/*
 * The time from which a connection may be closed to make room for another one; UINT64_MAX while it has a request that arrives or
 * is answered. The lock is held.
 */
static uint64_t unused_ns(const struct httpd_conn *c)
{
	const uint64_t grace_ns = (uint64_t)HTTPD_STALLED_MS * NS_PER_MS;

	if (c->is_gone)
		return UINT64_MAX;
	if (c->idle_ns > 0)
		return c->idle_ns + grace_ns; /* a request may be on its way */
	if (c->receive_ns == 0)
		return UINT64_MAX;
	return c->receive_ns + grace_ns < c->slow_ns ? c->receive_ns + grace_ns : c->slow_ns;
}

/* Is it better to close a than b, which are both unused: of an address with more connections, idle, unused for longer? */
static bool is_better(const struct httpd_conn *a, const struct httpd_conn *b)
{
	bool is_idle = a->idle_ns > 0;

	if (a->n_same != b->n_same)
		return a->n_same > b->n_same;
	return is_idle == (b->idle_ns > 0) ? unused_ns(a) < unused_ns(b) : is_idle;
}

/*
 * The connection to close when there are too many: an unused one; else, of an address with a large share of the connections, the
 * newest one without a complete request. NULL: all have requests that arrive or are answered. The lock is held.
 */
static struct httpd_conn *find_unused(const struct httpd *h, uint64_t now)
{
	struct httpd_conn *best = NULL, *newest = NULL;

	for (struct httpd_conn *c = h->conns; c; c = c->next) { /* the newest is first */
		if (c->is_gone)
			continue;
		if (unused_ns(c) <= now && (!best || is_better(c, best)))
			best = c;
		if ((c->receive_ns > 0 || c->idle_ns > 0) && c->n_same > h->options.limits.connections / HTTPD_SHARE &&
		    (!newest || c->n_same > newest->n_same))
			newest = c;
	}
	return best ? best : newest;
}

/* Is there room for a connection, or can one be closed for it? Those that were shut down may exist for a moment longer. */
static bool has_room(const struct httpd *h, struct httpd_conn **unused)
{
	unsigned n = h->n_conns + h->n_pending, limit = h->options.limits.connections;

	*unused = NULL;
	if (h->n_gone >= GONE_MAX)
		return false;
	if (n - h->n_gone >= limit)
		*unused = find_unused(h, (uint64_t)clock_mono_ns());
	return n - h->n_gone < limit || *unused;
}

/* Descriptors that the watcher polls. */
struct watch {
	struct pollfd fd[POLL_MAX];
	uint64_t conn
		[POLL_MAX]; /* number of the connection, which may have been removed since; 0 for other descriptors */
	nfds_t n;
	unsigned n_listeners; /* the last ones; 0 while there is no room for a connection */
	uint64_t deadline_ns;
};

static void watch_fd(struct watch *w, int fd, short events, uint64_t conn)
{
	w->fd[w->n] = (struct pollfd){ .fd = fd, .events = events };
	w->conn[w->n++] = conn;
}

/* Close connections past their deadline, and list what to wait for. */
static void httpd_prepare(struct httpd *h, struct watch *w, uint64_t accepted_ns)
{
	uint64_t now = clock_mono_ns();
	struct httpd_conn *unused;
	bool can_accept;

	w->n = 0;
	w->deadline_ns = UINT64_MAX;
	watch_fd(w, h->wake, POLLIN, 0);
	pthread_mutex_lock(&h->lock);
	if (now - accepted_ns > (uint64_t)PENDING_MS * NS_PER_MS)
		h->n_pending = 0; /* libmicrohttpd closed them without a notification */
	for (struct httpd_conn *c = h->conns; c; c = c->next)
		if (now >= c->deadline_ns)
			shut_down(c);
	can_accept = has_room(h, &unused);
	for (struct httpd_conn *c = h->conns; c; c = c->next) {
		if (c->is_gone)
			continue;
		if (!can_accept && unused_ns(c) < w->deadline_ns)
			w->deadline_ns = unused_ns(c);
		if (c->deadline_ns < w->deadline_ns)
			w->deadline_ns = c->deadline_ns;
		if (c->stop && w->n < POLL_MAX - LISTEN_MAX)
			watch_fd(w, c->fd, POLLRDHUP, c->number);
	}
	pthread_mutex_unlock(&h->lock);
	w->n_listeners = can_accept ? h->at.n : 0;
	for (unsigned i = 0; i < w->n_listeners; i++)
		watch_fd(w, h->at.listener[i].fd, POLLIN, 0);
}

/* Set the stop of answers whose client has disconnected. */
static void check_running(struct httpd *h, const struct watch *w)
{
	pthread_mutex_lock(&h->lock);
	for (nfds_t i = 0; i < w->n; i++) {
		if (!w->conn[i] || !w->fd[i].revents)
			continue;
		for (struct httpd_conn *c = h->conns; c; c = c->next)
			if (c->number == w->conn[i] && c->stop)
				set_gone(c);
	}
	pthread_mutex_unlock(&h->lock);
}

/* Accept a connection. Returns false if there is none. */
static bool accept_one(struct httpd *h, int listener)
{
	struct sockaddr_storage from = { 0 };
	socklen_t n = sizeof(from);
	int fd = accept4(listener, (struct sockaddr *)&from, &n, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0) {
		if (errno == EMFILE || errno == ENFILE) /* the connection stays in the queue, so poll would not wait */
			poll(NULL, 0, ACCEPT_RETRY_MS);
		return false;
	}
	pthread_mutex_lock(&h->lock);
	h->n_pending++;
	pthread_mutex_unlock(&h->lock);
	if (h->lib->add_connection(h->daemon, fd, (struct sockaddr *)&from, n) == MHD_YES)
		return true;
	pthread_mutex_lock(&h->lock);
	h->n_pending -= h->n_pending > 0;
	pthread_mutex_unlock(&h->lock);
	return true;
}

/* Make room for a connection if there is none. Returns false if this is not possible. */
static bool make_room(struct httpd *h)
{
	struct httpd_conn *unused;
	bool can_accept;

	pthread_mutex_lock(&h->lock);
	can_accept = has_room(h, &unused);
	if (unused)
		shut_down(unused);
	pthread_mutex_unlock(&h->lock);
	return can_accept;
}

/* Accept connections. Returns the time of the last one. */
static uint64_t accept_ready(struct httpd *h, const struct watch *w, uint64_t last_ns)
{
	for (nfds_t i = w->n - w->n_listeners; i < w->n; i++) {
		if (!w->fd[i].revents || !make_room(h))
			continue;
		if (accept_one(h, w->fd[i].fd))
			last_ns = clock_mono_ns();
	}
	return last_ns;
}

/* Wait for the descriptors until the next deadline. Returns false on a signal or at the deadline. */
static bool httpd_wait_for(struct watch *w)
{
	uint64_t now = clock_mono_ns(), ns = w->deadline_ns > now ? w->deadline_ns - now : 0;
	const struct timespec limit = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };

	return ppoll(w->fd, w->n, w->deadline_ns == UINT64_MAX ? NULL : &limit, NULL) > 0;
}

static void *httpd_watch(void *arg)
{
	struct httpd *h = arg;
	struct watch w;
	uint64_t count, accepted_ns = 0;

	for (;;) {
		httpd_prepare(h, &w, accepted_ns);
		if (!httpd_wait_for(&w) || (w.fd[0].revents && read(h->wake, &count, sizeof(count)) < 0))
			continue;
		if (__atomic_load_n(&h->is_stopping, __ATOMIC_ACQUIRE))
			return NULL;
		check_running(h, &w);
		accepted_ns = accept_ready(h, &w, accepted_ns);
	}
}

/* The host as given, in the form of a URL, with the real port. */
static void httpd_set_url(struct httpd *h)
{
	const char *address = h->options.address, *end = strrchr(address, ':');
	const char *scheme = h->options.tls ? "https" : "http";
	int n = end ? (int)(end - address) : 0;

	if (h->at.port == 0)
		snprintf(h->url, sizeof(h->url), "%s", h->at.url);
	else if (n == 0)
		snprintf(h->url, sizeof(h->url), "%s://localhost:%u", scheme, h->at.port);
	else
		snprintf(h->url, sizeof(h->url), "%s://%.*s:%u", scheme, n, address, h->at.port);
}

/* Keep "%2F" and "+" as sent. */
static size_t keep_escapes(void *arg, struct MHD_Connection *mc, char *text)
{
	(void)arg;
	(void)mc;
	return strlen(text);
}

/* For GnuTLS: TLS 1.2 and above. */
static const char tls_versions[] = "NORMAL:-VERS-TLS1.1:-VERS-TLS1.0";

static int start_daemon(struct httpd *h, struct err *err)
{
	const char *pem = h->options.tls;
	const unsigned flags = MHD_USE_INTERNAL_POLLING_THREAD | MHD_USE_THREAD_PER_CONNECTION | MHD_USE_POLL |
			       MHD_USE_ITC | MHD_USE_NO_LISTEN_SOCKET | (pem ? MHD_USE_TLS : 0U);
	struct MHD_OptionItem tls[] = { { MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)(uintptr_t)pem },
					{ MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)(uintptr_t)pem },
					{ MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)(uintptr_t)tls_versions },
					{ MHD_OPTION_END, 0, NULL } };

	if (!pem)
		tls[0].option = MHD_OPTION_END;
	h->daemon = h->lib->start_daemon(
		flags, 0, NULL, NULL, httpd_handle, h, MHD_OPTION_CONNECTION_LIMIT, 2 * h->options.limits.connections,
		MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)POOL_BYTES, MHD_OPTION_CONNECTION_TIMEOUT, 0U,
		MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK, httpd_begin_request, h,
		MHD_OPTION_UNESCAPE_CALLBACK, keep_escapes, NULL, MHD_OPTION_NOTIFY_COMPLETED, httpd_end_request, h,
		MHD_OPTION_NOTIFY_CONNECTION, notify_connection, h, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
	h->options.tls = NULL;
	if (!h->daemon && pem)
		return err_set(err, ERR_USAGE, "the TLS file needs a certificate and its private key, in PEM");
	return h->daemon ? 0 : err_set(err, ERR_IO, "cannot start the server: %s", strerror(errno));
}

/* A write to a closed connection must not end the process. */
static int httpd_start_threads(struct httpd *h, struct err *err)
{
	sigset_t block, before;
	int rc;

	sigemptyset(&block);
	sigaddset(&block, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &block, &before);
	rc = start_daemon(h, err);
	if (rc == 0) {
		int failed = pthread_create(&h->watcher, NULL, httpd_watch, h);

		h->has_watcher = failed == 0;
		if (failed)
			rc = err_set(err, ERR_IO, "cannot create a thread: %s", strerror(failed));
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return rc;
}

static int listen_on(struct httpd *h, struct err *err)
{
	const struct listen_options at = { .address = h->options.address,
					   .has_secret = h->options.has_secret,
					   .any_address = h->options.has_secret,
					   .secret_options = h->options.secret_options };
	char why[512];
	int rc = listen_open(&at, &h->at, why, sizeof(why));

	if (rc == 0)
		return 0;
	return err_set(err, rc == -EINVAL || rc == -EACCES ? ERR_USAGE : ERR_IO, "%s", why);
}

int httpd_start(const struct httpd_options *options, struct httpd **out, struct err *err)
{
	struct httpd *h = mem_zalloc(1, sizeof(*h));
	struct httpd_limits *limits = &h->options.limits;
	int rc;

	h->options = *options;
	limits->head_ms = limits->head_ms ? limits->head_ms : HTTPD_HEAD_MS;
	limits->idle_ms = limits->idle_ms ? limits->idle_ms : HTTPD_IDLE_MS;
	limits->body_ms = limits->body_ms ? limits->body_ms : HTTPD_BODY_MS;
	limits->connections = limits->connections && limits->connections <= HTTPD_CONNECTIONS_MAX
				      ? limits->connections
				      : HTTPD_CONNECTIONS_DEFAULT;
	h->last_ns = clock_mono_ns();
	pthread_mutex_init(&h->lock, NULL);
	h->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = h->wake < 0 ? err_set(err, ERR_IO, "cannot create an eventfd: %s", strerror(errno)) : 0;
	rc = rc == 0 ? microhttpd_load(&h->lib, err) : rc;
	rc = rc == 0 ? listen_on(h, err) : rc;
	if (rc == 0) {
		httpd_set_url(h);
		rc = httpd_start_threads(h, err);
	}
	if (rc < 0) {
		httpd_stop(h);
		return rc;
	}
	*out = h;
	return 0;
}

const char *httpd_url(const struct httpd *h)
{
	return h->url;
}

unsigned httpd_port(const struct httpd *h)
{
	return h->at.port;
}

bool httpd_is_public(const struct httpd *h)
{
	return h->at.n > 0 && h->at.listener[0].is_public;
}

unsigned httpd_n_running(struct httpd *h)
{
	unsigned n;

	pthread_mutex_lock(&h->lock);
	n = h->n_running;
	pthread_mutex_unlock(&h->lock);
	return n;
}

uint64_t httpd_idle_ns(struct httpd *h)
{
	uint64_t now = clock_mono_ns(), idle;

	pthread_mutex_lock(&h->lock);
	idle = h->n_running > 0 || now < h->last_ns ? 0 : now - h->last_ns;
	pthread_mutex_unlock(&h->lock);
	return idle;
}

void httpd_stop(struct httpd *h)
{
	if (!h)
		return;
	pthread_mutex_lock(&h->lock);
	__atomic_store_n(&h->is_stopping, true, __ATOMIC_RELEASE);
	for (struct httpd_conn *c = h->conns; c; c = c->next)
		shut_down(c);
	pthread_mutex_unlock(&h->lock);
	if (h->has_watcher) {
		wake_watcher(h);
		pthread_join(h->watcher, NULL);
	}
	if (h->at.n > 0)
		listen_close(&h->at, false);
	if (h->daemon)
		h->lib->stop_daemon(h->daemon);
	if (h->wake >= 0)
		close(h->wake);
	pthread_mutex_destroy(&h->lock);
	free(h);
}

/*
 * loop.c - many requests beside the other events of a program, with epoll
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * libcurl reports the sockets that it waits for, and they stay registered: curl_multi_poll passes each of 10,000 sockets to
 * the kernel on each wait. Time limits that libcurl lacks are checked once a second: the time to the first byte of a response, and
 * the lowest rate after it. A request that is paused for lack of memory is not slow.
 */
#include "config.h"

#include "fetch/loop.h"

#include "base/mem.h"
#include "base/time.h"
#include "fetch/curl.h"
#include "fetch/transfer.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum {
	CONNECT_MS = 5000,
	FIRST_BYTE_MS = 10000, /* after the capture */
	RATE_MS = 10000,       /* the rate is that of so long a time */
	RATE_MIN = 1024,       /* bytes per second */
	BUFFER_BYTES = 4096,   /* per request: 16 KiB, the default, would take 11 KiB more */
	EVENTS = 64,
	N_TEXTS = 6,
};

struct fetch_group {
	struct fetch_options options; /* strings are owned */
	char *text[N_TEXTS];
	struct transfers shared;
	size_t n_open;
	bool is_dropped;
};

struct fetch_open {
	struct transfer t;
	struct fetch_loop *loop;
	struct fetch_group *group;
	struct fetch_request request;
	struct url url;
	fetch_done_fn *done;
	void *arg;
	int64_t first_limit_ms; /* the first byte must have arrived */
	int64_t rate_since_ms;  /* 0: no byte has arrived */
	size_t rate_n;          /* bytes at that time */
	int64_t paused_ms;      /* time of the pause; 0: not paused */
	bool is_first;          /* continues although there is no room, so that others can */
	size_t n_counted;       /* bytes counted in the loop */
	struct fetch_open *next, *previous;
};

struct fetch_loop {
	const struct curl *curl;
	CURLM *multi;
	int epoll, timer, tick, wake; /* wake: an eventfd; bytes were released */
	uint64_t bytes_max;
	atomic_uint_fast64_t n_bytes; /* arriving, or returned and not released */
	uint64_t n_arriving;          /* part of n_bytes that belongs to open requests */
	atomic_size_t n_paused;
	size_t n_open;
	struct fetch_open *first;
};

/* ---- sockets and timers of libcurl ---- */

static int socket_changed(CURL *easy, curl_socket_t fd, int what, void *arg, void *is_registered)
{
	struct fetch_loop *l = arg;
	struct epoll_event e = { .data.fd = fd };

	(void)easy;
	if (what == CURL_POLL_REMOVE) {
		epoll_ctl(l->epoll, EPOLL_CTL_DEL, fd, NULL);
		return 0;
	}
	e.events = (what & CURL_POLL_IN ? EPOLLIN : 0U) | (what & CURL_POLL_OUT ? EPOLLOUT : 0U);
	if (epoll_ctl(l->epoll, is_registered ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &e) != 0 && errno == EEXIST)
		epoll_ctl(l->epoll, EPOLL_CTL_MOD, fd, &e);
	l->curl->multi_assign(l->multi, fd, l);
	return 0;
}

static void fetch_loop_set_timer(int fd, int64_t ms, bool repeats)
{
	struct timespec at = { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
	struct itimerspec t = { .it_value = at };

	if (repeats)
		t.it_interval = at;
	timerfd_settime(fd, 0, &t, NULL);
}

static int timer_changed(CURLM *multi, long ms, void *arg)
{
	struct fetch_loop *l = arg;

	(void)multi;
	if (ms < 0)
		timerfd_settime(l->timer, 0, &(struct itimerspec){ 0 }, NULL);
	else
		fetch_loop_set_timer(l->timer, ms ? ms : 1,
				     false); /* 0 would disarm it, and libcurl must not be called from here */
	return 0;
}

/* ---- room for responses ---- */

static bool fetch_loop_has_room(struct transfer *t, size_t n)
{
	struct fetch_open *o = (struct fetch_open *)t;
	struct fetch_loop *l = o->loop;

	if (!o->is_first && atomic_load(&l->n_bytes) + n > l->bytes_max) {
		if (!o->paused_ms)
			atomic_fetch_add(&l->n_paused, 1);
		o->paused_ms = o->paused_ms ? o->paused_ms : clock_mono_ms();
		return false;
	}
	atomic_fetch_add(&l->n_bytes, n);
	l->n_arriving += n;
	o->n_counted += n;
	return true;
}

/* Count the bytes of an open request down to n. */
static void uncount(struct fetch_open *o, size_t n)
{
	assert(o->n_counted >= n);
	atomic_fetch_sub(&o->loop->n_bytes, o->n_counted - n);
	o->loop->n_arriving -= o->n_counted;
	o->n_counted = 0;
}

static struct fetch_open *longest_paused(const struct fetch_loop *l)
{
	struct fetch_open *found = NULL;

	for (struct fetch_open *o = l->first; o; o = o->next)
		if (o->paused_ms && (!found || o->paused_ms < found->paused_ms))
			found = o;
	return found;
}

static void resume(struct fetch_open *o)
{
	o->paused_ms = 0;
	o->t.is_paused = false;
	o->rate_since_ms = 0;
	atomic_fetch_sub(&o->loop->n_paused, 1);
	o->loop->curl->easy_pause(o->t.easy, CURLPAUSE_CONT); /* calls the write function, which may pause again */
}

static bool has_first(const struct fetch_loop *l)
{
	for (const struct fetch_open *o = l->first; o; o = o->next)
		if (o->is_first)
			return true;
	return false;
}

/*
 * Resume requests while there is room. If all bytes belong to requests that have not ended, nothing will be released: then the
 * request that has been paused for the longest time continues.
 */
static void resume_paused(struct fetch_loop *l)
{
	struct fetch_open *o;

	while (atomic_load(&l->n_paused) && (o = longest_paused(l))) {
		uint64_t n = atomic_load(&l->n_bytes);

		if (n + CURL_MAX_WRITE_SIZE > l->bytes_max) {
			if (n > l->n_arriving || has_first(l))
				return;
			o->is_first = true;
		}
		resume(o);
	}
}

void fetch_loop_release(struct fetch_loop *l, size_t n)
{
	uint64_t one = 1;

	atomic_fetch_sub(&l->n_bytes, n);
	if (atomic_load(&l->n_paused) && write(l->wake, &one, sizeof(one)) < 0)
		return; /* EAGAIN: the loop will wake */
}

/* ---- requests ---- */

static void unlink_open(struct fetch_open *o)
{
	struct fetch_loop *l = o->loop;

	if (o->previous)
		o->previous->next = o->next;
	else
		l->first = o->next;
	if (o->next)
		o->next->previous = o->previous;
	if (--l->n_open == 0)
		fetch_loop_set_timer(l->tick, 0, false);
	if (o->paused_ms)
		atomic_fetch_sub(&l->n_paused, 1);
}

static void release_group(struct fetch_group *g)
{
	if (g->n_open > 0 || !g->is_dropped)
		return;
	transfers_release(&g->shared);
	for (size_t i = 0; i < N_TEXTS; i++)
		free(g->text[i]);
	free(g);
}

/* Free an ended request, and call its function if calls is set. */
static void end_open(struct fetch_open *o, bool calls)
{
	struct fetch_group *g = o->group;
	struct fetch_request *r = &o->request;

	uncount(o, r->rc == 0 && calls ? r->bytes.n : 0);
	unlink_open(o);
	if (r->rc == 0)
		g->shared.n_bytes -= r->bytes.n;
	if (calls)
		o->done(o->arg, r);
	g->n_open--;
	release_group(g);
	url_release(&o->url);
	free(o);
}

static void cancel(struct fetch_open *o, const char *message, bool calls)
{
	if (o->t.easy)
		o->loop->curl->multi_remove_handle(o->loop->multi, o->t.easy);
	o->group->shared.n_bytes -= o->t.n;
	transfer_cancel(&o->t, message);
	end_open(o, calls);
}

void fetch_loop_cancel(struct fetch_loop *l, struct fetch_open *o, const char *message)
{
	assert(o->loop == l);
	cancel(o, message, true);
	resume_paused(l);
}

void fetch_loop_cancel_all(struct fetch_loop *l, const char *message)
{
	while (l->first)
		cancel(l->first, message, true);
}

static void fetch_loop_end_finished(struct fetch_loop *l)
{
	CURLMsg *message;
	int n_remaining;

	while ((message = l->curl->multi_info_read(l->multi, &n_remaining))) {
		CURLcode code = message->data.result;
		CURL *easy = message->easy_handle;
		struct transfer *t = NULL;

		if (message->msg != CURLMSG_DONE)
			continue;
		l->curl->easy_getinfo(easy, CURLINFO_PRIVATE, &t);
		l->curl->multi_remove_handle(l->multi, easy);
		if (transfer_end(t, code))
			l->curl->multi_add_handle(l->multi, t->easy);
		else
			end_open((struct fetch_open *)t, true);
	}
	resume_paused(l);
}

struct fetch_open *fetch_loop_start(struct fetch_loop *l, const struct fetch_start *start)
{
	struct fetch_open *o = mem_zalloc(1, sizeof(*o));

	o->loop = l;
	o->group = start->group;
	o->group->n_open++;
	url_copy(start->url, &o->url);
	o->request.url = &o->url;
	o->done = start->done;
	o->arg = start->arg;
	o->t = (struct transfer){ .shared = &o->group->shared, .request = &o->request };
	o->t.limits = (struct transfer_limits){ .connect_ms = CONNECT_MS,
						.all_ms = start->capture_ms + start->capture_ms / 10 + start->extra_ms,
						.buffer_bytes = BUFFER_BYTES,
						.closes = start->closes,
						.has_room = fetch_loop_has_room };
	o->first_limit_ms = clock_mono_ms() + start->capture_ms + FIRST_BYTE_MS;
	o->next = l->first;
	if (l->first)
		l->first->previous = o;
	l->first = o;
	if (l->n_open++ == 0)
		fetch_loop_set_timer(l->tick, 1000, true);
	if (transfer_begin(&o->t) < 0) {
		free(o->t.url);
		end_open(o, true);
		return NULL;
	}
	l->curl->multi_add_handle(l->multi, o->t.easy);
	return o;
}

/* ---- time limits ---- */

static const char *check_limits(struct fetch_open *o, int64_t now)
{
	if (o->t.n == 0 && o->t.n_dropped == 0)
		return now > o->first_limit_ms && !o->paused_ms ? "no answer within 10 s after the capture" : NULL;
	if (o->paused_ms || !o->rate_since_ms) {
		o->rate_since_ms = now;
		o->rate_n = o->t.n;
		return NULL;
	}
	if (now - o->rate_since_ms < RATE_MS)
		return NULL;
	if (o->t.n + o->t.n_dropped - o->rate_n < (size_t)RATE_MIN * RATE_MS / 1000)
		return "the answer arrives too slowly: less than 1 KiB per second";
	o->rate_since_ms = now;
	o->rate_n = o->t.n + o->t.n_dropped;
	return NULL;
}

static void check_all_limits(struct fetch_loop *l)
{
	int64_t now = clock_mono_ms();

	for (struct fetch_open *o = l->first, *next; o; o = next) {
		const char *problem = check_limits(o, now);

		next = o->next;
		if (problem)
			cancel(o, problem, true);
	}
	resume_paused(l);
}

/* ---- the loop ---- */

static void fetch_loop_handle(struct fetch_loop *l, const struct epoll_event *e)
{
	int fd = e->data.fd, n_running, bits;
	uint64_t count;

	if ((fd == l->timer || fd == l->tick || fd == l->wake) && read(fd, &count, sizeof(count)) < 0)
		return;
	if (fd == l->tick) {
		check_all_limits(l);
	} else if (fd == l->wake) {
		resume_paused(l);
	} else {
		bits = (e->events & EPOLLIN ? CURL_CSELECT_IN : 0) | (e->events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
		       (e->events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
		l->curl->multi_socket_action(l->multi, fd == l->timer ? CURL_SOCKET_TIMEOUT : fd,
					     fd == l->timer ? 0 : bits, &n_running);
	}
}

void fetch_loop_run(struct fetch_loop *l)
{
	struct epoll_event event[EVENTS];
	int n = epoll_wait(l->epoll, event, EVENTS, 0);

	for (int i = 0; i < n; i++)
		fetch_loop_handle(l, &event[i]);
	fetch_loop_end_finished(l);
}

static bool fetch_loop_watch(const struct fetch_loop *l, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return fd >= 0 && epoll_ctl(l->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static int fetch_loop_init(struct fetch_loop *l, long connections, struct err *err)
{
	int rc = curl_load(&l->curl, err);

	if (rc < 0)
		return rc;
	if (l->epoll < 0 || !fetch_loop_watch(l, l->timer) || !fetch_loop_watch(l, l->tick) ||
	    !fetch_loop_watch(l, l->wake))
		return err_set(err, ERR_IO, "cannot create a timer: %s", strerror(errno));
	l->multi = l->curl->multi_init();
	if (!l->multi)
		return err_set(err, ERR_IO, "cannot initialize libcurl");
	l->curl->multi_setopt(l->multi, CURLMOPT_SOCKETFUNCTION, socket_changed);
	l->curl->multi_setopt(l->multi, CURLMOPT_SOCKETDATA, l);
	l->curl->multi_setopt(l->multi, CURLMOPT_TIMERFUNCTION, timer_changed);
	l->curl->multi_setopt(l->multi, CURLMOPT_TIMERDATA, l);
	l->curl->multi_setopt(l->multi, CURLMOPT_MAXCONNECTS, connections);
	return 0;
}

int fetch_loop_new(uint64_t bytes_max, long connections, struct fetch_loop **out, struct err *err)
{
	struct fetch_loop *l = mem_zalloc(1, sizeof(*l));
	int rc;

	l->bytes_max = bytes_max;
	l->epoll = epoll_create1(EPOLL_CLOEXEC);
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	l->tick = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	l->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	rc = fetch_loop_init(l, connections, err);
	if (rc < 0)
		fetch_loop_free(l);
	else
		*out = l;
	return rc;
}

void fetch_loop_free(struct fetch_loop *l)
{
	if (!l)
		return;
	while (l->first)
		cancel(l->first, "stopped", false);
	if (l->multi)
		l->curl->multi_cleanup(l->multi);
	close(l->epoll);
	close(l->timer);
	close(l->tick);
	close(l->wake);
	free(l);
}

int fetch_loop_fd(const struct fetch_loop *l)
{
	return l->epoll;
}

size_t fetch_loop_n_open(const struct fetch_loop *l)
{
	return l->n_open;
}

uint64_t fetch_loop_n_bytes(const struct fetch_loop *l)
{
	return atomic_load(&l->n_bytes);
}

/* ---- groups ---- */

int fetch_group_new(const struct fetch_options *options, struct fetch_group **out, struct buf *notes, struct err *err)
{
	struct fetch_group *g = mem_zalloc(1, sizeof(*g));
	const char **text[N_TEXTS] = { &g->options.tls_cert,    &g->options.tls_key,     &g->options.tls_ca,
				       &g->options.header_file, &g->options.bearer_file, &g->options.netrc };
	int rc;

	g->options = *options;
	for (size_t i = 0; i < N_TEXTS; i++)
		*text[i] = g->text[i] = mem_strndup(*text[i], strlen(*text[i]));
	g->options.max_all = 0;
	g->options.stays_on_server = true;
	rc = transfers_init(&g->shared, &g->options, notes, err);
	if (rc < 0)
		fetch_group_free(g);
	else
		*out = g;
	return rc;
}

void fetch_group_free(struct fetch_group *g)
{
	if (!g)
		return;
	g->is_dropped = true;
	release_group(g);
}

/*
 * collector.c - the loop of the collector: open the store, wait for events, end in order
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The loop holds the lock while it handles events, so that pages can read the state of targets while it waits. Waiting uses
 * CLOCK_BOOTTIME: after a suspend the slots of the meantime are past, and the schedule skips them.
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "access/listen.h"
#include "base/cond.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/pool.h"
#include "base/time.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"
#include "store/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { READER_NS = 100000, FDS_RESERVED = 64, DECODERS_MAX = 4, EVENTS = 8, LOG_REPEAT_S = 60 };

void scrape_lock(struct scrape_collector *c)
{
	atomic_fetch_add(&c->n_readers, 1);
	pthread_mutex_lock(&c->lock);
	atomic_fetch_sub(&c->n_readers, 1);
}

/* ---- log ---- */

/* Was the line logged within a minute? Records it. */
static bool is_repeated(struct scrape_collector *c, const char *line)
{
	uint64_t hash = hash_bytes(line, strlen(line));
	struct scrape_log_line *at = &c->logged[hash % SCRAPE_LOG_LINES];
	int64_t now = clock_mono_ns();
	bool is_it;

	pthread_mutex_lock(&c->log_lock);
	is_it = at->hash == hash && now - at->at_ns < LOG_REPEAT_S * NS_PER_S;
	if (!is_it)
		*at = (struct scrape_log_line){ hash, now };
	pthread_mutex_unlock(&c->log_lock);
	return is_it;
}

void scrape_log(struct scrape_collector *c, const char *format, ...)
{
	char line[1500];
	va_list args;

	va_start(args, format);
	vsnprintf(line, sizeof(line), format, args);
	va_end(args);
	if (!is_repeated(c, line))
		c->o.log(c->o.arg, line);
}

const char *scrape_plain(char *to, const char *message)
{
	const char *advice = strstr(message, "; raise the limit");
	size_t n = advice ? (size_t)(advice - message) : strlen(message);

	n = n < SCRAPE_ERROR_MAX ? n : SCRAPE_ERROR_MAX - 1;
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)message[i];

		to[i] = c == '"' ? '\'' : c < ' ' || c == 127 ? '?' : (char)c;
	}
	to[n] = '\0';
	return to;
}

/* Log the first removal of a label of this name. */
static void log_cut(void *arg, const char *service, const char *name, const char *why)
{
	char plain[SCRAPE_ERROR_MAX], plain_name[SCRAPE_ERROR_MAX];

	scrape_log(arg, "label=cut service=\"%s\" name=\"%s\" reason=\"%s\"", scrape_plain(plain, service),
		   scrape_plain(plain_name, name), why);
}

static void log_writer(void *arg, const char *line)
{
	scrape_log(arg, "%s", line);
}

/* ---- start ---- */

/* Raise the limit of descriptors, and find the number of requests that it allows. */
static size_t raise_fds(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return SCRAPE_OPEN_MAX / 10;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	getrlimit(RLIMIT_NOFILE, &limit);
	if (limit.rlim_cur >= SCRAPE_OPEN_MAX + FDS_RESERVED)
		return SCRAPE_OPEN_MAX;
	return limit.rlim_cur > 2 * FDS_RESERVED ? limit.rlim_cur - FDS_RESERVED : FDS_RESERVED;
}

/* Is it the socket file of this user's collector that was killed? Its process has ended, and nothing listens. */
static bool is_dead_socket(int folder, const char *name, struct sockaddr_un *address)
{
	struct stat st;
	char end[16];
	int pid, fd;
	bool is_refused;

	if (sscanf(name, "collect-%d.%15s", &pid, end) != 2 || strcmp(end, "sock") != 0 || pid <= 0 ||
	    kill(pid, 0) == 0 || errno != ESRCH || fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISSOCK(st.st_mode) || st.st_uid != geteuid())
		return false;
	fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0)
		return false;
	is_refused = connect(fd, (const struct sockaddr *)address, sizeof(*address)) != 0 && errno == ECONNREFUSED;
	close(fd);
	return is_refused;
}

/* Remove the sockets of collectors that were killed, in the folder of path. */
static void remove_dead_sockets(const char *path)
{
	size_t n_folder = (size_t)(strrchr(path, '/') - path);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct dirent *e;
	DIR *d;

	memcpy(address.sun_path, path, n_folder);
	d = opendir(address.sun_path);
	while (d && (e = readdir(d))) {
		if (n_folder + 1 + strlen(e->d_name) >= sizeof(address.sun_path))
			continue;
		address.sun_path[n_folder] = '/';
		memcpy(address.sun_path + n_folder + 1, e->d_name, strlen(e->d_name) + 1);
		if (is_dead_socket(dirfd(d), e->d_name, &address))
			unlinkat(dirfd(d), e->d_name, 0);
	}
	if (d)
		closedir(d);
}

/* The path of the socket of the user: below $XDG_RUNTIME_DIR, else in the store. */
static void scrape_collector_find_socket(struct scrape_collector *c)
{
	char path[sizeof(((struct sockaddr_un *)0)->sun_path)];

	if (listen_default_path("collect", path, sizeof(path)) == 0) {
		buf_addz(&c->socket, path);
		remove_dead_sockets(path);
	} else {
		buf_addf(&c->socket, "%s/collect.sock", c->directory.data);
	}
}

static int open_store(struct scrape_collector *c, struct err *err)
{
	const struct scrape_config *config = c->config;
	struct buf owner = { 0 }, holder = { 0 };
	struct store_writer_options o = { .cap = config->cap, .retain = config->retain, .group = config->group };
	int rc;

	store_directory(config->store, &c->directory);
	scrape_collector_find_socket(c);
	buf_addf(&owner, "%s\nsocket %s", c->o.command, c->socket.data);
	o.owner = owner.data;
	rc = upkeep_open_writer(c->directory.data, true, &o, &c->store, &holder, err);
	buf_release(&owner);
	buf_release(&holder);
	return rc;
}

/* Load the versions that have a mark, so that a restart adds no second one. */
static int load_versions(struct scrape_collector *c, struct err *err)
{
	struct store *s;
	int rc = local_open(c->directory.data, &s, err);

	c->versions = scrape_versions_new();
	if (rc < 0)
		return rc;
	rc = scrape_versions_load(c->versions, s, err);
	store_close(s);
	return rc;
}

static bool scrape_collector_watch(const struct scrape_collector *c, int fd)
{
	struct epoll_event e = { .events = EPOLLIN, .data.fd = fd };

	return fd >= 0 && epoll_ctl(c->epoll, EPOLL_CTL_ADD, fd, &e) == 0;
}

static int start_loop(struct scrape_collector *c, struct err *err)
{
	int rc = fetch_loop_new(SCRAPE_BODIES_MAX, (long)c->open_max, &c->loop, err);

	if (rc < 0)
		return rc;
	c->epoll = epoll_create1(EPOLL_CLOEXEC);
	c->timer = timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK);
	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->list = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->epoll < 0 || !scrape_collector_watch(c, c->timer) || !scrape_collector_watch(c, c->wake) ||
	    !scrape_collector_watch(c, c->list) || !scrape_collector_watch(c, fetch_loop_fd(c->loop)) ||
	    !scrape_collector_watch(c, c->o.signals))
		return err_set(err, ERR_IO, "cannot wait for events: %s", strerror(errno));
	return 0;
}

static int scrape_collector_start_threads(struct scrape_collector *c, struct err *err)
{
	const struct scrape_writer_options o = { .store = c->store,
						 .directory = c->directory.data,
						 .stats = &c->stats,
						 .command = c->o.run_command,
						 .command_arg = c->o.arg,
						 .log = log_writer,
						 .log_arg = c };
	unsigned n = pool_size() < DECODERS_MAX ? pool_size() : DECODERS_MAX;
	int rc = scrape_writer_new(&o, &c->writer, err);

	rc = rc < 0 ? rc : scrape_decoders_new(n, &c->decoders, err);
	if (rc == 0)
		c->finder = scrape_finder_new(c->config, c->list);
	return rc;
}

int scrape_collector_new(const struct scrape_collector_options *o, struct scrape_collector **out, struct err *err)
{
	struct scrape_collector *c = mem_zalloc(1, sizeof(*c));
	int rc;

	c->o = *o;
	c->config = scrape_config_ref(o->config);
	c->epoll = c->timer = c->wake = c->list = -1;
	pthread_mutex_init(&c->lock, NULL);
	pthread_mutex_init(&c->log_lock, NULL);
	pthread_mutex_init(&c->ended_lock, NULL);
	pthread_mutex_init(&c->peers_lock, NULL);
	pthread_mutex_init(&c->stats.lock, NULL);
	cond_init(&c->query_done);
	cond_init(&c->push_done); /* as cond_wait_ms needs it: else the wait would end at once */
	c->open_max = raise_fds();
	c->started_ns = clock_wall_ns();
	atomic_store(&c->beat_ns, clock_mono_ns());
	rc = open_store(c, err);
	rc = rc < 0 ? rc : scrape_guard_new(c->config, &c->guard, err);
	rc = rc < 0 ? rc : load_versions(c, err);
	if (rc == 0)
		scrape_guard_set_log(c->guard, log_cut, c);
	c->accepter = (struct scrape_accepter){ c->guard, c->versions };
	rc = rc < 0 ? rc : start_loop(c, err);
	rc = rc < 0 ? rc : scrape_collector_start_threads(c, err);
	rc = rc < 0 ? rc : scrape_sinks_start(c, err);
	rc = rc < 0 ? rc : scrape_listen_all(c, err);
	if (rc < 0) {
		scrape_collector_free(c, NULL);
		return rc;
	}
	scrape_make_groups(c);
	*out = c;
	return 0;
}

const char *scrape_collector_store(const struct scrape_collector *c)
{
	return c->directory.data;
}

const char *scrape_collector_address(const struct scrape_collector *c)
{
	return httpd_url(c->listener[0].http);
}

/* ---- run ---- */

static void scrape_collector_stop(struct scrape_collector *c, int number)
{
	bool is_second = c->stop_ns != 0;

	if (!is_second)
		scrape_log(c, "state=ending signal=%s open=%zu", number == SIGTERM ? "TERM" : "INT",
			   fetch_loop_n_open(c->loop));
	c->stop_ns = is_second ? 1 : clock_mono_ns() + c->o.grace_ns;
	scrape_cancel_open(c, is_second);
}

static void scrape_collector_read_signals(struct scrape_collector *c)
{
	struct signalfd_siginfo info;

	while (read(c->o.signals, &info, sizeof(info)) == (ssize_t)sizeof(info))
		if (info.ssi_signo == SIGHUP)
			scrape_reload(c);
		else
			scrape_collector_stop(c, (int)info.ssi_signo);
}

static void scrape_collector_handle(struct scrape_collector *c, int fd)
{
	uint64_t count;

	if (fd == fetch_loop_fd(c->loop)) {
		fetch_loop_run(c->loop);
		return;
	}
	if (fd == c->o.signals) {
		scrape_collector_read_signals(c);
		return;
	}
	if (read(fd, &count, sizeof(count)) < 0)
		return;
	if (fd == c->list)
		scrape_take_list(c);
	else if (fd == c->wake)
		scrape_take_results(c);
}

/* Move the schedules when the wall clock was set. */
static void check_clock(struct scrape_collector *c)
{
	int64_t now = clock_wall_ns(), step = scrape_clock_check(&c->clock, now, clock_boot_ns());

	if (step == 0)
		return;
	scrape_stats_clock_step(&c->stats);
	scrape_log(c, "clock=stepped seconds=%" PRId64, step / NS_PER_S);
	for (size_t i = 0; i < c->targets.n; i++) {
		scrape_schedule_step(&c->targets.target[i]->schedule, now, step);
		scrape_plan_next(c, c->targets.target[i]->owner_data, now);
	}
}

static void scrape_collector_set_timer(const struct scrape_collector *c, int64_t wait_ns)
{
	struct itimerspec t = { .it_value = { 1, 0 } }; /* at least once a second: the beat, and steps of the clock */

	if (wait_ns < NS_PER_S)
		t.it_value = (struct timespec){ 0, wait_ns > 1000 ? (long)wait_ns : 1000 };
	timerfd_settime(c->timer, 0, &t, NULL);
}

/* Is all work done? With once, this is after every kind of every target; else after the signal to end. */
static bool is_finished(struct scrape_collector *c)
{
	if (c->stop_ns && clock_mono_ns() >= c->stop_ns && fetch_loop_n_open(c->loop) > 0)
		fetch_loop_cancel_all(c->loop, "the collector ends");
	if (fetch_loop_n_open(c->loop) > 0 || atomic_load(&c->n_pending) > 0)
		return false;
	if (c->stop_ns)
		return true;
	return c->o.once && c->has_list && (c->heap.n == 0 || c->heap.item[0]->due_ns == INT64_MAX);
}

static void scrape_collector_report_progress(struct scrape_collector *c, int64_t *reported_ns)
{
	char line[256];
	int64_t now = clock_mono_ns();
	uint64_t n = 0, n_failed = 0;

	if (!c->o.progress || now - *reported_ns < NS_PER_S)
		return;
	*reported_ns = now;
	for (size_t i = 0; i < c->targets.n; i++) {
		const struct scrape_state *s = c->targets.target[i]->owner_data;

		n += s->n_profiles;
		n_failed += s->has_logged && s->logged != SCRAPE_OK;
	}
	snprintf(line, sizeof(line),
		 "%zu targets, %zu requests running, %" PRIu64 " profiles stored, %" PRIu64 " targets failing",
		 c->targets.n, fetch_loop_n_open(c->loop), n, n_failed);
	c->o.progress(c->o.arg, line);
}

/* Targets that failed, or that sent no profile at all. */
static size_t count_failed(const struct scrape_collector *c)
{
	size_t n = 0;

	for (size_t i = 0; i < c->targets.n; i++) {
		const struct scrape_state *s = c->targets.target[i]->owner_data;

		n += s->has_failed || s->n_profiles == 0;
	}
	return n;
}

size_t scrape_collector_run(struct scrape_collector *c)
{
	struct epoll_event event[EVENTS];
	int64_t reported_ns = 0;
	size_t n_failed;

	pthread_mutex_lock(&c->lock);
	scrape_clock_check(&c->clock, clock_wall_ns(), clock_boot_ns());
	while (!is_finished(c)) {
		int n;

		scrape_collector_set_timer(c, scrape_start_due(c));
		scrape_collector_report_progress(c, &reported_ns);
		pthread_mutex_unlock(&c->lock);
		if (atomic_load(&c->n_readers) > 0)
			nanosleep(&(struct timespec){ .tv_nsec = READER_NS }, NULL); /* a mutex is not fair */
		n = epoll_wait(c->epoll, event, EVENTS, -1);
		pthread_mutex_lock(&c->lock);
		atomic_store(&c->beat_ns, clock_mono_ns());
		check_clock(c);
		for (int i = 0; i < n; i++)
			scrape_collector_handle(c, event[i].data.fd);
	}
	n_failed = c->o.once ? count_failed(c) : 0;
	pthread_mutex_unlock(&c->lock);
	return n_failed;
}

/* ---- end ---- */

static void release_targets(struct scrape_collector *c)
{
	for (size_t i = 0; i < c->targets.n; i++) {
		struct scrape_state *s = c->targets.target[i]->owner_data;

		if (s)
			scrape_state_unref(s);
	}
	scrape_targets_release(&c->targets);
	free(c->heap.item);
	for (size_t i = 0; c->group && i < c->config->n_jobs; i++)
		fetch_group_free(c->group[i]);
	free(c->group);
}

int scrape_collector_free(struct scrape_collector *c, struct err *err)
{
	const int fds[] = { c ? c->epoll : -1, c ? c->timer : -1, c ? c->wake : -1, c ? c->list : -1 };
	int rc;

	if (!c)
		return 0;
	scrape_finder_free(c->finder);
	scrape_listen_stop(c);
	scrape_decoders_free(c->decoders);
	scrape_writer_free(c->writer);
	scrape_take_results(c);
	scrape_sinks_stop(c);
	fetch_loop_free(c->loop);
	release_targets(c);
	rc = upkeep_close_writer(c->store, err);
	scrape_guard_free(c->guard);
	scrape_versions_free(c->versions);
	scrape_config_unref(c->config);
	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
		if (fds[i] >= 0)
			close(fds[i]);
	buf_release(&c->directory);
	buf_release(&c->socket);
	free(c);
	return rc;
}

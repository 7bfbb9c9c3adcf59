/*
 * http.c - the server of /debug/pprof in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One thread, while it is on. A child of fork does not serve, for the address is its parent's, but where that differs
 * in each process: there it has a server of its own. The lock is taken around fork, so that the child finds all whole.
 *
 * Our thread would keep a process alive whose last thread has ended. The server only has to look for that when the main
 * thread has ended, which is told here.
 */
#include "config.h"

#include "libcpaprof/api/http.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"
#include "libcpaprof/api/heap_rate.h"
#include "libcpaprof/api/host.h"

#include "libcpaprof/target/latch.h"
#include "libcpaprof/target/next.h"
#include "libcpaprof/target/target.h"

#include "libcpaprof/endpoint/server.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { END_MS = 1000, WHY_MAX = GUARD_WHY_MAX, SCHEME = 5 /* unix: */ };
enum { KNOWN_FLAGS = CPA_HTTP_ANY_USER | CPA_HTTP_HIDE_CMDLINE | CPA_HTTP_ANY_ADDRESS };
enum state { OFF, ON, STOPPING };

static struct latch latch;
static _Atomic uint32_t owner; /* thread that has it */
static _Atomic uint32_t main_ended;
static _Atomic uint32_t running; /* the thread is in server_run */

/* Guarded by the latch. */
static struct {
	enum state state;
	bool knows_fork, children; /* those that are forked serve too, where they have an address of their own */
	bool usual;                /* the usual socket, which has the process in its name */
	uint32_t pid;              /* whose it is */
	struct server *server;
	struct serve *serve;
	pthread_t thread;
	char address[LISTEN_TEXT_MAX];
	struct listen_options at;
	struct serve_options options;
	struct guard *guard; /* NULL: none was needed yet */
} http;

static void forget(void);

/* False when this thread has it already. */
static bool enter(void)
{
	uint32_t me = sys_gettid();

	/* a child that fork's handlers did not see yet, or never will */
	if (http.pid && http.pid != sys_getpid())
		forget();
	if (atomic_load(&owner) == me)
		return false;
	latch_take(&latch);
	atomic_store(&owner, me);
	return true;
}

static void leave(void)
{
	atomic_store(&owner, 0);
	latch_leave(&latch);
}

static bool is_last(void *arg)
{
	(void)arg;
	return collector_is_last();
}

static void *work(void *arg)
{
	(void)arg;
	server_run(http.server);
	atomic_store(&running, 0);
	sys_call6(SYS_futex, (long)&running, FUTEX_WAKE_PRIVATE, INT_MAX, 0, 0, 0);
	return NULL;
}

static void close_all(bool forked)
{
	server_close(http.server, forked);
	/* in a child its jobs are copies, some of them half made */
	if (!forked)
		serve_free(http.serve);
	http.server = NULL;
	http.serve = NULL;
	http.state = OFF;
}

/* From what is in http. Gives 0, or -errno and why. */
static int begin(char why[WHY_MAX])
{
	struct server_options options = { .at = &http.at, .guard = http.guard, .is_over = is_last };
	char path[sizeof(http.address) - SCHEME];
	int rc = http.usual ? listen_usual(program_invocation_short_name, path, sizeof(path)) : 0;

	if (rc < 0) {
		snprintf(why, WHY_MAX, "there is no folder for its socket: %s", strerrordesc_np(-rc));
		return rc;
	}
	if (http.usual)
		snprintf(http.address, sizeof(http.address), "unix:%s", path);
	rc = serve_new(host_self(), &http.options, &http.serve);
	options.serve = http.serve;
	if (rc == 0)
		rc = server_open(&options, &http.server, why, WHY_MAX);
	if (rc == 0) {
		http.pid = sys_getpid();
		atomic_store(&running, 1);
		rc = collector_thread(&http.thread, work);
	}
	if (rc < 0) {
		if (!*why)
			snprintf(why, WHY_MAX, "%s", strerrordesc_np(-rc));
		atomic_store(&running, 0);
		close_all(false);
		return rc;
	}
	http.state = ON;
	if (atomic_load(&main_ended))
		server_look(http.server);
	return 0;
}

/* In the child of fork, where only this thread is. */
static void forget(void)
{
	char why[WHY_MAX] = "";
	bool was = http.state == ON && http.children && (http.usual || strstr(http.address, "%p"));

	latch = (struct latch){ .state = 1 };
	atomic_store(&owner, sys_gettid());
	atomic_store(&running, 0);
	atomic_store(&main_ended, 0);
	http.pid = sys_getpid();
	if (http.server)
		close_all(true);
	if (was)
		(void)begin(why);
	leave();
}

static bool held; /* by the thread that forks */

static void before_fork(void)
{
	held = enter();
}

static void in_parent(void)
{
	if (held)
		leave();
}

static void in_child(void)
{
	if (http.pid != sys_getpid())
		forget();
}

static int read_opts(const cpa_http_opts *asked, cpa_http_opts *o)
{
	*o = (cpa_http_opts){ 0 };
	if (asked && asked->size < sizeof(asked->size))
		return -EINVAL;
	if (asked)
		memcpy(o, asked, asked->size < sizeof(*o) ? asked->size : sizeof(*o));
	if (o->max_seconds < 0 || o->flags & ~(unsigned)KNOWN_FLAGS)
		return -EINVAL;
	if (o->listen && (!*o->listen || strlen(o->listen) >= sizeof(http.address)))
		return -EINVAL;
	return o->allow_hosts && strlen(o->allow_hosts) >= GUARD_HOSTS_MOST ? -EINVAL : 0;
}

/* Fill in http. Gives 0, or -errno and why. */
static int prepare(const cpa_http_opts *o, char why[WHY_MAX])
{
	int rc;

	http.usual = !o->listen || strcmp(o->listen, "unix:") == 0;
	snprintf(http.address, sizeof(http.address), "%s", http.usual ? "" : o->listen);
	if (!http.guard)
		http.guard = guard_new();
	if (!http.guard)
		return -ENOMEM;
	guard_release(http.guard);
	snprintf(http.guard->hosts, sizeof(http.guard->hosts), "%s", o->allow_hosts ? o->allow_hosts : "");
	http.guard->any_user = o->flags & CPA_HTTP_ANY_USER;
	rc = o->secret_file ? guard_read_secret(http.guard, o->secret_file, why, WHY_MAX) : 0;
	http.at = (struct listen_options){ .address = http.address,
					   .has_secret = http.guard->n_secret > 0,
					   .any_address = o->flags & CPA_HTTP_ANY_ADDRESS };
	http.options = (struct serve_options){ .max_seconds = o->max_seconds,
					       .hide_cmdline = o->flags & CPA_HTTP_HIDE_CMDLINE,
					       .names = true };
	return rc;
}

/* children: those that are forked may serve too. */
static int start(const cpa_http_opts *o, bool children, char why[WHY_MAX])
{
	int rc = collector_ensure_segment();

	if (rc < 0)
		return rc;
	if (!enter())
		return -EDEADLK;
	if (collector_is_parent() || http.state != OFF)
		rc = -EBUSY;
	if (rc == 0 && !http.knows_fork) {
		/* behind those of the collector: in the child that comes first */
		rc = -pthread_atfork(before_fork, in_parent, in_child);
		http.knows_fork = rc == 0;
	}
	if (rc == 0)
		rc = prepare(o, why);
	http.children = children;
	if (rc == 0)
		rc = begin(why);
	if (rc == 0)
		heap_rate_begin();
	leave();
	return rc;
}

CPA_EXPORT int cpa_http_start(const cpa_http_opts *asked)
{
	char why[WHY_MAX] = "";
	cpa_http_opts o;
	int rc = read_opts(asked, &o);

	return rc < 0 ? rc : start(&o, true, why);
}

/* Gives 0, or -errno. rests: to go on later with what is in http. */
static int stop(bool rests)
{
	int before;

	if (!enter())
		return -EDEADLK;
	if (http.state != ON || (rests && !http.children)) {
		leave();
		return -EINVAL;
	}
	http.state = STOPPING;
	server_stop(http.server, false);
	leave();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	cpi_next()->pthread_join(http.thread, NULL);
	enter();
	close_all(false);
	if (!rests)
		guard_release(http.guard);
	leave();
	pthread_setcancelstate(before, NULL);
	return 0;
}

CPA_EXPORT int cpa_http_stop(void)
{
	return stop(false);
}

bool http_rest(void)
{
	return http.pid && stop(true) == 0;
}

void http_resume(void)
{
	char why[WHY_MAX] = "";

	if (!enter())
		return;
	if (http.state == OFF)
		(void)begin(why);
	leave();
}

bool http_look(char address[LISTEN_SHOWN_MAX])
{
	bool on;

	if (!enter())
		return false;
	on = http.state == ON;
	if (on)
		snprintf(address, LISTEN_SHOWN_MAX, "%s", server_listeners(http.server)->shown);
	leave();
	return on;
}

CPA_EXPORT int cpa_http_addr(char *buf, size_t n)
{
	char shown[LISTEN_SHOWN_MAX];

	if (!http_look(shown))
		return -EINVAL;
	return snprintf(buf, buf ? n : 0, "%s", shown);
}

void http_ask(const struct options *asked)
{
	const cpa_http_opts o = {
		.size = sizeof(o),
		.listen = asked->listen,
		.secret_file = asked->secret_file[0] ? asked->secret_file : NULL,
		.allow_hosts = asked->allow_host[0] ? asked->allow_host : NULL,
		.flags = (asked->any_user ? CPA_HTTP_ANY_USER : 0U) | (asked->any_address ? CPA_HTTP_ANY_ADDRESS : 0U) |
			 (asked->hide_cmdline ? CPA_HTTP_HIDE_CMDLINE : 0U),
		.max_seconds = (int)asked->max_seconds,
	};
	char why[WHY_MAX] = "", shown[LISTEN_SHOWN_MAX] = "", line[WHY_MAX + LISTEN_SHOWN_MAX];
	cpa_http_opts known;
	int rc = read_opts(&o, &known);

	if (rc == 0)
		rc = start(&known, !asked->alone, why);
	if (rc == 0 && http_look(shown))
		snprintf(line, sizeof(line), "profiling server listening on %s%s", shown,
			 strncmp(shown, "unix:", SCHEME) == 0 ? "" : "/debug/pprof/");
	else
		snprintf(line, sizeof(line), "CPA_LISTEN: no profiling server: %s", *why ? why : strerrordesc_np(-rc));
	api_options_say(asked, line, 0);
}

/* Of all that listens on paths only the files that are still ours. */
static void unlink_sockets(const struct listeners *l)
{
	struct stat now;

	for (unsigned i = 0; i < l->n; i++)
		if (l->at[i].is_unix && lstat(l->at[i].path.sun_path, &now) == 0 &&
		    now.st_dev == l->at[i].path_is.st_dev && now.st_ino == l->at[i].path_is.st_ino)
			unlink(l->at[i].path.sun_path);
}

void http_replaced(void)
{
	if (http.pid != sys_getpid() || !latch_try_sig(&latch))
		return;
	if (http.server)
		unlink_sockets(server_listeners(http.server));
	latch_leave(&latch);
}

void http_end(void)
{
	uint64_t most = END_MS * 1000000ULL, end = sys_now(CLOCK_MONOTONIC) + most, now;

	/* another thread has it for a moment; in a handler of signals it may be this one */
	if (http.pid != sys_getpid() || atomic_load(&owner) == sys_gettid() || !latch_take_within(&latch, most))
		return;
	if (http.server) {
		server_stop(http.server, false);
		while (atomic_load(&running) && (now = sys_now(CLOCK_MONOTONIC)) < end) {
			const struct timespec left = { .tv_nsec = (long)(end - now - 1) };

			sys_call6(SYS_futex, (long)&running, FUTEX_WAIT_PRIVATE, 1, (long)&left, 0, 0);
		}
		unlink_sockets(server_listeners(http.server));
	}
	latch_leave(&latch);
}

void http_main_ended(void)
{
	atomic_store(&main_ended, 1);
	if (http.pid == sys_getpid() && enter()) {
		if (http.state == ON)
			server_look(http.server);
		leave();
	}
}

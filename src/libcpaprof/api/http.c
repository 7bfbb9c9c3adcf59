/*
 * http.c - the server of /debug/pprof in the program itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * There is one thread while the server runs. A child of fork does not serve, because the address belongs to its parent;
 * but if the address contains the process id, the child gets a server of its own. The lock is held around fork, so that
 * the child finds a consistent state.
 *
 * Our thread would keep a process alive after all other threads have ended, so the server checks for that and ends. It
 * checks only after the main thread has ended, which cpi_endpoint_main_ended reports.
 */
#include "config.h"

#include "libcpaprof/api/http.h"

#include "libcpaprof/api/collector.h"
#include "libcpaprof/api/cpa/pprof.h"
#include "libcpaprof/api/rates.h"

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

enum { END_MS = 1000, WHY_MAX = ENDPOINT_ERROR_MAX, SCHEME = 5 /* unix: */ };
enum { KNOWN_FLAGS = CPA_HTTP_ANY_USER | CPA_HTTP_HIDE_CMDLINE | CPA_HTTP_ANY_ADDRESS };
enum state { OFF, ON, STOPPING };

static struct latch latch;
static _Atomic uint32_t owner; /* thread that holds the latch */
static _Atomic uint32_t main_ended;
static _Atomic uint32_t running; /* is the thread in server_run? */

/* Guarded by the latch. */
static struct {
	enum state state;
	bool has_fork_handlers, children; /* forked children serve too, if they have an address of their own */
	bool is_default;                  /* default socket, with the process id in its name */
	uint32_t pid;                     /* process that owns the server */
	struct server *server;
	struct serve *serve;
	pthread_t thread;
	char address[LISTEN_TEXT_MAX];
	struct listen_options at;
	struct serve_options options;
	struct endpoint_access *access; /* NULL until it is needed */
} http;

static void api_http_reset_in_child(void);

/* Lock. Returns false if this thread holds the lock already. */
static bool api_http_lock(void)
{
	uint32_t me = sys_gettid();

	/* in a child, before our fork handlers have run, or if they never run */
	if (http.pid && http.pid != sys_getpid())
		api_http_reset_in_child();
	if (atomic_load(&owner) == me)
		return false;
	latch_acquire(&latch);
	atomic_store(&owner, me);
	return true;
}

static void api_http_unlock(void)
{
	atomic_store(&owner, 0);
	latch_release(&latch);
}

static bool others_ended(void *arg)
{
	(void)arg;
	return collector_others_ended();
}

static void *serve_loop(void *arg)
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
	/* in a child the jobs are copies, which may be incomplete */
	if (!forked)
		serve_free(http.serve);
	http.server = NULL;
	http.serve = NULL;
	http.state = OFF;
}

/* Start the server from the settings in http. Returns 0, or -errno and the reason in why. */
static int api_http_begin(char why[WHY_MAX])
{
	struct server_options options = { .at = &http.at, .access = http.access, .is_over = others_ended };
	char path[sizeof(http.address) - SCHEME];
	int rc = http.is_default ? listen_default_path(program_invocation_short_name, path, sizeof(path)) : 0;

	if (rc < 0) {
		snprintf(why, WHY_MAX, "no directory for its socket: %s", strerrordesc_np(-rc));
		return rc;
	}
	if (http.is_default)
		snprintf(http.address, sizeof(http.address), "unix:%s", path);
	rc = serve_new(host_self(), &http.options, &http.serve);
	options.serve = http.serve;
	if (rc == 0)
		rc = server_open(&options, &http.server, why, WHY_MAX);
	if (rc == 0) {
		http.pid = sys_getpid();
		atomic_store(&running, 1);
		rc = collector_thread(&http.thread, serve_loop);
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
		server_watch_program(http.server);
	return 0;
}

/* Reset the state in the child of fork, which has only this thread. */
static void api_http_reset_in_child(void)
{
	char why[WHY_MAX] = "";
	bool serves = http.state == ON && http.children && (http.is_default || strstr(http.address, "%p"));

	latch = (struct latch){ .state = 1 };
	atomic_store(&owner, sys_gettid());
	atomic_store(&running, 0);
	atomic_store(&main_ended, 0);
	http.pid = sys_getpid();
	if (http.server)
		close_all(true);
	if (serves)
		(void)api_http_begin(why);
	api_http_unlock();
}

static bool is_held; /* does the thread that forks hold the latch? */

static void api_http_before_fork(void)
{
	is_held = api_http_lock();
}

static void api_http_in_parent(void)
{
	if (is_held)
		api_http_unlock();
}

static void api_http_in_child(void)
{
	if (http.pid != sys_getpid())
		api_http_reset_in_child();
}

static int api_http_read_opts(const cpa_http_opts *requested, cpa_http_opts *o)
{
	*o = (cpa_http_opts){ 0 };
	if (requested && requested->size < sizeof(requested->size))
		return -EINVAL;
	if (requested)
		memcpy(o, requested, requested->size < sizeof(*o) ? requested->size : sizeof(*o));
	if (o->max_seconds < 0 || o->flags & ~(unsigned)KNOWN_FLAGS)
		return -EINVAL;
	if (o->listen && (!*o->listen || strlen(o->listen) >= sizeof(http.address)))
		return -EINVAL;
	return o->allow_hosts && strlen(o->allow_hosts) >= ENDPOINT_HOSTS_MAX ? -EINVAL : 0;
}

/* Fill in http. Returns 0, or -errno and the reason in why. */
static int api_http_prepare(const cpa_http_opts *o, char why[WHY_MAX])
{
	int rc;

	http.is_default = !o->listen || strcmp(o->listen, "unix:") == 0;
	snprintf(http.address, sizeof(http.address), "%s", http.is_default ? "" : o->listen);
	if (!http.access)
		http.access = endpoint_access_new();
	if (!http.access)
		return -ENOMEM;
	endpoint_access_release(http.access);
	snprintf(http.access->hosts, sizeof(http.access->hosts), "%s", o->allow_hosts ? o->allow_hosts : "");
	http.access->any_user = o->flags & CPA_HTTP_ANY_USER;
	rc = o->secret_file ? access_read_secret(&http.access->secret, o->secret_file, why, WHY_MAX) : 0;
	http.at = (struct listen_options){ .address = http.address,
					   .has_secret = http.access->secret.n > 0,
					   .any_address = o->flags & CPA_HTTP_ANY_ADDRESS };
	http.options = (struct serve_options){ .max_seconds = o->max_seconds,
					       .hide_cmdline = o->flags & CPA_HTTP_HIDE_CMDLINE,
					       .wants_names = true };
	return rc;
}

/* children: forked children may serve too. */
static int api_http_start(const cpa_http_opts *o, bool children, char why[WHY_MAX])
{
	int rc = collector_ensure_segment();

	if (rc < 0)
		return rc;
	if (!api_http_lock())
		return -EDEADLK;
	if (collector_is_parent() || http.state != OFF)
		rc = -EBUSY;
	if (rc == 0 && !http.has_fork_handlers) {
		/* registered after the handlers of the collector, which must be the first to run in the child */
		rc = -pthread_atfork(api_http_before_fork, api_http_in_parent, api_http_in_child);
		http.has_fork_handlers = rc == 0;
	}
	if (rc == 0)
		rc = api_http_prepare(o, why);
	http.children = children;
	if (rc == 0)
		rc = api_http_begin(why);
	if (rc == 0)
		heap_rate_set_default();
	api_http_unlock();
	return rc;
}

CPA_EXPORT int cpa_http_start(const cpa_http_opts *requested)
{
	char why[WHY_MAX] = "";
	cpa_http_opts o;
	int rc = api_http_read_opts(requested, &o);

	return rc < 0 ? rc : api_http_start(&o, true, why);
}

/* Stop the server. Returns 0 or -errno. is_pause: keep the settings in http, to resume later. */
static int api_http_stop(bool is_pause)
{
	int before;

	if (!api_http_lock())
		return -EDEADLK;
	if (http.state != ON || (is_pause && !http.children)) {
		api_http_unlock();
		return -EINVAL;
	}
	http.state = STOPPING;
	server_stop(http.server, false);
	api_http_unlock();
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
	cpi_next()->pthread_join(http.thread, NULL);
	api_http_lock();
	close_all(false);
	if (!is_pause)
		endpoint_access_release(http.access);
	api_http_unlock();
	pthread_setcancelstate(before, NULL);
	return 0;
}

CPA_EXPORT int cpa_http_stop(void)
{
	return api_http_stop(false);
}

bool cpi_endpoint_get_address(char address[LISTEN_URL_MAX])
{
	bool on;

	if (!api_http_lock())
		return false;
	on = http.state == ON;
	if (on)
		snprintf(address, LISTEN_URL_MAX, "%s", server_listeners(http.server)->url);
	api_http_unlock();
	return on;
}

CPA_EXPORT int cpa_http_addr(char *buf, size_t n)
{
	char url[LISTEN_URL_MAX];

	if (!cpi_endpoint_get_address(url))
		return -EINVAL;
	return snprintf(buf, buf ? n : 0, "%s", url);
}

void cpi_endpoint_start_from_env(const struct options *requested)
{
	const cpa_http_opts o = {
		.size = sizeof(o),
		.listen = requested->listen,
		.secret_file = requested->secret_file[0] ? requested->secret_file : NULL,
		.allow_hosts = requested->allow_host[0] ? requested->allow_host : NULL,
		.flags = (requested->any_user ? CPA_HTTP_ANY_USER : 0U) |
			 (requested->any_address ? CPA_HTTP_ANY_ADDRESS : 0U) |
			 (requested->hide_cmdline ? CPA_HTTP_HIDE_CMDLINE : 0U),
		.max_seconds = (int)requested->max_seconds,
	};
	char why[WHY_MAX] = "", url[LISTEN_URL_MAX] = "", line[WHY_MAX + LISTEN_URL_MAX];
	cpa_http_opts opts;
	int rc = api_http_read_opts(&o, &opts);

	if (rc == 0)
		rc = api_http_start(&opts, !requested->only_self, why);
	if (rc == 0 && cpi_endpoint_get_address(url))
		snprintf(line, sizeof(line), "profiling server listening on %s%s", url,
			 strncmp(url, "unix:", SCHEME) == 0 ? "" : "/debug/pprof/");
	else
		snprintf(line, sizeof(line), "%s: profiling server not started: %s", requested->listen_name,
			 *why ? why : strerrordesc_np(-rc));
	api_options_report(requested, line, 0);
}

/* Remove the socket files that are still ours. */
static void unlink_sockets(const struct listeners *l)
{
	struct stat now;

	for (unsigned i = 0; i < l->n; i++)
		if (l->listener[i].is_unix && lstat(l->listener[i].path.sun_path, &now) == 0 &&
		    now.st_dev == l->listener[i].path_stat.st_dev && now.st_ino == l->listener[i].path_stat.st_ino)
			unlink(l->listener[i].path.sun_path);
}

void cpi_endpoint_before_exec(void)
{
	if (http.pid != sys_getpid() || !latch_try_sig(&latch))
		return;
	if (http.server)
		unlink_sockets(server_listeners(http.server));
	latch_release(&latch);
}

void cpi_endpoint_end(void)
{
	uint64_t timeout_ns = END_MS * 1000000ULL, end = sys_now(CLOCK_MONOTONIC) + timeout_ns, now;

	/* other threads hold the lock only briefly, but in a signal handler this thread may hold it */
	if (http.pid != sys_getpid() || atomic_load(&owner) == sys_gettid() ||
	    !latch_acquire_within(&latch, timeout_ns))
		return;
	if (http.server) {
		server_stop(http.server, false);
		while (atomic_load(&running) && (now = sys_now(CLOCK_MONOTONIC)) < end) {
			const struct timespec remaining = { .tv_nsec = (long)(end - now - 1) };

			sys_call6(SYS_futex, (long)&running, FUTEX_WAIT_PRIVATE, 1, (long)&remaining, 0, 0);
		}
		unlink_sockets(server_listeners(http.server));
	}
	latch_release(&latch);
}

void cpi_endpoint_main_ended(void)
{
	atomic_store(&main_ended, 1);
	if (http.pid == sys_getpid() && api_http_lock()) {
		if (http.state == ON)
			server_watch_program(http.server);
		api_http_unlock();
	}
}

/* Start the server again with the settings in http, possibly in another process. */
static void api_http_resume(void)
{
	char why[WHY_MAX] = "";

	if (!api_http_lock())
		return;
	if (http.state == OFF)
		(void)api_http_begin(why);
	api_http_unlock();
}

/*
 * The process that calls daemon exits, and its child continues the program. So the child takes over the address of the
 * server. Other forked children leave it to their parent.
 */
CPA_EXPORT int daemon(int nochdir, int noclose)
{
	bool serves = http.pid && api_http_stop(true) == 0;
	int rc = cpi_next()->daemon(nochdir, noclose), error = errno;

	if (serves)
		api_http_resume();
	errno = error;
	return rc;
}

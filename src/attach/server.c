/*
 * server.c - the /debug/pprof server of cpa run
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The server runs in cpa, not in the program. The main thread drains the collector. The server has one thread, plus one
 * for each answer, because looking up names can take a long time. All of them lock the collector before they use it.
 */
#include "config.h"

#include "attach/server.h"

#include "attach/files.h"
#include "attach/names.h"
#include "base/mem.h"
#include "libcpaprof/endpoint/server.h"

#include <assert.h>
#include <malloc.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { ERROR_MAX = 512, SOCKET_PATH_MAX = 128 };

struct attach_server {
	const struct attach_options *options;
	pid_t pid;
	pthread_t main, thread; /* thread of the collector; thread of the server */
	bool is_started;
	atomic_uint n_threads; /* number of threads that use this struct: the server and its answers */
	pthread_mutex_t lock;  /* guards the collector and the fields below */
	struct collect *c;     /* NULL after it was returned to the main thread */
	struct serve_cpu cpu;  /* settings of the current recording */
	bool is_sampling;
	uint64_t n_recordings;

	char path[SOCKET_PATH_MAX]; /* the default Unix socket */
	struct listen_options at;
	struct serve_host host;
	struct serve *serve;
	struct server *server;
};

static bool attach_attach_server_lock(void *arg)
{
	struct attach_server *s = arg;

	pthread_mutex_lock(&s->lock);
	if (s->c)
		return true;
	pthread_mutex_unlock(&s->lock);
	return false;
}

static void attach_attach_server_unlock(void *arg)
{
	struct attach_server *s = arg;

	pthread_mutex_unlock(&s->lock);
}

void attach_server_lock(struct attach_server *s)
{
	if (s)
		pthread_mutex_lock(&s->lock);
}

void attach_server_unlock(struct attach_server *s)
{
	if (s)
		pthread_mutex_unlock(&s->lock);
}

static struct process *attach_server_process(void *arg, pid_t pid)
{
	struct attach_server *s = arg;
	struct process_info f;
	struct process *p;

	assert(s->c && s->pid > 0);
	collect_drain(s->c);
	p = collect_process(s->c, pid ? pid : s->pid);
	if (!p)
		return NULL;
	process_info(p, &f);
	return attach_follows(s->options, &f) ? p : NULL;
}

static const char *explain_missing(void *arg)
{
	const struct attach_server *s = arg;
	siginfo_t ended = { 0 };

	if (waitid(P_PID, (id_t)s->pid, &ended, WEXITED | WNOHANG | WNOWAIT) != 0 || ended.si_pid != 0)
		return NULL;
	return collect_was_loaded(s->c) ? "the program executed another program that is not profiled"
					: "the program is not profiled: it has not loaded libcpaprof.so, or has no "
					  "memory for it";
}

struct process_list {
	const struct attach_server *s;
	struct process_info *out; /* [most] */
	size_t n, most;
};

static void attach_server_add_other(void *arg, struct process *p)
{
	struct process_list *o = arg;
	struct process_info f;

	process_info(p, &f);
	if (f.pid == o->s->pid || !f.is_running || !attach_follows(o->s->options, &f))
		return;
	if (o->n < o->most)
		o->out[o->n] = f;
	o->n++;
}

static size_t list_others(void *arg, struct process_info *out, size_t n)
{
	struct attach_server *s = arg;
	struct process_list o = { .s = s, .out = out, .most = n };

	collect_drain(s->c);
	collect_each(s->c, attach_server_add_other, &o);
	return o.n;
}

static int attach_server_cpu_begin(void *arg, const struct serve_cpu *options)
{
	struct attach_server *s = arg;
	struct serve_cpu cpu = { .hz = options->hz ? options->hz : s->options->cpu.hz,
				 .engine = options->engine ? options->engine : s->options->cpu.engine };
	int rc = collect_cpu_start(s->c, cpu.hz, cpu.engine - 1);

	assert(cpu.hz > 0 && cpu.engine > 0);
	if (rc < 0)
		return rc;
	assert(!s->is_sampling);
	s->cpu = cpu;
	s->is_sampling = true;
	s->n_recordings++;
	return 0;
}

static bool cpu_poll(void *arg)
{
	const struct attach_server *s = arg;

	return collect_cpu_poll(s->c);
}

static void attach_server_cpu_end(void *arg)
{
	struct attach_server *s = arg;

	collect_cpu_stop(s->c);
	collect_drain(s->c);
	s->is_sampling = false;
}

static uint64_t attach_server_cpu_recording(void *arg, struct serve_cpu *out)
{
	const struct attach_server *s = arg;

	if (s->host.is_cpu_always) {
		*out = (struct serve_cpu){ .hz = s->options->collect.hz, .engine = s->options->collect.engine + 1 };
		return 1;
	}
	if (!s->is_sampling)
		return 0;
	assert(s->n_recordings > 0);
	*out = s->cpu;
	return s->n_recordings;
}

static struct serve_host host_of(struct attach_server *s)
{
	return (struct serve_host){
		.arg = s,
		.lock = attach_attach_server_lock,
		.unlock = attach_attach_server_unlock,
		.process = attach_server_process,
		.explain_missing = explain_missing,
		.list_others = list_others,
		.cpu_begin = attach_server_cpu_begin,
		.cpu_poll = cpu_poll,
		.cpu_end = attach_server_cpu_end,
		.cpu_recording = attach_server_cpu_recording,
		.is_cpu_always = s->options->collect.hz != 0,
		.names_take = attach_names_serve_take,
		.names_find = attach_names_serve_find,
		.names_at = attach_names_at,
		.names_write = attach_names_serve_write,
		.names_close = attach_names_serve_close,
	};
}

struct server_job {
	struct attach_server *s;
	void (*fn)(void *arg);
	void *arg;
};

/* Call this when a thread ends. After the last thread s is not used, because the main thread may have freed it. */
static void attach_server_end_thread(struct attach_server *s)
{
	pthread_t main = s->main;

	assert(atomic_load(&s->n_threads) > 0);
	if (atomic_fetch_sub(&s->n_threads, 1) == 1)
		pthread_kill(main, SIGCHLD);
}

static void *attach_server_run_job(void *arg)
{
	struct server_job j = *(struct server_job *)arg;

	free(arg);
	j.fn(j.arg);
	attach_server_end_thread(j.s);
	return NULL;
}

/* Called by the thread of the server: the new thread inherits the signal mask, in which all signals are blocked. */
static int attach_server_spawn(void *arg, void (*fn)(void *fn_arg), void *fn_arg)
{
	struct attach_server *s = arg;
	struct server_job *j = mem_zalloc(1, sizeof(*j));
	pthread_t thread;
	int error;

	*j = (struct server_job){ .s = s, .fn = fn, .arg = fn_arg };
	atomic_fetch_add(&s->n_threads, 1);
	error = pthread_create(&thread, NULL, attach_server_run_job, j);
	if (error) {
		atomic_fetch_sub(&s->n_threads, 1);
		free(j);
		return -error;
	}
	pthread_detach(thread);
	return 0;
}

static void *run_server(void *arg)
{
	struct attach_server *s = arg;

	server_run(s->server);
	attach_server_end_thread(s);
	return NULL;
}

static void note_address(const struct attach_server *s)
{
	const struct listeners *l = server_listeners(s->server);

	attach_note(&s->options->messages, "profiling server listening on %s%s", l->url,
		    l->port ? "/debug/pprof/" : "");
}

static int choose_socket(struct attach_server *s, const char *name, struct err *err)
{
	int rc;

	s->at = s->options->server->at;
	if (s->at.address)
		return 0;
	rc = listen_default_path(name, s->path, sizeof(s->path));
	if (rc < 0)
		return err_set(err, ERR_IO, "cannot create a socket in $XDG_RUNTIME_DIR, /run/user or /tmp: %s",
			       strerror(-rc));
	s->at.address = s->path;
	return 0;
}

static int open_server(struct attach_server *s, const char *name, struct err *err)
{
	char why[ERROR_MAX] = "";
	struct server_options options = {
		.at = &s->at, .access = s->options->server->access, .spawn = attach_server_spawn, .arg = s
	};
	int rc;

	if (choose_socket(s, name, err) < 0)
		return ERR_IO;
	assert(s->at.address);
	rc = serve_new(&s->host, &s->options->server->serve, &s->serve);
	if (rc < 0)
		return err_set(err, ERR_IO, "%s", strerror(-rc));
	options.serve = s->serve;
	rc = server_open(&options, &s->server, why, sizeof(why));
	if (rc < 0)
		return err_set(err, ERR_IO, "%s", *why ? why : strerror(-rc));
	return 0;
}

int attach_server_open(const struct attach_options *o, struct collect *c, const char *name, struct attach_server **out,
		       struct err *err)
{
	struct attach_server *s = mem_zalloc(1, sizeof(*s));

	assert(o->server && o->server->access && *name);
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX,
		1); /* otherwise each thread has its own arena for the memory of its symbols: 24 MB instead of 11 */
#endif
	s->options = o;
	s->c = c;
	s->main = pthread_self();
	pthread_mutex_init(&s->lock, NULL);
	s->host = host_of(s);
	if (open_server(s, name, err) < 0) {
		attach_server_close(s);
		return ERR_IO;
	}
	note_address(s);
	*out = s;
	return 0;
}

void attach_server_start(struct attach_server *s, pid_t pid)
{
	sigset_t all, before;
	int error;

	if (!s)
		return;
	assert(pid > 0 && !s->is_started);
	s->pid = pid;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	atomic_store(&s->n_threads, 1);
	error = pthread_create(&s->thread, NULL, run_server, s);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	s->is_started = error == 0;
	if (error)
		attach_error(&s->options->messages, "cannot start the profiling server: %s", strerror(error));
}

void attach_server_stop(struct attach_server *s, bool now)
{
	if (s && s->is_started)
		server_stop(s->server, now);
}

bool attach_server_is_over(struct attach_server *s)
{
	return !s || !s->is_started || atomic_load(&s->n_threads) == 0;
}

void attach_server_close(struct attach_server *s)
{
	if (!s)
		return;
	if (!attach_server_is_over(s)) { /* the thread of an answer has not ended and still uses this struct */
		pthread_mutex_lock(&s->lock);
		s->c = NULL;
		pthread_mutex_unlock(&s->lock);
		return;
	}
	if (s->is_started)
		pthread_join(s->thread, NULL);
	server_close(s->server, false);
	serve_free(s->serve);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

int attach_server_options_new(const struct attach_server_settings *from, struct attach_server_options **out,
			      struct err *err)
{
	struct attach_server_options *o = mem_zalloc(1, sizeof(*o));
	char why[ERROR_MAX];
	int rc = 0;

	assert(strlen(from->hosts) < ATTACH_HOSTS_MAX && from->max_seconds > 0);
	o->at = (struct listen_options){ .address = from->address ? mem_strndup(from->address, strlen(from->address))
								  : NULL,
					 .has_secret = from->secret_file != NULL,
					 .any_address = from->any_address };
	o->serve = (struct serve_options){ .max_seconds = from->max_seconds,
					   .hide_cmdline = from->hide_cmdline,
					   .wants_names = true };
	o->access = endpoint_access_new();
	if (!o->access) {
		rc = err_set(err, ERR_LIMIT, "out of memory");
	} else {
		o->access->any_user = from->any_user;
		snprintf(o->access->hosts, sizeof(o->access->hosts), "%s", from->hosts);
		if (from->secret_file &&
		    access_read_secret(&o->access->secret, from->secret_file, why, sizeof(why)) < 0)
			rc = err_set(err, ERR_IO, "%s", why);
	}
	if (rc < 0) {
		attach_server_options_free(o);
		return rc;
	}
	*out = o;
	return 0;
}

void attach_server_options_free(struct attach_server_options *o)
{
	if (!o)
		return;
	endpoint_access_free(o->access);
	free((char *)(uintptr_t)o->at.address);
	free(o);
}

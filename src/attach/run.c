/*
 * run.c - run a program and profile it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program gets our library by LD_PRELOAD, and memory that it shares with us. Nothing else of it
 * changes: standard streams, terminal, process group and signals are its own, and the exit status of
 * cpa is that of the program. What it sampled is in our memory, so it may end as it likes.
 */
#include "config.h"

#include "attach/run.h"

#include "attach/files.h"
#include "attach/server.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "libcpaprof/collector/clock.h"
#include "libcpaprof/endpoint/server.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The environment of the program: ours, and what brings our library into it. */
struct environment {
	char **env; /* ends with NULL */
	struct buf preload, asan;
	char segment[COLLECT_ENV_MAX];
};

enum { NOT_FOUND = 127, NOT_RUN = 126, BY_SIGNAL = 128 };
enum { ENDING_MS = 200, NAP_MS = 10 };
enum { LAST_ANSWER_MS = 1000 }; /* for answers that are being made when the server has ended */

struct run {
	const struct attach_options *options;
	struct attach_files files;
	struct collect *c;
	struct attach_server *server; /* NULL: none */
	pid_t pid;
	uint32_t n_left;  /* processes that went on when it ended */
	uint64_t next_ns; /* monotonic: when the numbered profiles are due */
};

/* Append the path of our library: beside the program where it is built, else where it is installed. */
static int find_library(struct buf *out, struct err *err)
{
	static const char *const places[] = { "libcpaprof", "../lib/cpa", "../lib/x86_64-linux-gnu/cpa" };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash, *whole;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		out->len = 0;
		buf_addf(out, "%.*s/%s/libcpaprof.so", (int)(slash - self), self, places[i]);
		if (access(buf_text(out), R_OK) == 0)
			break;
		out->len = 0;
	}
	if (out->len == 0)
		buf_addz(out, PKGLIBDIR "/libcpaprof.so");
	/* its path is in profiles: as the kernel tells it */
	whole = realpath(buf_text(out), NULL);
	if (whole) {
		out->len = 0;
		buf_addz(out, whole);
		free(whole);
	}
	if (access(buf_text(out), R_OK) != 0)
		return err_set(err, ERR_IO, "%s: %s", buf_text(out), strerror(errno));
	if (strpbrk(buf_text(out), ": "))
		return err_set(err, ERR_IO, "%s: the loader takes no library whose path has spaces or colons",
			       buf_text(out));
	return 0;
}

/* Is this the variable of that name with something in it? Appends what is in it, and a colon. */
static bool take_variable(const char *variable, const char *name, struct buf *to)
{
	size_t n = strlen(name);

	if (strncmp(variable, name, n) != 0)
		return false;
	if (variable[n])
		buf_addf(to, "%s:", variable + n);
	return true;
}

/* asan: the program has the library of the address sanitizer, which would else want to be the first */
static void make_environment(const struct collect *c, const char *library, bool asan, struct environment *e)
{
	static const char preload[] = "LD_PRELOAD=", options[] = "ASAN_OPTIONS=", segment[] = "CPA_SEGMENT=";
	extern char **environ;
	size_t n = 0, k = 0;

	*e = (struct environment){ 0 };
	collect_environment(c, e->segment);
	buf_addz(&e->preload, preload);
	/* allocators that are preloaded are profiled from in front of them, sanitizers must be the first */
	if (!asan)
		buf_addf(&e->preload, "%s:", library);
	buf_addz(&e->asan, options);
	while (environ[n])
		n++;
	e->env = mem_zalloc(n + 4, sizeof(*e->env));
	for (size_t i = 0; i < n; i++)
		if (!take_variable(environ[i], preload, &e->preload) &&
		    !(asan && take_variable(environ[i], options, &e->asan)) && !starts_with(environ[i], segment))
			e->env[k++] = environ[i];
	if (asan)
		buf_addz(&e->preload, library);
	else
		e->preload.data[--e->preload.len] = '\0'; /* the last colon */
	e->env[k++] = e->segment;
	e->env[k++] = (char *)(uintptr_t)buf_text(&e->preload);
	assert(k <= n + 3);
	/* else the sanitizer ends the program, for its library is not the first */
	buf_addz(&e->asan, "verify_asan_link_order=0");
	if (asan)
		e->env[k++] = (char *)(uintptr_t)buf_text(&e->asan);
}

static void release_environment(struct environment *e)
{
	free(e->env);
	buf_release(&e->preload);
	buf_release(&e->asan);
}

/* The signals we wait for; SIGINT and SIGQUIT of the terminal come to the program by themselves. */
static void watched(sigset_t *set)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(set, signals[i]);
}

/* The first process of a container gets the children of all that end, and nobody else waits for them. */
static void reap_orphans(pid_t program)
{
	siginfo_t info = { 0 };

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid && info.si_pid != program) {
		waitpid(info.si_pid, NULL, WNOHANG);
		info = (siginfo_t){ 0 };
	}
}

/* Wait for a signal until it is time to drain, and pass it on. True when the program ended. */
static bool wait_a_while(const struct run *r, const sigset_t *set, int *status)
{
	const struct timespec time = { .tv_nsec = COLLECT_DRAIN_MS * 1000000L };
	siginfo_t info;
	int sig = sigtimedwait(set, &info, &time);
	pid_t got;

	assert(r->pid > 0);
	if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
		kill(r->pid, sig);
	if (getpid() == 1)
		reap_orphans(r->pid);
	got = waitpid(r->pid, status, WNOHANG);
	return got == r->pid || (got < 0 && errno == ECHILD);
}

/* What came while the program was ending was meant for it: it must not end us before all is written. */
static void forget_signals(const sigset_t *set)
{
	const struct timespec none = { 0 };

	while (sigtimedwait(set, NULL, &none) > 0)
		continue;
}

/* A script without #!, as execvp does it. */
static void run_script(const char *path, char **argv, char **env)
{
	static char shell[] = "/bin/sh";
	size_t n = 0;
	char **to;

	while (argv[n])
		n++;
	assert(n > 0);
	to = mem_zalloc(n + 2, sizeof(*to));
	to[0] = shell;
	to[1] = (char *)(uintptr_t)path;
	for (size_t i = 1; i < n; i++)
		to[i + 1] = argv[i];
	execve(shell, to, env);
}

static void drain_taken(struct run *r)
{
	collect_drain(r->c);
	if (r->options->every_ns == 0 || clock_now() < r->next_ns)
		return;
	r->next_ns += r->options->every_ns;
	r->files.n_every++;
	collect_each(r->c, attach_files_write_numbered, &r->files);
}

static void drain(struct run *r)
{
	attach_server_take(r->server);
	drain_taken(r);
	attach_server_leave(r->server);
}

/* The program ended: clients get the last of it, unless somebody wants us to end at once. */
static void end_server(struct run *r, const sigset_t *set)
{
	uint64_t end = clock_now() + (SERVER_LAST_MS + LAST_ANSWER_MS) * 1000000ULL;
	const struct timespec time = { .tv_nsec = COLLECT_DRAIN_MS * 1000000L };

	attach_server_stop(r->server, false);
	while (!attach_server_is_over(r->server) && clock_now() < end) {
		int sig = sigtimedwait(set, NULL, &time);

		if (sig == SIGINT || sig == SIGQUIT || sig == SIGTERM || sig == SIGHUP)
			attach_server_stop(r->server, true);
		drain(r);
	}
	attach_server_close(r->server);
	r->server = NULL;
}

/* Count the processes that run on without the program. Some are just being ended by it. */
static void count_left_behind(struct run *r)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };
	uint64_t end = clock_now() + ENDING_MS * 1000000ULL;

	for (bool first = true; first || (r->n_left && clock_now() < end); first = false) {
		if (!first)
			nanosleep(&nap, NULL);
		attach_server_take(r->server);
		drain_taken(r);
		r->n_left = r->server ? collect_left_behind(r->c) : 0;
		attach_server_leave(r->server);
	}
}

static int run_child(struct run *r, const char *path, char **argv, char **env)
{
	sigset_t set, before;
	int status = 0, error;

	assert(r->c && r->pid == 0);
	watched(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	r->pid = fork();
	if (r->pid == 0) {
		collect_set_main(r->c, getpid());
		sigprocmask(SIG_SETMASK, &before, NULL);
		execve(path, argv, env);
		if (errno == ENOEXEC)
			run_script(path, argv, env);
		error = errno;
		r->options->messages.exec_failed(r->options->messages.arg, path, error);
		_exit(error == ENOENT ? NOT_FOUND : NOT_RUN);
	}
	if (r->pid < 0) {
		status = attach_error(&r->options->messages, "fork: %s", strerror(errno));
		attach_server_close(r->server);
		return status;
	}
	collect_set_main(r->c, r->pid);
	attach_server_start(r->server, r->pid);
	r->next_ns = clock_now() + r->options->every_ns;
	while (!wait_a_while(r, &set, &status))
		drain(r);
	count_left_behind(r);
	end_server(r, &set);
	collect_finish(r->c);
	forget_signals(&set);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static void note_problems(const struct run *r, const char *path, const char *library)
{
	if (!r->files.result->is_profiled && collect_was_loaded(r->c))
		attach_note(&r->options->messages,
			    "%s soon executed a program that cannot be profiled, so there is no profile of it", path);
	else if (!r->files.result->is_profiled)
		attach_note(&r->options->messages, "%s did not load %s, so there is no profile of it", path, library);
	if (r->n_left)
		attach_note(&r->options->messages,
			    "%s has ended, and the server of its profiles with it; %u process%s that it started %s on",
			    path, (unsigned)r->n_left, r->n_left == 1 ? "" : "es", r->n_left == 1 ? "goes" : "go");
	if (collect_refused(r->c))
		attach_note(&r->options->messages, "%u processes too many at once: they have no profiles",
			    (unsigned)collect_refused(r->c));
}

static int run_served(struct run *r, const struct program *program, const char *path, char **argv, const char *library)
{
	struct environment e;
	struct err err;
	int status;

	if (r->options->server && attach_server_open(r->options, r->c, path_base(path), &r->server, &err) < 0)
		return attach_error(&r->options->messages, "%s", err.msg);
	make_environment(r->c, library, program->asan_library, &e);
	status = run_child(r, path, argv, e.env);
	release_environment(&e);
	note_problems(r, path, library);
	return status;
}

int attach_run(const struct attach_options *o, const struct program *program, const char *path, char **argv,
	       struct attach_result *out)
{
	struct run r = { .options = o, .files = { .options = o, .result = out } };
	struct buf library = { 0 };
	struct err err;
	int rc, status;

	assert(o->messages.note && o->messages.error && o->messages.exec_failed);
	assert(*path && argv[0]);
	assert(o->n_files == 0 ? o->server != NULL : o->file != NULL);
	if (find_library(&library, &err) < 0) {
		buf_release(&library);
		return attach_error(&o->messages, "%s", err.msg);
	}
	rc = collect_open(&o->collect, attach_files_write, &r.files, &r.c);
	if (rc < 0) {
		buf_release(&library);
		return attach_error(&o->messages, "memory to share with %s: %s", path, strerror(-rc));
	}
	status = run_served(&r, program, path, argv, buf_text(&library));
	collect_close(r.c);
	buf_release(&library);
	return status;
}

void attach_result_release(struct attach_result *r)
{
	texts_release(&r->written);
}

bool attach_engine_named(const char *name, uint32_t *out)
{
	return collect_engine(name, out);
}

bool attach_signal_named(const char *name, uint32_t *out)
{
	return collect_signal_named(name, out);
}

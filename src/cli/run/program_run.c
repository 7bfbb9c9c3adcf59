/*
 * program_run.c - run a program and profile it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program gets our library by LD_PRELOAD, and memory that it shares with us. Nothing else of it
 * changes: standard streams, terminal, process group and signals are its own, and the exit status of
 * cpa is that of the program. What it sampled is in our memory, so it may end as it likes.
 */
#include "config.h"

#include "cli/run/run.h"

#include "base/mem.h"
#include "base/path.h"
#include "cli/messages.h"
#include "cli/run/serve.h"
#include "libcpaprof/collector/clock.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NOT_FOUND = 127, NOT_RUN = 126, BY_SIGNAL = 128 };
enum { ENDING_MS = 200, NAP_MS = 10 };
enum { LAST_ANSWER_MS = 1000 }; /* for answers that are being made when the server has ended */

struct run {
	const struct run_how *how;
	struct run_files files;
	struct collect *c;
	struct run_serve *serve; /* NULL: none */
	pid_t pid;
	uint32_t n_left;  /* processes that went on when it ended */
	uint64_t next_ns; /* monotonic: when the numbered profiles are due */
};

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
	if (r->how->every_ns == 0 || clock_now() < r->next_ns)
		return;
	r->next_ns += r->how->every_ns;
	r->files.n_every++;
	collect_each(r->c, run_files_write_numbered, &r->files);
}

static void drain(struct run *r)
{
	run_serve_take(r->serve);
	drain_taken(r);
	run_serve_leave(r->serve);
}

/* The program ended: clients get the last of it, unless somebody wants us to end at once. */
static void end_server(struct run *r, const sigset_t *set)
{
	uint64_t end = clock_now() + (SERVER_LAST_MS + LAST_ANSWER_MS) * 1000000ULL;
	const struct timespec time = { .tv_nsec = COLLECT_DRAIN_MS * 1000000L };

	run_serve_stop(r->serve, false);
	while (!run_serve_is_over(r->serve) && clock_now() < end) {
		int sig = sigtimedwait(set, NULL, &time);

		if (sig == SIGINT || sig == SIGQUIT || sig == SIGTERM || sig == SIGHUP)
			run_serve_stop(r->serve, true);
		drain(r);
	}
	run_serve_close(r->serve);
	r->serve = NULL;
}

/* Who goes on without the program? Some are just being ended by it. */
static void look_behind(struct run *r)
{
	const struct timespec nap = { .tv_nsec = NAP_MS * 1000000L };
	uint64_t end = clock_now() + ENDING_MS * 1000000ULL;

	for (bool first = true; first || (r->n_left && clock_now() < end); first = false) {
		if (!first)
			nanosleep(&nap, NULL);
		run_serve_take(r->serve);
		drain_taken(r);
		r->n_left = r->serve ? collect_left_behind(r->c) : 0;
		run_serve_leave(r->serve);
	}
}

static int run_child(struct run *r, const char *path, char **argv, char **env)
{
	sigset_t set, before;
	int status = 0;

	watched(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	r->pid = fork();
	if (r->pid == 0) {
		collect_set_main(r->c, getpid());
		sigprocmask(SIG_SETMASK, &before, NULL);
		execve(path, argv, env);
		if (errno == ENOEXEC)
			run_script(path, argv, env);
		fprintf(stderr, "cpa: %s: %s\n", path, strerror(errno));
		_exit(errno == ENOENT ? NOT_FOUND : NOT_RUN);
	}
	if (r->pid < 0) {
		status = say_error("fork: %s", strerror(errno));
		run_serve_close(r->serve);
		return status;
	}
	collect_set_main(r->c, r->pid);
	run_serve_start(r->serve, r->pid);
	r->next_ns = clock_now() + r->how->every_ns;
	while (!wait_a_while(r, &set, &status))
		drain(r);
	look_behind(r);
	end_server(r, &set);
	collect_finish(r->c);
	forget_signals(&set);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static void tell(const struct run *r, const char *path, const char *library)
{
	if (!r->files.result->seen && collect_was_loaded(r->c))
		say("%s soon executed a program that cannot be profiled, so there is no profile of it", path);
	else if (!r->files.result->seen)
		say("%s did not load %s, so there is no profile of it", path, library);
	if (r->n_left)
		say("%s has ended, and the server of its profiles with it; %u process%s that it started %s on", path,
		    (unsigned)r->n_left, r->n_left == 1 ? "" : "es", r->n_left == 1 ? "goes" : "go");
	if (collect_refused(r->c))
		say("%u processes too many at once: they have no profiles", (unsigned)collect_refused(r->c));
}

static int run_served(struct run *r, const struct program *program, const char *path, char **argv, const char *library)
{
	struct run_env e;
	struct err err;
	int status;

	if (r->how->serve && run_serve_open(r->how, r->c, path_base(path), &r->serve, &err) < 0)
		return say_error("%s", err.msg);
	run_env_make(r->c, library, program->asan_library, &e);
	status = run_child(r, path, argv, e.env);
	run_env_release(&e);
	tell(r, path, library);
	return status;
}

int run_program(const struct run_how *how, const struct program *program, const char *path, char **argv,
		struct run_result *out)
{
	struct run r = { .how = how, .files = { .how = how, .result = out } };
	struct buf library = { 0 };
	struct err err;
	int rc, status;

	if (run_env_library(&library, &err) < 0) {
		buf_release(&library);
		return say_error("%s", err.msg);
	}
	rc = collect_open(&how->collect, run_files_write, &r.files, &r.c);
	if (rc < 0) {
		buf_release(&library);
		return say_error("memory to share with %s: %s", path, strerror(-rc));
	}
	status = run_served(&r, program, path, argv, buf_text(&library));
	collect_close(r.c);
	buf_release(&library);
	return status;
}

void run_result_release(struct run_result *r)
{
	texts_release(&r->written);
}

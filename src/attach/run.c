/*
 * run.c - run a program and profile it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program gets our library through LD_PRELOAD, and shares memory with us. Nothing else changes for it: standard
 * streams, terminal, process group and signals are as without cpa, and cpa exits with the status of the program. The
 * samples are in the shared memory, so no sample is lost however the program ends.
 */
#include "config.h"

#include "attach/run.h"

#include "attach/exec.h"
#include "attach/files.h"
#include "attach/outside.h"
#include "attach/server.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/time.h"
#include "libcpaprof/collector/read/clock.h"
#include "libcpaprof/endpoint/server.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* The environment of the program: ours, plus the variables that load our library. */
struct environment {
	char **env; /* array that ends with NULL */
	struct buf preload, asan;
	char segment[COLLECT_ENV_MAX];
};

enum { SURVIVORS_MS = 200, PAUSE_MS = 10 };
enum {
	HINT_NS_MIN = 100000000,    /* min CPU time of children for the hint about --follow */
	UNSAMPLED_NS_MAX = 20000000 /* CPU time that may be missing from a profile, besides a period */
};
enum { FINISH_MS = 1000 }; /* time for answers in progress after the server has stopped */

struct attach_run {
	const struct attach_options *options;
	struct attach_files files;
	struct collect *c;
	struct attach_server *server;   /* NULL: none */
	struct attach_outside *outside; /* NULL: none */
	unsigned n_outside;             /* programs without our library that it sampled */
	uint64_t end_ns;                /* monotonic time at which the recording ends; UINT64_MAX: with the program */
	bool is_over;                   /* has the recording ended? */
	pid_t pid;
	uint32_t n_survivors; /* number of processes that survived the program */
	pid_t survivor;       /* one of them */
	bool has_server;
	uint64_t next_ns;  /* monotonic due time of the next numbered profiles */
	uint64_t own_ns;   /* CPU time of the program */
	uint64_t total_ns; /* CPU time of the program and of all descendants that were waited for */
};

#define LIBRARY_FILE "libcpaprof.so.1" /* name of the installed library */

/* Append the path of our library: in the build tree if cpa runs from there, else the installed library. */
static int attach_run_find_library(struct buf *out, struct err *err)
{
	static const char *const places[] = { "libcpaprof/libcpaprof.so", "../lib/" LIBRARY_FILE,
					      "../lib/x86_64-linux-gnu/" LIBRARY_FILE };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash, *resolved;

	self[n > 0 ? n : 0] = '\0';
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		out->len = 0;
		buf_addf(out, "%.*s/%s", (int)(slash - self), self, places[i]);
		if (access(buf_text(out), R_OK) == 0)
			break;
		out->len = 0;
	}
	if (out->len == 0)
		buf_addz(out, LIBDIR "/" LIBRARY_FILE);
	/* resolve links: profiles show the path that the kernel reports */
	resolved = realpath(buf_text(out), NULL);
	if (resolved) {
		out->len = 0;
		buf_addz(out, resolved);
		free(resolved);
	}
	if (access(buf_text(out), R_OK) != 0)
		return err_set(err, ERR_IO, "%s: %s", buf_text(out), strerror(errno));
	if (strpbrk(buf_text(out), ": "))
		return err_set(err, ERR_IO, "%s: LD_PRELOAD does not support paths with spaces or colons",
			       buf_text(out));
	return 0;
}

/*
 * A program that cannot load our library does not check what the programs that it starts can load. So our library must
 * be readable by all users, or their loader prints an error.
 */
static int attach_run_check_readable(const char *library, const char *program, struct err *err)
{
	struct buf path = { 0 };
	struct stat st;
	bool is_readable = stat(library, &st) == 0 && st.st_mode & S_IROTH;

	for (const char *slash = strchr(library + 1, '/'); slash && is_readable; slash = strchr(slash + 1, '/')) {
		path.len = 0;
		buf_add(&path, library, (size_t)(slash - library));
		is_readable = stat(buf_text(&path), &st) == 0 && st.st_mode & S_IXOTH;
	}
	buf_release(&path);
	if (is_readable)
		return 0;
	return err_set(err, ERR_IO,
		       "%s: cannot profile the programs that it starts, because other users cannot read %s", program,
		       library);
}

/* Does this variable have this name (with "=")? If so, append its value and a colon. */
static bool take_variable(const char *variable, const char *name, struct buf *to)
{
	size_t n = strlen(name);

	if (strncmp(variable, name, n) != 0)
		return false;
	if (variable[n])
		buf_addf(to, "%s:", variable + n);
	return true;
}

/* Make the environment. asan: the program needs libasan.so, which must precede our library. */
static void make_environment(const struct collect *c, const char *library, bool asan, struct environment *e)
{
	static const char preload[] = "LD_PRELOAD=", options[] = "ASAN_OPTIONS=", segment[] = "CPA_SEGMENT=";
	extern char **environ;
	size_t n = 0, k = 0;

	*e = (struct environment){ 0 };
	collect_environment(c, e->segment);
	buf_addz(&e->preload, preload);
	/* our library precedes preloaded allocators, to profile them, but follows sanitizers */
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
		e->preload.data[--e->preload.len] = '\0'; /* remove the last colon */
	e->env[k++] = e->segment;
	e->env[k++] = (char *)(uintptr_t)buf_text(&e->preload);
	assert(k <= n + 3);
	/* otherwise the sanitizer exits, because its library is not loaded first */
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

/* The signals to wait for. The terminal sends SIGINT and SIGQUIT also to the program itself. */
static void get_signals(sigset_t *set)
{
	static const int signals[] = { SIGCHLD, SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGALRM };

	sigemptyset(set);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaddset(set, signals[i]);
}

/* Reap orphaned processes, as pid 1 of a container must do. */
static void reap_orphans(pid_t program)
{
	siginfo_t info = { 0 };

	while (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid && info.si_pid != program) {
		waitpid(info.si_pid, NULL, WNOHANG);
		info = (siginfo_t){ 0 };
	}
}

static uint64_t timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * NS_PER_S + (uint64_t)t.tv_usec * 1000;
}

/* Has the program ended? Its CPU time is read each time, because it is no longer available afterwards. */
static bool attach_run_has_ended(struct attach_run *r, int *status)
{
	struct rusage usage = { 0 };
	struct timespec own;
	clockid_t clock;
	pid_t got;

	if (clock_getcpuclockid(r->pid, &clock) == 0 && clock_gettime(clock, &own) == 0)
		r->own_ns = (uint64_t)own.tv_sec * NS_PER_S + (uint64_t)own.tv_nsec;
	got = wait4(r->pid, status, WNOHANG, &usage);
	if (got == r->pid)
		r->total_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
	return got == r->pid || (got < 0 && errno == ECHILD);
}

/* Wait for a signal until the next drain, and forward it. Returns true if the program has ended. */
static bool attach_run_wait_signal(struct attach_run *r, const sigset_t *set, int *status)
{
	const struct timespec time = { .tv_nsec = COLLECT_DRAIN_MS * 1000000L };
	siginfo_t info;
	int sig = sigtimedwait(set, &info, &time);

	assert(r->pid > 0);
	if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
		kill(r->pid, sig);
	if (getpid() == 1)
		reap_orphans(r->pid);
	return attach_run_has_ended(r, status);
}

/* Discard signals sent while the program was ending: they were meant for it, and must not kill us before we finish. */
static void discard_signals(const sigset_t *set)
{
	const struct timespec none = { 0 };

	while (sigtimedwait(set, NULL, &none) > 0)
		continue;
}

/* End the recording, and write the files of all processes. */
static void end_recording(struct attach_run *r)
{
	if (r->is_over)
		return;
	r->is_over = true;
	attach_outside_stop(r->outside);
	collect_finish(r->c);
	r->n_outside = attach_outside_finish(r->outside, &r->files);
}

static void drain_locked(struct attach_run *r)
{
	if (r->is_over)
		return;
	collect_drain(r->c);
	collect_each(r->c, attach_jits_track, &r->files.jits);
	if (r->options->every_ns == 0 || clock_now() < r->next_ns)
		return;
	r->next_ns += r->options->every_ns;
	r->files.n_every++;
	collect_each(r->c, attach_files_write_numbered, &r->files);
}

static void attach_run_drain(struct attach_run *r)
{
	attach_server_lock(r->server);
	drain_locked(r);
	attach_server_unlock(r->server);
}

/* The program has ended: finish the current answers, unless a signal requests to stop immediately. */
static void end_server(struct attach_run *r, const sigset_t *set)
{
	uint64_t end = clock_now() + (SERVER_STOP_MS + FINISH_MS) * 1000000ULL;
	const struct timespec time = { .tv_nsec = COLLECT_DRAIN_MS * 1000000L };

	attach_server_stop(r->server, false);
	while (!attach_server_is_over(r->server) && clock_now() < end) {
		int sig = sigtimedwait(set, NULL, &time);

		if (sig == SIGINT || sig == SIGQUIT || sig == SIGTERM || sig == SIGHUP)
			attach_server_stop(r->server, true);
		attach_run_drain(r);
	}
	attach_server_close(r->server);
	r->server = NULL;
}

/* Wait briefly for surviving children, and count those that still run: some are just ending. */
static void count_survivors(struct attach_run *r)
{
	const struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000L };
	uint64_t end = clock_now() + SURVIVORS_MS * 1000000ULL;

	for (bool first = true; first || (r->n_survivors && clock_now() < end); first = false) {
		if (!first)
			nanosleep(&pause, NULL);
		attach_server_lock(r->server);
		drain_locked(r);
		r->n_survivors = collect_count_survivors(r->c, &r->survivor);
		attach_server_unlock(r->server);
	}
}

/* In the child, which shares our memory until it executes the program. */
static _Noreturn void exec_child(struct attach_run *r, bool is_starter, const char *path, char **argv, char **script,
				 char **env, const sigset_t *signals)
{
	collect_set_main(r->c, getpid());
	if (is_starter)
		collect_inherit(r->c);
	sigprocmask(SIG_SETMASK, signals, NULL);
	attach_exec(path, argv, script, env, &r->options->messages);
}

/* Start the program. vfork spares copying our page tables, and the page faults after that. */
static pid_t start_child(struct attach_run *r, bool is_starter, const char *path, char **argv, char **env,
			 const sigset_t *signals)
{
	char **script = attach_script_arguments(path, argv);
	pid_t pid = vfork();

	if (pid == 0)
		exec_child(r, is_starter, path, argv, script, env, signals);
	free(script);
	return pid;
}

static int attach_run_child(struct attach_run *r, bool is_starter, const char *path, char **argv, char **env)
{
	sigset_t set, before;
	int status = 0;

	assert(r->c && r->pid == 0);
	get_signals(&set);
	sigprocmask(SIG_BLOCK, &set, &before);
	r->pid = start_child(r, is_starter, path, argv, env, &before);
	if (r->pid < 0) {
		status = attach_error(&r->options->messages, "vfork: %s", strerror(errno));
		attach_server_close(r->server);
		return status;
	}
	collect_set_main(r->c, r->pid);
	attach_server_start(r->server, r->pid);
	r->has_server = r->server != NULL;
	attach_outside_start(r->outside);
	r->next_ns = clock_now() + r->options->every_ns;
	r->end_ns = r->options->duration_ns ? clock_now() + r->options->duration_ns : UINT64_MAX;
	while (!attach_run_wait_signal(r, &set, &status)) {
		attach_run_drain(r);
		if (clock_now() < r->end_ns || r->is_over)
			continue;
		end_recording(r);
		r->options->recorded(r->options->recorded_arg, r->files.result);
	}
	if (!r->is_over) {
		attach_outside_stop(
			r->outside); /* before the profile of the program, which has the time of all others */
		collect_main_ended(r->c, r->own_ns, r->total_ns);
	}
	count_survivors(r);
	end_server(r, &set);
	end_recording(r);
	discard_signals(&set);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return attach_exit_status(status);
}

/* A program that becomes a daemon ends at once; its child is recorded no longer. */
static void note_survivors(const struct attach_run *r, const char *path)
{
	if (r->n_survivors == 1)
		attach_note(
			&r->options->messages,
			"%s has ended, but process %d, which it started, still runs; to record it: cpa record -p %d",
			path, (int)r->survivor, (int)r->survivor);
	else
		attach_note(&r->options->messages,
			    "%s has ended, but %u processes that it started still run; to record one: cpa record -p %d",
			    path, (unsigned)r->n_survivors, (int)r->survivor);
}

/*
 * Suggest --follow if child processes that are not profiled used most of the CPU time. Children of fork that executed no
 * other program are profiled, unless there were too many: their CPU time is subtracted, and the maximum that is missing
 * from their profiles. It is unknown if CPU time is not profiled.
 */
static void note_children(const struct attach_run *r, const struct collect_problems *problems)
{
	uint64_t n_forked = problems->n_forked, hz = r->options->collect.hz, profiled_ns = 0,
		 children_ns = r->total_ns > r->own_ns ? r->total_ns - r->own_ns : 0;

	if (!r->options->suggests_follow || !problems->has_unfollowed || problems->n_missed || (n_forked && !hz))
		return;
	if (hz)
		profiled_ns = (r->files.n_child_periods + n_forked) * (NS_PER_S / hz) + n_forked * UNSAMPLED_NS_MAX;
	if (children_ns < profiled_ns + HINT_NS_MIN || children_ns - profiled_ns <= r->total_ns / 2)
		return;
	attach_note(
		&r->options->messages,
		"most CPU time (%.2f s of %.2f s) was used by child processes, which are not profiled; add --follow",
		(double)(children_ns - profiled_ns) / NS_PER_S, (double)r->total_ns / NS_PER_S);
}

/* Some of these programs were sampled with perf events, whatever the reason. */
static void subtract_sampled(unsigned n_sampled, unsigned *n_unloaded, unsigned n[N_UNPROFILED])
{
	unsigned *const all[] = { n_unloaded, &n[UNPROFILED_LIMIT], &n[UNPROFILED_UNREADABLE],
				  &n[UNPROFILED_UNREACHABLE] };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		unsigned k = n_sampled < *all[i] ? n_sampled : *all[i];

		*all[i] -= k;
		n_sampled -= k;
	}
}

/* Report programs that were executed without our library. Returns false if there are none. */
static bool note_unprofiled(const struct attach_run *r, const struct collect_problems *problems, const char *library)
{
	static const char other[] = "as another user or in another root directory or namespace";
	const struct attach_messages *m = &r->options->messages;
	unsigned n[N_UNPROFILED], n_unloaded;

	memcpy(n, problems->n_unprofiled, sizeof(n));
	n_unloaded = r->options->collect.follow ? n[UNPROFILED_UNLOADABLE] + n[UNPROFILED_CLEARED] : 0;
	subtract_sampled(r->n_outside, &n_unloaded, n);
	if (n[UNPROFILED_UNREADABLE])
		attach_note(
			m,
			"programs without a profile: %u, because %s cannot be read %s; make it readable there under "
			"the same path, or use cpa record -p PID",
			n[UNPROFILED_UNREADABLE], library, other);
	if (n[UNPROFILED_UNREACHABLE])
		attach_note(m,
			    "programs without a profile: %u, started %s after all files were closed; run cpa itself "
			    "there, or use cpa record -p PID",
			    n[UNPROFILED_UNREACHABLE], other);
	if (n[UNPROFILED_LIMIT])
		attach_note(m,
			    "programs without a profile: %u, because the limit of their memory (ulimit -v) leaves no "
			    "room for the %" PRIu64 " MiB that they share with cpa",
			    n[UNPROFILED_LIMIT], collect_segment(r->c)->size >> 20);
	if (n_unloaded)
		attach_note(m,
			    "programs without a profile: %u, because they cannot load %s (static, written in Go, with "
			    "another C library or own privileges) or were started without its variables in their "
			    "environment",
			    n_unloaded, library);
	return n[UNPROFILED_UNREADABLE] || n[UNPROFILED_UNREACHABLE] || n[UNPROFILED_LIMIT] || n_unloaded;
}

static void note_problems(const struct attach_run *r, const char *path, const char *library)
{
	struct collect_problems problems;
	bool is_profiled;

	collect_get_problems(r->c, &problems);
	is_profiled = note_unprofiled(r, &problems, library) || r->files.result->is_profiled || r->n_outside;
	if (!is_profiled && collect_was_loaded(r->c))
		attach_note(&r->options->messages,
			    "%s: no profile, because it executed a program that cannot be profiled", path);
	else if (!is_profiled)
		attach_note(&r->options->messages, "%s: no profile, because it did not load %s", path, library);
	if (r->n_survivors && !r->has_server)
		note_survivors(r, path);
	else if (r->n_survivors)
		attach_note(&r->options->messages,
			    "%s has ended, so its profiling server stops; %u process%s still running", path,
			    (unsigned)r->n_survivors, r->n_survivors == 1 ? " is" : "es are");
	if (problems.n_missed)
		attach_note(&r->options->messages,
			    "too many processes at the same time: no profile of %" PRIu64 " of them",
			    problems.n_missed);
	if (problems.is_damaged)
		attach_note(&r->options->messages,
			    "%s: overwrote memory that it shares with cpa; its profiles may be wrong", path);
	attach_note_incomplete(&r->options->messages, &r->files.incomplete);
	note_children(r, &problems);
}

static int run_served(struct attach_run *r, const struct program *program, const char *path, char **argv,
		      const char *library)
{
	struct environment e;
	struct err err;
	int status;

	if (r->options->server && attach_server_open(r->options, r->c, path_base(path), &r->server, &err) < 0)
		return attach_error(&r->options->messages, "%s", err.msg);
	make_environment(r->c, library, program->asan_library, &e);
	if (r->options->samples_others)
		r->outside = attach_outside_new(r->options, r->c);
	status = attach_run_child(r, program->is_starter, path, argv, e.env);
	attach_outside_free(r->outside);
	release_environment(&e);
	note_problems(r, path, library);
	return status;
}

/* Why the shared memory cannot be created. */
static const char *explain_memory(int rc)
{
	static char text[96];
	struct rlimit limit;

	if (rc == -EFBIG)
		return "the file size limit is too low; raise it with ulimit -f";
	if (rc != -ENOMEM || getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
		return strerror(-rc);
	snprintf(text, sizeof(text), "it takes %llu MiB, and the limit of memory is lower; raise it with ulimit -v",
		 (unsigned long long)(segment_size(1) >> 20));
	return text;
}

int attach_run(const struct attach_options *o, const struct program *program, const char *path, char **argv,
	       struct attach_result *out)
{
	struct attach_run r = { .options = o, .files = { .options = o, .result = out } };
	struct buf library = { 0 };
	struct err err;
	int rc, status;

	assert(o->messages.note && o->messages.error && o->messages.exec_failed);
	assert(*path && argv[0]);
	assert(o->n_files == 0 ? o->server != NULL : o->file != NULL);
	if (attach_run_find_library(&library, &err) < 0 ||
	    (program->is_starter && attach_run_check_readable(buf_text(&library), path, &err) < 0)) {
		buf_release(&library);
		return attach_error(&o->messages, "%s", err.msg);
	}
	rc = collect_open(&o->collect, attach_files_write, &r.files, &r.c);
	r.files.c = r.c;
	if (rc < 0) {
		buf_release(&library);
		return attach_error(&o->messages, "%s: cannot create shared memory: %s", path, explain_memory(rc));
	}
	status = run_served(&r, program, path, argv, buf_text(&library));
	collect_get_totals(r.c, &out->totals);
	collect_close(r.c);
	attach_files_release(&r.files);
	attach_jits_release(&r.files.jits);
	buf_release(&library);
	return status;
}

void attach_result_release(struct attach_result *r)
{
	string_list_release(&r->written);
}

bool attach_engine_named(const char *name, uint32_t *out)
{
	return collect_parse_engine(name, out);
}

bool attach_signal_named(const char *name, uint32_t *out)
{
	return collect_parse_signal(name, out);
}

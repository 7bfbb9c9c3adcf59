/*
 * cmd_run.c - run a program and profile it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The program gets our library by LD_PRELOAD, and memory that it shares with us. Nothing else of it
 * changes: standard streams, terminal, process group and signals are its own, and the exit status of
 * cpa is that of the program. What it sampled is in our memory, so it may end as it likes.
 */
#include "config.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/opt.h"
#include "cli/cmd.h"
#include "cli/program.h"
#include "cli/say.h"
#include "collect/collect.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { HZ_MOST = 1000, FILES_MAX = 1000, NOT_FOUND = 127, NOT_RUN = 126, BY_SIGNAL = 128 };

struct asked {
	int64_t hz;
	const char *cpu;
	bool follow, help;
};

/* clang-format off */
static const struct opt options[] = {
	{ "hz", OPT_INT, offsetof(struct asked, hz), 0, "100", "N", 0, true, "samples per second of CPU time" },
	{ "cpu", OPT_TEXT, offsetof(struct asked, cpu), 0, "cpu-%p.pb.gz", "FILE", 0, true, "where the CPU profile goes" },
	{ "follow", OPT_BOOL, offsetof(struct asked, follow), 0, "false", NULL, 0, true, "profile programs that it starts" },
	{ "help", OPT_BOOL, offsetof(struct asked, help), 0, "false", NULL, 0, true, "print this" },
};
/* clang-format on */
enum { N_OPTIONS = sizeof(options) / sizeof(options[0]) };

static const char usage[] = "usage: cpa run [--hz=N] [--cpu=FILE] [--follow] [--] PROGRAM [ARGUMENT]...\n"
			    "\n"
			    "  --hz=N       samples per second of CPU time, 1 to 1000 (100)\n"
			    "  --cpu=FILE   where the CPU profile goes; %p is the process (cpu-%p.pb.gz)\n"
			    "  --follow     also profile the programs that PROGRAM starts, each in a file of its own\n"
			    "\n"
			    "The exit status is that of the program, 128 + N when signal N ended it.\n";

struct run {
	struct asked asked;
	struct collect *c;
	pid_t pid;
	unsigned n_files, n_replaced;
	bool asan;    /* it has the library of the address sanitizer */
	bool seen;    /* the program loaded our library */
	bool trouble; /* a profile could not be written */
};

/* Options stand before the program. Gives where the program is in argv, or ERR_USAGE. */
static int read_options(int argc, char **argv, struct asked *to, struct err *err)
{
	int i = 1;

	opt_preset(options, N_OPTIONS, to);
	for (; i < argc && argv[i][0] == '-' && strcmp(argv[i], "--") != 0; i++) {
		const char *name = argv[i] + 1 + (argv[i][1] == '-'), *value = strchr(name, '=');
		size_t n = value ? (size_t)(value - name) : strlen(name);
		const struct opt *o = opt_find(options, N_OPTIONS, name, n);

		if (!o)
			return err_set(err, ERR_USAGE, "cpa run has no option %s; cpa run --help lists them", argv[i]);
		if (!value && !opt_is_flag(o) && ++i >= argc)
			return err_set(err, ERR_USAGE, "flag needs an argument: -%s", o->name);
		if (opt_set(o, to, value ? value + 1 : opt_is_flag(o) ? NULL : argv[i], err) < 0)
			return ERR_USAGE;
	}
	if (i < argc && strcmp(argv[i], "--") == 0)
		i++;
	if (to->hz < 1 || to->hz > HZ_MOST)
		return err_set(err, ERR_USAGE, "--hz: from 1 to %d samples per second", HZ_MOST);
	return i;
}

/* Our library is beside the program where it is built, else where it is installed. */
static int find_library(struct buf *out, struct err *err)
{
	static const char *const places[] = { "runtime", "../lib/cpa", "../lib/x86_64-linux-gnu/cpa" };
	char self[4096];
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	char *slash;

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
	if (access(buf_text(out), R_OK) != 0)
		return err_set(err, ERR_IO, "%s: %s", buf_text(out), strerror(errno));
	if (strpbrk(buf_text(out), ": "))
		return err_set(err, ERR_IO, "%s: the loader takes no library whose path has spaces or colons",
			       buf_text(out));
	return 0;
}

/*
 * FILE with %p for the process. Without it the process stands before the suffix, but for the program that
 * was started; behind it comes a number for programs that executed another one.
 */
static void name_file(struct run *r, const struct process_facts *f, struct buf *out)
{
	const char *name = r->asked.cpu, *base = strrchr(name, '/'), *dot = strchr(base ? base : name, '.');
	bool has_pid = strstr(name, "%p") != NULL;
	struct buf more = { 0 };

	if (!has_pid && (!f->main || f->replaced))
		buf_addf(&more, "-%d", (int)f->pid);
	if (f->replaced)
		buf_addf(&more, "-%u", ++r->n_replaced);
	for (const char *c = name; *c; c++) {
		if (c == dot)
			buf_addz(out, buf_text(&more));
		if (c[0] == '%' && c[1] == 'p') {
			buf_addf(out, "%d", (int)f->pid);
			c++;
		} else {
			buf_add(out, c, 1);
		}
	}
	if (!dot)
		buf_addz(out, buf_text(&more));
	buf_release(&more);
}

static void write_profile(struct run *r, struct process *p, const char *path)
{
	struct io_out out;
	struct err err;
	int rc;

	if (io_out_open(path, &out, &err) < 0) {
		say_error("%s", err.msg);
		r->trouble = true;
		return;
	}
	rc = process_write(p, out.fd);
	if (rc < 0) {
		say_error("%s: %s", path, strerror(-rc));
		r->trouble = true;
	}
	if (io_out_close(&out, rc == 0, &err) < 0 && rc == 0) {
		say_error("%s", err.msg);
		r->trouble = true;
	}
}

/* A process ended. Those that used no CPU time have no file, but for the program itself. */
static void done(void *arg, struct process *p)
{
	struct run *r = arg;
	struct process_facts f;
	struct buf path = { 0 };

	process_facts(p, &f);
	r->seen |= f.main;
	if (f.error && f.weight == 0)
		say("process %d has no timers: %s", (int)f.pid, strerror((int)f.error));
	if (f.weight || (f.main && !f.replaced)) {
		if (r->n_files++ < FILES_MAX) {
			name_file(r, &f, &path);
			write_profile(r, p, buf_text(&path));
		} else if (r->n_files == FILES_MAX + 1) {
			say("more than %d processes: no more profiles are written", FILES_MAX);
		}
	}
	buf_release(&path);
}

/* The environment of the program: ours, and what brings our library into it. */
struct environment {
	char **env;
	struct buf preload, asan;
	char segment[COLLECT_ENV_MAX];
};

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

static void environment_make(const struct run *r, const char *library, struct environment *e)
{
	static const char preload[] = "LD_PRELOAD=", asan[] = "ASAN_OPTIONS=";
	extern char **environ;
	size_t n = 0, k = 0;

	*e = (struct environment){ 0 };
	collect_environment(r->c, e->segment);
	buf_addz(&e->preload, preload);
	buf_addz(&e->asan, asan);
	while (environ[n])
		n++;
	e->env = mem_zalloc(n + 4, sizeof(*e->env));
	for (size_t i = 0; i < n; i++)
		if (!take_variable(environ[i], preload, &e->preload) &&
		    !(r->asan && take_variable(environ[i], asan, &e->asan)) &&
		    strncmp(environ[i], "CPA_SEGMENT=", 12) != 0)
			e->env[k++] = environ[i];
	buf_addz(&e->preload, library);
	e->env[k++] = e->segment;
	e->env[k++] = (char *)(uintptr_t)buf_text(&e->preload);
	/* else the sanitizer ends the program, for its library is not the first */
	buf_addz(&e->asan, "verify_asan_link_order=0");
	if (r->asan)
		e->env[k++] = (char *)(uintptr_t)buf_text(&e->asan);
}

static void environment_release(struct environment *e)
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

/* Wait for a signal until it is time to drain, and pass it on. True when the program ended. */
static bool wait_a_while(const struct run *r, const sigset_t *set, int *status)
{
	const struct timespec time = { .tv_nsec = COLLECT_DRAIN_MS * 1000000L };
	siginfo_t info;
	int sig = sigtimedwait(set, &info, &time);
	pid_t got;

	if (sig > 0 && sig != SIGCHLD && info.si_code != SI_KERNEL)
		kill(r->pid, sig);
	got = waitpid(r->pid, status, WNOHANG);
	return got == r->pid || (got < 0 && errno == ECHILD);
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

static int run_program(struct run *r, const char *path, char **argv, char **env)
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
	if (r->pid < 0)
		return say_error("fork: %s", strerror(errno));
	collect_set_main(r->c, r->pid);
	while (!wait_a_while(r, &set, &status))
		collect_drain(r->c);
	collect_finish(r->c);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return WIFSIGNALED(status) ? BY_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

static int run_checked(struct run *r, const char *path, char **argv)
{
	struct collect_how how = { .hz = (uint32_t)r->asked.hz, .follow = r->asked.follow };
	const char *engine = getenv("CPA_CPU_ENGINE");
	struct buf library = { 0 };
	struct environment e;
	struct err err;
	int rc, status;

	if (engine && *engine && !collect_engine(engine, &how.engine))
		say("CPA_CPU_ENGINE: %s is none of timer, perf, itimer", engine);
	if (find_library(&library, &err) < 0) {
		buf_release(&library);
		return say_error("%s", err.msg);
	}
	rc = collect_open(&how, done, r, &r->c);
	if (rc < 0) {
		buf_release(&library);
		return say_error("memory to share with %s: %s", path, strerror(-rc));
	}
	environment_make(r, buf_text(&library), &e);
	status = run_program(r, path, argv, e.env);
	if (!r->seen)
		say("%s did not load %s, so there is no profile of it", path, buf_text(&library));
	if (collect_refused(r->c))
		say("%u processes too many at once: they have no profiles", (unsigned)collect_refused(r->c));
	collect_close(r->c);
	environment_release(&e);
	buf_release(&library);
	return status;
}

int cmd_run(int argc, char **argv)
{
	struct run r = { 0 };
	struct buf path = { 0 };
	struct err err;
	int at = read_options(argc, argv, &r.asked, &err), status;

	if (at >= 0 && r.asked.help) {
		fputs(usage, stdout);
		return STATUS_FINE;
	}
	if (at < 0)
		return say_error("%s", err.msg);
	if (at == argc)
		return say_error("usage: cpa run [--hz=N] [--cpu=FILE] [--follow] [--] PROGRAM [ARGUMENT]...");
	if (program_check(argv[at], &path, &r.asan, &err) < 0)
		status = say_error("%s", err.msg);
	else
		status = run_checked(&r, buf_text(&path), argv + at);
	buf_release(&path);
	return status;
}

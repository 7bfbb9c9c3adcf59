/*
 * bounded.c - run a test with a time limit, and kill the processes that it leaves behind
 * SPDX-License-Identifier: Apache-2.0
 *
 *     bounded SECONDS COMMAND [ARGUMENT...]
 *
 * A test that hangs would block the whole run, and so would a process left behind by a test that holds the pipe to the
 * driver open. This program reaps all descendants of the test. After SECONDS it prints the state of every process and
 * thread of the test, kills them all and bails out. When the test ends, it kills the remaining processes and prints how
 * long the test took. Its exit status is that of the test.
 *
 * The test's standard input is empty, and no signal is ignored or blocked, however the run was started: nohup, and
 * shells without job control, start background programs with SIGINT, SIGQUIT or SIGHUP ignored.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
	N_PROCESS = 4096, /* processes killed in one round; more need further rounds */
	TIMED_OUT = 99    /* a hard error for automake's test drivers */
};

struct process {
	pid_t pid, parent;
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* CPU time of all descendants that have ended, in seconds. */
static double processor_time(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* Read the first line of a file in /proc, with control characters replaced by blanks; "" on failure. */
static void line_of(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, line, size - 1);
	if (fd >= 0)
		close(fd);
	line[n > 0 ? n : 0] = '\0';
	for (ssize_t i = 0; i < n; i++)
		if ((unsigned char)line[i] < ' ')
			line[i] = i == n - 1 ? '\0' : ' ';
}

/* List all processes, at most N_PROCESS. */
static size_t list_processes(struct process *all)
{
	size_t n = 0;
	DIR *proc = opendir("/proc");
	for (struct dirent *e; proc && n < N_PROCESS && (e = readdir(proc));) {
		char path[64], stat[512];
		pid_t pid = (pid_t)atoi(e->d_name);
		if (pid <= 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		line_of(path, stat, sizeof(stat));
		const char *after = strrchr(stat, ')'); /* the name may contain any character */
		if (!after || strlen(after) < 5)
			continue;
		all[n].pid = pid;
		all[n++].parent = (pid_t)atoi(after + 4);
	}
	if (proc)
		closedir(proc);
	return n;
}

static int is_below(const struct process *all, size_t n, pid_t pid, pid_t root)
{
	for (int depth = 0; depth < 1000 && pid > 1; depth++) {
		size_t i = 0;
		while (i < n && all[i].pid != pid)
			i++;
		if (i == n)
			return 0;
		pid = all[i].parent;
		if (pid == root)
			return 1;
	}
	return 0;
}

/* Print state, kernel function and system call of each thread of a process. */
static void print_process(pid_t pid)
{
	char path[128], args[400], state[200], at[64], call[128];
	snprintf(path, sizeof(path), "/proc/%d/cmdline", pid);
	line_of(path, args, sizeof(args));
	printf("# process %d: %s\n", pid, args);
	snprintf(path, sizeof(path), "/proc/%d/task", pid);
	DIR *task = opendir(path);
	int n = 0;
	for (struct dirent *e; task && n < 20 && (e = readdir(task));) {
		int tid = atoi(e->d_name);
		if (tid <= 0)
			continue;
		n++;
		snprintf(path, sizeof(path), "/proc/%d/task/%d/stat", pid, tid);
		line_of(path, state, sizeof(state));
		snprintf(path, sizeof(path), "/proc/%d/task/%d/wchan", pid, tid);
		line_of(path, at, sizeof(at));
		snprintf(path, sizeof(path), "/proc/%d/task/%d/syscall", pid, tid);
		line_of(path, call, sizeof(call));
		const char *after = strrchr(state, ')');
		printf("#   thread %d: state %.1s, in %s, call %s\n", tid, after && after[1] ? after + 2 : "?", at,
		       call);
	}
	if (task)
		closedir(task);
}

/* Kill and reap all descendants; if verbose, print each of them first. */
static void kill_all(int verbose)
{
	static struct process all[N_PROCESS];
	for (int round = 0; round < 1000; round++) {
		size_t n = list_processes(all);
		for (size_t i = 0; i < n; i++)
			if (is_below(all, n, all[i].pid, getpid())) {
				if (verbose && round == 0)
					print_process(all[i].pid);
				kill(all[i].pid, SIGKILL);
			}
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	printf("# some processes cannot be killed\n");
}

/* Wait for the child until end. Returns its exit status, or -1 on timeout or when a termination signal arrives. */
static int wait_child(pid_t child, double end, const sigset_t *signals)
{
	for (;;) {
		int status;
		for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;)
			if (pid == child)
				return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
		double left = end - now();
		if (left <= 0)
			return -1;
		struct timespec t = { .tv_sec = (time_t)left, .tv_nsec = (long)((left - (double)(time_t)left) * 1e9) };
		int got = sigtimedwait(signals, NULL, &t);
		if (got > 0 && got != SIGCHLD)
			return -1;
	}
}

/* Add a termination signal, unless it was ignored when the run started. */
static void add_unless_ignored(sigset_t *signals, int sig)
{
	struct sigaction act;
	if (sigaction(sig, NULL, &act) == 0 && act.sa_handler != SIG_IGN)
		sigaddset(signals, sig);
}

/* Set every signal to its default action, and unblock it. */
static void reset_signals(void)
{
	sigset_t none;
	for (int sig = 1; sig <= SIGRTMAX; sig++)
		signal(sig, SIG_DFL); /* SIGKILL and SIGSTOP cannot be changed */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

int main(int argc, char **argv)
{
	double limit = argc > 2 ? atof(argv[1]) : 0, begin = now();
	if (limit <= 0) {
		fputs("usage: bounded SECONDS COMMAND [ARGUMENT...]\n", stderr);
		return TIMED_OUT;
	}
	sigset_t signals;
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	add_unless_ignored(&signals, SIGTERM);
	add_unless_ignored(&signals, SIGINT);
	add_unless_ignored(&signals, SIGHUP);
	signal(SIGCHLD, SIG_DFL);
	sigprocmask(SIG_BLOCK, &signals, NULL);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	pid_t child = fork();
	if (child == 0) {
		reset_signals();
		int null = open("/dev/null", O_RDONLY);
		if (null > 0 && dup2(null, STDIN_FILENO) >= 0)
			close(null);
		execvp(argv[2], argv + 2);
		fprintf(stderr, "bounded: %s: %s\n", argv[2], strerror(errno));
		_exit(TIMED_OUT);
	}
	int status = child < 0 ? TIMED_OUT : wait_child(child, begin + limit, &signals);
	if (status < 0)
		printf("# after %.0f s these processes are still running:\n", now() - begin);
	kill_all(status < 0);
	if (status < 0)
		printf("Bail out! the test did not end within %.0f s\n", now() - begin);
	printf("# took %.1f s, %.1f s of CPU time\n", now() - begin, processor_time());
	return status < 0 ? TIMED_OUT : status;
}

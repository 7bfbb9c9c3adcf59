/*
 * bounded.c - run one test; end it when it takes too long, and end what it leaves behind
 * SPDX-License-Identifier: Apache-2.0
 *
 *     bounded SECONDS COMMAND [ARGUMENT...]
 *
 * A test that hangs would take the whole run with it, and so would a process left behind that
 * still holds the pipe to the driver. This is the reaper of all that the test starts: after
 * SECONDS it says what every process and thread of the test is doing, kills them all and bails
 * out; when the test ends it kills what is left and says how long it took. Exits as the test does.
 * Standard input is at its end, and no signal is ignored or blocked, whatever started the run: nohup and shells
 * without job control start programs in the background with SIGINT, SIGQUIT or SIGHUP ignored.
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
	N_PROCESS = 4096, /* more than these are killed in a next round */
	TIMED_OUT = 99    /* what automake's drivers call a hard error */
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

/* Seconds of processor time of all that ended below us. */
static double processor_time(void)
{
	struct rusage u;
	getrusage(RUSAGE_CHILDREN, &u);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* The first line of /proc/PATH, without what a terminal would not show. "" when there is none. */
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

/* All processes there are, up to N_PROCESS. */
static size_t list(struct process *all)
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
		const char *after = strrchr(stat, ')'); /* a name may contain anything */
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

/* What one process and its threads are at: state, where in the kernel, which call. */
static void tell(pid_t pid)
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

/* Kills all that is below us and reaps it; SAY: tells of each first. */
static void end_all(int say)
{
	static struct process all[N_PROCESS];
	for (int round = 0; round < 1000; round++) {
		size_t n = list(all);
		for (size_t i = 0; i < n; i++)
			if (is_below(all, n, all[i].pid, getpid())) {
				if (say && round == 0)
					tell(all[i].pid);
				kill(all[i].pid, SIGKILL);
			}
		pid_t pid;
		while ((pid = waitpid(-1, NULL, WNOHANG)) > 0)
			;
		if (pid < 0 && errno == ECHILD)
			return;
		nanosleep(&(struct timespec){ .tv_nsec = 10000000 }, NULL);
	}
	printf("# processes that cannot be killed are left\n");
}

/* Waits for CHILD until END; its status, or -1 when the time is over or we are told to end. */
static int await(pid_t child, double end, const sigset_t *signals)
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

/* Add a signal that asks to end the run, unless the run was started with it ignored. */
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
	int status = child < 0 ? TIMED_OUT : await(child, begin + limit, &signals);
	if (status < 0)
		printf("# after %.0f s these are still there:\n", now() - begin);
	end_all(status < 0);
	if (status < 0)
		printf("Bail out! it did not end within %.0f s\n", now() - begin);
	printf("# took %.1f s, %.1f s of processor time\n", now() - begin, processor_time());
	return status < 0 ? TIMED_OUT : status;
}

/*
 * child.c - run other programs and exchange data with them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One poll loop serves all three pipes: otherwise the child could block on a full pipe while we block on
 * another one.
 */
#include "config.h"

#include "base/child.h"

#include "base/time.h"
#include "base/utf8.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_PIPES, ERR_MAX = 4096, STOP_POLL_MS = 20, READ_SIZE = 16 << 10, PIPE_SIZE = 1 << 20 };

/* Both ends of the pipes; -1 when closed. */
struct pipes {
	int ours[N_PIPES], theirs[N_PIPES];
};

static void close_end(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void close_pipes(struct pipes *p)
{
	for (int i = 0; i < N_PIPES; i++) {
		close_end(&p->ours[i]);
		close_end(&p->theirs[i]);
	}
}

static int open_pipes(struct pipes *p, struct err *err)
{
	for (int i = 0; i < N_PIPES; i++)
		p->ours[i] = p->theirs[i] = -1;
	for (int i = 0; i < N_PIPES; i++) {
		int fd[2];

		if (pipe2(fd, O_CLOEXEC) != 0) {
			close_pipes(p);
			return err_set(err, ERR_IO, "pipe: %s", strerror(errno));
		}
		p->ours[i] = fd[i == IN];
		p->theirs[i] = fd[i != IN];
	}
	fcntl(p->ours[IN], F_SETFL, O_NONBLOCK);
	fcntl(p->ours[OUT], F_SETPIPE_SZ, PIPE_SIZE);
	return 0;
}

/* Saved state while SIGPIPE is blocked in this thread. */
struct sigpipe_state {
	sigset_t signal, before;
	bool was_pending;
};

/*
 * Block SIGPIPE, because the child may stop reading while we write. Ignoring the signal would affect the whole process:
 * as soon as one thread restored the action, SIGPIPE could kill the process while another thread still writes.
 */
static void block_sigpipe(struct sigpipe_state *s)
{
	sigset_t pending;

	sigemptyset(&s->signal);
	sigaddset(&s->signal, SIGPIPE);
	s->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &s->signal, &s->before);
}

static void restore_sigpipe(const struct sigpipe_state *s)
{
	const struct timespec none = { 0 };

	while (!s->was_pending && sigtimedwait(&s->signal, NULL, &none) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &s->before, NULL);
}

/* Start a program with the default signal actions instead of ours. flags: of posix_spawnattr_setflags. */
static int child_spawn(const char *const *argv, posix_spawn_file_actions_t *files, short flags, pid_t *pid,
		       struct err *err)
{
	posix_spawnattr_t attr;
	sigset_t all, mask;
	int rc;

	posix_spawnattr_init(&attr);
	pthread_sigmask(SIG_SETMASK, NULL, &mask);
	sigdelset(&mask, SIGPIPE);
	posix_spawnattr_setsigmask(&attr, &mask);
	sigemptyset(&all);
	sigaddset(&all, SIGPIPE);
	sigaddset(&all, SIGINT);
	sigaddset(&all, SIGQUIT);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, (short)(flags | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK));
	rc = posix_spawnp(pid, argv[0], files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	if (rc == 0)
		return 0;
	return err_set(err, rc == ENOENT || rc == EACCES || rc == ENOTDIR ? ERR_UNKNOWN : ERR_IO, "%s: %s", argv[0],
		       strerror(rc));
}

/* Wait for a program. errors: its standard error, or NULL. */
static int wait_for_exit(pid_t pid, const char *name, const struct buf *errors, struct err *err)
{
	struct buf line = { 0 };
	int status, rc = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (errors && errors->len) {
		buf_addz(&line, ": ");
		utf8_add_safe(&line, errors->data, strcspn(errors->data, "\n"));
	}
	if (WIFSIGNALED(status))
		rc = err_set(err, ERR_IO, "%s was killed by signal %d%s", name, WTERMSIG(status), buf_text(&line));
	else if (WEXITSTATUS(status) != 0)
		rc = err_set(err, ERR_IO, "%s exited with status %d%s", name, WEXITSTATUS(status), buf_text(&line));
	buf_release(&line);
	return rc;
}

/* Write as much as the pipe accepts. A program that stops reading is not an error in itself. */
static void write_input(int *fd, const char **in, size_t *n)
{
	ssize_t n_written = *n ? write(*fd, *in, *n) : 0;

	assert(*fd >= 0);
	if (n_written > 0) {
		*in += n_written;
		*n -= (size_t)n_written;
	}
	if (*n == 0 || (n_written < 0 && errno != EAGAIN && errno != EINTR))
		close_end(fd);
}

static void read_output(int *fd, size_t max, struct buf *out)
{
	char part[READ_SIZE];
	ssize_t n_read = read(*fd, part, sizeof(part));

	assert(*fd >= 0);
	if (n_read > 0 && out->len < max)
		buf_add(out, part, (size_t)n_read);
	else if (n_read == 0 || (n_read < 0 && errno != EINTR))
		close_end(fd);
}

/* Limits on the time and output of a program, and which limit it exceeded. */
struct limits {
	int64_t until_ms; /* monotonic clock; INT64_MAX for no limit */
	size_t max;
	bool has_group; /* does the program run in its own process group? */
	bool timed_out, exceeded_max;
	const struct stop *stop; /* kill the program when this is set; may be NULL */
};

/* Wait until a pipe is ready or a timeout expires; false after the deadline or on cancellation. */
static bool wait_for_pipes(struct pollfd *fds, struct limits *l)
{
	int64_t left = l->until_ms == INT64_MAX ? -1 : l->until_ms - clock_mono_ms();

	l->timed_out = l->until_ms != INT64_MAX && left <= 0;
	if (l->timed_out || stop_is_set(l->stop))
		return false;
	if (l->stop && (left < 0 || left > STOP_POLL_MS))
		left = STOP_POLL_MS;
	if (poll(fds, N_PIPES, left > INT_MAX ? INT_MAX : (int)left) <= 0)
		for (int i = 0; i < N_PIPES; i++)
			fds[i].revents = 0;
	return true;
}

/* Wait a moment after a short read: llvm-objdump writes line by line, and a context switch for each of its lines would
   take as long as its work. */
static void wait_for_more(size_t n_read)
{
	const struct timespec pause = { .tv_nsec = 1000000 };

	if (n_read > 0 && n_read < READ_SIZE)
		nanosleep(&pause, NULL);
}

/* Exchange data until the program closes its output. False when a limit is exceeded; the program still runs then. */
static bool exchange(struct pipes *p, const char *in, size_t n, struct limits *l, struct buf *out, struct buf *errors)
{
	size_t before = out->len;

	while (p->ours[OUT] >= 0 || p->ours[ERR] >= 0) {
		struct pollfd fds[N_PIPES];
		size_t n_read = out->len;

		for (int i = 0; i < N_PIPES; i++)
			fds[i] = (struct pollfd){ .fd = p->ours[i], .events = i == IN ? POLLOUT : POLLIN };
		if (!wait_for_pipes(fds, l))
			return false;
		if (fds[IN].revents)
			write_input(&p->ours[IN], &in, &n);
		if (fds[OUT].revents)
			read_output(&p->ours[OUT], SIZE_MAX, out);
		if (fds[ERR].revents)
			read_output(&p->ours[ERR], ERR_MAX, errors);
		l->exceeded_max = out->len - before > l->max;
		if (l->exceeded_max)
			return false;
		if (n == 0)
			wait_for_more(out->len - n_read);
	}
	return true;
}

/* Wait until a program that has closed its output exits; false when it exceeds its time, or on cancellation. */
static bool wait_until_exit(pid_t pid, struct limits *l)
{
	const struct timespec pause = { .tv_nsec = 1000000 };
	siginfo_t info = { 0 };

	while (l->until_ms != INT64_MAX) {
		int rc = waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);

		if (rc == 0 ? info.si_pid == pid : errno != EINTR)
			return true;
		l->timed_out = clock_mono_ms() >= l->until_ms;
		if (l->timed_out || stop_is_set(l->stop))
			return false;
		nanosleep(&pause, NULL);
	}
	return true;
}

static void ignore_signal(int number, struct sigaction *old)
{
	struct sigaction none = { .sa_handler = SIG_IGN };

	sigaction(number, &none, old);
}

/* Kill a program that exceeded a limit. */
static int kill_program(pid_t pid, const char *name, const struct limits *l, struct err *err)
{
	kill(l->has_group ? -pid : pid, SIGKILL);
	wait_for_exit(pid, name, NULL, err);
	if (stop_check(l->stop, err) < 0)
		return ERR_STOPPED;
	return l->timed_out ? err_set(err, ERR_IO, "%s timed out", name)
			    : err_set(err, ERR_LIMIT, "%s printed more than %zu MiB", name, l->max >> 20);
}

/* Limit the memory and the processor time of a program that has not received its input yet. */
static void limit_program(pid_t pid, const struct child_limits *limits)
{
	const struct rlimit memory = { limits->max_memory, limits->max_memory };
	const struct rlimit time = { limits->seconds, limits->seconds };

	prlimit(pid, RLIMIT_AS, &memory, NULL);
	prlimit(pid, RLIMIT_CPU, &time, NULL);
}

/* limits: NULL for a program in our process group. */
static int child_run_program(const char *const *argv, const void *in, size_t n, const struct child_limits *limits,
			     struct limits *l, struct buf *out, struct err *err)
{
	posix_spawn_file_actions_t files;
	struct sigpipe_state sigpipe;
	struct buf errors = { 0 };
	struct pipes p;
	pid_t pid;
	int rc = open_pipes(&p, err);

	assert(argv[0] && (in || n == 0));
	if (rc < 0)
		return rc;
	posix_spawn_file_actions_init(&files);
	for (int i = 0; i < N_PIPES; i++)
		posix_spawn_file_actions_adddup2(&files, p.theirs[i], i);
	block_sigpipe(&sigpipe);
	l->has_group = limits != NULL;
	rc = child_spawn(argv, &files, limits ? POSIX_SPAWN_SETPGROUP : 0, &pid, err);
	posix_spawn_file_actions_destroy(&files);
	for (int i = 0; i < N_PIPES; i++)
		close_end(&p.theirs[i]);
	if (rc == 0) {
		if (limits)
			limit_program(pid, limits);
		rc = exchange(&p, in, n, l, out, &errors) && wait_until_exit(pid, l)
			     ? wait_for_exit(pid, argv[0], &errors, err)
			     : kill_program(pid, argv[0], l, err);
	}
	restore_sigpipe(&sigpipe);
	close_pipes(&p);
	buf_release(&errors);
	return rc;
}

int child_run(const char *const *argv, const void *in, size_t n, struct buf *out, struct err *err)
{
	struct limits l = { .until_ms = INT64_MAX, .max = SIZE_MAX };

	return child_run_program(argv, in, n, NULL, &l, out, err);
}

int child_read(const char *const *argv, size_t max, unsigned seconds, const struct stop *stop, struct buf *out,
	       struct err *err)
{
	struct limits l = { .until_ms = clock_mono_ms() + (int64_t)seconds * 1000, .max = max, .stop = stop };

	return child_run_program(argv, "", 0, NULL, &l, out, err);
}

int child_run_limited(const char *const *argv, const void *in, size_t n, const struct child_limits *limits,
		      struct buf *out, struct err *err)
{
	struct limits l = { .until_ms = clock_mono_ms() + (int64_t)limits->seconds * 1000,
			    .max = limits->max_output,
			    .stop = limits->stop };

	return child_run_program(argv, in, n, limits, &l, out, err);
}

/* Run a program on our terminal; files are changes to the descriptors of the program, NULL for none. */
static int run_on_terminal(const char *const *argv, posix_spawn_file_actions_t *files, struct err *err)
{
	struct sigaction old_int, old_quit;
	pid_t pid;
	int rc;

	ignore_signal(SIGINT, &old_int);
	ignore_signal(SIGQUIT, &old_quit);
	rc = child_spawn(argv, files, 0, &pid, err);
	if (rc == 0)
		rc = wait_for_exit(pid, argv[0], NULL, err);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return rc;
}

int child_start_pipe(const char *command, int *fd, pid_t *pid, struct err *err)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	posix_spawn_file_actions_t files;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(err, ERR_IO, "pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
	rc = child_spawn(argv, &files, 0, pid, err);
	posix_spawn_file_actions_destroy(&files);
	close(ends[0]);
	if (rc < 0)
		close(ends[1]);
	else
		*fd = ends[1];
	return rc;
}

int child_wait(pid_t pid, bool *interrupted, struct err *err)
{
	siginfo_t info = { 0 };

	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	*interrupted = info.si_code != CLD_EXITED && info.si_status == SIGINT;
	return wait_for_exit(pid, "the command after |", NULL, err) < 0 && !*interrupted ? ERR_IO : 0;
}

int child_run_silent(const char *const *argv, struct err *err)
{
	posix_spawn_file_actions_t files;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	rc = run_on_terminal(argv, &files, err);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

int child_run_interactive(const char *const *argv, struct err *err)
{
	return run_on_terminal(argv, NULL, err);
}

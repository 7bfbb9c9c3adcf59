/*
 * child.c - other programs: bytes in, bytes out
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A program that reads and writes at its own pace must never wait for us while we wait for it, so
 * all three pipes are served by one poll loop.
 */
#include "config.h"

#include "base/child.h"

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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { IN, OUT, ERR, N_PIPES, ERR_MAX = 4096, LOOK_MS = 20 };

/* Our ends of the pipes; -1 when closed. */
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
	return 0;
}

/* SIGPIPE, held back from one thread. */
struct held {
	sigset_t signal, before;
	bool was_pending;
};

/*
 * A program may stop reading while we write. SIGPIPE is held back from this thread alone: to ignore it for a while
 * would be everybody's matter, and whoever of two threads is done first would end the other.
 */
static void hold_pipe(struct held *h)
{
	sigset_t pending;

	sigemptyset(&h->signal);
	sigaddset(&h->signal, SIGPIPE);
	h->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGPIPE) == 1;
	pthread_sigmask(SIG_BLOCK, &h->signal, &h->before);
}

static void let_pipe(const struct held *h)
{
	const struct timespec none = { 0 };

	while (!h->was_pending && sigtimedwait(&h->signal, NULL, &none) < 0 && errno == EINTR)
		;
	pthread_sigmask(SIG_SETMASK, &h->before, NULL);
}

/* Start a program with signals as they are by default, whatever we do with them. */
static int spawn(const char *const *argv, posix_spawn_file_actions_t *files, pid_t *pid, struct err *err)
{
	posix_spawnattr_t attr;
	sigset_t all, held;
	int rc;

	posix_spawnattr_init(&attr);
	pthread_sigmask(SIG_SETMASK, NULL, &held);
	sigdelset(&held, SIGPIPE);
	posix_spawnattr_setsigmask(&attr, &held);
	sigemptyset(&all);
	sigaddset(&all, SIGPIPE);
	sigaddset(&all, SIGINT);
	sigaddset(&all, SIGQUIT);
	posix_spawnattr_setsigdefault(&attr, &all);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
	rc = posix_spawnp(pid, argv[0], files, &attr, (char *const *)argv, environ);
	posix_spawnattr_destroy(&attr);
	if (rc == 0)
		return 0;
	return err_set(err, rc == ENOENT || rc == EACCES || rc == ENOTDIR ? ERR_UNKNOWN : ERR_IO, "%s: %s", argv[0],
		       strerror(rc));
}

/* Wait for a program. noise is what it printed on standard error; may be NULL. */
static int finish(pid_t pid, const char *name, const struct buf *noise, struct err *err)
{
	struct buf line = { 0 };
	int status, rc = 0;

	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (noise && noise->len) {
		buf_addz(&line, ": ");
		utf8_add_safe(&line, noise->data, strcspn(noise->data, "\n"));
	}
	if (WIFSIGNALED(status))
		rc = err_set(err, ERR_IO, "%s was ended by signal %d%s", name, WTERMSIG(status), buf_text(&line));
	else if (WEXITSTATUS(status) != 0)
		rc = err_set(err, ERR_IO, "%s ended with status %d%s", name, WEXITSTATUS(status), buf_text(&line));
	buf_release(&line);
	return rc;
}

/* Write what the pipe takes; a program that stops reading is not an error by itself. */
static void give(int *fd, const char **in, size_t *n)
{
	ssize_t put = *n ? write(*fd, *in, *n) : 0;

	assert(*fd >= 0);
	if (put > 0) {
		*in += put;
		*n -= (size_t)put;
	}
	if (*n == 0 || (put < 0 && errno != EAGAIN && errno != EINTR))
		close_end(fd);
}

static void take(int *fd, size_t max, struct buf *out)
{
	char part[16 << 10];
	ssize_t got = read(*fd, part, sizeof(part));

	assert(*fd >= 0);
	if (got > 0 && out->len < max)
		buf_add(out, part, (size_t)got);
	else if (got == 0 || (got < 0 && errno != EINTR))
		close_end(fd);
}

/* How long it may take and how much it may print, and which of the two was too much. */
struct bounds {
	int64_t until_ms; /* of the monotonic clock; INT64_MAX for ever */
	size_t max;
	bool late, much;
	const struct stop *stop; /* it is ended when this is set; NULL: never */
};

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Wait until some pipe wants something, or for a while; false when the time is over, or it is to stop. */
static bool wait_for(struct pollfd *fds, struct bounds *b)
{
	int64_t left = b->until_ms == INT64_MAX ? -1 : b->until_ms - now_ms();

	b->late = b->until_ms != INT64_MAX && left <= 0;
	if (b->late || stop_is_set(b->stop))
		return false;
	if (b->stop && (left < 0 || left > LOOK_MS))
		left = LOOK_MS;
	if (poll(fds, N_PIPES, left > INT_MAX ? INT_MAX : (int)left) <= 0)
		for (int i = 0; i < N_PIPES; i++)
			fds[i].revents = 0;
	return true;
}

/* Gives false when a bound was met; the program then runs on. */
static bool serve(struct pipes *p, const char *in, size_t n, struct bounds *b, struct buf *out, struct buf *noise)
{
	size_t before = out->len;

	while (p->ours[OUT] >= 0 || p->ours[ERR] >= 0) {
		struct pollfd fds[N_PIPES];

		for (int i = 0; i < N_PIPES; i++)
			fds[i] = (struct pollfd){ .fd = p->ours[i], .events = i == IN ? POLLOUT : POLLIN };
		if (!wait_for(fds, b))
			return false;
		if (fds[IN].revents)
			give(&p->ours[IN], &in, &n);
		if (fds[OUT].revents)
			take(&p->ours[OUT], SIZE_MAX, out);
		if (fds[ERR].revents)
			take(&p->ours[ERR], ERR_MAX, noise);
		b->much = out->len - before > b->max;
		if (b->much)
			return false;
	}
	return true;
}

static void ignore(int number, struct sigaction *old)
{
	struct sigaction none = { .sa_handler = SIG_IGN };

	sigaction(number, &none, old);
}

/* A program that met a bound is ended. */
static int end(pid_t pid, const char *name, const struct bounds *b, struct err *err)
{
	kill(pid, SIGKILL);
	finish(pid, name, NULL, err);
	if (stop_check(b->stop, err) < 0)
		return ERR_STOPPED;
	return b->late ? err_set(err, ERR_IO, "%s took too long", name)
		       : err_set(err, ERR_LIMIT, "%s printed more than %zu MiB", name, b->max >> 20);
}

static int run(const char *const *argv, const void *in, size_t n, struct bounds *b, struct buf *out, struct err *err)
{
	posix_spawn_file_actions_t files;
	struct held held;
	struct buf noise = { 0 };
	struct pipes p;
	pid_t pid;
	int rc = open_pipes(&p, err);

	assert(argv[0] && (in || n == 0));
	if (rc < 0)
		return rc;
	posix_spawn_file_actions_init(&files);
	for (int i = 0; i < N_PIPES; i++)
		posix_spawn_file_actions_adddup2(&files, p.theirs[i], i);
	hold_pipe(&held);
	rc = spawn(argv, &files, &pid, err);
	posix_spawn_file_actions_destroy(&files);
	for (int i = 0; i < N_PIPES; i++)
		close_end(&p.theirs[i]);
	if (rc == 0) {
		rc = serve(&p, in, n, b, out, &noise) ? finish(pid, argv[0], &noise, err) : end(pid, argv[0], b, err);
	}
	let_pipe(&held);
	close_pipes(&p);
	buf_release(&noise);
	return rc;
}

int child_run(const char *const *argv, const void *in, size_t n, struct buf *out, struct err *err)
{
	struct bounds b = { .until_ms = INT64_MAX, .max = SIZE_MAX };

	return run(argv, in, n, &b, out, err);
}

int child_read(const char *const *argv, size_t max, unsigned seconds, const struct stop *stop, struct buf *out,
	       struct err *err)
{
	struct bounds b = { .until_ms = now_ms() + (int64_t)seconds * 1000, .max = max, .stop = stop };

	return run(argv, "", 0, &b, out, err);
}

/* Run a program on our terminal, with these changes to its files. */
static int run_on_terminal(const char *const *argv, posix_spawn_file_actions_t *files, struct err *err)
{
	struct sigaction old_int, old_quit;
	pid_t pid;
	int rc;

	ignore(SIGINT, &old_int);
	ignore(SIGQUIT, &old_quit);
	rc = spawn(argv, files, &pid, err);
	if (rc == 0)
		rc = finish(pid, argv[0], NULL, err);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	return rc;
}

int child_pipe(const char *command, int *fd, pid_t *pid, struct err *err)
{
	const char *const argv[] = { "/bin/sh", "-c", command, NULL };
	posix_spawn_file_actions_t files;
	int ends[2], rc;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return err_set(err, ERR_IO, "pipe: %s", strerror(errno));
	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_adddup2(&files, ends[0], STDIN_FILENO);
	rc = spawn(argv, &files, pid, err);
	posix_spawn_file_actions_destroy(&files);
	close(ends[0]);
	if (rc < 0)
		close(ends[1]);
	else
		*fd = ends[1];
	return rc;
}

int child_end(pid_t pid, bool *interrupted, struct err *err)
{
	siginfo_t how = { 0 };

	while (waitid(P_PID, (id_t)pid, &how, WEXITED | WNOWAIT) < 0 && errno == EINTR)
		;
	*interrupted = how.si_code != CLD_EXITED && how.si_status == SIGINT;
	return finish(pid, "the command behind |", NULL, err) < 0 && !*interrupted ? ERR_IO : 0;
}

int child_show(const char *const *argv, struct err *err)
{
	posix_spawn_file_actions_t files;
	int rc;

	posix_spawn_file_actions_init(&files);
	posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
	rc = run_on_terminal(argv, &files, err);
	posix_spawn_file_actions_destroy(&files);
	return rc;
}

int child_talk(const char *const *argv, struct err *err)
{
	return run_on_terminal(argv, NULL, err);
}

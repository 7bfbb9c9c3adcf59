/*
 * screen_guard.c - restoring the terminal however the program ends
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The bytes that restore the terminal are prepared in advance, so that a handler only writes them: neither malloc nor
 * curses may be called after a crash. Output of the program and its children on standard error would spoil the screen
 * and be lost with it; it is captured and written when the terminal is restored.
 */
#include "config.h"

#include "front/shell/terminal/screen_int.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { RESTORE_MAX = 1024, CAPTURED_MAX = 1 << 16, STACK = 1 << 16 };

static const int crashes[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP, SIGQUIT };
static const int notices[] = { SIGINT, SIGTERM, SIGHUP, SIGWINCH, SIGTSTP, SIGCONT };

enum { N_CRASHES = sizeof(crashes) / sizeof(crashes[0]), N_NOTICES = sizeof(notices) / sizeof(notices[0]) };

/* The state of the terminal, of which there is only one. Written by the screen's thread before the handlers are set;
   the atomics are also written by handlers, in any thread. */
static struct {
	char restore[RESTORE_MAX];
	size_t n;
	struct termios modes;
	int wake;
	int captured_fd, stderr_fd; /* file that captures standard error, copy of the original; -1: none */
	atomic_int stop;            /* the signal that should end the program; 0 for none */
	atomic_bool is_active, resize, suspend, resume;
	_Atomic int64_t stop_s;                               /* the time of that signal */
	struct sigaction crash[N_CRASHES], notice[N_NOTICES]; /* the previous handlers */
	char stack[STACK];
} guard = { .wake = -1, .captured_fd = -1, .stderr_fd = -1 };

static void write_all_sig(int fd, const char *data, size_t n)
{
	while (n > 0) {
		ssize_t done = write(fd, data, n);

		if (done > 0) {
			data += done;
			n -= (size_t)done;
		} else if (done < 0 && errno == EAGAIN) {
			struct pollfd p = { .fd = fd, .events = POLLOUT };

			if (poll(&p, 1, 1000) <= 0)
				return;
		} else if (done == 0 || errno != EINTR) {
			return;
		}
	}
}

void screen_guard_write(const char *data, size_t n)
{
	write_all_sig(STDOUT_FILENO, data, n);
}

/* Restore standard error and write the captured output to it. */
static void restore_stderr_sig(void)
{
	char part[512];
	off_t end, at = 0;

	if (guard.stderr_fd < 0)
		return;
	end = lseek(guard.captured_fd, 0, SEEK_CUR);
	dup2(guard.stderr_fd, STDERR_FILENO);
	while (at < end) {
		ssize_t n = pread(guard.captured_fd, part,
				  end - at < (off_t)sizeof(part) ? (size_t)(end - at) : sizeof(part), at);

		if (n <= 0)
			break;
		write_all_sig(STDERR_FILENO, part, (size_t)n);
		at += n;
	}
	lseek(guard.captured_fd, 0, SEEK_SET);
}

/* Discard further standard output, because another thread may be painting. Return a copy of the original. */
static int mute_stdout_sig(void)
{
	int to = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3), null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (to < 0 || null < 0 || dup2(null, STDOUT_FILENO) < 0)
		return to < 0 ? STDOUT_FILENO : to;
	return to;
}

/* Restore the terminal, if it is taken over, because the program ends. */
static void restore_terminal_sig(void)
{
	int before = errno, to;
	sigset_t output, old;

	if (!atomic_exchange(&guard.is_active, false))
		return;
	/* SIGTTOU would stop a background job that is about to end */
	sigemptyset(&output);
	sigaddset(&output, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &output, &old);
	to = mute_stdout_sig();
	write_all_sig(to, guard.restore, guard.n);
	tcflush(STDIN_FILENO, TCIFLUSH); /* drop pending mouse reports */
	tcsetattr(STDIN_FILENO, TCSANOW, &guard.modes);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	restore_stderr_sig();
	errno = before;
}

static void at_exit(void)
{
	restore_terminal_sig();
}

/* Handle a crash: restore the previous action, which ends the program. A fault recurs when the handler returns; other
   signals are raised again. */
static void on_crash_sig(int sig, siginfo_t *info, void *context)
{
	(void)context;
	restore_terminal_sig();
	for (int i = 0; i < N_CRASHES; i++)
		if (crashes[i] == sig)
			sigaction(sig, &guard.crash[i], NULL);
	if (info->si_code <= 0 || sig == SIGTRAP || sig == SIGSYS)
		raise(sig);
}

static void wake_sig(void)
{
	static const uint64_t one = 1;
	int before = errno;

	if (write(guard.wake, &one, sizeof(one)) < 0)
		errno = before;
}

/* Request the end of the program, which the screen's thread carries out. A second signal, more than a second later,
   ends the program here. */
static void on_stop_sig(int sig)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (!guard.stop) {
		guard.stop_s = now.tv_sec;
		guard.stop = sig;
	} else if (now.tv_sec - guard.stop_s > 1) {
		restore_terminal_sig();
		signal(sig, SIG_DFL);
		raise(sig);
	}
}

static void on_notice_sig(int sig)
{
	switch (sig) {
	case SIGWINCH:
		guard.resize = true;
		break;
	case SIGTSTP:
		guard.suspend = true;
		break;
	case SIGCONT:
		guard.resume = true;
		break;
	default:
		on_stop_sig(sig);
	}
	wake_sig();
}

static void screen_guard_watch(int sig, const struct sigaction *by, struct sigaction *before)
{
	struct sigaction act = *by;

	sigaction(sig, NULL, before);
	if (before->sa_handler == SIG_IGN && sig != SIGWINCH &&
	    sig != SIGCONT) /* keep ignoring a signal that nohup ignores */
		return;
	sigfillset(&act.sa_mask);
	sigaction(sig, &act, NULL);
}

void screen_guard_begin(const char *restore, size_t n, const struct termios *modes, int wake)
{
	static bool registered;
	struct sigaction notice = { .sa_handler = on_notice_sig, .sa_flags = SA_RESTART };
	struct sigaction crash = { .sa_sigaction = on_crash_sig, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	stack_t stack = { .ss_sp = guard.stack, .ss_size = sizeof(guard.stack) };

	guard.n = n < RESTORE_MAX ? n : 0;
	memcpy(guard.restore, restore, guard.n);
	guard.modes = *modes;
	guard.wake = wake;
	guard.stop = 0;
	guard.resize = guard.suspend = guard.resume = false;
	if (!registered)
		atexit(at_exit);
	registered = true;
	if (isatty(STDERR_FILENO)) {
		guard.captured_fd = memfd_create("standard error", MFD_CLOEXEC | MFD_ALLOW_SEALING);
		if (guard.captured_fd >= 0 && ftruncate(guard.captured_fd, CAPTURED_MAX) == 0 &&
		    fcntl(guard.captured_fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK) == 0)
			guard.stderr_fd = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	}
	sigaltstack(&stack, NULL);
	for (int i = 0; i < N_NOTICES; i++)
		screen_guard_watch(notices[i], &notice, &guard.notice[i]);
	for (int i = 0; i < N_CRASHES; i++)
		screen_guard_watch(crashes[i], &crash, &guard.crash[i]);
}

void screen_guard_end(void)
{
	stack_t none = { .ss_flags = SS_DISABLE };

	screen_guard_set_active(false);
	for (int i = 0; i < N_NOTICES; i++)
		sigaction(notices[i], &guard.notice[i], NULL);
	for (int i = 0; i < N_CRASHES; i++)
		sigaction(crashes[i], &guard.crash[i], NULL);
	sigaltstack(&none, NULL);
	if (guard.stderr_fd >= 0)
		close(guard.stderr_fd);
	if (guard.captured_fd >= 0)
		close(guard.captured_fd);
	guard.captured_fd = guard.stderr_fd = guard.wake = -1;
}

void screen_guard_set_active(bool is_active)
{
	if (is_active && guard.stderr_fd >= 0)
		dup2(guard.captured_fd, STDERR_FILENO);
	atomic_store(&guard.is_active, is_active);
	if (!is_active)
		restore_stderr_sig();
}

struct signals screen_guard_read_signals(void)
{
	struct signals s = {
		.stop = atomic_load(&guard.stop),
		.resize = atomic_exchange(&guard.resize, false),
		.suspend = atomic_exchange(&guard.suspend, false),
		.resume = atomic_exchange(&guard.resume, false),
	};

	return s;
}

void screen_guard_stop(void)
{
	struct sigaction ours, plain = { .sa_handler = SIG_DFL };

	sigemptyset(&plain.sa_mask);
	sigaction(SIGTSTP, &plain, &ours);
	kill(0, SIGTSTP); /* stop the whole job, as the terminal's driver does */
	sigaction(SIGTSTP, &ours, NULL);
	guard.suspend = false;
}

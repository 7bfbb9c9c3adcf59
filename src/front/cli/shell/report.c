/*
 * report.c - run a line of the shell that requests a report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * On a terminal, a forked child makes the report. The profile is sealed and no threads are running, so the child can
 * do everything that this process can, and Ctrl-C may end it at any point. Measured with a million samples: fork,
 * the shortest report and exit take 3 ms; top takes 0.35 to 0.5 s instead of 0.29 s, because each child gets new memory
 * from the kernel.
 */
#include "config.h"

#include "front/cli/shell/report.h"

#include "answer/answer.h"
#include "base/child.h"
#include "front/cli/messages.h"
#include "front/cli/report/report.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Convert the line to arguments of a command line. */
static struct args args_of(const struct line *l, struct stop *stop)
{
	struct args a = { .q = *settings_query(l->settings), .report = l->report, .is_shell_line = true };

	a.q.stop = stop;
	a.q.keep_base = l->report->flags & REPORT_KEEPS_BASE; /* the same setting as on the command line */
	return a;
}

static int shell_report_make(const struct load_result *s, const struct line *l, struct stop *stop)
{
	struct args a = args_of(l, stop);

	progress_begin("making the report");
	progress_follow(stop);
	return cmd_report_profile(a.q.keep_base && s->sides ? s->sides : s->profile, &a, s->from);
}

/* Make the report with fd as standard output; -1: leave it unchanged. */
static int make_to(const struct load_result *s, const struct line *l, struct stop *stop, int fd)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, before;
	int status, ours;

	if (fd < 0)
		return shell_report_make(s, l, stop);
	ours = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
	if (ours < 0)
		return say_error("standard output: %s", strerror(errno));
	if (dup2(fd, STDOUT_FILENO) < 0) {
		status = say_error("standard output: %s", strerror(errno));
		close(ours);
		return status;
	}
	sigaction(SIGPIPE, &ignore, &before);
	status = shell_report_make(s, l, stop);
	sigaction(SIGPIPE, &before, NULL);
	dup2(ours, STDOUT_FILENO);
	close(ours);
	return status;
}

/* Make the report in a child process. If a signal ends it, start a new line for the prompt. */
static int make_in_child(const struct load_result *s, const struct line *l, struct stop *stop, int fd)
{
	pid_t child = fork();
	int wait_status;

	if (child < 0)
		return make_to(s, l, stop, fd);
	if (child == 0) {
		signal(SIGINT, SIG_DFL);
		signal(SIGQUIT, SIG_DFL);
		_exit(make_to(s, l, stop, fd));
	}
	while (waitpid(child, &wait_status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(wait_status))
		return WEXITSTATUS(wait_status);
	if (WTERMSIG(wait_status) != SIGINT)
		return say_error("the report was ended by signal %d", WTERMSIG(wait_status));
	if (fd < 0) /* if the output is a pipe, child_wait reports the interruption */
		fputs("\n", stderr);
	return STATUS_TROUBLE;
}

static void ignore_keys(struct sigaction before[2])
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };

	sigaction(SIGINT, &ignore, &before[0]);
	sigaction(SIGQUIT, &ignore, &before[1]);
}

int cmd_shell_report(const struct load_result *s, const struct line *l, struct stop *stop, bool in_child)
{
	const struct args a = args_of(l, stop);
	struct sigaction before[2];
	struct err err;
	size_t n_stdin = 0;
	int fd = -1, status;
	pid_t program = 0;
	bool interrupted = false;

	if (answer_check(l->report, &a.q, &err) < 0)
		return say_error("%s", err.msg);
	for (int i = N_SIDES; i-- > 0;)
		if (sources_check(&s->source[i], i == SIDE_BASE ? "base" : "source", &a.q, &n_stdin, &err) < 0)
			return say_error("%s", err.msg);
	if (in_child)
		ignore_keys(before);
	if (l->pipe && child_start_pipe(l->pipe, &fd, &program, &err) < 0) {
		status = say_error("%s", err.msg);
	} else {
		status = in_child ? make_in_child(s, l, stop, fd) : make_to(s, l, stop, fd);
		if (fd >= 0)
			close(fd);
		if (program && child_wait(program, &interrupted, &err) < 0)
			status = say_error("%s", err.msg);
		if (interrupted)
			fputs("\n", stderr);
	}
	if (in_child) {
		sigaction(SIGINT, &before[0], NULL);
		sigaction(SIGQUIT, &before[1], NULL);
	}
	return status;
}

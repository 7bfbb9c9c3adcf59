/*
 * exec.c - start a program in a child process
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "attach/exec.h"

#include "base/mem.h"

#include <assert.h>
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NOT_FOUND = 127, EXIT_NOT_RUN = 126, EXIT_SIGNAL = 128 };

char **attach_script_arguments(const char *path, char **argv)
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
	return to;
}

_Noreturn void attach_exec(const char *path, char **argv, char **script, char **env, const struct attach_messages *m)
{
	int error;

	execve(path, argv, env);
	if (errno == ENOEXEC)
		execve(script[0], script, env);
	error = errno;
	m->exec_failed(m->arg, path, error);
	_exit(error == ENOENT ? EXIT_NOT_FOUND : EXIT_NOT_RUN);
}

int attach_exit_status(int status)
{
	return WIFSIGNALED(status) ? EXIT_SIGNAL + WTERMSIG(status) : WEXITSTATUS(status);
}

/* In the child: wait for the byte, then execute the program. */
static _Noreturn void attach_exec_run_child(int gate, const char *path, char **argv, char **script,
					    const struct attach_messages *m)
{
	extern char **environ;
	ssize_t n;
	char byte;

	do
		n = read(gate, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		attach_exec(path, argv, script, environ, m);
	_exit(EXIT_NOT_RUN);
}

static volatile sig_atomic_t child_pid; /* 0: none */

static void pass_on(int number, siginfo_t *info, void *context)
{
	int saved = errno;

	(void)context;
	if (info->si_code != SI_KERNEL && child_pid > 0)
		kill(child_pid, number);
	errno = saved;
}

static const int passed_on[ATTACH_CHILD_SIGNALS] = { SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2 };

static void pass_on_signals(struct attach_child *c)
{
	struct sigaction ours = { .sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_RESTART };

	child_pid = c->pid;
	for (size_t i = 0; i < ATTACH_CHILD_SIGNALS; i++)
		sigaction(passed_on[i], &ours, &c->before[i]);
}

int attach_child_create(const char *path, char **argv, const struct attach_messages *m, struct attach_child *out,
			struct err *err)
{
	char **script = attach_script_arguments(path, argv);
	int gate[2], rc = 0;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, gate) != 0) {
		free(script);
		return err_set(err, ERR_IO, "socketpair: %s", strerror(errno));
	}
	*out = (struct attach_child){ .pid = fork(), .gate = gate[1] };
	if (out->pid == 0) {
		close(gate[1]); /* then the stream ends if cpa does */
		attach_exec_run_child(gate[0], path, argv, script, m);
	}
	if (out->pid < 0) {
		rc = err_set(err, ERR_IO, "fork: %s", strerror(errno));
		close(gate[1]);
	} else {
		pass_on_signals(out);
	}
	close(gate[0]);
	free(script);
	return rc;
}

void attach_child_release(struct attach_child *c)
{
	while (send(c->gate, "", 1, MSG_NOSIGNAL) < 0 && errno == EINTR)
		continue;
}

int attach_child_wait(struct attach_child *c)
{
	int status = 0;

	close(c->gate);
	while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	child_pid = 0;
	for (size_t i = 0; i < ATTACH_CHILD_SIGNALS; i++)
		sigaction(passed_on[i], &c->before[i], NULL);
	return attach_exit_status(status);
}

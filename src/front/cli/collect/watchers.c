/*
 * watchers.c - the processes of the watch lines of collect.cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/collect/watchers.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/time.h"
#include "front/cli/cmd.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* The command line of a watch line. option: --store=DIR, or NULL; the result and its texts are borrowed, the array is owned */
static char **watcher_argv(const struct scrape_watch *w, char *option, int *argc)
{
	char **argv = mem_alloc(w->n + 3, sizeof(*argv));
	int n = 0;

	argv[n++] = (char *)(uintptr_t) "watch";
	if (option)
		argv[n++] = option;
	for (size_t i = 0; i < w->n; i++)
		argv[n++] = (char *)(uintptr_t)w->word[i];
	argv[n] = NULL;
	*argc = n;
	return argv;
}

int watchers_check(const struct scrape_config *config, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; i < config->n_watches && rc == 0; i++) {
		int argc;
		char **argv = watcher_argv(&config->watch[i], NULL, &argc);

		rc = cmd_watch_check_line(argc, argv, err);
		if (rc < 0)
			err_wrap(err, "%s:%" PRIu32 ": watch", config->file, config->watch[i].line);
		free(argv);
	}
	return rc;
}

/* Become cpa watch in a new process, which gets SIGTERM when the collector ends. Calls only async-signal-safe functions. */
_Noreturn static void become_watcher(char **argv, pid_t collector)
{
	enum { NO_PROGRAM = 127 };
	sigset_t none;

	sigemptyset(&none);
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() == collector)
		execv("/proc/self/exe", argv);
	_exit(NO_PROGRAM);
}

static int start_one(struct watchers *w, const struct scrape_watch *line, char *option, struct err *err)
{
	int argc;
	char **words = watcher_argv(line, option, &argc), **argv = mem_alloc((size_t)argc + 2, sizeof(*argv));
	pid_t self = getpid(), pid;

	argv[0] = (char *)(uintptr_t) "cpa";
	memcpy(argv + 1, words, ((size_t)argc + 1) * sizeof(*argv));
	pid = fork();
	if (pid == 0)
		become_watcher(argv, self);
	free(argv);
	free(words);
	if (pid < 0)
		return err_set(err, ERR_IO, "cpa watch of line %" PRIu32 ": %s", line->line, strerror(errno));
	w->pid[w->n++] = pid;
	return 0;
}

int watchers_start(struct watchers *w, const struct scrape_config *config, const char *store, struct err *err)
{
	struct buf option = { 0 };
	int rc = 0;

	watchers_stop(w);
	buf_addf(&option, "--store=%s", store);
	w->pid = mem_alloc(config->n_watches, sizeof(*w->pid));
	for (size_t i = 0; i < config->n_watches; i++) {
		struct err one;

		if (start_one(w, &config->watch[i], option.data, &one) < 0) {
			*err = one;
			rc = one.code;
		}
	}
	buf_release(&option);
	return rc;
}

/* Wait for a process that got SIGTERM; kill it after two seconds. */
static void watchers_await(pid_t pid)
{
	enum { STEPS = 200 };
	const struct timespec step = { .tv_nsec = 10 * NS_PER_MS };
	pid_t ended = 0;

	for (int i = 0; i < STEPS && ended == 0; i++) {
		ended = waitpid(pid, NULL, WNOHANG);
		if (ended == 0)
			nanosleep(&step, NULL);
	}
	if (ended != 0)
		return;
	kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
}

void watchers_stop(struct watchers *w)
{
	for (size_t i = 0; i < w->n; i++)
		kill(w->pid[i], SIGTERM);
	for (size_t i = 0; i < w->n; i++)
		watchers_await(w->pid[i]);
	free(w->pid);
	*w = (struct watchers){ 0 };
}

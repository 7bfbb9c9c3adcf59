/*
 * open.c - show a picture with another program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/report/open.h"

#include "base/buf.h"
#include "base/child.h"
#include "base/io.h"
#include "base/mem.h"
#include "front/cli/messages.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Wait at least this long: a program may pass the file to a running instance and exit immediately. */
enum { SECONDS_MIN = 1, WORDS_MAX = 16 };

static bool report_open_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

int cmd_report_open_check(const struct report_type *t, struct err *err)
{
	assert(t->picture && t->picture->is_shown);
	if (report_open_is_set("DISPLAY") || report_open_is_set("WAYLAND_DISPLAY"))
		return 0;
	if (!t->picture->program && report_open_is_set("BROWSER"))
		return 0;
	return err_set(err, ERR_USAGE, "%s: no display%s; use -output=FILE.%s and open the file elsewhere", t->name,
		       report_open_is_set("SSH_CONNECTION") ? " (in an SSH session)" : "", t->picture->ext);
}

static int write_temp(const struct picture *p, const void *data, size_t n, struct buf *path, struct err *err)
{
	int fd, rc;

	buf_addf(path, "%s/cpa-XXXXXX.%s", report_open_is_set("TMPDIR") ? getenv("TMPDIR") : "/tmp", p->ext);
	fd = mkostemps(path->data, (int)strlen(p->ext) + 1, O_CLOEXEC);
	if (fd < 0)
		return err_set(err, ERR_IO, "%s: %s", path->data, strerror(errno));
	rc = io_write_fd(fd, data, n, err);
	if (close(fd) != 0 && rc == 0)
		rc = err_set(err, ERR_IO, "%s", strerror(errno));
	if (rc < 0) {
		err_wrap(err, "%s", path->data);
		unlink(path->data);
	}
	return rc;
}

/* Run a command, split at blanks, with the file as last argument. */
static int report_open_run_command(const char *command, const char *path, struct err *err)
{
	char *words = mem_strndup(command, strlen(command)), *rest = words, *word;
	const char *argv[WORDS_MAX + 2];
	size_t n = 0;
	int rc;

	while ((word = strsep(&rest, " ")))
		if (*word && n < WORDS_MAX)
			argv[n++] = word;
	argv[n++] = path;
	argv[n] = NULL;
	rc = n > 1 ? child_run_silent(argv, err) : err_set(err, ERR_UNKNOWN, "no command");
	free(words);
	return rc;
}

size_t cmd_report_list_browsers(const char *out[CMD_REPORT_BROWSERS_MAX])
{
	static const char *const known[] = { "chrome", "google-chrome", "chromium", "firefox", "sensible-browser" };
	size_t n = 0;

	if (report_open_is_set("BROWSER"))
		out[n++] = getenv("BROWSER");
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		out[n++] = known[i];
	if (report_open_is_set("DISPLAY") || report_open_is_set("WAYLAND_DISPLAY"))
		out[n++] = "xdg-open";
	return n;
}

/* Run the first command that exists. */
static int run_first(const char *const *commands, size_t n, const char *path, struct err *err)
{
	struct buf tried = { 0 };
	int rc = ERR_UNKNOWN;

	for (size_t i = 0; i < n && rc == ERR_UNKNOWN; i++) {
		buf_addf(&tried, "%s%s", tried.len ? ", " : "", commands[i]);
		rc = report_open_run_command(commands[i], path, err);
	}
	if (rc == ERR_UNKNOWN)
		rc = err_set(err, ERR_IO, "no viewer found (tried %s); use -output to write a file", buf_text(&tried));
	buf_release(&tried);
	return rc;
}

static int run_viewer(const struct picture *p, const char *path, struct err *err)
{
	const char *browsers[CMD_REPORT_BROWSERS_MAX];
	size_t n = cmd_report_list_browsers(browsers);

	return p->program ? run_first(&p->program, 1, path, err) : run_first(browsers, n, path, err);
}

static void report_open_wait_until(const struct timespec *when)
{
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, when, NULL) == EINTR)
		;
}

int cmd_report_open_show(const struct report_type *t, const void *data, size_t n, struct err *err)
{
	struct buf path = { 0 };
	struct timespec until;
	int rc = write_temp(t->picture, data, n, &path, err);

	if (rc == 0) {
		clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += SECONDS_MIN;
		rc = run_viewer(t->picture, path.data, err);
		if (rc == 0)
			report_open_wait_until(&until);
		unlink(path.data);
	}
	buf_release(&path);
	return rc;
}

/* In the new process: do not read from the terminal, ignore Ctrl-C. */
static _Noreturn void show_in_child(const struct report_type *t, const void *data, size_t n)
{
	struct err err;
	int rc, null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	signal(SIGINT, SIG_IGN);
	signal(SIGQUIT, SIG_IGN);
	dup2(null, STDIN_FILENO);
	rc = cmd_report_open_show(t, data, n, &err);
	_exit(rc < 0 ? say_error("%s", err.msg) : STATUS_FINE);
}

int cmd_report_open_start(const struct report_type *t, const void *data, size_t n, struct err *err)
{
	enum { STEPS = 50 };
	const struct timespec step = { .tv_nsec = SECONDS_MIN * 1000000000l / STEPS };
	pid_t child;

	fflush(NULL);
	child = fork();
	if (child < 0)
		return err_set(err, ERR_IO, "cannot start a process: %s", strerror(errno));
	if (child == 0)
		show_in_child(t, data, n);
	for (int i = 0; i < STEPS; i++) {
		if (waitpid(child, NULL, WNOHANG) != 0)
			break;
		nanosleep(&step, NULL);
	}
	return 0;
}

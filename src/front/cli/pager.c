/*
 * pager.c - show output that is longer than the terminal with a pager
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/cli/pager.h"

#include "answer/draw.h"
#include "base/child.h"
#include "base/columns.h"
#include "base/io.h"
#include "engine/query.h"
#include "front/cli/messages.h"

#include <assert.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { EXIT_NOT_RUN = 126 }; /* of sh, if it cannot run a command or (127) cannot find it */

/* A pager that runs. Ctrl-C is a key of the pager, and a pipe that it closes is not an error. */
struct pager {
	pid_t pid;
	int fd;
	struct sigaction before[3];
};

static const int ignored[] = { SIGINT, SIGQUIT, SIGPIPE };

static bool is_terminal(struct winsize *size)
{
	return isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, size) == 0 && size->ws_row > 0 &&
	       size->ws_col > 0;
}

uint32_t pager_columns(const struct query *q)
{
	struct winsize size;
	bool is_stdout = !*q->output || strcmp(q->output, "-") == 0;

	return is_stdout && !q->wide && is_terminal(&size) ? size.ws_col : 0;
}

/* Is there a program of this name in PATH? */
static bool has_program(const char *name)
{
	const char *path = getenv("PATH");
	bool found = false;

	while (path && *path && !found) {
		size_t n = strcspn(path, ":");
		struct buf file = { 0 };

		buf_addf(&file, "%.*s/%s", (int)n, path, name);
		found = access(buf_text(&file), X_OK) == 0;
		buf_release(&file);
		path += n + (path[n] == ':');
	}
	return found;
}

/* The command of the pager; NULL for none. */
static const char *pager_command(const struct query *q)
{
	const char *pager = getenv("PAGER");

	if ((q && q->no_pager) || !say_can_rewrite(STDOUT_FILENO))
		return NULL;
	if (!pager)
		return has_program("less") ? "less" : NULL;
	return *pager && strcmp(pager, "cat") != 0 ? pager : NULL;
}

/* Does the text need more rows than the terminal has, with one row for the prompt of the shell? */
static bool is_longer(const char *text, size_t n)
{
	struct winsize size;
	size_t rows = 0;

	if (!is_terminal(&size))
		return false;
	for (size_t at = 0; at < n && rows < size.ws_row; at++) {
		const char *end = memchr(text + at, '\n', n - at);
		size_t length = end ? (size_t)(end - text) - at : n - at,
		       columns = column_count_line(text + at, length);

		rows += columns ? (columns - 1) / size.ws_col + 1 : 1;
		at += length;
	}
	return rows >= size.ws_row;
}

static bool pager_start(struct pager *p, const struct query *q)
{
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const char *command = pager_command(q);
	struct err err;

	if (!command)
		return false;
	setenv("LESS", "FRX", 0);
	setenv("LV", "-c", 0);
	if (child_start_pipe(command, &p->fd, &p->pid, &err) < 0)
		return false;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &ignore, &p->before[i]);
	return true;
}

/* Wait for the pager. Returns false if it could not be run, so it has shown nothing. */
static bool pager_end(struct pager *p)
{
	int status = 0;

	close(p->fd);
	while (waitpid(p->pid, &status, 0) < 0 && errno == EINTR)
		;
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		sigaction(ignored[i], &p->before[i], NULL);
	return !WIFEXITED(status) || WEXITSTATUS(status) < EXIT_NOT_RUN;
}

int pager_write(const char *text, size_t n, const struct query *q, struct err *err)
{
	struct pager p;
	struct err ignored_err; /* the pager was left */

	assert(text || n == 0);
	if (is_longer(text, n) && pager_start(&p, q)) {
		io_write_fd(p.fd, text, n, &ignored_err);
		if (pager_end(&p))
			return 0;
	}
	return io_write_fd(STDOUT_FILENO, text, n, err);
}

int pager_write_answer(const struct answer *answer, const struct query *q, struct err *err)
{
	struct pager p;
	struct err ignored_err;

	if (pager_start(&p, q)) {
		answer_write(answer, p.fd, &ignored_err);
		if (pager_end(&p))
			return 0;
	}
	return answer_write(answer, STDOUT_FILENO, err);
}

/* Write the printed text, which is in a file without a name, to standard output. */
static int show_printed(int file, const struct query *q)
{
	off_t n = lseek(file, 0, SEEK_END);
	void *text = n > 0 ? mmap(NULL, (size_t)n, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
	struct err err;
	int status = STATUS_FINE;

	if (text == MAP_FAILED)
		return n == 0 ? STATUS_FINE : say_error("standard output: %s", strerror(errno));
	if (pager_write(text, (size_t)n, q, &err) < 0)
		status = say_error("standard output: %s", err.msg);
	munmap(text, (size_t)n);
	return status;
}

int pager_print(int (*print)(const void *arg), const void *arg, const struct query *q)
{
	int file = -1, own = -1, status, shown;

	fflush(stdout);
	if (pager_command(q) && (file = memfd_create("cpa-help", MFD_CLOEXEC)) >= 0)
		own = dup(STDOUT_FILENO);
	if (own >= 0)
		dup2(file, STDOUT_FILENO);
	status = print(arg);
	if (own >= 0) {
		fflush(stdout);
		dup2(own, STDOUT_FILENO);
		close(own);
		shown = show_printed(file, q);
		status = shown == STATUS_FINE ? status : shown;
	}
	if (file >= 0)
		close(file);
	return status;
}

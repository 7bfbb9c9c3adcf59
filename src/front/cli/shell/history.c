/*
 * history.c - history of the prompt
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each line is appended under a lock, so that shells that run at the same time lose nothing. When the file
 * has too many lines, the last ones are written to a new file that replaces it. A shell that waited for the
 * lock of the old file detects this and opens the new one.
 */
#include "config.h"

#include "front/cli/shell/history.h"

#include "base/io.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { SLACK = 200, FILE_MAX = 4 << 20, GROWTH_MAX = 1 << 20, TRIES = 20, TRY_NS = 10000000 };

static bool shell_history_find_path(struct buf *path)
{
	const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");

	if (state && *state == '/')
		buf_addf(path, "%s/cpa/history", state);
	else if (home && *home == '/')
		buf_addf(path, "%s/.local/state/cpa/history", home);
	return path->len > 0;
}

/* Does the path still name the file of this descriptor? */
static bool is_current(int fd, const char *path)
{
	struct stat open_one, named;

	return fstat(fd, &open_one) == 0 && stat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
	       open_one.st_ino == named.st_ino;
}

/* Open and lock the file. Returns -1 on failure. */
static int open_locked(const char *path)
{
	const struct timespec pause = { .tv_nsec = TRY_NS };
	struct stat st;

	for (int i = 0; i < TRIES; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0600);

		if (fd < 0)
			return -1;
		if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
			close(fd);
			return -1;
		}
		bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;

		if (!locked && errno != EWOULDBLOCK && errno != EINTR)
			return fd; /* a file system without locks: a line may be lost, but not all of them */
		if (locked && is_current(fd, path))
			return fd;
		close(fd);
		nanosleep(&pause, NULL);
	}
	return -1;
}

static bool is_storable(const char *line, size_t n)
{
	uint32_t c;

	for (size_t at = 0, len; at < n; at += len) {
		len = utf8_decode(line + at, n - at, &c);
		if (len == 0 || !utf8_is_safe(c))
			return false;
	}
	return n > 0 && line[strspn(line, " \t")] && line[strspn(line, " \t")] != '\n';
}

/* Append the lines of the text without control characters. */
static void shell_history_split(const char *text, size_t n, struct string_list *out)
{
	for (const char *at = text; at < text + n;) {
		const char *end = memchr(at, '\n', (size_t)(text + n - at));
		size_t len = (size_t)((end ? end : text + n) - at);

		if (is_storable(at, len)) {
			buf_add(&out->all, at, len);
			string_list_end(out);
		}
		at += len + 1;
	}
}

/* Read the lines in the last FILE_MAX bytes. Returns false if there are more. */
static bool shell_history_read_lines(int fd, struct string_list *out)
{
	off_t end = lseek(fd, 0, SEEK_END), start = end > FILE_MAX ? end - FILE_MAX : 0;
	struct bytes all;
	const char *text;
	size_t cut;

	lseek(fd, start, SEEK_SET);
	if (io_read_fd(fd, FILE_MAX + GROWTH_MAX, "", &all, NULL) < 0)
		return true;
	text = (const char *)all.data;
	for (cut = 0; start && cut < all.n && text[cut] != '\n'; cut++) /* the first line may be incomplete */
		;
	shell_history_split(text + cut, all.n - cut, out);
	free(all.data);
	return start == 0;
}

/* Replace the file by one with the last lines only. */
static void drop_old_lines(const char *path, const struct string_list *lines)
{
	struct buf temp = { 0 }, text = { 0 };
	char *real = realpath(path, NULL); /* do not replace a symbolic link */
	int fd;

	for (size_t i = lines->n > HISTORY_MAX ? lines->n - HISTORY_MAX : 0; i < lines->n; i++) {
		size_t n;
		const char *line = string_list_get(lines, i, &n);

		buf_add(&text, line, n);
		buf_addz(&text, "\n");
	}
	buf_addf(&temp, "%s.XXXXXX", real ? real : path);
	fd = mkostemp(temp.data, O_CLOEXEC); /* 0600 */
	if (fd >= 0) {
		bool ok = io_write_fd(fd, text.data, text.len, NULL) == 0;

		ok &= close(fd) == 0;
		if (!ok || rename(temp.data, real ? real : path) != 0)
			unlink(temp.data);
	}
	free(real);
	buf_release(&temp);
	buf_release(&text);
}

void cmd_shell_history_load(struct string_list *out)
{
	struct string_list lines = { 0 };
	struct buf path = { 0 };
	int fd;

	if (shell_history_find_path(&path)) {
		fd = open(path.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
		if (fd >= 0) {
			shell_history_read_lines(fd, &lines);
			close(fd);
		}
	}
	for (size_t i = lines.n > HISTORY_MAX ? lines.n - HISTORY_MAX : 0; i < lines.n; i++) {
		size_t n;
		const char *line = string_list_get(&lines, i, &n);

		buf_add(&out->all, line, n);
		string_list_end(out);
	}
	string_list_release(&lines);
	buf_release(&path);
}

static bool is_last(const struct string_list *lines, const char *line)
{
	size_t n;
	const char *last = lines->n ? string_list_get(lines, lines->n - 1, &n) : NULL;

	return last && n == strlen(line) && memcmp(last, line, n) == 0;
}

static void add_to_file(const char *path, const char *line)
{
	struct string_list lines = { 0 };
	struct buf text = { 0 };
	struct stat st;
	int fd = open_locked(path);
	bool has_all;

	if (fd < 0)
		return;
	has_all = shell_history_read_lines(fd, &lines);
	if (!is_last(&lines, line)) {
		/* a session that ended while writing may have left a line without newline */
		char before = '\n';

		if (fstat(fd, &st) == 0 && st.st_size > 0 && pread(fd, &before, 1, st.st_size - 1) == 1 &&
		    before != '\n')
			buf_addz(&text, "\n");
		buf_addf(&text, "%s\n", line);
		if (io_write_fd(fd, text.data, text.len, NULL) == 0) {
			buf_addz(&lines.all, line);
			string_list_end(&lines);
		}
		if (!has_all || lines.n > HISTORY_MAX + SLACK)
			drop_old_lines(path, &lines);
	}
	close(fd); /* also releases the lock */
	string_list_release(&lines);
	buf_release(&text);
}

void cmd_shell_history_add(const char *line)
{
	struct buf path = { 0 };

	if (is_storable(line, strlen(line)) && shell_history_find_path(&path)) {
		io_make_folders(path.data);
		add_to_file(path.data, line);
	}
	buf_release(&path);
}

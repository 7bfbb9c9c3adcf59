/*
 * kept.c - small things that are remembered from one session to the next
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/kept.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 10 };

struct kept {
	char *path;
	char **line; /* [n] NAME=TEXT, or what somebody else wrote */
	size_t n, cap;
};

static void add_line(struct kept *k, const char *s, size_t n)
{
	k->line = mem_grow(k->line, &k->cap, k->n + 1, sizeof(*k->line));
	k->line[k->n++] = mem_strndup(s, n);
}

static void split(struct kept *k, const struct bytes *file)
{
	size_t at = 0;

	while (at < file->n) {
		const char *s = (const char *)file->data + at, *end = memchr(s, '\n', file->n - at);
		size_t n = end ? (size_t)(end - s) : file->n - at;

		add_line(k, s, n);
		at += n + 1;
	}
}

/* Lines of the file; none where there is no file. */
static int read_lines(struct kept *k, struct err *err)
{
	struct bytes file;
	struct stat st;
	int rc;

	if (stat(k->path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_set(err, ERR_IO, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_IO, "this is no file");
	if (st.st_size > FILE_MAX)
		return err_set(err, ERR_LIMIT, "it has more than %d bytes", FILE_MAX);
	rc = io_read_file(k->path, FILE_MAX, "", &file, err);
	if (rc < 0)
		return rc;
	split(k, &file);
	free(file.data);
	return 0;
}

struct kept *kept_open(const char *path)
{
	struct kept *k = mem_zalloc(1, sizeof(*k));

	if (!path)
		return k;
	k->path = mem_strndup(path, strlen(path));
	read_lines(k, NULL);
	return k;
}

static void release(struct kept *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->line[i]);
	free(k->line);
}

void kept_free(struct kept *k)
{
	if (!k)
		return;
	release(k);
	free(k->path);
	free(k);
}

/* The last line of a name counts; k->n when there is none. */
static size_t find(const struct kept *k, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = k->n; i-- > 0;)
		if (strncmp(k->line[i], name, n) == 0 && k->line[i][n] == '=')
			return i;
	return k->n;
}

const char *kept_get(const struct kept *k, const char *name)
{
	size_t i = find(k, name);

	return i < k->n ? k->line[i] + strlen(name) + 1 : "";
}

static void put(struct kept *k, const char *name, const struct buf *line)
{
	size_t i = find(k, name);

	if (i < k->n) {
		free(k->line[i]);
		k->line[i] = mem_strndup(line->data, line->len);
	} else {
		add_line(k, line->data, line->len);
	}
}

/* Change a line of the file as it is now: other sessions may have kept things meanwhile. */
static int write_line(const char *path, const char *name, const struct buf *line, struct err *err)
{
	struct kept now = { .path = (char *)path };
	struct buf all = { 0 };
	int rc = read_lines(&now, err);

	if (rc == 0) {
		put(&now, name, line);
		for (size_t i = 0; i < now.n; i++)
			buf_addf(&all, "%s\n", now.line[i]);
		io_make_folders(path);
		rc = io_write_file(path, buf_text(&all), all.len, err);
	}
	release(&now);
	buf_release(&all);
	return rc < 0 ? err_wrap(err, "keeping this in %s", path) : 0;
}

int kept_set(struct kept *k, const char *name, const char *text, struct err *err)
{
	struct buf line = { 0 };
	int rc = 0;

	buf_addf(&line, "%s=%s", name, text);
	put(k, name, &line);
	if (k->path)
		rc = write_line(k->path, name, &line, err);
	buf_release(&line);
	return rc;
}

/*
 * prefs.c - user preferences that are saved between sessions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/prefs.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 10 };

struct prefs {
	char *path;
	char **line; /* [n] NAME=TEXT, or any other line found in the file */
	size_t n, cap;
};

static void prefs_add_line(struct prefs *k, const char *s, size_t n)
{
	k->line = mem_grow(k->line, &k->cap, k->n + 1, sizeof(*k->line));
	k->line[k->n++] = mem_strndup(s, n);
}

static void prefs_split(struct prefs *k, const struct bytes *file)
{
	size_t at = 0;

	while (at < file->n) {
		const char *s = (const char *)file->data + at, *end = memchr(s, '\n', file->n - at);
		size_t n = end ? (size_t)(end - s) : file->n - at;

		prefs_add_line(k, s, n);
		at += n + 1;
	}
}

/* Read the lines of the file. A missing file counts as empty. */
static int prefs_read_lines(struct prefs *k, struct err *err)
{
	struct bytes file;
	struct stat st;
	int rc;

	if (stat(k->path, &st) != 0)
		return errno == ENOENT || errno == ENOTDIR ? 0 : err_set(err, ERR_IO, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return err_set(err, ERR_IO, "not a regular file");
	if (st.st_size > FILE_MAX)
		return err_set(err, ERR_LIMIT, "larger than %d bytes", FILE_MAX);
	rc = io_read_file(k->path, FILE_MAX, "", &file, err);
	if (rc < 0)
		return rc;
	prefs_split(k, &file);
	free(file.data);
	return 0;
}

struct prefs *prefs_open(const char *path)
{
	struct prefs *k = mem_zalloc(1, sizeof(*k));

	if (!path)
		return k;
	k->path = mem_strndup(path, strlen(path));
	prefs_read_lines(k, NULL);
	return k;
}

static void prefs_release(struct prefs *k)
{
	for (size_t i = 0; i < k->n; i++)
		free(k->line[i]);
	free(k->line);
}

void prefs_free(struct prefs *k)
{
	if (!k)
		return;
	prefs_release(k);
	free(k->path);
	free(k);
}

/* The last line with this name, which overrides earlier ones; k->n when there is none. */
static size_t prefs_find(const struct prefs *k, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = k->n; i-- > 0;)
		if (strncmp(k->line[i], name, n) == 0 && k->line[i][n] == '=')
			return i;
	return k->n;
}

const char *prefs_get(const struct prefs *k, const char *name)
{
	size_t i = prefs_find(k, name);

	return i < k->n ? k->line[i] + strlen(name) + 1 : "";
}

static void prefs_put(struct prefs *k, const char *name, const struct buf *line)
{
	size_t i = prefs_find(k, name);

	if (i < k->n) {
		free(k->line[i]);
		k->line[i] = mem_strndup(line->data, line->len);
	} else {
		prefs_add_line(k, line->data, line->len);
	}
}

/* Change one line of the file as it is now: other sessions may have changed it since it was read. */
static int prefs_write_line(const char *path, const char *name, const struct buf *line, struct err *err)
{
	struct prefs now = { .path = (char *)path };
	struct buf all = { 0 };
	int rc = prefs_read_lines(&now, err);

	if (rc == 0) {
		prefs_put(&now, name, line);
		for (size_t i = 0; i < now.n; i++)
			buf_addf(&all, "%s\n", now.line[i]);
		io_make_folders(path);
		rc = io_write_file(path, buf_text(&all), all.len, err);
	}
	prefs_release(&now);
	buf_release(&all);
	return rc < 0 ? err_wrap(err, "saving preferences in %s", path) : 0;
}

int prefs_set(struct prefs *k, const char *name, const char *text, struct err *err)
{
	struct buf line = { 0 };
	int rc = 0;

	buf_addf(&line, "%s=%s", name, text);
	prefs_put(k, name, &line);
	if (k->path)
		rc = prefs_write_line(k->path, name, &line, err);
	buf_release(&line);
	return rc;
}

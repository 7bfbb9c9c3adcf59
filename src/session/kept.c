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

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 10, FOLDER_MODE = 0700 };

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

struct kept *kept_open(const char *path)
{
	struct kept *k = mem_zalloc(1, sizeof(*k));
	struct bytes file = { 0 };
	struct err err;
	size_t at = 0;

	if (!path)
		return k;
	k->path = mem_strndup(path, strlen(path));
	if (io_read_file(path, FILE_MAX, "", &file, &err) < 0)
		return k;
	while (at < file.n) {
		const char *s = (const char *)file.data + at, *end = memchr(s, '\n', file.n - at);
		size_t n = end ? (size_t)(end - s) : file.n - at;

		add_line(k, s, n);
		at += n + 1;
	}
	free(file.data);
	return k;
}

void kept_free(struct kept *k)
{
	if (!k)
		return;
	for (size_t i = 0; i < k->n; i++)
		free(k->line[i]);
	free(k->line);
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

static void make_folders(const char *path)
{
	char *own = mem_strndup(path, strlen(path));

	for (char *slash = own; (slash = strchr(slash + 1, '/'));) {
		*slash = '\0';
		mkdir(own, FOLDER_MODE);
		*slash = '/';
	}
	free(own);
}

static int write_file(const struct kept *k, struct err *err)
{
	struct buf all = { 0 };
	int rc;

	for (size_t i = 0; i < k->n; i++)
		buf_addf(&all, "%s\n", k->line[i]);
	make_folders(k->path);
	rc = io_write_file(k->path, buf_text(&all), all.len, err);
	if (rc < 0)
		err_wrap(err, "keeping this in %s", k->path);
	buf_release(&all);
	return rc;
}

int kept_set(struct kept *k, const char *name, const char *text, struct err *err)
{
	struct buf line = { 0 };
	size_t i = find(k, name);

	buf_addf(&line, "%s=%s", name, text);
	if (i < k->n) {
		free(k->line[i]);
		k->line[i] = mem_strndup(buf_text(&line), line.len);
	} else {
		add_line(k, buf_text(&line), line.len);
	}
	buf_release(&line);
	return k->path ? write_file(k, err) : 0;
}

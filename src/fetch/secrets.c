/*
 * secrets.c - secret header lines, sent only to the server that the user named
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "fetch/secrets.h"

#include "base/io.h"
#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { FILE_MAX = 64 << 10 };

static void secrets_free_secret(void *data, size_t n)
{
	explicit_bzero(data, n);
	free(data);
}

/* Read a small file, and warn if other users can read it. */
static int read_secret(const char *option, const char *path, struct bytes *out, struct buf *notes, struct err *err)
{
	struct stat st;

	if (io_read_file(path, FILE_MAX, NULL, out, err) < 0)
		return err_wrap(err, "--%s: %.300s", option, path);
	if (memchr(out->data, 0, out->n)) {
		secrets_free_secret(out->data, out->n);
		return err_set(err, ERR_USAGE, "--%s: %.300s: contains NUL bytes", option, path);
	}
	if (stat(path, &st) == 0 && S_ISREG(st.st_mode) && (st.st_mode & (S_IRGRP | S_IROTH)))
		buf_addf(notes, "%s: readable by other users; protect it with chmod 600\n", path);
	return 0;
}

static char *secrets_add_line(struct secrets *s, size_t n)
{
	char *line = mem_zalloc(n + 1, 1);

	assert(s->n <= s->cap);
	s->line = mem_grow(s->line, &s->cap, s->n + 1, sizeof(*s->line));
	s->line[s->n++] = line;
	return line;
}

static bool secrets_has_control(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (((unsigned char)s[i] < ' ' && s[i] != '\t') || s[i] == '\177')
			return true;
	return false;
}

static size_t secrets_trim(const char **s, size_t n)
{
	while (n && strchr(" \t\r\n", **s))
		(*s)++, n--;
	while (n && strchr(" \t\r\n", (*s)[n - 1]))
		n--;
	return n;
}

static bool secrets_is_token(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((unsigned char)s[i] <= ' ' || (unsigned char)s[i] > '~' || strchr("()<>@,;:\\\"/[]?={}", s[i]))
			return false;
	return n > 0;
}

/* Add a header line "Name: value". Returns the error, or NULL. */
static const char *secrets_add_header(struct secrets *s, const char *text, size_t n)
{
	const char *colon = memchr(text, ':', n), *value;
	size_t n_value;

	if (!colon || !secrets_is_token(text, (size_t)(colon - text)))
		return "is not \"Name: value\"";
	value = colon + 1;
	n_value = secrets_trim(&value, (size_t)(text + n - value));
	if (n_value == 0)
		return "has no value";
	if (secrets_has_control(value, n_value))
		return "has control characters";
	memcpy(secrets_add_line(s, n), text, n);
	return NULL;
}

static int secrets_add_headers(struct secrets *s, const char *path, const struct bytes *file, struct err *err)
{
	const char *at = (const char *)file->data, *end = at + file->n;

	for (unsigned number = 1; at < end; number++) {
		const char *newline = memchr(at, '\n', (size_t)(end - at)), *line = at, *problem = NULL;
		size_t n = secrets_trim(&line, (size_t)((newline ? newline : end) - at));

		if (n && *line != '#')
			problem = secrets_add_header(s, line, n);
		if (problem)
			return err_set(err, ERR_USAGE, "--header_file: %.300s: line %u %s", path, number, problem);
		at = newline ? newline + 1 : end;
	}
	return 0;
}

static int add_bearer(struct secrets *s, const char *path, const struct bytes *file, struct err *err)
{
	static const char start[] = "Authorization: Bearer ";
	const char *token = (const char *)file->data;
	size_t n = secrets_trim(&token, file->n);
	char *line;

	if (n == 0 || secrets_has_control(token, n) || memchr(token, ' ', n) || memchr(token, '\t', n))
		return err_set(err, ERR_USAGE, "--bearer_file: %.300s: is not a single token", path);
	line = secrets_add_line(s, strlen(start) + n);
	memcpy(line, start, strlen(start));
	memcpy(line + strlen(start), token, n);
	return 0;
}

int secrets_read(const struct fetch_options *options, struct secrets *out, struct buf *notes, struct err *err)
{
	struct bytes file = { 0 };
	int rc = 0;

	if (*options->header_file) {
		rc = read_secret("header_file", options->header_file, &file, notes, err);
		if (rc == 0) {
			rc = secrets_add_headers(out, options->header_file, &file, err);
			secrets_free_secret(file.data, file.n);
		}
	}
	if (rc == 0 && *options->bearer_file) {
		rc = read_secret("bearer_file", options->bearer_file, &file, notes, err);
		if (rc == 0) {
			rc = add_bearer(out, options->bearer_file, &file, err);
			secrets_free_secret(file.data, file.n);
		}
	}
	return rc;
}

void secrets_release(struct secrets *s)
{
	for (size_t i = 0; i < s->n; i++)
		secrets_free_secret(s->line[i], strlen(s->line[i]));
	free(s->line);
	*s = (struct secrets){ 0 };
}

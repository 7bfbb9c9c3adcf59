/*
 * naming.c - names of functions for profiles that were just written, and many profiles as one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "cli/run/naming.h"

#include "answer/compare.h"
#include "base/io.h"
#include "base/mem.h"
#include "cli/args.h"
#include "cli/messages.h"
#include "cli/report/report.h"
#include "profile/edit.h"
#include "viewers/export/export.h"

#include <stdlib.h>

/* What a profile becomes. */
struct result {
	const char *path;
	const char *comment; /* of one of several processes; NULL for those that it has */
	int64_t duration;    /* if there is a comment */
};

static void describe(struct profile *p, const struct result *to)
{
	if (!to->comment)
		return;
	p->meta.n_comments = 0;
	p->meta.duration_ns = to->duration;
	profile_add_comment(p, to->comment);
}

/* Read and add up what the command line names, and write it. */
static int convert(const struct args *a, const struct result *to, struct err *err)
{
	struct load load = { .source = a->word, .n = a->n_words, .kind = "source", .q = &a->q };
	struct load none = { .kind = "base", .q = &a->q };
	struct profile *p = NULL;
	struct buf out = { 0 };
	int rc = compare_load(&load, &none, &p, err);

	cmd_report_tell_notes(&load);
	if (rc == 0) {
		describe(p, to);
		rc = export_proto(p, 1, &out, err);
	}
	if (rc == 0)
		rc = io_write_file(to->path, buf_text(&out), out.len, err);
	buf_release(&out);
	profile_free(p);
	buf_release(&load.notes);
	buf_release(&load.told);
	return rc;
}

/* cpa COMMAND OPTION -- PATHS */
static int convert_with(const char *command, const char *option, char **path, size_t n, const struct result *to,
			struct err *err)
{
	enum { WORDS = 4 };
	char **argv = mem_zalloc(n + WORDS + 1, sizeof(*argv));
	struct args a;
	int rc;

	argv[0] = (char *)(uintptr_t) "cpa";
	argv[1] = (char *)(uintptr_t)command;
	argv[2] = (char *)(uintptr_t)option;
	argv[3] = (char *)(uintptr_t) "--";
	for (size_t i = 0; i < n; i++)
		argv[WORDS + i] = path[i];
	rc = args_parse((int)(WORDS + n), argv, &a, err);
	if (rc == 0) {
		rc = convert(&a, to, err);
		args_release(&a);
	}
	free(argv);
	return rc;
}

static char *path_at(const struct texts *paths, size_t i)
{
	size_t n;
	const char *path = texts_at(paths, i, &n);

	return mem_strndup(path, n);
}

void naming_put(const struct texts *paths)
{
	for (size_t i = 0; i < paths->n; i++) {
		char *path = path_at(paths, i);
		struct result to = { .path = path };
		struct err err;

		if (convert_with("symbolize", "-symbolize=local", &path, 1, &to, &err) < 0)
			say_error("%s", err.msg);
		free(path);
	}
}

int naming_merge(const struct texts *paths, const char *comment, int64_t duration, const char *to, struct err *err)
{
	struct result result = { .path = to, .comment = paths->n > 1 ? comment : NULL, .duration = duration };
	char **path = mem_zalloc(paths->n + 1, sizeof(*path));
	int rc;

	for (size_t i = 0; i < paths->n; i++)
		path[i] = path_at(paths, i);
	rc = convert_with("merge", "-symbolize=none", path, paths->n, &result, err);
	for (size_t i = 0; i < paths->n; i++)
		free(path[i]);
	free(path);
	return rc;
}

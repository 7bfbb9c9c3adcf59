/*
 * sources.c - expand patterns of file names, and queries of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A shell expands patterns as well, but thousands of names may be too long for a command line, and
 * scripts may pass patterns on unexpanded.
 */
#include "config.h"

#include "answer/sources.h"

#include "answer/process.h"
#include "base/mem.h"
#include "engine/query.h"
#include "fetch/url.h"

#include <glob.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void answer_sources_add_name(struct sources *s, const char *name)
{
	s->name = mem_grow(s->name, &s->cap, s->n + 1, sizeof(*s->name));
	s->name[s->n++] = name;
}

static int answer_sources_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_owned(struct sources *s, const char *name, size_t n)
{
	char *copy = mem_strndup(name, n);

	s->expanded = mem_grow(s->expanded, &s->cap_expanded, s->n_expanded + 1, sizeof(*s->expanded));
	s->expanded[s->n_expanded++] = copy;
	answer_sources_add_name(s, copy);
}

static int answer_sources_add_pattern(struct sources *s, const char *pattern, struct err *err)
{
	struct url url = { 0 };
	glob_t found;
	int rc = glob(pattern, GLOB_NOSORT, NULL, &found);

	if (rc == GLOB_NOMATCH && url_parse(pattern, 0, &url, NULL) != ERR_UNKNOWN) {
		url_release(&url);
		answer_sources_add_name(s, pattern);
		return 0;
	}
	if (rc != 0)
		return err_set(err, ERR_IO,
			       rc == GLOB_NOMATCH ? "%s: no file matches" : "%s: cannot expand the pattern", pattern);
	qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), answer_sources_compare_names);
	for (size_t i = 0; i < found.gl_pathc; i++)
		add_owned(s, found.gl_pathv[i], strlen(found.gl_pathv[i]));
	globfree(&found);
	return 0;
}

static int add_stored(struct sources *s, const char *source, enum stored_split split, const struct query *q,
		      struct err *err)
{
	struct string_list list = { 0 };
	int rc = stored_expand(source, split, q, &list, err);

	for (size_t i = 0; rc == 0 && i < list.n; i++) {
		size_t n;
		const char *name = string_list_get(&list, i, &n);

		add_owned(s, name, n);
	}
	string_list_release(&list);
	return rc;
}

int sources_add(struct sources *out, const char *const *word, size_t n, enum stored_split split, const struct query *q,
		struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		if (answer_is_process(word[i]))
			answer_sources_add_name(out, word[i]);
		else if (stored_is_source(word[i]))
			rc = add_stored(out, word[i], split, q, err);
		else if (strpbrk(word[i], "*?[") && !strstr(word[i], "://") && access(word[i], F_OK) != 0)
			rc = answer_sources_add_pattern(out, word[i], err);
		else
			answer_sources_add_name(out, word[i]);
	}
	return rc;
}

int sources_check(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin, struct err *err)
{
	struct stat in, out;
	bool is_file = *q->output && strcmp(q->output, "-") != 0 && stat(q->output, &out) == 0 && S_ISREG(out.st_mode);

	for (size_t i = 0; i < s->n; i++) {
		const char *source = s->name[i];

		*n_stdin += strcmp(source, "-") == 0;
		if (is_file && stat(source, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return err_set(err, ERR_USAGE, "%s: the report would overwrite a %s", source, kind);
	}
	return *n_stdin > 1 ? err_set(err, ERR_USAGE, "standard input is given twice") : 0;
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->n_expanded; i++)
		free(s->expanded[i]);
	free(s->expanded);
	free(s->name);
	*s = (struct sources){ 0 };
}

/*
 * sources.c - the table of kinds of sources, and the sources that arguments name
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A shell expands patterns as well, but thousands of names may be too long for a command line, and
 * scripts may pass patterns on unexpanded.
 */
#include "config.h"

#include "sources/sources.h"

#include "base/mem.h"
#include "fetch/source.h"
#include "fetch/url.h"
#include "formats/formats.h"
#include "sources/process.h"
#include "sources/remote.h"
#include "sources/stored.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- bytes ---- */

/* The limit set by an option: -1 is a quarter of the RAM, 0 unlimited. */
static uint64_t source_limit(int64_t option)
{
	return option < 0 ? mem_quarter_of_ram() : (uint64_t)option;
}

int source_decode(struct bytes *bytes, const struct query *q, struct profile **out, struct err *err)
{
	const struct format_limits limits = { .max_inflated = source_limit(q->max_inflated),
					      .max_ratio = (uint64_t)q->max_ratio,
					      .max_count = (uint64_t)q->max_count,
					      .max_depth = (uint64_t)q->max_depth,
					      .max_nesting = (uint64_t)q->max_nesting };

	return formats_read_as(*q->input_format ? formats_find(q->input_format) : NULL, bytes, &limits, out, err);
}

static int source_read_bytes(struct source *s, const char *name, const struct query *q, struct profile **out,
			     struct buf *notes, struct buf *missing, struct err *err)
{
	struct bytes *data = s->state;
	int rc = source_decode(data, q, out, err);

	(void)notes, (void)missing;
	*data = (struct bytes){ 0 };
	return rc < 0 ? err_wrap(err, "%s", name) : 0;
}

static void source_free_bytes(void *state)
{
	struct bytes *data = state;

	free(data->data);
	free(data);
}

/* ---- files ---- */

static bool source_is_stdin(const char *word)
{
	return strcmp(word, "-") == 0;
}

static bool source_exists(const char *word)
{
	return access(word, F_OK) == 0;
}

static bool source_is_any(const char *word)
{
	(void)word;
	return true;
}

static bool source_is_regular(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

int source_read_file(struct source *s, const char *name, const struct query *q, struct profile **out, struct buf *notes,
		     struct buf *missing, struct err *err)
{
	struct bytes bytes = { 0 };
	int rc = fetch_read(name, source_limit(q->max_input), &bytes, err);

	(void)s, (void)notes, (void)missing;
	rc = rc < 0 ? rc : source_decode(&bytes, q, out, err);
	return rc < 0 ? err_wrap(err, "%s", name) : 0;
}

static bool source_is_pattern(const char *word)
{
	return strpbrk(word, "*?[") && !strstr(word, "://");
}

static int source_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int source_resolve_pattern(struct sources *out, const char *pattern, enum source_split split,
				  const struct query *q, struct err *err)
{
	glob_t found;
	int rc = glob(pattern, GLOB_NOSORT, NULL, &found);

	if (rc == GLOB_NOMATCH && remote_is_url(pattern))
		return remote_resolve_url(out, pattern, split, q, err);
	if (rc != 0)
		return err_set(err, ERR_IO,
			       rc == GLOB_NOMATCH ? "%s: no file matches" : "%s: cannot expand the pattern", pattern);
	qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), source_compare_names);
	for (size_t i = 0; i < found.gl_pathc; i++)
		sources_append(out, SOURCE_FILE, found.gl_pathv[i], strlen(found.gl_pathv[i]), NULL);
	globfree(&found);
	return 0;
}

/* ---- table ---- */

/* In the order in which they are tried: an existing file is a file, even if its name looks like a URL. */
static const struct source_type types[] = {
	[SOURCE_PROCESS] = { process_is_source, remote_resolve_process, remote_read, NULL, remote_source_free, NULL,
			     .is_remote = true, .changes = true },
	[SOURCE_STORE] = { stored_is_source, stored_resolve, stored_read, NULL, stored_free, source_is_any,
			   .changes = true },
	[SOURCE_STDIN] = { source_is_stdin, .read = source_read_file },
	[SOURCE_FILE] = { source_exists, .read = source_read_file, .can_repeat = source_is_regular },
	[SOURCE_PATTERN] = { source_is_pattern, source_resolve_pattern },
	[SOURCE_SERVER] = { remote_is_url, remote_resolve_url, remote_read, remote_record, remote_source_free, NULL,
			    .is_remote = true, .changes = true },
	[SOURCE_MISSING] = { source_is_any, .read = source_read_file },
	[SOURCE_MEMORY] = { .read = source_read_bytes, .release = source_free_bytes },
};

static enum source_id source_find(const char *word)
{
	enum source_id id = 0;

	while (!types[id].is_kind(word))
		id++;
	return id;
}

bool source_can_repeat(const struct source *s, const char *name)
{
	return s->type->can_repeat && s->type->can_repeat(name);
}

/* ---- sources ---- */

void sources_append(struct sources *out, enum source_id id, const char *name, size_t n, void *state)
{
	out->name = mem_grow(out->name, &out->cap, out->n + 1, sizeof(*out->name));
	out->source = mem_grow(out->source, &out->cap_source, out->n + 1, sizeof(*out->source));
	out->name[out->n] = mem_strndup(name, n);
	out->source[out->n++] = (struct source){ &types[id], state };
}

void sources_add_bytes(struct sources *out, const char *name, struct bytes *data)
{
	struct bytes *own = mem_alloc(1, sizeof(*own));

	*own = *data;
	*data = (struct bytes){ 0 };
	sources_append(out, SOURCE_MEMORY, name, strlen(name), own);
}

int sources_add(struct sources *out, const char *const *word, size_t n, enum source_split split, const struct query *q,
		struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		enum source_id id = source_find(word[i]);

		if (types[id].resolve)
			rc = types[id].resolve(out, word[i], split, q, err);
		else
			sources_append(out, id, word[i], strlen(word[i]), NULL);
	}
	return rc;
}

int sources_check(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin, struct err *err)
{
	struct stat in, out;
	bool is_file = *q->output && strcmp(q->output, "-") != 0 && stat(q->output, &out) == 0 && S_ISREG(out.st_mode);

	for (size_t i = 0; i < s->n; i++) {
		const char *source = s->name[i];

		*n_stdin += source_is_stdin(source);
		if (is_file && stat(source, &in) == 0 && in.st_dev == out.st_dev && in.st_ino == out.st_ino)
			return err_set(err, ERR_USAGE, "%s: the report would overwrite a %s", source, kind);
	}
	return *n_stdin > 1 ? err_set(err, ERR_USAGE, "standard input is given twice") : 0;
}

void sources_release(struct sources *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->source[i].state)
			s->source[i].type->release(s->source[i].state);
		free((char *)s->name[i]);
	}
	free(s->source);
	free(s->name);
	*s = (struct sources){ 0 };
}

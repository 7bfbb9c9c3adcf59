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

#include "attach/copied_stacks.h"
#include "base/arena.h"
#include "base/mem.h"
#include "base/search.h"
#include "engine/sums.h"
#include "fetch/source.h"
#include "fetch/url.h"
#include "formats/formats.h"
#include "profile/sums.h"
#include "report/binaries.h"
#include "sources/process.h"
#include "sources/remote.h"
#include "sources/stored.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- sorted names ---- */

struct sources_name_key {
	const char *array, *name;
	size_t size;
};

static const char *sources_name_at(const struct sources_name_key *k, size_t i)
{
	const char *name;

	memcpy(&name, k->array + i * k->size, sizeof(name));
	return name;
}

static bool sources_name_is_before(const void *key, size_t i)
{
	return strcmp(sources_name_at(key, i), ((const struct sources_name_key *)key)->name) < 0;
}

bool sources_find_name(const void *array, size_t n, size_t size, const char *name, size_t *at)
{
	const struct sources_name_key key = { array, name, size };

	*at = lower_bound(0, n, sources_name_is_before, &key);
	return *at < n && strcmp(sources_name_at(&key, *at), name) == 0;
}

/* ---- bytes ---- */

/* The limit set by an option: -1 is a quarter of the RAM, 0 unlimited. */
static uint64_t sources_limit(int64_t option)
{
	return option < 0 ? mem_quarter_of_ram() : (uint64_t)option;
}

static int sources_decode_walk(struct bytes *bytes, const struct query *q, const struct sample_walk *walk,
			       struct profile **out, struct err *err)
{
	const struct format_unwinder *unwinder;
	struct arena *mem = arena_new();
	struct symbol_options where;
	struct copied_stacks *stacks;
	struct format_options options = { .max_inflated = sources_limit(q->max_inflated),
					  .max_ratio = (uint64_t)q->max_ratio,
					  .max_count = (uint64_t)q->max_count,
					  .max_depth = (uint64_t)q->max_depth,
					  .max_nesting = (uint64_t)q->max_nesting,
					  .repeats_stacks = q->repeats_stacks,
					  .skips_labels = q->skips_labels,
					  .skips_hash = q->is_merged,
					  .walk = walk,
					  .keeps_times = q->times || *q->from || *q->to };
	int rc;

	report_where(q, mem, &where);
	stacks = copied_stacks_new(&where, &unwinder);
	options.unwinder = unwinder;
	rc = formats_read_as(*q->input_format ? formats_find(q->input_format) : NULL, bytes, &options, out, err);
	copied_stacks_free(stacks);
	arena_free(mem);
	return rc;
}

int sources_decode(struct bytes *bytes, const struct query *q, struct profile **out, struct err *err)
{
	return sources_decode_walk(bytes, q, NULL, out, err);
}

size_t sources_stem(const char *name, size_t n)
{
	return formats_stem(name, n);
}

/* ---- files ---- */

static bool sources_is_stdin(const char *word)
{
	return strcmp(word, "-") == 0;
}

static bool sources_is_any(const char *word)
{
	(void)word;
	return true;
}

bool sources_is_regular(const char *name)
{
	struct stat st;

	return stat(name, &st) == 0 && S_ISREG(st.st_mode);
}

/* Map a file if it is large and of a format that needs no copy. */
static bool sources_map_file(const char *name, uint64_t max, struct bytes *out)
{
	enum { MAPPED_MIN = 1 << 20 };

	if (strcmp(name, "-") == 0 || !io_map_file(name, MAPPED_MIN, max ? max : SIZE_MAX, out))
		return false;
	if (!formats_is_streamed(out->data, out->n))
		io_release(out);
	return out->data;
}

/* A file whose samples were added up while they were read. */
struct summed_file {
	char *name;
	struct query q;
};

static int sources_read_again(void *arg, const struct sample_walk *walk, struct profile **out, struct err *err)
{
	const struct summed_file *f = arg;
	struct bytes bytes = { 0 };

	if (!sources_map_file(f->name, sources_limit(f->q.max_input), &bytes))
		return err_set(err, ERR_IO, "%s cannot be read again", f->name);
	return sources_decode_walk(&bytes, &f->q, walk, out, err);
}

/* Read a file, and add up its samples meanwhile if that is possible. */
static int sources_read_sums(struct bytes *bytes, const char *name, const struct query *q, struct profile **out,
			     struct err *err)
{
	struct sums_builder *s = sums_new(&q->filter, q->sums_whole);
	const struct sample_walk walk = sums_walk(s);
	int rc = sources_decode_walk(bytes, q, &walk, out, err);
	struct summed_file *f;

	sums_free(s);
	if (rc == 0 && (*out)->sums && !q->sums_whole) {
		f = arena_alloc((*out)->mem, 1, sizeof(*f));
		*f = (struct summed_file){ arena_strndup((*out)->mem, name, strlen(name)), *q };
		(*out)->sums->source = (struct sample_source){ f, sources_read_again };
	}
	return rc;
}

int sources_read_file(struct source *s, const char *name, const struct query *q, struct profile **out,
		      struct buf *notes, struct buf *missing, struct err *err)
{
	uint64_t max = sources_limit(q->max_input);
	struct bytes bytes = { 0 };
	int rc = 0;

	(void)s, (void)notes, (void)missing;
	if (!sources_map_file(name, max, &bytes)) {
		rc = sources_is_regular(name) ? ERR_UNKNOWN
					      : formats_read_folder(name, max ? max : SIZE_MAX, &bytes, err);
		rc = rc == ERR_UNKNOWN ? fetch_read(name, max, &bytes, err) : rc;
	}
	if (rc == 0 && q->wants_sums && (q->sums_whole || bytes.is_mapped))
		rc = sources_read_sums(&bytes, name, q, out, err);
	else if (rc == 0)
		rc = sources_decode(&bytes, q, out, err);
	return rc < 0 ? err_wrap(err, "%s", name) : 0;
}

static bool sources_is_pattern(const char *word)
{
	return strpbrk(word, "*?[") && !strstr(word, "://") && access(word, F_OK) != 0;
}

static int sources_compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int sources_resolve_pattern(struct sources *out, const char *pattern, enum source_split split,
				   const struct query *q, struct err *err)
{
	glob_t found;
	int rc = glob(pattern, GLOB_NOSORT, NULL, &found);

	if (rc == GLOB_NOMATCH && remote_is_url(pattern))
		return remote_resolve_url(out, pattern, split, q, err);
	if (rc != 0)
		return err_set(err, ERR_IO,
			       rc == GLOB_NOMATCH ? "%s: no file matches" : "%s: cannot expand the pattern", pattern);
	qsort(found.gl_pathv, found.gl_pathc, sizeof(*found.gl_pathv), sources_compare_names);
	for (size_t i = 0; i < found.gl_pathc; i++)
		sources_append(out, SOURCE_FILE, found.gl_pathv[i], strlen(found.gl_pathv[i]), NULL);
	globfree(&found);
	return 0;
}

/* ---- table ---- */

/* In the order in which they are tried. An existing file is a file, even if its name looks like a URL. */
static const struct source_type types[] = {
	[SOURCE_PROCESS] = { .is_kind = sources_is_process,
			     .resolve = remote_resolve_process,
			     .read = remote_read,
			     .release = remote_source_free,
			     .is_remote = true,
			     .changes = true },
	[SOURCE_STORE] = { .is_kind = stored_is_source,
			   .resolve = stored_resolve,
			   .read = stored_read,
			   .release = stored_free,
			   .can_repeat = sources_is_any,
			   .changes = true },
	[SOURCE_STDIN] = { .is_kind = sources_is_stdin, .read = sources_read_file },
	[SOURCE_PATTERN] = { .is_kind = sources_is_pattern, .resolve = sources_resolve_pattern },
	[SOURCE_SERVER] = { .is_kind = remote_is_url,
			    .resolve = remote_resolve_url,
			    .read = remote_read,
			    .record = remote_record,
			    .release = remote_source_free,
			    .is_remote = true,
			    .changes = true },
	[SOURCE_FILE] = { .is_kind = sources_is_any, .read = sources_read_file, .can_repeat = sources_is_regular },
	[SOURCE_MEMORY] = { .read = remote_read, .release = remote_source_free },
};

static enum source_id sources_find(const char *word)
{
	enum source_id id = 0;

	while (!types[id].is_kind(word))
		id++;
	return id;
}

bool sources_can_repeat(const struct source *s, const char *name)
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

int sources_add(struct sources *out, const char *const *word, size_t n, enum source_split split, const struct query *q,
		struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < n; i++) {
		enum source_id id = sources_find(word[i]);

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

		*n_stdin += sources_is_stdin(source);
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

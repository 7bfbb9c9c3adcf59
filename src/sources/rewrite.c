/*
 * rewrite.c - symbolize and merge profile files
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/rewrite.h"

#include "base/buf.h"
#include "base/io.h"
#include "base/mem.h"
#include "base/opt.h"
#include "base/str.h"
#include "engine/query.h"
#include "formats/formats.h"
#include "formats/pprof/pprof.h"
#include "profile/edit.h"
#include "sources/read.h"
#include "sources/symbolize.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FILE_MAX = 1 << 30 };

/* ---- comments ---- */

/*
 * Sums of comments such as "stacks, complete: 7 of 9 (77.78%)" and "signal blocked: 3 periods", and other comments once
 * each. Those that describe one process are left out. Zero-initialised.
 */
struct rewrite_comments {
	struct comment_sum {
		char *before, *after; /* the text around the number; owned */
		uint64_t n;
		bool has_number, is_share; /* is_share: a share of all stacks follows, instead of after */
	} * sum;                           /* [n] in the order in which they were found */
	size_t n, cap;
	uint64_t n_stacks;
};

enum { COMMENTS_MAX = 64 };

/* A comment: text, number, text. */
struct rewrite_parts {
	const char *before, *after;
	size_t n_before;
	uint64_t n, of; /* of: 0, or n is a part of this number */
	bool has_number;
};

/* Read "BEFORE: NUMBER AFTER" or "BEFORE: NUMBER of NUMBER (SHARE)". Other texts have no number. */
static struct rewrite_parts split_comment(const char *text)
{
	struct rewrite_parts p = { .before = text, .n_before = strlen(text), .after = "" };
	const char *colon = strstr(text, ": ");
	char *end;

	if (!colon || colon[2] < '0' || colon[2] > '9')
		return p;
	p.n = strtoull(colon + 2, &end, 10);
	if (*end == '.')
		return p;
	p.has_number = true;
	p.n_before = (size_t)(colon - text);
	p.after = end;
	if (starts_with(end, " of ") && strchr(end, '%')) {
		p.of = strtoull(end + strlen(" of "), NULL, 10);
		p.after = "";
	}
	return p;
}

static struct comment_sum *find_comment_sum(struct rewrite_comments *c, const struct rewrite_parts *p)
{
	for (size_t i = 0; i < c->n; i++) {
		struct comment_sum *s = &c->sum[i];

		if (strlen(s->before) == p->n_before && memcmp(s->before, p->before, p->n_before) == 0 &&
		    strcmp(s->after, p->after) == 0 && s->has_number == p->has_number)
			return s;
	}
	if (c->n == COMMENTS_MAX)
		return NULL;
	c->sum = mem_grow(c->sum, &c->cap, c->n + 1, sizeof(*c->sum));
	c->sum[c->n] = (struct comment_sum){ .before = mem_strndup(p->before, p->n_before),
					     .after = mem_strndup(p->after, strlen(p->after)),
					     .has_number = p->has_number,
					     .is_share = p->of != 0 };
	return &c->sum[c->n++];
}

/* Add the comments of one recording. */
static void comments_add(struct rewrite_comments *c, const struct profile *p)
{
	uint64_t n_stacks = 0;

	for (uint32_t i = 0; i < p->meta.n_comments; i++) {
		const char *text = profile_text(p, p->meta.comment[i]);
		struct rewrite_parts parts = split_comment(text);
		struct comment_sum *s;

		if (starts_with(text, "cpa ") || starts_with(text, "asked for "))
			continue;
		s = find_comment_sum(c, &parts);
		if (s)
			s->n += parts.n;
		n_stacks = parts.of > n_stacks ? parts.of : n_stacks;
	}
	c->n_stacks += n_stacks;
}

/* Append them to those of a profile. */
static void comments_write(const struct rewrite_comments *c, struct profile *to)
{
	struct buf text = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		const struct comment_sum *s = &c->sum[i];

		text.len = 0;
		buf_addz(&text, s->before);
		if (s->has_number)
			buf_addf(&text, ": %" PRIu64, s->n);
		if (s->is_share)
			buf_addf(&text, " of %" PRIu64 " (%.2f%%)", c->n_stacks,
				 c->n_stacks ? 100.0 * (double)s->n / (double)c->n_stacks : 0.0);
		buf_addz(&text, s->after);
		profile_add_comment(to, buf_text(&text));
	}
	buf_release(&text);
}

static void comments_release(struct rewrite_comments *c)
{
	for (size_t i = 0; i < c->n; i++) {
		free(c->sum[i].before);
		free(c->sum[i].after);
	}
	free(c->sum);
	*c = (struct rewrite_comments){ 0 };
}

/* ---- files ---- */

/* The file to write. */
struct rewrite_result {
	const char *path;
	const char *comment; /* replaces the comments, followed by those of comments; NULL: retain them */
	struct rewrite_comments comments;
	int64_t duration; /* replaces the duration if comment is not NULL */
	symbol_progress_fn waiting;
};

static void set_comment(struct profile *p, const struct rewrite_result *to)
{
	if (!to->comment)
		return;
	p->meta.n_comments = 0;
	p->meta.duration_ns = to->duration;
	profile_add_comment(p, to->comment);
	comments_write(&to->comments, p);
}

/* Add the comments of a file. One that cannot be read is reported when the files are merged. */
static void read_comments(const char *path, struct rewrite_comments *to)
{
	struct bytes in = { 0 };
	struct profile *p;
	struct err err;

	if (io_read_file(path, FILE_MAX, "", &in, &err) < 0 ||
	    formats_read(&in, &formats_options_default, &p, &err) < 0)
		return;
	comments_add(to, p);
	profile_free(p);
}

/*
 * Mark only mappings as having names whose addresses all have one, with inlined functions. A report tries the others
 * again, names those that it does not find, and keeps the names.
 */
static void mark_mappings(struct profile *p)
{
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		struct mapping *m = p->loc_map[loc] == PROFILE_NONE ? NULL : &p->map[p->loc_map[loc]];

		if (m && (!profile_has_name(p, loc) || !m->has_inline_frames))
			m->has_functions = m->has_filenames = m->has_line_numbers = m->has_inline_frames = false;
	}
}

/* Read and merge files, and add names. No frames are dropped: a report does that, unless it is to show all. */
static int rewrite_read(struct source_set *load, struct profile **out, struct err *err)
{
	struct source_set none = { .kind = "base", .q = load->q };
	struct profile *p = NULL;
	int rc = sources_set_read(load, &p, err);

	rc = rc < 0 ? rc : sources_symbolize(p, load, &none, err);
	if (rc < 0) {
		profile_free(p);
		return rc;
	}
	mark_mappings(p);
	*out = p;
	return 0;
}

/* Read and merge files, and write the result. symbolize is the value of the option of that name. */
static int rewrite_convert(const char *const *path, size_t n, const char *symbolize, const struct rewrite_result *to,
			   const struct load_events *events, struct err *err)
{
	static const char option[] = "symbolize";
	struct query q;
	struct source_set load = { .source = path, .n = n, .kind = "source", .q = &q };
	struct profile *p = NULL;
	struct buf out = { 0 };
	const char *ignored;
	int rc;

	query_init(&q);
	q.waiting = to->waiting;
	rc = query_set(&q, opt_find(query_options, query_n_options, option, strlen(option)), symbolize, err);
	if (rc == 0)
		rc = query_finish(&q, &ignored, err);
	if (rc == 0) {
		rc = rewrite_read(&load, &p, err);
		if (!load.is_partial)
			buf_release(&load.info); /* a report says it */
		load_events_report(events, &load);
	}
	if (rc == 0) {
		set_comment(p, to);
		rc = pprof_write(p, 1, &out, err);
	}
	if (rc == 0)
		rc = io_write_file_private(to->path, buf_text(&out), out.len, err);
	buf_release(&out);
	profile_free(p);
	buf_release(&load.notes);
	buf_release(&load.info);
	query_release(&q);
	return rc;
}

int rewrite_symbolize(const char *path, symbol_progress_fn waiting, const struct load_events *events, struct err *err)
{
	const struct rewrite_result to = { .path = path, .waiting = waiting };

	return rewrite_convert(&path, 1, "local", &to, events, err);
}

int rewrite_merge(const struct string_list *paths, const struct rewrite_options *m, const char *to,
		  const struct load_events *events, struct err *err)
{
	struct rewrite_result result = {
		.path = to, .comment = paths->n > 1 ? m->comment : NULL, .duration = m->duration, .waiting = m->waiting
	};
	struct sources files = { 0 };
	int rc;

	assert(paths->n > 0);
	for (size_t i = 0, n; i < paths->n; i++) {
		const char *path = string_list_get(paths, i, &n);

		sources_append(&files, SOURCE_FILE, path, n, NULL);
		if (result.comment)
			read_comments(files.name[i], &result.comments);
	}
	rc = rewrite_convert(files.name, files.n, m->wants_names ? "local" : "none", &result, events, err);
	sources_release(&files);
	comments_release(&result.comments);
	return rc;
}

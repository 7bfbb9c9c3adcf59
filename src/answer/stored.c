/*
 * stored.c - sources store:, which are queries of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/stored.h"

#include "answer/remote.h"
#include "answer/stored_due.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/url_escape.h"
#include "engine/query.h"
#include "store/backends/backends.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEEP_MAX = 128, DAY_MINUTES = 24 * 60 };

bool stored_is_source(const char *name)
{
	return window_is_source(name) && access(name, F_OK) != 0;
}

/* ---- labels named by options ---- */

struct keeper {
	const char **keep; /* [n] */
	size_t n;
	char *at; /* memory for the next name */
};

static void stored_keep(struct keeper *k, const char *name, size_t n)
{
	for (size_t i = 0; i < k->n; i++)
		if (strlen(k->keep[i]) == n && memcmp(k->keep[i], name, n) == 0)
			return;
	if (n == 0 || k->n == KEEP_MAX)
		return;
	memcpy(k->at, name, n);
	k->at[n] = '\0';
	k->keep[k->n++] = k->at;
	k->at += n + 1;
}

/* Keep each of "KEY,...". */
static void keep_list(struct keeper *k, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		stored_keep(k, list, n);
		list += n + (list[n] == ',');
	}
}

/* Keep the key of a filter "KEY=EXPR". */
static void keep_filter(struct keeper *k, const char *filter)
{
	const char *equal = strchr(filter, '=');

	if (equal)
		stored_keep(k, filter, (size_t)(equal - filter));
}

/* Keep the key of "label:KEY" or "label:KEY=VALUE". */
static void keep_label(struct keeper *k, const char *option)
{
	const char *key = option + strlen("label:");

	if (starts_with(option, "label:"))
		stored_keep(k, key, strcspn(key, "="));
}

/* The labels of the source, and those that options name. */
static void keep_labels(const struct query *q, struct stored_source *s)
{
	struct keeper k = { .keep = mem_alloc(KEEP_MAX, sizeof(*k.keep)) };
	size_t size = strlen(q->tagfocus) + strlen(q->tagignore) + strlen(q->tagroot) + strlen(q->tagleaf) +
		      strlen(q->by) + strlen(q->normalize) + 6 + KEEP_MAX;

	for (size_t i = 0; i < s->query.n_keep; i++)
		size += strlen(s->query.keep[i]) + 1;
	k.at = s->names = mem_alloc(size, 1);
	for (size_t i = 0; i < s->query.n_keep; i++)
		stored_keep(&k, s->query.keep[i], strlen(s->query.keep[i]));
	s->n_own = k.n;
	keep_filter(&k, q->tagfocus);
	keep_filter(&k, q->tagignore);
	keep_list(&k, q->tagroot);
	keep_list(&k, q->tagleaf);
	keep_label(&k, q->by);
	keep_label(&k, q->normalize);
	s->keep = k.keep;
	s->query.keep = k.keep;
	s->query.n_keep = k.n;
}

/* ---- open ---- */

static int resolve(struct stored_source *s, const struct query *q, struct err *err)
{
	const char *where = *window_where(s->window) ? window_where(s->window) : q->store;
	struct window_clock clock;
	int rc = stored_open_place(where, q, &s->store, err);

	if (rc < 0)
		return err_wrap(err, "%.300s", window_text(s->window));
	remote_set_options(q, &s->options);
	s->where = mem_strndup(where, strlen(where));
	window_clock_init(s->store, &clock);
	return window_resolve(s->window, &clock, &s->query, err);
}

int stored_open_place(const char *where, const struct query *q, struct store **out, struct err *err)
{
	struct fetch_options options;

	remote_set_options(q, &options);
	return backends_open(where, &options, out, err);
}

int stored_open(const char *source, const struct query *q, struct stored_source *out, struct err *err)
{
	int rc;

	*out = (struct stored_source){ 0 };
	rc = window_parse(source, &out->window, err);
	rc = rc < 0 ? rc : resolve(out, q, err);
	if (rc == 0)
		keep_labels(q, out);
	return rc;
}

void stored_close(struct stored_source *s)
{
	if (s->store)
		store_close(s->store);
	window_free(s->window);
	free(s->keep);
	free(s->names);
	free(s->where);
	*s = (struct stored_source){ 0 };
}

/* ---- expand ---- */

/* Append the labels that options name, if the source does not say itself which labels are kept. */
static void add_keep(const struct window *w, const struct query *q, struct buf *out)
{
	struct stored_source s = { .query = { .service = "" } };

	if (window_option(w, "keep"))
		return;
	keep_labels(q, &s);
	for (size_t i = 0; i < s.query.n_keep; i++)
		if (!strpbrk(s.query.keep[i], ",+#\"\\"))
			buf_addf(out, "%s%s", out->len ? "," : "+keep=", s.query.keep[i]);
	stored_close(&s);
}

/*
 * Append the URL of a source on a collector, without the collector's address in the query. Relative times are resolved here,
 * by the clock and the zone of this machine, unless they depend on marks or series of the store.
 */
static int stored_add_url(const char *source, const struct query *options, struct string_list *out, struct err *err)
{
	struct window *w;
	struct store_query q;
	struct window_clock clock;
	struct buf text = { 0 }, keep = { 0 };
	const char *where;
	int rc = window_parse(source, &w, err);

	if (rc < 0)
		return rc;
	where = window_where(w);
	window_clock_init(NULL, &clock);
	clock.mark = NULL;
	clock.first = NULL;
	if (window_has_time(w) && window_resolve(w, &clock, &q, err) == 0)
		window_print(w, &q, &text);
	else
		buf_addz(&text, source);
	add_keep(w, options, &keep);
	buf_addz(&text, buf_text(&keep));
	buf_addf(&out->all, "%s%sapi/v1/profile?q=", where, ends_with(where, "/") ? "" : "/");
	/* the place is printed as it was given, if it needs no quotes */
	buf_addz(&out->all, "store%3A");
	url_escape(strchr(buf_text(&text), '#') + 1, strlen(strchr(buf_text(&text), '#') + 1), URL_QUERY, &out->all);
	string_list_end(out);
	buf_release(&keep);
	buf_release(&text);
	window_free(w);
	return 0;
}

/* Is the source one of several that a command has made of another? */
static bool is_part(const struct stored_source *s)
{
	const char *runs = window_option(s->window, "runs");

	return runs && strcmp(runs, "1") == 0;
}

int stored_expand(const char *source, enum stored_split split, const struct query *q, struct string_list *out,
		  struct err *err)
{
	struct stored_source s;
	size_t n = out->n;
	int rc;

	if (split == SPLIT_NONE && backends_is_server(source + strlen("store:")))
		return stored_add_url(source, q, out, err);
	rc = stored_open(source, q, &s, err);
	if (rc == 0 && split != SPLIT_NONE)
		rc = split == SPLIT_RUNS ? stored_split_runs(&s, q->stop, out, err)
					 : stored_split_steps(&s, q->stop, out, err);
	if (rc == 0 && out->n == n) {
		s.query.n_keep = s.n_own; /* those of options are added when it is read */
		window_print(s.window, &s.query, &out->all);
		buf_addz(&out->all, is_part(&s) ? "+runs=1" : "");
		string_list_end(out);
	}
	stored_close(&s);
	return rc;
}

/* ---- read ---- */

int stored_read(const char *source, const struct query *q, struct profile **out, struct buf *notes, struct buf *missing,
		struct err *err)
{
	struct stored_source s;
	struct store_sum sum = { 0 };
	struct buf line = { 0 };
	int rc = stored_open(source, q, &s, err);

	if (rc == 0) {
		rc = store_read(s.store, &s.query, q->stop, out, &sum, err);
		if (rc < 0) {
			stored_explain_nothing(&s, err);
			err_wrap(err, "%.300s", source);
		}
	}
	if (rc == 0) {
		store_sum_describe(&s.query, &sum, &line);
		store_sum_add_comments(&s.query, &sum, *out);
		if (!is_part(&s) || sum.profiles_missing || sum.is_damaged) /* else the line of each part is the same */
			buf_addf(notes, "%s\n", buf_text(&line));
		buf_addz(sum.is_damaged && !s.query.partial ? missing : notes, buf_text(&sum.notes));
		stored_note_young_profile(&s, &sum, *out, q->sample_index, notes);
	}
	buf_release(&line);
	store_sum_release(&sum);
	stored_close(&s);
	return rc;
}

/* ---- hours ---- */

/* Mark the minutes of the day that a source covers. */
static void mark_minutes(const char *source, bool covered[DAY_MINUTES])
{
	const int64_t minute = INT64_C(60000000000);
	const struct window_clock clock = { 0 };
	struct store_query q = { .t0 = INT64_MIN };
	struct window *w = NULL;

	if (!stored_is_source(source) || window_parse(source, &w, NULL) < 0 ||
	    window_resolve(w, &clock, &q, NULL) < 0 || q.t0 == INT64_MIN || q.t1 == INT64_MAX ||
	    q.t1 - q.t0 >= DAY_MINUTES * minute)
		memset(covered, true, DAY_MINUTES);
	else
		for (int64_t t = q.t0; t < q.t1; t += minute)
			covered[t / minute % DAY_MINUTES] = true;
	window_free(w);
}

bool stored_differ_in_hours(const char *const *a, size_t n_a, const char *const *b, size_t n_b)
{
	bool covered[2][DAY_MINUTES] = { { false } };
	int n[2] = { 0 }, both = 0;

	for (size_t i = 0; i < n_a; i++)
		mark_minutes(a[i], covered[0]);
	for (size_t i = 0; i < n_b; i++)
		mark_minutes(b[i], covered[1]);
	for (int i = 0; i < DAY_MINUTES; i++) {
		n[0] += covered[0][i];
		n[1] += covered[1][i];
		both += covered[0][i] && covered[1][i];
	}
	return 2 * both < (n[0] < n[1] ? n[0] : n[1]);
}

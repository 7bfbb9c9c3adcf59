/*
 * stored.c - sources store:, which are queries of a store
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/stored.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/regex.h"
#include "base/str.h"
#include "base/url_escape.h"
#include "sources/remote.h"
#include "store/backends/backends.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEEP_MAX = 128, DAY_MINUTES = 24 * 60 };

bool stored_is_source(const char *name)
{
	return (window_is_source(name) || stored_is_release(name)) && access(name, F_OK) != 0;
}

/* ---- labels named by options ---- */

static void stored_keep(struct stored_source *s, const char *name, size_t n)
{
	for (size_t i = 0; i < s->query.n_keep; i++)
		if (strlen(s->keep[i]) == n && memcmp(s->keep[i], name, n) == 0)
			return;
	if (n > 0 && s->query.n_keep < KEEP_MAX)
		s->keep[s->query.n_keep++] = arena_strndup(s->mem, name, n);
}

/* Keep each of "KEY,...". */
static void keep_list(struct stored_source *s, const char *list)
{
	while (*list) {
		size_t n = strcspn(list, ",");

		stored_keep(s, list, n);
		list += n + (list[n] == ',');
	}
}

/* Keep the key of a filter "KEY=EXPR". */
static void keep_filter(struct stored_source *s, const char *filter)
{
	const char *equal = strchr(filter, '=');

	if (equal)
		stored_keep(s, filter, (size_t)(equal - filter));
}

/* Keep the key of "label:KEY" or "label:KEY=VALUE". */
static void keep_label(struct stored_source *s, const char *option)
{
	const char *key = option + strlen("label:");

	if (starts_with(option, "label:"))
		stored_keep(s, key, strcspn(key, "="));
}

/* The labels of the source, and those that options name. */
static void keep_labels(const struct query *q, struct stored_source *s)
{
	const char *const *own = s->query.keep;
	size_t n = s->query.n_keep;

	s->mem = arena_new();
	s->query.keep = s->keep = arena_alloc(s->mem, KEEP_MAX, sizeof(*s->keep));
	s->query.n_keep = 0;
	for (size_t i = 0; i < n; i++)
		stored_keep(s, own[i], strlen(own[i]));
	s->n_own = s->query.n_keep;
	keep_filter(s, q->tagfocus);
	keep_filter(s, q->tagignore);
	keep_list(s, q->tagroot);
	keep_list(s, q->tagleaf);
	keep_label(s, q->by);
	keep_label(s, q->normalize);
}

/* ---- open ---- */

static int stored_find_query(struct stored_source *s, const struct query *q, struct err *err)
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
	return backends_open(*where ? where : q->store, &options, out, err);
}

int stored_open(const char *source, const struct query *q, struct stored_source *out, struct err *err)
{
	struct buf pin = { 0 };
	int rc = 0;

	*out = (struct stored_source){ 0 };
	if (stored_is_release(source))
		rc = stored_add_release(source, q, &pin, err);
	rc = rc < 0 ? rc : window_parse(pin.len ? buf_text(&pin) : source, &out->window, err);
	rc = rc < 0 ? rc : stored_find_query(out, q, err);
	if (rc == 0)
		keep_labels(q, out);
	buf_release(&pin);
	return rc;
}

void stored_close(struct stored_source *s)
{
	if (s->store)
		store_close(s->store);
	window_free(s->window);
	arena_free(s->mem);
	free(s->where);
	*s = (struct stored_source){ 0 };
}

/* ---- resolve ---- */

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
static int stored_add_url(const char *source, const struct query *options, struct buf *out, struct err *err)
{
	struct window *w;
	struct store_query q;
	struct window_clock clock;
	struct buf text = { 0 }, keep = { 0 };
	const char *where, *place;
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
	buf_addf(out, "%s%sapi/v1/profile?q=", where, ends_with(where, "/") ? "" : "/");
	/* the place is printed as it was given, if it needs no quotes */
	buf_addz(out, "store%3A");
	place = strchr(buf_text(&text), '#') + 1;
	url_escape(place, strlen(place), URL_QUERY, out);
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

/* A store that several sources read, one at a time. */
struct stored_shared {
	struct stored_source from;
	pthread_mutex_t lock;
	atomic_size_t n_users;
};

static void stored_leave(struct stored_shared *s)
{
	if (atomic_fetch_sub(&s->n_users, 1) > 1)
		return;
	stored_close(&s->from);
	pthread_mutex_destroy(&s->lock);
	free(s);
}

/* The state of a source. */
struct stored_part {
	struct stored_shared *shared;
	struct store_query query;
	bool is_part, is_first; /* one of several; the first of them */
};

void stored_add_part(const struct stored_parts *to, const struct store_query *q, bool is_part)
{
	struct stored_part *part = mem_alloc(1, sizeof(*part));
	struct store_query own = *q;
	struct buf name = { 0 };

	*part = (struct stored_part){ to->shared, *q, is_part, to->out->n == to->n_before };
	atomic_fetch_add(&to->shared->n_users, 1);
	own.n_keep = to->from->n_own; /* without those of options */
	window_print(to->from->window, &own, &name);
	buf_addz(&name, is_part ? "+runs=1" : "");
	sources_append(to->out, SOURCE_STORE, name.data, name.len, part);
	buf_release(&name);
}

void stored_free(void *state)
{
	struct stored_part *part = state;
	const struct store_query *q = &part->query;

	if (q->match != part->shared->from.query.match) {
		regex_free(q->match[q->n_match - 1].regex);
		free((char *)q->match[q->n_match - 1].value);
		free((struct label_match *)q->match);
	}
	stored_leave(part->shared);
	free(part);
}

/* Add the parts of a source, or the source. */
static int stored_add_parts(const struct stored_parts *to, enum source_split split, struct stop *stop, struct err *err)
{
	size_t n = to->out->n;
	int rc = 0;

	if (split != SPLIT_NONE)
		rc = split == SPLIT_RUNS ? stored_split_runs(to, stop, err) : stored_split_steps(to, stop, err);
	if (rc == 0 && to->out->n == n)
		stored_add_part(to, &to->from->query, is_part(to->from));
	return rc;
}

int stored_resolve(struct sources *out, const char *word, enum source_split split, const struct query *q,
		   struct err *err)
{
	struct stored_shared *shared;
	struct buf url = { 0 }, pin = { 0 };
	int rc;

	if (stored_is_release(word)) {
		rc = stored_add_release(word, q, &pin, err);
		rc = rc < 0 ? rc : stored_resolve(out, buf_text(&pin), split, q, err);
		buf_release(&pin);
		return rc;
	}
	if (split == SPLIT_NONE && backends_is_collector(word + strlen("store:"))) {
		rc = stored_add_url(word, q, &url, err);
		rc = rc < 0 ? rc : remote_resolve_url(out, buf_text(&url), split, q, err);
		buf_release(&url);
		return rc;
	}
	shared = mem_zalloc(1, sizeof(*shared));
	shared->n_users = 1;
	pthread_mutex_init(&shared->lock, NULL);
	rc = stored_open(word, q, &shared->from, err);
	if (rc == 0)
		rc = stored_add_parts(&(struct stored_parts){ shared, &shared->from, out, out->n }, split, q->stop,
				      err);
	stored_leave(shared);
	return rc;
}

/* ---- read ---- */

int stored_read(struct source *s, const char *name, const struct query *q, struct profile **out, struct buf *notes,
		struct buf *missing, struct err *err)
{
	struct stored_part *part = s->state;
	struct stored_source from = part->shared->from;
	struct store_sum sum = { 0 };
	struct buf line = { 0 };
	int rc;

	from.query = part->query;
	from.query.adds_up = q->wants_forest;
	pthread_mutex_lock(&part->shared->lock);
	rc = store_read(from.store, &from.query, q->stop, out, &sum, err);
	if (rc < 0) {
		stored_explain_nothing(&from, err);
		err_wrap(err, "%.300s", name);
	} else {
		store_sum_describe(&from.query, &sum, &line);
		store_sum_add_comments(&from.query, &sum, *out);
		if (!part->is_part || sum.profiles_missing ||
		    sum.is_damaged) /* else the line of each part is the same */
			buf_addf(notes, "%s\n", buf_text(&line));
		else if (part->is_first && sum.samples.len)
			buf_addf(notes, "store: %s/%s: only samples with %s\n", from.query.service, from.query.kind,
				 buf_text(&sum.samples));
		buf_addz(sum.is_damaged && !from.query.partial ? missing : notes, buf_text(&sum.notes));
		stored_note_young_profile(&from, &sum, *out, q->sample_index, notes); /* reads the store, too */
	}
	pthread_mutex_unlock(&part->shared->lock);
	buf_release(&line);
	store_sum_release(&sum);
	s->state = NULL; /* the store is closed when all have read it */
	stored_free(part);
	return rc;
}

/* ---- hours ---- */

bool stored_window(const struct source *s, int64_t *t0, int64_t *t1)
{
	const struct stored_part *part = s->type->resolve == stored_resolve ? s->state : NULL;

	if (!part || part->query.t0 == INT64_MIN || part->query.t1 == INT64_MAX)
		return false;
	*t0 = part->query.t0;
	*t1 = part->query.t1;
	return true;
}

/* Mark the minutes of the day that a source covers. */
static void mark_minutes(const struct source *s, bool covered[DAY_MINUTES])
{
	const int64_t minute = INT64_C(60000000000);
	int64_t t0, t1;

	if (!stored_window(s, &t0, &t1) || t1 - t0 >= DAY_MINUTES * minute)
		memset(covered, true, DAY_MINUTES);
	else
		for (int64_t t = t0; t < t1; t += minute)
			covered[t / minute % DAY_MINUTES] = true;
}

bool stored_differ_in_hours(const struct sources *a, const struct sources *b)
{
	bool covered[2][DAY_MINUTES] = { { false } };
	int n[2] = { 0 }, both = 0;

	for (size_t i = 0; i < a->n; i++)
		mark_minutes(&a->source[i], covered[0]);
	for (size_t i = 0; i < b->n; i++)
		mark_minutes(&b->source[i], covered[1]);
	for (int i = 0; i < DAY_MINUTES; i++) {
		n[0] += covered[0][i];
		n[1] += covered[1][i];
		both += covered[0][i] && covered[1][i];
	}
	return 2 * both < (n[0] < n[1] ? n[0] : n[1]);
}

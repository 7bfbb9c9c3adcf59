/*
 * load.c - load a profile from the names of its sources
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/load.h"

#include "base/mem.h"
#include "base/pool.h"
#include "base/str.h"
#include "engine/query.h"
#include "fetch/source.h"
#include "profile/normalize.h"
#include "sources/bundle.h"
#include "sources/save.h"
#include "sources/sides.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind[N_SIDES] = { [SIDE_NEW] = "source", [SIDE_BASE] = "base" };

static void load_events_step(const struct load_events *e, const char *what)
{
	if (e && e->step)
		e->step(e->arg, what);
}

static void load_add_note(const struct load_events *e, bool is_error, const char *line, size_t n)
{
	if (e && e->note)
		e->note(e->arg, is_error, line, n);
}

void load_events_notes(const struct load_events *e, const struct buf *notes)
{
	const char *line = buf_text(notes), *last = "";

	while (*line) {
		size_t n = strcspn(line, "\n");

		if (strcspn(last, "\n") != n || memcmp(last, line, n) != 0)
			load_add_note(e, false, line, n);
		last = line;
		line += n + (line[n] == '\n');
	}
}

void load_events_report(const struct load_events *e, const struct source_set *l)
{
	const char *line = buf_text(&l->notes);
	char text[80];

	while (*line) {
		size_t n = strcspn(line, "\n");

		load_add_note(e, true, line, n);
		line += n + (line[n] == '\n');
	}
	load_events_notes(e, &l->info);
	if (l->n_failed == 0 || l->n <= 1)
		return;
	snprintf(text, sizeof(text), "Fetched %zu %s profiles out of %zu", l->n - l->n_failed, l->kind, l->n);
	load_add_note(e, true, text, strlen(text));
}

static void load_events_error(const struct load_events *e, const char *sentence)
{
	load_add_note(e, true, sentence, strlen(sentence));
}

struct remote *sources_fetch(const struct sources *s, size_t n, const struct query *q, const struct load_events *e)
{
	struct remote *r = remote_new(q);
	struct buf notes = { 0 };

	for (size_t i = n; i-- > 0;) /* of two sides, the new one first */
		remote_add(r, &s[i]);
	if (remote_count(r) == 0) {
		remote_free(r);
		return NULL;
	}
	if (e && e->fetch)
		e->fetch(e->arg, r, q, &notes);
	else
		remote_fetch(r, NULL, q->stop, &notes);
	load_events_notes(e, &notes);
	buf_release(&notes);
	return r;
}

bool sources_can_reload(const struct load_request *r)
{
	struct sources sources = { 0 };
	bool can = sources_add(&sources, r->word, r->n_words, SPLIT_NONE, r->q, NULL) == 0, changes = false;
	size_t n_stdin = 0;

	can = can && sources_check(&sources, "", r->q, &n_stdin, NULL) == 0 && n_stdin == 0;
	for (size_t i = 0; i < sources.n; i++)
		changes |= sources.source[i].type->changes;
	sources_release(&sources);
	return can && changes;
}

/* Expand and check the sources of both sides. */
static int load_find_sources(const struct load_request *r, struct load_result *l, struct err *err)
{
	struct normalize_options normalize;
	size_t n_stdin = 0;
	int rc;

	if (normalize_parse(r->q->normalize, &normalize, NULL) == 0 && normalize.by != NORMALIZE_NONE &&
	    r->n_bases == 0)
		return err_set(err, ERR_USAGE, "must have base profile to normalize by");
	rc = sources_add(&l->source[SIDE_NEW], r->word, r->n_words, SPLIT_NONE, r->q, err);
	if (rc == 0)
		rc = sources_add(&l->source[SIDE_BASE], r->base, r->n_bases, SPLIT_NONE, r->q, err);
	for (int i = N_SIDES; rc == 0 && i-- > 0;)
		rc = sources_check(&l->source[i], kind[i], r->q, &n_stdin, err);
	if (rc == 0 && r->is_reload && n_stdin > 0)
		rc = err_set(err, ERR_USAGE, "standard input cannot be read again");
	return rc;
}

/* Start with a copy of a query. */
static void load_init(const struct query *q, struct stop *stop, struct load_result *out)
{
	*out = (struct load_result){ .q = mem_alloc(1, sizeof(*out->q)) };
	*out->q = *q;
	out->q->stop = stop;
}

/* Prepare the sets of both sides. The first of several sources may be a binary. */
static void load_prepare(struct load_result *l)
{
	struct source_set *new = &l->set[SIDE_NEW];

	for (int i = 0; i < N_SIDES; i++)
		l->set[i] = sources_set_of(&l->source[i], 0, l->source[i].n, kind[i], l->q, l->remote);
	if (new->n >= 2 && fetch_is_binary(new->source[0])) {
		new->binary = l->set[SIDE_BASE].binary = *new->source++;
		new->from++;
		new->n--;
	}
	for (int i = 0; i < N_SIDES; i++)
		l->from[i] = (struct side_sources){ .source = l->set[i].source, .n = l->set[i].n };
}

/* Fail if a source is missing: after a reload, that would look like a change. */
static int check_all_read(const struct load_result *l, struct err *err)
{
	for (int i = N_SIDES; i-- > 0;) {
		const char *line = buf_text(&l->set[i].notes);

		if (l->set[i].n_failed)
			return err_set(err, ERR_IO, "%.*s", (int)strcspn(line, "\n"), line);
	}
	return 0;
}

static int read_sources(const struct load_request *r, struct load_result *l, struct err *err)
{
	struct source_set *new = &l->set[SIDE_NEW], *base = &l->set[SIDE_BASE];
	const struct query *q = new->q;
	int rc;

	if (new->n > 1 && base->n == 0 && r->events)
		new->progress = r->events->progress;
	stop_begin(q->stop, "reading", 0);
	load_events_step(r->events, "reading");
	rc = stop_check(q->stop, err);
	if (rc == 0)
		rc = sides_read(new, base, &l->profile, r->keep_sides ? &l->sides : NULL, err);
	if (rc == 0 && r->is_reload)
		rc = check_all_read(l, err);
	if (rc == 0)
		rc = stop_check(q->stop, err);
	if (rc == 0 && r->add_sources)
		bundle_sources(l->profile, q, &new->info);
	load_events_step(r->events, NULL);
	load_events_report(r->events, new);
	load_events_report(r->events, base);
	return rc;
}

static void load_save(const struct load_request *r, const struct load_result *l)
{
	struct buf notes = { 0 };

	sources_save_fetched(l->profile, &l->set[SIDE_NEW], &l->set[SIDE_BASE], &notes);
	load_events_notes(r->events, &notes);
	buf_release(&notes);
}

static void drop_profiles(struct load_result *l)
{
	profile_free(l->profile);
	profile_free(l->sides);
	l->profile = l->sides = NULL;
}

int sources_load(const struct load_request *r, struct load_result *out, struct err *err)
{
	int rc;

	assert(r->q && (r->n_words == 0 || r->word) && (r->n_bases == 0 || r->base));
	load_init(r->q, r->stop ? r->stop : r->q->stop, out);
	rc = load_find_sources(r, out, err);
	if (rc == 0 && out->source[SIDE_NEW].n > 0)
		out->remote = sources_fetch(out->source, N_SIDES, out->q, r->events);
	if (rc == 0)
		load_prepare(out);
	if (rc == 0 && out->set[SIDE_NEW].n > 0)
		rc = read_sources(r, out, err);
	if (rc < 0)
		drop_profiles(out);
	else if (out->profile && !r->is_reload)
		load_save(r, out);
	return rc;
}

int sources_load_data(struct bytes *data, const char *name, const struct query *query, struct stop *stop,
		      struct load_result *out, struct err *err)
{
	load_init(query, stop, out);
	out->q->normalize = "";
	if (strcmp(out->q->symbolize, "none") != 0)
		out->q->symbolize = "local";
	sources_add_bytes(&out->source[SIDE_NEW], name, data);
	load_prepare(out);
	return sides_read(&out->set[SIDE_NEW], &out->set[SIDE_BASE], &out->profile, NULL, err);
}

void load_result_release(struct load_result *l)
{
	drop_profiles(l);
	remote_free(l->remote);
	free(l->q);
	for (int i = 0; i < N_SIDES; i++) {
		buf_release(&l->set[i].notes);
		buf_release(&l->set[i].info);
		sources_release(&l->source[i]);
	}
	*l = (struct load_result){ 0 };
}

enum { RUNS_MAX = 8 }; /* max profiles in memory at once */

struct queue {
	struct source_run *item;
	size_t n;
	atomic_size_t next;
};

static void sources_runs_read_part(void *arg, unsigned part)
{
	struct queue *q = arg;
	size_t i;

	(void)part;
	while ((i = atomic_fetch_add(&q->next, 1)) < q->n) {
		struct source_run *item = &q->item[i];
		struct source_set none = { .q = item->set.q };

		assert(item->set.n > 0 && !item->profile);
		if (sides_read(&item->set, &none, &item->profile, NULL, &item->err) < 0)
			item->profile = NULL;
	}
}

void sources_runs_read(struct source_run *item, size_t n, const struct load_events *events)
{
	struct queue q = { .item = item, .n = n };

	pool_run(sources_runs_read_part, &q, pool_size() < n ? pool_size() : (unsigned)n);
	for (size_t i = 0; i < n; i++) {
		struct buf notes = { 0 };

		if (!item[i].profile || !item[i].set.remote)
			continue;
		sources_save_fetched(item[i].profile, &item[i].set, NULL, &notes);
		load_events_notes(events, &notes);
		buf_release(&notes);
	}
}

/* Append the info of a load with the name of its source before each line. */
static void sources_runs_add_named(const struct source_set *l, struct buf *out)
{
	const char *line = buf_text(&l->info), *several = strcmp(l->kind, "base") == 0 ? "the base" : "the new side";

	while (*line) {
		size_t n = strcspn(line, "\n");

		if (!starts_with(line, "store: ")) /* such a line says itself what was read */
			buf_addf(out, "%s: ", l->n == 1 ? l->source[0] : several);
		buf_addf(out, "%.*s\n", (int)n, line);
		line += n + (line[n] == '\n');
	}
}

int sources_run_report(const struct source_run *item, const struct load_events *events, struct err *err)
{
	struct source_set named = item->set;

	named.info = (struct buf){ 0 };
	sources_runs_add_named(&item->set, &named.info);
	load_events_report(events, &named);
	buf_release(&named.info);
	return item->profile ? 0 : err_set(err, item->err.code, "%s", item->err.msg);
}

void sources_run_release(struct source_run *item)
{
	profile_free(item->profile);
	item->profile = NULL;
	buf_release(&item->set.notes);
	buf_release(&item->set.info);
}

/* Pass a profile on. */
static int sources_run_pass(const struct source_run *run, const struct load_events *events, source_run_fn *fn,
			    void *arg, size_t *n_failed, struct err *err)
{
	struct err unread;

	if (sources_run_report(run, events, &unread) < 0) {
		load_events_error(events, unread.msg);
		++*n_failed;
		return 0;
	}
	*n_failed += run->set.n_failed > 0;
	return fn(arg, run, err);
}

int sources_runs_each(const struct sources *s, struct remote *remote, const struct query *q,
		      const struct load_events *events, source_run_fn *fn, void *arg, size_t *n_failed, struct err *err)
{
	size_t step = pool_size() < RUNS_MAX ? pool_size() : RUNS_MAX;
	int rc = 0;

	*n_failed = 0;
	load_events_step(events, "reading");
	for (size_t lo = 0; rc == 0 && lo < s->n; lo += step) {
		struct source_run run[RUNS_MAX] = { { .profile = NULL } };
		size_t n = s->n - lo < step ? s->n - lo : step;

		for (size_t i = 0; i < n; i++)
			run[i].set = sources_set_of(s, lo + i, 1, "source", q, remote);
		sources_runs_read(run, n, events);
		for (size_t i = 0; i < n; i++) {
			if (rc == 0)
				rc = sources_run_pass(&run[i], events, fn, arg, n_failed, err);
			sources_run_release(&run[i]);
		}
	}
	load_events_step(events, NULL);
	return rc;
}

/*
 * loaded.c - load a profile from the names of its sources
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/loaded.h"

#include "answer/bundle.h"
#include "answer/compare.h"
#include "answer/save.h"
#include "base/mem.h"
#include "engine/query.h"
#include "fetch/source.h"
#include "profile/normalize.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const kind[N_SIDES] = { [SIDE_NEW] = "source", [SIDE_BASE] = "base" };

void load_events_step(const struct load_events *e, const char *what)
{
	if (e && e->step)
		e->step(e->arg, what);
}

static void loaded_add_note(const struct load_events *e, bool is_error, const char *line, size_t n)
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
			loaded_add_note(e, false, line, n);
		last = line;
		line += n + (line[n] == '\n');
	}
}

void load_events_report(const struct load_events *e, const struct load *l)
{
	const char *line = buf_text(&l->notes);
	char text[80];

	while (*line) {
		size_t n = strcspn(line, "\n");

		loaded_add_note(e, true, line, n);
		line += n + (line[n] == '\n');
	}
	load_events_notes(e, &l->info);
	if (l->n_failed == 0 || l->n <= 1)
		return;
	snprintf(text, sizeof(text), "Fetched %zu %s profiles out of %zu", l->n - l->n_failed, l->kind, l->n);
	loaded_add_note(e, true, text, strlen(text));
}

void load_events_error(const struct load_events *e, const char *sentence)
{
	loaded_add_note(e, true, sentence, strlen(sentence));
}

int answer_fetch(struct sources *s, size_t n, const struct query *q, const struct load_events *e, struct remote **out,
		 struct err *err)
{
	struct remote *r = remote_new(q);
	struct buf notes = { 0 };
	int rc = 0;

	*out = NULL;
	for (size_t i = n; rc == 0 && i-- > 0;) /* of two sides, the new one first */
		rc = remote_add(r, &s[i], err);
	if (rc < 0 || remote_count(r) == 0) {
		remote_free(r);
		return rc;
	}
	if (e && e->fetch)
		e->fetch(e->arg, r, q, &notes);
	else
		remote_fetch(r, NULL, q->stop, &notes);
	load_events_notes(e, &notes);
	buf_release(&notes);
	*out = r;
	return 0;
}

bool answer_can_reload(const struct load_request *r)
{
	struct sources sources = { 0 };
	struct remote *remote = remote_new(r->q);
	bool can = sources_add(&sources, r->word, r->n_words, SPLIT_NONE, r->q, NULL) == 0 &&
		   remote_add(remote, &sources, NULL) == 0;
	bool changes = can && remote_count(remote) > 0;

	for (size_t i = 0; i < sources.n; i++) {
		can &= strcmp(sources.name[i], "-") != 0;
		changes |= stored_is_source(sources.name[i]);
	}
	can &= changes;
	remote_free(remote);
	sources_release(&sources);
	return can;
}

/* Expand and check the sources of both sides. */
static int loaded_find_sources(const struct load_request *r, struct loaded *l, struct err *err)
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
static void loaded_init(const struct query *q, struct stop *stop, struct loaded *out)
{
	*out = (struct loaded){ .q = mem_alloc(1, sizeof(*out->q)) };
	*out->q = *q;
	out->q->stop = stop;
}

/* Prepare the loads of both sides. The first of several sources may be a binary. */
static void set_loads(struct loaded *l)
{
	struct load *new = &l->load[SIDE_NEW];

	for (int i = 0; i < N_SIDES; i++)
		l->load[i] = (struct load){ .source = l->source[i].name,
					    .n = l->source[i].n,
					    .kind = kind[i],
					    .q = l->q,
					    .remote = l->remote };
	if (new->n >= 2 && fetch_is_binary(new->source[0])) {
		new->binary = l->load[SIDE_BASE].binary = *new->source++;
		new->n--;
	}
	for (int i = 0; i < N_SIDES; i++)
		l->from[i] = (struct side_sources){ l->load[i].source, l->load[i].n };
}

/* Fail if a source is missing: after a reload, that would look like a change. */
static int check_all_read(const struct loaded *l, struct err *err)
{
	for (int i = N_SIDES; i-- > 0;) {
		const char *line = buf_text(&l->load[i].notes);

		if (l->load[i].n_failed)
			return err_set(err, ERR_IO, "%.*s", (int)strcspn(line, "\n"), line);
	}
	return 0;
}

static int read_sources(const struct load_request *r, struct loaded *l, struct err *err)
{
	struct load *new = &l->load[SIDE_NEW], *base = &l->load[SIDE_BASE];
	const struct query *q = new->q;
	int rc;

	if (new->n > 1 && base->n == 0 && r->events)
		new->progress = r->events->progress;
	stop_begin(q->stop, "reading", 0);
	load_events_step(r->events, "reading");
	rc = stop_check(q->stop, err);
	if (rc == 0)
		rc = compare_load_sides(new, base, &l->profile, r->keep_sides ? &l->sides : NULL, err);
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

static void loaded_save(const struct load_request *r, const struct loaded *l)
{
	struct buf notes = { 0 };

	answer_save_fetched(l->profile, &l->load[SIDE_NEW], &l->load[SIDE_BASE], &notes);
	load_events_notes(r->events, &notes);
	buf_release(&notes);
}

static void drop_profiles(struct loaded *l)
{
	profile_free(l->profile);
	profile_free(l->sides);
	l->profile = l->sides = NULL;
}

int answer_load(const struct load_request *r, struct loaded *out, struct err *err)
{
	int rc;

	assert(r->q && (r->n_words == 0 || r->word) && (r->n_bases == 0 || r->base));
	loaded_init(r->q, r->stop ? r->stop : r->q->stop, out);
	rc = loaded_find_sources(r, out, err);
	if (rc == 0 && out->source[SIDE_NEW].n > 0)
		rc = answer_fetch(out->source, N_SIDES, out->q, r->events, &out->remote, err);
	if (rc == 0)
		set_loads(out);
	if (rc == 0 && out->load[SIDE_NEW].n > 0)
		rc = read_sources(r, out, err);
	if (rc < 0)
		drop_profiles(out);
	else if (out->profile && !r->is_reload)
		loaded_save(r, out);
	return rc;
}

/* Use a copy of the name as the only source. */
static void loaded_set_name(const char *name, struct sources *out)
{
	out->name = mem_alloc(1, sizeof(*out->name));
	out->expanded = mem_alloc(1, sizeof(*out->expanded));
	out->name[0] = out->expanded[0] = mem_strndup(name, strlen(name));
	out->n = out->n_expanded = out->cap = out->cap_expanded = 1;
}

int answer_load_data(struct bytes *data, const char *name, const struct query *query, struct stop *stop,
		     struct loaded *out, struct err *err)
{
	int rc;

	loaded_init(query, stop, out);
	out->q->normalize = "";
	if (strcmp(out->q->symbolize, "none") != 0)
		out->q->symbolize = "local";
	loaded_set_name(name, &out->source[SIDE_NEW]);
	set_loads(out);
	out->load[SIDE_NEW].data = data;
	rc = compare_load(&out->load[SIDE_NEW], &out->load[SIDE_BASE], &out->profile, err);
	free(data->data);
	*data = (struct bytes){ 0 };
	out->load[SIDE_NEW].data = NULL;
	return rc;
}

void loaded_release(struct loaded *l)
{
	drop_profiles(l);
	remote_free(l->remote);
	free(l->q);
	for (int i = 0; i < N_SIDES; i++) {
		buf_release(&l->load[i].notes);
		buf_release(&l->load[i].info);
		sources_release(&l->source[i]);
	}
	*l = (struct loaded){ 0 };
}

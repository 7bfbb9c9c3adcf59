/*
 * stored_browse.c - the content of a store, for front ends in which a user chooses a window
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/stored_browse.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/time.h"
#include "engine/query.h"
#include "sources/stored.h"
#include "store/window/window.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* --- services, kinds and labels --- */

/*
 * Find a name in a sorted array, or make room for it.
 *
 * array    elements that begin with a const char *; grown by one in the arena if the name is new
 * Returns the element; a new one has only its name
 */
static void *find_or_insert(struct arena *memory, void **array, size_t *n, size_t size, const char *name)
{
	char *element = *array;
	size_t lo;

	if (sources_find_name(element, *n, size, name, &lo))
		return element + lo * size;
	if ((*n & (*n - 1)) == 0) { /* full: the capacity is a power of 2 */
		char *grown = arena_alloc(memory, *n ? *n * 2 : 1, size);

		if (*n)
			memcpy(grown, element, *n * size);
		*array = element = grown;
	}
	memmove(element + (lo + 1) * size, element + lo * size, (*n - lo) * size);
	memset(element + lo * size, 0, size);
	name = arena_strndup(memory, name, strlen(name));
	memcpy(element + lo * size, &name, sizeof(name));
	++*n;
	return element + lo * size;
}

static void stored_browse_add_label(struct arena *memory, struct stored_service *s, const char *name, const char *value)
{
	void *labels = s->label, *values;
	struct stored_label *l = find_or_insert(memory, &labels, &s->n_labels, sizeof(*l), name);
	size_t at = (size_t)(l - (struct stored_label *)labels);

	s->label = labels;
	l = &s->label[at];
	if (l->n == STORED_VALUES_MAX) {
		l->has_more = true;
		return;
	}
	values = l->value;
	find_or_insert(memory, &values, &l->n, sizeof(*l->value), value);
	l->value = values;
}

static int stored_browse_add_series(void *arg, const struct store_series *series, struct err *err)
{
	struct stored_catalogue *out = arg;
	void *services = out->service, *kinds;
	struct stored_service *s = find_or_insert(out->memory, &services, &out->n, sizeof(*s), series->service);

	(void)err;
	out->service = services;
	if (s->profiles == 0) {
		s->first_ns = series->first_ns;
		s->last_ns = series->last_ns;
	}
	s->first_ns = series->first_ns < s->first_ns ? series->first_ns : s->first_ns;
	s->last_ns = series->last_ns > s->last_ns ? series->last_ns : s->last_ns;
	s->profiles += series->profiles;
	kinds = s->kind;
	find_or_insert(out->memory, &kinds, &s->n_kinds, sizeof(*s->kind), series->kind);
	s->kind = kinds;
	for (size_t i = 0; i < series->n_labels; i++)
		stored_browse_add_label(out->memory, s, series->label[i].name, series->label[i].value);
	return 0;
}

int stored_catalogue_read(const struct stored_place *place, struct stored_catalogue *out, struct err *err)
{
	const struct store_query all = {
		.service = "*", .is_pattern = true, .kind = "", .pin = "", .t0 = INT64_MIN, .t1 = INT64_MAX
	};
	struct store *s;
	int rc;

	*out = (struct stored_catalogue){ .memory = arena_new() };
	rc = stored_open_place(place->where, place->q, &s, err);
	if (rc < 0)
		return rc;
	rc = store_each_series(s, &all, stored_browse_add_series, out, err);
	store_close(s);
	return rc;
}

void stored_catalogue_release(struct stored_catalogue *c)
{
	arena_free(c->memory);
	*c = (struct stored_catalogue){ 0 };
}

const struct stored_service *stored_catalogue_find(const struct stored_catalogue *c, const char *name)
{
	const struct stored_service *newest = NULL;

	for (size_t i = 0; i < c->n; i++) {
		if (*name ? strcmp(c->service[i].name, name) == 0 : !newest || c->service[i].last_ns > newest->last_ns)
			newest = &c->service[i];
	}
	return newest;
}

const char *stored_service_kind(const struct stored_service *s)
{
	for (size_t i = 0; i < s->n_kinds; i++)
		if (strcmp(s->kind[i], "cpu") == 0)
			return s->kind[i];
	return s->n_kinds ? s->kind[0] : "cpu";
}

/* --- choices --- */

/* Append a word of a source, in double quotes unless it consists of letters, digits and a few others. */
static void stored_browse_add_word(struct buf *out, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-";

	if (*word && word[strspn(word, plain)] == '\0') {
		buf_addz(out, word);
		return;
	}
	buf_addz(out, "\"");
	for (; *word; word++) {
		if (*word == '"' || *word == '\\')
			buf_addz(out, "\\");
		buf_add(out, word, 1);
	}
	buf_addz(out, "\"");
}

void stored_choice_print(const struct stored_place *place, const struct stored_choice *c, struct buf *out)
{
	buf_addz(out, "store:");
	if (*place->where) {
		stored_browse_add_word(out, place->where);
		buf_addz(out, "#");
	}
	stored_browse_add_word(out, c->service);
	buf_addz(out, "/");
	stored_browse_add_word(out, c->kind);
	for (size_t i = 0; i < c->n_labels; i++) {
		buf_addz(out, i ? "," : "{");
		stored_browse_add_word(out, c->label[i].name);
		buf_addz(out, "=");
		stored_browse_add_word(out, c->label[i].value);
	}
	buf_addz(out, c->n_labels ? "}@" : "@");
	time_add_exact(out, c->t0);
	buf_addz(out, "..");
	time_add_exact(out, c->t1);
}

/* The query of a choice. match: [STORED_CHOICE_LABELS_MAX] */
static struct store_query choice_query(const struct stored_choice *c, struct label_match *match)
{
	assert(c->n_labels <= STORED_CHOICE_LABELS_MAX);
	for (size_t i = 0; i < c->n_labels; i++)
		match[i] =
			(struct label_match){ .op = MATCH_EQUAL, .name = c->label[i].name, .value = c->label[i].value };
	return (struct store_query){ .service = c->service,
				     .kind = c->kind,
				     .match = match,
				     .n_match = c->n_labels,
				     .t0 = c->t0,
				     .t1 = c->t1,
				     .pin = "" };
}

int stored_choice_totals(const struct stored_place *place, const struct stored_choice *c, int64_t step_ns,
			 const char *type, struct stop *stop, struct stored_totals *out, struct err *err)
{
	struct label_match match[STORED_CHOICE_LABELS_MAX];
	struct store_query q = choice_query(c, match);
	struct store *s;
	uint32_t chosen;
	int rc;

	*out = (struct stored_totals){ 0 };
	q.step_ns = step_ns;
	rc = stored_open_place(place->where, place->q, &s, err);
	if (rc < 0)
		return rc;
	rc = stored_totals_read(s, &q, NULL, stop, out, err);
	chosen = stored_totals_find(out, type);
	if (rc == 0 && out->n_types && out->type[chosen].temporality == TEMPORALITY_CUMULATIVE)
		rc = stored_totals_read_increase(s, &q, NULL, stop, chosen, out, err);
	store_close(s);
	return rc;
}

struct stored_browse_marks {
	const struct stored_choice *c;
	stored_mark_fn *fn;
	void *arg;
};

static int stored_browse_add_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	const struct stored_browse_marks *x = arg;

	(void)err;
	if (m->time_ns >= x->c->t0 && m->time_ns < x->c->t1)
		x->fn(x->arg, service, m->time_ns, m->kind, m->text);
	return 0;
}

int stored_choice_marks(const struct stored_place *place, const struct stored_choice *c, stored_mark_fn *fn, void *arg,
			struct err *err)
{
	struct stored_browse_marks x = { c, fn, arg };
	struct store *s;
	int rc = stored_open_place(place->where, place->q, &s, err);

	if (rc < 0)
		return rc;
	rc = store_each_mark(s, c->service ? c->service : "*", !c->service, "", stored_browse_add_mark, &x, err);
	store_close(s);
	return rc;
}

/* --- start --- */

static bool is_place_alone(const char *argument)
{
	return strcmp(argument, "store:") == 0 || (starts_with(argument, "store:") && ends_with(argument, "#"));
}

bool stored_start_is_store(const char *argument)
{
	return is_place_alone(argument) || window_is_source(argument);
}

/* Replace the source by the hour up to the last profile of a service, in whole seconds. */
static void choose_last_hour(const struct stored_place *place, const struct stored_service *s, struct stored_start *out)
{
	int64_t end = (s->last_ns / NS_PER_S + 1) * NS_PER_S;
	struct stored_choice c = { .service = s->name, .t0 = end - NS_PER_HOUR, .t1 = end };

	if (out->kind.len == 0)
		buf_addz(&out->kind, stored_service_kind(s));
	c.kind = buf_text(&out->kind);
	out->source.len = 0;
	stored_choice_print(place, &c, &out->source);
	out->service.len = 0;
	buf_addz(&out->service, s->name);
}

/* Read the argument into out, and set *is_complete if it can be loaded as it is. */
static int stored_browse_parse_start(const char *argument, struct stored_start *out, bool *is_complete, struct err *err)
{
	struct window_clock clock;
	struct store_query query;
	struct window *w;
	int rc;

	*is_complete = false;
	if (is_place_alone(argument)) {
		const char *where = argument + strlen("store:");

		buf_add(&out->where, where, strlen(where) - (*where != '\0'));
		return 0;
	}
	rc = window_parse(argument, &w, err);
	if (rc < 0)
		return rc;
	buf_addz(&out->where, window_where(w));
	buf_addz(&out->kind, window_kind(w));
	buf_addz(&out->source, argument);
	out->has_window = *is_complete = window_has_time(w);
	window_clock_init(NULL, &clock);
	clock.mark = NULL;
	clock.first = NULL;
	if (window_resolve(w, &clock, &query, NULL) == 0 && !query.is_pattern) {
		buf_addz(&out->service, query.service);
		*is_complete |= query.n_match > 0;
	} else {
		*is_complete = true;
	}
	window_free(w);
	return 0;
}

int stored_start_find(const char *argument, const struct query *q, struct stored_start *out, struct err *err)
{
	struct stored_catalogue all;
	const struct stored_service *s;
	struct stored_place place;
	struct window_clock clock;
	bool is_complete;
	int rc;

	*out = (struct stored_start){ 0 };
	rc = stored_browse_parse_start(argument, out, &is_complete, err);
	if (rc < 0 || is_complete)
		return rc;
	place = (struct stored_place){ buf_text(&out->where), q };
	rc = stored_catalogue_read(&place, &all, err);
	if (rc == 0) {
		s = stored_catalogue_find(&all, buf_text(&out->service));
		window_clock_init(NULL, &clock);
		if (s && (out->source.len == 0 || s->last_ns < clock.now_ns - NS_PER_HOUR || s->last_ns > clock.now_ns))
			choose_last_hour(&place, s, out);
		else if (!s && out->source.len == 0)
			rc = err_set(err, ERR_IO,
				     "%.300s: the store is empty; cpa collect or cpa store import fills it", argument);
	}
	stored_catalogue_release(&all);
	return rc;
}

void stored_start_release(struct stored_start *s)
{
	buf_release(&s->where);
	buf_release(&s->source);
	buf_release(&s->service);
	buf_release(&s->kind);
}

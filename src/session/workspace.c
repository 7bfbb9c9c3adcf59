/*
 * workspace.c - the open profiles of a server
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "session/workspace_int.h"

#include "base/cond.h"
#include "base/mem.h"
#include "base/time.h"
#include "profile/fingerprint.h"

#include <assert.h>
#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct workspace *workspace_new(void)
{
	struct workspace *w = mem_zalloc(1, sizeof(*w));

	pthread_mutex_init(&w->lock, NULL);
	cond_init(&w->derived_changed);
	return w;
}

static void workspace_entry_free(struct workspace_entry *e)
{
	load_result_release(&e->o.loaded);
	free((void *)e->o.name);
	free(e);
}

void workspace_free_entries(struct workspace_entry *unused)
{
	while (unused) {
		struct workspace_entry *e = unused;

		unused = e->next;
		workspace_entry_free(e);
	}
}

void workspace_unref(struct workspace_entry *e, struct workspace_entry **unused)
{
	assert(e->n_refs > 0);
	if (--e->n_refs)
		return;
	for (size_t i = 0; i < e->n_parts; i++)
		workspace_unref(e->part[i], unused);
	e->next = *unused;
	*unused = e;
}

void workspace_free(struct workspace *w)
{
	struct workspace_entry *unused = NULL;

	if (!w)
		return;
	workspace_drop_derived(w, NULL, &unused);
	for (size_t i = 0; i < w->n; i++) {
		assert(w->entry[i]->n_refs == 1);
		workspace_unref(w->entry[i], &unused);
	}
	workspace_free_entries(unused);
	pthread_cond_destroy(&w->derived_changed);
	pthread_mutex_destroy(&w->lock);
	free(w);
}

/* The lock is held, or no other thread has the entry. */
static uint64_t workspace_entry_fingerprint(struct workspace_entry *e)
{
	if (!e->has_fingerprint)
		e->fingerprint = profile_fingerprint(e->o.p);
	e->has_fingerprint = true;
	return e->fingerprint;
}

static bool workspace_has_id(const struct workspace *w, const char *id)
{
	for (size_t i = 0; i < w->n; i++)
		if (strcmp(w->entry[i]->id, id) == 0)
			return true;
	return false;
}

/* The id of an entry: the first digits of its fingerprint, or other digits if a profile has those. The lock is held. */
static const char *workspace_entry_id(struct workspace_entry *e)
{
	uint64_t h = *e->id ? 0 : workspace_entry_fingerprint(e);
	char id[sizeof(e->id)];

	for (; !*e->id; h = (h << 1 | h >> 63) + 1) {
		snprintf(id, sizeof(id), "%08" PRIx64, h >> 32);
		if (!workspace_has_id(e->workspace, id))
			memcpy(e->id, id, sizeof(id));
	}
	return e->id;
}

static struct workspace_entry *workspace_find(struct workspace *w, const char *id)
{
	for (size_t i = 0; i < w->n; i++)
		if (!id || !*id || strcmp(workspace_entry_id(w->entry[i]), id) == 0)
			return w->entry[i];
	return NULL;
}

struct open_profile *workspace_take(struct workspace *w, struct workspace_entry *e)
{
	e->n_refs++;
	e->used = ++w->n_uses;
	return &e->o;
}

/* Remove an entry from the list. */
static void workspace_drop(struct workspace *w, size_t i, struct workspace_entry **unused)
{
	struct workspace_entry *e = w->entry[i];

	w->generation++;
	memmove(&w->entry[i], &w->entry[i + 1], (w->n - i - 1) * sizeof(*w->entry));
	w->n--;
	workspace_drop_derived(w, e, unused);
	workspace_unref(e, unused);
}

/* The least recently used entry that is not from the command line; w->n if there is none. */
static size_t oldest(const struct workspace *w)
{
	size_t found = w->n;

	for (size_t i = 0; i < w->n; i++)
		if (w->entry[i]->o.origin != OPEN_COMMAND_LINE &&
		    (found == w->n || w->entry[i]->used < w->entry[found]->used))
			found = i;
	return found;
}

struct workspace_entry *workspace_entry_new(struct workspace *w, struct load_result *l, const char *name,
					    enum open_origin origin)
{
	static atomic_uint_fast64_t n_numbers;
	struct workspace_entry *e = mem_zalloc(1, sizeof(*e));

	e->workspace = w;
	e->o = (struct open_profile){ .number = ++n_numbers,
				      .name = mem_strndup(name, strlen(name)),
				      .origin = origin,
				      .is_uploaded = origin == OPEN_UPLOAD,
				      .opened_ns = clock_wall_ns(),
				      .loaded = *l,
				      .p = l->profile };
	e->n_refs = 1;
	*l = (struct load_result){ 0 };
	return e;
}

static struct workspace_entry *workspace_find_same(struct workspace *w, struct workspace_entry *e)
{
	for (size_t i = 0; i < w->n; i++)
		if (workspace_entry_fingerprint(w->entry[i]) == workspace_entry_fingerprint(e) &&
		    (e->o.origin != OPEN_SOURCE || strcmp(w->entry[i]->o.name, e->o.name) == 0))
			return w->entry[i];
	return NULL;
}

int workspace_open(struct workspace *w, struct load_result *l, const char *name, enum open_origin origin,
		   struct open_profile **out, struct err *err)
{
	struct workspace_entry *e = workspace_entry_new(w, l, name, origin), *same, *unused = NULL;
	size_t full = 0;
	int rc = 0;

	assert(e->o.p);
	if (workspace_generation(w) > 0) /* it is needed, and takes too long with the lock held */
		workspace_entry_fingerprint(e);
	pthread_mutex_lock(&w->lock);
	same = workspace_find_same(w, e);
	if (!same && w->n == WORKSPACE_PROFILES_MAX && (full = oldest(w)) < w->n)
		workspace_drop(w, full, &unused);
	if (same) {
		*out = workspace_take(w, same);
		workspace_unref(e, &unused);
	} else if (w->n < WORKSPACE_PROFILES_MAX) {
		w->entry[w->n++] = e;
		for (size_t i = 0; w->n > 1 && i < w->n; i++) /* in this order, so that ids are the same in each run */
			workspace_entry_id(w->entry[i]);
		w->generation++;
		*out = workspace_take(w, e);
	} else {
		workspace_unref(e, &unused);
		rc = err_set(err, ERR_LIMIT, "at most %d profiles can be open", WORKSPACE_PROFILES_MAX);
	}
	pthread_mutex_unlock(&w->lock);
	workspace_free_entries(unused);
	return rc;
}

struct open_profile *workspace_get(struct workspace *w, const char *id)
{
	struct open_profile *o = NULL;
	struct workspace_entry *e;

	pthread_mutex_lock(&w->lock);
	e = workspace_find(w, id);
	if (e)
		o = workspace_take(w, e);
	pthread_mutex_unlock(&w->lock);
	return o;
}

const char *workspace_id(const struct open_profile *o)
{
	struct workspace_entry *e = (struct workspace_entry *)o;
	const char *id;

	pthread_mutex_lock(&e->workspace->lock);
	id = workspace_entry_id(e);
	pthread_mutex_unlock(&e->workspace->lock);
	return id;
}

uint64_t workspace_fingerprint(const struct open_profile *o)
{
	struct workspace_entry *e = (struct workspace_entry *)o;
	uint64_t fingerprint;

	pthread_mutex_lock(&e->workspace->lock);
	fingerprint = workspace_entry_fingerprint(e);
	pthread_mutex_unlock(&e->workspace->lock);
	return fingerprint;
}

void workspace_ref(struct workspace *w, struct open_profile *o)
{
	pthread_mutex_lock(&w->lock);
	workspace_take(w, (struct workspace_entry *)o);
	pthread_mutex_unlock(&w->lock);
}

void workspace_put(struct workspace *w, struct open_profile *o)
{
	struct workspace_entry *unused = NULL;

	if (!o)
		return;
	pthread_mutex_lock(&w->lock);
	workspace_unref((struct workspace_entry *)o, &unused);
	pthread_mutex_unlock(&w->lock);
	workspace_free_entries(unused);
}

size_t workspace_list(struct workspace *w, struct open_profile *out[WORKSPACE_PROFILES_MAX])
{
	size_t n;

	pthread_mutex_lock(&w->lock);
	for (n = 0; n < w->n; n++) {
		w->entry[n]->n_refs++;
		out[n] = &w->entry[n]->o;
	}
	pthread_mutex_unlock(&w->lock);
	return n;
}

uint64_t workspace_generation(struct workspace *w)
{
	uint64_t generation;

	pthread_mutex_lock(&w->lock);
	generation = w->generation;
	pthread_mutex_unlock(&w->lock);
	return generation;
}

bool workspace_close(struct workspace *w, const char *id)
{
	struct workspace_entry *e, *unused = NULL;
	bool is_found = false;

	pthread_mutex_lock(&w->lock);
	e = *id ? workspace_find(w, id) : NULL;
	for (size_t i = 0; e && i < w->n && !is_found; i++) {
		if (w->entry[i] != e || e->o.origin == OPEN_COMMAND_LINE)
			continue;
		workspace_drop(w, i, &unused);
		is_found = true;
	}
	pthread_mutex_unlock(&w->lock);
	workspace_free_entries(unused);
	return is_found;
}

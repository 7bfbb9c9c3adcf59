/*
 * workspace_derived.c - differences and sums of open profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each is computed by the first thread that needs it, while others wait. If that thread is stopped or fails, the next
 * one computes it again.
 */
#include "config.h"

#include "session/workspace_int.h"

#include "base/buf.h"
#include "base/cond.h"
#include "base/mem.h"
#include "profile/merge.h"
#include "sources/sides.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Computes a profile from the parts, without the lock. */
typedef int compute_fn(const void *arg, struct stop *stop, struct load_result *out, struct err *err);

struct derivation {
	const char *key;
	const char *options; /* part of the key besides the parts */
	const char *name;
	struct open_profile *part[WORKSPACE_PROFILES_MAX];
	size_t n_parts;
	compute_fn *compute;
	const void *arg;
};

static struct workspace_derived *workspace_derived_find(struct workspace *w, const char *key)
{
	for (size_t i = 0; i < w->n_derived; i++)
		if (strcmp(w->derived[i].key, key) == 0)
			return &w->derived[i];
	return NULL;
}

static void drop_at(struct workspace *w, size_t i, struct workspace_entry **unused)
{
	if (w->derived[i].e)
		workspace_unref(w->derived[i].e, unused);
	free(w->derived[i].key);
	memmove(&w->derived[i], &w->derived[i + 1], (w->n_derived - i - 1) * sizeof(*w->derived));
	w->n_derived--;
}

static bool has_part(const struct workspace_entry *e, const struct workspace_entry *part)
{
	for (size_t i = 0; i < e->n_parts; i++)
		if (e->part[i] == part || has_part(e->part[i], part))
			return true;
	return false;
}

void workspace_drop_derived(struct workspace *w, const struct workspace_entry *e, struct workspace_entry **unused)
{
	for (size_t i = w->n_derived; i-- > 0;)
		if (w->derived[i].e && (!e || has_part(w->derived[i].e, e)))
			drop_at(w, i, unused);
}

/* Make room for one more result: remove the least recently used one. Returns false if all are being computed. */
static bool workspace_derived_make_room(struct workspace *w, struct workspace_entry **unused)
{
	size_t oldest = w->n_derived;

	if (w->n_derived < WORKSPACE_DERIVED_MAX)
		return true;
	for (size_t i = 0; i < w->n_derived; i++)
		if (w->derived[i].e && (oldest == w->n_derived || w->derived[i].e->used < w->derived[oldest].e->used))
			oldest = i;
	if (oldest == w->n_derived)
		return false;
	drop_at(w, oldest, unused);
	return true;
}

/* Wait until another thread has computed a result, or for 50 ms. */
static void wait_derived(struct workspace *w)
{
	enum { POLL_MS = 50 };

	cond_wait_ms(&w->derived_changed, &w->lock, POLL_MS);
}

/* The id is a hash of the ids of the parts, so it is the same in each run of the program. Like FNV-1a. */
static struct workspace_entry *workspace_derived_entry_of(struct workspace *w, struct load_result *l,
							  const struct derivation *d)
{
	struct workspace_entry *e = workspace_entry_new(w, l, d->name, OPEN_MERGE);
	uint32_t h = 2166136261;

	for (size_t i = 0; i < d->n_parts; i++) {
		for (const char *c = workspace_id(d->part[i]); *c; c++)
			h = (h ^ (unsigned char)*c) * 16777619;
		e->o.is_uploaded |= d->part[i]->is_uploaded;
	}
	for (const char *c = d->options; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619;
	snprintf(e->id, sizeof(e->id), "%08" PRIx32, h);
	e->has_fingerprint = true;
	return e;
}

/* Compute a result whose place is reserved. The lock is held; it is released while computing. */
static int workspace_derived_compute(struct workspace *w, const struct derivation *d, struct stop *stop,
				     struct open_profile **out, struct workspace_entry **unused, struct err *err)
{
	struct load_result l = { 0 };
	struct workspace_entry *e = NULL;
	struct workspace_derived *place;
	int rc;

	pthread_mutex_unlock(&w->lock);
	rc = d->compute(d->arg, stop, &l, err);
	if (rc == 0)
		e = workspace_derived_entry_of(w, &l, d);
	pthread_mutex_lock(&w->lock);
	place = workspace_derived_find(w, d->key);
	assert(place && !place->e);
	if (rc < 0) {
		drop_at(w, (size_t)(place - w->derived), unused);
	} else {
		for (size_t i = 0; i < d->n_parts; i++) {
			e->part[i] = (struct workspace_entry *)d->part[i];
			e->part[i]->n_refs++;
		}
		e->n_parts = d->n_parts;
		place->e = e;
		*out = workspace_take(w, e);
	}
	pthread_cond_broadcast(&w->derived_changed);
	return rc;
}

static int workspace_derived_get(struct workspace *w, const struct derivation *d, struct stop *stop,
				 struct open_profile **out, struct err *err)
{
	struct workspace_entry *unused = NULL;
	struct workspace_derived *found;
	int rc = 0;

	pthread_mutex_lock(&w->lock);
	while ((found = workspace_derived_find(w, d->key)) ? !found->e : !workspace_derived_make_room(w, &unused)) {
		wait_derived(w);
		if ((rc = stop_check(stop, err)) < 0)
			break;
	}
	if (rc == 0 && found) {
		*out = workspace_take(w, found->e);
	} else if (rc == 0) {
		w->derived[w->n_derived++] = (struct workspace_derived){ .key = mem_strndup(d->key, strlen(d->key)) };
		rc = workspace_derived_compute(w, d, stop, out, &unused, err);
	}
	pthread_mutex_unlock(&w->lock);
	workspace_free_entries(unused);
	return rc;
}

static int compute_difference(const void *arg, struct stop *stop, struct load_result *out, struct err *err)
{
	const struct workspace_difference *d = arg;
	const struct sides_options options = { .keep_sides = true,
					       .intersect_types = d->intersect_types,
					       .normalize = d->normalize,
					       .new_name = d->new->name,
					       .base_name = d->base->name,
					       .stop = stop };
	int rc = sides_make(d->new->p, d->base->p, &options, &out->sides, err);

	if (rc == 0)
		rc = sides_join(out->sides, &out->profile, err);
	out->from[SIDE_NEW] = d->new->loaded.from[SIDE_NEW];
	out->from[SIDE_BASE] = d->base->loaded.from[SIDE_NEW];
	if (rc < 0)
		load_result_release(out);
	return rc;
}

int workspace_get_difference(struct workspace *w, const struct workspace_difference *d, struct stop *stop,
			     struct open_profile **out, struct err *err)
{
	struct derivation how = {
		.name = d->new->name, .part = { d->base, d->new }, .n_parts = 2, .compute = compute_difference, .arg = d
	};
	struct buf key = { 0 }, options = { 0 };
	int rc;

	buf_addf(&options, "difference %d %s", d->intersect_types, d->normalize);
	buf_addf(&key, "%p %p %s", (void *)d->base, (void *)d->new, buf_text(&options));
	how.key = buf_text(&key);
	how.options = buf_text(&options);
	rc = workspace_derived_get(w, &how, stop, out, err);
	buf_release(&key);
	buf_release(&options);
	return rc;
}

/* Profiles to add. */
struct workspace_derived_sum {
	struct open_profile *const *part;
	size_t n;
};

static int compute_sum(const void *arg, struct stop *stop, struct load_result *out, struct err *err)
{
	const struct workspace_derived_sum *s = arg;
	const struct profile *p[WORKSPACE_PROFILES_MAX];
	const char *name[WORKSPACE_PROFILES_MAX];
	const struct merge_options options = { .name = name, .stop = stop };

	for (size_t i = 0; i < s->n; i++) {
		p[i] = s->part[i]->p;
		name[i] = s->part[i]->name;
	}
	return profile_merge(p, s->n, &options, &out->profile, err);
}

static void workspace_derived_add_names(struct open_profile *const *part, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%s", i ? " + " : "", part[i]->name);
}

int workspace_get_sum(struct workspace *w, struct open_profile *const *part, size_t n, struct stop *stop,
		      struct open_profile **out, struct err *err)
{
	const struct workspace_derived_sum sum = { part, n };
	struct derivation how = { .n_parts = n, .compute = compute_sum, .arg = &sum, .options = "sum" };
	struct buf key = { 0 }, name = { 0 };
	int rc;

	assert(n >= 1 && n <= WORKSPACE_PROFILES_MAX);
	if (n == 1) {
		workspace_ref(w, part[0]);
		*out = part[0];
		return 0;
	}
	for (size_t i = 0; i < n; i++) {
		how.part[i] = part[i];
		buf_addf(&key, "%p ", (void *)part[i]);
	}
	workspace_derived_add_names(part, n, &name);
	how.key = buf_text(&key);
	how.name = buf_text(&name);
	rc = workspace_derived_get(w, &how, stop, out, err);
	buf_release(&key);
	buf_release(&name);
	return rc;
}

int workspace_open_sum(struct workspace *w, struct open_profile *const *part, size_t n, struct stop *stop,
		       struct open_profile **out, struct err *err)
{
	const struct workspace_derived_sum sum = { part, n };
	struct load_result l = { 0 };
	struct buf name = { 0 };
	bool is_uploaded = false;
	int rc;

	assert(n >= 2 && n <= WORKSPACE_PROFILES_MAX);
	for (size_t i = 0; i < n; i++)
		is_uploaded |= part[i]->is_uploaded;
	workspace_derived_add_names(part, n, &name);
	rc = compute_sum(&sum, stop, &l, err);
	if (rc == 0)
		rc = workspace_open(w, &l, buf_text(&name), is_uploaded ? OPEN_UPLOAD : OPEN_MERGE, out, err);
	buf_release(&name);
	return rc;
}

/* The profile with separate samples of the base; NULL if there is no base. */
static const struct profile *separate_of(const struct open_profile *o)
{
	if (o->loaded.sides)
		return o->loaded.sides;
	return sides_are_separate(o->p) ? o->p : NULL;
}

bool workspace_has_base(const struct open_profile *o)
{
	return separate_of(o) != NULL;
}

struct side_of {
	const struct open_profile *o;
	enum side side;
};

static int compute_side(const void *arg, struct stop *stop, struct load_result *out, struct err *err)
{
	const struct side_of *s = arg;

	if (stop_check(stop, err) < 0)
		return ERR_STOPPED;
	out->profile = sides_split(separate_of(s->o), s->side);
	out->from[SIDE_NEW] = s->o->loaded.from[s->side];
	return 0;
}

int workspace_get_side(struct workspace *w, struct open_profile *o, enum side side, struct stop *stop,
		       struct open_profile **out, struct err *err)
{
	const struct side_of of = { o, side };
	const struct side_sources *from = &o->loaded.from[side];
	struct derivation how = { .options = side == SIDE_BASE ? "base" : "target",
				  .part = { o },
				  .n_parts = 1,
				  .compute = compute_side,
				  .arg = &of };
	struct buf key = { 0 }, name = { 0 };
	int rc;

	assert(workspace_has_base(o));
	buf_addf(&key, "%p %s", (void *)o, how.options);
	if (from->n > 1)
		buf_addf(&name, "%s and %zu more", from->source[0], from->n - 1);
	else
		buf_addz(&name, from->n ? from->source[0] : how.options);
	how.key = buf_text(&key);
	how.name = buf_text(&name);
	rc = workspace_derived_get(w, &how, stop, out, err);
	buf_release(&key);
	buf_release(&name);
	return rc;
}

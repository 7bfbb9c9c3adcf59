/*
 * verdicts.c - results of the gate for the profiles of a page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/verdicts.h"
#include "front/web/parts/sources.h"
#include "front/web/parts/state.h"

#include "base/cond.h"
#include "base/mem.h"
#include "report/gate/names.h"
#include "session/url_settings.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { VERDICTS_MAX = 8 };

/* A result, or one that a thread computes. */
struct verdict {
	struct gate g; /* first member */
	struct gate_options options;
	char *key;
	bool is_done;
	unsigned n_refs; /* the list has one */
	uint64_t used;   /* number of the last use */
};

struct web_verdicts {
	pthread_mutex_t lock; /* guards everything below, except the results that are done */
	pthread_cond_t changed;
	struct verdict *verdict[VERDICTS_MAX];
	size_t n;
	uint64_t n_uses;
};

struct web_verdicts *web_verdicts_new(void)
{
	struct web_verdicts *v = mem_zalloc(1, sizeof(*v));

	pthread_mutex_init(&v->lock, NULL);
	cond_init(&v->changed);
	return v;
}

static void verdict_free(struct verdict *d)
{
	if (d->is_done)
		gate_release(&d->g);
	gate_options_release(&d->options);
	free(d->key);
	free(d);
}

void web_verdicts_free(struct web_verdicts *v)
{
	if (!v)
		return;
	for (size_t i = 0; i < v->n; i++) {
		assert(v->verdict[i]->n_refs == 1);
		verdict_free(v->verdict[i]);
	}
	pthread_cond_destroy(&v->changed);
	pthread_mutex_destroy(&v->lock);
	free(v);
}

/* Append the content of each profile and the options that the gate uses. */
static void web_verdicts_add_key(const struct web_page *page, struct buf *key)
{
	static const char *const unused[] = { "n", "nf", "ef", "trim", "g", "sort", "unit", "compact", "rel" };
	struct url_params *params = url_params_new();

	for (int i = 0; i < N_SIDES; i++) {
		for (size_t k = 0; k < page->side[i].n; k++)
			buf_addf(key, "%s %016" PRIx64 " %s\n", workspace_id(page->side[i].profile[k]),
				 workspace_fingerprint(page->side[i].profile[k]), page->side[i].profile[k]->name);
		buf_addz(key, "\n");
	}
	settings_set_params(page->settings, page->web->settings, params);
	for (size_t i = 0; i < sizeof(unused) / sizeof(unused[0]); i++)
		url_params_remove(params, unused[i]);
	url_params_add_query(params, key);
	url_params_free(params);
}

/* The profiles of a gate. */
struct verdicts_runs {
	const struct web_page *page;
	struct gate_sum *sum;
	struct open_profile **held; /* [n_held] files of the command line, one reference each */
	size_t n_held, cap_held;
};

static int runs_add_one(const struct verdicts_runs *r, enum side side, const struct open_profile *o, struct err *err)
{
	struct buf notes = { 0 };
	int rc = gate_sum_add(r->sum, side, o->p, o->name, &r->page->q, &notes, err);

	buf_release(&notes);
	return rc;
}

/* Is the side the sum of the files of the command line, which can be read one by one, as cpa gate does? */
static bool side_is_command_line(const struct web_page *page, enum side side)
{
	return !*url_params_get(page->params, side == SIDE_BASE ? "base" : "prof") && page->web->sources.n &&
	       !page->web->sources.n_others;
}

static int runs_add_files(struct verdicts_runs *r, enum side side, struct err *err)
{
	const struct web_sources *files = &r->page->web->sources;
	struct open_profile *o;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < files->n; i++) {
		if (files->item[i].is_base != (side == SIDE_BASE))
			continue;
		rc = web_source_read(r->page->web, &files->item[i], r->page->stop, &o, err);
		if (rc < 0)
			break;
		r->held = mem_grow(r->held, &r->cap_held, r->n_held + 1, sizeof(struct open_profile *));
		r->held[r->n_held++] = o;
		rc = runs_add_one(r, side, o, err);
	}
	return rc;
}

static int runs_add(struct verdicts_runs *r, struct err *err)
{
	int rc = 0;

	for (enum side side = 0; rc == 0 && side < N_SIDES; side++) {
		const struct web_side *s = &r->page->side[side];

		if (side_is_command_line(r->page, side))
			rc = runs_add_files(r, side, err);
		else
			for (size_t k = 0; rc == 0 && k < s->n; k++)
				rc = runs_add_one(r, side, s->profile[k], err);
	}
	return rc;
}

static int web_verdicts_compute(const struct web_page *page, struct verdict *d, struct err *err)
{
	/* settings copy texts, but an option is given if its text is not the default one */
	int rc = gate_options_make(page->options->q, NULL, &d->options, err);
	struct verdicts_runs runs = { .page = page };

	if (rc < 0)
		return rc;
	runs.sum = gate_sum_new(&d->options);
	rc = runs_add(&runs, err);
	if (rc == 0)
		rc = stop_check(page->stop, err);
	if (rc == 0)
		rc = gate_judge(runs.sum, &d->g, err);
	gate_sum_free(runs.sum);
	for (size_t i = 0; i < runs.n_held; i++)
		workspace_put(page->web->workspace, runs.held[i]);
	free(runs.held);
	return rc;
}

static struct verdict *web_verdicts_find(struct web_verdicts *v, const char *key)
{
	for (size_t i = 0; i < v->n; i++)
		if (strcmp(v->verdict[i]->key, key) == 0)
			return v->verdict[i];
	return NULL;
}

/* Release a reference with the lock held. */
static void web_verdicts_release(struct verdict *d)
{
	if (--d->n_refs == 0)
		verdict_free(d);
}

static void web_verdicts_drop(struct web_verdicts *v, size_t i)
{
	struct verdict *d = v->verdict[i];

	memmove(&v->verdict[i], &v->verdict[i + 1], (v->n - i - 1) * sizeof(struct verdict *));
	v->n--;
	web_verdicts_release(d);
}

/* Make room for one more result. Returns false if all are being computed. */
static bool web_verdicts_make_room(struct web_verdicts *v)
{
	size_t oldest = v->n;

	if (v->n < VERDICTS_MAX)
		return true;
	for (size_t i = 0; i < v->n; i++)
		if (v->verdict[i]->is_done && (oldest == v->n || v->verdict[i]->used < v->verdict[oldest]->used))
			oldest = i;
	if (oldest == v->n)
		return false;
	web_verdicts_drop(v, oldest);
	return true;
}

/* Wait until another thread has computed a result, or for 50 ms. */
static void wait(struct web_verdicts *v)
{
	enum { POLL_MS = 50 };

	cond_wait_ms(&v->changed, &v->lock, POLL_MS);
}

/* Compute a result and add it to the list. The lock is held; it is released while computing. */
static int add_verdict(struct web_page *page, const char *key, struct verdict **out, struct err *err)
{
	struct web_verdicts *v = page->web->verdicts;
	struct verdict *d = mem_zalloc(1, sizeof(*d));
	int rc;

	d->key = mem_strndup(key, strlen(key));
	d->n_refs = 1;
	v->verdict[v->n++] = d;
	pthread_mutex_unlock(&v->lock);
	rc = web_verdicts_compute(page, d, err);
	pthread_mutex_lock(&v->lock);
	d->is_done = rc == 0;
	if (rc == 0)
		*out = d;
	for (size_t i = 0; rc < 0 && i < v->n; i++)
		if (v->verdict[i] == d)
			web_verdicts_drop(v, i);
	pthread_cond_broadcast(&v->changed);
	return rc;
}

int web_get_gate(struct web_page *page, const struct gate **out, struct err *err)
{
	struct web_verdicts *v = page->web->verdicts;
	struct verdict *d = NULL;
	struct buf key = { 0 };
	int rc = 0;

	if (page->side[SIDE_BASE].n == 0)
		return err_set(err, ERR_USAGE,
			       "there is no profile to compare with; choose one on the page Open profiles");
	web_verdicts_add_key(page, &key);
	pthread_mutex_lock(&v->lock);
	while (rc == 0 && ((d = web_verdicts_find(v, buf_text(&key))) ? !d->is_done : !web_verdicts_make_room(v))) {
		wait(v);
		rc = stop_check(page->stop, err);
	}
	if (rc == 0 && !d)
		rc = add_verdict(page, buf_text(&key), &d, err);
	if (rc == 0) {
		d->n_refs++;
		d->used = ++v->n_uses;
		*out = &d->g;
	}
	pthread_mutex_unlock(&v->lock);
	buf_release(&key);
	return rc;
}

void web_put_gate(struct web_page *page, const struct gate *g)
{
	struct web_verdicts *v = page->web->verdicts;

	if (!g)
		return;
	pthread_mutex_lock(&v->lock);
	web_verdicts_release((struct verdict *)(uintptr_t)g);
	pthread_mutex_unlock(&v->lock);
}

static bool web_verdicts_is_name(const struct gate_row *r, const char *name)
{
	return strcmp(r->name, name) == 0 || strcmp(r->old_name, name) == 0;
}

static bool has_name(const struct gate_row *r, const char *name)
{
	if (web_verdicts_is_name(r, name))
		return true;
	for (uint32_t i = 0; i < r->n_aliases; i++)
		if (strcmp(r->alias[i], name) == 0)
			return true;
	return false;
}

static const struct gate_row *web_verdicts_find_row(const struct gate *g, const char *name, bool by_cum)
{
	/* One row has cum and flat of a function whose samples are nearly the same for both. Its aliases have the same
	   cum, but not the same flat. */
	const struct gate_row *other = NULL;

	for (uint32_t i = 0; i < g->n_rows; i++) {
		if (g->row[i].kind == GATE_TOTAL || !has_name(&g->row[i], name))
			continue;
		if (g->row[i].kind == (by_cum ? GATE_CUM : GATE_FLAT))
			return &g->row[i];
		if (by_cum || web_verdicts_is_name(&g->row[i], name))
			other = &g->row[i];
	}
	return other;
}

const struct gate_row *web_find_verdict(const struct gate *g, const char *name, const char *file, bool by_cum)
{
	struct buf plain = { 0 };
	const struct gate_row *row;

	if (!g->options->exact_names)
		gate_names_add_plain(name, strlen(name), file, &plain);
	row = web_verdicts_find_row(g, plain.len ? buf_text(&plain) : name, by_cum);
	buf_release(&plain);
	return row;
}

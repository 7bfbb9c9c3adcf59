/*
 * sources.c - the files of the command line, each as a profile of its own
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Several files are merged, as pprof does. In prof and base of a URL, the id of a file selects it alone. It is read when
 * it is first needed, so that many files need no memory.
 */
#include "config.h"

#include "front/web/parts/sources.h"

#include "base/mem.h"
#include "sources/load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct web_source *web_source_find(const struct web *w, const char *id)
{
	for (size_t i = 0; i < w->sources.n; i++)
		if (strcmp(w->sources.item[i].id, id) == 0)
			return &w->sources.item[i];
	return NULL;
}

/* Set the id of a source: "s", which no id of a profile has, and digits of a hash of its name. Like FNV-1a. */
static void source_set_id(const struct web *w, struct web_source *s)
{
	char id[WORKSPACE_ID_LENGTH + 1];
	uint32_t h = 2166136261;

	for (const char *c = s->name; *c; c++)
		h = (h ^ (unsigned char)*c) * 16777619;
	do
		snprintf(id, sizeof(id), "s%07x", h++ & 0xfffffff);
	while (web_source_find(w, id));
	memcpy(s->id, id, sizeof(id));
}

void web_sources_set(struct web *w, const struct load_result *l)
{
	struct web_sources *all = &w->sources;
	size_t n = l->set[SIDE_NEW].n + l->set[SIDE_BASE].n;

	if (n < 2)
		return;
	all->item = mem_zalloc(n, sizeof(*all->item));
	if (l->set[SIDE_NEW].binary)
		all->binary = mem_strndup(l->set[SIDE_NEW].binary, strlen(l->set[SIDE_NEW].binary));
	for (int side = N_SIDES; side-- > 0;) {
		buf_addz(&all->missing, buf_text(&l->set[side].notes));
		for (size_t i = 0; i < l->set[side].n; i++) {
			const char *const *name = &l->set[side].source[i];
			struct web_source *s = &all->item[all->n];

			if (!sources_can_repeat(&l->set[side].from[i], *name)) {
				all->n_others++;
				continue;
			}
			s->name = mem_strndup(*name, strlen(*name));
			s->is_base = side == SIDE_BASE;
			source_set_id(w, s);
			all->n++;
		}
	}
}

void web_sources_release(struct web_sources *all)
{
	for (size_t i = 0; i < all->n; i++)
		free(all->item[i].name);
	free(all->item);
	free(all->binary);
	buf_release(&all->missing);
	buf_release(&all->reason);
}

struct open_profile *web_source_get(struct web *w, const struct web_source *s)
{
	struct open_profile *o = NULL;
	char id[WORKSPACE_ID_LENGTH + 1];

	pthread_mutex_lock(&w->lock);
	memcpy(id, s->open, sizeof(id));
	pthread_mutex_unlock(&w->lock);
	if (*id)
		o = workspace_get(w->workspace, id);
	return o;
}

static int source_load(struct web *w, const struct web_source *s, struct stop *stop, struct load_result *out,
		       struct err *err)
{
	const char *const word[] = { w->sources.binary, s->name };
	struct query q = *w->options.q;
	const struct load_request request = { .q = &q,
					      .word = word + !w->sources.binary,
					      .n_words = 1 + (w->sources.binary != NULL),
					      .is_reload = true,
					      .stop = stop };

	q.normalize = ""; /* there is no base */
	return sources_load(&request, out, err);
}

int web_source_read(struct web *w, const struct web_source *s, struct stop *stop, struct open_profile **out,
		    struct err *err)
{
	struct web_source *own = &w->sources.item[s - w->sources.item];
	struct load_result l = { 0 };
	const char *id;
	int rc;

	*out = web_source_get(w, s);
	if (*out)
		return 0;
	rc = source_load(w, s, stop, &l, err);
	if (rc == 0)
		rc = workspace_open(w->workspace, &l, s->name, OPEN_SOURCE, out, err);
	if (rc < 0) {
		load_result_release(&l);
		return rc;
	}
	id = workspace_id(*out);
	pthread_mutex_lock(&w->lock);
	memcpy(own->open, id, sizeof(own->open));
	pthread_mutex_unlock(&w->lock);
	return 0;
}

/* A source to read as a job, and the result. */
struct sources_reading {
	struct web *web;
	const struct web_source *source;
	struct open_profile *open;
	struct err err;
	int rc;
};

static void run_reading(void *arg, struct stop *stop, struct http_response *out)
{
	struct sources_reading *r = arg;

	(void)out;
	r->rc = web_source_read(r->web, r->source, stop, &r->open, &r->err);
}

int web_source_open(struct web *w, const struct web_source *s, const struct stop *stop, struct open_profile **out,
		    struct err *err)
{
	const struct jobs_client client = { .tab = "", .slot = "", .stop = stop };
	struct sources_reading r = { .web = w, .source = s };
	struct http_response none = { 0 };
	int rc;

	*out = web_source_get(w, s);
	if (*out)
		return 0;
	rc = jobs_run(w->jobs, &client, NULL, run_reading, &r, &none, err);
	http_response_release(&none);
	if (rc < 0) {
		workspace_put(w->workspace, r.open);
		return rc;
	}
	*out = r.open;
	if (r.rc < 0)
		*err = r.err;
	return r.rc;
}

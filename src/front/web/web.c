/*
 * web.c - the state of the web UI: created, loaded, freed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/web.h"
#include "front/web/parts/sources.h"
#include "front/web/parts/verdicts.h"
#include "front/web/parts/state.h"

#include "base/cond.h"
#include "base/mem.h"
#include "engine/view.h"
#include "front/web/jobs/capture.h"
#include "front/web/pages/views.h"

#include <stdlib.h>
#include <string.h>

struct web *web_new(const struct web_options *options)
{
	struct web *w = mem_zalloc(1, sizeof(*w));

	w->options = *options;
	w->views = arena_new();
	w->view = web_views_make(w->views, &w->n_views);
	w->settings = settings_new(options->q);
	w->workspace = workspace_new();
	w->jobs = jobs_new();
	if (options->memory_bytes)
		jobs_limit_memory(w->jobs, options->memory_bytes);
	w->verdicts = web_verdicts_new();
	w->captures = captures_new(w->workspace, w->jobs, options->q, options->reload);
	for (size_t i = 0; i < options->n_servers; i++)
		captures_add_server(w->captures, options->server[i], NULL);
	w->cache = response_cache_new(options->cache_bytes);
	pthread_mutex_init(&w->lock, NULL);
	cond_init(&w->loaded);
	return w;
}

void web_free(struct web *w)
{
	if (!w)
		return;
	web_verdicts_free(w->verdicts);
	captures_free(w->captures);
	jobs_free(w->jobs);
	response_cache_free(w->cache);
	workspace_free(w->workspace);
	settings_free(w->settings);
	buf_release(&w->failure);
	pthread_cond_destroy(&w->loaded);
	pthread_mutex_destroy(&w->lock);
	web_sources_release(&w->sources);
	arena_free(w->views);
	free(w);
}

struct stop *web_load_stop(struct web *w)
{
	return &w->load_stop;
}

static void set_state(struct web *w, enum web_state state)
{
	pthread_mutex_lock(&w->lock);
	w->state = state;
	pthread_cond_broadcast(&w->loaded);
	pthread_mutex_unlock(&w->lock);
}

int web_set_loaded(struct web *w, struct load_result *l, const char *name, struct err *err)
{
	struct open_profile *o = NULL;
	uint32_t type;
	int rc = view_find_type(l->profile, w->options.q->sample_index, &type, err);

	if (rc == 0)
		web_sources_set(w, l);
	if (rc == 0)
		rc = workspace_open(w->workspace, l, name, OPEN_COMMAND_LINE, &o, err);
	if (rc < 0)
		return rc;
	workspace_put(w->workspace, o);
	set_state(w, WEB_READY);
	return 0;
}

struct first_load {
	const struct load_request *request;
	struct load_result *out;
};

static int web_run_load(void *arg, struct err *err)
{
	const struct first_load *l = arg;

	return sources_load(l->request, l->out, err);
}

int web_load(struct web *w, const struct load_request *request, struct load_result *out, struct err *err)
{
	return jobs_run_beside(w->jobs, &w->load_stop, web_run_load, &(struct first_load){ request, out }, err);
}

void web_set_unmerged(struct web *w, const struct load_result *l, const struct err *reason)
{
	web_sources_set(w, l);
	buf_addz(&w->sources.reason, reason->msg);
	w->sources.reason_code = reason->code;
	set_state(w, WEB_READY);
}

void web_set_empty(struct web *w)
{
	set_state(w, WEB_READY);
}

void web_fail(struct web *w, const char *sentence)
{
	buf_addz(&w->failure, sentence);
	set_state(w, WEB_FAILED);
}

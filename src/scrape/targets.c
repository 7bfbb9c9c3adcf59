/*
 * targets.c - the set of targets: new lists, new configurations, and the heap of their next requests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/collector_int.h"

#include "base/mem.h"
#include "base/time.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the heap ---- */

static void targets_put(struct scrape_heap *h, size_t at, struct scrape_state *s)
{
	h->item[at] = s;
	s->at = at;
}

static void move_up(struct scrape_heap *h, size_t at, struct scrape_state *s)
{
	while (at > 0 && h->item[(at - 1) / 2]->due_ns > s->due_ns) {
		targets_put(h, at, h->item[(at - 1) / 2]);
		at = (at - 1) / 2;
	}
	targets_put(h, at, s);
}

static void move_down(struct scrape_heap *h, size_t at, struct scrape_state *s)
{
	for (size_t child; (child = at * 2 + 1) < h->n; at = child) {
		child += child + 1 < h->n && h->item[child + 1]->due_ns < h->item[child]->due_ns;
		if (h->item[child]->due_ns >= s->due_ns)
			break;
		targets_put(h, at, h->item[child]);
	}
	targets_put(h, at, s);
}

void scrape_heap_set(struct scrape_heap *h, struct scrape_state *s, int64_t due_ns)
{
	s->due_ns = due_ns;
	if (s->at == SIZE_MAX) {
		h->item = mem_grow(h->item, &h->cap, h->n + 1, sizeof(struct scrape_state *));
		targets_put(h, h->n, s);
		h->n++;
	}
	if (s->at > 0 && h->item[(s->at - 1) / 2]->due_ns > due_ns)
		move_up(h, s->at, s);
	else
		move_down(h, s->at, s);
}

void scrape_heap_remove(struct scrape_heap *h, struct scrape_state *s)
{
	struct scrape_state *last;

	if (s->at == SIZE_MAX)
		return;
	assert(h->item[s->at] == s);
	last = h->item[--h->n];
	if (last != s) {
		targets_put(h, s->at, last);
		scrape_heap_set(h, last, last->due_ns);
	}
	s->at = SIZE_MAX;
}

/* ---- states ---- */

void scrape_state_unref(struct scrape_state *s)
{
	assert(s->n_refs > 0);
	if (--s->n_refs == 0)
		free(s);
}

void scrape_state_fail(struct scrape_state *s, const char *ended_by, const char *kind, const char *message)
{
	s->last_error_ns = clock_wall_ns();
	snprintf(s->error, sizeof(s->error), "%s: %.200s", kind, message);
	snprintf(s->error_kind, sizeof(s->error_kind), "%s", ended_by);
}

void scrape_state_recover(struct scrape_state *s, const char *kind)
{
	if (*s->error_kind && strcmp(s->error_kind, kind) != 0)
		return;
	s->last_error_ns = 0;
	*s->error = '\0';
}

static struct scrape_state *new_state(struct scrape_collector *c, struct scrape_target *t)
{
	struct scrape_state *s = mem_zalloc(1, sizeof(*s));

	s->n_refs = 1;
	s->target = t;
	s->at = SIZE_MAX;
	s->wants_version = *c->config->job[t->job].version_url != '\0';
	t->owner_data = s;
	return s;
}

/* A target is not in the new list. Its running request ends first. */
static void remove_target(void *arg, struct scrape_target *t)
{
	struct scrape_collector *c = arg;
	struct scrape_state *s = t->owner_data;

	if (s)
		scrape_heap_remove(&c->heap, s);
	if (s && s->open) {
		t->is_removed = true;
		return;
	}
	if (s) {
		s->target = NULL;
		scrape_state_unref(s);
	}
	scrape_target_free(t);
}

/* ---- lists and configurations ---- */

static void log_notes(struct scrape_collector *c, struct buf *notes)
{
	for (char *at = notes->data, *end; at && (end = strchr(at, '\n')); at = end + 1) {
		*end = '\0';
		scrape_log(c, "note=\"%.400s\"", at);
	}
	buf_release(notes);
}

static void free_groups(struct scrape_collector *c)
{
	for (size_t i = 0; c->group && i < c->config->n_jobs; i++)
		fetch_group_free(c->group[i]);
	free(c->group);
	c->group = NULL;
}

void scrape_make_groups(struct scrape_collector *c)
{
	struct buf notes = { 0 };

	c->group = mem_zalloc(c->config->n_jobs + 1, sizeof(*c->group));
	for (size_t i = 0; i < c->config->n_jobs; i++) {
		const struct scrape_job *job = &c->config->job[i];
		const struct fetch_options options = { .tls_cert = job->tls_cert,
						       .tls_key = job->tls_key,
						       .tls_ca = job->tls_ca,
						       .header_file = job->header_file,
						       .bearer_file = job->bearer_file,
						       .netrc = job->netrc,
						       .max = SCRAPE_BODY_MAX };
		struct err err;

		if (fetch_group_new(&options, &c->group[i], &notes, &err) < 0)
			scrape_log(c, "job=\"%s\" state=failed error=\"%.400s\"", job->name, err.msg);
	}
	log_notes(c, &notes);
}

/* Use a configuration; takes its reference. */
static void set_config(struct scrape_collector *c, struct scrape_config *config)
{
	if (config == c->config) {
		scrape_config_unref(config);
		return;
	}
	free_groups(c);
	scrape_config_unref(c->config);
	c->config = config;
	scrape_make_groups(c);
}

static void targets_set_rate(struct scrape_collector *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->targets.n; i++)
		sum += scrape_schedule_rate(&c->targets.target[i]->schedule);
	scrape_rate_set(&c->rate, sum);
}

void scrape_take_list(struct scrape_collector *c)
{
	struct scrape_list list = { 0 };
	struct scrape_config *config;
	struct buf notes = { 0 };
	int64_t now = clock_wall_ns();
	bool at_once = c->o.once || !c->o.file;

	if (!scrape_finder_take(c->finder, &list, &config, &notes)) {
		buf_release(&notes);
		return;
	}
	set_config(c, config);
	scrape_targets_update(&c->targets, c->config, &list, now, at_once, remove_target, c, &notes);
	scrape_list_release(&list);
	for (size_t i = 0; i < c->targets.n; i++) {
		struct scrape_target *t = c->targets.target[i];

		scrape_plan_next(c, t->owner_data ? t->owner_data : new_state(c, t), now);
	}
	targets_set_rate(c);
	scrape_log(c, "targets=%zu", c->targets.n);
	log_notes(c, &notes);
	c->has_list = true;
}

void scrape_reload(struct scrape_collector *c)
{
	struct scrape_config *config;
	struct err err;

	if (!c->o.file) {
		scrape_log(c, "reload=ignored reason=\"there is no configuration file\"");
		return;
	}
	if (scrape_config_read(c->o.file, c->o.arguments, &config, &err) < 0) {
		scrape_log(c, "reload=failed error=\"%.400s\"", err.msg);
		return;
	}
	if ((c->o.watch && c->o.watch(c->o.arg, config, &err) < 0) || scrape_guard_reload(c->guard, config, &err) < 0) {
		scrape_log(c, "reload=failed error=\"%.400s\"", err.msg);
		scrape_config_unref(config);
		return;
	}
	scrape_finder_reload(c->finder, config);
	scrape_sinks_reload(c, config);
	scrape_config_unref(config);
	scrape_log(c, "reload=done file=\"%s\"", c->o.file);
}

/*
 * trend.c - report what grew over a series of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/trend.h"

#include "answer/draw.h"
#include "answer/load_runs.h"
#include "base/pool.h"
#include "engine/query.h"
#include "report/trend.h"

#include <assert.h>
#include <string.h>

enum { LOADED_MAX = 8 }; /* max profiles in memory at once */

/* The profiles read so far. */
struct series {
	struct trend *trend;
	struct compare_side first, last; /* texts of both are in the arena of the answer */
	size_t n_read, n_failed;
	const struct load_events *events;
	struct answer *out;
};

static const char *answer_trend_copy(const char *text, struct arena *mem)
{
	return arena_strndup(mem, text, strlen(text));
}

/* Record the metadata of a profile. Texts are copied because they must outlive the profile. */
static void answer_trend_note_side(struct series *s, const struct load_item *item)
{
	const struct side_sources from = { item->load.source, 1 };
	struct arena *mem = s->out->mem;
	struct compare_side *side = &s->last;

	side_fill(side, item->profile, &from, 0, mem);
	side->file = answer_trend_copy(side->file, mem);
	side->build_id = answer_trend_copy(side->build_id, mem);
	side->host = answer_trend_copy(side->host, mem);
	if (s->n_read++ == 0)
		s->first = *side;
}

/* Add a loaded profile. Skips a profile that could not be read; fails for an incompatible one. */
static int answer_trend_add_item(struct series *s, const struct load_item *item, const struct query *q, struct err *err)
{
	struct err unread;

	if (load_item_report(item, s->events, &unread) < 0) {
		load_events_error(s->events, unread.msg);
		s->n_failed++;
		return 0;
	}
	s->n_failed += item->load.n_failed > 0;
	if (trend_add(s->trend, item->profile, &q->filter, &s->out->notes, err) < 0)
		return err_wrap(err, "%s", *item->load.source);
	answer_trend_note_side(s, item);
	return 0;
}

/* Load up to LOADED_MAX sources in parallel and add them in order. */
static int add_some(struct series *s, const char *const *source, size_t n, struct remote *remote, const struct query *q,
		    struct err *err)
{
	struct load_item item[LOADED_MAX] = { { .profile = NULL } };
	int rc = 0;

	assert(n <= LOADED_MAX);
	for (size_t i = 0; i < n; i++)
		item[i].load =
			(struct load){ .source = source + i, .n = 1, .kind = "source", .q = q, .remote = remote };
	load_runs(item, n, s->events);
	for (size_t i = 0; i < n; i++) {
		if (rc == 0)
			rc = answer_trend_add_item(s, &item[i], q, err);
		load_item_release(&item[i]);
	}
	return rc;
}

static int answer_trend_add_all(struct series *s, const struct sources *sources, struct remote *remote,
				const struct query *q, struct err *err)
{
	size_t step = pool_size() < LOADED_MAX ? pool_size() : LOADED_MAX;
	int rc = 0;

	load_events_step(s->events, "reading");
	for (size_t i = 0; rc == 0 && i < sources->n; i += step)
		rc = add_some(s, &sources->name[i], sources->n - i < step ? sources->n - i : step, remote, q, err);
	load_events_step(s->events, NULL);
	if (rc == 0 && s->n_read < 2)
		rc = err_set(err, ERR_USAGE, "trend needs at least two readable profiles");
	return rc;
}

int answer_trend(const struct report_type *t, const struct sources *sources, struct remote *remote,
		 const struct query *query, bool color, const struct load_events *events, size_t *n_failed,
		 struct answer *out, struct err *err)
{
	struct series s = { .trend = trend_new(), .events = events, .out = out };
	struct query q = *query;
	int rc;

	assert(t->input == INPUT_SERIES && t->draw_text);
	out->mem = arena_new();
	query_apply_defaults(&q, &t->defaults);
	rc = answer_trend_add_all(&s, sources, remote, &q, err);
	*n_failed = s.n_failed;
	if (rc == 0) {
		report_trend(s.trend, &s.first, &s.last, &q, &out->report, &out->notes);
		if (out->report.table.n_rows == 0 && !q.all)
			buf_addz(&out->notes, "no function grew in every step; --all shows all functions\n");
		answer_draw(t, &out->report, &q, color, &out->text);
	}
	trend_free(s.trend);
	return rc;
}

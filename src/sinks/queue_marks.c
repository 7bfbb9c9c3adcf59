/*
 * queue_marks.c - the marks of a queue: deploys, incidents, verdicts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The position of a queue counts profiles only. It passes a profile when the marks before it are sent, so after a restart the marks
 * after the last profile are sent again. A system that takes marks stores equal ones once.
 */
#include "config.h"

#include "sinks/queue_int.h"

#include "base/mem.h"
#include "store/local/read/select.h"

#include <stdlib.h>
#include <string.h>

enum { MARKS_MAX = 1024 };

/* Does a mark match? It has a service and an env; the other labels of the condition are those of profiles. */
static bool queue_matches_mark(const struct sink_queue *q, const char *service, const struct store_mark *m)
{
	struct err err;
	bool is_match = true;

	for (size_t i = 0; is_match && i < q->query.n_match; i++) {
		const struct label_match *match = &q->query.match[i];
		const char *value = strcmp(match->name, "service") == 0 ? service
				    : strcmp(match->name, "env") == 0   ? m->env
									: NULL;

		is_match = !value || select_match(match, value, &err) > 0;
	}
	return is_match;
}

int sink_queue_take_mark(void *arg, const char *service, const struct store_mark *m, struct err *err)
{
	struct sink_queue *q = arg;
	struct sink_mark *to;

	if (q->has_lost_place || q->ahead.profiles < q->at.profiles || !q->o.sink->kind->send_marks ||
	    !queue_matches_mark(q, service, m))
		return 0;
	q->mark = mem_grow(q->mark, &q->cap_marks, q->n_marks + 1, sizeof(*q->mark));
	to = &q->mark[q->n_marks++];
	*to = (struct sink_mark){ mem_strndup(service, strlen(service)), { .time_ns = m->time_ns } };
	to->mark.env = mem_strndup(m->env, strlen(m->env));
	to->mark.kind = mem_strndup(m->kind, strlen(m->kind));
	to->mark.text = mem_strndup(m->text, strlen(m->text));
	return q->n_marks < MARKS_MAX ? 0 : sink_queue_deliver(q, err);
}

void sink_queue_clear_marks(struct sink_queue *q)
{
	for (size_t i = 0; i < q->n_marks; i++) {
		free(q->mark[i].service);
		free(q->mark[i].mark.env);
		free(q->mark[i].mark.kind);
		free(q->mark[i].mark.text);
	}
	q->n_marks = 0;
}

int sink_queue_try_marks(struct sink_queue *q, struct sink_result *later, bool *is_later, struct err *err)
{
	struct sink_result result = { 0 };
	int rc;

	if (!q->n_marks)
		return 0;
	rc = q->o.sink->kind->send_marks(q->o.sink, q->mark, q->n_marks, &q->stop, &result, err);
	if (rc < 0)
		return rc;
	if (sink_is_unsent(&result)) {
		*later = result;
		*is_later = true;
		return 0;
	}
	if (result.outcome == SINK_REFUSED)
		sink_queue_log(q, "marks=refused n=%zu reason=\"%.250s\"", q->n_marks, result.why);
	sink_queue_clear_marks(q);
	return 0;
}

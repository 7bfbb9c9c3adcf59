/*
 * trend.c - report what grew over a series of profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/trend.h"

#include "answer/draw.h"
#include "engine/query.h"
#include "report/trend.h"

#include <assert.h>
#include <string.h>

void answer_trend_begin(struct answer_trend *t, const struct report_type *type, const struct query *q,
			struct answer *out)
{
	assert(type->input == INPUT_SERIES && type->draw_text);
	*t = (struct answer_trend){ .type = type, .q = *q, .out = out, .trend = trend_new() };
	out->mem = arena_new();
	query_apply_defaults(&t->q, &type->defaults);
}

static const char *answer_trend_copy(const char *text, struct arena *mem)
{
	return arena_strndup(mem, text, strlen(text));
}

/* Record the metadata of a profile. Texts are copied because they must outlive the profile. */
static void answer_trend_note_side(struct answer_trend *t, const struct profile *p, const struct side_sources *from)
{
	struct arena *mem = t->out->mem;
	struct compare_side *side = &t->last;

	side_fill(side, p, from, 0, mem);
	side->file = answer_trend_copy(side->file, mem);
	side->build_id = answer_trend_copy(side->build_id, mem);
	side->host = answer_trend_copy(side->host, mem);
	if (t->n++ == 0)
		t->first = *side;
}

int answer_trend_add(struct answer_trend *t, const struct profile *p, const struct side_sources *from,
		     const struct trend_span *span, struct err *err)
{
	if (t->n == 0 && span && p->meta.duration_ns > 0 && !*t->q.filter.normalize)
		t->q.filter.normalize = "duration";
	if (trend_add(t->trend, p, &t->q.filter, span, &t->out->notes, err) < 0)
		return err_wrap(err, "%s", *from->source);
	answer_trend_note_side(t, p, from);
	return 0;
}

int answer_trend_end(struct answer_trend *t, bool color, struct err *err)
{
	struct answer *out = t->out;

	if (t->n < 2)
		return err_set(err, ERR_USAGE, "trend needs at least two readable profiles");
	report_trend(t->trend, &t->first, &t->last, &t->q, &out->report, &out->notes);
	if (out->report.table.n_rows == 0 && !t->q.all)
		buf_addz(&out->notes, "no function grew without a fall in any step; --all shows all functions\n");
	answer_draw(t->type, &out->report, &t->q, color, &out->text);
	return 0;
}

void answer_trend_release(struct answer_trend *t)
{
	if (t->trend)
		trend_free(t->trend);
}

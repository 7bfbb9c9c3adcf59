/*
 * answer.c - make a report of a loaded profile
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/answer.h"

#include "answer/draw.h"
#include "base/mem.h"
#include "base/unit.h"
#include "engine/query.h"
#include "engine/view.h"

#include <assert.h>
#include <string.h>

static int answer_check_format(const struct report_type *t, const struct query *q, struct err *err)
{
	static const char *const flag[N_FORMATS] = {
		[FORMAT_JSON] = "--json", [FORMAT_CSV] = "--csv", [FORMAT_MARKDOWN] = "--markdown"
	};

	assert(q->shape >= 0 && q->shape < N_FORMATS);
	if (q->shape == FORMAT_TEXT || t->draw[q->shape] || t->draw_pieces[q->shape])
		return 0;
	if (t->format_error[q->shape])
		return err_set(err, ERR_USAGE, "%s", t->format_error[q->shape]);
	return err_set(err, ERR_USAGE, "%s does not apply to %s", flag[q->shape], t->name);
}

int answer_check(const struct report_type *t, const struct query *q, struct err *err)
{
	int rc = answer_check_format(t, q, err);

	return rc == 0 && t->check ? t->check(q, err) : rc;
}

static int answer_fill_model(const struct report_type *t, const struct view *v, const struct query *q,
			     struct answer *out, struct err *err)
{
	int rc = t->make(v, q, &out->report, &out->notes, err);

	if (rc == 0)
		out->is_empty = !(t->flags & REPORT_HAS_NO_VALUES) && out->report.head.total == 0;
	return rc;
}

/* Make the model of a report. Draw it too, unless it is drawn in pieces. */
static int answer_make_and_draw(const struct report_type *t, const struct view *v, const struct query *q, bool color,
				struct answer *out, struct err *err)
{
	int rc = answer_fill_model(t, v, q, out, err);

	if (rc < 0)
		return rc;
	out->pieces = t->draw_pieces[q->shape];
	if (!out->pieces)
		answer_draw(t, &out->report, q, color, &out->text);
	return 0;
}

/* Write a report in the format of another tool, and draw it if it is a picture. */
static int answer_write_text(const struct report_type *t, const struct report_context *from, struct answer *out,
			     struct err *err)
{
	int rc = t->write(from, out, err);

	if (rc < 0 || !t->picture)
		return rc;
	out->picture = t->picture->is_shown && !*from->q->output ? t->picture : NULL;
	return picture_draw(t->picture, &out->text, err);
}

/* The largest report that is held in memory: for a page as much as a response may have. */
static void start_limit(struct buf_limit *limit, const struct query *q)
{
	enum { PAGE_BYTES = 256 << 20 };

	*limit = (struct buf_limit){ .max = q->for_page ? PAGE_BYTES : 2 * mem_quarter_of_ram(), .stop = q->stop };
}

/* The limit before applies again. If this one was exceeded, the report is unusable: fail. Else return rc. */
static int end_limit(const struct buf_limit *limit, struct buf_limit *before, int rc, struct err *err)
{
	struct buf size = { 0 };

	buf_set_limit(before);
	if (!limit->is_exceeded)
		return rc == 0 ? stop_check(limit->stop, err) : rc; /* the writers end early */
	unit_add_label(&size, (int64_t)limit->max, "bytes", "auto");
	rc = err_set(err, ERR_LIMIT, "the report is larger than %s; select fewer samples or functions",
		     buf_text(&size));
	buf_release(&size);
	return rc;
}

static int answer_limited(const struct profile *p, const struct report_type *t, const struct query *query,
			  const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err)
{
	struct query q = *query;
	struct view v;
	int rc;

	assert(t->input == INPUT_PROFILE && !t->make != !t->write);
	out->mem = arena_new();
	query_apply_defaults(&q, &t->defaults);
	q.inlined = color || q.shape != FORMAT_TEXT; /* plain text must equal that of pprof, which programs parse */
	rc = view_make(p, &q.filter, out->mem, &v, &out->notes, err);
	if (rc < 0)
		return rc;
	if (t->make)
		return answer_make_and_draw(t, &v, &q, color, out, err);
	return answer_write_text(t, &(struct report_context){ .view = &v, .q = &q, .from = from }, out, err);
}

int answer_make(const struct profile *p, const struct report_type *t, const struct query *query,
		const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err)
{
	struct buf_limit limit, *before;
	int rc;

	start_limit(&limit, query);
	before = buf_set_limit(&limit);
	rc = answer_limited(p, t, query, from, color, out, err);
	return end_limit(&limit, before, rc, err);
}

int answer_model(const struct profile *p, const struct report_type *t, const struct query *query, struct answer *out,
		 struct err *err)
{
	struct query q = *query;
	struct view v;
	int rc;

	assert(t->input == INPUT_PROFILE && t->make);
	out->mem = arena_new();
	query_apply_defaults(&q, &t->defaults);
	q.inlined = true;
	rc = view_make(p, &q.filter, out->mem, &v, &out->notes, err);
	return rc < 0 ? rc : answer_fill_model(t, &v, &q, out, err);
}

int answer_compare(const struct profile *const p[N_SIDES], const struct report_type *t, const struct query *query,
		   const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err)
{
	struct query q = *query;
	struct buf_limit limit, *before;
	int rc;

	assert(t->input == INPUT_SIDES && t->compare);
	query_apply_defaults(&q, &t->defaults);
	start_limit(&limit, query);
	before = buf_set_limit(&limit);
	rc = t->compare(p, from, &q, &out->report, &out->notes, err);
	if (rc == 0)
		answer_draw(t, &out->report, &q, color, &out->text);
	return end_limit(&limit, before, rc, err);
}

void answer_release(struct answer *a)
{
	buf_release(&a->text);
	buf_release(&a->notes);
	report_release(&a->report);
	arena_free(a->mem);
}

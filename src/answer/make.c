/*
 * make.c - a question about a loaded profile, answered in the format asked for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/make.h"

#include "answer/flame.h"
#include "engine/filter.h"
#include "engine/view.h"
#include "report/calls.h"
#include "report/comments.h"
#include "report/disasm.h"
#include "report/list.h"
#include "report/report.h"
#include "report/tags.h"
#include "report/top.h"
#include "report/traces.h"
#include "report/weblist.h"
#include "viewers/export/callgrind.h"
#include "viewers/export/dot.h"
#include "viewers/export/export.h"
#include "viewers/html/weblist.h"
#include "viewers/json/report_json.h"
#include "viewers/json/traces_json.h"
#include "viewers/text/disasm.h"
#include "viewers/text/list.h"
#include "viewers/text/tags.h"
#include "viewers/text/text.h"
#include "viewers/text/traces.h"

#include <assert.h>

static void draw_text(enum query_report kind, const struct report *r, bool color, struct buf *out)
{
	switch (kind) {
	case REPORT_TAGS:
		text_draw_tags(r, out);
		break;
	case REPORT_COMMENTS:
		text_draw_comments(r, out);
		break;
	case REPORT_LIST:
		text_draw_list(r, color, out);
		break;
	case REPORT_DISASM:
		text_draw_disasm(r, color, out);
		break;
	default:
		text_draw(r, color, out);
	}
}

void answer_draw(enum query_report kind, const struct report *r, const struct query *q, bool color, struct buf *out)
{
	switch ((enum format)q->shape) {
	case FORMAT_TEXT:
		draw_text(kind, r, color, out);
		break;
	case FORMAT_JSON:
		json_draw(r, out);
		break;
	case FORMAT_CSV:
		csv_draw(r, out);
		break;
	case FORMAT_MARKDOWN:
		markdown_draw(r, out);
		break;
	}
}

/* The reports that are tables, which every viewer can draw. */
static int make_table(enum query_report kind, const struct view *v, const struct query *q, struct report *r,
		      struct buf *notes, struct err *err)
{
	switch (kind) {
	case REPORT_TOP:
		return report_top_make(v, q, r, err);
	case REPORT_TREE:
	case REPORT_PEEK:
		return report_calls_make(v, q, r, err);
	case REPORT_TRACES:
		return report_traces_make(v, q, r, notes, err);
	case REPORT_DISASM:
		return report_disasm_make(v, q, r, notes, err);
	case REPORT_TAGS:
		return report_tags_make(v, q, r, notes, err);
	case REPORT_COMMENTS:
		report_comments_make(v, q, r);
		return 0;
	case REPORT_LIST:
		return report_list_make(v, q, r, notes, err);
	default:
		assert(!"a report that is a table");
		return ERR_USAGE;
	}
}

/* The calls: as a graph, whatever picture is to be made of it, or for callgrind. */
static int write_net(const struct view *v, const struct query *q, bool dot, struct buf *out, struct err *err)
{
	struct report r = { .mem = arena_new() };
	struct label_units units;
	struct net net;
	int rc;

	label_units_make(v->p, r.mem, &units, NULL);
	rc = net_make(v, q, dot, &units, r.mem, &net, err);
	if (rc == 0) {
		net_calls(&net, q, NULL, r.mem);
		rc = stop_check(q->stop, err);
		if (rc == 0)
			report_calls_head(&net, q, v, !dot, &r);
		if (rc == 0 && dot)
			dot_draw(&net, &r, out);
		else if (rc == 0)
			callgrind_draw(&net, &r, out);
		net_release(&net);
	}
	report_release(&r);
	return rc;
}

/* Source and instructions, as a web page. */
static int write_weblist(const struct view *v, const struct query *q, struct answer *out, struct err *err)
{
	struct weblist list;
	int rc = report_weblist_make(v, q, &out->report, &list, &out->notes, err);

	if (rc == 0)
		html_draw_weblist(&out->report, &list, &out->text);
	return rc;
}

/* What raw and proto write: addresses, to which -noinlines leaves one line each. */
static const struct profile *whole_profile(const struct view *v, const struct query *q, struct arena *mem)
{
	return q->noinlines ? filter_no_inlines(v->p, q->showcolumns, mem) : v->p;
}

/* The reports in the format of some other tool. Gives 1 when kind is none of them. */
static int write_export(enum query_report kind, const struct view *v, const struct query *q, struct arena *mem,
			struct buf *out, struct err *err)
{
	switch (kind) {
	case REPORT_DOT:
	case REPORT_CALLGRIND:
		return write_net(v, q, kind == REPORT_DOT, out, err);
	case REPORT_RAW:
		return raw_draw(whole_profile(v, q, mem), q->stop, out, err);
	case REPORT_PROTO:
	case REPORT_BUNDLE:
		return export_proto(whole_profile(v, q, mem), query_ratio(q), out, err);
	case REPORT_TOPPROTO:
		return topproto_draw(v, q, out, err);
	case REPORT_FOLDED:
		return folded_draw(v, q, out, err);
	case REPORT_SPEEDSCOPE:
		return speedscope_draw(v, q, out, err);
	default:
		return 1;
	}
}

int answer_check(const struct query_command *c, const struct query *q, struct err *err)
{
	static const char *const flag[] = {
		[FORMAT_JSON] = "--json", [FORMAT_CSV] = "--csv", [FORMAT_MARKDOWN] = "--markdown"
	};

	switch (c->report) {
	case REPORT_FOLDED:
	case REPORT_SPEEDSCOPE:
		if (q->mean)
			return err_set(err, ERR_USAGE, "-mean has no meaning for %s: averages do not add up", c->name);
		break;
	case REPORT_RAW:
	case REPORT_PROTO:
	case REPORT_BUNDLE:
	case REPORT_TOPPROTO:
	case REPORT_CALLGRIND:
	case REPORT_DOT:
	case REPORT_WEBLIST:
	case REPORT_FLAME:
		break;
	default:
		return 0;
	}
	if (q->shape == FORMAT_JSON && c->report == REPORT_FLAME)
		return err_set(err, ERR_USAGE,
			       "--json has no meaning for flame; --format=json writes its stacks for speedscope");
	if (q->shape != FORMAT_TEXT)
		return err_set(err, ERR_USAGE, "%s has no meaning for %s", flag[q->shape], c->name);
	return c->report == REPORT_FLAME ? flame_check(q, err) : 0;
}

/* What draws a report that is too large for one text. */
static int choose_pieces(const struct query *q, const struct traces_viewer **out, struct err *err)
{
	switch ((enum format)q->shape) {
	case FORMAT_JSON:
		*out = &json_traces;
		return 0;
	case FORMAT_CSV:
		*out = &csv_traces;
		return 0;
	case FORMAT_MARKDOWN:
		return err_set(err, ERR_USAGE, "--markdown: traces are no table; choose --json, --csv or text");
	default:
		*out = &text_traces;
		return 0;
	}
}

static bool is_to_be_shown(const struct picture *p, const struct query *q)
{
	return p && p->is_shown && !*q->output;
}

static int draw_picture(const struct picture *p, const struct query *q, struct answer *out, struct err *err)
{
	out->shown = is_to_be_shown(p, q) ? p : NULL;
	return picture_draw(p, &out->text, err);
}

int answer_make(const struct profile *p, const struct query_command *c, const struct query *asked,
		const struct side_sources from[N_SIDES], bool color, struct answer *out, struct err *err)
{
	const struct picture *picture = picture_find(c->name);
	enum query_report kind = c->report;
	struct query q = *asked;
	struct view v;
	int rc = kind == REPORT_TRACES ? choose_pieces(&q, &out->pieces, err) : 0;

	if (rc < 0)
		return rc;
	out->mem = arena_new();
	query_for_report(&q, kind);
	q.inlined = color || q.shape != FORMAT_TEXT; /* what reads pprof's text does not expect it */
	rc = view_make(p, &q, out->mem, &v, &out->notes, err);
	if (rc == 0 && kind == REPORT_FLAME)
		rc = flame_answer(&v, from, &q, &out->text, &out->is_empty, err);
	else if (rc == 0)
		rc = kind == REPORT_WEBLIST ? write_weblist(&v, &q, out, err)
					    : write_export(kind, &v, &q, out->mem, &out->text, err);
	if (rc == 0 && picture)
		rc = draw_picture(picture, &q, out, err);
	if (rc == 1) {
		rc = make_table(kind, &v, &q, &out->report, &out->notes, err);
		if (rc == 0) {
			out->is_empty = kind != REPORT_COMMENTS && out->report.head.total == 0;
			if (!out->pieces)
				answer_draw(kind, &out->report, &q, color, &out->text);
		}
	}
	return rc;
}

void answer_release(struct answer *a)
{
	buf_release(&a->text);
	buf_release(&a->notes);
	report_release(&a->report);
	arena_free(a->mem);
}

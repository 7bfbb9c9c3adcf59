/*
 * web_reports.c - reports for web pages: the call graph as SVG, source with instructions as a model
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/web_reports.h"

#include "answer/reports.h"
#include "base/child.h"
#include "engine/label_unit.h"
#include "engine/net.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/calls.h"
#include "symbol/demangle/demangle.h"

/* Copy the query with the defaults of a report, and select its part of the profile. */
static int web_reports_make_view(const struct profile *p, const char *report, const struct query *query,
				 struct query *q, struct view *v, struct answer *out, struct err *err)
{
	*q = *query;
	out->mem = arena_new();
	query_apply_defaults(q, &reports_get(report)->defaults);
	return view_make(p, &q->filter, out->mem, v, &out->notes, err);
}

int answer_callgraph(const struct profile *p, const struct query *query, const struct callgraph_style *style,
		     struct answer *out, struct err *err)
{
	struct callgraph g;
	struct label_units units;
	struct query q;
	struct view v;
	struct net net;
	int rc = web_reports_make_view(p, "svg", query, &q, &v, out, err);

	if (rc < 0)
		return rc;
	out->report.mem = arena_new();
	label_units_make(p, out->mem, &units, NULL);
	rc = net_make(&v, &q.filter, true, &units, out->mem, &net, err);
	if (rc < 0)
		return rc;
	net_calls(&net, &q.filter, NULL, out->mem);
	rc = stop_check(q.stop, err);
	if (rc == 0) {
		report_calls_head(&net, &q, &v, false, &out->report);
		out->is_empty = net.shown.n == 0;
		callgraph_make(&net, &out->report, out->mem, &g);
		rc = callgraph_draw_svg(&g, style, q.stop, &out->text, err);
	}
	net_release(&net);
	return rc;
}

int answer_callgraph_file(const struct profile *p, const struct query *q, const char *format, struct answer *out,
			  struct err *err)
{
	const struct child_limits limits = {
		.max_output = 256 << 20, .max_memory = (size_t)1 << 30, .seconds = 10, .stop = q->stop
	};
	struct buf flag = { 0 }, file = { 0 };
	int rc = answer_make(p, reports_get("dot"), q, NULL, false, out, err);

	if (rc < 0)
		return rc;
	buf_addf(&flag, "-T%s", format);
	rc = child_run_limited((const char *const[]){ "dot", flag.data, NULL }, buf_text(&out->text), out->text.len,
			       &limits, &file, err);
	if (rc == ERR_UNKNOWN)
		err_set(err, rc, CALLGRAPH_NO_DOT);
	buf_release(&flag);
	buf_release(&out->text);
	out->text = file;
	return rc;
}

int answer_weblist(const struct profile *p, const struct query *query, struct answer *out, struct weblist *list,
		   struct err *err)
{
	struct query q;
	struct view v;
	int rc = web_reports_make_view(p, "weblist", query, &q, &v, out, err);

	return rc < 0 ? rc : report_weblist_make(&v, &q, &out->report, list, &out->notes, err);
}

void answer_add_readable(const char *symbol, struct buf *out)
{
	if (!demangle(symbol, DEMANGLE_DEFAULT, out))
		buf_addz(out, symbol);
}

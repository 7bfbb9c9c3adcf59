/*
 * graph.c - the view of the call graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/views.h"

#include "answer/web_reports.h"
#include "base/unit.h"
#include "session/expression.h"
#include "viewers/graph/callgraph.h"
#include "front/web/parts/table.h"
#include "front/web/parts/state.h"
#include "front/web/assets/assets.h"

#include <inttypes.h>
#include <string.h>

/* Append the URL of callers and callees of a node. A filter f of this page stays; arg is then the argument. */
static void web_graph_add_link(void *arg, const struct row_place *place, struct buf *out)
{
	const struct web_page *page = arg;
	struct url_params *link = web_link_start(page);
	struct buf expression = { 0 };

	if (*place->function)
		expression_add_name(place->function, "", &expression);
	else if (*place->file)
		expression_add_file(page->p, place->file, "", &expression);
	else
		expression_add_name(place->binary, "", &expression);
	if (expression.len && expression.data[expression.len - 1] == '$') { /* peek shows names with lines */
		expression.len--;
		buf_addz(&expression, "( |$)");
	}
	url_params_set(link, *page->q.focus ? "arg" : "f", buf_text(&expression));
	buf_addz(out, "peek?");
	url_params_add_query(link, out);
	url_params_free(link);
	buf_release(&expression);
}

/* Append the head of the report: the share of the total that the graph shows, and the number of omitted nodes. */
static void web_graph_add_head(const struct web_page *page, struct buf *out)
{
	const struct head *h = &page->answer.report.head;

	buf_addz(out, "<p class=\"faint\">");
	web_add_report_value(h, h->shown, out);
	buf_addz(out, " (");
	unit_add_percent_trimmed(out, h->shown, h->total);
	buf_addf(out, ") in %" PRIu32 " nodes", h->n_shown);
	if (h->n_before_limit > h->n_shown)
		buf_addf(out, " of %" PRIu32, h->n_before_limit);
	if (h->n_dropped)
		buf_addf(out, "; %" PRIu32 " smaller nodes are left out", h->n_dropped);
	if (h->n_dropped_edges)
		buf_addf(out, "; %" PRIu32 " calls are left out", h->n_dropped_edges);
	buf_addz(out, "; ");
	web_add_units(page, h, out);
	buf_addz(out, "</p>\n");
}

/* Set the pattern to the function with the largest flat. */
static int find_hottest(struct web_page *page, struct err *err)
{
	struct answer top = { 0 };
	struct query q = page->q;
	struct buf pattern = { 0 };
	int rc;

	q.nodecount = 1;
	rc = answer_model(page->p, reports_get("top"), &q, &top, err);
	if (rc == 0 && top.report.table.n_rows && *top.report.table.place[0].function)
		expression_add_name(top.report.table.place[0].function, "", &pattern);
	page->q.pattern = arena_strndup(page->mem, buf_text(&pattern), pattern.len);
	buf_release(&pattern);
	answer_release(&top);
	return rc;
}

/* Draw callers and callees of the function with the largest flat, because Graphviz is missing. */
static int draw_substitute(struct web_page *page, const char *why, struct err *err)
{
	const struct web_view *view = page->view;
	int rc = find_hottest(page, err);

	page->status = 501;
	buf_addz(&page->main, "<p class=\"error\">");
	web_add_name(&page->main, why);
	buf_addz(&page->main, "</p>\n<h2>Callers and callees of the function with the largest flat value</h2>\n");
	answer_release(&page->answer);
	page->answer = (struct answer){ 0 };
	page->view = web_view_find(page->web, "peek", strlen("peek"));
	if (rc == 0)
		rc = web_draw_table(page, err);
	page->view = view;
	return rc;
}

/* Limit the number of nodes: "all" is more than a picture can show. */
static struct query limited_query(const struct web_page *page)
{
	struct query q = page->q;

	if (q.nodecount == 0 || q.nodecount > CALLGRAPH_NODES_MAX)
		q.nodecount = CALLGRAPH_NODES_MAX;
	return q;
}

int web_draw_graph(struct web_page *page, struct err *err)
{
	const struct callgraph_style style = { .is_element = true, .add_link = web_graph_add_link, .arg = page };
	const struct query q = limited_query(page);
	struct buf *out = &page->main;
	int rc = answer_callgraph(page->p, &q, &style, &page->answer, err);

	if (rc == ERR_UNKNOWN && web_wants_html(page->request)) {
		struct err why = *err;

		return draw_substitute(page, why.msg, err);
	}
	if (rc < 0)
		return rc;
	web_graph_add_head(page, out);
	buf_addz(out, "<div class=\"graph\" id=\"graph\" tabindex=\"0\" role=\"region\" aria-label=\"Call graph\">\n");
	buf_add(out, buf_text(&page->answer.text), page->answer.text.len);
	buf_addz(out,
		 "</div>\n<p class=\"faint\" id=\"graph-help\"><span>A box links to the callers and callees of its "
		 "function. </span>A dotted line is a call through functions that are left out.</p>\n"
		 "<script type=\"module\" src=\"");
	web_asset_add_url("graph.js", out);
	buf_addz(out, "\"></script>\n");
	return 0;
}

int web_send_graph_file(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	const struct callgraph_style style = { .is_element = false };
	const struct query q = limited_query(page);
	int rc;

	out->type = strcmp(ext, "svg") == 0   ? "image/svg+xml; charset=utf-8"
		    : strcmp(ext, "pdf") == 0 ? "application/pdf"
		    : strcmp(ext, "png") == 0 ? "image/png"
					      : NULL;
	if (!out->type)
		return err_set(err, ERR_USAGE, "unknown format %.20s", ext);
	if (strcmp(ext, "svg") == 0)
		rc = answer_callgraph(page->p, &q, &style, &page->answer, err);
	else
		rc = answer_callgraph_file(page->p, &q, ext, &page->answer, err);
	if (rc == 0)
		buf_add(&out->body, buf_text(&page->answer.text), page->answer.text.len);
	return rc;
}

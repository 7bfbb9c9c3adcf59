/*
 * web_reports.h - reports for web pages: the call graph as SVG, source with instructions as a model
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_WEB_REPORTS_H
#define ANSWER_WEB_REPORTS_H

#include "answer/answer.h"
#include "base/err.h"
#include "profile/profile.h"
#include "report/weblist.h"
#include "viewers/graph/callgraph.h"

/*
 * Draw the call graph of a profile as SVG. Names do not pass through Graphviz.
 *
 * q       the options; the defaults of the report svg are applied to a copy
 * out     zero-initialised: out->text is the SVG, out->report has the head; released with answer_release, also after a
 *         failure
 * Fails   as answer_make and callgraph_draw_svg
 */
int answer_callgraph(const struct profile *p, const struct query *q, const struct callgraph_style *style,
		     struct answer *out, struct err *err);

/*
 * Draw the call graph of a profile with Graphviz, within the limits of a page. Unlike answer_callgraph, names pass through
 * Graphviz, so the result is for files that show no markup.
 *
 * format  argument of dot -T: "pdf", "png"
 * out     as for answer_callgraph: out->text is the file
 * Fails   as answer_callgraph
 */
int answer_callgraph_file(const struct profile *p, const struct query *q, const char *format, struct answer *out,
			  struct err *err);

/*
 * Make the weblist report without drawing it.
 *
 * q       the options; the defaults of the report weblist are applied to a copy
 * list    lives as long as out, which has the head
 * Fails   as answer_make
 */
int answer_weblist(const struct profile *p, const struct query *q, struct answer *out, struct weblist *list,
		   struct err *err);

/* Append a symbol as reports show it by default: demangled, without parameters; unchanged if it is not mangled. */
void answer_add_readable(const char *symbol, struct buf *out);

#endif

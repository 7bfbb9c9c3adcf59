/*
 * views.h - functions that draw the views
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each appends HTML to page->main; see struct web_view.
 */
#ifndef FRONT_WEB_PAGES_VIEWS_H
#define FRONT_WEB_PAGES_VIEWS_H

#include "front/web/parts/page.h"

extern const struct web_view web_views[];
extern const size_t web_n_views;

/* The view with this path of n bytes; NULL if there is none. */
const struct web_view *web_view_find(const char *path, size_t n);

/* The report of the view as a table, whose rows are functions, binaries or comments. */
int web_draw_table(struct web_page *page, struct err *err);

/* Before, after and change of each function. */
int web_draw_diff(struct web_page *page, struct err *err);

/* The result of the gate; as JSON. */
int web_draw_gate(struct web_page *page, struct err *err);
int web_send_verdicts(struct web_page *page, const char *ext, struct http_response *out, struct err *err);

/* Functions that grow over the open profiles. */
int web_draw_trend(struct web_page *page, struct err *err);

/* Captures of profiles of servers. */
int web_draw_capture(struct web_page *page, struct err *err);

/* Send the state of a capture as JSON: the body. */
void web_capture_send(struct web *w, unsigned number, struct http_response *out);

/* The windows of a store. */
int web_draw_store(struct web_page *page, struct err *err);

/* The open profiles. */
int web_draw_compare(struct web_page *page, struct err *err);

/* The form that opens files. */
int web_draw_open(struct web_page *page, struct err *err);

/* The page of the flame graph; its files (svg, pdf, png, html, folded, json); the data that its script requests: boxes, callers
   and callees of a pivot, sums of a search. */
int web_draw_flame(struct web_page *page, struct err *err);
int web_send_flame_file(struct web_page *page, const char *ext, struct http_response *out, struct err *err);
int web_send_flame_data(struct web_page *page, const char *ext, struct http_response *out, struct err *err);
int web_send_flame_pivot(struct web_page *page, const char *ext, struct http_response *out, struct err *err);
int web_send_flame_search(struct web_page *page, const char *ext, struct http_response *out, struct err *err);

/* The call graph as SVG; without Graphviz, callers and callees of the function with the largest
   flat, with status 501. Its files: svg, pdf, png. */
int web_draw_graph(struct web_page *page, struct err *err);
int web_send_graph_file(struct web_page *page, const char *ext, struct http_response *out, struct err *err);
/* Labels of samples: their keys and values. */
int web_draw_labels(struct web_page *page, struct err *err);

/* Samples with their stacks and labels. */
int web_draw_traces(struct web_page *page, struct err *err);

/* Descriptions of views, columns, colours and keys. */
int web_draw_help(struct web_page *page, struct err *err);

/* Source lines with their instructions. */
int web_draw_source(struct web_page *page, struct err *err);

/* Instructions. */
int web_draw_disasm(struct web_page *page, struct err *err);

#endif

/*
 * views.h - the table of views, and the functions that draw them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each appends HTML to page->main; see struct web_view.
 */
#ifndef FRONT_WEB_PAGES_VIEWS_H
#define FRONT_WEB_PAGES_VIEWS_H

#include "front/web/parts/page.h"

/* All views, in the order of the View menu: those with a function below, and the reports that are plain tables. */
struct web_view *web_views_make(struct arena *mem, size_t *n);

/* The functions of the table of views (struct web_view). */
web_draw_fn web_draw_table, web_draw_diff, web_draw_gate, web_draw_trend, web_draw_capture, web_draw_store,
	web_draw_compare, web_draw_open, web_draw_flame, web_draw_graph, web_draw_labels, web_draw_label_check,
	web_draw_traces, web_draw_help, web_draw_source, web_draw_disasm;
web_send_fn web_send_verdicts, web_send_flame_verdicts, web_send_flame_file, web_send_flame_data, web_send_flame_pivot,
	web_send_flame_search, web_send_graph_file;

/* Send the state of a capture as JSON: the body. */
void web_capture_send(struct web *w, unsigned number, struct http_response *out);

#endif

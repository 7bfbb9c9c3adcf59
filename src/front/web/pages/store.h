/*
 * store.h - the page on which windows of a store are chosen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PAGES_STORE_H
#define FRONT_WEB_PAGES_STORE_H

#include "front/web/parts/page.h"
#include "sources/stored_browse.h"

#include <stdbool.h>
#include <stdint.h>

/* A window [t0, t1) of time in ns. */
struct web_window {
	int64_t t0, t1;
	bool is_set;
};

/* The choice of a URL or a form. Strings are borrowed from its parameters or the catalogue. */
struct web_choice {
	struct stored_place place;
	const struct stored_service *service;
	struct stored_choice choice; /* with the times of the chart */
	struct web_window window, base;
	int64_t step_ns;
};

/* Read a choice. The catalogue must not be empty. */
int web_choice_read(const struct web_options *o, const struct url_params *p, const struct stored_catalogue *all,
		    struct web_choice *out, struct err *err);

/* The choice of a window of a choice. */
struct stored_choice web_choice_window(const struct web_choice *c, const struct web_window *w);

/* The message when no store is open. */
extern const char web_store_missing[];

/* A chart of totals and its table of values. */
struct web_chart {
	const struct web_choice *c;
	const struct stored_totals *totals;
	uint32_t type;    /* below totals->n_types */
	const char *unit; /* of all values of the page */
	double top, tick; /* of the axis of values, in the unit of the type */
	/* the page without a window, whose links get one */
	const struct url_params *link;
	struct buf marks, mark_list; /* SVG, and text below it */
	size_t n_marks;
};

/* Append a mark to the SVG of a chart. */
void web_chart_add_mark(struct web_chart *chart, int64_t time_ns, const char *kind, const char *text);

/* Choose the unit and the axis of values. */
void web_chart_scale(struct web_chart *chart);

/* Append the chart with its legend and axes. */
void web_chart_draw(const struct web_chart *chart, struct buf *out);

/* Append the values as a table, closed at first; the time of a row is a link that selects its step. */
void web_chart_draw_table(const struct web_chart *chart, struct buf *out);

/* Append a value of a sample type, escaped for HTML. */
void web_chart_add_value(const struct web_chart *chart, const struct stored_type *type, int64_t value, struct buf *out);

/* Append a time for people, and one for a URL; in UTC. */
void web_chart_add_time(int64_t ns, struct buf *out);
void web_chart_add_url_time(int64_t ns, struct buf *out);

#endif

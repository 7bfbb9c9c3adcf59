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

/* The parameters of a choice with its chart, without the windows. Freed with url_params_free. */
struct url_params *web_choice_params(const struct web_choice *c, const char *type);

/* Set a parameter to a time, in UTC. */
void web_choice_set_time(struct url_params *link, const char *key, int64_t ns);

/* Is a view one of the profile of a window, or of two windows, without a further question? */
bool web_store_opens(const struct web_view *v, bool are_two);

/* Append a table of the services, with their kinds, labels and the last verdict of cpa watch; closed if one was chosen.
   Fails as stored_choice_marks. */
int web_store_add_services(const struct web_page *page, const struct web_choice *c, const struct stored_catalogue *all,
			   struct buf *out, struct err *err);

/* Append links that compare the window with times before it. */
void web_store_add_comparisons(const struct web_choice *c, const char *type, struct buf *out);

/* The message when no store is open. */
extern const char web_store_missing[];

/* Marks that are drawn in different ways. */
enum web_mark { WEB_MARK_DEPLOY, WEB_MARK_FAIL, WEB_MARK_WATCH, WEB_MARK_OTHER, WEB_MARK_KINDS };

/* A chart of totals and its table of values. */
struct web_chart {
	const struct web_choice *c;
	const struct stored_totals *totals;
	uint32_t type;    /* below totals->n_types */
	const char *unit; /* of all values of the page */
	double top, tick; /* of the axis of values, in the unit of the type */
	/* the page without a window, whose links get one */
	const struct url_params *link;
	struct buf marks, mark_list; /* SVG, and a list below it */
	size_t n_marks;
	bool has_kind[WEB_MARK_KINDS];
};

/* Append slope and change of the totals over time. Fails as stored_choice_totals. */
int web_store_add_over_time(struct web_page *page, const struct web_chart *chart, struct err *err);

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

/*
 * store_chart.c - totals of a store over time, as SVG and as a table
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The picture is stretched to the width of the page, so it contains no text.
 */
#include "config.h"

#include "viewers/web/store.h"

#include "base/unit.h"
#include "viewers/html/html.h"
#include "viewers/web/page.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)
#define DAY_NS (86400 * SECOND_NS)

enum { WIDTH = 1000, HEIGHT = 160, TIME_BYTES = 32, MARKS_LISTED = 20 };

static void add_time(int64_t ns, const char *format, struct buf *out)
{
	time_t seconds = (time_t)(ns >= 0 ? ns / SECOND_NS : (ns - SECOND_NS + 1) / SECOND_NS);
	char text[TIME_BYTES] = "";
	struct tm utc;

	if (gmtime_r(&seconds, &utc))
		strftime(text, sizeof(text), format, &utc);
	buf_addz(out, text);
}

void web_add_window_time(int64_t ns, struct buf *out)
{
	add_time(ns, "%Y-%m-%d %H:%M:%S", out);
}

void web_add_field_time(int64_t ns, struct buf *out)
{
	add_time(ns, "%Y-%m-%dT%H:%M:%S", out);
}

void web_chart_add_value(const struct stored_type *type, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	unit_add_label(&text, value, type->unit, "auto");
	html_add_name(out, buf_text(&text)); /* the unit comes from the store */
	buf_release(&text);
}

static int64_t value_of(const struct web_chart *x, uint32_t step)
{
	return x->totals->n_groups ? x->totals->group[0].total[x->type][step] : 0;
}

static double x_of(const struct web_chart *x, int64_t ns)
{
	const struct stored_totals *t = x->totals;
	double at = (double)(ns - t->t0) / ((double)t->step_ns * t->n_steps) * WIDTH;

	return at < 0 ? 0 : at > WIDTH ? WIDTH : at;
}

void web_chart_add_mark(struct web_chart *chart, int64_t time_ns, const char *kind, const char *text)
{
	double at = x_of(chart, time_ns);
	struct buf *out = &chart->marks;

	buf_addf(out, "<line class=\"mark\" x1=\"%.2f\" x2=\"%.2f\" y1=\"0\" y2=\"%d\"><title>", at, at, HEIGHT);
	web_add_window_time(time_ns, out);
	buf_addz(out, " UTC: ");
	html_add_name(out, kind);
	buf_addz(out, " ");
	html_add_name(out, text);
	buf_addz(out, "</title></line>\n");
	if (chart->n_marks++ == MARKS_LISTED)
		buf_addz(&chart->mark_list, ", …");
	if (chart->n_marks > MARKS_LISTED)
		return;
	buf_addz(&chart->mark_list, chart->n_marks > 1 ? ", " : "");
	web_add_name(&chart->mark_list, kind);
	buf_addz(&chart->mark_list, " ");
	web_add_name(&chart->mark_list, text);
	buf_addz(&chart->mark_list, " at ");
	web_add_window_time(time_ns, &chart->mark_list);
}

/* Append the URL that selects a step as the window. */
static void add_step_link(const struct web_chart *x, uint32_t step, struct buf *out)
{
	struct url_params *link = url_params_copy(x->link);
	int64_t t0 = x->totals->t0 + step * x->totals->step_ns;
	struct buf text = { 0 };

	web_add_field_time(t0, &text);
	url_params_set(link, "w0", buf_text(&text));
	text.len = 0;
	web_add_field_time(t0 + x->totals->step_ns, &text);
	url_params_set(link, "w1", buf_text(&text));
	buf_release(&text);
	web_link_end(link, "store", out);
}

static void add_profiles(uint64_t n, struct buf *out)
{
	unit_add_count(out, n);
	buf_addz(out, n == 1 ? " profile" : " profiles");
}

static void add_bar(const struct web_chart *x, uint32_t step, double max, struct buf *out)
{
	const struct stored_totals *t = x->totals;
	double width = (double)WIDTH / t->n_steps, value = (double)value_of(x, step);
	double height = max > 0 && value > 0 ? value / max * HEIGHT : 0;

	if (t->profiles[step] == 0)
		return;
	height = height < 1.5 ? 1.5 : height; /* profiles without values are visible, too */
	buf_addz(out, "<a tabindex=\"-1\" href=\"");
	add_step_link(x, step, out);
	buf_addf(out, "\"><rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/><title>",
		 step * width + width * 0.06, HEIGHT - height, width * 0.88, height);
	web_add_window_time(t->t0 + step * t->step_ns, out);
	buf_addz(out, " UTC: ");
	web_chart_add_value(&t->type[x->type], value_of(x, step), out);
	buf_addz(out, ", ");
	add_profiles(t->profiles[step], out);
	buf_addz(out, "</title></a>\n");
}

static void add_window(const struct web_chart *x, const struct web_window *w, const char *class, struct buf *out)
{
	double from = w->is_set ? x_of(x, w->t0) : 0, to = w->is_set ? x_of(x, w->t1) : 0;

	buf_addf(out, "<rect class=\"%s\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"/>\n", class, from,
		 to > from ? to - from : 0, HEIGHT);
}

static int64_t largest(const struct web_chart *x)
{
	int64_t max = 0;

	for (uint32_t i = 0; i < x->totals->n_steps; i++)
		max = value_of(x, i) > max ? value_of(x, i) : max;
	return max;
}

/* Append the duration of a step: "10 min". */
static void add_step(const struct stored_totals *t, struct buf *out)
{
	static const struct {
		int64_t seconds;
		const char *unit;
	} units[] = { { 86400, "d" }, { 3600, "h" }, { 60, "min" }, { 1, "s" } };
	int64_t seconds = t->step_ns / SECOND_NS;
	size_t i = 0;

	while (seconds % units[i].seconds)
		i++;
	buf_addf(out, "%" PRId64 " %s", seconds / units[i].seconds, units[i].unit);
}

static void add_svg(const struct web_chart *x, int64_t max, struct buf *out)
{
	const struct stored_totals *t = x->totals;

	buf_addf(out,
		 "<svg class=\"totals\" id=\"store-chart\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
		 "role=\"img\" aria-labelledby=\"store-caption\" data-t0=\"%" PRId64 "\" data-step=\"%" PRId64
		 "\" data-steps=\"%" PRIu32 "\">\n",
		 WIDTH, HEIGHT, t->t0 / 1000000, t->step_ns / 1000000, t->n_steps);
	add_window(x, &x->c->base, "base", out);
	add_window(x, &x->c->window, "window", out);
	for (uint32_t i = 0; i < t->n_steps; i++)
		add_bar(x, i, (double)max, out);
	buf_add(out, buf_text(&x->marks), x->marks.len);
	buf_addz(out, "</svg>\n");
}

void web_chart_draw(const struct web_chart *x, struct buf *out)
{
	const struct stored_totals *t = x->totals;
	const struct stored_type *type = &t->type[x->type];
	int64_t max = largest(x), span = t->step_ns * t->n_steps;
	const char *format = span > 2 * DAY_NS ? "%Y-%m-%d" : span > DAY_NS / 24 ? "%m-%d %H:%M" : "%H:%M:%S";

	buf_addz(out, "<figure class=\"totals\"><figcaption id=\"store-caption\">");
	web_add_name(out, type->name);
	buf_addz(out, " per ");
	add_step(t, out);
	buf_addz(out, ", at most ");
	web_chart_add_value(type, max, out);
	buf_addf(out, ", %zu series</figcaption>\n", t->n_series);
	add_svg(x, max, out);
	buf_addz(out, "<div class=\"axis\">");
	for (int i = 0; i <= 2; i++) {
		buf_addz(out, "<span>");
		add_time(t->t0 + span / 2 * i, format, out);
		buf_addz(out, "</span>");
	}
	buf_addz(out, "</div></figure>\n");
	if (x->n_marks)
		buf_addf(out, "<p class=\"faint\"><span class=\"mark\">|</span> %s</p>\n", buf_text(&x->mark_list));
}

static void add_row(const struct web_chart *x, uint32_t step, struct buf *out)
{
	const struct stored_totals *t = x->totals;

	buf_addz(out, "<tr><td class=\"text\"><a href=\"");
	add_step_link(x, step, out);
	buf_addz(out, "\">");
	web_add_window_time(t->t0 + step * t->step_ns, out);
	buf_addz(out, "</a></td><td>");
	web_chart_add_value(&t->type[x->type], value_of(x, step), out);
	buf_addz(out, "</td><td>");
	unit_add_count(out, t->profiles[step]);
	buf_addz(out, "</td></tr>\n");
}

void web_chart_draw_table(const struct web_chart *x, struct buf *out)
{
	const struct stored_totals *t = x->totals;

	buf_addz(out, "<details><summary>Values as a table</summary><div class=\"scroll\"><table><thead><tr>"
		      "<th scope=\"col\" class=\"text\">time (UTC)</th><th scope=\"col\">");
	web_add_name(out, t->type[x->type].name);
	buf_addz(out, "</th><th scope=\"col\">profiles</th></tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < t->n_steps; i++)
		if (t->profiles[i])
			add_row(x, i, out);
	buf_addz(out, "</tbody></table></div></details>\n");
}

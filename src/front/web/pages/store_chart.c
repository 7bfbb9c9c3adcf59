/*
 * store_chart.c - totals of a store over time, as SVG and as a table
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The picture is stretched to the width of the page, so it contains no text: values and times are beside it.
 */
#include "config.h"

#include "front/web/pages/store.h"

#include "base/time.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "front/web/parts/page.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
	WIDTH = 1000,
	HEIGHT = 160,
	TICKS_WIDTH = 76, /* pixels beside the picture, for values */
	TICKS_MARGIN = 8, /* above and below, for the text of the first and last one */
	MARKS_LISTED = 20
};

void web_chart_add_time(int64_t ns, struct buf *out)
{
	time_add_utc(out, ns, TIME_SPACED);
}

void web_chart_add_url_time(int64_t ns, struct buf *out)
{
	time_add_utc(out, ns, "%Y-%m-%dT%H:%M:%S");
}

void web_chart_add_value(const struct web_chart *x, const struct stored_type *type, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	unit_add_label(&text, value, type->unit, x->unit);
	webpage_add_name(out, buf_text(&text)); /* the unit comes from the store */
	buf_release(&text);
}

static int64_t store_chart_value_of(const struct web_chart *x, uint32_t step)
{
	return x->totals->n_groups ? x->totals->group[0].total[x->type][step] : 0;
}

static double store_chart_x_of(const struct web_chart *x, int64_t ns)
{
	const struct stored_totals *t = x->totals;
	double at = (double)(ns - t->t0) / ((double)t->step_ns * t->n_steps) * WIDTH;

	return at < 0 ? 0 : at > WIDTH ? WIDTH : at;
}

static const struct {
	const char *class, *title;
} mark_kind[WEB_MARK_KINDS] = { [WEB_MARK_DEPLOY] = { "deploy", "deploy" },
				[WEB_MARK_FAIL] = { "fail", "watch: FAIL" },
				[WEB_MARK_WATCH] = { "watch", "watch: other verdict" },
				[WEB_MARK_OTHER] = { "other", "other mark" } };

static enum web_mark chart_find_kind(const char *kind, const char *text)
{
	const char *verdict = strchr(text, ' ');

	if (strcmp(kind, "watch") == 0)
		return verdict && strncmp(verdict, " FAIL", strlen(" FAIL")) == 0 ? WEB_MARK_FAIL : WEB_MARK_WATCH;
	return strcmp(kind, "deploy") == 0 ? WEB_MARK_DEPLOY : WEB_MARK_OTHER;
}

/* Append a link that compares the time before a mark with the time after it: at most a day each, within the chart. */
static void chart_add_around(const struct web_chart *x, int64_t time_ns, struct buf *out)
{
	int64_t before = time_ns - x->totals->t0, end = x->totals->t0 + x->totals->step_ns * x->totals->n_steps;
	int64_t span = end - time_ns < before ? end - time_ns : before;
	struct url_params *link;

	span = (span < NS_PER_DAY ? span : NS_PER_DAY) / NS_PER_S * NS_PER_S;
	if (span < x->totals->step_ns)
		return;
	time_ns = time_ns / NS_PER_S * NS_PER_S;
	link = url_params_copy(x->link);
	web_choice_set_time(link, "b0", time_ns - span);
	web_choice_set_time(link, "b1", time_ns);
	web_choice_set_time(link, "w0", time_ns);
	web_choice_set_time(link, "w1", time_ns + span);
	buf_addz(out, " <a href=\"");
	web_link_end(link, "store", out);
	buf_addz(out, "\">compare before and after</a>");
}

void web_chart_add_mark(struct web_chart *chart, int64_t time_ns, const char *kind, const char *text)
{
	double at = store_chart_x_of(chart, time_ns);
	enum web_mark mark = chart_find_kind(kind, text);
	struct buf *out = &chart->marks;

	chart->has_kind[mark] = true;
	buf_addf(out, "<line class=\"mark %s\" x1=\"%.2f\" x2=\"%.2f\" y1=\"0\" y2=\"%d\"><title>",
		 mark_kind[mark].class, at, at, HEIGHT);
	web_chart_add_time(time_ns, out);
	buf_addz(out, ": ");
	webpage_add_name(out, kind);
	buf_addz(out, " ");
	webpage_add_name(out, text);
	buf_addz(out, "</title></line>\n");
	if (chart->n_marks++ >= MARKS_LISTED)
		return;
	buf_addf(&chart->mark_list, "<li><i class=\"swatch mark %s\"></i> ", mark_kind[mark].class);
	web_chart_add_time(time_ns, &chart->mark_list);
	buf_addz(&chart->mark_list, " ");
	web_add_name(&chart->mark_list, kind);
	buf_addz(&chart->mark_list, " ");
	web_add_name(&chart->mark_list, text);
	chart_add_around(chart, time_ns, &chart->mark_list);
	buf_addz(&chart->mark_list, "</li>\n");
}

/* Append the URL that selects a step as the window. */
static void add_step_link(const struct web_chart *x, uint32_t step, struct buf *out)
{
	struct url_params *link = url_params_copy(x->link);
	int64_t t0 = x->totals->t0 + step * x->totals->step_ns;

	web_choice_set_time(link, "w0", t0);
	web_choice_set_time(link, "w1", t0 + x->totals->step_ns);
	web_link_end(link, "store", out);
}

static void store_chart_add_profiles(uint64_t n, struct buf *out)
{
	unit_add_count(out, n);
	buf_addz(out, n == 1 ? " profile" : " profiles");
}

static void add_bar(const struct web_chart *x, uint32_t step, struct buf *out)
{
	const struct stored_totals *t = x->totals;
	double width = (double)WIDTH / t->n_steps, value = (double)store_chart_value_of(x, step);
	double height = value > 0 ? value / x->top * HEIGHT : 0;

	if (t->profiles[step] == 0)
		return;
	height = height < 1.5 ? 1.5 : height; /* profiles without values are visible, too */
	buf_addf(out, "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>",
		 step * width + width * 0.06, HEIGHT - height, width * 0.88, height);
	web_chart_add_time(t->t0 + step * t->step_ns, out);
	buf_addz(out, ": ");
	web_chart_add_value(x, &t->type[x->type], store_chart_value_of(x, step), out);
	buf_addz(out, ", ");
	store_chart_add_profiles(t->profiles[step], out);
	buf_addz(out, "</title></rect>\n");
}

static void store_chart_add_window(const struct web_chart *x, const struct web_window *w, const char *class,
				   struct buf *out)
{
	double from = w->is_set ? store_chart_x_of(x, w->t0) : 0, to = w->is_set ? store_chart_x_of(x, w->t1) : 0;

	buf_addf(out, "<rect class=\"%s\" x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"%d\"/>\n", class, from,
		 to > from ? to - from : 0, HEIGHT);
}

static int64_t store_chart_largest(const struct web_chart *x)
{
	int64_t max = 0;

	for (uint32_t i = 0; i < x->totals->n_steps; i++)
		max = store_chart_value_of(x, i) > max ? store_chart_value_of(x, i) : max;
	return max;
}

/* Append the duration of a step: "10 min". */
static void add_step(const struct stored_totals *t, struct buf *out)
{
	static const struct {
		int64_t seconds;
		const char *unit;
	} units[] = { { S_PER_DAY, "d" }, { S_PER_HOUR, "h" }, { 60, "min" }, { 1, "s" } };
	int64_t seconds = t->step_ns / NS_PER_S;
	size_t i = 0;

	while (seconds % units[i].seconds)
		i++;
	buf_addf(out, "%" PRId64 " %s", seconds / units[i].seconds, units[i].unit);
}

/* Append a line for each value of the axis, the text beside it or the line in the picture. */
static void add_ticks(const struct web_chart *x, bool is_text, struct buf *out)
{
	for (double value = 0; value <= x->top + x->tick / 2; value += x->tick) {
		double y = HEIGHT - value / x->top * HEIGHT;

		if (!is_text) {
			buf_addf(out, "<line class=\"tick\" x1=\"0\" x2=\"%d\" y1=\"%.2f\" y2=\"%.2f\"/>\n", WIDTH, y,
				 y);
			continue;
		}
		buf_addf(out, "<text x=\"%d\" y=\"%.2f\">", TICKS_WIDTH - 6, y + TICKS_MARGIN + 4);
		web_chart_add_value(x, &x->totals->type[x->type], llround(value), out);
		buf_addz(out, "</text>\n");
	}
}

static void add_svg(const struct web_chart *x, struct buf *out)
{
	const struct stored_totals *t = x->totals;

	buf_addf(out, "<svg class=\"ticks\" width=\"%d\" height=\"%d\" aria-hidden=\"true\">\n", TICKS_WIDTH,
		 HEIGHT + 2 * TICKS_MARGIN);
	add_ticks(x, true, out);
	buf_addf(out,
		 "</svg><svg class=\"totals\" id=\"store-chart\" viewBox=\"0 0 %d %d\" preserveAspectRatio=\"none\" "
		 "role=\"img\" aria-labelledby=\"store-caption\" data-t0=\"%" PRId64 "\" data-step=\"%" PRId64
		 "\" data-steps=\"%" PRIu32 "\">\n",
		 WIDTH, HEIGHT, t->t0 / 1000000, t->step_ns / 1000000, t->n_steps);
	add_ticks(x, false, out);
	store_chart_add_window(x, &x->c->base, "base", out);
	store_chart_add_window(x, &x->c->window, "window", out);
	for (uint32_t i = 0; i < t->n_steps; i++)
		add_bar(x, i, out);
	buf_add(out, buf_text(&x->marks), x->marks.len);
	buf_addz(out, "</svg>\n");
}

/* Append the meaning of a bar: "total per 10 min of 2 series". */
static void add_measure(const struct web_chart *x, struct buf *out)
{
	static const char *const word[] = { [TEMPORALITY_DELTA] = "total",
					    [TEMPORALITY_GAUGE] = "mean of each series, added up,",
					    [TEMPORALITY_CUMULATIVE] = "increase" };
	const struct stored_totals *t = x->totals;

	web_add_name(out, t->type[x->type].name);
	buf_addf(out, ": %s per ", word[t->type[x->type].temporality]);
	add_step(t, out);
	buf_addf(out, " of %zu series", t->n_series);
}

static void chart_add_legend(const struct web_chart *x, struct buf *out)
{
	bool has_both = x->c->base.is_set && x->c->window.is_set;

	buf_addz(out, "<figcaption class=\"legend\"><span id=\"store-caption\"><i class=\"swatch bar\"></i> ");
	add_measure(x, out);
	buf_addz(out, "</span>");
	if (x->c->base.is_set)
		buf_addz(out, "<span><i class=\"swatch base\"></i> before</span>");
	if (x->c->window.is_set)
		buf_addf(out, "<span><i class=\"swatch window\"></i> %s</span>", has_both ? "after" : "window");
	for (int i = 0; i < WEB_MARK_KINDS; i++)
		if (x->has_kind[i])
			buf_addf(out, "<span><i class=\"swatch mark %s\"></i> %s</span>", mark_kind[i].class,
				 mark_kind[i].title);
	buf_addz(out, "</figcaption>\n");
}

void web_chart_scale(struct web_chart *x)
{
	static const double nice[] = { 1, 2, 2.5, 5, 10 };
	const char *from = x->totals->type[x->type].unit;
	int64_t max = store_chart_largest(x) > 0 ? store_chart_largest(x) : 1;
	double scaled = unit_scale(max, from, "auto", &x->unit), rough = scaled / 4,
	       power = pow(10, floor(log10(rough)));
	size_t i = 0;

	while (nice[i] * power < rough * 0.999)
		i++;
	x->tick = nice[i] * power * ((double)max / scaled);
	x->tick = x->tick < 1 ? 1 : x->tick; /* values are whole numbers of their unit */
	x->top = ceil((double)max / x->tick) * x->tick;
}

void web_chart_draw(const struct web_chart *x, struct buf *out)
{
	const struct stored_totals *t = x->totals;
	int64_t span = t->step_ns * t->n_steps;

	buf_addz(out, "<figure class=\"totals\">");
	chart_add_legend(x, out);
	buf_addz(out, "<div class=\"plot\">");
	add_svg(x, out);
	buf_addz(out, "</div><div class=\"axis\">");
	for (int i = 0; i <= 2; i++) {
		buf_addz(out, "<span>");
		web_chart_add_time(t->t0 + span / 2 * i, out);
		buf_addz(out, "</span>");
	}
	buf_addz(out, "</div></figure>\n");
	if (x->n_marks)
		buf_addf(out, "<ul class=\"marks\">%s</ul>\n", buf_text(&x->mark_list));
	if (x->n_marks > MARKS_LISTED)
		buf_addf(out, "<p class=\"faint\">%zu more marks; choose a shorter time</p>\n",
			 x->n_marks - MARKS_LISTED);
}

static void store_chart_add_row(const struct web_chart *x, uint32_t step, struct buf *out)
{
	const struct stored_totals *t = x->totals;

	buf_addz(out, "<tr><td class=\"text\"><a href=\"");
	add_step_link(x, step, out);
	buf_addz(out, "\">");
	web_chart_add_time(t->t0 + step * t->step_ns, out);
	buf_addz(out, "</a></td><td>");
	web_chart_add_value(x, &t->type[x->type], store_chart_value_of(x, step), out);
	buf_addz(out, "</td><td>");
	unit_add_count(out, t->profiles[step]);
	buf_addz(out, "</td></tr>\n");
}

void web_chart_draw_table(const struct web_chart *x, struct buf *out)
{
	const struct stored_totals *t = x->totals;

	buf_addz(out, "<details><summary>Values as a table</summary><div class=\"scroll\"><table><thead><tr>"
		      "<th scope=\"col\" class=\"text\">start of the step</th><th scope=\"col\">");
	web_add_name(out, t->type[x->type].name);
	buf_addz(out, "</th><th scope=\"col\">profiles</th></tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < t->n_steps; i++)
		if (t->profiles[i])
			store_chart_add_row(x, i, out);
	buf_addz(out, "</tbody></table></div></details>\n");
}

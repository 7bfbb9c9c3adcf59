/*
 * store_start.c - the services of a store, times to compare a window with, and totals over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/store.h"

#include "base/mem.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "report/over_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	SERVICES_SHOWN = 200,
	VALUES_SHOWN = 5,
	DAYS_MIN = 14,
	DAYS_MAX = 400 /* of a chart whose totals are compared by day; by week if it is longer */
};

/* --- services --- */

static void store_start_add_link(const struct stored_service *s, const char *kind, const char *text, struct buf *out)
{
	struct url_params *link = url_params_new();

	url_params_set(link, "service", s->name);
	if (*kind)
		url_params_set(link, "kind", kind);
	buf_addz(out, "<a href=\"");
	web_link_end(link, "store", out);
	buf_addz(out, "\">");
	webpage_add_name(out, text);
	buf_addz(out, "</a> ");
}

static void store_start_add_label(const struct stored_label *l, struct buf *out)
{
	web_add_name(out, l->name);
	buf_addz(out, ": ");
	for (size_t i = 0; i < l->n && i < VALUES_SHOWN; i++) {
		buf_addz(out, i ? ", " : "");
		web_add_name(out, *l->value[i] ? l->value[i] : "(none)");
	}
	if (l->has_more)
		buf_addf(out, ", more than %zu values", l->n);
	else if (l->n > VALUES_SHOWN)
		buf_addf(out, ", %zu more", l->n - VALUES_SHOWN);
	buf_addz(out, "<br>");
}

/* The newest verdicts of cpa watch. */
struct store_start_verdicts {
	const struct stored_catalogue *all;
	struct arena *mem;
	struct {
		const char *text; /* NULL if there is none */
		int64_t time_ns;
	} * last; /* [all->n] */
};

static void store_start_note_mark(void *arg, const char *service, int64_t time_ns, const char *kind, const char *text)
{
	struct store_start_verdicts *v = arg;
	const struct stored_service *s = *service ? stored_catalogue_find(v->all, service) : NULL;
	size_t i = s ? (size_t)(s - v->all->service) : 0;

	if (!s || strcmp(kind, "watch") != 0 || (v->last[i].text && time_ns < v->last[i].time_ns))
		return;
	v->last[i].text = arena_strndup(v->mem, text, strlen(text));
	v->last[i].time_ns = time_ns;
}

static void store_start_add_service(const struct web_choice *c, const struct store_start_verdicts *v, size_t i,
				    struct buf *out)
{
	const struct stored_service *s = &v->all->service[i];

	buf_addz(out, s == c->service ? "<tr aria-current=\"true\"><td class=\"text\">" : "<tr><td class=\"text\">");
	store_start_add_link(s, "", s->name, out);
	buf_addz(out, "</td><td class=\"text\">");
	for (size_t k = 0; k < s->n_kinds; k++)
		store_start_add_link(s, s->kind[k], s->kind[k], out);
	buf_addz(out, "</td><td>");
	unit_add_count(out, s->profiles);
	buf_addz(out, "</td><td class=\"text\">");
	web_chart_add_time(s->last_ns, out);
	buf_addz(out, "</td><td class=\"text\">");
	if (v->last[i].text) {
		web_add_name(out, v->last[i].text);
		buf_addz(out, "<br>");
		web_chart_add_time(v->last[i].time_ns, out);
	}
	buf_addz(out, "</td><td class=\"text wide\">");
	for (size_t k = 0; k < s->n_labels; k++)
		store_start_add_label(&s->label[k], out);
	buf_addz(out, "</td></tr>\n");
}

int web_store_add_services(const struct web_page *page, const struct web_choice *c, const struct stored_catalogue *all,
			   struct buf *out, struct err *err)
{
	bool is_chosen = *url_params_get(page->params, "service") != '\0';
	struct store_start_verdicts v = { all, page->mem, NULL };
	int rc;

	v.last = arena_zalloc(page->mem, all->n, sizeof(*v.last));
	rc = stored_choice_marks(&c->place, &(struct stored_choice){ .t0 = INT64_MIN, .t1 = INT64_MAX },
				 store_start_note_mark, &v, err);
	if (rc < 0)
		return rc;

	buf_addf(
		out,
		"<details class=\"services\"%s><summary>%zu service%s</summary><div class=\"scroll\"><table><thead><tr>"
		"<th scope=\"col\" class=\"text\">service</th><th scope=\"col\" class=\"text\">kinds</th>"
		"<th scope=\"col\">profiles</th><th scope=\"col\" class=\"text\">last profile</th>"
		"<th scope=\"col\" class=\"text\">last verdict of cpa watch</th>"
		"<th scope=\"col\" class=\"text wide\">labels</th></tr></thead>\n<tbody>\n",
		is_chosen ? "" : " open", all->n, all->n == 1 ? "" : "s");
	for (size_t i = 0; i < all->n && i < SERVICES_SHOWN; i++)
		store_start_add_service(c, &v, i, out);
	buf_addz(out, "</tbody></table></div>\n");
	if (all->n > SERVICES_SHOWN)
		buf_addf(out, "<p>%zu more; the list “service” has all.</p>\n", all->n - SERVICES_SHOWN);
	buf_addz(out, "</details>\n");
	return 0;
}

/* --- comparisons --- */

void web_store_add_comparisons(const struct web_choice *c, const char *type, struct buf *out)
{
	const int64_t span = c->window.t1 - c->window.t0;
	const struct {
		const char *text;
		int64_t t0, t1;
	} times[] = { { "the time before it", c->window.t0 - span, c->window.t0 },
		      { "all of the chart before it", c->choice.t0, c->window.t0 },
		      { "a day before", c->window.t0 - NS_PER_DAY, c->window.t1 - NS_PER_DAY },
		      { "a week before", c->window.t0 - NS_PER_WEEK, c->window.t1 - NS_PER_WEEK } };
	size_t n = 0;

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		struct url_params *link;

		if (times[i].t1 <= c->service->first_ns || times[i].t0 >= times[i].t1 || times[i].t1 > c->window.t0 ||
		    times[i].t0 < 0)
			continue;
		link = web_choice_params(c, type);
		web_choice_set_time(link, "b0", times[i].t0);
		web_choice_set_time(link, "b1", times[i].t1);
		web_choice_set_time(link, "w0", c->window.t0);
		web_choice_set_time(link, "w1", c->window.t1);
		buf_addz(out, n++ ? "" : "<div class=\"pages\"><span>Compare the window with:</span>\n");
		buf_addz(out, "<a class=\"button\" href=\"");
		web_link_end(link, "store", out);
		buf_addf(out, "\">%s</a>\n", times[i].text);
	}
	buf_addz(out, n ? "</div>\n" : "");
}

/* --- totals over time --- */

/*
 * List the steps with profiles that are whole: the first and the last profile of the service are not within them. A value of a
 * delta is that of a profile, since steps do not have the same number of them.
 *
 * start, value  [t->n_steps]
 */
static void store_start_list_steps(const struct web_chart *x, const struct stored_totals *t, uint32_t type,
				   int64_t *start, double *value, struct trend_steps *out)
{
	const struct stored_service *s = x->c->service;

	*out = (struct trend_steps){ .t0 = start, .length_ns = t->step_ns };
	for (uint32_t i = 0; i < t->n_steps; i++) {
		int64_t t0 = t->t0 + i * t->step_ns;
		double total = t->n_groups ? (double)t->group[0].total[type][i] : 0;

		if (t->profiles[i] == 0 || t0 < s->first_ns - t->step_ns / 20 ||
		    t0 + t->step_ns > s->last_ns + t->step_ns / 2)
			continue;
		start[out->n] = t0;
		value[out->n++] =
			t->type[type].temporality == TEMPORALITY_DELTA ? total / (double)t->profiles[i] : total;
	}
}

static void store_start_add_result(const struct web_chart *x, const struct stored_totals *t, uint32_t type,
				   struct buf *out)
{
	int64_t *start = mem_alloc(t->n_steps + (size_t)1, sizeof(*start));
	double *value = mem_alloc(t->n_steps + (size_t)1, sizeof(*value));
	struct over_time result = { .n_steps = 0 };
	struct trend_steps steps;
	struct stored_choice choice = x->c->choice;
	struct buf text = { 0 };

	store_start_list_steps(x, t, type, start, value, &steps);
	if (steps.n > 1) {
		over_time_judge(&steps, value, &result);
		if (result.total.found.kind == STATS_CHANGE_TOO_FEW)
			buf_addf(&text, "%u steps with profiles cannot show a change over time; choose a longer time\n",
				 steps.n);
		else
			over_time_add_text(&result, &text);
		over_time_add_notes(&result, &text);
		buf_addz(out, "<p class=\"lines over-time\">");
		web_add_name(out, t->type[type].name);
		buf_addz(out, t->type[type].temporality == TEMPORALITY_DELTA ? " of a profile\n" : "\n");
		webpage_add_text(out, buf_text(&text), text.len);
		text.len = 0;
		stored_choice_print(&x->c->place, &choice, &text);
		buf_addz(out, "Functions: <code>cpa trend '");
		web_add_name(out, buf_text(&text));
		buf_addz(out, "'</code></p>\n");
	}
	buf_release(&text);
	free(value);
	free(start);
}

int web_store_add_over_time(struct web_page *page, const struct web_chart *chart, struct err *err)
{
	const struct web_choice *c = chart->c;
	const char *name = chart->totals->type[chart->type].name;
	const int64_t span = c->choice.t1 - c->choice.t0;
	struct stored_totals by_day = { 0 };
	int rc;

	if (span < DAYS_MIN * NS_PER_DAY) {
		store_start_add_result(chart, chart->totals, chart->type, &page->main);
		return 0;
	}
	rc = stored_choice_totals(&c->place, &c->choice, span <= DAYS_MAX * NS_PER_DAY ? NS_PER_DAY : NS_PER_WEEK, name,
				  page->stop, &by_day, err);
	if (rc == 0 && by_day.n_types)
		store_start_add_result(chart, &by_day, stored_totals_find(&by_day, name), &page->main);
	stored_totals_release(&by_day);
	return rc;
}

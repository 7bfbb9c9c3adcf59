/*
 * trend.c - functions that grow over the open profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The trend keeps only sums, so the values of the small charts come from the top report of each profile.
 */
#include "config.h"

#include "front/web/pages/compare.h"
#include "front/web/parts/sources.h"
#include "front/web/pages/views.h"
#include "front/web/parts/state.h"

#include "base/mem.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "engine/view.h"
#include "report/top.h"
#include "report/over_time.h"
#include "report/trend.h"
#include "viewers/text/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { N_NARROW = 3 /* columns that a narrow page shows */, ROWS_PER_PAGE = 100, CHART_WIDTH = 96, CHART_HEIGHT = 20 };

struct trend_series {
	struct web_page *page;
	struct query q;
	struct open_profile *profile[WORKSPACE_PROFILES_MAX]; /* [n] oldest first, one reference each */
	size_t n;
	struct trend *trend;
	int64_t *value; /* [rows * n] values of the rows of the report in each profile */
};

/* Insert a profile in the order of time; without times, in the order of the list. Its reference is taken over. */
static int trend_list_one(struct trend_series *s, struct open_profile *o, struct err *err)
{
	size_t at = s->n;

	if (s->n == WORKSPACE_PROFILES_MAX) {
		workspace_put(s->page->web->workspace, o);
		return err_set(
			err, ERR_LIMIT,
			"a trend on a page has at most %d profiles; check some on the page Open profiles, or use cpa "
			"trend",
			WORKSPACE_PROFILES_MAX);
	}
	for (; at > 0 && s->profile[at - 1]->p->meta.time_ns > o->p->meta.time_ns; at--)
		s->profile[at] = s->profile[at - 1];
	s->profile[at] = o;
	s->n++;
	return 0;
}

/* The profiles that the URL names, on both sides. */
static int list_named(struct trend_series *s, struct err *err)
{
	int rc = 0;

	for (int side = N_SIDES; side-- > 0;) {
		const struct web_side *named = &s->page->side[side];

		for (size_t i = 0; rc == 0 && i < named->n; i++) {
			workspace_ref(s->page->web->workspace, named->profile[i]);
			rc = trend_list_one(s, named->profile[i], err);
		}
	}
	return rc;
}

/* All files of the command line, and the profiles that are open besides them. */
static int list_all(struct trend_series *s, struct err *err)
{
	struct web *w = s->page->web;
	struct open_profile *open[WORKSPACE_PROFILES_MAX], *o;
	size_t n = workspace_list(w->workspace, open);
	int rc = 0;

	for (size_t i = 0; i < n; i++) {
		bool is_listed =
			!w->sources.n || (open[i]->origin != OPEN_COMMAND_LINE && open[i]->origin != OPEN_SOURCE);

		if (rc == 0 && is_listed)
			rc = trend_list_one(s, open[i], err);
		else
			workspace_put(w->workspace, open[i]);
	}
	if (rc == 0 && s->n + w->sources.n > WORKSPACE_PROFILES_MAX)
		return err_set(
			err, ERR_LIMIT,
			"a trend on a page has at most %d profiles, but the command line has %zu; check some on the "
			"page Open profiles, or use cpa trend",
			WORKSPACE_PROFILES_MAX, w->sources.n);
	for (size_t i = 0; rc == 0 && i < w->sources.n; i++) {
		rc = web_source_read(w, &w->sources.item[i], s->page->stop, &o, err);
		if (rc == 0) {
			rc = trend_list_one(s, o, err);
		} else if (!stop_is_set(s->page->stop)) {
			buf_addf(&s->page->notes, "left out: %s\n", err->msg);
			rc = 0;
		}
	}
	return rc;
}

static int trend_list_profiles(struct trend_series *s, struct err *err)
{
	const struct web_page *page = s->page;
	size_t n_named = page->side[SIDE_BASE].n + page->side[SIDE_NEW].n;
	bool is_named = *url_params_get(page->params, "prof") || *url_params_get(page->params, "base");

	return is_named && n_named > 1 ? list_named(s, err) : list_all(s, err);
}

/* A sample type, and in how many profiles it is, or is shown first. */
struct shared_type {
	const char *name;
	size_t n_having, n_first;
};

static bool is_shared_more(const struct shared_type *a, const struct shared_type *b)
{
	return a->n_having != b->n_having ? a->n_having > b->n_having : a->n_first > b->n_first;
}

/* The sample type that most profiles have; of several such types, that which most show first, else that of the oldest profile. */
static const char *find_shared_type(const struct trend_series *s)
{
	struct shared_type best = { .name = "" };

	for (size_t i = 0; i < s->n; i++) {
		const struct profile *p = s->profile[i]->p;

		for (uint32_t t = 0; t < p->n_types; t++) {
			struct shared_type type = { .name = profile_text(p, p->type[t].name) };
			uint32_t found, first;

			for (size_t k = 0; k < s->n; k++) {
				const struct profile *other = s->profile[k]->p;

				if (view_find_type(other, type.name, &found, NULL) < 0)
					continue;
				type.n_having++;
				type.n_first += view_find_type(other, "", &first, NULL) == 0 && first == found;
			}
			if (is_shared_more(&type, &best))
				best = type;
		}
	}
	return best.name;
}

/* Remove the profiles without the sample type, and note how many and which. */
static void drop_others(struct trend_series *s, const char *type)
{
	size_t n = 0, n_all = s->n;
	struct buf names = { 0 };

	for (size_t i = 0; i < s->n; i++) {
		uint32_t found;

		if (view_find_type(s->profile[i]->p, type, &found, NULL) == 0) {
			s->profile[n++] = s->profile[i];
			continue;
		}
		buf_addf(&names, "%s%s", names.len ? ", " : "", s->profile[i]->name);
		workspace_put(s->page->web->workspace, s->profile[i]);
	}
	s->n = n;
	if (n < n_all)
		buf_addf(&s->page->notes, "%zu of %zu profiles have no values of %s and are left out: %s\n", n_all - n,
			 n_all, type, buf_text(&names));
	buf_release(&names);
}

static int web_trend_add_profiles(struct trend_series *s, struct err *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < s->n; i++) {
		rc = trend_add(s->trend, s->profile[i]->p, &s->q.filter, NULL, &s->page->answer.notes, err);
		if (rc < 0)
			err_wrap(err, "%s", s->profile[i]->name);
	}
	return rc;
}

static int web_trend_compare_rows(const void *a, const void *b)
{
	const char *const *l = *(const char *const *const *)a, *const *r = *(const char *const *const *)b;

	return strcmp(*l, *r);
}

/* Find the values of a profile for the rows of the report, by name. */
static int fill_values(struct trend_series *s, size_t at, const char **const *by_name, const char *const *name,
		       uint32_t n, struct err *err)
{
	const struct report_type *top = reports_get("top");
	struct answer a = { 0 };
	struct query q = s->q;
	int rc;

	q.nodecount = 0;
	q.nodefraction = 0;
	q.trim = false;
	rc = answer_model(s->profile[at]->p, top, &q, &a, err);
	for (uint32_t row = 0; rc == 0 && row < a.report.table.n_rows; row++) {
		const union cell *cell = a.report.table.cell + (size_t)row * a.report.table.n_cols;
		const char *const key = cell[TOP_NAME].text, *const *wanted = &key;
		const char **const *found =
			n ? bsearch(&wanted, by_name, n, sizeof(*by_name), web_trend_compare_rows) : NULL;

		if (found)
			s->value[(size_t)(*found - (const char **)name) * s->n + at] =
				cell[s->q.sort == SORT_CUM ? TOP_CUM : TOP_FLAT].value;
	}
	answer_release(&a);
	return rc;
}

static int fill_charts(struct trend_series *s, const struct report *r, struct err *err)
{
	uint32_t n = r->table.n_rows;
	const char **name = arena_alloc(s->page->mem, n, sizeof(*name));
	const char ***by_name = arena_alloc(s->page->mem, n, sizeof(*by_name));
	int rc = 0;

	s->value = arena_zalloc(s->page->mem, (size_t)n * s->n, sizeof(*s->value));
	for (uint32_t i = 0; i < n; i++) {
		name[i] = r->table.cell[(size_t)i * r->table.n_cols + TREND_NAME].text;
		by_name[i] = &name[i];
	}
	if (n)
		qsort(by_name, n, sizeof(*by_name), web_trend_compare_rows);
	for (size_t i = 0; rc == 0 && i < s->n; i++)
		rc = fill_values(s, i, (const char **const *)by_name, name, n, err);
	return rc;
}

/* Append a line chart of a row, from 0 to its largest value. */
static void web_trend_add_chart(const struct trend_series *s, uint32_t row, struct buf *out)
{
	const int64_t *v = s->value + (size_t)row * s->n;
	double max = 1;

	for (size_t i = 0; i < s->n; i++)
		max = fmax(max, (double)v[i]);
	buf_addf(out,
		 "<svg class=\"chart\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"%zu values\"><polyline "
		 "points=\"",
		 CHART_WIDTH, CHART_HEIGHT, s->n);
	for (size_t i = 0; i < s->n; i++)
		buf_addf(out, "%s%.1f,%.1f", i ? " " : "",
			 2 + (double)i * (CHART_WIDTH - 4) / (double)(s->n > 1 ? s->n - 1 : 1),
			 CHART_HEIGHT - 2 - fmax(0, (double)v[i]) / max * (CHART_HEIGHT - 4));
	buf_addz(out, "\"/></svg>");
}

/* Append by how much and since when a function changed; empty without a change at one point. */
static void add_since(const struct report *r, uint32_t row, struct buf *out)
{
	const union cell *cell = r->table.cell + (size_t)row * r->table.n_cols;

	if (r->table.n_cols <= TREND_SINCE || !*cell[TREND_SINCE].text)
		return;
	if (isfinite(cell[TREND_SINCE_PCT].real))
		buf_addf(out, "%+.1f%% ", cell[TREND_SINCE_PCT].real);
	buf_addf(out, "since %.10s %.5s", cell[TREND_SINCE].text, cell[TREND_SINCE].text + strlen("2026-11-22T"));
}

static void web_trend_add_row(const struct trend_series *s, const struct report *r, uint32_t row, struct buf *out)
{
	const union cell *cell = r->table.cell + (size_t)row * r->table.n_cols;

	buf_addz(out, "<tr><td>");
	text_compare_add_value(&r->head, cell[TREND_FIRST].value, false, out);
	buf_addz(out, "</td><td>");
	text_compare_add_value(&r->head, cell[TREND_LAST].value, false, out);
	buf_addf(out, "</td><td class=\"%s\">",
		 cell[TREND_DELTA].value > 0   ? "more"
		 : cell[TREND_DELTA].value < 0 ? "less"
					       : "");
	text_compare_add_value(&r->head, cell[TREND_DELTA].value, true, out);
	buf_addz(out, "</td><td class=\"wide\">");
	if (isfinite(cell[TREND_DELTA_PCT].real))
		text_compare_add_percent(cell[TREND_DELTA_PCT].real, out);
	buf_addf(out, "</td><td class=\"wide\">%lld of %zu</td><td class=\"wide\">",
		 (long long)cell[TREND_STEPS_GROWN].value, s->n - 1);
	text_compare_add_value(&r->head, cell[TREND_SLOPE_STEP].value, true, out);
	buf_addz(out, "</td><td class=\"wide\">");
	web_trend_add_chart(s, row, out);
	buf_addz(out, "</td><td class=\"wide\">");
	add_since(r, row, out);
	buf_addz(out, "</td><td class=\"name\">");
	web_diff_add_pivot(s->page, cell[TREND_NAME].text, NULL, out);
	buf_addz(out, "</td></tr>\n");
}

static void add_profile_list(const struct trend_series *s, struct buf *out)
{
	buf_addf(out, "<p>%zu profiles, oldest first:", s->n);
	for (size_t i = 0; i < s->n; i++) {
		buf_addz(out, i ? ", " : " ");
		web_add_name(out, s->profile[i]->name);
	}
	buf_addz(out, "</p>\n");
}

/* Append what the total shows over time, if there are statistics. */
static void add_total(const struct report *r, struct buf *out)
{
	struct buf text = { 0 };

	if (!r->head.compare->time)
		return;
	over_time_add_text(r->head.compare->time, &text);
	buf_addz(out, "<p class=\"lines over-time\">");
	webpage_add_text(out, buf_text(&text), text.len);
	buf_addz(out, "</p>\n");
	buf_release(&text);
}

static void web_trend_add_links(const struct trend_series *s, struct buf *out)
{
	struct url_params *link = web_link_start(s->page);

	url_params_set(link, "all", s->q.all ? "" : "t");
	buf_addf(out, "<p class=\"pages\"><span>%s</span> <a href=\"",
		 s->q.all ? "All functions." : "Functions that grew in each step, or changed over time.");
	web_link_end(link, "trend", out);
	buf_addf(out, "\">%s</a> <a href=\"", s->q.all ? "only those that grew in each step" : "all functions");
	link = web_link_start(s->page);
	url_params_set(link, "sort", s->q.sort == SORT_CUM ? "flat" : "cum");
	web_link_end(link, "trend", out);
	buf_addf(out, "\">%s</a></p>\n",
		 s->q.sort == SORT_CUM ? "values of functions alone (flat)" : "values with their callees (cum)");
}

static void web_trend_add_table(const struct trend_series *s, const struct report *r, struct buf *out)
{
	static const char *const title[] = { "first",   "last",     "change", "of first",
					     "grew in", "per step", "values", "over time" };

	buf_addz(out, "<div class=\"scroll\"><table class=\"report\"><thead><tr>");
	for (size_t i = 0; i < sizeof(title) / sizeof(title[0]); i++)
		buf_addf(out, "<th scope=\"col\"%s>%s</th>", i < N_NARROW ? "" : " class=\"wide\"", title[i]);
	buf_addz(out, "<th scope=\"col\" class=\"name\">function</th></tr></thead>\n<tbody>\n");
	for (uint32_t row = 0; row < r->table.n_rows; row++)
		web_trend_add_row(s, r, row, out);
	buf_addz(out, "</tbody></table></div>\n");
	if (r->table.n_rows == 0)
		buf_addz(out, "<p>No function grew in each step or changed over time.</p>\n");
}

static int web_trend_draw(struct trend_series *s, struct err *err)
{
	struct web_page *page = s->page;
	struct report *r = &page->answer.report;
	struct compare_side first, last;
	int rc;

	s->trend = trend_new();
	rc = web_trend_add_profiles(s, err);
	if (rc < 0)
		return rc;
	side_fill(&first, s->profile[0]->p, &s->profile[0]->loaded.from[SIDE_NEW], 0, page->mem);
	side_fill(&last, s->profile[s->n - 1]->p, &s->profile[s->n - 1]->loaded.from[SIDE_NEW], 0, page->mem);
	report_trend(s->trend, &first, &last, &s->q, r, &page->answer.notes);
	rc = fill_charts(s, r, err);
	if (rc < 0)
		return rc;
	add_profile_list(s, &page->main);
	add_total(r, &page->main);
	web_trend_add_links(s, &page->main);
	web_trend_add_table(s, r, &page->main);
	return 0;
}

/* Without a merged profile, let the links of the page lead to the last file. */
static void link_last(const struct trend_series *s)
{
	const struct web_sources *files = &s->page->web->sources;

	for (size_t i = 0; i < files->n && !s->page->open; i++) {
		struct open_profile *o = web_source_get(s->page->web, &files->item[i]);

		if (o == s->profile[s->n - 1])
			url_params_set(s->page->params, "prof", files->item[i].id);
		workspace_put(s->page->web->workspace, o);
	}
}

static void series_release(struct trend_series *s)
{
	for (size_t i = 0; i < s->n; i++)
		workspace_put(s->page->web->workspace, s->profile[i]);
}

int web_draw_trend(struct web_page *page, struct err *err)
{
	struct trend_series s = { .page = page, .q = page->q };
	const char *type = page->q.sample_index;
	int rc;

	query_apply_defaults(&s.q, &reports_get("trend")->defaults);
	s.q.all |= strcmp(url_params_get(page->params, "all"), "t") == 0;
	if (!*url_params_get(page->params, "n"))
		s.q.nodecount = ROWS_PER_PAGE;
	rc = trend_list_profiles(&s, err);
	if (!*type) {
		type = find_shared_type(&s);
		type = arena_strndup(page->mem, type, strlen(type));
	}
	s.q.sample_index = type;
	if (rc == 0)
		drop_others(&s, type);
	if (rc == 0 && s.n < 2)
		rc = err_set(err, ERR_USAGE,
			     "a trend needs at least two profiles with the same sample type; open more");
	if (rc == 0) {
		link_last(&s);
		rc = web_trend_draw(&s, err);
	}
	report_release(&page->answer.report); /* the report borrows from the trend */
	page->answer.report = (struct report){ 0 };
	trend_free(s.trend);
	series_release(&s);
	return rc;
}

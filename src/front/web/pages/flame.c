/*
 * flame.c - the flame graph: its page, its data, its files
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The page has no boxes: its script requests them from /ui/data/flame, with the query of the page and the width of the
 * window. So the page appears at once, and only boxes that are wide enough to be seen are computed and sent. When the
 * reader zooms, the script requests the boxes below one box (parameter way) that have become wide enough. Callers and
 * callees (/ui/data/pivot), sums of a search (/ui/data/search), and flat and cum of functions are computed here from all
 * stacks, so they do not depend on the boxes that are drawn.
 */
#include "config.h"

#include "front/web/pages/views.h"
#include "front/web/parts/table.h"
#include "front/web/parts/state.h"

#include "answer/flame.h"
#include "base/jsonw.h"
#include "engine/view.h"
#include "report/head.h"
#include "session/expression.h"
#include "viewers/flame/flame.h"
#include "viewers/html/html.h"
#include "front/web/assets/web_parts.h"
#include "front/web/assets/assets.h"

#include <stdlib.h>
#include <string.h>

enum { BOXES_MAX_SENT = 200000, WIDTH_DEFAULT = 1200, WIDTH_MAX = 1 << 24, WAY_MAX = 2000 };

/* Boxes narrower than this number of pixels are omitted. */
static const double min_pixels = 0.5;

/*
 * The query of the flame graph. Like pprof, call_tree is on, trim is off, and functions of different files are
 * different boxes, unless the granularity is given. Comparisons join functions whose files are in different folders, and
 * show files only where names are equal. mean has no effect, because averages cannot be added.
 */
static struct query query_of(const struct web_page *page)
{
	struct query q = page->q;
	bool has_base = page->sides || q.base.n || q.diff_base.n;

	q.call_tree = true;
	q.trim = false;
	q.mean = false;
	q.keep_base = has_base;
	q.icicle = true;
	if (!q.has_granularity && !has_base)
		q.granularity = GRAIN_FILEFUNCTIONS;
	if (!*url_params_get(page->params, "order") && !has_base)
		q.order = "weight";
	if (has_base)
		q.color_by = "package";
	q.theme = "auto";
	return q;
}

static const struct profile *profile_of(const struct web_page *page)
{
	return page->sides ? page->sides : page->p;
}

static const struct side_sources *sources_of(const struct web_page *page)
{
	return page->difference ? page->difference->loaded.from : page->open->loaded.from;
}

/* A number of the URL; the default if it is absent or invalid. */
static int64_t web_flame_read_number(const struct web_page *page, const char *key, int64_t min, int64_t max,
				     int64_t otherwise)
{
	const char *text = url_params_get(page->params, key);
	char *end;
	long long n = strtoll(text, &end, 10);

	return *text && !*end && n >= min && n <= max ? n : otherwise;
}

/* Read a list of places, separated by dots. */
static int read_way(const struct web_page *page, struct flame_part *part, struct err *err)
{
	const char *at = url_params_get(page->params, "way");
	uint32_t *path = arena_alloc(page->mem, WAY_MAX, sizeof(*path));

	part->path = path;
	while (*at) {
		char *end;
		unsigned long place = strtoul(at, &end, 10);

		if (end == at || *at < '0' || *at > '9' || place >= FLAME_NONE || (*end && *end != '.') ||
		    part->n_path == WAY_MAX)
			return err_set(err, ERR_USAGE, "way: not a list of at most %d numbers", WAY_MAX);
		path[part->n_path++] = (uint32_t)place;
		at = end + (*end == '.');
	}
	return 0;
}

/* Read an expression for functions; NULL if the parameter is absent. */
static struct flame_match *read_match(const struct web_page *page, const struct query *q, const char *key)
{
	const char *pattern = url_params_get(page->params, key);
	struct flame_match *m = arena_zalloc(page->mem, 1, sizeof(*m));

	m->pattern = pattern;
	m->omits_files = q->granularity == GRAIN_FILEFUNCTIONS;
	return *pattern ? m : NULL;
}

/* Read the search q: text=t for plain text, fold=t to ignore upper and lower case. NULL if there is none. */
static const struct flame_match *read_search(const struct web_page *page, const struct query *q)
{
	struct flame_match *m = read_match(page, q, "q");
	struct buf pattern = { 0 };

	if (!m)
		return NULL;
	if (strcmp(url_params_get(page->params, "fold"), "t") == 0)
		buf_addz(&pattern, "(?i)");
	if (strcmp(url_params_get(page->params, "text"), "t") == 0)
		expression_add_literal(m->pattern, strlen(m->pattern), "", &pattern);
	else
		buf_addz(&pattern, m->pattern);
	m->pattern = arena_strndup(page->mem, buf_text(&pattern), pattern.len);
	buf_release(&pattern);
	return m;
}

/* The search, if a parameter is set: only shows only stacks with a match, keep shows all matches, however narrow. */
static const struct flame_match *read_search_if(const struct web_page *page, const struct query *q, const char *key)
{
	return strcmp(url_params_get(page->params, key), "t") == 0 ? read_search(page, q) : NULL;
}

/* Compute a part of the flame graph for the width that the URL requests, and append its data. */
static int web_flame_add_data(struct web_page *page, const struct view *v, const struct query *q,
			      struct flame_part *part, struct buf *out, struct err *err)
{
	struct flame_style style;
	struct flame_layout l;
	struct report r;
	int64_t width = web_flame_read_number(page, "width", 1, WIDTH_MAX, WIDTH_DEFAULT);
	int rc;

	part->min_share = min_pixels / (double)width;
	part->max_levels = (uint32_t)web_flame_read_number(page, "levels", 1, INT32_MAX, 0);
	part->only = read_search_if(page, q, "only");
	part->keep = read_search_if(page, q, "keep");
	rc = answer_flame_part(v, sources_of(page), q, part, &style, &r, err);
	if (rc < 0)
		return rc;
	style.min_width = min_pixels;
	flame_lay_out(r.flame, &style, r.mem, &l);
	rc = stop_check(page->stop, err);
	if (rc == 0)
		html_flame_add_data(&r, &l, &style,
				    &(struct html_flame_more){ .omits_files = q->granularity == GRAIN_FILEFUNCTIONS },
				    out);
	report_release(&r);
	return rc;
}

/* Make the view of a request for data, which has no file extensions. */
static int make_data_view(struct web_page *page, const char *ext, const struct query *q, struct view *v,
			  struct http_response *out, struct err *err)
{
	if (*ext)
		return err_set(err, ERR_USAGE, "unknown format %.20s", ext);
	out->type = "application/json";
	return view_make(profile_of(page), &q->filter, page->mem, v, &page->notes, err);
}

int web_send_flame_data(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	struct flame_part part = { .max_boxes = BOXES_MAX_SENT, .wants_functions = true };
	struct query q = query_of(page);
	struct view v;
	int rc = make_data_view(page, ext, &q, &v, out, err);

	if (rc == 0)
		rc = read_way(page, &part, err);
	return rc < 0 ? rc : web_flame_add_data(page, &v, &q, &part, &out->body, err);
}

int web_send_flame_pivot(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	struct flame_part part = { .max_boxes = BOXES_MAX_SENT / 2, .part = FLAME_CALLEES };
	struct query q = query_of(page);
	struct flame_match *pivot = read_match(page, &q, "p");
	struct view v;
	int rc = make_data_view(page, ext, &q, &v, out, err);

	if (rc == 0 && !pivot)
		rc = err_set(err, ERR_USAGE, "p: an expression for functions is missing");
	if (rc < 0)
		return rc;
	pivot->with_files = true;
	part.pivot = pivot;
	buf_addz(&out->body, "{\"callees\":");
	rc = web_flame_add_data(page, &v, &q, &part, &out->body, err);
	buf_addz(&out->body, ",\"callers\":");
	part.part = FLAME_CALLERS;
	if (rc == 0)
		rc = web_flame_add_data(page, &v, &q, &part, &out->body, err);
	buf_addz(&out->body, "}");
	return rc;
}

/* The values of both sides, in the order of the data of the page: the new one first. */
static void web_flame_add_values(struct json *j, const char *key, const int64_t value[N_SIDES])
{
	jsonw_key(j, key);
	jsonw_open(j, '[');
	jsonw_int(j, value[SIDE_NEW]);
	jsonw_int(j, value[SIDE_BASE]);
	jsonw_close(j, ']');
}

int web_send_flame_search(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	struct json j = { .out = &out->body, .is_one_line = true };
	struct query q = query_of(page);
	const struct flame_match *match = read_search(page, &q);
	struct flame_sums sums;
	struct view v;
	int rc = make_data_view(page, ext, &q, &v, out, err);

	if (rc == 0 && !match)
		rc = err_set(err, ERR_USAGE, "q: an expression for functions is missing");
	if (rc == 0)
		rc = report_flame_search(&v, &q, match, page->mem, &sums, err);
	if (rc < 0)
		return rc;
	jsonw_open(&j, '{');
	web_flame_add_values(&j, "flat", sums.flat);
	web_flame_add_values(&j, "cum", sums.cum);
	jsonw_key(&j, "places");
	jsonw_open(&j, '[');
	for (uint32_t i = 0; i < sums.n; i++)
		jsonw_int(&j, sums.place[i]);
	jsonw_close(&j, ']');
	jsonw_close(&j, '}');
	return 0;
}

/* Content types of the files. */
static const char *const file_types[][2] = {
	{ "svg", "image/svg+xml; charset=utf-8" },
	{ "pdf", "application/pdf" },
	{ "png", "image/png" },
	{ "html", "text/html; charset=utf-8" },
	{ "folded", "text/plain; charset=utf-8" },
	{ "json", "application/json" },
};

int web_send_flame_file(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	struct query q = query_of(page);
	int rc;

	for (size_t i = 0; i < sizeof(file_types) / sizeof(file_types[0]); i++)
		if (strcmp(file_types[i][0], ext) == 0)
			out->type = file_types[i][1];
	if (!out->type)
		return err_set(err, ERR_USAGE, "unknown format %.20s", ext);
	if (strcmp(ext, "folded") == 0 || strcmp(ext, "json") == 0)
		q = page->q;
	q.format = ext;
	q.granularity = page->q.granularity;
	q.width = web_flame_read_number(page, "width", 100, 30000, q.width);
	q.theme = url_params_get(page->params, "theme");
	q.theme = *q.theme ? q.theme : page->q.theme;
	rc = answer_check(reports_get("flame"), &q, err);
	if (rc == 0)
		rc = answer_make(profile_of(page), reports_get("flame"), &q, sources_of(page), false, &page->answer,
				 err);
	if (rc == 0)
		buf_add(&out->body, buf_text(&page->answer.text), page->answer.text.len);
	return rc;
}

/* The sum of the samples that pass the filters. */
static int64_t web_flame_sum_of(const struct view *v)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < v->n; i++)
		sum += v->val[i];
	return sum;
}

static bool web_flame_has_value(const struct view *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		if (v->val[i])
			return true;
	return false;
}

/* Make the head of the report, for the title, the legend and the messages of the page. */
static int make_head(struct web_page *page, const struct query *q, struct err *err)
{
	struct answer *a = &page->answer;
	struct query of_page = *q;
	struct view v;
	int rc;

	of_page.mean = page->q.mean;
	a->mem = arena_new();
	rc = view_make(page->p, &of_page.filter, a->mem, &v, &a->notes, err);
	if (rc < 0)
		return rc;
	report_head_fill(&a->report.head, &v, &of_page, a->mem);
	a->report.head.shown = v.mean ? v.total : web_flame_sum_of(&v);
	a->is_empty = !page->sides && !web_flame_has_value(&v);
	return 0;
}

/* A picture and a table for readers without scripts. */
static int web_flame_add_plain(struct web_page *page, const struct query *q, struct err *err)
{
	struct flame_part part = { .min_share = 1.0 / WIDTH_DEFAULT, .max_boxes = 10000 };
	struct buf *out = &page->main;
	struct flame_style style;
	struct report r;
	struct view v;
	int rc = view_make(profile_of(page), &q->filter, page->mem, &v, &page->notes, err);

	if (rc == 0)
		rc = answer_flame_part(&v, sources_of(page), q, &part, &style, &r, err);
	if (rc < 0)
		return rc;
	buf_addz(out, "<p><img class=\"flame\" alt=\"Flame graph; the table below has its functions\" src=\"");
	web_link_end(web_link_start(page), "flamegraph.svg", out);
	buf_addz(out, "\"></p>\n");
	html_flame_add_table(&r, out);
	report_release(&r);
	return 0;
}

static const char body_text[] = WEB_FLAME_BODY;

static void web_flame_add_script(struct web_page *page)
{
	struct buf *out = &page->main;
	struct url_params *link = web_link_start(page);

	buf_addz(out, "<p id=\"wait\" role=\"status\"></p>\n");
	buf_addf(out, "<div id=\"flame\" data-inv=\"%s\" data-prof=\"%s\" data-base=\"%s\" hidden>\n",
		 settings_query(page->web->settings)->inverted ? "t" : "f", workspace_id(page->open),
		 page->sides || page->q.base.n || page->q.diff_base.n ? "t" : "f");
	buf_addz(out, body_text);
	buf_addz(out, "<div id=\"notes\"><p id=\"gate\"></p><p id=\"note\"></p><p "
		      "id=\"drawn\"></p></div>\n</div>\n<noscript><p>The "
		      "interactive flame graph needs "
		      "JavaScript. <a href=\"");
	url_params_set(link, "plain", "t");
	web_link_end(link, "flamegraph", out);
	buf_addz(out,
		 "\">Show it as a picture and a table</a></p>\n<p><img class=\"flame\" alt=\"Flame graph\" src=\"");
	web_link_end(web_link_start(page), "flamegraph.svg", out);
	buf_addz(out, "\"></p></noscript>\n<script defer src=\"");
	web_asset_add_url("flame.js", out);
	buf_addz(out, "\"></script>\n");
}

int web_draw_flame(struct web_page *page, struct err *err)
{
	struct query q = query_of(page);
	int rc = make_head(page, &q, err);

	if (rc < 0)
		return rc;
	if (page->q.mean)
		buf_addz(&page->notes, "mean does not apply to flame graphs, because averages cannot be added\n");
	buf_addz(&page->main, "<link rel=\"stylesheet\" href=\"");
	web_asset_add_url("flame.css", &page->main);
	buf_addz(&page->main, "\">\n");
	if (strcmp(url_params_get(page->params, "plain"), "t") == 0)
		return web_flame_add_plain(page, &q, err);
	if (page->answer.is_empty)
		web_add_empty(page, &page->main);
	else
		web_flame_add_script(page);
	return 0;
}

/*
 * diff.c - before, after and change of each function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/web/compare.h"
#include "viewers/web/verdicts.h"
#include "viewers/web/views.h"
#include "viewers/web/web_int.h"

#include "base/unit.h"
#include "report/diff.h"
#include "report/side.h"
#include "session/expression.h"
#include "viewers/html/html.h"
#include "viewers/text/compare.h"

#include <math.h>
#include <string.h>

enum { ROWS_PER_PAGE = 200, VERDICT_ROWS_MAX = 200000 };

const char *web_scale(const struct web_page *page)
{
	const char *scale = url_params_get(page->params, "scale");

	return *scale ? scale : page->q.normalize;
}

void web_add_pivot(const struct web_page *page, const char *name, const char *pattern, struct buf *out)
{
	struct url_params *link = web_link_start(page);
	struct buf own = { 0 };

	if (!pattern)
		expression_add_name(name, "", &own);
	url_params_set(link, "p", pattern ? pattern : buf_text(&own));
	buf_addz(out, "<a href=\"");
	web_link_end(link, "flamegraph", out);
	buf_addz(out, "\">");
	web_add_name(out, name);
	buf_addz(out, "</a>");
	buf_release(&own);
}

static void add_side(const struct web_page *page, enum side side, struct buf *out)
{
	const struct open_profile *o = side == SIDE_BASE ? page->base : page->open;
	struct compare_side facts;

	side_fill(&facts, o->p, &o->loaded.from[SIDE_TARGET], 0, page->mem);
	buf_addf(out, "<dt>%s</dt><dd>", side == SIDE_BASE ? "BEFORE" : "AFTER");
	web_add_name(out, o->name);
	if (o->p->meta.time_ns) {
		buf_addz(out, ", ");
		web_add_time(o->p->meta.time_ns, out);
		buf_addz(out, " UTC");
	}
	if (o->p->meta.duration_ns > 0) {
		buf_addz(out, ", ");
		unit_add_label(out, o->p->meta.duration_ns, "ns", "auto");
	}
	if (*facts.host) {
		buf_addz(out, ", host ");
		web_add_name(out, facts.host);
	}
	buf_addz(out, ", total ");
	web_add_total(o->p, out);
	buf_addz(out, "</dd>\n");
}

/* Append a link that exchanges the two sides. */
static void add_swap(const struct web_page *page, struct buf *out)
{
	struct url_params *link = web_link_start(page);

	web_link_set_side(link, "prof", &page->side[SIDE_BASE]);
	web_link_set_side(link, "base", &page->side[SIDE_TARGET]);
	buf_addz(out, "<a href=\"");
	web_link_end(link, page->view->path, out);
	buf_addz(out, "\">swap</a>\n");
}

static void add_scale(const struct web_page *page, const char *value, const char *title, struct buf *out)
{
	struct url_params *link = web_link_start(page);
	const char *scale = web_scale(page);
	bool is_current = strcmp(*scale ? scale : "none", value) == 0;

	url_params_set(link, "scale", value);
	buf_addf(out, "<a%s href=\"", is_current ? " aria-current=\"true\"" : "");
	web_link_end(link, page->view->path, out);
	buf_addf(out, "\">%s</a>\n", title);
}

/* Append a link to the same comparison in another view. */
static void add_view(const struct web_page *page, const char *path, const char *title, struct buf *out)
{
	if (strcmp(page->view->path, path) == 0)
		return;
	buf_addz(out, "<a href=\"");
	web_link_end(web_link_start(page), path, out);
	buf_addf(out, "\">%s</a>\n", title);
}

static void add_links(const struct web_page *page, struct buf *out)
{
	bool is_open = page->side[SIDE_BASE].n > 0 && *url_params_get(page->params, "base");

	buf_addz(out, "<p class=\"pages\">");
	if (is_open)
		add_swap(page, out);
	add_view(page, "flamegraph", "flame graph", out);
	add_view(page, "diff", "table", out);
	add_view(page, "gate", "gate", out);
	if (strcmp(page->view->path, "diff") == 0) {
		buf_addz(out, "<span>scale:</span> ");
		add_scale(page, "none", "none", out);
		add_scale(page, "total", "equal totals", out);
		add_scale(page, "duration", "durations", out);
	}
	buf_addz(out, "</p>\n");
}

static void add_build_ids(const struct web_page *page, struct buf *out)
{
	struct compare_side a, b;

	side_fill(&a, page->base->p, &page->base->loaded.from[SIDE_TARGET], 0, page->mem);
	side_fill(&b, page->open->p, &page->open->loaded.from[SIDE_TARGET], 0, page->mem);
	if (*a.build_id && *b.build_id && strcmp(a.build_id, b.build_id) != 0)
		buf_addz(out, "build IDs differ: the sides are different builds of the program\n");
}

static void add_warnings(const struct web_page *page, struct buf *out)
{
	const char *scale = web_scale(page);
	struct buf notes = { 0 };

	/* the gate has its own warnings, and does not need equal durations */
	if (strcmp(page->view->path, "gate") != 0)
		side_warn(page->base->p, page->open->p, *scale && strcmp(scale, "none") != 0, &notes);
	add_build_ids(page, &notes);
	if (notes.len) {
		buf_addz(out, "<p class=\"faint lines\">");
		html_add(out, buf_text(&notes), notes.len);
		buf_addz(out, "</p>\n");
	}
	buf_release(&notes);
}

void web_add_compare_head(const struct web_page *page, struct buf *out)
{
	buf_addz(out, "<div class=\"about\"><dl>");
	add_side(page, SIDE_BASE, out);
	add_side(page, SIDE_TARGET, out);
	buf_addz(out, "</dl></div>\n");
	add_links(page, out);
	add_warnings(page, out);
}

/* ---- the table ---- */

static const char *state_sign(const char *state)
{
	return strcmp(state, "same") == 0 ? "=" : state;
}

/* The unit comes from the profile. */
static void add_escaped(const struct head *h, int64_t value, bool with_sign, struct buf *out)
{
	struct buf text = { 0 };

	text_compare_add_value(h, value, with_sign, &text);
	html_add_name(out, buf_text(&text));
	buf_release(&text);
}

static void add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out)
{
	buf_addz(out, "<td>");
	add_escaped(h, value, with_sign, out);
	buf_addz(out, "</td>");
}

static void add_verdict_cell(const struct gate *g, const struct gate_row *v, struct buf *out)
{
	buf_addz(out, "<td class=\"text\">");
	if (v)
		web_add_verdict(v, out);
	else if (g)
		buf_addz(out, "<span class=\"faint\">not tested</span>");
	buf_addz(out, "</td>");
}

/* Is the chosen value 0 before and after? Such rows are in the report because the other value, flat or cum, changed. */
static bool is_zero_row(const struct report *r, uint32_t row)
{
	const union cell *cell = r->table.cell + (size_t)row * r->table.n_cols;

	if (r->head.compare->by_cum)
		cell += DIFF_CUM_STATE - DIFF_STATE;
	return cell[DIFF_BEFORE].value == 0 && cell[DIFF_AFTER].value == 0;
}

static void add_row(const struct web_page *page, const struct report *r, uint32_t row, const struct gate *g,
		    struct buf *out)
{
	const union cell *name = r->table.cell + (size_t)row * r->table.n_cols, *main = name;
	const struct compare *c = r->head.compare;
	const char *class;

	if (c->by_cum)
		main += DIFF_CUM_STATE - DIFF_STATE;
	class = main[DIFF_DELTA].value > 0 ? "more" : main[DIFF_DELTA].value < 0 ? "less" : "faint";
	buf_addz(out, "<tr>");
	add_value(&r->head, main[DIFF_BEFORE].value, false, out);
	add_value(&r->head, main[DIFF_AFTER].value, false, out);
	buf_addf(out, "<td class=\"%s\">", class);
	add_escaped(&r->head, main[DIFF_DELTA].value, true, out);
	buf_addz(out, "</td><td>");
	if (isfinite(main[DIFF_DELTA_PCT].real))
		text_compare_add_percent(main[DIFF_DELTA_PCT].real, out);
	buf_addf(out, "</td><td class=\"text\">%s</td>", state_sign(main[DIFF_STATE].text));
	if (g)
		add_verdict_cell(g, web_find_verdict(g, name[DIFF_NAME].text, name[DIFF_FILE].text, c->by_cum), out);
	buf_addz(out, "<td class=\"name\">");
	web_add_pivot(page, name[DIFF_NAME].text, NULL, out);
	buf_addz(out, "</td></tr>\n");
}

static void add_sort_head(const struct web_page *page, bool by_cum, struct buf *out)
{
	struct url_params *link = web_link_start(page);

	url_params_set(link, "sort", by_cum ? "flat" : "cum");
	buf_addf(out, "<p class=\"pages\"><span>Values of %s.</span> <a href=\"",
		 by_cum ? "functions with their callees (cum)" : "functions alone (flat)");
	web_link_end(link, "diff", out);
	buf_addf(out, "\">%s</a></p>\n", by_cum ? "functions alone (flat)" : "with callees (cum)");
}

static void add_heads(bool has_verdicts, struct buf *out)
{
	static const char *const title[] = { "before", "after", "change", "of before", "state", "verdict", "function" };

	buf_addz(out, "<div class=\"scroll\"><table class=\"report\"><thead><tr>");
	for (size_t i = 0; i < sizeof(title) / sizeof(title[0]); i++)
		if (i != 5 || has_verdicts)
			buf_addf(out, "<th scope=\"col\"%s>%s</th>",
				 i == 6   ? " class=\"name\""
				 : i >= 4 ? " class=\"text\""
					  : "",
				 title[i]);
	buf_addz(out, "</tr></thead>\n<tbody>\n");
}

/* n_zero: the number of rows that are left out because their values are 0 */
static void add_all_link(const struct web_page *page, const struct report *r, uint32_t n_zero, struct buf *out)
{
	struct url_params *link;

	buf_addf(out, "<p class=\"pages\"><span>%u of ", r->table.n_rows - n_zero);
	unit_add_count(out, (uint64_t)r->table.n_rows + r->head.compare->n_omitted);
	buf_addz(out, " functions");
	if (n_zero)
		buf_addf(out, "; %u others have no %s value", n_zero, r->head.compare->by_cum ? "cum" : "flat");
	buf_addz(out, "</span>\n");
	if (r->head.compare->n_omitted) {
		link = web_link_start(page);
		url_params_set(link, "n", "0");
		url_params_set(link, "nf", "0");
		buf_addz(out, "<a href=\"");
		web_link_end(link, "diff", out);
		buf_addz(out, "\">show all</a>\n");
	}
	buf_addz(out, "</p>\n");
}

static void add_renames(const struct compare *c, struct buf *out)
{
	for (uint32_t i = 0; i < c->n_renames; i++) {
		buf_addz(out, "<p>Renamed? ");
		web_add_name(out, c->rename[i].from);
		buf_addz(out, " → ");
		web_add_name(out, c->rename[i].to);
		buf_addz(out, "</p>\n");
	}
}

static void add_total(const struct report *r, struct buf *out)
{
	buf_addz(out, "<p>");
	text_compare_add_total(&r->head, out);
	buf_addf(out, "; functions of both sides have %.1f%% of before and %.1f%% of after.</p>\n",
		 r->head.compare->matched_before, r->head.compare->matched_after);
}

/* Compute the verdicts, unless that takes long or they are not wanted. Errors become a line of the page. */
static const struct gate *get_verdicts(struct web_page *page, struct buf *out)
{
	const char *wanted = url_params_get(page->params, "verdicts");
	uint64_t n = (uint64_t)page->base->p->n_rows + page->open->p->n_rows;
	const struct gate *g = NULL;
	struct url_params *link;
	struct err err;

	if (strcmp(wanted, "f") == 0)
		return NULL;
	if (!*wanted && n > VERDICT_ROWS_MAX) {
		link = web_link_start(page);
		url_params_set(link, "verdicts", "t");
		buf_addz(out, "<p><a href=\"");
		web_link_end(link, "diff", out);
		buf_addz(out, "\">Compute the verdicts</a>, which can take a minute for profiles of this size.</p>\n");
		return NULL;
	}
	buf_addz(out, "<p>Gate: ");
	if (web_get_gate(page, &g, &err) < 0)
		html_add_name(out, err.msg);
	else
		web_add_outcome(g, out);
	buf_addz(out, " <a href=\"");
	web_link_end(web_link_start(page), "gate", out);
	buf_addz(out, "\">why?</a></p>\n");
	return g;
}

static int make_report(struct web_page *page, struct err *err)
{
	const struct profile *const p[N_SIDES] = { [SIDE_BASE] = page->base->p, [SIDE_TARGET] = page->open->p };
	const struct side_sources from[N_SIDES] = {
		[SIDE_BASE] = page->base->loaded.from[SIDE_TARGET], [SIDE_TARGET] = page->open->loaded.from[SIDE_TARGET]
	};
	struct query q = page->q;

	q.normalize = web_scale(page);
	query_apply_defaults(&q, &reports_get("diff")->defaults);
	if (!*url_params_get(page->params, "n"))
		q.nodecount = ROWS_PER_PAGE;
	return report_diff(p, from, &q, &page->answer.report, &page->answer.notes, err);
}

int web_draw_diff(struct web_page *page, struct err *err)
{
	const struct report *r = &page->answer.report;
	struct buf *out = &page->main;
	const struct gate *g;
	uint32_t n_zero = 0;
	int rc;

	if (!page->base)
		return err_set(err, ERR_USAGE,
			       "there is no profile to compare with; choose one on the page Open profiles");
	rc = make_report(page, err);
	if (rc < 0)
		return rc;
	web_add_compare_head(page, out);
	add_total(r, out);
	g = get_verdicts(page, out);
	add_sort_head(page, r->head.compare->by_cum, out);
	add_heads(g != NULL, out);
	for (uint32_t row = 0; row < r->table.n_rows; row++) {
		if (is_zero_row(r, row))
			n_zero++;
		else
			add_row(page, r, row, g, out);
	}
	buf_addz(out, "</tbody></table></div>\n");
	add_all_link(page, r, n_zero, out);
	add_renames(r->head.compare, out);
	web_put_gate(page, g);
	return 0;
}

/*
 * diff.c - before, after and change of each function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/compare.h"
#include "front/web/parts/table.h"
#include "front/web/parts/verdicts.h"
#include "front/web/pages/views.h"
#include "front/web/parts/state.h"

#include "base/unit.h"
#include "base/webpage.h"
#include "report/diff.h"
#include "report/side.h"
#include "session/expression.h"
#include "viewers/text/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { VERDICT_ROWS_MAX = 200000 };

void web_diff_add_pivot(const struct web_page *page, const char *name, const char *pattern, struct buf *out)
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

static void web_diff_add_side(const struct web_page *page, enum side side, struct buf *out)
{
	const struct open_profile *o = side == SIDE_BASE ? page->base : page->open;
	struct compare_side facts;

	side_fill(&facts, o->p, &o->loaded.from[SIDE_NEW], 0, page->mem);
	buf_addf(out, "<dt>%s</dt><dd>", side == SIDE_BASE ? "before" : "after");
	web_add_name(out, o->name);
	if (o->p->meta.time_ns) {
		buf_addz(out, ", ");
		web_compare_add_time(o->p->meta.time_ns, out);
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
	buf_addz(out, "</dd>\n");
}

/* Append a link that exchanges the two sides. */
static void add_swap(const struct web_page *page, struct buf *out)
{
	struct url_params *link = web_link_start(page);

	web_link_set_side(link, "prof", &page->side[SIDE_BASE]);
	web_link_set_side(link, "base", &page->side[SIDE_NEW]);
	buf_addz(out, "<a href=\"");
	web_link_end(link, page->view->path, out);
	buf_addz(out, "\">swap</a>\n");
}

static void web_diff_add_scale(const struct web_page *page, const char *value, const char *title, struct buf *out)
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

static void web_diff_add_links(const struct web_page *page, struct buf *out)
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
		web_diff_add_scale(page, "none", "none", out);
		web_diff_add_scale(page, "total", "equal totals", out);
		web_diff_add_scale(page, "duration", "durations", out);
	}
	buf_addz(out, "</p>\n");
}

static void add_build_ids(const struct web_page *page, struct buf *out)
{
	struct compare_side a, b;

	side_fill(&a, page->base->p, &page->base->loaded.from[SIDE_NEW], 0, page->mem);
	side_fill(&b, page->open->p, &page->open->loaded.from[SIDE_NEW], 0, page->mem);
	if (*a.build_id && *b.build_id && strcmp(a.build_id, b.build_id) != 0)
		buf_addz(out, "build IDs differ: the sides are different builds of the program\n");
}

static void web_diff_add_warnings(const struct web_page *page, struct buf *out)
{
	const char *scale = web_scale(page);
	struct buf notes = { 0 };

	/* the gate has its own warnings, and does not need equal durations */
	if (strcmp(page->view->path, "gate") != 0)
		side_warn(page->base->p, page->open->p, *scale && strcmp(scale, "none") != 0, &notes);
	add_build_ids(page, &notes);
	if (notes.len) {
		buf_addz(out, "<p class=\"faint lines\">");
		webpage_add_text(out, buf_text(&notes), notes.len);
		buf_addz(out, "</p>\n");
	}
	buf_release(&notes);
}

void web_compare_add_head(const struct web_page *page, struct buf *out)
{
	buf_addz(out, "<dl class=\"sides\">");
	web_diff_add_side(page, SIDE_BASE, out);
	web_diff_add_side(page, SIDE_NEW, out);
	buf_addz(out, "</dl>\n");
	web_diff_add_links(page, out);
	web_diff_add_warnings(page, out);
}

/* ---- the table ---- */

static const char *state_sign(const char *state)
{
	return strcmp(state, "same") == 0 ? "=" : state;
}

/* The unit comes from the profile. */
static void web_diff_add_escaped(const struct head *h, int64_t value, bool with_sign, struct buf *out)
{
	struct buf text = { 0 };

	text_compare_add_value(h, value, with_sign, &text);
	webpage_add_name(out, buf_text(&text));
	buf_release(&text);
}

enum { COL_NAME, COL_BEFORE, COL_AFTER, COL_CHANGE, COL_PERCENT, COL_STATE, COL_VERDICT, N_COLS };

static const struct web_column columns[N_COLS] = {
	[COL_NAME] = { "name", "function", "name" },        [COL_BEFORE] = { "before", "before", NULL },
	[COL_AFTER] = { "after", "after", NULL },           [COL_CHANGE] = { "change", "change", NULL },
	[COL_PERCENT] = { "percent", "of before", "wide" }, [COL_STATE] = { "state", "state", "text wide" },
	[COL_VERDICT] = { "verdict", "verdict", "text" },
};

struct diff_page {
	struct web_page *page;
	const struct report *r;
	const struct gate *gate; /* NULL without verdicts */
	struct web_order order;
	struct web_row_links *links;
};

/* The cells of the chosen value, flat or cum: columns DIFF_STATE and following. */
static const union cell *diff_cells(const struct report *r, uint32_t row)
{
	const union cell *cell = r->table.cell + (size_t)row * r->table.n_cols;

	return r->head.compare->by_cum ? cell + DIFF_CUM_STATE - DIFF_STATE : cell;
}

static const struct gate_row *diff_verdict(const struct diff_page *x, uint32_t row)
{
	const union cell *name = x->r->table.cell + (size_t)row * x->r->table.n_cols;

	return web_find_verdict(x->gate, name[DIFF_NAME].text, name[DIFF_FILE].text, x->r->head.compare->by_cum);
}

/* The number by which a column sorts a row: sizes of changes, and the first verdict as the largest. */
static double diff_number(const struct diff_page *x, uint32_t row, size_t col)
{
	static const char *const states[] = { "same", "shrank", "grew", "gone", "new" };
	const union cell *cell = diff_cells(x->r, row);
	const struct gate_row *v;
	double state = 0;

	switch (col) {
	case COL_BEFORE:
		return (double)cell[DIFF_BEFORE].value;
	case COL_AFTER:
		return (double)cell[DIFF_AFTER].value;
	case COL_PERCENT:
		return fabs(cell[DIFF_DELTA_PCT].real);
	case COL_STATE:
		while (strcmp(states[(size_t)state], cell[DIFF_STATE].text) != 0)
			state++;
		return state;
	case COL_VERDICT:
		v = diff_verdict(x, row);
		return v ? N_GATE_VERDICTS - v->verdict : NAN;
	default:
		return NAN;
	}
}

static void diff_add_value(const struct diff_page *x, uint32_t row, size_t col, int64_t value, struct buf *out)
{
	web_order_add_cell(NULL, diff_number(x, row, col), out);
	web_diff_add_escaped(&x->r->head, value, false, out);
	buf_addz(out, "</td>");
}

static void diff_add_verdict(const struct diff_page *x, uint32_t row, struct buf *out)
{
	const struct gate_row *v = diff_verdict(x, row);

	web_order_add_cell("text", v ? N_GATE_VERDICTS - v->verdict : NAN, out);
	if (v)
		web_gate_add_verdict(v, out);
	else
		buf_addz(out, "<span class=\"faint\">not tested</span>");
	buf_addz(out, "</td>");
}

/* Is the chosen value 0 before and after? Such rows are in the report because the other value, flat or cum, changed. */
static bool is_zero_row(const struct report *r, uint32_t row)
{
	const union cell *cell = diff_cells(r, row);

	return cell[DIFF_BEFORE].value == 0 && cell[DIFF_AFTER].value == 0;
}

static void diff_add_name(const struct diff_page *x, uint32_t row, bool has_menus, struct buf *out)
{
	const char *name = x->r->table.cell[(size_t)row * x->r->table.n_cols + DIFF_NAME].text;
	const struct row_place place = { .function = name, .file = "", .binary = "" };

	buf_addz(out, "<tr");
	web_add_name_attribute(out, name);
	buf_addz(out, "><td class=\"name\"><div class=\"line\"><span class=\"end\">");
	web_row_links_add_name(x->links, &place, x->r->head.compare->label[row], out);
	buf_addz(out, "</span>");
	if (has_menus)
		web_row_links_add_menu(x->links, &place, name, out);
	buf_addz(out, "</div></td>");
}

static void diff_add_row(const struct diff_page *x, uint32_t row, bool has_menus, struct buf *out)
{
	const union cell *cell = diff_cells(x->r, row);
	int64_t by = cell[DIFF_DELTA].value;

	diff_add_name(x, row, has_menus, out);
	diff_add_value(x, row, COL_BEFORE, cell[DIFF_BEFORE].value, out);
	diff_add_value(x, row, COL_AFTER, cell[DIFF_AFTER].value, out);
	buf_addf(out, "<td class=\"%s\">", by > 0 ? "more" : by < 0 ? "less" : "faint");
	web_diff_add_escaped(&x->r->head, by, true, out);
	buf_addz(out, "</td>");
	web_order_add_cell("wide", diff_number(x, row, COL_PERCENT), out);
	if (isfinite(cell[DIFF_DELTA_PCT].real))
		text_compare_add_percent(cell[DIFF_DELTA_PCT].real, out);
	buf_addz(out, "</td>");
	web_order_add_cell("text wide", diff_number(x, row, COL_STATE), out);
	buf_addf(out, "%s</td>", state_sign(cell[DIFF_STATE].text));
	if (x->gate)
		diff_add_verdict(x, row, out);
	buf_addz(out, "</tr>\n");
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

/* Append which rows the page shows, and a link to those that the report omits. */
static void diff_add_caption(const struct diff_page *x, const struct web_rows *rows, struct buf *out)
{
	const struct compare *c = x->r->head.compare;
	struct url_params *link;

	buf_addf(out, "<div class=\"scroll\"><table class=\"report sides\"%s>\n<caption>",
		 rows->from == 0 && rows->to == rows->n ? " data-whole=\"true\"" : "");
	web_rows_add_range(rows, rows->n == 1 ? "function" : "functions", out);
	if (x->r->table.n_rows > rows->n)
		buf_addf(out, "; %" PRIu64 " others have no %s value", x->r->table.n_rows - rows->n,
			 c->by_cum ? "cum" : "flat");
	if (c->n_omitted) {
		buf_addz(out, "; ");
		unit_add_count(out, c->n_omitted);
		buf_addz(out, " smaller ones are omitted (<a href=\"");
		link = web_link_start(x->page);
		url_params_set(link, "n", "0");
		url_params_set(link, "nf", "0");
		web_link_end(link, "diff", out);
		buf_addz(out, "\">show all</a>)");
	}
	buf_addz(out, "</caption>\n<thead><tr>");
	web_order_add_heads(x->page, &x->order, out);
	buf_addz(out, "</tr></thead>\n<tbody>\n");
}

/* Append the table, a page of its rows, and links to the other pages. */
static int diff_add_table(struct diff_page *x, struct err *err)
{
	struct buf *out = &x->page->main;
	struct web_order_row *row = arena_alloc(x->page->mem, x->r->table.n_rows, sizeof(*row));
	struct web_rows rows;
	uint32_t n = 0;
	int rc = 0;

	x->order = web_order_choose(x->page, columns, x->gate ? N_COLS : COL_VERDICT, COL_CHANGE);
	for (uint32_t i = 0; i < x->r->table.n_rows; i++)
		if (!is_zero_row(x->r, i))
			row[n++] = (struct web_order_row){ i, diff_number(x, i, x->order.col),
							   x->r->table.cell[(size_t)i * x->r->table.n_cols].text };
	web_order_sort(&x->order, row, n);
	rows = web_rows_choose(x->page, n, WEB_ROWS);
	x->links = web_row_links_new(x->page);
	diff_add_caption(x, &rows, out);
	for (uint64_t i = rows.from; rc == 0 && i < rows.to; i++) {
		diff_add_row(x, row[i].row, rows.to - rows.from <= WEB_MENUS_MAX, out);
		rc = web_rows_check(x->page, err);
	}
	buf_addz(out, "</tbody></table></div>\n");
	web_rows_add_links(x->page, &rows, out);
	web_row_links_free(x->links);
	return rc;
}

static void web_diff_add_renames(const struct compare *c, struct buf *out)
{
	for (uint32_t i = 0; i < c->n_renames; i++) {
		buf_addz(out, "<p>Renamed? ");
		web_add_name(out, c->rename[i].from);
		buf_addz(out, " → ");
		web_add_name(out, c->rename[i].to);
		buf_addz(out, "</p>\n");
	}
}

static void web_diff_add_total(const struct report *r, struct buf *out)
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
		webpage_add_name(out, err.msg);
	else
		web_gate_add_outcome(g, out);
	buf_addz(out, " <a href=\"");
	web_link_end(web_link_start(page), "gate", out);
	buf_addz(out, "\">why?</a></p>\n");
	return g;
}

static int web_diff_make_report(struct web_page *page, struct err *err)
{
	const struct profile *const p[N_SIDES] = { [SIDE_BASE] = page->base->p, [SIDE_NEW] = page->open->p };
	const struct side_sources from[N_SIDES] = {
		[SIDE_BASE] = page->base->loaded.from[SIDE_NEW], [SIDE_NEW] = page->open->loaded.from[SIDE_NEW]
	};
	struct query q = page->q;

	q.normalize = web_scale(page);
	query_apply_defaults(&q, &reports_get("diff")->defaults);
	if (!*url_params_get(page->params, "n"))
		q.nodecount = 0; /* a page shows a part of the rows */
	return report_diff(p, from, &q, &page->answer.report, &page->answer.notes, err);
}

int web_draw_diff(struct web_page *page, struct err *err)
{
	struct diff_page x = { .page = page, .r = &page->answer.report };
	struct buf *out = &page->main;
	int rc;

	if (!page->base)
		return err_set(err, ERR_USAGE,
			       "there is no profile to compare with; choose one on the page Open profiles");
	rc = web_diff_make_report(page, err);
	if (rc < 0)
		return rc;
	web_compare_add_head(page, out);
	web_diff_add_total(x.r, out);
	x.gate = get_verdicts(page, out);
	add_sort_head(page, x.r->head.compare->by_cum, out);
	rc = diff_add_table(&x, err);
	web_diff_add_renames(x.r->head.compare, out);
	web_put_gate(page, x.gate);
	return rc;
}

/*
 * labels.c - the labels of samples: values of each key with their cum
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/pages/views.h"

#include "base/unit.h"
#include "report/head.h"
#include "report/tags.h"
#include "session/expression.h"

#include <string.h>

struct labels_page {
	struct web_page *page;
	const struct report *r;
	struct url_params *filter; /* link to this view, with another tagfocus */
	struct url_params *remove; /* the same with tagignore */
};

static const union cell *web_labels_cell_of(const struct report *r, uint32_t row, uint32_t col)
{
	return &r->table.cell[(size_t)row * TAGS_COLS + col];
}

static const char *web_labels_key_of(const struct report *r, uint32_t row)
{
	return web_labels_cell_of(r, row, TAGS_KEY)->text;
}

/* Append the filter that keeps the samples of a row. Returns false if there is no such filter. */
static bool add_filter(const struct report *r, uint32_t row, struct buf *out)
{
	const struct tag_row *tag = &r->tag[row];

	if (tag->has_number)
		return !tag->has_text &&
		       expression_add_numbers(web_labels_key_of(r, row), tag->lo, tag->hi, tag->unit, out);
	expression_add_label(web_labels_key_of(r, row), tag->text, tag->n_text, out);
	return true;
}

static void web_labels_add_percent(const struct labels_page *x, int64_t value, struct buf *out)
{
	buf_addz(out, "<td>");
	web_add_report_value(&x->r->head, value, out);
	buf_addz(out, "</td><td class=\"wide\">");
	unit_add_percent_trimmed(out, value, x->r->head.total);
	buf_addz(out, "</td>");
}

static void web_labels_add_link(const struct web_page *page, const char *param, const char *value, const char *path,
				const char *title, struct buf *out)
{
	struct url_params *link = web_link_start(page);

	url_params_set(link, param, value);
	buf_addz(out, " <a class=\"link\" href=\"");
	web_link_end(link, path, out);
	buf_addf(out, "\">%s</a>", title);
}

/* Append the row of a key, with links that put its values at the root or at the leaf of stacks. A comma would end the
   key in tagroot. */
static void web_labels_add_key(const struct labels_page *x, uint32_t lo, uint32_t hi, struct buf *out)
{
	const char *key = web_labels_key_of(x->r, lo);
	int64_t sum = 0;

	for (uint32_t row = lo; row < hi; row++)
		sum += web_labels_cell_of(x->r, row, TAGS_CUM)->value;
	buf_addz(out, "<tr class=\"node\">");
	web_labels_add_percent(x, sum, out);
	buf_addz(out, "<td class=\"name\"><div class=\"line key\"><span>");
	web_add_name(out, key);
	buf_addz(out, "</span> <span class=\"faint\">");
	unit_add_count(out, hi - lo);
	buf_addf(out, " value%s</span>", hi - lo == 1 ? "" : "s");
	if (*key && !strchr(key, ',')) {
		web_labels_add_link(x->page, "tagroot", key, "flamegraph", "flame graph by this label", out);
		web_labels_add_link(x->page, "tagroot", key, "tree", "tree by this label", out);
	}
	buf_addz(out, "</div></td></tr>\n");
}

static void web_labels_add_value(const struct labels_page *x, uint32_t row, struct buf *out)
{
	const char *text = web_labels_cell_of(x->r, row, TAGS_VALUE)->text;
	int64_t value = web_labels_cell_of(x->r, row, TAGS_CUM)->value;
	struct buf filter = { 0 };
	bool has_filter = add_filter(x->r, row, &filter);

	buf_addz(out, "<tr class=\"callee\"");
	web_add_name_attribute(out, text);
	buf_addz(out, ">");
	web_labels_add_percent(x, value, out);
	buf_addz(out, "<td class=\"name\">");
	web_add_bar(out, unit_percent(value, x->r->head.total));
	buf_addz(out, "<div class=\"line\"><span class=\"end\">");
	if (has_filter) {
		url_params_set(x->filter, "tf", buf_text(&filter));
		buf_addz(out, "<a title=\"Keep only these samples\" href=\"");
		web_link_add(x->filter, x->page->view->path, out);
		buf_addz(out, "\">");
	}
	web_add_name(out, text);
	buf_addz(out, has_filter ? "</a></span>" : "</span>");
	if (has_filter) {
		url_params_set(x->remove, "ti", buf_text(&filter));
		buf_addz(out, " <a class=\"faint\" href=\"");
		web_link_add(x->remove, x->page->view->path, out);
		buf_addz(out, "\">exclude</a>");
	}
	buf_addz(out, "</div></td></tr>\n");
	buf_release(&filter);
}

static void web_labels_add_head(const struct labels_page *x, const struct web_rows *rows, struct buf *out)
{
	buf_addz(out, "<div class=\"scroll\"><table class=\"report\">\n<caption>");
	web_rows_add_range(rows, rows->n == 1 ? "value" : "values", out);
	buf_addz(out, "; ");
	web_add_units(x->page, &x->r->head, out);
	buf_addz(
		out,
		" <a class=\"help\" href=\"help#labels\" aria-label=\"Help on this table\">?</a></caption>\n<thead><tr>"
		"<th scope=\"col\">cum</th><th scope=\"col\" class=\"wide\">cum%</th>"
		"<th scope=\"col\" class=\"name\">label</th></tr></thead>\n");
}

static int web_labels_add_rows(const struct labels_page *x, const struct web_rows *rows, struct err *err)
{
	struct buf *out = &x->page->main;
	uint32_t n = x->r->table.n_rows, hi;

	for (uint32_t lo = 0; lo < n && lo < rows->to; lo = hi) {
		for (hi = lo + 1; hi < n && strcmp(web_labels_key_of(x->r, hi), web_labels_key_of(x->r, lo)) == 0; hi++)
			;
		if (hi <= rows->from)
			continue;
		buf_addz(out, "<tbody>\n");
		web_labels_add_key(x, lo, hi, out);
		for (uint32_t row = lo > rows->from ? lo : (uint32_t)rows->from; row < hi && row < rows->to; row++) {
			web_labels_add_value(x, row, out);
			if (web_rows_check(x->page, err) < 0)
				return err->code;
		}
		buf_addz(out, "</tbody>\n");
	}
	return 0;
}

/* Choose one unit for all values. */
static void web_labels_choose_unit(struct report *r)
{
	int64_t min = 0;

	for (uint32_t row = 0; row < r->table.n_rows; row++)
		min = web_least(min, web_labels_cell_of(r, row, TAGS_CUM)->value);
	report_head_choose_unit_for(&r->head, min, false);
}

int web_draw_labels(struct web_page *page, struct err *err)
{
	struct labels_page x = { .page = page, .r = &page->answer.report };
	struct buf *out = &page->main;
	struct web_rows rows;
	int rc = web_page_make(page, page->view->report, err);

	if (rc < 0)
		return rc;
	if (page->answer.is_empty || x.r->table.n_rows == 0) {
		web_add_empty(page, out);
		return 0;
	}
	web_labels_choose_unit(&page->answer.report);
	x.filter = web_link_start(page);
	x.remove = web_link_start(page);
	rows = web_rows_choose(page, x.r->table.n_rows, WEB_ROWS);
	web_labels_add_head(&x, &rows, out);
	rc = web_labels_add_rows(&x, &rows, err);
	buf_addz(out, "</table></div>\n");
	web_rows_add_links(page, &rows, out);
	url_params_free(x.filter);
	url_params_free(x.remove);
	return rc;
}

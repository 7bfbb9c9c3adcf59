/*
 * rows.c - the rows that a page of a table shows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/parts/export.h"

#include "base/unit.h"
#include "base/utf8.h"
#include "base/webpage.h"
#include "front/web/assets/assets.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A decimal number of a parameter; the fallback if it is absent or not a number. */
static uint64_t web_rows_read_number(const char *text, uint64_t fallback)
{
	enum { DIGITS_MAX = 12 };
	size_t n = strspn(text, "0123456789");

	return n && n <= DIGITS_MAX && !text[n] ? strtoull(text, NULL, 10) : fallback;
}

struct web_rows web_rows_choose(const struct web_page *page, uint64_t n, unsigned step)
{
	const char *count = url_params_get(page->params, "rows");
	struct web_rows rows = { .n = n, .step = web_rows_read_number(count, step) };

	if (rows.step == 0 || strcmp(count, "all") == 0)
		rows.step = n ? n : 1;
	rows.from = web_rows_read_number(url_params_get(page->params, "from"), 0);
	if (rows.from >= n)
		rows.from = 0;
	rows.to = n - rows.from > rows.step ? rows.from + rows.step : n;
	return rows;
}

void web_rows_add_range(const struct web_rows *rows, const char *noun, struct buf *out)
{
	if (rows->from < rows->to) {
		unit_add_count(out, rows->from + 1);
		buf_addz(out, "-");
		unit_add_count(out, rows->to);
		buf_addz(out, " of ");
	}
	unit_add_count(out, rows->n);
	buf_addf(out, " %s", noun);
}

/* Append a link to this view with other rows. Value NULL: the first page. */
static void web_rows_add_link(const struct web_page *page, const char *key, const char *value, const char *text,
			      struct buf *out)
{
	struct url_params *link = url_params_copy(page->params);

	url_params_remove(link, "from");
	if (value)
		url_params_set(link, key, value);
	buf_addz(out, "<a class=\"button\" href=\"");
	web_link_end(link, page->view->path, out);
	buf_addf(out, "\">%s</a>\n", text);
}

static void add_from_link(const struct web_page *page, uint64_t from, const char *text, struct buf *out)
{
	char number[24];

	snprintf(number, sizeof(number), "%" PRIu64, from);
	web_rows_add_link(page, "from", from ? number : NULL, text, out);
}

static void web_rows_add_script(struct buf *out)
{
	buf_addz(out, "<script type=\"module\" src=\"");
	web_asset_add_url("table.js", out);
	buf_addz(out, "\"></script>\n");
}

void web_rows_add_links(const struct web_page *page, const struct web_rows *rows, struct buf *out)
{
	uint64_t previous = rows->from > rows->step ? rows->from - rows->step : 0;

	buf_addz(out, "<nav class=\"pages\" aria-label=\"Rows\">\n");
	if (rows->from > 0)
		add_from_link(page, previous, "Previous", out);
	if (rows->to < rows->n)
		add_from_link(page, rows->to, "Next", out);
	if (rows->to - rows->from < rows->n) {
		struct buf text = { 0 };

		buf_addz(&text, "All ");
		unit_add_count(&text, rows->n);
		web_rows_add_link(page, "rows", "all", buf_text(&text), out);
		buf_release(&text);
	}
	web_export_add_links(page, false, out);
	buf_addz(out, "</nav>\n");
	web_rows_add_script(out);
}

int web_rows_check(const struct web_page *page, struct err *err)
{
	if (page->main.len > WEB_RESPONSE_MAX)
		return err_set(err, ERR_LIMIT,
			       "the page would be larger than %d MiB; show fewer rows, or save them as CSV",
			       WEB_RESPONSE_MAX >> 20);
	return stop_check(page->stop, err);
}

void web_add_name_attribute(struct buf *out, const char *name)
{
	struct buf safe = { 0 }, text = { 0 };

	utf8_add_short(&text, name, strlen(name), WEB_NAME_MAX);
	utf8_add_safe(&safe, buf_text(&text), text.len);
	buf_addz(out, " data-name=\"");
	webpage_add_text(out, buf_text(&safe), safe.len);
	buf_addz(out, "\"");
	buf_release(&text);
	buf_release(&safe);
}

void web_add_bar(struct buf *out, double percent)
{
	double width = fmin(fabs(percent), 100);

	if (width > 0)
		buf_addf(out,
			 "<svg class=\"share\" aria-hidden=\"true\"><rect class=\"bar\" width=\"%.2f%%\" "
			 "height=\"100%%\"/></svg>",
			 width);
}

void web_add_report_value(const struct head *h, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(h, value, &text);
	webpage_add_name(out, buf_text(&text));
	buf_release(&text);
}

int64_t web_least(int64_t a, int64_t b)
{
	return b <= 0 || (a > 0 && a < b) ? a : b;
}

static void add_grouped_value(const struct head *h, int64_t value, struct buf *out)
{
	struct buf text = { 0 };

	report_add_grouped_value(h, value, &text);
	webpage_add_name(out, buf_text(&text));
	buf_release(&text);
}

void web_add_units(const struct web_page *page, const struct head *h, struct buf *out)
{
	const struct query *q = &page->q;

	if (!h->total)
		return;
	web_add_name(out, h->type);
	buf_addz(out, "; 100&nbsp;% is ");
	add_grouped_value(h, h->total, out);
	if (q->diff_base.n)
		buf_addz(out, ", the total of the base");
	else if (page->sides || q->base.n)
		buf_addz(out, ", the sum of all changes, without their signs");
	else if (q->relative_percentages)
		buf_addz(out, ", the total of the samples that pass the filters");
	else
		buf_addz(out, ", the total of all samples");
}

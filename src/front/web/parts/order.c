/*
 * order.c - order of the rows of a table that its page sorts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first column of numbers is that of the report's own order. table.js sorts in the same way.
 */
#include "config.h"

#include "front/web/parts/table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool order_is_by_name(const struct web_column *c)
{
	return strcmp(c->key, "name") == 0;
}

struct web_order web_order_choose(const struct web_page *page, const struct web_column *column, size_t n,
				  size_t report_order)
{
	struct web_order o = { .column = column, .n = n, .report_order = report_order, .col = report_order };
	const char *key = url_params_get(page->params, "col"), *desc = url_params_get(page->params, "desc");

	for (size_t i = 0; i < n; i++)
		if (column[i].key && strcmp(column[i].key, key) == 0)
			o.col = i;
	o.is_ascending = *desc ? strcmp(desc, "f") == 0 : order_is_by_name(&column[o.col]);
	return o;
}

static int order_compare(const void *a, const void *b, void *arg)
{
	const struct web_order *o = arg;
	const struct web_order_row *l = a, *r = b;
	int order;

	if (!order_is_by_name(&o->column[o->col]) && isnan(l->number) != isnan(r->number))
		return isnan(l->number) ? 1 : -1; /* rows without a number are last in both directions */
	order = order_is_by_name(&o->column[o->col]) ? strcmp(l->name, r->name)
						     : (l->number > r->number) - (l->number < r->number);
	if (o->is_ascending)
		order = -order;
	return order ? -order : (l->row > r->row) - (l->row < r->row);
}

void web_order_sort(const struct web_order *o, struct web_order_row *row, size_t n)
{
	if (o->col != o->report_order)
		qsort_r(row, n, sizeof(*row), order_compare, (void *)(uintptr_t)o);
	else if (o->is_ascending)
		for (size_t i = 0; i < n / 2; i++) {
			struct web_order_row first = row[i];

			row[i] = row[n - 1 - i];
			row[n - 1 - i] = first;
		}
}

/* Append a link that sorts by a column, or that reverses the order. */
static void order_add_link(const struct web_page *page, const struct web_order *o, size_t col, struct buf *out)
{
	const struct web_column *c = &o->column[col];
	struct url_params *link = url_params_copy(page->params);
	bool is_name = order_is_by_name(c);

	url_params_remove(link, "from");
	url_params_remove(link, "desc");
	url_params_remove(link, "col");
	if (col != o->report_order)
		url_params_set(link, "col", c->key);
	if (col == o->col && o->is_ascending == is_name)
		url_params_set(link, "desc", is_name ? "t" : "f");
	buf_addz(out, "<a href=\"");
	web_link_end(link, page->view->path, out);
	buf_addf(out, "\">%s</a>", c->title);
}

void web_order_add_heads(const struct web_page *page, const struct web_order *o, struct buf *out)
{
	for (size_t col = 0; col < o->n; col++) {
		const struct web_column *c = &o->column[col];

		buf_addz(out, "<th scope=\"col\"");
		if (c->key)
			buf_addf(out, " data-key=\"%s\"%s", c->key,
				 col == o->report_order ? " data-report-order"
				 : order_is_by_name(c)  ? ""
							: " data-by-value");
		if (c->class)
			buf_addf(out, " class=\"%s\"", c->class);
		if (col == o->col)
			buf_addf(out, " aria-sort=\"%s\"", o->is_ascending ? "ascending" : "descending");
		buf_addz(out, ">");
		if (c->key)
			order_add_link(page, o, col, out);
		else
			buf_addz(out, c->title);
		buf_addz(out, "</th>");
	}
}

void web_order_add_cell(const char *class, double number, struct buf *out)
{
	buf_addz(out, "<td");
	if (class)
		buf_addf(out, " class=\"%s\"", class);
	if (!isnan(number))
		buf_addf(out, " data-value=\"%.17g\"", number);
	buf_addz(out, ">");
}

/*
 * traces.c - the samples of a profile with their stacks and labels, a page at a time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/pages/views.h"

#include "base/num.h"
#include "base/unit.h"
#include "report/head.h"
#include "report/traces.h"
#include "session/expression.h"

#include <stdlib.h>
#include <string.h>

enum { SAMPLES = 50 }; /* samples of a page */

struct traces_page {
	struct web_page *page;
	const struct report *r;
	const struct traces *t;
	struct web_row_links *links;
	struct url_params *filter; /* link to this view, with another tagfocus */
	uint32_t *order;           /* [t->n] samples in the order of the page; NULL: the order of the profile */
};

static int web_traces_by_value(const void *a, const void *b, void *arg)
{
	const struct traces *t = arg;
	uint32_t l = *(const uint32_t *)a, r = *(const uint32_t *)b;
	uint64_t lv = num_abs(t->value[l]), rv = num_abs(t->value[r]);

	return lv != rv ? (lv < rv) - (lv > rv) : (l > r) - (l < r);
}

static void web_traces_choose_order(struct traces_page *x)
{
	if (strcmp(url_params_get(x->page->params, "col"), "flat") != 0)
		return;
	x->order = arena_alloc(x->page->mem, x->t->n, sizeof(*x->order));
	for (uint32_t i = 0; i < x->t->n; i++)
		x->order[i] = i;
	qsort_r(x->order, x->t->n, sizeof(*x->order), web_traces_by_value, (void *)(uintptr_t)x->t);
}

/* Append a value of a label, with a link that keeps its samples. */
static void add_label_value(const struct traces_page *x, const struct trace_label *l, uint32_t i, struct buf *out)
{
	const union trace_value *v = &x->t->value_of_label[i];
	struct buf filter = { 0 }, text = { 0 };
	bool has_filter = true;

	if (l->unit) {
		unit_add_label(&text, v->number, l->unit, "auto");
		has_filter = expression_add_numbers(l->key, v->number, v->number, l->unit, &filter);
	} else {
		buf_addz(&text, v->text);
		expression_add_label(l->key, v->text, strlen(v->text), &filter);
	}
	if (has_filter) {
		url_params_set(x->filter, "tf", buf_text(&filter));
		buf_addz(out, "<a title=\"Keep only these samples\" href=\"");
		web_link_add(x->filter, x->page->view->path, out);
		buf_addz(out, "\">");
	}
	web_add_name(out, buf_text(&text));
	if (has_filter)
		buf_addz(out, "</a>");
	buf_release(&filter);
	buf_release(&text);
}

static void web_traces_add_labels(const struct traces_page *x, uint32_t set, struct buf *out)
{
	const struct traces *t = x->t;

	for (uint32_t i = t->set_off[set]; i < t->set_off[set + 1]; i++) {
		const struct trace_label *l = &t->label[i];

		buf_addz(out, "<p class=\"label\"><span class=\"faint\">");
		web_add_name(out, l->key);
		buf_addz(out, ":</span>");
		for (uint32_t k = l->lo; k < l->hi; k++) {
			buf_addz(out, " ");
			add_label_value(x, l, k, out);
		}
		buf_addz(out, "</p>");
	}
}

static void web_traces_add_stack(const struct traces_page *x, uint32_t stack, struct buf *out)
{
	const struct traces *t = x->t;

	buf_addz(out, "<ol class=\"stack\">");
	for (uint32_t i = t->stacks->off[stack]; i < t->stacks->off[stack + 1]; i++) {
		uint32_t loc = stack_id_at(t->stacks, i), end = t->frames.off[loc + 1];

		for (uint32_t k = t->frames.off[loc]; k < end; k++) {
			uint32_t name = t->frames.item[k];

			buf_addz(out, "<li>");
			web_row_links_add_name(x->links, &t->place[name], t->name[name], out);
			buf_addz(out, k + 1 < end ? " <span class=\"faint\">(inline)</span></li>" : "</li>");
		}
	}
	buf_addz(out, "</ol>");
}

/* The name of the leaf; "" if the sample has none. */
static const char *leaf_of(const struct traces *t, uint32_t stack)
{
	for (uint32_t i = t->stacks->off[stack]; i < t->stacks->off[stack + 1]; i++) {
		uint32_t loc = stack_id_at(t->stacks, i);

		if (t->frames.off[loc] < t->frames.off[loc + 1])
			return t->name[t->frames.item[t->frames.off[loc]]];
	}
	return "";
}

static void web_traces_add_sample(const struct traces_page *x, uint32_t sample, struct buf *out)
{
	buf_addz(out, "<tr");
	web_add_name_attribute(out, leaf_of(x->t, x->t->stack[sample]));
	buf_addz(out, "><td>");
	web_add_report_value(&x->r->head, x->t->value[sample], out);
	buf_addz(out, "</td><td class=\"name\">");
	web_traces_add_labels(x, x->t->labels[sample], out);
	web_traces_add_stack(x, x->t->stack[sample], out);
	buf_addz(out, "</td></tr>\n");
}

static void web_traces_add_head(const struct traces_page *x, const struct web_rows *rows, struct buf *out)
{
	struct url_params *link = url_params_copy(x->page->params);

	buf_addz(out, "<div class=\"scroll\"><table class=\"report\">\n<caption>");
	web_rows_add_range(rows, rows->n == 1 ? "sample" : "samples", out);
	buf_addz(out, "; ");
	web_add_units(x->page, &x->r->head, out);
	buf_addf(
		out,
		" <a class=\"help\" href=\"help#traces\" aria-label=\"Help on this table\">?</a></caption>\n<thead><tr>"
		"<th scope=\"col\"%s><a href=\"",
		x->order ? " aria-sort=\"descending\"" : "");
	url_params_remove(link, "from");
	url_params_remove(link, "col");
	if (!x->order)
		url_params_set(link, "col", "flat");
	web_link_end(link, x->page->view->path, out);
	buf_addz(out,
		 "\">value</a></th><th scope=\"col\" class=\"name\">labels and stack, leaf first</th></tr></thead>\n"
		 "<tbody>\n");
}

/* Choose one unit for all values. */
static void web_traces_choose_unit(struct report *r)
{
	int64_t min = 0;

	for (uint32_t i = 0; i < r->traces->n; i++)
		min = web_least(min, r->traces->value[i]);
	report_head_choose_unit_for(&r->head, min, false);
}

int web_draw_traces(struct web_page *page, struct err *err)
{
	struct traces_page x = { .page = page, .r = &page->answer.report };
	struct buf *out = &page->main;
	struct web_rows rows;
	int rc = web_page_make(page, page->view->report, err);

	if (rc < 0)
		return rc;
	x.t = x.r->traces;
	if (x.t->n == 0) {
		web_add_empty(page, out);
		return 0;
	}
	web_traces_choose_unit(&page->answer.report);
	web_traces_choose_order(&x);
	x.links = web_row_links_new(page);
	x.filter = web_link_start(page);
	rows = web_rows_choose(page, x.t->n, SAMPLES);
	web_traces_add_head(&x, &rows, out);
	for (uint64_t i = rows.from; rc == 0 && i < rows.to; i++) {
		web_traces_add_sample(&x, x.order ? x.order[i] : (uint32_t)i, out);
		rc = web_rows_check(page, err);
	}
	buf_addz(out, "</tbody></table></div>\n");
	web_rows_add_links(page, &rows, out);
	web_row_links_free(x.links);
	url_params_free(x.filter);
	return rc;
}

/*
 * label_check.c - the labels in use, and what is wrong with them
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The numbers are those of cpa labels: the report is the same, and the stores of the open profiles are asked in the same way.
 */
#include "config.h"

#include "front/web/pages/views.h"

#include "base/unit.h"
#include "base/webpage.h"
#include "front/web/parts/table.h"
#include "report/labels.h"

#include <inttypes.h>
#include <string.h>

/* A table of the rows with one check; findings have all others. */
struct label_check_table {
	const char *title, *check;
	unsigned col[LABELS_COLS];
	size_t n_cols;
};

static const struct label_check_table label_check_samples = { "Labels of samples",
							      "label",
							      { LABELS_CUM, LABELS_CUM_PCT, LABELS_SAMPLES,
								LABELS_VALUES, LABELS_PER_DAY, LABELS_LABEL },
							      6 };
static const struct label_check_table label_check_series = {
	"Labels of series", "series", { LABELS_VALUES, LABELS_LABEL }, 2
};

static const union cell *label_check_row(const struct report *r, uint32_t row)
{
	return &r->table.cell[(size_t)row * r->table.n_cols];
}

static bool label_check_is(const struct report *r, uint32_t row, const char *check)
{
	return row < r->table.n_rows && strcmp(label_check_row(r, row)[LABELS_CHECK].text, check) == 0;
}

/* The attribute of the cells of a column: narrow screens leave out the share. */
static const char *label_check_class(unsigned col)
{
	return col == LABELS_LABEL ? " class=\"text\"" : col == LABELS_CUM_PCT ? " class=\"wide\"" : "";
}

static void label_check_add_cell(const struct report *r, uint32_t row, unsigned col, struct buf *out)
{
	const union cell *c = &label_check_row(r, row)[col];

	buf_addf(out, "<td%s>", label_check_class(col));
	if (col == LABELS_LABEL)
		web_add_name(out, c->text);
	else if (col == LABELS_CUM)
		web_add_report_value(&r->head, c->value, out);
	else if (col == LABELS_CUM_PCT)
		unit_add_percent_trimmed(out, c->value, r->head.total);
	else if (report_has(&r->table, row, col))
		unit_add_count(out, (uint64_t)c->value);
	buf_addz(out, "</td>");
}

/* Append a table, unless it is empty. Returns the row after it. */
static uint32_t label_check_add_table(const struct report *r, uint32_t row, const struct label_check_table *t,
				      struct buf *out)
{
	if (!label_check_is(r, row, t->check))
		return row;
	buf_addf(out,
		 "<h2>%s</h2>\n<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\"><table "
		 "class=\"report\"><thead><tr>",
		 t->title, t->title);
	for (size_t i = 0; i < t->n_cols; i++)
		buf_addf(out, "<th scope=\"col\"%s>%s</th>", label_check_class(t->col[i]),
			 r->table.col[t->col[i]].title);
	buf_addz(out, "</tr></thead>\n<tbody>\n");
	for (; label_check_is(r, row, t->check); row++) {
		buf_addz(out, "<tr>");
		for (size_t i = 0; i < t->n_cols; i++)
			label_check_add_cell(r, row, t->col[i], out);
		buf_addz(out, "</tr>\n");
	}
	buf_addz(out, "</tbody></table></div>\n");
	return row;
}

static void label_check_add_finding(const struct report *r, uint32_t row, struct buf *out)
{
	const union cell *c = label_check_row(r, row);

	buf_addf(out, "<dt>%s: ", c[LABELS_CHECK].text);
	web_add_name(out, c[LABELS_LABEL].text);
	buf_addz(out, "</dt><dd>");
	web_add_name(out, c[LABELS_FINDING].text);
	if (c[LABELS_SAMPLES].value) {
		buf_addf(out, " (%" PRId64 " sample%s, ", c[LABELS_SAMPLES].value,
			 c[LABELS_SAMPLES].value == 1 ? "" : "s");
		unit_add_percent_trimmed(out, c[LABELS_CUM].value, r->head.total);
		buf_addz(out, ")");
	}
	buf_addz(out, "<br>");
	web_add_name(out, c[LABELS_REMEDY].text);
	buf_addz(out, "</dd>\n");
}

int web_draw_label_check(struct web_page *page, struct err *err)
{
	const struct report *r = &page->answer.report;
	struct buf *out = &page->main;
	int rc = web_page_make(page, page->view->report, err);
	uint32_t row;

	if (rc < 0)
		return rc;
	if (r->table.n_rows == 0) {
		web_add_empty(page, out);
		return 0;
	}
	row = label_check_add_table(r, 0, &label_check_samples, out);
	row = label_check_add_table(r, row, &label_check_series, out);
	buf_addf(out, "<h2>%" PRIu32 " finding%s</h2>\n<dl class=\"help\">", r->n_findings,
		 r->n_findings == 1 ? "" : "s");
	for (; rc == 0 && row < r->table.n_rows; row++) {
		label_check_add_finding(r, row, out);
		rc = web_rows_check(page, err);
	}
	buf_addz(out, "</dl>\n");
	return rc;
}

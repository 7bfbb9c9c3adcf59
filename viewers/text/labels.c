/*
 * labels.c - the labels report as text: labels of samples, labels of series, findings
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/labels.h"

#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/text.h"
#include "viewers/text/text_int.h"

#include <inttypes.h>
#include <string.h>

enum { TEXT_LABELS_WIDTH = 10 };

static const union cell *text_labels_row(const struct report *r, uint32_t row)
{
	return r->table.cell + (size_t)row * r->table.n_cols;
}

static bool text_labels_is(const struct report *r, uint32_t row, const char *check)
{
	return row < r->table.n_rows && strcmp(text_labels_row(r, row)[LABELS_CHECK].text, check) == 0;
}

/* Append the rows of labels of samples. Returns the next row. */
static uint32_t text_labels_add_samples(const struct report *r, bool color, struct buf *out)
{
	uint32_t row = 0;

	if (!text_labels_is(r, row, "label"))
		return row;
	buf_addf(out, "%s%10s %6s %10s %8s %8s  label of samples%s\n", color ? STYLE_TITLE : "", "cum", "cum%",
		 "samples", "values", "per day", color ? STYLE_END : "");
	for (; text_labels_is(r, row, "label"); row++) {
		const union cell *c = text_labels_row(r, row);

		text_add_value(&r->head, c[LABELS_CUM].value, TEXT_LABELS_WIDTH, out);
		buf_addz(out, " ");
		unit_add_percent(out, c[LABELS_CUM].value, r->head.total);
		buf_addf(out, " %10" PRId64 " %8" PRId64 " ", c[LABELS_SAMPLES].value, c[LABELS_VALUES].value);
		if (c[LABELS_PER_DAY].value)
			buf_addf(out, "%8" PRId64 "  ", c[LABELS_PER_DAY].value);
		else
			buf_addf(out, "%8s  ", "");
		text_add_name(&r->head, c[LABELS_LABEL].text, 0, out);
		buf_addz(out, "\n");
	}
	return row;
}

static uint32_t text_labels_add_series(const struct report *r, uint32_t row, bool color, struct buf *out)
{
	if (!text_labels_is(r, row, "series"))
		return row;
	buf_addf(out, "%s%37s           label of series%s\n", color ? STYLE_TITLE : "", "values",
		 color ? STYLE_END : "");
	for (; text_labels_is(r, row, "series"); row++) {
		buf_addf(out, "%37" PRId64 "           ", text_labels_row(r, row)[LABELS_VALUES].value);
		text_add_name(&r->head, text_labels_row(r, row)[LABELS_LABEL].text, 0, out);
		buf_addz(out, "\n");
	}
	return row;
}

static void text_labels_add_finding(const struct report *r, uint32_t row, struct buf *out)
{
	const union cell *c = text_labels_row(r, row);

	buf_addf(out, "%s: ", c[LABELS_CHECK].text);
	utf8_add_safe(out, c[LABELS_LABEL].text, strlen(c[LABELS_LABEL].text));
	buf_addz(out, ": ");
	utf8_add_safe(out, c[LABELS_FINDING].text, strlen(c[LABELS_FINDING].text));
	if (c[LABELS_SAMPLES].value) {
		buf_addf(out, " (%" PRId64 " sample%s, ", c[LABELS_SAMPLES].value,
			 c[LABELS_SAMPLES].value == 1 ? "" : "s");
		unit_add_percent_trimmed(out, c[LABELS_CUM].value, r->head.total);
		buf_addz(out, ")");
	}
	buf_addz(out, "\n     ");
	utf8_add_safe(out, c[LABELS_REMEDY].text, strlen(c[LABELS_REMEDY].text));
	buf_addz(out, "\n");
}

void text_draw_labels(const struct report *r, bool color, struct buf *out)
{
	uint32_t row;

	text_add_total_head(r, out);
	row = text_labels_add_samples(r, color, out);
	row = text_labels_add_series(r, row, color, out);
	if (r->table.n_rows)
		buf_addf(out, "%" PRIu32 " finding%s\n", r->n_findings, r->n_findings == 1 ? "" : "s");
	for (; row < r->table.n_rows && !buf_is_stopped(); row++)
		text_labels_add_finding(r, row, out);
}

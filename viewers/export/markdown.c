/*
 * markdown.c - a report as a Markdown table
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/buf.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "report/report.h"
#include "viewers/export/export.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

static void export_markdown_add_value(const struct head *h, int64_t v, struct buf *out)
{
	struct buf raw = { 0 };
	const char *unit;

	report_add_value(h, v, &raw);
	unit = raw.data + strspn(raw.data, "-.0123456789");
	if (unit[strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] == 0)
		buf_add(out, raw.data, raw.len);
	else
		utf8_add_code(out, raw.data); /* an unknown unit may contain Markdown */
	buf_release(&raw);
}

static void export_markdown_add_shown(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;

	buf_addz(out, ". Showing ");
	export_markdown_add_value(h, h->shown, out);
	buf_addz(out, ", ");
	unit_add_percent_trimmed(out, h->shown, h->total);
	buf_addz(out, " of ");
	export_markdown_add_value(h, h->total, out);
	buf_addf(out, ", in %" PRIu32 " of %" PRIu32 " %s.", r->table.role ? h->n_shown : r->table.n_rows,
		 h->n_before_limit + h->n_dropped, r->table.role ? "nodes" : "rows");
	if (h->not_sampled) {
		buf_addz(out, " Not sampled: ");
		export_markdown_add_value(h, h->not_sampled, out);
		buf_addz(out, ", ");
		unit_add_percent_trimmed(out, h->not_sampled, h->total);
		buf_addz(out, ".");
	}
}

/* Append the active filters as a sentence after a blank; nothing if there are none. */
static void export_markdown_add_filters(const struct head *h, struct buf *out)
{
	for (uint32_t i = 0; i < h->n_filters; i++) {
		struct buf text = { 0 };

		buf_addf(&text, "%s%s%s", h->filter[i].name, h->filter[i].value ? "=" : "",
			 h->filter[i].value ? h->filter[i].value : "");
		buf_addz(out, i ? ", " : " Filters: ");
		utf8_add_code(out, text.data);
		buf_release(&text);
	}
	if (h->n_filters)
		buf_add(out, ".", 1);
}

static void export_markdown_add_summary(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;

	if (*h->file) {
		buf_addz(out, "File: ");
		utf8_add_code(out, h->file);
		buf_addz(out, ", type: ");
	} else {
		buf_addz(out, "Type: ");
	}
	utf8_add_code(out, h->type);
	if (h->is_whole) {
		buf_addz(out, ", total: ");
		export_markdown_add_value(h, h->total, out);
		buf_addz(out, ".");
	} else {
		export_markdown_add_shown(r, out);
	}
	export_markdown_add_filters(h, out);
	buf_addz(out, "\n\n");
}

static void export_markdown_add_cell(const struct head *h, const struct column *c, const union cell *cell,
				     struct buf *out)
{
	switch (c->kind) {
	case CELL_VALUE:
		export_markdown_add_value(h, cell->value, out);
		break;
	case CELL_PERCENT:
		unit_add_percent_trimmed(out, cell->value, h->total);
		break;
	case CELL_NAME:
		utf8_add_code(out, cell->text);
		break;
	case CELL_WORD:
		buf_addz(out, cell->text);
		break;
	case CELL_RATIO:
	case CELL_CHANGE:
		if (!isnan(cell->real))
			buf_addf(out, c->kind == CELL_CHANGE ? "%+.2f%%" : "%.2f%%", cell->real);
		break;
	case CELL_COUNT:
		buf_addf(out, "%" PRId64, cell->value);
		break;
	case CELL_NOTE:
		buf_addz(out, cell->text);
		break;
	}
}

static bool is_left(const struct column *c)
{
	return c->kind == CELL_NAME || c->kind == CELL_NOTE || c->kind == CELL_WORD;
}

static void export_markdown_add_titles(const struct table *t, struct buf *out)
{
	if (t->role)
		buf_addz(out, "| role ");
	for (uint32_t c = 0; c < t->n_cols; c++) {
		const char *title = *t->col[c].title ? t->col[c].title : t->col[c].key;

		buf_addz(out, "| ");
		if (strpbrk(title, "|`<*_\\[")) /* has the value of a label */
			utf8_add_code(out, title);
		else
			buf_addz(out, title);
		buf_addz(out, " ");
	}
	buf_addz(out, "|\n");
	if (t->role)
		buf_addz(out, "|---");
	for (uint32_t c = 0; c < t->n_cols; c++)
		buf_addz(out, is_left(&t->col[c]) ? "|---" : "|---:");
	buf_addz(out, "|\n");
}

static void export_markdown_add_row(const struct report *r, uint32_t row, struct buf *out)
{
	const struct table *t = &r->table;

	if (t->role)
		buf_addf(out, "| %s ", report_role(t, row));
	for (uint32_t c = 0; c < t->n_cols; c++) {
		buf_addz(out, "| ");
		if (report_has(t, row, c))
			export_markdown_add_cell(&r->head, &t->col[c], &t->cell[(size_t)row * t->n_cols + c], out);
		buf_add(out, " ", 1);
	}
	buf_addz(out, "|\n");
}

static void export_markdown_add_side(const struct head *h, const char *title, const struct compare_side *s,
				     struct buf *out)
{
	buf_addf(out, "- %s: ", title);
	for (size_t i = 0; i < s->n_sources; i++) {
		buf_addz(out, i ? ", " : "");
		utf8_add_code(out, s->source[i]);
	}
	buf_addz(out, ", total ");
	export_markdown_add_value(h, s->total, out);
	if (*s->host) {
		buf_addz(out, ", host ");
		utf8_add_code(out, s->host);
	}
	if (*s->build_id) {
		buf_addz(out, ", build id ");
		utf8_add_code(out, s->build_id);
	}
	buf_add(out, "\n", 1);
}

/* Append the summary of a comparison. */
static void export_markdown_add_comparison(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;
	const struct compare *c = h->compare;
	bool is_diff = !c->is_series;

	assert(c);
	export_markdown_add_side(h, is_diff ? "before" : "first", &c->before, out);
	export_markdown_add_side(h, is_diff ? "after" : "last", &c->after, out);
	buf_addz(out, "- type ");
	utf8_add_code(out, h->type);
	buf_addz(out, ", normalized by ");
	utf8_add_code(out, c->normalize);
	if (is_diff)
		buf_addf(out, " (after x %.6g)", c->factor);
	else
		buf_addf(out, ", %zu profiles%s", c->n_profiles, c->all ? "" : ", rows that grew and never fell");
	buf_addf(out, ", %" PRIu32 " of %" PRIu32 " rows.", r->table.n_rows, h->n_before_limit + h->n_dropped);
	export_markdown_add_filters(h, out);
	buf_addz(out, "\n\n");
}

static void export_markdown_add_renames(const struct compare *c, struct buf *out)
{
	for (uint32_t i = 0; i < c->n_renames; i++) {
		buf_addz(out, i ? "- renamed? " : "\n- renamed? ");
		utf8_add_code(out, c->rename[i].from);
		buf_addz(out, " to ");
		utf8_add_code(out, c->rename[i].to);
		buf_addf(out, ": %.2f%% gone, %.2f%% new\n", c->rename[i].share_before, c->rename[i].share_after);
	}
}

void markdown_draw(const struct report *r, struct buf *out)
{
	const struct table *t = &r->table;

	if (t->n_cols == 1) {
		for (uint32_t i = 0; i < t->n_rows && !buf_is_stopped(); i++) {
			buf_addz(out, "- ");
			export_markdown_add_cell(&r->head, t->col, &t->cell[i], out);
			buf_add(out, "\n", 1);
		}
		return;
	}
	if (r->head.compare)
		export_markdown_add_comparison(r, out);
	else
		export_markdown_add_summary(r, out);
	export_markdown_add_titles(t, out);
	for (uint32_t i = 0; i < t->n_rows && !buf_is_stopped(); i++)
		export_markdown_add_row(r, i, out);
	if (r->head.compare)
		export_markdown_add_renames(r->head.compare, out);
}

/*
 * diff.c - a comparison of two profiles as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * With seven columns, short names fit into 80 characters: six for flat (for cum with -cum), and one for the change of
 * the other.
 */
#include "config.h"

#include "viewers/text/text_int.h"

#include "base/buf.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/text.h"

#include <inttypes.h>
#include <string.h>

enum { WIDTH_VALUE = 9, WIDTH_CHANGE = 11, WIDTH_PERCENT = 8, WIDTH_SHARE = 7 };

/* Columns of values. */
struct diff_widths {
	size_t before, after, change;
};

static void add_normalization(const struct compare *c, struct buf *out)
{
	if (strcmp(c->normalize, "none") == 0) {
		buf_addz(out, "not normalized");
		return;
	}
	buf_addz(out, "normalized by ");
	utf8_add_safe(out, c->normalize, strlen(c->normalize));
	buf_addf(out, "%s: after x %.6g", c->by_period ? " and period" : "", c->factor);
}

static void text_diff_add_share(double share, struct buf *out)
{
	struct buf text = { 0 };

	unit_add_share(&text, share);
	buf_addz(out, buf_text(&text) + strspn(buf_text(&text), " "));
	buf_release(&text);
}

static void text_diff_add_omitted(const struct report *r, struct buf *out)
{
	const struct compare *c = r->head.compare;

	buf_addz(out, "Showing ");
	unit_add_count(out, r->table.n_rows);
	buf_addz(out, " of ");
	unit_add_count(out, (uint64_t)r->table.n_rows + c->n_omitted);
	buf_addf(out, " rows by change of %s", c->by_cum ? "cum" : "flat");
	if (c->n_omitted) {
		buf_addz(out, "; omitted rows: flat ");
		text_compare_add_value(&r->head, c->omitted_increase, true, out);
		buf_addz(out, " and ");
		text_compare_add_value(&r->head, c->omitted_decrease, true, out);
	}
	buf_add(out, "\n", 1);
}

static void text_diff_add_head(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;
	const struct compare *c = h->compare;

	text_compare_add_side("BASE (before): ", &c->before, out);
	text_compare_add_side("NEW (after):   ", &c->after, out);
	buf_addz(out, "Type: ");
	utf8_add_safe(out, h->type, strlen(h->type));
	buf_addz(out, ", ");
	add_normalization(c, out);
	buf_add(out, "\n", 1);
	text_add_filters(h, true, out);
	text_compare_add_total(h, out);
	buf_addz(out, "; rows on both sides: ");
	text_diff_add_share(c->matched_before, out);
	buf_addz(out, " -> ");
	text_diff_add_share(c->matched_after, out);
	buf_add(out, "\n", 1);
	text_diff_add_omitted(r, out);
}

static void text_diff_add_titles(bool by_cum, const struct diff_widths *w, bool color, struct buf *out)
{
	buf_addz(out, color ? "\033[1m" : "");
	text_compare_add_title(by_cum ? "cum" : "flat", w->before, out);
	text_compare_add_title("", w->after + w->change + WIDTH_PERCENT + 2 * WIDTH_SHARE + 4, out);
	text_compare_add_title(by_cum ? "flat" : "cum", WIDTH_PERCENT, out);
	buf_add(out, "\n", 1);
	text_compare_add_title("before", w->before, out);
	text_compare_add_title("after", w->after, out);
	text_compare_add_title("change", w->change, out);
	text_compare_add_title("change%", WIDTH_PERCENT, out);
	text_compare_add_title("before%", WIDTH_SHARE, out);
	text_compare_add_title("after%", WIDTH_SHARE, out);
	text_compare_add_title("change%", WIDTH_PERCENT, out);
	buf_addz(out, "  name");
	buf_addz(out, color ? "\033[0m\n" : "\n");
}

static void add_change_percent(const union cell *cell, struct buf *out)
{
	text_compare_add_change(cell[DIFF_BEFORE].value, cell[DIFF_AFTER].value, cell[DIFF_DELTA_PCT].real,
				cell[DIFF_STATE].text, WIDTH_PERCENT, out);
}

static void text_diff_add_row(const struct report *r, uint32_t row, const struct diff_widths *w, bool color,
			      struct buf *out)
{
	const struct table *t = &r->table;
	const struct compare *c = r->head.compare;
	const union cell *flat = t->cell + (size_t)row * t->n_cols, *cum = flat + DIFF_CUM_STATE - DIFF_STATE;
	const union cell *main = c->by_cum ? cum : flat;
	int64_t by = main[DIFF_DELTA].value;
	struct buf change = { 0 };

	text_compare_add_cell(&r->head, &t->col[DIFF_BEFORE], &main[DIFF_BEFORE], w->before, out);
	text_compare_add_cell(&r->head, &t->col[DIFF_AFTER], &main[DIFF_AFTER], w->after, out);
	text_compare_add_color(color, by, out);
	text_compare_add_value(&r->head, by, true, &change);
	text_compare_add_right(&change, w->change, out);
	add_change_percent(main, out);
	text_compare_end_color(color, by, out);
	text_compare_add_cell(&r->head, &t->col[DIFF_SHARE_BEFORE], &main[DIFF_SHARE_BEFORE], WIDTH_SHARE, out);
	text_compare_add_cell(&r->head, &t->col[DIFF_SHARE_AFTER], &main[DIFF_SHARE_AFTER], WIDTH_SHARE, out);
	add_change_percent(c->by_cum ? flat : cum, out);
	buf_addz(out, "  ");
	text_add_name(&r->head, c->label[row], 0, out);
	buf_add(out, "\n", 1);
	buf_release(&change);
}

static void text_diff_add_rename(const struct compare_rename *n, struct buf *out)
{
	buf_addz(out, "renamed? ");
	utf8_add_safe(out, n->from, strlen(n->from));
	buf_addz(out, " -> ");
	utf8_add_safe(out, n->to, strlen(n->to));
	buf_addz(out, ": ");
	text_diff_add_share(n->share_before, out);
	buf_addz(out, " gone, ");
	text_diff_add_share(n->share_after, out);
	buf_addf(out, " new%s%s%s\n", n->same_callers ? ", same callers" : "", n->same_callees ? ", same callees" : "",
		 n->similar_name ? ", similar name" : "");
}

void text_draw_diff(const struct report *r, bool color, struct buf *out)
{
	const struct compare *c = r->head.compare;
	uint32_t main = c->by_cum ? DIFF_CUM_STATE - DIFF_STATE : 0;
	const struct diff_widths w = { .before = text_compare_width(r, main + DIFF_BEFORE, false, WIDTH_VALUE),
				       .after = text_compare_width(r, main + DIFF_AFTER, false, WIDTH_VALUE),
				       .change = text_compare_width(r, main + DIFF_DELTA, true, WIDTH_CHANGE) };

	text_diff_add_head(r, out);
	text_diff_add_titles(c->by_cum, &w, color, out);
	for (uint32_t i = 0; i < r->table.n_rows && !buf_is_stopped(); i++)
		text_diff_add_row(r, i, &w, color, out);
	for (uint32_t i = 0; i < c->n_renames; i++)
		text_diff_add_rename(&c->rename[i], out);
}

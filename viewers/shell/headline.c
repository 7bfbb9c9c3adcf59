/*
 * headline.c - what is shown of a profile and what is not, in one line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/headline.h"

#include "base/unit.h"
#include "report/diff.h"
#include "viewers/flame/flame.h"
#include "viewers/shell/shell_int.h"

#include <inttypes.h>
#include <math.h>

/* From the words of text to the number alone. */
enum wording { AS_TEXT, SHORT, SHORTER, SHORTEST, N_WORDINGS };

static void add_sum(const struct head *h, enum wording how, struct buf *out)
{
	if (how == AS_TEXT)
		buf_addz(out, "Showing nodes accounting for ");
	if (how < SHORTEST) {
		report_add_value(h, h->shown, out);
		buf_addz(out, ", ");
	}
	unit_add_percent_tight(out, h->shown, h->total);
	buf_addz(out, " of ");
	report_add_value(h, h->total, out);
	buf_addz(out, how < SHORTER ? " total" : "");
}

static void add_dropped(const struct head *h, enum wording how, struct buf *out)
{
	if (h->n_dropped == 0 || how == SHORTEST)
		return;
	buf_addf(out, how == AS_TEXT ? ". Dropped %" PRIu32 " node%s" : "; %" PRIu32 " node%s dropped", h->n_dropped,
		 h->n_dropped == 1 ? "" : "s");
	if (how > SHORT)
		return;
	buf_addz(out, " (cum <= ");
	report_add_value(h, h->dropped_cum, out);
	buf_addz(out, ")");
}

static void add_limit(const struct head *h, enum wording how, struct buf *out)
{
	if (how == SHORTEST || h->n_shown == 0 || h->n_shown >= h->n_before)
		return;
	buf_addf(out,
		 how == AS_TEXT ? ". Showing top %" PRIu32 " nodes out of %" PRIu32 : "; top %" PRIu32 " of %" PRIu32,
		 h->n_shown, h->n_before);
}

static void add_change(const struct head *h, int64_t before, int64_t after, struct buf *out)
{
	double percent = report_diff_percent(before, after);

	buf_addz(out, after > before ? "+" : "");
	report_add_value(h, after - before, out);
	if (!isnan(percent))
		buf_addf(out, " (%+.2f%%)", percent);
}

static void add_sides(const struct head *h, int64_t before, int64_t after, enum wording how, struct buf *out)
{
	if (how < SHORTEST) {
		buf_addz(out, how == AS_TEXT ? "Total: before " : "");
		report_add_value(h, before, out);
		buf_addz(out, how == AS_TEXT ? ", after " : " -> ");
		report_add_value(h, after, out);
		buf_addz(out, ", ");
	}
	add_change(h, before, after, out);
}

/* Append the line in the longest wording that fits; nothing when none does. */
static void add_fitting(const struct head *h, const int64_t sides[2], int columns, struct buf *out)
{
	struct buf line = { 0 };

	for (int how = AS_TEXT; how < N_WORDINGS; how++) {
		line.len = 0;
		if (sides)
			add_sides(h, sides[0], sides[1], how, &line);
		else
			add_sum(h, how, &line);
		if (sides || h->total) {
			add_dropped(h, how, &line);
			add_limit(h, how, &line);
		}
		if ((int64_t)flame_columns(buf_text(&line)) <= columns) {
			buf_addz(out, buf_text(&line));
			break;
		}
	}
	buf_release(&line);
}

void headline_add(const struct report *r, int columns, struct buf *out)
{
	add_fitting(&r->head, NULL, columns, out);
}

void headline_add_sides(const struct report *r, int64_t before, int64_t after, int columns, struct buf *out)
{
	add_fitting(&r->head, (const int64_t[2]){ before, after }, columns, out);
}

const char *headline_none(const struct shell *s, const struct head *h)
{
	bool is_empty = s->data->p->n_rows == 0;

	if (s->data->has_base && (is_empty || !h->n_filters)) /* what is equal is not among the differences */
		return "Nothing changed: before and after are equal.";
	if (is_empty)
		return "This profile has no samples.";
	if (h->n_filters)
		return "No sample is left by the filters; c shows them, u undoes the last one.";
	return "This profile has no samples with a value of this type; t shows other types.";
}

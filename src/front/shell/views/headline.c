/*
 * headline.c - one line that summarizes a view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/views/headline.h"

#include "base/columns.h"
#include "base/unit.h"
#include "report/diff.h"
#include "front/shell/widgets/number.h"
#include "front/shell/state.h"

#include <math.h>

/* Wordings of the line: the first is that of pprof, the next ones are shorter, the last has only the number. */
enum wording { AS_TEXT, SHORT, SHORTER, SHORTEST, MINIMAL, N_WORDINGS };

static void headline_add_sum(const struct head *h, enum wording wording, struct buf *out)
{
	if (wording == AS_TEXT)
		buf_addz(out, "Showing nodes accounting for ");
	if (wording < SHORTEST) {
		shell_number_add(h, h->shown, out);
		buf_addz(out, ", ");
	}
	unit_add_percent_trimmed(out, h->shown, h->total);
	buf_addz(out, " of ");
	shell_number_add(h, h->total, out);
	buf_addz(out, wording < SHORTER ? " total" : "");
}

/* CPU time that is in the total but in no row; in a comparison, its change. */
static void add_not_sampled(const struct head *h, bool sides, enum wording wording, struct buf *out)
{
	if (h->not_sampled == 0 || wording == MINIMAL)
		return;
	buf_addz(out, wording == AS_TEXT ? ". Not sampled: " : "; not sampled ");
	if (sides) {
		buf_addz(out, h->not_sampled > 0 ? "+" : "");
		shell_number_add(h, h->not_sampled, out);
		return;
	}
	if (wording < SHORTER) {
		shell_number_add(h, h->not_sampled, out);
		buf_addz(out, ", ");
	}
	unit_add_percent_trimmed(out, h->not_sampled, h->total);
}

static void add_dropped(const struct head *h, enum wording wording, struct buf *out)
{
	if (h->n_dropped == 0 || wording >= SHORTEST)
		return;
	buf_addf(out, wording == AS_TEXT ? ". Dropped %s node%s" : "; %s node%s dropped",
		 shell_number_count(h->n_dropped).text, h->n_dropped == 1 ? "" : "s");
	if (wording > SHORT)
		return;
	buf_addz(out, " (cum <= ");
	shell_number_add(h, h->dropped_cum, out);
	buf_addz(out, ")");
}

static void headline_add_limit(const struct head *h, enum wording wording, struct buf *out)
{
	if (wording >= SHORTEST || h->n_shown == 0 || h->n_shown >= h->n_before_limit)
		return;
	buf_addf(out, wording == AS_TEXT ? ". Showing top %s nodes out of %s" : "; top %s of %s",
		 shell_number_count(h->n_shown).text, shell_number_count(h->n_before_limit).text);
}

static void headline_add_change(const struct head *h, int64_t before, int64_t after, struct buf *out)
{
	double percent = report_diff_percent(before, after);

	buf_addz(out, after > before ? "+" : "");
	shell_number_add(h, after - before, out);
	if (!isnan(percent))
		buf_addf(out, " (%+.2f%%)", percent);
}

static void shell_headline_add_sides(const struct head *h, int64_t before, int64_t after, enum wording wording,
				     struct buf *out)
{
	if (wording < SHORTEST) {
		buf_addz(out, wording == AS_TEXT ? "Total: before " : "");
		shell_number_add(h, before, out);
		buf_addz(out, wording == AS_TEXT ? ", after " : " -> ");
		shell_number_add(h, after, out);
		buf_addz(out, ", ");
	}
	headline_add_change(h, before, after, out);
}

/* Append the line in the longest wording that fits; nothing if none fits. */
static void add_fitting(const struct head *h, const int64_t sides[2], int columns, struct buf *out)
{
	struct buf line = { 0 };

	for (int wording = AS_TEXT; wording < N_WORDINGS; wording++) {
		line.len = 0;
		if (sides)
			shell_headline_add_sides(h, sides[0], sides[1], wording, &line);
		else
			headline_add_sum(h, wording, &line);
		if (sides || h->total) {
			add_not_sampled(h, sides, wording, &line);
			add_dropped(h, wording, &line);
			headline_add_limit(h, wording, &line);
		}
		if ((int64_t)column_count(buf_text(&line)) <= columns) {
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

const char *headline_no_rows(const struct shell *s, const struct head *h)
{
	bool is_change = s->data->is_change || s->show_sides;
	bool is_empty = (is_change ? s->data->change : s->data->p)->n_rows == 0;

	if (is_change && (is_empty || !h->n_filters)) /* a difference without rows: all values are equal */
		return "Nothing changed: before and after are equal.";
	if (is_empty)
		return "This profile has no samples.";
	if (h->n_filters)
		return "All samples are filtered out; c shows the filters, u undoes the last one.";
	return "No sample has a value of this type; t shows other sample types.";
}

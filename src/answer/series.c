/*
 * series.c - draw totals over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/series.h"

#include "answer/draw.h"
#include "base/str.h"
#include "engine/query.h"
#include "viewers/svg/svg.h"
#include "viewers/text/text.h"

int answer_series_check(const struct query *q, struct err *err)
{
	if (*q->by && *q->function)
		return err_set(err, ERR_USAGE, "--by and --function exclude each other");
	if (q->plot && q->shape != FORMAT_TEXT)
		return err_set(err, ERR_USAGE, "--plot is text; omit --json, --csv and --markdown");
	return 0;
}

int answer_series(const struct report_type *t, struct series *s, const struct query *q, bool color, struct answer *out,
		  struct err *err)
{
	out->is_partial = s->is_partial;
	report_series_make(s, q, &out->report);
	if (ends_with(q->output, ".svg"))
		return svg_series_draw(&out->report, &out->text, err);
	if (q->plot)
		text_plot_series(&out->report, color, &out->text);
	else
		answer_draw(t, &out->report, q, color, &out->text);
	return 0;
}

/*
 * number.c - values and counts in the format of the full screen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/number.h"

#include "base/columns.h"
#include "base/num.h"
#include "base/unit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROUPED_FROM = 5 }; /* digits of a number with a unit; counts are grouped from 1,000 on */

struct count_text shell_number_count(uint64_t n)
{
	struct count_text out;
	struct buf text = { 0 };

	unit_add_count(&text, n);
	snprintf(out.text, sizeof(out.text), "%s", text.data);
	buf_release(&text);
	return out;
}

void shell_number_add(const struct head *h, int64_t value, struct buf *out)
{
	struct buf text = { 0 };
	size_t digits;

	report_add_value(h, value, &text);
	digits = strspn(buf_text(&text) + (value < 0), "0123456789");
	if (digits >= GROUPED_FROM || !buf_text(&text)[(value < 0) + digits])
		unit_add_grouped(out, buf_text(&text));
	else
		buf_addz(out, buf_text(&text));
	buf_release(&text);
}

/* The number of decimals that makes three digits; 0 for whole numbers and from three integer digits on. */
static int decimals_of(double v)
{
	v = fabs(v);
	if (v == floor(v))
		return 0;
	return v < 9.995 ? 2 : v < 99.95 ? 1 : 0;
}

void shell_number_add_brief(const struct head *h, int64_t value, struct buf *out)
{
	const char *unit;
	double v;

	if (strcmp(h->out_unit, "auto") == 0) {
		v = unit_scale(report_value(h, value), h->unit, "auto", &unit);
		if (*unit && v != 0) {
			buf_addf(out, "%.*f%s", decimals_of(v), v, unit);
			return;
		}
	}
	shell_number_add(h, value, out);
}

void shell_number_add_fitting(const struct head *h, int64_t value, int columns, struct buf *out)
{
	size_t from = out->len;

	shell_number_add(h, value, out);
	if ((int)column_count(buf_text(out) + from) <= columns)
		return;
	out->len = from;
	report_add_value(h, value, out);
}

int shell_number_width(const struct head *h, int64_t max)
{
	int width = 0;

	for (uint64_t v = num_abs(max); v > 0; v /= 3) { /* smaller values may be wider */
		struct buf text = { 0 };
		int columns;

		shell_number_add_brief(h, (int64_t)(v < INT64_MAX ? v : INT64_MAX), &text);
		columns = (int)column_count(buf_text(&text));
		width = columns > width ? columns : width;
		buf_release(&text);
	}
	return width;
}

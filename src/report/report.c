/*
 * report.c - the result as data
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/report.h"

#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"

#include <assert.h>
#include <string.h>

void report_release(struct report *r)
{
	arena_free(r->mem);
	*r = (struct report){ 0 };
}

bool report_has(const struct table *t, uint32_t row, uint32_t col)
{
	return !t->has || (t->has[col] & 1U << t->role[row]);
}

const char *report_role(const struct table *t, uint32_t row)
{
	static const char *const word[] = {
		[ROW_PLAIN] = "plain",     [ROW_CALLER] = "caller", [ROW_NODE] = "node",      [ROW_CALLEE] = "callee",
		[ROW_ROUTINE] = "routine", [ROW_LINE] = "line",     [ROW_INLINED] = "inlined"
	};

	assert(row < t->n_rows && t->role[row] < sizeof(word) / sizeof(word[0]));
	return word[t->role[row]];
}

int64_t report_value(const struct head *h, int64_t value)
{
	return h->ratio > 0 && h->ratio != 1 ? num_trunc((double)value * h->ratio) : value;
}

void report_add_value(const struct head *h, int64_t value, struct buf *out)
{
	unit_add_label(out, report_value(h, value), h->unit, h->out_unit);
}

/* Is this printable ASCII with at most three digits before anything else? Most values are, and stay as they are. */
static bool report_is_short_number(const char *text)
{
	const char *start = text, *end;

	while (*start && (*start < '0' || *start > '9'))
		start++;
	for (end = start; *end >= '0' && *end <= '9';)
		end++;
	while (*text >= 0x20 && *text < 0x7f)
		text++;
	return end - start <= 3 && !*text;
}

void report_add_grouped_value(const struct head *h, int64_t value, struct buf *out)
{
	struct buf raw = { 0 }, safe = { 0 };
	size_t start = out->len;

	report_add_value(h, value, out);
	if (report_is_short_number(out->data + start))
		return;
	buf_add(&raw, out->data + start, out->len - start);
	out->len = start;
	utf8_add_safe(&safe, buf_text(&raw), raw.len);
	unit_add_grouped(out, buf_text(&safe));
	buf_release(&raw);
	buf_release(&safe);
}

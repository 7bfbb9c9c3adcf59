/*
 * tag_range.c - ranges of numbers that labels are compared with
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/tag_range.h"

#include "base/unit.h"

#include <math.h>
#include <string.h>

/* One number with its unit. */
struct token {
	int64_t value;
	bool is_huge;
	const char *unit;
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return (c | 32) >= 'a' && (c | 32) <= 'z';
}

/* Read [+-]?DIGITS LETTERS; moves *s behind it. */
static bool token(const char **s, const char *end, struct arena *mem, struct token *out)
{
	const char *c = *s, *unit;
	bool negative = c < end && *c == '-';
	struct token t = { 0 };
	int64_t v = 0; /* negative, which reaches further */

	if (c < end && (*c == '-' || *c == '+'))
		c++;
	if (c == end || !is_digit(*c))
		return false;
	for (; c < end && is_digit(*c); c++)
		t.is_huge |= __builtin_mul_overflow(v, 10, &v) || __builtin_sub_overflow(v, *c - '0', &v);
	t.is_huge |= !negative && v == INT64_MIN;
	t.value = negative || t.is_huge ? v : -v;
	for (unit = c; c < end && is_letter(*c); c++)
		;
	t.unit = arena_strndup(mem, unit, (size_t)(c - unit));
	*s = c;
	*out = t;
	return true;
}

static int too_large(const char *text, size_t n, struct err *err)
{
	return err_set(err, ERR_USAGE, "the range %.*s has a number that leaves 64 bits", (int)n, text);
}

/* Put the second value behind the first; gives 1 when it is of another kind. */
static int close_range(const struct token *t, struct tag_range *r)
{
	const char *unit;

	r->hi = unit_scale(t->value, t->unit, r->unit, &unit);
	return strcmp(unit, r->unit) != 0;
}

int tag_range_parse(const char *text, size_t n, struct arena *mem, struct tag_range *out, struct err *err)
{
	const char *s = text, *end = text + n;
	bool open_below = n && *s == ':', colon;
	struct tag_range r = { .lo = -INFINITY, .hi = INFINITY };
	struct token first, second = { 0 };
	double value;

	s += open_below;
	if (!token(&s, end, mem, &first))
		return 1;
	colon = !open_below && s < end && *s == ':';
	s += colon;
	if (colon && s < end)
		token(&s, end, mem, &second);
	if (s != end)
		return 1;
	if (first.is_huge || second.is_huge)
		return too_large(text, n, err);
	value = unit_scale(first.value, first.unit, first.unit, &r.unit);
	if (open_below) {
		r.hi = value;
	} else {
		r.lo = value;
		if (!colon)
			r.hi = value;
		else if (second.unit && close_range(&second, &r))
			return 1;
	}
	*out = r;
	return 0;
}

bool tag_range_has(const struct tag_range *r, int64_t value, const char *unit)
{
	const char *scaled_unit;
	double v = unit_scale(value, unit, r->unit, &scaled_unit);

	return strcmp(scaled_unit, r->unit) == 0 && v >= r->lo && v <= r->hi;
}

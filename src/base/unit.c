/*
 * unit.c - units of measurement
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"

#include "base/num.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

struct unit_name {
	const char *canonical;
	double factor;
	const char *alias[5];
};

struct unit_family {
	const char *base; /* default unit, with its factor below */
	double base_factor;
	struct unit_name unit[10];
};

static const struct unit_family families[] = {
	{ "B",
	  1,
	  { { "B", 0x1p0, { "b", "byte" } },
	    { "kB", 0x1p10, { "kb", "kbyte", "kilobyte" } },
	    { "MB", 0x1p20, { "mb", "mbyte", "megabyte" } },
	    { "GB", 0x1p30, { "gb", "gbyte", "gigabyte" } },
	    { "TB", 0x1p40, { "tb", "tbyte", "terabyte" } },
	    { "PB", 0x1p50, { "pb", "pbyte", "petabyte" } } } },
	{ "s",
	  1e9,
	  { { "ns", 1, { "ns", "nanosecond" } },
	    { "us", 1e3, { "\xce\xbcs", "\xce\x9cs", "\xc2\xb5s", "us", "microsecond" } }, /* mu, capital mu, micro */
	    { "ms", 1e6, { "ms", "millisecond" } },
	    { "s", 1e9, { "s", "sec", "second" } },
	    { "hrs", 3.6e12, { "hour", "hr" } } } },
	{ "GCU",
	  1,
	  { { "n*GCU", 1e-9, { "nanogcu" } },
	    { "u*GCU", 1e-6, { "microgcu" } },
	    { "m*GCU", 1e-3, { "milligcu" } },
	    { "GCU", 1, { "gcu" } },
	    { "k*GCU", 1e3, { "kilogcu" } },
	    { "M*GCU", 1e6, { "megagcu" } },
	    { "G*GCU", 1e9, { "gigagcu" } },
	    { "T*GCU", 1e12, { "teragcu" } },
	    { "P*GCU", 1e15, { "petagcu" } } } },
};

enum { N_FAMILIES = sizeof(families) / sizeof(families[0]), N_UNITS = 10, N_ALIASES = 5, UNIT_MAX = 24 };

/* Fold a unit to lower case and remove a trailing s after two bytes. False when it cannot be a unit. */
static bool unit_fold(const char *unit, char out[UNIT_MAX])
{
	size_t n = strlen(unit);

	if (n == 0 || n >= UNIT_MAX)
		return false;
	for (size_t i = 0; i <= n; i++)
		out[i] = unit[i] >= 'A' && unit[i] <= 'Z' ? (char)(unit[i] - 'A' + 'a') : unit[i];
	if (n > 2 && out[n - 1] == 's' && (unsigned char)out[n - 2] < 0x80)
		out[n - 1] = 0;
	return true;
}

/* Most names differ in their first byte. */
static bool unit_equals(const char *a, const char *b)
{
	return a[0] == b[0] && strcmp(a, b) == 0;
}

/* Find a unit by canonical name, case-sensitive since m*GCU and M*GCU differ, or by alias in lower case. */
static const struct unit_name *unit_in(const struct unit_family *f, const char *unit, const char *folded)
{
	for (size_t u = 0; u < N_UNITS && f->unit[u].canonical; u++)
		if (unit_equals(f->unit[u].canonical, unit))
			return &f->unit[u];
	for (size_t u = 0; u < N_UNITS && f->unit[u].canonical; u++)
		for (size_t a = 0; a < N_ALIASES && f->unit[u].alias[a]; a++)
			if (unit_equals(f->unit[u].alias[a], folded))
				return &f->unit[u];
	return NULL;
}

static const struct unit_name *unit_search(const char *unit, const char *folded, const struct unit_family **family)
{
	static const uint8_t order[N_FAMILIES] = { 1, 0, 2 }; /* most values are times */

	*family = NULL;
	for (size_t f = 0; f < N_FAMILIES; f++) {
		const struct unit_name *u = unit_in(&families[order[f]], unit, folded);

		if (u) {
			*family = &families[order[f]];
			return u;
		}
	}
	return NULL;
}

struct unit_found {
	char unit[UNIT_MAX];
	const struct unit_name *name;
	const struct unit_family *family;
};

/* Find a unit; NULL if it is unknown. Values of a report are converted between the same two units, so these are stored. */
static const struct unit_name *unit_lookup(const char *unit, const struct unit_family **family)
{
	static _Thread_local struct unit_found last[2];
	static _Thread_local unsigned n_searches;
	struct unit_found *found = unit_equals(last[0].unit, unit) ? &last[0] : &last[1];
	char folded[UNIT_MAX];

	*family = NULL;
	if (!*unit || !unit_equals(found->unit, unit)) {
		if (!unit_fold(unit, folded))
			return NULL;
		found = &last[n_searches++ % 2];
		memcpy(found->unit, unit, strlen(unit) + 1);
		found->name = unit_search(unit, folded, &found->family);
	}
	*family = found->family;
	return found->name;
}

const struct unit_family *unit_find(const char *unit, double *factor)
{
	const struct unit_family *family;
	const struct unit_name *u = unit_lookup(unit, &family);

	if (u && factor)
		*factor = u->factor;
	return family;
}

static double unit_auto(const struct unit_family *f, double value, const char **unit)
{
	const struct unit_name *best = NULL;

	for (size_t u = 0; u < N_UNITS && f->unit[u].canonical; u++)
		if (value / f->unit[u].factor >= 1.0 && (!best || f->unit[u].factor >= best->factor))
			best = &f->unit[u];
	*unit = best ? best->canonical : f->base;
	return value / (best ? best->factor : f->base_factor);
}

static bool unit_is_auto(const char *to)
{
	return strcmp(to, "minimum") == 0 || strcmp(to, "auto") == 0;
}

static bool unit_is_count(const char *to)
{
	return strcmp(to, "count") == 0 || strcmp(to, "sample") == 0 || strcmp(to, "unit") == 0;
}

/* The unit of an option, where MiB is another name of MB; copied to out if it is. */
static const char *unit_wanted(const char *unit, char out[UNIT_MAX])
{
	if (strlen(unit) != 3 || !strchr("kKMGTP", unit[0]) || unit[1] != 'i' || unit[2] != 'B')
		return unit;
	snprintf(out, UNIT_MAX, "%cB", unit[0]);
	return out;
}

bool unit_is_choice(const char *unit)
{
	char plain[UNIT_MAX];

	unit = unit_wanted(unit, plain);
	return !*unit || unit_is_auto(unit) || unit_is_count(unit) || unit_find(unit, NULL);
}

void unit_add_choices(struct buf *b)
{
	for (size_t f = 0; f < N_FAMILIES; f++)
		for (size_t u = 0; u < N_UNITS && families[f].unit[u].canonical; u++)
			buf_addf(b, "%s%s", f + u ? ", " : "", families[f].unit[u].canonical);
}

double unit_scale(int64_t value, const char *from, const char *to, const char **unit)
{
	const struct unit_family *family, *to_family;
	const struct unit_name *u, *target;
	char plain[UNIT_MAX];
	double v;

	if (value < 0 && value != INT64_MIN)
		return -unit_scale(-value, from, to, unit);
	u = unit_lookup(from, &family);
	if (!u) {
		*unit = unit_is_auto(to) || unit_is_count(to) ? "" : to;
		return (double)value;
	}
	v = (double)value * u->factor;
	if (unit_is_auto(to))
		return unit_auto(family, v, unit);
	target = unit_lookup(unit_wanted(to, plain), &to_family);
	if (to_family != family) {
		*unit = family->base;
		return v / family->base_factor;
	}
	*unit = target->canonical;
	return v / target->factor;
}

void unit_add_label(struct buf *b, int64_t value, const char *from, const char *to)
{
	const char *unit;
	double v = unit_scale(value, from, to, &unit);
	char text[NUM_FIXED_SIZE];
	size_t n = (size_t)(num_put_fixed(text, v, 2) - text);

	if (n > 3 && memcmp(text + n - 3, ".00", 3) == 0)
		n -= 3;
	if (text[n - 1] == '0' && (n == 1 || (n == 2 && text[0] == '-'))) {
		buf_add(b, "0", 1);
		return;
	}
	buf_add(b, text, n);
	buf_addz(b, unit);
}

void unit_add_grouped(struct buf *b, const char *number)
{
	size_t sign = strcspn(number, "0123456789"), n = strspn(number + sign, "0123456789");

	buf_add(b, number, sign);
	number += sign;
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_addz(b, ",");
		buf_add(b, &number[i], 1);
	}
	buf_addz(b, number + n);
}

void unit_add_count(struct buf *b, uint64_t n)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, n);
	unit_add_grouped(b, digits);
}

double unit_percent(int64_t value, int64_t total)
{
	return total ? fabs((double)value / (double)total) * 100 : 0;
}

/* Append p >= 0.0001 as "%5.2f%%" does from 1, and as "%5.2g%%" does below. */
static void unit_add_fixed_share(struct buf *b, double p)
{
	char text[NUM_FIXED_SIZE];
	char *end = num_put_fixed(text, p, p >= 0.1 ? 2 : p >= 0.01 ? 3 : p >= 0.001 ? 4 : 5);

	while (p < 1 && end[-1] == '0')
		end--;
	if (p < 1 && end[-1] == '.')
		end--;
	buf_fill(b, ' ', end - text < 5 ? 5 - (size_t)(end - text) : 0);
	*end++ = '%';
	buf_add(b, text, (size_t)(end - text));
}

void unit_add_share(struct buf *b, double p)
{
	if (p >= 99.95 && p <= 100.05)
		buf_addz(b, "  100%");
	else if (p == 0 && !signbit(p))
		buf_addz(b, "    0%");
	else if (p >= 0.0001)
		unit_add_fixed_share(b, p);
	else
		buf_addf(b, "%5.2g%%", p);
}

void unit_add_percent(struct buf *b, int64_t value, int64_t total)
{
	unit_add_share(b, unit_percent(value, total));
}

void unit_add_percent_trimmed(struct buf *b, int64_t value, int64_t total)
{
	size_t start = b->len, spaces = 0;

	unit_add_percent(b, value, total);
	while (b->data[start + spaces] == ' ')
		spaces++;
	b->len -= spaces;
	memmove(b->data + start, b->data + start + spaces, b->len - start + 1);
}

bool unit_is_compatible(const char *a, const char *b)
{
	const struct unit_family *f = unit_find(a, NULL);

	return strcmp(a, b) == 0 || (f && f == unit_find(b, NULL));
}

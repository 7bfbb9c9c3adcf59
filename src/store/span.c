/*
 * span.c - times and spans as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/span.h"

#include <inttypes.h>
#include <stdbool.h>
#include <time.h>

#define SECOND_NS INT64_C(1000000000)

/* Whole seconds, rounded down, and the nanoseconds that remain. */
static time_t span_split(int64_t ns, struct tm *tm, int64_t *fraction)
{
	time_t t;

	*fraction = ns % SECOND_NS;
	if (*fraction < 0)
		*fraction += SECOND_NS;
	t = (time_t)((ns - *fraction) / SECOND_NS);
	gmtime_r(&t, tm);
	return t;
}

void store_print_time(int64_t ns, struct buf *out)
{
	struct tm tm;
	int64_t fraction;
	int digits = 9;

	span_split(ns, &tm, &fraction);
	buf_addf(out, "%04d-%02d-%02dT%02d:%02d:%02d", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
		 tm.tm_min, tm.tm_sec);
	for (; fraction && fraction % 10 == 0; digits--)
		fraction /= 10;
	if (fraction)
		buf_addf(out, ".%0*" PRId64, digits, fraction);
	buf_addz(out, "Z");
}

/* Append the hour and minute; the second too if it is wanted. */
static void span_print_clock(const struct tm *tm, bool with_seconds, struct buf *out)
{
	buf_addf(out, "%02d:%02d", tm->tm_hour, tm->tm_min);
	if (with_seconds)
		buf_addf(out, ":%02d", tm->tm_sec);
}

void store_print_span(int64_t t0, int64_t t1, struct buf *out)
{
	struct tm a, b;
	int64_t fraction;
	bool seconds;

	if (t0 == INT64_MIN || t1 == INT64_MAX) {
		buf_addz(out, "all times");
		return;
	}
	span_split(t0, &a, &fraction);
	span_split(t1, &b, &fraction);
	seconds = a.tm_sec || b.tm_sec;
	buf_addf(out, "%04d-%02d-%02d ", a.tm_year + 1900, a.tm_mon + 1, a.tm_mday);
	span_print_clock(&a, seconds, out);
	buf_addz(out, "..");
	if (a.tm_year != b.tm_year || a.tm_yday != b.tm_yday)
		buf_addf(out, "%04d-%02d-%02d ", b.tm_year + 1900, b.tm_mon + 1, b.tm_mday);
	span_print_clock(&b, seconds, out);
	buf_addz(out, " UTC");
}

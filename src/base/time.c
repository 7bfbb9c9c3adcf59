/*
 * time.c - clocks, and the formats of times and durations
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#define _GNU_SOURCE /* strptime */
#include "config.h"

#include "base/time.h"

#include "base/num.h"

#include <inttypes.h>
#include <string.h>
#include <stdbool.h>
#include <stdio.h>

static int64_t time_read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * NS_PER_S + t.tv_nsec;
}

int64_t clock_mono_ns(void)
{
	return time_read_clock(CLOCK_MONOTONIC);
}

int64_t clock_mono_ms(void)
{
	return clock_mono_ns() / NS_PER_MS;
}

int64_t clock_boot_ns(void)
{
	return time_read_clock(CLOCK_BOOTTIME);
}

int64_t clock_wall_ns(void)
{
	return time_read_clock(CLOCK_REALTIME);
}

int64_t clock_cpu_ns(void)
{
	return time_read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* The whole second of a time; sets the nanoseconds that remain. */
static time_t time_floor(int64_t ns, int64_t *fraction)
{
	*fraction = ns % NS_PER_S + (ns % NS_PER_S < 0 ? NS_PER_S : 0);
	return (time_t)(ns / NS_PER_S - (ns % NS_PER_S < 0));
}

int64_t time_split(int64_t ns, struct tm *utc)
{
	int64_t fraction;
	time_t s = time_floor(ns, &fraction);

	gmtime_r(&s, utc);
	return fraction;
}

static void time_add_format(struct buf *out, const struct tm *tm, const char *format)
{
	char text[80];

	if (strftime(text, sizeof(text), format, tm))
		buf_addz(out, text);
}

void time_add_utc(struct buf *out, int64_t ns, const char *format)
{
	struct tm tm = { 0 };

	time_split(ns, &tm);
	time_add_format(out, &tm, format);
}

void time_add_local(struct buf *out, int64_t ns, const char *format)
{
	struct tm tm = { 0 };
	int64_t fraction;
	time_t s = time_floor(ns, &fraction);

	if (localtime_r(&s, &tm))
		time_add_format(out, &tm, format);
}

void time_add_fraction(struct buf *out, int64_t ns)
{
	int64_t fraction;
	int digits = 9;

	time_floor(ns, &fraction);
	for (; fraction && fraction % 10 == 0; digits--)
		fraction /= 10;
	if (fraction)
		buf_addf(out, ".%0*" PRId64, digits, fraction);
}

void time_add_exact(struct buf *out, int64_t ns)
{
	time_add_utc(out, ns, "%Y-%m-%dT%H:%M:%S");
	time_add_fraction(out, ns);
	buf_addz(out, "Z");
}

/* Parse a zone after a time: Z or +01:00. Returns false if it is none. */
static bool time_parse_zone(const char *text, int64_t *seconds)
{
	int hours, minutes, n = 0;

	*seconds = 0;
	if (strcmp(text, "Z") == 0)
		return true;
	if ((*text != '+' && *text != '-') || sscanf(text + 1, "%2d:%2d%n", &hours, &minutes, &n) != 2 || n != 5 ||
	    text[6])
		return false;
	*seconds = (*text == '-' ? -1 : 1) * (hours * INT64_C(3600) + minutes * 60);
	return true;
}

bool time_parse_exact(const char *text, size_t n, int64_t *ns)
{
	struct tm tm = { 0 };
	char copy[64] = { 0 };
	const char *rest;
	int64_t fraction = 0, zone, seconds;

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	rest = strptime(copy, "%Y-%m-%dT%H:%M:%S", &tm);
	if (!rest)
		return false;
	if (*rest == '.')
		for (int64_t unit = NS_PER_S / 10; *++rest >= '0' && *rest <= '9'; unit /= 10)
			fraction += unit * (*rest - '0');
	if (!time_parse_zone(rest, &zone))
		return false;
	seconds = (int64_t)timegm(&tm) - zone;
	if (seconds < 0 || seconds >= INT64_MAX / NS_PER_S)
		return false;
	*ns = seconds * NS_PER_S + fraction;
	return true;
}

void time_add_duration(struct buf *out, int64_t ns)
{
	static const struct {
		const char *name;
		int64_t ns;
	} units[] = { { "d", NS_PER_DAY }, { "h", NS_PER_HOUR }, { "m", NS_PER_MINUTE },
		      { "s", NS_PER_S },   { "ms", NS_PER_MS },  { "us", NS_PER_US } };

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (ns % units[i].ns == 0) {
			buf_addf(out, "%" PRId64 "%s", ns / units[i].ns, units[i].name);
			return;
		}
	buf_addf(out, "%" PRId64 "ns", ns);
}

void time_add_go_duration(struct buf *out, int64_t ns)
{
	static const struct {
		uint64_t ns;
		const char *name;
	} units[] = { { NS_PER_S, "s" }, { NS_PER_MS, "ms" }, { NS_PER_US, "\302\265s" }, { 1, "ns" } };
	uint64_t v = num_abs(ns), s = v / NS_PER_S;
	unsigned u = 0;

	while (u < 3 && v < units[u].ns)
		u++;
	if (ns < 0)
		buf_addz(out, "-");
	if (s >= S_PER_HOUR)
		buf_addf(out, "%" PRIu64 "h", s / S_PER_HOUR);
	if (s >= 60)
		buf_addf(out, "%" PRIu64 "m", s / 60 % 60);
	buf_addf(out, "%" PRIu64, u == 0 ? s % 60 : v / units[u].ns);
	if (v % units[u].ns) {
		char digits[24]; /* a leading 1 preserves the zeros after the point */
		int n = snprintf(digits, sizeof(digits), "%" PRIu64, units[u].ns + v % units[u].ns);

		while (digits[n - 1] == '0')
			digits[--n] = 0;
		buf_addf(out, ".%s", digits + 1);
	}
	buf_addz(out, units[u].name);
}

/* Append the hour and minute; the second too if it is wanted. */
static void time_add_clock(struct buf *out, const struct tm *tm, bool with_seconds)
{
	buf_addf(out, "%02d:%02d", tm->tm_hour, tm->tm_min);
	if (with_seconds)
		buf_addf(out, ":%02d", tm->tm_sec);
}

void time_add_span(struct buf *out, int64_t t0, int64_t t1)
{
	struct tm a, b;
	bool seconds;

	if (t0 == INT64_MIN || t1 == INT64_MAX) {
		buf_addz(out, "all times");
		return;
	}
	time_split(t0, &a);
	time_split(t1, &b);
	seconds = a.tm_sec || b.tm_sec;
	buf_addf(out, "%04d-%02d-%02d ", a.tm_year + 1900, a.tm_mon + 1, a.tm_mday);
	time_add_clock(out, &a, seconds);
	buf_addz(out, "..");
	if (a.tm_year != b.tm_year || a.tm_yday != b.tm_yday)
		buf_addf(out, "%04d-%02d-%02d ", b.tm_year + 1900, b.tm_mon + 1, b.tm_mday);
	time_add_clock(out, &b, seconds);
	buf_addz(out, " UTC");
}

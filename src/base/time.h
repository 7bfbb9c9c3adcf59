/*
 * time.h - clocks, units of time, and the formats of times and durations
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef BASE_TIME_H
#define BASE_TIME_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#define NS_PER_US INT64_C(1000)
#define NS_PER_MS INT64_C(1000000)
#define NS_PER_S INT64_C(1000000000)
#define NS_PER_MINUTE (60 * NS_PER_S)
#define NS_PER_HOUR (60 * NS_PER_MINUTE)
#define NS_PER_DAY (24 * NS_PER_HOUR)
#define NS_PER_WEEK (7 * NS_PER_DAY)

enum { S_PER_HOUR = 3600, S_PER_DAY = 24 * S_PER_HOUR };

/* Nanoseconds since boot, without the time in which the machine was suspended. Never steps. */
int64_t clock_mono_ns(void);

/* The same in milliseconds. */
int64_t clock_mono_ms(void);

/* Like clock_mono_ns, with the time in which the machine was suspended. */
int64_t clock_boot_ns(void);

/* Nanoseconds since 1970. May step. */
int64_t clock_wall_ns(void);

/* CPU time of this thread. */
int64_t clock_cpu_ns(void);

/* Formats of time_add_utc. */
#define TIME_ISO "%Y-%m-%dT%H:%M:%SZ"
#define TIME_SPACED "%Y-%m-%d %H:%M:%S"

/* Split a time into its whole second, in UTC, and the nanoseconds of the second that have passed, which are returned. */
int64_t time_split(int64_t ns, struct tm *utc);

/* Append a time in UTC as strftime formats it. ns: since 1970 */
void time_add_utc(struct buf *out, int64_t ns, const char *format);

/* Like time_add_utc, in the local time zone. */
void time_add_local(struct buf *out, int64_t ns, const char *format);

/* Append the fraction of the second, without trailing zeros: ".25", and nothing for a whole second. */
void time_add_fraction(struct buf *out, int64_t ns);

/* Append a time with its fraction of a second: "2026-11-22T14:00:00.25Z". */
void time_add_exact(struct buf *out, int64_t ns);

/* Parse n bytes of a time of RFC 3339, with a fraction of a second or without, and the zone Z or +01:00. Returns false if it is none, or
   not between 1970 and 2262. ns: since 1970; digits after the ninth are ignored */
bool time_parse_exact(const char *text, size_t n, int64_t *ns);

/* Append a span of time for people: "2026-11-22 14:00..15:00 UTC", or "all times" where it is open. */
void time_add_span(struct buf *out, int64_t t0, int64_t t1);

/* Append a duration in the largest unit of which it is a multiple: "5m". */
void time_add_duration(struct buf *out, int64_t ns);

/* Append a duration as Go prints it: "4h35m2.83s", "1.5ms". */
void time_add_go_duration(struct buf *out, int64_t ns);

#endif

/*
 * schedule.h - when the kinds of a target are scraped, and what happens after failures
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Slot n of a kind begins at n * every + offset, in ns since 1970. The offset is a hash of the key of the target, so
 * that restarts keep the schedule and targets are spread. Kinds with the same interval share the offset: the first
 * (captures first) begins the slot, and the others follow on the same connection.
 *
 * Nothing here reads a clock. Times are wall-clock time, as given by the caller, which waits with CLOCK_BOOTTIME.
 */
#ifndef SCRAPE_SCHEDULE_H
#define SCRAPE_SCHEDULE_H

#include "scrape/scrape_config.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The result of a request. */
enum scrape_result {
	SCRAPE_OK,
	SCRAPE_UNREACHABLE, /* no connection, reset, name not found, time limit, status 5xx */
	SCRAPE_BUSY,        /* status 500 with X-Go-Pprof: 1: another CPU profile is being taken */
	SCRAPE_MISSING,     /* 404 */
	SCRAPE_REFUSED,     /* 401, 403 */
	SCRAPE_THROTTLED,   /* 429, or 503 with Retry-After */
	SCRAPE_DROPPED,     /* too large, not a profile, another kind, out of limits, another status */
	SCRAPE_CANCELLED,   /* ended by the collector itself */
	N_SCRAPE_RESULTS
};

/* "ok", "unreachable", ...: for metrics and the status page. */
const char *scrape_result_name(enum scrape_result r);

/* The result for a status of HTTP; 0 for no response. */
enum scrape_result scrape_result_of_status(long status, bool has_go_pprof, bool has_retry_after);

struct scrape_kind_schedule {
	int64_t offset_ns;    /* of slots */
	int64_t slot_ns;      /* start of the pending slot */
	int64_t retry_ns;     /* 0, or the time of the retry in this slot (SCRAPE_BUSY) */
	int64_t off_until_ns; /* no slot before this time; 0 for none */
	uint32_t n_failures;  /* in a row */
	bool has_retried;
	enum scrape_result last;
	uint64_t n_ok, n_missed;
};

struct scrape_schedule {
	struct scrape_kind *kind;           /* [n] a copy */
	struct scrape_kind_schedule *state; /* [n] */
	size_t n;
	uint64_t hash;   /* of the key of the target */
	bool is_running; /* a request is running, of the kind running */
	size_t running;
	int64_t day;      /* since 1970, of n_bytes */
	uint64_t n_bytes; /* received today, compressed */
	int64_t begin_ns; /* of the running or last request */
};

enum { SCRAPE_DAY_BYTES_MAX = 64 << 20 }; /* of a target; above it every second slot is skipped */

/* at_once: the first slot of every kind begins now. */
void scrape_schedule_init(struct scrape_schedule *s, const char *key, const struct scrape_kind *kind, size_t n,
			  int64_t now_ns, bool at_once);
void scrape_schedule_release(struct scrape_schedule *s);

/* Use other kinds, after a reload. Kinds with the same name and interval keep their state. */
void scrape_schedule_change(struct scrape_schedule *s, const struct scrape_kind *kind, size_t n, int64_t now_ns);

/*
 * The next request: *kind, and the time at which it begins; not after now_ns: now. INT64_MAX while a request is running, or
 * without kinds. Slots that cannot begin within a fifth of the interval (at most 30 s) are missed: they are counted and
 * skipped.
 */
int64_t scrape_schedule_next(struct scrape_schedule *s, int64_t now_ns, size_t *kind);

/* The request of a kind begins. Returns the lateness in ns: the time since the slot was due. */
int64_t scrape_schedule_begin(struct scrape_schedule *s, size_t kind, int64_t now_ns);

/*
 * The running request has ended.
 *
 * retry_after_ns  of a Retry-After header; 0 for none
 * bytes           received
 */
void scrape_schedule_end(struct scrape_schedule *s, int64_t now_ns, enum scrape_result result, int64_t retry_after_ns,
			 uint64_t bytes);

/* For one round of all kinds: those that are not done (by index) begin now, since a capture that failed takes no time. */
void scrape_schedule_hurry(struct scrape_schedule *s, uint64_t done, int64_t now_ns);

/* The time at which a profile of kind i is expected: the end of its running or next capture. */
int64_t scrape_schedule_expect(const struct scrape_schedule *s, size_t i, int64_t now_ns);

/* The wall clock was set: it differs from CLOCK_BOOTTIME by delta_ns more than before. now_ns is the new time. */
void scrape_schedule_step(struct scrape_schedule *s, int64_t now_ns, int64_t delta_ns);

/* Finds steps of the wall clock. */
struct scrape_clock {
	int64_t difference_ns; /* wall clock minus CLOCK_BOOTTIME */
	bool is_set;
};

/* The step since the last call if it is at least a second, else 0. */
int64_t scrape_clock_check(struct scrape_clock *c, int64_t wall_ns, int64_t boot_ns);

/* Limits the starts of all targets to twice their average number, at least 20 per second. */
struct scrape_rate {
	double per_second, tokens;
	int64_t last_ns;
};

/* starts_per_second: the average, without limit. */
void scrape_rate_set(struct scrape_rate *r, double starts_per_second);

/* May a request start now? If not, *wait_ns is the time until then. boot_ns: of CLOCK_BOOTTIME. */
bool scrape_rate_take(struct scrape_rate *r, int64_t boot_ns, int64_t *wait_ns);

/* Starts per second of these kinds. */
double scrape_schedule_rate(const struct scrape_schedule *s);

#endif

/*
 * stats.h - counters of the collector
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SCRAPE_STATS_H
#define SCRAPE_STATS_H

#include "base/buf.h"
#include "scrape/schedule.h"

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

/* Reasons for which a profile was not stored. */
enum scrape_drop {
	SCRAPE_DROP_SIZE,    /* too large */
	SCRAPE_DROP_FORMAT,  /* not a profile */
	SCRAPE_DROP_KIND,    /* another kind */
	SCRAPE_DROP_LIMIT,   /* too many stacks or series, values that are negative or overflow */
	SCRAPE_DROP_TIME,    /* outside the window of times */
	SCRAPE_DROP_ROOM,    /* no room under the cap */
	SCRAPE_DROP_STORAGE, /* could not be written */
	SCRAPE_DROP_DAY,     /* the target exceeded its bytes of a day */
	N_SCRAPE_DROPS
};

enum scrape_histogram { SCRAPE_SECONDS, SCRAPE_START_DELAY, SCRAPE_ACK, N_SCRAPE_HISTOGRAMS };
enum { SCRAPE_BUCKETS = 14, SCRAPE_STATS_KINDS = 64, SCRAPE_STATS_NAME = 32 };

struct scrape_kind_stats {
	char name[SCRAPE_STATS_NAME];
	uint64_t result[N_SCRAPE_RESULTS]; /* of requests */
	uint64_t n_profiles;               /* stored */
};

/* Zero-initialised, except lock. */
struct scrape_stats {
	pthread_mutex_t lock;
	struct scrape_kind_stats kind[SCRAPE_STATS_KINDS]; /* [n_kinds]; the last one is "other" when all are used */
	size_t n_kinds;
	uint64_t n_dropped[N_SCRAPE_DROPS], n_duplicates;
	uint64_t n_missed, n_clock_steps, n_pushes, n_push_errors, n_received; /* n_received: bytes */
	struct {
		uint64_t bucket[SCRAPE_BUCKETS + 1], n;
		double sum;
	} histogram[N_SCRAPE_HISTOGRAMS];
	int64_t last_profile_ns; /* wall clock of the last one that was stored */
};

/* Any thread may call these. */
void scrape_stats_request(struct scrape_stats *s, const char *kind, enum scrape_result result, int64_t took_ns,
			  uint64_t bytes);
void scrape_stats_profile(struct scrape_stats *s, const char *kind, bool is_duplicate, int64_t now_ns);
void scrape_stats_drop(struct scrape_stats *s, enum scrape_drop reason);
void scrape_stats_time(struct scrape_stats *s, enum scrape_histogram h, int64_t ns);
void scrape_stats_push(struct scrape_stats *s, bool is_error);
void scrape_stats_clock_step(struct scrape_stats *s);

/* Append these counters in the text format of Prometheus. */
void scrape_stats_add_metrics(struct scrape_stats *s, struct buf *out);

/* Append a metric with its help and type: "# HELP", "# TYPE". */
void scrape_stats_add_head(struct buf *out, const char *name, const char *type, const char *help);

/* Append the value of a label in quotes. */
void scrape_stats_add_value(struct buf *out, const char *text);

/* Append CPU time, memory, descriptors and start of this process. */
void scrape_stats_add_process(struct buf *out);

#endif

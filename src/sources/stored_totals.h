/*
 * stored_totals.h - totals of a query of a store over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SOURCES_STORED_TOTALS_H
#define SOURCES_STORED_TOTALS_H

#include "base/err.h"
#include "base/stop.h"
#include "profile/temporality.h"
#include "store/store.h"

#include <stddef.h>
#include <stdint.h>

enum { STORED_STEPS_MAX = 100000 };

/* Between the names of several labels, and between their values. */
#define STORED_SEPARATOR '\n'

struct stored_type {
	const char *name, *unit;
	enum temporality temporality;
	int64_t window; /* total of the window; that of a gauge is not the sum of the steps, nor their mean */
};

/* The series with one value of a label, or all of them. */
struct stored_group {
	const char *value; /* "" for series without the label */
	int64_t **total;   /* [n_types][n_steps] */
};

/*
 * Totals per step [t0 + i * step_ns, t0 + (i + 1) * step_ns), equal to those of the profile that store_read makes of the step:
 * the sum of a delta, of a gauge the means of the instances, added up, and the increase of a cumulative type, which is 0
 * until stored_totals_read_increase. A sum beyond int64_t is INT64_MAX.
 */
struct stored_totals {
	unsigned tiers;       /* 1 << tier for each that was read */
	struct arena *memory; /* of names, values and profiles */
	int64_t t0, step_ns;
	uint32_t n_steps;
	struct stored_type *type; /* [n_types] */
	uint32_t n_types;
	struct stored_group *group; /* [n_groups] sorted by value */
	size_t n_groups;
	uint64_t *profiles;   /* [n_steps] */
	uint32_t *instances;  /* [n_steps] of which there are profiles */
	uint64_t n_instances; /* in the window */
	size_t n_series;      /* with profiles in the window */
	struct buf builds;    /* see store_sum */
};

/*
 * Add up the profiles of a query. No samples are read, except those of blocks that are in several steps.
 *
 * q      t0 < t1 and step_ns > 0, with at most STORED_STEPS_MAX steps
 * by     label whose values make groups, or several, not for stored_totals_read_increase; NULL: one group
 * out    released with stored_totals_release, also after a failure
 * Fails  as store_totals; ERR_USAGE for too many steps
 */
int stored_totals_read(struct store *s, const struct store_query *q, const char *by, struct stop *stop,
		       struct stored_totals *out, struct err *err);
void stored_totals_release(struct stored_totals *t);

/* The type with this name; the last one, which is the default of a profile, if there is none. 0 without types. */
uint32_t stored_totals_find(const struct stored_totals *t, const char *name);

/* Add the totals of a cumulative type: its profiles are read. q and by are those of stored_totals_read. */
int stored_totals_read_increase(struct store *s, const struct store_query *q, const char *by, struct stop *stop,
				uint32_t type, struct stored_totals *out, struct err *err);

/* The query of the profiles of a step. Counters of a process that started in the window begin at 0 in all steps. */
struct store_query stored_step_query(const struct store_query *q, const struct stored_totals *t, uint32_t step);

#endif

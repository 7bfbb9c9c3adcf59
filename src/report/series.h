/*
 * series.h - totals over time, and the report of them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_SERIES_H
#define REPORT_SERIES_H

#include "base/buf.h"
#include "engine/query.h"
#include "report/report.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A column of values. */
struct series_values {
	const char *name; /* value of the label; "" for samples without it */
	const char *key;  /* KEY=VALUE */
	const char *title;
	int64_t *value; /* [n_steps] */
	int64_t total;
};

/* Totals per step [t0 + i * step_ns, t0 + (i + 1) * step_ns). Everything is in mem. */
struct series {
	struct arena *mem;
	const char *type, *unit;
	int64_t t0, duration_ns, step_ns;
	uint32_t n_steps;
	int64_t *total;               /* [n_steps] */
	int64_t *n_samples;           /* [n_steps] */
	uint64_t *profiles;           /* [n_steps] */
	uint32_t *instances;          /* [n_steps] */
	int64_t window;               /* total of all steps; not their sum if is_mean */
	bool is_mean, is_partial;     /* is_partial: something could not be read */
	bool has_samples;             /* are there values of n_samples? */
	struct series_values *column; /* [n_columns] flat and cum, or the values of a label; owned */
	size_t n_columns, cap_columns;
	const char **mark;      /* [n_steps] NULL if there are none */
	const char *comment[2]; /* a line about the profiles, and the source */
};

/*
 * Make the report.
 *
 * s       out takes over its memory
 * out     released with report_release
 */
void report_series_make(struct series *s, const struct query *q, struct report *out);

void report_series_release(struct series *s);

#endif

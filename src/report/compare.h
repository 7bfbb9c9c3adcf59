/*
 * compare.h - facts about a comparison besides its table
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include "engine/stats/change.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Columns of diff. */
enum diff_col {
	DIFF_NAME,
	DIFF_FILE,
	DIFF_STATE,
	DIFF_BEFORE,
	DIFF_AFTER,
	DIFF_DELTA,
	DIFF_DELTA_PCT,
	DIFF_SHARE_BEFORE,
	DIFF_SHARE_AFTER,
	DIFF_CUM_STATE,
	DIFF_CUM_BEFORE,
	DIFF_CUM_AFTER,
	DIFF_CUM_DELTA,
	DIFF_CUM_DELTA_PCT,
	DIFF_CUM_SHARE_BEFORE,
	DIFF_CUM_SHARE_AFTER,
	DIFF_COLS
};

/* Columns of trend: up to TREND_SLOPE_STEP always, TREND_SLOPE_HOUR if times are known, the others with statistics. */
enum trend_col {
	TREND_NAME,
	TREND_FILE,
	TREND_FIRST,
	TREND_LAST,
	TREND_DELTA,
	TREND_DELTA_PCT,
	TREND_SHARE_LAST,
	TREND_STEPS_GROWN,
	TREND_SLOPE_STEP,
	TREND_SLOPE_HOUR,
	TREND_DAY,
	TREND_DAY_LO,
	TREND_DAY_HI,
	TREND_OVER_TIME,
	TREND_SINCE,
	TREND_SINCE_LO,
	TREND_SINCE_HI,
	TREND_SINCE_PCT,
	TREND_COLS
};

/* The cycle that is removed before values are compared over time. */
enum trend_cycle { TREND_CYCLE_NONE, TREND_CYCLE_HOURS, TREND_CYCLE_WEEKENDS };

/* Result of the statistics for the values of a row over time. Slopes are per day. */
struct over_time_change {
	bool is_tested;
	struct stats_change found;
	double median;            /* of all values */
	int64_t at, at_lo, at_hi; /* starts of steps: the first with the new level, and the interval; 0 without one */
};

/* Statistics of a trend over time. */
struct over_time {
	uint32_t n_steps, n_left_out; /* steps compared, and those shorter than the others */
	int64_t step_ns, span_ns;
	enum trend_cycle cycle;
	bool is_stored;     /* are they steps of a store? */
	bool has_too_many;  /* too many steps for statistics */
	bool has_no_values; /* the values of functions were not stored */
	int64_t advice_ns;  /* for too few steps: a shorter one that could show a change; 0 if there is none */
	struct over_time_change total, *row; /* [n_rows] by row of the trend; NULL for too few steps */
	uint32_t n_rows, n_tested;
};

/* The stored profiles of a side. */
struct side_traffic {
	uint64_t profiles, samples; /* samples: 0 if the kind does not count them */
	uint32_t instances;
	int64_t covered_ns; /* sum of the durations; 0 if unknown */
	uint32_t n_versions;
	const char **version; /* [n_versions] labels of this name */
};

/* Build ids of the program; only set if there are several. Strings are untrusted. */
struct side_builds {
	const char **id; /* [n] */
	size_t n;
};

/* One side of a comparison, or one profile of a trend. Strings are untrusted; "" if unknown. */
struct compare_side {
	const char *const *source; /* [n_sources] */
	size_t n_sources;
	const char *file, *build_id, *host;
	int64_t time_ns, duration_ns; /* 0 if unknown */
	int64_t total;                /* total in the unit of the report */
	struct side_builds builds;
	const struct side_traffic *traffic; /* NULL: the side is not stored */
};

/* A removed and an added function that may be the same, with the reasons. */
struct compare_rename {
	const char *from, *to;
	double share_before, share_after; /* cum in percent of the total */
	bool same_callers, same_callees, similar_name;
};

enum { COMPARE_RENAMES_MAX = 5 };

struct compare {
	struct compare_side before, after;          /* the two sides; in a trend, the first and the last profile */
	bool is_series;                             /* is it a trend, from the first to the last of several profiles? */
	size_t n_profiles;                          /* number of profiles of a trend; 2 for a diff */
	const char *normalize;                      /* mode of --normalize, including the label key for label=KEY */
	double factor;                              /* factor by which values of the new side were multiplied */
	bool by_period;                             /* the factor includes the ratio of the periods */
	bool by_cum;                                /* rows are sorted by cum */
	double matched_before, matched_after;       /* percent of each side's flat in rows that both sides have */
	uint32_t n_omitted;                         /* number of rows with a value that are not shown */
	int64_t omitted_increase, omitted_decrease; /* sums of flat increases, decreases in those rows */
	uint32_t n_renames;
	struct compare_rename rename[COMPARE_RENAMES_MAX];
	int64_t total_slope;          /* trend: slope of the total; per hour if times are known, else per step */
	bool all;                     /* trend: include rows that fell in a step, or did not grow */
	bool has_times;               /* trend: times are known and increase */
	const struct over_time *time; /* trend: NULL without statistics */
	const char *const *label;     /* [rows] names for the text table, with the file where names are ambiguous */
};

#endif

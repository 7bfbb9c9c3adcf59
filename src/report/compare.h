/*
 * compare.h - facts about a comparison besides its table
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

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

/* Columns of trend; the last one only if times are known. */
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
	TREND_COLS
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
	int64_t total_slope;      /* trend: slope of the total; per hour if times are known, else per step */
	bool all;                 /* trend: include rows that did not grow in every step */
	bool has_times;           /* trend: times are known and increase */
	const char *const *label; /* [rows] names for the text table, with the file where names are ambiguous */
};

#endif

/*
 * compare.h - what a comparison says besides its table
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

/* Columns of trend; the last one only where times are known. */
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

/* One side, or one profile of a row of them. Texts are hostile; "" when unknown. */
struct compare_side {
	const char *const *source; /* [n_sources] */
	size_t n_sources;
	const char *file, *build_id, *host;
	int64_t time_ns, duration_ns; /* 0 when unknown */
	int64_t total;                /* in the unit of the report */
};

/* A function that went and one that came, and why they may be one. */
struct compare_rename {
	const char *from, *to;
	double share_before, share_after; /* percent of cum */
	bool same_callers, same_callees, near_name;
};

enum { COMPARE_RENAMES = 5 };

struct compare {
	struct compare_side before, after;      /* of a trend: the first and the last profile */
	bool is_series;                         /* a trend: before is the first of many profiles, after the last */
	size_t n_profiles;                      /* of a trend; 2 for a diff */
	const char *normalize;                  /* as in --normalize, with the label */
	double factor;                          /* what values of the new side were multiplied by */
	bool by_period;                         /* part of the factor is the ratio of the periods */
	bool by_cum;                            /* rows are in the order of cum */
	double matched_before, matched_after;   /* percent of a side's flat in rows that both have */
	uint32_t n_left_out;                    /* rows that are not shown, though they have a value */
	int64_t left_out_grew, left_out_shrank; /* sums of the changes of flat of those */
	uint32_t n_renames;
	struct compare_rename rename[COMPARE_RENAMES];
	int64_t total_slope;      /* trend: of the total, per hour with times, else per step */
	bool all;                 /* trend: also rows that did not grow in every step */
	bool has_times;           /* trend: times are known and rise */
	const char *const *label; /* [rows] names for a table of text, with the file where it takes that */
};

#endif

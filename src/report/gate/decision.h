/*
 * decision.h - state of a gate while it decides
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_DECISION_H
#define REPORT_GATE_DECISION_H

#include "engine/stats/stats.h"
#include "report/gate/gate_int.h"

enum { DECISION_NOTE, DECISION_WARNING, N_DECISION_LISTS };

/* Sums of a function on both sides, including those of base functions that were renamed to it. */
struct decision_sum {
	double cum[N_SIDES], flat[N_SIDES];
	double cum_var[N_SIDES], flat_var[N_SIDES];
};

/* A row of the result. */
struct decision_row {
	struct gate_row shown;
	uint32_t index;      /* index of the row in rows and judged */
	bool is_hidden;      /* is it neither tested nor over its budget? */
	bool is_over_budget; /* is its share certainly larger than its budget? */
};

struct decision {
	const struct gate_sums *s;
	const struct gate_rows *rows;
	const struct stats_summary *judged;
	const struct gate_options *options;
	struct gate *out;
	struct decision_sum *sum; /* [s->n_funcs] */
	struct decision_row *row; /* [n_rows] */
	uint32_t n_rows;
	struct gate_message *message[N_DECISION_LISTS];
	size_t n_messages[N_DECISION_LISTS], cap_messages[N_DECISION_LISTS];
	struct stats_power power; /* power of this comparison; its noise depends on the share */
	double null_ratio;        /* ratio of the null hypothesis: 1, or 1 + limit */
	bool has_no_power;        /* no regression can be detected */
};

/* Format or copy a string into the memory of the result. */
const char *decision_text(struct decision *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *decision_copy(struct decision *d, const char *s);

/* Add a note or a warning to a list. */
void decision_add_message(struct decision *d, int list, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/*
 * Judge a row of exact counts: FAIL if every run of new exceeds every run of the base by more than the limit and by at
 * least 3. If there are several runs and the sides overlap, the verdict of the test remains.
 */
void decision_judge_exact(struct decision *d, struct decision_row *r);

/* Judge new functions, and compare the shares of functions with their budgets. */
void decision_check_shares(struct decision *d);

/* For each side, the share of samples whose leaf function also exists on the other side, possibly renamed. */
void decision_common_shares(const struct decision *d, double share[N_SIDES]);

/* Find the largest share of samples in a binary without function names, which is treated as one function; 0 if there is
 * no such binary. */
double decision_nameless_share(const struct decision *d, uint32_t *func, int *side);

/* The reason why one pair of profiles of this kind proves nothing, whatever the p-values; NULL if there is none. */
const char *decision_unreliable(const struct decision *d);

/*
 * The reason why no row can fail: the shares of preempted samples show that only one profile is from a busy machine,
 * and preemption is not proportional to where a program spends its time. NULL if there is no reason.
 */
const char *decision_contention(struct decision *d);

/* Did programs wait for a processor for so much of the time that one pair proves nothing? */
bool decision_is_busy(const struct decision *d);

/* CPU time per wall-clock time of a side; 0 if unknown. */
double decision_utilisation(const struct decision *d, int side);

/* Median of n numbers, or fallback if n is 0. Sorts a. */
double decision_median(double *a, size_t n, double fallback);

/* Find the smallest detectable changes, and the number of samples that the gate would need. */
void decision_find_power(struct decision *d);

/* The smallest ratio detected with a power of 80 % in a function with this share; INFINITY if none is. */
double decision_power_ratio(const struct decision *d, double share);

/* Samples per side: the harmonic mean of both sides. */
double decision_samples(const struct decision *d);

/* Find the outcome of the gate, and the missing data. Needs the verdicts of the rows and the power. */
void decision_find_outcome(struct decision *d);
void decision_add_warnings(struct decision *d);
void decision_add_notes(struct decision *d);

#endif

/*
 * decision.h - the answer of a gate while it is made
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_DECISION_H
#define REPORT_GATE_DECISION_H

#include "report/gate/gate_int.h"

enum { DECISION_NOTE, DECISION_WARNING, N_DECISION_LISTS };

/* Sums of a function on both sides, with those of the functions of the base that were renamed to it. */
struct decision_sum {
	double cum[N_STATS_SIDES], flat[N_STATS_SIDES];
	double cum_var[N_STATS_SIDES], flat_var[N_STATS_SIDES];
};

/* A row of the answer. */
struct decision_row {
	struct gate_row shown;
	uint32_t at;    /* index of its row in rows and judged */
	bool is_hidden; /* neither tested nor over its budget */
};

struct decision {
	const struct gate_sums *s;
	const struct gate_rows *rows;
	const struct stats_judged *judged;
	const struct gate_options *options;
	struct gate *out;
	struct decision_sum *sum; /* [s->n_funcs] */
	struct decision_row *row; /* [n_rows] */
	uint32_t n_rows;
	struct gate_message *message[N_DECISION_LISTS];
	size_t n_messages[N_DECISION_LISTS], cap_messages[N_DECISION_LISTS];
};

/* Text that lives as long as the answer. */
const char *decision_text(struct decision *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *decision_copy(struct decision *d, const char *s);

/* Add a note or a warning to a list. */
void decision_add_message(struct decision *d, int list, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Check the shares of functions against --max-new and budgets. */
void decision_check_shares(struct decision *d);

/* For each side, the share of its samples whose leaf functions occur on the other side too, also under another name. */
void decision_common_shares(const struct decision *d, double share[N_STATS_SIDES]);

/* The reason why one pair of such profiles proves nothing, whatever its p-values; NULL for none. */
const char *decision_unsure(const struct decision *d);

/*
 * The reason why no row can fail when, by their shares of preempted samples, one profile is of a busy machine and the
 * other of a quiet one: a program is not preempted where it spends its time. NULL for none.
 */
const char *decision_contention(struct decision *d);

/* The median of n numbers, which are sorted; otherwise for none. */
double decision_median(double *a, size_t n, double otherwise);

/* Find the smallest changes that the gate could have caught, and the number of samples that it would need. */
void decision_find_power(struct decision *d);
void decision_add_warnings(struct decision *d);
void decision_add_notes(struct decision *d);

#endif

/*
 * decide_int.h - an answer of a gate while it is being made
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_DECIDE_INT_H
#define REPORT_GATE_DECIDE_INT_H

#include "report/gate/gate_int.h"

enum { DECIDE_NOTE, DECIDE_WARNING, N_DECIDE_LISTS };

/* What a function has on both sides, with those of the base that were renamed to it. */
struct decide_sum {
	double cum[N_STATS_SIDES], flat[N_STATS_SIDES];
	double cum_var[N_STATS_SIDES], flat_var[N_STATS_SIDES];
};

/* A row of the answer. */
struct decide_row {
	struct gate_row shown;
	uint32_t at;    /* of the rows that were judged */
	bool is_hidden; /* neither tested nor over its budget */
};

struct deciding {
	const struct gate_sums *s;
	const struct gate_rows *rows;
	const struct stats_judged *judged;
	const struct gate_options *options;
	struct gate *out;
	struct decide_sum *sum; /* [s->n_funcs] */
	struct decide_row *row; /* [n_rows] */
	uint32_t n_rows;
	struct gate_message *message[N_DECIDE_LISTS];
	size_t n_messages[N_DECIDE_LISTS], cap_messages[N_DECIDE_LISTS];
};

/* Text that lives as long as the answer. */
const char *decide_text(struct deciding *d, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
const char *decide_copy(struct deciding *d, const char *s);

/* Add a note or a warning. */
void decide_say(struct deciding *d, int list, const char *id, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Rows, and what the tests say of them. */
void decide_tested(struct deciding *d);
/* --max-new and budgets: shares that are known by themselves. */
void decide_shares(struct deciding *d);
/* --runtime=warn, what one pair cannot tell, and allow lines: they make verdicts milder. */
void decide_mercy(struct deciding *d);

/* The part of the samples of each side that are in functions, by themselves, which the other has, too. */
void decide_common(const struct deciding *d, double share[N_STATS_SIDES]);

/* Why one pair of such profiles proves nothing, whatever its p-values; NULL when it may. */
const char *decide_unsure(const struct deciding *d);

/*
 * Why a pair of one profile of a busy machine and one of a quiet one, by the share of samples that were preempted,
 * cannot fail: where a program can be preempted is not where it spends its time. NULL when that is no matter.
 */
const char *decide_contention(struct deciding *d);

/* What could have been seen, and what would be needed. */
void decide_power(struct deciding *d);
void decide_warnings(struct deciding *d);
void decide_notes(struct deciding *d);

#endif

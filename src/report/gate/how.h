/*
 * how.h - what a gate is asked: its options and the lines of its file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_HOW_H
#define REPORT_GATE_HOW_H

#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "engine/query.h"
#include "engine/stats/judge.h"

#include <stdbool.h>
#include <stdint.h>

enum gate_normalize { GATE_BULK, GATE_REST, GATE_WORK, GATE_NONE, GATE_DURATION, GATE_SHARE };

/* A line of the file, or an option that says the same. */
enum gate_rule_kind { GATE_LIMIT, GATE_ALLOW, GATE_BUDGET, GATE_ONLY, GATE_NOISE, GATE_RENAME };

struct gate_rule {
	enum gate_rule_kind kind;
	struct regex *regex;
	const char *pattern;
	double amount;      /* of limit, budget, noise: 0.5 is 50 % */
	const char *to;     /* of rename: with $1 */
	const char *reason; /* of allow; "" when none is given */
	const char *until;  /* of allow: "2026-12-31"; "" for no end */
	bool is_expired;    /* it does not hold any more */
	const char *file;   /* where it stands: "gate.cpa"; "--limit" for an option */
	uint32_t line;      /* 0 for an option */
	uint32_t n_used;    /* rows it was heeded for */
};

struct gate_how {
	double threshold;            /* 0.2 */
	double confidence;           /* 0.99 */
	double alpha, alpha_suspect; /* after --look: 0.01 and 0.1 */
	bool strict;                 /* --evidence=threshold */
	enum gate_normalize normalize;
	double work[N_STATS_SIDES]; /* 0 when not given */
	double min_share, min_samples;
	double noise; /* 0.02 */
	enum stats_adjust adjust;
	bool has_need;
	double need_share, need_ratio;
	double max_new;       /* 0 for no limit; 0 % is a billionth */
	unsigned look, looks; /* 1 of 1 */
	bool exact_names, warn_runtime;
	int inconclusive;       /* the exit status: 0, 1 or 3 */
	struct regex *fold;     /* leaf frames that belong to their callers; NULL for none */
	bool has_own_fold;      /* not those of preemption and profiler */
	struct gate_rule *rule; /* [n_rules] options behind those of the file, so that they win */
	size_t n_rules, cap_rules;
	struct arena *mem; /* texts */
};

/*
 * Understand the options of a gate and read the file that --config names. Without the option no file is read.
 * What the command line gives wins over what the file says.
 *
 * today   "2026-11-22", for until=; NULL takes the clock
 * out     released with gate_how_release, also after a failure
 * Fails   ERR_USAGE naming the option, or file and line; ERR_IO
 */
int gate_how_make(const struct query *q, const char *today, struct gate_how *out, struct err *err);
void gate_how_release(struct gate_how *how);

/* "bulk", "rest" ... */
const char *gate_normalize_word(enum gate_normalize n);

/*
 * A share or change as people write it: "20%" or "0.2". A bare number above 1 is neither.
 *
 * what    what the sentence begins with: "--threshold="
 * Fails   ERR_USAGE
 */
int gate_percent(const char *text, const char *what, double *out, struct err *err);

#endif

/*
 * options.h - the options of a gate and the lines of its file
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_OPTIONS_H
#define REPORT_GATE_OPTIONS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/regex.h"
#include "engine/query.h"
#include "engine/stats/judge.h"

#include <stdbool.h>
#include <stdint.h>

enum gate_normalize { GATE_BULK, GATE_REST, GATE_WORK, GATE_NONE, GATE_DURATION, GATE_SHARE };

/* A line of the file, or the option with the same meaning. */
enum gate_rule_kind { GATE_LIMIT, GATE_ALLOW, GATE_BUDGET, GATE_ONLY, GATE_NOISE, GATE_RENAME };

struct gate_rule {
	enum gate_rule_kind kind;
	struct regex *regex;
	const char *pattern;
	double amount;      /* of limit, budget, noise: 0.5 is 50 % */
	const char *to;     /* of rename: with $1 */
	const char *reason; /* of allow; "" when none is given */
	const char *until;  /* of allow: "2026-12-31"; "" for no end */
	bool is_expired;    /* its last day is over */
	const char *file;   /* that has the line: "gate.cpa"; "--limit" for an option */
	uint32_t line;      /* 0 for an option */
	uint32_t n_used;    /* rows that it was applied to */
};

struct gate_options {
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
	bool has_own_fold;      /* fold is not the preset, which has the frames of preemption and of profilers */
	struct gate_rule *rule; /* [n_rules] those of options after those of the file, so that they win */
	size_t n_rules, cap_rules;
	struct arena *mem; /* texts */
};

/*
 * Parse the options of a gate and read the file that --config names. Without the option no file is read. The command
 * line wins over the file.
 *
 * today   "2026-11-22", for until=; NULL for the date of the clock
 * out     released with gate_options_release, also after a failure
 * Fails   ERR_USAGE naming the option, or file and line; ERR_IO
 */
int gate_options_make(const struct query *q, const char *today, struct gate_options *out, struct err *err);
void gate_options_release(struct gate_options *options);

/* "bulk", "rest" ... */
const char *gate_normalize_word(enum gate_normalize n);

/*
 * Parse a share or a change: "20%" or "0.2". A number above 1 needs the % sign.
 *
 * what    first words of the error: "--threshold="
 * Fails   ERR_USAGE
 */
int gate_percent(const char *text, const char *what, double *out, struct err *err);

/*
 * Set an option that a line of the file can set too: threshold, confidence, ...
 *
 * name    as in the table of options, with - for _
 * what    first words of an error: "--threshold=" or "threshold "
 * Fails   ERR_USAGE; ERR_UNKNOWN without a message for an option that a file cannot set
 */
int gate_options_set(struct gate_options *options, const char *name, const char *what, const char *value,
		     struct err *err);

/*
 * Compile the expression of a rule and add it. That of GATE_RENAME has to match the whole name.
 *
 * rule    all but regex; texts are copied
 * Fails   ERR_USAGE with the message of the expression
 */
int gate_options_add_rule(struct gate_options *options, struct gate_rule rule, struct err *err);

/* Parse the amount of a limit, budget or noise. Fails as gate_percent, and for an amount out of range. */
int gate_options_amount(enum gate_rule_kind kind, const char *text, const char *what, double *out, struct err *err);

/*
 * Read the lines of a gate.cpa.
 *
 * text    n bytes
 * name    of the file, for errors
 * today   "2026-11-22"
 * Fails   ERR_USAGE, naming file and line; ERR_LIMIT
 */
int gate_config_read(struct gate_options *options, const char *text, size_t n, const char *name, const char *today,
		     struct err *err);

#endif

/*
 * options.h - options of a gate and lines of gate.cpa
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_OPTIONS_H
#define REPORT_GATE_OPTIONS_H

#include "base/err.h"
#include "base/regex.h"
#include "engine/stats/judge.h"

#include <stdbool.h>
#include <stdint.h>

struct query;

enum gate_normalize { GATE_BULK, GATE_REST, GATE_WORK, GATE_NONE, GATE_DURATION, GATE_SHARE };

/* Functions of runtimes, libc and the kernel that may fail: all but schedulers and garbage collectors, all, or none. */
enum gate_runtime { GATE_RUNTIME_WORK, GATE_RUNTIME_FAIL, GATE_RUNTIME_WARN };

/* A line of gate.cpa, or the equivalent option. */
enum gate_rule_kind { GATE_LIMIT, GATE_ALLOW, GATE_BUDGET, GATE_ONLY, GATE_NOISE, GATE_RENAME };

struct gate_rule {
	enum gate_rule_kind kind;
	struct regex *regex;
	const char *pattern;
	double amount;      /* amount of limit, budget and noise; 0.5 is 50 % */
	const char *to;     /* new name of rename; may contain $1 */
	const char *reason; /* reason of allow; "" for none */
	const char *until;  /* last day of allow, such as "2026-12-31"; "" for no end */
	bool is_expired;    /* is until in the past? */
	const char *file;   /* name of the file: "gate.cpa"; "--limit" for an option */
	uint32_t line;      /* line number; 0 for an option */
	uint32_t n_used;    /* number of rows to which it was applied */
};

struct gate_options {
	double threshold;            /* 0.2 */
	double confidence;           /* 0.99 */
	double alpha, alpha_suspect; /* significance levels, divided by --look, such as 0.01 and 0.1 */
	bool strict;                 /* --evidence=threshold */
	enum gate_normalize normalize;
	bool has_normalize;   /* was normalize given? If not, the kind of values may select another value */
	double work[N_SIDES]; /* work of each side; 0 if not given */
	double min_share, min_samples;
	double noise; /* 0.02 */
	enum stats_adjust adjust;
	bool has_need; /* was need given? If not, need_share and need_ratio are defaults */
	double need_share, need_ratio;
	double max_new;       /* new functions with a larger share are judged; such as 0.05; 0 % is stored as 1e-9 */
	unsigned look, looks; /* 1 of 1 */
	bool exact_names;
	enum gate_runtime runtime;
	int inconclusive;       /* exit status: 0, 1 or 3 */
	struct regex *fold;     /* leaf frames that are charged to their callers; NULL for none */
	bool has_own_fold;      /* was fold set? The default matches frames of preemption and of profilers */
	struct gate_rule *rule; /* [n_rules] rules; those of options are last, so they take precedence */
	size_t n_rules, cap_rules;
	struct arena *mem; /* memory of strings */
};

/*
 * Parse the options of a gate and read the file given by --config, if any. The command line overrides the file.
 *
 * today   "2026-11-22", for until=; NULL for the date of the clock
 * out     released with gate_options_release, even after a failure
 * Fails   ERR_USAGE with the option, or file and line; ERR_IO
 */
int gate_options_make(const struct query *q, const char *today, struct gate_options *out, struct err *err);
void gate_options_release(struct gate_options *options);

/* "bulk", "rest" ... */
const char *gate_normalize_word(enum gate_normalize n);

/*
 * Set an option that the file can set, too: threshold, confidence, ...
 *
 * name    as in the table of options, with - instead of _
 * prefix    start of the error message: "--threshold=" or "threshold "
 * Fails   ERR_USAGE; ERR_UNKNOWN without a message for an option that a file cannot set
 */
int gate_options_set(struct gate_options *options, const char *name, const char *prefix, const char *value,
		     struct err *err);

/*
 * Compile the expression of a rule and add the rule. The expression of GATE_RENAME must match the whole name.
 *
 * rule    everything except regex; strings are copied
 * Fails   ERR_USAGE with the message of the regex parser
 */
int gate_options_add_rule(struct gate_options *options, struct gate_rule rule, struct err *err);

/* Parse the amount of a limit, budget or noise. Fails as gate_parse_percent, and if the amount is out of range. */
int gate_options_parse_amount(enum gate_rule_kind kind, const char *text, const char *prefix, double *out,
			      struct err *err);

/*
 * Read the lines of a gate.cpa.
 *
 * text    n bytes
 * name    name of the file, for error messages
 * today   "2026-11-22"
 * Fails   ERR_USAGE with file and line; ERR_LIMIT
 */
int gate_config_read(struct gate_options *options, const char *text, size_t n, const char *name, const char *today,
		     struct err *err);

#endif

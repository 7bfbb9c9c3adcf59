/*
 * gate_int.h - between the steps of a gate: sums, rows, verdicts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_GATE_INT_H
#define REPORT_GATE_GATE_INT_H

#include "report/gate/gate.h"

/* Where a value's sampling error comes from. */
enum gate_error {
	GATE_POISSON, /* plain counts, and weights of single samples */
	GATE_HEAP,    /* scaled up by the rate of a heap profile */
	GATE_DELAY,   /* heavy tails within a record: never FAIL on one pair */
	GATE_CENSUS,  /* everything that was there at one moment: only replicates tell */
};

/* A file that was taken in. */
struct gate_file {
	enum stats_side side;
	const char *source;
	double value, var; /* totals */
	double seconds;
	double preempted; /* value of samples that were folded */
	int64_t period, time_ns;
	double cpu_seconds; /* values in nanoseconds of CPU time, for utilisation; 0 when unknown */
	const char *build_id, *host, *binary;
	uint32_t n_parts; /* of the functions that occur in it */
	const struct gate_part {
		uint32_t func;
		double cum, flat;
	} * part; /* [n_parts] by func */
};

/* A function of any of the files: canonical name and file. */
struct gate_func {
	const char *name, *file;
	int64_t line;
	double cum[N_STATS_SIDES], flat[N_STATS_SIDES]; /* V */
	double cum_var[N_STATS_SIDES], flat_var[N_STATS_SIDES];
	uint32_t is; /* the function that it counts for; its own number unless it was renamed */
};

/* A stack, functions leaf first, each as often as it stands there; equal ones of all files are one. */
struct gate_paths {
	uint32_t n;
	const uint32_t *off;                                     /* [n + 1] */
	const uint32_t *func;                                    /* [off[n]] */
	const double *value[N_STATS_SIDES], *var[N_STATS_SIDES]; /* [n] */
};

struct gate_sums {
	const struct gate_options *options;
	enum gate_error error;
	const char *type, *unit, *period_unit;
	uint32_t n_files;
	const struct gate_file *file; /* in the order they were taken in */
	uint32_t n_funcs;
	struct gate_func *func;
	struct gate_paths paths;
	double total[N_STATS_SIDES], var[N_STATS_SIDES];
	struct arena *mem;
};

/* What has been taken in. Borrowed from s. */
const struct gate_sums *gate_sum_all(struct gate_sum *s);

enum { GATE_NO_FUNC = UINT32_MAX };

/*
 * Rows, functions whose samples are nearly the same merged: on both sides together at most 5 % of them differ, and
 * on neither more than 10 %, so that what only one side has is never merged with what both have. Of such a chain of
 * calls the function is named that is nearest to the leaf and of the program's own code (function_is_own), or nearest to
 * the leaf when none is; its samples are the row's.
 */
struct gate_rows {
	uint32_t n;
	struct gate_source {
		enum gate_kind kind;
		uint32_t func; /* of all aliases the one that is named; GATE_NO_FUNC for a total */
		uint32_t n_aliases;
		const uint32_t *alias; /* from the leaf to the root */
	} * source;                    /* [n] */
	const uint32_t *was;           /* [functions] the one that was renamed to it, else GATE_NO_FUNC */
	struct stats_counts counts;    /* rows in the same order; a total is a row of all classes */
};

/*
 * What is tested, and what serves as reference only (counts.row_is_tested): functions that no `gate` line names, and
 * those below the floors that have a budget. Counts what limit, noise and gate lines were heeded for.
 *
 * mem    owns the result
 * Fails  ERR_LIMIT when there are more than can be judged
 */
int gate_rows_make(const struct gate_sums *s, struct arena *mem, struct gate_rows *out, struct err *err);

/* Does a line of the file mean this row? Its expression is matched against the names and files of the function, its
   aliases and what they were called in the base; a total is called "total". */
bool gate_rule_fits(const struct gate_rule *rule, const struct gate_sums *s, const struct gate_rows *rows,
		    uint32_t row);

/* Let functions of the base count for those of new that they were renamed to: --rename has done its part before.
   Sets func[].is; names suggestions. */
void gate_find_renames(struct gate_sums *s, struct arena *mem, struct gate *out);

/* Verdicts, notes, warnings, power: everything of out that is not known yet. */
void gate_decide(const struct gate_sums *s, const struct gate_rows *rows, const struct stats_judged *judged,
		 struct gate *out);

#endif

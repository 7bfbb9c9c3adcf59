/*
 * gate_int.h - data shared by the steps of a gate: sums, rows, verdicts
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef REPORT_GATE_GATE_INT_H
#define REPORT_GATE_GATE_INT_H

#include "profile/profile.h"
#include "report/gate/gate.h"

/* The source of the sampling error of values. */
enum gate_error {
	GATE_POISSON, /* counts, and weights of single samples */
	GATE_HEAP,    /* values of a heap profile, scaled up by its sampling rate */
	GATE_DELAY,   /* delays with a heavy-tailed distribution: never FAIL on one pair */
	GATE_CENSUS,  /* exact counts at one moment: only several runs show the variation */
};

/* An added file. */
struct gate_file {
	enum side side;
	const char *source;
	uint64_t content;  /* hash of the bytes of the file; 0 if unknown */
	double value, var; /* totals */
	double seconds;
	double preempted; /* sum of the values of samples with a folded leaf */
	int64_t period, time_ns;
	double busy;        /* share of the time in which programs waited for a processor; 0 if unknown */
	double cpu_seconds; /* CPU time of all samples, for utilisation; 0 if unknown */
	const char *build_id, *host, *binary;
	struct side_builds builds;
	uint32_t n_parts; /* number of functions that occur in the file */
	const struct gate_part {
		uint32_t func;
		double cum, flat;
	} * part; /* [n_parts] sums, sorted by func */
};

/* A function of any file, with its canonical name. */
struct gate_func {
	const char *name, *file;
	int64_t line;
	double cum[N_SIDES], flat[N_SIDES]; /* V */
	double cum_var[N_SIDES], flat_var[N_SIDES];
	uint32_t canonical; /* index of the function that it was renamed to; its own index if it was not */
};

/* Distinct stacks of a file, as in its profile. */
struct gate_stacks {
	enum side side;
	struct stack_lists stacks; /* owned by the profile */
	struct csr funcs;          /* functions of each location, innermost inlined call first */
	const double *value, *var; /* [stacks.n] sums per stack; 0 for stacks that the query excludes */
};

struct gate_sums {
	const struct gate_options *options;
	enum gate_error error;
	bool is_time;                /* samples of CPU or wall-clock time */
	const char *weights_unknown; /* reason why a number of stacks is unknown, which rules out PASS */
	const char *type, *unit, *period_unit;
	uint32_t n_files;
	const struct gate_file *file; /* files in the order in which they were added */
	uint32_t n_funcs;
	struct gate_func *func;
	uint32_t n_stacks;
	const struct gate_stacks *stacks; /* [n_stacks] stacks, those of the base first */
	const uint8_t *folds;             /* [n_funcs] 1 for functions that, as leaves, are charged to their callers */
	double total[N_SIDES], var[N_SIDES];
	struct arena *mem;
};

/* Returns true if values are counts without a sampling error and are not normalized. Then min-share, min-samples and
   tests do not apply. */
bool gate_is_exact(const struct gate_sums *s);

/*
 * A row is new if its effective count in the base is at most this value. A few samples may occur by chance, but not
 * exact counts.
 */
static inline double gate_new_max(const struct gate_sums *s)
{
	return s->error == GATE_CENSUS ? 0 : 2;
}

/* Finish adding, and return the sums. Borrowed from s. */
const struct gate_sums *gate_sum_finish(struct gate_sum *s);

enum { GATE_NO_FUNC = UINT32_MAX };

/* The functions of a stack, leaf first; a recursive function occurs several times. */
struct gate_frames {
	const uint32_t *func, *end;
	bool is_folded; /* were functions at the leaf folded? */
	uint32_t *word;
	size_t cap; /* capacity of word */
};

/* Fill in the functions of a stack. out->word is reused between calls and freed by the caller. */
void gate_frames_find(const struct gate_stacks *s, const uint8_t *folds, uint32_t stack, struct gate_frames *out);

/*
 * Rows: functions, with those merged that have nearly the same samples. At most 5 % of the samples of both sides
 * together differ, and at most 10 % on each side, so a function that only one side has is never merged with one that
 * both have. A chain of calls is named after the function nearest to the leaf that is in the program's own code
 * (function_is_own), or nearest to the leaf if none is. The samples of the row are those of that function.
 */
struct gate_rows {
	uint32_t n;
	struct gate_source {
		enum gate_kind kind;
		uint32_t func; /* function that names the row; GATE_NO_FUNC for a total */
		uint32_t n_aliases;
		const uint32_t *alias; /* aliases, from the leaf to the root */
	} * source;                    /* [n] */
	const uint32_t *old_func;      /* [functions] function of the base that was renamed to it, else GATE_NO_FUNC */
	struct stats_counts counts;    /* counts of the rows, in the order of source; a total contains all classes */
};

/*
 * Make the rows. Rows with counts.row_is_tested 0 serve as reference only: functions that no `gate` line names, and
 * those below min-share or min-samples that have a budget. Counts the uses of limit, noise and gate lines.
 *
 * mem    owns the result
 * Fails  ERR_LIMIT if there are too many rows
 */
int gate_rows_make(const struct gate_sums *s, struct arena *mem, struct gate_rows *out, struct err *err);

/*
 * Returns true if a line of the file applies to this row. Its expression is matched against the names and files of the
 * function, its aliases, and their names in the base; the name of a total is "total".
 */
bool gate_rule_matches(const struct gate_rule *rule, const struct gate_sums *s, const struct gate_rows *rows,
		       uint32_t row);

/* Find functions of the base that were renamed in new, besides those of --rename. Sets func[].canonical and
   out->rename. */
void gate_find_renames(struct gate_sums *s, struct arena *mem, struct gate *out);

/* Fill in the remaining fields of out: verdicts, notes, warnings and power. */
void gate_decide(const struct gate_sums *s, const struct gate_rows *rows, const struct stats_summary *judged,
		 struct gate *out);

#endif

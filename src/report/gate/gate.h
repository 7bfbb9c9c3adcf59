/*
 * gate.h - is the new side slower than the base? the answer as data
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The method is told in docs/gate.md. Profiles are taken in one after the other and need not stay.
 */
#ifndef REPORT_GATE_GATE_H
#define REPORT_GATE_GATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "engine/stats/judge.h"
#include "profile/profile.h"
#include "report/gate/options.h"

#include <stdbool.h>
#include <stdint.h>

enum gate_outcome { GATE_PASS, GATE_RED, GATE_INCONCLUSIVE };

/* In the order in which they are shown. */
enum gate_verdict {
	GATE_FAIL,
	GATE_SUSPECT,
	GATE_MOVED,
	GATE_NEW,
	GATE_IMPROVED,
	GATE_UNRESOLVED,
	GATE_OK,
	GATE_GONE,
	GATE_SKIPPED,
	N_GATE_VERDICTS
};

enum gate_kind { GATE_CUM, GATE_FLAT, GATE_TOTAL };

/* A function, or several that are the same to the gate. Texts from profiles are hostile; "" when unknown. */
struct gate_row {
	enum gate_verdict verdict;
	enum gate_kind kind;
	const char *name;
	uint32_t n_aliases; /* others whose samples are the same but for 5 % */
	const char *const *alias;
	const char *file; /* where the function is, and its first line; 0 when unknown */
	int64_t line;
	double value[N_STATS_SIDES]; /* in unit */
	double count[N_STATS_SIDES]; /* effective samples */
	double share[N_STATS_SIDES]; /* of the side's total, 0 to 1 */
	double ratio, lo, hi; /* new over base, relative to the reference, and its interval of 90 %; NAN for none */
	double p, p_adjusted; /* NAN for what was not tested */
	double limit;         /* its threshold: 0.2 */
	double phi;           /* dispersion between the runs of a side; 1 for one pair */
	const char *was;      /* name in the base, of a function that was renamed; else "" */
	const char *
		reason; /* why the verdict is what p does not tell: an allow line, a budget, too few samples; else "" */
};

/* What a side is. */
struct gate_side {
	uint32_t n_files;
	const char *const *source;   /* [n_files] as named */
	double samples;              /* effective counts */
	double value;                /* in unit */
	double seconds;              /* sum of durations; 0 when unknown */
	int64_t period;              /* of the first file; 0 when unknown */
	double preempted;            /* share of samples whose leaf was a preemption frame */
	const char *build_id, *host; /* "" when unknown or not the same in all files */
};

/* A sentence and the word to find it by: "contended". */
struct gate_message {
	const char *id, *text;
};

struct gate_rename {
	const char *from, *to;
	double ratio;  /* cost of to over from; NAN when not tested */
	bool is_asked; /* by --rename: from is its expression. Else it is a suggestion */
};

struct gate_power {
	double share, ratio; /* the smallest ratio caught 8 times of 10 */
};

struct gate {
	enum gate_outcome outcome;
	int status; /* exit status: 0, 1 or 3 */
	const struct gate_options *options;
	const char *type, *unit; /* of the samples that were compared: "samples", "count" */
	const char *period_unit; /* "nanoseconds"; "" when unknown */
	struct gate_side side[N_STATS_SIDES];
	bool is_weak;   /* nobody asked for more with --need, and a fifth of the program could have doubled unseen */
	bool is_unlike; /* hardly a sample is in a function that both have: nothing to judge by */
	double total_ratio; /* the program relative to its unchanged part; NAN when unknown */
	uint32_t n_tests;   /* rows with a p-value */
	uint32_t n_verdict[N_GATE_VERDICTS];
	uint32_t n_rows;
	const struct gate_row
		*row; /* by verdict, then the largest regression or saving first; all but what is below the floors */
	uint32_t n_renames;
	const struct gate_rename *rename;
	uint32_t n_power;
	const struct gate_power *power; /* by falling share */
	double need_share, need_ratio;  /* what need_samples is about: --need, else 5 % and 1.3 */
	double need_samples;            /* per side; INFINITY: only replicates help */
	double need_seconds;            /* of capture at the base's rate; 0 when unknown */
	uint32_t n_notes, n_warnings;
	const struct gate_message *note, *warning;
	struct arena *mem; /* owns it all */
};

/* The profiles that were taken in so far. */
struct gate_sum;

struct gate_sum *gate_sum_new(const struct gate_options *options);
void gate_sum_free(struct gate_sum *s);

/*
 * Take in one profile of a side. All of them need the same sample type.
 *
 * p       with names; not kept
 * source  as named, for messages; copied
 * q       sample_index and filters; granularity is functions
 * notes   lines for the user are appended
 * Fails   ERR_USAGE, ERR_FORMAT when it does not fit the others or has no samples; ERR_RANGE, ERR_LIMIT,
 *         ERR_STOPPED. Nothing but gate_sum_free may follow. The sentence begins with side and source.
 */
int gate_sum_add(struct gate_sum *s, enum stats_side side, const struct profile *p, const char *source,
		 const struct query *q, struct buf *notes, struct err *err);

/*
 * Judge.
 *
 * out     freed with gate_release; the options must live longer
 * Fails   ERR_FORMAT when the two sides have nothing in common, or nothing at all
 */
int gate_judge(struct gate_sum *s, struct gate *out, struct err *err);
void gate_release(struct gate *g);

/* "FAIL", "SUSPECT", ... and "fail"; "PASS", "FAIL", "INCONCLUSIVE"; "cum", "flat", "total". */
const char *gate_verdict_word(enum gate_verdict v);
const char *gate_verdict_key(enum gate_verdict v);
const char *gate_outcome_word(enum gate_outcome o);
const char *gate_kind_word(enum gate_kind k);

#endif

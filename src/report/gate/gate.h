/*
 * gate.h - compare the new side with the base, and decide whether it is slower
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The method is described in docs/gate-statistics.md. Profiles are added one at a time.
 */
#ifndef REPORT_GATE_GATE_H
#define REPORT_GATE_GATE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/stats/judge.h"
#include "profile/profile.h"
#include "report/compare.h"
#include "report/gate/options.h"

#include <stdbool.h>
#include <stdint.h>

enum gate_outcome { GATE_PASS, GATE_FAILED, GATE_INCONCLUSIVE, GATE_ERROR };

/* The verdicts, in the order of display. */
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

/* A function, or several that are tested together. Strings from profiles are untrusted; "" if unknown. */
struct gate_row {
	enum gate_verdict verdict;
	enum gate_kind kind;
	const char *name;
	uint32_t n_aliases; /* number of other functions with the same samples, except for up to 5 % */
	const char *const *alias;
	const char *file; /* source file and first line of the function; 0 if unknown */
	int64_t line;
	double value[N_SIDES]; /* values in unit */
	double count[N_SIDES]; /* number of effective samples */
	double share[N_SIDES]; /* share of the side's total, 0 to 1 */
	double ratio, lo, hi;  /* new / base relative to the reference, with its 90 % interval; NAN for none */
	double p, p_adjusted;  /* p-values; NAN if not tested */
	double limit;          /* threshold of the row, such as 0.2 */
	double dispersion;     /* dispersion between the runs of a side; 1 for one pair */
	bool failed_as_new;    /* is it a FAIL because the function is new and its share exceeds --max-new? */
	const char *old_name;  /* name in the base if the function was renamed; else "" */
	const char *reason;    /* reason for a verdict that does not follow from p; else "" */
};

/* A side of the comparison. */
struct gate_side {
	uint32_t n_files;
	const char *const *source;   /* [n_files] sources as on the command line */
	double samples;              /* effective number of samples */
	double value;                /* value in unit */
	double seconds;              /* sum of durations; 0 if unknown */
	int64_t period;              /* period of the first file; 0 if unknown */
	double preempted;            /* share of samples whose leaf was a preemption frame */
	double busy;                 /* share of the time in which programs waited for a processor; 0 if unknown */
	const char *build_id, *host; /* build ID and host; "" if unknown or different between the files */
	struct side_builds builds;
	const struct side_traffic *traffic; /* set by front ends; NULL: the side is not stored */
};

/* A message with a stable identifier such as "contended". */
struct gate_message {
	const char *id, *text;
};

struct gate_rename {
	const char *from, *to;
	double ratio;     /* cost under the new name / cost under the old name; NAN if not tested */
	bool is_explicit; /* true: an option --rename, and from is its expression; false: a suggestion */
};

struct gate_power {
	double share, ratio; /* smallest ratio detected with a power of 80 % */
};

/* Result of a gate. With GATE_ERROR only outcome, status and error are set. */
struct gate {
	enum gate_outcome outcome;
	int status;        /* exit status: 0, 1, 3, or 2 for an error */
	const char *error; /* error message, untrusted; NULL without an error */
	const struct gate_options *options;
	const char *type, *unit; /* sample type that was compared: "samples", "count" */
	const char *period_unit; /* "nanoseconds"; "" if unknown */
	struct gate_side side[N_SIDES];
	const char *missing;  /* missing data of INCONCLUSIVE, printed after the verdict; else "" */
	bool is_nameless;     /* nothing was tested, because most samples are in functions without names */
	bool is_underpowered; /* the regression of need_share and need_ratio cannot be detected */
	bool is_disjoint;     /* the sides have few samples in common functions */
	double total_ratio;   /* ratio of the program, relative to its unchanged part; NAN if unknown */
	uint32_t n_tests;     /* number of rows with a p-value */
	uint32_t n_verdict[N_GATE_VERDICTS];
	uint32_t n_rows;
	const struct gate_row
		*row; /* rows by verdict, then largest change first, without those below min_share and min_samples */
	uint32_t n_renames;
	const struct gate_rename *rename;
	uint32_t n_power;
	const struct gate_power *power; /* smallest detectable changes, by descending share */
	double need_share, need_ratio;  /* the regression that a PASS must be able to detect */
	double need_samples; /* samples per side needed to detect that regression; INFINITY: only more runs help */
	double need_seconds; /* time to capture these samples at the rate of the base; 0 if unknown */
	uint32_t n_notes, n_warnings;
	const struct gate_message *note, *warning;
	struct arena *mem; /* memory of the whole result */
};

/* The profiles added so far. */
struct gate_sum;

struct gate_sum *gate_sum_new(const struct gate_options *options);
void gate_sum_free(struct gate_sum *s);

/*
 * Add a profile to a side. All profiles need the same sample type.
 *
 * p       with symbols; its stacks are used until s is freed
 * source  name for messages; copied
 * q       for sample_index and filters; the granularity is functions
 * notes   lines for the user are appended
 * Fails   ERR_USAGE, ERR_FORMAT if it does not match the other profiles or has no samples; ERR_RANGE, ERR_LIMIT,
 *         ERR_STOPPED. Only gate_sum_free is allowed after that. The message begins with side and source.
 */
int gate_sum_add(struct gate_sum *s, enum side side, const struct profile *p, const char *source, const struct query *q,
		 struct buf *notes, struct err *err);

/*
 * Judge.
 *
 * out     freed with gate_release; the options must outlive it
 * Fails   ERR_FORMAT if a side has no samples, or the sides have nothing in common
 */
int gate_judge(struct gate_sum *s, struct gate *out, struct err *err);
void gate_release(struct gate *g);

/* Names of verdicts in upper case ("FAIL") and in lower case ("fail"), of outcomes ("PASS") and of kinds ("cum"). */
const char *gate_verdict_word(enum gate_verdict v);
const char *gate_verdict_key(enum gate_verdict v);
const char *gate_outcome_word(enum gate_outcome o);
const char *gate_kind_word(enum gate_kind k);

#endif

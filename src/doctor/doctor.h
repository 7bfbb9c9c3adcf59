/*
 * doctor.h - findings on captured profiles and stacks of a program
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The evidence is one or more captures of a program, oldest first. Rules (rules_*.c) are a table: a condition that computes
 * numbers, a sentence and a command line with places for them. A rule either reports a finding or nothing; a note is a
 * measurement, or a statement of what cannot be determined.
 */
#ifndef DOCTOR_DOCTOR_H
#define DOCTOR_DOCTOR_H

#include "base/arena.h"
#include "base/buf.h"
#include "formats/dump/stacks.h"
#include "profile/profile.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOCTOR_SCHEMA "cpa-doctor/1"

enum doctor_runbook { DOCTOR_SLOW, DOCTOR_MEMORY, DOCTOR_THREADS, N_DOCTOR_RUNBOOKS };

/* The profiles and stacks of one time. Everything is borrowed; NULL: not captured. */
struct doctor_capture {
	const char *directory; /* as a word of a shell command line */
	int64_t time_ns;       /* since 1970; 0: unknown */
	const struct profile *cpu, *heap, *allocs, *block, *mutex, *leaks;
	const struct stacks *stacks;
	const char *stacks_file; /* "goroutine.txt" or "threads.txt" */
	int64_t rss_bytes;       /* resident memory of the process; -1: unknown */
	bool is_wall;            /* cpu has samples of wall-clock time, because CPU time could not be sampled */
};

/* The verdict of cpa gate on the CPU profile and an earlier one. Borrowed. */
struct doctor_comparison {
	const char *source;  /* the base */
	const char *command; /* command line of the gate; "" for none */
	const char *verdict; /* "PASS", "FAIL", "INCONCLUSIVE"; NULL: not compared */
	const char *details; /* functions that became slower, or the reason why nothing was compared */
};

struct doctor_evidence {
	enum doctor_runbook runbook;
	const char *target;                   /* as given, without secrets */
	const char *directory;                /* of the report, as a word of a shell command line */
	bool is_process;                      /* the target is a process, not a server */
	const struct doctor_capture *capture; /* [n] oldest first */
	size_t n;
	const struct doctor_comparison *comparison; /* [n_comparisons] */
	size_t n_comparisons;
	const char *const *missing; /* [n_missing] sentences about evidence that could not be captured */
	size_t n_missing;
	const char *lock_holder; /* thread that holds the lock that most threads wait for; "" if unknown */
};

/* Units of numbers. */
enum doctor_unit {
	DOCTOR_COUNT,
	DOCTOR_SHARE,
	DOCTOR_NS,
	DOCTOR_BYTES,
	DOCTOR_FACTOR,
	DOCTOR_BYTES_PER_HOUR,
	N_DOCTOR_UNITS
};

struct doctor_number {
	const char *key;
	double value;
	enum doctor_unit unit;
};

/* A finding or a note. Texts are in the memory of the result. */
struct doctor_finding {
	const char *rule;
	bool is_note;
	const char *sentence;               /* names of the profile in it have no control characters */
	const char *command;                /* command line that shows it; "" for none */
	const struct doctor_number *number; /* [n_numbers] */
	size_t n_numbers;
};

struct doctor_result {
	struct arena *memory;
	struct doctor_finding *finding; /* [n] findings in the order of the rules, then notes */
	size_t n, cap;
	size_t n_findings; /* without notes */
};

extern const char *const doctor_runbook_name[N_DOCTOR_RUNBOOKS];

/* Apply the rules of the runbook. out is released with doctor_release. */
void doctor_examine(const struct doctor_evidence *e, struct doctor_result *out);
void doctor_release(struct doctor_result *r);

/* Append the findings as text in lines of at most 80 columns, except for command lines. */
void doctor_add_text(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out);

/* Append them as a document in Markdown, for a ticket. */
void doctor_add_markdown(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out);

/* Append them as one JSON object, described by docs/schema/doctor.schema.json. */
void doctor_add_json(const struct doctor_evidence *e, const struct doctor_result *r, struct buf *out);

#endif

/*
 * query.h - a question, as asked on a command line
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ENGINE_QUERY_H
#define ENGINE_QUERY_H

#include "base/err.h"
#include "base/opt.h"
#include "base/stop.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sort { SORT_FLAT, SORT_CUM };

enum grain { GRAIN_FUNCTIONS, GRAIN_FILEFUNCTIONS, GRAIN_FILES, GRAIN_LINES, GRAIN_ADDRESSES };

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN, N_FORMATS };

enum query_group {
	GROUP_REPORT,
	GROUP_FILTER,
	GROUP_COMPARE,
	GROUP_GATE,
	GROUP_GRAIN,
	GROUP_VALUE,
	GROUP_INPUT,
	GROUP_SYMBOL,
	GROUP_FETCH,
	GROUP_FLAME,
	GROUP_SHELL,
	GROUP_OUTPUT,
	GROUP_LIMIT,
	GROUP_GENERAL,
	N_GROUPS
};

/* One field per option; the texts are borrowed from the command line. */
struct query {
#define OPTION(type, name, kind, preset, arg, group, help) type name;
#define OWN OPTION
#define CHOICE(field) int field;
#include "engine/query.def"
	bool by_object;   /* functions of different binaries, or that start at different lines, are different places */
	bool inlined;     /* list shows the calls that were inlined into a line */
	bool whole_files; /* list shows files from their first line to their last */
	bool bare_lines;  /* list shows the lines that have weight when their file was not found, too */
	bool keep_base;   /* samples of a base keep apart by their label, as with diff_base */
	bool whole_paths; /* source file names are not trimmed */
	bool keep_labels; /* frames of labels are places of their own, whatever functions are called */
	bool for_gate;    /* normalize is a word of the gate, which has others */
	bool has_nodefraction; /* nodefraction was asked for, and is not just the default */
	const char *pattern;   /* of reports that take one; "" for others */
	/* NULL, or told of waiting for a debuginfod server, as in symbol/where.h; by any thread */
	void (*waiting)(void *arg, const char *name, int64_t got, int64_t size);
	struct stop *stop; /* ends the answer from another thread, which then is ERR_STOPPED; NULL: never */
};

/* A choice that several options make together: -flat and -cum are the choice sort. */
struct query_choice {
	const char *name;
	size_t at; /* as in struct opt */
};

extern const struct query_choice query_choices[];
extern const size_t query_n_choices;
extern const struct opt query_options[];
extern const size_t query_n_options;
extern const char *const query_group_title[N_GROUPS];

/* A question with every option at its default; query_release frees its lists. */
void query_init(struct query *q);
void query_release(struct query *q);

/* Set one option, as opt_set; what depends on whether it was given at all is noted. */
int query_set(struct query *q, const struct opt *o, const char *value, struct err *err);

/*
 * Are the numbers and words that every report heeds what they can be?
 *
 * Fails   ERR_USAGE
 */
int query_check(const struct query *q, struct err *err);

/*
 * Settle what options say about each other: the sample type flags become sample_index, no trimming
 * clears the fractions, numbers are in their range.
 *
 * ignored  set to the name of a sample type flag that another one overrules, NULL when none is
 * Fails    ERR_USAGE
 */
int query_finish(struct query *q, const char **ignored, struct err *err);

/* How a report settles options that are left open or that do not concern it. All zero: show all rows, as asked. */
struct query_defaults {
	int nodecount;            /* rows when -nodecount is left open; 0: all */
	bool all_rows_for_tools;  /* nodecount is for text and Markdown; JSON and CSV have all rows */
	bool by_line, by_address; /* the granularity, whatever was asked for */
	bool by_object;           /* as query.by_object */
	bool untrimmed;           /* as -trim=false */
	bool trims_by_width;      /* boxes too narrow to be drawn are left out, not rows; frames of labels are kept */
	bool noinlines;           /* as -noinlines */
	bool whole_paths;         /* as query.whole_paths */
	bool can_call_tree;       /* -call_tree has a meaning */
};

/*
 * Settle the options of q for a report with these defaults.
 *
 * Like    pprof internal/driver/commands.go and driver.go, applyCommandOverrides
 */
void query_apply_defaults(struct query *q, const struct query_defaults *d);

/* The ratio that divide_by asks for: 1 / divide_by, or 1 when it is not a positive number. */
double query_ratio(const struct query *q);

#endif

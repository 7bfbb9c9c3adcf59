/*
 * query.h - the query of a command line: a field per option
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
	GROUP_SERIES,
	GROUP_SHELL,
	GROUP_WEB,
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
	bool by_object;   /* functions in different binaries, or with different start lines, are different places */
	bool inlined;     /* list shows the calls that were inlined into a line */
	bool whole_files; /* list shows files from their first line to their last */
	bool bare_lines;  /* list also shows lines with values if their file was not found */
	bool keep_base;   /* samples of the base are kept separate by a label, as with diff_base */
	bool whole_paths; /* source file names are not trimmed */
	bool keep_default_type; /* proto does not make the selected sample type the default */
	bool keep_labels;       /* frames of labels are separate places, even if a function has the same name */
	bool for_gate;          /* normalize has a value for gate, which has its own list of values */
	bool has_nodefraction;  /* nodefraction was given explicitly */
	bool has_granularity;   /* granularity was given explicitly */
	bool for_page;    /* source files are read only below folders with sources (symbol/options.h, SOURCE_LOCAL) */
	bool is_uploaded; /* for a page of an uploaded profile: only below source_path and symfs (SOURCE_NAMED) */
	uint32_t
		max_groups; /* disasm and weblist show at most this many symbols or files, with the largest flat; 0: all */
	uint32_t
		columns; /* text reports shorten names so that lines have at most this many characters; 0: they do not */
	const char *pattern; /* argument of the report; "" if it takes none */
	/* as symbol_progress_fn, called by any thread while a report waits for debuginfod; may be NULL */
	void (*waiting)(void *arg, const char *name, int64_t got, int64_t size);
	struct stop *stop; /* lets another thread stop the query, which then fails with ERR_STOPPED; may be NULL */
};

/* A setting made by several options: -flat and -cum are the choice sort. */
struct query_choice {
	const char *name;
	size_t offset; /* see struct opt */
};

/* A parameter in URLs of the web UI. */
enum query_param_kind {
	PARAM_SAVED,     /* of pprof, also in saved configs */
	PARAM_PPROF,     /* of pprof, not in saved configs */
	PARAM_SAVED_OWN, /* in saved configs of pprof, but not in its URLs */
	PARAM_OWN,       /* of cpa only */
};

struct query_param {
	const char *name;  /* of an option or a choice, as in saved configs */
	const char *param; /* "f" for focus */
	enum query_param_kind kind;
};

extern const struct query_param query_params[];
extern const size_t query_n_params;
extern const struct query_choice query_choices[];
extern const size_t query_n_choices;
extern const struct opt query_options[];
extern const size_t query_n_options;
extern const char *const query_group_title[N_GROUPS];

/* A query with all options at their defaults; query_release frees its lists. */
void query_init(struct query *q);
void query_release(struct query *q);

/* Set an option, like opt_set, and record that it was given where this matters. */
int query_set(struct query *q, const struct opt *o, const char *value, struct err *err);

/*
 * Validate the options common to all reports.
 *
 * Fails   ERR_USAGE
 */
int query_check(const struct query *q, struct err *err);

/*
 * Combine options and check their ranges: sample type flags become sample_index, and without trimming the fractions are
 * 0.
 *
 * ignored  set to a sample type flag that another option overrides, or NULL
 * Fails    ERR_USAGE
 */
int query_finish(struct query *q, const char **ignored, struct err *err);

/* Defaults of a report for options that are not given or do not apply. If all are zero, all rows are shown as
 * requested. */
struct query_defaults {
	int nodecount;            /* rows without -nodecount; 0: all */
	bool all_rows_for_tools;  /* nodecount applies to text and Markdown; JSON and CSV contain all rows */
	bool by_line, by_address; /* granularity, regardless of options */
	bool by_object;           /* see query.by_object */
	bool untrimmed;           /* same as -trim=false */
	bool trims_by_width;      /* without -nodefraction, omit only boxes too narrow to be drawn; keep_labels */
	bool noinlines;           /* same as -noinlines */
	bool whole_paths;         /* see query.whole_paths */
	bool can_call_tree;       /* the report supports -call_tree */
};

/*
 * Apply the defaults of a report to the options of q.
 *
 * Like    pprof internal/driver/commands.go and driver.go, applyCommandOverrides
 */
void query_apply_defaults(struct query *q, const struct query_defaults *d);

/* The ratio for divide_by: 1 / divide_by, or 1 if that is not a positive number. */
double query_ratio(const struct query *q);

#endif

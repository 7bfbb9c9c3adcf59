/*
 * reports.h - table of all reports
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The row of a report defines all its properties. The command line, help, completion, the prompts, the full screen,
 * its save dialog, the web UI and the tests read the row, and no code depends on the name of a report. To add a report, add a row,
 * a help text in src/front/cli/help_text.c, a file in src/report, and a viewer file if the report is not a plain table
 * (CONTRIBUTING.md).
 */
#ifndef ANSWER_REPORTS_H
#define ANSWER_REPORTS_H

#include "answer/picture.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/option_values.h"
#include "engine/view.h"
#include "report/report.h"
#include "report/side.h"
#include "report/traces.h"

#include <stdbool.h>
#include <stddef.h>

struct answer;
struct opt;

/* The profiles that a report reads. */
enum report_input {
	INPUT_PROFILE, /* one profile: the merged sources minus the bases */
	INPUT_SIDES,   /* two profiles, before and after */
	INPUT_SERIES,  /* a series of profiles, oldest first */
	INPUT_RUNS,    /* two sides, each with one profile per run of the program */
	INPUT_STORED,  /* a query of a store, over time */
	N_REPORT_INPUTS
};

/* Files that a report reads besides profiles. */
enum report_needs { NEEDS_SOURCE = 1 << 0, NEEDS_BINARY = 1 << 1 };

enum report_flags {
	REPORT_TAKES_PATTERN = 1 << 0,    /* the first argument is a regular expression */
	REPORT_KEEPS_BASE = 1 << 1,       /* samples of a base are not subtracted but marked by BASE_LABEL */
	REPORT_PICKS_LABELS = 1 << 2,     /* expressions in a line of the shell select labels, not functions */
	REPORT_SORTS = 1 << 3,            /* -cum changes the order of its rows */
	REPORT_IS_BINARY = 1 << 4,        /* its output is not text for a terminal or a view */
	REPORT_NOT_IN_SHELL = 1 << 5,     /* not a command of the shell, because it reads or writes other profiles */
	REPORT_ADDS_SOURCES = 1 << 6,     /* source lines are added to the loaded profile */
	REPORT_WANTS_NAMES = 1 << 7,      /* fails if addresses lack names and none is found */
	REPORT_HAS_NO_VALUES = 1 << 8,    /* not empty even if all values are 0 */
	REPORT_IS_OURS = 1 << 9,          /* not in pprof, so that options without effect are errors */
	REPORT_ADDS_UP = 1 << 11,         /* REPORT_REPEATS_STACKS, and makes the same of a profile with a forest */
	REPORT_NEEDS_NO_LABELS = 1 << 12, /* makes the same of a profile without labels, unless an option needs them */
	REPORT_ASKS_STORES = 1 << 13,     /* it needs query.label_facts */
	REPORT_NEEDS_ONLY_SUMS = 1 << 14, /* of stacks only flat, cum and the notes (inline) of top (profile/sums.h) */
	REPORT_REPEATS_STACKS = 1 << 15,  /* makes the same of a profile in which equal stacks have different ids */
	REPORT_BY_ENDING = 1 << 10,       /* the command line replaces it by the report that writes the format of -o */
};

/* Options that only some reports take. Options that follow from other fields have no bit (report_options.c). */
enum report_takes {
	TAKES_SORT = 1 << 0,     /* -flat, -cum */
	TAKES_ROWS = 1 << 1,     /* -nodecount, -nodefraction, -trim */
	TAKES_EDGES = 1 << 2,    /* -edgefraction */
	TAKES_HEAD = 1 << 3,     /* -compact_labels */
	TAKES_NEGATIVE = 1 << 4, /* -drop_negative */
	TAKES_FILTERS = 1 << 5,  /* -focus, -tagfocus and so on */
	TAKES_PERCENT = 1 << 6,  /* -relative_percentages */
	TAKES_BASE = 1 << 7,     /* -base, -diff_base */
	TAKES_NORMALIZE = 1 << 8,
	TAKES_ALL = 1 << 9,
	TAKES_GRAIN = 1 << 10,   /* -functions, -lines and so on, -showcolumns */
	TAKES_INLINES = 1 << 11, /* -noinlines */
	TAKES_TYPE = 1 << 12,    /* -sample_index and its short forms */
	TAKES_MEAN = 1 << 13,
	TAKES_DIVISOR = 1 << 14, /* -divide_by */
	TAKES_UNIT = 1 << 15,
	TAKES_COMMENT = 1 << 16, /* -add_comment */
	TAKES_PATHS = 1 << 17,   /* -trim_path */
	TAKES_INVERTED = 1 << 18,
};

/* The view of the full screen that shows a report. */
enum report_view {
	VIEW_TEXT, /* the printed text */
	VIEW_TOP,
	VIEW_CALLERS,
	VIEW_TREE,
	VIEW_FLAME,
	VIEW_SOURCE,
	VIEW_ASSEMBLY,
	VIEW_TRACES,
	VIEW_LABELS,
	N_REPORT_VIEWS
};

/* A format of reports with a model. */
struct report_format {
	const char *title;  /* "JSON" */
	const char *ending; /* ".json" */
	const char *option; /* "--json"; "" for text */
};

extern const struct report_format report_formats[N_FORMATS];

/* A file format of another tool or of a picture. */
struct report_file {
	const char *ending; /* ".svg" */
	const char *title;  /* "flame graph, SVG" */
};

/* Input of a report. */
struct report_context {
	const struct view *view;
	const struct query *q;
	const struct side_sources *from; /* [N_SIDES] */
};

enum { REPORT_FILES_MAX = 4 };

struct report_type {
	const char *name;
	const char *arguments;  /* "[OPTION]... SOURCE..." */
	const char *help;       /* one line; front/cli/help_text.c contains the rest */
	const char *example;    /* a command line, shown if sources are missing; NULL: "cpa NAME cpu.pb.gz" */
	const char *none;       /* printed on standard error if the report has no rows; NULL: nothing */
	const char *row, *rows; /* "binary", "binaries": what its rows are; NULL: depends on the granularity */
	enum report_input input;
	unsigned needs; /* enum report_needs */
	unsigned flags; /* enum report_flags */
	unsigned takes; /* enum report_takes */
	struct query_defaults defaults;
	int shell_rows;           /* default of -nodecount at a prompt; 0: as in defaults */
	enum query_group options; /* group of options that only this report accepts; GROUP_REPORT: none */

	/* Fail if an option does not apply to the report, before sources are read; NULL: no check. */
	int (*check)(const struct query *q, struct err *err);

	/* One of these is set, except for INPUT_SERIES (answer/trend.h), INPUT_RUNS (report/gate) and INPUT_STORED (answer/series.h). make and compare
	   make a model that viewers draw, from one profile or from two sides. write appends text in the format of
	   another tool to out->text. */
	report_make_fn *make;
	int (*compare)(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES],
		       const struct query *q, struct report *r, struct buf *notes, struct err *err);
	int (*write)(const struct report_context *from, struct answer *out, struct err *err);

	/* Functions that draw the model, by format; NULL if the report does not support the format. */
	void (*draw_text)(const struct report *r, bool color, struct buf *out);
	void (*draw[N_FORMATS])(const struct report *r, struct buf *out);
	const struct traces_viewer *draw_pieces[N_FORMATS]; /* for a model whose text may be too large for memory */
	const char *format_error[N_FORMATS];                /* error message for an unsupported format; may be NULL */

	const struct picture *picture; /* processing of the text; NULL: use it unchanged */
	const char *suffix; /* file suffix if standard output is a terminal; NULL: the suffix of picture, or none */
	const char *(*suffix_of)(const struct query *q); /* replaces suffix if it depends on options */

	enum report_view view;
	const char *tab_key, *tab; /* key and title of its tab in the full screen: "1", "Top"; NULL: none */

	struct report_file file[REPORT_FILES_MAX]; /* for the save dialog of other views, and for the web UI */
	int save_rank;                             /* position in the save dialog of other views; 0: not offered */
};

extern const struct report_type reports[];
extern const size_t n_reports;

/* The report with this name of n bytes; NULL if there is none. */
const struct report_type *reports_find(const char *name, size_t n);

/* The report with this name, which must exist. */
const struct report_type *reports_get(const char *name);

/* Is the report a command of the shell? */
bool reports_is_in_shell(const struct report_type *t);

/* Is the first argument of the report a regular expression? */
static inline bool reports_takes_pattern(const struct report_type *t)
{
	return t->flags & REPORT_TAKES_PATTERN;
}

/* Can the report draw its model in this format? */
bool reports_has_format(const struct report_type *t, enum format format);

/* Do the options of this group belong to some reports only, those that name it? */
bool reports_owns_group(int group);

/* Does the option apply to the report? */
bool reports_takes_option(const struct report_type *t, const struct opt *o);

/* Does the command line of the report accept the option? Reports of pprof accept all of pprof, also without effect. */
bool reports_accepts_option(const struct report_type *t, const struct opt *o);

/* The report with this save_rank, from 1; NULL after the last. */
const struct report_type *reports_saved(int rank);

/* Suffix of the file that is written if standard output is a terminal; NULL: the terminal shows the report. */
const char *reports_suffix(const struct report_type *t, const struct query *q);

#endif

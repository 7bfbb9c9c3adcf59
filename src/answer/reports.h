/*
 * reports.h - the table of reports: one row for each
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * All that is known of a report is in its row: the command line, help, completion, the prompts, the full screen,
 * its save dialog and the tests read it, and nothing asks which report it is. To add a report, add a row, a file in
 * src/report, and a viewer file where the report is not a plain table (CONTRIBUTING.md).
 */
#ifndef ANSWER_REPORTS_H
#define ANSWER_REPORTS_H

#include "answer/picture.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/report.h"
#include "report/side.h"
#include "report/traces.h"

#include <stddef.h>

struct answer;

/* What a report reads. */
enum report_input {
	INPUT_PROFILE, /* one profile: the sources added up, less the bases */
	INPUT_SIDES,   /* two profiles, before and after */
	INPUT_SERIES,  /* profiles in the order of their time */
	INPUT_RUNS,    /* two sides, each file of which is a run of its own */
	N_REPORT_INPUTS
};

/* What it reads besides profiles. */
enum report_needs { NEEDS_SOURCE = 1 << 0, NEEDS_BINARY = 1 << 1 };

enum report_flags {
	REPORT_TAKES_PATTERN = 1 << 0, /* the first word is the regular expression that the report is about */
	REPORT_KEEPS_BASE = 1 << 1,    /* samples of a base stay apart, marked by their label */
	REPORT_PICKS_LABELS = 1 << 2,  /* expressions of a shell's line select labels, not functions */
	REPORT_SORTS = 1 << 3,         /* -cum changes the order of its rows */
	REPORT_IS_BINARY = 1 << 4,     /* not text that a terminal or a view could show */
	REPORT_NOT_IN_SHELL = 1 << 5,  /* it reads or writes profiles of its own */
	REPORT_ADDS_SOURCES = 1 << 6,  /* source lines are put into the profile once it is loaded */
	REPORT_WANTS_NAMES = 1 << 7,   /* fails when addresses lack names and none could be found */
	REPORT_HAS_NO_VALUES = 1 << 8, /* it is not empty when all values are 0 */
};

/* How the full screen and the web UI show it. */
enum report_view {
	VIEW_TEXT, /* as it prints */
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

/* A file that another view can be saved as. */
struct report_file {
	const char *ending; /* ".svg" */
	const char *title;  /* "flame graph, SVG" */
};

/* What a report is made of. */
struct report_sources {
	const struct view *view;
	const struct query *q;
	const struct side_sources *from; /* [N_SIDES] */
};

enum { REPORT_FILES_MAX = 4 };

struct report_type {
	const char *name;
	const char *arguments; /* "[OPTION]... SOURCE..." */
	const char *help;      /* one line */
	const char *example; /* a whole command line, shown when the sources are missing; NULL: "cpa NAME cpu.pb.gz" */
	enum report_input input;
	unsigned needs; /* enum report_needs */
	unsigned flags; /* enum report_flags */
	struct query_defaults defaults;
	int shell_rows;           /* of a line at a prompt that leaves -nodecount open; 0: as defaults say */
	enum query_group options; /* those of this report alone; GROUP_REPORT: none */
	const char *more_help;    /* what to say of options besides; NULL */

	/* Refuse options that have no meaning for the report, before anything is read; NULL: none. */
	int (*check)(const struct query *q, struct err *err);

	/* One of these: a model that viewers draw, of a profile or of two sides; or text in the format of another tool,
	   appended to out->text. None for INPUT_SERIES (answer/trend.h) and INPUT_RUNS (report/gate). */
	report_make_fn *make;
	int (*compare)(const struct profile *const p[N_SIDES], const struct side_sources from[N_SIDES],
		       const struct query *q, struct report *r, struct buf *notes, struct err *err);
	int (*write)(const struct report_sources *from, struct answer *out, struct err *err);

	/* What draws the model, by format; NULL where it has no meaning. */
	void (*draw_text)(const struct report *r, bool color, struct buf *out);
	void (*draw[N_FORMATS])(const struct report *r, struct buf *out);
	const struct traces_viewer *draw_pieces[N_FORMATS]; /* of a model that is too large for one text */
	const char *no_format[N_FORMATS];                   /* why a format is refused, where that needs saying */

	const struct picture *picture; /* what becomes of the text; NULL: it stays */
	const char *suffix;            /* of the file that a terminal gets instead; NULL: the picture's, or none */
	const char *(*suffix_of)(const struct query *q); /* where that depends on options */

	enum report_view view;
	const char *tab_key, *tab; /* of its tab in the full screen: "1", "Top"; NULL: it has none */

	/* What other views can be saved as by this report, and its place among those; 0: not offered. */
	int save_rank;
	struct report_file file[REPORT_FILES_MAX];
};

extern const struct report_type reports[];
extern const size_t n_reports;

/* The report of this name (n bytes); NULL when there is none. */
const struct report_type *reports_find(const char *name, size_t n);

/* The same for a name that the table has. */
const struct report_type *reports_get(const char *name);

/* Can a shell, which has a profile, be asked for it? */
bool reports_is_in_shell(const struct report_type *t);

/* Does it take a regular expression before its sources? */
static inline bool reports_takes_pattern(const struct report_type *t)
{
	return t->flags & REPORT_TAKES_PATTERN;
}

/* The reports that other views can be saved as, by save_rank from 1; NULL behind the last. */
const struct report_type *reports_saved(int rank);

/* The suffix of the file that a terminal gets instead of the report; NULL when the terminal gets the report. */
const char *reports_suffix(const struct report_type *t, const struct query *q);

#endif

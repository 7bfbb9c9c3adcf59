/*
 * report.h - the result as data: numbers with units, not formatted
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports contain numbers; only viewers turn them into text, JSON or boxes. Column lists are const tables, so the
 * headings of text and the keys of JSON stay consistent.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "report/compare.h"

#include <stdbool.h>
#include <stdint.h>

/* Relation of a row to its neighbours. */
enum row_role { ROW_PLAIN, ROW_CALLER, ROW_NODE, ROW_CALLEE, ROW_ROUTINE, ROW_LINE, ROW_INLINED };

enum cell_kind {
	CELL_VALUE,   /* cell.value, in head.unit */
	CELL_PERCENT, /* cell.value, shown as a share of head.total */
	CELL_NAME,    /* cell.text, from the profile, untrusted */
	CELL_NOTE,    /* cell.text, from cpa, may be "" */
	CELL_WORD,    /* cell.text, from cpa, a single word, may be "" */
	CELL_RATIO,   /* cell.real, a percentage, but not of the total; NAN for none */
	CELL_CHANGE,  /* cell.real, a signed percentage; NAN for none */
	CELL_COUNT,   /* cell.value, without a unit */
};

struct column {
	const char *key;   /* key in JSON and CSV */
	const char *title; /* heading of the column in text; "" for none */
	enum cell_kind kind;
};

union cell {
	int64_t value;
	double real;
	const char *text;
};

/* Part of the profile that a row describes, for further queries. Strings are untrusted; "" for none. */
struct row_place {
	const char *function; /* name without file or line */
	const char *file;     /* file as printed; set only if the granularity distinguishes files */
	const char *binary;   /* set only if nothing else names the row */
	int64_t line;         /* 0 unless the granularity distinguishes lines */
	uint64_t address;     /* 0 unless the granularity distinguishes addresses */
};

struct table {
	uint32_t n_cols, n_rows;
	const struct column *col; /* [n_cols] */
	union cell *cell;         /* [n_rows * n_cols] cells in row order */
	const uint8_t *role;      /* [n_rows] enum row_role; NULL if all are ROW_PLAIN */
	const uint8_t *has; /* [n_cols] bits 1 << role of the rows with a cell in the column; NULL if all have one */
	const struct row_place *place; /* [n_rows] NULL if rows are not places */
};

/* An active filter. */
struct filter_note {
	const char *name;
	const char *value; /* untrusted; NULL for a flag */
	bool is_listed;    /* is it printed in the head of text, as pprof does? */
};

/* Metadata of the profile and the report. Strings are untrusted; "" if unknown. */
struct head {
	const char *command; /* name of the report */
	const char *file, *build_id, *doc_url;
	const char *type; /* sample type, prefixed with mean_ for a mean */
	const char *unit; /* unit of all values */
	uint32_t n_comments;
	const char **comment;
	int64_t time_ns, duration_ns;
	int64_t total;            /* the value that is 100 % */
	bool is_mean_total;       /* the total is a mean over the window, for series of a gauge */
	int64_t shown;            /* sum of flat over the rows */
	int64_t not_sampled;      /* part of the total CPU time without samples, and thus without a row */
	const char *out_unit;     /* unit to print values in, or "auto" */
	double ratio;             /* factor applied to values before they are printed */
	uint32_t n_dropped;       /* number of rows dropped because their cum was too small */
	int64_t dropped_cum;      /* threshold of cum, as pprof prints it */
	uint32_t n_shown;         /* number of shown nodes */
	uint32_t n_dropped_edges; /* number of edges dropped because their weight was too small */
	int64_t dropped_weight;   /* threshold of the weight */
	uint32_t n_before_limit;  /* number of rows before nodecount was applied */
	uint32_t n_filters;
	const struct filter_note *filter; /* [n_filters] active filters, in pprof's order */
	uint32_t columns;                 /* longest line of text, in characters; 0: any. See query.columns */
	bool compact;                     /* omit the metadata of the profile */
	bool is_whole;                    /* are all rows listed? Then shown, n_dropped and n_before_limit are unused */
	const struct compare *compare;    /* set for diff and trend, else NULL */
};

struct disasm;  /* report/disasm.h */
struct flame;   /* report/flame.h */
struct tag_row; /* report/tags.h */
struct traces;  /* report/traces.h */

struct report {
	struct head head;
	struct table table;
	const struct traces *traces; /* set for traces, which have no table; else NULL */
	const struct flame *flame;   /* set for flame, which has no table; else NULL */
	const struct tag_row *tag;   /* [table.n_rows] labels of the rows of tags; else NULL */
	uint32_t n_findings;         /* rows that are findings, for labels */
	const struct disasm *disasm; /* routines of the table's instructions, for disasm; else NULL */
	struct arena *mem;           /* owns everything except strings of the profile, which must outlive the report */
};

struct query;
struct view;

/*
 * Make a report of a view.
 *
 * q       with the defaults of the report applied
 * out     released with report_release; untouched on failure
 * notes   lines for the user are appended
 * Fails   as documented by each report; ERR_STOPPED
 */
typedef int report_make_fn(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			   struct err *err);

/* Returns true if a row has a cell in a column. */
bool report_has(const struct table *t, uint32_t row, uint32_t col);

/* Name of the role of a row; the table must have roles. */
const char *report_role(const struct table *t, uint32_t row);

void report_release(struct report *r);

/* A value as printed: multiplied by the ratio, rounded toward zero. */
int64_t report_value(const struct head *h, int64_t value);

/* Append a value with its unit. Like pprof internal/report formatValue. */
void report_add_value(const struct head *h, int64_t value, struct buf *out);

/*
 * Append a value with thousands separators and its unit. Control characters are escaped, since the unit may come from
 * the profile.
 */
void report_add_grouped_value(const struct head *h, int64_t value, struct buf *out);

#endif

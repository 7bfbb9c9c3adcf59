/*
 * report.h - the answer as data: numbers with units, no characters
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports put numbers in; viewers alone make text, JSON or boxes of them. Column lists are const
 * tables, so the headings of text and the keys of JSON cannot drift apart.
 */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "report/compare.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a row is to those around it. */
enum row_role { ROW_PLAIN, ROW_CALLER, ROW_NODE, ROW_CALLEE, ROW_ROUTINE, ROW_LINE, ROW_INLINED };

enum cell_kind {
	CELL_VALUE,   /* cell.value in head.unit */
	CELL_PERCENT, /* cell.value as a share of head.total */
	CELL_NAME,    /* cell.text from the profile: hostile */
	CELL_NOTE,    /* cell.text of ours, may be "" */
	CELL_WORD,    /* cell.text of ours, a bare word, may be "" */
	CELL_RATIO,   /* cell.real is a percentage of something else than the total; NAN where there is none */
	CELL_CHANGE,  /* cell.real is a percentage with a sign; NAN where there is none */
	CELL_COUNT,   /* cell.value as it is */
};

struct column {
	const char *key;   /* in JSON and CSV */
	const char *title; /* over the column in text; "" for none */
	enum cell_kind kind;
};

union cell {
	int64_t value;
	double real;
	const char *text;
};

/* What of the profile a row is about, for questions that go on from it. Texts are hostile, "" when there is none. */
struct row_place {
	const char *function; /* its plain name, without file or line */
	const char *file;     /* as printed; only where rows tell files apart */
	const char *binary;   /* only where nothing else names the row */
	int64_t line;         /* 0 unless rows tell lines apart */
	uint64_t address;     /* 0 unless rows tell addresses apart */
};

struct table {
	uint32_t n_cols, n_rows;
	const struct column *col;      /* [n_cols] */
	union cell *cell;              /* [n_rows * n_cols] row by row */
	const uint8_t *role;           /* [n_rows] enum row_role; NULL when all are ROW_PLAIN */
	const uint8_t *has;            /* [n_cols] 1 << role of the rows that have a cell there; NULL when all have */
	const struct row_place *place; /* [n_rows] NULL where rows are of another kind */
};

/* A filter that is in force. */
struct filter_note {
	const char *name;
	const char *value; /* hostile; NULL when it is just on */
	bool is_listed;    /* in the head of text, as pprof does */
};

/* What a report says about the profile and about itself. Texts are hostile; "" when unknown. */
struct head {
	const char *command; /* name of the report */
	const char *file, *build_id, *doc_url;
	const char *type; /* of the samples, with mean_ in front for a mean */
	const char *unit; /* of all values */
	uint32_t n_comments;
	const char **comment;
	int64_t time_ns, duration_ns;
	int64_t total;            /* what 100 % is */
	int64_t shown;            /* sum of flat over the rows */
	const char *out_unit;     /* unit to show values in, or "auto" */
	double ratio;             /* values are multiplied by it before they are shown */
	uint32_t n_dropped;       /* rows left out because their cum was too small */
	int64_t dropped_cum;      /* how small, as pprof tells it */
	uint32_t n_shown;         /* nodes that are shown */
	uint32_t n_dropped_edges; /* calls left out because their weight was too small */
	int64_t dropped_weight;   /* how small */
	uint32_t n_before;        /* rows there were before the limit on their number */
	uint32_t n_filters;
	const struct filter_note *filter; /* [n_filters] in the order of pprof */
	bool compact;                     /* leave out what is about the profile */
	bool is_whole;                    /* rows are all there are: shown, n_dropped and n_before say nothing */
	const struct compare *compare;    /* of diff and trend; NULL for other reports */
};

struct disasm;  /* report/disasm.h */
struct flame;   /* report/flame.h */
struct tag_row; /* report/tags.h */
struct traces;  /* report/traces.h */

struct report {
	struct head head;
	struct table table;
	const struct traces *traces; /* instead of the table; NULL for all other reports */
	const struct flame *flame;   /* instead of the table; NULL for all other reports */
	const struct tag_row *tag;   /* [table.n_rows] of tags; NULL for all other reports */
	const struct disasm *disasm; /* what the table's instructions belong to; NULL for all other reports */
	struct arena *mem;           /* owns it all but for strings of the profile, which must live longer */
};

struct query;
struct view;

/*
 * Make a report of a view.
 *
 * q       with the defaults of the report applied
 * out     released with report_release; untouched on failure
 * notes   lines for the user are appended
 * Fails   as each report says; ERR_STOPPED
 */
typedef int report_make_fn(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			   struct err *err);

/* Has a row something in a column? */
bool report_has(const struct table *t, uint32_t row, uint32_t col);

/* The role of a row as a word; the table has roles. */
const char *report_role(const struct table *t, uint32_t row);

void report_release(struct report *r);

/* A value as shown: multiplied by the ratio, toward zero. */
int64_t report_value(const struct head *h, int64_t value);

/* Append a value with its unit. Like pprof internal/report formatValue. */
void report_add_value(const struct head *h, int64_t value, struct buf *out);

#endif

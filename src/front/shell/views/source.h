/*
 * source.h - the rows of the Source view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_VIEWS_SOURCE_H
#define FRONT_SHELL_VIEWS_SOURCE_H

#include "report/weblist.h"
#include "front/shell/views/code_pane.h"

/* A function in one file. */
struct source_routine {
	const char *name, *file, *path, *error; /* see report/list.h */
	const char *tried;                      /* paths that were tried for the file; "" when unknown */
	int64_t flat, cum;
	uint32_t lo, hi; /* its rows in the table: [lo, hi) */
};

struct source_model {
	struct code_model code;         /* must be first; the view sets its class */
	struct source_routine *routine; /* [code.n] the largest value first */
	bool has_code;
	struct weblist weblist; /* valid if has_code */
	uint32_t *line_code;    /* [rows of the table] if has_code: the row's line in weblist, or CODE_NONE */
};

/* The flags of a pane. */
enum { SOURCE_WITH_CODE = 1, SOURCE_WHOLE = 2 };

enum source_kind { SOURCE_LINE, SOURCE_INLINED, SOURCE_CALL, SOURCE_CODE };

/* A row. i refers to the table for lines and inlined calls, else to the weblist's calls and instructions. */
struct source_row {
	uint32_t kind, i;
	uint32_t line; /* the row of the source line to which this row belongs */
};

enum { BELOW_INLINED = 1, BELOW_CODE = 2 };

struct source_state {
	struct code_pane code;        /* must be first; its hot contains rows of the table */
	bool hide_inlined, show_code; /* default for lines that were not opened or closed individually */
	struct source_row *row;       /* [code.list.n] */
	size_t cap_rows;
	uint8_t *below; /* [rows of the table] bits BELOW_*: the rows shown below a line */
	/* the selection, to find it again in another model */
	char *name, *file;
	int64_t line;
	bool has_line, opens_line; /* has_line: select `line`; opens_line: also open it */
};

/* Make the model of a pane, without a class; on the worker's thread. */
int shell_source_make(const struct model_request *a, struct model *m, struct err *err);

static inline const struct source_model *shell_source_model(const struct pane *p)
{
	return p->model->view_data;
}

/* The current function. */
const struct source_routine *shell_source_routine(const struct pane *p);

/* A row by its index; the selected row, NULL if there is none. */
const struct source_row *shell_source_row(const struct pane *p, uint32_t i);
const struct source_row *shell_source_selected(const struct pane *p);

/* The cells of a row of the table. */
const union cell *shell_source_cell(const struct pane *p, uint32_t row);

/* Does a line have rows below it, shown or not? what is one of BELOW_*. */
bool shell_source_has_below(const struct pane *p, uint32_t line, uint8_t what);

/* The searchable text of a row; scratch may be used for it. */
const char *shell_source_search_text(const struct pane *p, uint32_t i, struct buf *scratch);

/* Make the rows again. The selection stays, or moves to the line above it. */
void shell_source_make_rows(struct pane *p);

/* Remember the selection. */
void shell_source_remember(struct pane *p);

/* Select a line of the function, or the last line before it. */
void shell_source_go_line(struct pane *p, int64_t line);

/* Show function i, from its hottest line. */
void shell_source_show(struct pane *p, uint32_t i);

/* Restore the selection in a new model. */
void shell_source_set_model(struct pane *p);

#endif

/*
 * view_source.h - the rows of the view Source
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_VIEW_SOURCE_H
#define VIEWERS_SHELL_VIEW_SOURCE_H

#include "report/weblist.h"
#include "viewers/shell/code_pane.h"

/* A function in one file. */
struct source_routine {
	const char *name, *file, *path, *error; /* as in report/list.h */
	const char *tried;                      /* paths that were tried for the file; "" when unknown */
	int64_t flat, cum;
	uint32_t lo, hi; /* rows of the table below it */
};

struct source_model {
	struct code_model code;         /* first; its class is for the view to set */
	struct source_routine *routine; /* [code.n] the heaviest first */
	bool has_code;
	struct weblist weblist; /* when has_code */
	uint32_t *line_code;    /* [rows of the table] when has_code: the line of weblist for a row; CODE_NONE */
};

/* Bits of a pane's want. */
enum { SOURCE_WITH_CODE = 1, SOURCE_WHOLE = 2 };

enum source_kind { SOURCE_LINE, SOURCE_INLINED, SOURCE_CALL, SOURCE_CODE };

/* A row: of the table for lines and inlined calls, else of the weblist's calls and instructions. */
struct source_row {
	uint32_t kind, i;
	uint32_t line; /* the row of the table that it is below of */
};

enum { BELOW_INLINED = 1, BELOW_CODE = 2 };

struct source_state {
	struct code_pane code;        /* first; hot has rows of the table */
	bool hide_inlined, show_code; /* of lines that nobody has opened or closed */
	struct source_row *row;       /* [code.list.n] */
	size_t cap_rows;
	uint8_t *below; /* [rows of the table] BELOW_*, what is shown below a line */
	/* what is selected, to find it again in another model */
	char *name, *file;
	int64_t line;
	bool has_line, opens_line; /* line is to be shown; with what is below it */
};

/* Make the model of a pane, without a class; on the worker's thread. */
int shell_source_make(const struct ask *a, struct model *m, struct err *err);

static inline const struct source_model *shell_source_model(const struct pane *p)
{
	return p->model->own;
}

/* The routine that is shown. */
const struct source_routine *shell_source_routine(const struct pane *p);

/* A row; the selected one, NULL when there is none. */
const struct source_row *shell_source_row(const struct pane *p, uint32_t i);
const struct source_row *shell_source_selected(const struct pane *p);

/* The cells of a row of the table. */
const union cell *shell_source_cell(const struct pane *p, uint32_t row);

/* Is there something below a line, shown or not? what is one of BELOW_*. */
bool shell_source_has_below(const struct pane *p, uint32_t line, uint8_t what);

/* The text of a row that is searched; scratch may be used for it. */
const char *shell_source_search_text(const struct pane *p, uint32_t i, struct buf *scratch);

/* Make the rows again; what is selected stays selected, or else the line that it was below. */
void shell_source_make_rows(struct pane *p);

/* Remember what is selected. */
void shell_source_remember(struct pane *p);

/* Select a line of the routine; the nearest one when it is not there. */
void shell_source_go_line(struct pane *p, int64_t line);

/* Show routine i, from its hottest line. */
void shell_source_show(struct pane *p, uint32_t i);

/* There is a new model: find in it what was selected. */
void shell_source_follow(struct pane *p);

#endif

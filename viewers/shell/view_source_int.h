/*
 * view_source_int.h - what the files of the views Source and Assembly share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both show one routine at a time as rows of code: values, a bar, text. Of several that match, the
 * heaviest comes first.
 */
#ifndef VIEWERS_SHELL_VIEW_SOURCE_INT_H
#define VIEWERS_SHELL_VIEW_SOURCE_INT_H

#include "report/weblist.h"
#include "viewers/shell/find.h"
#include "viewers/shell/shell_int.h"

/* ---- view_source_choice.c: what is searched for ---- */

/* The text of a row that is searched in; scratch may be used for it. */
typedef const char *(*code_text_fn)(const struct pane *p, uint32_t i, struct buf *scratch);

/* The first of n rows that has it, from one on by steps of 1 or -1, around the end. Gives false when none has. */
bool code_find_row(struct find *f, const struct pane *p, code_text_fn text, uint32_t n, uint32_t from, int by,
		   uint32_t *out);

/* A new text to search for in place of another: NULL for "". */
struct find *code_find_new(struct find *old, const char *text);

/* ---- the heaviest first ---- */

struct code_weight {
	uint64_t first, second; /* magnitudes that are sorted by */
	uint32_t i;             /* in order where both are equal */
};

struct code_weight code_weight(int64_t flat, int64_t cum, bool by_cum, uint32_t i);
void code_sort_weights(struct code_weight *weight, size_t n);

/* One of the routines that match. */
struct code_choice {
	const char *name, *file;
	int64_t flat, cum;
};

typedef struct code_choice (*code_choice_fn)(const struct pane *p, uint32_t i);

/* A list of n routines, of which l is about. */
void code_draw_choice(const struct pane *p, struct list *l, uint32_t n, code_choice_fn choice, bool by_cum,
		      bool is_change, struct grid *g, struct area a);

/* ---- view_source_text.c: a row of code ---- */

/* How values are shown. */
struct code_values {
	const struct head *head;
	bool is_change; /* of a comparison: with signs */
	int64_t most;   /* the largest magnitude, for bars */
	int width;      /* of the widest value */
};

/* Take a value into account. */
void code_values_add(struct code_values *v, int64_t value);

/* Where the columns of a row begin and end; what does not fit has no width. */
struct code_columns {
	int flat, cum; /* their right ends; 0 when there is no room */
	int bar, bar_width;
	int mark; /* a line number or an address ends here; 0 when there is no room */
	int text; /* begins here */
};

/* For rows of this width, with marks of so many columns. by_cum: where both have no room, cum stays. */
struct code_columns code_columns(const struct code_values *v, int width, int mark_width, bool by_cum);

/* The two values and the bar of a row; flat NULL for what only has cum. */
void code_draw_values(const struct code_values *v, const struct code_columns *c, struct grid *g, struct area row,
		      const int64_t *flat, int64_t cum, bool is_selected);

/* The headings of both values. */
void code_draw_heads(const struct code_columns *c, struct grid *g, struct area row, bool by_cum);

/*
 * Write text from column x of the first row of an area: hostile, tabs go to every eighth column from x on, what
 * was found is marked.
 *
 * left    so many columns of it are scrolled out of sight
 * find    NULL for none
 * Gives   the column behind it
 */
int code_draw_text(struct grid *g, struct area a, int x, int left, const char *text, struct look look,
		   struct find *find);

/* The line above the headings: what is shown, and its weight. */
void code_draw_title(const struct code_values *v, struct grid *g, struct area row, const char *name, uint32_t i,
		     uint32_t n, int64_t flat, int64_t cum);

/* Append an instruction with its operands in a column, whichever program spelt it. */
void code_add_instruction(const char *text, struct buf *out);

/* Sentences over the rows, wrapped; gives how many lines they took, at most most. */
int code_draw_sentences(struct grid *g, struct area a, const char *text, int most, enum role role);

/* ---- Source ---- */

/* A function in one file. */
struct source_routine {
	const char *name, *file, *path, *error; /* as in report/list.h */
	const char *tried;                      /* where the file was looked for; "" when unknown */
	int64_t flat, cum;
	uint32_t lo, hi; /* rows of the table below it */
};

struct source_model {
	uint32_t n;
	struct source_routine *routine; /* [n] the heaviest first */
	bool by_cum, is_change, has_code;
	struct weblist code; /* when has_code */
	uint32_t *line_code; /* [rows of the table] when has_code: the line of it that a row is; SOURCE_NONE */
};

#define SOURCE_NONE UINT32_MAX

/* What a pane's want says. */
enum { SOURCE_WITH_CODE = 1, SOURCE_WHOLE = 2 };

/* The model of a pane; on the worker's thread. */
int shell_source_make(const struct ask *a, struct model *m, struct err *err);

enum source_kind { SOURCE_LINE, SOURCE_INLINED, SOURCE_CALL, SOURCE_CODE };

/* A row that is shown: of the table for lines and inlined calls, else of the code's calls and instructions. */
struct source_row {
	uint32_t kind, i;
	uint32_t line; /* the row of the table that it is below of */
};

enum { BELOW_INLINED = 1, BELOW_CODE = 2 };

struct source_state {
	struct list list;     /* over row */
	struct list routines; /* to choose one */
	bool is_choosing;
	bool hide_inlined, show_code; /* of lines that nobody has opened or closed */
	uint32_t routine;
	struct source_row *row; /* [list.n] */
	size_t cap_rows;
	uint8_t *below; /* [rows of the table] BELOW_*, what is shown below a line */
	uint32_t *hot;  /* [n_hot] rows of the table with weight, the hottest first */
	uint32_t n_hot;
	struct code_values values;
	int line_width;
	struct find *find;  /* NULL: nothing is searched for */
	uint32_t find_from; /* where the search began */
	/* what is selected, to find it again in another model */
	char *name, *file;
	int64_t line;
	bool has_line, opens_line; /* line is to be shown; with what is below it */
};

/* ---- view_source_rows.c ---- */

/* Show routine i, from its hottest line. */
void shell_source_show(struct pane *p, uint32_t i);

/* A new model: find what was selected in it. */
void shell_source_follow(struct pane *p);

/* Make the rows anew; what is selected stays, or the line it was below of. */
void shell_source_rows(struct pane *p);

/* Select a line of the routine; the nearest one when it is not there. */
void shell_source_go_line(struct pane *p, int64_t line);

/* Remember what is selected. */
void shell_source_remember(struct pane *p);

/* Is there something below a line, shown or not? */
bool shell_source_has_below(const struct pane *p, uint32_t line, uint8_t what);

/* As code_text_fn. */
const char *shell_source_row_text(const struct pane *p, uint32_t i, struct buf *scratch);

/* The cells of a row of the table. */
const union cell *shell_source_cell(const struct pane *p, uint32_t row);

/* ---- view_source_draw.c ---- */

void shell_source_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

/* Show the source of a function, at a line: as "list NAME" does. line 0: at its hottest. */
void shell_source_open(struct shell *s, const char *name, int64_t line);

#endif

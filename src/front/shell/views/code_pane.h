/*
 * code_pane.h - one function at a time as rows of code: values, a bar, a line number or address, text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The Source and Assembly views are code panes. The pane moves, searches, steps through rows by value, lists
 * the matching functions, and draws; the view provides the rows. The view's model begins with a
 * struct code_model, its state with a struct code_pane.
 */
#ifndef FRONT_SHELL_VIEWS_CODE_PANE_H
#define FRONT_SHELL_VIEWS_CODE_PANE_H

#include "front/shell/widgets/find.h"
#include "front/shell/state.h"

#define CODE_NONE UINT32_MAX

/* The format of the values in a pane. */
struct code_values {
	const struct head *head;
	bool is_change; /* values are differences and have signs */
	int64_t max;    /* the largest magnitude, for bars */
	int width;      /* columns of the widest value */
};

/* Initialise the format, then add each value that will be drawn, to find the width. */
struct code_values code_values(const struct pane *p);
void code_values_add(struct code_values *v, int64_t value);

/* The positions of the columns of a row. Columns that do not fit are 0. */
struct code_columns {
	int flat, cum; /* right edges of flat and cum; 0 if they do not fit */
	int bar, bar_width;
	int mark; /* right edge of the line number or address; 0 if it does not fit */
	int text; /* left edge of the text */
};

/* A row to draw. */
struct code_row {
	bool has_values;
	const int64_t *flat; /* NULL for rows that only have cum */
	int64_t cum;
	const char *mark;   /* line number or address; NULL for none */
	char number[24];    /* buffer for a mark */
	bool has_more;      /* draw a + after the mark */
	const char *text;   /* untrusted */
	struct buf scratch; /* buffer for a text */
	enum role role;     /* the style of the text */
};

/* The position of a row on the screen. */
struct code_place {
	struct pane *p;
	struct grid *g;
	const struct code_columns *c;
	struct area area; /* the line of the row */
	uint32_t i;
	bool is_selected;
};

/* A function that matches the expression of the report. */
struct code_routine {
	const char *name, *file; /* file is "" when the list of functions does not show it */
	int64_t flat, cum;
};

/* The callbacks of a view. Rows are numbered from 0 in the current function. */
struct code_class {
	const char *mark_title; /* heading of the marks, for example "line" */
	struct code_routine (*routine)(const struct pane *p, uint32_t i);
	/* Append the name of the current function as the title shows it. */
	void (*add_name)(const struct pane *p, struct buf *out);
	/* Show function i. */
	void (*show)(struct pane *p, uint32_t i);
	/* Select a row that was found, and remember it. */
	void (*select)(struct pane *p, uint32_t row);
	/* Remember the selection, to find it again in another model. */
	void (*remember)(struct pane *p);
	/* Handle a double click, which is like Enter. */
	bool (*open)(struct shell *s, struct pane *p, const struct event *e);
	/* The number by which code_pane.hot refers to the selected row; CODE_NONE if hot does not contain the row. */
	uint32_t (*hot)(const struct pane *p);
	/* Select the row that a number in code_pane.hot refers to, and append its name: "line 12". */
	void (*select_hot)(struct pane *p, uint32_t hot, struct buf *out);
	/* The searchable text of a row; scratch may be used for it. */
	const char *(*search_text)(const struct pane *p, uint32_t row, struct buf *scratch);
	/* Fill in a row, which is zeroed. */
	void (*row)(const struct pane *p, uint32_t i, struct code_row *row);
	/* Draw the headings from column c->text on. */
	void (*draw_heading)(const struct pane *p, const struct code_columns *c, struct grid *g, struct area line);
	/* Draw lines between the headings and the rows; return their number. NULL: none. */
	int (*draw_notes)(const struct pane *p, struct grid *g, struct area a);
	/* Draw additional text of a row; its main text ends before column end. */
	void (*draw_extra)(const struct code_place *at, int end);
};

/* The first member of a view's model. */
struct code_model {
	const struct code_class *class;
	uint32_t n; /* matching functions, at least one; the largest value first */
	bool by_cum, is_change;
};

/* The first member of a view's state. */
struct code_pane {
	struct list list;     /* rows of the current function */
	struct list routines; /* the list from which a function is chosen */
	bool is_choosing;
	uint32_t routine; /* the current function */
	struct code_values values;
	int mark_width;
	struct find *find;  /* NULL: no search */
	uint32_t find_from; /* the row where the search began */
	uint32_t *hot;      /* [n_hot] numbers of the rows with values, the hottest first */
	uint32_t n_hot;
};

void code_pane_release(struct pane *p);

/* ---- rows by value ---- */

struct code_sort_key {
	uint64_t first, second; /* magnitudes to sort by */
	uint32_t i;             /* position, so that equal values keep their order */
};

struct code_sort_key code_sort_key(int64_t flat, int64_t cum, bool by_cum, uint32_t i);

/* Sort, the largest first. */
void code_sort(struct code_sort_key *key, size_t n);

/* Set code_pane.hot from the row numbers [lo, hi). get_values returns false for rows that do not count. */
void code_find_hot(struct pane *p, uint32_t lo, uint32_t hi,
		   bool (*get_values)(const struct pane *p, uint32_t i, int64_t *flat, int64_t *cum));

/* ---- keys of both views ---- */

bool code_move(struct shell *s, struct pane *p, const struct event *e);
bool code_next_hot(struct shell *s, struct pane *p, const struct event *e);     /* ] and [ */
bool code_next_found(struct shell *s, struct pane *p, const struct event *e);   /* n and N */
bool code_next_routine(struct shell *s, struct pane *p, const struct event *e); /* } and { */
bool code_choose(struct shell *s, struct pane *p, const struct event *e); /* open or close the list of functions */
bool code_cancel_choice(struct shell *s, struct pane *p, const struct event *e); /* Esc: close the list of functions */

/* Show the function selected in the list; false when the list is closed. */
bool code_accept_choice(struct pane *p);

bool code_mouse(struct shell *s, struct pane *p, const struct event *e);
void code_search(struct shell *s, struct pane *p, const char *text);

/* ---- drawing ---- */

void code_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

/* The style of a role in a row, selected or not. */
struct style code_style(const struct code_place *at, enum role role);

/*
 * Write untrusted text from column x of the first row of an area. Tab stops are every eight columns from x on, in
 * areas below 100 columns every four, and matches are marked.
 *
 * left    number of columns of the text that are scrolled out at the left
 * find    NULL for none
 * Returns the column after it
 */
int code_draw_text(struct grid *g, struct area a, int x, int left, const char *text, struct style style,
		   struct find *find);

/* Append an instruction in any disassembler's format, with its operands aligned in a column. */
void code_add_instruction(const char *text, struct buf *out);

/* Draw wrapped sentences above the rows. Return the number of lines they took, at most max. */
int code_draw_sentences(struct grid *g, struct area a, const char *text, int max, enum role role);

/* Show the source of a function at a line, as "list NAME" does; line 0: at its hottest line. */
void shell_source_open(struct shell *s, const char *name, int64_t line);

#endif

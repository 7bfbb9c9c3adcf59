/*
 * code_pane.h - one routine at a time as rows of code: values, a bar, a line number or address, text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The views Source and Assembly are code panes. The pane moves, searches, steps through rows by weight, lists
 * the routines that match, and draws; the view says which rows there are. The view's model begins with a
 * struct code_model, its state with a struct code_pane.
 */
#ifndef VIEWERS_SHELL_CODE_PANE_H
#define VIEWERS_SHELL_CODE_PANE_H

#include "viewers/shell/find.h"
#include "viewers/shell/shell_int.h"

#define CODE_NONE UINT32_MAX

/* How values are shown. */
struct code_values {
	const struct head *head;
	bool is_change; /* of a comparison: with signs */
	int64_t most;   /* the largest magnitude, for bars */
	int width;      /* of the widest value */
};

/* Start with no values; then add all that are shown. */
struct code_values code_values(const struct pane *p);
void code_values_add(struct code_values *v, int64_t value);

/* Where the columns of a row begin and end; a column without room has no width. */
struct code_columns {
	int flat, cum; /* their right ends; 0 when there is no room */
	int bar, bar_width;
	int mark; /* a line number or an address ends here; 0 when there is no room */
	int text; /* begins here */
};

/* A row as it is drawn. */
struct code_row {
	bool has_values;
	const int64_t *flat; /* NULL for rows that only have cum */
	int64_t cum;
	const char *mark;   /* line number or address; NULL for none */
	char number[24];    /* room for a mark */
	bool has_more;      /* a + follows the mark */
	const char *text;   /* hostile */
	struct buf scratch; /* room for a text */
	enum role role;     /* the look of the text */
};

/* Where a row is drawn. */
struct code_place {
	struct pane *p;
	struct grid *g;
	const struct code_columns *c;
	struct area area; /* one line */
	uint32_t i;
	bool is_selected;
};

/* One of the routines that match. */
struct code_routine {
	const char *name, *file; /* file is "" when it is not shown in the list of routines */
	int64_t flat, cum;
};

/* The functions of a view. Rows are numbered from 0 in the routine that is shown. */
struct code_class {
	const char *mark_title; /* heading of the marks: "line" */
	struct code_routine (*routine)(const struct pane *p, uint32_t i);
	/* Append the name of the routine that is shown, as it is in the title. */
	void (*add_name)(const struct pane *p, struct buf *out);
	/* Show routine i. */
	void (*show)(struct pane *p, uint32_t i);
	/* Select a row that was found, and remember it. */
	void (*go)(struct pane *p, uint32_t row);
	/* Remember what is selected, to find it again in another model. */
	void (*remember)(struct pane *p);
	/* What a double click does, as Enter. */
	bool (*open)(struct shell *s, struct pane *p, const struct event *e);
	/* The number that the selected row has in code_pane.hot; CODE_NONE without one. */
	uint32_t (*hot)(const struct pane *p);
	/* Select the row of a number in code_pane.hot, and append what it is: "line 12". */
	void (*go_hot)(struct pane *p, uint32_t hot, struct buf *out);
	/* The text of a row that is searched; scratch may be used for it. */
	const char *(*search_text)(const struct pane *p, uint32_t row, struct buf *scratch);
	/* Fill in a row, which is zero before. */
	void (*row)(const struct pane *p, uint32_t i, struct code_row *row);
	/* Draw what else is in the line of headings, from column c->text on. */
	void (*draw_heading)(const struct pane *p, const struct code_columns *c, struct grid *g, struct area line);
	/* Draw lines between headings and rows; gives how many. NULL: none. */
	int (*draw_notes)(const struct pane *p, struct grid *g, struct area a);
	/* Draw what else a row has; its text ends before column end. */
	void (*draw_extra)(const struct code_place *at, int end);
};

/* The first member of a view's model. */
struct code_model {
	const struct code_class *class;
	uint32_t n; /* routines that match, at least one; the heaviest first */
	bool by_cum, is_change;
};

/* The first member of a view's state. */
struct code_pane {
	struct list list;     /* of the rows */
	struct list routines; /* to choose one */
	bool is_choosing;
	uint32_t routine; /* the one that is shown */
	struct code_values values;
	int mark_width;
	struct find *find;  /* NULL: nothing is searched for */
	uint32_t find_from; /* where the search began */
	uint32_t *hot;      /* [n_hot] rows with weight, by the view's numbers for them, the hottest first */
	uint32_t n_hot;
};

void code_pane_end(struct pane *p);

/* ---- by weight ---- */

struct code_weight {
	uint64_t first, second; /* magnitudes to sort by */
	uint32_t i;             /* keeps the order where both are equal */
};

struct code_weight code_weight(int64_t flat, int64_t cum, bool by_cum, uint32_t i);

/* The heaviest first. */
void code_sort_weights(struct code_weight *weight, size_t n);

/* Set code_pane.hot from the rows of numbers [lo, hi). weigh gives false for rows that do not count. */
void code_find_hot(struct pane *p, uint32_t lo, uint32_t hi,
		   bool (*weigh)(const struct pane *p, uint32_t i, int64_t *flat, int64_t *cum));

/* ---- what keys of both views do ---- */

bool code_move(struct shell *s, struct pane *p, const struct event *e);
bool code_next_hot(struct shell *s, struct pane *p, const struct event *e);   /* ] and [ */
bool code_next_found(struct shell *s, struct pane *p, const struct event *e); /* n and N; without a search as ] and [ */
bool code_next_routine(struct shell *s, struct pane *p, const struct event *e); /* } and { */
bool code_choose(struct shell *s, struct pane *p, const struct event *e);       /* list the routines, or no longer */
bool code_leave(struct shell *s, struct pane *p, const struct event *e);        /* Esc: no longer */

/* Show the selected routine of the list; false when the list is not shown. */
bool code_take_choice(struct pane *p);

bool code_mouse(struct shell *s, struct pane *p, const struct event *e);
void code_search(struct shell *s, struct pane *p, const char *text);

/* ---- drawing ---- */

void code_draw(struct shell *s, struct pane *p, struct grid *g, struct area a);

/* A role in a row, selected or not. */
struct look code_look(const struct code_place *at, enum role role);

/*
 * Write text from column x of the first row of an area: hostile, tabs go to every eighth column from x on, and
 * matches are marked.
 *
 * left    so many columns of it are scrolled out of sight
 * find    NULL for none
 * Gives   the column after it
 */
int code_draw_text(struct grid *g, struct area a, int x, int left, const char *text, struct look look,
		   struct find *find);

/* Append an instruction with its operands in a column, whichever program wrote it. */
void code_add_instruction(const char *text, struct buf *out);

/* Draw sentences above the rows, wrapped; gives how many lines they took, at most most. */
int code_draw_sentences(struct grid *g, struct area a, const char *text, int most, enum role role);

#endif

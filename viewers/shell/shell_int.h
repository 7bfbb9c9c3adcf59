/*
 * shell_int.h - what views, overlays and the shell around them share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pane is one view of the profile: made by a line as at the prompt ("peek ^main$"), so that keys,
 * prompt, history and the command line to copy are one thing. Its model is made by the worker from the
 * settings, off the input thread; everything else runs on the input thread. Overlays (prompt, pickers,
 * help) lie on top and take the keys first.
 */
#ifndef VIEWERS_SHELL_INT_H
#define VIEWERS_SHELL_INT_H

#include "base/arena.h"
#include "base/stop.h"
#include "base/texts.h"
#include "report/report.h"
#include "viewers/shell/event.h"
#include "viewers/shell/grid.h"
#include "viewers/shell/shell.h"

#include <stdint.h>

struct shell;
struct pane;

/* ---- theme.c: how things look ---- */

enum role {
	LOOK_PLAIN,
	LOOK_QUIET,     /* matters less */
	LOOK_BAR,       /* the line at the top, and behind tabs */
	LOOK_TAB,       /* another view */
	LOOK_TAB_HERE,  /* the view that is shown */
	LOOK_HEAD,      /* headings of columns */
	LOOK_HEAD_HERE, /* of the one that rows are sorted by */
	LOOK_SELECTED,
	LOOK_MATCH, /* what was searched for */
	LOOK_CHIP,
	LOOK_KEY, /* the name of a key */
	LOOK_ERROR,
	LOOK_GREW,
	LOOK_SHRANK,
	LOOK_WARM,    /* a share worth a look */
	LOOK_HOT,     /* a large share */
	LOOK_BOX,     /* a window on top of a view */
	LOOK_COMMAND, /* a line as at the prompt */
	N_ROLES
};

struct look theme_look(enum role role);

/* The same in the selected row: one bar, so colours give way to it. */
struct look theme_selected(struct look look);

/* The look for a share of the total in percent: plain, warm or hot. */
struct look theme_heat(double percent);

/* ---- models, panes, overlays, the shell ---- */

/* What the worker is to make a model of. Everything lives until it is done. */
struct ask {
	const struct shell_data *data;
	const struct profile *p; /* what is asked about: data->sides with two_sides, else data->p */
	bool two_sides;          /* show before and after */
	const struct report_type *type;
	const struct query *q; /* as the settings and the pane's line have it; its stop is set */
	int width, height;     /* of the pane, in cells */
	unsigned want;         /* as the pane has it */
	struct buf part;       /* the same; empty for all */
	const struct shell_open *open;
};

/* What a view shows: made by the worker, then read only. Strings may be the profile's. */
struct model {
	struct shell_data *data; /* held */
	struct arena *mem;
	struct settings *settings;  /* whose texts the report borrows */
	struct report report, more; /* released with it; more is for views that need two */
	struct buf text, notes;
	void *own; /* the view's, in mem */
};

/* A key of a view or of the shell. The help is made of these, so that it cannot lie. */
struct binding {
	const char *events; /* names as event_parse reads them: "Enter", "j Down" */
	const char *does;   /* for the help, one line; NULL hides it there */
	const char *brief;  /* a word or two for the line of hints; NULL: not there */
	const char *line;   /* the line at the prompt that it stands for, NAME for what is selected; NULL: none */
	/* Gives false when there is nothing to do, so that others may take the key. */
	bool (*act)(struct shell *s, struct pane *p, const struct event *e);
};

struct pane_class {
	const char *title;   /* "Top" */
	const char *explain; /* for help: what is seen, what numbers and colours mean */
	const struct binding *key;
	size_t n_keys;
	size_t state_size; /* of what p->state points to, zero-initialised */
	bool by_width;     /* the model depends on the width, so it is made anew for another one */
	const char *like;  /* the report whose defaults the model has; NULL: those of its own */
	/* Make a model; on the worker's thread. m has its arena and the data. */
	int (*make)(const struct ask *a, struct model *m, struct err *err);
	/* A model of the part that p->part asked for is there; p->model stays. Taken over. NULL: never asked for. */
	void (*take_part)(struct shell *s, struct pane *p, struct model *m);
	/* There is a new model, p->model; the state may have to follow. NULL: nothing to do. */
	void (*shown)(struct shell *s, struct pane *p);
	void (*draw)(struct shell *s, struct pane *p, struct grid *g, struct area a);
	/* Clicks and the wheel in the area that was drawn; x and y are relative to it. NULL: none. A click with the right
	   button is Backspace everywhere. */
	bool (*mouse)(struct shell *s, struct pane *p, const struct event *e);
	/* What is selected, as an expression that matches just that ("^main\.work$"); nothing appended when
	   nothing is. NULL: never something. */
	void (*subject)(struct shell *s, struct pane *p, struct buf *out);
	/* The text of / changed; "" ends it. NULL: the view has no search. Only while there is a model; of what
	   was typed before, it hears behind the first shown. */
	void (*search)(struct shell *s, struct pane *p, const char *text);
	/* Release what state holds; NULL: nothing. */
	void (*end)(struct pane *p);
};

struct pane {
	const struct pane_class *class;
	const struct report_type *type;
	char *line;           /* what makes it, at the prompt */
	struct settings *ask; /* settings with what the line adds, of the model that is wanted */
	struct model *model;  /* what is shown; NULL until the first one is made */
	struct err err;       /* why there is none, code 0 when nothing went wrong */
	bool is_stale;        /* the settings changed since the model was made */
	bool is_waiting;      /* the worker has it */
	int made_width;       /* of the model */
	uint64_t job;         /* the worker's number of what it makes */
	unsigned want;        /* what its view wants of the next model besides; the view's own bits */
	struct buf part;      /* what part of it the next model is to be of, in the view's words; given once */
	char *search;         /* what / was given; "" for nothing */
	void *state;
	struct area area; /* where it was drawn */
};

/* Something on top of the panes. It ends itself with overlay_close. */
struct overlay {
	const struct overlay_class *class;
	struct overlay *below;
	void *state;
};

struct overlay_class {
	size_t state_size;
	void (*draw)(struct shell *s, struct overlay *o, struct grid *g);
	bool (*key)(struct shell *s, struct overlay *o, const struct event *e); /* mouse too; true: taken */
	void (*end)(struct overlay *o); /* release what state holds; NULL: nothing */
	bool is_line;                   /* it only takes the lowest line, and what is typed is live */
};

struct hit {
	struct area area;
	char *line;         /* run as at the prompt; or */
	char *typed;        /* put at the prompt, to be changed; or */
	struct event event; /* as if this came */
};

enum { AHEAD_MAX = 64 };

struct shell {
	struct shell_open open;
	struct shell_data *data; /* held */
	struct settings *now;
	struct kept *kept;      /* which columns one chose */
	struct settings **undo; /* [n_undo] what was before, the newest last; redo is what lies from undo_at on */
	size_t n_undo, undo_at, cap_undo;
	struct settings *begun; /* what was before the lines that are one step; NULL outside of them */
	unsigned n_begun;
	struct pane **pane; /* [n_panes] the way here; the last one shown is pane[at] */
	size_t n_panes, at, cap_panes;
	struct overlay *overlay; /* the topmost; NULL for none */
	struct work *work;
	struct screen *screen; /* NULL when keys are played */
	struct grid grid;
	enum depth depth;
	bool dark; /* the terminal's paper is dark, for the colours of flame graphs */
	bool mouse;
	bool two_sides;     /* with a base: show before and after; d */
	unsigned n_fetched; /* how often R has fetched */
	struct buf said;    /* the last message */
	bool said_is_error;
	struct buf shown_line;        /* what the last key stands for */
	int chip;                     /* the one that c walks on; -1 for none */
	struct texts typed, searched; /* lines of the prompt, the host's history before them; and what / was given */
	bool has_history;
	struct hit *hit; /* [n_hits] of the screen as drawn */
	size_t n_hits, cap_hits;
	struct event ahead[AHEAD_MAX]; /* [n_ahead] keys of the shown pane, whose view is not there yet */
	size_t n_ahead;
	bool is_done;
	bool has_news;    /* a model came since the last frame */
	uint64_t n_wakes; /* for the animation of waiting */
};

/* ---- shell.c: state and what lines do ---- */

/* Fails with ERR_IO when there are no threads; the data is dropped then. */
int shell_new(const struct shell_open *open, int width, int height, struct shell **out, struct err *err);
void shell_free(struct shell *s);

/* One event in; the screen has to be drawn again afterwards. */
void shell_handle(struct shell *s, const struct event *e);

/* Do what a line at the prompt does. is_key: it comes from a key, and is shown as what that stands for. */
void shell_line(struct shell *s, const char *line, bool is_key);

/* What lines between these two change is one step to undo. A line alone is one. */
void shell_begin(struct shell *s);
void shell_end(struct shell *s);

/* The same, with a format. */
void shell_linef(struct shell *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Put a message in the line of hints until the next key. */
void shell_say(struct shell *s, bool is_error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* The same behind what was said since the last key. */
void shell_add(struct shell *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct pane *shell_pane(const struct shell *s);

/* The subject of the pane that is shown; "" when there is none. */
void shell_subject(struct shell *s, struct buf *out);

/* The same of any pane. */
void pane_subject(struct shell *s, struct pane *p, struct buf *out);

void shell_back(struct shell *s); /* in the way of panes */
void shell_forward(struct shell *s);
void shell_undo(struct shell *s); /* of settings */
void shell_redo(struct shell *s);

/* Is what R fetched compared with what was there before, as no base was given? */
bool shell_has_last(const struct shell *s);

/*
 * Load the sources again, on a worker's thread, and compare them with what was there unless there is a base.
 *
 * open    with reload
 * out     owned by the caller
 * notes   lines for the user are appended
 * Fails   as answer_load and sides_make
 */
int shell_reload(const struct shell_open *open, const struct shell_data *last, struct stop *stop,
		 struct shell_data **out, struct buf *notes, struct err *err);

/* Make the model of the shown pane again: its state asks for another one. */
void shell_refresh(struct shell *s, struct pane *p);

/* Stop what the worker does; gives false when it does nothing. */
bool shell_stop_work(struct shell *s);

/* Append the command line that shows the same. */
void shell_add_command(struct shell *s, struct pane *p, struct buf *out);

/* What the worker made: a model for a pane or a part of it, taken over also when rc says it failed; */
void pane_take(struct shell *s, struct pane *p, int rc, struct model *m, bool is_part, const struct err *err);
/* profiles fetched again, taken over; */
void shell_fetched(struct shell *s, int rc, struct shell_data *data, const struct buf *notes, const struct err *err);
/* a line carried out. */
void shell_ran(struct shell *s, int rc, const struct buf *said, const struct err *err);

void model_free(struct model *m);

/* Show a report: a new pane, or one that the same line made before. */
void pane_open(struct shell *s, const struct line *l, const char *line);
void pane_free(struct pane *p);

/* Search in a pane: keeps the text and tells the view, if it has a model. */
void pane_search(struct shell *s, struct pane *p, const char *text);

/* Count who uses a profile; the last one to drop it frees it. Input thread only. */
struct shell_data *data_hold(struct shell_data *d);
void data_drop(struct shell_data *d);

/* ---- overlays ---- */

struct overlay *overlay_open(struct shell *s, const struct overlay_class *class);
void overlay_close(struct shell *s, struct overlay *o);

/* The place of a window of this size in the middle of a grid, blank; smaller where the grid is. */
struct area overlay_box(struct grid *g, int width, int height);

/* Is an event of the mouse in an area? */
bool overlay_has(struct area a, const struct event *e);

void prompt_open(struct shell *s, const char *text); /* : with text already typed */
void search_open(struct shell *s);                   /* / */
void help_open(struct shell *s);                     /* ? */
void help_about(struct shell *s, const char *words); /* help top */
void command_open(struct shell *s);                  /* y: the command line, to copy */
void shell_save_open(struct shell *s);               /* s */
void shell_options_open(struct shell *s);            /* o: all options, to be changed */
void chips_open(struct shell *s);                    /* filters in force, to be taken away */

void picker_types(struct shell *s);  /* t: sample types */
void picker_grains(struct shell *s); /* granularities */
void picker_units(struct shell *s);
void picker_labels(struct shell *s); /* keys of labels, for tagroot, tagfocus */

/* ---- frame.c: what is around a pane ---- */

void frame_draw(struct shell *s);

/* Where a pane will be drawn. */
struct area frame_body(struct shell *s);

/* Do what a click at something that reacts does; gives false where nothing does. */
bool frame_click(struct shell *s, const struct event *e);
void frame_forget_hits(struct shell *s);

/* Something on the screen reacts to a click: runs a line, or is as if an event came. Until the next drawing. */
void frame_hit_line(struct shell *s, struct area a, const char *line);
void frame_hit_typed(struct shell *s, struct area a, const char *line); /* opens the prompt with it */
void frame_hit_event(struct shell *s, struct area a, const char *event);

/* ---- title.c ---- */

/* The file, what is measured, its total; and the views. */
void title_draw(struct shell *s, struct area a);
void tabs_draw(struct shell *s, struct area a);

/* ---- chips.c: what is not as by default, in a line below the tabs ---- */

bool chips_any(struct shell *s);
void chips_draw(struct shell *s, struct grid *g, struct area a);

/* ---- keys.c ---- */

extern const struct binding shell_keys[];
extern const size_t shell_n_keys;

/* The key of a table that an event means; NULL when none does. */
const struct binding *key_find(const struct binding *table, size_t n, const struct event *e);

/* Does a view take the first key of a binding of the shell for something of its own? */
bool key_is_taken(const struct pane_class *class, const struct binding *key);

/* ---- work.c: the worker ---- */

/* Fails with ERR_IO when there are no threads. */
int work_new(struct work **out, struct err *err);
void work_free(struct work *w);

/* Called on the worker's thread when something is done. */
void work_on_done(struct work *w, void (*wake)(void *arg), void *arg);

/* Start making a model for a pane; what runs is stopped and forgotten. The ask's settings are copied. */
void work_start(struct work *w, struct shell *s, struct pane *p);

/*
 * Start an errand: fetch again (R), or carry out a line that is no view, which is taken over.
 *
 * Gives   false while another errand is under way
 */
bool work_start_again(struct work *w, struct shell *s);
bool work_start_run(struct work *w, struct shell *s, struct line *l);

/* Stop the model that is made; stop the errand. */
void work_stop_model(struct work *w);
void work_stop_errand(struct work *w);

/* An answer that comes so soon is waited for, so that nothing flickers; then the waiting is shown, and that Esc stops it. */
enum { SOON_MS = 80 };

/* What the worker does. */
struct doing {
	const char *command, *what; /* what of it; NULL when it does not say */
	int percent;                /* -1: unknown */
	int64_t ms;                 /* since it was asked */
	bool is_errand, is_stopping;
};
bool work_doing(struct work *w, struct doing *out);

/* Take what is done into the panes; gives true when there was something. */
bool work_take(struct work *w, struct shell *s);

/* Wait until nothing runs, and take it. */
void work_wait(struct work *w, struct shell *s);

/* ---- list.c: rows with a selected one, scrolling ---- */

struct list {
	uint32_t n, at, top; /* rows; the selected one; the first one shown */
	int height;          /* rows shown the last time */
	int left;            /* columns scrolled to the right */
};

/* Rows shown from here on: sets height, keeps the selected one in sight. */
void shell_list_fit(struct list *l, uint32_t n, int height);
void shell_list_go(struct list *l, uint32_t row);

/* The keys of every list: j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right, the wheel. */
bool shell_list_key(struct list *l, const struct event *e);

/* Which row lies at a line below the list's first; false when none does. */
bool shell_list_row_at(const struct list *l, int y, uint32_t *row);

/* The scroll bar at the right side of an area. */
void shell_list_draw_bar(const struct list *l, struct grid *g, struct area a, struct look look);

/* ---- views, one file each ---- */

extern const struct pane_class shell_view_asm;
extern const struct pane_class shell_view_source;
extern const struct pane_class shell_view_flame;
extern const struct pane_class shell_view_text; /* any report as it prints */
extern const struct pane_class shell_view_top;
extern const struct pane_class shell_view_calls;
extern const struct pane_class shell_view_labels;
extern const struct pane_class shell_view_traces;
extern const struct pane_class shell_view_tree;

/* Show the source of a function at a line, as "list NAME" does; line 0: at its hottest. */
void shell_source_open(struct shell *s, const char *name, int64_t line);

#endif

/*
 * shell_int.h - shared by views, overlays and the shell itself
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A pane is one view of the profile. It is made by a line as typed at the prompt ("peek ^main$"), so that keys,
 * prompt, history and the command line to copy all agree. A worker thread makes its model from the
 * settings; everything else runs on the input thread. Overlays (prompt, pickers, help) are on top of panes and get
 * keys first.
 */
#ifndef VIEWERS_SHELL_INT_H
#define VIEWERS_SHELL_INT_H

#include "base/arena.h"
#include "base/stop.h"
#include "base/string_list.h"
#include "report/report.h"
#include "viewers/shell/event.h"
#include "viewers/shell/grid.h"
#include "viewers/shell/shell.h"

#include <stdint.h>

struct shell;
struct pane;

/* ---- theme.c: styles ---- */

enum role {
	ROLE_PLAIN,
	ROLE_MUTED,          /* less important text */
	ROLE_BAR,            /* the title line, and the background of tabs */
	ROLE_TAB,            /* the tab of another view */
	ROLE_TAB_CURRENT,    /* the tab of the current view */
	ROLE_HEADING,        /* headings of columns */
	ROLE_HEADING_SORTED, /* the heading of the sort column */
	ROLE_SELECTED,
	ROLE_MATCH, /* text that matches the search */
	ROLE_CHIP,
	ROLE_KEY, /* the name of a key */
	ROLE_ERROR,
	ROLE_GREW,
	ROLE_SHRANK,
	ROLE_WARM,    /* a notable share of the total */
	ROLE_HOT,     /* a large share of the total */
	ROLE_WINDOW,  /* a window on top of a view */
	ROLE_COMMAND, /* a command as typed at the prompt */
	N_ROLES
};

struct style theme_style(enum role role);

/* The style of a text in the selected row, which is drawn in reverse video without colours. */
struct style theme_selected(struct style style);

/* The style for a share of the total in percent: plain, warm or hot. */
struct style theme_heat(double percent);

/* ---- models, panes, overlays, the shell ---- */

/* A request to the worker for a model. Everything in it lives until the model is made. */
struct model_request {
	const struct shell_data *data;
	const struct profile *p;      /* the profile to report on: data->sides with show_sides, else data->p */
	const struct profile *joined; /* for views without two sides: data->change with show_sides, else data->p */
	bool show_sides;              /* show before and after */
	bool is_change;               /* joined is a difference */
	const struct report_type *type;
	const struct query *q; /* the settings with the options of the pane's line; its stop is set */
	int width, height;     /* size of the pane in cells */
	unsigned flags;        /* flags of the pane */
	struct buf part;       /* part that the pane requested; empty for the whole */
	const struct shell_options *options;
};

/* The content of a view. The worker makes it; afterwards nothing modifies it. It may borrow strings from the
   profile. */
struct model {
	struct shell_data *data; /* a counted reference */
	struct arena *mem;
	struct settings *settings;   /* the report borrows their texts */
	struct report report, extra; /* released with the model; extra is for views that need two reports */
	struct buf text, notes;
	void *view_data; /* defined by the view, allocated in mem */
};

/* A key of a view or of the shell. The help is made from these tables, so it is always accurate. */
struct binding {
	const char *events;  /* names as event_parse reads them: "Enter", "j Down" */
	const char *help;    /* one line for the help window; NULL: not listed */
	const char *hint;    /* a word or two for the line of hints; NULL: none */
	const char *command; /* the equivalent line at the prompt, with NAME for the selection; NULL: none */
	/* Return false to let others handle the key. */
	bool (*act)(struct shell *s, struct pane *p, const struct event *e);
};

struct pane_class {
	const char *title; /* "Top" */
	const char *help;  /* text of the help window: what the view shows, meaning of numbers and colours */
	const struct binding *key;
	size_t n_keys;
	size_t state_size;       /* size of pane.state, which is zero-initialised */
	bool depends_on_width;   /* make a new model when the width changes */
	const char *defaults_of; /* the report whose defaults apply; NULL: the view's own */
	/* Make a model, on the worker's thread. The caller has set the arena and the data of m. */
	int (*make)(const struct model_request *a, struct model *m, struct err *err);
	/* Add the model of a part that p->part requested, without replacing p->model. Takes ownership. NULL: the
	   view never requests parts. */
	void (*set_part)(struct shell *s, struct pane *p, struct model *m);
	/* Update the state for the new model p->model. NULL: nothing to do. */
	void (*model_changed)(struct shell *s, struct pane *p);
	void (*draw)(struct shell *s, struct pane *p, struct grid *g, struct area a);
	/* Handle clicks and the wheel; x and y are relative to the area drawn. NULL: no mouse. A right click is
	   Backspace in all views. */
	bool (*mouse)(struct shell *s, struct pane *p, const struct event *e);
	/* Append an expression that matches exactly the selected function ("^main\.work$"); nothing when nothing is
	   selected. NULL: the view has no selection. */
	void (*add_selection)(struct shell *s, struct pane *p, struct buf *out);
	/* Search for the text of /, which changed; "" ends the search. NULL: the view has no search. Only called
	   with a model; the first model is followed by a call with any earlier text. */
	void (*search)(struct shell *s, struct pane *p, const char *text);
	/* Release the members of the state; NULL: there are none. */
	void (*release)(struct pane *p);
};

struct pane {
	const struct pane_class *class;
	const struct report_type *type;
	char *line;                /* the line at the prompt that makes it */
	struct settings *settings; /* the settings for the next model: the shell's, with the options of the line */
	struct model *model;       /* the model shown; NULL until the first one is made */
	struct err err;            /* reason why there is no model; code 0 if there was no error */
	bool is_stale;             /* the settings changed since the model was made */
	bool is_waiting;           /* the worker is making a model */
	int model_width;           /* width for which the model was made */
	uint64_t job;              /* number of the worker's job that makes the next model */
	unsigned flags;            /* view-specific flags for the next model */
	struct buf part;           /* view-specific: the part that the next model is about; cleared when requested */
	char *search;              /* the search text of /; "" for none */
	void *state;
	struct area area; /* position on the screen */
};

/* A window or line on top of the panes. It closes itself with overlay_close. */
struct overlay {
	const struct overlay_class *class;
	struct overlay *below;
	void *state;
};

struct overlay_class {
	size_t state_size;
	void (*draw)(struct shell *s, struct overlay *o, struct grid *g);
	bool (*key)(struct shell *s, struct overlay *o, const struct event *e); /* keys and mouse; true if handled */
	void (*release)(struct overlay *o); /* release the members of the state; NULL: there are none */
	bool is_line;                       /* covers only the lowest line, and text has an effect while it is typed */
};

struct hit {
	struct area area;
	char *line;         /* a line to run as at the prompt; else */
	char *edit_line;    /* a line to put into the prompt for editing; else */
	struct event event; /* an event to handle as if it had occurred */
};

enum { TYPEAHEAD_MAX = 64 };

struct shell {
	struct shell_options options;
	struct shell_data *data; /* one reference */
	struct settings *settings;
	struct prefs *prefs;    /* the chosen columns */
	struct settings **undo; /* [n_undo] earlier settings, the newest last; those from undo_at on can be redone */
	size_t n_undo, undo_at, cap_undo;
	struct settings *step_start; /* the settings before the current step; NULL outside of a step */
	unsigned step_depth;
	struct pane **pane; /* [n_panes] visited panes in order; the current one is pane[current] */
	size_t n_panes, current, cap_panes;
	struct overlay *overlay; /* the topmost; NULL for none */
	struct work *work;
	struct screen *screen; /* NULL while keys are played without a terminal */
	struct grid grid;
	enum palette palette;
	bool is_dark; /* the terminal's background is dark: selects the colours of flame graphs */
	bool has_mouse;
	bool show_sides;    /* with a base: show before and after (key d) */
	unsigned n_fetched; /* number of fetches by R */
	struct buf message; /* the last message */
	bool message_is_error;
	struct buf key_line;             /* the line that the last key ran */
	int selected_chip;               /* index of the chip selected after c; -1 for none */
	struct string_list prompt_lines; /* earlier lines, those of the host's history first */
	struct string_list search_lines; /* earlier search texts */
	bool has_history;
	struct hit *hit; /* [n_hits] clickable areas as drawn */
	size_t n_hits, cap_hits;
	struct event typeahead[TYPEAHEAD_MAX]; /* [n_typeahead] keys for the current view, which has no model yet */
	size_t n_typeahead;
	bool is_done;
	bool has_new_model; /* a model arrived since the last frame */
	uint64_t n_wakes;   /* number of wakes, which drives the waiting animation */
};

/* ---- shell.c: state, lines, events ---- */

/* Fails with ERR_IO when no thread can be started; the data is then released. */
int shell_new(const struct shell_options *options, int width, int height, struct shell **out, struct err *err);
void shell_free(struct shell *s);

/* Handle one event. The screen must be drawn again afterwards. */
void shell_handle(struct shell *s, const struct event *e);

/* Run a line as at the prompt. is_key: a key runs the line, which the lowest line then shows. */
void shell_run_line(struct shell *s, const char *line, bool is_key);

/* Changes between these two calls are one undo step. A line run without them is a step too. */
void shell_begin_step(struct shell *s);
void shell_end_step(struct shell *s);

/* Run a formatted line as a key. */
void shell_run_linef(struct shell *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Show a message in the line of hints until the next key. */
void shell_notify(struct shell *s, bool is_error, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Append to the message in the line of hints, after "; ". If there is no message, show this text. */
void shell_notify_more(struct shell *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct pane *shell_pane(const struct shell *s);

/* Append the selection of the current pane; nothing if there is none. */
void shell_add_selection(struct shell *s, struct buf *out);

/* Append the selection of a pane; nothing if there is none. */
void pane_add_selection(struct shell *s, struct pane *p, struct buf *out);

void shell_back(struct shell *s); /* go back to the previous pane */
void shell_forward(struct shell *s);
void shell_undo(struct shell *s); /* undo the last change of settings */
void shell_redo(struct shell *s);

/* Is the fetched profile compared with the previously fetched one? False if a base was given. */
bool shell_compares_last(const struct shell *s);

/*
 * Load the sources again, on a worker's thread, and compare them with the previous data unless there is a base.
 *
 * options  with reload
 * out      owned by the caller
 * notes    lines for the user are appended
 * Fails    like sources_load and sides_make
 */
int shell_reload(const struct shell_options *options, const struct shell_data *last, struct stop *stop,
		 struct shell_data **out, struct buf *notes, struct err *err);

/* Make a new model for the pane. */
void shell_refresh(struct shell *s, struct pane *p);

/* Stop the worker; false when it is idle. */
bool shell_stop_work(struct shell *s);

/* Append the equivalent command line. */
void shell_add_command(struct shell *s, struct pane *p, struct buf *out);

/* Accept a model for a pane, or a part of it. Takes ownership even if rc is an error. */
void pane_set_model(struct shell *s, struct pane *p, int rc, struct model *m, bool is_part, const struct err *err);
/* Accept fetched profiles. Takes ownership. */
void shell_reload_done(struct shell *s, int rc, struct shell_data *data, const struct buf *notes,
		       const struct err *err);
/* Report the result of a line. */
void shell_line_done(struct shell *s, int rc, const struct buf *messages, const struct err *err);

void model_free(struct model *m);

/* Show a report in a new pane, or in the pane that the same line made before. */
void pane_open(struct shell *s, const struct line *l, const char *line);
void pane_free(struct pane *p);

/* Set the search text of a pane and pass it to the view, if it has a model. */
void pane_search(struct shell *s, struct pane *p, const char *text);

/* Take and release a reference to a profile; the last release frees it. Input thread only. */
struct shell_data *data_ref(struct shell_data *d);
void data_unref(struct shell_data *d);

/* ---- overlays ---- */

struct overlay *overlay_open(struct shell *s, const struct overlay_class *class);
void overlay_close(struct shell *s, struct overlay *o);

/* Clear and return the area of a window of this size in the middle of a grid; smaller if the grid is. */
struct area overlay_box(struct grid *g, int width, int height);

/* Is a mouse event in an area? */
bool overlay_has(struct area a, const struct event *e);

void prompt_open(struct shell *s, const char *text);       /* key : with a text to edit */
void search_open(struct shell *s);                         /* key / */
void shell_help_open(struct shell *s);                     /* key ? */
void shell_help_about(struct shell *s, const char *words); /* the command help, for example help top */
void command_open(struct shell *s);                        /* key y: the command line, to copy */
void shell_save_open(struct shell *s);                     /* s */
void shell_options_open(struct shell *s);                  /* key o: all options, to change them */
void chips_open(struct shell *s);                          /* key c: active filters, to change or remove them */

void picker_types(struct shell *s);  /* key t: sample types */
void picker_grains(struct shell *s); /* key r: granularities */
void picker_units(struct shell *s);
void picker_labels(struct shell *s); /* key b: keys of labels, for tagroot and other options */

/* ---- frame.c: the rows around a pane ---- */

void frame_draw(struct shell *s);

/* The area in which the pane is drawn. */
struct area frame_body(struct shell *s);

/* Run the action at a click; false when there is none. */
bool frame_click(struct shell *s, const struct event *e);
void frame_clear_hits(struct shell *s);

/* Make an area clickable until the next frame: a click runs a line, or is handled as another event. */
void frame_hit_line(struct shell *s, struct area a, const char *line);
void frame_hit_edit(struct shell *s, struct area a, const char *line); /* opens the prompt with the line */
void frame_hit_event(struct shell *s, struct area a, const char *event);

/* ---- title.c ---- */

/* Draw the title (the file, the sample type and its total), and the row of tabs. */
void title_draw(struct shell *s, struct area a);
void tabs_draw(struct shell *s, struct area a);

/* ---- chips.c: active filters and options, in a row below the tabs ---- */

bool chips_any(struct shell *s);
void chips_draw(struct shell *s, struct grid *g, struct area a);

/* ---- keys.c ---- */

extern const struct binding shell_keys[];
extern const size_t shell_n_keys;

/* The binding of an event in a table; NULL when there is none. */
const struct binding *key_find(const struct binding *table, size_t n, const struct event *e);

/* Does a view handle the first key of a binding of the shell itself? */
bool key_is_overridden(const struct pane_class *class, const struct binding *key);

/* ---- work.c: the worker ---- */

/* Fails with ERR_IO when no thread can be started. */
int work_new(struct work **out, struct err *err);
void work_free(struct work *w);

/* Set the function that is called on the worker's thread when a result is ready. */
void work_set_callback(struct work *w, void (*wake)(void *arg), void *arg);

/* Start making a model for a pane. If another model is being made, that is stopped and discarded. The settings are
   copied. */
void work_start(struct work *w, struct shell *s, struct pane *p);

/*
 * Start a background task: fetch again (R), or run a line that is not a view, whose ownership is transferred.
 *
 * Returns false while another task is running
 */
bool work_start_reload(struct work *w, struct shell *s);
bool work_start_run(struct work *w, struct shell *s, struct line *l);

/* Stop making a model; stop the task. */
void work_stop_model(struct work *w);
void work_stop_task(struct work *w);

/* Results that arrive within this time are shown directly, to avoid flicker. Later the screen shows the progress,
   with a hint that Esc stops the work. */
enum { PROGRESS_DELAY_MS = 80 };

/* The worker's current activity. */
struct work_status {
	const char *command, *step; /* the command and its current step, NULL if unknown */
	int percent;                /* -1: unknown */
	int64_t elapsed_ms;         /* time since the request */
	bool is_task, is_stopping;
};
bool work_get_status(struct work *w, struct work_status *out);

/* Deliver one result to its pane; false when there is none. */
bool work_take(struct work *w, struct shell *s);

/* Wait until the worker is idle, and deliver all results. */
void work_wait(struct work *w, struct shell *s);

/* ---- list.c: rows with a selection, and scrolling ---- */

struct list {
	uint32_t n, selected, top; /* number of rows, selected row, first visible row */
	int height;                /* number of visible rows when drawn last */
	int scroll_x;              /* columns scrolled to the right */
};

/* Set the number of rows and the height, and keep the selected row visible. */
void shell_list_fit(struct list *l, uint32_t n, int height);
void shell_list_select(struct list *l, uint32_t row);

/* Handle the keys of every list: j k Up Down PageUp PageDown Ctrl-D Ctrl-U g G Home End h l Left Right, the wheel. */
bool shell_list_key(struct list *l, const struct event *e);

/* The row at line y of the list; false when there is none. */
bool shell_list_row_at(const struct list *l, int y, uint32_t *row);

/* Draw the scroll bar at the right side of an area. */
void shell_list_draw_bar(const struct list *l, struct grid *g, struct area a, struct style style);

/* ---- views, one file each ---- */

extern const struct pane_class shell_view_asm;
extern const struct pane_class shell_view_source;
extern const struct pane_class shell_view_flame;
extern const struct pane_class shell_view_text; /* any report as pprof prints it */
extern const struct pane_class shell_view_top;
extern const struct pane_class shell_view_calls;
extern const struct pane_class shell_view_labels;
extern const struct pane_class shell_view_traces;
extern const struct pane_class shell_view_tree;

/* Show the source of a function at a line, as "list NAME" does; line 0: at its hottest line. */
void shell_source_open(struct shell *s, const char *name, int64_t line);

#endif

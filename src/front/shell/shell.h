/*
 * shell.h - the full-screen shell: explore a profile on a terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_H
#define FRONT_SHELL_H

#include "base/buf.h"
#include "base/err.h"
#include "profile/profile.h"
#include "report/side.h"
#include "session/line.h"
#include "front/shell/terminal/palette.h"
#include "sources/load.h"

#include <stdbool.h>
#include <stddef.h>

/* A loaded profile, shared by panes and never modified. */
struct shell_data {
	struct profile *p; /* profile that commands use: the difference to the base, if the command line names one */
	struct profile *sides;  /* both sides with their samples kept separately; p itself without a base */
	struct profile *change; /* difference to the previously fetched profile, if there is one; else p itself */
	bool has_base;          /* is there a base or a previous profile? */
	bool is_change;         /* p is a difference */
	unsigned n_refs;        /* used by the input thread only */
	bool is_counted;        /* is n_samples valid? used by the input thread only */
	int64_t n_samples;
};

/* The services of the program that hosts the shell. */
struct shell_host {
	void *arg;
	/* Run a line that is not a view, as line mode does: it writes a file or starts a program. If it needs the
	   terminal (line_needs_terminal), it runs on the input thread, with the terminal and with stop NULL, else on a
	   worker thread. Messages are appended to messages, unless it can print them on the terminal. */
	int (*run)(void *arg, const struct shell_data *d, const struct line *l, struct stop *stop, struct buf *messages,
		   struct err *err);
	/* Open a file in the user's editor, which uses the terminal until it exits. NULL: no editor is available. */
	int (*edit)(void *arg, const char *path, int64_t line, struct err *err);
	/* Read the history, the oldest line first, and add a line to it. NULL: no history. */
	void (*history)(void *arg, struct string_list *out);
	void (*add_history)(void *arg, const char *line);
	/* Append the output of "help words". Fails ERR_USAGE for an unknown word. */
	int (*help)(void *arg, const char *words, const struct settings *now, struct buf *text, struct err *err);
};

struct shell_options {
	struct shell_data *data;               /* ownership is transferred */
	const struct query *q;                 /* options of the command line */
	const struct pane_class *const *views; /* [N_REPORT_VIEWS] shell_views */
	const char *line;                      /* the first command, for example "top" */
	const struct side_sources *sources;    /* [N_SIDES] the sources as given on the command line */
	const char *binary;                    /* the program given before the sources; NULL if none */
	const struct load_request *reload;     /* request that loads the sources again; NULL if no source is a server */
	struct shell_host host;
	const char *prefs_path; /* file of saved preferences; NULL: do not save any */
	bool mouse, color;
	int palette; /* the requested enum palette; -1: detect it */
};

/*
 * Check that the terminal of TERM can position its cursor. Nothing is written to it.
 *
 * Fails ERR_USAGE if it cannot, or if TERM is unknown; ERR_IO without ncurses
 */
int shell_check_terminal(struct err *err);

/*
 * Run on the terminal until the user quits.
 *
 * Fails   ERR_USAGE when the terminal is not suitable
 */
int shell_run(const struct shell_options *options, struct err *err);

/*
 * Play keys without a terminal and append the screen as text: for tests and documents. After each key, wait for the
 * work that it starts.
 *
 * keys         names of events (see event.h); "Show" appends the screen, which is also appended at the end
 * with_styles  include styles (see grid_add_text)
 * Fails        ERR_USAGE for unknown keys
 */
int shell_play(const struct shell_options *options, const char *keys, int width, int height, bool with_styles,
	       struct buf *out, struct err *err);

#endif

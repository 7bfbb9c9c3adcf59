/*
 * shell.h - the full-screen shell: explore a profile on a terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_H
#define VIEWERS_SHELL_H

#include "answer/loaded.h"
#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "profile/profile.h"
#include "report/side.h"
#include "session/line.h"
#include "viewers/shell/depth.h"

#include <stdbool.h>
#include <stddef.h>

/* A loaded profile, which panes share; sealed. */
struct shell_data {
	struct profile *p;     /* as commands see it */
	struct profile *sides; /* samples of the base kept apart; p itself without a base */
	bool has_base;
	unsigned n_refs; /* only the input thread counts */
	bool is_counted; /* n_samples is known; input thread only */
	int64_t n_samples;
};

/* What only the program around the shell can do. */
struct shell_host {
	void *arg;
	/* Carry out a line that is no view as line mode does: it writes a file, or starts a program. Those that need the
	   terminal (line_needs_terminal) have it meanwhile, and run on the input thread, with stop NULL; others on a
	   worker's. What there is to say is appended to said, unless it has the terminal to say it. */
	int (*run)(void *arg, const struct shell_data *d, const struct line *l, struct stop *stop, struct buf *said,
		   struct err *err);
	/* Open a file in the user's editor, which has the terminal meanwhile; NULL when none can be started. */
	int (*edit)(void *arg, const char *path, int64_t line, struct err *err);
	/* The lines of the history, the oldest first, and one more for it; NULL without. */
	void (*history)(void *arg, struct texts *out);
	void (*remember)(void *arg, const char *line);
	/* What "help words" prints; NULL leaves it to the tables of the language. */
	int (*help)(void *arg, const char *words, const struct settings *now, struct buf *text, struct err *err);
};

struct shell_open {
	struct shell_data *data;           /* taken over */
	const struct query *q;             /* options of the command line */
	const char *line;                  /* the command to begin with, "top" */
	const struct side_sources *from;   /* [N_SIDES] the sources as named on the command line */
	const char *binary;                /* the program named before them; NULL without */
	const struct load_request *reload; /* loads them again; NULL when none is on a server */
	struct shell_host host;
	const char *kept; /* file of what views remember from one session to the next; NULL: they do not */
	bool mouse, color;
	int depth; /* enum depth that was asked for; -1 lets the terminal choose */
};

/*
 * Run on the terminal until the user ends it.
 *
 * Fails   ERR_USAGE when the terminal cannot do it
 */
int shell_run(const struct shell_open *open, struct err *err);

/*
 * Play keys on a screen that is not there and append it as text: for tests and documents. What a key
 * starts is waited for before the next one.
 *
 * keys    names of events (see event.h); "Show" appends the screen, as the end does
 * looks   append looks too (see grid_add_text)
 * Fails   ERR_USAGE for keys that are none
 */
int shell_play(const struct shell_open *open, const char *keys, int width, int height, bool looks, struct buf *out,
	       struct err *err);

#endif

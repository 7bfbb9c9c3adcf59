/*
 * screen_int.h - the terminal inside: what the files of the screen share
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   screen.c           taking the terminal and giving it back
 *   screen_terminal.c  what terminfo knows: which entry to use, the bytes that give a terminal back
 *   screen_guard.c     signals, crashes and exits; only calls what a signal handler may call
 *   screen_paint.c     cells out
 *   screen_input.c     keys and mouse in
 */
#ifndef VIEWERS_SHELL_SCREEN_INT_H
#define VIEWERS_SHELL_SCREEN_INT_H

#include "base/buf.h"
#include "viewers/shell/screen.h"

#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <termios.h>

/* What is asked of terminfo before curses starts. */
struct terminal {
	char name[64];      /* the entry to use */
	bool mouse, paste;  /* does it have them? */
	struct buf begin;   /* the bytes that begin a screen, as curses sends them at its start */
	struct buf restore; /* the bytes that end all that a screen may have begun */
	int width, height;  /* when the system does not know */
};

/*
 * Look a terminal up and choose its entry: with COLORTERM truecolor or 24bit, or where the entry has RGB or
 * Tc, the one of the same family that ends in -direct, if there is one.
 *
 * Fails   ERR_USAGE as screen_open
 */
int terminal_find(bool true_color, struct terminal *out, struct err *err);

extern const char terminal_mouse_on[], terminal_mouse_off[], terminal_paste_on[], terminal_paste_off[];

/* What the signals brought since it was asked last. */
struct signals {
	int stop; /* the one that is to end the program; 0 for none */
	bool resize, suspend, resume;
};

/*
 * Catch signals and exits from now on.
 *
 * restore  n bytes for the terminal, copied; modes what its driver had
 * wake     an eventfd that the handlers write to
 */
void screen_guard_begin(const char *restore, size_t n, const struct termios *modes, int wake);
void screen_guard_end(void);

/* From now on the terminal is (not) the screen's: what ends the program must (not) give it back. */
void screen_guard_taken(bool taken);

struct signals screen_guard_signals(void);

/* Stop as the terminal's driver would stop a job; comes back when it goes on. */
void screen_guard_stop(void);

/* Write all of it, whatever signals come. */
void screen_guard_write(const char *data, size_t n);

/* What a look is in terms of curses. */
struct paint {
	struct look look;
	unsigned attr;
	int pair;
	bool used;
};

enum { PAINTS = 1 << 12, UNREAD = 32 };

struct pair_of {
	int32_t ink, paper;
};

/* The one screen. */
struct screen {
	struct terminal terminal;
	enum depth depth;
	int ended_by;                        /* a signal; 0 for none */
	bool ascii, own_colors, mouse, away; /* away: the terminal is another program's */
	int wake;
	atomic_bool woken;    /* by screen_wake, in any thread */
	struct termios modes; /* of the shell */
	void *curses, *keys;  /* its SCREEN, and the window that keys are read from: a pad, which is never drawn */

	struct grid shown; /* what was sent */
	bool forget;
	struct paint paint[PAINTS]; /* by hash of the look */
	int n_paints;
	struct pair_of *pair; /* [n_pairs] */
	size_t n_pairs, cap_pairs;

	struct event next; /* read too far; EVENT_NONE if not */
	int unread[UNREAD], n_unread;
	bool pasting;
	int empty;            /* times that input was there but nothing to read */
	struct event clicked; /* the last click */
	int64_t clicked_ms;
};

/* Make curses find the keys that have a name here, and no others. */
void input_begin(struct screen *s);

/* Is a key, a click or the end of input there now? */
bool input_next(struct screen *s, struct event *out);

#endif

/*
 * screen_int.h - shared by the files of the screen
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 *   screen.c           taking over and restoring the terminal
 *   screen_terminal.c  the terminfo entry, and the bytes that restore a terminal
 *   screen_guard.c     signals, crashes and exits; handlers only call async-signal-safe functions
 *   screen_paint.c drawing cells
 *   screen_input.c reading keys and mouse
 */
#ifndef FRONT_SHELL_TERMINAL_SCREEN_INT_H
#define FRONT_SHELL_TERMINAL_SCREEN_INT_H

#include "base/buf.h"
#include "front/shell/terminal/screen.h"

#include <poll.h>
#include <stdatomic.h>
#include <stddef.h>
#include <termios.h>

enum { TERMINAL_NAME_MAX = 64 };

/* The terminfo data that is read before curses starts. */
struct terminal {
	char name[TERMINAL_NAME_MAX]; /* name of the terminfo entry to use */
	bool has_mouse, has_paste;    /* supported by the terminal? */
	struct buf start;             /* the bytes that curses sends when a screen starts */
	struct buf restore;           /* the bytes that undo everything a screen may have set */
	int width, height;            /* used when the system does not report a size */
};

/*
 * Open the terminfo entry of TERM, until terminal_close. curses is loaded.
 *
 * Fails   ERR_USAGE when the terminal is unknown or cannot position its cursor
 */
int terminal_open(struct err *err);
void terminal_close(void);

/*
 * Read a terminal's data and choose its entry. With COLORTERM truecolor or 24bit, or an entry with RGB or Tc,
 * choose the entry of the same family that ends in -direct, if it exists.
 *
 * Fails   ERR_USAGE like screen_open
 */
int terminal_find(bool true_color, struct terminal *out, struct err *err);

extern const char terminal_mouse_on[], terminal_mouse_off[], terminal_paste_on[], terminal_paste_off[];

/* The signals since the last read. */
struct signals {
	int stop; /* the signal that should end the program; 0 for none */
	bool resize, suspend, resume;
};

/*
 * Start handling signals and exits.
 *
 * restore  n bytes that restore the terminal, copied; modes are the original modes of its driver
 * wake     an eventfd that the handlers write to
 */
void screen_guard_begin(const char *restore, size_t n, const struct termios *modes, int wake);
void screen_guard_end(void);

/* Declare whether the screen owns the terminal, so that the end of the program must restore it. */
void screen_guard_set_active(bool is_active);

struct signals screen_guard_read_signals(void);

/* Stop as the terminal's driver would stop a job; returns when continued. */
void screen_guard_stop(void);

/* Write all n bytes, even if signals interrupt the write. */
void screen_guard_write(const char *data, size_t n);

/* A style in terms of curses. */
struct paint {
	struct style style;
	unsigned attr;
	int pair;
	bool is_used;
};

enum { PAINTS_MAX = 1 << 12, UNREAD_MAX = 32 };

struct color_pair {
	int32_t fg, bg;
};

/* The screen, of which there is only one. */
struct screen {
	struct terminal terminal;
	enum palette palette;
	int stop_signal;                                         /* the signal that causes EVENT_STOP; 0 for none */
	bool is_ascii, has_default_colors, has_mouse, is_paused; /* is_paused: another program uses the terminal */
	int wake;
	atomic_bool is_woken; /* set by screen_wake, in any thread */
	struct termios modes; /* original modes of the terminal */
	void *curses, *keys;  /* the curses SCREEN, and the window that keys are read from: a pad that is never drawn */

	struct grid shown; /* the screen as sent to the terminal */
	bool must_repaint;
	struct paint paint[PAINTS_MAX]; /* hash table by style */
	int n_paints;
	struct color_pair *pair; /* [n_pairs] */
	size_t n_pairs, cap_pairs;

	struct event next_event; /* an event that was read ahead; EVENT_NONE if there is none */
	int unread[UNREAD_MAX], n_unread;
	bool is_pasting;
	int n_empty;             /* consecutive times that input was signalled but could not be read */
	struct event last_click; /* the last click */
	int64_t last_click_ms;
};

/* Make curses recognise only the keys that have a name here. */
void input_begin(struct screen *s);

/* Read a key, a click or the end of input, without waiting. Return false when there is none. */
bool input_next(struct screen *s, struct event *out);

#endif

/*
 * screen.h - the terminal: draws cells and reads keys. Only the screen*.c files use curses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_TERMINAL_SCREEN_H
#define FRONT_SHELL_TERMINAL_SCREEN_H

#include "base/err.h"
#include "front/shell/terminal/palette.h"
#include "front/shell/terminal/event.h"
#include "front/shell/terminal/grid.h"

#include <stdbool.h>

struct screen;

/*
 * Take over the terminal: the alternate screen, single keys, the mouse if wanted. From now on the terminal is restored
 * whenever the program ends: by exit, a crash, a signal, or lack of memory.
 *
 * max     maximum number of colours (--colors, --color, NO_COLOR)
 * Fails   ERR_USAGE when the terminal is unknown or cannot position its cursor
 */
int screen_open(enum palette max, bool mouse, struct screen **out, struct err *err);

/*
 * Check that TERM names a known terminal that can position its cursor. Nothing is written.
 *
 * Fails   like screen_open
 */
int screen_check(struct err *err);

/* Restore the terminal. Takes NULL. */
void screen_close(struct screen *s);

/* The signal that caused EVENT_STOP; 0 if there was none. */
int screen_stop_signal(const struct screen *s);

enum palette screen_palette(const struct screen *s);

/* Does the locale lack UTF-8? */
bool screen_is_ascii(const struct screen *s);

/* The size in cells, limited to 2x1 .. 1000x500. */
void screen_size(const struct screen *s, int *width, int *height);

void screen_set_mouse(struct screen *s, bool on);

/* Show a grid of the screen's size. Only changes since the last one are sent. */
void screen_show(struct screen *s, const struct grid *g);

/* Repaint everything next time: after Ctrl-L or another program's output. */
void screen_repaint(struct screen *s);

/*
 * Wait for the next event, with a timeout.
 *
 * timeout_ms  below 0: wait forever
 * Returns     EVENT_WAKE after screen_wake or the timeout
 */
struct event screen_wait(struct screen *s, int timeout_ms);

/* Make screen_wait return EVENT_WAKE; from any thread. */
void screen_wake(struct screen *s);

/* Release the terminal to another program, until screen_resume takes it back. */
void screen_pause(struct screen *s);
void screen_resume(struct screen *s);

/* While paused: wait for a key, so that the user can read the output of a program. */
void screen_wait_key(const struct screen *s);

/* Stop as a job of the user's shell (Ctrl-Z) until it is continued. */
void screen_suspend(struct screen *s);

#endif

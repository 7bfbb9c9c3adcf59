/*
 * screen.h - the terminal: cells out, keys in. The only file that knows curses is screen.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_SCREEN_H
#define VIEWERS_SHELL_SCREEN_H

#include "base/err.h"
#include "viewers/shell/depth.h"
#include "viewers/shell/event.h"
#include "viewers/shell/grid.h"

#include <stdbool.h>

struct screen;

/*
 * Take the terminal: the alternate screen, keys one by one, the mouse if wanted. Whatever ends the
 * program from now on (exit, a crash, a signal, memory that is gone) gives the terminal back as it was.
 *
 * most    it shows no more colours than that (--colors, --color, NO_COLOR)
 * Fails   ERR_USAGE when the terminal is not known or cannot place its cursor
 */
int screen_open(enum depth most, bool mouse, struct screen **out, struct err *err);

/* Give the terminal back. Takes NULL. */
void screen_close(struct screen *s);

/* The signal that EVENT_STOP was for; 0 when there was none. */
int screen_ended_by(const struct screen *s);

enum depth screen_depth(const struct screen *s);

/* Has it no UTF-8? */
bool screen_is_ascii(const struct screen *s);

/* Its size in cells: from 2x1 to 1000x500, whatever it says of itself. */
void screen_size(const struct screen *s, int *width, int *height);

void screen_mouse(struct screen *s, bool on);

/* Show a grid of the screen's size; only what changed since the last one is sent. */
void screen_show(struct screen *s, const struct grid *g);

/* Paint all anew next time: after Ctrl-L or another program's output. */
void screen_forget(struct screen *s);

/*
 * Wait for what comes next, at most so long.
 *
 * timeout_ms  below 0 waits for ever
 * Gives       EVENT_WAKE after screen_wake or when time is over
 */
struct event screen_wait(struct screen *s, int timeout_ms);

/* Let screen_wait return with EVENT_WAKE; from any thread. */
void screen_wake(struct screen *s);

/* Give the terminal to another program until the second call takes it back. */
void screen_pause(struct screen *s);
void screen_resume(struct screen *s);

/* While it is paused: wait for any key, so that what a program printed can be read before it is covered. */
void screen_linger(const struct screen *s);

/* Stop as a job of the user's shell (Ctrl-Z) until it goes on. */
void screen_suspend(struct screen *s);

#endif

/*
 * editor.h - a line of text being typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_EDITOR_H
#define VIEWERS_SHELL_EDITOR_H

#include "base/buf.h"
#include "viewers/shell/event.h"
#include "viewers/shell/grid.h"

#include <stddef.h>

enum { EDITOR_MAX = 65536 }; /* bytes; what is typed beyond is dropped */

/* Zero-initialised it is empty; released with editor_release. */
struct editor {
	struct buf text; /* UTF-8 without controls */
	size_t at;       /* bytes before the cursor, at a character */
	size_t left;     /* bytes that are scrolled out at the left */
	struct buf cut;  /* what Ctrl-K, Ctrl-U, Ctrl-W and Alt-d took last, for Ctrl-Y */
};

/* What a key was to an editor. */
enum editor_did { EDITOR_NOTHING, EDITOR_MOVED, EDITOR_CHANGED };

/* Another text, with the cursor at its end. What is not UTF-8 or a control is left out. */
void editor_set(struct editor *e, const char *text);
void editor_release(struct editor *e);

/* Type n bytes at the cursor, cleaned in the same way. */
void editor_insert(struct editor *e, const char *text, size_t n);

/* Put a text in the place of what lies between start and the cursor. */
void editor_replace(struct editor *e, size_t start, const char *text, size_t n);

/*
 * Characters, Left Right Home End Backspace Delete, Ctrl-A B D E F H K T U W Y, Alt-b f d Backspace.
 *
 * Gives   EDITOR_NOTHING for other events, which the caller may take
 */
enum editor_did editor_key(struct editor *e, const struct event *event);

/* Draw in a row of an area from column x on, scrolled so that the cursor is seen; sets the grid's cursor. */
void editor_draw(struct editor *e, struct grid *g, struct area a, int x, int y, struct look look);

/* Place the cursor where a click at this column behind the text's start lies. */
void editor_click(struct editor *e, int column);

#endif

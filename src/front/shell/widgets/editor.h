/*
 * editor.h - editing a line of text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_EDITOR_H
#define FRONT_SHELL_WIDGETS_EDITOR_H

#include "base/buf.h"
#include "front/shell/terminal/event.h"
#include "front/shell/terminal/grid.h"

#include <stddef.h>

enum { EDITOR_MAX = 65536 }; /* length in bytes; further input is dropped */

/* Empty when zero-initialised; released with editor_release. */
struct editor {
	struct buf text;     /* UTF-8 without control characters */
	size_t cursor;       /* bytes before the cursor, at a character boundary */
	size_t scroll_bytes; /* bytes scrolled out at the left */
	struct buf cut;      /* the last text removed by Ctrl-K, Ctrl-U, Ctrl-W or Alt-d, for Ctrl-Y */
};

/* The effect of an event on an editor. */
enum editor_result { EDITOR_IGNORED, EDITOR_MOVED, EDITOR_CHANGED };

/* Replace the text; the cursor goes to its end. Bytes that are not UTF-8 and control characters are dropped. */
void editor_set(struct editor *e, const char *text);
void editor_release(struct editor *e);

/* Insert n bytes at the cursor, cleaned in the same way. */
void editor_insert(struct editor *e, const char *text, size_t n);

/* Replace the text between start and the cursor. */
void editor_replace(struct editor *e, size_t start, const char *text, size_t n);

/*
 * Handle characters, Left Right Home End Backspace Delete, Ctrl-A B D E F H K T U W Y, Alt-b f d Backspace.
 *
 * Returns EDITOR_IGNORED for other events, which the caller may handle
 */
enum editor_result editor_key(struct editor *e, const struct event *event);

/* Draw in a row of an area from column x on, scrolled so that the cursor is visible. Sets the grid's cursor. */
void editor_draw(struct editor *e, struct grid *g, struct area a, int x, int y, struct style style);

/* Place the cursor at a click, given as a column from the start of the text. */
void editor_click(struct editor *e, int column);

#endif

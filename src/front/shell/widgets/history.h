/*
 * history.h - moving through earlier lines
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_HISTORY_H
#define FRONT_SHELL_WIDGETS_HISTORY_H

#include "base/string_list.h"
#include "front/shell/widgets/editor.h"

#include <stdbool.h>

/* Empty when zero-initialised; released with history_release. The owner fills in the lines and then sets current to
   lines.n. */
struct history {
	struct string_list lines; /* the oldest first */
	size_t current;           /* the line that is shown; lines.n for the draft */
	char *draft;              /* the text that was being typed before moving; NULL if none */
};

/* Begin with a copy of these lines, after the last one. h is zero-initialised. */
void history_open(struct history *h, const struct string_list *lines);
void history_release(struct history *h);

/* Put the previous (-1) or next (1) line into the editor, skipping lines equal to the shown one. */
void history_walk(struct history *h, int by, struct editor *e);

/*
 * Find the last line before `from` that contains a text.
 *
 * Returns its index, or lines.n when there is none
 */
size_t history_find(const struct history *h, size_t from, const char *text);

/* Put a line into the editor. */
void history_show(const struct history *h, size_t i, struct editor *e);

/* Append a line unless it equals the last one. */
void history_add(struct string_list *lines, const char *line);

#endif

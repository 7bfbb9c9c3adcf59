/*
 * history.h - walking through lines that were typed before
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_HISTORY_H
#define VIEWERS_SHELL_HISTORY_H

#include "base/texts.h"
#include "viewers/shell/editor.h"

#include <stdbool.h>

/* Zero-initialised it is empty; released with history_release. Its lines are put in by its owner, then at is set
   to lines.n. */
struct history {
	struct texts lines; /* the oldest first */
	size_t at;          /* the one that is shown; lines.n for what is being typed */
	char *typed;        /* what was there before walking; NULL when nobody walks */
};

void history_release(struct history *h);

/* Put the line before (by -1) or behind (by 1) into the editor; lines that are as the shown one are passed over. */
void history_walk(struct history *h, int by, struct editor *e);

/*
 * Find the next line, from the one before `from` on back, that has a text in it.
 *
 * Gives   its place, or lines.n when there is none
 */
size_t history_find(const struct history *h, size_t from, const char *text);

/* Put a line into the editor. */
void history_show(const struct history *h, size_t i, struct editor *e);

/* Append a line unless it is the last one already. */
void history_add(struct texts *lines, const char *line);

#endif

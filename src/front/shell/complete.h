/*
 * complete.h - the list of candidates above a line being typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_COMPLETE_H
#define FRONT_SHELL_COMPLETE_H

#include "base/string_list.h"
#include "front/shell/widgets/editor.h"
#include "front/shell/state.h"

/* Closed when zero-initialised; released with shell_complete_release. */
struct complete {
	struct string_list found;
	size_t start; /* offset in the line of the word that a candidate replaces */
	struct list list;
	struct area box;
	bool is_open, is_inserted; /* is the selected candidate in the line already? */
	bool ends_line;            /* is the completed word the last one of the line? */
};

void shell_complete_release(struct complete *c);

/*
 * Tab: insert the common prefix of the candidates, and open the list when there are several.
 *
 * before  text to assume before the line: "" at the prompt, "top > " for a file name, after which no blank
 *         is added
 */
void shell_complete_tab(struct complete *c, struct shell *s, struct editor *e, const char *before);

/* Handle keys and mouse while the list is open: select a candidate, accept it with Enter, close with Esc. Return false
   for an event that closes the list and must still be handled by the line. */
bool shell_complete_key(struct complete *c, struct editor *e, const struct event *event);

/* Draw the list, if open, so that it ends above row y and begins at the column of the word. */
void shell_complete_draw(struct complete *c, struct grid *g, int x, int y);

#endif

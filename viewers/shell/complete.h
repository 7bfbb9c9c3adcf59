/*
 * complete.h - the list of candidates above a line that is typed
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_COMPLETE_H
#define VIEWERS_SHELL_COMPLETE_H

#include "base/texts.h"
#include "viewers/shell/editor.h"
#include "viewers/shell/shell_int.h"

/* Zero-initialised it is closed; released with complete_release. */
struct complete {
	struct texts found;
	size_t start; /* of what a candidate replaces, in bytes of the line */
	struct list list;
	struct area box;
	bool is_open, is_chosen; /* is the selected one in the line already? */
	bool is_alone;           /* no other words come behind it */
};

void shell_complete_release(struct complete *c);

/*
 * Tab: complete as far as the candidates agree, and open the list when there are several.
 *
 * before  what the language is to think stands in front of the line: "" at the prompt, "top > " for a file,
 *         which gets no blank behind it
 */
void shell_complete_tab(struct complete *c, struct shell *s, struct editor *e, const char *before);

/* Keys and mouse while the list is open: choosing, Enter takes, Esc closes. Gives false for what closes it and
   goes on to the line. */
bool shell_complete_key(struct complete *c, struct editor *e, const struct event *event);

/* Draw the list, if it is open, so that its last row is above row y, at the column where the word begins. */
void shell_complete_draw(struct complete *c, struct grid *g, int x, int y);

#endif

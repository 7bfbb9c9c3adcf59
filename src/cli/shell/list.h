/*
 * list.h - what to do with the candidates for a word
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_LIST_H
#define CLI_SHELL_LIST_H

#include "base/buf.h"
#include "base/texts.h"

#include <stdbool.h>
#include <stdio.h>

/*
 * Append what all candidates begin with, and a blank when there is only one, which is complete.
 *
 * word    what is there
 * Gives   false, appending nothing, when that says no more than the word does
 */
bool cmd_shell_list_common(const struct texts *found, const char *word, struct buf *out);

/* Print the candidates in columns as wide as the terminal is, not too many. */
void cmd_shell_list_print(const struct texts *found, FILE *out);

#endif

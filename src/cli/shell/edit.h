/*
 * edit.h - a file in the user's editor
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_EDIT_H
#define CLI_SHELL_EDIT_H

#include "base/err.h"

#include <stdint.h>

/*
 * Open a file at a line in $VISUAL, else $EDITOR, else vi, and wait until that ends. It has our terminal. Their
 * values are split at blanks; no shell sees them.
 *
 * Fails   ERR_UNKNOWN when there is no such program; ERR_IO when it failed
 */
int cmd_shell_edit(const char *path, int64_t line, struct err *err);

#endif

/*
 * report.h - carry out a line of the shell that asks for a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_SHELL_REPORT_H
#define CLI_SHELL_REPORT_H

#include "answer/loaded.h"
#include "session/line.h"

#include <stdbool.h>

/*
 * Answer a line about what was loaded; say what goes wrong.
 *
 * stop    ends it from another thread; NULL: never
 * apart   make the report in a process of its own, so that Ctrl-C ends it and not us
 * Gives   a status
 */
int cmd_shell_report(const struct loaded *s, const struct line *l, struct stop *stop, bool apart);

#endif

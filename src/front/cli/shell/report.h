/*
 * report.h - run a line of the shell that requests a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_SHELL_REPORT_H
#define FRONT_CLI_SHELL_REPORT_H

#include "session/line.h"
#include "sources/load.h"

#include <stdbool.h>

/*
 * Run a line of the shell on the loaded profile. Prints errors.
 *
 * stop      stops the report from another thread; NULL: cannot be stopped
 * in_child  make the report in a child process, so that Ctrl-C ends only the report
 * Returns the exit status of the line
 */
int cmd_shell_report(const struct load_result *s, const struct line *l, struct stop *stop, bool in_child);

#endif

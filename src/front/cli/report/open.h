/*
 * open.h - show a picture with another program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_REPORT_OPEN_H
#define FRONT_CLI_REPORT_OPEN_H

#include "answer/reports.h"
#include "base/err.h"

#include <stddef.h>

enum { CMD_REPORT_BROWSERS_MAX = 7 };

/*
 * The browsers to try, in this order: $BROWSER, known ones, xdg-open if there is a display. Returns their number.
 *
 * Like    pprof internal/driver/commands.go, browsers
 */
size_t cmd_report_list_browsers(const char *out[CMD_REPORT_BROWSERS_MAX]);

/*
 * Check that the picture of a report can be shown, before drawing it.
 *
 * Fails   ERR_USAGE without a display, suggesting an alternative
 */
int cmd_report_open_check(const struct report_type *t, struct err *err);

/*
 * Write a picture to a temporary file, show it with the first program that can be started, wait for
 * it to exit, and delete the file. For web and weblist the programs are BROWSER, then known browsers.
 *
 * Fails   ERR_IO
 * Like    pprof internal/driver/commands.go, invokeVisualizer
 */
int cmd_report_open_show(const struct report_type *t, const void *data, size_t n, struct err *err);

/*
 * Write and show the picture in a new process, which may outlive this one and ignores Ctrl-C. Returns after a second,
 * so that error messages of the new process appear first.
 *
 * Fails   ERR_IO when no process can be created
 */
int cmd_report_open_start(const struct report_type *t, const void *data, size_t n, struct err *err);

#endif

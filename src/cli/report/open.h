/*
 * open.h - show a picture with another program
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_OPEN_H
#define CLI_REPORT_OPEN_H

#include "answer/reports.h"
#include "base/err.h"

#include <stddef.h>

/*
 * Can the picture of a report be shown here at all? To be asked before the work of drawing it.
 *
 * Fails   ERR_USAGE where there is no screen, with what to do instead
 */
int cmd_report_open_check(const struct report_type *t, struct err *err);

/*
 * Write a picture to a temporary file, show it with the first program that can be started, wait for
 * that, and delete the file. For web and weblist the programs are those of BROWSER, then known browsers.
 *
 * Fails   ERR_IO
 * Like    pprof internal/driver/commands.go, invokeVisualizer
 */
int cmd_report_open_show(const struct report_type *t, const void *data, size_t n, struct err *err);

/*
 * The same in a process of its own, which goes on when we end and which Ctrl-C does not reach. Waits a
 * second, within which it has said on standard error why nothing can be shown.
 *
 * Fails   ERR_IO when there can be no other process
 */
int cmd_report_open_start(const struct report_type *t, const void *data, size_t n, struct err *err);

#endif

/*
 * report.h - functions shared by commands that write a report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_REPORT_REPORT_H
#define FRONT_CLI_REPORT_REPORT_H

#include "answer/answer.h"
#include "base/buf.h"
#include "front/cli/args.h"
#include "profile/profile.h"
#include "report/side.h"
#include "sources/load.h"

#include <stdbool.h>

bool cmd_report_to_stdout(const struct query *q);

/* Write the text to the output that the options select. Returns the exit status. */
int cmd_report_write(const struct buf *text, const struct args *a);

/*
 * Make the report of a from a profile, and write or show it.
 *
 * from    the sources of each side
 * Returns the exit status
 */
int cmd_report_profile(const struct profile *p, const struct args *a, const struct side_sources from[N_SIDES]);

/* Request to load the sources of a command line. */
struct load_request cmd_report_request(const struct args *a);

/* Print each line; skip a line that equals the previous one. */
void cmd_report_say_notes(const struct buf *notes);

/*
 * Print the notes of an answer, and write or show it.
 *
 * rc      result of making the answer; if it is an error, err is printed
 * Returns the exit status
 */
int cmd_report_finish(const struct args *a, const struct answer *answer, int rc, const struct err *err);

/* Does standard input contain data: a file that is not empty, or a pipe into which a program has written? */
bool cmd_report_has_input(void);

/* Should the report have colours? */
bool cmd_report_color(const struct query *q);

#endif

/*
 * report.h - what commands that write a report share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "answer/loaded.h"
#include "answer/make.h"
#include "base/buf.h"
#include "cli/args.h"
#include "engine/query.h"
#include "profile/profile.h"
#include "report/side.h"

#include <stdbool.h>

bool cmd_report_to_stdout(const struct query *q);

/* Write the text where the options say; gives the exit status. */
int cmd_report_write(const struct buf *text, const struct args *a);

/*
 * Answer the command of a about a profile and write it, or show it, where the options say.
 *
 * from    the sources of each side
 * Gives   the exit status
 */
int cmd_report_profile(const struct profile *p, const struct args *a, const struct side_sources from[N_SIDES]);

/* The sources of a command line. */
struct load_request cmd_report_request(const struct args *a);

/* Say each line; one that is the same as the one before it only once. */
void cmd_report_say_notes(const struct buf *notes);

/*
 * Say the notes of an answer and write it where the options say.
 *
 * rc      of making it; when it failed, err is said
 * Gives   the exit status
 */
int cmd_report_finish(const struct args *a, const struct answer *answer, int rc, const struct err *err);

/* Should a report have colours where the options write it? */
bool cmd_report_color(const struct query *q);

#endif

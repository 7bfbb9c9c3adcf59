/*
 * report.h - what commands that write a report share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLI_REPORT_REPORT_H
#define CLI_REPORT_REPORT_H

#include "answer/load.h"
#include "answer/sources.h"
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

/* Say each line; one that is the same as the one before it only once. */
void cmd_report_tell_lines(const struct buf *notes);

/* Sources that could not be read: a line each, and how many are left. */
void cmd_report_tell_notes(const struct load *l);

/*
 * Sources that cannot be meant as they stand.
 *
 * kind     what they are called: source, base
 * n_stdin  how often standard input has been named before; counted on
 * Gives    a status; STATUS_FINE is none of them
 */
int cmd_report_check_sources(const struct sources *s, const char *kind, const struct query *q, size_t *n_stdin);

#endif

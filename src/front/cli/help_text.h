/*
 * help_text.h - the longer help texts of commands
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_CLI_HELP_TEXT_H
#define FRONT_CLI_HELP_TEXT_H

#include "answer/reports.h"
#include "base/opt.h"

#include <stdbool.h>
#include <stddef.h>

/* Headings of the overview. */
enum help_job { JOB_COLLECT, JOB_REPORT, JOB_DRAW, JOB_COMPARE, JOB_CONVERT, JOB_HELP, N_HELP_JOBS };

/* Help that is not in the tables of reports and commands. */
struct help_text {
	const char *name; /* name of a report or a command; "shell" for cpa without a command */
	enum help_job job;
	bool is_main;         /* is it on a separate line of the overview? */
	const char *about;    /* a paragraph; NULL: the one-line help is enough */
	const char *examples; /* "COMMAND LINE\tMEANING\n" each */
	const char *status;   /* lines about the exit status; NULL: 0 on success, 2 on error */
	const char *manual;   /* manual pages besides cpa(1); NULL: none */
};

/* In the order of the overview. */
extern const struct help_text help_texts[];
extern const size_t n_help_texts;

extern const char *const help_job_title[N_HELP_JOBS];

/* The help text of this name; NULL if there is none. */
const struct help_text *help_text_find(const char *name);

/* The option with the values and the help that it has in this report: o, unless they differ in the report. */
const struct opt *help_text_option(const struct report_type *t, const struct opt *o);

/* Output option i that only this report has and that is not in query_options; NULL after the last one. */
const struct opt *help_text_own_option(const struct report_type *t, size_t i);

#endif

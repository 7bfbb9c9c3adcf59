/*
 * line.h - the language of the shells: what a line that was typed asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_LINE_H
#define SESSION_LINE_H

#include "base/err.h"
#include "base/texts.h"
#include "engine/query.h"
#include "profile/profile.h"
#include "session/settings.h"

#include <stdbool.h>

enum line_kind {
	LINE_NOTHING, /* blank */
	LINE_SET,     /* an option was assigned */
	LINE_REPORT,
	LINE_OPTIONS, /* o, options */
	LINE_HELP,
	LINE_EXIT
};

struct line {
	enum line_kind kind;
	const struct query_command *command; /* LINE_REPORT */
	struct settings *ask;                /* LINE_REPORT: the settings with what this line adds; -o of it is what stands
	                                        behind > */
	char *pipe;                          /* LINE_REPORT: the shell command behind |; NULL without */
	char *words;                         /* LINE_HELP: what it asks about, "" for all */
};

/*
 * Append the lines that a line stands for: itself, or those of a shortcut (":", a sample type).
 *
 * Like    pprof internal/driver/interactive.go, pprofShortcuts
 */
void line_expand(const char *text, const struct profile *p, struct texts *out);

/*
 * Read one line; an assignment is carried out on s.
 *
 * out     released with line_release; untouched on failure
 * Fails   ERR_USAGE with pprof's words
 * Like    pprof internal/driver/interactive.go, interactive and parseCommandLine; beyond it a word
 *         in quotes may hold blanks, "| command" gives the text to a program, and --OPTION=VALUE
 *         sets an option for this line alone
 */
int line_read(const char *text, struct settings *s, const struct profile *p, struct line *out, struct err *err);
void line_release(struct line *l);

#endif

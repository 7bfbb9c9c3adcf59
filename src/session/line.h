/*
 * line.h - the language of the shells: what a line that was typed asks for
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_LINE_H
#define SESSION_LINE_H

#include "answer/reports.h"
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
	const struct report_type *report; /* LINE_REPORT */
	struct settings *ask;             /* LINE_REPORT: the settings with what this line adds; -o of it is what stands
	                                        behind > */
	char *pipe;                       /* LINE_REPORT: the shell command behind |; NULL without */
	bool is_ten;                      /* LINE_REPORT: nobody asked for ten rows, top just prints them */
	char *words;                      /* LINE_HELP: what it asks about, "" for all */
	char *hint;                       /* what the user may have meant otherwise, a sentence; NULL for none */
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
 *         in quotes may hold blanks, "| command" gives the text to a program, --OPTION=VALUE sets an
 *         option for this line alone, and a line that begins with # is a comment
 */
int line_read(const char *text, struct settings *s, const struct profile *p, struct line *out, struct err *err);
void line_release(struct line *l);

/* Does a line that asks for a report write a file or start a program, so that no view can show it? */
bool line_is_outside(const struct line *l);

/* Does it start a program that has the terminal, to print or to show what it is given? */
bool line_needs_terminal(const struct line *l);

/* How many bytes of white space s begins with, 0 for none. Like Go unicode.IsSpace. */
size_t line_space(const char *s);

#endif

/*
 * line.h - the command language of the shells
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef SESSION_LINE_H
#define SESSION_LINE_H

#include "answer/reports.h"
#include "base/err.h"
#include "base/string_list.h"
#include "profile/profile.h"
#include "session/settings.h"

#include <stdbool.h>
#include <stddef.h>

enum line_kind {
	LINE_NOTHING, /* a blank line */
	LINE_SET,     /* an option was assigned */
	LINE_REPORT,
	LINE_OPTIONS, /* o, options */
	LINE_HELP,
	LINE_EXIT
};

/* A command of the prompt that is not a report. */
struct line_command {
	const char *name;
	enum line_kind kind;
};

extern const struct line_command line_commands[];
extern const size_t line_n_commands;

struct line {
	enum line_kind kind;
	const struct report_type *report; /* LINE_REPORT: the report */
	struct settings *settings;        /* LINE_REPORT: with the options of this line; output is the file after > */
	char *pipe;                       /* LINE_REPORT: the shell command after |; NULL if there is none */
	bool is_default_count;            /* LINE_REPORT: the limit of ten rows is the default of top */
	char *topic;                      /* LINE_HELP: the topic, "" for all */
	char *hint;                       /* a sentence that suggests what the user meant; NULL for none */
};

/*
 * Append the lines that a line expands to: the line itself, or those of a shortcut (":", a sample type).
 *
 * Like    pprof internal/driver/interactive.go, pprofShortcuts
 */
void line_expand(const char *text, const struct profile *p, struct string_list *out);

/*
 * Read one line. An assignment changes s.
 *
 * out     released with line_release; untouched on failure
 * Fails   ERR_USAGE with pprof's wording
 * Like    pprof internal/driver/interactive.go, interactive and parseCommandLine. In addition, a quoted word may
 *         contain blanks, "| command" pipes the text to a program, and a line that begins with # is a comment.
 *         -OPTION=VALUE, --OPTION=VALUE, --OPTION and -o FILE set an option for this line only; alone on a line,
 *         the first two and -OPTION are assignments. Any other word with one dash is an expression to ignore.
 */
int line_read(const char *text, struct settings *s, const struct profile *p, struct line *out, struct err *err);
void line_release(struct line *l);

/* Does a report line write a file or start a program, so that no view can show it? */
bool line_is_external(const struct line *l);

/* Does a report line start a program that needs the terminal? */
bool line_needs_terminal(const struct line *l);

/* The number of bytes of white space at the start of s, or 0. Like Go unicode.IsSpace. */
size_t line_space(const char *s);

/* Would the prompt split a text without quotes: at white space, or before a comment? */
bool line_splits(const char *text);

#endif

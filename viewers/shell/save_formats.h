/*
 * save_formats.h - as what a view can be saved, and the lines that do it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_SAVE_FORMATS_H
#define VIEWERS_SHELL_SAVE_FORMATS_H

#include "viewers/shell/shell_int.h"

struct save_format {
	const char *title;               /* "JSON" */
	const char *ending;              /* ".json" */
	const char *option;              /* that the view's own line needs, "--json"; NULL or "": none */
	const struct report_type *other; /* the report that writes it; NULL: the view's own */
};

enum { SAVE_FORMATS_MAX = 16 };

/* Those that make sense for a pane. Gives how many. */
int shell_save_formats(const struct pane *p, struct save_format out[SAVE_FORMATS_MAX]);

/* Append a name for the file: of the profile, the command and what it is about, with the ending. */
void shell_save_add_name(const struct shell *s, const struct pane *p, const struct save_format *f, struct buf *out);

/* Append the line at the prompt that writes the file. */
void shell_save_add_line(const struct shell *s, const struct pane *p, const struct save_format *f, const char *file,
			 struct buf *out);

#endif

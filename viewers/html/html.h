/*
 * html.h - reports as web pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_HTML_H
#define VIEWERS_HTML_H

#include "base/buf.h"
#include "report/report.h"
#include "report/weblist.h"
#include "viewers/flame/flame.h"

#include <stdbool.h>

/* Append a flame graph as one self-contained page. */
void html_flame_draw(const struct report *r, const struct flame_style *style, struct buf *out);

/* Further data for a page of the web UI, which requests more boxes and links to other views. */
struct html_flame_more {
	bool omits_files; /* names of frames are names of functions, without the file after it */
};

/*
 * Append the data of the page's script: JSON that is also safe in a script element.
 *
 * r       a flame report
 * l       its layout in this style
 * more    NULL for a standalone page. Else the places, groups and functions of frames and the texts around the boxes
 *         are added.
 */
void html_flame_add_data(const struct report *r, const struct flame_layout *l, const struct flame_style *style,
			 const struct html_flame_more *more, struct buf *out);

/* Append a table of the heaviest functions, for readers without scripts. r is a flame report. */
void html_flame_add_table(const struct report *r, struct buf *out);

/*
 * Append the self-contained page of weblist: a click on a line shows its instructions. Its content security policy
 * allows only its own script, so names and sources cannot run code.
 *
 * r       only its head is used
 * Like    pprof internal/driver html/source.html
 */
void html_weblist_draw(const struct report *r, const struct weblist *list, struct buf *out);

#endif

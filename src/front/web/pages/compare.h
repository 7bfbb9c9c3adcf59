/*
 * compare.h - parts of the pages that compare profiles
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_WEB_PAGES_COMPARE_H
#define FRONT_WEB_PAGES_COMPARE_H

#include "report/gate/gate.h"
#include "front/web/parts/page.h"

/* Append the two sides: BEFORE file, time, host, total → AFTER; links that swap and scale them; warnings. */
void web_compare_add_head(const struct web_page *page, struct buf *out);

/* Append the name of a function as a link to the flame graph with a pivot: a pattern, or for NULL that function. */
void web_diff_add_pivot(const struct web_page *page, const char *name, const char *pattern, struct buf *out);

/* Append the outcome of the gate and a summary, on one line. */
void web_gate_add_outcome(const struct gate *g, struct buf *out);

/* Append the verdict on a row as a word. */
void web_gate_add_verdict(const struct gate_row *r, struct buf *out);

/* Append a form for each folder of the command line, which opens its files. */
void web_folder_add_all(const struct web_page *page, struct buf *out);

/*
 * Open a file of a folder of the command line, if its name is in the list of the page.
 *
 * out     one reference
 * Fails   ERR_USAGE if it is not; as sources_load_data, workspace_open
 */
int web_folder_open(struct web *w, const char *path, const char *name, struct stop *stop, struct open_profile **out,
		    struct err *err);

/* Append a time in UTC; nothing if it is 0. */
void web_compare_add_time(int64_t time_ns, struct buf *out);

#endif

/*
 * weblist.h - source lines and instructions as a web page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_HTML_WEBLIST_H
#define VIEWERS_HTML_WEBLIST_H

#include "base/buf.h"
#include "report/report.h"
#include "report/weblist.h"

/*
 * Append the page, which needs nothing else: a click on a line shows its instructions. Its policy lets
 * nothing run in it but its own script, whatever stands in names and sources.
 *
 * r       only its head is read
 * Like    pprof internal/driver html/source.html
 */
void html_draw_weblist(const struct report *r, const struct weblist *list, struct buf *out);

#endif

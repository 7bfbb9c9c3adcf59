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

#include <stddef.h>

/* Append text, escaped for use between tags and in quoted attributes. Like Go html/template. */
void html_add(struct buf *out, const char *s, size_t n);

/* The same for names, with control characters written out as utf8_add_safe does. */
void html_add_name(struct buf *out, const char *s);

/* Append a flame graph as one page, which loads nothing. */
void html_flame_draw(const struct report *r, const struct flame_style *style, struct buf *out);

/*
 * Append the page of weblist, which loads nothing: a click on a line shows its instructions. Its policy allows only its
 * own script, whatever names and sources contain.
 *
 * r       only its head is read
 * Like    pprof internal/driver html/source.html
 */
void html_draw_weblist(const struct report *r, const struct weblist *list, struct buf *out);

#endif

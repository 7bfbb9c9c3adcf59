/*
 * html.h - text as part of a web page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_HTML_H
#define VIEWERS_HTML_H

#include "base/buf.h"

#include <stddef.h>

/* Append text so that it is nothing but text, between tags and in quoted attributes. Like Go html/template. */
void html_add(struct buf *out, const char *s, size_t n);

/* The same for names: what utf8_add_safe spells out is spelt out. */
void html_add_name(struct buf *out, const char *s);

#endif

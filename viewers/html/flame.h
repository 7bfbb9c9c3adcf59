/*
 * flame.h - flame graphs as web pages
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_HTML_FLAME_H
#define VIEWERS_HTML_FLAME_H

#include "base/buf.h"
#include "viewers/flame/flame.h"

/* Append a flame graph as one page that needs nothing else, not even a network. */
void html_flame_draw(const struct report *r, const struct flame_style *style, struct buf *out);

#endif

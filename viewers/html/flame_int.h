/*
 * flame_int.h - the parts of the page of a flame graph
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_HTML_FLAME_INT_H
#define VIEWERS_HTML_FLAME_INT_H

#include "base/buf.h"
#include "viewers/flame/flame.h"

/* Append all that the script draws, as JSON that is nothing but text inside of a script element. */
void html_flame_add_data(const struct report *r, const struct flame_layout *l, const struct flame_style *style,
			 struct buf *out);

/* Append a table of the heaviest functions, for readers without scripts. */
void html_flame_add_table(const struct report *r, struct buf *out);

#endif

/*
 * name.h - shorten function names to a number of columns
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_WIDGETS_NAME_H
#define FRONT_SHELL_WIDGETS_NAME_H

#include "base/buf.h"
#include "front/shell/terminal/grid.h"

#include <stddef.h>

/*
 * Append a name in at most this many columns. Its end is kept, because it contains the method:
 * "…/flate.(*compressor).deflate". Parts are removed as needed, in this order: parameters and return type, namespaces
 * of template arguments, template arguments, the start. A name of one part loses its middle.
 *
 * name    without control characters (utf8_add_safe)
 */
void shell_name_add(const char *name, size_t columns, struct buf *out);

/*
 * Draw an untrusted name from column x of row y of an area on, in at most this many columns. A mark such as
 * "(inline)" follows if the name need not be shortened for it.
 *
 * Returns the column after it
 */
int shell_name_draw(struct grid *g, struct area a, int x, int y, const char *name, const char *mark, int columns,
		    struct style style, struct style quiet);

#endif

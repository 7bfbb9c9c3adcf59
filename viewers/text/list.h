/*
 * list.h - source lines with their weight, as pprof prints them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_LIST_H
#define VIEWERS_TEXT_LIST_H

#include "base/buf.h"
#include "report/report.h"

#include <stdbool.h>

/*
 * Append the report list to the byte as pprof, but that control characters are spelt out, and with
 * a line for each call that was inlined where the report has them.
 *
 * color   mark titles, the heaviest lines and what is not of the file with terminal colours
 */
void text_draw_list(const struct report *r, bool color, struct buf *out);

#endif

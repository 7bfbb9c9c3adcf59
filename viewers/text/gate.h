/*
 * gate.h - the answer of a gate as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_GATE_H
#define VIEWERS_TEXT_GATE_H

#include "base/buf.h"
#include "report/gate/gate.h"

#include <stdbool.h>

/*
 * Append the answer for people: the verdict on one line, what was compared, rows, what could have been seen,
 * warnings. A row of FAIL or SUSPECT has its name on a line with its numbers and the rest below, so that a name is
 * never what does not fit.
 *
 * color   for verdicts and changes, which are words and signs without it
 * all     rows that are within their limit or unresolved, too, and every alias
 */
void text_draw_gate(const struct gate *g, bool color, bool all, struct buf *out);

#endif

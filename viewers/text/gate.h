/*
 * gate.h - the answer of a gate as text, and its parts for those who write it elsewhere
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

/* "2 regressions, 1 suspect, 9 within +20%, 46 unresolved", or what a PASS has to say; without a line end. */
void gate_add_summary(const struct gate *g, struct buf *out);

/* A ratio as a change: "+26.5%", "+180%", past +9999% "x250"; "-" for NAN. */
void gate_add_change(double ratio, struct buf *out);

/* "+18.4% to +35.1%", "+18.4% and up"; "-" for NAN. */
void gate_add_interval(double lo, double hi, struct buf *out);

/* A p-value: "4e-07"; "-" for NAN. */
void gate_add_p(double p, struct buf *out);

/* "3,163"; what is past 10^15 in powers of ten. */
void gate_add_count(double count, struct buf *out);

/* What the change is relative to: "the unchanged part of the program". */
const char *gate_relative_to(enum gate_normalize n);

/* What could have been seen, and what to capture to see more: one or two lines, each with its end. */
void gate_add_power(const struct gate *g, struct buf *out);

#endif

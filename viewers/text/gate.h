/*
 * gate.h - the result of a gate as text, and formatting of its numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_GATE_H
#define VIEWERS_TEXT_GATE_H

#include "base/buf.h"
#include "report/gate/gate.h"

#include <stdbool.h>
#include <stdint.h>

/*
 * Append the result as text: the outcome on one line, the sides, rows, power, notes and warnings. The line of a row
 * ends with its name, and details are on the lines below, so that the full name of a FAIL or SUSPECT is always shown.
 *
 * color   colour verdicts and changes
 * all     also list rows that are within their limit or unresolved, and every alias
 */
void text_draw_gate(const struct gate *g, bool color, bool all, struct buf *out);

/* Append a summary such as "2 regressions, 1 suspect, 9 within +20%, 46 unresolved", without a newline. */
void text_gate_add_summary(const struct gate *g, struct buf *out);

/* Append a ratio as a change: "+26.5%", "+180%", above +9999% "x250"; "-" for NAN. */
void text_gate_add_change(double ratio, struct buf *out);

/* Append an interval: "+18.4% to +35.1%", or "+18.4% and up" if hi is x1000 or more; "-" for NAN. */
void text_gate_add_interval(double lo, double hi, struct buf *out);

/* Append a p-value: "4e-07"; "-" for NAN. */
void text_gate_add_p(double p, struct buf *out);

/* Append a count: "3,163"; "0.4" below 1; above 10^15 with an exponent. */
void text_gate_add_count(double count, struct buf *out);

/* Append "3,163 samples", "1 sample", or "exact counts" if nothing was sampled. */
void text_gate_add_samples(double count, struct buf *out);

/* Reference of changes: "the unchanged part of the program". */
const char *text_gate_relative_to(enum gate_normalize n);

/* Append advice for an inconclusive result, if any. */
void text_gate_add_advice(const struct gate *g, struct buf *out);

/* Append the meaning of FAIL, SUSPECT and unresolved, one line for each verdict that occurs; all: every row is
   listed. */
void text_gate_add_meaning(const struct gate *g, bool all, struct buf *out);

/* Append the smallest detectable changes, and the samples that are needed to detect smaller ones: one or two lines. */
void text_gate_add_power(const struct gate *g, struct buf *out);

#endif

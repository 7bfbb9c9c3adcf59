/*
 * gate.h - the answer of a gate as text, and its numbers and sentences
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
 * Append the answer for people: the verdict on one line, what was compared, rows, what could have been seen,
 * warnings. A row of FAIL or SUSPECT has its name on a line with its numbers and the rest below, so that a name is
 * never what does not fit.
 *
 * color   for verdicts and changes, which are words and signs without it
 * all     rows that are within their limit or unresolved, too, and every alias
 */
void text_draw_gate(const struct gate *g, bool color, bool all, struct buf *out);

/* Is this count written as 1? */
bool text_gate_is_one(double count);

/* A real as the nearest int64_t; the ends for what is past them, 0 for NAN. */
int64_t text_gate_whole(double v);

/* "2 regressions, 1 suspect, 9 within +20%, 46 unresolved", or what a PASS has to say; without a line end. */
void text_gate_add_summary(const struct gate *g, struct buf *out);

/* A ratio as a change: "+26.5%", "+180%", past +9999% "x250"; "-" for NAN. */
void text_gate_add_change(double ratio, struct buf *out);

/* "+18.4% to +35.1%", "+18.4% and up" from x1000 on; "-" for NAN. */
void text_gate_add_interval(double lo, double hi, struct buf *out);

/* A p-value: "4e-07"; "-" for NAN. */
void text_gate_add_p(double p, struct buf *out);

/* "3,163"; "0.4" below 1; what is past 10^15 in powers of ten. */
void text_gate_add_count(double count, struct buf *out);

/* "3,163 samples", "1 sample"; "exact counts" for what was not sampled at all. */
void text_gate_add_samples(double count, struct buf *out);

/* What the change is relative to: "the unchanged part of the program". */
const char *text_gate_relative_to(enum gate_normalize n);

/* Why no function could be tested, when none was. */
const char *text_gate_untested(const struct gate *g);

/* Why it is inconclusive and what to do about it: a line, or nothing. */
void text_gate_add_advice(const struct gate *g, struct buf *out);

/* What FAIL, SUSPECT and unresolved mean, a line for each that there is; all: every row is listed. */
void text_gate_add_meaning(const struct gate *g, bool all, struct buf *out);

/* What could have been seen, and what to capture to see more: one or two lines, each with its end. */
void text_gate_add_power(const struct gate *g, struct buf *out);

#endif

/*
 * gate_words.h - sentences of a gate, for its text alone
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_TEXT_GATE_WORDS_H
#define VIEWERS_TEXT_GATE_WORDS_H

#include "base/buf.h"
#include "report/gate/gate.h"

#include <stdbool.h>
#include <stdint.h>

/* Does this count read as one? */
bool gate_is_one(double count);

/* A real as the nearest int64_t; the ends for what is past them, 0 for NAN. */
int64_t gate_whole(double v);

/* Why it is inconclusive and what to do about it: a line, or nothing. */
void gate_add_advice(const struct gate *g, struct buf *out);

/* What FAIL, SUSPECT and unresolved mean, a line for each that there is; all: every row is listed. */
void gate_add_meaning(const struct gate *g, bool all, struct buf *out);

#endif

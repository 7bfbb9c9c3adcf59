/*
 * incomplete.h - report that many stacks are incomplete, with the reason and the remedy
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ATTACH_INCOMPLETE_H
#define ATTACH_INCOMPLETE_H

#include "attach/run.h"
#include "libcpaprof/collector/incomplete.h"

enum { INCOMPLETE_PERCENT_MIN = 80, INCOMPLETE_STACKS_MIN = 20 };

/*
 * Call messages.note if less than INCOMPLETE_PERCENT_MIN percent of at least INCOMPLETE_STACKS_MIN stacks are complete.
 *
 * is_outside   sampled from outside, not by the library
 */
void attach_note_incomplete(const struct attach_messages *m, const struct incomplete *x, bool is_outside);

#endif

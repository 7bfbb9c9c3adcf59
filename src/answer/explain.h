/*
 * explain.h - reasons why a report is empty
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_EXPLAIN_H
#define ANSWER_EXPLAIN_H

#include "base/buf.h"
#include "profile/profile.h"

#include <stdbool.h>

struct query;

/*
 * Append why all values of a report of p are 0, as a sentence without a full stop. Nothing is appended if the filters
 * of q removed all samples with values.
 *
 * has_base   were samples of a base subtracted?
 * Returns the name of a sample type with values other than 0, which can be shown instead; NULL if there is none or the
 * sample type of q has values. Untrusted.
 */
const char *answer_explain_empty(const struct profile *p, const struct query *q, bool has_base, struct buf *out);

#endif

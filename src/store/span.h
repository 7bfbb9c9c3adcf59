/*
 * span.h - times and spans as text
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_SPAN_H
#define STORE_SPAN_H

#include "base/buf.h"

#include <stdint.h>

/* Append a time: "2026-11-22T14:00:00Z", with fractions only if there are any. */
void store_print_time(int64_t ns, struct buf *out);

/* Append the span of a window for people: "2026-11-22 14:00..15:00 UTC". */
void store_print_span(int64_t t0, int64_t t1, struct buf *out);

#endif

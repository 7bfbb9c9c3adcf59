/*
 * verify.h - check chapters and segments
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_VERIFY_H
#define STORE_LOCAL_FORMAT_VERIFY_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/format/segment.h"

#include <stdbool.h>

/*
 * Check every block of a chapter; deep: decode all values too, and compare the totals.
 *
 * Fails  ERR_FORMAT, ERR_STOPPED
 */
int verify_chapter(const struct chapter *ch, bool deep, struct stop *stop, struct err *err);

/* The same of all chapters of a segment. */
int verify_segment(const struct segment *s, bool deep, struct stop *stop, struct err *err);

#endif

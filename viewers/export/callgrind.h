/*
 * callgrind.h - a profile for kcachegrind and callgrind_annotate
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_CALLGRIND_H
#define VIEWERS_CALLGRIND_H

#include "base/buf.h"
#include "engine/net.h"
#include "report/report.h"

/*
 * Append a net of addresses in callgrind's format.
 *
 * net     of places that tell binaries apart (query.by_object), not made for a picture
 * r       its head counts
 * Like    pprof internal/report printCallgrind, but that a function has one name in all places
 */
void callgrind_draw(const struct net *net, const struct report *r, struct buf *out);

#endif

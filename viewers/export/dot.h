/*
 * dot.h - a call graph for Graphviz
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_DOT_H
#define VIEWERS_DOT_H

#include "base/buf.h"
#include "engine/net.h"
#include "report/report.h"

/*
 * Append a call graph in the language of dot.
 *
 * net     made for a picture
 * r       its head counts; the table is not looked at
 * Like    pprof internal/graph ComposeDot, but that everything from the profile is escaped
 */
void dot_draw(const struct net *net, const struct report *r, struct buf *out);

#endif

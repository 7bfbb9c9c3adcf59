/*
 * svg.h - flame graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SVG_H
#define VIEWERS_SVG_H

#include "base/buf.h"
#include "base/err.h"
#include "viewers/flame/flame.h"

/*
 * Append a flame graph as one self-contained SVG.
 *
 * Fails   ERR_IO when libxml2 is missing
 */
int svg_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err);

#endif

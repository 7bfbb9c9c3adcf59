/*
 * mark.h - colours, and what tells boxes of a comparison apart without them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_MARK_H
#define VIEWERS_PDF_MARK_H

#include "viewers/pdf/paint.h"

#include <stdint.h>

/* Set a colour: 0xRRGGBB. */
void mark_set_color(const struct painter *p, uint32_t rgb);

/* Draw the line around what is new (whole) or gone (broken); nothing for others or when there is no room. */
void mark_outline(const struct painter *p, char sign, uint32_t rgb, struct rectangle r);

#endif

/*
 * depth.h - colours on terminals that have fewer
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_DEPTH_H
#define VIEWERS_SHELL_DEPTH_H

#include "viewers/shell/grid.h"

#include <stdint.h>

enum depth { DEPTH_NONE, DEPTH_16, DEPTH_256, DEPTH_TRUE };

/* What a look is on a terminal: colour numbers of its palette, or 0xRRGGBB at DEPTH_TRUE; DEPTH_OWN its own. */
enum { DEPTH_OWN = -1 };
struct shade {
	int32_t ink, paper;
	uint8_t attr;
};

/*
 * The nearest to a look that a terminal can show; ink stays readable on paper. With DEPTH_NONE a paper
 * of its own becomes reverse.
 */
struct shade depth_shade(enum depth depth, struct look look);

/* The colour 0xRRGGBB of a number of the palette of 16 or 256. */
uint32_t depth_color(enum depth depth, int32_t number);

#endif

/*
 * depth.h - choice of colours on terminals that have only a few
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_DEPTH_H
#define VIEWERS_SHELL_DEPTH_H

#include "viewers/shell/grid.h"

#include <stdint.h>

enum depth { DEPTH_NONE, DEPTH_16, DEPTH_256, DEPTH_TRUE };

/* A style as sent to a terminal: numbers in its palette, 0xRRGGBB with DEPTH_TRUE, or DEPTH_DEFAULT. */
enum { DEPTH_DEFAULT = -1 };
struct terminal_style {
	int32_t fg, bg;
	uint8_t attr;
};

/*
 * The nearest style that a terminal can show, with a readable foreground. With DEPTH_NONE a background colour becomes
 * reverse video.
 */
struct terminal_style depth_style(enum depth depth, struct style style);

/* The colour 0xRRGGBB of a number in the palette of 16 or 256. */
uint32_t depth_color(enum depth depth, int32_t number);

#endif

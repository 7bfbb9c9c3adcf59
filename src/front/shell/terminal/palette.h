/*
 * palette.h - choice of colours on terminals that have only a few
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_TERMINAL_PALETTE_H
#define FRONT_SHELL_TERMINAL_PALETTE_H

#include "front/shell/terminal/grid.h"

#include <stdint.h>

enum palette { PALETTE_NONE, PALETTE_16, PALETTE_256, PALETTE_TRUE };

/* A style as sent to a terminal: numbers in its palette, 0xRRGGBB with PALETTE_TRUE, or PALETTE_DEFAULT. */
enum { PALETTE_DEFAULT = -1 };
struct terminal_style {
	int32_t fg, bg;
	uint8_t attr;
};

/*
 * The nearest style that a terminal can show, with a readable foreground. With PALETTE_NONE a background colour becomes
 * reverse video.
 */
struct terminal_style palette_style(enum palette palette, struct style style);

/* The colour 0xRRGGBB of a number in the palette of 16 or 256. */
uint32_t palette_color(enum palette palette, int32_t number);

#endif

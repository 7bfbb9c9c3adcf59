/*
 * palette.c - choice of colours on terminals that have only a few
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Distances between colours are measured in OKLab (Ottosson, "A perceptual color space for image processing", 2020);
 * readability is the contrast of WCAG 2.2. Of 256 colours only those from 16 on are used, because users change colours
 * 0 to 15. With 16 colours, only 8 can be backgrounds on all terminals. For most pale colours the nearest of these 8
 * would be white, so a coloured background becomes the background with the same hue. On terminals with 8 colours,
 * foregrounds from 8 on become bold and may look like foregrounds 0 to 7, which must then be readable too.
 */
#include "config.h"

#include "front/shell/terminal/palette.h"

#include <assert.h>
#include <math.h>

enum {
	FIRST_256 = 16,
	END_256 = 256,
	CUBE = 6,
	GREYS = 232,
	BLACK = 0,
	WHITE = 7,
	BRIGHT = 8, /* added to colours 0..7 for their bright version; 8 may be as dark as the background */
	END_16 = 16
};

/* The first 16 colours of xterm. */
static const uint32_t first[END_16] = {
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff
};

/* WCAG 2.2, 1.4.3: minimum contrast of text and of large text; maximum chroma of a grey in OKLab. */
static const double readable = 4.5, large = 3, grey = 0.018;

uint32_t palette_color(enum palette palette, int32_t number)
{
	static const uint32_t level[CUBE] = { 0, 95, 135, 175, 215, 255 };
	uint32_t n = (uint32_t)number;

	assert(palette != PALETTE_NONE);
	if (palette == PALETTE_TRUE)
		return n & 0xffffff;
	assert(number >= 0 && n < END_256);
	if (n < FIRST_256)
		return first[n];
	if (n >= GREYS)
		return (n - GREYS) * 0x0a0a0a + 0x080808;
	n -= FIRST_256;
	return level[n / (CUBE * CUBE) % CUBE] << 16 | level[n / CUBE % CUBE] << 8 | level[n % CUBE];
}

/* One channel of a colour as linear light: IEC 61966-2-1. */
static double light(uint32_t rgb, int shift)
{
	double c = (double)(rgb >> shift & 0xff) / 255;

	return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static double contrast(uint32_t x, uint32_t y)
{
	double a = 0.2126 * light(x, 16) + 0.7152 * light(x, 8) + 0.0722 * light(x, 0) + 0.05;
	double b = 0.2126 * light(y, 16) + 0.7152 * light(y, 8) + 0.0722 * light(y, 0) + 0.05;

	return a > b ? a / b : b / a;
}

struct lab {
	double l, a, b;
};

static struct lab lab_of(uint32_t rgb)
{
	double r = light(rgb, 16), g = light(rgb, 8), b = light(rgb, 0);
	double l = cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
	double m = cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
	double s = cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);

	return (struct lab){ 0.2104542553 * l + 0.7936177850 * m - 0.0040720468 * s,
			     1.9779984951 * l - 2.4285922050 * m + 0.4505937099 * s,
			     0.0259040371 * l + 0.7827717662 * m - 0.8086757660 * s };
}

static double depth_distance(struct lab x, struct lab y)
{
	return (x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b);
}

static double chroma(struct lab c)
{
	return hypot(c.a, c.b);
}

/* Is a foreground readable on a background of the same palette? An unknown background counts as readable. */
static bool palette_is_readable(enum palette palette, int32_t fg, int32_t bg, double min)
{
	uint32_t on;

	if (bg == PALETTE_DEFAULT)
		return true;
	on = palette_color(palette, bg);
	if (contrast(palette_color(palette, fg), on) < min)
		return false;
	return palette != PALETTE_16 || fg < BRIGHT ||
	       contrast(palette_color(palette, fg - BRIGHT), on) >= fmin(min, large);
}

/* The nearest colour number that is readable on a background; PALETTE_DEFAULT when none is. */
static int32_t nearest(enum palette palette, uint32_t rgb, int32_t bg, double min)
{
	int32_t lo = palette == PALETTE_16 ? 0 : FIRST_256, hi = palette == PALETTE_16 ? END_16 : END_256,
		best = PALETTE_DEFAULT;
	struct lab wanted = lab_of(rgb);
	double closest = INFINITY;

	assert(palette == PALETTE_16 || palette == PALETTE_256);
	for (int32_t i = lo; i < hi; i++) {
		double d = depth_distance(wanted, lab_of(palette_color(palette, i)));

		if (d >= closest || (palette == PALETTE_16 && i == BRIGHT) || !palette_is_readable(palette, i, bg, min))
			continue;
		closest = d;
		best = i;
	}
	return best;
}

/* A foreground for a chosen background. A grey that would not be readable becomes black or white, not coloured. */
static int32_t fg_for(enum palette palette, uint32_t rgb, int32_t bg, double min)
{
	int32_t black = palette == PALETTE_16 ? BLACK : FIRST_256,
		white = palette == PALETTE_16 ? END_16 - 1 : GREYS - 1;
	int32_t fg = nearest(palette, rgb, PALETTE_DEFAULT, 0);
	uint32_t on;

	if (palette_is_readable(palette, fg, bg, min))
		return fg;
	if (chroma(lab_of(rgb)) >= grey && (fg = nearest(palette, rgb, bg, min)) != PALETTE_DEFAULT)
		return fg;
	on = palette_color(palette, bg);
	return contrast(palette_color(palette, black), on) >= contrast(palette_color(palette, white), on) ? black
													  : white;
}

/* The nearest of 256 colours for a background. Pale and dark colours keep their hue, because hue alone distinguishes
   boxes. */
static int32_t bg_of_256(uint32_t rgb)
{
	struct lab wanted = lab_of(rgb);
	double closest = INFINITY;
	int32_t best = FIRST_256;

	for (int32_t i = FIRST_256; i < END_256; i++) {
		struct lab is = lab_of(palette_color(PALETTE_256, i));
		double d = depth_distance(wanted, is);

		if (d >= closest || (chroma(wanted) >= grey && chroma(is) < grey))
			continue;
		closest = d;
		best = i;
	}
	return best;
}

/* One of the first 8 colours for a background: greys by lightness, others by hue. */
static int32_t bg_of_8(uint32_t rgb)
{
	static const double dark = 0.28;
	struct lab wanted = lab_of(rgb);
	double max = -INFINITY;
	int32_t best = wanted.l < dark ? BLACK : WHITE;

	if (chroma(wanted) < grey)
		return best;
	for (int32_t i = BLACK + 1; i < WHITE; i++) {
		struct lab is = lab_of(first[i]);
		double like = (is.a * wanted.a + is.b * wanted.b) / chroma(is);

		if (like <= max)
			continue;
		max = like;
		best = i;
	}
	return best;
}

struct terminal_style palette_style(enum palette palette, struct style style)
{
	bool fg = style.fg != COLOR_DEFAULT, bg = style.bg != COLOR_DEFAULT;
	struct terminal_style out = { PALETTE_DEFAULT, PALETTE_DEFAULT, style.attr };
	double min = 0;

	if (palette == PALETTE_NONE) {
		out.attr ^= bg ? ATTR_REVERSE : 0;
	} else if (palette == PALETTE_TRUE) {
		out.fg = fg ? (int32_t)style.fg : PALETTE_DEFAULT;
		out.bg = bg ? (int32_t)style.bg : PALETTE_DEFAULT;
	} else {
		if (bg)
			out.bg = palette == PALETTE_16 ? bg_of_8(style.bg) : bg_of_256(style.bg);
		if (fg && bg)
			min = fmin(contrast(style.fg, style.bg), readable);
		if (fg)
			out.fg = fg_for(palette, style.fg, out.bg, min);
	}
	return out;
}

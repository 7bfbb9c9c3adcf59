/*
 * depth.c - colours on terminals that have fewer
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Near means near in OKLab (Ottosson, "A perceptual color space for image processing", 2020), readable
 * is the contrast of WCAG 2.2. Of 256 colours only those above 16 are used: users change the first ones.
 * Where there are 16 only 8 can be papers everywhere, and the nearest of these would be white for most
 * pale colours, so a paper that is no grey takes the one of its hue. Inks above 8 are bold on terminals
 * that have 8; they may look as those below then, so they must be readable as these too.
 */
#include "config.h"

#include "viewers/shell/depth.h"

#include <assert.h>
#include <math.h>

enum {
	FIRST_256 = 16,
	END_256 = 256,
	CUBE = 6,
	GREYS = 232,
	BLACK = 0,
	WHITE = 7,
	BRIGHT = 8, /* added to 0..7; itself it is a grey that may be as black as the paper */
	END_16 = 16
};

/* What xterm shows for the first 16. */
static const uint32_t first[END_16] = {
	0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
	0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff
};

/* WCAG 2.2, 1.4.3: the least contrast of text, and of large text; how much colour a grey may have in OKLab. */
static const double readable = 4.5, large = 3, grey = 0.018;

uint32_t depth_color(enum depth depth, int32_t number)
{
	static const uint32_t level[CUBE] = { 0, 95, 135, 175, 215, 255 };
	uint32_t n = (uint32_t)number;

	assert(depth != DEPTH_NONE);
	if (depth == DEPTH_TRUE)
		return n & 0xffffff;
	assert(number >= 0 && n < END_256);
	if (n < FIRST_256)
		return first[n];
	if (n >= GREYS)
		return (n - GREYS) * 0x0a0a0a + 0x080808;
	n -= FIRST_256;
	return level[n / (CUBE * CUBE) % CUBE] << 16 | level[n / CUBE % CUBE] << 8 | level[n % CUBE];
}

/* A part of a colour as light: IEC 61966-2-1. */
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

static double distance(struct lab x, struct lab y)
{
	return (x.l - y.l) * (x.l - y.l) + (x.a - y.a) * (x.a - y.a) + (x.b - y.b) * (x.b - y.b);
}

static double chroma(struct lab c)
{
	return hypot(c.a, c.b);
}

/* Is an ink readable on a paper of the same palette? One that is not known is taken for good. */
static bool is_readable(enum depth depth, int32_t ink, int32_t paper, double least)
{
	uint32_t on;

	if (paper == DEPTH_OWN)
		return true;
	on = depth_color(depth, paper);
	if (contrast(depth_color(depth, ink), on) < least)
		return false;
	return depth != DEPTH_16 || ink < BRIGHT ||
	       contrast(depth_color(depth, ink - BRIGHT), on) >= fmin(least, large);
}

/* The number nearest to a colour of those that are readable on a paper; DEPTH_OWN when none is. */
static int32_t nearest(enum depth depth, uint32_t rgb, int32_t paper, double least)
{
	int32_t lo = depth == DEPTH_16 ? 0 : FIRST_256, hi = depth == DEPTH_16 ? END_16 : END_256, best = DEPTH_OWN;
	struct lab want = lab_of(rgb);
	double closest = INFINITY;

	assert(depth == DEPTH_16 || depth == DEPTH_256);
	for (int32_t i = lo; i < hi; i++) {
		double d = distance(want, lab_of(depth_color(depth, i)));

		if (d >= closest || (depth == DEPTH_16 && i == BRIGHT) || !is_readable(depth, i, paper, least))
			continue;
		closest = d;
		best = i;
	}
	return best;
}

/* An ink for a paper that is chosen. A grey that would not be readable turns black or white and takes no colour. */
static int32_t ink_for(enum depth depth, uint32_t rgb, int32_t paper, double least)
{
	int32_t black = depth == DEPTH_16 ? BLACK : FIRST_256, white = depth == DEPTH_16 ? END_16 - 1 : GREYS - 1;
	int32_t ink = nearest(depth, rgb, DEPTH_OWN, 0);
	uint32_t on;

	if (is_readable(depth, ink, paper, least))
		return ink;
	if (chroma(lab_of(rgb)) >= grey && (ink = nearest(depth, rgb, paper, least)) != DEPTH_OWN)
		return ink;
	on = depth_color(depth, paper);
	return contrast(depth_color(depth, black), on) >= contrast(depth_color(depth, white), on) ? black : white;
}

/* The nearest of 256 for a paper. One that is pale or dark keeps its colour: it is all that tells boxes apart. */
static int32_t paper_of_256(uint32_t rgb)
{
	struct lab want = lab_of(rgb);
	double closest = INFINITY;
	int32_t best = FIRST_256;

	for (int32_t i = FIRST_256; i < END_256; i++) {
		struct lab is = lab_of(depth_color(DEPTH_256, i));
		double d = distance(want, is);

		if (d >= closest || (chroma(want) >= grey && chroma(is) < grey))
			continue;
		closest = d;
		best = i;
	}
	return best;
}

/* One of the first 8 for a paper: greys by their lightness, others by their hue. */
static int32_t paper_of_8(uint32_t rgb)
{
	static const double dark = 0.28;
	struct lab want = lab_of(rgb);
	double most = -INFINITY;
	int32_t best = want.l < dark ? BLACK : WHITE;

	if (chroma(want) < grey)
		return best;
	for (int32_t i = BLACK + 1; i < WHITE; i++) {
		struct lab is = lab_of(first[i]);
		double like = (is.a * want.a + is.b * want.b) / chroma(is);

		if (like <= most)
			continue;
		most = like;
		best = i;
	}
	return best;
}

struct shade depth_shade(enum depth depth, struct look look)
{
	bool ink = look.ink != COLOR_OWN, paper = look.paper != COLOR_OWN;
	struct shade out = { DEPTH_OWN, DEPTH_OWN, look.attr };
	double least = 0;

	if (depth == DEPTH_NONE) {
		out.attr ^= paper ? ATTR_REVERSE : 0;
	} else if (depth == DEPTH_TRUE) {
		out.ink = ink ? (int32_t)look.ink : DEPTH_OWN;
		out.paper = paper ? (int32_t)look.paper : DEPTH_OWN;
	} else {
		if (paper)
			out.paper = depth == DEPTH_16 ? paper_of_8(look.paper) : paper_of_256(look.paper);
		if (ink && paper)
			least = fmin(contrast(look.ink, look.paper), readable);
		if (ink)
			out.ink = ink_for(depth, look.ink, out.paper, least);
	}
	return out;
}

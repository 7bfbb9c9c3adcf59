/*
 * palette.c - the colours of flame graphs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The colours of groups are the result of a search: text on them is readable, and the two most similar ones are far
 * apart in OKLab (Ottosson 2020), for normal colour vision and for each kind of dichromacy (Machado, Oliveira,
 * Fernandes 2009). Changes use ColorBrewer's Oranges and Blues, heat its YlOrRd (Brewer, Harrower, Penn State). The
 * dark theme reverses the order of lightness. tests/unit/test_flame_palette.c checks these properties.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#define BLACK 0x000000
#define WHITE 0xffffff

static const struct flame_color light[FLAME_COLORS] = {
	[COLOR_NEUTRAL] = { 0xe4e4e4, BLACK },
	[COLOR_LABEL] = { 0x3f4752, WHITE },
	[COLOR_UNKNOWN] = { 0xb4b4b4, BLACK },
	[COLOR_KERNEL] = { 0x8a8a8a, BLACK },
	[COLOR_OTHER] = { 0xcfcac2, BLACK },
	[COLOR_GROUP] = { 0xfa9c47, BLACK }, /* orange */
	{ 0x50a2ac, BLACK },                 /* teal */
	{ 0xd783d0, BLACK },                 /* magenta */
	{ 0xf9e26f, BLACK },                 /* yellow */
	{ 0x9ebffd, BLACK },                 /* sky */
	{ 0xf07b6e, BLACK },                 /* coral */
	{ 0xaff5b3, BLACK },                 /* mint */
	{ 0xad99fe, BLACK },                 /* violet */
	{ 0xcab986, BLACK },                 /* sand */
	{ 0xf8a0d4, BLACK },                 /* pink */
	{ 0xcd8803, BLACK },                 /* ochre */
	{ 0xd7d3ff, BLACK },                 /* lavender */
	[COLOR_HEAT] = { 0xf0efe9, BLACK },
	{ 0xffffcc, BLACK },
	{ 0xffeda0, BLACK },
	{ 0xfed976, BLACK },
	{ 0xfeb24c, BLACK },
	{ 0xfd8d3c, BLACK },
	{ 0xfc4e2a, BLACK },
	{ 0xb10026, WHITE },
	[COLOR_SAME] = { 0xe0e0e0, BLACK },
	[COLOR_GREW] = { 0xfee6ce, BLACK },
	{ 0xfdd0a2, BLACK },
	{ 0xfdae6b, BLACK },
	{ 0xf16913, BLACK },
	[COLOR_NEW] = { 0xa63603, WHITE },
	[COLOR_SHRANK] = { 0xdeebf7, BLACK },
	{ 0xc6dbef, BLACK },
	{ 0x9ecae1, BLACK },
	{ 0x6baed6, BLACK },
	[COLOR_GONE] = { 0x08519c, WHITE },
};

static const struct flame_color dark[FLAME_COLORS] = {
	[COLOR_NEUTRAL] = { 0x383838, WHITE },
	[COLOR_LABEL] = { 0xd4d9df, BLACK },
	[COLOR_UNKNOWN] = { 0x5a5a5a, WHITE },
	[COLOR_KERNEL] = { 0x707070, WHITE },
	[COLOR_OTHER] = { 0x47433e, WHITE },
	[COLOR_GROUP] = { 0x5a3a1f, WHITE },
	{ 0x1e6a73, WHITE },
	{ 0x9a5795, WHITE },
	{ 0x817009, WHITE },
	{ 0x354e80, WHITE },
	{ 0x764640, WHITE },
	{ 0x4d7c50, WHITE },
	{ 0x463181, WHITE },
	{ 0x604c01, WHITE },
	{ 0x742358, WHITE },
	{ 0x7a582b, WHITE },
	{ 0x5e4da0, WHITE },
	[COLOR_HEAT] = { 0x333230, WHITE },
	{ 0x543522, WHITE },
	{ 0x6b3a17, WHITE },
	{ 0x85430f, WHITE },
	{ 0xa3520c, WHITE },
	{ 0xd97a16, BLACK },
	{ 0xf9a63f, BLACK },
	{ 0xffe08a, BLACK },
	[COLOR_SAME] = { 0x454545, WHITE },
	[COLOR_GREW] = { 0x553c2a, WHITE },
	{ 0x7a4419, WHITE },
	{ 0xa3520c, WHITE },
	{ 0xe8801f, BLACK },
	[COLOR_NEW] = { 0xffc88a, BLACK },
	[COLOR_SHRANK] = { 0x2c3f52, WHITE },
	{ 0x27527c, WHITE },
	{ 0x2569a8, WHITE },
	{ 0x5ba3e0, BLACK },
	[COLOR_GONE] = { 0xb8dcfb, BLACK },
};

const struct flame_color *flame_colors(enum flame_theme theme)
{
	return theme == FLAME_DARK ? dark : light;
}

const struct flame_page *flame_page(enum flame_theme theme)
{
	static const struct flame_page
		bright = { .paper = 0xffffff, .ink = 0x1a1a1a, .quiet = 0x595959, .line = 0xffffff, .match = 0xd500f9 },
		night = { .paper = 0x1b1b1b, .ink = 0xececec, .quiet = 0xa6a6a6, .line = 0x1b1b1b, .match = 0xff79ff };

	return theme == FLAME_DARK ? &night : &bright;
}

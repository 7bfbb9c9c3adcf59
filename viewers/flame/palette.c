/*
 * palette.c - the colours of flame graphs
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Colours of groups were searched for by machine: of all sets whose text is readable, one whose most
 * similar two are far apart in OKLab (Ottosson 2020), seen by all eyes and by those without one of the
 * three cones (Machado, Oliveira, Fernandes 2009). Changes are ColorBrewer's Oranges and Blues, heat its
 * YlOrRd (Brewer, Harrower, Penn State); in the dark the order of lightness is turned round.
 * tests/unit/test_flame_palette.c measures it all again.
 */
#include "config.h"

#include "viewers/flame/flame_int.h"

#define BLACK 0x000000
#define WHITE 0xffffff

static const struct flame_color light[FLAME_COLORS] = {
	[COLOR_NEUTRAL] = { 0xe4e4e4, BLACK },
	[COLOR_LABEL] = { 0xffffff, BLACK },
	[COLOR_UNKNOWN] = { 0xb8b8b8, BLACK },
	[COLOR_KERNEL] = { 0x8a8a8a, BLACK },
	[COLOR_OTHER] = { 0xd3ccbf, BLACK },
	[COLOR_GROUP] = { 0xf5a43d, BLACK }, /* orange */
	{ 0x84b4fc, BLACK },                 /* sky */
	{ 0xe3d453, BLACK },                 /* yellow */
	{ 0xd377b3, BLACK },                 /* pink */
	{ 0x94e6be, BLACK },                 /* mint */
	{ 0x8e8af0, BLACK },                 /* violet */
	{ 0xc1fb9e, BLACK },                 /* pale green */
	{ 0xf77e7c, BLACK },                 /* coral */
	{ 0x8ffbfe, BLACK },                 /* cyan */
	{ 0xa0991f, BLACK },                 /* olive */
	{ 0xc4c9fe, BLACK },                 /* lavender */
	{ 0xcda8c8, BLACK },                 /* mauve */
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
	[COLOR_NEUTRAL] = { 0x3a3a3a, WHITE },
	[COLOR_LABEL] = { 0x101010, WHITE },
	[COLOR_UNKNOWN] = { 0x585858, WHITE },
	[COLOR_KERNEL] = { 0x6e6e6e, WHITE },
	[COLOR_OTHER] = { 0x4a453c, WHITE },
	[COLOR_GROUP] = { 0x82510a, WHITE },
	{ 0x315182, WHITE },
	{ 0x7b7110, WHITE },
	{ 0x682553, WHITE },
	{ 0x327e5d, WHITE },
	{ 0x6b66bf, WHITE },
	{ 0x4f6442, WHITE },
	{ 0x68403e, WHITE },
	{ 0x206a6c, WHITE },
	{ 0x4a4501, WHITE },
	{ 0x3a358b, WHITE },
	{ 0x9b5894, WHITE },
	[COLOR_HEAT] = { 0x333230, WHITE },
	{ 0x4a3327, WHITE },
	{ 0x653718, WHITE },
	{ 0x81400f, WHITE },
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

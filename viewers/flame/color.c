/*
 * color.c - the colours of boxes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/flame/flame.h"

static const struct flame_color light[FLAME_COLORS] = {
	{ 0xe69f00, 0x000000 },
	{ 0x56b4e9, 0x000000 },
	{ 0x009e73, 0x000000 },
	{ 0xf0e442, 0x000000 },
};

const struct flame_color *flame_colors(enum flame_theme theme)
{
	(void)theme;
	return light;
}

size_t flame_legend(const struct report *r, const struct flame_layout *l, const struct flame_style *style,
		    struct arena *mem, const struct flame_legend **out)
{
	(void)r;
	(void)l;
	(void)style;
	(void)mem;
	*out = NULL;
	return 0;
}

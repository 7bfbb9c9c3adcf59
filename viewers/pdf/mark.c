/*
 * mark.c - colours, and what tells boxes of a comparison apart without them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/pdf/mark.h"

void mark_set_color(const struct painter *p, uint32_t rgb)
{
	p->lib->set_source_rgb(p->cr, (rgb >> 16 & 0xff) / 255.0, (rgb >> 8 & 0xff) / 255.0, (rgb & 0xff) / 255.0);
}

void mark_outline(const struct painter *p, char sign, uint32_t rgb, struct rectangle r)
{
	static const double dash[] = { 3, 2 };
	const double line = 1, least = 4;

	if ((sign != 'n' && sign != 'g') || r.width < least)
		return;
	mark_set_color(p, rgb);
	p->lib->set_line_width(p->cr, line);
	p->lib->set_dash(p->cr, dash, sign == 'g' ? 2 : 0, 0);
	p->lib->rectangle(p->cr, r.x + line / 2, r.y + line / 2, r.width - line, r.height - line);
	p->lib->stroke(p->cr);
}

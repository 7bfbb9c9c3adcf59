/*
 * bar.c - a share as a bar
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/bar.h"

enum { EIGHTHS = 8, FULL = 0x2588 }; /* from 0x258f, an eighth, down to the full block */

static void put(struct grid *g, struct area a, int x, int y, uint32_t ch, struct look look)
{
	if (x >= 0 && x < a.width && y >= 0 && y < a.height)
		grid_fill(g, (struct area){ a.x + x, a.y + y, 1, 1 }, ch, look);
}

void bar_draw(struct grid *g, struct area a, int x, int y, int cells, double share, struct look look)
{
	int n;

	if (!(share > 0) || cells < 1)
		return;
	n = share >= 1 ? cells * EIGHTHS : (int)(share * cells * EIGHTHS + 0.5);
	n = n > 0 ? n : 1;
	for (; n > 0; n -= EIGHTHS, x++)
		put(g, a, x, y, FULL + (uint32_t)(n >= EIGHTHS ? 0 : EIGHTHS - n), look);
}

/*
 * bar.h - a share as a bar
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_BAR_H
#define VIEWERS_SHELL_BAR_H

#include "viewers/shell/grid.h"

/*
 * Draw a share of cells from column x of row y of an area on, to an eighth of a cell. What is not 0 has some ink.
 *
 * share   0 to 1; more and less are cut
 */
void bar_draw(struct grid *g, struct area a, int x, int y, int cells, double share, struct look look);

#endif

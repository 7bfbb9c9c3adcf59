/*
 * theme.c - how things look
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text is in the terminal's own colours; others are middling, so that they can be read on dark and
 * light. Nothing is told by colour alone.
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include <assert.h>
#include <math.h>

enum { WARM_PERCENT = 5, HOT_PERCENT = 20 };

static const struct look looks[N_ROLES] = {
	[LOOK_PLAIN] = { COLOR_OWN, COLOR_OWN, 0 },
	[LOOK_QUIET] = { 0x888888, COLOR_OWN, 0 },
	[LOOK_BAR] = { 0xffffff, 0x1f4e79, 0 },
	[LOOK_TAB] = { 0xdddddd, 0x1f4e79, 0 },
	[LOOK_TAB_HERE] = { 0x1f4e79, 0xffffff, ATTR_BOLD },
	[LOOK_HEAD] = { COLOR_OWN, COLOR_OWN, ATTR_UNDERLINE },
	[LOOK_HEAD_HERE] = { COLOR_OWN, COLOR_OWN, ATTR_UNDERLINE | ATTR_BOLD },
	[LOOK_SELECTED] = { COLOR_OWN, COLOR_OWN, ATTR_REVERSE },
	[LOOK_MATCH] = { 0x000000, 0xffd75f, 0 },
	[LOOK_CHIP] = { 0x000000, 0xa8d1f0, 0 },
	[LOOK_KEY] = { COLOR_OWN, COLOR_OWN, ATTR_BOLD },
	[LOOK_ERROR] = { 0xd04040, COLOR_OWN, ATTR_BOLD },
	[LOOK_GREW] = { 0xd04040, COLOR_OWN, 0 },
	[LOOK_SHRANK] = { 0x2e9e4f, COLOR_OWN, 0 },
	[LOOK_WARM] = { 0xc08020, COLOR_OWN, 0 },
	[LOOK_HOT] = { 0xd04040, COLOR_OWN, ATTR_BOLD },
	[LOOK_BOX] = { COLOR_OWN, COLOR_OWN, 0 },
	[LOOK_COMMAND] = { 0x3a8fd0, COLOR_OWN, 0 },
};

struct look theme_look(enum role role)
{
	assert(role < N_ROLES);
	return looks[role];
}

struct look theme_selected(struct look look)
{
	look.attr |= ATTR_REVERSE;
	look.ink = look.paper = COLOR_OWN;
	return look;
}

struct look theme_heat(double percent)
{
	double size = fabs(percent);

	return looks[size >= HOT_PERCENT ? LOOK_HOT : size >= WARM_PERCENT ? LOOK_WARM : LOOK_PLAIN];
}

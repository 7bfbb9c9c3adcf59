/*
 * theme.c - styles of the screen
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Text has the terminal's default colours; other colours are of medium brightness, so that they are readable on dark
 * and light backgrounds. Colour is never the only sign of anything.
 */
#include "config.h"

#include "front/shell/terminal/theme.h"

#include <assert.h>
#include <math.h>

enum { WARM_PERCENT = 5, HOT_PERCENT = 20 };

static const struct style styles[N_ROLES] = {
	[ROLE_PLAIN] = { COLOR_DEFAULT, COLOR_DEFAULT, 0 },
	[ROLE_MUTED] = { 0x888888, COLOR_DEFAULT, 0 },
	[ROLE_BAR] = { 0xffffff, 0x1f4e79, 0 },
	[ROLE_TAB] = { 0xdddddd, 0x1f4e79, 0 },
	[ROLE_TAB_CURRENT] = { 0x1f4e79, 0xffffff, ATTR_BOLD },
	[ROLE_HEADING] = { COLOR_DEFAULT, COLOR_DEFAULT, ATTR_UNDERLINE },
	[ROLE_HEADING_SORTED] = { COLOR_DEFAULT, COLOR_DEFAULT, ATTR_UNDERLINE | ATTR_BOLD },
	[ROLE_SELECTED] = { COLOR_DEFAULT, COLOR_DEFAULT, ATTR_REVERSE },
	[ROLE_MATCH] = { 0x000000, 0xffd75f, 0 },
	[ROLE_CHIP] = { 0x000000, 0xa8d1f0, 0 },
	[ROLE_KEY] = { COLOR_DEFAULT, COLOR_DEFAULT, ATTR_BOLD },
	[ROLE_ERROR] = { 0xd04040, COLOR_DEFAULT, ATTR_BOLD },
	[ROLE_GREW] = { 0xd04040, COLOR_DEFAULT, 0 },
	[ROLE_SHRANK] = { 0x2e9e4f, COLOR_DEFAULT, 0 },
	[ROLE_WARM] = { 0xc08020, COLOR_DEFAULT, 0 },
	[ROLE_HOT] = { 0xd04040, COLOR_DEFAULT, ATTR_BOLD },
	[ROLE_WINDOW] = { COLOR_DEFAULT, COLOR_DEFAULT, 0 },
	[ROLE_COMMAND] = { 0x3a8fd0, COLOR_DEFAULT, 0 },
};

struct style theme_style(enum role role)
{
	assert(role < N_ROLES);
	return styles[role];
}

struct style theme_selected(struct style style)
{
	style.attr |= ATTR_REVERSE;
	style.fg = style.bg = COLOR_DEFAULT;
	return style;
}

struct style theme_heat(double percent)
{
	double size = fabs(percent);

	return styles[size >= HOT_PERCENT ? ROLE_HOT : size >= WARM_PERCENT ? ROLE_WARM : ROLE_PLAIN];
}

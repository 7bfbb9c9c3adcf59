/*
 * theme.h - styles of the parts of the screen
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_TERMINAL_THEME_H
#define FRONT_SHELL_TERMINAL_THEME_H

#include "front/shell/terminal/grid.h"

enum role {
	ROLE_PLAIN,
	ROLE_MUTED,          /* less important text */
	ROLE_BAR,            /* the title line, and the background of tabs */
	ROLE_TAB,            /* the tab of another view */
	ROLE_TAB_CURRENT,    /* the tab of the current view */
	ROLE_HEADING,        /* headings of columns */
	ROLE_HEADING_SORTED, /* the heading of the sort column */
	ROLE_SELECTED,
	ROLE_MATCH, /* text that matches the search */
	ROLE_CHIP,
	ROLE_KEY, /* the name of a key */
	ROLE_ERROR,
	ROLE_GREW,
	ROLE_SHRANK,
	ROLE_WARM,    /* a notable share of the total */
	ROLE_HOT,     /* a large share of the total */
	ROLE_WINDOW,  /* a window on top of a view */
	ROLE_COMMAND, /* a command as typed at the prompt */
	N_ROLES
};

struct style theme_style(enum role role);

/* The style of a text in the selected row, which is drawn in reverse video without colours. */
struct style theme_selected(struct style style);

/* The style for a share of the total in percent: plain, warm or hot. */
struct style theme_heat(double percent);

#endif

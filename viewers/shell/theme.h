/*
 * theme.h - how things look
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_SHELL_THEME_H
#define VIEWERS_SHELL_THEME_H

#include "viewers/shell/grid.h"

enum role {
	LOOK_PLAIN,
	LOOK_QUIET,     /* matters less */
	LOOK_BAR,       /* the line at the top, and behind tabs */
	LOOK_TAB,       /* another view */
	LOOK_TAB_HERE,  /* the view that is shown */
	LOOK_HEAD,      /* headings of columns */
	LOOK_HEAD_HERE, /* of the one that rows are sorted by */
	LOOK_SELECTED,
	LOOK_MATCH, /* what was searched for */
	LOOK_CHIP,
	LOOK_KEY, /* the name of a key */
	LOOK_ERROR,
	LOOK_GREW,
	LOOK_SHRANK,
	LOOK_WARM,    /* a share worth a look */
	LOOK_HOT,     /* a large share */
	LOOK_BOX,     /* a window on top of a view */
	LOOK_COMMAND, /* a line as at the prompt */
	N_ROLES
};

struct look theme_look(enum role role);

/* The same in the selected row: one bar, so colours give way to it. */
struct look theme_selected(struct look look);

/* The look for a share of the total in percent: plain, warm or hot. */
struct look theme_heat(double percent);

#endif

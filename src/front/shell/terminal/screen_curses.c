/*
 * screen_curses.c - ncurses, loaded when a screen is opened
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/terminal/screen_curses.h"

#include "base/library.h"

#include <stddef.h>

struct curses curses;

/* clang-format off */
static const struct library_function functions[] = {
#define MEMBER(name) { #name, offsetof(struct curses, name) },
	CURSES_FUNCTIONS(MEMBER)
	CURSES_VARIABLES(MEMBER)
#undef MEMBER
};
/* clang-format on */

int curses_load(struct err *err)
{
	static const char advice[] =
		"the full-screen shell needs libncursesw.so.6 (Debian package libncursesw6); --plain works without it";

	return library_load("libncursesw.so.6", functions, sizeof(functions) / sizeof(functions[0]), &curses, advice,
			    err);
}

/*
 * event.h - events from keyboard and mouse, and their names
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FRONT_SHELL_TERMINAL_EVENT_H
#define FRONT_SHELL_TERMINAL_EVENT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stdint.h>

enum event_kind {
	EVENT_NONE,
	EVENT_KEY,    /* key: a key or a character */
	EVENT_CLICK,  /* x, y: click with the left button */
	EVENT_DOUBLE, /* x, y: double click */
	EVENT_RIGHT,  /* x, y: click with the right button */
	EVENT_WHEEL,  /* x, y, lines: the wheel; below 0 is up */
	EVENT_RESIZE, /* x, y: the new size */
	EVENT_WAKE,   /* a worker has a result, or the timeout has passed */
	EVENT_STOP    /* SIGINT, SIGTERM, SIGHUP: quit */
};

/* Keys that are not characters; for a character, the key is the code point. Ctrl-A is 1. Alt adds KEY_ALT. */
enum key {
	KEY_CTRL_BASE = 0, /* KEY_CTRL_BASE + 'a' - 'a' + 1 is Ctrl-A */
	KEY_TAB = 9,
	KEY_ENTER_ = 13,
	KEY_ESC = 27,
	KEY_ERASE = 127, /* Backspace */
	KEY_FIRST = 0x110000,
	KEY_UP_ = KEY_FIRST,
	KEY_DOWN_,
	KEY_LEFT_,
	KEY_RIGHT_,
	KEY_HOME_,
	KEY_END_,
	KEY_PAGE_UP,
	KEY_PAGE_DOWN,
	KEY_INSERT,
	KEY_DELETE,
	KEY_BACKTAB,
	KEY_FUNCTION, /* F1 is KEY_FUNCTION + 1, up to F12 */
	KEY_LAST = KEY_FUNCTION + 12,
	KEY_ALT = 0x1000000
};

struct event {
	enum event_kind kind;
	uint32_t key;
	int x, y, lines;
	bool is_pasted; /* the key is part of pasted text, not a command */
};

/* Append the name of an event as tests and help write it: j, Enter, Ctrl-L, Alt-x, F1, Click(3,5), Double(3,5),
   RightClick(3,5), Wheel(3,5,-3), Resize(80,24), Wake, Stop, None; U+200B for an invisible character. */
void event_add_name(const struct event *e, struct buf *out);

/*
 * Read the first of several event names, which are separated by blanks. Text in double quotes is typed character by
 * character. A double quote itself is called Quote.
 *
 * text    moved to the text after it
 * out     EVENT_NONE at the end
 * Fails   ERR_USAGE for an unknown name
 */
int event_parse(const char **text, struct event *out, struct err *err);

#endif

/*
 * screen_terminal.c - the terminfo data of a terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/terminal/screen_curses.h"
#include "front/shell/terminal/screen_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Terminals ignore a mode that they do not know. 1006 reports columns above 223. */
const char terminal_mouse_on[] = "\033[?1000h\033[?1006h", terminal_mouse_off[] = "\033[?1006l\033[?1000l";
const char terminal_paste_on[] = "\033[?2004h", terminal_paste_off[] = "\033[?2004l";

enum { TRUE_COLORS = 1 << 24 };

/* Append a terminfo string without its padding. */
static void screen_terminal_add_plain(struct buf *out, const char *cap)
{
	for (; cap && cap != (const char *)-1 && *cap; cap++) {
		const char *end = cap[0] == '$' && cap[1] == '<' ? strchr(cap, '>') : NULL;

		if (end)
			cap = end;
		else
			buf_add(out, cap, 1);
	}
}

static const char *text_cap(const char *name)
{
	const char *s = curses.tigetstr(name);

	return s == (const char *)-1 ? NULL : s;
}

static void read_capabilities(struct terminal *t)
{
	t->has_mouse = text_cap("kmous");
	t->has_paste = text_cap("BE") && text_cap("BD");
	t->width = curses.tigetnum("cols");
	t->height = curses.tigetnum("lines");
	screen_terminal_add_plain(&t->start, text_cap("smcup"));
	screen_terminal_add_plain(&t->start, text_cap("smkx"));
	if (t->has_paste)
		buf_addz(&t->restore, terminal_paste_off);
	if (t->has_mouse)
		buf_addz(&t->restore, terminal_mouse_off);
	screen_terminal_add_plain(&t->restore, text_cap("rmacs"));
	screen_terminal_add_plain(&t->restore, text_cap("op"));
	screen_terminal_add_plain(&t->restore, text_cap("sgr0"));
	screen_terminal_add_plain(&t->restore, text_cap("cnorm"));
	screen_terminal_add_plain(&t->restore, text_cap("rmkx"));
	screen_terminal_add_plain(&t->restore, text_cap("rmcup") ? text_cap("rmcup") : text_cap("clear"));
}

static bool has_true_color(void)
{
	const char *s = getenv("COLORTERM");

	if (s && (strcmp(s, "truecolor") == 0 || strcmp(s, "24bit") == 0))
		return true;
	return curses.tigetflag("RGB") > 0 || curses.tigetnum("RGB") > 0 || text_cap("RGB") ||
	       curses.tigetflag("Tc") > 0;
}

static bool has_direct_entry(const char *name)
{
	TERMINAL *before = *curses.cur_term;
	int status;
	bool found = curses.setupterm(name, STDOUT_FILENO, &status) == OK;

	if (found && curses.tigetnum("colors") < TRUE_COLORS)
		found = false;
	if (*curses.cur_term != before)
		curses.del_curterm(curses.set_curterm(before));
	return found;
}

/* Choose xterm-direct for xterm-256color: remove words from the end of the name until NAME-direct exists. */
static void choose_direct(struct terminal *t)
{
	enum { NAME_LENGTH_MAX = sizeof(t->name) - sizeof("-direct") };
	char stem[NAME_LENGTH_MAX + 1], name[sizeof(t->name) + sizeof("-direct")];
	char *dash = stem;

	if (curses.tigetnum("colors") >= TRUE_COLORS || strlen(t->name) > NAME_LENGTH_MAX)
		return;
	for (snprintf(stem, sizeof(stem), "%.*s", (int)NAME_LENGTH_MAX, t->name); dash; dash = strrchr(stem, '-')) {
		if (dash != stem)
			*dash = '\0';
		snprintf(name, sizeof(name), "%.*s-direct", (int)NAME_LENGTH_MAX, stem);
		if (has_direct_entry(name)) {
			snprintf(t->name, sizeof(t->name), "%.*s", (int)sizeof(t->name) - 1, name);
			return;
		}
	}
}

int terminal_open(struct err *err)
{
	static const char advice[] = "set TERM to a compatible type such as xterm, or use --plain";
	const char *name = getenv("TERM");
	int status = 0;

	if (!name || !*name)
		return err_set(err, ERR_USAGE, "TERM is not set; %s", advice);
	if (strlen(name) >= TERMINAL_NAME_MAX || strchr(name, '/') ||
	    curses.setupterm(name, STDOUT_FILENO, &status) != OK)
		return err_set(err, ERR_USAGE,
			       status == 1 ? "terminal %.60s cannot position its cursor; %s"
					   : "unknown terminal %.60s; %s",
			       name, advice);
	if (!text_cap("cup") || curses.tigetflag("hc") > 0 || curses.tigetflag("gn") > 0) {
		terminal_close();
		return err_set(err, ERR_USAGE, "terminal %.60s cannot position its cursor; %s", name, advice);
	}
	return 0;
}

void terminal_close(void)
{
	curses.del_curterm(*curses.cur_term);
}

int terminal_find(bool true_color, struct terminal *out, struct err *err)
{
	struct terminal t = { .width = 0 };
	int rc;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "the full-screen shell needs a terminal; use --plain without one");
	rc = terminal_open(err);
	if (rc < 0)
		return rc;
	snprintf(t.name, sizeof(t.name), "%s", getenv("TERM"));
	read_capabilities(&t);
	if (true_color && has_true_color())
		choose_direct(&t);
	terminal_close();
	*out = t;
	return 0;
}

/*
 * screen_terminal.c - what terminfo knows of a terminal
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/screen_curses.h"
#include "viewers/shell/screen_int.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Terminals that do not know one of these pass it over. 1006 reports columns above 223. */
const char terminal_mouse_on[] = "\033[?1000h\033[?1006h", terminal_mouse_off[] = "\033[?1006l\033[?1000l";
const char terminal_paste_on[] = "\033[?2004h", terminal_paste_off[] = "\033[?2004l";

enum { TRUE_COLORS = 1 << 24 };

/* Append a string of terminfo without its padding. */
static void add_plain(struct buf *out, const char *cap)
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

static void ask(struct terminal *t)
{
	t->mouse = text_cap("kmous");
	t->paste = text_cap("BE") && text_cap("BD");
	t->width = curses.tigetnum("cols");
	t->height = curses.tigetnum("lines");
	add_plain(&t->begin, text_cap("smcup"));
	add_plain(&t->begin, text_cap("smkx"));
	if (t->paste)
		buf_addz(&t->restore, terminal_paste_off);
	if (t->mouse)
		buf_addz(&t->restore, terminal_mouse_off);
	add_plain(&t->restore, text_cap("rmacs"));
	add_plain(&t->restore, text_cap("op"));
	add_plain(&t->restore, text_cap("sgr0"));
	add_plain(&t->restore, text_cap("cnorm"));
	add_plain(&t->restore, text_cap("rmkx"));
	add_plain(&t->restore, text_cap("rmcup") ? text_cap("rmcup") : text_cap("clear"));
}

static bool has_true_color(void)
{
	const char *s = getenv("COLORTERM");

	if (s && (strcmp(s, "truecolor") == 0 || strcmp(s, "24bit") == 0))
		return true;
	return curses.tigetflag("RGB") > 0 || curses.tigetnum("RGB") > 0 || text_cap("RGB") ||
	       curses.tigetflag("Tc") > 0;
}

static bool is_there(const char *name)
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

/* xterm-direct for xterm-256color: the first that there is of the name and what is left of its dashes. */
static void choose_direct(struct terminal *t)
{
	enum { LONGEST = sizeof(t->name) - sizeof("-direct") };
	char stem[LONGEST + 1], name[sizeof(t->name) + sizeof("-direct")];
	char *dash = stem;

	if (curses.tigetnum("colors") >= TRUE_COLORS || strlen(t->name) > LONGEST)
		return;
	for (snprintf(stem, sizeof(stem), "%.*s", (int)LONGEST, t->name); dash; dash = strrchr(stem, '-')) {
		if (dash != stem)
			*dash = '\0';
		snprintf(name, sizeof(name), "%.*s-direct", (int)LONGEST, stem);
		if (is_there(name)) {
			snprintf(t->name, sizeof(t->name), "%.*s", (int)sizeof(t->name) - 1, name);
			return;
		}
	}
}

int terminal_find(bool true_color, struct terminal *out, struct err *err)
{
	static const char advice[] = "set TERM to what it is like, for instance xterm, or use --plain";
	const char *name = getenv("TERM");
	struct terminal t = { .width = 0 };
	int status = 0;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return err_set(err, ERR_USAGE, "the full-screen shell needs a terminal; use --plain without one");
	if (!name || !*name)
		return err_set(err, ERR_USAGE, "TERM is not set, so the terminal is not known: %s", advice);
	if (strlen(name) >= sizeof(t.name) || strchr(name, '/') || curses.setupterm(name, STDOUT_FILENO, &status) != OK)
		return err_set(err, ERR_USAGE,
			       status == 1 ? "the terminal %.60s cannot place its cursor: %s"
					   : "the terminal %.60s is not known here: %s",
			       name, advice);
	snprintf(t.name, sizeof(t.name), "%s", name);
	if (!text_cap("cup") || curses.tigetflag("hc") > 0 || curses.tigetflag("gn") > 0) {
		curses.del_curterm(*curses.cur_term);
		return err_set(err, ERR_USAGE, "the terminal %.60s cannot place its cursor: %s", name, advice);
	}
	ask(&t);
	if (true_color && has_true_color())
		choose_direct(&t);
	curses.del_curterm(*curses.cur_term);
	*out = t;
	return 0;
}

/*
 * prompt.c - the lowest line: typing a command
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/complete.h"
#include "viewers/shell/editor.h"
#include "viewers/shell/history.h"
#include "viewers/shell/option.h"
#include "viewers/shell/shell_int.h"

#include "base/mem.h"
#include "viewers/flame/flame.h"

#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, CTRL_D = 4, CTRL_G = 7, CTRL_N = 14, CTRL_P = 16, CTRL_R = 18 };

struct prompt_state {
	struct editor line;
	struct history history;
	struct complete complete;
	struct buf error;   /* why the line was refused; it stays until something is typed */
	struct editor seek; /* Ctrl-R: what is searched for */
	bool is_seeking;
	int text_x; /* where the line begins, as drawn */
};

/* What the first word of the line is, in a sentence; nothing when it is not known. */
static void add_meaning(const char *line, struct buf *out)
{
	char name[OPT_NAME_MAX];
	struct option o;
	size_t n;

	line += strspn(line, " ");
	n = strcspn(line, " =0123456789");
	if (n == 0 || n >= sizeof(name))
		return;
	memcpy(name, line, n);
	name[n] = 0;
	for (size_t i = 0; line[n] != '=' && i < n_reports; i++)
		if (strcmp(reports[i].name, name) == 0 && reports_is_in_shell(&reports[i]))
			buf_addf(out, "%s%s: %s", name, reports_takes_pattern(&reports[i]) ? " REGEX" : "",
				 reports[i].help);
	if (out->len || !option_find(name, &o))
		return;
	buf_addf(out, "%s=%s: ", name, o.opt->arg ? o.opt->arg : o.opt->kind == OPT_BOOL ? "true|false" : "VALUE");
	option_add_help(&o, out);
}

/* The row above: an error, or what is being typed. */
static void draw_above(struct prompt_state *p, struct grid *g, const struct buf *said)
{
	struct area a = { 0, g->height - 2, g->width, 1 };
	struct buf text = { 0 };

	if (g->height < 3)
		return;
	if (p->error.len)
		buf_addz(&text, buf_text(&p->error));
	else if (said->len)
		buf_addz(&text, buf_text(said));
	else
		add_meaning(buf_text(&p->line.text), &text);
	if (!text.len)
		buf_addz(&text, "Tab completes  Up Down earlier lines  Ctrl-R searches them  Esc leaves");
	grid_fill(g, a, ' ', theme_look(LOOK_PLAIN));
	grid_text(g, a, 1, 0, buf_text(&text), theme_look(p->error.len ? LOOK_ERROR : LOOK_QUIET));
	buf_release(&text);
}

static void draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct prompt_state *p = o->state;
	struct area a = { 0, g->height - 1, g->width, 1 };

	grid_fill(g, a, ' ', theme_look(LOOK_PLAIN));
	draw_above(p, g, &s->said);
	if (p->is_seeking) {
		int x = grid_text(g, a, 0, 0, "search: ", theme_look(LOOK_KEY));

		x = grid_text(g, a, x, 0, buf_text(&p->seek.text), theme_look(LOOK_PLAIN));
		g->cursor_x = x < g->width ? x : g->width - 1;
		g->cursor_y = a.y;
		x = grid_text(g, a, x + 1, 0, " > ", theme_look(LOOK_QUIET));
		grid_text(g, a, x, 0, buf_text(&p->line.text), theme_look(LOOK_COMMAND));
		return;
	}
	p->text_x = g->width > 20 ? grid_text(g, a, 0, 0, "(cpa) ", theme_look(LOOK_KEY)) : 0;
	editor_draw(&p->line, g, a, p->text_x, 0, theme_look(LOOK_PLAIN));
	if (p->complete.is_open) {
		char *before = mem_strndup(buf_text(&p->line.text), p->complete.start);

		shell_complete_draw(&p->complete, g, p->text_x + (int)flame_columns(before),
				    g->height > 3 ? a.y - 1 : a.y);
		free(before);
	}
}

/* Carry out what was typed. A line that is wrong stays, to be mended. */
static void enter(struct shell *s, struct overlay *o)
{
	struct prompt_state *p = o->state;
	char *line = mem_strndup(buf_text(&p->line.text), p->line.text.len);

	if (line[strspn(line, " ")]) {
		history_add(&s->typed, line);
		if (s->open.host.remember)
			s->open.host.remember(s->open.host.arg, line);
	}
	p->error.len = 0;
	shell_line(s, line, true);
	if (s->said_is_error && s->said.len) {
		buf_addz(&p->error, buf_text(&s->said));
		s->said.len = s->shown_line.len = 0;
		history_add(&p->history.lines, line);
		p->history.at = p->history.lines.n;
	} else {
		overlay_close(s, o);
	}
	free(line);
}

/* Show the line that has what is searched for, from this place in the history back. */
static void seek(struct shell *s, struct prompt_state *p, size_t from)
{
	size_t i = history_find(&p->history, from, buf_text(&p->seek.text));

	if (i == p->history.lines.n) {
		shell_say(s, false, "no line before has that in it");
		return;
	}
	p->history.at = i;
	history_show(&p->history, i, &p->line);
}

/* While lines are searched. Gives false for a key that ends it and goes on to the line. */
static bool seek_key(struct shell *s, struct prompt_state *p, const struct event *e)
{
	size_t end = p->history.lines.n;

	switch (e->key) {
	case CTRL_R:
	case KEY_UP_:
		seek(s, p, p->history.at);
		return true;
	case KEY_ESC:
	case CTRL_G:
	case CTRL_C:
		p->is_seeking = false;
		editor_set(&p->line, p->history.typed ? p->history.typed : "");
		p->history.at = end;
		return true;
	case KEY_ENTER_:
		p->is_seeking = false;
		return false;
	default:
		if (e->key < ' ' || e->key >= KEY_FIRST) {
			p->is_seeking = false;
			return false;
		}
		if (editor_key(&p->seek, e) == EDITOR_CHANGED)
			seek(s, p, p->history.at < end ? p->history.at + 1 : end);
		return true;
	}
}

static void start_seeking(struct prompt_state *p)
{
	p->is_seeking = true;
	editor_set(&p->seek, "");
	free(p->history.typed);
	p->history.typed = mem_strndup(buf_text(&p->line.text), p->line.text.len);
	p->history.at = p->history.lines.n;
}

static void type(struct shell *s, struct overlay *o, const struct event *e)
{
	struct prompt_state *p = o->state;

	switch (e->key) {
	case KEY_ENTER_:
		enter(s, o);
		return;
	case KEY_ESC:
	case CTRL_C:
	case CTRL_G:
		overlay_close(s, o);
		return;
	case KEY_UP_:
	case CTRL_P:
		history_walk(&p->history, -1, &p->line);
		return;
	case KEY_DOWN_:
	case CTRL_N:
		history_walk(&p->history, 1, &p->line);
		return;
	case CTRL_R:
		start_seeking(p);
		return;
	case KEY_TAB:
		shell_complete_tab(&p->complete, s, &p->line, "");
		return;
	default:
		break;
	}
	if ((e->key == CTRL_D || e->key == KEY_ERASE) && p->line.text.len == 0)
		overlay_close(s, o);
	else if (editor_key(&p->line, e) == EDITOR_CHANGED)
		p->error.len = 0;
}

static bool key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct prompt_state *p = o->state;

	if (shell_complete_key(&p->complete, &p->line, e))
		return true;
	if (e->kind == EVENT_CLICK && e->y == s->grid.height - 1) {
		editor_click(&p->line, e->x - p->text_x);
	} else if (e->kind == EVENT_CLICK || e->kind == EVENT_RIGHT) {
		overlay_close(s, o);
	} else if (e->kind == EVENT_KEY) {
		if (!p->is_seeking || !seek_key(s, p, e))
			type(s, o, e);
	}
	return true;
}

static void end(struct overlay *o)
{
	struct prompt_state *p = o->state;

	editor_release(&p->line);
	editor_release(&p->seek);
	history_release(&p->history);
	shell_complete_release(&p->complete);
	buf_release(&p->error);
}

static const struct overlay_class prompt = {
	.state_size = sizeof(struct prompt_state), .draw = draw, .key = key, .end = end, .is_line = true
};

void prompt_open(struct shell *s, const char *text)
{
	struct prompt_state *p = overlay_open(s, &prompt)->state;
	const struct shell_host *host = &s->open.host;
	size_t n;

	editor_set(&p->line, text);
	if (host->history && !s->has_history) /* later only this shell adds to what it has */
		host->history(host->arg, &s->typed);
	s->has_history = true;
	for (size_t i = 0; i < s->typed.n; i++) {
		const char *line = texts_at(&s->typed, i, &n);

		buf_add(&p->history.lines.all, line, n);
		texts_end(&p->history.lines);
	}
	p->history.at = p->history.lines.n;
}

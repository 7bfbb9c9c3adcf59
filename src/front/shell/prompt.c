/*
 * prompt.c - the lowest line: typing a command
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/complete.h"
#include "front/shell/widgets/editor.h"
#include "front/shell/widgets/history.h"
#include "front/shell/option.h"
#include "front/shell/state.h"

#include "answer/reports.h"
#include "base/columns.h"
#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, CTRL_D = 4, CTRL_G = 7, CTRL_N = 14, CTRL_P = 16, CTRL_R = 18 };

struct prompt_state {
	struct editor line;
	struct history history;
	struct complete complete;
	struct buf error;     /* reason why the line was refused; cleared by typing */
	bool is_refused;      /* the line was refused: the next character starts a new one */
	struct editor search; /* Ctrl-R: the search text */
	bool is_searching;
	int text_x; /* the column of the line, as drawn */
};

/* Append a sentence about the first word of the line; nothing if it is unknown. */
static void add_line_help(const char *line, struct buf *out)
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

/* Draw the row above the prompt: an error, a message, or help for the line. */
static void draw_above(struct prompt_state *p, struct grid *g, const struct buf *message)
{
	struct area a = { 0, g->height - 2, g->width, 1 };
	struct buf text = { 0 };

	if (g->height < 3)
		return;
	if (p->error.len)
		buf_addz(&text, buf_text(&p->error));
	else if (message->len)
		buf_addz(&text, buf_text(message));
	else
		add_line_help(buf_text(&p->line.text), &text);
	if (!text.len)
		buf_addz(&text, "Tab complete  Up Down earlier lines  Ctrl-R search them  Esc cancel");
	grid_fill(g, a, ' ', theme_style(ROLE_PLAIN));
	grid_text(g, a, 1, 0, buf_text(&text), theme_style(p->error.len ? ROLE_ERROR : ROLE_MUTED));
	buf_release(&text);
}

static void prompt_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct prompt_state *p = o->state;
	struct area a = { 0, g->height - 1, g->width, 1 };

	grid_fill(g, a, ' ', theme_style(ROLE_PLAIN));
	draw_above(p, g, &s->message);
	if (p->is_searching) {
		int x = grid_text(g, a, 0, 0, "search: ", theme_style(ROLE_KEY));

		x = grid_text(g, a, x, 0, buf_text(&p->search.text), theme_style(ROLE_PLAIN));
		g->cursor_x = x < g->width ? x : g->width - 1;
		g->cursor_y = a.y;
		x = grid_text(g, a, x + 1, 0, " > ", theme_style(ROLE_MUTED));
		grid_text(g, a, x, 0, buf_text(&p->line.text), theme_style(ROLE_COMMAND));
		return;
	}
	p->text_x = g->width > 20 ? grid_text(g, a, 0, 0, "(cpa) ", theme_style(ROLE_KEY)) : 0;
	editor_draw(&p->line, g, a, p->text_x, 0, theme_style(p->is_refused ? ROLE_MUTED : ROLE_PLAIN));
	if (p->complete.is_open) {
		char *before = mem_strndup(buf_text(&p->line.text), p->complete.start);

		shell_complete_draw(&p->complete, g, p->text_x + (int)column_count(before),
				    g->height > 3 ? a.y - 1 : a.y);
		free(before);
	}
}

/* Run the line. If it is refused, it stays for editing. */
static void enter(struct shell *s, struct overlay *o)
{
	struct prompt_state *p = o->state;
	char *line = mem_strndup(buf_text(&p->line.text), p->line.text.len);

	if (line[strspn(line, " ")]) {
		history_add(&s->prompt_lines, line);
		if (s->options.host.add_history)
			s->options.host.add_history(s->options.host.arg, line);
	}
	p->error.len = 0;
	shell_run_line(s, line, true);
	if (s->message_is_error && s->message.len) {
		buf_addz(&p->error, buf_text(&s->message));
		s->message.len = s->key_line.len = 0;
		history_add(&p->history.lines, line);
		p->history.current = p->history.lines.n;
		p->is_refused = true;
	} else {
		overlay_close(s, o);
	}
	free(line);
}

/* Show the last line before `from` in the history that contains the search text. */
static void search_history(struct shell *s, struct prompt_state *p, size_t from)
{
	size_t i = history_find(&p->history, from, buf_text(&p->search.text));

	if (i == p->history.lines.n) {
		shell_notify(s, false, "no earlier line matches");
		return;
	}
	p->history.current = i;
	history_show(&p->history, i, &p->line);
}

/* Handle a key while searching the history. Return false for a key that ends the search and must still be handled by
   the line. */
static bool search_key(struct shell *s, struct prompt_state *p, const struct event *e)
{
	size_t end = p->history.lines.n;

	switch (e->key) {
	case CTRL_R:
	case KEY_UP_:
		search_history(s, p, p->history.current);
		return true;
	case KEY_ESC:
	case CTRL_G:
	case CTRL_C:
		p->is_searching = false;
		editor_set(&p->line, p->history.draft ? p->history.draft : "");
		p->history.current = end;
		return true;
	case KEY_ENTER_:
		p->is_searching = false;
		return false;
	default:
		if (e->key < ' ' || e->key >= KEY_FIRST) {
			p->is_searching = false;
			return false;
		}
		if (editor_key(&p->search, e) == EDITOR_CHANGED)
			search_history(s, p, p->history.current < end ? p->history.current + 1 : end);
		return true;
	}
}

static void start_search(struct prompt_state *p)
{
	p->is_searching = true;
	editor_set(&p->search, "");
	free(p->history.draft);
	p->history.draft = mem_strndup(buf_text(&p->line.text), p->line.text.len);
	p->history.current = p->history.lines.n;
}

/* When a character is typed after a refused line, start a new line, as : does. Return false for : itself. */
static bool start_next_line(struct prompt_state *p, uint32_t key)
{
	editor_set(&p->line, "");
	p->error.len = 0;
	return key != ':';
}

static void prompt_type(struct shell *s, struct overlay *o, const struct event *e)
{
	struct prompt_state *p = o->state;
	bool is_text = e->key >= ' ' && e->key != KEY_ERASE && e->key < KEY_FIRST, was_refused = p->is_refused;

	p->is_refused = false;
	if (was_refused && is_text && !start_next_line(p, e->key))
		return;
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
		start_search(p);
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

static bool prompt_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct prompt_state *p = o->state;

	if (shell_complete_key(&p->complete, &p->line, e))
		return true;
	if (e->kind == EVENT_CLICK && e->y == s->grid.height - 1) {
		editor_click(&p->line, e->x - p->text_x);
	} else if (e->kind == EVENT_CLICK || e->kind == EVENT_RIGHT) {
		overlay_close(s, o);
	} else if (e->kind == EVENT_KEY) {
		if (!p->is_searching || !search_key(s, p, e))
			prompt_type(s, o, e);
	}
	return true;
}

static void prompt_release_state(struct overlay *o)
{
	struct prompt_state *p = o->state;

	editor_release(&p->line);
	editor_release(&p->search);
	history_release(&p->history);
	shell_complete_release(&p->complete);
	buf_release(&p->error);
}

static const struct overlay_class prompt = { .state_size = sizeof(struct prompt_state),
					     .draw = prompt_draw,
					     .key = prompt_key,
					     .release = prompt_release_state,
					     .is_line = true };

void prompt_open(struct shell *s, const char *text)
{
	struct prompt_state *p = overlay_open(s, &prompt)->state;
	const struct shell_host *host = &s->options.host;

	editor_set(&p->line, text);
	if (host->history && !s->has_history) /* later only this shell adds lines */
		host->history(host->arg, &s->prompt_lines);
	s->has_history = true;
	history_open(&p->history, &s->prompt_lines);
}

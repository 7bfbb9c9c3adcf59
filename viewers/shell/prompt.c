/*
 * prompt.c - the lowest line: typing a command, and searching
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

#include <stdlib.h>
#include <string.h>

struct prompt_state {
	struct buf text;
};

static void draw_line(struct shell *s, struct overlay *o, struct grid *g, const char *mark)
{
	struct prompt_state *p = o->state;
	struct area a = { 0, g->height - 1, g->width, 1 };
	int x;

	(void)s;
	grid_fill(g, a, ' ', theme_look(LOOK_PLAIN));
	x = grid_text(g, a, 0, 0, mark, theme_look(LOOK_KEY));
	g->cursor_x = grid_text(g, a, x, 0, buf_text(&p->text), theme_look(LOOK_PLAIN));
	g->cursor_y = a.y;
}

static void draw_prompt(struct shell *s, struct overlay *o, struct grid *g)
{
	draw_line(s, o, g, "(cpa) ");
}

static bool type(struct buf *text, const struct event *e)
{
	if (e->kind != EVENT_KEY)
		return false;
	if (e->key == KEY_ERASE && text->len)
		text->len--;
	else if (e->key >= ' ' && e->key < KEY_ERASE)
		buf_addf(text, "%c", (int)e->key);
	return true;
}

static bool key_prompt(struct shell *s, struct overlay *o, const struct event *e)
{
	struct prompt_state *p = o->state;
	char *line;

	if (e->kind != EVENT_KEY)
		return true;
	if (e->key == KEY_ESC) {
		overlay_close(s, o);
	} else if (e->key == KEY_ENTER_) {
		line = strdup(buf_text(&p->text));
		overlay_close(s, o);
		shell_line(s, line, true);
		free(line);
	} else {
		type(&p->text, e);
	}
	return true;
}

static void end(struct overlay *o)
{
	buf_release(&((struct prompt_state *)o->state)->text);
}

static const struct overlay_class prompt = {
	.state_size = sizeof(struct prompt_state), .draw = draw_prompt, .key = key_prompt, .end = end, .is_line = true
};

void prompt_open(struct shell *s, const char *text)
{
	buf_addz(&((struct prompt_state *)overlay_open(s, &prompt)->state)->text, text);
}

static void draw_search(struct shell *s, struct overlay *o, struct grid *g)
{
	draw_line(s, o, g, "/");
}

static bool key_search(struct shell *s, struct overlay *o, const struct event *e)
{
	struct prompt_state *p = o->state;
	struct pane *pane = shell_pane(s);

	if (e->kind != EVENT_KEY)
		return true;
	if (e->key == KEY_ENTER_ || e->key == KEY_ESC) {
		if (e->key == KEY_ESC)
			pane_search(s, pane, "");
		overlay_close(s, o);
	} else if (type(&p->text, e)) {
		pane_search(s, pane, buf_text(&p->text));
	}
	return true;
}

static const struct overlay_class search = {
	.state_size = sizeof(struct prompt_state), .draw = draw_search, .key = key_search, .end = end, .is_line = true
};

void search_open(struct shell *s)
{
	overlay_open(s, &search);
}

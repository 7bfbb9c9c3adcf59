/*
 * command.c - the command line that shows the same, to be copied
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * It stands at the left side with nothing beside it, so that what the terminal selects is the command and
 * no frame. Rows end with a backslash at blanks, as a POSIX shell continues lines.
 */
#include "config.h"

#include "viewers/shell/shell_int.h"
#include "viewers/shell/wrap.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

struct command_state {
	struct buf text;
	struct area area;
};

/* Draw the rows of a command. Gives how many; g NULL only counts. */
static int draw_rows(const char *text, struct grid *g, struct area a)
{
	int columns = a.width > 4 ? a.width - 2 : 1, y = 0;

	while (*text) {
		size_t next, n = wrap_row(text, columns, &next);
		char *row = mem_strndup(text, n);

		if (g) {
			int x = grid_text(g, a, 0, y, row, theme_look(LOOK_COMMAND));

			if (text[next] && next > n)
				grid_text(g, a, x, y, " \\", theme_look(LOOK_COMMAND));
		}
		free(row);
		text += next;
		y++;
	}
	return y;
}

static void rule(struct grid *g, int y, const char *text)
{
	struct area a = { 0, y, g->width, 1 };

	grid_fill(g, a, 0x2500, theme_look(LOOK_BOX));
	grid_text(g, a, 2, 0, text, theme_look(LOOK_BOX));
}

static void draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct command_state *c = o->state;
	struct area a = { 0, 0, g->width, 0 };
	int n = draw_rows(buf_text(&c->text), NULL, a);

	a.height = n + 2 < g->height ? n : g->height - 2;
	if (a.height < 1)
		a.height = 1;
	a.y = g->height - a.height - 2 > 2 ? 2 : g->height - a.height - 1;
	if (a.y < 0)
		a.y = 0;
	c->area = (struct area){ 0, a.y - 1, g->width, a.height + 2 };
	g->cursor_x = g->cursor_y = -1;
	rule(g, a.y - 1, " The same as a command line ");
	grid_fill(g, a, ' ', theme_look(LOOK_BOX));
	draw_rows(buf_text(&c->text), g, a);
	rule(g, a.y + a.height, s->mouse ? " Shift and drag selects it; Esc closes " : " any key closes ");
}

static bool key(struct shell *s, struct overlay *o, const struct event *e)
{
	const struct command_state *c = o->state;

	if (e->kind == EVENT_KEY || e->kind == EVENT_RIGHT || (e->kind == EVENT_CLICK && !overlay_has(c->area, e)))
		overlay_close(s, o);
	return true;
}

static void end(struct overlay *o)
{
	buf_release(&((struct command_state *)o->state)->text);
}

static const struct overlay_class command = {
	.state_size = sizeof(struct command_state), .draw = draw, .key = key, .end = end
};

void command_open(struct shell *s)
{
	struct command_state *c = overlay_open(s, &command)->state;

	shell_add_command(s, shell_pane(s), &c->text);
}

/*
 * command.c - the equivalent command line, to copy
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The command starts at the left edge of the screen and its rows contain nothing else, so that selecting text in the
 * terminal copies only the command. Rows end with a backslash, which continues a line in a POSIX shell. Within quotes,
 * a row closes them and the next row reopens them.
 */
#include "config.h"

#include "front/shell/state.h"
#include "front/shell/widgets/wrap.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

struct command_state {
	struct buf text;
	struct area area;
};

/* Is byte n within single quotes of a POSIX shell? */
static bool command_is_quoted(const char *text, size_t n)
{
	bool quoted = false;

	for (size_t i = 0; i < n; i++) {
		if (!quoted && text[i] == '\\')
			i++;
		else if (text[i] == '\'')
			quoted = !quoted;
	}
	return quoted;
}

/* One row of a command. It reopens quotes that the previous row had to close. */
struct command_row {
	const char *before, *after; /* strings added before and after the text */
	size_t n, next;             /* length of the text in bytes, and the offset of the next row */
};

static struct command_row row_at(const char *text, size_t at, int columns)
{
	bool in = command_is_quoted(text, at), out;
	struct command_row r = { .before = in ? "'" : "", .after = "" };

	assert(text[at]);
	r.n = wrap_row(text + at, columns, &r.next);
	out = command_is_quoted(text, at + r.n);
	if (out && r.next > r.n && text[at + r.next]) /* keep a blank within quotes */
		r.n = r.next;
	r.next += at;
	if (text[r.next])
		r.after = out ? "'\\" : text[r.next - 1] == ' ' ? " \\" : "\\";
	return r;
}

/* Draw the rows of a command and return their number. If g is NULL, only count them. */
static int draw_rows(const char *text, struct grid *g, struct area a)
{
	int columns = a.width > 6 ? a.width - 3 : 1, y = 0;

	for (size_t at = 0; text[at]; y++) {
		struct command_row r = row_at(text, at, columns);
		char *row = mem_strndup(text + at, r.n);

		if (g) {
			int x = grid_text(g, a, 0, y, r.before, theme_style(ROLE_COMMAND));

			x = grid_text(g, a, x, y, row, theme_style(ROLE_COMMAND));
			grid_text(g, a, x, y, r.after, theme_style(ROLE_COMMAND));
		}
		free(row);
		at = r.next;
	}
	return y;
}

static void rule(struct grid *g, int y, const char *text)
{
	struct area a = { 0, y, g->width, 1 };

	grid_fill(g, a, 0x2500, theme_style(ROLE_WINDOW));
	grid_text(g, a, 2, 0, text, theme_style(ROLE_WINDOW));
}

static void command_draw(struct shell *s, struct overlay *o, struct grid *g)
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
	rule(g, a.y - 1, " Equivalent command line ");
	grid_fill(g, a, ' ', theme_style(ROLE_WINDOW));
	draw_rows(buf_text(&c->text), g, a);
	rule(g, a.y + a.height, s->has_mouse ? " Shift+drag to select, Esc to close " : " press any key to close ");
}

static bool command_key(struct shell *s, struct overlay *o, const struct event *e)
{
	const struct command_state *c = o->state;

	if (e->kind == EVENT_KEY || e->kind == EVENT_RIGHT ||
	    (e->kind == EVENT_CLICK && !grid_has(c->area, e->x, e->y)))
		overlay_close(s, o);
	return true;
}

static void command_release_state(struct overlay *o)
{
	buf_release(&((struct command_state *)o->state)->text);
}

static const struct overlay_class command = { .state_size = sizeof(struct command_state),
					      .draw = command_draw,
					      .key = command_key,
					      .release = command_release_state };

void command_open(struct shell *s)
{
	struct command_state *c = overlay_open(s, &command)->state;

	shell_add_command(s, shell_pane(s), &c->text);
}

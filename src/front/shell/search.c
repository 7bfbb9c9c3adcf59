/*
 * search.c - the lowest line: incremental search in a view
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/editor.h"
#include "front/shell/widgets/history.h"
#include "front/shell/state.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { CTRL_C = 3, CTRL_G = 7 };

struct search_state {
	struct editor line;
	struct history history;
	char *previous; /* the previous search text */
};

static void search_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct search_state *state = o->state;
	struct area a = { 0, g->height - 1, g->width, 1 }, above = { 0, g->height - 2, g->width, 1 };
	int x;

	grid_fill(g, a, ' ', theme_style(ROLE_PLAIN));
	x = grid_text(g, a, 0, 0, "/", theme_style(ROLE_KEY));
	editor_draw(&state->line, g, a, x, 0, theme_style(ROLE_PLAIN));
	if (g->height < 4 || s->message.len)
		return;
	grid_fill(g, above, ' ', theme_style(ROLE_PLAIN));
	grid_text(g, above, 1, 0, "Enter keep  Esc cancel  Up Down earlier searches  regular expressions allowed",
		  theme_style(ROLE_MUTED));
}

/* Update the view's search. */
static void search_follow(struct shell *s, struct search_state *state)
{
	pane_search(s, shell_pane(s), buf_text(&state->line.text));
}

static bool shell_search_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct search_state *state = o->state;

	if (e->kind == EVENT_CLICK || e->kind == EVENT_DOUBLE || e->kind == EVENT_RIGHT) {
		overlay_close(s, o); /* the search stays, and the click is handled as usual */
		return e->kind == EVENT_RIGHT;
	}
	if (e->kind != EVENT_KEY)
		return false;
	switch (e->key) {
	case KEY_ENTER_:
		history_add(&s->search_lines, buf_text(&state->line.text));
		overlay_close(s, o);
		return true;
	case KEY_ESC:
	case CTRL_C:
	case CTRL_G:
		pane_search(s, shell_pane(s), state->previous);
		overlay_close(s, o);
		return true;
	case KEY_UP_:
	case KEY_DOWN_:
		history_walk(&state->history, e->key == KEY_UP_ ? -1 : 1, &state->line);
		search_follow(s, state);
		return true;
	default:
		break;
	}
	if (e->key == KEY_ERASE && state->line.text.len == 0) {
		overlay_close(s, o);
		return true;
	}
	if (editor_key(&state->line, e) == EDITOR_CHANGED)
		search_follow(s, state);
	return true;
}

static void search_release_state(struct overlay *o)
{
	struct search_state *state = o->state;

	editor_release(&state->line);
	history_release(&state->history);
	free(state->previous);
}

static const struct overlay_class search = { .state_size = sizeof(struct search_state),
					     .draw = search_draw,
					     .key = shell_search_key,
					     .release = search_release_state,
					     .is_line = true };

void search_open(struct shell *s)
{
	struct search_state *state = overlay_open(s, &search)->state;
	const struct pane *p = shell_pane(s);

	state->previous = mem_strndup(p->search, strlen(p->search));
	history_open(&state->history, &s->search_lines);
	if (*p->search)
		pane_search(s, shell_pane(s), "");
}

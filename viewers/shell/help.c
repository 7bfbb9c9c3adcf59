/*
 * help.c - the view at hand explained, and all keys
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/shell_int.h"

static int draw_keys(struct grid *g, struct area a, int y, const struct binding *k, size_t n)
{
	enum { KEYS_WIDTH = 22 };

	for (size_t i = 0; i < n && y < a.height; i++) {
		if (!k[i].does)
			continue;
		grid_text_short(g, a, 1, y, k[i].events, KEYS_WIDTH, theme_look(LOOK_KEY));
		grid_text(g, a, KEYS_WIDTH + 2, y++, k[i].does, theme_look(LOOK_PLAIN));
	}
	return y;
}

static void draw(struct shell *s, struct overlay *o, struct grid *g)
{
	const struct pane_class *class = shell_pane(s)->class;
	struct area a = grid_area(g);
	int y;

	(void)o;
	grid_fill(g, a, ' ', theme_look(LOOK_BOX));
	a = grid_frame(g, a, class->title, theme_look(LOOK_BOX));
	grid_text(g, a, 1, 0, class->explain, theme_look(LOOK_PLAIN));
	y = draw_keys(g, a, 2, class->key, class->n_keys);
	draw_keys(g, a, y + 1, shell_keys, shell_n_keys);
}

static bool key(struct shell *s, struct overlay *o, const struct event *e)
{
	(void)e;
	overlay_close(s, o);
	return true;
}

static const struct overlay_class help = { .draw = draw, .key = key };

void help_open(struct shell *s)
{
	overlay_open(s, &help);
}

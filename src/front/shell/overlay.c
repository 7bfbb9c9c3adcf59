/*
 * overlay.c - windows on top of the panes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/shell_int.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>

struct overlay *overlay_open(struct shell *s, const struct overlay_class *class)
{
	struct overlay *o = mem_zalloc(1, sizeof(*o));

	assert(class->draw && class->key);
	o->class = class;
	o->state = mem_zalloc(1, class->state_size ? class->state_size : 1);
	o->below = s->overlay;
	s->overlay = o;
	return o;
}

void overlay_close(struct shell *s, struct overlay *o)
{
	struct overlay **at = &s->overlay;

	while (*at && *at != o)
		at = &(*at)->below;
	if (*at)
		*at = o->below;
	if (o->class->release)
		o->class->release(o);
	free(o->state);
	free(o);
}

struct area overlay_box(struct grid *g, int width, int height)
{
	struct area a = { 0, 0, width < g->width ? width : g->width, height < g->height ? height : g->height };

	a.x = (g->width - a.width) / 2;
	a.y = (g->height - a.height) / 2;
	grid_fill(g, a, ' ', theme_style(ROLE_WINDOW));
	g->cursor_x = g->cursor_y = -1;
	return a;
}

bool overlay_has(struct area a, const struct event *e)
{
	return e->x >= a.x && e->x < a.x + a.width && e->y >= a.y && e->y < a.y + a.height;
}

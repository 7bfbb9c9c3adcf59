/*
 * overlay.c - windows on top of the panes
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/state.h"

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

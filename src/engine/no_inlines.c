/*
 * no_inlines.c - a profile without inlined calls
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/filter.h"

#include <string.h>

const struct profile *filter_no_inlines(const struct profile *p, bool show_columns, struct arena *mem)
{
	struct profile *d = arena_alloc(mem, 1, sizeof(*d));
	uint32_t n = 0;

	*d = *p;
	d->loc_line = arena_alloc(mem, (size_t)p->n_locs + 1, sizeof(*d->loc_line));
	d->line_func = arena_alloc(mem, p->n_locs, sizeof(*d->line_func));
	d->line_no = arena_alloc(mem, p->n_locs, sizeof(*d->line_no));
	d->line_col = arena_alloc(mem, p->n_locs, sizeof(*d->line_col));
	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t end = p->loc_line[loc + 1];

		d->loc_line[loc] = n;
		if (end == p->loc_line[loc])
			continue;
		d->line_func[n] = p->line_func[end - 1];
		d->line_no[n] = p->line_no[end - 1];
		d->line_col[n++] = show_columns ? p->line_col[end - 1] : 0;
	}
	d->loc_line[p->n_locs] = d->n_lines = n;
	d->map = arena_alloc(mem, p->n_maps, sizeof(*d->map));
	if (p->n_maps)
		memcpy(d->map, p->map, p->n_maps * sizeof(*d->map));
	for (uint32_t i = 0; i < p->n_maps; i++)
		d->map[i].has_inline_frames = false;
	return d;
}

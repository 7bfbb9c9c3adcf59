/*
 * svg.c - flame graphs as SVG
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/svg/svg.h"

int svg_draw(const struct report *r, const struct flame_style *style, struct buf *out, struct err *err)
{
	struct arena *mem = arena_new();
	struct flame_layout l;

	(void)err;
	flame_lay_out(r->flame, style, mem, &l);
	for (uint32_t i = 0; i < l.n; i++) {
		buf_addf(out, "%d %lld %lld ", (int)l.tile[i].level, (long long)l.tile[i].x,
			 (long long)l.tile[i].width);
		flame_add_name(r->flame, l.tile[i].box, out);
		buf_addz(out, "\n");
	}
	arena_free(mem);
	return 0;
}

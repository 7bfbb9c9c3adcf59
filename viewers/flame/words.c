/*
 * words.c - what a flame graph says
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/text.h"
#include "base/unit.h"
#include "viewers/flame/flame.h"

#include <inttypes.h>
#include <string.h>

void flame_add_name(const struct flame *f, uint32_t box, struct buf *out)
{
	if (f->n_rest[box])
		buf_addf(out, "%" PRIu32 " narrower", f->n_rest[box]);
	else if (f->frame[box] == FLAME_NONE)
		buf_addz(out, "all");
	else
		text_add_safe(out, f->frames[f->frame[box]].name, strlen(f->frames[f->frame[box]].name));
}

size_t flame_columns(const char *text)
{
	return text_count(text, strlen(text));
}

void flame_add_short(const char *name, size_t columns, struct buf *out)
{
	if (flame_columns(name) <= columns)
		buf_addz(out, name);
}

void flame_add_details(const struct report *r, uint32_t box, struct buf *out)
{
	const struct flame *f = r->flame;

	flame_add_name(f, box, out);
	buf_addz(out, "\ncum ");
	report_add_value(&r->head, f->total[FLAME_AFTER][box], out);
	buf_addz(out, " ");
	unit_add_percent(out, f->total[FLAME_AFTER][box], f->side[FLAME_AFTER].total);
	buf_addz(out, "\n");
}

void flame_add_title(const struct report *r, const struct flame_style *style, struct buf *out)
{
	(void)r;
	buf_addz(out, *style->title ? style->title : "Flame graph");
}

void flame_add_subtitle(const struct report *r, struct buf *out)
{
	report_add_value(&r->head, r->flame->total[FLAME_AFTER][0], out);
}

void flame_add_note(const struct report *r, const struct flame_style *style, struct buf *out)
{
	(void)style;
	if (r->flame->n_cut)
		buf_addf(out, "%" PRIu64 " boxes left out", r->flame->n_cut);
}

/*
 * flame.c - the report flame
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/flame.h"

#include "engine/boxes.h"
#include "report/head.h"

#include <string.h>

struct naming {
	const struct view *v;
	const struct query *q;
	const struct places *pl;
	struct arena *mem;
	uint32_t *number;          /* [places] frame + 1 */
	struct flame_frame *frame; /* [n] */
	uint32_t n;
};

/* What is only known of locations: binaries and lines, and files where names alone make a frame. */
static void look_at_location(struct naming *x, uint32_t loc)
{
	const struct profile *p = x->v->p;
	uint32_t n, end = p->loc_line[loc + 1], first = p->loc_line[loc];
	const uint32_t *place = places_of(x->pl, loc, &n);

	for (uint32_t i = 0; i < n; i++) {
		struct flame_frame *f = x->number[place[i]] ? &x->frame[x->number[place[i]] - 1] : NULL;
		int64_t line = first < end ? p->line_no[end - n + i] : 0;

		if (!f)
			continue;
		if (!*f->module && p->loc_map[loc] != PROFILE_NONE)
			f->module = head_text(p, p->map[p->loc_map[loc]].file, x->mem);
		if (!*f->file && first < end)
			f->file = places_source(p, p->func_file[p->line_func[end - n + i]], x->q);
		if (line <= 0)
			continue;
		f->line_lo = f->line_lo && f->line_lo < line ? f->line_lo : line;
		f->line_hi = f->line_hi > line ? f->line_hi : line;
	}
}

static uint32_t frame_of(struct naming *x, uint32_t place)
{
	struct buf name = { 0 };

	if (place == BOXES_NONE)
		return FLAME_NONE;
	if (x->number[place])
		return x->number[place] - 1;
	places_add_name(x->pl, place, &name);
	x->frame[x->n] = (struct flame_frame){ .name = arena_strndup(x->mem, buf_text(&name), name.len),
					       .file = places_file(x->pl, place),
					       .module = "" };
	buf_release(&name);
	x->number[place] = ++x->n;
	return x->n - 1;
}

static void name_boxes(const struct view *v, const struct query *q, const struct places *pl, const struct boxes *b,
		       struct arena *mem, struct flame *out)
{
	struct naming x = { .v = v, .q = q, .pl = pl, .mem = mem };
	uint32_t *frame = arena_alloc(mem, b->n, sizeof(*frame));

	x.number = arena_zalloc(mem, pl->n, sizeof(*x.number));
	x.frame = arena_alloc(mem, pl->n < b->n ? pl->n : b->n, sizeof(*x.frame));
	for (uint32_t i = 0; i < b->n; i++)
		frame[i] = frame_of(&x, b->place[i]);
	for (uint32_t loc = 0; loc < v->p->n_locs; loc++)
		look_at_location(&x, loc);
	for (uint32_t i = 0; i < x.n; i++) {
		const char *file = x.frame[i].file;

		x.frame[i].file = arena_strndup(mem, file, strlen(file)); /* it is of the places, which go */
	}
	out->frame = frame;
	out->frames = x.frame;
	out->n_frames = x.n;
}

static void fill(const struct view *v, const struct boxes *b, const struct flame_ask *ask, struct flame *out)
{
	static const enum side side[FLAME_SIDES] = { [FLAME_AFTER] = SIDE_TARGET, [FLAME_BEFORE] = SIDE_BASE };

	out->n = b->n;
	out->parent = b->parent;
	out->n_rest = b->n_rest;
	out->inlined = b->inlined;
	out->width = b->width;
	out->has_base = b->has_base;
	out->n_cut = b->n_cut;
	out->cut_width = b->cut_width;
	for (int i = 0; i < FLAME_SIDES; i++) {
		out->self[i] = b->self[side[i]];
		out->total[i] = b->total[side[i]];
		out->side[i] = ask->side[i];
		out->side[i].total = v->side_total[side[i]];
	}
}

int flame_make(const struct view *v, const struct query *q, const struct flame_ask *ask, struct report *out,
	       struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "flame" } };
	const struct boxes_ask want = { .two_sides = q->base.n || q->diff_base.n,
					.inverted = q->inverted,
					.min_share = ask->min_share,
					.max_levels = ask->max_levels };
	struct flame *f = arena_zalloc(r.mem, 1, sizeof(*f));
	struct places pl;
	struct boxes b;
	int rc = places_make(v->p, q, r.mem, &pl, err);

	if (rc == 0) {
		rc = boxes_make(v, &pl, &want, r.mem, &b, err);
		if (rc == 0) {
			head_fill(&r.head, v, q, r.mem);
			r.head.out_unit = strcmp(q->unit, "minimum") == 0 ? "auto" : q->unit;
			fill(v, &b, ask, f);
			f->inverted = q->inverted;
			name_boxes(v, q, &pl, &b, r.mem, f);
			r.flame = f;
		}
		places_release(&pl);
	}
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}

/*
 * details.c - the details of one box
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/num.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/flame/flame_int.h"

#include <assert.h>
#include <stdint.h>
#include <string.h>

static bool is_root(const struct flame *f, uint32_t box)
{
	return f->parent[box] == FLAME_NONE;
}

/* Append a value and its share, for example 1.20s (3.40%). */
static void details_add_share(const struct head *h, int64_t value, int64_t total, struct buf *out)
{
	flame_add_value(h, value, false, out);
	buf_addz(out, " (");
	unit_add_percent_trimmed(out, value, total);
	buf_addz(out, ")");
}

static void details_add_number(const char *label, const struct report *r, int64_t value, struct buf *out)
{
	buf_addz(out, label);
	buf_addz(out, " ");
	details_add_share(&r->head, value, r->head.total, out);
	buf_addz(out, "\n");
}

/*
 * In an inverted tree, the value of a box is the part of the leaf function's flat value that belongs to calls on this
 * path.
 */
static void add_inverted(const struct report *r, uint32_t box, struct buf *out)
{
	const struct flame *f = r->flame;
	uint32_t leaf = box;

	while (!is_root(f, f->parent[leaf]))
		leaf = f->parent[leaf];
	if (leaf == box) {
		details_add_number("flat", r, f->total[SIDE_NEW][box], out);
		return;
	}
	details_add_share(&r->head, f->total[SIDE_NEW][box], r->head.total, out);
	buf_addz(out, " of the flat value of ");
	flame_add_name(f, leaf, out);
	buf_addz(out, " on this path\n");
}

static void details_add_sums(const struct report *r, uint32_t box, struct buf *out)
{
	const struct flame *f = r->flame;

	if (is_root(f, box)) {
		details_add_number("total", r, f->total[SIDE_NEW][box], out);
	} else if (f->n_rest[box]) {
		details_add_number("sum", r, f->total[SIDE_NEW][box], out);
	} else if (f->inverted) {
		add_inverted(r, box, out);
	} else {
		details_add_number("flat", r, f->self[SIDE_NEW][box], out);
		details_add_number("cum", r, f->total[SIDE_NEW][box], out);
	}
}

static void details_add_side(const char *label, const struct report *r, enum side side, uint32_t box, struct buf *out)
{
	const struct flame *f = r->flame;

	buf_addz(out, label);
	buf_addz(out, " ");
	details_add_share(&r->head, f->total[side][box], f->side_total[side], out);
	buf_addz(out, "\n");
}

/* Append a change, for example +0.30s (+25.0%). */
static void add_delta(const struct head *h, int64_t before, int64_t after, bool on_both_sides, struct buf *out)
{
	if (before == after) {
		buf_addz(out, "none");
		return;
	}
	flame_add_value(h, after - before, true, out); /* neither is negative */
	caption_add_change(before, after, on_both_sides, out);
}

static void details_add_comparison(const struct report *r, uint32_t box, struct buf *out)
{
	const struct flame *f = r->flame;
	int64_t before = f->self[SIDE_BASE][box], after = f->self[SIDE_NEW][box];
	int64_t all_before = f->total[SIDE_BASE][box], all_after = f->total[SIDE_NEW][box];

	details_add_side("before", r, SIDE_BASE, box, out);
	details_add_side("after", r, SIDE_NEW, box, out);
	buf_addz(out, "change ");
	add_delta(&r->head, all_before, all_after, false, out);
	buf_addz(out, "\n");
	if (is_root(f, box) || f->n_rest[box] || f->inverted || (before == 0 && after == 0))
		return;
	buf_addz(out, "flat ");
	flame_add_value(&r->head, before, false, out);
	buf_addz(out, " \xe2\x86\x92 ");
	flame_add_value(&r->head, after, false, out);
	buf_addz(out, ", change ");
	add_delta(&r->head, before, after, all_before && all_after, out);
	buf_addz(out, "\n");
}

static void details_add_line(char sign, int64_t line, struct buf *out)
{
	char text[NUM_DIGITS + 1] = { sign };

	buf_add(out, text, (size_t)(num_put(text + 1, line) - text));
}

void flame_add_where(const struct flame_frame *f, struct buf *out)
{
	if (*f->file) {
		utf8_add_safe(out, f->file, strlen(f->file));
		if (f->line_lo)
			details_add_line(':', f->line_lo, out);
		if (f->line_hi > f->line_lo)
			details_add_line('-', f->line_hi, out);
		buf_addz(out, "\n");
	}
	if (*f->module) {
		utf8_add_safe(out, f->module, strlen(f->module));
		buf_addz(out, "\n");
	}
}

void flame_add_values(const struct report *r, uint32_t box, struct buf *out)
{
	if (r->flame->has_base)
		details_add_comparison(r, box, out);
	else
		details_add_sums(r, box, out);
}

void flame_add_details(const struct report *r, uint32_t box, struct buf *out)
{
	const struct flame *f = r->flame;

	assert(box < f->n);
	if (f->n_rest[box]) {
		unit_add_count(out, f->n_rest[box]);
		buf_addz(out, f->n_rest[box] == 1 ? " box too narrow to draw\n" : " boxes too narrow to draw\n");
	} else {
		flame_add_name(f, box, out);
		buf_addz(out, "\n");
	}
	flame_add_values(r, box, out);
	if (f->frame[box] == FLAME_NONE)
		return;
	flame_add_where(&f->frames[f->frame[box]], out);
	if (f->inlined[box])
		buf_addz(out, FLAME_INLINED);
}

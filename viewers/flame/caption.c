/*
 * caption.c - texts around the boxes of a flame graph: title, subtitle, note, labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/columns.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/flame/flame_int.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MINUS "\xe2\x88\x92"
#define ARROW " \xe2\x86\x92 "
#define DOT " \xc2\xb7 "

enum { SOURCES_NAMED = 2, PARTS_MAX = 6, SOURCE_MAX = 40, FILTER_MAX = 60, TITLE_MAX = 200 };

void caption_add_safe(const char *text, size_t columns, flame_fit_fn *fit, struct buf *out)
{
	struct buf safe = { 0 };

	utf8_add_safe(&safe, text, strlen(text));
	fit(buf_text(&safe), columns, out);
	buf_release(&safe);
}

void flame_add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out)
{
	buf_addz(out, value < 0 ? MINUS : with_sign && value > 0 ? "+" : "");
	report_add_grouped_value(h, value < 0 ? -value : value, out);
}

void caption_add_change(int64_t before, int64_t after, bool on_both_sides, struct buf *out)
{
	char text[64];
	double percent;

	if (before == after)
		return;
	if (before == 0 || (after == 0 && !on_both_sides)) {
		buf_addz(out, before ? " (gone)" : on_both_sides ? " (from 0)" : " (new)");
		return;
	}
	percent = fabs((double)after - (double)before) / (double)before * 100;
	if (percent < 0.005) /* rounding errors of normalized sides */
		return;
	snprintf(text, sizeof(text),
		 percent < 9.995   ? " (%s%.2f%%)"
		 : percent < 99.95 ? " (%s%.1f%%)"
				   : " (%s%.0f%%)",
		 after > before ? "+" : MINUS, percent);
	unit_add_grouped(out, text);
}

/* The end of a path or URL, with at most this many parts. */
static const char *last_parts(const char *source, int parts)
{
	const char *at = source + strlen(source);

	while (at > source && !(at[-1] == '/' && --parts == 0))
		at--;
	return at;
}

static size_t n_named(const struct side_sources *s)
{
	return s->n < SOURCES_NAMED ? s->n : SOURCES_NAMED;
}

/* Do two files of different sides have the same short name with this many path parts? */
static bool caption_is_same_name(const struct flame *f, int parts)
{
	const struct side_sources *a = &f->from[SIDE_NEW], *b = &f->from[SIDE_BASE];

	for (size_t i = 0; i < n_named(a); i++)
		for (size_t k = 0; k < n_named(b); k++)
			if (strcmp(last_parts(a->source[i], parts), last_parts(b->source[k], parts)) == 0)
				return true;
	return false;
}

/* The number of path parts that distinguish the sides: 2 for new/cpu.pb.gz and old/cpu.pb.gz. */
static int parts_needed(const struct flame *f)
{
	for (int parts = 1; parts <= PARTS_MAX; parts++)
		if (!caption_is_same_name(f, parts))
			return parts;
	return 1;
}

void caption_add_sources(const struct flame *f, enum side side, const char *fallback, struct buf *out)
{
	const struct side_sources *s = &f->from[side];
	int parts = parts_needed(f);

	if (s->n == 0)
		buf_addz(out, fallback);
	for (size_t i = 0; i < n_named(s); i++) {
		buf_addz(out, i ? ", " : "");
		caption_add_safe(last_parts(s->source[i], parts), SOURCE_MAX, flame_add_shortened, out);
	}
	if (s->n > SOURCES_NAMED)
		buf_addf(out, " and %zu more", s->n - SOURCES_NAMED);
}

void flame_add_name(const struct flame *f, uint32_t box, struct buf *out)
{
	if (f->n_rest[box]) {
		unit_add_count(out, f->n_rest[box]);
		buf_addz(out, " narrower");
	} else if (f->frame[box] == FLAME_NONE) {
		buf_addz(out, "all");
	} else {
		const char *name = f->frames[f->frame[box]].name;

		utf8_add_safe(out, *name ? name : "<unknown>", *name ? strlen(name) : strlen("<unknown>"));
	}
}

void flame_add_label(const struct flame *f, const struct flame_tile *t, size_t columns, struct buf *out)
{
	const char *sign = t->sign == '=' ? "" : flame_sign(t->sign);
	size_t width = column_count(sign), start = out->len;
	struct buf name = { 0 };

	flame_add_name(f, t->box, &name);
	if (width && width <= columns) {
		buf_addz(out, sign);
		columns -= width;
		start = out->len;
		if (columns > 1) {
			buf_addz(out, " ");
			flame_add_shortened(buf_text(&name), columns - 1, out);
			if (out->len == start + 1)
				out->data[out->len = start] = '\0'; /* only the sign would fit */
		}
	} else if (!width) {
		flame_add_shortened(buf_text(&name), columns, out);
	}
	buf_release(&name);
}

void flame_add_title(const struct report *r, const struct flame_style *style, struct buf *out)
{
	const struct flame *f = r->flame;
	const struct head *h = &r->head;
	struct buf origin = { 0 };

	if (*style->title) {
		caption_add_safe(style->title, TITLE_MAX, flame_add_truncated, out);
		return;
	}
	if (*h->file)
		caption_add_safe(h->file, SOURCE_MAX, flame_add_shortened, &origin);
	else
		caption_add_sources(f, SIDE_NEW, "", &origin);
	caption_add_safe(*h->type ? h->type : "flame graph", SOURCE_MAX, flame_add_truncated, out);
	if (origin.len)
		buf_addf(out, ": %s", buf_text(&origin));
	if (f->has_base)
		buf_addz(out, f->from[SIDE_BASE].n ? ", base vs. new" : ", differences");
	if (f->inverted)
		buf_addz(out, ", callers");
	buf_release(&origin);
}

static void caption_add_sides(const struct report *r, struct buf *out)
{
	const struct flame *f = r->flame;
	int64_t before = f->total[SIDE_BASE][0], after = f->total[SIDE_NEW][0];

	buf_addz(out, "base ");
	caption_add_sources(f, SIDE_BASE, "", out);
	buf_addz(out, f->from[SIDE_BASE].n ? ": " : "");
	flame_add_value(&r->head, before, false, out);
	buf_addz(out, ARROW "new ");
	caption_add_sources(f, SIDE_NEW, "", out);
	buf_addz(out, f->from[SIDE_NEW].n ? ": " : "");
	flame_add_value(&r->head, after, false, out);
	buf_addz(out, DOT);
	flame_add_value(&r->head, after - before, true, out); /* totals are not negative */
	caption_add_change(before, after, false, out);
}

/* Append the file, if the title names the program instead; nothing for standard input. */
static void caption_add_file(const struct report *r, struct buf *out)
{
	const struct side_sources *s = &r->flame->from[SIDE_NEW];

	if (!*r->head.file || s->n == 0 || (s->n == 1 && strcmp(s->source[0], "-") == 0))
		return;
	caption_add_sources(r->flame, SIDE_NEW, "", out);
	buf_addz(out, DOT);
}

static void caption_add_total(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;
	int64_t shown = r->flame->total[SIDE_NEW][0];

	caption_add_file(r, out);
	if (shown == h->total) {
		buf_addz(out, "total ");
		flame_add_value(h, shown, false, out);
	} else {
		flame_add_value(h, shown, false, out);
		buf_addz(out, " of ");
		flame_add_value(h, h->total, false, out);
		buf_addz(out, " (");
		unit_add_percent_trimmed(out, shown, h->total);
		buf_addz(out, ")");
	}
	if (h->duration_ns) {
		buf_addz(out, DOT "in ");
		unit_add_label(out, h->duration_ns, "nanoseconds", "auto");
	}
	if (h->time_ns)
		time_add_utc(out, h->time_ns, DOT TIME_SPACED " UTC");
}

void flame_add_subtitle(const struct report *r, struct buf *out)
{
	const struct head *h = &r->head;

	if (r->flame->has_base)
		caption_add_sides(r, out);
	else
		caption_add_total(r, out);
	for (uint32_t i = 0; i < h->n_filters; i++) {
		buf_addf(out, DOT "%s", h->filter[i].name);
		if (h->filter[i].value) {
			buf_addz(out, "=");
			caption_add_safe(h->filter[i].value, FILTER_MAX, flame_add_truncated, out);
		}
	}
}

/* The reason that boxes are left out: " narrower than 0.1 px", " or too deep to draw". */
static void caption_add_reason(const struct flame *f, const struct flame_style *style, struct buf *out)
{
	bool is_small = f->n_cut > f->n_deep;

	if (is_small && f->is_picked)
		buf_addz(out, " below the node limit");
	else if (is_small)
		buf_addf(out, " narrower than %g px", style->min_width);
	if (f->n_deep)
		buf_addz(out, is_small ? " or too deep to draw" : " too deep to draw");
}

static void caption_add_cut(const struct flame *f, const struct flame_style *style, struct buf *out)
{
	unit_add_count(out, f->n_cut);
	buf_addz(out, f->n_cut == 1 ? " box" : " boxes");
	caption_add_reason(f, style, out);
	buf_addz(out, " left out (");
	unit_add_percent_trimmed(out, f->cut_width, f->width[0]);
	buf_addz(out, " of the width");
	if (!f->n_deep)
		buf_addz(out, f->is_picked ? "; -trim=false shows all" : "; --min-width=0 shows all");
	buf_addz(out, ")");
}

/* Append the number of drawn changes that may be due to chance. */
static void add_chance(const struct report *r, bool by_self, struct buf *out)
{
	const struct flame *f = r->flame;
	uint64_t n_changed = 0, n_chance = 0;

	for (uint32_t i = 0; i < f->n; i++) {
		bool is_changed = f->frame[i] != FLAME_NONE && change_sign(f, i, by_self) != '=';

		n_changed += is_changed;
		n_chance += is_changed && change_may_be_chance(f, i, by_self);
	}
	if (n_chance == 0)
		return;
	buf_addz(out, out->len ? DOT : "");
	unit_add_count(out, n_chance);
	buf_addz(out, " of ");
	unit_add_count(out, n_changed);
	buf_addz(out, n_changed == 1 ? " change may be chance: at most 2" : " changes may be chance: at most 2");
	buf_addz(out, "\xe2\x88\x9a(before + after) samples");
	if (f->sample > 1) {
		buf_addz(out, " of ");
		flame_add_value(&r->head, f->sample, false, out);
	}
}

void flame_add_note(const struct report *r, const struct flame_style *style, struct buf *out)
{
	const struct flame *f = r->flame;

	if (f->width[0] == 0) {
		buf_addz(out, "no samples to show");
		return;
	}
	if (f->n_cut)
		caption_add_cut(f, style, out);
	if (f->has_base && f->sample)
		add_chance(r, style->diff_self, out);
}

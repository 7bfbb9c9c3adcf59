/*
 * flame_data.c - the data of a flame graph, for the script of a page
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each property of the boxes is a column, in the order of tiles (see struct flame_tile). Values and widths are
 * multiples of a step, their greatest common divisor, which keeps them short and, up to 2^53 steps, exact in a script.
 * Script and C print the same text for a value, since both format it as a double.
 */
#include "config.h"

#include "base/buf.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/flame/flame.h"
#include "viewers/html/html.h"
#include "viewers/html/html_int.h"

#include <stdlib.h>
#include <string.h>

enum { BYTES_PER_BOX = 8 }; /* of the values, about */

struct flame_data_writer {
	const struct report *r;
	const struct flame *f;
	const struct flame_layout *l;
	const struct flame_style *style;
	int64_t step;
	const uint32_t *box;                /* [boxes] the box of each tile */
	int n_sides;                        /* listed with the new one first, which a page without a base has too */
	const struct html_flame_more *more; /* NULL: none */
	struct json j;
};

/* The greatest common divisor. Most values are 0, for which nothing is divided. */
static int64_t flame_data_gcd(int64_t a, int64_t b)
{
	if (a == 0)
		return b;
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The greatest common divisor of all widths and values; 1 when all are 0. */
static int64_t flame_data_find_step(const struct flame *f)
{
	int64_t step = 0;

	for (uint32_t i = 0; i < f->n && step != 1; i++) {
		step = flame_data_gcd(f->width[i], step);
		for (int side = 0; side < N_SIDES; side++)
			if (f->total[side] && (f->self[side][i] || f->total[side][i] != f->width[i]))
				step = flame_data_gcd(f->self[side][i], flame_data_gcd(f->total[side][i], step));
	}
	for (int side = 0; side < N_SIDES; side++)
		for (uint32_t i = 0; f->flat[side] && i < f->n_frames && step != 1; i++)
			step = flame_data_gcd(f->flat[side][i], flame_data_gcd(f->cum[side][i], step));
	step = flame_data_gcd(f->cut_width, step);
	return step ? step : 1;
}

/* Return the address of the end of a buffer, with room for an item of a list. */
static inline char *flame_data_end(struct buf *b)
{
	return b->cap - b->len > NUM_DIGITS + 1 ? b->data + b->len : buf_room(b, NUM_DIGITS + 1);
}

/* Append an item to a list of numbers. */
static void flame_data_add_number(struct buf *b, int64_t v)
{
	char *to = flame_data_end(b);

	*to = b->len ? ',' : '[';
	b->len = (size_t)(num_put(to + 1, v) - b->data);
}

static void flame_data_add_list(struct json *j, const char *key, struct buf *b)
{
	buf_addz(b, b->len ? "]" : "[]");
	if (key)
		jsonw_key(j, key);
	jsonw_raw(j, b->data, b->len);
	b->len = 0;
}

/* Start a column of numbers. */
static void flame_data_open(struct flame_data_writer *w, const char *key)
{
	if (key)
		jsonw_key(&w->j, key);
	jsonw_raw(&w->j, "[", 1);
}

/* Append the number of tile i to a column. */
static inline void flame_data_add_item(struct buf *out, uint32_t i, int64_t v)
{
	char *to = flame_data_end(out);

	*to = ',';
	out->len = (size_t)(num_put(to + (i > 0), v) - out->data);
}

/* A column of values, as multiples of the step. */
static void flame_data_add_values(struct flame_data_writer *w, const char *key, const int64_t *v)
{
	flame_data_open(w, key);
	for (uint32_t i = 0; i < w->l->n; i++) {
		int64_t value = v[w->box[i]];

		flame_data_add_item(w->j.out, i, value ? value / w->step : 0);
	}
	buf_addz(w->j.out, "]");
}

static void add_both_sides(struct flame_data_writer *w, const char *key, const int64_t *const *v)
{
	jsonw_open_key(&w->j, key, '[');
	for (int side = N_SIDES; side-- > N_SIDES - w->n_sides;)
		flame_data_add_values(w, NULL, v[side]);
	jsonw_close(&w->j, ']');
}

/* The first tile of each row, and the number of tiles. */
static void flame_data_add_rows(struct flame_data_writer *w)
{
	const struct flame_tile *tile = w->l->tile;
	struct buf rows = { 0 };

	for (uint32_t i = 0; i < w->l->n; i++)
		if (i == 0 || tile[i].level != tile[i - 1].level)
			flame_data_add_number(&rows, i);
	flame_data_add_number(&rows, w->l->n);
	flame_data_add_list(&w->j, "rows", &rows);
	buf_release(&rows);
}

/* The parent of a tile, 0 for the root. at: [boxes] the tile of each box */
static uint32_t flame_data_parent(const struct flame_data_writer *w, const uint32_t *at, uint32_t tile)
{
	return tile ? at[w->f->parent[w->box[tile]]] : 0;
}

/* The distance of a tile from its previous sibling, or from the start of its parent. */
static int64_t flame_data_gap_of(const struct flame_tile *tile, uint32_t i, uint32_t parent, uint32_t last)
{
	if (i && parent == last && tile[i].level == tile[i - 1].level)
		return tile[i].x - (tile[i - 1].x + tile[i - 1].width);
	return tile[i].x - tile[parent].x;
}

/* Add the positions of tiles: row starts, parents (each relative to the parent of the previous tile), and gaps. */
static void flame_data_add_places(struct flame_data_writer *w)
{
	uint32_t *at = mem_alloc(w->l->n, sizeof(*at)), last = 0;
	bool has_gap = false;

	flame_data_add_rows(w);
	for (uint32_t i = 0; i < w->l->n; i++)
		at[w->box[i]] = i;
	flame_data_open(w, "parent");
	for (uint32_t i = 0; i < w->l->n; i++) {
		uint32_t parent = flame_data_parent(w, at, i);

		flame_data_add_item(w->j.out, i, (int64_t)parent - last);
		has_gap |= flame_data_gap_of(w->l->tile, i, parent, last) != 0;
		last = parent;
	}
	buf_addz(w->j.out, "]");
	if (has_gap)
		flame_data_open(w, "gap");
	for (uint32_t i = last = 0; has_gap && i < w->l->n; i++) {
		uint32_t parent = flame_data_parent(w, at, i);

		flame_data_add_item(w->j.out, i, flame_data_gap_of(w->l->tile, i, parent, last) / w->step);
		last = parent;
	}
	buf_addz(w->j.out, has_gap ? "]" : "");
	free(at);
}

/* Colours and signs, one character each. */
static void flame_data_add_colors(struct flame_data_writer *w)
{
	struct buf color = { 0 }, sign = { 0 };

	buf_fill(&color, ' ', w->l->n);
	buf_fill(&sign, ' ', w->n_sides > 1 ? w->l->n : 0);
	for (uint32_t i = 0; i < color.len; i++)
		color.data[i] = (char)('0' + w->l->tile[i].color);
	for (uint32_t i = 0; i < sign.len; i++)
		sign.data[i] = w->l->tile[i].sign ? w->l->tile[i].sign : ' ';
	jsonw_add_text(&w->j, "color", buf_text(&color));
	jsonw_add_text(&w->j, "sign", buf_text(&sign));
	buf_release(&color);
	buf_release(&sign);
}

/* Properties that few boxes have: being inlined, and for rest boxes the number of narrow boxes that they replace. */
static void add_flags(struct flame_data_writer *w)
{
	struct buf inlined = { 0 }, rest = { 0 };

	for (uint32_t i = 0; i < w->l->n; i++) {
		uint32_t box = w->l->tile[i].box;

		if (w->f->inlined[box])
			flame_data_add_number(&inlined, i);
		if (w->f->n_rest[box]) {
			flame_data_add_number(&rest, i);
			flame_data_add_number(&rest, w->f->n_rest[box]);
		}
	}
	flame_data_add_list(&w->j, "inlined", &inlined);
	flame_data_add_list(&w->j, "rest", &rest);
	buf_release(&inlined);
	buf_release(&rest);
}

/* The frame of each tile, and its width unless that is its total. */
static void flame_data_add_frame_ids(struct flame_data_writer *w)
{
	bool is_total = true;

	flame_data_open(w, "frame");
	for (uint32_t i = 0; i < w->l->n; i++) {
		uint32_t box = w->box[i];

		flame_data_add_item(w->j.out, i, w->f->frame[box] == FLAME_NONE ? -1 : (int64_t)w->f->frame[box]);
		is_total &= w->f->width[box] == w->f->total[SIDE_NEW][box];
	}
	buf_addz(w->j.out, "]");
	if (!is_total)
		flame_data_add_values(w, "width", w->f->width);
}

/* One half of the columns of boxes. */
static void flame_data_run(void *arg, unsigned part)
{
	struct flame_data_writer *w = &((struct flame_data_writer *)arg)[part];

	if (part == 0) {
		flame_data_add_places(w);
		flame_data_add_frame_ids(w);
		return;
	}
	add_both_sides(w, "total", w->f->total);
	add_both_sides(w, "self", w->f->self);
	flame_data_add_colors(w);
	add_flags(w);
}

/* The columns of boxes, on two threads if there are many. */
static void flame_data_add_boxes(struct flame_data_writer *w)
{
	uint32_t *box = mem_alloc(w->l->n, sizeof(*box));
	struct flame_data_writer half[2];
	struct buf second = { 0 };

	for (uint32_t i = 0; i < w->l->n; i++)
		box[i] = w->l->tile[i].box;
	w->box = box;
	w->j.has_previous = true;
	half[0] = half[1] = *w;
	half[1].j.out = &second;
	buf_room(&second, (size_t)w->l->n * BYTES_PER_BOX);
	html_run_both(flame_data_run, half, w->l->n);
	buf_add(w->j.out, second.data, second.len);
	buf_release(&second);
	free(box);
}

/* Add a text with control characters escaped. Returns its id. */
static str_id flame_data_add_safe(struct strtab *t, const char *text)
{
	struct buf safe = { 0 };
	str_id id;

	utf8_add_safe(&safe, text, strlen(text));
	id = strtab_add(t, buf_text(&safe), safe.len);
	buf_release(&safe);
	return id;
}

/* Flat or cum of frames over all stacks, one list per side; null if the boxes determine them. */
static void flame_data_add_sums(struct flame_data_writer *w, const char *key, const int64_t *const *sums)
{
	struct buf b = { 0 };

	jsonw_key(&w->j, key);
	if (!sums[SIDE_NEW]) {
		jsonw_raw(&w->j, "null", strlen("null"));
		return;
	}
	jsonw_open(&w->j, '[');
	for (int side = N_SIDES; side-- > N_SIDES - w->n_sides;) {
		for (uint32_t i = 0; i < w->f->n_frames; i++)
			flame_data_add_number(&b, sums[side][i] / w->step);
		flame_data_add_list(&w->j, NULL, &b);
	}
	jsonw_close(&w->j, ']');
	buf_release(&b);
}

/* The name of a frame. The page shows files itself, so they are not part of the names of functions. */
static const char *flame_data_name_of(const struct flame_data_writer *w, const struct flame_frame *frame)
{
	return w->more && w->more->omits_files && *frame->function ? frame->function : frame->name;
}

/* The functions that expressions match, for frames with another name: pairs of frame and text. */
static void flame_data_add_functions(struct flame_data_writer *w)
{
	struct json *j = &w->j;

	jsonw_open_key(j, "function", '[');
	for (uint32_t i = 0; i < w->f->n_frames; i++) {
		const struct flame_frame *frame = &w->f->frames[i];
		struct buf safe = { 0 };

		if (strcmp(flame_data_name_of(w, frame), frame->function) == 0)
			continue;
		utf8_add_safe(&safe, frame->function, strlen(frame->function));
		jsonw_open(j, '[');
		jsonw_int(j, i);
		jsonw_text(j, buf_text(&safe), safe.len);
		jsonw_close(j, ']');
		buf_release(&safe);
	}
	jsonw_close(j, ']');
}

/* Places and groups of frames. */
static void add_origins(struct flame_data_writer *w, struct strtab *texts)
{
	struct buf places = { 0 }, groups = { 0 }, group = { 0 };

	for (uint32_t i = 0; i < w->f->n_frames; i++) {
		group.len = 0;
		flame_add_group(&w->f->frames[i], w->style->color_by, &group);
		flame_data_add_number(&places, w->f->frame_place[i]);
		flame_data_add_number(&groups, flame_data_add_safe(texts, buf_text(&group)));
	}
	flame_data_add_list(&w->j, "place", &places);
	flame_data_add_list(&w->j, "group", &groups);
	flame_data_add_functions(w);
	buf_release(&places);
	buf_release(&groups);
	buf_release(&group);
}

static void flame_data_add_frames(struct flame_data_writer *w)
{
	struct strtab *texts = strtab_new();
	struct buf file = { 0 }, module = { 0 }, lo = { 0 }, hi = { 0 };
	struct json *j = &w->j;

	jsonw_open_key(j, "frames", '{');
	jsonw_open_key(j, "name", '[');
	for (uint32_t i = 0; i < w->f->n_frames; i++) {
		const struct flame_frame *frame = &w->f->frames[i];
		const char *name = flame_data_name_of(w, frame);
		struct buf safe = { 0 };

		utf8_add_safe(&safe, name, strlen(name));
		jsonw_text(j, buf_text(&safe), safe.len);
		buf_release(&safe);
		flame_data_add_number(&file, flame_data_add_safe(texts, frame->file));
		flame_data_add_number(&module, flame_data_add_safe(texts, frame->module));
		flame_data_add_number(&lo, frame->line_lo);
		flame_data_add_number(&hi, frame->line_hi);
	}
	jsonw_close(j, ']');
	flame_data_add_list(j, "file", &file);
	flame_data_add_list(j, "module", &module);
	flame_data_add_list(j, "lo", &lo);
	flame_data_add_list(j, "hi", &hi);
	flame_data_add_sums(w, "flat", w->f->flat);
	flame_data_add_sums(w, "cum", w->f->cum);
	if (w->more)
		add_origins(w, texts);
	jsonw_close(j, '}');
	jsonw_open_key(j, "files", '[');
	for (str_id id = 0; id < strtab_count(texts); id++)
		jsonw_textz(j, strtab_text(texts, id));
	jsonw_close(j, ']');
	strtab_free(texts);
	buf_release(&file);
	buf_release(&module);
	buf_release(&lo);
	buf_release(&hi);
}

static void add_palette(struct json *j, const char *key, enum flame_theme theme)
{
	const struct flame_color *color = flame_colors(theme);

	jsonw_open_key(j, key, '[');
	for (int i = 0; i < FLAME_COLORS; i++) {
		struct buf b = { 0 };

		buf_addf(&b, "[\"%06x\",\"%06x\"]", (unsigned)color[i].fill, (unsigned)color[i].ink);
		jsonw_raw(j, b.data, b.len);
		buf_release(&b);
	}
	jsonw_close(j, ']');
}

static void flame_data_add_legend(struct flame_data_writer *w)
{
	const struct flame_legend *entry;
	size_t n = flame_legend(w->r, w->style, w->r->mem, &entry);

	jsonw_open_key(&w->j, "legend", '[');
	for (size_t i = 0; i < n; i++) {
		jsonw_open(&w->j, '[');
		jsonw_int(&w->j, entry[i].color);
		jsonw_text(&w->j, &entry[i].sign, entry[i].sign != 0);
		jsonw_textz(&w->j, entry[i].text);
		jsonw_close(&w->j, ']');
	}
	jsonw_close(&w->j, ']');
}

/* Texts around the boxes. The script itself states which boxes are omitted. */
static void add_texts(struct flame_data_writer *w)
{
	static const char *const colors[] = { [FLAME_PACKAGE] = "package",
					      [FLAME_MODULE] = "module",
					      [FLAME_FILE] = "file",
					      [FLAME_FUNCTION] = "function",
					      [FLAME_HEAT] = "heat" };
	struct flame all = *w->f;
	struct report r = *w->r;
	struct buf text = { 0 }, safe = { 0 };

	jsonw_add_text(&w->j, "colorBy", colors[w->style->color_by]);
	flame_add_subtitle(w->r, &text);
	utf8_add_safe(&safe, buf_text(&text), text.len);
	jsonw_add_text(&w->j, "subtitle", buf_text(&safe));
	text.len = safe.len = 0;
	all.n_cut = 0;
	r.flame = &all;
	flame_add_note(&r, w->style, &text);
	utf8_add_safe(&safe, buf_text(&text), text.len);
	jsonw_add_text(&w->j, "note", buf_text(&safe));
	buf_release(&text);
	buf_release(&safe);
}

/* The format of values: from a unit (null when it cannot be converted) to a unit or "auto", times a ratio. */
static void flame_data_add_scale(struct flame_data_writer *w)
{
	const struct head *h = &w->r->head;
	bool is_auto = strcmp(h->out_unit, "auto") == 0 || strcmp(h->out_unit, "minimum") == 0;
	const char *from = NULL, *to;
	struct buf ratio = { 0 }, safe = { 0 };

	if (unit_find(h->unit, NULL))
		unit_scale(1, h->unit, h->unit, &from);
	unit_scale(1, h->unit, h->out_unit, &to);
	utf8_add_safe(&safe, to, strlen(to));
	jsonw_open_key(&w->j, "scale", '{');
	jsonw_key(&w->j, "from");
	if (from)
		jsonw_textz(&w->j, from);
	else
		jsonw_raw(&w->j, "null", strlen("null"));
	jsonw_add_text(&w->j, "to", from && is_auto ? "auto" : buf_text(&safe));
	jsonw_key(&w->j, "ratio");
	buf_addf(&ratio, "%.17g", h->ratio);
	jsonw_raw(&w->j, ratio.data, ratio.len);
	jsonw_close(&w->j, '}');
	buf_release(&ratio);
	buf_release(&safe);
}

static void add_settings(struct flame_data_writer *w)
{
	static const char *const themes[] = { [FLAME_AUTO] = "auto", [FLAME_LIGHT] = "light", [FLAME_DARK] = "dark" };
	struct json *j = &w->j;
	struct buf b = { 0 };

	jsonw_add_text(j, "theme", themes[w->style->theme]);
	jsonw_add_bool(j, "icicle", w->style->icicle);
	jsonw_add_bool(j, "inverted", w->f->inverted);
	jsonw_add_bool(j, "byWeight", w->style->order == FLAME_BY_WEIGHT);
	jsonw_add_bool(j, "bySelf", w->style->diff_self);
	jsonw_key(j, "minShare");
	buf_addf(&b, "%.9g", w->l->span ? (double)w->f->min / (double)w->l->span : 0);
	jsonw_raw(j, b.data, b.len);
	flame_data_add_scale(w);
	jsonw_add_int(j, "step", w->step);
	jsonw_add_int(j, "total100", w->r->head.total);
	b.len = 0;
	for (int side = N_SIDES; side-- > N_SIDES - w->n_sides;)
		flame_data_add_number(&b, w->f->side_total[side]);
	flame_data_add_list(j, "sides", &b);
	jsonw_add_int(j, "nCut", (int64_t)w->f->n_cut);
	jsonw_add_int(j, "cutWidth", w->f->cut_width / w->step);
	flame_add_name(w->f, 0, &b);
	jsonw_add_text(j, "root", buf_text(&b));
	add_palette(j, "light", FLAME_LIGHT);
	add_palette(j, "dark", FLAME_DARK);
	flame_data_add_legend(w);
	jsonw_add_text(j, "widthText", flame_width_text(w->f));
	if (w->f->n_pivot)
		jsonw_add_int(j, "nPivot", w->f->n_pivot);
	buf_release(&b);
}

void html_flame_add_data(const struct report *r, const struct flame_layout *l, const struct flame_style *style,
			 const struct html_flame_more *more, struct buf *out)
{
	struct flame_data_writer w = { .r = r,
				       .f = r->flame,
				       .l = l,
				       .style = style,
				       .step = flame_data_find_step(r->flame),
				       .n_sides = r->flame->has_base ? 2 : 1,
				       .more = more,
				       .j = { .out = out, .is_one_line = true } };

	jsonw_open(&w.j, '{');
	add_settings(&w);
	if (more)
		add_texts(&w);
	flame_data_add_frames(&w);
	flame_data_add_boxes(&w);
	jsonw_close(&w.j, '}');
}

/*
 * flame.c - flame graphs as web pages: data for the script, a table for readers without scripts
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The page loads nothing and runs only its own script: its policy names script and style by their SHA-256, which the
 * makefile computes. Texts of the profile are in the data, which is never run, and between tags, where they are escaped.
 *
 * Boxes are columns in the order of tiles. Values and widths are multiples of a step, the largest number that divides
 * them all, which keeps them short and, up to 2^53 steps, exact in a script. Scripts write a value as C does, since both
 * format it as a double.
 */
#include "config.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/flame/flame.h"
#include "viewers/html/flame_parts.h"
#include "viewers/html/html.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writing {
	const struct report *r;
	const struct flame *f;
	const struct flame_layout *l;
	const struct flame_style *style;
	int64_t step;
	int n_sides;
	struct json j;
};

static int64_t common(int64_t a, int64_t b)
{
	while (b) {
		int64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The largest number that divides all widths and values; 1 when all are 0. */
static int64_t find_step(const struct flame *f)
{
	int64_t step = 0;

	for (uint32_t i = 0; i < f->n && step != 1; i++) {
		step = common(f->width[i], step);
		for (int side = 0; side < FLAME_SIDES; side++)
			if (f->total[side])
				step = common(f->self[side][i], common(f->total[side][i], step));
	}
	for (int side = 0; side < FLAME_SIDES && f->flat[side]; side++)
		for (uint32_t i = 0; i < f->n_frames && step != 1; i++)
			step = common(f->flat[side][i], common(f->cum[side][i], step));
	step = common(f->cut_width, step);
	return step ? step : 1;
}

/* Append an item of a list of numbers. */
static void add_number(struct buf *b, int64_t v)
{
	char digits[NUM_DIGITS + 1];
	char *end = num_put(digits, v);

	*end = 0;
	buf_addz(b, b->len ? "," : "[");
	buf_addz(b, digits);
}

static void add_list(struct json *j, const char *key, struct buf *b)
{
	buf_addz(b, b->len ? "]" : "[]");
	if (key)
		jsonw_key(j, key);
	jsonw_raw(j, b->data, b->len);
	b->len = 0;
}

/* A column of values, as multiples of the step. */
static void add_values(struct writing *w, const char *key, const int64_t *v)
{
	struct buf b = { 0 };

	for (uint32_t i = 0; i < w->l->n; i++)
		add_number(&b, v[w->l->tile[i].box] / w->step);
	add_list(&w->j, key, &b);
	buf_release(&b);
}

static void add_both_sides(struct writing *w, const char *key, const int64_t *const *v)
{
	jsonw_key(&w->j, key);
	jsonw_open(&w->j, '[');
	for (int side = 0; side < w->n_sides; side++)
		add_values(w, NULL, v[side]);
	jsonw_close(&w->j, ']');
}

/* Parents relative to the parent of the previous tile, starts of rows, and gaps before tiles. */
static void add_places(struct writing *w)
{
	const struct flame_tile *tile = w->l->tile;
	struct buf rows = { 0 }, parents = { 0 }, gaps = { 0 };
	uint32_t *at = mem_alloc(w->l->n, sizeof(*at)), last = 0;
	bool has_gap = false;

	for (uint32_t i = 0; i < w->l->n; i++) {
		uint32_t parent = w->f->parent[tile[i].box];
		int64_t end = 0;

		at[tile[i].box] = i;
		parent = parent == FLAME_NONE ? 0 : at[parent];
		if (i && parent == last && tile[i].level == tile[i - 1].level)
			end = tile[i - 1].x + tile[i - 1].width;
		else
			end = tile[parent].x;
		if (i == 0 || tile[i].level != tile[i - 1].level)
			add_number(&rows, i);
		add_number(&parents, (int64_t)parent - last);
		add_number(&gaps, (tile[i].x - end) / w->step);
		has_gap |= tile[i].x != end;
		last = parent;
	}
	add_number(&rows, w->l->n);
	add_list(&w->j, "rows", &rows);
	add_list(&w->j, "parent", &parents);
	if (has_gap)
		add_list(&w->j, "gap", &gaps);
	buf_release(&rows);
	buf_release(&parents);
	buf_release(&gaps);
	free(at);
}

/* Colours and signs, one character each. */
static void add_looks(struct writing *w)
{
	struct buf color = { 0 }, sign = { 0 };

	for (uint32_t i = 0; i < w->l->n; i++) {
		buf_fill(&color, (char)('0' + w->l->tile[i].color), 1);
		buf_fill(&sign, w->l->tile[i].sign ? w->l->tile[i].sign : ' ', 1);
	}
	jsonw_add_text(&w->j, "color", buf_text(&color));
	jsonw_add_text(&w->j, "sign", w->n_sides > 1 ? buf_text(&sign) : "");
	buf_release(&color);
	buf_release(&sign);
}

/* Properties of few boxes: which are inlined, and how many boxes one replaces. */
static void add_rare(struct writing *w)
{
	struct buf inlined = { 0 }, rest = { 0 };

	for (uint32_t i = 0; i < w->l->n; i++) {
		uint32_t box = w->l->tile[i].box;

		if (w->f->inlined[box])
			add_number(&inlined, i);
		if (w->f->n_rest[box]) {
			add_number(&rest, i);
			add_number(&rest, w->f->n_rest[box]);
		}
	}
	add_list(&w->j, "inlined", &inlined);
	add_list(&w->j, "rest", &rest);
	buf_release(&inlined);
	buf_release(&rest);
}

static void add_boxes(struct writing *w)
{
	struct buf frame = { 0 };
	bool is_total = true;

	for (uint32_t i = 0; i < w->l->n; i++) {
		uint32_t box = w->l->tile[i].box;

		add_number(&frame, w->f->frame[box] == FLAME_NONE ? -1 : (int64_t)w->f->frame[box]);
		is_total &= w->f->width[box] == w->f->total[FLAME_AFTER][box];
	}
	add_places(w);
	add_list(&w->j, "frame", &frame);
	if (!is_total)
		add_values(w, "width", w->f->width);
	add_both_sides(w, "total", w->f->total);
	add_both_sides(w, "self", w->f->self);
	add_looks(w);
	add_rare(w);
	buf_release(&frame);
}

/* The id of a text, made safe. */
static str_id add_safe(struct strtab *t, const char *text)
{
	struct buf safe = { 0 };
	str_id id;

	utf8_add_safe(&safe, text, strlen(text));
	id = strtab_add(t, buf_text(&safe), safe.len);
	buf_release(&safe);
	return id;
}

/* Flat and cum of frames over all stacks, one list per side; null where they follow from the boxes. */
static void add_sums(struct writing *w, const char *key, const int64_t *const *sums)
{
	struct buf b = { 0 };

	jsonw_key(&w->j, key);
	if (!sums[FLAME_AFTER]) {
		jsonw_raw(&w->j, "null", strlen("null"));
		return;
	}
	jsonw_open(&w->j, '[');
	for (int side = 0; side < w->n_sides; side++) {
		for (uint32_t i = 0; i < w->f->n_frames; i++)
			add_number(&b, sums[side][i] / w->step);
		add_list(&w->j, NULL, &b);
	}
	jsonw_close(&w->j, ']');
	buf_release(&b);
}

static void add_frames(struct writing *w)
{
	struct strtab *texts = strtab_new();
	struct buf file = { 0 }, module = { 0 }, lo = { 0 }, hi = { 0 };
	struct json *j = &w->j;

	jsonw_key(j, "frames");
	jsonw_open(j, '{');
	jsonw_key(j, "name");
	jsonw_open(j, '[');
	for (uint32_t i = 0; i < w->f->n_frames; i++) {
		const struct flame_frame *frame = &w->f->frames[i];
		struct buf safe = { 0 };

		utf8_add_safe(&safe, frame->name, strlen(frame->name));
		jsonw_text(j, buf_text(&safe), safe.len);
		buf_release(&safe);
		add_number(&file, add_safe(texts, frame->file));
		add_number(&module, add_safe(texts, frame->module));
		add_number(&lo, frame->line_lo);
		add_number(&hi, frame->line_hi);
	}
	jsonw_close(j, ']');
	add_list(j, "file", &file);
	add_list(j, "module", &module);
	add_list(j, "lo", &lo);
	add_list(j, "hi", &hi);
	add_sums(w, "flat", w->f->flat);
	add_sums(w, "cum", w->f->cum);
	jsonw_close(j, '}');
	jsonw_key(j, "files");
	jsonw_open(j, '[');
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

	jsonw_key(j, key);
	jsonw_open(j, '[');
	for (int i = 0; i < FLAME_COLORS; i++) {
		struct buf b = { 0 };

		buf_addf(&b, "[\"%06x\",\"%06x\"]", (unsigned)color[i].fill, (unsigned)color[i].ink);
		jsonw_raw(j, b.data, b.len);
		buf_release(&b);
	}
	jsonw_close(j, ']');
}

static void add_legend(struct writing *w)
{
	const struct flame_legend *entry;
	size_t n = flame_legend(w->r, w->style, w->r->mem, &entry);

	jsonw_key(&w->j, "legend");
	jsonw_open(&w->j, '[');
	for (size_t i = 0; i < n; i++) {
		jsonw_open(&w->j, '[');
		jsonw_int(&w->j, entry[i].color);
		jsonw_text(&w->j, &entry[i].sign, entry[i].sign != 0);
		jsonw_textz(&w->j, entry[i].text);
		jsonw_close(&w->j, ']');
	}
	jsonw_close(&w->j, ']');
}

/* The format of values: from a unit (null when it is in no family) to a unit or "auto", times a ratio. */
static void add_scale(struct writing *w)
{
	const struct head *h = &w->r->head;
	bool is_auto = strcmp(h->out_unit, "auto") == 0 || strcmp(h->out_unit, "minimum") == 0;
	const char *from = NULL, *to;
	struct buf ratio = { 0 }, safe = { 0 };

	if (unit_find(h->unit, NULL))
		unit_scale(1, h->unit, h->unit, &from);
	unit_scale(1, h->unit, h->out_unit, &to);
	utf8_add_safe(&safe, to, strlen(to));
	jsonw_key(&w->j, "scale");
	jsonw_open(&w->j, '{');
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

static void add_settings(struct writing *w)
{
	static const char *const themes[] = { [FLAME_AUTO] = "auto", [FLAME_LIGHT] = "light", [FLAME_DARK] = "dark" };
	struct json *j = &w->j;
	struct buf b = { 0 };

	jsonw_add_text(j, "theme", themes[w->style->theme]);
	jsonw_key(j, "icicle");
	jsonw_bool(j, w->style->icicle);
	jsonw_key(j, "inverted");
	jsonw_bool(j, w->f->inverted);
	jsonw_key(j, "byWeight");
	jsonw_bool(j, w->style->order == FLAME_BY_WEIGHT);
	jsonw_key(j, "bySelf");
	jsonw_bool(j, w->style->diff_self);
	jsonw_key(j, "minShare");
	buf_addf(&b, "%.9g", w->l->span ? (double)w->f->min / (double)w->l->span : 0);
	jsonw_raw(j, b.data, b.len);
	add_scale(w);
	jsonw_add_int(j, "step", w->step);
	jsonw_add_int(j, "total100", w->r->head.total);
	b.len = 0;
	for (int side = 0; side < w->n_sides; side++)
		add_number(&b, w->f->side[side].total);
	add_list(j, "sides", &b);
	jsonw_add_int(j, "nCut", (int64_t)w->f->n_cut);
	jsonw_add_int(j, "cutWidth", w->f->cut_width / w->step);
	flame_add_name(w->f, 0, &b);
	jsonw_add_text(j, "root", buf_text(&b));
	add_palette(j, "light", FLAME_LIGHT);
	add_palette(j, "dark", FLAME_DARK);
	add_legend(w);
	buf_release(&b);
}

/* Append the data for the script, as JSON that is safe inside a script element. */
static void add_data(const struct report *r, const struct flame_layout *l, const struct flame_style *style,
		     struct buf *out)
{
	struct writing w = { .r = r,
			     .f = r->flame,
			     .l = l,
			     .style = style,
			     .step = find_step(r->flame),
			     .n_sides = r->flame->has_base ? 2 : 1,
			     .j = { .out = out, .tight = true } };

	jsonw_open(&w.j, '{');
	add_settings(&w);
	add_frames(&w);
	add_boxes(&w);
	jsonw_close(&w.j, '}');
}

enum { ROWS = 50 };

static int64_t weight(const struct flame_function *fn, bool has_base)
{
	int64_t change = fn->cum[FLAME_AFTER] - fn->cum[FLAME_BEFORE];

	return !has_base ? fn->flat[FLAME_AFTER] : change < 0 ? -change : change;
}

static int compare(const void *a, const void *b, void *arg)
{
	const struct flame_function *x = a, *y = b;
	const struct flame *f = arg;
	int64_t i = weight(x, f->has_base), j = weight(y, f->has_base);

	if (i != j)
		return i > j ? -1 : 1;
	if (x->cum[FLAME_AFTER] != y->cum[FLAME_AFTER])
		return x->cum[FLAME_AFTER] > y->cum[FLAME_AFTER] ? -1 : 1;
	return strcmp(f->frames[f->frame[x->box]].name, f->frames[f->frame[y->box]].name);
}

static void add_value(const struct report *r, int64_t value, bool is_change, struct buf *out)
{
	struct buf text = { 0 };

	report_add_value(&r->head, value < 0 ? -value : value, &text);
	buf_addz(out, "<td>");
	if (is_change && value)
		buf_addz(out, value > 0 ? "&#43;" : "&#8722;");
	html_add_name(out, buf_text(&text));
	buf_addz(out, "</td>");
	buf_release(&text);
}

static void add_share(int64_t value, int64_t total, struct buf *out)
{
	buf_addz(out, "<td>");
	unit_add_percent_tight(out, value, total);
	buf_addz(out, "</td>");
}

static void add_row(const struct report *r, const struct flame_function *fn, struct buf *out)
{
	buf_addz(out, "<tr>");
	if (r->flame->has_base) {
		add_value(r, fn->cum[FLAME_BEFORE], false, out);
		add_value(r, fn->cum[FLAME_AFTER], false, out);
		add_value(r, fn->cum[FLAME_AFTER] - fn->cum[FLAME_BEFORE], true, out);
		add_value(r, fn->flat[FLAME_AFTER] - fn->flat[FLAME_BEFORE], true, out);
	} else {
		add_value(r, fn->flat[FLAME_AFTER], false, out);
		add_share(fn->flat[FLAME_AFTER], r->head.total, out);
		add_value(r, fn->cum[FLAME_AFTER], false, out);
		add_share(fn->cum[FLAME_AFTER], r->head.total, out);
	}
	buf_addz(out, "<td class=\"name\">");
	html_add_name(out, r->flame->frames[r->flame->frame[fn->box]].name);
	buf_addz(out, "</td></tr>\n");
}

/* Append a table of the heaviest functions, for readers without scripts. */
static void add_function_table(const struct report *r, struct buf *out)
{
	const struct flame *f = r->flame;
	struct arena *mem = arena_new();
	struct flame_function *list;
	size_t all = flame_functions(f, mem, &list), n = all < ROWS ? all : ROWS;

	qsort_r(list, all, sizeof(*list), compare, (void *)f);
	buf_addz(out, "<p class=\"plain\">The graph needs scripts, which do not run here. ");
	buf_addf(out, "These are the %zu %s of %zu functions in the graph.</p>\n<table class=\"plain\">\n<thead><tr>",
		 n, f->has_base ? "most changed" : "heaviest", all);
	buf_addz(out, f->has_base ? "<th>cum before</th><th>cum after</th><th>change</th><th>flat change</th>"
				  : "<th>flat</th><th>flat %</th><th>cum</th><th>cum %</th>");
	buf_addz(out, "<th class=\"name\">function</th></tr></thead>\n<tbody>\n");
	for (size_t i = 0; i < n; i++)
		add_row(r, &list[i], out);
	buf_addz(out, "</tbody>\n</table>\n");
	arena_free(mem);
}

static const char policy[] =
	"default-src 'none'; style-src 'sha256-" FLAME_STYLE_SUM "'; script-src 'sha256-" FLAME_SCRIPT_SUM
	"'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

static const char style_text[] = FLAME_STYLE;
static const char script_text[] = FLAME_SCRIPT;
static const char body_text[] = FLAME_BODY;

/* An element that contains untrusted text. */
static void add_element(const char *start, const struct buf *text, const char *end, struct buf *out)
{
	buf_addz(out, start);
	html_add_name(out, buf_text(text));
	buf_addz(out, end);
}

static void add_head(const char *theme, const struct buf *title, struct buf *out)
{
	buf_addf(out, "<!DOCTYPE html>\n<html lang=\"en\" data-theme=\"%s\">\n<head>\n<meta charset=\"utf-8\">\n",
		 theme);
	buf_addf(out, "<meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n", policy);
	buf_addz(out, "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
		      "<meta name=\"referrer\" content=\"no-referrer\">\n<meta name=\"generator\" content=\"cpa\">\n");
	add_element("<title>", title, "</title>\n", out);
	buf_addz(out, "<style>");
	buf_addz(out, style_text);
	buf_addz(out, "</style>\n</head>\n<body>\n");
}

void html_flame_draw(const struct report *r, const struct flame_style *style, struct buf *out)
{
	static const char *const themes[] = { [FLAME_AUTO] = "auto", [FLAME_LIGHT] = "light", [FLAME_DARK] = "dark" };
	struct buf title = { 0 }, subtitle = { 0 }, note = { 0 };
	struct flame_layout l;

	assert(r->flame && style);
	flame_lay_out(r->flame, style, r->mem, &l);
	flame_add_title(r, style, &title);
	flame_add_subtitle(r, &subtitle);
	flame_add_note(r, style, &note);
	add_head(themes[style->theme], &title, out);
	add_element("<header>\n<h1>", &title, "</h1>\n", out);
	add_element("<p>", &subtitle, "</p>\n</header>\n", out);
	buf_addz(out, body_text);
	buf_addz(out, "<noscript>\n");
	add_function_table(r, out);
	buf_addz(out, "</noscript>\n");
	add_element("<p id=\"note\">", &note, "</p>\n", out);
	buf_addz(out, "<script type=\"application/json\" id=\"data\">");
	add_data(r, &l, style, out);
	buf_addz(out, "</script>\n<script>");
	buf_addz(out, script_text);
	buf_addz(out, "</script>\n</body>\n</html>\n");
	buf_release(&title);
	buf_release(&subtitle);
	buf_release(&note);
}

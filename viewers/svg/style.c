/*
 * style.c - how an SVG looks: rules, colours of both themes, hatches
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Made of constants and numbers alone. No variables and nothing that must be understood: programs
 * that show pictures in tickets know little CSS, and skip what they do not know.
 */
#include "config.h"

#include "viewers/svg/svg_int.h"

#include <inttypes.h>
#include <stdio.h>

/* What is the same in all themes; .ui is what the script adds, .live is there when it runs. */
static const char rules[] =
	"text,.ui{font-family:\"DejaVu Sans Mono\",Menlo,Consolas,\"Liberation Mono\",monospace;font-size:12px}"
	"text{white-space:pre}"
	".title text,.strong{font-weight:bold}.title text{font-size:16px}"
	".w{stroke-width:.6}"
	".h{stroke:#888;stroke-width:1.5;stroke-opacity:.6}"
	".bar{stroke:#999}"
	".rows text{pointer-events:none}"
	".live rect{cursor:pointer}"
	".rows rect.a{opacity:.55}"
	".rows rect:hover{fill-opacity:.75}"
	".rows rect:focus{outline:none}"
	".rows rect:focus-visible{outline:2px solid #06f;outline-offset:-2px;stroke:#06f;stroke-width:2}"
	".found rect{opacity:.4}"
	".found rect.a{opacity:.3}"
	".found rect.m{opacity:1}"
	".found text.m{fill:#000}"
	".ui input,.ui button{font:inherit;color:inherit;box-sizing:border-box;height:24px;margin:0 0 0 4px;padding:0 "
	"6px;"
	"border:1px solid #888;border-radius:3px}"
	".ui input{width:180px}"
	".ui button{cursor:pointer}"
	".ui div{text-align:right;white-space:nowrap}"
	".ui span{line-height:22px}"
	".narrow>div{display:flex;flex-direction:row-reverse;justify-content:space-between;align-items:center}"
	".ui :focus-visible{outline:2px solid #06f}"
	"@media print{.ui{display:none}.page{width:100%;height:auto}}";

void svg_add_class(struct buf *out, uint8_t color, char sign)
{
	buf_addf(out, "%c%d", sign == 'n' || sign == 'g' ? sign : 'c', color);
}

static void use(struct svg_palette *p, uint8_t color, char sign)
{
	p->used[color] = true;
	p->used_new[color] |= sign == 'n';
	p->used_gone[color] |= sign == 'g';
}

void svg_palette_make(struct svg *s)
{
	const struct flame_color *color[] = { flame_colors(FLAME_LIGHT), flame_colors(FLAME_DARK) };
	struct svg_palette *p = &s->palette;
	uint32_t count[FLAME_COLORS] = { 0 };

	for (uint32_t i = 0; i < s->l.n; i++) {
		use(p, s->l.tile[i].color, s->l.tile[i].sign);
		count[s->l.tile[i].color]++;
	}
	for (size_t i = 0; i < s->n_legend; i++)
		use(p, s->legend[i].color, s->legend[i].sign);
	for (uint32_t i = 0; i < FLAME_COLORS; i++)
		p->common = count[i] > count[p->common] ? i : p->common;
	for (int theme = 0; theme < 2; theme++)
		for (uint32_t i = 0; i < FLAME_COLORS; i++)
			p->own_ink[i] |= p->used[i] && color[theme][i].ink != color[theme][p->common].ink;
}

static void add_colors(const struct svg_palette *p, enum flame_theme theme, struct buf *out)
{
	const struct flame_color *color = flame_colors(theme);
	const struct flame_page *page = flame_page(theme);

	buf_addf(out, ".page,.ui input,.ui button,.ui span{background:#%06" PRIx32 "}.b,.bar{fill:#%06" PRIx32 "}",
		 page->paper, page->paper);
	buf_addf(out, "text,.ui{fill:#%06" PRIx32 ";color:#%06" PRIx32 "}", page->ink, page->ink);
	buf_addf(out, ".soft,.sub text,.note text{fill:#%06" PRIx32 "}", page->quiet);
	buf_addf(out, ".w{stroke:#%06" PRIx32 "}.found rect.m{fill:#%06" PRIx32 "}", page->line, page->match);
	buf_addf(out, ".rows text{fill:#%06" PRIx32 "}", color[p->common].ink);
	for (int i = 0; i < FLAME_COLORS; i++) {
		if (p->used[i])
			buf_addf(out, ".c%d{fill:#%06" PRIx32 "}", i, color[i].fill);
		if (p->own_ink[i])
			buf_addf(out, ".rows .t%d{fill:#%06" PRIx32 "}", i, color[i].ink);
	}
}

static void add_rules(const struct svg *s, struct buf *out)
{
	const struct svg_palette *p = &s->palette;
	bool dark = s->style->theme == FLAME_DARK;

	add_colors(p, dark ? FLAME_DARK : FLAME_LIGHT, out);
	if (s->style->theme == FLAME_AUTO) {
		buf_addz(out, "@media screen and (prefers-color-scheme:dark){");
		add_colors(p, FLAME_DARK, out);
		buf_addz(out, "}");
	}
	if (dark) {
		buf_addz(out, "@media print{");
		add_colors(p, FLAME_LIGHT, out);
		buf_addz(out, "}");
	}
	for (int i = 0; i < FLAME_COLORS; i++) {
		if (p->used_new[i])
			buf_addf(out, ".n%d{fill:url(#n%d)}", i, i);
		if (p->used_gone[i])
			buf_addf(out, ".g%d{fill:url(#g%d)}", i, i);
	}
	buf_addz(out, rules);
}

/* A colour with lines across it: rising for what is new, falling for what is gone. */
static void add_hatch(struct svg *s, char sign, int color)
{
	struct xml *x = &s->xml;
	char text[32];

	xml_begin(x, "pattern");
	snprintf(text, sizeof(text), "%c%d", sign, color);
	xml_attribute(x, "id", text);
	xml_attribute(x, "width", "8");
	xml_attribute(x, "height", "8");
	xml_attribute(x, "patternUnits", "userSpaceOnUse");
	xml_attribute(x, "patternTransform", sign == 'n' ? "rotate(45)" : "rotate(-45)");
	xml_begin(x, "rect");
	snprintf(text, sizeof(text), "c%d", color);
	xml_attribute(x, "class", text);
	xml_attribute(x, "width", "8");
	xml_attribute(x, "height", "8");
	xml_end(x);
	xml_begin(x, "path");
	xml_attribute(x, "class", "h");
	xml_attribute(x, "d", "M4 0v8");
	xml_end(x);
	xml_end(x);
}

void svg_add_style(struct svg *s)
{
	struct buf css = { 0 };

	add_rules(s, &css);
	xml_line(&s->xml);
	xml_begin(&s->xml, "style");
	xml_code(&s->xml, buf_text(&css));
	xml_end(&s->xml);
	xml_begin(&s->xml, "defs");
	for (int i = 0; i < FLAME_COLORS; i++) {
		if (s->palette.used_new[i])
			add_hatch(s, 'n', i);
		if (s->palette.used_gone[i])
			add_hatch(s, 'g', i);
	}
	xml_end(&s->xml);
	buf_release(&css);
}

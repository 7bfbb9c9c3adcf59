/*
 * flame.c - flame graphs as web pages
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The page asks for nothing and runs nothing but its own script: the policy names script and style by
 * their SHA-256, which the makefile takes of what it embeds. Texts of the profile are in the data, which
 * is never run, and between tags, where they are escaped.
 */
#include "config.h"

#include "viewers/html/flame.h"

#include "viewers/html/flame_int.h"
#include "viewers/html/flame_parts.h"
#include "viewers/html/html.h"

static const char policy[] =
	"default-src 'none'; style-src 'sha256-" FLAME_STYLE_SUM "'; script-src 'sha256-" FLAME_SCRIPT_SUM
	"'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'";

static const char style_text[] = FLAME_STYLE;
static const char script_text[] = FLAME_SCRIPT;
static const char body_text[] = FLAME_BODY;

/* An element around a text that is hostile. */
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

	flame_lay_out(r->flame, style, r->mem, &l);
	flame_add_title(r, style, &title);
	flame_add_subtitle(r, &subtitle);
	flame_add_note(r, style, &note);
	add_head(themes[style->theme], &title, out);
	add_element("<header>\n<h1>", &title, "</h1>\n", out);
	add_element("<p>", &subtitle, "</p>\n</header>\n", out);
	buf_addz(out, body_text);
	buf_addz(out, "<noscript>\n");
	html_flame_add_table(r, out);
	buf_addz(out, "</noscript>\n");
	add_element("<p id=\"note\">", &note, "</p>\n", out);
	buf_addz(out, "<script type=\"application/json\" id=\"data\">");
	html_flame_add_data(r, &l, style, out);
	buf_addz(out, "</script>\n<script>");
	buf_addz(out, script_text);
	buf_addz(out, "</script>\n</body>\n</html>\n");
	buf_release(&title);
	buf_release(&subtitle);
	buf_release(&note);
}

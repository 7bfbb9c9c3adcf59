/*
 * weblist.c - source lines and instructions as a web page
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Style and script are byte for byte those of pprof's pages, since tools search for them; the policy lists their
 * SHA-256.
 */
#include "config.h"

#include "base/buf.h"
#include "base/path.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "base/webpage.h"
#include "viewers/html/html.h"
#include "viewers/text/text.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

enum { VALUE_WIDTH = 10, TEXT_WIDTH = 80, TAB = 8, DEPTH_INDENT = 4, DEPTH_MAX = 32, INDENT_MAX = 200 };

/* Update the sum after a change of style or script: openssl dgst -sha256 -binary | base64 */
#define STYLE_SUM "sha256-6V1n8XQkTdx9IEQOPdLohq98Luz3xw6HSjOJwb7dKmA="
#define SCRIPT_SUM "sha256-OPeC/aGi8ZkoUguNr5SbYHFFRez/JWCS34pWUA9eNP0="
#define CLICK_SUM "sha256-IzyV3VInpaVeiB8kudb0GH53ZG4GMuWOCbjavN28dFA="

static const char style[] = "\n"
			    "body #content{\n"
			    "font-family: sans-serif;\n"
			    "}\n"
			    "h1 {\n"
			    "  font-size: 1.5em;\n"
			    "}\n"
			    ".legend {\n"
			    "  font-size: 1.25em;\n"
			    "}\n"
			    ".line, .nop, .unimportant {\n"
			    "  color: #aaaaaa;\n"
			    "}\n"
			    ".inlinesrc {\n"
			    "  color: #000066;\n"
			    "}\n"
			    ".livesrc {\n"
			    "cursor: pointer;\n"
			    "}\n"
			    ".livesrc:hover {\n"
			    "background-color: #eeeeee;\n"
			    "}\n"
			    ".asm {\n"
			    "color: #008800;\n"
			    "display: none;\n"
			    "}\n";

static const char script[] = "\n"
			     "function pprof_toggle_asm(e) {\n"
			     "  var target;\n"
			     "  if (!e) e = window.event;\n"
			     "  if (e.target) target = e.target;\n"
			     "  else if (e.srcElement) target = e.srcElement;\n"
			     "\n"
			     "  if (target) {\n"
			     "    var asm = target.nextSibling;\n"
			     "    if (asm && asm.className == \"asm\") {\n"
			     "      asm.style.display = (asm.style.display == \"block\" ? \"\" : \"block\");\n"
			     "      e.preventDefault();\n"
			     "      return false;\n"
			     "    }\n"
			     "  }\n"
			     "}\n";

static const char policy[] =
	"default-src 'none'; style-src '" STYLE_SUM "'; script-src 'unsafe-hashes' '" SCRIPT_SUM "' '" CLICK_SUM "'";

/* The indent of a call or an instruction with so many calls around it. Deeper ones are not indented further. */
static size_t indent_of(size_t line_indent, uint32_t depth)
{
	return (line_indent < INDENT_MAX ? line_indent : INDENT_MAX) +
	       DEPTH_INDENT * (1 + (size_t)(depth < DEPTH_MAX ? depth : DEPTH_MAX));
}

/* The width of the white space at the start of a line, in columns. */
static size_t indentation(const char *line)
{
	size_t column = 0;

	for (;; line++) {
		if (*line == ' ')
			column++;
		else if (*line == '\t')
			column += TAB - column % TAB;
		else
			return column;
	}
}

/*
 * Append an indent and text, with tabs expanded, and pad it with blanks to TEXT_WIDTH. A tab takes at least one column
 * and ends before the next column that is a multiple of TAB, counted from 1, as in pprof.
 */
static void html_weblist_add_padded(struct buf *out, size_t indent, const char *text)
{
	struct buf b = { 0 };
	size_t column = indent;
	uint32_t c;

	buf_fill(&b, ' ', indent);
	for (size_t n = strlen(text), width; n; text += width, n -= width) {
		width = utf8_decode(text, n, &c);
		column++;
		if (*text == '\t') {
			size_t more = (TAB - column % TAB) % TAB;

			buf_fill(&b, ' ', 1 + more);
			column += more;
		} else if (width) {
			buf_add(&b, text, width);
		} else {
			buf_addz(&b, "\xef\xbf\xbd");
		}
		width = width ? width : 1;
	}
	buf_fill(&b, ' ', column < TEXT_WIDTH ? TEXT_WIDTH - column : 0);
	webpage_add_text(out, buf_text(&b), b.len);
	buf_release(&b);
}

/* Append a right-aligned value; a point for 0 when dot is set. */
static void html_weblist_add_value(struct buf *out, const struct head *h, int64_t value, bool dot)
{
	struct buf raw = { 0 }, safe = { 0 };
	size_t width;

	if (dot && value == 0)
		buf_addz(&raw, ".");
	else
		report_add_value(h, value, &raw);
	utf8_add_safe(&safe, raw.data, raw.len);
	width = utf8_count(safe.data, safe.len);
	buf_fill(out, ' ', width < VALUE_WIDTH ? VALUE_WIDTH - width : 0);
	webpage_add_text(out, safe.data, safe.len);
	buf_release(&safe);
	buf_release(&raw);
}

/* "prog.c:7" */
static void html_weblist_add_place(struct buf *out, const char *file, int64_t line)
{
	struct buf base = { 0 };

	path_add_base(&base, file);
	buf_addz(out, "<span class=unimportant>");
	webpage_add_name(out, buf_text(&base));
	buf_addf(out, ":%" PRId64 "</span>\n", line);
	buf_release(&base);
}

static void html_weblist_add_call(struct buf *out, size_t indent, const struct weblist_call *c)
{
	buf_fill(out, ' ', 42); /* the columns before the text of an instruction */
	buf_addz(out, "<span class=inlinesrc>");
	html_weblist_add_padded(out, indent_of(indent, c->depth), c->source);
	buf_addz(out, "</span> ");
	html_weblist_add_place(out, c->file, c->line);
}

static void html_weblist_add_instruction(struct buf *out, const struct head *h, const struct weblist *list,
					 size_t indent, const struct weblist_inst *in)
{
	if (in->new_block)
		buf_addf(out, " %8s %27s\xe2\x8b\xae\n", "", "");
	if (in->n_hidden)
		buf_addf(out, "%42s<span class=unimportant>%" PRIu32 " outer calls are omitted</span>\n", "",
			 in->n_hidden);
	for (uint32_t i = in->lo; i < in->hi; i++)
		html_weblist_add_call(out, indent, &list->call[i]);
	if (!in->is_code)
		return;
	buf_addf(out, " %8s ", "");
	html_weblist_add_value(out, h, in->flat, true);
	buf_add(out, " ", 1);
	html_weblist_add_value(out, h, in->cum, true);
	buf_addf(out, " %8" PRIx64 ": ", in->addr);
	html_weblist_add_padded(out, indent_of(indent, in->depth), in->text);
	buf_add(out, " ", 1);
	if (*in->file)
		html_weblist_add_place(out, in->file, in->line);
	else
		buf_addz(out, "<span class=unimportant></span>\n");
}

static void html_weblist_add_line(struct buf *out, const struct head *h, const struct weblist *list,
				  const struct weblist_line *l)
{
	static const char *const class[] = { [LINE_NO_CODE] = "nop", [LINE_DEAD] = "deadsrc", [LINE_LIVE] = "livesrc" };
	size_t indent = indentation(l->source);

	buf_addf(out, "\n<span class=line> %6" PRId64 "</span> <span class=%s>  ", l->no, class[l->kind]);
	html_weblist_add_value(out, h, l->flat, true);
	buf_add(out, " ", 1);
	html_weblist_add_value(out, h, l->cum, true);
	buf_addf(out, " %8s  ", "");
	webpage_add_text(out, l->source, strlen(l->source));
	buf_addz(out, " </span>");
	if (l->kind != LINE_LIVE)
		return;
	buf_addz(out, "<span class=asm>");
	for (uint32_t i = l->lo; i < l->hi; i++)
		html_weblist_add_instruction(out, h, list, indent, &list->inst[i]);
	buf_addz(out, "</span>");
}

static void html_weblist_add_function(struct buf *out, const struct head *h, const struct weblist *list,
				      const struct weblist_func *f)
{
	buf_addz(out, "<h2>");
	webpage_add_name(out, f->name);
	buf_addz(out, "</h2><p class=\"filename\">");
	webpage_add_name(out, f->file);
	buf_addz(out, "</p>\n<pre onClick=\"pprof_toggle_asm(event)\">\n  Total:  ");
	html_weblist_add_value(out, h, f->flat, false);
	buf_add(out, " ", 1);
	html_weblist_add_value(out, h, f->cum, false);
	buf_addz(out, " (flat, cum) ");
	unit_add_percent(out, f->cum, h->total);
	for (uint32_t i = f->lo; i < f->hi && !buf_is_stopped(); i++)
		html_weblist_add_line(out, h, list, &list->line[i]);
	buf_addz(out, "\n</pre>\n");
}

/* Append the description of the profile, one item per line. */
static void html_weblist_add_legend(struct buf *out, const struct head *h)
{
	struct buf text = { 0 }, total = { 0 };
	const char *line, *gap = "";

	text_add_profile(h, &text);
	buf_addz(out, "\n<div class=\"legend\">");
	for (line = buf_text(&text); *line; gap = "<br>\n") {
		size_t n = strcspn(line, "\n");

		buf_addz(out, gap);
		webpage_add_text(out, line, n);
		line += n + (line[n] == '\n');
	}
	buf_addz(out, "<br>Total: ");
	report_add_value(h, h->total, &total);
	webpage_add_name(out, buf_text(&total));
	buf_addz(out, "</div>");
	buf_release(&total);
	buf_release(&text);
}

void html_weblist_draw(const struct report *r, const struct weblist *list, struct buf *out)
{
	const struct head *h = &r->head;

	assert(list && out);
	buf_addz(out, "<!DOCTYPE html>\n<html>\n<head>\n  <meta charset=\"utf-8\">\n");
	buf_addf(out, "  <meta http-equiv=\"Content-Security-Policy\" content=\"%s\">\n  <title>", policy);
	webpage_add_name(out, *h->file ? h->file : "unknown");
	buf_add(out, " ", 1);
	webpage_add_name(out, *h->type ? h->type : "unknown");
	buf_addf(out, "</title>\n  \n  <style type=\"text/css\">%s</style>\n", style);
	buf_addf(out, "  <script type=\"text/javascript\">%s</script>\n</head>\n<body>\n", script);
	html_weblist_add_legend(out, h);
	for (uint32_t i = 0; i < list->n && !buf_is_stopped(); i++)
		html_weblist_add_function(out, h, list, &list->func[i]);
	buf_addz(out, "\n</body>\n</html>\n");
}

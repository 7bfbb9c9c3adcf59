/*
 * help.c - the help page: views, columns, colours and keys
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/state.h"
#include "front/web/parts/table.h"
#include "front/web/pages/views.h"

#include <string.h>

/* Descriptions besides those of views. Links with ? refer to the ids. */
static const struct help_section {
	const char *title;
	struct {
		const char *id, *term, *text;
	} entry[12]; /* ends at the first entry without id */
} sections[] = {
	{ "Columns",
	  { { "flat", "flat", "The cost of a function itself, without the functions that it calls." },
	    { "sum", "sum%", "The flat of this row and of all rows above it, in the order of the report." },
	    { "cum", "cum",
	      "The cost of a function and of all that it calls. A stack counts once, even if the function "
	      "occurs in it several times." },
	    { "percent", "flat%, cum%",
	      "The share of the value that is 100 %, stated above the table: the total of "
	      "all samples, or of those that pass the filters, or of the base." },
	    { "calls", "calls, calls%",
	      "In tree and peek: the cost that a function spends in calls from a caller, or "
	      "in calls of a callee, and its share of the function's cum." },
	    { "inline", "(inline)", "The compiler inlined every call of the function; (partial-inline): some." },
	    { "bar", "bar in a name", "The cum of the row, or the cost of a call, as a share of 100 %." } } },
	{ "Rows",
	  { { "omitted", "omitted rows",
	      "Functions whose cum is below the share nf (0.005) of the total are omitted "
	      "from top and tree. Show all: trim=f." },
	    { "actions", "the menu of a row",
	      "Opens other views at this function, or sets a filter. A name links to "
	      "the flame graph at the function." },
	    { "filters", "filters",
	      "focus keeps samples with a matching function on the stack, ignore removes them; "
	      "hide removes frames; show keeps only matching frames; show from removes the "
	      "callers of the outermost match. Label filters select samples by label." },
	    { "files", "files", "csv, json, md and txt write all rows of the table, as the command line does." } } },
	{ "Colours",
	  { { "colors", "orange and blue", "In comparisons, orange grew and blue shrank; a sign says the same." },
	    { "match", "yellow", "The name matches the search." } } },
	{ "Keys of all pages",
	  { { "keys-views", "<kbd>1</kbd> ... <kbd>8</kbd> <kbd>d</kbd>",
	      "Open the view beside which a menu shows the key." },
	    { "keys-search", "<kbd>/</kbd>",
	      "Go to the search field. There, Enter goes to the next match, Shift+Enter to the "
	      "previous one, and Ctrl+Enter keeps only stacks with a match; in the flame graph it shows their callers "
	      "and "
	      "callees. A page without matches, such as Source, does the same for Enter." },
	    { "keys-type", "<kbd>t</kbd>", "Open the menu of sample types." },
	    { "keys-chips", "<kbd>c</kbd>", "Go to the first filter." },
	    { "keys-export", "<kbd>s</kbd>", "Open the menu Export." },
	    { "keys-copy", "<kbd>y</kbd>", "Copy the command line." },
	    { "keys-fetch", "<kbd>R</kbd>", "Go to the page Live capture; there, fetch the profile again." },
	    { "keys-theme", "<kbd>L</kbd>", "Light or dark." } } },
	{ "Keys of tables",
	  { { "keys-rows", "<kbd>j</kbd> <kbd>k</kbd>",
	      "Go to the next or the previous row; in a row also the arrows." },
	    { "keys-ends", "<kbd>Home</kbd> <kbd>End</kbd>", "In a row: go to the first or the last row." },
	    { "keys-matches", "<kbd>n</kbd> <kbd>N</kbd>",
	      "Go to the next or the previous row that matches the search." },
	    { "keys-enter", "<kbd>Enter</kbd>", "In a row: open its menu, whose links have the keys below." },
	    { "keys-select", "<kbd>Space</kbd>", "In a row: select it for the Refine menu, as a click does." } } },
};

static void web_help_add_entry(const char *id, const char *term, const char *text, struct buf *out)
{
	buf_addf(out, "<dt id=\"%s\">%s</dt><dd>%s</dd>\n", id, term, text);
}

static void web_help_add_views(const struct web *w, struct buf *out)
{
	buf_addz(out, "<h2>Views</h2>\n<dl class=\"help\">\n");
	for (size_t i = 0; i < w->n_views; i++) {
		const struct web_view *v = &w->view[i];
		struct buf term = { 0 };

		if (!v->help || !v->draw)
			continue;
		buf_addf(&term, "<a href=\"%s\">%s</a>", v->path, v->title);
		if (v->key)
			buf_addf(&term, " <kbd>%s</kbd>", v->key);
		web_help_add_entry(v->path, buf_text(&term), v->help, out);
		buf_release(&term);
	}
	buf_addz(out, "</dl>\n");
}

int web_draw_help(struct web_page *page, struct err *err)
{
	struct buf *out = &page->main;

	(void)err;
	web_help_add_views(page->web, out);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		const struct help_section *s = &sections[i];

		buf_addf(out, "<h2>%s</h2>\n<dl class=\"help\">\n", s->title);
		for (size_t k = 0; s->entry[k].id; k++)
			web_help_add_entry(s->entry[k].id, s->entry[k].term, s->entry[k].text, out);
		if (i + 1 == sizeof(sections) / sizeof(sections[0]))
			web_row_links_add_help(out);
		buf_addz(out, "</dl>\n");
	}
	buf_addz(out,
		 "<p hidden><label><input type=\"checkbox\" id=\"single-keys\"> Keys that are a single character are "
		 "active</label></p>\n");
	return 0;
}

/*
 * source.c - the view of source lines with their instructions
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Instructions are in <details>, so the page works without scripts.
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/pages/views.h"

#include "answer/web_reports.h"
#include "base/path.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "report/weblist.h"

#include <inttypes.h>
#include <string.h>

enum { FILES_MAX = 50, INDENT = 2 };

struct source_page {
	struct web_page *page;
	const struct head *h;
	const struct weblist *list;
	struct web_row_links *links;
	struct buf *out;
};

/* Append a cell with a value; a point for 0. */
static void web_source_add_value(const struct source_page *x, int64_t value)
{
	buf_addz(x->out, "<td>");
	if (value)
		web_add_report_value(x->h, value, x->out);
	else
		buf_addz(x->out, ".");
	buf_addz(x->out, "</td>");
}

/* Append source code or an instruction. */
static void web_source_add_code(const struct source_page *x, uint32_t depth, const char *text)
{
	buf_addz(x->out, "<code>");
	buf_fill(x->out, ' ', (size_t)INDENT * (depth < 100 ? depth : 100));
	webpage_add_name(x->out, text);
	buf_addz(x->out, "</code>");
}

/* Append "plan.go:91". */
static void web_source_add_place(const struct source_page *x, const char *file, int64_t line)
{
	struct buf base = { 0 };

	buf_addz(x->out, "<td class=\"text faint\">");
	if (*file) {
		path_add_base(&base, file);
		web_add_name(x->out, buf_text(&base));
		buf_addf(x->out, ":%" PRId64, line);
	}
	buf_addz(x->out, "</td>");
	buf_release(&base);
}

static void web_source_add_instruction(const struct source_page *x, const struct weblist_inst *in)
{
	if (in->new_block)
		buf_addz(x->out, "<tr class=\"gap\"><td>⋮</td></tr>\n");
	if (in->n_hidden)
		buf_addf(x->out,
			 "<tr class=\"inlined\"><td colspan=\"3\"></td><td class=\"faint\">%" PRIu32
			 " outer calls are omitted</td></tr>\n",
			 in->n_hidden);
	for (uint32_t i = in->lo; i < in->hi; i++) {
		const struct weblist_call *c = &x->list->call[i];

		buf_addz(x->out, "<tr class=\"inlined\"><td colspan=\"3\"></td><td class=\"code\">");
		web_source_add_code(x, c->depth, c->source);
		buf_addz(x->out, "</td>");
		web_source_add_place(x, c->file, c->line);
		buf_addz(x->out, "</tr>\n");
	}
	if (!in->is_code)
		return;
	buf_addf(x->out, "<tr><td><code>%" PRIx64 "</code></td>", in->addr);
	web_source_add_value(x, in->flat);
	web_source_add_value(x, in->cum);
	buf_addz(x->out, "<td class=\"code\">");
	web_source_add_code(x, in->depth, in->text);
	buf_addz(x->out, "</td>");
	web_source_add_place(x, in->file, in->line);
	buf_addz(x->out, "</tr>\n");
}

/* Append the text of a line, which opens its instructions. */
static void add_instructions(const struct source_page *x, const struct weblist_line *l)
{
	uint32_t n = 0;

	for (uint32_t i = l->lo; i < l->hi; i++)
		n += x->list->inst[i].is_code;
	buf_addz(x->out, "<details class=\"instructions\"><summary>");
	web_source_add_code(x, 0, l->source);
	if (n)
		buf_addf(x->out, " <span class=\"faint\">%" PRIu32 " instruction%s</span>", n, n == 1 ? "" : "s");
	else
		buf_addz(x->out, " <span class=\"faint\">inlined calls</span>");
	buf_addf(x->out,
		 "</summary><table><caption class=\"unseen\">Instructions of line %" PRId64
		 "</caption><thead class=\"unseen\"><tr><th scope=\"col\">Address</th><th scope=\"col\">Flat</th>"
		 "<th scope=\"col\">Cum</th><th scope=\"col\">Instruction</th><th scope=\"col\">Place</th></tr></thead>"
		 "<tbody>\n",
		 l->no);
	for (uint32_t i = l->lo; i < l->hi; i++)
		web_source_add_instruction(x, &x->list->inst[i]);
	buf_addz(x->out, "</tbody></table></details>");
}

static void web_source_add_line(const struct source_page *x, const struct weblist_line *l)
{
	buf_addf(x->out, "<tr%s><td>%" PRId64 "</td>", l->flat || l->cum ? "" : " class=\"faint\"", l->no);
	web_source_add_value(x, l->flat);
	web_source_add_value(x, l->cum);
	buf_addz(x->out, "<td>");
	web_add_bar(x->out, unit_percent(l->cum, x->h->total));
	buf_addz(x->out, "</td><td class=\"code\">");
	if (l->kind == LINE_LIVE)
		add_instructions(x, l);
	else
		web_source_add_code(x, 0, l->source);
	buf_addz(x->out, "</td></tr>\n");
}

/* Append why the source of a file is missing: the paths tried, and the option that helps. */
static void web_source_add_missing(const struct source_page *x, const struct weblist_func *f)
{
	buf_addz(x->out, "<div class=\"missing\"><p>Source not found: ");
	web_add_name(x->out, f->error);
	buf_addz(x->out, ".</p>\n");
	if (*f->tried) {
		buf_addz(x->out, "<p>Tried:</p>\n<ul>\n");
		for (const char *line = f->tried; *line;) {
			size_t n = strcspn(line, "\n");

			buf_addz(x->out, "<li><bdi>");
			webpage_add_text(x->out, line, n);
			buf_addz(x->out, "</bdi></li>\n");
			line += n + (line[n] == '\n');
		}
		buf_addz(x->out, "</ul>\n");
	}
	buf_addz(x->out, "<p>Start cpa with <code>-source_path=DIR</code>, the folder with the sources, or with "
			 "<code>-trim_path=PREFIX</code> if the program was built in another folder.</p></div>\n");
}

static void web_source_add_function(const struct source_page *x, const struct weblist_func *f, bool is_first_of_file)
{
	const struct row_place place = { .function = f->name, .file = "", .binary = "" };

	buf_addz(x->out, "<section class=\"source\"");
	web_add_name_attribute(x->out, f->name);
	buf_addz(x->out, ">\n<h2>");
	web_row_links_add_name(x->links, &place, f->name, x->out);
	buf_addz(x->out, "</h2>\n");
	web_row_links_add_menu(x->links, &place, f->name, x->out);
	buf_addz(x->out, "<p><span class=\"faint\">");
	web_add_name(x->out, f->file);
	if (*f->path && strcmp(f->path, f->file) != 0) {
		buf_addz(x->out, ", found as ");
		web_add_name(x->out, f->path);
	}
	buf_addz(x->out, "</span><br>flat ");
	web_add_report_value(x->h, f->flat, x->out);
	buf_addz(x->out, ", cum ");
	web_add_report_value(x->h, f->cum, x->out);
	buf_addz(x->out, " (");
	unit_add_percent_trimmed(x->out, f->cum, x->h->total);
	buf_addz(x->out, ")</p>\n");
	if (*f->error && is_first_of_file)
		web_source_add_missing(x, f);
	buf_addz(x->out, "<div class=\"scroll\"><table class=\"lines\"><caption class=\"unseen\">Lines of ");
	web_add_name(x->out, f->name);
	buf_addz(x->out, "</caption>\n<thead><tr><th scope=\"col\">Line</th><th scope=\"col\">Flat</th>"
			 "<th scope=\"col\">Cum</th><th scope=\"col\"><span class=\"unseen\">Share</span></th>"
			 "<th scope=\"col\" class=\"text\">Source</th></tr></thead>\n<tbody>\n");
	for (uint32_t i = f->lo; i < f->hi; i++)
		web_source_add_line(x, &x->list->line[i]);
	buf_addz(x->out, "</tbody></table></div>\n</section>\n");
}

static void web_source_add_summary(const struct source_page *x)
{
	const struct weblist *list = x->list;

	buf_addf(x->out, "<p class=\"faint\">%" PRIu32 " function%s; ", list->n, list->n == 1 ? "" : "s");
	if (list->n_files < list->n_all_files)
		buf_addf(x->out, "the %" PRIu32 " of %" PRIu32 " files with the largest flat value; ", list->n_files,
			 list->n_all_files);
	web_add_units(x->page, x->h, x->out);
	buf_addz(x->out, "</p>\n");
}

int web_draw_source(struct web_page *page, struct err *err)
{
	struct weblist list;
	struct source_page x = { .page = page, .h = &page->answer.report.head, .list = &list, .out = &page->main };
	int rc = answer_weblist(page->p, &page->q, &page->answer, &list, err);

	if (rc < 0)
		return rc;
	if (list.n == 0) {
		web_add_empty(page, x.out);
		return 0;
	}
	x.links = web_row_links_new(page);
	web_source_add_summary(&x);
	for (uint32_t i = 0; i < list.n && rc == 0; i++) {
		web_source_add_function(&x, &list.func[i],
					i == 0 || strcmp(list.func[i].file, list.func[i - 1].file) != 0);
		rc = web_rows_check(page, err);
	}
	web_row_links_free(x.links);
	return rc;
}

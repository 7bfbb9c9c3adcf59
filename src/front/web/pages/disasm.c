/*
 * disasm.c - the view of instructions
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/parts/table.h"

#include "front/web/pages/views.h"

#include "answer/web_reports.h"
#include "base/unit.h"
#include "base/webpage.h"
#include "report/disasm.h"

#include <inttypes.h>
#include <string.h>

struct disasm_page {
	struct web_page *page;
	const struct report *r;
	struct web_row_links *links;
	uint32_t hottest; /* row with the largest flat */
	struct buf *out;
};

static void web_disasm_add_value(const struct disasm_page *x, int64_t value)
{
	buf_addz(x->out, "<td>");
	if (value)
		web_add_report_value(&x->r->head, value, x->out);
	else
		buf_addz(x->out, ".");
	buf_addz(x->out, "</td>");
}

/* Append the place of an instruction, "work prog.c:8", linked to its source, unless the preceding row has the same. */
static void web_disasm_add_place(const struct disasm_page *x, const union cell *cell, const union cell *before)
{
	const char *function = cell[DISASM_FUNCTION].text, *file = cell[DISASM_FILE].text;
	int64_t line = cell[DISASM_LINE].value;

	buf_addz(x->out, "<td class=\"text\">");
	if (!before || strcmp(function, before[DISASM_FUNCTION].text) != 0 ||
	    strcmp(file, before[DISASM_FILE].text) != 0 || line != before[DISASM_LINE].value) {
		struct row_place place = { .file = "", .binary = "" };
		struct buf name = { 0 };

		answer_add_readable(function, &name);
		place.function = buf_text(&name);
		web_row_links_add_view(x->links, &place, "source", place.function, x->out);
		buf_release(&name);
		buf_addz(x->out, *function ? " " : "");
		web_add_name(x->out, file);
		if (*file && line)
			buf_addf(x->out, ":%" PRId64, line);
	}
	buf_addz(x->out, "</td>");
}

static void web_disasm_add_instruction(const struct disasm_page *x, const union cell *cell, const union cell *before)
{
	bool has_weight = cell[DISASM_FLAT].value || cell[DISASM_CUM].value;
	bool is_hottest = has_weight && cell == x->r->table.cell + (size_t)x->hottest * N_DISASM_COLS;

	buf_addf(x->out, "<tr%s>",
		 is_hottest   ? " class=\"hottest\" id=\"hottest\""
		 : has_weight ? ""
			      : " class=\"faint\"");
	web_disasm_add_value(x, cell[DISASM_FLAT].value);
	web_disasm_add_value(x, cell[DISASM_CUM].value);
	buf_addz(x->out, "<td>");
	web_add_bar(x->out, unit_percent(cell[DISASM_CUM].value, x->r->head.total));
	buf_addz(x->out, "</td><td><code>");
	webpage_add_name(x->out, cell[DISASM_ADDRESS].text);
	buf_addz(x->out, "</code></td><td class=\"code\"><code>");
	webpage_add_name(x->out, cell[DISASM_TEXT].text);
	buf_addz(x->out, "</code></td>");
	web_disasm_add_place(x, cell, before);
	buf_addz(x->out, "</tr>\n");
}

static void add_readable(const struct disasm_page *x, const char *symbol)
{
	struct buf name = { 0 };

	answer_add_readable(symbol, &name);
	web_add_name(x->out, buf_text(&name));
	buf_release(&name);
}

/* The name of a routine as in other views. */
static const char *routine_name(const struct disasm_page *x, const struct disasm_routine *routine)
{
	struct buf name = { 0 };
	const char *out;

	if (*routine->function)
		return routine->function;
	answer_add_readable(routine->name[0], &name);
	out = arena_strndup(x->page->mem, buf_text(&name), name.len);
	buf_release(&name);
	return out;
}

static void web_disasm_add_routine(const struct disasm_page *x, const struct disasm_routine *routine)
{
	const char *name = routine_name(x, routine);
	const struct row_place place = { .function = name, .file = "", .binary = "" };
	const struct head *h = &x->r->head;

	buf_addz(x->out, "<section class=\"source\"");
	web_add_name_attribute(x->out, name);
	buf_addz(x->out, ">\n<h2>");
	web_row_links_add_name(x->links, &place, name, x->out);
	buf_addz(x->out, "</h2>\n");
	web_row_links_add_menu(x->links, &place, name, x->out);
	buf_addz(x->out, "<p>");
	for (uint32_t i = 1; i < routine->n_names; i++) {
		buf_addz(x->out, i == 1 ? "<span class=\"faint\">also " : ", ");
		add_readable(x, routine->name[i]);
	}
	buf_addz(x->out, routine->n_names > 1 ? "</span><br>flat " : "flat ");
	web_add_report_value(h, routine->flat, x->out);
	buf_addz(x->out, ", cum ");
	web_add_report_value(h, routine->cum, x->out);
	buf_addz(x->out, " (");
	unit_add_percent_trimmed(x->out, routine->cum, h->total);
	buf_addz(x->out,
		 ")</p>\n<div class=\"scroll\"><table class=\"lines\"><caption class=\"unseen\">Instructions of ");
	web_add_name(x->out, name);
	buf_addz(x->out,
		 "</caption>\n<thead><tr><th scope=\"col\">Flat</th><th scope=\"col\">Cum</th><th scope=\"col\">"
		 "<span class=\"unseen\">Share</span></th><th scope=\"col\">Address</th>"
		 "<th scope=\"col\" class=\"text\">Instruction</th><th scope=\"col\" class=\"text\">Place</th>"
		 "</tr></thead>\n<tbody>\n");
	for (uint32_t i = routine->lo; i < routine->hi; i++) {
		const union cell *cell = x->r->table.cell + (size_t)i * N_DISASM_COLS;

		web_disasm_add_instruction(x, cell, i > routine->lo ? cell - N_DISASM_COLS : NULL);
	}
	buf_addz(x->out, "</tbody></table></div>\n</section>\n");
}

/* A link to the page with all instructions. */
static void web_disasm_add_all(const struct disasm_page *x)
{
	struct url_params *link = web_link_start(x->page);

	url_params_set(link, "all", "t");
	buf_addz(x->out, "; long functions are cut to the code around their samples: <a href=\"");
	web_link_end(link, "disasm", x->out);
	buf_addz(x->out, "\">all instructions</a>");
}

/* The instruction with the largest flat, or cum if that is equal. */
static uint32_t disasm_find_hottest(const struct report *r)
{
	const union cell *cell = r->table.cell, *best = cell;

	for (uint32_t row = 1; row < r->table.n_rows; row++) {
		const union cell *own = cell + (size_t)row * N_DISASM_COLS;

		if (own[DISASM_FLAT].value > best[DISASM_FLAT].value ||
		    (own[DISASM_FLAT].value == best[DISASM_FLAT].value &&
		     own[DISASM_CUM].value > best[DISASM_CUM].value))
			best = own;
	}
	return (uint32_t)((best - cell) / N_DISASM_COLS);
}

int web_draw_disasm(struct web_page *page, struct err *err)
{
	struct disasm_page x = { .page = page, .r = &page->answer.report, .out = &page->main };
	int rc = web_page_make(page, page->view->report, err);
	uint32_t n;

	if (rc == ERR_IO)
		page->remedy =
			"If the program is in another folder, set <code>PPROF_BINARY_PATH</code> to that folder and "
			"start cpa again.";
	if (rc < 0)
		return rc;
	x.links = web_row_links_new(page);
	n = x.r->disasm->n;
	x.hottest = disasm_find_hottest(x.r);
	buf_addf(x.out, "<p class=\"faint\">%" PRIu32 " function%s%s; ", n, n == 1 ? "" : "s",
		 n == page->q.max_groups ? " with the largest flat value" : "");
	web_add_units(page, &x.r->head, x.out);
	buf_addz(x.out, "; as text: <a href=\"");
	web_link_end(web_link_start(page), "disasm.txt", x.out);
	buf_addz(x.out, "\">disasm.txt</a>; <a href=\"#hottest\" data-start>hottest instruction</a>");
	if (x.r->disasm->is_cut)
		web_disasm_add_all(&x);
	buf_addz(x.out, "</p>\n");
	for (uint32_t i = 0; i < n && rc == 0; i++) {
		web_disasm_add_routine(&x, &x.r->disasm->routine[i]);
		rc = web_rows_check(page, err);
	}
	web_row_links_free(x.links);
	return rc;
}

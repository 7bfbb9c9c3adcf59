/*
 * gate.c - the result of the gate as a page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/web/pages/compare.h"
#include "front/web/parts/table.h"
#include "front/web/parts/verdicts.h"
#include "front/web/pages/views.h"

#include "base/str.h"
#include "base/webpage.h"
#include "session/expression.h"
#include "viewers/json/report_json.h"
#include "viewers/text/gate.h"

#include <math.h>
#include <string.h>

/* Append text of several lines as paragraphs. */
static void web_gate_add_lines(const char *class, const char *before, const struct buf *text, struct buf *out)
{
	const char *line = buf_text(text);

	while (*line) {
		size_t n = strcspn(line, "\n");

		buf_addf(out, "<p class=\"%s\">%s", class, before);
		webpage_add_text(out, line, n);
		buf_addz(out, "</p>\n");
		line += n + (line[n] == '\n');
	}
}

static void web_gate_add_side(const char *title, const struct gate_side *s, struct buf *out)
{
	buf_addf(out, "<dt>%s</dt><dd>", title);
	text_gate_add_samples(s->samples, out);
	buf_addf(out, " in %u profile%s", s->n_files, s->n_files == 1 ? "" : "s");
	for (uint32_t i = 0; s->n_files > 1 && i < s->n_files; i++) {
		buf_addz(out, i ? ", " : ": ");
		web_add_name(out, s->source[i]);
	}
	buf_addz(out, "</dd>\n");
}

void web_gate_add_verdict(const struct gate_row *r, struct buf *out)
{
	buf_addf(out, "<b class=\"verdict-%s\">%s</b>", gate_verdict_key(r->verdict), gate_verdict_word(r->verdict));
}

/* Append why the row has its verdict. */
static void web_gate_add_reason(const struct gate *g, const struct gate_row *r, struct buf *out)
{
	if (*r->reason) {
		webpage_add_name(out, r->reason);
	} else if (r->verdict == GATE_UNRESOLVED && !isnan(r->p)) {
		buf_addz(out, "too few samples to tell");
	} else if (!isnan(r->p_adjusted)) {
		buf_addz(out, "p=");
		text_gate_add_p(r->p_adjusted, out);
		buf_addf(out, ", limit %+.6g%%", (isnan(r->limit) ? g->options->threshold : r->limit) * 100);
	}
	if (*r->old_name) {
		buf_addz(out, "; was ");
		web_add_name(out, r->old_name);
	}
	if (r->n_aliases) {
		buf_addz(out, "; also ");
		web_add_name(out, r->alias[0]);
		if (r->n_aliases > 1)
			buf_addf(out, " and %u more", r->n_aliases - 1);
	}
}

/* Append an expression for the functions of a name: the gate strips type arguments and the numbers of closures. */
static void gate_add_pattern(const struct gate *g, const char *name, struct buf *out)
{
	bool is_closure = ends_with(name, ".func") || ends_with(name, ".gowrap") || ends_with(name, "-range");

	if (g->options->exact_names) {
		expression_add_name(name, "", out);
		return;
	}
	buf_addz(out, "^");
	expression_add_literal(name, strlen(name), "", out);
	buf_addz(out, is_closure ? "[0-9.]*$" : "(\\[.*\\])?(-fm)?$");
}

enum {
	GATE_COL_NAME,
	GATE_COL_VERDICT,
	GATE_COL_CHANGE,
	GATE_COL_INTERVAL,
	GATE_COL_BEFORE,
	GATE_COL_AFTER,
	GATE_COL_SAMPLES_BEFORE,
	GATE_COL_SAMPLES_AFTER,
	GATE_COL_KIND,
	GATE_COL_REASON,
	GATE_N_COLS
};

static const struct web_column gate_columns[GATE_N_COLS] = {
	[GATE_COL_NAME] = { "name", "function", "name" },
	[GATE_COL_VERDICT] = { "verdict", "verdict", "text" },
	[GATE_COL_CHANGE] = { "change", "change", NULL },
	[GATE_COL_INTERVAL] = { NULL, "90% interval", "wide" },
	[GATE_COL_BEFORE] = { "before", "before", NULL },
	[GATE_COL_AFTER] = { "after", "after", NULL },
	[GATE_COL_SAMPLES_BEFORE] = { "samples_before", "samples before", "wide" },
	[GATE_COL_SAMPLES_AFTER] = { "samples_after", "samples after", "wide" },
	[GATE_COL_KIND] = { "kind", "kind", "text wide" },
	[GATE_COL_REASON] = { NULL, "reason", "reason" },
};

/* The number by which a column sorts a row. */
static double gate_number(const struct gate_row *r, size_t col)
{
	switch (col) {
	case GATE_COL_CHANGE:
		return r->ratio;
	case GATE_COL_BEFORE:
		return r->share[SIDE_BASE];
	case GATE_COL_AFTER:
		return r->share[SIDE_NEW];
	case GATE_COL_SAMPLES_BEFORE:
		return r->count[SIDE_BASE];
	case GATE_COL_SAMPLES_AFTER:
		return r->count[SIDE_NEW];
	case GATE_COL_KIND:
		return r->kind;
	default:
		return NAN;
	}
}

static void gate_add_name(const struct gate *g, struct web_row_links *links, const char *name, struct buf *out)
{
	struct buf pattern = { 0 };

	buf_addz(out, "<tr");
	web_add_name_attribute(out, *name ? name : "all functions");
	buf_addz(out, "><td class=\"name\"><div class=\"line\">");
	if (*name) {
		gate_add_pattern(g, name, &pattern);
		web_row_links_add_matches(links, buf_text(&pattern), name, out);
	} else {
		buf_addz(out, "all functions");
	}
	buf_addz(out, "</div></td>");
	buf_release(&pattern);
}

static void gate_add_row(const struct gate *g, const struct gate_row *r, struct web_row_links *links, struct buf *out)
{
	gate_add_name(g, links, r->name, out);
	buf_addz(out, "<td class=\"text\">");
	web_gate_add_verdict(r, out);
	buf_addz(out, "</td>");
	for (size_t col = GATE_COL_CHANGE; col < GATE_COL_REASON; col++) {
		web_order_add_cell(gate_columns[col].class, gate_number(r, col), out);
		if (col == GATE_COL_CHANGE)
			text_gate_add_change(r->ratio, out);
		else if (col == GATE_COL_INTERVAL)
			text_gate_add_interval(r->lo, r->hi, out);
		else if (col == GATE_COL_KIND)
			buf_addz(out, gate_kind_word(r->kind));
		else if (col == GATE_COL_SAMPLES_BEFORE || col == GATE_COL_SAMPLES_AFTER)
			text_gate_add_count(gate_number(r, col), out);
		else
			buf_addf(out, "%.1f%%", gate_number(r, col) * 100);
		buf_addz(out, "</td>");
	}
	buf_addz(out, "<td class=\"reason\">");
	web_gate_add_reason(g, r, out);
	buf_addz(out, "</td></tr>\n");
}

static int gate_add_rows(struct web_page *page, const struct gate *g, struct err *err)
{
	struct web_order order = web_order_choose(page, gate_columns, GATE_N_COLS, GATE_COL_VERDICT);
	struct web_order_row *row = arena_alloc(page->mem, g->n_rows, sizeof(*row));
	struct web_rows rows = web_rows_choose(page, g->n_rows, WEB_ROWS);
	struct web_row_links *links;
	struct buf *out = &page->main;
	int rc = 0;

	if (g->n_rows == 0)
		return 0;
	for (uint32_t i = 0; i < g->n_rows; i++)
		row[i] = (struct web_order_row){ i, gate_number(&g->row[i], order.col), g->row[i].name };
	web_order_sort(&order, row, g->n_rows);
	links = web_row_links_new(page);
	buf_addf(out, "<div class=\"scroll\"><table class=\"report sides\"%s>\n<caption>",
		 rows.from == 0 && rows.to == rows.n ? " data-whole=\"true\"" : "");
	web_rows_add_range(&rows, rows.n == 1 ? "test" : "tests", out);
	buf_addz(out, "</caption>\n<thead><tr>");
	web_order_add_heads(page, &order, out);
	buf_addz(out, "</tr></thead>\n<tbody>\n");
	for (uint64_t i = rows.from; rc == 0 && i < rows.to; i++) {
		gate_add_row(g, &g->row[row[i].row], links, out);
		rc = web_rows_check(page, err);
	}
	buf_addz(out, "</tbody></table></div>\n");
	web_rows_add_links(page, &rows, out);
	web_row_links_free(links);
	return rc;
}

/* Append what the result does not prove. */
static void add_limits(const struct gate *g, struct buf *out)
{
	if (g->side[SIDE_BASE].n_files == 1 || g->side[SIDE_NEW].n_files == 1)
		buf_addz(out,
			 "<p>A side is a single profile: the gate knows how many samples a function has, but not how "
			 "much two runs of the same program differ. Open several runs of each side to decide "
			 "more.</p>\n");
}

static void web_gate_add_messages(const char *before, const struct gate_message *m, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct buf text = { .data = (char *)(uintptr_t)m[i].text, .len = strlen(m[i].text) };

		web_gate_add_lines("faint", before, &text, out);
	}
}

/* Append the meaning of the verdicts, and what would be needed to decide. */
static void add_explanation(const struct gate *g, struct buf *out)
{
	struct buf text = { 0 };

	text_gate_add_advice(g, &text);
	text_gate_add_meaning(g, true, &text);
	text_gate_add_power(g, &text);
	web_gate_add_lines("needed", "", &text, out);
	buf_release(&text);
	web_gate_add_messages("note: ", g->note, g->n_notes, out);
	web_gate_add_messages("warning: ", g->warning, g->n_warnings, out);
}

void web_gate_add_outcome(const struct gate *g, struct buf *out)
{
	struct buf text = { 0 };

	text_gate_add_summary(g, &text);
	buf_addf(out, "<b class=\"verdict-%s\">%s</b> ", g->outcome == GATE_FAILED ? "fail" : "other",
		 gate_outcome_word(g->outcome));
	webpage_add_name(out, buf_text(&text));
	buf_release(&text);
}

int web_draw_gate(struct web_page *page, struct err *err)
{
	struct buf *out = &page->main;
	const struct gate *g;
	int rc = web_get_gate(page, &g, err);

	if (rc < 0)
		return rc;
	web_compare_add_head(page, out);
	buf_addz(out, "<p role=\"status\">");
	web_gate_add_outcome(g, out);
	buf_addz(out, "</p>\n");
	add_limits(g, out);
	buf_addz(out, "<dl class=\"sides\">");
	web_gate_add_side("before (base)", &g->side[SIDE_BASE], out);
	web_gate_add_side("after (new)", &g->side[SIDE_NEW], out);
	buf_addz(out, "<dt>type</dt><dd>");
	webpage_add_name(out, g->type);
	buf_addf(out, ", relative to %s</dd></dl>\n", text_gate_relative_to(g->options->normalize));
	rc = gate_add_rows(page, g, err);
	add_explanation(g, out);
	buf_addz(out, "<p><a href=\"");
	web_link_end(web_link_start(page), "gate.json", out);
	buf_addz(out, "\">JSON</a></p>\n");
	web_put_gate(page, g);
	return rc;
}

int web_send_verdicts(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	const struct gate *g;
	int rc = *ext && strcmp(ext, "json") != 0 ? err_set(err, ERR_USAGE, "unknown format %.20s; use gate.json", ext)
						  : web_get_gate(page, &g, err);

	if (rc < 0)
		return rc;
	out->type = "application/json";
	json_draw_gate(g, &out->body);
	web_put_gate(page, g);
	return 0;
}

int web_send_flame_verdicts(struct web_page *page, const char *ext, struct http_response *out, struct err *err)
{
	int rc = web_send_verdicts(page, ext, out, err);

	if (rc < 0 && !*ext && err->code == ERR_FORMAT) { /* profiles that cannot be compared: the page says why */
		json_draw_gate(&(struct gate){ .outcome = GATE_ERROR, .status = 2, .error = err->msg }, &out->body);
		out->type = "application/json";
		rc = 0;
	}
	return rc;
}

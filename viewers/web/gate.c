/*
 * gate.c - the result of the gate as a page
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/web/compare.h"
#include "viewers/web/verdicts.h"
#include "viewers/web/views.h"

#include "base/str.h"
#include "session/expression.h"
#include "viewers/html/html.h"
#include "viewers/json/gate_json.h"
#include "viewers/text/gate.h"

#include <math.h>
#include <string.h>

/* Append text of several lines as paragraphs. */
static void add_lines(const char *class, const char *before, const struct buf *text, struct buf *out)
{
	const char *line = buf_text(text);

	while (*line) {
		size_t n = strcspn(line, "\n");

		buf_addf(out, "<p class=\"%s\">%s", class, before);
		html_add(out, line, n);
		buf_addz(out, "</p>\n");
		line += n + (line[n] == '\n');
	}
}

static void add_side(const char *title, const struct gate_side *s, struct buf *out)
{
	buf_addf(out, "<dt>%s</dt><dd>", title);
	text_gate_add_samples(s->samples, out);
	buf_addf(out, " in %u profile%s: ", s->n_files, s->n_files == 1 ? "" : "s");
	for (uint32_t i = 0; i < s->n_files; i++) {
		buf_addz(out, i ? ", " : "");
		web_add_name(out, s->source[i]);
	}
	buf_addz(out, "</dd>\n");
}

void web_add_verdict(const struct gate_row *r, struct buf *out)
{
	buf_addf(out, "<b class=\"verdict-%s\">%s</b>", gate_verdict_key(r->verdict), gate_verdict_word(r->verdict));
}

/* Append why the row has its verdict. */
static void add_reason(const struct gate *g, const struct gate_row *r, struct buf *out)
{
	if (*r->reason) {
		html_add_name(out, r->reason);
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

/* Append a name as a link to its functions: the gate strips type arguments and the numbers of closures. */
static void add_name(const struct web_page *page, const struct gate *g, const char *name, struct buf *out)
{
	bool is_closure = ends_with(name, ".func") || ends_with(name, ".gowrap") || ends_with(name, "-range");
	struct buf pattern = { 0 };

	if (g->options->exact_names) {
		web_add_pivot(page, name, NULL, out);
		return;
	}
	buf_addz(&pattern, "^");
	expression_add_literal(name, strlen(name), "", &pattern);
	buf_addz(&pattern, is_closure ? "[0-9.]*$" : "(\\[.*\\])?(-fm)?$");
	web_add_pivot(page, name, buf_text(&pattern), out);
	buf_release(&pattern);
}

static void add_row(const struct web_page *page, const struct gate *g, const struct gate_row *r, struct buf *out)
{
	buf_addz(out, "<tr><td class=\"text\">");
	web_add_verdict(r, out);
	buf_addz(out, "</td><td>");
	text_gate_add_change(r->ratio, out);
	buf_addz(out, "</td><td class=\"wide\">");
	text_gate_add_interval(r->lo, r->hi, out);
	buf_addf(out, "</td><td>%.1f%%</td><td>%.1f%%</td><td class=\"wide\">", r->share[STATS_BASE] * 100,
		 r->share[STATS_NEW] * 100);
	text_gate_add_count(r->count[STATS_BASE], out);
	buf_addz(out, "</td><td class=\"wide\">");
	text_gate_add_count(r->count[STATS_NEW], out);
	buf_addf(out, "</td><td class=\"text\">%s</td><td class=\"name\">", gate_kind_word(r->kind));
	if (*r->name)
		add_name(page, g, r->name, out);
	else
		buf_addz(out, "all functions");
	buf_addz(out, "</td><td class=\"reason\">");
	add_reason(g, r, out);
	buf_addz(out, "</td></tr>\n");
}

static void add_rows(const struct web_page *page, const struct gate *g, struct buf *out)
{
	static const char *const title[][2] = { { "verdict", " class=\"text\"" },
						{ "change", "" },
						{ "90% interval", " class=\"wide\"" },
						{ "before", "" },
						{ "after", "" },
						{ "samples before", " class=\"wide\"" },
						{ "samples after", " class=\"wide\"" },
						{ "kind", " class=\"text\"" },
						{ "function", " class=\"name\"" },
						{ "reason", " class=\"text\"" } };

	if (g->n_rows == 0)
		return;
	buf_addz(out, "<div class=\"scroll\"><table class=\"report\"><thead><tr>");
	for (size_t i = 0; i < sizeof(title) / sizeof(title[0]); i++)
		buf_addf(out, "<th scope=\"col\"%s>%s</th>", title[i][1], title[i][0]);
	buf_addz(out, "</tr></thead>\n<tbody>\n");
	for (uint32_t i = 0; i < g->n_rows; i++)
		add_row(page, g, &g->row[i], out);
	buf_addz(out, "</tbody></table></div>\n");
}

/* Append what the result does not prove. */
static void add_limits(const struct gate *g, struct buf *out)
{
	if (g->side[STATS_BASE].n_files == 1 || g->side[STATS_NEW].n_files == 1)
		buf_addz(out,
			 "<p>A side is a single profile: the gate knows how many samples a function has, but not how "
			 "much two runs of the same program differ. Open several runs of each side to decide "
			 "more.</p>\n");
}

static void add_messages(const char *before, const struct gate_message *m, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		const struct buf text = { .data = (char *)(uintptr_t)m[i].text, .len = strlen(m[i].text) };

		add_lines("faint", before, &text, out);
	}
}

/* Append the meaning of the verdicts, and what would be needed to decide. */
static void add_explanation(const struct gate *g, struct buf *out)
{
	struct buf text = { 0 };

	text_gate_add_advice(g, &text);
	text_gate_add_meaning(g, true, &text);
	text_gate_add_power(g, &text);
	add_lines("needed", "", &text, out);
	buf_release(&text);
	add_messages("note: ", g->note, g->n_notes, out);
	add_messages("warning: ", g->warning, g->n_warnings, out);
}

void web_add_outcome(const struct gate *g, struct buf *out)
{
	struct buf text = { 0 };

	text_gate_add_summary(g, &text);
	buf_addf(out, "<b class=\"verdict-%s\">%s</b> ", g->outcome == GATE_FAILED ? "fail" : "other",
		 gate_outcome_word(g->outcome));
	html_add_name(out, buf_text(&text));
	buf_release(&text);
}

int web_draw_gate(struct web_page *page, struct err *err)
{
	struct buf *out = &page->main;
	const struct gate *g;
	int rc = web_get_gate(page, &g, err);

	if (rc < 0)
		return rc;
	web_add_compare_head(page, out);
	buf_addz(out, "<p role=\"status\">");
	web_add_outcome(g, out);
	buf_addz(out, "</p>\n");
	add_limits(g, out);
	buf_addz(out, "<div class=\"about\"><dl>");
	add_side("before", &g->side[STATS_BASE], out);
	add_side("after", &g->side[STATS_NEW], out);
	buf_addz(out, "<dt>type</dt><dd>");
	html_add_name(out, g->type);
	buf_addf(out, ", relative to %s</dd></dl></div>\n", text_gate_relative_to(g->options->normalize));
	add_rows(page, g, out);
	add_explanation(g, out);
	buf_addz(out, "<p><a href=\"");
	web_link_end(web_link_start(page), "gate.json", out);
	buf_addz(out, "\">JSON</a></p>\n");
	web_put_gate(page, g);
	return 0;
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

/*
 * markdown.c - the result of a gate as Markdown, for a job summary or a comment
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Names of functions and files are code spans. In messages, which may quote them, characters that could start markup, a
 * tag or a link are written as character references. A zero-width character separates the signs of user names and
 * issues from the names, since GitHub searches for them in the rendered text.
 */
#include "config.h"

#include "viewers/ci/ci.h"

#include "base/utf8.h"
#include "viewers/ci/ci_int.h"
#include "viewers/text/gate.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/*
 * A comment has at most 65536 characters. Rows and messages are added while the text is shorter than these limits in
 * bytes; the last one added has at most 5000 bytes.
 */
enum { ROOM_ROWS = 40000, ROOM_MESSAGES = 52000, NAME_BYTES = 120, SENTENCE_BYTES = 400 };

struct markdown {
	const struct gate *g;
	struct buf *out;
	size_t start;
};

static bool ci_markdown_has_room(const struct markdown *m, size_t room)
{
	return m->out->len - m->start < room;
}

static void add_sentence(const char *s, struct buf *out)
{
	struct buf safe = { 0 };

	ci_add_name(s, SENTENCE_BYTES, &safe);
	for (size_t i = 0; i < safe.len; i++) {
		char c = safe.data[i], last = i ? safe.data[i - 1] : ' ';
		bool is_plain = isalnum((unsigned char)c) || (unsigned char)c >= 0x80 || strchr(" ,%()/;'\"=", c) ||
				(strchr("+-", c) && i > 0) || (c == '.' && !strchr("wW", last)) ||
				(c == ':' && safe.data[i + 1] != '/');

		if (is_plain)
			buf_add(out, &c, 1);
		else
			buf_addf(out, "&#%d;", c);
		if (c == '@' || c == '#')
			buf_addz(out, "\xe2\x80\x8b");
	}
	buf_release(&safe);
}

static void ci_markdown_add_code(const char *s, struct buf *out)
{
	struct buf text = { 0 };

	ci_add_name(s, NAME_BYTES, &text);
	utf8_add_code(out, buf_text(&text));
	buf_release(&text);
}

static void ci_markdown_add_place(const struct gate_row *r, struct buf *out)
{
	struct buf place = { 0 };

	if (*r->file) {
		ci_add_path(r->file, &place);
		if (r->line > 0)
			buf_addf(&place, ":%d", ci_line(r->line));
		ci_markdown_add_code(buf_text(&place), out);
	}
	buf_release(&place);
}

static void ci_markdown_add_function(const struct gate_row *r, struct buf *out)
{
	uint32_t shown = r->n_aliases <= CI_ALIASES ? r->n_aliases : CI_ALIASES - 1;

	ci_markdown_add_code(r->name, out);
	buf_addf(out, " %s", gate_kind_word(r->kind));
	if (*r->old_name) {
		buf_addz(out, ", was ");
		ci_markdown_add_code(r->old_name, out);
	}
	for (uint32_t i = 0; i < shown; i++) {
		buf_addz(out, i ? ", " : ", the same samples: ");
		ci_markdown_add_code(r->alias[i], out);
	}
	if (shown < r->n_aliases)
		buf_addf(out, " and %" PRIu32 " more", r->n_aliases - shown);
	if (*r->reason) {
		buf_addz(out, "; ");
		add_sentence(r->reason, out);
	}
}

static void ci_markdown_add_row(const struct gate_row *r, struct buf *out)
{
	buf_addf(out, "| %s | ", gate_verdict_word(r->verdict));
	ci_markdown_add_function(r, out);
	buf_addz(out, " | ");
	if (!isnan(r->ratio))
		text_gate_add_change(r->ratio, out);
	buf_addz(out, " | ");
	if (!isnan(r->lo) && !isnan(r->hi))
		text_gate_add_interval(r->lo, r->hi, out);
	buf_addf(out, " | %.1f%% | %.1f%% | ", 100 * r->share[SIDE_BASE], 100 * r->share[SIDE_NEW]);
	if (!isnan(r->p_adjusted))
		text_gate_add_p(r->p_adjusted, out);
	buf_addz(out, " | ");
	ci_markdown_add_place(r, out);
	buf_addz(out, " |\n");
}

/* Returns true for rows that need attention; these are not folded. */
static bool is_open(const struct gate_row *r)
{
	return r->verdict == GATE_FAIL || r->verdict == GATE_SUSPECT;
}

/* Append the table of the rows that are open, or of the others. */
static void ci_markdown_add_table(struct markdown *m, bool open)
{
	uint32_t left = 0;

	buf_addz(m->out, "| verdict | function | change | 90% interval | base | new | p | where |\n"
			 "|---|---|---:|---|---:|---:|---:|---|\n");
	for (uint32_t i = 0; i < m->g->n_rows; i++) {
		const struct gate_row *r = &m->g->row[i];

		if (is_open(r) != open)
			continue;
		if (left == 0 && ci_markdown_has_room(m, ROOM_ROWS))
			ci_markdown_add_row(r, m->out);
		else
			left++;
	}
	if (left)
		buf_addf(m->out, "\n%" PRIu32 " more are not shown.\n", left);
}

static void ci_markdown_add_rows(struct markdown *m)
{
	uint32_t open = 0, closed;

	for (uint32_t i = 0; i < m->g->n_rows; i++)
		open += is_open(&m->g->row[i]);
	closed = m->g->n_rows - open;
	if (open) {
		ci_markdown_add_table(m, true);
		buf_addz(m->out, "\n");
	}
	if (!closed)
		return;
	/* an empty line switches from HTML back to Markdown */
	buf_addf(m->out, "<details><summary>%" PRIu32 " %sfunction%s</summary>\n\n", closed, open ? "other " : "",
		 closed == 1 ? "" : "s");
	ci_markdown_add_table(m, false);
	buf_addz(m->out, "\n</details>\n\n");
}

static void ci_markdown_add_messages(struct markdown *m, const char *title, const struct gate_message *message,
				     uint32_t n)
{
	uint32_t i = 0;

	for (; i < n && ci_markdown_has_room(m, ROOM_MESSAGES); i++) {
		buf_addf(m->out, "- %s", title);
		add_sentence(message[i].text, m->out);
		buf_addz(m->out, "\n");
	}
	if (i < n)
		buf_addf(m->out, "- %sand %" PRIu32 " more\n", title, n - i);
}

static void ci_markdown_add_renames(struct markdown *m)
{
	uint32_t i = 0;

	for (; i < m->g->n_renames && ci_markdown_has_room(m, ROOM_MESSAGES); i++) {
		const struct gate_rename *r = &m->g->rename[i];

		buf_addz(m->out, r->is_explicit ? "- renamed: " : "- renamed? ");
		ci_markdown_add_code(r->from, m->out);
		buf_addz(m->out, " -> ");
		ci_markdown_add_code(r->to, m->out);
		if (isfinite(r->ratio))
			buf_addf(m->out, " (x%.2f)", r->ratio);
		buf_addz(m->out, "\n");
	}
	if (i < m->g->n_renames)
		buf_addf(m->out, "- and %" PRIu32 " more\n", m->g->n_renames - i);
}

void ci_draw_markdown(const struct gate *g, struct buf *out)
{
	struct markdown m = { g, out, out->len };

	buf_addf(out, g->outcome == GATE_INCONCLUSIVE ? "### cpa gate: %s: " : "### cpa gate: %s, ",
		 gate_outcome_word(g->outcome));
	if (g->outcome == GATE_ERROR) {
		buf_addz(out, "nothing was decided\n\n");
		add_sentence(g->error, out);
		buf_addz(out, "\n");
		return;
	}
	text_gate_add_summary(g, out);
	buf_addz(out, "\n\n");
	ci_add_sides(g, out);
	buf_addz(out, "\n\n");
	ci_markdown_add_rows(&m);
	ci_markdown_add_messages(&m, "**warning:** ", g->warning, g->n_warnings);
	ci_markdown_add_messages(&m, "", g->note, g->n_notes);
	ci_markdown_add_renames(&m);
	if (g->n_warnings + g->n_notes + g->n_renames)
		buf_addz(out, "\n");
	text_gate_add_advice(g, out);
	ci_add_power(g, out);
	buf_addz(out, "\n");
}

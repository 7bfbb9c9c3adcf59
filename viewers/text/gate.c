/*
 * gate.c - the answer of a gate as text
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Numbers come first and names last: on a narrow terminal a long name goes on in the next line and no column moves.
 */
#include "config.h"

#include "viewers/text/gate.h"

#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/compare.h"
#include "viewers/text/gate_words.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
	WIDTH_VERDICT = 8,
	WIDTH_UNRESOLVED = 10,
	WIDTH_CHANGE = 7,
	WIDTH_INTERVAL = 16,
	WIDTH_SHARE = 6,
	WIDTH_KIND = 5
};
enum {
	LINE = 80,
	AND_MORE = sizeof(" and 99 more") - 1,
	ALIASES_NAMED = 1,
	ROWS_NAMED = 10,
	SHORT_NAME = 60,
	COMPACT_NAME = 120,
	DETAIL = 10
};

struct drawing {
	const struct gate *g;
	bool color, all;
	struct buf *out;
};

static const char *color_of(enum gate_verdict v)
{
	switch (v) {
	case GATE_FAIL:
		return "\033[1;31m";
	case GATE_SUSPECT:
		return "\033[33m";
	case GATE_OK:
	case GATE_IMPROVED:
		return "\033[32m";
	case GATE_MOVED:
	case GATE_NEW:
	case GATE_GONE:
	case GATE_UNRESOLVED:
	case GATE_SKIPPED:
	case N_GATE_VERDICTS:
		break;
	}
	return "";
}

/* What it is all about: names whole, all rows. */
static bool is_red(enum gate_verdict v)
{
	return v == GATE_FAIL || v == GATE_SUSPECT;
}

static void add_colored(const struct drawing *d, const char *color, const char *text, size_t n)
{
	bool on = d->color && *color;

	buf_addz(d->out, on ? color : "");
	buf_add(d->out, text, n);
	buf_addz(d->out, on ? "\033[0m" : "");
}

static void add_headline(const struct drawing *d)
{
	static const enum gate_verdict like[] = {
		[GATE_PASS] = GATE_OK, [GATE_RED] = GATE_FAIL, [GATE_INCONCLUSIVE] = GATE_SUSPECT
	};
	const char *word = gate_outcome_word(d->g->outcome);

	buf_addz(d->out, "cpa gate: ");
	add_colored(d, color_of(like[d->g->outcome]), word, strlen(word));
	buf_addz(d->out, "  ");
	text_gate_add_summary(d->g, d->out);
	buf_addz(d->out, "\n");
	text_gate_add_advice(d->g, d->out);
	buf_addz(d->out, "\n");
}

/* A name that is not the subject of its line. */
static void add_short(const char *name, size_t max, struct buf *out)
{
	struct buf text = { 0 };

	utf8_add_short(&text, name, strlen(name), max);
	utf8_add_safe(out, buf_text(&text), text.len);
	buf_release(&text);
}

/* As many sources as the line has room for behind n characters, but one at least. */
static void add_sources(const struct gate_side *s, size_t n, struct buf *out)
{
	uint32_t named = 0;
	struct buf text = { 0 };

	for (; named < s->n_files; named++) {
		text.len = 0;
		buf_addz(&text, named ? ", " : ": ");
		add_short(s->source[named], SHORT_NAME, &text);
		n += utf8_count(buf_text(&text), text.len);
		if (named && n + (named + 1 < s->n_files ? AND_MORE : 0) > LINE)
			break;
		buf_add(out, buf_text(&text), text.len);
	}
	if (named < s->n_files)
		buf_addf(out, " and %" PRIu32 " more", s->n_files - named);
	buf_release(&text);
}

static void add_side(const char *title, const struct gate_side *s, struct buf *out)
{
	size_t start = out->len;

	buf_addz(out, title);
	text_gate_add_samples(s->samples, out);
	if (s->n_files > 1)
		buf_addf(out, " in %" PRIu32 " profiles", s->n_files);
	if (s->seconds > 0 && s->seconds < 1e9) {
		buf_addz(out, ", ");
		unit_add_label(out, (int64_t)(s->seconds * 1e9), "ns", "auto");
	}
	add_sources(s, out->len - start, out);
	buf_addz(out, "\n");
}

static void add_compared(const struct gate *g, struct buf *out)
{
	add_side("base  ", &g->side[STATS_BASE], out);
	add_side("new   ", &g->side[STATS_NEW], out);
	buf_addz(out, "type  ");
	utf8_add_safe(out, g->type, strlen(g->type));
	if (*g->unit && strcmp(g->unit, "count") != 0) {
		buf_addz(out, " in ");
		utf8_add_safe(out, g->unit, strlen(g->unit));
	}
	buf_addf(out, "; relative to %s", text_gate_relative_to(g->options->normalize));
	if (isfinite(g->total_ratio))
		buf_addf(out, " (total: x%.2f)", g->total_ratio);
	buf_addz(out, "\n");
}

static void add_titles(size_t width, struct buf *out)
{
	buf_addf(out, "%-*s %*s %*s %*s %*s  %-*s function\n", (int)width, "verdict", WIDTH_CHANGE, "change",
		 WIDTH_INTERVAL, "90% interval", WIDTH_SHARE, "base", WIDTH_SHARE, "new", WIDTH_KIND, "kind");
}

static void add_right(struct buf *text, size_t width, struct buf *out)
{
	text_compare_add_right(text, width, out);
	text->len = 0;
}

static void add_share(double share, struct buf *text, struct buf *out)
{
	if (isfinite(share) && share != 0)
		buf_addf(text, "%.1f%%", share * 100);
	else
		buf_addz(text, "-");
	add_right(text, WIDTH_SHARE, out);
}

/* The line of a row: verdict, change, interval, shares, name. */
static void add_numbers(const struct drawing *d, const struct gate_row *r, size_t width)
{
	const char *word = gate_verdict_word(r->verdict);
	struct buf text = { 0 }, cell = { 0 };

	add_colored(d, color_of(r->verdict), word, strlen(word));
	buf_fill(d->out, ' ', strlen(word) < width ? width - strlen(word) : 0);
	text_gate_add_change(r->ratio, &text);
	text_compare_add_right(&text, WIDTH_CHANGE, &cell);
	add_colored(d, color_of(r->verdict), buf_text(&cell), cell.len);
	text.len = 0;
	text_gate_add_interval(r->lo, r->hi, &text);
	add_right(&text, WIDTH_INTERVAL, d->out);
	add_share(r->share[STATS_BASE], &text, d->out);
	add_share(r->share[STATS_NEW], &text, d->out);
	buf_addf(d->out, "  %-*s ", WIDTH_KIND, gate_kind_word(r->kind));
	if (r->kind == GATE_TOTAL && !*r->name)
		buf_addz(d->out, "(the whole program)");
	add_short(r->name, is_red(r->verdict) || d->all ? SIZE_MAX : COMPACT_NAME, d->out);
	buf_addz(d->out, "\n");
	buf_release(&text);
	buf_release(&cell);
}

static void add_place(const struct gate_row *r, struct buf *out)
{
	if (!*r->file)
		return;
	buf_addz(out, ", ");
	utf8_add_safe(out, r->file, strlen(r->file));
	if (r->line > 0)
		buf_addf(out, ":%" PRId64, r->line);
}

static void add_amounts(const struct gate *g, const struct gate_row *r, struct buf *out)
{
	struct buf text = { 0 };

	if (strcmp(g->unit, "count") != 0)
		for (int side = 0; side < N_STATS_SIDES; side++) {
			buf_addz(&text, side ? " -> " : "");
			unit_add_label(&text, text_gate_whole(r->value[side]), g->unit, "auto");
		}
	utf8_add_safe(out, buf_text(&text), text.len); /* the unit is the profile's own text */
	buf_addz(out, text.len ? ", " : "");
	buf_release(&text);
	if (r->count[STATS_BASE] >= STATS_COUNT_MAX && r->count[STATS_NEW] >= STATS_COUNT_MAX) {
		text_gate_add_samples(r->count[STATS_NEW], out);
		return;
	}
	text_gate_add_count(r->count[STATS_BASE], out);
	buf_addz(out, " -> ");
	text_gate_add_count(r->count[STATS_NEW], out);
	buf_addz(out, " samples");
}

static void add_aliases(const struct drawing *d, const struct gate_row *r)
{
	uint32_t n = d->all || r->n_aliases < ALIASES_NAMED ? r->n_aliases : ALIASES_NAMED;

	for (uint32_t i = 0; i < n; i++) {
		if (i == 0) {
			buf_fill(d->out, ' ', DETAIL);
			buf_addz(d->out, "= ");
		} else {
			buf_addz(d->out, ", ");
		}
		add_short(r->alias[i], SHORT_NAME, d->out);
	}
	if (n < r->n_aliases)
		buf_addf(d->out, " and %" PRIu32 " more", r->n_aliases - n);
	if (n)
		buf_addz(d->out, "\n");
}

static void add_line(const struct drawing *d, const char *lead, const char *text)
{
	if (!*text)
		return;
	buf_fill(d->out, ' ', DETAIL);
	buf_addz(d->out, lead);
	utf8_add_safe(d->out, text, strlen(text));
	buf_addz(d->out, "\n");
}

/* What stands below the line of a row. */
static void add_details(const struct drawing *d, const struct gate_row *r)
{
	if (is_red(r->verdict)) {
		buf_fill(d->out, ' ', DETAIL);
		add_amounts(d->g, r, d->out);
		if (!isnan(r->p_adjusted)) {
			buf_addz(d->out, ", p=");
			text_gate_add_p(r->p_adjusted, d->out);
		}
		add_place(r, d->out);
		buf_addz(d->out, "\n");
	}
	if (r->verdict != GATE_OK && r->verdict != GATE_UNRESOLVED)
		add_aliases(d, r);
	add_line(d, "was ", r->was);
	add_line(d, "", r->reason);
}

static bool is_listed(const struct drawing *d, enum gate_verdict v)
{
	return d->all || (v != GATE_OK && v != GATE_UNRESOLVED);
}

/* How many rows of a verdict are drawn at most. */
static uint32_t most_of(const struct drawing *d, enum gate_verdict v)
{
	return d->all || is_red(v) ? UINT32_MAX : ROWS_NAMED;
}

/* Gives whether there are any. */
static bool add_rows(const struct drawing *d)
{
	const struct gate *g = d->g;
	size_t width = d->all ? WIDTH_UNRESOLVED : WIDTH_VERDICT;
	uint32_t drawn = 0, n[N_GATE_VERDICTS] = { 0 };

	for (uint32_t i = 0; i < g->n_rows; i++) {
		const struct gate_row *r = &g->row[i];

		if (!is_listed(d, r->verdict) || n[r->verdict]++ >= most_of(d, r->verdict))
			continue;
		if (drawn++ == 0)
			add_titles(width, d->out);
		add_numbers(d, r, width);
		add_details(d, r);
	}
	for (int v = 0; v < N_GATE_VERDICTS; v++)
		if (n[v] > most_of(d, (enum gate_verdict)v))
			buf_addf(d->out, "... and %" PRIu32 " more %s rows; --all lists them\n", n[v] - ROWS_NAMED,
				 gate_verdict_word((enum gate_verdict)v));
	return drawn;
}

static void add_rename(const struct gate_rename *r, struct buf *out)
{
	buf_addz(out, r->is_asked ? "note: renamed: " : "note: renamed? ");
	utf8_add_safe(out, r->from, strlen(r->from));
	buf_addz(out, " -> ");
	utf8_add_safe(out, r->to, strlen(r->to));
	if (isfinite(r->ratio))
		buf_addf(out, " (x%.2f)", r->ratio);
	buf_addz(out, "\n");
}

static void add_messages(const char *lead, const struct gate_message *m, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_addz(out, lead);
		utf8_add_safe(out, m[i].text, strlen(m[i].text));
		buf_addz(out, "\n");
	}
}

void text_draw_gate(const struct gate *g, bool color, bool all, struct buf *out)
{
	const struct drawing d = { .g = g, .color = color, .all = all, .out = out };

	add_headline(&d);
	add_compared(g, out);
	buf_addz(out, "\n");
	if (add_rows(&d))
		buf_addz(out, "\n");
	text_gate_add_meaning(g, all, out);
	text_gate_add_power(g, out);
	for (uint32_t i = 0; i < g->n_renames; i++)
		add_rename(&g->rename[i], out);
	add_messages("note: ", g->note, g->n_notes, out);
	add_messages("warning: ", g->warning, g->n_warnings, out);
}

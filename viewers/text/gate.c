/*
 * gate.c - the result of a gate as text, and formatting of its numbers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A message must not promise more than the test shows: PASS is "no evidence", not "nothing became slower".
 *
 * Numbers come first and names last, so that long names on a narrow terminal do not shift columns.
 */
#include "config.h"

#include "viewers/text/gate.h"

#include "base/str.h"
#include "base/time.h"
#include "base/unit.h"
#include "base/utf8.h"
#include "viewers/text/text.h"
#include "viewers/text/text_int.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* The largest ratio that is printed exactly. */
static const double ratio_max = 1000;

/* Round to the nearest int64_t, saturating; 0 for NAN. */
static int64_t text_gate_round(double v)
{
	if (isnan(v))
		return 0;
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)nearbyint(v);
}

void text_gate_add_count(double count, struct buf *out)
{
	char digits[32];

	if (!(fabs(count) < 1e15) || (count > 0 && count < 0.95)) {
		buf_addf(out, count < 1 ? "%.1g" : "%.3g", count);
		return;
	}
	snprintf(digits, sizeof(digits), "%s%.0f", count <= -0.5 ? "-" : "", fabs(count));
	unit_add_grouped(out, digits);
}

void text_gate_add_samples(double count, struct buf *out)
{
	if (count >= STATS_COUNT_MAX) {
		buf_addz(out, "exact counts");
		return;
	}
	text_gate_add_count(count, out);
	buf_addz(out, count > 0.5 && count < 1.5 ? " sample" : " samples");
}

void text_gate_add_change(double ratio, struct buf *out)
{
	double percent = (ratio - 1) * 100;

	if (isnan(ratio))
		buf_addz(out, "-");
	else if (fabs(percent) < 99.95)
		buf_addf(out, "%+.1f%%", fabs(percent) < 0.05 ? 0 : percent);
	else if (percent < 9999.5)
		buf_addf(out, "%+.0f%%", percent);
	else
		buf_addf(out, "x%.3g", ratio);
}

void text_gate_add_interval(double lo, double hi, struct buf *out)
{
	text_gate_add_change(lo, out);
	if (isnan(lo) || isnan(hi))
		return;
	if (hi >= ratio_max) {
		buf_addz(out, " and up");
		return;
	}
	buf_addz(out, " to ");
	text_gate_add_change(hi, out);
}

void text_gate_add_p(double p, struct buf *out)
{
	if (isnan(p))
		buf_addz(out, "-");
	else if (p < 1e-99)
		buf_addz(out, "0");
	else
		buf_addf(out, "%.2g", p);
}

const char *text_gate_relative_to(enum gate_normalize n)
{
	static const char *const what[] = {
		[GATE_BULK] = "the unchanged part of the program",
		[GATE_REST] = "the rest of the program",
		[GATE_WORK] = "the work done",
		[GATE_NONE] = "the number of profiles",
		[GATE_DURATION] = "the time captured",
		[GATE_SHARE] = "all samples of its side",
	};

	return what[n];
}

static void text_gate_add_number(const char *lead, uint32_t n, const char *what, struct buf *out)
{
	buf_addf(out, "%s%" PRIu32 " %s", lead, n, what);
}

/* Returns true if the test of the row shows a regression at level alpha. A verdict may also come from a budget. */
static bool is_slower(const struct gate_row *r, double alpha)
{
	return r->p_adjusted < alpha && r->ratio > 1 + r->limit;
}

static uint32_t count_slower(const struct gate *g, enum gate_verdict v, double alpha)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_rows; i++)
		n += g->row[i].verdict == v && is_slower(&g->row[i], alpha);
	return n;
}

/* Count functions that failed by --max-new. */
static uint32_t count_new_failures(const struct gate *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_rows; i++)
		n += g->row[i].failed_as_new;
	return n;
}

/* Count rows that a test shows to be within their limit; rows within a budget need no test. */
static uint32_t count_proved(const struct gate *g)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < g->n_rows; i++)
		n += g->row[i].verdict == GATE_OK && !isnan(g->row[i].p_adjusted);
	return n;
}

static bool has_one_limit(const struct gate *g)
{
	for (uint32_t i = 0; i < g->n_rows; i++)
		if (g->row[i].limit != g->options->threshold)
			return false;
	return true;
}

/* Append "+20%" or "its limit". */
static void text_gate_add_limit(const struct gate *g, const char *its, struct buf *out)
{
	if (has_one_limit(g))
		buf_addf(out, "%+.6g%%", g->options->threshold * 100);
	else
		buf_addz(out, its);
}

/* Append the number of rows that failed or are suspect; for PASS, that there is no evidence of a regression. */
static void add_found(const struct gate *g, struct buf *out)
{
	uint32_t n_slower = count_slower(g, GATE_FAIL, g->options->alpha), n_new = count_new_failures(g);
	uint32_t n_over = g->n_verdict[GATE_FAIL] - n_slower - n_new;

	if (g->outcome == GATE_PASS)
		buf_addz(out, g->n_verdict[GATE_SUSPECT] ? "no regression proved; " : "no evidence of regression; ");
	if (n_slower || (g->outcome == GATE_FAILED && !n_over && !n_new))
		text_gate_add_number("", n_slower, n_slower == 1 ? "regression, " : "regressions, ", out);
	if (n_new)
		text_gate_add_number(
			"", n_new, n_new == 1 ? "new function that adds cost, " : "new functions that add cost, ", out);
	if (n_over)
		text_gate_add_number("", n_over, "over budget, ", out);
	if (g->outcome == GATE_FAILED || g->n_verdict[GATE_SUSPECT])
		text_gate_add_number("", g->n_verdict[GATE_SUSPECT], "suspect, ", out);
}

/* Returns true if the configuration file selects the functions to test. */
static bool text_gate_has_gate_lines(const struct gate *g)
{
	for (size_t i = 0; i < g->options->n_rules; i++)
		if (g->options->rule[i].kind == GATE_ONLY)
			return true;
	return false;
}

/* Advice if nothing was tested. */
static const char *advice(const struct gate *g)
{
	if (g->is_nameless)
		return "Function names come from the binary: run cpa where it is available, or capture with "
		       "--symbolize.";
	if (g->n_verdict[GATE_UNRESOLVED])
		return "Filter less, or pass --normalize=none if both sides did the same work.";
	return text_gate_has_gate_lines(g)
		       ? "Check the gate lines, or capture longer or more runs and pass all profiles."
		       : "Capture longer or more runs, and pass all profiles.";
}

void text_gate_add_summary(const struct gate *g, struct buf *out)
{
	uint32_t n_proved = count_proved(g);

	if (g->outcome == GATE_ERROR) {
		buf_addz(out, "nothing was decided: ");
		utf8_add_safe(out, g->error, strlen(g->error));
		return;
	}
	if (g->outcome == GATE_INCONCLUSIVE) {
		utf8_add_safe(out, g->missing, strlen(g->missing));
		if (g->n_verdict[GATE_SUSPECT])
			text_gate_add_number("; ", g->n_verdict[GATE_SUSPECT], "suspect", out);
		return;
	}
	add_found(g, out);
	if (g->outcome == GATE_FAILED)
		text_gate_add_number("", n_proved, "within ", out);
	else if (n_proved)
		text_gate_add_number("", n_proved, "proved within ", out);
	else
		buf_addz(out, "none proved within ");
	text_gate_add_limit(g, "their limits", out);
	text_gate_add_number(", ", g->n_verdict[GATE_UNRESOLVED], "unresolved", out);
	if (g->n_verdict[GATE_NEW])
		text_gate_add_number(", ", g->n_verdict[GATE_NEW], "new", out);
}

void text_gate_add_advice(const struct gate *g, struct buf *out)
{
	if (g->outcome != GATE_INCONCLUSIVE)
		return;
	if (g->n_tests == 0)
		buf_addf(out, "%s\n", advice(g));
	else if (g->is_disjoint)
		buf_addz(out, "Check that both sides are from the same program. Functions that only one side has are "
			      "not tested; use --rename for renamed ones.\n");
	else if (g->is_underpowered && isfinite(g->need_samples))
		buf_addf(out,
			 "A function with %.3g%% of the total that becomes %.3g%% more expensive could be "
			 "missed.\nCapture longer or more runs, and pass all profiles; or relax --need.\n",
			 g->need_share * 100, (g->need_ratio - 1) * 100);
}

/* Append the confidence: "99% confidence over all 60 tests". */
static void add_confidence(const struct gate *g, double alpha, struct buf *out)
{
	buf_addf(out, "with %.6g%% confidence", (1 - alpha) * 100);
	if (g->n_tests == 1)
		return;
	buf_addf(out,
		 g->options->adjust == STATS_HOLM ? " over all %" PRIu32 " tests"
						  : " in each of %" PRIu32 " tests separately",
		 g->n_tests);
}

/* Append the meaning of a verdict at level alpha. */
static void add_meaning(const struct gate *g, enum gate_verdict v, double alpha, struct buf *out)
{
	buf_addf(out, "%s: costs more%s ", gate_verdict_word(v), g->options->strict ? " by more than its limit," : "");
	if (g->options->adjust == STATS_BH && g->n_tests > 1)
		buf_addf(out, "except for %.6g%% of such rows", alpha * 100);
	else
		add_confidence(g, alpha, out);
	if (!g->options->strict) {
		buf_addz(out, "; estimate beyond ");
		text_gate_add_limit(g, "its limit", out);
	}
	buf_addz(out, "\n");
}

/* Returns true if there is an unresolved row that was tested. */
static bool has_unresolved(const struct gate *g)
{
	bool yes = false;

	for (uint32_t i = 0; i < g->n_rows && !yes; i++)
		yes = g->row[i].verdict == GATE_UNRESOLVED && !isnan(g->row[i].p);
	return yes;
}

void text_gate_add_meaning(const struct gate *g, bool all, struct buf *out)
{
	if (count_slower(g, GATE_FAIL, g->options->alpha))
		add_meaning(g, GATE_FAIL, g->options->alpha, out);
	if (count_slower(g, GATE_SUSPECT, g->options->alpha_suspect))
		add_meaning(g, GATE_SUSPECT, g->options->alpha_suspect, out);
	if (has_unresolved(g))
		buf_addf(out, "UNRESOLVED: too few samples to tell%s\n", all ? "" : "; --all lists every row");
}

static void text_gate_add_needed(const struct gate *g, struct buf *out)
{
	const struct gate_side *s = g->side;
	double have = 2 / (1 / s[SIDE_BASE].samples + 1 / s[SIDE_NEW].samples); /* harmonic mean of both sides */

	buf_addf(out, "to detect %+.6g%% at %.3g%% share: ", (g->need_ratio - 1) * 100, g->need_share * 100);
	if (isinf(g->need_samples)) {
		buf_addz(out, s[SIDE_BASE].n_files > 1 && s[SIDE_NEW].n_files > 1
				      ? "no length of these runs is enough; pass more runs per side\n"
				      : "no length of one run is enough; pass several runs per side\n");
		return;
	}
	text_gate_add_count(ceil(g->need_samples), out);
	buf_addz(out, " samples");
	if (g->need_seconds > 0 && g->need_seconds < 1e9) {
		buf_addz(out, " (");
		unit_add_label(out, (int64_t)ceil(g->need_seconds) * NS_PER_S, "ns", "auto");
		buf_addz(out, ")");
	}
	buf_addz(out, fmax(s[SIDE_BASE].samples, s[SIDE_NEW].samples) > 1.25 * have
			      ? " per side; these uneven sides are worth "
			      : " per side; you have ");
	if (have > 0.999 * STATS_COUNT_MAX) /* tolerance for rounding */
		text_gate_add_samples(STATS_COUNT_MAX, out);
	else
		text_gate_add_count(have, out);
	buf_addz(out, have >= g->need_samples ? ", enough\n" : "\n");
}

void text_gate_add_power(const struct gate *g, struct buf *out)
{
	if (g->n_tests == 0 && g->n_power) {
		buf_addz(out, "no power: no function was tested\n");
		return;
	}
	for (uint32_t i = 0; i < g->n_power; i++) {
		const struct gate_power *p = &g->power[i];

		buf_addz(out, i ? ", " : "80% power to detect: ");
		if (p->ratio < 10)
			buf_addf(out, "%+.0f%%", (p->ratio - 1) * 100);
		else if (p->ratio < ratio_max)
			buf_addf(out, "x%.0f", p->ratio);
		else
			buf_addz(out, "nothing");
		buf_addf(out, i ? " at %.3g%%" : " at %.3g%% share", p->share * 100);
		if (!(p->ratio < ratio_max)) { /* stop here, since smaller shares have less power */
			buf_addz(out, i + 1 < g->n_power ? " or less" : "");
			break;
		}
	}
	if (g->n_power)
		buf_addz(out, "\n");
	if (g->need_samples > 0)
		text_gate_add_needed(g, out);
}

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

struct gate_writer {
	const struct gate *g;
	bool color, all;
	struct buf *out;
};

static const char *text_gate_color_of(enum gate_verdict v)
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

/* Returns true for the verdicts that decide the outcome. All their rows are listed with full names. */
static bool is_decisive(enum gate_verdict v)
{
	return v == GATE_FAIL || v == GATE_SUSPECT;
}

static void add_colored(const struct gate_writer *d, const char *color, const char *text, size_t n)
{
	bool on = d->color && *color;

	buf_addz(d->out, on ? color : "");
	buf_add(d->out, text, n);
	buf_addz(d->out, on ? "\033[0m" : "");
}

static void add_headline(const struct gate_writer *d)
{
	static const enum gate_verdict like[] = { [GATE_PASS] = GATE_OK,
						  [GATE_FAILED] = GATE_FAIL,
						  [GATE_INCONCLUSIVE] = GATE_SUSPECT,
						  [GATE_ERROR] = GATE_FAIL };
	const char *word = gate_outcome_word(d->g->outcome);

	buf_addz(d->out, "cpa gate: ");
	add_colored(d, text_gate_color_of(like[d->g->outcome]), word, strlen(word));
	buf_addz(d->out, d->g->outcome == GATE_INCONCLUSIVE ? ": " : "  ");
	text_gate_add_summary(d->g, d->out);
	buf_addz(d->out, "\n");
	text_gate_add_advice(d->g, d->out);
}

/* Append a name, shortened to max bytes. */
static void add_short(const char *name, size_t max, struct buf *out)
{
	struct buf text = { 0 };

	utf8_add_short(&text, name, strlen(name), max);
	utf8_add_safe(out, buf_text(&text), text.len);
	buf_release(&text);
}

/* Append as many sources as fit on the line after n characters, at least one. */
static void text_gate_add_sources(const struct gate_side *s, size_t n, struct buf *out)
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

static void text_gate_add_side(const char *title, const struct gate_side *s, struct buf *out)
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
	text_gate_add_sources(s, out->len - start, out);
	buf_addz(out, "\n");
	text_add_traffic(s->traffic, &s->builds, "      ", out);
}

static void add_compared(const struct gate *g, struct buf *out)
{
	text_gate_add_side("base  ", &g->side[SIDE_BASE], out);
	text_gate_add_side("new   ", &g->side[SIDE_NEW], out);
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

static void text_gate_add_titles(size_t width, struct buf *out)
{
	buf_addf(out, "%-*s %*s %*s %*s %*s  %-*s function\n", (int)width, "verdict", WIDTH_CHANGE, "change",
		 WIDTH_INTERVAL, "90% interval", WIDTH_SHARE, "base", WIDTH_SHARE, "new", WIDTH_KIND, "kind");
}

static void text_gate_add_right(struct buf *text, size_t width, struct buf *out)
{
	text_compare_add_right(text, width, out);
	text->len = 0;
}

static void text_gate_add_share(double share, struct buf *text, struct buf *out)
{
	if (isfinite(share) && share != 0)
		buf_addf(text, "%.1f%%", share * 100);
	else
		buf_addz(text, "-");
	text_gate_add_right(text, WIDTH_SHARE, out);
}

/* Append the first line of a row: verdict, change, interval, shares, name. */
static void text_gate_add_numbers(const struct gate_writer *d, const struct gate_row *r, size_t width)
{
	const char *word = gate_verdict_word(r->verdict);
	struct buf text = { 0 }, cell = { 0 };

	add_colored(d, text_gate_color_of(r->verdict), word, strlen(word));
	buf_fill(d->out, ' ', strlen(word) < width ? width - strlen(word) : 0);
	text_gate_add_change(r->ratio, &text);
	text_compare_add_right(&text, WIDTH_CHANGE, &cell);
	add_colored(d, text_gate_color_of(r->verdict), buf_text(&cell), cell.len);
	text.len = 0;
	text_gate_add_interval(r->lo, r->hi, &text);
	text_gate_add_right(&text, WIDTH_INTERVAL, d->out);
	text_gate_add_share(r->share[SIDE_BASE], &text, d->out);
	text_gate_add_share(r->share[SIDE_NEW], &text, d->out);
	buf_addf(d->out, "  %-*s ", WIDTH_KIND, gate_kind_word(r->kind));
	if (r->kind == GATE_TOTAL && !*r->name)
		buf_addz(d->out, "(the whole program)");
	add_short(r->name, is_decisive(r->verdict) || d->all ? SIZE_MAX : COMPACT_NAME, d->out);
	buf_addz(d->out, "\n");
	buf_release(&text);
	buf_release(&cell);
}

static void text_gate_add_place(const struct gate_row *r, struct buf *out)
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
		for (int side = 0; side < N_SIDES; side++) {
			buf_addz(&text, side ? " -> " : "");
			unit_add_label(&text, text_gate_round(r->value[side]), g->unit, "auto");
		}
	utf8_add_safe(out, buf_text(&text), text.len); /* the unit comes from the profile */
	buf_addz(out, text.len ? ", " : "");
	buf_release(&text);
	if (r->count[SIDE_BASE] >= STATS_COUNT_MAX && r->count[SIDE_NEW] >= STATS_COUNT_MAX) {
		text_gate_add_samples(r->count[SIDE_NEW], out);
		return;
	}
	text_gate_add_count(r->count[SIDE_BASE], out);
	buf_addz(out, " -> ");
	text_gate_add_count(r->count[SIDE_NEW], out);
	buf_addz(out, " samples");
}

static void text_gate_add_aliases(const struct gate_writer *d, const struct gate_row *r)
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

static void text_gate_add_line(const struct gate_writer *d, const char *lead, const char *text)
{
	if (!*text)
		return;
	buf_fill(d->out, ' ', DETAIL);
	buf_addz(d->out, lead);
	utf8_add_safe(d->out, text, strlen(text));
	buf_addz(d->out, "\n");
}

/* Append the detail lines of a row. */
static void add_details(const struct gate_writer *d, const struct gate_row *r)
{
	if (is_decisive(r->verdict)) {
		buf_fill(d->out, ' ', DETAIL);
		add_amounts(d->g, r, d->out);
		if (!isnan(r->p_adjusted)) {
			buf_addz(d->out, ", p=");
			text_gate_add_p(r->p_adjusted, d->out);
		}
		text_gate_add_place(r, d->out);
		buf_addz(d->out, "\n");
	}
	if (r->verdict != GATE_OK && r->verdict != GATE_UNRESOLVED)
		text_gate_add_aliases(d, r);
	text_gate_add_line(d, "was ", r->old_name);
	text_gate_add_line(d, "", r->reason);
}

static bool text_gate_is_listed(const struct gate_writer *d, enum gate_verdict v)
{
	return d->all || (v != GATE_OK && v != GATE_UNRESOLVED);
}

/* Largest number of rows listed per verdict. */
static uint32_t rows_max(const struct gate_writer *d, enum gate_verdict v)
{
	return d->all || is_decisive(v) ? UINT32_MAX : ROWS_NAMED;
}

/* Append the rows. Returns true if there are any. */
static bool text_gate_add_rows(const struct gate_writer *d)
{
	const struct gate *g = d->g;
	size_t width = d->all ? WIDTH_UNRESOLVED : WIDTH_VERDICT;
	uint32_t drawn = 0, n[N_GATE_VERDICTS] = { 0 };

	for (uint32_t i = 0; i < g->n_rows; i++) {
		const struct gate_row *r = &g->row[i];

		if (!text_gate_is_listed(d, r->verdict) || n[r->verdict]++ >= rows_max(d, r->verdict))
			continue;
		if (drawn++ == 0)
			text_gate_add_titles(width, d->out);
		text_gate_add_numbers(d, r, width);
		add_details(d, r);
	}
	for (int v = 0; v < N_GATE_VERDICTS; v++)
		if (n[v] > rows_max(d, (enum gate_verdict)v))
			buf_addf(d->out, "... and %" PRIu32 " more %s rows; --all lists them\n", n[v] - ROWS_NAMED,
				 gate_verdict_word((enum gate_verdict)v));
	return drawn;
}

static void text_gate_add_rename(const struct gate_rename *r, struct buf *out)
{
	buf_addz(out, r->is_explicit ? "note: renamed: " : "note: renamed? ");
	utf8_add_safe(out, r->from, strlen(r->from));
	buf_addz(out, " -> ");
	utf8_add_safe(out, r->to, strlen(r->to));
	if (isfinite(r->ratio))
		buf_addf(out, " (x%.2f)", r->ratio);
	buf_addz(out, "\n");
}

static void text_gate_add_messages(const char *lead, const struct gate_message *m, uint32_t n, struct buf *out)
{
	for (uint32_t i = 0; i < n; i++) {
		buf_addz(out, lead);
		utf8_add_safe(out, m[i].text, strlen(m[i].text));
		buf_addz(out, "\n");
	}
}

void text_draw_gate(const struct gate *g, bool color, bool all, struct buf *out)
{
	const struct gate_writer d = { .g = g, .color = color, .all = all, .out = out };

	assert(g && out);
	add_headline(&d);
	if (g->outcome == GATE_ERROR)
		return;
	buf_addz(out, "\n");
	add_compared(g, out);
	buf_addz(out, "\n");
	if (text_gate_add_rows(&d))
		buf_addz(out, "\n");
	text_gate_add_messages("warning: ", g->warning, g->n_warnings, out);
	buf_addz(out, g->n_warnings ? "\n" : "");
	text_gate_add_meaning(g, all, out);
	text_gate_add_power(g, out);
	for (uint32_t i = 0; i < g->n_renames; i++)
		text_gate_add_rename(&g->rename[i], out);
	text_gate_add_messages("note: ", g->note, g->n_notes, out);
}

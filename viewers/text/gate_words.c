/*
 * gate_words.c - numbers and sentences of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A sentence must not promise more than the test did: PASS is "no evidence", and not "nothing became slower".
 */
#include "config.h"

#include "viewers/text/gate_words.h"

#include "base/unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* From here on nobody minds the number. */
static const double ratio_past = 1000;

bool text_gate_is_one(double count)
{
	return count > 0.5 && count < 1.5;
}

int64_t text_gate_whole(double v)
{
	if (isnan(v))
		return 0;
	return v >= 0x1p63 ? INT64_MAX : v < -0x1p63 ? INT64_MIN : (int64_t)nearbyint(v);
}

void text_gate_add_count(double count, struct buf *out)
{
	char digits[32];
	size_t n;

	if (!(fabs(count) < 1e15) || (count > 0 && count < 0.95)) {
		buf_addf(out, count < 1 ? "%.1g" : "%.3g", count);
		return;
	}
	n = (size_t)snprintf(digits, sizeof(digits), "%.0f", fabs(count));
	if (count <= -0.5)
		buf_addz(out, "-");
	for (size_t i = 0; i < n; i++) {
		if (i && (n - i) % 3 == 0)
			buf_addz(out, ",");
		buf_add(out, &digits[i], 1);
	}
}

void text_gate_add_samples(double count, struct buf *out)
{
	if (count >= STATS_COUNT_MAX) {
		buf_addz(out, "exact counts");
		return;
	}
	text_gate_add_count(count, out);
	buf_addz(out, text_gate_is_one(count) ? " sample" : " samples");
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
	if (hi >= ratio_past) {
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

static void add_number(const char *lead, uint32_t n, const char *what, struct buf *out)
{
	buf_addf(out, "%s%" PRIu32 " %s", lead, n, what);
}

/* Became it slower, by its test with error alpha? A row can have its verdict from a budget, too. */
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

/* Rows that a test says are within their limit; one within its budget needs no test. */
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

/* "+20%", or "its limit". */
static void add_limit(const struct gate *g, const char *its, struct buf *out)
{
	if (has_one_limit(g))
		buf_addf(out, "%+.6g%%", g->options->threshold * 100);
	else
		buf_addz(out, its);
}

/* Of what failed or may fail; of a PASS that this is not known. */
static void add_found(const struct gate *g, struct buf *out)
{
	uint32_t n_slower = count_slower(g, GATE_FAIL, g->options->alpha), n_over = g->n_verdict[GATE_FAIL] - n_slower;

	if (g->outcome == GATE_PASS)
		buf_addz(out, "no evidence of regression; ");
	if (n_slower || (g->outcome == GATE_RED && !n_over))
		add_number("", n_slower, n_slower == 1 ? "regression, " : "regressions, ", out);
	if (n_over)
		add_number("", n_over, "over budget, ", out);
	if (g->outcome == GATE_RED || g->n_verdict[GATE_SUSPECT])
		add_number("", g->n_verdict[GATE_SUSPECT], "suspect, ", out);
}

/* Do lines of the file say which functions are tested? */
static bool has_choice(const struct gate *g)
{
	for (size_t i = 0; i < g->options->n_rules; i++)
		if (g->options->rule[i].kind == GATE_ONLY)
			return true;
	return false;
}

const char *text_gate_untested(const struct gate *g)
{
	if (g->n_verdict[GATE_UNRESOLVED]) /* large enough, and yet without a test */
		return "too little of the program is outside of the functions to compare them with";
	return has_choice(g) ? "no function that a gate line chooses has enough samples to be tested"
			     : "no function has enough samples to be tested";
}

/* What to do when there was no test. */
static const char *remedy(const struct gate *g)
{
	if (g->n_verdict[GATE_UNRESOLVED])
		return "Filter less, or say --normalize=none when both sides did the same work.";
	return has_choice(g) ? "Look at the gate lines; or capture longer, and pass all profiles."
			     : "Capture longer, or more often, and pass all profiles.";
}

void text_gate_add_summary(const struct gate *g, struct buf *out)
{
	uint32_t n_proved = count_proved(g);

	if (g->n_tests == 0 && g->n_verdict[GATE_SUSPECT] == 0 && g->outcome == GATE_INCONCLUSIVE) {
		buf_addz(out, text_gate_untested(g));
		return;
	}
	if (g->is_unlike && g->outcome == GATE_INCONCLUSIVE)
		buf_addz(out, "the sides have little in common; ");
	else if (g->is_weak && g->outcome == GATE_INCONCLUSIVE && g->n_verdict[GATE_SUSPECT] == 0)
		buf_addz(out, "too little to see even a doubled cost; ");
	add_found(g, out);
	if (g->outcome == GATE_RED)
		add_number("", n_proved, "within ", out);
	else if (n_proved)
		add_number("", n_proved, "proved within ", out);
	else
		buf_addz(out, "none proved within ");
	add_limit(g, "their limits", out);
	add_number(", ", g->n_verdict[GATE_UNRESOLVED], "unresolved", out);
	if (g->n_verdict[GATE_NEW])
		add_number(", ", g->n_verdict[GATE_NEW], "new", out);
}

void text_gate_add_advice(const struct gate *g, struct buf *out)
{
	if (g->outcome != GATE_INCONCLUSIVE)
		return;
	if (count_slower(g, GATE_SUSPECT, g->options->alpha_suspect) == 0 && g->n_verdict[GATE_SUSPECT])
		buf_addz(out, "More samples will not tell: see the reasons below.\n");
	else if (g->n_tests == 0)
		buf_addf(out, "%s\n", remedy(g));
	else if (g->is_unlike)
		buf_addz(out, "Are both of the same program? What only one side has is not tested; --rename tells new "
			      "names.\n");
	else if (g->n_verdict[GATE_SUSPECT])
		buf_addz(out, "May be slower, may be noise: capture more runs per side, or longer ones.\n");
	else if (g->is_weak)
		buf_addz(out, "A fifth of the program could have doubled unseen: capture more runs per side, or longer "
			      "ones.\n");
	else
		buf_addz(out, "Not enough samples for what --need asks: capture more runs per side, or longer ones.\n");
}

/* How sure: "99% confidence over all 60 tests". */
static void add_confidence(const struct gate *g, double alpha, struct buf *out)
{
	buf_addf(out, "with %.6g%% confidence", (1 - alpha) * 100);
	if (g->n_tests == 1)
		return;
	buf_addf(out,
		 g->options->adjust == STATS_HOLM ? " over all %" PRIu32 " tests"
						  : " in each of %" PRIu32 " tests alone",
		 g->n_tests);
}

/* What a row of this verdict is, with error alpha. */
static void add_promise(const struct gate *g, enum gate_verdict v, double alpha, struct buf *out)
{
	buf_addf(out, "%s: costs more%s ", gate_verdict_word(v), g->options->strict ? " by more than its limit," : "");
	if (g->options->adjust == STATS_BH && g->n_tests > 1)
		buf_addf(out, "but for %.6g%% of such rows", alpha * 100);
	else
		add_confidence(g, alpha, out);
	if (!g->options->strict) {
		buf_addz(out, "; estimate beyond ");
		add_limit(g, "its limit", out);
	}
	buf_addz(out, "\n");
}

/* By its test, and not for want of one. */
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
		add_promise(g, GATE_FAIL, g->options->alpha, out);
	if (count_slower(g, GATE_SUSPECT, g->options->alpha_suspect))
		add_promise(g, GATE_SUSPECT, g->options->alpha_suspect, out);
	if (has_unresolved(g))
		buf_addf(out, "unresolved: too few samples to tell%s\n", all ? "" : "; --all lists every row");
}

static void add_needed(const struct gate *g, struct buf *out)
{
	const struct gate_side *s = g->side;
	double have = 2 / (1 / s[STATS_BASE].samples + 1 / s[STATS_NEW].samples); /* sides that differ are worth that */

	buf_addf(out, "to catch %+.6g%% at %.3g%% share: ", (g->need_ratio - 1) * 100, g->need_share * 100);
	if (isinf(g->need_samples)) {
		buf_addz(out, s[STATS_BASE].n_files > 1 && s[STATS_NEW].n_files > 1
				      ? "no length of these runs is enough; it needs more runs per side\n"
				      : "no length of one run is enough; it needs several runs per side\n");
		return;
	}
	text_gate_add_count(ceil(g->need_samples), out);
	buf_addz(out, " samples");
	if (g->need_seconds > 0 && g->need_seconds < 1e9) {
		buf_addz(out, " (");
		unit_add_label(out, (int64_t)ceil(g->need_seconds) * 1000000000, "ns", "auto");
		buf_addz(out, ")");
	}
	buf_addz(out, fmax(s[STATS_BASE].samples, s[STATS_NEW].samples) > 1.25 * have
			      ? " per side; sides as uneven as here are worth "
			      : " per side; here are ");
	if (have > 0.999 * STATS_COUNT_MAX) /* of rounding */
		text_gate_add_samples(STATS_COUNT_MAX, out);
	else
		text_gate_add_count(have, out);
	buf_addz(out, have >= g->need_samples ? ", enough\n" : "\n");
}

void text_gate_add_power(const struct gate *g, struct buf *out)
{
	if (g->n_tests == 0 && g->n_power) {
		buf_addz(out, "could have caught nothing: no function was tested\n");
		return;
	}
	for (uint32_t i = 0; i < g->n_power; i++) {
		const struct gate_power *p = &g->power[i];

		buf_addz(out, i ? ", " : "could have caught (80%): ");
		if (p->ratio < 10)
			buf_addf(out, "%+.0f%%", (p->ratio - 1) * 100);
		else if (p->ratio < ratio_past)
			buf_addf(out, "x%.0f", p->ratio);
		else
			buf_addz(out, "nothing");
		buf_addf(out, i ? " at %.3g%%" : " at %.3g%% share", p->share * 100);
		if (!(p->ratio < ratio_past)) { /* nor at smaller shares */
			buf_addz(out, i + 1 < g->n_power ? " or less" : "");
			break;
		}
	}
	if (g->n_power)
		buf_addz(out, "\n");
	if (g->need_samples > 0)
		add_needed(g, out);
}

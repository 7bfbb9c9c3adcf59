/*
 * words.c - an answer of a gate in words: who, how much, how sure
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/ci/ci_int.h"

#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { ALIASES_SHOWN = 3 };

void ci_add_name(const char *name, size_t max, struct buf *out)
{
	struct buf safe = { 0 };

	text_add_safe(&safe, *name ? name : "?", *name ? strlen(name) : 1);
	text_add_short(out, buf_text(&safe), safe.len, max ? max : safe.len + 3);
	buf_release(&safe);
}

void ci_add_change(double ratio, struct buf *out)
{
	if (ratio >= 10)
		buf_addf(out, "x%.3g", ratio);
	else
		buf_addf(out, "%+.1f%%", 100 * (ratio - 1));
}

void ci_add_interval(const struct gate_row *r, struct buf *out)
{
	if (isnan(r->lo) || isnan(r->hi))
		return;
	buf_addz(out, isinf(r->hi) ? "at least " : "");
	ci_add_change(r->lo, out);
	if (isinf(r->hi))
		return;
	buf_addz(out, " to ");
	ci_add_change(r->hi, out);
}

void ci_add_chance(double p, struct buf *out)
{
	buf_addf(out, "%.2g", p > 1e-300 ? p : 1e-300);
}

static void add_share(double share, struct buf *out)
{
	buf_addf(out, "%.*f%%", share < 0.00095 ? 2 : 1, 100 * share);
}

/* A percentage that may be whole: 20%, 2.5%. */
static void add_percent(const char *sign, double part, struct buf *out)
{
	buf_addf(out, "%s%.4g%%", sign, 100 * part);
}

static void add_aliases(const struct gate_row *r, struct buf *out)
{
	uint32_t shown = r->n_aliases <= ALIASES_SHOWN ? r->n_aliases : ALIASES_SHOWN - 1;

	for (uint32_t i = 0; i < shown; i++) {
		buf_addz(out, i ? ", " : "; the same samples: ");
		ci_add_name(r->alias[i], CI_NAME_MAX, out);
	}
	if (shown < r->n_aliases)
		buf_addf(out, " and %" PRIu32 " more", r->n_aliases - shown);
}

static void add_size(const struct gate_row *r, struct buf *out)
{
	double base = r->share[STATS_BASE], now = r->share[STATS_NEW];

	if (!isnan(r->ratio)) {
		ci_add_change(r->ratio, out);
		if (!isnan(r->lo) && !isnan(r->hi)) {
			buf_addz(out, " (90% interval ");
			ci_add_interval(r, out);
			buf_addz(out, ")");
		}
		if (r->kind == GATE_TOTAL)
			return;
		buf_addz(out, ", from ");
		add_share(base, out);
		buf_addz(out, " to ");
		add_share(now, out);
	} else if (base > 0 && now > 0) {
		buf_addz(out, "from ");
		add_share(base, out);
		buf_addz(out, " to ");
		add_share(now, out);
	} else {
		buf_addz(out, now > 0 ? "new, " : "gone, ");
		add_share(now > 0 ? now : base, out);
	}
	buf_addz(out, " of the total");
}

void ci_add_row(const struct gate_row *r, struct buf *out)
{
	add_size(r, out);
	if (!isnan(r->p_adjusted) && r->verdict != GATE_IMPROVED) {
		buf_addz(out, ", p=");
		ci_add_chance(r->p_adjusted, out);
		buf_addz(out, ", limit ");
		add_percent("+", r->limit, out);
	}
	if (*r->reason) {
		buf_addz(out, "; ");
		ci_add_name(r->reason, 0, out);
	}
	if (*r->was) {
		buf_addz(out, "; was ");
		ci_add_name(r->was, CI_NAME_MAX, out);
	}
	add_aliases(r, out);
}

void ci_add_counts(const struct gate *g, struct buf *out)
{
	static const char *const word[N_GATE_VERDICTS][2] = {
		[GATE_FAIL] = { "regression", "regressions" },
		[GATE_SUSPECT] = { "suspect", "suspects" },
		[GATE_MOVED] = { "moved", "moved" },
		[GATE_NEW] = { "new", "new" },
		[GATE_IMPROVED] = { "improved", "improved" },
		[GATE_UNRESOLVED] = { "unresolved", "unresolved" },
		[GATE_OK] = { "within its limit", "within their limits" },
		[GATE_GONE] = { "gone", "gone" },
		[GATE_SKIPPED] = { "skipped", "skipped" },
	};

	for (int v = 0; v < N_GATE_VERDICTS; v++)
		if (v == GATE_FAIL || g->n_verdict[v])
			buf_addf(out, "%s%" PRIu32 " %s", v == GATE_FAIL ? "" : ", ", g->n_verdict[v],
				 word[v][g->n_verdict[v] != 1]);
}

void ci_add_sides(const struct gate *g, struct buf *out)
{
	static const char *const relative[] = {
		[GATE_BULK] = "relative to the unchanged part of the program",
		[GATE_REST] = "relative to the rest of the program",
		[GATE_WORK] = "for the same work",
		[GATE_NONE] = "per profile",
		[GATE_DURATION] = "for the same time",
		[GATE_SHARE] = "as shares of the total",
	};

	for (int side = 0; side < N_STATS_SIDES; side++)
		buf_addf(out, "%s%" PRIu32 " profile%s with %.0f samples, ",
			 side == STATS_BASE ? "Base: " : "new: ", g->side[side].n_files,
			 g->side[side].n_files == 1 ? "" : "s", g->side[side].samples);
	buf_addf(out, "%s; ", relative[g->how->normalize]);
	add_percent("", g->how->confidence, out);
	buf_addz(out, " confidence, threshold ");
	add_percent("+", g->how->threshold, out);
	buf_addz(out, ".");
}

void ci_add_power(const struct gate *g, struct buf *out)
{
	for (uint32_t i = 0; i < g->n_power; i++) {
		buf_addz(out, i ? ", " : "Would have been caught 8 times of 10: ");
		if (isfinite(g->power[i].ratio))
			buf_addf(out, "+%.0f%%", 100 * (g->power[i].ratio - 1));
		else
			buf_addz(out, "nothing");
		buf_addz(out, i ? " of " : " of a function with ");
		add_percent("", g->power[i].share, out);
	}
	if (g->n_power)
		buf_addz(out, " of the total.");
}

bool ci_is_long_enough(const struct gate *g)
{
	double base = g->side[STATS_BASE].samples, now = g->side[STATS_NEW].samples;

	return g->n_tests > 0 && 2 * base * now / (base + now) >= g->need_samples;
}

void ci_add_need(const struct gate *g, struct buf *out)
{
	bool is_enough = ci_is_long_enough(g), is_hopeless = isinf(g->need_samples);

	if (g->n_tests == 0) {
		buf_addz(out, "No function had enough samples to be tested.");
		return;
	}
	if (isnan(g->need_samples))
		return;
	buf_addz(out, is_enough ? "The profiles are long enough to catch " : "To catch ");
	add_percent("+", g->need_ratio - 1, out);
	buf_addz(out, " of a function with ");
	add_percent("", g->need_share, out);
	buf_addz(out, " of the total");
	if (is_hopeless)
		buf_addz(out, ", give several profiles per side: longer ones are no help");
	else if (!is_enough)
		buf_addf(out, ", take %.0f samples per side", ceil(g->need_samples));
	if (!is_enough && !is_hopeless && g->need_seconds > 0)
		buf_addf(out, ": %.0f s at the rate of the base", ceil(g->need_seconds));
	buf_addz(out, ".");
}

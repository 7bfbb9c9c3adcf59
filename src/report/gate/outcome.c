/*
 * outcome.c - outcome of a gate, and the missing data if it is inconclusive
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * FAIL needs a row that fails. PASS needs a comparison that can detect the regression of --need. Everything else is
 * inconclusive.
 */
#include "config.h"

#include "report/gate/decision.h"

#include "base/unit.h"

#include <assert.h>
#include <math.h>

/* Returns true if the sides have few samples in common functions. Different programs may share names such as
   main.main, and comparing these is meaningless. */
static bool has_little_in_common(const struct decision *d)
{
	static const double min_share = 0.25;
	double share[N_SIDES];

	decision_common_shares(d, share);
	return share[SIDE_BASE] < min_share || share[SIDE_NEW] < min_share;
}

/* Returns true if the comparison cannot detect the regression that a PASS requires. Exact counts need no power. */
static bool lacks_power(const struct decision *d)
{
	return !gate_is_exact(d->s) && !(decision_power_ratio(d, d->out->need_share) <= d->out->need_ratio);
}

static bool outcome_has_gate_lines(const struct gate_options *options)
{
	for (size_t i = 0; i < options->n_rules; i++)
		if (options->rule[i].kind == GATE_ONLY)
			return true;
	return false;
}

/* Largest share of samples in functions without names; with more there is nothing to test. */
static const double nameless_max = 0.5;

static const char *untested_reason(struct decision *d)
{
	uint32_t func;
	int side;

	d->out->is_nameless = decision_nameless_share(d, &func, &side) > nameless_max;
	if (d->out->is_nameless)
		return decision_text(d, "the functions of %s have no names", d->s->func[func].name);
	if (d->out->n_verdict[GATE_UNRESOLVED]) /* some are large enough, but were not tested */
		return "too few samples outside of the functions to compare with";
	return outcome_has_gate_lines(d->options)
		       ? "no function selected by a gate line has enough samples to be tested"
		       : "no function has enough samples to be tested";
}

/* Append "2,913 needed (29 s at 100 Hz)". */
static void outcome_add_needed(const struct gate *g, struct buf *out)
{
	double rate = g->need_seconds > 0 ? g->need_samples / g->need_seconds : 0;

	unit_add_count(out, (uint64_t)ceil(g->need_samples));
	buf_addz(out, " needed");
	if (!(rate > 0 && g->need_seconds < 1e9))
		return;
	buf_addz(out, " (");
	unit_add_count(out, (uint64_t)ceil(g->need_seconds));
	buf_addf(out, rate < 10 ? " s at %.2g Hz)" : " s at %.0f Hz)", rate);
}

/* Reason why the power is too low for PASS. */
static const char *underpowered_reason(struct decision *d)
{
	const struct gate *g = d->out;
	const struct gate_side *side = g->side;
	const char *reason = decision_unreliable(d), *text;
	struct buf out = { 0 };

	if (!reason)
		reason = decision_contention(d);
	if (reason)
		return reason;
	if (isinf(g->need_samples) && (side[SIDE_BASE].n_files == 1) != (side[SIDE_NEW].n_files == 1)) {
		buf_addf(&out,
			 "one run of %s does not show how runs vary: cannot detect a change of %+.3g%% in a function "
			 "with %.3g%% share; pass "
			 "several",
			 side[SIDE_NEW].n_files == 1 ? "new" : "base", (g->need_ratio - 1) * 100, g->need_share * 100);
	} else if (isinf(g->need_samples)) {
		buf_addf(&out,
			 "these runs differ too much to detect a change of %+.3g%% in a function with %.3g%% share; "
			 "pass %s runs per side",
			 (g->need_ratio - 1) * 100, g->need_share * 100,
			 side[SIDE_BASE].n_files > 1 && side[SIDE_NEW].n_files > 1 ? "more" : "several");
	} else {
		unit_add_count(&out, (uint64_t)nearbyint(fmin(decision_samples(d), ceil(g->need_samples) - 1)));
		buf_addz(&out, " samples per side, ");
		outcome_add_needed(g, &out);
	}
	text = decision_copy(d, buf_text(&out));
	buf_release(&out);
	return text;
}

/* Reason why the gate cannot decide; NULL for none. */
static const char *inconclusive_reason(struct decision *d)
{
	if (d->out->n_tests == 0)
		return untested_reason(d);
	if (d->out->is_disjoint)
		return "the sides have little in common";
	if (d->s->weights_unknown)
		return "the number of stacks is unknown";
	return lacks_power(d) ? underpowered_reason(d) : NULL;
}

void decision_find_outcome(struct decision *d)
{
	struct gate *g = d->out;
	const char *missing;

	assert(g->n_power > 0 || gate_is_exact(d->s));
	g->is_disjoint = has_little_in_common(d);
	g->is_underpowered = g->n_tests > 0 && lacks_power(d);
	missing = inconclusive_reason(d);
	g->missing = "";
	if (g->n_verdict[GATE_FAIL]) {
		g->outcome = GATE_FAILED;
		g->status = 1;
	} else if (missing) {
		g->outcome = GATE_INCONCLUSIVE;
		g->status = d->options->inconclusive;
		g->missing = missing;
	} else {
		g->outcome = GATE_PASS;
		g->status = 0;
	}
}

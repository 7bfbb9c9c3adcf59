/*
 * share_limits.c - functions whose share is too large: budgets and --max-new
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * k of n samples are in a function. Is its share larger than b? P(at least k of n | share b) = I_b(k, n - k + 1),
 * which is below alpha where the lower bound of Clopper and Pearson is above b. Samples are effective ones, so
 * k / n is the share of the values.
 */
#include "config.h"

#include "report/gate/decision.h"

#include "base/mem.h"
#include "base/regex.h"
#include "engine/stats/stats.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A share of the new side that has a limit. */
struct claim {
	uint32_t row;
	double limit;
	const struct gate_rule *rule; /* NULL for --max-new, and for new code that no test covers */
};

struct claims {
	struct claim *claim; /* [n] */
	double *p;
	size_t n, cap, cap_p;
};

static void add_claim(const struct decision *d, struct claims *c, uint32_t row, double limit,
		      const struct gate_rule *rule)
{
	const struct gate_row *shown = &d->row[row].shown;
	double phi = fmax(shown->phi, 1), k = shown->count[STATS_NEW];
	double n = shown->share[STATS_NEW] > 0 ? k / fmin(1, shown->share[STATS_NEW]) : 0;

	assert(row < d->n_rows && limit >= 0 && limit < 1);
	c->claim = mem_grow(c->claim, &c->cap, c->n + 1, sizeof(*c->claim));
	c->p = mem_grow(c->p, &c->cap_p, c->n + 1, sizeof(*c->p));
	c->p[c->n] = stats_beta(limit, k / phi, fmin((n - k) / phi + 1, STATS_COUNT_MAX));
	assert(c->p[c->n] >= 0 && c->p[c->n] <= 1);
	c->claim[c->n++] = (struct claim){ row, limit, rule };
}

/* Give the row of a claim its verdict and the reason. */
static void judge_claim(struct decision *d, const struct claim *claim, double p)
{
	struct decision_row *r = &d->row[claim->row];
	struct gate_row *row = &r->shown;
	double share = row->share[STATS_NEW] * 100, limit = claim->limit < 1e-8 ? 0 : claim->limit * 100;
	bool is_asked = claim->rule || d->options->max_new > 0;
	enum gate_verdict verdict = p < d->options->alpha && is_asked ? GATE_FAIL : GATE_SUSPECT;

	if (!(share > limit) || !(p < d->options->alpha_suspect) || row->verdict == GATE_FAIL)
		return;
	if (row->verdict == GATE_SUSPECT && verdict == GATE_SUSPECT)
		return;
	row->verdict = verdict;
	r->is_hidden = false;
	if (!is_asked)
		row->reason =
			"new, and no caller tells whether it costs more than what was there: --max-new=SHARE or an "
			"allow line decides, --rename tells what it was";
	else if (!claim->rule)
		row->reason = decision_text(d, "new: %.3g%% is more than --max-new=%.3g%%", share, limit);
	else
		row->reason = decision_text(d, "%.3g%% is more than its budget of %.3g%% (%s:%" PRIu32 ")", share,
					    limit, claim->rule->file, claim->rule->line);
}

static void judge_claims(struct decision *d, struct claims *c)
{
	stats_holm(c->p, c->n);
	for (size_t i = 0; i < c->n; i++)
		judge_claim(d, &c->claim[i], c->p[i]);
	free(c->claim);
	free(c->p);
}

/* Are all stacks of a row among those of another one? Both lists ascend. */
static bool is_within(const struct stats_counts *c, uint32_t row, uint32_t other)
{
	uint32_t at = c->row_off[other];

	for (uint32_t i = c->row_off[row]; i < c->row_off[row + 1]; i++) {
		while (at < c->row_off[other + 1] && c->row_class[at] < c->row_class[i])
			at++;
		if (at == c->row_off[other + 1] || c->row_class[at] != c->row_class[i])
			return false;
	}
	return true;
}

/* Does the test of a caller, or of the program, include the cost of a new function? */
static bool is_covered(const struct decision *d, uint32_t row)
{
	for (uint32_t i = 0; i < d->n_rows; i++) {
		enum gate_verdict v = d->row[i].shown.verdict;

		if (!isnan(d->row[i].shown.p) &&
		    (v == GATE_FAIL || v == GATE_SUSPECT || v == GATE_OK || v == GATE_IMPROVED) &&
		    is_within(&d->rows->counts, d->row[row].at, d->row[i].at))
			return true;
	}
	return false;
}

/* The share of the base in functions that the new side lacks. */
static double gone_share(const struct decision *d)
{
	const struct stats_counts *c = &d->rows->counts;
	bool *is_gone = mem_zalloc((size_t)c->n_classes + 1, sizeof(*is_gone));
	double sum = 0;

	for (uint32_t i = 0; i < d->n_rows; i++) {
		uint32_t row = d->row[i].at;

		for (uint32_t at = c->row_off[row]; d->row[i].shown.verdict == GATE_GONE && at < c->row_off[row + 1];
		     at++)
			is_gone[c->row_class[at]] = true;
	}
	for (uint32_t i = 0; i < c->n_classes; i++)
		sum += is_gone[i] ? c->value[STATS_BASE][i] : 0;
	assert(sum >= 0);
	free(is_gone);
	return sum / d->s->total[STATS_BASE];
}

/*
 * Check functions that the base does not have against --max-new. Without it their callers are judged. If no caller
 * has a verdict, as below a main function that is all of the program, a function fails to pass that adds more than
 * the limit to the rest of the program and costs more than all functions that are gone.
 */
static void judge_new(struct decision *d)
{
	double cost = d->judged->total_ratio > 0 ? d->judged->total_ratio : 1,
	       was = gone_share(d); /* of new, of base as 1 */
	struct claims c = { 0 };

	for (uint32_t i = 0; i < d->n_rows; i++) {
		const struct gate_row *row = &d->row[i].shown;
		double limit = d->options->max_new > 0 ? d->options->max_new : row->limit / (1 + row->limit);

		if (row->verdict != GATE_NEW || row->kind != GATE_CUM)
			continue;
		if (d->options->max_new > 0 ||
		    (row->share[STATS_NEW] > limit && row->share[STATS_NEW] * cost > (1 + row->limit) * was &&
		     !is_covered(d, i)))
			add_claim(d, &c, i, limit, NULL);
	}
	judge_claims(d, &c);
}

/* The last budget of a row, NULL when it has none. */
static const struct gate_rule *find_budget(const struct decision *d, uint32_t row)
{
	const struct gate_rule *found = NULL;

	for (size_t i = 0; i < d->options->n_rules; i++)
		if (d->options->rule[i].kind == GATE_BUDGET && gate_rule_fits(&d->options->rule[i], d->s, d->rows, row))
			found = &d->options->rule[i];
	return found;
}

/* Mark a budget as used when it matches any function: those with small shares are no rows. */
static void count_budget(struct decision *d, struct gate_rule *rule)
{
	for (uint32_t f = 0; f < d->s->n_funcs; f++) {
		const char *const text[] = { d->s->func[f].name, d->s->func[f].file };

		for (int i = 0; i < 2; i++) {
			bool yes = false;

			if (regex_match(rule->regex, text[i], strlen(text[i]), &yes, NULL) < 0) {
				decision_add_message(
					d, DECISION_WARNING, "too_slow",
					"%s:%" PRIu32
					": budget %s needs too many steps: it does not hold for all functions",
					rule->file, rule->line, rule->pattern);
				return;
			}
			if (yes) {
				rule->n_used++;
				return;
			}
		}
	}
}

void decision_check_shares(struct decision *d)
{
	struct claims c = { 0 };

	judge_new(d);
	for (size_t i = 0; i < d->options->n_rules; i++)
		if (d->options->rule[i].kind == GATE_BUDGET)
			count_budget(d, &d->options->rule[i]);
	for (uint32_t i = 0; i < d->n_rows; i++) {
		const struct gate_row *row = &d->row[i].shown;
		const struct gate_rule *rule = row->kind == GATE_CUM ? find_budget(d, d->row[i].at) : NULL;

		if (rule && row->value[STATS_NEW] > 0)
			add_claim(d, &c, i, rule->amount, rule);
	}
	judge_claims(d, &c);
}

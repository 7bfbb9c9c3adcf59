/*
 * share_limits.c - limits on shares of functions: new code and budgets
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * With k of n samples in a function, test whether its share exceeds b: P(at least k of n | share b) = I_b(k, n - k +
 * 1), which is below alpha if the lower bound of Clopper and Pearson is above b. k and n are effective samples, so k /
 * n is the share of the values.
 *
 * A new function has no ratio. If its share exceeds --max-new, the nearest caller that can be compared with the rest of
 * the program shows whether it adds cost or replaces other code.
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

/* A share of the new side, and its limit. */
struct limited_share {
	uint32_t row;
	double limit;
	const struct gate_rule *rule; /* budget line; NULL for --max-new */
};

struct claims {
	struct limited_share *limited_share; /* [n] */
	double *p;
	size_t n, cap, cap_p;
};

static void add_claim(const struct decision *d, struct claims *c, uint32_t row, double limit,
		      const struct gate_rule *rule)
{
	const struct gate_row *shown = &d->row[row].shown;
	double phi = fmax(shown->dispersion, 1), k = shown->count[SIDE_NEW];
	double n = shown->share[SIDE_NEW] > 0 ? k / fmin(1, shown->share[SIDE_NEW]) : 0;

	assert(row < d->n_rows && limit >= 0 && limit < 1);
	c->limited_share = mem_grow(c->limited_share, &c->cap, c->n + 1, sizeof(*c->limited_share));
	c->p = mem_grow(c->p, &c->cap_p, c->n + 1, sizeof(*c->p));
	c->p[c->n] = stats_beta(limit, k / phi, fmin((n - k) / phi + 1, STATS_COUNT_MAX));
	assert(c->p[c->n] >= 0 && c->p[c->n] <= 1);
	c->limited_share[c->n++] = (struct limited_share){ row, limit, rule };
}

/* Set verdict and reason of a row that exceeds its budget. */
static void judge_budget(struct decision *d, const struct limited_share *limited_share, double p)
{
	struct decision_row *r = &d->row[limited_share->row];
	struct gate_row *row = &r->shown;
	double share = row->share[SIDE_NEW] * 100, limit = limited_share->limit < 1e-8 ? 0 : limited_share->limit * 100;
	enum gate_verdict verdict = p < d->options->alpha ? GATE_FAIL : GATE_SUSPECT;

	r->is_over_budget = share > limit && p < d->options->alpha;
	if (!(share > limit) || !(p < d->options->alpha_suspect) || row->verdict == GATE_FAIL)
		return;
	if (row->verdict == GATE_SUSPECT && verdict == GATE_SUSPECT)
		return;
	row->verdict = verdict;
	r->is_hidden = false;
	row->reason = decision_text(d, "%.3g%% is more than its budget of %.3g%% (%s:%" PRIu32 ")", share, limit,
				    limited_share->rule->file, limited_share->rule->line);
}

/* Returns true if all stacks of a row are also in the other row. Both lists are ascending. */
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

/* Growth of a caller, or of the whole program, from base to new. */
struct growth {
	const char *name; /* name of the caller; "the program" if no caller can be compared */
	double ratio, limit;
	double increase;   /* increase of its value */
	double p_adjusted; /* P(ratio <= 1), corrected for all tests */
	double p_over;     /* P(ratio >= 1 + limit) */
};

/* Row of the nearest caller with a ratio; UINT32_MAX for none. */
static uint32_t find_caller(const struct decision *d, uint32_t row)
{
	const struct stats_counts *c = &d->rows->counts;
	uint32_t found = UINT32_MAX;

	for (uint32_t i = 0; i < d->n_rows; i++) {
		const struct gate_row *other = &d->row[i].shown;

		if (i == row || other->kind == GATE_FLAT || isnan(d->judged->row[d->row[i].index].ratio) ||
		    !is_within(c, d->row[row].index, d->row[i].index))
			continue;
		if (found == UINT32_MAX || other->value[SIDE_NEW] < d->row[found].shown.value[SIDE_NEW])
			found = i;
	}
	return found;
}

/* Probability of a log ratio at least this large. */
static double tail(double distance, double se, double nu)
{
	return se > 0 ? stats_t_tail(distance / se, nu) : distance > 0 ? 0 : 1;
}

static struct growth growth_of_row(const struct decision *d, uint32_t caller, double n_tests)
{
	const struct stats_row *t = &d->judged->row[d->row[caller].index];
	const struct gate_row *shown = &d->row[caller].shown;
	struct growth g = { .name = shown->kind == GATE_TOTAL ? "the program" : shown->name,
			    .ratio = t->ratio,
			    .limit = shown->limit,
			    .increase = t->value[SIDE_NEW] - t->value[SIDE_NEW] / t->ratio,
			    .p_over = t->p_over,
			    .p_adjusted = shown->p_adjusted };

	if (gate_is_exact(d->s) && !isnan(shown->p)) {
		g.p_over = shown->verdict == GATE_OK ? 0 : 1;
	} else if (isnan(shown->p)) { /* not tested: no gate line matches it */
		g.p_over = tail(log1p(g.limit) - log(t->ratio), t->se, t->nu);
		g.p_adjusted = fmin(1, tail(log(t->ratio), t->se, t->nu) * n_tests);
	}
	return g;
}

static struct growth growth_of_program(const struct decision *d, double n_tests)
{
	const struct stats_summary *j = d->judged;
	double value = d->s->total[SIDE_NEW];
	struct growth g = {
		.name = "the program", .ratio = j->growth, .limit = d->options->threshold, .p_adjusted = 1, .p_over = 1
	};

	if (isnan(j->growth))
		return g;
	g.increase = value - value / j->growth;
	g.p_over = tail(log1p(g.limit) - log(j->growth), j->growth_se, INFINITY);
	g.p_adjusted = fmin(1, tail(log(j->growth), j->growth_se, INFINITY) * n_tests);
	return g;
}

/* Judge a new function by its nearest caller: FAIL requires that the caller grew by at least half of the function's
 * value. */
static void judge_new_row(struct decision *d, uint32_t row, double n_tests)
{
	static const double grown_part = 0.5, p_proved = 0.05;
	struct gate_row *shown = &d->row[row].shown;
	double share = shown->share[SIDE_NEW] * 100, max = d->options->max_new < 1e-8 ? 0 : d->options->max_new * 100;
	uint32_t caller = find_caller(d, row);
	struct growth g = caller == UINT32_MAX ? growth_of_program(d, n_tests) : growth_of_row(d, caller, n_tests);
	const char *relation = caller == UINT32_MAX ? "" : ", which calls it,";

	if (isnan(g.ratio)) {
		shown->verdict = GATE_SUSPECT;
		shown->reason = decision_text(
			d, "new: %.3g%%, more than --max-new=%.3g%%, and too few unchanged samples to compare with",
			share, max);
	} else if (g.p_adjusted < d->options->alpha && g.increase >= grown_part * shown->value[SIDE_NEW]) {
		shown->verdict = GATE_FAIL;
		shown->failed_as_new = true;
		shown->reason =
			decision_text(d, "new: %.3g%%, more than --max-new=%.3g%%; %s%s costs %.2f times as much",
				      share, max, g.name, relation, g.ratio);
	} else if (g.p_over < p_proved) {
		shown->reason = decision_text(d, "new, but %s%s costs %.2f times as much, proved within %+.3g%%",
					      g.name, relation, g.ratio, g.limit * 100);
	} else {
		shown->verdict = GATE_SUSPECT;
		shown->reason = decision_text(d,
					      "new: %.3g%%, more than --max-new=%.3g%%; %s%s costs %.2f times as much, "
					      "which may be due to chance",
					      share, max, g.name, relation, g.ratio);
	}
}

/* Judge the functions that the base does not have and whose share exceeds --max-new. */
static void judge_new(struct decision *d)
{
	struct claims c = { 0 };
	size_t n_judged = 0;

	for (uint32_t i = 0; i < d->n_rows; i++)
		if (d->row[i].shown.verdict == GATE_NEW && d->row[i].shown.kind == GATE_CUM)
			add_claim(d, &c, i, d->options->max_new, NULL);
	stats_holm(c.p, c.n);
	for (size_t i = 0; i < c.n; i++)
		n_judged += c.p[i] < d->options->alpha;
	for (size_t i = 0; i < c.n; i++)
		if (c.p[i] < d->options->alpha)
			judge_new_row(d, c.limited_share[i].row, (double)d->out->n_tests + (double)n_judged);
	free(c.limited_share);
	free(c.p);
}

/* Last budget line of a row; NULL for none. */
static const struct gate_rule *find_budget(const struct decision *d, uint32_t row)
{
	const struct gate_rule *found = NULL;

	for (size_t i = 0; i < d->options->n_rules; i++)
		if (d->options->rule[i].kind == GATE_BUDGET &&
		    gate_rule_matches(&d->options->rule[i], d->s, d->rows, row))
			found = &d->options->rule[i];
	return found;
}

/* Count a budget as used if it matches any function, since functions with small shares have no rows. */
static void count_budget(struct decision *d, struct gate_rule *rule)
{
	for (uint32_t f = 0; f < d->s->n_funcs; f++) {
		const char *const text[] = { d->s->func[f].name, d->s->func[f].file };

		for (int i = 0; i < 2; i++) {
			bool yes = false;

			if (regex_match(rule->regex, text[i], strlen(text[i]), &yes, NULL) < 0) {
				decision_add_message(d, DECISION_WARNING, "too_slow",
						     "%s:%" PRIu32 ": budget %s: matching takes too many steps, so it "
						     "does not apply to all functions",
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
		const struct gate_rule *rule = row->kind == GATE_CUM ? find_budget(d, d->row[i].index) : NULL;

		if (rule && row->value[SIDE_NEW] > 0)
			add_claim(d, &c, i, rule->amount, rule);
	}
	stats_holm(c.p, c.n);
	for (size_t i = 0; i < c.n; i++)
		judge_budget(d, &c.limited_share[i], c.p[i]);
	free(c.limited_share);
	free(c.p);
}

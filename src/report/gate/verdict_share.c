/*
 * verdict_share.c - shares that are too large by themselves: budgets, and --max-new
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * k of n samples are in a function. Is its share larger than b? P(at least k of n | share b) = I_b(k, n - k + 1),
 * which is below alpha where the lower bound of Clopper and Pearson is above b. Samples are effective ones, so
 * k / n is the share of the values.
 */
#include "config.h"

#include "report/gate/decide_int.h"

#include "base/mem.h"
#include "base/regex.h"
#include "engine/stats/stats.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A share of the new side that has a limit. */
struct claim {
	uint32_t row;
	double limit;
	const struct gate_rule *rule; /* NULL for --max-new */
};

struct claims {
	struct claim *claim; /* [n] */
	double *p;
	size_t n, cap, cap_p;
};

static void add_claim(const struct deciding *d, struct claims *c, uint32_t row, double limit,
		      const struct gate_rule *rule)
{
	const struct gate_row *shown = &d->row[row].shown;
	double phi = fmax(shown->phi, 1), k = shown->count[STATS_NEW];
	double n = shown->share[STATS_NEW] > 0 ? k / fmin(1, shown->share[STATS_NEW]) : 0;

	c->claim = mem_grow(c->claim, &c->cap, c->n + 1, sizeof(*c->claim));
	c->p = mem_grow(c->p, &c->cap_p, c->n + 1, sizeof(*c->p));
	c->p[c->n] = stats_beta(limit, k / phi, fmin((n - k) / phi + 1, STATS_COUNT_MAX));
	c->claim[c->n++] = (struct claim){ row, limit, rule };
}

static void say_claim(struct deciding *d, const struct claim *claim, double p)
{
	struct decide_row *r = &d->row[claim->row];
	struct gate_row *row = &r->shown;
	double share = row->share[STATS_NEW] * 100, limit = claim->limit < 1e-8 ? 0 : claim->limit * 100;
	enum gate_verdict verdict = p < d->how->alpha ? GATE_FAIL : GATE_SUSPECT;

	if (!(share > limit) || !(p < d->how->alpha_suspect) || row->verdict == GATE_FAIL)
		return;
	if (row->verdict == GATE_SUSPECT && verdict == GATE_SUSPECT)
		return;
	row->verdict = verdict;
	r->is_hidden = false;
	if (!claim->rule)
		row->reason = decide_text(d, "new: %.3g%% is more than --max-new=%.3g%%", share, limit);
	else
		row->reason = decide_text(d, "%.3g%% is more than its budget of %.3g%% (%s:%" PRIu32 ")", share, limit,
					  claim->rule->file, claim->rule->line);
}

static void settle(struct deciding *d, struct claims *c)
{
	stats_holm(c->p, c->n);
	for (size_t i = 0; i < c->n; i++)
		say_claim(d, &c->claim[i], c->p[i]);
	free(c->claim);
	free(c->p);
}

/* Functions that the base does not have. */
static void judge_new(struct deciding *d)
{
	struct claims c = { 0 };

	for (uint32_t i = 0; i < d->n_rows; i++)
		if (d->row[i].shown.verdict == GATE_NEW && d->row[i].shown.kind == GATE_CUM)
			add_claim(d, &c, i, d->how->max_new, NULL);
	settle(d, &c);
}

/* The last budget of a row, NULL when it has none. */
static const struct gate_rule *find_budget(const struct deciding *d, uint32_t row)
{
	const struct gate_rule *found = NULL;

	for (size_t i = 0; i < d->how->n_rules; i++)
		if (d->how->rule[i].kind == GATE_BUDGET && gate_rule_fits(&d->how->rule[i], d->s, d->rows, row))
			found = &d->how->rule[i];
	return found;
}

/* Which budgets name a function at all? Functions with small shares are no rows. */
static void count_budget(struct deciding *d, struct gate_rule *rule)
{
	for (uint32_t f = 0; f < d->s->n_funcs; f++) {
		const char *const text[] = { d->s->func[f].name, d->s->func[f].file };

		for (int i = 0; i < 2; i++) {
			bool yes = false;

			if (regex_match(rule->regex, text[i], strlen(text[i]), &yes, NULL) < 0) {
				decide_say(d, DECIDE_WARNING, "too_slow",
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

void decide_shares(struct deciding *d)
{
	struct claims c = { 0 };

	if (d->how->max_new > 0)
		judge_new(d);
	for (size_t i = 0; i < d->how->n_rules; i++)
		if (d->how->rule[i].kind == GATE_BUDGET)
			count_budget(d, &d->how->rule[i]);
	for (uint32_t i = 0; i < d->n_rows; i++) {
		const struct gate_row *row = &d->row[i].shown;
		const struct gate_rule *rule = row->kind == GATE_CUM ? find_budget(d, d->row[i].at) : NULL;

		if (rule && row->value[STATS_NEW] > 0)
			add_claim(d, &c, i, rule->amount, rule);
	}
	settle(d, &c);
}

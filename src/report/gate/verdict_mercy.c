/*
 * verdict_mercy.c - what makes a verdict milder: allow lines, --runtime=warn, profiles that one pair of tells little
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/decide_int.h"

#include "engine/runtime_names.h"

#include <math.h>

/* A FAIL that is not sure enough, for this reason. */
static void doubt(struct gate_row *row, const char *reason)
{
	if (row->verdict != GATE_FAIL)
		return;
	row->verdict = GATE_SUSPECT;
	row->reason = reason;
}

const char *decide_unsure(const struct deciding *d)
{
	if (d->judged->has_replicates || d->s->error == GATE_POISSON || d->s->error == GATE_HEAP)
		return NULL;
	return d->s->error == GATE_DELAY
		       ? "a few long delays can make one pair differ so: pass several profiles per side"
		       : "one moment does not tell how sides differ: pass several profiles per side";
}

const char *decide_contention(struct deciding *d)
{
	static const double apart = 0.1;
	const struct gate_side *side = d->out->side;

	if (d->judged->has_replicates || d->options->has_own_fold ||
	    fabs(side[STATS_BASE].preempted - side[STATS_NEW].preempted) < apart)
		return NULL;
	return decide_text(d,
			   "one pair, of which %.0f%% of base were preempted and %.0f%% of new: pass several per side, "
			   "captured alternately",
			   side[STATS_BASE].preempted * 100, side[STATS_NEW].preempted * 100);
}

/* What one pair cannot prove. */
static void withdraw(struct gate_row *row, const char *unsure)
{
	if (!unsure)
		return;
	doubt(row, unsure);
	if (row->verdict == GATE_IMPROVED || row->verdict == GATE_OK)
		row->verdict = GATE_UNRESOLVED;
}

/* The last line that allows the row, NULL when none does. */
static const struct gate_rule *find_allow(const struct deciding *d, uint32_t row)
{
	const struct gate_rule *found = NULL;

	for (size_t i = 0; i < d->options->n_rules; i++) {
		struct gate_rule *rule = &d->options->rule[i];

		if (rule->kind != GATE_ALLOW || rule->is_expired || !gate_rule_fits(rule, d->s, d->rows, row))
			continue;
		rule->n_used++;
		found = rule;
	}
	return found;
}

/* An allow line holds for what would not pass; other rows keep what they are. */
static void allow(struct deciding *d, const struct gate_rule *rule, struct gate_row *row)
{
	if (row->verdict != GATE_FAIL && row->verdict != GATE_SUSPECT)
		return;
	row->reason = decide_text(d, "would be %s; allowed%s%s: %s", gate_verdict_word(row->verdict),
				  *rule->until ? " until " : "", rule->until, rule->reason);
	row->verdict = GATE_SKIPPED;
}

void decide_mercy(struct deciding *d)
{
	const char *unsure = decide_unsure(d), *contention = decide_contention(d);

	for (uint32_t i = 0; i < d->n_rows; i++) {
		struct decide_row *r = &d->row[i];
		const struct gate_rule *rule = r->is_hidden ? NULL : find_allow(d, r->at);

		if (d->options->warn_runtime && function_is_runtime(r->shown.name, r->shown.file))
			doubt(&r->shown, "of the runtime, which --runtime=warn makes SUSPECT at most");
		withdraw(&r->shown, unsure);
		if (contention)
			doubt(&r->shown, contention);
		if (rule)
			allow(d, rule, &r->shown);
	}
}

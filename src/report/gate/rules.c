/*
 * rules.c - apply the lines of gate.cpa to rows
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/rows_int.h"

#include <assert.h>
#include <math.h>
#include <string.h>

/* Match an expression. If it needs too many steps, it does not match. */
static bool matches_text(struct regex *r, const char *text)
{
	struct err err;
	bool yes = false;

	return *text && regex_match(r, text, strlen(text), &yes, &err) == 0 && yes;
}

bool gate_rule_matches_func(const struct gate_rule *rule, const struct gate_sums *s, const uint32_t *old_func,
			    uint32_t func)
{
	return matches_text(rule->regex, s->func[func].name) || matches_text(rule->regex, s->func[func].file) ||
	       (old_func[func] != GATE_NO_FUNC && (matches_text(rule->regex, s->func[old_func[func]].name) ||
						   matches_text(rule->regex, s->func[old_func[func]].file)));
}

bool gate_rule_matches(const struct gate_rule *rule, const struct gate_sums *s, const struct gate_rows *rows,
		       uint32_t row)
{
	const struct gate_source *source = &rows->source[row];
	bool yes;

	assert(row < rows->n && rule->regex);
	if (source->kind == GATE_TOTAL)
		return matches_text(rule->regex, "total");
	yes = gate_rule_matches_func(rule, s, rows->old_func, source->func);
	for (uint32_t i = 0; !yes && i < source->n_aliases; i++)
		yes = gate_rule_matches_func(rule, s, rows->old_func, source->alias[i]);
	return yes;
}

/* Last line of this kind that matches the row; NULL for none. */
static struct gate_rule *last_rule(const struct gate_sums *s, const struct gate_rows *rows, uint32_t row,
				   enum gate_rule_kind kind)
{
	for (size_t i = s->options->n_rules; i-- > 0;)
		if (s->options->rule[i].kind == kind && gate_rule_matches(&s->options->rule[i], s, rows, row))
			return &s->options->rule[i];
	return NULL;
}

/* Returns true if a gate line matches the row, or there is no gate line. Counts uses of all that match. */
static bool rules_is_selected(const struct gate_sums *s, const struct gate_rows *rows, uint32_t row)
{
	bool any = false, yes = false;

	for (size_t i = 0; i < s->options->n_rules; i++) {
		struct gate_rule *r = &s->options->rule[i];

		if (r->kind != GATE_ONLY)
			continue;
		any = true;
		if (!gate_rule_matches(r, s, rows, row))
			continue;
		yes = true;
		r->n_used++;
	}
	return yes || !any;
}

void gate_rows_apply_rules(const struct gate_picks *p, const uint32_t *first, const uint32_t *row_of, struct arena *mem,
			   struct gate_rows *out)
{
	const struct gate_sums *s = p->s;
	bool *is_tested = arena_zalloc(mem, (size_t)out->n + 1, sizeof(*is_tested));
	bool *is_reference = arena_zalloc(mem, (size_t)out->n + 1, sizeof(*is_reference));
	double *limit = arena_alloc(mem, (size_t)out->n + 1, sizeof(*limit));
	double *noise = arena_alloc(mem, (size_t)out->n + 1, sizeof(*noise));

	for (uint32_t i = 0; i < p->n; i++)
		if (row_of[i] != GATE_NO_FUNC)
			is_tested[row_of[i]] = p->pick[first[i]].is_above;
	for (uint32_t i = 0; i < out->n; i++) {
		struct gate_rule *r = last_rule(s, out, i, GATE_LIMIT);

		limit[i] = r ? r->amount : s->options->threshold;
		if (r)
			r->n_used++;
		r = last_rule(s, out, i, GATE_NOISE);
		noise[i] = r ? fmax(r->amount, s->options->noise) : s->options->noise;
		if (r)
			r->n_used++;
		assert(limit[i] >= 0 && noise[i] >= 0);
		is_reference[i] = out->source[i].kind == GATE_CUM && is_tested[i];
		is_tested[i] = (is_tested[i] || out->source[i].kind == GATE_TOTAL) && rules_is_selected(s, out, i);
	}
	out->counts.row_is_tested = is_tested;
	out->counts.row_is_reference = is_reference;
	out->counts.row_limit = limit;
	out->counts.row_noise = noise;
}

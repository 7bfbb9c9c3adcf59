/*
 * retain.c - the time for which profiles are kept in each tier
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/write/retain.h"

#include "base/amount.h"
#include "base/mem.h"
#include "base/time.h"

#include <stdlib.h>
#include <string.h>

/* A word of a line, which ends at a space. */
struct retain_word {
	const char *at;
	size_t n;
};

static bool retain_take_word(const char **at, const char *end, struct retain_word *w)
{
	while (*at < end && (**at == ' ' || **at == '\t'))
		++*at;
	w->at = *at;
	while (*at < end && **at != ' ' && **at != '\t')
		++*at;
	w->n = (size_t)(*at - w->at);
	return w->n > 0;
}

/* "{env=dev,region=eu}" */
static int retain_parse_labels(struct retain *r, struct retain_rule *rule, const struct retain_word *w, struct err *err)
{
	const char *at = w->at + 1, *end = w->at + w->n - 1;

	if (w->n < 2 || *end != '}')
		return err_set(err, ERR_USAGE, "retain %.*s: write {LABEL=VALUE,...}", (int)w->n, w->at);
	rule->label = arena_alloc(r->memory, w->n, sizeof(*rule->label));
	while (at < end) {
		const char *stop = memchr(at, ',', (size_t)(end - at));
		const char *equal;

		stop = stop ? stop : end;
		equal = memchr(at, '=', (size_t)(stop - at));
		if (!equal || equal == at || strpbrk(arena_strndup(r->memory, at, (size_t)(equal - at)), "!~"))
			return err_set(err, ERR_USAGE, "retain %.*s: write {LABEL=VALUE,...}", (int)w->n, w->at);
		rule->label[rule->n_labels++] =
			(struct store_label){ arena_strndup(r->memory, at, (size_t)(equal - at)),
					      arena_strndup(r->memory, equal + 1, (size_t)(stop - equal - 1)) };
		at = stop + (stop < end);
	}
	return 0;
}

/* "10m=90d" */
static int retain_parse_tier(struct retain_rule *rule, const struct retain_word *w, struct err *err)
{
	const char *equal = memchr(w->at, '=', w->n);
	size_t n = equal ? (size_t)(equal - w->at) : w->n;
	enum store_tier tier = store_tier_parse(w->at, n);
	char text[32];
	size_t n_text = equal ? w->n - n - 1 : 0;

	if (!equal || tier == N_TIERS || !n_text || n_text >= sizeof(text))
		return err_set(err, ERR_USAGE,
			       "retain %.*s: write raw=, 10m=, 1h= or 1d= and a duration, as in raw=14d",
			       (int)(w->n > 60 ? 60 : w->n), w->at);
	memcpy(text, equal + 1, n_text);
	text[n_text] = '\0';
	if (rule->keep_ns[tier])
		return err_set(err, ERR_USAGE, "retain %.*s: %s is given twice", (int)w->n, w->at,
			       store_tier_name(tier));
	if (strcmp(text, "forever") == 0) {
		rule->keep_ns[tier] = INT64_MAX;
		return 0;
	}
	if (text[n_text - 1] == 'y') { /* years of 365 days */
		char *end;
		unsigned long years = strtoul(text, &end, 10);

		if (*text < '0' || *text > '9' || *end != 'y' || years < 1 || years > 100)
			return err_set(err, ERR_USAGE, "retain %.*s: not a duration", (int)w->n, w->at);
		rule->keep_ns[tier] = (int64_t)years * 365 * NS_PER_DAY;
		return 0;
	}
	if (amount_parse_duration("retain", text, &rule->keep_ns[tier], err) < 0)
		return ERR_USAGE;
	if (rule->keep_ns[tier] < NS_PER_HOUR)
		return err_set(err, ERR_USAGE, "retain %.*s: the shortest is 1h", (int)w->n, w->at);
	return 0;
}

/* Coarser tiers must be kept longer. */
static int retain_check_order(const struct retain_rule *rule, struct err *err)
{
	int64_t last = 0;

	if (!rule->keep_ns[TIER_RAW])
		return err_set(err, ERR_USAGE, "retain: raw=DURATION is missing");
	for (int t = 0; t < N_TIERS; t++) {
		if (rule->keep_ns[t] && rule->keep_ns[t] <= last)
			return err_set(err, ERR_USAGE,
				       "retain: %s is kept up to an age, which must be larger than that of finer tiers",
				       store_tier_name((enum store_tier)t));
		last = rule->keep_ns[t] ? rule->keep_ns[t] : last;
	}
	return 0;
}

static int retain_parse_line(struct retain *r, const char *at, const char *end, size_t *cap, struct err *err)
{
	struct retain_rule rule = { 0 };
	struct retain_word w;
	bool is_first = true;

	while (retain_take_word(&at, end, &w)) {
		int rc = is_first && *w.at == '{' ? retain_parse_labels(r, &rule, &w, err)
						  : retain_parse_tier(&rule, &w, err);

		if (rc < 0)
			return rc;
		is_first = false;
	}
	if (is_first)
		return 0;
	if (retain_check_order(&rule, err) < 0)
		return ERR_USAGE;
	for (size_t i = 0; i < r->n; i++)
		if (!rule.n_labels && !r->rule[i].n_labels)
			return err_set(err, ERR_USAGE, "retain: two lines have no {LABEL=VALUE}");
	r->rule = mem_grow(r->rule, cap, r->n + 1, sizeof(*r->rule));
	r->rule[r->n++] = rule;
	return 0;
}

int retain_parse(const char *text, struct retain *out, struct err *err)
{
	static const char general_rule[] = RETAIN_DEFAULT;
	struct retain r = { .memory = arena_new() };
	size_t cap = 0, general;
	int rc = 0;

	for (const char *at = text, *end; rc == 0 && *at; at = end + (*end != '\0')) {
		end = at + strcspn(at, "\n");
		rc = retain_parse_line(&r, at, end, &cap, err);
	}
	for (general = 0; general < r.n && r.rule[general].n_labels;)
		general++;
	if (rc == 0 && general == r.n)
		rc = retain_parse_line(&r, general_rule, general_rule + strlen(general_rule), &cap, err);
	if (rc < 0) {
		retain_release(&r);
		return rc;
	}
	if (general + 1 < r.n) { /* the rule of all others is the last one */
		struct retain_rule last = r.rule[general];

		memmove(&r.rule[general], &r.rule[general + 1], (r.n - general - 1) * sizeof(last));
		r.rule[r.n - 1] = last;
	}
	*out = r;
	return 0;
}

void retain_release(struct retain *r)
{
	free(r->rule);
	arena_free(r->memory);
	*r = (struct retain){ 0 };
}

const struct retain_rule *retain_find(const struct retain *r, const struct chapter *c, uint32_t series)
{
	for (size_t i = 0; i + 1 < r->n; i++) {
		const struct retain_rule *rule = &r->rule[i];
		size_t k = 0;

		while (k < rule->n_labels && strcmp(chapter_label(c, &c->dict.series[series], rule->label[k].name),
						    rule->label[k].value) == 0)
			k++;
		if (k == rule->n_labels)
			return rule;
	}
	return &r->rule[r->n - 1];
}

enum store_tier retain_target(const struct retain_rule *rule, enum store_tier tier, int64_t age_ns)
{
	int64_t keep = 0;

	/* data that has become coarser for lack of room is kept as long as the finer tier */
	for (int t = 0; t <= (int)tier; t++)
		keep = rule->keep_ns[t] > keep ? rule->keep_ns[t] : keep;
	if (age_ns < keep)
		return tier;
	for (int t = (int)tier + 1; t < N_TIERS; t++)
		if (rule->keep_ns[t] > age_ns)
			return (enum store_tier)t;
	return N_TIERS;
}

bool retain_all_keep(const struct retain *r, enum store_tier tier, int64_t age_ns)
{
	for (size_t i = 0; i < r->n; i++)
		if (retain_target(&r->rule[i], tier, age_ns) != tier)
			return false;
	return true;
}

bool retain_none_keeps(const struct retain *r, enum store_tier tier, int64_t age_ns)
{
	for (size_t i = 0; i < r->n; i++)
		if (retain_target(&r->rule[i], tier, age_ns) != N_TIERS)
			return false;
	return r->n > 0;
}

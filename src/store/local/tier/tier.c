/*
 * tier.c - the slots of tiers, and the labels that they lack
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "store/local/tier/tier.h"

#include "base/str.h"
#include "base/time.h"

#include <string.h>
#include <time.h>

int64_t tier_slot_ns(enum store_tier tier)
{
	static const int64_t length[N_TIERS] = { 1, 10 * NS_PER_MINUTE, NS_PER_HOUR, NS_PER_DAY };

	return length[tier];
}

int64_t tier_slot_start(enum store_tier tier, int64_t ns)
{
	int64_t length = tier_slot_ns(tier), rest = ns % length, start;

	if (rest < 0)
		rest += length;
	return __builtin_sub_overflow(ns, rest, &start) ? INT64_MIN : start;
}

bool tier_drops_label(enum store_tier tier, const char *name)
{
	static const char *const names[] = { "instance", "pod", "host" };

	for (size_t i = 0; tier >= TIER_1H && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

/* The time of a comment "start: 2026-11-22T14:00:00Z"; 0 if it is something else. */
static int64_t tier_parse_start(const char *comment)
{
	struct tm tm = { 0 };
	const char *end;

	if (!starts_with(comment, "start: "))
		return 0;
	end = strptime(comment + strlen("start: "), "%Y-%m-%dT%H:%M:%S", &tm);
	return end && (*end == 'Z' || *end == '.') ? (int64_t)timegm(&tm) * NS_PER_S : 0;
}

struct tier_process tier_find_process(const struct dict *d, const struct dict_meta *m)
{
	struct tier_process p = { 0 };

	if (m->n_places)
		p.build = d->map[m->place[0].map].build_id;
	for (uint32_t i = 0; !p.started && i < m->n_comments; i++)
		p.started = tier_parse_start(strtab_text(d->str, m->comment[i]));
	return p;
}

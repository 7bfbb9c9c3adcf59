/*
 * plan.c - the windows that cpa watch compares
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "watch/plan.h"

#include "base/search.h"
#include "base/time.h"

#include <assert.h>

enum { MONTH_DAYS = 30, DEPLOYS_MIN = 30 };

double watch_confidence(const struct watch_rules *rules, size_t n_deploys)
{
	double checks = (double)(MONTH_DAYS * NS_PER_DAY) / (double)rules->every_ns;

	if (rules->every_ns < NS_PER_DAY)
		checks += MONTH_DAYS;
	return 1 - rules->alarms / (checks + (double)(n_deploys < DEPLOYS_MIN ? DEPLOYS_MIN : n_deploys));
}

struct watch_start {
	const int64_t *start;
	int64_t t;
};

static bool is_before(const void *arg, size_t i)
{
	const struct watch_start *s = arg;

	return s->start[i] < s->t;
}

static bool has_profiles(const struct watch_history *h, struct watch_span s)
{
	size_t i = lower_bound(0, h->n, is_before, &(struct watch_start){ h->start, s.t0 });

	return i < h->n && h->start[i] < s.t1;
}

/* Add the window that is ns before the new one, if it has profiles. */
static bool watch_add_base(const struct watch_history *h, int64_t ns, struct watch_check *check)
{
	struct watch_span s = { check->new.t0 - ns, check->new.t1 - ns };

	if (!has_profiles(h, s))
		return false;
	assert(check->n_base < WATCH_BASE_MAX);
	check->base[check->n_base++] = s;
	return true;
}

static void add_days(const struct watch_rules *r, const struct watch_history *h, struct watch_check *check)
{
	for (int64_t day = 1; day <= r->days; day++)
		watch_add_base(h, day * NS_PER_DAY, check);
}

/* Check the window of this length that ends at a time. */
static int check_regular(const struct watch_rules *r, const struct watch_history *h, int64_t end, int64_t ns,
			 watch_check_fn *fn, void *arg, struct err *err)
{
	struct watch_check check = { .new = { end - ns, end } };

	check.has_profiles = has_profiles(h, check.new);
	add_days(r, h, &check);
	return fn(arg, &check, err);
}

/* Make the check of deploy i. Returns false if the next deploy follows too early. */
static bool make_deploy(const struct watch_rules *r, const struct watch_history *h, size_t i, struct watch_check *check)
{
	int64_t deployed = h->deploy[i].time_ns, start = deployed + r->settle_ns, end = start + r->every_ns;

	if (i + 1 < h->n_deploys && h->deploy[i + 1].time_ns < end)
		end = h->deploy[i + 1].time_ns;
	if (end - start < r->every_ns / 2)
		return false;
	*check = (struct watch_check){ .deploy = &h->deploy[i], .new = { start, end } };
	check->has_profiles = has_profiles(h, check->new);
	/* windows that end at the deploy: the first of them begins end - start before it */
	for (int k = 1; k <= WATCH_BEFORE; k++)
		watch_add_base(h, start - deployed + k * (end - start), check);
	add_days(r, h, check);
	return true;
}

/* Find the check of the first deploy from *i on whose window ends after from. Returns false if there is none. */
static bool next_deploy(const struct watch_rules *r, const struct watch_history *h, int64_t from, size_t *i,
			struct watch_check *check)
{
	for (; *i < h->n_deploys; ++*i)
		if (make_deploy(r, h, *i, check) && check->new.t1 > from)
			return true;
	return false;
}

int watch_plan(const struct watch_rules *rules, const struct watch_history *h, int64_t from, int64_t deploys_from,
	       int64_t until, watch_check_fn *fn, void *arg, struct err *err)
{
	int64_t end = (from / rules->every_ns + 1) * rules->every_ns;
	struct watch_check deployed;
	size_t i = 0;
	bool has_deploy = next_deploy(rules, h, deploys_from, &i, &deployed);
	int rc = 0;

	assert(from >= 0 && NS_PER_DAY % rules->every_ns == 0);
	while (rc == 0 && (end <= until || (has_deploy && deployed.new.t1 <= until))) {
		if (has_deploy && deployed.new.t1 <= end) {
			rc = fn(arg, &deployed, err);
			i++;
			has_deploy = next_deploy(rules, h, deploys_from, &i, &deployed);
			continue;
		}
		rc = check_regular(rules, h, end, rules->every_ns, fn, arg, err);
		if (rc == 0 && rules->every_ns < NS_PER_DAY && end % NS_PER_DAY == 0)
			rc = check_regular(rules, h, end, NS_PER_DAY, fn, arg, err);
		end += rules->every_ns;
	}
	return rc;
}

/*
 * kinds.c - how the values of a profile were sampled, and what that says about their error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/kinds.h"

#include "base/str.h"
#include "base/unit.h"
#include "engine/view.h"
#include "profile/scale.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NAME_SIZE = 64 }; /* of a name that is known; longer ones are not */

#define STEP_NS 10000.0 /* nobody samples more often: a smaller step is chance */

/* What a sample type is, from its name and unit alone. */
enum family {
	FAMILY_SAMPLES,
	FAMILY_TIME,
	FAMILY_EVENTS,
	FAMILY_BYTES,
	FAMILY_OBJECTS,
	FAMILY_CONTENTIONS,
	FAMILY_DELAY,
	FAMILY_CENSUS,
	FAMILY_COUNT,
	FAMILY_OTHER
};

static bool is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

/* Is there a word before this ending? */
static bool has_ending(const char *name, const char *end)
{
	return strlen(name) > strlen(end) && ends_with(name, end);
}

static bool has_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strstr(name, *list))
			return true;
	return false;
}

/* The name of a type as it is compared, "" when it is too long. */
static void plain_name(const struct profile *p, uint32_t type, char out[NAME_SIZE])
{
	const char *name = profile_text(p, p->type[type].name);
	size_t n = strlen(name);

	for (size_t i = 0; i < n && n < NAME_SIZE; i++)
		out[i] = name[i] == '-' ? '_' : name[i] >= 'A' && name[i] <= 'Z' ? (char)(name[i] + 32) : name[i];
	out[n < NAME_SIZE ? n : 0] = 0;
}

static bool is_unit(const struct profile *p, uint32_t type, const char *of_family)
{
	const struct unit_family *family = unit_find(profile_text(p, p->type[type].unit), NULL);

	return family && family == unit_find(of_family, NULL);
}

static bool is_time(const struct profile *p, uint32_t type)
{
	return is_unit(p, type, "ns");
}

static bool is_count(const struct profile *p, uint32_t type)
{
	const char *unit = profile_text(p, p->type[type].unit);

	return !*unit || strcmp(unit, "count") == 0 || strcmp(unit, "1") == 0;
}

/* Is the period one of these events: are there so many of them from sample to sample? */
static bool has_period_of(const struct profile *p, uint32_t type)
{
	return p->meta.has_period_type && p->meta.period > 1 &&
	       strcmp(profile_text(p, p->meta.period_type.name), profile_text(p, p->type[type].name)) == 0;
}

static enum family family_of(const struct profile *p, uint32_t type)
{
	static const char *const waits[] = { "delay", "contention", "mutex", "block", "lock", "wait", NULL };
	static const char *const samples[] = { "samples", "sample", NULL };
	static const char *const census[] = { "goroutine", "goroutines", "threadcreate", "thread", "threads", NULL };
	static const char *const events[] = { "cycles",
					      "instructions",
					      "cpu_cycles",
					      "cache_misses",
					      "cache_references",
					      "branches",
					      "branch_misses",
					      "ref_cycles",
					      "bus_cycles",
					      "page_faults",
					      "faults",
					      "context_switches",
					      "cs",
					      "cpu_migrations",
					      "cpu_clock",
					      "task_clock",
					      NULL };
	char name[NAME_SIZE];

	plain_name(p, type, name);
	if (is_time(p, type))
		return has_one_of(name, waits) && !strstr(name, "clock") ? FAMILY_DELAY : FAMILY_TIME;
	if (is_unit(p, type, "byte"))
		return FAMILY_BYTES;
	if (!is_count(p, type) && !is_one_of(profile_text(p, p->type[type].unit), samples))
		return FAMILY_OTHER;
	if (is_one_of(name, samples) || has_ending(name, "_samples") || has_ending(name, "_sample"))
		return FAMILY_SAMPLES;
	if (is_one_of(name, census))
		return FAMILY_CENSUS;
	if (strcmp(name, "objects") == 0 || has_ending(name, "_objects"))
		return FAMILY_OBJECTS;
	if (has_ending(name, "_event") || is_one_of(name, events))
		return FAMILY_EVENTS;
	if (has_one_of(name, waits) && !strstr(name, "clock"))
		return FAMILY_CONTENTIONS;
	return has_period_of(p, type) ? FAMILY_EVENTS : FAMILY_COUNT;
}

/* A type by the start of its name and an end, of a family. */
static uint32_t find_named(const struct profile *p, const char *name, size_t n, const char *end, enum family family)
{
	char other[NAME_SIZE];

	for (uint32_t t = 0; t < p->n_types; t++) {
		plain_name(p, t, other);
		if (strncmp(other, name, n) == 0 && strcmp(other + n, end) == 0 && family_of(p, t) == family)
			return t;
	}
	return PROFILE_NONE;
}

/* The same with one of several ends in place of the one that the name has. */
static uint32_t find_beside(const struct profile *p, uint32_t type, const char *const (*pair)[2], enum family family)
{
	char name[NAME_SIZE];
	uint32_t found = PROFILE_NONE;

	plain_name(p, type, name);
	for (; (*pair)[0] && found == PROFILE_NONE; pair++) {
		size_t n = strlen(name), len = strlen((*pair)[0]);

		if (n >= len && strcmp(name + n - len, (*pair)[0]) == 0)
			found = find_named(p, name, n - len, (*pair)[1], family);
	}
	return found;
}

static uint32_t objects_beside(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = {
		{ "space", "objects" }, { "bytes", "objects" }, { "size", "objects" }, { NULL, NULL }
	};

	return find_beside(p, type, pair, FAMILY_OBJECTS);
}

static uint32_t bytes_beside(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = {
		{ "objects", "space" }, { "objects", "bytes" }, { "objects", "size" }, { NULL, NULL }
	};

	return find_beside(p, type, pair, FAMILY_BYTES);
}

static uint32_t contentions_beside(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = {
		{ "delay", "contentions" }, { "_duration", "_count" }, { "_delay", "_count" },
		{ "_time", "_count" },      { "_wait", "" },           { NULL, NULL }
	};

	return find_beside(p, type, pair, FAMILY_CONTENTIONS);
}

/* The count of samples beside a time or an event. */
static uint32_t samples_beside(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = { { "_event", "_sample" },
					       { "_time", "_samples" },
					       { "_time", "_sample" },
					       { "", "_samples" },
					       { NULL, NULL } };
	uint32_t found = find_beside(p, type, pair, FAMILY_SAMPLES);

	if (found == PROFILE_NONE)
		found = find_named(p, "samples", 7, "", FAMILY_SAMPLES);
	return found == PROFILE_NONE ? find_named(p, "sample", 6, "", FAMILY_SAMPLES) : found;
}

static uint64_t common(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/* The largest number that all values are multiples of, and the smallest value but 0; both 0 when all are 0. */
static void find_grid(const struct profile *p, uint32_t type, uint64_t *all, uint64_t *least)
{
	const int64_t *v = p->value[SIDE_TARGET][type];

	*all = *least = 0;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		if (v[i] <= 0)
			continue;
		if (*all != (uint64_t)v[i] && (*all == 0 || (uint64_t)v[i] % *all))
			*all = common((uint64_t)v[i], *all);
		if (*least == 0 || (uint64_t)v[i] < *least)
			*least = (uint64_t)v[i];
	}
}

/* The period in units of a type; 0 when it has nothing to do with it. */
static double period_in(const struct profile *p, uint32_t type)
{
	const char *unit = profile_text(p, p->type[type].unit);
	const char *own = profile_text(p, p->meta.period_type.unit);

	if (!p->meta.has_period_type || p->meta.period <= 0 || !unit_agree(own, unit))
		return 0;
	return (double)p->meta.period * scale_ratio(own, unit);
}

static bool is_multiple(uint64_t all, double period)
{
	return period > 0 && (period < 1 || fmod((double)all, period) == 0);
}

/* Values of time and events come in steps: those of the period, or what they themselves show. */
static void find_step(const struct profile *p, struct kinds *k, struct buf *notes)
{
	double period = period_in(p, k->type), shortest = 2;
	const char *name = profile_text(p, p->type[k->type].name);
	uint64_t all, least;

	find_grid(p, k->type, &all, &least);
	k->step = period;
	if (all == 0 || is_multiple(all, period))
		return;
	if (is_time(p, k->type))
		shortest = STEP_NS * scale_ratio("ns", profile_text(p, p->type[k->type].unit));
	if (all == least && (double)all >= shortest) {
		k->step = (double)all;
		return;
	}
	k->rule = KINDS_WEIGHTS;
	if (notes)
		buf_addf(notes, "values of %.100s are no multiples of %s: each record counts as one sample\n", name,
			 period > 0 ? "the period" : "one another, and there is no period");
}

static void find_heap(const struct profile *p, struct kinds *k, bool of_bytes, struct buf *notes)
{
	uint32_t bytes = of_bytes ? k->type : bytes_beside(p, k->type);

	k->partner = of_bytes ? objects_beside(p, k->type) : bytes;
	k->rate = bytes == PROFILE_NONE ? 0 : period_in(p, bytes);
	k->error = GATE_HEAP;
	k->rule = of_bytes ? KINDS_BYTES : KINDS_OBJECTS;
	if (k->rate > 0 && period_in(p, bytes) * scale_ratio(profile_text(p, p->type[bytes].unit), "byte") <= 1) {
		k->rule = KINDS_EXACT;
	} else if (k->rate == 0) {
		k->error = GATE_POISSON;
		k->rule = KINDS_WEIGHTS;
		if (notes)
			buf_addf(notes, "the rate of %.100s is unknown: each record counts as one sample\n",
				 profile_text(p, p->type[k->type].name));
	} else if (k->partner == PROFILE_NONE) {
		k->rule = KINDS_STEPS;
		k->step = k->rate;
	}
}

static double contention_step(const struct profile *p, uint32_t type)
{
	uint64_t all, least;
	double period = p->meta.period > 1 ? (double)p->meta.period : 1;

	find_grid(p, type, &all, &least);
	return (double)all > period ? (double)all : period;
}

static void find_delay(const struct profile *p, struct kinds *k)
{
	k->error = GATE_DELAY;
	k->rule = KINDS_DELAY;
	k->partner = contentions_beside(p, k->type);
	if (k->partner == PROFILE_NONE)
		k->rule = KINDS_WEIGHTS;
	else
		k->step = contention_step(p, k->partner);
}

void kinds_of_type(const struct profile *p, uint32_t type, struct kinds *out, struct buf *notes)
{
	struct kinds k = {
		.error = GATE_POISSON, .rule = KINDS_STEPS, .type = type, .partner = PROFILE_NONE, .step = 1
	};

	switch (family_of(p, type)) {
	case FAMILY_SAMPLES:
		k.by_period = true;
		break;
	case FAMILY_COUNT:
		break;
	case FAMILY_TIME:
	case FAMILY_EVENTS:
		find_step(p, &k, notes);
		break;
	case FAMILY_BYTES:
		find_heap(p, &k, true, notes);
		break;
	case FAMILY_OBJECTS:
		find_heap(p, &k, false, notes);
		break;
	case FAMILY_CONTENTIONS:
		k.step = contention_step(p, type);
		break;
	case FAMILY_DELAY:
		find_delay(p, &k);
		break;
	case FAMILY_CENSUS:
		k.error = GATE_CENSUS;
		break;
	case FAMILY_OTHER:
		k.rule = KINDS_WEIGHTS;
		break;
	}
	assert(type < p->n_types && (k.partner == PROFILE_NONE || k.partner < p->n_types));
	*out = k;
}

int kinds_find(const struct profile *p, const char *sample_index, struct kinds *out, struct buf *notes, struct err *err)
{
	uint32_t type, beside = PROFILE_NONE;
	enum family family;

	if (view_type(p, sample_index, &type, err) < 0)
		return ERR_USAGE;
	family = family_of(p, type);
	if (!*sample_index && (family == FAMILY_TIME || family == FAMILY_EVENTS))
		beside = samples_beside(p, type);
	kinds_of_type(p, beside == PROFILE_NONE ? type : beside, out, notes);
	return 0;
}

/* Of objects of a size, each of which was sampled with chance q and then counted 1/q times: (1 - q) / q. */
static double missed(double size, double rate)
{
	double q = -expm1(-size / rate);

	return q > 0 ? exp(-size / rate) / q : INFINITY;
}

double kinds_variance(const struct kinds *k, double v, double with)
{
	double one;

	if (v == 0)
		return 0;
	switch (k->rule) {
	case KINDS_STEPS:
		return v * k->step;
	case KINDS_WEIGHTS:
		return v * v;
	case KINDS_BYTES:
		return v * (with > 0 ? v / with * missed(v / with, k->rate) : k->rate);
	case KINDS_OBJECTS:
		one = missed(with / v, k->rate);
		return isfinite(one) ? v * one : v * v;
	case KINDS_DELAY:
		one = with > 0 ? 2 * k->step / with : 1;
		return v * v * (one < 1 ? one : 1);
	case KINDS_EXACT:
		return 0;
	}
	return 0;
}

static double column_sum(const struct profile *p, uint32_t type)
{
	const int64_t *v = p->value[SIDE_TARGET][type];
	double sum = 0;

	for (uint32_t i = 0; i < p->n_rows; i++)
		sum += (double)v[i];
	return sum;
}

double kinds_cpu_seconds(const struct profile *p)
{
	static const char *const cpu[] = { "cpu", "cpu_time", NULL };
	const struct value_type *period = &p->meta.period_type;
	uint32_t samples = find_named(p, "samples", 7, "", FAMILY_SAMPLES);
	char name[NAME_SIZE];

	for (uint32_t t = 0; t < p->n_types; t++) {
		plain_name(p, t, name);
		if (is_one_of(name, cpu) && is_time(p, t))
			return column_sum(p, t) * scale_ratio(profile_text(p, p->type[t].unit), "s");
	}
	if (samples == PROFILE_NONE || !p->meta.has_period_type || !is_one_of(profile_text(p, period->name), cpu) ||
	    !unit_agree(profile_text(p, period->unit), "s"))
		return 0;
	return column_sum(p, samples) * (double)p->meta.period * scale_ratio(profile_text(p, period->unit), "s");
}

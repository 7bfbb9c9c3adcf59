/*
 * sampling.c - sampling model of the values of a profile, and their sampling error
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/gate/sampling.h"

#include "base/str.h"
#include "base/unit.h"
#include "engine/view.h"
#include "profile/scale.h"

#include <assert.h>
#include <math.h>
#include <string.h>

enum { NAME_SIZE = 64 }; /* length of the longest known name of a sample type */

/* Min numbers of rows needed to tell weights from counts, and the max weight of a stack. */
enum { MULTIPLES_ROWS_MIN = 20, WEIGHTS_ROWS_MIN = 50, WEIGHT_MAX = 64 };

#define STEP_MIN_NS 10000.0 /* min sampling period of profilers; a smaller common divisor is a coincidence */

/* Kind of a sample type, by its name and unit only. */
enum sampling_family {
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

static bool sampling_is_one_of(const char *name, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(name, *list) == 0)
			return true;
	return false;
}

/* Returns true if the name has this suffix and a prefix. */
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

/* Name of a type in the form that is compared; "" if it is too long. */
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

static bool sampling_is_count(const struct profile *p, uint32_t type)
{
	const char *unit = profile_text(p, p->type[type].unit);

	return !*unit || strcmp(unit, "count") == 0 || strcmp(unit, "1") == 0;
}

/* Returns true if the period counts events of this type. */
static bool has_period_of(const struct profile *p, uint32_t type)
{
	return p->meta.has_period_type && p->meta.period > 1 &&
	       strcmp(profile_text(p, p->meta.period_type.name), profile_text(p, p->type[type].name)) == 0;
}

static enum sampling_family family_of(const struct profile *p, uint32_t type)
{
	static const char *const waits[] = { "delay", "contention", "mutex", "block", "lock", "wait", NULL };
	static const char *const samples[] = { "samples", "sample", NULL };
	static const char *const census[] = { "goroutine", "goroutines", "goroutineleak", "threadcreate", "thread",
					      "threads",   NULL };
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
	if (!sampling_is_count(p, type) && !sampling_is_one_of(profile_text(p, p->type[type].unit), samples))
		return FAMILY_OTHER;
	if (sampling_is_one_of(name, samples) || has_ending(name, "_samples") || has_ending(name, "_sample"))
		return FAMILY_SAMPLES;
	if (sampling_is_one_of(name, census))
		return FAMILY_CENSUS;
	if (strcmp(name, "objects") == 0 || has_ending(name, "_objects"))
		return FAMILY_OBJECTS;
	if (has_ending(name, "_event") || sampling_is_one_of(name, events))
		return FAMILY_EVENTS;
	if (has_one_of(name, waits) && !strstr(name, "clock"))
		return FAMILY_CONTENTIONS;
	return has_period_of(p, type) ? FAMILY_EVENTS : FAMILY_COUNT;
}

/* Find a type of a family by the prefix and the suffix of its name. */
static uint32_t find_named(const struct profile *p, const char *name, size_t n, const char *end,
			   enum sampling_family family)
{
	char other[NAME_SIZE];

	for (uint32_t t = 0; t < p->n_types; t++) {
		plain_name(p, t, other);
		if (strncmp(other, name, n) == 0 && strcmp(other + n, end) == 0 && family_of(p, t) == family)
			return t;
	}
	return PROFILE_NONE;
}

/*
 * Find the type whose name has the second suffix of a pair where the name of this type has the first, such as
 * alloc_objects for alloc_space.
 */
static uint32_t find_partner(const struct profile *p, uint32_t type, const char *const (*pair)[2],
			     enum sampling_family family)
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

static uint32_t find_objects(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = {
		{ "space", "objects" }, { "bytes", "objects" }, { "size", "objects" }, { NULL, NULL }
	};

	return find_partner(p, type, pair, FAMILY_OBJECTS);
}

static uint32_t find_bytes(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = {
		{ "objects", "space" }, { "objects", "bytes" }, { "objects", "size" }, { NULL, NULL }
	};

	return find_partner(p, type, pair, FAMILY_BYTES);
}

static uint32_t find_contentions(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = {
		{ "delay", "contentions" }, { "_duration", "_count" }, { "_delay", "_count" },
		{ "_time", "_count" },      { "_wait", "" },           { NULL, NULL }
	};

	return find_partner(p, type, pair, FAMILY_CONTENTIONS);
}

/* Find the type that counts the samples of a time or an event. */
static uint32_t find_samples(const struct profile *p, uint32_t type)
{
	static const char *const pair[][2] = { { "_event", "_sample" },
					       { "_time", "_samples" },
					       { "_time", "_sample" },
					       { "", "_samples" },
					       { NULL, NULL } };
	uint32_t found = find_partner(p, type, pair, FAMILY_SAMPLES);

	if (found == PROFILE_NONE)
		found = find_named(p, "samples", 7, "", FAMILY_SAMPLES);
	return found == PROFILE_NONE ? find_named(p, "sample", 6, "", FAMILY_SAMPLES) : found;
}

static uint64_t sampling_gcd(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Find the greatest common divisor of all values, and the smallest nonzero value; both are 0 if all values are 0.
 * Returns the number of nonzero values.
 */
static uint32_t find_gcd(const struct profile *p, uint32_t type, uint64_t *all, uint64_t *min)
{
	const int64_t *v = p->value[type];
	uint32_t n = 0;

	*all = *min = 0;
	for (uint32_t i = 0; i < p->n_rows; i++) {
		if (v[i] <= 0)
			continue;
		if (*all != (uint64_t)v[i] && (*all == 0 || (uint64_t)v[i] % *all))
			*all = sampling_gcd((uint64_t)v[i], *all);
		if (*min == 0 || (uint64_t)v[i] < *min)
			*min = (uint64_t)v[i];
		n++;
	}
	return n;
}

/* Period in the unit of a type; 0 if its unit is incompatible. */
static double period_in(const struct profile *p, uint32_t type)
{
	const char *unit = profile_text(p, p->type[type].unit);
	const char *own = profile_text(p, p->meta.period_type.unit);

	if (!p->meta.has_period_type || p->meta.period <= 0 || !unit_is_compatible(own, unit))
		return 0;
	return (double)p->meta.period * scale_ratio(own, unit);
}

static bool is_multiple(uint64_t all, double period)
{
	return period > 0 && (period < 1 || fmod((double)all, period) == 0);
}

/* Count each record as one sample, and append a note, unless records are sums of samples. */
static void use_weights(const struct profile *p, struct sampling *k, const char *why, struct buf *notes)
{
	k->rule = SAMPLING_WEIGHTS;
	if (!weights_row_is_sample(p, find_samples(p, k->type)))
		k->unknown_reason = why;
	else if (notes)
		buf_addf(notes, "values of %.100s %s: each record counts as one sample\n",
			 profile_text(p, p->type[k->named_type].name), why);
}

/* Find the step of times and events: the period, or the greatest common divisor of the values. */
static void sampling_find_step(const struct profile *p, struct sampling *k, struct buf *notes)
{
	double period = period_in(p, k->type), shortest = 2;
	uint64_t all, min;

	find_gcd(p, k->type, &all, &min);
	k->step = period;
	if (all == 0 || is_multiple(all, period))
		return;
	if (is_time(p, k->type))
		shortest = STEP_MIN_NS * scale_ratio("ns", profile_text(p, p->type[k->type].unit));
	if (all == min && (double)all >= shortest) {
		k->step = (double)all;
		return;
	}
	use_weights(p, k, period > 0 ? "are not multiples of the period" : "are not multiples of one another", notes);
}

/*
 * Returns true if the smallest value looks like the weight of a single stack: at least half of the values are less than
 * twice as large. The smallest of many plain counts is 1, or far below most of them.
 */
static bool has_weights(const struct profile *p, uint32_t type, uint64_t min, uint32_t n)
{
	const int64_t *v = p->value[type];
	uint32_t n_min = 0;

	if (min < 2 || min > WEIGHT_MAX || n < WEIGHTS_ROWS_MIN)
		return false;
	for (uint32_t i = 0; i < p->n_rows; i++)
		n_min += v[i] > 0 && (uint64_t)v[i] < 2 * min;
	return n_min >= n / 2;
}

/*
 * Detect counts of samples that are really weights. If all are multiples of the smallest, that is the weight of one
 * sample. If they only have a common divisor above 1, or most are near the smallest, the number of stacks is unknown.
 */
static void sampling_check_count(const struct profile *p, struct sampling *k)
{
	uint64_t all, min;
	uint32_t n = find_gcd(p, k->type, &all, &min);

	if (min > 1 && all == min && n >= MULTIPLES_ROWS_MIN)
		k->step = (double)all;
	else if ((all > 1 && n >= MULTIPLES_ROWS_MIN) || has_weights(p, k->type, min, n))
		k->unknown_reason = "are all above 1, so they may be weights";
}

/*
 * Handle CPU time recorded by cpa, whose comment shows whether its samples count stacks or periods. On a busy machine
 * the number of periods per stack varies widely. If it is geometric with mean m, the sum of its squares is (2m - 1)
 * times the number of periods. Returns false for other profiles and types.
 */
static bool find_cpa(const struct profile *p, struct sampling *k)
{
	uint32_t samples = find_named(p, "samples", 7, "", FAMILY_SAMPLES);
	uint32_t cpu = find_named(p, "cpu", 3, "", FAMILY_TIME);
	double periods, period, time;
	enum weights_source source;

	if (samples == PROFILE_NONE || cpu == PROFILE_NONE || (k->type != samples && k->type != cpu) ||
	    period_in(p, cpu) <= 0)
		return false;
	source = weights_of_comments(p, &periods);
	if (source == WEIGHTS_FOREIGN)
		return false;
	period = period_in(p, cpu);
	time = mean_of_samples(p, samples, cpu);
	if (source == WEIGHTS_PERIODS) {
		k->type = cpu;
		k->step = period * (2 * fmax(1, periods) - 1);
		if (!(periods > 0))
			k->unknown_reason = "are weights, and no comment has the number of stacks";
	} else if (k->type == samples) {
		k->worth = time / period * (double)p->meta.period;
	} else {
		k->partner = samples;
		k->rule = SAMPLING_STACKS;
		k->step = time > period ? 2 - period / time : 1;
	}
	return true;
}

static void find_heap(const struct profile *p, struct sampling *k, bool of_bytes, struct buf *notes)
{
	uint32_t bytes = of_bytes ? k->type : find_bytes(p, k->type);

	k->partner = of_bytes ? find_objects(p, k->type) : bytes;
	k->rate = bytes == PROFILE_NONE ? 0 : period_in(p, bytes);
	k->error = GATE_HEAP;
	k->rule = of_bytes ? SAMPLING_BYTES : SAMPLING_OBJECTS;
	if (k->rate > 0 && period_in(p, bytes) * scale_ratio(profile_text(p, p->type[bytes].unit), "byte") <= 1) {
		k->rule = SAMPLING_EXACT;
	} else if (k->rate == 0) {
		k->error = GATE_POISSON;
		k->rule = SAMPLING_WEIGHTS;
		if (notes)
			buf_addf(notes, "the rate of %.100s is unknown: each record counts as one sample\n",
				 profile_text(p, p->type[k->type].name));
	} else if (k->partner == PROFILE_NONE) {
		k->rule = SAMPLING_STEPS;
		k->step = k->rate;
	}
}

static double contention_step(const struct profile *p, uint32_t type)
{
	uint64_t all, min;
	double period = p->meta.period > 1 ? (double)p->meta.period : 1;

	find_gcd(p, type, &all, &min);
	return (double)all > period ? (double)all : period;
}

static void find_delay(const struct profile *p, struct sampling *k)
{
	k->error = GATE_DELAY;
	k->rule = SAMPLING_DELAY;
	k->partner = find_contentions(p, k->type);
	if (k->partner == PROFILE_NONE)
		k->rule = SAMPLING_WEIGHTS;
	else
		k->step = contention_step(p, k->partner);
}

void sampling_of_type(const struct profile *p, uint32_t type, struct sampling *out, struct buf *notes)
{
	struct sampling k = { .error = GATE_POISSON,
			      .rule = SAMPLING_STEPS,
			      .named_type = type,
			      .type = type,
			      .partner = PROFILE_NONE,
			      .step = 1 };

	switch (family_of(p, type)) {
	case FAMILY_SAMPLES:
		k.is_time = k.by_period = true;
		if (!find_cpa(p, &k))
			sampling_check_count(p, &k);
		break;
	case FAMILY_COUNT:
		break;
	case FAMILY_TIME:
	case FAMILY_EVENTS:
		k.is_time = true;
		if (!find_cpa(p, &k))
			sampling_find_step(p, &k, notes);
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
		use_weights(p, &k, "do not count samples", notes);
		break;
	}
	assert(type < p->n_types && (k.partner == PROFILE_NONE || k.partner < p->n_types));
	*out = k;
}

int sampling_find(const struct profile *p, const char *sample_index, struct sampling *out, struct buf *notes,
		  struct err *err)
{
	uint32_t type, samples = PROFILE_NONE;
	enum sampling_family family;

	if (view_find_type(p, sample_index, &type, err) < 0)
		return ERR_USAGE;
	family = family_of(p, type);
	if (!*sample_index && (family == FAMILY_TIME || family == FAMILY_EVENTS))
		samples = find_samples(p, type);
	sampling_of_type(p, samples == PROFILE_NONE ? type : samples, out, notes);
	return 0;
}

/* Variance per object, if objects of a size are sampled with probability q and counted 1/q times: (1 - q) / q. */
static double unsampled_variance(double size, double rate)
{
	double q = -expm1(-size / rate);

	return q > 0 ? exp(-size / rate) / q : INFINITY;
}

double sampling_variance(const struct sampling *k, double v, double with)
{
	double one;

	if (v == 0)
		return 0;
	switch (k->rule) {
	case SAMPLING_STEPS:
		return v * k->step;
	case SAMPLING_STACKS:
		return with > 0 ? v * v / with * k->step : 0;
	case SAMPLING_WEIGHTS:
		return v * v;
	case SAMPLING_BYTES:
		return v * (with > 0 ? v / with * unsampled_variance(v / with, k->rate) : k->rate);
	case SAMPLING_OBJECTS:
		one = unsampled_variance(with / v, k->rate);
		return isfinite(one) ? v * one : v * v;
	case SAMPLING_DELAY:
		one = with > 0 ? 2 * k->step / with : 1;
		return v * v * (one < 1 ? one : 1);
	case SAMPLING_EXACT:
		return 0;
	}
	return 0;
}

static double sampling_column_sum(const struct profile *p, uint32_t type)
{
	const int64_t *v = p->value[type];
	double sum = 0;

	for (uint32_t i = 0; i < p->n_rows; i++)
		sum += (double)v[i];
	return sum;
}

double sampling_cpu_seconds(const struct profile *p)
{
	static const char *const cpu[] = { "cpu", "cpu_time", NULL };
	const struct value_type *period = &p->meta.period_type;
	uint32_t samples = find_named(p, "samples", 7, "", FAMILY_SAMPLES);
	char name[NAME_SIZE];

	for (uint32_t t = 0; t < p->n_types; t++) {
		plain_name(p, t, name);
		if (sampling_is_one_of(name, cpu) && is_time(p, t))
			return sampling_column_sum(p, t) * scale_ratio(profile_text(p, p->type[t].unit), "s");
	}
	if (samples == PROFILE_NONE || !p->meta.has_period_type ||
	    !sampling_is_one_of(profile_text(p, period->name), cpu) ||
	    !unit_is_compatible(profile_text(p, period->unit), "s"))
		return 0;
	return sampling_column_sum(p, samples) * (double)p->meta.period *
	       scale_ratio(profile_text(p, period->unit), "s");
}

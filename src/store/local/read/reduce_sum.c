/*
 * reduce_sum.c - the origin of a result: profiles, missing scrapes, unknown increases
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/time.h"
#include "store/instance.h"
#include "store/local/read/reduce_int.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	/* shorter distances are those of profiles with the same time, which are moved by 1 ns */
	DISTANCE_MIN_NS = NS_PER_S,
	MISSING_PROFILES_MIN = 4, /* fewer profiles have no usual distance */
};

static int reduce_sum_compare_times(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return x < y ? -1 : x > y;
}

/* The element at position k of the sorted v [n], whose elements are at least 0: byte by byte, from the highest. */
static int64_t select_at(const int64_t *v, size_t n, size_t k)
{
	enum { BYTE = 8, VALUES = 1 << BYTE };
	uint64_t found = 0;

	for (int shift = 64 - BYTE; shift >= 0; shift -= BYTE) {
		uint64_t above = shift + BYTE < 64 ? ~UINT64_C(0) << (shift + BYTE) : 0;
		size_t count[VALUES] = { 0 }, value = 0;

		for (size_t i = 0; i < n; i++)
			if (((uint64_t)v[i] & above) == found)
				count[(uint64_t)v[i] >> shift & (VALUES - 1)]++;
		for (; k >= count[value]; value++)
			k -= count[value];
		found |= (uint64_t)value << shift;
	}
	return (int64_t)found;
}

/* The usual distance of the profiles of a series: the median, if at least half of the distances are within a fifth of it. */
static uint64_t usual_distance(const struct reduce_series *s)
{
	size_t n = s->n_starts - 1, n_usual = 0;
	int64_t *gap = mem_alloc(n, sizeof(*gap)), usual;

	for (size_t i = 0; i < n; i++)
		gap[i] = num_add_capped(s->start[i + 1], s->start[i] == INT64_MIN ? INT64_MAX : -s->start[i]);
	usual = select_at(gap, n, n / 2);
	for (size_t i = 0; i < n; i++)
		n_usual += gap[i] >= usual - usual / 5 && gap[i] <= num_add_capped(usual, usual / 5);
	free(gap);
	return n_usual * 2 >= n && usual >= DISTANCE_MIN_NS ? (uint64_t)usual : 0;
}

/* Sort the starts, which they usually are. */
static void sort_starts(struct reduce_series *s)
{
	bool is_sorted = true;

	for (size_t i = 1; i < s->n_starts; i++)
		is_sorted &= s->start[i - 1] <= s->start[i];
	if (!is_sorted)
		qsort(s->start, s->n_starts, sizeof(*s->start), reduce_sum_compare_times);
}

/* The number of profiles missing between the first and the last of a series: in a gap of k usual distances, k - 1. Only those of
   targets, which have an instance: agents that push stop and start at any time. */
static uint64_t count_missing(struct reduce_series *s)
{
	uint64_t missing = 0, usual;

	if (s->n_starts < MISSING_PROFILES_MIN || !s->has_instance_label)
		return 0;
	sort_starts(s);
	usual = usual_distance(s);
	for (size_t i = 0; usual && i + 1 < s->n_starts; i++) {
		uint64_t distance = (uint64_t)s->start[i + 1] - (uint64_t)s->start[i];
		uint64_t k = distance / usual + (distance % usual >= usual - distance % usual);

		missing += k > 1 ? k - 1 : 0;
	}
	return missing;
}

/* Append lines that say what an increase does not contain. */
static void describe_unknown(const struct reducer *r, struct buf *notes)
{
	uint32_t n = 0;

	for (size_t i = 0; i < r->n_unknown; i++)
		n = r->unknown[i].n > n ? r->unknown[i].n : n;
	if (n)
		buf_addf(notes,
			 "store: the first snapshot of %" PRIu32
			 " instance%s has none before it, so its counters are left out: ",
			 n, n == 1 ? "" : "s");
	for (size_t i = 0; i < r->n_unknown; i++)
		buf_addf(notes, "%s%s %" PRId64 " %s", i ? ", " : "", strtab_text(r->dict.str, r->unknown[i].type.name),
			 r->unknown[i].total, strtab_text(r->dict.str, r->unknown[i].type.unit));
	buf_addz(notes, n ? "\n" : "");
	if (r->n_restarts)
		buf_addf(notes,
			 "store: %" PRIu64 " restart%s; what a process counted after its last snapshot is not known\n",
			 r->n_restarts, r->n_restarts == 1 ? "" : "s");
}

/* Append the conditions on samples. Labels that the result lacks are those of no sample, or of none that is selected. */
static void describe_conditions(const struct reducer *r, struct buf *out)
{
	const struct dict *d = &r->dict;
	bool *has_label = mem_zalloc(r->q->n_sample_match + 1, sizeof(*has_label));

	for (size_t i = 0; i < r->q->n_sample_match; i++)
		for (uint32_t k = 0; k < d->n_labels && !has_label[i]; k++)
			has_label[i] = strcmp(strtab_text(d->str, d->label_key[k]), r->q->sample_match[i].name) == 0;
	select_describe_samples(r->q, has_label, out);
	free(has_label);
}

static void describe_versions(const struct reducer *r, struct buf *out)
{
	struct instance_version *v = mem_alloc((size_t)r->series_keys.n + 1, sizeof(*v));
	size_t n = 0;

	for (uint32_t i = 0; i < r->series_keys.n; i++) {
		const struct reduce_series *s = &r->series[i];

		if (s->profiles) /* the name of an instance begins with that of the service */
			v[n++] = (struct instance_version){ strtab_text(r->instance_names, s->instance),
							    strtab_text(r->dict.str, s->version) };
	}
	instance_describe_versions(v, n, out);
	free(v);
}

/* Append the builds of the program, if there are several of one service: "builds 0123abcd, 4567cdef". */
static void describe_builds(const struct reducer *r, struct buf *out)
{
	str_id *build = NULL;
	size_t n = 0, cap = 0, k;

	for (uint32_t b = 0; !r->q->is_pattern && b < r->bucket_keys.n; b++)
		for (size_t i = 0; i < r->bucket[b].n_metas; i++) {
			const struct dict_meta *m = &r->dict.meta[r->bucket[b].meta[i].meta];
			str_id id = m->n_places ? r->dict.map[m->place[0].map].build_id : 0;

			for (k = 0; k < n && build[k] != id;)
				k++;
			if (!id || k < n)
				continue;
			build = mem_grow(build, &cap, n + 1, sizeof(*build));
			build[n++] = id;
		}
	for (k = 0; n > 1 && k < n; k++)
		instance_add_build("builds", strtab_text(r->dict.str, build[k]), (uint32_t)k, out);
	free(build);
}

/* Append the span of each tier, if there are several. */
static void describe_tiers(const struct reducer *r, struct buf *notes)
{
	bool is_first = true;

	if (!(r->tiers & (r->tiers - 1)))
		return;
	for (int t = N_TIERS - 1; t >= 0; t--) {
		if (!(r->tiers & 1U << t))
			continue;
		buf_addf(notes, "%s%s of ", is_first ? "store: the resolution is " : ", ",
			 store_tier_name((enum store_tier)t));
		select_print_span(r->tier_first[t],
				  num_add_capped(r->tier_last[t], t ? tier_slot_ns((enum store_tier)t) : 0), notes);
		is_first = false;
	}
	buf_addz(notes, "\n");
}

void reduce_fill_sum(struct reducer *r, struct store_sum *sum)
{
	sum->profiles = r->profiles;
	sum->first_ns = r->first_ns;
	sum->last_ns = r->last_ns;
	for (uint32_t i = 0; i < r->series_keys.n; i++) {
		struct reduce_series *s = &r->series[i];

		if (!s->profiles)
			continue;
		sum->series++;
		sum->profiles_missing += count_missing(s);
	}
	for (uint32_t i = 1; i < strtab_count(r->instance_names); i++)
		sum->instances += r->instance[i].profiles > 0;
	describe_versions(r, &sum->builds);
	if (!sum->builds.len)
		describe_builds(r, &sum->builds);
	describe_unknown(r, &sum->notes);
	describe_conditions(r, &sum->samples);
	sum->tiers = r->tiers;
	describe_tiers(r, &sum->notes);
}

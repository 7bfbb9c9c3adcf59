/*
 * test_estimate.c - the estimated size of a store is that of a store with the same profiles, of all tiers
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * tests/bench/store_year compares estimates with larger stores.
 */
#include "config.h"

#include "store/local/upkeep/estimate.h"

#include "base/mem.h"
#include "base/time.h"
#include "make_profile.h"
#include "store/local/format/segment.h"
#include "store/local/tier/tier.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

enum { INSTANCES = 4, DAYS = 2, SAMPLE = 48, STACKS_MAX = 2000, SAMPLES = 40 };

/* The profiles of a kind: p[n], which the instances have in turn. */
struct service {
	const char *kind;
	unsigned every_s, n_stacks, n;
	struct profile **p;
};

static uint64_t seed;

static double random_number(void)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(seed >> 11) * 0x1p-53;
}

/* The stack of a rank: its path in a tree of three callees each. */
static void stack_of(unsigned rank, char *out, size_t size)
{
	size_t n = 0;

	for (unsigned at = rank + 4; at > 3; at /= 3)
		n += (size_t)snprintf(out + n, size - n, "0x%x=shop.function%u@file%u.go:%u;", 16 * at, at % 300,
				      at % 40, at % 300);
	snprintf(out + n, size - n, "0x1=main@main.go:1");
}

/* A rank below n with a Zipf distribution. */
static unsigned draw_rank(unsigned n)
{
	static double sum[STACKS_MAX];
	unsigned lo = 0, hi = n - 1;
	double v;

	for (unsigned i = 0; sum[STACKS_MAX - 1] == 0 && i < STACKS_MAX; i++)
		sum[i] = (i ? sum[i - 1] : 0) + 1 / pow(i + 1, 0.9);
	v = random_number() * sum[n - 1];
	while (lo < hi) {
		unsigned mid = lo + (hi - lo) / 2;

		if (sum[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static struct profile *cpu_profile(unsigned n_stacks)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	make_map(&m, "/bin/shop");
	for (unsigned i = 0; i < SAMPLES; i++) {
		char text[1024];

		stack_of(draw_rank(n_stacks), text, sizeof(text));
		ROW(&m, text, 1, 10000000);
	}
	return make_end(&m);
}

/* The next snapshot of a process; bytes [n_stacks] are its counters, of which some grow. */
static struct profile *heap_profile(unsigned n_stacks, int64_t *bytes)
{
	struct make m = make_start("alloc_space/bytes inuse_space/bytes");

	make_map(&m, "/bin/shop");
	for (unsigned i = 0; i < SAMPLES; i++)
		bytes[draw_rank(n_stacks)] += 1000 + (int64_t)(random_number() * 9000);
	for (unsigned i = 0; i < n_stacks; i++) {
		char text[1024];

		stack_of(i, text, sizeof(text));
		if (bytes[i])
			ROW(&m, text, bytes[i], (int64_t)(random_number() * 4000));
	}
	return make_end(&m);
}

static int count_bytes(void *arg, const void *data, size_t n, struct err *err)
{
	(void)data, (void)err;
	*(double *)arg += (double)n;
	return 0;
}

/* Finish a chapter. Returns the bytes of a segment with it. */
static double segment_bytes(struct chapter_builder *b)
{
	struct segment_info info = { .tier = TIER_1D };
	double bytes = 0;
	struct segment_writer *w = segment_writer_new(&info, 9, count_bytes, &bytes);
	struct chapter *c;
	struct err err;
	uint32_t crc;

	if (chapter_builder_finish(b, 9, &c, &err) < 0 || segment_writer_add(w, c, &err) < 0 ||
	    segment_writer_finish(w, &crc, &err) < 0)
		fail_msg("%s", err.msg);
	segment_writer_free(w);
	chapter_free(c);
	chapter_builder_free(b);
	return bytes;
}

/* A builder with all profiles. */
static struct chapter_builder *all_profiles(const struct service *x)
{
	struct chapter_builder *b = chapter_builder_new("shop");
	struct dict *d = chapter_builder_dict(b);
	struct err err;

	for (unsigned i = 0; i < x->n; i++) {
		char name[32];
		struct store_label label = { "instance", name };
		struct stored s = { 0 };

		snprintf(name, sizeof(name), "10.0.0.%u:6060", i % INSTANCES);
		if (dict_add_profile(d, x->p[i], &s, &err) < 0 ||
		    dict_add_series(d, "shop", x->kind, &label, 1, &s.series, &err) < 0)
			fail_msg("%s", err.msg);
		s.start_ns = (int64_t)(i / INSTANCES) * x->every_s * NS_PER_S + (int64_t)(random_number() * 1e9);
		chapter_builder_add(b, &s);
		dict_release_stored(&s);
	}
	return b;
}

/* The bytes of all profiles in a tier. */
static double tier_bytes(const struct service *x, enum store_tier tier)
{
	struct chapter_builder *raw = all_profiles(x), *b;
	struct tier_history *h;
	struct chapter *c;
	struct err err;

	if (tier == TIER_RAW)
		return segment_bytes(raw);
	b = chapter_builder_new("shop");
	h = tier_history_new();
	chapter_builder_expect_sorted(b, 9);
	if (chapter_builder_finish(raw, 3, &c, &err) < 0)
		fail_msg("%s", err.msg);
	dict_drop_index(&c->dict);
	if (tier_make(c, tier, h, NULL, NULL, b, NULL, &err) < 0)
		fail_msg("%s", err.msg);
	tier_history_free(h);
	chapter_free(c);
	chapter_builder_free(raw);
	return segment_bytes(b);
}

/* Compare the estimates from the first profiles of an instance with the sizes of all. The profiles are freed. */
static void check_estimates(struct service *x)
{
	const struct profile *sample[SAMPLE];
	struct estimate e;
	struct err err;
	int n_far = 0;

	for (unsigned i = 0; i < SAMPLE; i++)
		sample[i] = x->p[(size_t)i * INSTANCES];
	if (estimate_measure(x->kind, sample, SAMPLE, &e, &err) < 0)
		fail_msg("%s", err.msg);
	for (int t = TIER_RAW; t < N_TIERS; t++) {
		double size = tier_bytes(x, (enum store_tier)t);
		double factor = estimate_bytes(&e, (enum store_tier)t, INSTANCES, x->every_s, DAYS) / size;

		print_message("%s %s: %.0f bytes, the estimate is %.2f of it\n", x->kind,
			      store_tier_name((enum store_tier)t), size, factor);
		n_far += factor > 1.5 || factor < 1 / 1.5;
	}
	for (unsigned i = 0; i < x->n; i++)
		profile_free(x->p[i]);
	free(x->p);
	assert_int_equal(n_far, 0);
}

static struct service service_start(const char *kind, unsigned every_s, unsigned n_stacks)
{
	struct service x = { kind, every_s, n_stacks, DAYS * 86400 / every_s * INSTANCES, NULL };

	seed = 1;
	x.p = mem_zalloc(x.n, sizeof(*x.p));
	return x;
}

static void estimates_of_cpu_profiles_are_within_a_factor_of_1_5(void **state)
{
	struct service x = service_start("cpu", 120, STACKS_MAX);

	(void)state;
	for (unsigned i = 0; i < x.n; i++)
		x.p[i] = cpu_profile(x.n_stacks);
	check_estimates(&x);
}

static void estimates_of_heaps_are_within_a_factor_of_1_5(void **state)
{
	struct service x = service_start("heap", 1200, 200);
	int64_t bytes[INSTANCES][200] = { { 0 } };

	(void)state;
	for (unsigned i = 0; i < x.n; i++)
		x.p[i] = heap_profile(x.n_stacks, bytes[i % INSTANCES]);
	check_estimates(&x);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(estimates_of_cpu_profiles_are_within_a_factor_of_1_5),
		cmocka_unit_test(estimates_of_heaps_are_within_a_factor_of_1_5),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

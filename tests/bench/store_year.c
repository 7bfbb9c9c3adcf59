/*
 * store_year.c - measure each tier of a store, for the size and the queries of a year
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: store_year STORE PODS SECONDS DAYS SAMPLES STACKS
 *
 * PODS instances of a service have a CPU profile of SAMPLES samples every SECONDS, for DAYS days. Samples are drawn from STACKS
 * stacks with a Zipf distribution, so new stacks appear all the time. The store is filled by the writer with a simulated clock, at the
 * full rate. Then the clock is set to the age of each tier of RETAIN_DEFAULT; after its maintenance, the bytes of the store and the time
 * of a query of all days, as that of cpa top, are measured. A year has 14 days of raw profiles, 76 of 10m and 275 of 1h: the bytes at the
 * end are those of a day, multiplied by these numbers. The time is that of a segment, multiplied by the number of segments: a segment has
 * the days of its span, or those that fit into the most bytes that are merged.
 */
#include "config.h"

#include "base/mem.h"
#include "base/pool.h"
#include "profile/builder.h"
#include "store/local/read/local.h"
#include "store/local/upkeep/compaction.h"
#include "store/local/upkeep/estimate.h"
#include "store/local/upkeep/upkeep.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define DAY (24 * 3600 * SECOND)
#define START (INT64_C(1763337600) * SECOND) /* 2025-11-17T00:00:00Z, a Monday */

enum { SAMPLE = 256, FUNCTIONS = 3000, DEPTH_MAX = 32, PREFIX = 5, PERIOD_NS = 10000000, TRIES = 5 };

static int64_t simulated_now = START;
static uint64_t state = 1;

static double number(void)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (double)(state >> 11) * 0x1p-53;
}

static int64_t get_simulated_now(void)
{
	return simulated_now;
}

static double seconds(clockid_t clock)
{
	struct timespec t;

	clock_gettime(clock, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void check(int rc, const char *what, const struct err *err)
{
	if (rc >= 0)
		return;
	fprintf(stderr, "store_year: %s: %s\n", what, err->msg);
	exit(2);
}

/* --- profiles --- */

/* The chance of the first i + 1 stacks, by rank. */
static double *make_ranks(uint32_t n)
{
	double *sum = mem_alloc(n, sizeof(*sum)), total = 0;

	for (uint32_t i = 0; i < n; i++)
		sum[i] = total += 1 / pow(i + 1, 0.9);
	for (uint32_t i = 0; i < n; i++)
		sum[i] /= total;
	return sum;
}

static uint32_t draw(const double *sum, uint32_t n)
{
	double v = number();
	uint32_t lo = 0, hi = n - 1;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (sum[mid] < v)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The locations of a profile: a node of the tree of calls has one function. */
struct places {
	struct builder *b;
	uint32_t map, func[FUNCTIONS], loc[FUNCTIONS];
	bool has_loc[FUNCTIONS];
};

static uint32_t place(struct places *p, uint64_t node)
{
	uint32_t f = (uint32_t)(node * UINT64_C(0x9e3779b97f4a7c15) >> 40) % FUNCTIONS;
	struct builder_location l = { .id = f + 1, .map = p->map, .addr = 0x401000 + 64 * (uint64_t)f };
	struct builder_line line;
	char text[64];
	struct err err;

	if (p->has_loc[f])
		return p->loc[f];
	p->has_loc[f] = true;
	snprintf(text, sizeof(text), "example.com/shop/internal/p%u.(*Server).handle%u", f % 60, f);
	struct builder_function fn = { .id = f + 1,
				       .name = strtab_addz(builder_strings(p->b), text),
				       .start = f % 900 };

	snprintf(text, sizeof(text), "/src/shop/internal/p%u/file%u.go", f % 60, f % 300);
	fn.file = strtab_addz(builder_strings(p->b), text);
	check(builder_function(p->b, &fn, &p->func[f], &err), "function", &err);
	line = (struct builder_line){ p->func[f], f % 900 + 7, 0 };
	check(builder_location(p->b, &l, &line, 1, &p->loc[f], &err), "location", &err);
	return p->loc[f];
}

/* The stack of a rank: its path in a tree of three callees each, below a few fixed callers. */
static size_t make_stack(struct places *p, uint32_t rank, uint32_t *loc)
{
	size_t n = 0;

	for (uint64_t at = (uint64_t)rank + 4; at > 3 && n < DEPTH_MAX - PREFIX; at /= 3)
		loc[n++] = place(p, at);
	for (unsigned i = 0; i < PREFIX; i++)
		loc[n++] = place(p, UINT64_C(1) << 40 | i);
	return n;
}

static struct profile *make_profile(unsigned samples, const double *ranks, uint32_t n)
{
	struct places p = { .b = builder_new() };
	struct mapping map = { .id = 1, .start = 0x400000, .limit = 0x800000 };
	struct err err;

	map.file = strtab_addz(builder_strings(p.b), "/bin/shop");
	map.build_id = strtab_addz(builder_strings(p.b), "0123456789abcdef");
	builder_type(p.b, strtab_addz(builder_strings(p.b), "samples"), strtab_addz(builder_strings(p.b), "count"));
	builder_type(p.b, strtab_addz(builder_strings(p.b), "cpu"), strtab_addz(builder_strings(p.b), "nanoseconds"));
	check(builder_mapping(p.b, &map, &p.map, &err), "mapping", &err);
	for (unsigned i = 0; i < samples; i++) {
		uint32_t loc[DEPTH_MAX];
		size_t depth = make_stack(&p, draw(ranks, n), loc);

		check(builder_sample(p.b, (const int64_t[]){ 1, PERIOD_NS }, loc, depth, NULL, 0, &err), "sample",
		      &err);
	}
	struct profile *out = builder_seal(p.b);

	builder_free(p.b);
	return out;
}

/* --- the store --- */

static void append(struct store_writer *w, unsigned pod, const struct profile *p)
{
	char instance[32];
	struct store_label label = { "instance", instance };
	struct store_input in = { .service = "shop", .kind = "cpu", .label = &label, .n_labels = 1, .profile = p };
	bool duplicate;
	struct err err;

	snprintf(instance, sizeof(instance), "10.0.%u.%u:6060", pod / 256, pod % 256);
	in.start_ns = simulated_now + (int64_t)(number() * 1e9);
	in.duration_ns = 30 * SECOND;
	check(writer_append(w, &in, NULL, &duplicate, &err), "append", &err);
}

static void maintain(struct store_writer *w)
{
	struct err err;

	if (writer_flush_is_due(w))
		check(writer_flush(w, &err), "flush", &err);
	check(upkeep_run(w, false, false, NULL, NULL, &err), "maintain", &err);
}

/* The first profiles, from which the size is estimated as cpa store plan does. */
static struct profile *sample[SAMPLE];

/* Append the profiles of all days. Returns their number, and the rows of all of them. */
static uint64_t fill(struct store_writer *w, unsigned pods, int64_t every, int64_t end, unsigned samples,
		     uint32_t stacks, double *rows)
{
	double *ranks = make_ranks(stacks);
	uint64_t n = 0;
	struct err err;

	for (; simulated_now < end; simulated_now += every) {
		for (unsigned i = 0; i < pods; i++, n++) {
			struct profile *p = make_profile(samples, ranks, stacks);

			append(w, i, p);
			*rows += p->stacks.n;
			if (n < SAMPLE)
				sample[n] = p;
			else
				profile_free(p);
		}
		check(writer_commit(w, &err), "commit", &err);
		if (simulated_now / (600 * SECOND) != (simulated_now - every) / (600 * SECOND))
			maintain(w);
	}
	check(writer_flush(w, &err), "flush", &err);
	free(ranks);
	return n;
}

/* Bytes of segments of all tiers, and the median CPU and wall time of a query of everything, per day. */
struct measured {
	double bytes, dictionary, wall, cpu;
	unsigned segments;
	uint64_t items;
};

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct measured measure(const char *directory, const char *tier, double days, int64_t *total)
{
	struct store_query q = {
		.service = "shop", .kind = "cpu", .t0 = INT64_MIN, .t1 = INT64_MAX, .pin = "", .adds_up = true
	};
	double wall[TRIES], cpu[TRIES];
	struct store_stat stat;
	struct measured m = { 0 };
	struct store *s;
	struct err err;

	check(local_open(directory, &s, &err), directory, &err);
	check(local_get_stat(s, &stat, &err), directory, &err);
	for (int t = 0; t < N_TIERS; t++) {
		m.bytes += (double)stat.bytes[t];
		m.items += stat.profiles[t];
	}
	m.dictionary = (double)stat.dict_bytes;
	m.segments = stat.segments;
	for (int i = 0; i < TRIES; i++) {
		struct store_sum sum = { 0 };
		struct profile *p;

		wall[i] = seconds(CLOCK_MONOTONIC);
		cpu[i] = seconds(CLOCK_PROCESS_CPUTIME_ID);
		check(store_read(s, &q, NULL, &p, &sum, &err), "query", &err);
		wall[i] = seconds(CLOCK_MONOTONIC) - wall[i];
		cpu[i] = seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu[i];
		*total = 0;
		for (uint32_t k = 0; k < p->n_rows; k++)
			*total += p->value[0][k];
		profile_free(p);
		store_sum_release(&sum);
	}
	qsort(wall, TRIES, sizeof(*wall), compare_numbers);
	qsort(cpu, TRIES, sizeof(*cpu), compare_numbers);
	m.wall = wall[TRIES / 2];
	m.cpu = cpu[TRIES / 2];
	printf("%s: %.2f MB (%.2f MB dictionaries) in %u segments, %" PRIu64
	       " items; query of %.1f days %.1f ms, CPU %.1f ms, %" PRId64 " samples\n",
	       tier, m.bytes / 1e6, m.dictionary / 1e6, stat.segments, m.items, days, m.wall * 1e3, m.cpu * 1e3,
	       *total);
	fflush(stdout);
	store_close(s);
	return m;
}

/* The number of segments that some days of a tier have. */
static double count_segments(const struct measured *m, double measured_days, double days, double span)
{
	double held = floor(COMPACTION_CHAPTER_BYTES_MAX / (m->bytes / measured_days));

	return ceil(days / fmax(1, fmin(held, span)));
}

int main(int argc, char **argv)
{
	static const struct {
		const char *tier;
		double age, days, span; /* age at which it is measured; days of it in a year; days of a segment */
	} step[] = { { "raw", 1, 14, 7 }, { "10m", 15, 76, 7 }, { "1h", 91, 275, 28 }, { "1d", 401, 0, 364 } };
	const struct store_writer_options options = { .cap = UINT64_C(40) << 30,
						      .owner = "store_year",
						      .now = get_simulated_now };
	double bytes = 0, wall = 0, cpu = 0, segments = 0, rows = 0, days, t;
	struct estimate estimate;
	struct store_writer *w;
	uint64_t n;
	struct err err;

	if (argc != 7)
		return 2;
	days = atof(argv[4]);
	check(upkeep_open_writer(argv[1], true, &options, &w, NULL, &err), argv[1], &err);
	t = seconds(CLOCK_PROCESS_CPUTIME_ID);
	n = fill(w, (unsigned)atoi(argv[2]), atoi(argv[3]) * SECOND, START + (int64_t)(days * (double)DAY),
		 (unsigned)atoi(argv[5]), (uint32_t)atoi(argv[6]), &rows);
	printf("%" PRIu64 " profiles of %.0f rows, %.0f CPU seconds\n", n, rows / (double)n,
	       seconds(CLOCK_PROCESS_CPUTIME_ID) - t);
	check(estimate_measure("cpu", (const struct profile *const *)sample, SAMPLE, &estimate, &err), "estimate",
	      &err);
	for (size_t i = 0; i < sizeof(step) / sizeof(step[0]); i++) {
		double predicted, n_year;
		struct measured m;
		int64_t total;

		simulated_now = START + (int64_t)(days * (double)DAY) + (int64_t)(step[i].age * (double)DAY);
		t = seconds(CLOCK_PROCESS_CPUTIME_ID);
		check(upkeep_run(w, true, false, NULL, NULL, &err), "maintain", &err);
		t = seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
		m = measure(argv[1], step[i].tier, days, &total);
		printf("%s: %.1f CPU seconds of maintenance\n", step[i].tier, t);
		predicted = estimate_bytes(&estimate, (enum store_tier)i, atof(argv[2]), atof(argv[3]), days);
		printf("%s: predicted from %d profiles %.2f MB, %+.0f %%\n", step[i].tier, SAMPLE, predicted / 1e6,
		       100 * (predicted / m.bytes - 1));
		fflush(stdout);
		bytes += m.bytes / days * step[i].days;
		n_year = count_segments(&m, days, step[i].days, step[i].span);
		segments += n_year;
		wall += m.wall / m.segments * n_year;
		cpu += m.cpu / m.segments * n_year;
	}
	printf("a year: %.2f GB in %.0f segments, query %.2f s with %u threads, CPU %.2f s\n", bytes / 1e9, segments,
	       wall, pool_size(), cpu);
	check(upkeep_close_writer(w, &err), "close", &err);
	return 0;
}

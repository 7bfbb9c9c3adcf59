/*
 * store_days.c - fill a store with days of profiles of several instances, and time queries of it
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * usage: store_days fill STORE INSTANCES DAYS MINUTES FILE...   a profile of each instance every MINUTES
 *        store_days read STORE ROUNDS DAYS                      the sum of the last DAYS: median time of store_read
 *
 * Each profile is a random one of the files, with a time of its own. The clock of the writer is that of the profiles, so it
 * flushes and compacts as in real days. Prints a line per measurement: name, value, unit.
 */
#include "config.h"

#include "base/io.h"
#include "base/mem.h"
#include "formats/formats.h"
#include "profile/temporality.h"
#include "store/local/read/local.h"
#include "store/store.h"
#include "store/local/upkeep/upkeep.h"
#include "store/local/write/writer.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND INT64_C(1000000000)
#define DAY (24 * 3600 * SECOND)
#define START (INT64_C(1763337600) * SECOND) /* 2025-11-17T00:00:00Z, a Monday */

enum { MAX_ROUNDS = 99 };

static int64_t simulated_now = START;
static uint64_t state = 1;

static uint32_t number(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
	return (uint32_t)((state >> 32) * below >> 32);
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
	if (!rc)
		return;
	fprintf(stderr, "store_days: %s: %s\n", what, err->msg);
	exit(2);
}

/* --- fill --- */

struct filler {
	struct store_writer *writer;
	struct profile **profile;
	size_t n;
	const char *kind;
	double append, commit, flush, maintain; /* CPU seconds */
	uint64_t n_profiles;
};

static void read_files(struct filler *f, char **path, size_t n)
{
	f->profile = mem_alloc(n, sizeof(*f->profile));
	for (f->n = 0; f->n < n; f->n++) {
		struct bytes bytes;
		struct err err;

		check(io_read_file(path[f->n], SIZE_MAX, NULL, &bytes, &err), path[f->n], &err);
		check(formats_read(&bytes, &formats_options_default, &f->profile[f->n], &err), path[f->n], &err);
		f->profile[f->n]->meta.time_ns = f->profile[f->n]->meta.duration_ns = 0;
		free(bytes.data);
	}
	f->kind = profile_kind(f->profile[0]);
}

static void append_step(struct filler *f, unsigned n_instances)
{
	double t = seconds(CLOCK_PROCESS_CPUTIME_ID);
	struct err err;

	for (unsigned i = 0; i < n_instances; i++) {
		char instance[32];
		struct store_label label = { "instance", instance };
		struct store_input in = { .service = "shop", .kind = f->kind, .label = &label, .n_labels = 1 };
		bool duplicate = false;

		snprintf(instance, sizeof(instance), "10.0.%u.%u:6060", i / 256, i % 256);
		in.profile = f->profile[number((uint32_t)f->n)];
		in.start_ns = simulated_now + number(1000000000);
		in.duration_ns = 30 * SECOND;
		check(writer_append(f->writer, &in, NULL, &duplicate, &err), "append", &err);
		f->n_profiles += !duplicate;
	}
	f->append += seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
	t = seconds(CLOCK_PROCESS_CPUTIME_ID);
	check(writer_commit(f->writer, &err), "commit", &err);
	f->commit += seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
}

static void maintain_step(struct filler *f)
{
	double t = seconds(CLOCK_PROCESS_CPUTIME_ID);
	struct buf report = { 0 };
	struct err err;

	if (writer_flush_is_due(f->writer)) {
		check(writer_flush(f->writer, &err), "flush", &err);
		f->flush += seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
		t = seconds(CLOCK_PROCESS_CPUTIME_ID);
	}
	check(upkeep_run(f->writer, false, false, NULL, &report, &err), "maintain", &err);
	f->maintain += seconds(CLOCK_PROCESS_CPUTIME_ID) - t;
	buf_release(&report);
}

static void print_store(const char *directory, const struct filler *f)
{
	struct store_stat stat;
	struct store *s;
	struct err err;
	double n;

	check(local_open(directory, &s, &err), directory, &err);
	check(local_get_stat(s, &stat, &err), directory, &err);
	n = (double)stat.profiles[TIER_RAW];
	printf("profiles %.0f\n", n);
	printf("segments %u\n", stat.segments);
	printf("samples %.1f bytes per profile\n", (double)stat.block_bytes / n);
	printf("dictionary %.1f bytes per profile\n", (double)stat.dict_bytes / n);
	printf("store %.2f MB\n", (double)stat.used / 1e6);
	printf("append %.0f profiles per CPU second\n", (double)f->n_profiles / (f->append + f->commit));
	printf("commit %.1f us per profile\n", f->commit * 1e6 / (double)f->n_profiles);
	printf("flush %.2f CPU seconds\n", f->flush);
	printf("compaction %.2f CPU seconds\n", f->maintain);
	store_close(s);
}

static int fill(const char *directory, char **argv, int argc)
{
	const struct store_writer_options options = {
		.cap = UINT64_C(20) << 30, .retain_raw_ns = INT64_MAX, .owner = "store_days", .now = get_simulated_now
	};
	unsigned n_instances = (unsigned)atoi(argv[0]);
	int64_t end = START + atoi(argv[1]) * DAY, every = atoi(argv[2]) * 60 * SECOND;
	struct filler f = { 0 };
	struct err err;

	read_files(&f, argv + 3, (size_t)argc - 3);
	check(upkeep_open_writer(directory, true, &options, &f.writer, NULL, &err), directory, &err);
	for (; simulated_now < end; simulated_now += every) {
		append_step(&f, n_instances);
		maintain_step(&f);
	}
	for (unsigned hour = 0; hour < 3; hour++) {
		simulated_now += 3600 * SECOND;
		maintain_step(&f);
	}
	check(upkeep_close_writer(f.writer, &err), "close", &err);
	print_store(directory, &f);
	return 0;
}

/* --- read --- */

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static int latest(void *arg, const struct store_series *s, struct err *err)
{
	int64_t *last = arg;

	(void)err;
	*last = s->last_ns > *last ? s->last_ns : *last;
	return 0;
}

static int read_days(const char *directory, unsigned rounds, double days)
{
	struct store_query q = { .service = "shop", .kind = "", .t0 = INT64_MIN, .t1 = INT64_MAX };
	struct store_sum sum = { 0 };
	double wall[MAX_ROUNDS], cpu[MAX_ROUNDS];
	int64_t last = 0;
	struct err err;

	for (unsigned r = 0; r < rounds; r++) {
		struct profile *p;
		struct store *s;
		double t = seconds(CLOCK_MONOTONIC), used = seconds(CLOCK_PROCESS_CPUTIME_ID);

		check(local_open(directory, &s, &err), directory, &err);
		if (!last) {
			check(store_each_series(s, &q, latest, &last, &err), directory, &err);
			q.kind = "cpu";
			q.t1 = last + 1;
			q.t0 = q.t1 - (int64_t)(days * (double)DAY);
			t = seconds(CLOCK_MONOTONIC);
		}
		store_sum_release(&sum);
		check(store_read(s, &q, NULL, &p, &sum, &err), directory, &err);
		store_close(s);
		cpu[r] = (seconds(CLOCK_PROCESS_CPUTIME_ID) - used) * 1e3;
		wall[r] = (seconds(CLOCK_MONOTONIC) - t) * 1e3;
		if (!r)
			printf("first %.1f ms\n", wall[r]);
		profile_free(p);
	}
	qsort(wall, rounds, sizeof(*wall), compare_numbers);
	qsort(cpu, rounds, sizeof(*cpu), compare_numbers);
	printf("median %.1f ms, %.1f ms of CPU time, of %u; %" PRIu64 " profiles\n", wall[rounds / 2], cpu[rounds / 2],
	       rounds, sum.profiles);
	store_sum_release(&sum);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 6 && strcmp(argv[1], "fill") == 0)
		return fill(argv[2], argv + 3, argc - 3);
	if (argc == 5 && strcmp(argv[1], "read") == 0 && atoi(argv[3]) > 0 && atoi(argv[3]) <= MAX_ROUNDS)
		return read_days(argv[2], (unsigned)atoi(argv[3]), atof(argv[4]));
	fputs("usage: store_days fill STORE INSTANCES DAYS MINUTES FILE... | read STORE ROUNDS DAYS\n", stderr);
	return 2;
}

/*
 * reports.c - run time of reports on a loaded profile, and latency of cancellation
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Prints a line per report: the median time from view_make to the finished report. With -s another thread also sets the
 * stop flag at random moments, and the line has the time until the report returned.
 */
#include "config.h"

#include "answer/reports.h"
#include "base/stop.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/calls.h"
#include "report/disasm.h"
#include "report/flame.h"
#include "report/list.h"
#include "report/tags.h"
#include "report/top.h"
#include "report/traces.h"
#include "report/weblist.h"
#include "sources/sides.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { MAX_ROUNDS = 200 };

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

typedef int (*make_fn)(const struct view *v, const struct query *q, struct report *r, struct buf *notes,
		       struct err *err);

static int make_top_sides(const struct view *v, const struct query *q, struct report *r, struct buf *notes,
			  struct err *err)
{
	(void)notes;
	return report_top_sides_make(v, q, r, err);
}

static int make_flame(const struct view *v, const struct query *q, struct report *r, struct buf *notes, struct err *err)
{
	struct flame_options measured_report = { .min_share = 1.0 / (double)q->width,
						 .max_levels = 2000,
						 .wants_sums = true };

	(void)notes;
	return report_flame_make(v, q, &measured_report, r, err);
}

static int make_weblist(const struct view *v, const struct query *q, struct report *r, struct buf *notes,
			struct err *err)
{
	struct weblist list;

	return report_weblist_make(v, q, r, &list, notes, err);
}

static int make_nothing(const struct view *v, const struct query *q, struct report *r, struct buf *notes,
			struct err *err)
{
	(void)v, (void)q, (void)r, (void)notes, (void)err;
	return 0;
}

static const struct measured_report {
	const char *name;
	make_fn make;
	const char *report; /* report whose defaults are used */
	bool all;           /* no trimming */
	int64_t nodecount, width;
	bool call_tree, inverted, pattern;
	const char *focus, *hide;
	int grain;
} measured_reports[] = {
	{ "view", make_nothing, "top", .nodecount = -1 },
	{ "view -focus", make_nothing, "top", .nodecount = -1, .focus = "e" },
	{ "view -hide", make_nothing, "top", .nodecount = -1, .hide = "e" },
	{ "top", report_top_make, "top", .nodecount = -1 },
	{ "top -trim=false", report_top_make, "top", .all = true },
	{ "top -trim=false -lines", report_top_make, "top", .all = true, .grain = GRAIN_LINES },
	{ "top -trim=false -addresses", report_top_make, "top", .all = true, .grain = GRAIN_ADDRESSES },
	{ "top -trim=false -focus", report_top_make, "top", .all = true, .focus = "e" },
	{ "top_sides", make_top_sides, "top", .nodecount = -1 },
	{ "top_sides -trim=false", make_top_sides, "top", .all = true },
	{ "peek", report_calls_make, "peek", .pattern = true },
	{ "tree", report_calls_make, "tree", .nodecount = -1 },
	{ "tree -trim=false", report_calls_make, "tree", .all = true },
	{ "tree -call_tree", report_calls_make, "tree", .nodecount = -1, .call_tree = true },
	{ "tags", report_tags_make, "tags", .nodecount = -1 },
	{ "traces", report_traces_make, "traces", .nodecount = -1 },
	{ "flame 80", make_flame, "flame", .nodecount = -1, .width = 80 },
	{ "flame 400", make_flame, "flame", .nodecount = -1, .width = 400 },
	{ "flame 400 -inverted", make_flame, "flame", .nodecount = -1, .width = 400, .inverted = true },
	{ "flame 4000", make_flame, "flame", .nodecount = -1, .width = 4000 },
	{ "list", report_list_make, "list", .pattern = true },
	{ "disasm", report_disasm_make, "disasm", .pattern = true },
	{ "weblist", make_weblist, "weblist", .pattern = true },
};

enum { N_REPORTS = sizeof(measured_reports) / sizeof(measured_reports[0]) };

struct run {
	const struct measured_report *measured_report;
	const struct profile *p;
	const char *pattern;
	struct stop *stop;
	int rc;
	double end_ms;
};

static void *run_once(void *arg)
{
	struct run *run = arg;
	const struct measured_report *a = run->measured_report;
	struct arena *mem = arena_new();
	struct buf notes = { 0 };
	struct report r = { .mem = NULL };
	struct query q = { 0 };
	struct view v;
	struct err err;

	query_init(&q);
	q.stop = run->stop;
	q.nodecount = a->nodecount;
	q.trim = !a->all;
	q.call_tree = a->call_tree;
	q.inverted = a->inverted;
	q.granularity = a->grain;
	q.width = a->width;
	q.no_debuginfod = true;
	q.focus = a->focus ? a->focus : "";
	q.hide = a->hide ? a->hide : "";
	q.pattern = a->pattern ? run->pattern : "";
	query_finish(&q, &(const char *){ NULL }, &err);
	query_apply_defaults(&q, &reports_get(a->report)->defaults);
	run->rc = view_make(run->p, &q.filter, mem, &v, &notes, &err);
	if (run->rc == 0)
		run->rc = a->make(&v, &q, &r, &notes, &err);
	run->end_ms = now_ms();
	if (run->rc < 0 && run->rc != ERR_STOPPED)
		fprintf(stderr, "%s: %s\n", a->name, err.msg);
	report_release(&r);
	arena_free(mem);
	buf_release(&notes);
	return NULL;
}

static int by_ms(const void *a, const void *b)
{
	double l = *(const double *)a, r = *(const double *)b;

	return (l > r) - (l < r);
}

static void pause_ms(double ms)
{
	struct timespec t = { (time_t)(ms / 1e3), (long)(ms * 1e6) % 1000000000 };

	nanosleep(&t, NULL);
}

/* Print the time from the stop flag to the return of a report, median and worst. */
static void measure_stop(struct run *run, double whole_ms, int rounds)
{
	double ms[MAX_ROUNDS];
	int n = 0, late = 0;

	for (int i = 0; i < rounds; i++) {
		struct stop stop = { 0 };
		pthread_t thread;
		double set;

		run->stop = &stop;
		pthread_create(&thread, NULL, run_once, run);
		pause_ms(whole_ms * i / rounds);
		set = now_ms();
		stop_set(&stop);
		pthread_join(thread, NULL);
		if (run->rc == ERR_STOPPED)
			ms[n++] = run->end_ms - set;
		else
			late++;
	}
	run->stop = NULL;
	qsort(ms, (size_t)n, sizeof(*ms), by_ms);
	if (n)
		printf("  stops after %.1f, at worst %.1f ms (%d of %d)", ms[n / 2], ms[n - 1], n, n + late);
}

static void measure(struct run *run, int rounds, int stops)
{
	double ms[MAX_ROUNDS];

	for (int i = 0; i < rounds; i++) {
		double start = now_ms();

		run_once(run);
		ms[i] = run->end_ms - start;
	}
	qsort(ms, (size_t)rounds, sizeof(*ms), by_ms);
	printf("%-30s %8.1f ms", run->measured_report->name, ms[rounds / 2]);
	if (stops && run->rc == 0)
		measure_stop(run, ms[rounds / 2], stops);
	printf("%s\n", run->rc < 0 && run->rc != ERR_STOPPED ? " failed" : "");
	fflush(stdout);
}

static struct profile *load(const char *file)
{
	struct query q = { 0 };
	struct source_set new = { .source = &file, .n = 1, .kind = "source", .q = &q }, base = { .q = &q };
	struct profile *p = NULL;
	struct err err;

	query_init(&q);
	if (sides_read(&new, &base, &p, NULL, &err) < 0) {
		fprintf(stderr, "reports: %s\n", err.msg);
		exit(2);
	}
	return p;
}

/* Make a profile with two separate sides, and print the time for that and for joining them. */
static struct profile *make_sides(struct profile *p, const char *file)
{
	const struct sides_options options = {
		.keep_sides = true, .normalize = "", .new_name = "new", .base_name = file
	};
	struct profile *base = load(file), *sides, *joined;
	double start = now_ms(), made;
	struct err err;

	if (sides_make(p, base, &options, &sides, &err) < 0) {
		fprintf(stderr, "reports: %s\n", err.msg);
		exit(2);
	}
	made = now_ms();
	sides_join(sides, &joined, &err);
	printf("%-30s %8.1f ms\n%-30s %8.1f ms\n", "sides_make", made - start, "sides_join", now_ms() - made);
	profile_free(joined);
	profile_free(base);
	profile_free(p);
	return sides;
}

int main(int argc, char **argv)
{
	int rounds = 5, stops = 0, at = 1;
	const char *base = NULL;
	struct profile *p;

	for (; at + 1 < argc && argv[at][0] == '-'; at += 2) {
		int n = atoi(argv[at + 1]);

		if (argv[at][1] == 'b')
			base = argv[at + 1];
		else
			*(argv[at][1] == 's' ? &stops : &rounds) = n < 1 ? 1 : n > MAX_ROUNDS ? MAX_ROUNDS : n;
	}
	if (argc - at < 2) {
		fputs("usage: reports [-n ROUNDS] [-s STOPS] [-b BASE] PROFILE REGEX [REPORT...]\n", stderr);
		return 2;
	}
	p = load(argv[at]);
	if (base)
		p = make_sides(p, base);
	for (int i = 0; i < N_REPORTS; i++) {
		struct run run = { .measured_report = &measured_reports[i], .p = p, .pattern = argv[at + 1] };
		bool wanted = argc - at == 2;

		for (int k = at + 2; k < argc; k++)
			wanted |= strcmp(argv[k], measured_reports[i].name) == 0;
		if (wanted)
			measure(&run, rounds, stops);
	}
	profile_free(p);
	return 0;
}

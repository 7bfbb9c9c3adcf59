/*
 * test_stop.c - reports that another thread stops
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/stop.h"
#include "engine/query.h"

#include "base/child.h"
#include "base/pool.h"
#include "report/calls.h"
#include "report/disasm.h"
#include "report/flame.h"
#include "report/list.h"
#include "report/tags.h"
#include "report/top.h"
#include "report/traces.h"
#include "report/weblist.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "tests/unit/make_profile.h"

enum { FUNCS = 500, STACKS = 25000, DEPTH = 10, ROUNDS = 15, NAME = 64 };

static uint32_t draw(uint32_t *seed)
{
	*seed = *seed * 1664525 + 1013904223;
	return *seed >> 8;
}

/* Many distinct stacks with some inlined calls, enough to be split over threads, each with a label. */
static struct profile *large_profile(void)
{
	struct make m = make_start("samples/count cpu/nanoseconds");
	uint32_t seed = 1;

	make_map(&m, "/no/such/binary");
	for (int i = 0; i < STACKS; i++) {
		const struct builder_label l = { .key = make_text(&m, "request", 7), .num = i };
		char stack[DEPTH * NAME] = "";
		uint32_t label;

		for (int d = 0, at = 0; d < DEPTH; d++) {
			uint32_t f = draw(&seed) % FUNCS;

			at += snprintf(stack + at, sizeof(stack) - (size_t)at,
				       f % 3 ? "%s0x%x=f%u@f.go:%u" : "%s0x%x=f%u@f.go:%u+outer@g.go:1", d ? ";" : "",
				       f + 1, f, f + 1);
		}
		builder_label(m.b, &l, &label, NULL);
		make_row(&m, stack, (const int64_t[]){ 1, 10 + i % 7 }, &label, 1);
	}
	return make_end(&m);
}

typedef int (*make_fn)(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		       struct err *err);

static int make_flame(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
		      struct err *err)
{
	const struct flame_options ask = { .min_share = 0.00001, .max_levels = 100, .wants_sums = true };

	(void)notes;
	return report_flame_make(v, q, &ask, out, err);
}

/* Releases the report on failure, too. */
static int make_weblist(const struct view *v, const struct query *q, struct report *out, struct buf *notes,
			struct err *err)
{
	struct weblist list;
	int rc = report_weblist_make(v, q, out, &list, notes, err);

	if (rc < 0)
		report_release(out);
	if (rc < 0)
		*out = (struct report){ 0 };
	return rc;
}

struct ask {
	const char *name;
	make_fn make;
	struct query_defaults defaults;
	const char *pattern, *focus, *hide, *tagfocus, *tagroot;
	int64_t nodecount;
	int grain;
};

static const struct ask asks[] = {
	{ "top", report_top_make, { 0 }, "", "", "", "", "", -1, GRAIN_FUNCTIONS },
	{ "top by lines", report_top_make, { 0 }, "", "", "", "", "", 0, GRAIN_LINES },
	{ "top of some names", report_top_make, { 0 }, "", "f1|f2", "f3.*", "", "", 0, GRAIN_FUNCTIONS },
	{ "top of some labels", report_top_make, { 0 }, "", "", "", "request=100:20000", "", 0, GRAIN_FUNCTIONS },
	{ "top under labels", report_top_make, { 0 }, "", "", "", "", "request", 0, GRAIN_FUNCTIONS },
	{ "tree", report_calls_make, { .nodecount = 80 }, "", "", "", "", "", 0, GRAIN_FUNCTIONS },
	{ "peek", report_calls_make, { .untrimmed = true }, "f1", "", "", "", "", 0, GRAIN_FUNCTIONS },
	{ "tags", report_tags_make, { 0 }, "", "", "", "", "", -1, GRAIN_FUNCTIONS },
	{ "traces", report_traces_make, { .whole_paths = true }, "", "", "", "", "", -1, GRAIN_FUNCTIONS },
	{ "flame", make_flame, { .trims_by_width = true }, "", "", "", "", "", -1, GRAIN_FUNCTIONS },
	{ "flame of few boxes", make_flame, { .trims_by_width = true }, "", "", "", "", "", 50, GRAIN_FUNCTIONS },
	{ "list",
	  report_list_make,
	  { .by_line = true, .by_object = true, .untrimmed = true },
	  "f1",
	  "",
	  "",
	  "",
	  "",
	  0,
	  GRAIN_FUNCTIONS },
	{ "disasm",
	  report_disasm_make,
	  { .by_address = true, .noinlines = true, .untrimmed = true },
	  "f1",
	  "",
	  "",
	  "",
	  "",
	  0,
	  GRAIN_FUNCTIONS },
	{ "weblist",
	  make_weblist,
	  { .by_address = true, .untrimmed = true },
	  "f1",
	  "",
	  "",
	  "",
	  "",
	  0,
	  GRAIN_FUNCTIONS },
};

enum { N_ASKS = sizeof(asks) / sizeof(asks[0]) };

/* The parts of a report that differ between a complete and a partial one. */
struct answer {
	int rc;
	bool untouched; /* the report is untouched after a failure */
	uint32_t n_rows;
	int64_t sum;
};

static int64_t sum_of(const struct report *r)
{
	int64_t sum = r->head.shown;

	for (uint32_t i = 0; r->flame && i < r->flame->n; i++)
		sum += r->flame->total[SIDE_NEW][i];
	for (uint32_t i = 0; r->traces && i < r->traces->n; i++)
		sum += r->traces->value[i] + (int64_t)(r->traces->set_off[r->traces->labels[i]] & 7);
	for (uint32_t i = 0; i < r->table.n_rows * r->table.n_cols; i++)
		if (r->table.col[i % r->table.n_cols].kind == CELL_VALUE)
			sum += r->table.cell[i].value;
	return sum;
}

static struct answer answer(const struct profile *p, const struct ask *ask, struct stop *stop)
{
	struct answer a = { 0 };
	struct arena *mem = arena_new();
	struct report r = { 0 };
	struct buf notes = { 0 };
	struct query q = { 0 };
	struct view v;
	struct err err;

	query_init(&q);
	q.stop = stop;
	q.pattern = ask->pattern;
	q.focus = ask->focus;
	q.hide = ask->hide;
	q.tagfocus = ask->tagfocus;
	q.tagroot = ask->tagroot;
	q.nodecount = ask->nodecount;
	q.granularity = ask->grain;
	q.no_debuginfod = true;
	q.inlined = true;
	query_finish(&q, &(const char *){ NULL }, &err);
	query_apply_defaults(&q, &ask->defaults);
	a.rc = view_make(p, &q.filter, mem, &v, &notes, &err);
	if (a.rc == 0)
		a.rc = ask->make(&v, &q, &r, &notes, &err);
	a.untouched = r.mem == NULL && r.table.cell == NULL;
	a.n_rows = r.table.n_rows;
	a.sum = a.rc == 0 ? sum_of(&r) : 0;
	if (a.rc == ERR_STOPPED)
		assert_string_equal(err.msg, "stopped");
	report_release(&r);
	buf_release(&notes);
	arena_free(mem);
	return a;
}

static double now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

struct later {
	struct stop *stop;
	long us;
};

static void *stop_later(void *arg)
{
	const struct later *l = arg;
	const struct timespec t = { l->us / 1000000, l->us % 1000000 * 1000 };

	nanosleep(&t, NULL);
	stop_set(l->stop);
	return NULL;
}

static void a_stopped_report_is_complete_or_missing(void **state)
{
	struct profile *p = large_profile();
	uint32_t seed = 7;

	(void)state;
	pool_set_size(4);
	for (int i = 0; i < N_ASKS; i++) {
		double start = now_us();
		const struct answer whole = answer(p, &asks[i], NULL);
		double us = now_us() - start;

		for (int k = 0; k < ROUNDS; k++) {
			struct stop stop = { 0 };
			struct later later = { &stop, (long)(us * (draw(&seed) % 1000) / 1000) };
			struct answer a;
			pthread_t thread;

			pthread_create(&thread, NULL, stop_later, &later);
			a = answer(p, &asks[i], &stop);
			pthread_join(thread, NULL);
			if (a.rc != ERR_STOPPED && (a.rc != whole.rc || a.n_rows != whole.n_rows || a.sum != whole.sum))
				fail_msg("%s: %d rows of %d", asks[i].name, a.n_rows, whole.n_rows);
			if (a.rc < 0 && !a.untouched)
				fail_msg("%s left something in the report", asks[i].name);
		}
	}
	pool_set_size(0);
	profile_free(p);
}

static void a_report_stopped_before_it_begins_fails(void **state)
{
	struct make m = make_start("cpu/nanoseconds");
	struct profile *p;

	(void)state;
	ROW(&m, "0x10=f1@f.go:1;0x20=f2@f.go:2", 10);
	p = make_end(&m);
	for (int i = 0; i < N_ASKS; i++) {
		struct stop stop = { 0 };

		stop_set(&stop);
		assert_int_equal(answer(p, &asks[i], &stop).rc, ERR_STOPPED);
	}
	profile_free(p);
}

static void progress_rises_from_0_to_100(void **state)
{
	struct stop stop = { 0 };
	const char *what = "";

	(void)state;
	assert_int_equal(stop_percent(&stop, &what), -1);
	assert_null(what);
	stop_begin(&stop, "adding up", 4 * STOP_CHECK_INTERVAL);
	assert_int_equal(stop_percent(&stop, &what), 0);
	assert_string_equal(what, "adding up");
	for (uint64_t i = 0; i <= 2 * STOP_CHECK_INTERVAL; i++)
		assert_false(stop_step(&stop, i));
	assert_int_equal(stop_percent(&stop, &what), 50);
	for (uint64_t i = 0; i <= 4 * STOP_CHECK_INTERVAL; i++)
		stop_step(&stop, i);
	assert_int_equal(stop_percent(&stop, &what), 100);
	stop_begin(&stop, "sorting", 0);
	assert_int_equal(stop_percent(&stop, &what), -1);
	assert_string_equal(what, "sorting");
}

static void functions_accept_a_missing_stop_flag(void **state)
{
	struct err err;

	(void)state;
	assert_false(stop_is_set(NULL));
	assert_false(stop_step(NULL, 0));
	assert_int_equal(stop_check(NULL, &err), 0);
	stop_begin(NULL, "", 1);
}

static void a_running_program_is_terminated(void **state)
{
	struct stop stop = { 0 };
	struct later later = { &stop, 50000 };
	struct buf out = { 0 };
	struct err err;
	pthread_t thread;
	double start = now_us();

	(void)state;
	pthread_create(&thread, NULL, stop_later, &later);
	assert_int_equal(child_read((const char *const[]){ "sleep", "100", NULL }, 1, 200, &stop, &out, &err),
			 ERR_STOPPED);
	pthread_join(thread, NULL);
	assert_true(now_us() - start < 20e6);
	buf_release(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stopped_report_is_complete_or_missing),
		cmocka_unit_test(a_report_stopped_before_it_begins_fails),
		cmocka_unit_test(progress_rises_from_0_to_100),
		cmocka_unit_test(functions_accept_a_missing_stop_flag),
		cmocka_unit_test(a_running_program_is_terminated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

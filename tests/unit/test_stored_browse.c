/*
 * test_stored_browse.c - the content of a store, and totals over time
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/query.h"
#include "sources/stored_browse.h"
#include "store/local/read/local.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "make_filled_store.h"

static struct err err;
static struct query q;

static void add_cpu(struct filled *f, const char *instance, int64_t minute, int64_t ns)
{
	filled_add(f, "shop", "cpu", instance, minute * MINUTE, "samples/count cpu/nanoseconds",
		   (const int64_t[]){ ns / 10, ns });
}

static void add_heap(struct filled *f, const char *instance, int64_t minute, int64_t allocated, int64_t in_use)
{
	filled_add(f, "shop", "heap", instance, minute * MINUTE, "alloc_space/bytes inuse_space/bytes",
		   (const int64_t[]){ allocated, in_use });
}

/* Totals of a kind of the service shop in steps of 10 minutes, from FILLED_T0 on. */
static struct stored_totals totals(const struct filled *f, const char *kind, const char *type, int64_t minutes)
{
	const struct stored_place place = { f->folder, &q };
	const struct stored_choice c = {
		.service = "shop", .kind = kind, .t0 = FILLED_T0, .t1 = FILLED_T0 + minutes * MINUTE
	};
	struct stored_totals t;

	if (stored_choice_totals(&place, &c, 10 * MINUTE, type, NULL, &t, &err) < 0)
		fail_msg("%s", err.msg);
	return t;
}

static void deltas_are_added_up_in_each_step(void **state)
{
	struct filled f = filled_start();
	struct stored_totals t;

	(void)state;
	add_cpu(&f, "a", 0, 100);
	add_cpu(&f, "a", 9, 50);
	add_cpu(&f, "b", 3, 30);
	add_cpu(&f, "a", 10, 7000);
	add_cpu(&f, "a", 30, 1);
	filled_close(&f);
	t = totals(&f, "cpu", "", 30);
	assert_int_equal(t.n_steps, 3);
	assert_int_equal(t.n_types, 2);
	assert_string_equal(t.type[1].name, "cpu");
	assert_int_equal(t.group[0].total[1][0], 180);
	assert_int_equal(t.group[0].total[1][1], 7000);
	assert_int_equal(t.group[0].total[1][2], 0);
	assert_int_equal(t.group[0].total[0][0], 18);
	assert_int_equal(t.profiles[0], 3);
	assert_int_equal(t.profiles[2], 0);
	assert_int_equal(t.n_series, 2);
	stored_totals_release(&t);
	filled_remove(&f);
}

/* Counters: a 100, 150, 155, then restarted with 20; b 1000, 1001. In use: means of the snapshots. */
static void counters_give_increases_and_gauges_means(void **state)
{
	struct filled f = filled_start();
	struct stored_totals t;

	(void)state;
	add_heap(&f, "a", 0, 100, 10);
	add_heap(&f, "a", 5, 150, 30);
	add_heap(&f, "a", 10, 155, 40);
	add_heap(&f, "a", 15, 20, 8);
	add_heap(&f, "b", 1, 1000, 500);
	add_heap(&f, "b", 11, 1001, 600);
	filled_close(&f);
	t = totals(&f, "heap", "alloc_space", 20);
	assert_int_equal(t.group[0].total[0][0], 50);
	assert_int_equal(t.group[0].total[0][1], 5 + 20 + 1);
	assert_int_equal(t.group[0].total[1][0], 20 + 500);
	assert_int_equal(t.group[0].total[1][1], 24 + 600);
	assert_int_equal(t.type[0].window, 50 + 5 + 20 + 1);
	assert_int_equal(t.type[1].window, 22 + 550);
	stored_totals_release(&t);
	filled_remove(&f);
}

static void values_of_a_label_make_groups(void **state)
{
	struct filled f = filled_start();
	const struct store_query query = { .service = "shop",
					   .kind = "cpu",
					   .pin = "",
					   .t0 = FILLED_T0,
					   .t1 = FILLED_T0 + 20 * MINUTE,
					   .step_ns = 10 * MINUTE };
	struct stored_totals t;
	struct store *s;

	(void)state;
	add_cpu(&f, "b", 12, 30);
	add_cpu(&f, "a", 0, 100);
	filled_close(&f);
	assert_int_equal(local_open(f.folder, &s, &err), 0);
	assert_int_equal(stored_totals_read(s, &query, "instance", NULL, &t, &err), 0);
	assert_int_equal(t.n_groups, 2);
	assert_string_equal(t.group[0].value, "a");
	assert_string_equal(t.group[1].value, "b");
	assert_int_equal(t.group[0].total[1][0], 100);
	assert_int_equal(t.group[0].total[1][1], 0);
	assert_int_equal(t.group[1].total[1][1], 30);
	stored_totals_release(&t);
	store_close(s);
	filled_remove(&f);
}

static void the_catalogue_lists_services_kinds_and_labels(void **state)
{
	struct filled f = filled_start();
	const struct stored_place place = { f.folder, &q };
	const struct stored_service *s;
	struct stored_catalogue all;

	(void)state;
	add_cpu(&f, "b", 5, 1);
	add_cpu(&f, "a", 7, 1);
	add_heap(&f, "a", 7, 1, 1);
	filled_add(&f, "cart", "heap", "c", MINUTE, "inuse_space/bytes", (const int64_t[]){ 1 });
	filled_close(&f);
	assert_int_equal(stored_catalogue_read(&place, &all, &err), 0);
	assert_int_equal(all.n, 2);
	s = stored_catalogue_find(&all, "");
	assert_string_equal(s->name, "shop");
	assert_int_equal(s->n_kinds, 2);
	assert_string_equal(s->kind[1], "heap");
	assert_string_equal(stored_service_kind(s), "cpu");
	assert_int_equal(s->n_labels, 1);
	assert_int_equal(s->label[0].n, 2);
	assert_string_equal(s->label[0].value[0], "a");
	assert_int_equal(s->first_ns, FILLED_T0 + 5 * MINUTE);
	assert_int_equal(s->last_ns, FILLED_T0 + 7 * MINUTE);
	assert_int_equal(s->profiles, 3);
	assert_string_equal(stored_service_kind(stored_catalogue_find(&all, "cart")), "heap");
	assert_null(stored_catalogue_find(&all, "none"));
	stored_catalogue_release(&all);
	filled_remove(&f);
}

static void words_of_a_source_are_quoted(void **state)
{
	const struct stored_place place = { "/tmp/a b", &q };
	const struct stored_choice c = { .service = "a \"b\\",
					 .kind = "cpu",
					 .label = { { "x{", "" }, { "env", "prod" } },
					 .n_labels = 2,
					 .t0 = FILLED_T0,
					 .t1 = FILLED_T0 + MINUTE };
	struct buf source = { 0 };

	(void)state;
	stored_choice_print(&place, &c, &source);
	assert_string_equal(buf_text(&source), "store:\"/tmp/a b\"#\"a \\\"b\\\\\"/cpu{\"x{\"=\"\",env=prod}"
					       "@2026-11-20T00:00:00Z..2026-11-20T00:01:00Z");
	buf_release(&source);
}

static void a_start_without_service_or_recent_data_takes_the_last_hour(void **state)
{
	struct filled f = filled_start();
	char argument[200], expect[200];
	struct stored_start s;

	(void)state;
	add_cpu(&f, "a", 90, 1);
	filled_close(&f);
	snprintf(argument, sizeof(argument), "store:%s#", f.folder);
	snprintf(expect, sizeof(expect), "store:\"%s\"#shop/cpu@2026-11-20T00:30:01Z..2026-11-20T01:30:01Z", f.folder);
	assert_true(stored_start_is_store(argument));
	assert_int_equal(stored_start_find(argument, &q, &s, &err), 0);
	assert_string_equal(buf_text(&s.source), expect);
	assert_string_equal(buf_text(&s.service), "shop");
	assert_false(s.has_window);
	stored_start_release(&s);
	snprintf(argument, sizeof(argument), "store:%s#shop@2026-11-20", f.folder);
	assert_int_equal(stored_start_find(argument, &q, &s, &err), 0);
	assert_string_equal(buf_text(&s.source), argument);
	assert_true(s.has_window);
	stored_start_release(&s);
	filled_remove(&f);
}

static void an_empty_store_is_an_error(void **state)
{
	struct filled f = filled_start();
	struct stored_start s;
	char argument[200];

	(void)state;
	filled_close(&f);
	snprintf(argument, sizeof(argument), "store:%s#", f.folder);
	assert_int_equal(stored_start_find(argument, &q, &s, &err), ERR_IO);
	assert_non_null(strstr(err.msg, "the store is empty; cpa collect or cpa store import fills it"));
	stored_start_release(&s);
	filled_remove(&f);
	assert_false(stored_start_is_store("store:6060"));
	assert_true(stored_start_is_store("store:https://collect.example#shop"));
	assert_true(stored_start_is_store("store:"));
	assert_true(stored_start_is_store("store:shop"));
}

static int set_up(void **state)
{
	(void)state;
	query_init(&q);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	query_release(&q);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(deltas_are_added_up_in_each_step),
		cmocka_unit_test(counters_give_increases_and_gauges_means),
		cmocka_unit_test(values_of_a_label_make_groups),
		cmocka_unit_test(the_catalogue_lists_services_kinds_and_labels),
		cmocka_unit_test(words_of_a_source_are_quoted),
		cmocka_unit_test(a_start_without_service_or_recent_data_takes_the_last_hour),
		cmocka_unit_test(an_empty_store_is_an_error),
	};

	return cmocka_run_group_tests_name("stored_browse", tests, set_up, tear_down);
}

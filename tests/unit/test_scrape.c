/*
 * test_scrape.c - profiles that the collector accepts, and the order of its requests
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "scrape/accept.h"
#include "scrape/collector_int.h"

#include "make_profile.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const int64_t second = 1000000000, now = INT64_C(1800000000000000000);

static struct scrape_config *config;
static struct scrape_accepter accepter;

static int start(void **state)
{
	static const char *const target[] = { "localhost:6060" };
	const struct scrape_arguments arguments = { .store = "",
						    .cap = "",
						    .every = "",
						    .cpu = "",
						    .kinds = "",
						    .target = target,
						    .n_targets = 1,
						    .dapr = "",
						    .dendrite = "" };
	struct err err;

	(void)state;
	if (scrape_config_read(NULL, &arguments, &config, &err) < 0 ||
	    scrape_guard_new(config, &accepter.guard, &err) < 0)
		return -1;
	accepter.versions = scrape_versions_new();
	return 0;
}

static int end(void **state)
{
	(void)state;
	scrape_guard_free(accepter.guard);
	scrape_versions_free(accepter.versions);
	scrape_config_unref(config);
	return 0;
}

static struct profile *cpu_profile(int64_t value)
{
	struct make m = make_start("samples/count cpu/nanoseconds");

	ROW(&m, "work;main", 1, value);
	return make_end(&m);
}

static struct scrape_origin origin(const char *kind)
{
	return (struct scrape_origin){ .service = "shop",
				       .kind = kind,
				       .begin_ns = now - 30 * second,
				       .capture_ns = 30 * second,
				       .now_ns = now,
				       .url_version = "" };
}

static struct scrape_write *accept_it(const struct scrape_origin *o, struct profile *p)
{
	struct scrape_write *x = NULL;
	enum scrape_drop why;
	struct err err = { 0 };

	if (scrape_accept(&accepter, o, p, &x, &why, &err) < 0)
		fail_msg("%s", err.msg);
	return x;
}

static void expect_refused(const struct scrape_origin *o, struct profile *p, enum scrape_drop want, const char *message)
{
	struct scrape_write *x = NULL;
	enum scrape_drop why = N_SCRAPE_DROPS;
	struct err err = { 0 };

	assert_true(scrape_accept(&accepter, o, p, &x, &why, &err) < 0);
	assert_int_equal(why, want);
	if (!strstr(err.msg, message))
		fail_msg("%s", err.msg);
}

static void a_profile_without_time_gets_that_of_the_request(void **state)
{
	struct scrape_origin o = origin("cpu");
	struct scrape_write *x = accept_it(&o, cpu_profile(10));

	(void)state;
	assert_string_equal(x->service, "shop");
	assert_string_equal(x->kind, "cpu");
	assert_int_equal(x->start_ns, now - 30 * second);
	assert_int_equal(x->duration_ns, 30 * second);
	scrape_accept_free(x);
}

static void impossible_times_and_durations_are_replaced(void **state)
{
	struct scrape_origin o = origin("cpu");
	struct profile *p = cpu_profile(10);
	struct scrape_write *x;

	(void)state;
	p->meta.time_ns = now + 3600 * second;
	p->meta.duration_ns = 61 * second;
	x = accept_it(&o, p);
	assert_int_equal(x->start_ns, now - 30 * second);
	assert_int_equal(x->duration_ns, 30 * second);
	scrape_accept_free(x);
	p = cpu_profile(10);
	p->meta.time_ns = now - 31 * second;
	p->meta.duration_ns = 31 * second;
	x = accept_it(&o, p);
	assert_int_equal(x->start_ns, now - 31 * second);
	assert_int_equal(x->duration_ns, 31 * second);
	scrape_accept_free(x);
}

static void a_profile_of_another_kind_is_refused(void **state)
{
	struct scrape_origin o = origin("heap");

	(void)state;
	expect_refused(&o, cpu_profile(10), SCRAPE_DROP_KIND, "another kind of profile");
}

static void a_server_of_cpa_has_threads_instead_of_goroutines(void **state)
{
	struct scrape_origin o = origin("goroutine");
	struct make m = make_start("threads/count");
	struct scrape_write *x;

	(void)state;
	ROW(&m, "main", 3);
	x = accept_it(&o, make_end(&m));
	assert_string_equal(x->kind, "threads");
	scrape_accept_free(x);
}

static void values_that_cannot_be_added_are_refused(void **state)
{
	struct scrape_origin o = origin("cpu");
	struct make m = make_start("samples/count cpu/nanoseconds");

	(void)state;
	expect_refused(&o, cpu_profile(-1), SCRAPE_DROP_LIMIT, "sample 1: the value of cpu is negative");
	ROW(&m, "a", 1, INT64_MAX);
	ROW(&m, "b", 1, 1);
	expect_refused(&o, make_end(&m), SCRAPE_DROP_LIMIT, "the sum of cpu is larger");
}

static void the_version_is_a_label_in_order_and_marks_its_first_profile(void **state)
{
	struct store_label label[] = { { "env", "prod" }, { "zone", "a" } };
	struct scrape_origin o = origin("cpu");
	struct make m = make_start("samples/count cpu/nanoseconds");
	struct profile *p;
	struct scrape_write *x;

	(void)state;
	builder_comment(m.b, strtab_addz(builder_strings(m.b), "version: 2.4.1"));
	ROW(&m, "a", 1, 1);
	p = make_end(&m);
	o.label = label;
	o.n_labels = 2;
	x = accept_it(&o, p);
	assert_int_equal(x->n_labels, 3);
	assert_string_equal(x->label[0].name, "env");
	assert_string_equal(x->label[1].name, "version");
	assert_string_equal(x->label[1].value, "2.4.1");
	assert_string_equal(x->label[2].name, "zone");
	assert_string_equal(x->version, "2.4.1");
	assert_string_equal(x->env, "prod");
	scrape_accept_free(x);
}

static void pushes_of_another_time_are_refused(void **state)
{
	struct scrape_origin o = origin("cpu");

	(void)state;
	o.is_push = true;
	o.max_age_ns = 3600 * second;
	o.begin_ns = now - 3700 * second;
	expect_refused(&o, cpu_profile(1), SCRAPE_DROP_TIME, "too long ago");
	o.begin_ns = now + 700 * second;
	expect_refused(&o, cpu_profile(1), SCRAPE_DROP_TIME, "too far in the future");
	o.begin_ns = now - 3500 * second;
	scrape_accept_free(accept_it(&o, cpu_profile(1)));
}

static void a_push_without_times_ends_now(void **state)
{
	struct scrape_origin o = origin("");
	struct profile *p = cpu_profile(1);
	struct scrape_write *x;

	(void)state;
	o.is_push = true;
	o.begin_ns = o.capture_ns = 0;
	p->meta.duration_ns = 10 * second;
	x = accept_it(&o, p);
	assert_int_equal(x->start_ns, now - 10 * second);
	assert_int_equal(x->duration_ns, 10 * second);
	scrape_accept_free(x);
}

static void the_heap_has_the_earliest_request_first(void **state)
{
	enum { N = 500 };
	static struct scrape_state item[N];
	struct scrape_heap h = { 0 };
	uint32_t random = 1;
	int64_t last = INT64_MIN;

	(void)state;
	for (int i = 0; i < N; i++) {
		item[i].at = SIZE_MAX;
		scrape_heap_set(&h, &item[i], i);
	}
	for (int i = 0; i < 10 * N; i++) {
		random = random * 1664525 + 1013904223;
		scrape_heap_set(&h, &item[random % N], random >> 8);
	}
	for (int i = 0; i < N; i += 3)
		scrape_heap_remove(&h, &item[i]);
	assert_int_equal(h.n, N - (N + 2) / 3);
	while (h.n > 0) {
		assert_true(h.item[0]->due_ns >= last);
		last = h.item[0]->due_ns;
		scrape_heap_remove(&h, h.item[0]);
	}
	free(h.item);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_profile_without_time_gets_that_of_the_request),
		cmocka_unit_test(impossible_times_and_durations_are_replaced),
		cmocka_unit_test(a_profile_of_another_kind_is_refused),
		cmocka_unit_test(a_server_of_cpa_has_threads_instead_of_goroutines),
		cmocka_unit_test(values_that_cannot_be_added_are_refused),
		cmocka_unit_test(the_version_is_a_label_in_order_and_marks_its_first_profile),
		cmocka_unit_test(pushes_of_another_time_are_refused),
		cmocka_unit_test(a_push_without_times_ends_now),
		cmocka_unit_test(the_heap_has_the_earliest_request_first),
	};

	return cmocka_run_group_tests(tests, start, end);
}

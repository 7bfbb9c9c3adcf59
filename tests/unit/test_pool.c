/*
 * test_pool.c - run parts of a task on several threads
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/pool.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <cmocka.h>

struct work {
	atomic_uint runs[40];
	pthread_t thread[40];
	pthread_barrier_t *meet;
};

static void count_part(void *arg, unsigned part)
{
	struct work *w = arg;

	w->thread[part] = pthread_self();
	atomic_fetch_add(&w->runs[part], 1);
	if (w->meet)
		pthread_barrier_wait(w->meet);
}

static void every_part_runs_once_for_any_number_of_parts(void **state)
{
	(void)state;
	for (unsigned n = 0; n <= 40; n++) {
		struct work w = { 0 };

		pool_run(count_part, &w, n);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(atomic_load(&w.runs[i]), i < n);
	}
}

static void part_0_runs_on_the_calling_thread(void **state)
{
	struct work w = { 0 };

	(void)state;
	pool_run(count_part, &w, 3);
	assert_true(pthread_equal(w.thread[0], pthread_self()));
}

/* Each part waits for the others; run one after another they would never finish. */
static void eight_parts_run_in_parallel(void **state)
{
	pthread_barrier_t meet;
	struct work w = { .meet = &meet };

	(void)state;
	pthread_barrier_init(&meet, NULL, 8);
	pool_run(count_part, &w, 8);
	pthread_barrier_destroy(&meet);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(atomic_load(&w.runs[i]), 1);
}

static void the_size_can_be_set_to_at_most_8(void **state)
{
	(void)state;
	pool_set_size(3);
	assert_int_equal(pool_size(), 3);
	pool_set_size(100);
	assert_int_equal(pool_size(), 8);
	pool_set_size(0);
}

static void the_default_size_is_the_number_of_cpus(void **state)
{
	(void)state;
	pool_set_size(0);
	assert_in_range(pool_size(), 1, 8);
}

static void read_size(void *arg, unsigned part)
{
	((unsigned *)arg)[part] = pool_size();
}

static void *read_size_main(void *arg)
{
	read_size(arg, 0);
	return NULL;
}

static void a_limit_applies_to_one_thread_and_to_the_parts_that_it_runs(void **state)
{
	unsigned size[3] = { 0 }, unlimited = 0;
	pthread_t other;

	(void)state;
	pool_set_size(6);
	pool_limit(2);
	pool_run(read_size, size, 3);
	pthread_create(&other, NULL, read_size_main, &unlimited);
	pthread_join(other, NULL);
	assert_int_equal(size[0], 2);
	assert_int_equal(size[2], 2);
	assert_int_equal(unlimited, 6);
	pool_limit(0);
	assert_int_equal(pool_size(), 6);
	pool_set_size(0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_runs_once_for_any_number_of_parts),
		cmocka_unit_test(part_0_runs_on_the_calling_thread),
		cmocka_unit_test(eight_parts_run_in_parallel),
		cmocka_unit_test(the_size_can_be_set_to_at_most_8),
		cmocka_unit_test(the_default_size_is_the_number_of_cpus),
		cmocka_unit_test(a_limit_applies_to_one_thread_and_to_the_parts_that_it_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

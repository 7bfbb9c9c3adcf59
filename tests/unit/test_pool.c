/*
 * test_pool.c - the same work on several threads
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

static void note_part(void *arg, unsigned part)
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

		pool_run(note_part, &w, n);
		for (unsigned i = 0; i < 40; i++)
			assert_int_equal(atomic_load(&w.runs[i]), i < n);
	}
}

static void part_0_runs_on_the_calling_thread(void **state)
{
	struct work w = { 0 };

	(void)state;
	pool_run(note_part, &w, 3);
	assert_true(pthread_equal(w.thread[0], pthread_self()));
}

/* Each waits for the others: one after the other would never come back. */
static void eight_parts_run_side_by_side(void **state)
{
	pthread_barrier_t meet;
	struct work w = { .meet = &meet };

	(void)state;
	pthread_barrier_init(&meet, NULL, 8);
	pool_run(note_part, &w, 8);
	pthread_barrier_destroy(&meet);
	for (unsigned i = 0; i < 8; i++)
		assert_int_equal(atomic_load(&w.runs[i]), 1);
}

static void the_size_is_what_was_set_and_at_most_8(void **state)
{
	(void)state;
	pool_set_size(3);
	assert_int_equal(pool_size(), 3);
	pool_set_size(100);
	assert_int_equal(pool_size(), 8);
	pool_set_size(0);
}

static void without_a_setting_processors_are_counted(void **state)
{
	(void)state;
	pool_set_size(0);
	assert_in_range(pool_size(), 1, 8);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_part_runs_once_for_any_number_of_parts),
		cmocka_unit_test(part_0_runs_on_the_calling_thread),
		cmocka_unit_test(eight_parts_run_side_by_side),
		cmocka_unit_test(the_size_is_what_was_set_and_at_most_8),
		cmocka_unit_test(without_a_setting_processors_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

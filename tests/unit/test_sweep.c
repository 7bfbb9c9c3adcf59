/*
 * test_sweep.c - what processes took that ended before they had filled it
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "make_tables.h"

#include <sys/wait.h>

enum { FREE_SLOT = 1, OUR_SLOT = 2, OF_LIVE_RING = 3, TWO_SWEEPS = 64 };

static uint32_t claim_of_the_dead(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_true(pid > 0);
	waitpid(pid, NULL, 0);
	return segment_claim((uint32_t)pid);
}

static struct segment_tables *second_tables(const struct made *m)
{
	return (struct segment_tables *)((uint8_t *)m->t + TABLES_SIZE);
}

static void what_a_dead_process_took_is_free_again(void **state)
{
	struct made m;

	(void)state;
	made_open(&m);
	collect_slot(m.c, FREE_SLOT)->state = claim_of_the_dead();
	collect_ring(m.c, FREE_SLOT)->state = claim_of_the_dead();
	second_tables(&m)->state = claim_of_the_dead();
	for (int i = 0; i < TWO_SWEEPS; i++)
		collect_drain(m.c);
	assert_int_equal(collect_slot(m.c, FREE_SLOT)->state, PROC_FREE);
	assert_int_equal(collect_ring(m.c, FREE_SLOT)->state, RING_FREE);
	assert_int_equal(second_tables(&m)->state, TABLES_FREE);
	made_close(&m);
}

static void what_others_have_stays_theirs(void **state)
{
	uint32_t ours = segment_claim((uint32_t)getpid());
	struct made m;

	(void)state;
	made_open(&m);
	collect_slot(m.c, OUR_SLOT)->state = ours;
	collect_ring(m.c, OUR_SLOT)->state = ours;
	second_tables(&m)->state = ours;
	collect_ring(m.c, OF_LIVE_RING)->serial = 7;
	collect_ring(m.c, OF_LIVE_RING)->state = RING_OWNED;
	for (int i = 0; i < TWO_SWEEPS; i++)
		collect_drain(m.c);
	assert_int_equal(collect_slot(m.c, OUR_SLOT)->state, ours);
	assert_int_equal(collect_ring(m.c, OUR_SLOT)->state, ours);
	assert_int_equal(second_tables(&m)->state, ours);
	assert_int_equal(collect_ring(m.c, OF_LIVE_RING)->state, RING_OWNED);
	assert_int_equal(m.t->state, TABLES_LIVE);
	made_close(&m);
}

static void one_look_is_not_enough(void **state)
{
	uint32_t dead = claim_of_the_dead();
	struct made m;

	(void)state;
	made_open(&m);
	collect_slot(m.c, FREE_SLOT)->state = dead;
	for (int i = 0; i < TWO_SWEEPS / 2; i++)
		collect_drain(m.c);
	assert_int_equal(collect_slot(m.c, FREE_SLOT)->state, dead);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_a_dead_process_took_is_free_again),
		cmocka_unit_test(what_others_have_stays_theirs),
		cmocka_unit_test(one_look_is_not_enough),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

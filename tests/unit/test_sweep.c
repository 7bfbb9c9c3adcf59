/*
 * test_sweep.c - claims of processes that ended before they initialized them
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

static uint32_t claim_of_ended_process(void)
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

static void claims_of_a_dead_process_are_freed(void **state)
{
	struct made m;

	(void)state;
	made_open(&m);
	m.c->head->n_rings_used = m.c->layout.n_rings;
	collect_slot(m.c, FREE_SLOT)->state = claim_of_ended_process();
	collect_ring(m.c, FREE_SLOT)->state = claim_of_ended_process();
	second_tables(&m)->state = claim_of_ended_process();
	for (int i = 0; i < TWO_SWEEPS; i++)
		collect_drain(m.c);
	assert_int_equal(collect_slot(m.c, FREE_SLOT)->state, PROC_FREE);
	assert_int_equal(collect_ring(m.c, FREE_SLOT)->state, RING_FREE);
	assert_int_equal(second_tables(&m)->state, TABLES_FREE);
	made_close(&m);
}

static void claims_of_living_processes_are_kept(void **state)
{
	uint32_t ours = segment_claim((uint32_t)getpid());
	struct made m;

	(void)state;
	made_open(&m);
	m.c->head->n_rings_used = m.c->layout.n_rings;
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

static void a_claim_is_freed_only_at_the_second_sweep(void **state)
{
	uint32_t dead = claim_of_ended_process();
	struct made m;

	(void)state;
	made_open(&m);
	m.c->head->n_rings_used = m.c->layout.n_rings;
	collect_slot(m.c, FREE_SLOT)->state = dead;
	for (int i = 0; i < TWO_SWEEPS / 2; i++)
		collect_drain(m.c);
	assert_int_equal(collect_slot(m.c, FREE_SLOT)->state, dead);
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(claims_of_a_dead_process_are_freed),
		cmocka_unit_test(claims_of_living_processes_are_kept),
		cmocka_unit_test(a_claim_is_freed_only_at_the_second_sweep),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

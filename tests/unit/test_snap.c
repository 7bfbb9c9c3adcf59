/*
 * test_snap.c - profiles from the tables of a process, and their differences
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "make_tables.h"

enum { ONE = 1024 /* unit of a scaled counter */ };

static const uint64_t a[] = { 0x1000, 0x2000, 0x3000 }, b[] = { 0x1500, 0x2000, 0x3000 };

static void a_heap_profile_contains_allocated_and_in_use_values(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_HEAP, 5, 11, 3, a);
	made_heap(&m, x, false, 100, 10 * ONE);
	made_heap(&m, x, false, 50, 20 * ONE);
	made_heap(&m, x, true, 100, 10 * ONE);
	s = made_snap(&m, SNAP_HEAP, 0);
	assert_int_equal(s->row.n, 1);
	assert_int_equal(made_row(s, 0)->value[0], 30);
	assert_int_equal(made_row(s, 0)->value[1], 2000);
	assert_int_equal(made_row(s, 0)->value[2], 20);
	assert_int_equal(made_row(s, 0)->value[3], 1000);
	assert_int_equal(made_row(s, 0)->raw[0], 1);
	assert_int_equal(made_row(s, 0)->raw[1], 50);
	assert_int_equal(made_row(s, 0)->raw[2], 2);
	assert_int_equal(made_row(s, 0)->raw[3], 150);
	assert_int_equal(made_row(s, 0)->size, 75);
	assert_int_equal(made_frame(s, 0, 0), 0x1000);
	assert_int_equal(made_frame(s, 0, 2), 0x3000);
	assert_int_equal(s->period, 512 << 10);
	assert_string_equal(s->name, "heap");
	snap_free(s);
	made_close(&m);
}

static void scaled_values_are_rounded_once(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_BLOCK, 0, 1, 3, a);
	made_count(&m, x, WAIT_COUNT, 512);
	made_count(&m, x, WAIT_NS, 7);
	s = made_snap(&m, SNAP_BLOCK, 0);
	assert_int_equal(made_row(s, 0)->value[0], 1);
	assert_int_equal(made_row(s, 0)->value[1], 7);
	snap_free(s);
	made_count(&m, x, WAIT_COUNT, 1023);
	s = made_snap(&m, SNAP_BLOCK, 0);
	assert_int_equal(made_row(s, 0)->value[0], 1); /* 1535 / 1024 is rounded once: 1, not 1 + 1 */
	snap_free(s);
	made_close(&m);
}

static void in_use_is_never_negative(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_HEAP, 5, 11, 3, a);
	made_heap(&m, x, false, 100, ONE);
	made_heap(&m, x, true, 100, 2 * ONE);
	s = made_snap(&m, SNAP_HEAP, 0);
	assert_int_equal(made_row(s, 0)->value[0], 1);
	assert_int_equal(made_row(s, 0)->value[2], 0);
	assert_int_equal(made_row(s, 0)->value[3], 0);
	snap_free(s);
	made_close(&m);
}

static void each_kind_has_its_own_stacks(void **state)
{
	static const enum snap_kind kind[] = { SNAP_HEAP, SNAP_BLOCK, SNAP_MUTEX, SNAP_CREATE };
	struct made m;
	struct snap *s;

	(void)state;
	made_open(&m);
	for (unsigned i = 0; i < N_STACK_KINDS; i++)
		made_count(&m, made_add(&m, (enum stack_kind)i, 0, 3, 3, a), 0, ONE);
	for (unsigned i = 0; i < 4; i++) {
		s = made_snap(&m, kind[i], 0);
		assert_int_equal(s->row.n, 1);
		assert_int_equal(made_row(s, 0)->value[0], kind[i] == SNAP_CREATE ? ONE : 1);
		snap_free(s);
	}
	made_close(&m);
}

static void a_custom_profile_counts_added_minus_removed(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x, y;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_CUSTOM, 1, 3, 3, a);
	y = made_add(&m, STACK_CUSTOM, 2, 3, 3, a);
	made_count(&m, x, CUSTOM_ADDED, 5);
	made_count(&m, x, CUSTOM_REMOVED, 3);
	made_count(&m, y, CUSTOM_ADDED, 9);
	made_count(&m, y, CUSTOM_REMOVED, 9);
	s = made_snap(&m, SNAP_CUSTOM, 1);
	assert_int_equal(s->row.n, 1);
	assert_int_equal(made_row(s, 0)->value[0], 2);
	snap_free(s);
	assert_int_equal(snap_take(m.p, SNAP_CUSTOM, 2, &s), -ENOENT); /* profile 2 is empty and has no name */
	made_close(&m);
}

static void rows_are_sorted_by_their_frames(void **state)
{
	struct made m;
	struct snap *s;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 9, 3, a), 0, 1); /* its frames are the first locations */
	collect_drain(m.c);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 8, 3, b), 0, 2);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 7, 2, a), 0, 3);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 6, 2, b), 0, 4);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_int_equal(s->row.n, 4);
	assert_int_equal(made_row(s, 0)->value[0], 3);
	assert_int_equal(made_row(s, 1)->value[0], 1);
	assert_int_equal(made_row(s, 2)->value[0], 4);
	assert_int_equal(made_row(s, 3)->value[0], 2);
	snap_free(s);
	made_close(&m);
}

static void values_without_room_have_an_overflow_row(void **state)
{
	struct made m;
	struct snap *s;

	(void)state;
	made_open(&m);
	m.t->overflow[STACK_MUTEX][WAIT_COUNT] = 3 * ONE;
	m.t->overflow[STACK_MUTEX][WAIT_NS] = 99;
	s = made_snap(&m, SNAP_MUTEX, 0);
	assert_int_equal(s->row.n, 1);
	assert_int_equal(made_row(s, 0)->value[1], 99);
	assert_int_equal(*((uint32_t *)s->p->table.frames.data + made_row(s, 0)->at), PSEUDO_FULL);
	snap_free(s);
	made_close(&m);
}

/* x: allocated before the window, freed in it. y: allocated in it. z: unchanged. */
static struct snap *window(struct made *m, bool alloc_only)
{
	uint32_t x = made_add(m, STACK_HEAP, 5, 1, 3, a), y, z;
	struct snap *before, *after;

	collect_drain(m->c); /* makes the frames of this stack the first locations */
	z = made_add(m, STACK_HEAP, 6, 1, 3, b);
	made_heap(m, x, false, 100, 10 * ONE);
	made_heap(m, x, false, 100, 10 * ONE);
	made_heap(m, z, false, 10, 10 * ONE);
	before = made_snap(m, SNAP_HEAP, 0);
	y = made_add(m, STACK_HEAP, 7, 1, 2, a);
	made_heap(m, x, true, 100, 10 * ONE);
	made_heap(m, y, false, 8, 2 * ONE);
	after = made_snap(m, SNAP_HEAP, 0);
	assert_int_equal(snap_subtract(after, before, alloc_only), 0);
	assert_true(after->delta);
	assert_int_equal(after->start_ns, before->end_ns);
	snap_free(before);
	return after;
}

static void a_difference_contains_only_changes_in_the_window(void **state)
{
	struct made m;
	struct snap *s;

	(void)state;
	made_open(&m);
	s = window(&m, false);
	assert_int_equal(s->row.n, 2); /* y is shorter, so it is first */
	assert_int_equal(made_row(s, 0)->value[0], 2);
	assert_int_equal(made_row(s, 0)->value[1], 16);
	assert_int_equal(made_row(s, 0)->value[3], 16);
	assert_int_equal(made_row(s, 1)->value[0], 0);
	assert_int_equal(made_row(s, 1)->value[2], -10);
	assert_int_equal(made_row(s, 1)->value[3], -1000);
	assert_int_equal(made_row(s, 1)->raw[0], -1);
	snap_free(s);
	made_close(&m);
}

static void differences_of_allocs_contain_the_objects_in_use_at_the_end(void **state)
{
	struct made m;
	struct snap *s;

	(void)state;
	made_open(&m);
	s = window(&m, true);
	assert_int_equal(s->row.n, 3);
	assert_int_equal(made_row(s, 1)->value[0], 0);
	assert_int_equal(made_row(s, 1)->value[2], 10);
	assert_int_equal(made_row(s, 1)->value[3], 1000);
	assert_int_equal(made_row(s, 2)->value[0], 0);
	assert_int_equal(made_row(s, 2)->value[3], 100);
	assert_int_equal(made_row(s, 2)->raw[0], 1);
	assert_int_equal(made_row(s, 2)->raw[2], 0);
	snap_free(s);
	made_close(&m);
}

static void a_changed_mean_size_does_not_split_a_row(void **state)
{
	struct made m;
	struct snap *before, *after;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_HEAP, 5, 1, 3, a);
	made_heap(&m, x, false, 100, ONE);
	before = made_snap(&m, SNAP_HEAP, 0);
	made_heap(&m, x, false, 120, ONE);
	after = made_snap(&m, SNAP_HEAP, 0);
	assert_int_equal(snap_subtract(after, before, false), 0);
	assert_int_equal(after->row.n, 1);
	assert_int_equal(made_row(after, 0)->value[1], 120);
	assert_int_equal(made_row(after, 0)->size, 110);
	snap_free(before);
	snap_free(after);
	made_close(&m);
}

static void samples_count_stacks_and_cpu_time_counts_periods(void **state)
{
	struct made m;
	struct snap *before, *s;
	uint32_t at;

	(void)state;
	made_open(&m);
	table_add(&m.p->table, b, 3, 0, 4);
	table_add(&m.p->table, a, 3, 0, 2);
	before = made_snap(&m, SNAP_CPU, 0);
	assert_int_equal(before->row.n, 2);
	assert_int_equal(made_row(before, 0)->value[0], 1);
	assert_int_equal(made_row(before, 0)->value[1], 40000000);
	at = table_add(&m.p->table, a, 3, 0, 3);
	table_add_weight(&m.p->table, at, 2);
	table_add_pseudo(&m.p->table, PSEUDO_LOST, 0, 7);
	s = made_snap(&m, SNAP_CPU, 0);
	assert_int_equal(snap_subtract(s, before, false), 0);
	assert_int_equal(s->row.n, 2);
	assert_int_equal(made_row(s, 0)->value[0], 0); /* lost periods add no samples */
	assert_int_equal(made_row(s, 0)->value[1], 70000000);
	assert_int_equal(made_row(s, 1)->value[0], 1);
	assert_int_equal(made_row(s, 1)->value[1], 50000000);
	assert_int_equal(s->cpu.weight, 12);
	assert_int_equal(s->cpu.n_samples, 1);
	snap_free(before);
	snap_free(s);
	made_close(&m);
}

static void circular_chains_of_stacks_are_read_once(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x, y;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_CREATE, 0, 1, 3, a);
	y = made_add(&m, STACK_CREATE, 0, 1, 3, b);
	made_stack(&m, x)->next = y;
	made_count(&m, x, 0, 1);
	made_count(&m, y, 0, 2);
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_int_equal(s->row.n, 2);
	snap_free(s);
	made_close(&m);
}

static void invalid_stacks_are_ignored(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x;
	_Atomic uint32_t *bucket;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, N_STACK_KINDS, 0, 1, 3, a), 0, 1);
	x = made_add(&m, STACK_CREATE, 0, 2, 3, a);
	made_count(&m, x, 0, 1);
	made_stack(&m, x)->n = FRAMES_MAX + 1;
	bucket = (_Atomic uint32_t *)((uint8_t *)m.t + TABLES_BUCKETS_AT);
	bucket[3] = UINT32_MAX;
	bucket[4] = STACK_WORDS_MAX;
	s = made_snap(&m, SNAP_CREATE, 0);
	assert_int_equal(s->row.n, 0);
	snap_free(s);
	made_close(&m);
}

static void overlapping_stacks_are_limited_by_the_table_size(void **state)
{
	struct made m;
	_Atomic uint32_t *bucket;

	(void)state;
	made_open(&m);
	bucket = (_Atomic uint32_t *)((uint8_t *)m.t + TABLES_BUCKETS_AT);
	for (uint32_t i = 0; i < STACK_BUCKETS; i++)
		bucket[i] = i * 20 + 1;
	for (uint32_t i = 0; i < STACK_BUCKETS; i++) {
		made_stack(&m, i * 20 + 1)->n = FRAMES_MAX;
		made_stack(&m, i * 20 + 1)->kind = STACK_CREATE;
	}
	m.t->n_words = 1;
	collect_drain(m.c);
	assert_true(m.p->counts.words <= STACK_WORDS_MAX);
	assert_true(m.p->counts.stack.n < STACK_WORDS_MAX / FRAMES_MAX);
	made_close(&m);
}

static void huge_values_do_not_overflow(void **state)
{
	struct made m;
	struct snap *s;
	uint32_t x;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_HEAP, 0, 1, 3, a);
	for (unsigned i = 0; i < STACK_VALUES; i++)
		made_count(&m, x, i, UINT64_MAX - i);
	s = made_snap(&m, SNAP_HEAP, 0);
	for (unsigned i = 0; i < SNAP_VALUES; i++)
		assert_true(made_row(s, 0)->value[i] >= 0);
	snap_free(s);
	made_close(&m);
}

static void tables_of_an_ended_process_are_zeroed(void **state)
{
	struct made m;

	(void)state;
	made_open(&m);
	made_count(&m, made_add(&m, STACK_CREATE, 0, 1, 3, a), 0, 1);
	collect_drain(m.c);
	m.p->has_ended = true;
	collect_drain(m.c);
	assert_int_equal(m.n_done, 1);
	assert_int_equal(m.t->state, TABLES_FREE);
	assert_int_equal(m.t->n_words, 0);
	assert_int_equal(made_stack(&m, 1)->n, 0);
	made_close(&m);
}

static void the_creator_stack_of_a_thread_is_found(void **state)
{
	_Atomic uint64_t *created;
	struct made m;
	uint32_t x, y;

	(void)state;
	made_open(&m);
	x = made_add(&m, STACK_CREATE, 0, 1, 3, a);
	y = made_add(&m, STACK_HEAP, 0, 1, 3, b);
	created = (_Atomic uint64_t *)((uint8_t *)m.t + TABLES_CREATED_AT);
	created[5] = (CREATED_SLOTS + 5ULL) << 32 | x;
	created[6] = 6ULL << 32 | y;
	created[7] = 7ULL << 32 | UINT32_MAX;
	assert_null(counts_find_creator(m.p, CREATED_SLOTS + 5));
	collect_drain(m.c);
	assert_non_null(counts_find_creator(m.p, CREATED_SLOTS + 5));
	assert_int_equal(counts_find_creator(m.p, CREATED_SLOTS + 5)->name, x);
	assert_null(counts_find_creator(m.p, 5)); /* a slot that belongs to another thread */
	assert_null(counts_find_creator(m.p, 6)); /* a stack of another kind */
	assert_null(counts_find_creator(m.p, 7)); /* no stack */
	assert_null(counts_find_creator(m.p, 8));
	made_close(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_heap_profile_contains_allocated_and_in_use_values),
		cmocka_unit_test(scaled_values_are_rounded_once),
		cmocka_unit_test(in_use_is_never_negative),
		cmocka_unit_test(each_kind_has_its_own_stacks),
		cmocka_unit_test(a_custom_profile_counts_added_minus_removed),
		cmocka_unit_test(rows_are_sorted_by_their_frames),
		cmocka_unit_test(values_without_room_have_an_overflow_row),
		cmocka_unit_test(a_difference_contains_only_changes_in_the_window),
		cmocka_unit_test(differences_of_allocs_contain_the_objects_in_use_at_the_end),
		cmocka_unit_test(a_changed_mean_size_does_not_split_a_row),
		cmocka_unit_test(samples_count_stacks_and_cpu_time_counts_periods),
		cmocka_unit_test(circular_chains_of_stacks_are_read_once),
		cmocka_unit_test(invalid_stacks_are_ignored),
		cmocka_unit_test(overlapping_stacks_are_limited_by_the_table_size),
		cmocka_unit_test(huge_values_do_not_overflow),
		cmocka_unit_test(tables_of_an_ended_process_are_zeroed),
		cmocka_unit_test(the_creator_stack_of_a_thread_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}

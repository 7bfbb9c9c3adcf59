/*
 * test_idtab.c - hash table from keys of any type to ids
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/idtab.h"

#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>

#include <cmocka.h>

/* Returns the number of ids stored under a hash, and adds them up in sum. */
static unsigned count(const struct idtab *t, uint64_t hash, uint64_t *sum)
{
	unsigned n = 0;
	uint32_t id;

	*sum = 0;
	for (size_t pos = idtab_start(t, hash); idtab_next(t, hash, &pos, &id); n++)
		*sum += id;
	return n;
}

static void a_new_table_is_empty(void **state)
{
	struct idtab t;
	uint64_t sum;

	(void)state;
	idtab_init(&t, 0);
	assert_int_equal(count(&t, 0, &sum), 0);
	idtab_release(&t);
}

static void id_0_under_hash_0_is_found(void **state)
{
	struct idtab t;
	uint64_t sum;

	(void)state;
	idtab_init(&t, 1);
	idtab_put(&t, 0, 0);
	assert_int_equal(count(&t, 0, &sum), 1);
	assert_int_equal(sum, 0);
	idtab_release(&t);
}

static void the_largest_id_is_stored_completely(void **state)
{
	struct idtab t;
	uint64_t sum;

	(void)state;
	idtab_init(&t, 1);
	idtab_put(&t, 5, UINT32_MAX - 1);
	assert_int_equal(count(&t, 5, &sum), 1);
	assert_int_equal(sum, UINT32_MAX - 1);
	idtab_release(&t);
}

static void only_ids_of_the_same_hash_are_found(void **state)
{
	struct idtab t;
	uint64_t sum;

	(void)state;
	idtab_init(&t, 4);
	idtab_put(&t, 7, 1);
	idtab_put(&t, 7, 2);
	idtab_put(&t, 8, 3);      /* next slot */
	idtab_put(&t, 7 + 16, 4); /* same slot, other hash */
	idtab_put(&t, 7, 5);
	assert_int_equal(count(&t, 7, &sum), 3);
	assert_int_equal(sum, 8);
	idtab_release(&t);
}

static void probing_wraps_from_the_last_slot_to_the_first(void **state)
{
	struct idtab t;
	uint64_t sum;

	(void)state;
	idtab_init(&t, 1); /* 16 slots */
	idtab_put(&t, 15, 1);
	idtab_put(&t, 15, 2);
	idtab_put(&t, 15, 3);
	assert_int_equal(count(&t, 15, &sum), 3);
	assert_int_equal(sum, 6);
	idtab_release(&t);
}

static void ids_survive_growth(void **state)
{
	struct idtab t;

	(void)state;
	idtab_init(&t, 0);
	for (uint32_t id = 0; id < 5000; id++)
		idtab_put(&t, id * UINT64_C(0x9e3779b97f4a7c15), id);
	for (uint32_t id = 0; id < 5000; id++) {
		uint64_t sum;

		assert_int_equal(count(&t, id * UINT64_C(0x9e3779b97f4a7c15), &sum), 1);
		assert_int_equal(sum, id);
	}
	idtab_release(&t);
}

static void a_reserved_table_does_not_grow(void **state)
{
	struct idtab t;
	uint64_t sum;
	size_t mask;

	(void)state;
	idtab_init(&t, 0);
	idtab_put(&t, 7, 1);
	idtab_put(&t, 7, 2);
	idtab_reserve(&t, 1000);
	mask = t.mask;
	assert_int_equal(count(&t, 7, &sum), 2);
	assert_int_equal(sum, 3);
	for (uint32_t id = 2; id < 1000; id++)
		idtab_put(&t, id * UINT64_C(0x9e3779b97f4a7c15), id);
	idtab_reserve(&t, 10);
	assert_int_equal(t.mask, mask);
	idtab_release(&t);
}

static void a_quarter_of_the_slots_stays_empty(void **state)
{
	struct idtab t;

	(void)state;
	idtab_init(&t, 0);
	for (uint32_t id = 0; id < 1000; id++) {
		idtab_put(&t, id, id);
		assert_true(t.n * 4 <= (t.mask + 1) * 3);
	}
	idtab_release(&t);
}

static void a_released_or_zeroed_table_can_be_released(void **state)
{
	struct idtab t = { 0 };

	(void)state;
	idtab_release(&t);
	idtab_init(&t, 3);
	idtab_release(&t);
	idtab_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_table_is_empty),
		cmocka_unit_test(id_0_under_hash_0_is_found),
		cmocka_unit_test(the_largest_id_is_stored_completely),
		cmocka_unit_test(only_ids_of_the_same_hash_are_found),
		cmocka_unit_test(probing_wraps_from_the_last_slot_to_the_first),
		cmocka_unit_test(ids_survive_growth),
		cmocka_unit_test(a_reserved_table_does_not_grow),
		cmocka_unit_test(a_quarter_of_the_slots_stays_empty),
		cmocka_unit_test(a_released_or_zeroed_table_can_be_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}

/*
 * fuzz_tables.c - any bytes as the tables of a process
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The input is written to the memory of the stacks. Its first words are also the heads of hash chains and, for
 * one input in two, the first page. Then profiles of all kinds are taken, subtracted and written in all
 * formats. Stops when rows are not sorted, or when there are more than the tables can have.
 */
#include "config.h"

#include "fuzz.h"

#include "libcpaprof/collector/write/write.h"

#define assert_true(x)                                                                                                 \
	do {                                                                                                           \
		if (!(x))                                                                                              \
			abort();                                                                                       \
	} while (0)
#define assert_int_equal(a, b) assert_true((a) == (b))

#include "../unit/make_tables.h"

enum { HEADS = 64 };

static int count(void *arg, const void *data, size_t n)
{
	(void)data;
	*(size_t *)arg += n;
	return 0;
}

static bool name_of(void *arg, const struct process *p, uint64_t addr, uint32_t map, uint32_t i, struct snap_name *out)
{
	(void)arg;
	(void)p;
	*out = (struct snap_name){ .function = addr & 1 ? "odd" : "even", .line = map, .offset = addr };
	return i < (addr & 3);
}

static void fill(struct made *m, const uint8_t *data, size_t n)
{
	_Atomic uint32_t *bucket = (_Atomic uint32_t *)((uint8_t *)m->t + TABLES_BUCKETS_AT);

	if (n > TABLES_LIVE_AT - TABLES_STACKS_AT)
		n = TABLES_LIVE_AT - TABLES_STACKS_AT;
	memcpy((uint8_t *)m->t + TABLES_STACKS_AT, data, n);
	m->t->n_words = (uint32_t)(n / 8);
	for (size_t i = 0; i < HEADS && 4 * i + 4 <= n; i++) {
		uint32_t name;

		memcpy(&name, data + 4 * i, 4);
		bucket[i] = i % 2 ? name : name % (uint32_t)(n / 8 + 1);
	}
	bucket[HEADS] = 1;
	if (n > sizeof(m->t->overflow) && data[0] & 1)
		memcpy((void *)m->t->overflow, data, sizeof(m->t->overflow));
}

static void write_all(const struct snap *s)
{
	for (int debug = 0; debug <= 2; debug++)
		for (int named = 0; named <= 1; named++) {
			size_t n = 0;
			int rc = write_snap(s, debug, named ? name_of : NULL, NULL, count, &n);

			assert_true(rc == 0 || (s->kind == SNAP_CPU && debug));
			assert_true(rc != 0 || n != 0);
		}
}

/* Check that each row differs from the one before in frames, labels or extra, in ascending order. */
static bool in_order(const struct snap *s)
{
	const uint32_t *frames = s->p->table.frames.data;
	const struct snap_row *r = s->row.data;

	for (size_t i = 1; i < s->row.n; i++) {
		const struct snap_row *a = &r[i - 1], *b = &r[i];
		uint32_t k = 0;

		while (k < a->n && k < b->n && frames[a->at + k] == frames[b->at + k])
			k++;
		if (k < a->n && k < b->n ? frames[a->at + k] > frames[b->at + k] : a->n > b->n)
			return false;
		if (k == a->n && k == b->n && a->label == b->label && a->extra == b->extra)
			return false;
	}
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	static const enum snap_kind kind[] = { SNAP_HEAP,   SNAP_ALLOCS, SNAP_BLOCK, SNAP_MUTEX,
					       SNAP_CREATE, SNAP_CUSTOM, SNAP_CPU };
	struct made m;

	made_open(&m);
	fill(&m, data, n);
	for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
		struct snap *before, *after;

		if (snap_take(m.p, kind[i], 0, &before) != 0)
			continue;
		made_stack(&m, 1)->value[i] += 99;
		assert_int_equal(snap_take(m.p, kind[i], 0, &after), 0);
		assert_true(in_order(before) && in_order(after));
		write_all(before);
		assert_int_equal(snap_subtract(after, before, i % 2), 0);
		write_all(after);
		snap_free(before);
		snap_free(after);
	}
	assert_true(m.p->counts.words <= STACK_WORDS_MAX);
	made_close(&m);
	return 0;
}

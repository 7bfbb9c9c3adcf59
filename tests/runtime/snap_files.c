/*
 * snap_files.c - write profiles of this program, of all kinds and in all formats
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The tables are filled by hand with stacks of its own functions, so the contents are known.
 * usage: snap_files RATE; writes KIND.pb.gz and KIND.txt, named.pb.gz, and delta.pb.gz of the heap.
 */
#include "config.h"

#include "libcpaprof/collector/elfnames.h"
#include "libcpaprof/collector/snap.h"
#include "libcpaprof/collector/write/write.h"

#include <stdio.h>
#include <stdlib.h>

#define assert_true(x)                                                                                                 \
	do {                                                                                                           \
		if (!(x))                                                                                              \
			abort();                                                                                       \
	} while (0)
#define assert_int_equal(a, b) assert_true((a) == (b))

#include "../unit/make_tables.h"

enum { ONE = 1024, N = 12 };

/* Each function is longer than a few bytes, so that an address after its start is in it. */
#define FUNCTION(name)                                                                                                 \
	__attribute__((noinline)) static unsigned name(unsigned n)                                                     \
	{                                                                                                              \
		for (unsigned i = 0; i < n; i++)                                                                       \
			n ^= i * 2654435761U;                                                                          \
		return n;                                                                                              \
	}
FUNCTION(outermost)
FUNCTION(middle)
FUNCTION(leaf)

static int put(void *file, const void *data, size_t n)
{
	return fwrite(data, 1, n, file) == n ? 0 : -1;
}

static void save(const struct snap *s, const char *name, int debug, struct elfnames *names)
{
	char path[2 * SNAP_NAME_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s.%s", name, debug ? "txt" : "pb.gz");
	f = fopen(path, "w");
	assert_true(f);
	assert_int_equal(write_snap(s, debug, names ? elfnames_at : NULL, names, put, f), 0);
	assert_int_equal(fclose(f), 0);
}

static uint64_t in(unsigned (*function)(unsigned n), unsigned i)
{
	return (uint64_t)(uintptr_t)function + 4 + i;
}

static void fill(const struct made *m, uint32_t *of_heap)
{
	static const char *const kv[] = { "op", "x", "tenant", "a b" };
	uint32_t label = made_labels(m, kv);

	for (unsigned i = 0; i < N; i++) {
		const uint64_t pc[] = { in(leaf, i % 3), in(middle, i % 4), in(outermost, 0) };
		uint16_t n = (uint16_t)(1 + i % 3);
		uint32_t x;

		of_heap[i] = x = made_add(m, STACK_HEAP, i, i, n, pc);
		for (unsigned k = 0; k <= i; k++)
			made_heap(m, x, false, 1000 + i, ONE);
		for (unsigned k = 0; k < i / 2; k++)
			made_heap(m, x, true, 1000 + i, ONE);
		x = made_add(m, STACK_BLOCK, 0, i, n, pc);
		made_count(m, x, WAIT_COUNT, (i + 1) * ONE);
		made_count(m, x, WAIT_NS, 1234567 * (i + 1));
		x = made_add(m, STACK_MUTEX, 0, i, n, pc);
		made_count(m, x, WAIT_COUNT, (2 * i + 1) * ONE);
		made_count(m, x, WAIT_NS, 7654321 * (i + 1));
		made_count(m, made_add(m, STACK_CREATE, 0, i, n, pc), CREATE_COUNT, i + 3);
		x = made_add(m, STACK_CUSTOM, 5, i, n, pc);
		made_count(m, x, CUSTOM_ADDED, i + 3);
		made_stack(m, x)->label = i == 7 ? label : 0;
	}
}

int main(int argc, char **argv)
{
	static const enum snap_kind kind[] = {
		SNAP_HEAP, SNAP_ALLOCS, SNAP_BLOCK, SNAP_MUTEX, SNAP_CREATE, SNAP_CUSTOM
	};
	struct elfnames *names = elfnames_open();
	struct snap *s, *before;
	uint32_t of_heap[N];
	struct made m;

	assert_true(argc == 2 && names);
	made_open(&m);
	m.c->head->heap_rate = strtoull(argv[1], NULL, 10);
	assert_true(leaf(3) + middle(3) + outermost(3) != 1);
	fill(&m, of_heap);
	for (size_t i = 0; i < sizeof(kind) / sizeof(*kind); i++) {
		assert_int_equal(snap_take(m.p, kind[i], 5, &s), 0);
		save(s, s->name, 0, NULL);
		save(s, s->name, 1, names);
		if (kind[i] == SNAP_CREATE)
			save(s, "named", 0, names);
		snap_free(s);
	}
	assert_int_equal(snap_take(m.p, SNAP_HEAP, 0, &before), 0);
	made_heap(&m, of_heap[4], false, 7, 100 * ONE);
	assert_int_equal(snap_take(m.p, SNAP_HEAP, 0, &s), 0);
	assert_int_equal(snap_subtract(s, before, false), 0);
	save(s, "delta", 0, NULL);
	snap_free(s);
	snap_free(before);
	elfnames_close(names);
	made_close(&m);
	return 0;
}

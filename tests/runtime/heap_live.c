/*
 * heap_live.c - threads add objects to the live map and remove them; includes the code under test
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each thread owns some addresses, spread over all shards; many share an entry of the filter. A removed object must be
 * equal to the added one, and at the end the map and the filter are empty. Then the map runs out of entries. Built with
 * the thread sanitizer if available.
 */
#include "libcpaprof/target/heap_filter.c"
#include "libcpaprof/target/live.c"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { THREADS = 4, ROUNDS = 300000, ADDRESSES = 20000, STRIDE = 48 };

__thread struct local cpi_local __attribute__((tls_model("initial-exec")));
static struct segment_tables *tables;
static _Atomic unsigned n_wrong;

static uint64_t address(unsigned thread, unsigned i)
{
	return 0x10000 + ((uint64_t)i * THREADS + thread) * STRIDE;
}

static void put_one(uint64_t at, uint64_t size)
{
	struct live_object o = { .at = at, .size = size, .weight = at ^ size, .stack = (uint32_t)size + 1 };

	n_wrong += !cpi_heap_filter_put(tables, &o) || !cpi_heap_filter_has(at);
}

static void take_one(uint64_t at, uint64_t size)
{
	struct live_object o;

	if (!cpi_heap_filter_take(tables, at, &o))
		n_wrong++;
	else
		n_wrong += o.at != at || o.size != size || o.weight != (at ^ size) || o.stack != size + 1;
}

static void *churn(void *arg)
{
	unsigned me = (unsigned)(uintptr_t)arg;
	uint64_t state = me * 7919 + 1;
	uint32_t *size = calloc(ADDRESSES, sizeof(*size));
	struct live_object o;

	for (unsigned i = 0; size && i < ROUNDS; i++) {
		unsigned at;

		state = state * 6364136223846793005ULL + 1442695040888963407ULL;
		at = (unsigned)(state >> 33) % ADDRESSES;
		if (size[at]) {
			take_one(address(me, at), size[at]);
			n_wrong += cpi_heap_filter_take(tables, address(me, at), &o);
			size[at] = 0;
		} else {
			put_one(address(me, at), i + 1);
			size[at] = i + 1;
		}
	}
	for (unsigned at = 0; size && at < ADDRESSES; at++)
		if (size[at])
			take_one(address(me, at), size[at]);
	free(size);
	return NULL;
}

static unsigned left(void)
{
	const struct live_head *l = head_of(tables);
	unsigned n = 0;

	for (int i = 0; i < LIVE_SHARDS; i++)
		n += l->shard[i].n;
	for (unsigned i = 0; i < LIVE_RESIDENTS; i++)
		n += resident_of(tables, i << 4)->at != 0;
	return n;
}

static unsigned entries_in_use(void)
{
	unsigned n = 0;

	for (int i = 0; i < HEAP_FILTER; i++)
		n += cpi_heap_filter[i] != 0;
	for (int i = 0; i < 1 << SECOND_BITS; i++)
		n += second[i] != 0;
	return n;
}

static void ok(int passed, int number, const char *name)
{
	printf("%s %d - %s\n", passed ? "ok" : "not ok", number, name);
}

int main(void)
{
	pthread_t thread[THREADS];
	struct live_object o = { .size = 1 };
	struct live_head *l;
	unsigned kept = 0;

	tables = mmap(NULL, TABLES_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (tables == MAP_FAILED)
		return 1;
	l = head_of(tables);
	for (uintptr_t i = 0; i < THREADS; i++)
		pthread_create(&thread[i], NULL, churn, (void *)i);
	for (int i = 0; i < THREADS; i++)
		pthread_join(thread[i], NULL);
	ok(n_wrong == 0, 1, "removed objects are equal to added ones, in four threads");
	ok(left() == 0 && entries_in_use() == 0, 2, "the map and the filter are empty at the end");
	ok(l->n_missed == 0, 3, "no lock attempt failed");
	ok(l->n_objects <= THREADS * ADDRESSES, 4, "entries are reused");

	while (o.at = address(0, kept), cpi_heap_filter_put(tables, &o))
		kept++;
	ok(kept > LIVE_OBJECTS / 2 && kept <= LIVE_OBJECTS + LIVE_RESIDENTS && l->n_full == 1, 5,
	   "a full map is reported");
	ok(cpi_heap_filter_take(tables, address(0, 0), &o) && cpi_heap_filter_take(tables, address(0, kept - 2), &o) &&
		   left() == kept - 2,
	   6, "the objects of a full map are found");

	/* as in a handler that interrupted the lock holder */
	l->shard[shard_of(live_hash_of(address(0, kept - 1)))].owner = (uintptr_t)&cpi_local;
	ok(!cpi_heap_filter_take(tables, address(0, kept - 1), &o) && l->n_missed == 1, 7,
	   "the holder of a shard does not wait for it");
	printf("1..7\n");
	return 0;
}

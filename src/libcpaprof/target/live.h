/*
 * live.h - the sampled objects of a process that are still allocated
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In the tables of the process, at TABLES_LIVE_AT:
 *
 *	struct live_head           LIVE_HEADS_AT bytes
 *	uint32_t heads             hash buckets by address, each the first object of a chain: those of a shard
 *	                           with n buckets start at (LIVE_SHARDS + shard) * n
 *	struct live_object         [LIVE_RESIDENTS] by hash of the address; at is 0 if there is none. See heap_filter.c
 *	struct live_object         one after the other; the id of an object is its index + 1, 0 is none
 *
 * The kernel allocates the memory on first use. Each shard has a lock, for the threads of the process. When a shard has
 * many objects, the number of its hash buckets is doubled. An object that is a resident is not in a shard.
 */
#ifndef LIBCPAPROF_TARGET_LIVE_H
#define LIBCPAPROF_TARGET_LIVE_H

#include "libcpaprof/target/stacks.h"

enum {
	LIVE_SHARDS = 64,
	LIVE_HEADS_INITIAL = 64, /* initial number of hash buckets per shard; a power of two */
	LIVE_HEADS_MAX = 8192,
	LIVE_HEADS_AT = 8192,
	LIVE_RESIDENTS = 1 << 12,
	LIVE_RESIDENTS_AT = LIVE_HEADS_AT + 2 * LIVE_SHARDS * LIVE_HEADS_MAX * 4,
	LIVE_OBJECTS_AT = LIVE_RESIDENTS_AT + LIVE_RESIDENTS * 32,
};

struct live_object {
	uint64_t at;     /* address of the object; 0: the entry is free */
	uint64_t size;   /* requested bytes, at least 1 */
	uint64_t weight; /* number of objects it represents, in 1/1024 */
	uint32_t stack;  /* id of the stack that allocated it; 0: the table of stacks was full */
	uint32_t next;   /* next entry in the chain */
};

enum { LIVE_OBJECTS = (TABLES_SIZE - TABLES_LIVE_AT - LIVE_OBJECTS_AT) / (int)sizeof(struct live_object) };

struct live_shard {
	_Alignas(64) _Atomic uint64_t owner; /* address of the cpi_local of the thread that holds the lock; 0: free */
	uint32_t n, n_heads;                 /* numbers of objects and hash buckets; n_heads is 0 until the first use */
	uint32_t free;                       /* chain of freed entries */
};

struct live_head {
	_Atomic uint32_t n_objects; /* entries used so far */
	_Atomic uint32_t n_full;    /* objects that did not fit: counted as freed immediately */
	_Atomic uint32_t n_missed;  /* operations that failed because the shard stayed locked */
	struct live_shard shard[LIVE_SHARDS];
};
_Static_assert(sizeof(struct live_head) <= LIVE_HEADS_AT, "the live head fits before the heads of chains");
_Static_assert(sizeof(struct live_object) == 32, "two objects per cache line");

/* Add an object, at an address where there is none, to its shard. Returns false if there is no room. */
bool cpi_live_put(struct segment_tables *t, const struct live_object *o);
/* Remove the object at this address from its shard. Returns false if there is none. */
bool cpi_live_remove(struct segment_tables *t, uint64_t at, struct live_object *out);

#endif

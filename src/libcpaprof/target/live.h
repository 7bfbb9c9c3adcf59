/*
 * live.h - which sampled objects of a process live
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * In the tables of the process, at TABLES_LIVE_AT:
 *
 *	struct live_head           LIVE_HEADS_AT bytes
 *	uint32_t heads             of chains of objects, by address: a shard with n heads has those
 *	                           from (N + shard) * n on, where N is LIVE_SHARDS
 *	struct live_object         one behind the other; named by their index + 1, 0 is none
 *
 * so that memory is touched only as far as there are objects. The shard of an address has a lock, for threads
 * of the process; only addresses of sampled objects come here. A shard that is crowded takes twice the heads.
 */
#ifndef LIBCPAPROF_TARGET_LIVE_H
#define LIBCPAPROF_TARGET_LIVE_H

#include "libcpaprof/target/stacks.h"

enum {
	LIVE_SHARDS = 64,
	LIVE_HEADS_FIRST = 64, /* of a shard; a power of two */
	LIVE_HEADS_MOST = 8192,
	LIVE_HEADS_AT = 8192,
	LIVE_OBJECTS_AT = LIVE_HEADS_AT + 2 * LIVE_SHARDS * LIVE_HEADS_MOST * 4,
};

struct live_object {
	uint64_t at;     /* its address; 0: the entry is free */
	uint64_t size;   /* bytes that were asked for, at least 1 */
	uint64_t weight; /* objects that it stands for, in 1/1024 */
	uint32_t stack;  /* its name; 0: the stack found no room */
	uint32_t next;   /* in its chain */
};

enum { LIVE_OBJECTS = (TABLES_SIZE - TABLES_LIVE_AT - LIVE_OBJECTS_AT) / (int)sizeof(struct live_object) };

struct live_shard {
	_Alignas(64) _Atomic uint64_t owner; /* what identifies the thread that holds it; 0: none does */
	uint32_t n, n_heads;                 /* objects; 0 heads: it was never used */
	uint32_t free;                       /* chain of entries to use again */
};

struct live_head {
	_Atomic uint32_t n_objects; /* entries that were ever used */
	_Atomic uint32_t n_full;    /* objects that found no room: they count as freed at once */
	_Atomic uint32_t n_held;    /* frees, in signal handlers, of objects whose shard was at work: they stay */
	struct live_shard shard[LIVE_SHARDS];
};
_Static_assert(sizeof(struct live_head) <= LIVE_HEADS_AT, "heads come behind");
_Static_assert(sizeof(struct live_object) == 32, "two in a cache line");

/* Keep an object. One that is there already at its address is replaced. */
enum live_put { LIVE_KEPT, LIVE_REPLACED, LIVE_NO_ROOM };
enum live_put cpi_live_put(struct segment_tables *t, const struct live_object *o, struct live_object *before);
/* Take an object out. False when there is none at this address. */
bool cpi_live_take(struct segment_tables *t, uint64_t at, struct live_object *out);

#endif

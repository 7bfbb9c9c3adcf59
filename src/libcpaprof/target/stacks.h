/*
 * stacks.h - the tables of a process: what is counted per stack, and which objects live
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One set of tables is TABLES_SIZE bytes of the segment, claimed by a process when it first needs them,
 * given back by the collector, as zeros, when the process has ended:
 *
 *	struct segment_tables     the first page
 *	uint32_t [STACK_BUCKETS]  at TABLES_BUCKETS_AT: heads of the chains of stacks with one hash
 *	uint64_t [CREATED_SLOTS]  at TABLES_CREATED_AT: who created which thread
 *	stacks                    at TABLES_STACKS_AT: struct segment_stack, one behind the other, never freed
 *	what lives                at TABLES_LIVE_AT: libcpaprof/target/live.h
 *
 * A stack is named by where it is, in words of 8 bytes from TABLES_STACKS_AT, plus 1; 0 is none. It is
 * filled, then linked into its chain; readers need no lock. One of two that are added at once with the
 * same key may stay out of all chains: it counts nothing. The collector takes all of it for hostile.
 */
#ifndef LIBCPAPROF_TARGET_STACKS_H
#define LIBCPAPROF_TARGET_STACKS_H

#include "libcpaprof/target/segment.h"

#include <stdbool.h>

enum {
	STACK_BUCKETS = 1 << 17,
	STACK_VALUES = 8,
	TABLES_BUCKETS_AT = 4096,
	CREATED_SLOTS = 1 << 15,
	TABLES_CREATED_AT = TABLES_BUCKETS_AT + STACK_BUCKETS * 4,
	TABLES_STACKS_AT = TABLES_CREATED_AT + CREATED_SLOTS * 8,
	TABLES_LIVE_AT = 24 << 20,
	STACK_WORDS_MOST = (TABLES_LIVE_AT - TABLES_STACKS_AT) / 8,
};

enum stack_kind { STACK_HEAP, STACK_BLOCK, STACK_MUTEX, STACK_CREATE, STACK_CUSTOM, N_STACK_KINDS };

/* What value[] of a stack of each kind counts, since the tables were claimed. Weighted ones are in 1/1024. */
enum {
	HEAP_ALLOC_OBJECTS,
	HEAP_ALLOC_BYTES,
	HEAP_FREE_OBJECTS,
	HEAP_FREE_BYTES, /* weighted */
	HEAP_ALLOC_SAMPLES,
	HEAP_ALLOC_SAMPLED,
	HEAP_FREE_SAMPLES,
	HEAP_FREE_SAMPLED
};                                            /* and as sampled: objects, bytes */
enum { WAIT_COUNT /* in 1/1024 */, WAIT_NS }; /* block, mutex */
enum { CREATE_COUNT };
enum { CUSTOM_ADDED, CUSTOM_REMOVED };

enum tables_state { TABLES_FREE, TABLES_LIVE = 2 }; /* or segment_claim */

struct segment_tables {
	_Atomic uint32_t state;
	uint32_t proc, serial;                              /* of the owner; set before TABLES_LIVE is seen */
	_Atomic uint32_t n_words;                           /* of stacks */
	_Atomic uint64_t full[N_STACK_KINDS][STACK_VALUES]; /* values that found no room for their stack */
};

struct segment_stack {
	_Atomic uint32_t next; /* in its chain */
	uint32_t hash;
	uint16_t kind, n;
	uint32_t label;
	uint64_t extra; /* part of the key. heap: class of sizes; custom: number of the profile */
	_Atomic uint64_t value[STACK_VALUES];
	uint64_t pc[]; /* [n] leaf first, as cpi_here_sig gives them */
};
_Static_assert(sizeof(struct segment_tables) <= TABLES_BUCKETS_AT, "its page");
_Static_assert(sizeof(struct segment_stack) % 8 == 0, "stacks are words");

/* The tables of this process, claimed if need be; NULL when there are none. */
struct segment_tables *cpi_tables_sig(void);
/* None were left for this process. */
bool cpi_tables_refused(void);
/* In the child of fork: its tables are yet to be claimed. */
void cpi_tables_forget(void);
/* How often that was: names of stacks are good as long as this is the same. */
uint32_t cpi_tables_life(void);

/*
 * The stack of a key, added if need be. Takes no lock and may be called everywhere.
 *
 * pc      [n] n up to FRAMES_MAX
 * Gives   its name; 0 when there is no room, or there are no tables
 */
uint32_t cpi_stack_find_sig(enum stack_kind kind, uint64_t extra, uint32_t label, const uint64_t *pc, uint32_t n);

/* Add to what is counted for a stack; for name 0 to what found no room. */
void cpi_stack_add_sig(enum stack_kind kind, uint32_t name, unsigned value, uint64_t n);

/*
 * The stack that created a thread, of kind STACK_CREATE, is in the word of slot tid % CREATED_SLOTS: tid << 32 |
 * name. The last one to come has the slot.
 */
void cpi_stack_created_sig(uint32_t tid, uint32_t name);

#endif

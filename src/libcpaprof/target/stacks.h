/*
 * stacks.h - the tables of a process: counts per stack, and live objects
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * One set of tables is TABLES_SIZE bytes of the segment. A process claims a set when it first needs it. After the
 * process has ended, the collector zeroes the set and frees it:
 *
 *	struct segment_tables     the first page
 *	uint32_t [STACK_BUCKETS]  at TABLES_BUCKETS_AT: heads of the chains of stacks with the same hash
 *	uint64_t [CREATED_SLOTS]  at TABLES_CREATED_AT: the stack that created each thread
 *	stacks                    at TABLES_STACKS_AT: struct segment_stack, one after the other, never freed
 *	live objects              at TABLES_LIVE_AT: libcpaprof/target/live.h
 *
 * The id of a stack is 1 plus its distance from TABLES_STACKS_AT in 8-byte words; 0 is none. A stack is written,
 * then linked into its chain, so readers need no lock. If two threads add the same key at the same time, one of the two
 * stacks may be in no chain; it has no counts. The collector treats all of this as hostile.
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
	STACK_WORDS_MAX = (TABLES_LIVE_AT - TABLES_STACKS_AT) / 8,
};

enum stack_kind { STACK_HEAP, STACK_BLOCK, STACK_MUTEX, STACK_CREATE, STACK_CUSTOM, N_STACK_KINDS };

/* Meaning of value[] for each kind of stack, counted since the tables were claimed. Weighted values are in 1/1024. */
enum {
	HEAP_ALLOC_OBJECTS,
	HEAP_ALLOC_BYTES,
	HEAP_FREE_OBJECTS,
	HEAP_FREE_BYTES, /* the first four are weighted */
	HEAP_ALLOC_SAMPLES,
	HEAP_ALLOC_SAMPLED,
	HEAP_FREE_SAMPLES,
	HEAP_FREE_SAMPLED
};                                            /* the last four: sampled objects and bytes, unweighted */
enum { WAIT_COUNT /* in 1/1024 */, WAIT_NS }; /* block, mutex */
enum { CREATE_COUNT };
enum { CUSTOM_ADDED, CUSTOM_REMOVED };

enum tables_state { TABLES_FREE, TABLES_LIVE = 2 }; /* or a value of segment_claim */

struct segment_tables {
	_Atomic uint32_t state;
	uint32_t proc, serial;    /* slot and serial of the owner; set before TABLES_LIVE */
	_Atomic uint32_t n_words; /* words used by stacks */
	_Atomic uint64_t overflow[N_STACK_KINDS][STACK_VALUES]; /* values of stacks that did not fit */
};

struct segment_stack {
	_Atomic uint32_t next; /* id of the next stack in the chain */
	uint32_t hash;
	uint16_t kind, n;
	uint32_t label;
	uint64_t extra; /* part of the key. heap: size class; custom: id of the profile name */
	_Atomic uint64_t value[STACK_VALUES];
	uint64_t pc[]; /* [n] leaf first, as returned by cpi_caller_stack_sig */
};
_Static_assert(sizeof(struct segment_tables) <= TABLES_BUCKETS_AT, "the head fits into its page");
_Static_assert(sizeof(struct segment_stack) % 8 == 0, "stacks consist of whole words");

/* The tables of this process, claimed at the first call. NULL if there are none. */
struct segment_tables *cpi_tables_sig(void);
/* Were all tables in use when this process tried to claim one? */
bool cpi_tables_refused(void);
/* In the child of fork: forget the tables of the parent. */
void cpi_tables_forget(void);
/* Number of calls of cpi_tables_forget. Ids of stacks are valid as long as this is unchanged. */
uint32_t cpi_tables_generation(void);

/*
 * Return the id of the stack with this key, and add the stack first if it is new. Takes no lock and may be called
 * anywhere.
 *
 * pc      [n] n is at most FRAMES_MAX
 * Returns 0 if the table is full or there are no tables
 */
uint32_t cpi_stack_find_sig(enum stack_kind kind, uint64_t extra, uint32_t label, const uint64_t *pc, uint32_t n);

/* Add to a value of a stack. Id 0 adds to the values of stacks that did not fit. */
void cpi_stack_add_sig(enum stack_kind kind, uint32_t id, unsigned value, uint64_t n);

/*
 * Record the stack, of kind STACK_CREATE, that created a thread. It is stored in slot tid % CREATED_SLOTS as tid << 32
 * | id. A later thread overwrites the slot.
 */
void cpi_stack_set_creator_sig(uint32_t tid, uint32_t id);

#endif

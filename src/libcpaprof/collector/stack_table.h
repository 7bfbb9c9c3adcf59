/*
 * stack_table.h - the distinct stacks of a process, and what they weigh
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_STACK_TABLE_H
#define LIBCPAPROF_COLLECTOR_STACK_TABLE_H

#include "libcpaprof/collector/maps.h"
#include "libcpaprof/collector/memory.h"

/* Frames that are no code: they have a name instead of an address. */
enum table_place { PLACE_LOST, PLACE_BLOCKED, PLACE_FULL, PLACE_RUNNING, PLACE_NO_ANSWER, PLACE_UNSAMPLED, N_PLACES };
extern const char *const table_place_name[N_PLACES];

/* An address, or (the first N_PLACES of them) a place. */
struct table_loc {
	uint64_t addr;
	uint32_t map;       /* of libcpaprof/collector/maps.h, + 1; 0: not known */
	uint32_t contested; /* the same, when other code had the address at another time; else 0 */
};

struct table_stack {
	uint64_t weight; /* periods */
	uint32_t at, n;  /* its locations in locs, leaf first */
	uint32_t label;
	uint32_t hash;
};

/* Begins as zeros. */
struct stack_table {
	struct vec loc;                  /* struct table_loc */
	struct vec stack;                /* struct table_stack */
	struct vec frames;               /* uint32_t: locations of stacks, as index of loc */
	uint32_t *loc_slot, *stack_slot; /* hash tables of index + 1 */
	uint32_t n_loc_slots, n_stack_slots;
	struct maps *maps;   /* of the process; NULL: none */
	uint64_t *left;      /* bytes that all tables together may still take; NULL: as many as there are */
	uint32_t generation; /* that addresses which are added now are of */
	uint64_t seed;
	uint64_t weight, n_samples; /* of all stacks; samples with an address */
	uint32_t n_found;           /* locations [0, n_found) were looked for in the mappings */
};

/*
 * Add a sample.
 *
 * pc      [n] leaf first
 * Gives   the index of its stack, or PLACE_FULL's when there was no room; UINT32_MAX when there was none
 *         for that either, and its weight is lost
 */
uint32_t table_add(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint64_t weight);

/*
 * Keep the frames of a stack that is counted elsewhere.
 *
 * pc      [n] leaf first
 * at      out: where its locations are in frames
 * Gives   false when there is no room
 */
bool table_frames(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t *at);

/* The same for the one frame of a place. */
bool table_place_frame(struct stack_table *t, enum table_place place, uint32_t *at);

/* Add weight to a place. Gives as table_add. */
uint32_t table_add_place(struct stack_table *t, enum table_place place, uint64_t weight);

/* Add weight to a stack that was added before. */
void table_add_again(struct stack_table *t, uint32_t stack, uint64_t weight);

/*
 * Keep a stack that weighs nothing: of another profile than that of CPU time.
 *
 * at      out: where its n locations are in frames
 * Gives   false when there is no room
 */
bool table_intern(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint32_t *at);

/* The same for a place. Gives the number of locations: 1, or 0 when there is no room. */
uint32_t table_intern_place(struct stack_table *t, enum table_place place, uint32_t *at);

void table_release(struct stack_table *t);

#endif

/*
 * stack_table.h - the distinct stacks of a process, and their weights
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef LIBCPAPROF_COLLECTOR_STACK_TABLE_H
#define LIBCPAPROF_COLLECTOR_STACK_TABLE_H

#include "libcpaprof/collector/read/maps.h"
#include "libcpaprof/collector/read/memory.h"

/* Pseudo frames: they have a name instead of an address. */
enum pseudo_frame {
	PSEUDO_LOST,
	PSEUDO_BLOCKED,
	PSEUDO_FULL,
	PSEUDO_RUNNING,
	PSEUDO_NO_ANSWER,
	PSEUDO_UNSAMPLED,
	PSEUDO_READY,
	PSEUDO_KERNEL,
	N_PSEUDO_FRAMES
};
extern const char *const pseudo_frame_name[N_PSEUDO_FRAMES];

/* An address, or a pseudo frame (the first N_PSEUDO_FRAMES locations). */
struct table_loc {
	uint64_t addr;
	uint32_t map;       /* index of its mapping, + 1; 0: not known */
	uint32_t contested; /* equal to map if other code was at the address at another time; else 0 */
};

struct table_stack {
	uint64_t n_samples; /* number of signals */
	uint64_t weight;    /* number of periods that the signals represent */
	uint32_t at, n;     /* locations: frames [at, at + n), leaf first */
	uint32_t label;
	uint32_t hash;
};

/* Zero-initialised. */
struct stack_table {
	struct vec loc;                  /* struct table_loc */
	struct vec stack;                /* struct table_stack */
	struct vec frames;               /* uint32_t: locations of stacks, as index in loc */
	uint32_t *loc_slot, *stack_slot; /* hash tables of index + 1 */
	uint32_t n_loc_slots, n_stack_slots;
	struct maps *maps;           /* mappings of the process; NULL: none */
	uint64_t *n_bytes_remaining; /* memory limit shared by all tables; NULL: no limit */
	uint32_t generation;         /* generation of the addresses that are added now */
	uint64_t seed;
	uint64_t weight, n_samples; /* sums over all stacks */
	uint32_t n_found;           /* mappings were looked up for locations [0, n_found) */
};

/*
 * Add one sample.
 *
 * pc      [n] leaf first
 * Returns the index of its stack, or of PSEUDO_FULL if there is no room; UINT32_MAX if there is no room for that
 * either; the weight is then lost
 */
uint32_t table_add(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint64_t weight);

/*
 * Add the frames of a stack that is counted elsewhere.
 *
 * pc      [n] leaf first
 * at      out: index of its first location in frames
 * Returns false if there is no room
 */
bool table_add_frames(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t *at);

/* Add a pseudo frame that is counted elsewhere; at and result as for table_add_frames. */
bool table_add_pseudo_frame(struct stack_table *t, enum pseudo_frame pseudo, uint32_t *at);

/* Add samples to a pseudo frame; 0 samples for weight without a signal. Returns the same as table_add. */
uint32_t table_add_pseudo(struct stack_table *t, enum pseudo_frame pseudo, uint64_t n_samples, uint64_t weight);

/* Add weight, but no sample, to an existing stack. */
void table_add_weight(struct stack_table *t, uint32_t stack, uint64_t weight);

/* Move a sample, without its weight, to the same stack with another label. Returns that stack; the same without room. */
uint32_t table_relabel(struct stack_table *t, uint32_t stack, uint32_t label);

/*
 * Add a stack without weight, for profiles other than CPU time.
 *
 * at      out: index of its first location in frames
 * Returns false if there is no room
 */
bool table_intern(struct stack_table *t, const uint64_t *pc, uint32_t n, uint32_t label, uint32_t *at);

/* Add a stack of one pseudo frame, without weight. Returns the number of locations: 1, or 0 if there is no room. */
uint32_t table_intern_pseudo(struct stack_table *t, enum pseudo_frame pseudo, uint32_t *at);

void table_release(struct stack_table *t);

#endif

/*
 * stack_builder.h - stacks that grow, with a hash table to find equal ones
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Part of the builder (builder.h), which says more about these functions.
 */
#ifndef PROFILE_STACK_BUILDER_H
#define PROFILE_STACK_BUILDER_H

#include "base/err.h"
#include "base/idtab.h"
#include "profile/stack_lists.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { STACK_IDS_MAX = 0xfffffff0 };

struct stack_builder {
	struct stack_lists l;
	size_t cap_off, cap_id; /* of off; ids that l.packed has room for */
	struct idtab ids;
};

/* Make room for about n_rows stacks of n_ids ids together, of which n_distinct are searched. */
void builder_stacks_init(struct stack_builder *b, size_t n_rows, size_t n_ids, size_t n_distinct);
void builder_stacks_release(struct stack_builder *b);

/* builder_stack and builder_stack_append */
int builder_stacks_add(struct stack_builder *b, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *id,
		       struct err *err);
int builder_stacks_append(struct stack_builder *b, const uint32_t *locs, size_t n, uint32_t *id, struct err *err);

/* builder_stack_room and builder_stack_append_room */
uint8_t *builder_stacks_room(struct stack_builder *b, size_t n, size_t *room);
int builder_stacks_append_room(struct stack_builder *b, const size_t *end, uint32_t n, uint32_t *ids, struct err *err);

/* builder_repeat_stacks */
int builder_stacks_repeat(struct stack_builder *b, uint32_t *stack, uint32_t n, struct err *err);

/* builder_replace_locations. n_locs: the largest new id, and 1 */
bool builder_stacks_replace(struct stack_builder *b, size_t n_locs, const uint32_t *to, size_t n);

/* The stacks, whose arrays mem owns afterwards. b is empty then. */
struct stack_lists builder_stacks_seal(struct stack_builder *b, struct arena *mem);

#endif

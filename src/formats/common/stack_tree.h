/*
 * stack_tree.h - stacks of formats that have a tree of calls, each node with its parent
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_STACK_TREE_H
#define FORMATS_COMMON_STACK_TREE_H

#include "base/err.h"

#include <stddef.h>
#include <stdint.h>

#define STACK_TREE_NONE UINT32_MAX /* no parent, or no location */

/* The tree, as the reader fills it: a hostile file may have any parents, also ones that form a circle. */
struct stack_tree {
	uint32_t *parent; /* [n] node, or STACK_TREE_NONE */
	uint32_t *loc;    /* [n] location; nodes with STACK_TREE_NONE are left out of stacks */
	size_t n, cap_parent, cap_loc;

	uint32_t *stack; /* of the last stack_tree_walk */
	size_t cap_stack;
};

/* Append a node. */
void stack_tree_add(struct stack_tree *t, uint32_t parent, uint32_t loc);

/*
 * The stack of a node.
 *
 * node    below t->n, or STACK_TREE_NONE for an empty stack
 * n       set to the number of locations in t->stack, leaf first
 * Fails   ERR_FORMAT if the node is its own ancestor
 */
int stack_tree_walk(struct stack_tree *t, uint32_t node, size_t *n, struct err *err);

void stack_tree_release(struct stack_tree *t);

#endif

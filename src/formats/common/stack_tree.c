/*
 * stack_tree.c - stacks of formats that have a tree of calls, each node with its parent
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/stack_tree.h"

#include "base/mem.h"

#include <stdlib.h>

void stack_tree_add(struct stack_tree *t, uint32_t parent, uint32_t loc)
{
	t->parent = mem_grow(t->parent, &t->cap_parent, t->n + 1, sizeof(*t->parent));
	t->loc = mem_grow(t->loc, &t->cap_loc, t->n + 1, sizeof(*t->loc));
	t->parent[t->n] = parent;
	t->loc[t->n++] = loc;
}

int stack_tree_walk(struct stack_tree *t, uint32_t node, size_t *n, struct err *err)
{
	size_t steps = 0;

	for (*n = 0; node != STACK_TREE_NONE; node = t->parent[node]) {
		if (steps++ == t->n)
			return err_set(err, ERR_FORMAT, "node %zu of the tree of calls is its own ancestor",
				       (size_t)node + 1);
		if (t->loc[node] == STACK_TREE_NONE)
			continue;
		t->stack = mem_grow(t->stack, &t->cap_stack, *n + 1, sizeof(*t->stack));
		t->stack[(*n)++] = t->loc[node];
	}
	return 0;
}

void stack_tree_release(struct stack_tree *t)
{
	free(t->parent);
	free(t->loc);
	free(t->stack);
}

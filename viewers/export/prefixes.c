/*
 * prefixes.c - stacks as a tree of calls, for the formats that have one
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "engine/query.h"

#include <stdlib.h>

enum { PREFIXES_EXPECTED = 1024, PREFIX_BYTES = 160 /* about what a node takes in the output */ };

/* The node of a place below a parent; it is appended if there is none. */
static uint32_t prefixes_child(struct stack_prefixes *t, struct idtab *at, uint32_t parent, uint32_t place)
{
	uint64_t hash = hash_u64((uint64_t)parent << 32 | place);
	uint32_t i;

	for (size_t pos = idtab_start(at, hash); idtab_next(at, hash, &pos, &i);)
		if (t->parent[i] == parent && t->place[i] == place)
			return i;
	t->place = mem_grow(t->place, &t->cap_place, t->n + 1, sizeof(*t->place));
	t->parent = mem_grow(t->parent, &t->cap_parent, t->n + 1, sizeof(*t->parent));
	t->place[t->n] = place;
	t->parent[t->n] = parent;
	idtab_put(at, hash, t->n);
	return t->n++;
}

int export_prefixes_make(const struct view *v, const struct query *q, const struct places *pl, const int64_t *sum,
			 struct stack_prefixes *out, struct err *err)
{
	const struct profile *p = v->p;
	uint32_t *frame = NULL;
	size_t cap = 0;
	struct idtab at;
	int rc = 0;

	*out = (struct stack_prefixes){ .of_stack = mem_alloc(p->stacks.n ? p->stacks.n : 1, sizeof(*out->of_stack)) };
	idtab_init(&at, PREFIXES_EXPECTED);
	for (uint32_t i = 0; rc == 0 && i < p->stacks.n && !stop_step(v->stop, i); i++) {
		const uint32_t *end;

		out->of_stack[i] = UINT32_MAX;
		if (sum[i] == 0)
			continue;
		frame = mem_grow(frame, &cap, export_stacks_depth(pl, i) + 1, sizeof(*frame));
		end = export_stacks_copy(pl, i, q->inverted, frame);
		for (const uint32_t *place = frame; place < end; place++)
			out->of_stack[i] = prefixes_child(out, &at, out->of_stack[i], *place);
		rc = export_stacks_check_bytes((uint64_t)out->n * PREFIX_BYTES, err);
	}
	idtab_release(&at);
	free(frame);
	return rc < 0 ? rc : stop_check(v->stop, err);
}

void export_prefixes_release(struct stack_prefixes *t)
{
	free(t->place);
	free(t->parent);
	free(t->of_stack);
	*t = (struct stack_prefixes){ .n = 0 };
}

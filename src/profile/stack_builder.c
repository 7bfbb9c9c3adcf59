/*
 * stack_builder.c - stacks that grow
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/stack_builder.h"

#include "base/arena.h"
#include "base/mem.h"
#include "profile/profile.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Is the array full? Checking this here avoids most calls of mem_grow. */
static bool stack_builder_is_full(size_t cap, size_t need)
{
	return need > cap;
}

void builder_stacks_init(struct stack_builder *b, size_t n_rows, size_t n_ids, size_t n_distinct)
{
	*b = (struct stack_builder){ .cap_off = n_rows + 2, .cap_id = n_ids, .l = { .width = STACK_NARROW } };
	b->l.packed = mem_alloc_large(stack_bytes(n_ids, STACK_NARROW), 1);
	b->l.off = mem_alloc_large(b->cap_off, sizeof(*b->l.off));
	b->l.off[0] = 0;
	idtab_init(&b->ids, n_distinct);
}

void builder_stacks_release(struct stack_builder *b)
{
	free(b->l.off);
	free(b->l.packed);
	idtab_release(&b->ids);
}

/* Give each id the bytes of a wide one. */
static void stack_builder_widen(struct stack_builder *b)
{
	const struct stack_lists old = b->l;
	uint32_t n = old.off[old.n];

	b->l.width = STACK_WIDE;
	b->l.packed = mem_alloc_large(stack_bytes(b->cap_id, STACK_WIDE), 1);
	for (uint32_t i = 0; i < n; i++)
		stack_store(stack_address(&b->l, i), STACK_WIDE, stack_id_at(&old, i));
	free(old.packed);
}

/* Pack ids to memory with a spare byte. Returns false if they need more bytes. */
static bool stack_pack(const uint32_t *locs, size_t n, uint32_t width, uint8_t *to)
{
	uint32_t all = 0;

	if (width == STACK_NARROW)
		for (size_t i = 0; i < n; i++, to += STACK_NARROW) {
			uint32_t le = htole32(locs[i]);

			all |= locs[i];
			memcpy(to, &le, sizeof(le)); /* the next id overwrites the last byte */
		}
	else
		for (size_t i = 0; i < n; i++, to += STACK_WIDE)
			stack_store(to, STACK_WIDE, locs[i]);
	return all >> 24 == 0;
}

/* Make room for n_stacks stacks of n ids together. */
static int stack_builder_reserve(struct stack_builder *b, uint32_t n_stacks, size_t n, struct err *err)
{
	struct stack_lists *l = &b->l;
	uint32_t end = l->off[l->n];

	if (n_stacks > STACK_IDS_MAX - l->n || n > STACK_IDS_MAX - end)
		return err_set(err, ERR_LIMIT, "stacks: more than %u entries in a table", (unsigned)STACK_IDS_MAX);
	if (stack_builder_is_full(b->cap_id, end + n)) {
		size_t cap = stack_bytes(b->cap_id, l->width);

		l->packed = mem_grow(l->packed, &cap, stack_bytes(end + n, l->width), 1);
		b->cap_id = (cap - 1) / l->width;
	}
	if (stack_builder_is_full(b->cap_off, (size_t)l->n + n_stacks + 1))
		l->off = mem_grow(l->off, &b->cap_off, (size_t)l->n + n_stacks + 1, sizeof(*l->off));
	return 0;
}

/* Count the ids after the last stack as a new stack. */
static uint32_t stack_builder_end(struct stack_builder *b, size_t n)
{
	struct stack_lists *l = &b->l;

	l->off[l->n + 1] = l->off[l->n] + (uint32_t)n;
	return l->n++;
}

/* Is a stack equal to the n ids after the last stack? */
static bool stack_builder_is(const struct stack_builder *b, uint32_t id, size_t n)
{
	const struct stack_lists *l = &b->l;

	return l->off[id + 1] - l->off[id] == n &&
	       memcmp(stack_address(l, l->off[id]), stack_address(l, l->off[l->n]), n * l->width) == 0;
}

/* Pack ids after the last stack. */
static int stack_builder_put(struct stack_builder *b, const uint32_t *locs, size_t n, struct err *err)
{
	struct stack_lists *l = &b->l;

	if (stack_builder_reserve(b, 1, n, err) < 0)
		return ERR_LIMIT;
	if (stack_pack(locs, n, l->width, stack_address(l, l->off[l->n])))
		return 0;
	stack_builder_widen(b);
	return stack_builder_put(b, locs, n, err);
}

int builder_stacks_add(struct stack_builder *b, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *id,
		       struct err *err)
{
	if (stack_builder_put(b, locs, n, err) < 0)
		return ERR_LIMIT;
	for (size_t pos = idtab_start(&b->ids, hash); idtab_next(&b->ids, hash, &pos, id);)
		if (stack_builder_is(b, *id, n))
			return 0;
	*id = stack_builder_end(b, n);
	idtab_put(&b->ids, hash, *id);
	return 0;
}

int builder_stacks_append(struct stack_builder *b, const uint32_t *locs, size_t n, uint32_t *id, struct err *err)
{
	if (stack_builder_put(b, locs, n, err) < 0)
		return ERR_LIMIT;
	*id = stack_builder_end(b, n);
	return 0;
}

uint8_t *builder_stacks_room(struct stack_builder *b, size_t n, size_t *room)
{
	const struct stack_lists *l = &b->l;

	if (l->width != STACK_NARROW || stack_builder_reserve(b, 0, n + STACK_SPARE_IDS, NULL) < 0)
		return NULL;
	*room = b->cap_id - l->off[l->n] - STACK_SPARE_IDS;
	return stack_address(l, l->off[l->n]);
}

int builder_stacks_append_room(struct stack_builder *b, const size_t *end, uint32_t n, uint32_t *ids, struct err *err)
{
	struct stack_lists *l = &b->l;
	uint32_t first = l->off[l->n];

	if (stack_builder_reserve(b, n, n ? end[n - 1] : 0, err) < 0)
		return ERR_LIMIT;
	for (uint32_t i = 0; i < n; i++) {
		ids[i] = l->n + i;
		l->off[l->n + i + 1] = first + (uint32_t)end[i];
	}
	l->n += n;
	return 0;
}

int builder_stacks_repeat(struct stack_builder *b, uint32_t *stack, uint32_t n, struct err *err)
{
	struct stack_lists *l = &b->l;
	size_t end = 0;

	assert(n >= l->n);
	for (uint32_t i = 0; i < n; i++)
		end += l->off[stack[i] + 1] - l->off[stack[i]];
	if (stack_builder_reserve(b, n - l->n, end - l->off[l->n], err) < 0)
		return ERR_LIMIT;
	/* from the last row on: the stacks of the rows before have smaller ids, and are before its place */
	for (uint32_t i = n; i-- > 0;) {
		uint32_t first = l->off[stack[i]], n_ids = l->off[stack[i] + 1] - first;

		l->off[i + 1] = (uint32_t)end;
		end -= n_ids;
		memmove(stack_address(l, (uint32_t)end), stack_address(l, first), (size_t)n_ids * l->width);
		stack[i] = i;
	}
	l->n = n;
	idtab_release(&b->ids);
	idtab_init(&b->ids, 0);
	return 0;
}

bool builder_stacks_replace(struct stack_builder *b, size_t n_locs, const uint32_t *to, size_t n)
{
	const struct stack_lists *l = &b->l;

	if (stack_width(n_locs) > l->width)
		stack_builder_widen(b);
	for (uint32_t i = 0; i < l->off[l->n]; i++) {
		uint32_t loc = stack_id_at(l, i);

		if (loc >= n || to[loc] == PROFILE_NONE)
			return false;
		stack_store(stack_address(l, i), l->width, to[loc]);
	}
	return true;
}

struct stack_lists builder_stacks_seal(struct stack_builder *b, struct arena *mem)
{
	struct stack_lists l = b->l;

	assert(l.off[l.n] <= b->cap_id && l.n < b->cap_off);
	l.off = arena_own(mem, mem_trim(l.off, (size_t)l.n + 1, sizeof(*l.off)));
	l.packed = arena_own(mem, mem_trim(l.packed, stack_bytes(l.off[l.n], l.width), 1));
	idtab_release(&b->ids);
	*b = (struct stack_builder){ 0 };
	return l;
}

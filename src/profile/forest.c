/*
 * forest.c - pack and unpack the callers of samples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/forest.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

void forest_packer_init(struct forest_packer *p, uint32_t n_types, const uint32_t *like, const int64_t *factor,
			const int64_t *const *value, size_t bytes)
{
	*p = (struct forest_packer){ .cap = bytes, .room = (size_t)FOREST_NUMBER_MAX * (2 + n_types) };
	p->tree.like = memcpy(mem_alloc(n_types, sizeof(*like)), like, n_types * sizeof(*like));
	p->tree.factor = memcpy(mem_alloc(n_types, sizeof(*factor)), factor, n_types * sizeof(*factor));
	p->value = mem_alloc(n_types, sizeof(*p->value));
	for (uint32_t t = 0; t < n_types; t++)
		if (like[t] == t)
			p->value[p->n_stored++] = value[t];
	p->memory = mem_alloc(bytes, 1);
	p->at = p->memory + bytes;
}

void forest_packer_grow(struct forest_packer *p)
{
	size_t size = (size_t)(p->memory + p->cap - p->at), cap = p->cap + p->cap / 2 + p->room;
	uint8_t *memory = mem_alloc(cap, 1);

	memcpy(memory + cap - size, p->at, size);
	free(p->memory);
	p->memory = memory;
	p->cap = cap;
	p->at = memory + cap - size;
}

void forest_packer_finish(struct forest_packer *p, struct forest_tree *out)
{
	p->tree.size = (size_t)(p->memory + p->cap - p->at);
	memmove(p->memory, p->at, p->tree.size);
	p->tree.data = mem_trim(p->memory, p->tree.size, 1);
	*out = p->tree;
	free(p->value);
	*p = (struct forest_packer){ 0 };
}

void forest_reader_init(struct forest_reader *r, const struct forest_tree *t, uint32_t n_types)
{
	*r = (struct forest_reader){ .tree = t, .at = t->data, .end = t->data + t->size };
	for (uint32_t type = 0; type < n_types; type++)
		r->n_stored += t->like[type] == type;
}

uint32_t forest_find_column(const struct forest_tree *t, uint32_t type, int64_t *factor)
{
	uint32_t column = 0;

	*factor = t->factor[type];
	for (uint32_t k = 0; k < t->like[type]; k++)
		column += t->like[k] == k;
	return column;
}

void forest_tree_release(struct forest_tree *t)
{
	free(t->loc);
	free(t->like);
	free(t->factor);
	free((void *)(uintptr_t)t->data);
	*t = (struct forest_tree){ 0 };
}

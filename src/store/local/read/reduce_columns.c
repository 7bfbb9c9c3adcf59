/*
 * reduce_columns.c - sums of several types, a value per row of a chapter
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * CPU time is samples times the period in nearly every block. As long as it is in all blocks, it needs no values.
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "store/local/read/reduce_int.h"

#include <stdlib.h>

void reduce_columns_init(struct reduce_columns *c, uint32_t n_types)
{
	*c = (struct reduce_columns){ .n_types = n_types,
				      .value = mem_zalloc(n_types, sizeof(*c->value)),
				      .like = mem_alloc(n_types, sizeof(*c->like)),
				      .factor = mem_alloc(n_types, sizeof(*c->factor)) };
	for (uint32_t t = 0; t < n_types; t++) {
		c->like[t] = t;
		c->factor[t] = 1;
	}
}

void reduce_columns_release(struct reduce_columns *c)
{
	for (uint32_t t = 0; t < c->n_types; t++)
		free(c->value[t]);
	free(c->value);
	free(c->like);
	free(c->factor);
	*c = (struct reduce_columns){ 0 };
}

/* Give a type values of its own. Returns false if one overflows. */
static bool reduce_columns_expand(struct reduce_columns *c, uint32_t type, size_t n_rows)
{
	uint32_t like = c->like[type];
	bool is_overflow = false;

	if (c->value[type])
		return true;
	c->value[type] = mem_zalloc(n_rows, sizeof(*c->value[type]));
	for (size_t i = 0; like != type && i < n_rows; i++)
		is_overflow |= __builtin_mul_overflow(c->value[like][i], c->factor[type], &c->value[type][i]);
	c->like[type] = type;
	c->factor[type] = 1;
	return !is_overflow;
}

bool reduce_columns_prepare(struct reduce_columns *c, uint32_t type, uint32_t like, int64_t factor, bool is_first,
			    size_t n_rows)
{
	bool is_like = c->like[type] == like && c->factor[type] == factor;

	if (like == type || c->value[type] || !(is_first || is_like))
		return reduce_columns_expand(c, type, n_rows);
	c->like[type] = like;
	c->factor[type] = factor;
	return true;
}

bool reduce_columns_add(struct reduce_columns *c, struct reduce_columns *other, size_t n_rows)
{
	bool is_overflow = false;

	for (uint32_t t = 0; t < c->n_types; t++)
		if (c->like[t] != other->like[t] || c->factor[t] != other->factor[t])
			is_overflow |= !reduce_columns_expand(c, t, n_rows) || !reduce_columns_expand(other, t, n_rows);
	for (uint32_t t = 0; t < c->n_types; t++)
		for (size_t i = 0; c->value[t] && i < n_rows; i++)
			is_overflow |= num_add(&c->value[t][i], other->value[t][i]);
	return !is_overflow;
}

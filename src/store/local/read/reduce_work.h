/*
 * reduce_work.h - the memory of a thread that adds up blocks of a chapter
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * This header is only for reduce_slice.c and reduce_series.c.
 */
#ifndef STORE_LOCAL_READ_REDUCE_WORK_H
#define STORE_LOCAL_READ_REDUCE_WORK_H

#include "base/num.h"
#include "store/local/read/reduce_int.h"

#define NO_PROFILE UINT32_MAX

/* Sums of the profiles of a shape in the current group. */
struct reduce_dense {
	uint32_t shape;
	uint64_t profiles;
	int64_t duration_ns;
	int64_t **column; /* [n_types][n_rows] */
};

/* A range of the profiles of a block. */
struct reduce_range {
	uint32_t lo, hi;
	uint32_t base; /* the profile before the window, or NO_PROFILE */
};

struct reduce_work {
	const struct reducer *r;
	struct reduce_slice *s;
	const struct reduce_chapter *c;
	enum reduce_pass pass;
	size_t n_rows, n_elements; /* n_elements: allocated in vectors */
	uint32_t group;
	struct reduce_dense *dense; /* [n_dense] */
	size_t n_dense, cap_dense;
	int64_t *meta_first; /* [n_metas] INT64_MAX: not used */
	/* the current series and shape */
	const struct reduce_shape *shape;
	struct reduce_element e; /* without rows */
	bool has_base;
	int64_t base_ns;
	struct reduce_process base;
	int64_t **vector; /* [n_vectors][n_rows]: see vector_of */
	size_t n_vectors, cap_vectors;
	uint32_t *touched; /* [n_touched] rows of the series */
	uint32_t n_touched;
	bool *is_touched;  /* [n_rows] */
	struct buf buffer; /* the current block */
	bool is_reset[BLOCK_PROFILES_MAX];
	/* if gains are wanted, of each increase: totals of the profiles of the block, and of the last one before it */
	uint64_t (*total)[BLOCK_PROFILES_MAX], *last_total;
	size_t cap_total, cap_last_total;
};

/* A column of a block that is being added. */
struct reduce_column {
	struct reduce_work *w;
	const struct block *b;
	struct reduce_range range;
	bool is_chain, is_cumulative, is_first_block, is_overflow, is_bad;
	enum reduce reduce;
	uint32_t i;        /* of the ordered column */
	uint32_t inc;      /* of the increase */
	int64_t *sum;      /* [n_rows] */
	int64_t *multiple; /* [n_rows] sums of a column that is this one times factor, or NULL */
	int64_t factor;
	bool is_multiple_overflow;
};

/* Reserve vectors with an element per row. Fails with ERR_LIMIT. */
int reduce_work_grow(struct reduce_work *w, size_t vectors, struct err *err);

struct reduce_column reduce_column_init(struct reduce_work *w, const struct block *b, const struct reduce_range *range,
					uint32_t column);

/* The error after adding a column, or 0. */
int reduce_column_check(const struct reduce_column *p, uint32_t column, struct err *err);

/* Expand a row to the values of profiles [0, end). */
static inline void reduce_expand(const struct reduce_column *p, uint32_t n, const uint32_t *cell, const int64_t *value,
				 uint32_t end, int64_t *out)
{
	uint64_t v = 0; /* differences wrap */
	uint32_t at = 0;

	for (uint32_t i = 0; i < n && cell[i] < end; i++) {
		while (at < cell[i])
			out[at++] = (int64_t)v;
		v = p->is_chain ? v + (uint64_t)value[i] : (uint64_t)value[i];
		out[at++] = (int64_t)v;
		if (!p->is_chain)
			v = 0;
	}
	while (at < end)
		out[at++] = (int64_t)v;
}

/* Make room for the current series and shape. */
int reduce_series_begin(struct reduce_work *w, struct err *err);

/* Add the ordered columns of a block to the current series. */
int reduce_series_add(struct reduce_work *w, const struct block *b, const struct reduce_range *range, struct err *err);

/* End the current series: its rows become elements of the slice. */
void reduce_series_end(struct reduce_work *w);

#endif

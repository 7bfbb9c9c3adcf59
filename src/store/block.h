/*
 * block.h - encoding of up to 120 profiles of a series
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layout, before compression with zstd; varint is LEB128, zz zigzag, delta the difference from the previous value:
 *
 *	varint   profiles n, rows R, columns C, flags (1 + column: the column is a chain)
 *	metas    runs of (meta, count)
 *	times    per profile zz second difference of the start in ns; zz delta of the duration in ns
 *	per group of columns with values in the same cells:
 *	  groups    (c, m)... , 0: m rows occur in c profiles each; c decreases
 *	  rows      per group of equal c: ascending row ids, delta
 *	  cells     unless c = n: per row the profiles it occurs in, ascending, delta
 *	  values    per column, row and cell: varint, or zz if the column has negative values
 *
 * In a chain (cumulative columns and gauges) a value is the difference from the previous profile of the block, of the first
 * profile from 0; cells are those where it is not 0.
 */
#ifndef STORE_BLOCK_H
#define STORE_BLOCK_H

#include "base/buf.h"
#include "base/err.h"
#include "store/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BLOCK_PROFILES_MAX = 120 };

/*
 * Encode profiles of one series.
 *
 * p         [n] sorted by start; 1 <= n <= BLOCK_PROFILES_MAX; equal types (n_columns, temporalities)
 * is_chain  [n_columns]
 */
void block_encode(const struct stored *const *p, size_t n, const bool *is_chain, struct buf *out);

struct block_column;

/* A decoded head of a block; the values stay encoded. */
struct block {
	uint32_t n, n_columns, n_rows;   /* n_rows: rows with a value in any column */
	bool *is_chain;                  /* [n_columns] */
	uint32_t *meta;                  /* [n] */
	int64_t *start_ns, *duration_ns; /* [n] */
	struct block_column *column;
	const uint8_t *data; /* borrowed */
	size_t size;
};

/*
 * Decode the head of a block.
 *
 * data   [size] decompressed; borrowed until block_release
 * d      ids must be below the counts of this dictionary
 * Fails  ERR_FORMAT
 */
int block_open(struct block *b, const uint8_t *data, size_t size, const struct dict *d, struct err *err);
void block_release(struct block *b);

/*
 * Called for each row of a column that has values, in any order.
 *
 * cell   [n] the profiles, ascending
 * value  [n] values as stored: differences if the column is a chain
 */
typedef void block_row_fn(void *arg, uint32_t row, uint32_t n, const uint32_t *cell, const int64_t *value);

/* Call fn for all rows of a column. Fails with ERR_FORMAT, after some calls. */
int block_each_row(const struct block *b, uint32_t column, block_row_fn *fn, void *arg, struct err *err);

/* Profile i as it was encoded, without series and id. out is released with stored_release. Fails with ERR_FORMAT. */
int block_profile(const struct block *b, uint32_t i, struct stored *out, struct err *err);

/* All profiles, out[n]; faster than one by one. */
int block_profiles(const struct block *b, struct stored *out, struct err *err);

#endif

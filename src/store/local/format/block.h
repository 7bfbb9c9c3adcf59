/*
 * block.h - encoding of up to 120 profiles of a series
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Layout, before compression with zstd; varint is LEB128, zz zigzag, delta the difference from the previous value:
 *
 *	varint   profiles n, columns C
 *	columns  per column: varint mode + 4 * chain + 8 * signed; mode 0 own cells, 1 the cells of an earlier column,
 *	         2 an earlier column times a factor. 0: varint bytes of its groups to cells; 0, 1: varint bytes of its values;
 *	         1, 2: varint column; 2: zz factor
 *	metas    runs of (meta, count) until n
 *	times    per profile zz second difference of the start in ns; zz delta of the duration in ns
 *	slots    if 128 was added to n: per profile varint role + 4 * tier, number of profiles, restarts (struct stored_slot)
 *	per column of mode 0:
 *	  groups (c, m)... , 0: m rows occur in c profiles each; c decreases
 *	  cells  unless c = n: per row the profiles it occurs in, ascending, delta - 1, a byte each
 *	  rows   per group: ascending row ids, delta - 1
 *	per column of mode 0 and 1, in the order of the cells:
 *	  values varint, or zz if the column is signed
 *
 * In a chain (cumulative columns and gauges) a value is the difference from the previous profile of the block, of the first
 * profile from 0, modulo 2^64; cells are those where it is not 0.
 */
#ifndef STORE_LOCAL_FORMAT_BLOCK_H
#define STORE_LOCAL_FORMAT_BLOCK_H

#include "base/buf.h"
#include "base/err.h"
#include "store/local/format/dict.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	BLOCK_PROFILES_MAX = 120,
	BLOCK_HAS_SLOTS = 128,
	BLOCK_VALUES_MAX = 8 << 20, /* rows times columns of all profiles, unless the block has one profile */
};

/* The id of a profile: XXH3-128 of the hash of its series and its start. It is not stored. */
void block_profile_id(const uint8_t series_hash[16], int64_t start_ns, uint8_t id[16]);

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
	uint32_t n, n_columns;
	uint32_t row_end;                /* row ids are below it */
	bool *is_chain;                  /* [n_columns] */
	uint32_t *meta;                  /* [n] */
	int64_t *start_ns, *duration_ns; /* [n] */
	struct stored_slot *slot;        /* [n]; NULL: all are as they were scraped */
	struct block_column *column;
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

/* Is a column an earlier one times a factor, as CPU time is samples times period? */
bool block_is_multiple(const struct block *b, uint32_t column, uint32_t *of, int64_t *factor);

/* Has a column no values? */
bool block_is_empty(const struct block *b, uint32_t column);

/* Profile i as it was encoded, without series; out is released with dict_release_stored. Fails with ERR_FORMAT. */
int block_profile(const struct block *b, uint32_t i, struct stored *out, struct err *err);

/* All profiles, out[n]; faster than one by one. */
int block_profiles(const struct block *b, struct stored *out, struct err *err);

#endif

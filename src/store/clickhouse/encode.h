/*
 * encode.h - entries of dictionaries and profiles as rows of tables
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_CLICKHOUSE_ENCODE_H
#define STORE_CLICKHOUSE_ENCODE_H

#include "store/clickhouse/rows.h"
#include "store/clickhouse/schema.h"
#include "store/local/format/dict.h"

#include <stdint.h>

/* The epoch of entries: a dictionary. */
struct click_epoch_key {
	const char *service;
	uint16_t week; /* day since 1970 of its Monday */
	uint64_t epoch;
};

/* Properties of mappings as bits. */
enum { CLICK_HAS_FUNCTIONS = 1, CLICK_HAS_FILENAMES = 2, CLICK_HAS_LINES = 4, CLICK_HAS_INLINE = 8 };

/* Append the row of meta, mapping or stack i; or those of location i, one per line. */
void click_encode_meta(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out);
void click_encode_mapping(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out);
void click_encode_frames(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out);
void click_encode_stack(const struct click_epoch_key *k, const struct dict *d, uint32_t i, struct buf *out);

/* The number of the types, units and temporalities of a meta: equal in all epochs. */
uint64_t click_shape(const struct dict *d, const struct dict_meta *m);

/* Append the row of a profile. */
void click_encode_profile(const struct click_epoch_key *k, const struct dict *d, const struct stored *s,
			  const char *kind, const uint8_t series[16], struct buf *out);

#endif

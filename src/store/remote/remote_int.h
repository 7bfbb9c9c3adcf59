/*
 * remote_int.h - requests and responses of the interface of a store over HTTP, for both of its ends
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Both are sequences of fields: texts and decimal numbers, each ended by NUL. A request is a query. A response has "record" before
 * the fields of each record, and ends with "end", a code of enum err_code or 0, a message, and the damage of the store.
 * A profile is the number of its bytes and profile.proto.
 */
#ifndef STORE_REMOTE_REMOTE_INT_H
#define STORE_REMOTE_REMOTE_INT_H

#include "base/arena.h"
#include "base/buf.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

void rpc_put_text(struct buf *out, const char *text);
void rpc_put_number(struct buf *out, int64_t v);
void rpc_put_labels(struct buf *out, const struct store_label *label, size_t n);
void rpc_put_texts(struct buf *out, const char *const *text, size_t n);

/* A text of a query, NULL counts as "". */
void rpc_put_query(struct buf *out, const struct store_query *q);

/* Reads fields. After a field that is missing or invalid, is_bad is set, and texts are "", numbers 0. */
struct rpc_reader {
	const char *at, *end;
	struct arena *memory; /* of lists */
	bool is_bad;
};

const char *rpc_get_text(struct rpc_reader *r);
int64_t rpc_get_number(struct rpc_reader *r);

/* A number from 0 to max. */
int rpc_get_enum(struct rpc_reader *r, int max);

/* The number of elements of a list; at most the bytes that are left. */
size_t rpc_get_count(struct rpc_reader *r);
const struct store_label *rpc_get_labels(struct rpc_reader *r, size_t *n);
const char *const *rpc_get_texts(struct rpc_reader *r, size_t n);

#endif

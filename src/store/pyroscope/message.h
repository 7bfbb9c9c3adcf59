/*
 * message.h - messages of Pyroscope's API: requests are read from protobuf and JSON, responses are written as protobuf, and as JSON
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Each message has a table of its fields. JSON is that of protobuf (protojson): numbers of 64 bits are texts, bytes are base64, and
 * fields with default values are absent.
 */
#ifndef STORE_PYROSCOPE_MESSAGE_H
#define STORE_PYROSCOPE_MESSAGE_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum pyro_kind {
	PYRO_TEXT,
	PYRO_BYTES,
	PYRO_INT,   /* int64 and uint64 */
	PYRO_SMALL, /* int32 and uint32: numbers in JSON too */
	PYRO_BOOL,
	PYRO_DOUBLE,
	PYRO_ENUM,
	PYRO_MESSAGE,
};

struct pyro_message;

struct pyro_field {
	uint32_t number;
	enum pyro_kind kind;
	bool is_list;
	const char *name; /* in JSON: "profileTypeID". Also accepted with underscores, and in any case */
	const struct pyro_message *message; /* of PYRO_MESSAGE */
	const char *const *value;           /* names of the values of an enum, up to NULL */
	size_t offset;   /* in struct pyro_request; of a message, of the flag that it was present. 0: not kept */
	bool is_request; /* the message is a request of its own, whose pointer is at the offset */
};

struct pyro_message {
	const struct pyro_field *field; /* [n] */
	size_t n;
};

struct pyro_method {
	const char *name; /* "SelectSeries" */
	const struct pyro_message *request, *response;
};

extern const struct pyro_method pyro_methods[];
extern const size_t pyro_n_methods;

/* ---- requests ---- */

enum { PYRO_LIST_MAX = 256 }; /* values of a list */

struct pyro_texts {
	const char **item; /* [n] */
	size_t n, cap;
};

/* The fields of all requests. Texts are "", numbers 0, if they are missing. */
struct pyro_request {
	struct arena *memory; /* owned by the outermost request */
	const char *profile_type, *selector, *name;
	struct pyro_texts matchers, label_names, group_by, spans, profile_ids, trace_ids, call_site;
	int64_t start_ms, end_ms, max_nodes, limit, format, aggregation, exemplars;
	double step_s;
	bool has_pgo, has_async;
	struct pyro_request *left, *right; /* of a comparison; NULL if missing */
};

/* Format of SelectMergeStacktraces. */
enum pyro_format { PYRO_FORMAT_DEFAULT, PYRO_FORMAT_FLAME, PYRO_FORMAT_TREE, PYRO_FORMAT_DOT, PYRO_FORMAT_PPROF };
enum pyro_aggregation { PYRO_SUM, PYRO_AVERAGE };

/* Make an empty request. */
void pyro_request_init(struct pyro_request *out);
void pyro_request_release(struct pyro_request *r);

/*
 * Read a request: protobuf, or JSON. Unknown fields are skipped.
 *
 * out    after pyro_request_init; released by the caller, also after a failure
 * Fails  ERR_USAGE
 */
int pyro_request_read(const struct pyro_method *m, const char *data, size_t n, bool is_json, struct pyro_request *out,
		      struct err *err);

/* ---- writing protobuf ---- */

/* Append a field, unless it has the default value. */
void pyro_put_text(struct buf *out, uint32_t number, const char *text);
void pyro_put_int(struct buf *out, uint32_t number, int64_t v);
void pyro_put_double(struct buf *out, uint32_t number, double v);

/* Append a field of bytes, and one of a list, which are written also if they are empty or 0. */
void pyro_put_bytes(struct buf *out, uint32_t number, const void *data, size_t n);
void pyro_put_varint(struct buf *out, uint64_t v);

/* Begin a message, or a packed list; returns the mark for pyro_close. */
size_t pyro_open(struct buf *out, uint32_t number);
void pyro_close(struct buf *out, size_t mark);

/*
 * Append a protobuf message as JSON.
 *
 * data   [n]
 * Fails  ERR_FORMAT if the bytes are not such a message
 */
int pyro_add_json(const struct pyro_message *m, const void *data, size_t n, struct buf *out, struct err *err);

/* Append bytes as base64, with padding. */
void pyro_add_base64(const void *data, size_t n, struct buf *out);

#endif

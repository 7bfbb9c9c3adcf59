/*
 * proto_spans.h - the messages of a kind, to be decoded when the whole file was read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PROTO_SPANS_H
#define FORMATS_PPROF_PROTO_SPANS_H

#include "formats/pprof/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto_span {
	const uint8_t *data;
	size_t n;
};

struct proto_spans {
	size_t n;
	struct proto_span *run; /* [n_runs] fields that follow each other, with their tags and lengths */
	size_t n_runs, cap_runs;
	uint8_t *copy; /* [n_copied] copies of the fields, or NULL */
	size_t n_copied, cap_copied;
	size_t i_run; /* the run after next */
	struct cursor next;
};

/*
 * Add n messages.
 *
 * fields  their fields, which can be read without an error
 * copies  the bytes are not valid later, and are copied; the same for all messages
 */
void proto_spans_add(struct proto_spans *s, struct proto_span fields, size_t n, bool copies);

/*
 * Skip messages of less than 128 bytes.
 *
 * at, end  fields
 * number   of the messages in these
 * n        set to the number of messages, at most max
 * Returns  the start of the next field
 */
const uint8_t *proto_spans_skip(const uint8_t *at, const uint8_t *end, unsigned number, size_t max, size_t *n);

/* The next message. To be called for each message once, after all were added. */
struct proto_span proto_spans_next(struct proto_spans *s);

/* Release the memory; n is not changed. */
void proto_spans_release(struct proto_spans *s);

#endif

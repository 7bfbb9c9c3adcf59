/*
 * proto_spans.h - the messages of a kind, to be decoded when the whole file was read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_PPROF_PROTO_SPANS_H
#define FORMATS_PPROF_PROTO_SPANS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct proto_span {
	const uint8_t *data;
	size_t n;
};

struct proto_spans {
	size_t n;
	struct proto_span *span; /* [n] or NULL */
	size_t cap;
	uint8_t *copy; /* [n_copied] copies of the messages, each after its size as a uint32_t, or NULL */
	size_t n_copied, cap_copied, n_read;
};

/* Add a message. copies: its bytes are not valid later, and are copied; the same for all messages */
void proto_spans_add(struct proto_spans *s, struct proto_span message, bool copies);

/* Message i. To be called for each message once, in order. */
struct proto_span proto_spans_next(struct proto_spans *s, size_t i);

/* Release the memory; n is not changed. */
void proto_spans_release(struct proto_spans *s);

#endif

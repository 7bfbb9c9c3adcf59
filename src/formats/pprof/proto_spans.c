/*
 * proto_spans.c - the messages of a kind, to be decoded when the whole file was read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/pprof/proto_spans.h"

#include "base/mem.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static void spans_copy(struct proto_spans *s, struct proto_span message)
{
	uint32_t size = (uint32_t)message.n;
	uint8_t *to;

	assert(message.n <= UINT32_MAX);
	s->copy = mem_grow(s->copy, &s->cap_copied, s->n_copied + sizeof(size) + size, 1);
	to = s->copy + s->n_copied;
	memcpy(to, &size, sizeof(size));
	memcpy(to + sizeof(size), message.data, size);
	s->n_copied += sizeof(size) + size;
}

void proto_spans_add(struct proto_spans *s, struct proto_span message, bool copies)
{
	if (copies) {
		spans_copy(s, message);
	} else {
		s->span = mem_grow(s->span, &s->cap, s->n + 1, sizeof(*s->span));
		s->span[s->n] = message;
	}
	s->n++;
}

struct proto_span proto_spans_next(struct proto_spans *s, size_t i)
{
	struct proto_span message;
	uint32_t size;

	assert(i < s->n && (s->span || s->copy));
	if (s->span)
		return s->span[i];
	memcpy(&size, s->copy + s->n_read, sizeof(size));
	message = (struct proto_span){ s->copy + s->n_read + sizeof(size), size };
	s->n_read += sizeof(size) + size;
	return message;
}

void proto_spans_release(struct proto_spans *s)
{
	free(s->span);
	free(s->copy);
	s->span = NULL;
	s->copy = NULL;
}

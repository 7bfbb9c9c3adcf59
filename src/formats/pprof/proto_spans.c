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

enum { PREFETCH_BYTES = 2048 };

static void spans_copy(struct proto_spans *s, struct proto_span fields)
{
	s->copy = mem_grow(s->copy, &s->cap_copied, s->n_copied + fields.n, 1);
	memcpy(s->copy + s->n_copied, fields.data, fields.n);
	s->n_copied += fields.n;
}

void proto_spans_add(struct proto_spans *s, struct proto_span fields, size_t n, bool copies)
{
	struct proto_span *last = s->n_runs ? &s->run[s->n_runs - 1] : NULL;

	s->n += n;
	if (copies) {
		spans_copy(s, fields);
	} else if (last && last->data + last->n == fields.data) {
		last->n += fields.n;
	} else {
		s->run = mem_grow(s->run, &s->cap_runs, s->n_runs + 1, sizeof(*s->run));
		s->run[s->n_runs++] = fields;
	}
}

const uint8_t *proto_spans_skip(const uint8_t *at, const uint8_t *end, unsigned number, size_t max, size_t *n)
{
	const unsigned tag = number << 3 | WIRE_BYTES;

	for (*n = 0; *n < max && end - at >= 2 && at[0] == tag && at[1] < 0x80 && at[1] <= end - at - 2; ++*n) {
		__builtin_prefetch(at + PREFETCH_BYTES);
		at += 2 + at[1];
	}
	return at;
}

struct proto_span proto_spans_next(struct proto_spans *s)
{
	struct field f = { 0 };

	if (s->next.at == s->next.end) {
		struct proto_span run = s->copy ? (struct proto_span){ s->copy, s->n_copied } : s->run[s->i_run++];

		s->next = (struct cursor){ run.data, run.data + run.n, NULL };
	}
	cursor_field(&s->next, &f);
	assert(f.data);
	return (struct proto_span){ f.data, f.n };
}

void proto_spans_release(struct proto_spans *s)
{
	free(s->run);
	free(s->copy);
	s->run = NULL;
	s->copy = NULL;
}

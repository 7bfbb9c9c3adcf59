/*
 * wire.h - write the fields of protocol buffers into a buffer of the caller
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * For programs that write a profile and for code that lives inside other programs: nothing here
 * allocates, locks, or calls the C library but for memcpy and memmove, so all of it may run in a
 * signal handler, as far as the sink may.
 *
 * Bytes collect in the caller's buffer and go to the sink when it is full. A message is written in
 * one of two ways:
 *
 *	wire_head(w, 2, n);         its length n is known: then exactly n bytes follow
 *
 *	mark = wire_open(w, 4);     it is not: the message has to fit into the buffer
 *	...
 *	wire_close(w, mark);
 *
 * Such messages lie in each other; the outermost one is what has to fit. Lengths take as few bytes as they can. What goes wrong is remembered, so that only the end has to
 * be looked at (wire_end).
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WIRE_VARINT_MAX = 10 }; /* bytes of the longest number */

/* Takes n bytes; false stops the writing. */
typedef bool (*wire_sink_fn)(void *arg, const void *data, size_t n);

struct wire {
	uint8_t *data; /* [cap] of the caller */
	size_t len, cap;
	unsigned n_open; /* messages that wait for their length */
	size_t open_at;  /* where the outermost of them begins; marks count from here */
	bool failed;     /* the sink said no, or an open message did not fit */
	wire_sink_fn sink;
	void *arg;
};

/*
 * Begin to write.
 *
 * data    [cap] at least 2 * WIRE_VARINT_MAX bytes, used until wire_end
 * sink    called with what is in the buffer whenever it is full; NULL when it must do
 */
void wire_begin(struct wire *w, void *data, size_t cap, wire_sink_fn sink, void *arg);

/* Hand what is left to the sink, if there is one. True when all went well from the beginning. */
bool wire_end(struct wire *w);

/* Have n bytes free in the buffer, n at most cap. False when that cannot be. */
bool wire_make_room(struct wire *w, size_t n);

/* Write n bytes as they are, as many as there may be. */
void wire_raw(struct wire *w, const void *data, size_t n);

/* Begin a message whose length is not known yet, and end it. Messages lie in each other. */
size_t wire_open(struct wire *w, uint32_t field);
void wire_close(struct wire *w, size_t mark);

/* How many bytes a number takes. */
static inline size_t wire_size(uint64_t v)
{
	return ((size_t)(63 - __builtin_clzll(v | 1)) * 9 + 73) / 64;
}

/* How many bytes the number of a field takes with what stands in front of it, or 0 for v = 0. */
static inline size_t wire_size_set(uint32_t field, uint64_t v)
{
	return v ? wire_size((uint64_t)field << 3) + wire_size(v) : 0;
}

/* Put a number at at, where there is room for WIRE_VARINT_MAX bytes. Gives what lies behind it. */
static inline uint8_t *wire_put(uint8_t *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)(v | 0x80);
	*at++ = (uint8_t)v;
	return at;
}

/* Write a bare number, as they stand in a packed list. */
static inline void wire_varint(struct wire *w, uint64_t v)
{
	if (w->cap - w->len >= WIRE_VARINT_MAX || wire_make_room(w, WIRE_VARINT_MAX))
		w->len = (size_t)(wire_put(w->data + w->len, v) - w->data);
}

/* Write a field that is a number; signed ones are cast. */
static inline void wire_number(struct wire *w, uint32_t field, uint64_t v)
{
	wire_varint(w, (uint64_t)field << 3);
	wire_varint(w, v);
}

/* The same, but nothing for 0, which is what a reader takes a missing number for. */
static inline void wire_set(struct wire *w, uint32_t field, uint64_t v)
{
	if (v)
		wire_number(w, field, v);
}

/* Write what stands in front of a message, a string or a packed list of n bytes. */
static inline void wire_head(struct wire *w, uint32_t field, uint64_t n)
{
	wire_varint(w, (uint64_t)field << 3 | 2);
	wire_varint(w, n);
}

/* Write a string. */
static inline void wire_bytes(struct wire *w, uint32_t field, const void *data, size_t n)
{
	wire_head(w, field, n);
	wire_raw(w, data, n);
}

#endif

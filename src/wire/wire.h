/*
 * wire.h - protobuf writer that uses a buffer of the caller
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Used by the analysis program and by the runtime inside other programs. Nothing here allocates, locks,
 * or calls C library functions other than memcpy and memmove, so it is async-signal-safe if the sink is.
 *
 * The buffer is passed to the sink when it is full. There are two ways to write a message:
 *
 *	wire_head(w, 2, n);         the length n is known: exactly n bytes must follow
 *
 *	mark = wire_open(w, 4);     the length is unknown: the message must fit into the buffer
 *	...
 *	wire_close(w, mark);
 *
 * Open messages may nest; the outermost one must fit. Lengths have the shortest encoding. After an error nothing more
 * is written, so it is enough to check the result of wire_end.
 */
#ifndef WIRE_WIRE_H
#define WIRE_WIRE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { WIRE_VARINT_MAX = 10 }; /* maximum bytes of a varint */

/* A sink, which consumes n bytes. Returns false on failure; nothing more is written then. */
typedef bool (*wire_sink_fn)(void *arg, const void *data, size_t n);

struct wire {
	uint8_t *data; /* [cap], owned by the caller */
	size_t len, cap;
	unsigned n_open; /* nested messages that are open */
	size_t open_at;  /* offset of the outermost open message; marks are relative to it */
	bool failed;     /* the sink failed, or an open message did not fit */
	wire_sink_fn sink;
	void *arg;
};

/*
 * Initialize a writer.
 *
 * data    [cap] at least 2 * WIRE_VARINT_MAX bytes, in use until wire_end
 * sink    called with the content of the buffer whenever it is full; NULL if everything must fit
 */
void wire_begin(struct wire *w, void *data, size_t cap, wire_sink_fn sink, void *arg);

/* Flush the buffer to the sink, if there is one. True when there was no error since wire_begin. */
bool wire_end(struct wire *w);

/* Make room for n <= cap bytes in the buffer. False on failure. */
bool wire_make_room(struct wire *w, size_t n);

/* Write n raw bytes; n may exceed cap. */
void wire_raw(struct wire *w, const void *data, size_t n);

/* Start and finish a message of unknown length. wire_open returns the mark for wire_close. */
size_t wire_open(struct wire *w, uint32_t field);
void wire_close(struct wire *w, size_t mark);

/* Size of a varint in bytes. */
static inline size_t wire_size(uint64_t v)
{
	return ((size_t)(63 - __builtin_clzll(v | 1)) * 9 + 73) / 64;
}

/* Number of bytes that wire_number_nonzero writes: tag and number, or none for v = 0. */
static inline size_t wire_size_nonzero(uint32_t field, uint64_t v)
{
	return v ? wire_size((uint64_t)field << 3) + wire_size(v) : 0;
}

/* Encode a varint at at, which has room for WIRE_VARINT_MAX bytes. Returns its end. */
static inline uint8_t *wire_put(uint8_t *at, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)(v | 0x80);
	*at++ = (uint8_t)v;
	return at;
}

/* Write a varint without a tag, as in packed lists. */
static inline void wire_varint(struct wire *w, uint64_t v)
{
	if (w->cap - w->len >= WIRE_VARINT_MAX || wire_make_room(w, WIRE_VARINT_MAX))
		w->len = (size_t)(wire_put(w->data + w->len, v) - w->data);
}

/* Write a number field. Signed numbers are cast. */
static inline void wire_number(struct wire *w, uint32_t field, uint64_t v)
{
	wire_varint(w, (uint64_t)field << 3);
	wire_varint(w, v);
}

/* Like wire_number, but omit 0, the default value. */
static inline void wire_number_nonzero(struct wire *w, uint32_t field, uint64_t v)
{
	if (v)
		wire_number(w, field, v);
}

/* Write the tag and length of a message, a string or a packed list of n bytes. */
static inline void wire_head(struct wire *w, uint32_t field, uint64_t n)
{
	wire_varint(w, (uint64_t)field << 3 | 2);
	wire_varint(w, n);
}

/* Write a string or bytes field. */
static inline void wire_bytes(struct wire *w, uint32_t field, const void *data, size_t n)
{
	wire_head(w, field, n);
	wire_raw(w, data, n);
}

#endif

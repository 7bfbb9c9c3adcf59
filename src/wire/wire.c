/*
 * wire.c - protobuf writer that uses a buffer of the caller
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "wire/wire.h"

enum { LENGTH_GUESS = 1 }; /* bytes reserved for the length of an open message; most messages are short */

void wire_begin(struct wire *w, void *data, size_t cap, wire_sink_fn sink, void *arg)
{
	*w = (struct wire){ .data = data, .cap = cap, .sink = sink, .arg = arg };
}

/* Pass everything before the outermost open message to the sink, and move the rest to the start of the buffer. */
static bool wire_flush(struct wire *w)
{
	size_t n = w->n_open ? w->open_at : w->len;

	if (n && !w->failed)
		w->failed = !w->sink || !w->sink(w->arg, w->data, n);
	memmove(w->data, w->data + n, w->len - n);
	w->len -= n;
	w->open_at = 0;
	return !w->failed;
}

bool wire_end(struct wire *w)
{
	if (w->n_open)
		w->failed = true;
	return w->sink ? wire_flush(w) : !w->failed;
}

bool wire_make_room(struct wire *w, size_t n)
{
	if (w->failed)
		return false;
	if (w->cap - w->len >= n)
		return true;
	if (!w->sink || !wire_flush(w) || w->cap - w->len < n)
		w->failed = true;
	return !w->failed;
}

void wire_raw(struct wire *w, const void *data, size_t n)
{
	if (n == 0 || w->failed)
		return;
	if (n > w->cap && !w->n_open && w->sink) {
		if (wire_flush(w))
			w->failed = !w->sink(w->arg, data, n);
		return;
	}
	if (!wire_make_room(w, n))
		return;
	memcpy(w->data + w->len, data, n);
	w->len += n;
}

size_t wire_open(struct wire *w, uint32_t field)
{
	if (!wire_make_room(w, WIRE_VARINT_MAX + LENGTH_GUESS))
		return 0;
	if (w->n_open++ == 0)
		w->open_at = w->len;
	w->len = (size_t)(wire_put(w->data + w->len, (uint64_t)field << 3 | 2) - w->data);
	w->len += LENGTH_GUESS;
	return w->len - w->open_at;
}

void wire_close(struct wire *w, size_t mark)
{
	size_t n = w->len - w->open_at - mark, more = wire_size(n) - LENGTH_GUESS;
	uint8_t *start;

	if (w->failed || !wire_make_room(w, more))
		return;
	start = w->data + w->open_at + mark;
	if (more)
		memmove(start + more, start, n);
	wire_put(start - LENGTH_GUESS, n);
	w->len += more;
	w->n_open--;
}

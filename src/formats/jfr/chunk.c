/*
 * chunk.c - the header of a chunk, and its events one by one
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A finished chunk has the positions of its metadata and of its last checkpoint in its header, and each checkpoint refers
 * to the one before it. In a chunk that was not finished they are found by going through its events.
 */
#include "config.h"

#include "formats/jfr/chunk.h"

#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { JFR_MAJOR = 2 };

enum { TYPE_METADATA = 0, TYPE_CHECKPOINT = 1 };

static const char jfr_magic[4] = "FLR";

bool jfr_chunk_is_at(const uint8_t *data, size_t n, size_t at)
{
	return n - at >= sizeof(jfr_magic) && memcmp(data + at, jfr_magic, sizeof(jfr_magic)) == 0;
}

void jfr_chunk_release(struct jfr_chunk *c)
{
	for (size_t i = 0; i < c->n_classes; i++)
		if (c->class[i].pool) {
			idtab_release(&c->class[i].pool->by_key);
			free(c->class[i].pool->constant);
			free(c->class[i].pool);
		}
	if (c->class)
		idtab_release(&c->by_id);
	free(c->class);
	free(c->field);
	free(c->checkpoint);
	buf_release(&c->text);
	*c = (struct jfr_chunk){ 0 };
}

bool jfr_chunk_next(struct jfr_chunk *c, size_t *at, uint64_t *type, struct jfr_cursor *content)
{
	struct jfr_cursor cursor = jfr_chunk_cursor(c, c->data + *at);
	uint64_t size;

	if (*at >= c->end)
		return false;
	size = jfr_chunk_number(c, &cursor, 4);
	*type = jfr_chunk_number(c, &cursor, 8);
	if (cursor.is_bad || size > c->end - *at || size < (uint64_t)(cursor.at - (c->data + *at))) {
		c->is_damaged = true;
		return false;
	}
	*at += size;
	cursor.end = c->data + *at;
	*content = cursor;
	return true;
}

static void jfr_chunk_add_checkpoint(struct jfr_chunk *c, size_t at)
{
	c->checkpoint = mem_grow(c->checkpoint, &c->cap_checkpoints, c->n_checkpoints + 1, sizeof(*c->checkpoint));
	c->checkpoint[c->n_checkpoints++] = at;
}

/* Return true if a chunk of a version that exists starts here, rather than an event that begins with the same bytes. */
static bool jfr_chunk_starts(const struct jfr_chunk *c, size_t at)
{
	return jfr_chunk_is_at(c->data, c->end, at) && c->end - at > 7 && c->data[at + 4] == 0 &&
	       c->data[at + 5] == JFR_MAJOR && c->data[at + 6] == 0;
}

/* Find the end, the metadata and the checkpoints of a chunk that was not finished. */
static void jfr_chunk_walk(struct jfr_chunk *c)
{
	struct jfr_cursor content;
	size_t at = jfr_chunk_first(c), event = at;
	uint64_t type;

	while (!jfr_chunk_starts(c, at) && jfr_chunk_next(c, &at, &type, &content)) {
		if (type == TYPE_METADATA)
			c->metadata = event;
		if (type == TYPE_CHECKPOINT)
			jfr_chunk_add_checkpoint(c, event);
		event = at;
	}
	c->is_damaged = false;
	c->end = at;
}

/* Follow the checkpoints of a finished chunk from the last one to the first one. */
static int jfr_chunk_find_checkpoints(struct jfr_chunk *c, uint64_t last, struct err *err)
{
	uint64_t at = last, delta, type;
	size_t limit = c->end; /* checkpoints must not overlap, or reading them would take quadratic time */

	for (;;) {
		struct jfr_cursor cursor;
		size_t event = c->start + (size_t)at;

		if (at < JFR_HEADER_BYTES || at >= c->end - c->start)
			return err_set(err, ERR_FORMAT, "a checkpoint is outside of the chunk");
		if (!jfr_chunk_next(c, &event, &type, &cursor) || type != TYPE_CHECKPOINT || event > limit)
			return err_set(err, ERR_FORMAT, "byte %zu: no checkpoint", c->start + (size_t)at);
		limit = c->start + (size_t)at;
		jfr_chunk_add_checkpoint(c, limit);
		jfr_chunk_number(c, &cursor, 8); /* time */
		jfr_chunk_number(c, &cursor, 8);
		delta = 0 - jfr_chunk_number(c, &cursor, 8);
		if (delta == 0)
			break;
		if (delta > at) /* also if it is positive */
			return err_set(err, ERR_FORMAT, "byte %zu: the checkpoint before it is outside of the chunk",
				       c->start + (size_t)at);
		at -= delta;
	}
	for (size_t i = 0; i < c->n_checkpoints / 2; i++) {
		size_t *low = &c->checkpoint[i], *high = &c->checkpoint[c->n_checkpoints - 1 - i], t = *low;

		*low = *high;
		*high = t;
	}
	return 0;
}

static int jfr_chunk_check_version(unsigned major, unsigned minor, struct err *err)
{
	if (major < JFR_MAJOR)
		return err_set(err, ERR_FORMAT,
			       "version %u.%u of Oracle's JDK 7 and 8, which cpa does not read; JDK 11 and later write "
			       "version 2",
			       major, minor);
	if (major > JFR_MAJOR)
		return err_set(err, ERR_FORMAT, "version %u.%u, which cpa does not read", major, minor);
	return 0;
}

int jfr_chunk_open(const uint8_t *data, size_t n, size_t at, struct jfr_chunk *out, struct err *err)
{
	struct jfr_cursor c = { .at = data + at, .end = data + n };
	uint64_t size, constants, metadata;
	unsigned major, minor, features, state;

	*out = (struct jfr_chunk){ .data = data, .start = at, .end = n };
	if (!jfr_chunk_is_at(data, n, at))
		return err_set(err, ERR_UNKNOWN, "not a recording of Java Flight Recorder");
	if (n - at < JFR_HEADER_BYTES)
		return err_set(err, ERR_FORMAT, "the header of %d bytes is cut", JFR_HEADER_BYTES);
	jfr_skip_bytes(&c, sizeof(jfr_magic));
	major = (unsigned)jfr_read_fixed(&c, 2);
	minor = (unsigned)jfr_read_fixed(&c, 2);
	size = jfr_read_fixed(&c, 8);
	constants = jfr_read_fixed(&c, 8);
	metadata = jfr_read_fixed(&c, 8);
	out->start_ns = (int64_t)jfr_read_fixed(&c, 8);
	out->duration_ns = (int64_t)jfr_read_fixed(&c, 8);
	out->start_ticks = (int64_t)jfr_read_fixed(&c, 8);
	out->ticks_per_s = (int64_t)jfr_read_fixed(&c, 8);
	features = (unsigned)jfr_read_fixed(&c, 4);
	state = features >> 24;
	out->is_compressed = features & 1;
	if (jfr_chunk_check_version(major, minor, err) < 0)
		return ERR_FORMAT;
	if (out->ticks_per_s <= 0)
		return err_set(err, ERR_FORMAT, "%" PRId64 " ticks per second", out->ticks_per_s);
	out->is_complete = state == 0 && size >= JFR_HEADER_BYTES && size <= n - at;
	if (!out->is_complete) {
		jfr_chunk_walk(out);
		return 0;
	}
	out->end = at + (size_t)size;
	if (metadata < JFR_HEADER_BYTES || metadata >= size)
		return err_set(err, ERR_FORMAT, "the metadata is outside of the chunk");
	out->metadata = at + (size_t)metadata;
	return jfr_chunk_find_checkpoints(out, constants, err);
}

/*
 * proto_int.h - the parts of the profile.proto reader
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * proto.c reads the top level and decodes the tables. proto_sample.c decodes the samples, which are nearly all bytes of
 * a file, in blocks on several threads.
 */
#ifndef FORMATS_PPROF_PROTO_INT_H
#define FORMATS_PPROF_PROTO_INT_H

#include "base/idtab.h"
#include "formats/common/format.h"
#include "formats/pprof/cursor.h"
#include "profile/builder.h"
#include "wire/profile_fields.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* ---- map the ids of a file to indices of a column ---- */

/*
 * In nearly all files the ids are 1, 2, 3 and so on, which needs no table. Other dense ids use an array,
 * sparse ids a hash table.
 */

#define IDMAP_NONE UINT32_MAX

struct idmap {
	size_t n;           /* ids */
	const uint64_t *id; /* [n] borrowed */
	uint32_t *direct;   /* [direct_end] index + 1, or NULL */
	uint64_t direct_end;
	bool sequential; /* id[i] is i + 1 */
	struct idtab sparse;
};

/*
 * Initialize a map of n ids; id is borrowed.
 *
 * duplicate  set to an id that occurs twice, or to 0 if an id is 0
 * Returns    false if there is such an id
 */
bool idmap_init(struct idmap *m, const uint64_t *id, size_t n, uint64_t *duplicate);
void idmap_release(struct idmap *m);

/* idmap_get for a map whose ids are not 1, 2, 3 and so on. */
uint32_t idmap_find(const struct idmap *m, uint64_t id);

/* The index of an id, or IDMAP_NONE. */
static inline uint32_t idmap_get(const struct idmap *m, uint64_t id)
{
	if (m->sequential)
		return id - 1 < m->n ? (uint32_t)(id - 1) : IDMAP_NONE;
	return idmap_find(m, id);
}

/* ---- the reader ---- */

/* A block of consecutive samples: SAMPLES_PER_BLOCK, fewer in the last block. Each is decoded into memory that is reused. */
enum { SAMPLES_PER_BLOCK = 512 };
struct sample_block {
	const uint8_t *start; /* top-level field of the first sample */
	uint32_t first, n;    /* rows */
};

struct pieces;
struct pipeline;

/* The result of reading the top level and decoding the tables. */
struct proto {
	const uint8_t *data, *end;
	const struct format_options *options;
	struct builder *builder;

	str_id *str; /* [n_str] the string table */
	size_t n_str, cap_str;

	uint32_t n_samples;
	size_t sample_bytes;
	struct sample_block *block; /* [n_blocks] */
	size_t n_blocks, cap_blocks;

	struct idmap locs;              /* location id to index */
	const struct sample_walk *walk; /* the walk that used the samples; NULL: they are rows */
};

/* Decode all samples of p->block into rows of p->builder, or pass them to the walk of the options. */
int proto_samples(struct proto *p, struct err *err);

/*
 * Decode samples one by one, before the tables are known, as if the ids of locations are 1, 2, 3 and so on. Other ids are
 * replaced at the end. The types are in p->builder, without names; p->locs has all ids; p->sample_bytes is an estimate.
 *
 * in      its thread helps with a walk; borrowed, may be NULL without one
 * walk    NULL, or a walk that was started, if p->locs and the tables in p->builder are those of the file
 * out     freed with proto_stream_free, which takes NULL
 * f       the sample, in p->data
 * Fails   ERR_FORMAT, ERR_LIMIT; positions in the messages are those in p->data
 */
int proto_stream_new(const struct proto *p, struct pieces *in, const struct sample_walk *walk, struct pipeline **out,
		     struct err *err);
int proto_stream_add(struct pipeline *s, const struct field *f, struct err *err);
void proto_stream_free(struct pipeline *s);

/* Add the last rows, or end the walk of them. The thread of the pieces no longer helps. */
int proto_stream_end(struct pipeline *s, struct err *err);

/* After the end, when all tables are in p: set p->walk. Fails if a sample refers to a location or a string that does not exist. */
int proto_stream_finish(struct pipeline *s, struct proto *p, struct err *err);

/* The number of parts of a walk: threads that use samples. */
unsigned proto_stream_parts(void);

/*
 * The string at an index in the file's string table.
 *
 * what    name of the field, for the message
 * Fails   ERR_FORMAT when there is no such string
 */
int proto_string(const struct proto *p, uint64_t index, const char *what, str_id *out, struct err *err);

/* ---- decode packed lists of ids fast ---- */

/* An array of indices of locations that grows. */
struct packed_out {
	uint8_t *to;    /* the next one; advanced */
	uint32_t width; /* STACK_NARROW: little-endian, of three bytes; STACK_WIDE: uint32_t */
	uint32_t max;   /* raised to the largest index written */
	size_t n;       /* raised by the number of indices written */
};

static inline bool packed_fits(const struct packed_out *out, uint32_t index)
{
	return out->width == STACK_WIDE || index >> 24 == 0;
}

/* Write an index that fits. */
static inline void packed_put(struct packed_out *out, uint32_t index)
{
	if (out->width == STACK_NARROW)
		stack_store(out->to, STACK_NARROW, index);
	else
		memcpy(out->to, &index, sizeof(index));
	out->to += out->width;
	out->max = index > out->max ? index : out->max;
	out->n++;
}

/*
 * Decode varint ids to indices on a fast path. It stops before numbers of more than four bytes, before unknown ids, before
 * indices that do not fit, and may stop before the last few numbers. The caller must decode the remaining numbers.
 *
 * at, end   the list
 * readable  end of the readable bytes after the list, at least end
 * out       has room for end - at indices and STACK_SPARE_IDS more
 * Returns   the first byte that is not decoded
 */
const uint8_t *packed_indices(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			      struct packed_out *out);

/* The two implementations, for tests. packed_has_quads is false if the CPU does not support packed_quads. It has to be called
   before that. */
const uint8_t *packed_pairs(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    struct packed_out *out);

bool packed_has_quads(void);
const uint8_t *packed_quads(const struct idmap *map, const uint8_t *at, const uint8_t *end, const uint8_t *readable,
			    struct packed_out *out);

#endif

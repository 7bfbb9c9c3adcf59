/*
 * chunk.h - a chunk of a recording: its header, its classes, its constants
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A chunk describes itself. Its metadata lists classes and their fields, from which all events and constants are decoded;
 * no layout is known in advance. What the reader wants of them is found by the names of fields: each name that it knows
 * has a slot.
 */
#ifndef FORMATS_JFR_CHUNK_H
#define FORMATS_JFR_CHUNK_H

#include "base/err.h"
#include "base/idtab.h"
#include "formats/jfr/cursor.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	JFR_HEADER_BYTES = 68,
	JFR_NESTING_MAX = 16, /* of classes within classes, and of elements of the metadata */
};

/* The fields that the reader wants, by their names in any class. */
enum jfr_slot {
	SLOT_NONE,
	SLOT_START_TIME,
	SLOT_DURATION,
	SLOT_STACK,
	SLOT_EVENT_THREAD,
	SLOT_SAMPLED_THREAD,
	SLOT_STATE,
	SLOT_SAMPLES,
	SLOT_SAMPLING_PERIOD,
	SLOT_WEIGHT,
	SLOT_TLAB_SIZE,
	SLOT_ALLOCATION_SIZE,
	SLOT_SIZE,
	SLOT_ADDRESS,
	SLOT_OBJECT_CLASS,
	SLOT_MONITOR_CLASS,
	SLOT_PARKED_CLASS,
	SLOT_LOST_SAMPLES,
	SLOT_AMOUNT,
	SLOT_ID,
	SLOT_VALUE,
	SLOT_NAME,
	SLOT_STRING,
	SLOT_DESCRIPTION,
	SLOT_DESCRIPTOR,
	SLOT_TYPE,
	SLOT_METHOD,
	SLOT_LINE,
	SLOT_FRAMES,
	SLOT_TRUNCATED,
	SLOT_JAVA_NAME,
	SLOT_OS_NAME,
	SLOT_OS_ID,
	SLOT_CPU_INTERVAL,
	SLOT_WALL_INTERVAL,
	SLOT_CONTEXT,
	SLOT_SPAN,
	SLOT_SPAN_NAME,
	N_JFR_SLOTS,
};

/* Encodings of values. */
enum jfr_coding {
	CODING_UNKNOWN, /* its class is not in the metadata, or is nested too deeply */
	CODING_NOTHING, /* its class has no bytes */
	CODING_BYTE,
	CODING_SHORT,
	CODING_CHAR,
	CODING_INT,
	CODING_LONG,
	CODING_FLOAT,
	CODING_DOUBLE,
	CODING_STRING,
	CODING_KEY, /* of a constant of the class */
	CODING_FIELDS,
};

/* Units of times. */
enum jfr_unit { UNIT_NONE, UNIT_TICKS, UNIT_NS, UNIT_US, UNIT_MS, UNIT_S };

struct jfr_field {
	uint64_t class_id;
	uint32_t class; /* index */
	uint8_t slot, coding, unit;
	bool is_array;
};

/* A constant. Memos are for the code that resolves it. */
struct jfr_constant {
	uint64_t key;
	const uint8_t *at;
	uint32_t memo[2]; /* JFR_UNRESOLVED at first */
};

#define JFR_UNRESOLVED UINT32_MAX

struct jfr_pool {
	struct jfr_constant *constant; /* [n] */
	size_t n, cap;
	struct idtab by_key;
};

struct jfr_class {
	uint64_t id;
	const char *name;  /* borrowed from the metadata */
	uint32_t field, n; /* its fields are field .. field + n */
	uint8_t coding, height;
	bool is_empty;         /* its values have no bytes */
	uint32_t event;        /* index in the table of events; JFR_UNRESOLVED: none that is wanted */
	size_t n_unread;       /* events with a stack that are not wanted */
	int64_t period_ns;     /* setting "period" or "interval"; 0: unknown */
	uint8_t role;          /* of its constants; set by the code that resolves them */
	struct jfr_pool *pool; /* of constants that a slot refers to; NULL: not wanted */
};

struct jfr_chunk {
	const uint8_t *data; /* of the file */
	size_t start, end;   /* positions in the file */
	size_t metadata;     /* position in the file; 0: none */
	int64_t start_ns, duration_ns, start_ticks, ticks_per_s;
	bool is_compressed;
	bool is_complete; /* it was finished, and is in the file as a whole */
	bool is_damaged;  /* an event has an impossible size, end is before it */

	size_t *checkpoint; /* [n_checkpoints] positions in the file, ascending */
	size_t n_checkpoints, cap_checkpoints;

	struct buf text;         /* strings of the metadata, NUL-terminated */
	struct jfr_class *class; /* [n_classes] */
	size_t n_classes, cap_classes;
	struct jfr_field *field; /* [n_fields] */
	size_t n_fields, cap_fields;
	struct idtab by_id;
	uint32_t string_class; /* JFR_UNRESOLVED: none */
	size_t n_unknown;      /* checkpoints with constants that could not be read */
};

/* A field of a value; field is NULL if the value has no such field. at: where it starts. */
struct jfr_value {
	const struct jfr_field *field;
	const uint8_t *at;
	int64_t num; /* or a key */
};

/* The fields of a value that have slots. */
struct jfr_fields {
	uint64_t has; /* bits of slots whose values are set */
	struct jfr_value value[N_JFR_SLOTS];
};

_Static_assert(N_JFR_SLOTS <= 64, "bits of jfr_fields.has");

extern const struct jfr_value jfr_no_value;

static inline const struct jfr_value *jfr_get(const struct jfr_fields *f, enum jfr_slot slot)
{
	return f->has >> slot & 1 ? &f->value[slot] : &jfr_no_value;
}

/*
 * Read the header of a chunk, and find its metadata and checkpoints. An unfinished or cut chunk ends before the first
 * event that is not whole.
 *
 * at      its position in the file of n bytes
 * out     released with jfr_chunk_release, also on failure
 * Fails   ERR_UNKNOWN if no chunk is there, ERR_FORMAT with the position
 */
int jfr_chunk_open(const uint8_t *data, size_t n, size_t at, struct jfr_chunk *out, struct err *err);
void jfr_chunk_release(struct jfr_chunk *c);

/* Return true if a chunk starts at this position. */
bool jfr_chunk_is_at(const uint8_t *data, size_t n, size_t at);

/*
 * Go to the next event.
 *
 * at       position in the file; at first jfr_chunk_first
 * type     set to the id of its class
 * content  set to the bytes after its size and type
 * Returns false at the end, or, with c->is_damaged set, at an event of an impossible size
 */
bool jfr_chunk_next(struct jfr_chunk *c, size_t *at, uint64_t *type, struct jfr_cursor *content);

static inline size_t jfr_chunk_first(const struct jfr_chunk *c)
{
	return c->start + JFR_HEADER_BYTES;
}

/* Read the classes. Fails with ERR_FORMAT. */
int jfr_chunk_read_metadata(struct jfr_chunk *c, struct err *err);

/* Find the constants of all checkpoints. If a key occurs twice in a pool, the first constant counts. Fails with ERR_FORMAT. */
int jfr_chunk_read_constants(struct jfr_chunk *c, struct err *err);

/* The class with this id, or JFR_UNRESOLVED. */
uint32_t jfr_chunk_find_class(const struct jfr_chunk *c, uint64_t id);

/* The constant of a class, or NULL. */
struct jfr_constant *jfr_chunk_find(const struct jfr_chunk *c, uint32_t class, uint64_t key);

/* Read the fields of a value of a class. */
void jfr_read_fields(const struct jfr_chunk *c, uint32_t class, struct jfr_cursor *at, struct jfr_fields *out);

/* A number with a fraction, of a field of type float; 0 for other types. */
double jfr_real(const struct jfr_value *v);

/* Skip a value of a field, and a value of a class. */
void jfr_skip_field(const struct jfr_chunk *c, const struct jfr_field *f, struct jfr_cursor *at);
void jfr_skip_value(const struct jfr_chunk *c, uint32_t class, struct jfr_cursor *at);

/* A number of n bytes, or a compressed one. */
static inline uint64_t jfr_chunk_number(const struct jfr_chunk *c, struct jfr_cursor *at, unsigned n)
{
	return c->is_compressed ? jfr_read_varint(at) : jfr_read_fixed(at, n);
}

/* A cursor from a position within the chunk to its end. */
static inline struct jfr_cursor jfr_chunk_cursor(const struct jfr_chunk *c, const uint8_t *at)
{
	return (struct jfr_cursor){ .at = at, .end = c->data + c->end };
}

#endif

/*
 * constants.c - the constants of a chunk, and the fields of values
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Of a constant only its position is stored, and only if a field that the reader wants refers to its class. Most constants
 * of a recording of hours belong to stacks and classes of events that are not read.
 */
#include "config.h"

#include "formats/jfr/chunk.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>

/* Skip a single value of a coding. */
static void jfr_skip_coding(const struct jfr_chunk *c, uint8_t coding, uint32_t class, struct jfr_cursor *at)
{
	switch ((enum jfr_coding)coding) {
	case CODING_NOTHING:
		return;
	case CODING_BYTE:
		jfr_skip_bytes(at, 1);
		return;
	case CODING_SHORT:
	case CODING_CHAR:
		jfr_chunk_number(c, at, 2);
		return;
	case CODING_INT:
		jfr_chunk_number(c, at, 4);
		return;
	case CODING_LONG:
	case CODING_KEY:
		jfr_chunk_number(c, at, 8);
		return;
	case CODING_FLOAT:
		jfr_skip_bytes(at, 4);
		return;
	case CODING_DOUBLE:
		jfr_skip_bytes(at, 8);
		return;
	case CODING_STRING:
		jfr_skip_string(at, c->is_compressed);
		return;
	case CODING_FIELDS:
		for (uint32_t i = 0; i < c->class[class].n && !at->is_bad; i++)
			jfr_skip_field(c, &c->field[c->class[class].field + i], at);
		return;
	case CODING_UNKNOWN:
		break;
	}
	jfr_cursor_fail(at);
}

void jfr_skip_field(const struct jfr_chunk *c, const struct jfr_field *f, struct jfr_cursor *at)
{
	uint64_t n = f->is_array ? jfr_chunk_number(c, at, 4) : 1;

	if (f->coding == CODING_NOTHING)
		return;
	for (; n > 0 && !at->is_bad; n--)
		jfr_skip_coding(c, f->coding, f->class, at);
}

void jfr_skip_value(const struct jfr_chunk *c, uint32_t class, struct jfr_cursor *at)
{
	if (c->class[class].height > JFR_NESTING_MAX)
		jfr_cursor_fail(at);
	else
		jfr_skip_coding(c, c->class[class].coding, class, at);
}

/* A number of a field. A wider one is truncated to the type of the field. */
static int64_t jfr_read_number(const struct jfr_chunk *c, uint8_t coding, struct jfr_cursor *at)
{
	switch ((enum jfr_coding)coding) {
	case CODING_BYTE:
		return (int8_t)jfr_read_fixed(at, 1);
	case CODING_SHORT:
		return (int16_t)jfr_chunk_number(c, at, 2);
	case CODING_CHAR:
		return (uint16_t)jfr_chunk_number(c, at, 2);
	case CODING_INT:
		return (int32_t)jfr_chunk_number(c, at, 4);
	default:
		return (int64_t)jfr_chunk_number(c, at, 8);
	}
}

static bool jfr_coding_is_number(uint8_t coding)
{
	return (coding >= CODING_BYTE && coding <= CODING_LONG) || coding == CODING_KEY;
}

double jfr_real(const struct jfr_value *v)
{
	uint32_t bits = 0;
	float real;

	if (!v->field || v->field->coding != CODING_FLOAT || v->field->is_array)
		return 0;
	for (unsigned i = 0; i < sizeof(bits); i++)
		bits = bits << 8 | v->at[i];
	memcpy(&real, &bits, sizeof(real));
	return (double)real;
}

const struct jfr_value jfr_no_value;

void jfr_read_fields(const struct jfr_chunk *c, uint32_t class, struct jfr_cursor *at, struct jfr_fields *out)
{
	const struct jfr_class *k = &c->class[class];

	out->has = 0;
	for (uint32_t i = 0; i < k->n && !at->is_bad; i++) {
		const struct jfr_field *f = &c->field[k->field + i];
		struct jfr_value *v = &out->value[f->slot];

		if (!f->slot) {
			jfr_skip_field(c, f, at);
			continue;
		}
		*v = (struct jfr_value){ .field = f, .at = at->at };
		out->has |= UINT64_C(1) << f->slot;
		if (!f->is_array && jfr_coding_is_number(f->coding))
			v->num = jfr_read_number(c, f->coding, at);
		else
			jfr_skip_field(c, f, at);
	}
}

struct jfr_constant *jfr_chunk_find(const struct jfr_chunk *c, uint32_t class, uint64_t key)
{
	const struct jfr_pool *p = class == JFR_UNRESOLVED ? NULL : c->class[class].pool;
	uint64_t hash = hash_u64(key);
	uint32_t i;

	if (!p)
		return NULL;
	for (size_t at = idtab_start(&p->by_key, hash); idtab_next(&p->by_key, hash, &at, &i);)
		if (p->constant[i].key == key)
			return &p->constant[i];
	return NULL;
}

static void jfr_pool_add(const struct jfr_chunk *c, uint32_t class, uint64_t key, const uint8_t *at)
{
	struct jfr_pool *p = c->class[class].pool;

	if (jfr_chunk_find(c, class, key) || p->n >= UINT32_MAX - 1)
		return;
	idtab_put(&p->by_key, hash_u64(key), (uint32_t)p->n);
	p->constant = mem_grow(p->constant, &p->cap, p->n + 1, sizeof(*p->constant));
	p->constant[p->n++] = (struct jfr_constant){ key, at, { JFR_UNRESOLVED, JFR_UNRESOLVED } };
}

/* Read the constants of a class in a checkpoint. Return false if they could not be read. */
static bool jfr_pool_read(const struct jfr_chunk *c, struct jfr_cursor *at)
{
	uint32_t class = jfr_chunk_find_class(c, jfr_chunk_number(c, at, 8));
	uint64_t n = jfr_chunk_number(c, at, 4);

	if (class == JFR_UNRESOLVED)
		return n == 0 && !at->is_bad;
	for (; n > 0 && !at->is_bad; n--) {
		uint64_t key = jfr_chunk_number(c, at, 8);
		const uint8_t *value = at->at;

		jfr_skip_value(c, class, at);
		if (!at->is_bad && c->class[class].pool)
			jfr_pool_add(c, class, key, value);
	}
	return !at->is_bad;
}

int jfr_chunk_read_constants(struct jfr_chunk *c, struct err *err)
{
	for (size_t i = 0; i < c->n_checkpoints; i++) {
		struct jfr_cursor at;
		size_t event = c->checkpoint[i];
		uint64_t type, n;
		bool is_sound = true;

		if (!jfr_chunk_next(c, &event, &type, &at))
			return err_set(err, ERR_FORMAT, "byte %zu: no checkpoint", c->checkpoint[i]);
		for (unsigned word = 0; word < 3; word++) /* time, duration, distance to the checkpoint before it */
			jfr_chunk_number(c, &at, 8);
		jfr_skip_bytes(&at, 1);
		for (n = jfr_chunk_number(c, &at, 4); n > 0 && is_sound; n--)
			is_sound = jfr_pool_read(c, &at);
		c->n_unknown += !is_sound;
	}
	return 0;
}

/*
 * make_jfr.h - write small recordings of Java Flight Recorder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEST_MAKE_JFR_H
#define TEST_MAKE_JFR_H

#include "base/buf.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MAKE_JFR_FIELDS = 8, MAKE_JFR_STRINGS = 400, MAKE_JFR_CLASSES = 60 };

struct make_jfr_field {
	const char *name;
	unsigned class;
	char kind;        /* 'p': key of a pool; 'a': array; 0: value */
	const char *unit; /* of a time; NULL: none */
};

/* A class; the last field is the one before the first without a name. */
struct make_jfr_class {
	unsigned id;
	const char *name;
	struct make_jfr_field field[MAKE_JFR_FIELDS];
};

/* A recording. out has the chunks; the other fields belong to the last chunk. */
struct make_jfr {
	struct buf out, pools;
	size_t start, checkpoint, metadata;
	unsigned n_pools;
	bool is_fixed;        /* numbers are not compressed */
	int64_t start_ns;     /* of the next chunk */
	uint64_t first_ticks; /* of the next chunk */
};

static inline void make_jfr_varint(struct buf *b, uint64_t v)
{
	for (unsigned i = 0; i < 8 && v >= 0x80; i++, v >>= 7)
		buf_add(b, (char[]){ (char)(v | 0x80) }, 1);
	buf_add(b, (char[]){ (char)v }, 1);
}

static inline void make_jfr_fixed(struct buf *b, uint64_t v, unsigned n)
{
	while (n--)
		buf_add(b, (char[]){ (char)(v >> 8 * n) }, 1);
}

/* Write a number of n bytes, compressed or not. */
static inline void make_jfr_number(const struct make_jfr *m, struct buf *b, uint64_t v, unsigned n)
{
	if (m->is_fixed)
		make_jfr_fixed(b, v, n);
	else
		make_jfr_varint(b, v);
}

static inline void make_jfr_string(const struct make_jfr *m, struct buf *b, const char *text)
{
	buf_add(b, (char[]){ text ? 3 : 0 }, 1);
	if (!text)
		return;
	make_jfr_number(m, b, strlen(text), 4);
	buf_addz(b, text);
}

/* Append an event of a type. content: released. */
static inline void make_jfr_event(struct make_jfr *m, unsigned type, struct buf *content)
{
	if (m->is_fixed) {
		make_jfr_fixed(&m->out, content->len + 12, 4);
		make_jfr_fixed(&m->out, type, 8);
	} else {
		struct buf t = { 0 };
		size_t n;

		make_jfr_varint(&t, type);
		n = t.len + content->len;
		make_jfr_varint(&m->out, n + 1 < 0x80 ? n + 1 : n + 2 < 0x4000 ? n + 2 : n + 3);
		buf_add(&m->out, t.data, t.len);
		buf_release(&t);
	}
	buf_add(&m->out, content->data, content->len);
	buf_release(content);
}

/* Append an event of numbers, which end at -1. */
static inline void make_jfr_numbers(struct make_jfr *m, unsigned type, const int64_t *numbers)
{
	struct buf b = { 0 };

	for (unsigned i = 0; numbers[i] != -1; i++)
		make_jfr_number(m, &b, (uint64_t)numbers[i], 8);
	make_jfr_event(m, type, &b);
}

#define MAKE_JFR(m, type, ...) make_jfr_numbers(m, type, (const int64_t[]){ __VA_ARGS__, -1 })

static inline unsigned make_jfr_word(const char **words, unsigned *n, const char *word)
{
	for (unsigned i = 0; i < *n; i++)
		if (strcmp(words[i], word) == 0)
			return i;
	words[*n] = word;
	return (*n)++;
}

/* Append an element with attributes (pairs of words, ended by NULL) and the number of its children. */
static inline void make_jfr_element(const struct make_jfr *m, struct buf *b, const char **words, unsigned *n,
				    const char *kind, const char *const *attributes, unsigned n_children)
{
	unsigned n_attributes = 0;

	while (attributes[2 * n_attributes])
		n_attributes++;
	make_jfr_number(m, b, make_jfr_word(words, n, kind), 4);
	make_jfr_number(m, b, n_attributes, 4);
	for (unsigned i = 0; i < 2 * n_attributes; i++)
		make_jfr_number(m, b, make_jfr_word(words, n, attributes[i]), 4);
	make_jfr_number(m, b, n_children, 4);
}

static inline void make_jfr_metadata(struct make_jfr *m, const struct make_jfr_class *classes, unsigned n_classes)
{
	static char ids[1000][8];
	const char *words[MAKE_JFR_STRINGS];
	struct buf tree = { 0 }, b = { 0 };
	unsigned n = 0;

	for (unsigned i = 0; i < 1000; i++)
		snprintf(ids[i], sizeof(ids[i]), "%u", i);
	make_jfr_element(m, &tree, words, &n, "root", (const char *[]){ NULL }, 1);
	make_jfr_element(m, &tree, words, &n, "metadata", (const char *[]){ NULL }, n_classes);
	for (unsigned i = 0; i < n_classes; i++) {
		const struct make_jfr_class *c = &classes[i];
		unsigned n_fields = 0;

		while (n_fields < MAKE_JFR_FIELDS && c->field[n_fields].name)
			n_fields++;
		make_jfr_element(m, &tree, words, &n, "class",
				 (const char *[]){ "id", ids[c->id], "name", c->name, NULL }, n_fields);
		for (unsigned j = 0; j < n_fields; j++) {
			const struct make_jfr_field *f = &c->field[j];
			const char *more = f->kind == 'p' ? "constantPool" : f->kind == 'a' ? "dimension" : NULL;

			make_jfr_element(m, &tree, words, &n, "field",
					 (const char *[]){ "name", f->name, "class", ids[f->class], more,
							   f->kind == 'p' ? "true" : "1", NULL },
					 f->unit ? 1 : 0);
			if (f->unit)
				make_jfr_element(m, &tree, words, &n, "annotation",
						 (const char *[]){ "class", "99", "value", f->unit, NULL }, 0);
		}
	}
	make_jfr_number(m, &b, 0, 8);
	make_jfr_number(m, &b, 0, 8);
	make_jfr_number(m, &b, 1, 8);
	make_jfr_number(m, &b, n, 4);
	for (unsigned i = 0; i < n; i++)
		make_jfr_string(m, &b, words[i]);
	buf_add(&b, tree.data, tree.len);
	buf_release(&tree);
	m->metadata = m->out.len - m->start;
	make_jfr_event(m, 0, &b);
}

/* Start a chunk. */
static inline void make_jfr_start(struct make_jfr *m)
{
	m->start = m->out.len;
	m->checkpoint = m->metadata = 0;
	buf_add(&m->out, "FLR\0\0\2\0\1", 8);
	for (unsigned i = 0; i < 3; i++)
		make_jfr_fixed(&m->out, 0, 8);
	make_jfr_fixed(&m->out, (uint64_t)m->start_ns, 8);
	make_jfr_fixed(&m->out, 5000, 8);
	make_jfr_fixed(&m->out, m->first_ticks, 8);
	make_jfr_fixed(&m->out, 1000000, 8); /* a tick is a microsecond */
	make_jfr_fixed(&m->out, m->is_fixed ? 0 : 1, 4);
}

/* Start the constants of a class in the next checkpoint. The caller adds key and value of each to m->pools. */
static inline void make_jfr_pool(struct make_jfr *m, unsigned class, unsigned n)
{
	m->n_pools++;
	make_jfr_number(m, &m->pools, class, 8);
	make_jfr_number(m, &m->pools, n, 4);
}

/* Append a checkpoint with these constants. */
static inline void make_jfr_checkpoint(struct make_jfr *m)
{
	size_t at = m->out.len - m->start;
	struct buf b = { 0 };

	make_jfr_number(m, &b, 0, 8);
	make_jfr_number(m, &b, 0, 8);
	make_jfr_number(m, &b, m->checkpoint ? (uint64_t)m->checkpoint - at : 0, 8);
	buf_add(&b, "", 1);
	make_jfr_number(m, &b, m->n_pools, 4);
	buf_add(&b, m->pools.data, m->pools.len);
	buf_release(&m->pools);
	m->n_pools = 0;
	m->checkpoint = at;
	make_jfr_event(m, 1, &b);
}

static inline void make_jfr_patch(struct make_jfr *m, size_t at, uint64_t v)
{
	for (unsigned i = 0; i < 8; i++)
		m->out.data[m->start + at + i] = (char)(v >> 8 * (7 - i));
}

/* Finish the chunk. */
static inline void make_jfr_end(struct make_jfr *m)
{
	make_jfr_patch(m, 8, m->out.len - m->start);
	make_jfr_patch(m, 16, m->checkpoint);
	make_jfr_patch(m, 24, m->metadata);
}

static inline void make_jfr_release(struct make_jfr *m)
{
	buf_release(&m->out);
	buf_release(&m->pools);
}

#endif

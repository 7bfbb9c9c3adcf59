/*
 * context_records.c - the records of the label sets that the program makes
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A record has numbers for keys, whose names are in the process context. A key is published before the first record
 * that has it. Records and keys are never changed or freed, so forked children use those of their parent.
 */
#include "config.h"

#include "libcpaprof/api/context.h"

#include "libcpaprof/collector/read/memory.h"
#include "libcpaprof/target/context.h"
#include "libcpaprof/target/target.h"

#include <string.h>

enum {
	CHUNK = 64 << 10,
	VALUE_MAX = 255,
	PAIR_HEAD = 2, /* index of the key, length of the value */
	ATTRS_MAX = CONTEXT_RECORD_MAX - offsetof(struct context_record, attrs),
	RECORD_ALIGN = 8
};
#define CUT_KEY "cpa_label_cut"
#define CUT_VALUE "1"

/* A record that readers ignore, of sets that have none. */
static const struct context_record no_record;

static uint16_t key_at[CONTEXT_KEYS_MAX]; /* [n_keys] offsets in key_text */
static unsigned n_keys, n_keys_published;
static char key_text[CONTEXT_KEYS_TEXT];
static uint32_t n_key_text;
static uint8_t *chunk; /* memory of records that are made next */
static size_t n_chunk; /* bytes of it in use */

/* The labels of a record while it is made. */
struct record_attrs {
	uint8_t bytes[ATTRS_MAX];
	size_t n;
	bool is_cut; /* was a label left out, or a value cut? */
};

/* The index of a key, which is added if it is new. Returns -1 if there is no room. */
static int record_key(const char *name, size_t n)
{
	char text[3 * LABELS_KEY_MAX + 1];
	size_t size;

	context_copy(text, sizeof(text), name, n);
	for (unsigned i = 0; i < n_keys; i++)
		if (strcmp(key_text + key_at[i], text) == 0)
			return (int)i;
	size = strlen(text) + 1;
	if (n_keys == CONTEXT_KEYS_MAX || size > sizeof(key_text) - n_key_text)
		return -1;
	memcpy(key_text + n_key_text, text, size);
	key_at[n_keys] = (uint16_t)n_key_text;
	n_key_text += (uint32_t)size;
	return (int)n_keys++;
}

static void add_pair(struct record_attrs *to, const struct labels_pair *pair, size_t max)
{
	int key = record_key(pair->key, pair->n.key);
	char value[VALUE_MAX + 1];
	bool is_whole = context_copy(value, sizeof(value), pair->value, pair->n.value);
	size_t n = strlen(value);

	to->is_cut |= !is_whole || key < 0 || to->n + PAIR_HEAD + n > max;
	if (key < 0 || to->n + PAIR_HEAD + n > max)
		return;
	to->bytes[to->n++] = (uint8_t)key;
	to->bytes[to->n++] = (uint8_t)n;
	memcpy(to->bytes + to->n, value, n);
	to->n += n;
}

static struct labels_pair pair_of(const char *key, const char *value)
{
	return (struct labels_pair){ key, value, { (uint16_t)strlen(key), (uint16_t)strlen(value) } };
}

static void make_attrs(cpa_labels l, struct record_attrs *out)
{
	const struct labels_pair cut = pair_of(CUT_KEY, CUT_VALUE),
				 overflow = pair_of(LABELS_OVERFLOW_KEY, LABELS_OVERFLOW_VALUE);
	struct labels_pair pair;
	struct labels_walk w;

	if (l == LABELS_OVERFLOW)
		add_pair(out, &overflow, ATTRS_MAX);
	else if (labels_find(cpi.labels, l, &w))
		while (labels_next(&w, &pair))
			add_pair(out, &pair, ATTRS_MAX - PAIR_HEAD - strlen(CUT_VALUE));
	if (out->is_cut)
		add_pair(out, &cut, ATTRS_MAX);
}

static struct context_record *allocate_record(size_t size)
{
	struct context_record *r;

	size = (size + RECORD_ALIGN - 1) / RECORD_ALIGN * RECORD_ALIGN;
	if (!chunk || CHUNK - n_chunk < size) {
		chunk = memory_map(CHUNK);
		n_chunk = 0;
	}
	if (!chunk)
		return NULL;
	r = (struct context_record *)(chunk + n_chunk);
	n_chunk += size;
	return r;
}

void context_records_add(cpa_labels l)
{
	struct record_attrs attrs = { .n = 0 };
	struct context_record *r;

	make_attrs(l, &attrs);
	r = allocate_record(sizeof(*r) + attrs.n);
	if (n_keys > n_keys_published && context_update() < 0)
		return;
	n_keys_published = n_keys;
	if (!r) {
		atomic_store(&cpi_context_record[l], &no_record);
		return;
	}
	memcpy(r->attrs, attrs.bytes, attrs.n);
	r->n_attrs = (uint16_t)attrs.n;
	atomic_store(&r->valid, 1);
	atomic_store_explicit(&cpi_context_record[l], r, memory_order_release);
}

void context_records_withdraw(void)
{
	for (uint32_t i = 0; i < LABELS_ENTRIES; i++) {
		struct context_record *r = (struct context_record *)atomic_load(&cpi_context_record[i]);

		if (r && r != &no_record)
			atomic_store(&r->valid, 0);
		if (r)
			atomic_store(&cpi_context_record[i], NULL);
	}
}

void context_records_write(struct wire *w)
{
	size_t pair, any, array;

	if (n_keys == 0)
		return;
	/* the name in the OTEP, "to be changed to tls_v1"; readers so far know this one */
	context_write_pair(w, CONTEXT_ATTRIBUTES, "threadlocal.schema_version", "tlsdesc_v1_dev");
	pair = wire_open(w, CONTEXT_ATTRIBUTES);
	wire_bytes(w, CONTEXT_PAIR_KEY, "threadlocal.attribute_key_map", strlen("threadlocal.attribute_key_map"));
	any = wire_open(w, CONTEXT_PAIR_VALUE);
	array = wire_open(w, CONTEXT_ANY_ARRAY);
	for (unsigned i = 0; i < n_keys; i++) {
		size_t n = strlen(key_text + key_at[i]);

		wire_head(w, CONTEXT_ARRAY_VALUES, wire_size(n) + 1 + n);
		wire_bytes(w, CONTEXT_ANY_STRING, key_text + key_at[i], n);
	}
	wire_close(w, array);
	wire_close(w, any);
	wire_close(w, pair);
}

/*
 * metadata.c - the classes of a chunk
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The metadata is a table of strings and a tree of elements whose names and attributes are in it:
 *
 *	class id=101 name=jdk.ExecutionSample
 *	  field name=startTime class=7
 *	    annotation class=22 value=TICKS
 *	  field name=stackTrace class=30 constantPool=true
 */
#include "config.h"

#include "formats/jfr/chunk.h"

#include "base/hash.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const slot_names[N_JFR_SLOTS] = {
	[SLOT_START_TIME] = "startTime",
	[SLOT_DURATION] = "duration",
	[SLOT_STACK] = "stackTrace",
	[SLOT_EVENT_THREAD] = "eventThread",
	[SLOT_SAMPLED_THREAD] = "sampledThread",
	[SLOT_STATE] = "state",
	[SLOT_SAMPLES] = "samples",
	[SLOT_SAMPLING_PERIOD] = "samplingPeriod",
	[SLOT_WEIGHT] = "weight",
	[SLOT_TLAB_SIZE] = "tlabSize",
	[SLOT_ALLOCATION_SIZE] = "allocationSize",
	[SLOT_SIZE] = "size",
	[SLOT_ADDRESS] = "address",
	[SLOT_OBJECT_CLASS] = "objectClass",
	[SLOT_MONITOR_CLASS] = "monitorClass",
	[SLOT_PARKED_CLASS] = "parkedClass",
	[SLOT_LOST_SAMPLES] = "lostSamples",
	[SLOT_AMOUNT] = "amount",
	[SLOT_ID] = "id",
	[SLOT_VALUE] = "value",
	[SLOT_NAME] = "name",
	[SLOT_STRING] = "string",
	[SLOT_DESCRIPTION] = "description",
	[SLOT_DESCRIPTOR] = "descriptor",
	[SLOT_TYPE] = "type",
	[SLOT_METHOD] = "method",
	[SLOT_LINE] = "lineNumber",
	[SLOT_FRAMES] = "frames",
	[SLOT_TRUNCATED] = "truncated",
	[SLOT_JAVA_NAME] = "javaName",
	[SLOT_OS_NAME] = "osName",
	[SLOT_OS_ID] = "osThreadId",
	[SLOT_CPU_INTERVAL] = "cpuInterval",
	[SLOT_WALL_INTERVAL] = "wallInterval",
	[SLOT_CONTEXT] = "contextId",
	[SLOT_SPAN] = "spanId",
	[SLOT_SPAN_NAME] = "spanName",
};

/* Classes with a coding of their own. */
static const struct {
	const char *name;
	enum jfr_coding coding;
} simple_classes[] = {
	{ "boolean", CODING_BYTE }, { "byte", CODING_BYTE },     { "short", CODING_SHORT },
	{ "char", CODING_CHAR },    { "int", CODING_INT },       { "long", CODING_LONG },
	{ "float", CODING_FLOAT },  { "double", CODING_DOUBLE }, { "java.lang.String", CODING_STRING },
};

static const char *const unit_names[] = {
	[UNIT_TICKS] = "TICKS",     [UNIT_NS] = "NANOSECONDS", [UNIT_US] = "MICROSECONDS",
	[UNIT_MS] = "MILLISECONDS", [UNIT_S] = "SECONDS",
};

enum { N_UNITS = sizeof(unit_names) / sizeof(unit_names[0]) };

/* An annotation that may be the unit of a field. */
struct jfr_annotation {
	uint64_t class_id;
	size_t field;
	uint8_t unit;
};

struct jfr_metadata {
	struct jfr_chunk *c;
	struct jfr_cursor at;
	size_t *string; /* [n_strings] offsets in c->text */
	size_t n_strings, cap_strings;
	struct jfr_annotation *annotation;
	size_t n_annotations, cap_annotations;
};

/* The attributes of an element that the reader knows; texts are "" if it has none. */
struct jfr_element {
	const char *kind, *id, *name, *class, *pool, *dimension, *value;
};

static uint64_t jfr_metadata_number(struct jfr_metadata *m)
{
	return jfr_chunk_number(m->c, &m->at, 4);
}

static void jfr_metadata_read_strings(struct jfr_metadata *m)
{
	uint64_t n = jfr_metadata_number(m), key;

	for (; n > 0 && !m->at.is_bad; n--) {
		m->string = mem_grow(m->string, &m->cap_strings, m->n_strings + 1, sizeof(*m->string));
		m->string[m->n_strings++] = m->c->text.len;
		jfr_read_string(&m->at, m->c->is_compressed, &m->c->text, &key);
		buf_add(&m->c->text, "", 1);
	}
}

static const char *jfr_metadata_text(struct jfr_metadata *m)
{
	uint64_t i = jfr_metadata_number(m);

	if (i < m->n_strings)
		return m->c->text.data + m->string[i];
	jfr_cursor_fail(&m->at);
	return "";
}

static void jfr_metadata_read_attributes(struct jfr_metadata *m, struct jfr_element *e)
{
	*e = (struct jfr_element){ jfr_metadata_text(m), "", "", "", "", "", "" };
	for (uint64_t n = jfr_metadata_number(m); n > 0 && !m->at.is_bad; n--) {
		const char *key = jfr_metadata_text(m), *value = jfr_metadata_text(m);
		const struct {
			const char *key, **value;
		} known[] = {
			{ "id", &e->id },
			{ "name", &e->name },
			{ "class", &e->class },
			{ "constantPool", &e->pool },
			{ "dimension", &e->dimension },
			{ "value", &e->value },
		};

		for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
			if (strcmp(key, known[i].key) == 0)
				*known[i].value = value;
	}
}

static void jfr_metadata_add_class(struct jfr_metadata *m, const struct jfr_element *e)
{
	struct jfr_chunk *c = m->c;
	struct jfr_class class = { .id = strtoull(e->id, NULL, 10),
				   .name = e->name,
				   .field = (uint32_t)c->n_fields,
				   .coding = CODING_FIELDS,
				   .event = JFR_UNRESOLVED };

	for (size_t i = 0; i < sizeof(simple_classes) / sizeof(simple_classes[0]); i++)
		if (strcmp(e->name, simple_classes[i].name) == 0)
			class.coding = (uint8_t)simple_classes[i].coding;
	if (class.coding == CODING_STRING)
		c->string_class = (uint32_t)c->n_classes;
	if (jfr_chunk_find_class(c, class.id) == JFR_UNRESOLVED)
		idtab_put(&c->by_id, hash_u64(class.id), (uint32_t)c->n_classes);
	c->class = mem_grow(c->class, &c->cap_classes, c->n_classes + 1, sizeof(*c->class));
	c->class[c->n_classes++] = class;
}

/* Add a field to the last class. */
static void jfr_metadata_add_field(struct jfr_metadata *m, const struct jfr_element *e)
{
	struct jfr_chunk *c = m->c;
	struct jfr_field f = { .class_id = strtoull(e->class, NULL, 10),
			       .coding = strcmp(e->pool, "true") == 0 ? CODING_KEY : CODING_UNKNOWN,
			       .is_array = *e->dimension && strcmp(e->dimension, "0") != 0 };

	for (uint8_t i = 1; i < N_JFR_SLOTS; i++)
		if (strcmp(e->name, slot_names[i]) == 0)
			f.slot = i;
	c->field = mem_grow(c->field, &c->cap_fields, c->n_fields + 1, sizeof(*c->field));
	c->field[c->n_fields++] = f;
	c->class[c->n_classes - 1].n++;
}

static void jfr_metadata_add_annotation(struct jfr_metadata *m, const struct jfr_element *e)
{
	struct jfr_annotation a = { .class_id = strtoull(e->class, NULL, 10), .field = m->c->n_fields - 1 };

	for (uint8_t i = 1; i < N_UNITS; i++)
		if (strcmp(e->value, unit_names[i]) == 0)
			a.unit = i;
	if (!a.unit)
		return;
	m->annotation = mem_grow(m->annotation, &m->cap_annotations, m->n_annotations + 1, sizeof(*m->annotation));
	m->annotation[m->n_annotations++] = a;
}

/*
 * Read an element and those in it.
 *
 * parent   its kind: a class is not within a class, so that fields belong to the last class
 */
static void jfr_metadata_read_element(struct jfr_metadata *m, const char *parent, unsigned depth)
{
	struct jfr_element e;

	if (depth > JFR_NESTING_MAX) {
		jfr_cursor_fail(&m->at);
		return;
	}
	jfr_metadata_read_attributes(m, &e);
	if (m->at.is_bad)
		return;
	if (strcmp(e.kind, "class") == 0 && strcmp(parent, "metadata") == 0)
		jfr_metadata_add_class(m, &e);
	else if (strcmp(e.kind, "field") == 0 && strcmp(parent, "class") == 0 && m->c->n_classes)
		jfr_metadata_add_field(m, &e);
	else if (strcmp(e.kind, "annotation") == 0 && strcmp(parent, "field") == 0 && m->c->n_fields)
		jfr_metadata_add_annotation(m, &e);
	for (uint64_t n = jfr_metadata_number(m); n > 0 && !m->at.is_bad; n--)
		jfr_metadata_read_element(m, e.kind, depth + 1);
}

/* Update the nesting of a class, and whether it has no bytes. Return true if either has changed. */
static bool jfr_metadata_measure_class(struct jfr_chunk *c, struct jfr_class *class)
{
	uint8_t height = class->height;
	bool was_empty = class->is_empty;

	for (uint32_t i = 0; class->coding == CODING_FIELDS && i < class->n; i++) {
		const struct jfr_field *f = &c->field[class->field + i];
		const struct jfr_class *inner = f->coding == CODING_FIELDS ? &c->class[f->class] : NULL;

		if (inner && inner->height >= class->height && class->height <= JFR_NESTING_MAX)
			class->height = (uint8_t)(inner->height + 1);
		if (!inner || f->is_array || !inner->is_empty)
			class->is_empty = false;
	}
	return class->height != height || class->is_empty != was_empty;
}

/*
 * Compute the nesting of classes, and which ones have no bytes. A class that contains itself grows with each round until
 * it is nested too deeply; what is nested deeper than the rounds is not needed.
 */
static void jfr_metadata_measure(struct jfr_chunk *c)
{
	bool has_changed = true;

	for (size_t i = 0; i < c->n_classes; i++)
		c->class[i].is_empty = c->class[i].coding == CODING_FIELDS;
	for (int round = 0; has_changed && round < JFR_NESTING_MAX + 2; round++) {
		has_changed = false;
		for (size_t i = 0; i < c->n_classes; i++)
			has_changed |= jfr_metadata_measure_class(c, &c->class[i]);
	}
}

/* The class of a field that has constants, of which a slot may need one. */
static void jfr_metadata_want_pool(struct jfr_class *class)
{
	if (class->pool)
		return;
	class->pool = mem_zalloc(1, sizeof(*class->pool));
	idtab_init(&class->pool->by_key, 0);
}

/* Set the coding of all fields. */
static void jfr_metadata_resolve(struct jfr_metadata *m)
{
	struct jfr_chunk *c = m->c;

	for (size_t i = 0; i < m->n_annotations; i++) {
		uint32_t class = jfr_chunk_find_class(c, m->annotation[i].class_id);

		if (class != JFR_UNRESOLVED && strcmp(c->class[class].name, "jdk.jfr.Timespan") == 0)
			c->field[m->annotation[i].field].unit = m->annotation[i].unit;
	}
	for (size_t i = 0; i < c->n_fields; i++) {
		struct jfr_field *f = &c->field[i];

		f->class = jfr_chunk_find_class(c, f->class_id);
		if (f->class != JFR_UNRESOLVED && f->coding != CODING_KEY)
			f->coding = c->class[f->class].coding;
		if (f->class != JFR_UNRESOLVED && f->slot && (f->coding == CODING_KEY || f->coding == CODING_STRING))
			jfr_metadata_want_pool(&c->class[f->class]);
	}
	jfr_metadata_measure(c);
	for (size_t i = 0; i < c->n_fields; i++) {
		struct jfr_field *f = &c->field[i];

		if (f->coding != CODING_FIELDS)
			continue;
		if (c->class[f->class].height > JFR_NESTING_MAX)
			f->coding = CODING_UNKNOWN;
		else if (c->class[f->class].is_empty)
			f->coding = CODING_NOTHING;
	}
}

int jfr_chunk_read_metadata(struct jfr_chunk *c, struct err *err)
{
	struct jfr_metadata m = { .c = c };
	size_t at = c->metadata;
	uint64_t type;
	bool is_sound = jfr_chunk_next(c, &at, &type, &m.at) && type == 0;

	c->string_class = JFR_UNRESOLVED;
	c->class = mem_grow(NULL, &c->cap_classes, 1, sizeof(*c->class));
	c->field = mem_grow(NULL, &c->cap_fields, 1, sizeof(*c->field));
	idtab_init(&c->by_id, 0);
	if (is_sound) {
		jfr_chunk_number(c, &m.at, 8); /* time */
		jfr_chunk_number(c, &m.at, 8);
		jfr_chunk_number(c, &m.at, 8); /* id of the metadata */
		jfr_metadata_read_strings(&m);
		jfr_metadata_read_element(&m, "", 0);
		is_sound = !m.at.is_bad && c->n_fields < UINT32_MAX;
	}
	if (is_sound)
		jfr_metadata_resolve(&m);
	free(m.string);
	free(m.annotation);
	return is_sound ? 0 : err_set(err, ERR_FORMAT, "byte %zu: the metadata is damaged", c->metadata);
}

uint32_t jfr_chunk_find_class(const struct jfr_chunk *c, uint64_t id)
{
	uint64_t hash = hash_u64(id);
	uint32_t i;

	for (size_t at = idtab_start(&c->by_id, hash); idtab_next(&c->by_id, hash, &at, &i);)
		if (c->class[i].id == id)
			return i;
	return JFR_UNRESOLVED;
}

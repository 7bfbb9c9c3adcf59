/*
 * attributes.c - attributes and links as labels
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/otlp/otlp_int.h"

#include "base/buf.h"
#include "base/hash.h"
#include "base/jsonw.h"

#include <inttypes.h>
#include <string.h>

enum { VALUE_DEPTH_MAX = 16 };
enum { VALUE_TEXT = 1, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_ARRAY, VALUE_MAP, VALUE_BYTES, VALUE_TEXT_INDEX };
enum { ATTRIBUTE_KEY = 1, ATTRIBUTE_VALUE, ATTRIBUTE_THIRD };
enum { LINK_TRACE = 1, LINK_SPAN };

static void otlp_add_hex(struct buf *out, struct otlp_span s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_addf(out, "%02x", s.data[i]);
}

static double otlp_real(uint64_t bits)
{
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

static int otlp_add_json(const struct otlp_reader *r, struct json *j, struct otlp_span value, unsigned depth,
			 struct err *err);

/* The items of an array or a map. */
static int otlp_add_items(const struct otlp_reader *r, struct json *j, struct otlp_span items, bool is_map,
			  unsigned depth, struct err *err)
{
	struct cursor c = otlp_cursor(items);
	struct field f, part;
	int rc = 0;

	jsonw_open(j, is_map ? '{' : '[');
	while (rc == 0 && otlp_next_field(&c, &f)) {
		struct otlp_span value = { 0 }, key = { 0 };
		struct cursor pair = otlp_cursor(otlp_field_span(&f));

		if (f.number != 1 || f.type != WIRE_BYTES)
			continue;
		while (is_map && otlp_next_field(&pair, &part)) {
			if (part.number == ATTRIBUTE_KEY && part.type == WIRE_BYTES)
				key = otlp_field_span(&part);
			else if (part.number == ATTRIBUTE_VALUE && part.type == WIRE_BYTES)
				value = otlp_field_span(&part);
		}
		if (is_map) {
			struct buf text = { 0 };

			buf_add(&text, key.data, key.n);
			jsonw_key(j, buf_text(&text));
			buf_release(&text);
		}
		rc = otlp_add_json(r, j, is_map ? value : otlp_field_span(&f), depth, err);
	}
	jsonw_close(j, is_map ? '}' : ']');
	return rc < 0 ? rc : otlp_check(&c, err);
}

/* Append a value as JSON. */
static int otlp_add_json(const struct otlp_reader *r, struct json *j, struct otlp_span value, unsigned depth,
			 struct err *err)
{
	struct cursor c = otlp_cursor(value);
	struct field f;
	struct buf hex = { 0 };
	str_id text;
	int rc;

	if (depth == VALUE_DEPTH_MAX)
		return err_set(err, ERR_LIMIT, "an attribute is nested deeper than %d levels", (int)VALUE_DEPTH_MAX);
	if (!otlp_next_field(&c, &f)) {
		jsonw_raw(j, "null", 4);
		return otlp_check(&c, err);
	}
	if (f.number == VALUE_TEXT && f.type == WIRE_BYTES) {
		jsonw_text(j, (const char *)f.data, f.n);
	} else if (f.number == VALUE_BOOL) {
		jsonw_bool(j, f.value != 0);
	} else if (f.number == VALUE_INT) {
		jsonw_int(j, (int64_t)f.value);
	} else if (f.number == VALUE_REAL) {
		jsonw_number(j, otlp_real(f.value));
	} else if ((f.number == VALUE_ARRAY || f.number == VALUE_MAP) && f.type == WIRE_BYTES) {
		return otlp_add_items(r, j, otlp_field_span(&f), f.number == VALUE_MAP, depth + 1, err);
	} else if (f.number == VALUE_BYTES && f.type == WIRE_BYTES) {
		otlp_add_hex(&hex, otlp_field_span(&f));
		jsonw_textz(j, buf_text(&hex));
		buf_release(&hex);
	} else if (f.number == VALUE_TEXT_INDEX) {
		rc = otlp_string(r, f.value, "value", &text, err);
		if (rc < 0)
			return rc;
		jsonw_textz(j, strtab_text(builder_strings(r->b), text));
	} else {
		jsonw_raw(j, "null", 4);
	}
	return 0;
}

/* Set the value of a label: numbers as numbers, all other values as text. */
static int otlp_set_value(const struct otlp_reader *r, struct otlp_span value, struct builder_label *label,
			  struct err *err)
{
	struct strtab *str = builder_strings(r->b);
	struct cursor c = otlp_cursor(value);
	struct buf text = { 0 };
	struct json j = { .out = &text, .is_one_line = true };
	struct field f;
	bool has_value = otlp_next_field(&c, &f);
	int rc = otlp_check(&c, err);

	label->is_text = !has_value || f.number != VALUE_INT;
	if (rc < 0 || !has_value)
		return rc;
	if (f.number == VALUE_INT) {
		label->num = (int64_t)f.value;
		return 0;
	}
	label->unit = 0;
	if (f.number == VALUE_TEXT_INDEX)
		return otlp_string(r, f.value, "value", &label->text, err);
	if (f.number == VALUE_TEXT && f.type == WIRE_BYTES)
		buf_add(&text, f.data, f.n);
	else if (f.number == VALUE_BYTES && f.type == WIRE_BYTES)
		otlp_add_hex(&text, otlp_field_span(&f));
	else
		rc = otlp_add_json(r, &j, value, 0, err);
	label->text = strtab_add(str, buf_text(&text), text.len);
	buf_release(&text);
	return rc;
}

/* The unit of an attribute from the table of units, before 1.8. */
static str_id otlp_find_unit(const struct otlp_tables *t, str_id key)
{
	uint64_t hash = hash_u64(key);
	uint32_t i;

	for (size_t at = idtab_start(&t->unit_at, hash); idtab_next(&t->unit_at, hash, &at, &i);)
		if (t->unit_key[i] == key)
			return t->unit[i];
	return 0;
}

/* Read a KeyValue (the key is a text) or a KeyValueAndUnit (the key is an index). */
static int otlp_read_attribute(struct otlp_reader *r, struct otlp_span attribute, struct builder_label *label,
			       struct err *err)
{
	struct strtab *str = builder_strings(r->b);
	struct cursor c = otlp_cursor(attribute);
	struct otlp_span value = { 0 };
	uint64_t third = 0;
	struct field f;
	bool has_key_text = false;
	int rc = 0;

	*label = (struct builder_label){ .is_text = true };
	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == ATTRIBUTE_KEY && f.type == WIRE_BYTES) {
			label->key = strtab_add(str, (const char *)f.data, f.n);
			has_key_text = true;
		} else if (f.number == ATTRIBUTE_KEY && f.type == WIRE_VARINT) {
			rc = otlp_string(r, f.value, "key", &label->key, err);
		} else if (f.number == ATTRIBUTE_VALUE && f.type == WIRE_BYTES) {
			value = otlp_field_span(&f);
		} else if (f.number == ATTRIBUTE_THIRD && f.type == WIRE_VARINT) {
			third = f.value;
		}
	}
	rc = rc < 0 ? rc : otlp_check(&c, err);
	if (rc == 0 && third && label->key == 0 && !has_key_text)
		rc = otlp_string(r, third, "key", &label->key, err); /* a KeyValue with the index of its key */
	else if (rc == 0 && third && !has_key_text)
		rc = otlp_string(r, third, "unit", &label->unit, err);
	else if (rc == 0)
		label->unit = otlp_find_unit(&r->tables, label->key);
	rc = rc < 0 ? rc : otlp_set_value(r, value, label, err);
	return rc < 0 ? err_wrap(err, "attribute") : 0;
}

/* Add a label. It replaces the inherited one with the same key. */
static int otlp_add_label(struct otlp_reader *r, const struct otlp_label *label, struct err *err)
{
	/* the first label is the number of the source */
	for (size_t i = r->sources != NULL; i < r->n_replaceable; i++)
		if (r->label[i].key == label->key) {
			memmove(&r->label[i], &r->label[i + 1], (r->n_labels - i - 1) * sizeof(*r->label));
			r->n_replaceable--;
			r->n_labels--;
			break;
		}
	if (r->n_labels == OTLP_LABELS_MAX)
		return err_set(err, ERR_LIMIT, "more than %d attributes", (int)OTLP_LABELS_MAX);
	r->label[r->n_labels++] = *label;
	return 0;
}

int otlp_add_attribute(struct otlp_reader *r, struct otlp_span attribute, struct err *err)
{
	struct otlp_label own;
	struct builder_label label;
	int rc = otlp_read_attribute(r, attribute, &label, err);

	own.key = label.key;
	rc = rc < 0 ? rc : builder_label(r->b, &label, &own.label, err);
	return rc < 0 ? rc : otlp_add_label(r, &own, err);
}

/* The entry of a table; its data is NULL for an entry that means none. */
static int otlp_entry(const struct otlp_reader *r, enum otlp_table table, uint64_t index, const char *what,
		      struct otlp_span *out, struct err *err)
{
	const struct otlp_spans *spans = &r->tables.spans[table];

	*out = (struct otlp_span){ 0 };
	if (index == 0 && (r->release >= OTLP_1_8 || (spans->n && spans->item[0].n == 0)))
		return 0;
	if (index >= spans->n)
		return err_set(err, ERR_FORMAT, "%s %" PRIu64 " of %zu does not exist", what, index, spans->n);
	*out = spans->item[index];
	return 0;
}

int otlp_add_table_attribute(struct otlp_reader *r, uint64_t index, struct err *err)
{
	struct otlp_label *cached;
	struct builder_label label;
	struct otlp_span attribute;
	int rc = otlp_entry(r, OTLP_ATTRIBUTES, index, "attribute", &attribute, err);

	if (rc < 0 || !attribute.data)
		return rc;
	cached = &r->tables.label[index];
	if (cached->label == PROFILE_NONE) {
		rc = otlp_read_attribute(r, attribute, &label, err);
		cached->key = label.key;
		rc = rc < 0 ? rc : builder_label(r->b, &label, &cached->label, err);
	}
	return rc < 0 ? rc : otlp_add_label(r, cached, err);
}

int otlp_add_link(struct otlp_reader *r, uint64_t index, struct err *err)
{
	struct strtab *str = builder_strings(r->b);
	struct otlp_span link;
	struct cursor c;
	struct field f;
	int rc = otlp_entry(r, OTLP_LINKS, index, "link", &link, err);

	if (rc < 0 || !link.data)
		return rc;
	c = otlp_cursor(link);
	while (rc == 0 && otlp_next_field(&c, &f)) {
		struct builder_label label = { .is_text = true };
		struct otlp_label own;
		struct buf hex = { 0 };

		if ((f.number != LINK_TRACE && f.number != LINK_SPAN) || f.type != WIRE_BYTES)
			continue;
		otlp_add_hex(&hex, otlp_field_span(&f));
		label.key = own.key = strtab_addz(str, f.number == LINK_TRACE ? "trace_id" : "span_id");
		label.text = strtab_add(str, buf_text(&hex), hex.len);
		buf_release(&hex);
		rc = builder_label(r->b, &label, &own.label, err);
		rc = rc < 0 ? rc : otlp_add_label(r, &own, err);
	}
	return rc < 0 ? rc : otlp_check(&c, err);
}

int otlp_attribute_text(struct otlp_reader *r, uint64_t index, const char *const *keys, size_t *rank, str_id *out,
			struct err *err)
{
	struct builder_label label;
	struct otlp_span attribute;
	int rc = otlp_entry(r, OTLP_ATTRIBUTES, index, "attribute", &attribute, err);

	if (rc < 0 || !attribute.data)
		return rc;
	rc = otlp_read_attribute(r, attribute, &label, err);
	for (size_t i = 0; rc == 0 && label.is_text && i < *rank && keys[i]; i++)
		if (strcmp(strtab_text(builder_strings(r->b), label.key), keys[i]) == 0) {
			*rank = i;
			*out = label.text;
		}
	return rc;
}

/*
 * write.c - a profile as an OTLP message of release 1.11
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Entry 0 of each table is empty and means none. There is a Profile per sample type, and all share the dictionary. The
 * first one has all samples, the others those that are not 0, so that a reader finds all stacks in their order. The default
 * type is the last one, since readers of pprof select the last type.
 */
#include "config.h"

#include "formats/otlp/otlp.h"

#include "base/mem.h"
#include "base/num.h"
#include "formats/common/put.h"
#include "profile/temporality.h"

#include <stdlib.h>
#include <string.h>

enum { WRITE_MESSAGE_MAX = INT32_MAX }; /* the limit of protobuf readers */
enum { WRITE_RESOURCES = 1, WRITE_DICTIONARY, WRITE_RESOURCE = 1, WRITE_SCOPES, WRITE_SCOPE = 1, WRITE_PROFILES };
enum {
	WRITE_MAPPINGS = 1,
	WRITE_LOCATIONS,
	WRITE_FUNCTIONS,
	WRITE_LINKS,
	WRITE_STRINGS,
	WRITE_ATTRIBUTES,
	WRITE_STACKS
};
enum {
	PROFILE_SAMPLE_TYPE = 1,
	PROFILE_SAMPLES,
	PROFILE_START,
	PROFILE_LENGTH,
	PROFILE_OF_PERIOD,
	PROFILE_PERIOD_NO,
	PROFILE_ID,
	PROFILE_ATTRIBUTES = 11
};
enum { SAMPLE_STACK_NO = 1, SAMPLE_ATTRIBUTE_NOS, SAMPLE_VALUES = 4 };
enum { ANY_TEXT = 1, ANY_INT = 3 };
enum { OTLP_ID_BYTES = 16 };

static const char otlp_build_id_key[] = "process.executable.build_id.gnu";

struct otlp_writer {
	const struct profile *p;
	const struct otlp_write_options *options;
	struct buf strings;    /* entries of the table of strings */
	uint32_t *string;      /* [strings of the profile] index in the table, 0: not yet */
	uint32_t n_strings;    /* with entry 0 */
	uint32_t build_id_key; /* index of the key, 0: not yet */
	uint32_t *stack;       /* [stacks] index in the table, the same for equal ones */
	struct buf attributes; /* entries of the table of attributes */
	uint32_t *attribute;   /* [labels of the profile] index in the table, 0: not yet */
	uint32_t n_attributes;
	uint32_t temporality_key, temporality[2]; /* indices of the key and of the attributes, 0: not yet */
	struct buf list;                          /* memory for packed lists */
};

static uint32_t otlp_put_text(struct otlp_writer *w, const char *s, size_t n)
{
	put_bytes(&w->strings, WRITE_STRINGS, s, n);
	return w->n_strings++;
}

/* The index of a string, which is added if it is new. */
static uint32_t otlp_write_string(struct otlp_writer *w, str_id id)
{
	size_t n = strtab_len(w->p->str, id);

	if (n && w->string[id] == 0)
		w->string[id] = otlp_put_text(w, strtab_text(w->p->str, id), n);
	return w->string[id];
}

/* The index of a key that the profile may have as a string. */
static uint32_t otlp_write_key(struct otlp_writer *w, const char *key)
{
	str_id id;

	if (strtab_find(w->p->str, key, strlen(key), &id))
		return otlp_write_string(w, id);
	return otlp_put_text(w, key, strlen(key));
}

/* Append an attribute; value is an AnyValue, and is emptied. */
static uint32_t otlp_put_attribute(struct otlp_writer *w, uint32_t key, struct buf *value, uint32_t unit)
{
	struct buf attribute = { 0 };

	put_number(&attribute, 1, key);
	put_message(&attribute, 2, value);
	put_number(&attribute, 3, unit);
	put_message(&w->attributes, WRITE_ATTRIBUTES, &attribute);
	buf_release(&attribute);
	return w->n_attributes++;
}

/* The index of the attribute of a label, which is added if it is new. */
static uint32_t otlp_write_label(struct otlp_writer *w, uint32_t label)
{
	const struct profile *p = w->p;
	struct buf value = { 0 };

	if (w->attribute[label])
		return w->attribute[label];
	if (p->label_is_text[label]) {
		put_bytes(&value, ANY_TEXT, profile_text(p, p->label_text[label]),
			  strtab_len(p->str, p->label_text[label]));
	} else { /* also if it is 0, which is a value here */
		put_varint(&value, ANY_INT << 3);
		put_varint(&value, (uint64_t)p->label_num[label]);
	}
	w->attribute[label] =
		otlp_put_attribute(w, otlp_write_string(w, p->label_key[label]), &value,
				   p->label_is_text[label] ? 0 : otlp_write_string(w, p->label_unit[label]));
	buf_release(&value);
	return w->attribute[label];
}

/* The index of the attribute of a build id. */
static uint32_t otlp_write_build_id(struct otlp_writer *w, str_id id)
{
	struct buf value = { 0 };
	uint32_t index;

	if (w->build_id_key == 0)
		w->build_id_key = otlp_write_key(w, otlp_build_id_key);
	put_bytes(&value, ANY_TEXT, profile_text(w->p, id), strtab_len(w->p->str, id));
	index = otlp_put_attribute(w, w->build_id_key, &value, 0);
	buf_release(&value);
	return index;
}

static void otlp_write_mappings(struct otlp_writer *w, struct buf *out)
{
	struct buf mapping = { 0 };

	put_message(out, WRITE_MAPPINGS, &mapping);
	for (uint32_t i = 0; i < w->p->n_maps; i++) {
		const struct mapping *m = &w->p->map[i];

		put_number(&mapping, 1, m->start);
		put_number(&mapping, 2, m->limit);
		put_number(&mapping, 3, m->offset);
		put_number(&mapping, 4, otlp_write_string(w, m->file));
		if (strtab_len(w->p->str, m->build_id)) {
			put_varint(&w->list, otlp_write_build_id(w, m->build_id));
			put_message(&mapping, 5, &w->list);
		}
		put_message(out, WRITE_MAPPINGS, &mapping);
	}
	buf_release(&mapping);
}

static void otlp_write_locations(struct otlp_writer *w, struct buf *out)
{
	const struct profile *p = w->p;
	struct buf location = { 0 }, line = { 0 };

	put_message(out, WRITE_LOCATIONS, &location);
	for (uint32_t i = 0; i < p->n_locs; i++) {
		put_number(&location, 1, p->loc_map[i] == PROFILE_NONE ? 0 : p->loc_map[i] + UINT64_C(1));
		put_number(&location, 2, p->loc_addr[i]);
		for (uint32_t l = p->loc_line[i]; l < p->loc_line[i + 1]; l++) {
			put_number(&line, 1, p->line_func[l] == PROFILE_NONE ? 0 : p->line_func[l] + UINT64_C(1));
			put_number(&line, 2, (uint64_t)p->line_no[l]);
			put_number(&line, 3, (uint64_t)p->line_col[l]);
			put_message(&location, 3, &line);
		}
		put_message(out, WRITE_LOCATIONS, &location);
	}
	buf_release(&location);
	buf_release(&line);
}

static void otlp_write_functions(struct otlp_writer *w, struct buf *out)
{
	const struct profile *p = w->p;
	struct buf function = { 0 };

	put_message(out, WRITE_FUNCTIONS, &function);
	for (uint32_t i = 0; i < p->n_funcs; i++) {
		put_number(&function, 1, otlp_write_string(w, p->func_name[i]));
		put_number(&function, 2, otlp_write_string(w, p->func_sysname[i]));
		put_number(&function, 3, otlp_write_string(w, p->func_file[i]));
		put_number(&function, 4, (uint64_t)p->func_start[i]);
		put_message(out, WRITE_FUNCTIONS, &function);
	}
	buf_release(&function);
}

/* Number the stacks of the table. */
static void otlp_number_stacks(struct otlp_writer *w)
{
	uint32_t n = 1;

	w->stack = profile_equal_stacks(&w->p->stacks);
	for (uint32_t i = 0; i < w->p->stacks.n; i++)
		w->stack[i] = w->stack[i] == i ? n++ : w->stack[w->stack[i]];
}

static void otlp_write_stacks(struct otlp_writer *w, struct buf *out)
{
	const struct stack_lists *stacks = &w->p->stacks;
	struct buf stack = { 0 };
	uint32_t n = 1;

	put_message(out, WRITE_STACKS, &stack);
	for (uint32_t i = 0; i < stacks->n; i++) {
		if (w->stack[i] < n)
			continue;
		n++;
		for (uint32_t k = stacks->off[i]; k < stacks->off[i + 1]; k++)
			put_varint(&w->list, stack_id_at(stacks, k) + UINT64_C(1));
		if (w->list.len)
			put_message(&stack, 1, &w->list);
		put_message(out, WRITE_STACKS, &stack);
	}
	buf_release(&stack);
}

static void otlp_write_type(struct otlp_writer *w, struct buf *out, uint32_t field, const struct value_type *type)
{
	struct buf message = { 0 };

	put_number(&message, 1, otlp_write_string(w, type->name));
	put_number(&message, 2, otlp_write_string(w, type->unit));
	put_message(out, field, &message);
	buf_release(&message);
}

/* Write the sample of a row; sample is an empty buffer. */
static void otlp_write_sample(struct otlp_writer *w, struct buf *out, uint32_t row, int64_t value, struct buf *sample)
{
	const struct profile *p = w->p;
	const struct csr *sets = &p->label_sets;
	uint32_t stack = p->stack[row], set = p->labels[row];

	if (p->stacks.off[stack] < p->stacks.off[stack + 1])
		put_number(sample, SAMPLE_STACK_NO, w->stack[stack]);
	for (uint32_t k = sets->off[set]; k < sets->off[set + 1]; k++)
		put_varint(&w->list, otlp_write_label(w, sets->item[k]));
	if (w->list.len)
		put_message(sample, SAMPLE_ATTRIBUTE_NOS, &w->list);
	put_varint(&w->list, (uint64_t)value);
	put_message(sample, SAMPLE_VALUES, &w->list);
	put_message(out, PROFILE_SAMPLES, sample);
}

/* The type that pprof selects by default; without a default type it is the last one. */
static uint32_t otlp_default_type(const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		if (p->meta.default_type && p->type[t].name == p->meta.default_type)
			return t;
	return p->n_types - 1;
}

/* Write the id of the profile of a type, and the meaning of its values. */
static void otlp_write_identity(struct otlp_writer *w, uint32_t type, struct buf *out)
{
	bool is_gauge = profile_temporality(w->p, type) == TEMPORALITY_GAUGE;
	uint32_t *attribute = &w->temporality[is_gauge];
	uint8_t id[OTLP_ID_BYTES];

	if (w->options->id) {
		memcpy(id, w->options->id, sizeof(id));
		id[sizeof(id) - 1] ^= (uint8_t)type;
		put_bytes(out, PROFILE_ID, id, sizeof(id));
	}
	if (!w->options->has_meaning)
		return;
	if (*attribute == 0) {
		struct buf value = { 0 };

		if (w->temporality_key == 0)
			w->temporality_key = otlp_write_key(w, OTLP_TEMPORALITY);
		put_textz(&value, ANY_TEXT, is_gauge ? "gauge" : "delta");
		*attribute = otlp_put_attribute(w, w->temporality_key, &value, 0);
		buf_release(&value);
	}
	put_varint(&w->list, *attribute);
	put_message(out, PROFILE_ATTRIBUTES, &w->list);
}

/* Write all samples, or those whose value is not 0. */
static void otlp_write_profile(struct otlp_writer *w, uint32_t type, bool has_all, struct buf *out)
{
	const struct profile *p = w->p;
	const struct profile_meta *meta = &p->meta;
	struct buf profile = { 0 }, sample = { 0 };

	otlp_write_type(w, &profile, PROFILE_SAMPLE_TYPE, &p->type[type]);
	for (uint32_t i = 0; i < p->n_rows; i++) {
		int64_t value = p->value[type][i];

		if (w->options->ratio != 1)
			value = num_trunc((double)value * w->options->ratio);
		if (has_all || value)
			otlp_write_sample(w, &profile, i, value, &sample);
	}
	if (meta->time_ns) {
		uint64_t time_ns = (uint64_t)meta->time_ns;

		put_varint(&profile, PROFILE_START << 3 | 1);
		for (unsigned i = 0; i < sizeof(time_ns); i++) {
			uint8_t byte = (uint8_t)(time_ns >> (8 * i));

			buf_add(&profile, &byte, 1);
		}
	}
	put_number(&profile, PROFILE_LENGTH, (uint64_t)meta->duration_ns);
	if (meta->has_period_type)
		otlp_write_type(w, &profile, PROFILE_OF_PERIOD, &meta->period_type);
	put_number(&profile, PROFILE_PERIOD_NO, (uint64_t)meta->period);
	otlp_write_identity(w, type, &profile);
	put_message(out, WRITE_PROFILES, &profile);
	buf_release(&profile);
	buf_release(&sample);
}

/* Write the attributes of the resource. */
static void otlp_write_resource(const struct otlp_write_options *options, struct buf *out)
{
	struct buf resource = { 0 }, pair = { 0 }, value = { 0 };

	for (size_t i = 0; i < options->n_resource; i++) {
		put_textz(&pair, 1, options->resource[i].key);
		put_textz(&value, ANY_TEXT, options->resource[i].value);
		put_message(&pair, 2, &value);
		put_message(&resource, 1, &pair);
	}
	put_message(out, WRITE_RESOURCE, &resource);
	buf_release(&resource);
	buf_release(&pair);
	buf_release(&value);
}

/* Write the resource with all profiles, and then the dictionary that they filled. */
static void otlp_write_message(struct otlp_writer *w, struct buf *out)
{
	static const char scope_name[] = "cpa";
	struct buf scope = { 0 }, part = { 0 }, resource = { 0 }, dictionary = { 0 };
	uint32_t last = otlp_default_type(w->p);
	bool has_first = false;

	otlp_put_text(w, "", 0);
	put_bytes(&w->attributes, WRITE_ATTRIBUTES, "", 0);
	w->n_attributes = 1;
	put_bytes(&part, 1, scope_name, sizeof(scope_name) - 1);
	put_message(&scope, WRITE_SCOPE, &part);
	for (uint32_t t = 0; t < w->p->n_types; t++)
		if (t != last) {
			otlp_write_profile(w, t, !has_first, &scope);
			has_first = true;
		}
	if (w->p->n_types)
		otlp_write_profile(w, last, !has_first, &scope);
	otlp_write_resource(w->options, &resource);
	put_message(&resource, WRITE_SCOPES, &scope);
	put_message(out, WRITE_RESOURCES, &resource);
	otlp_write_mappings(w, &dictionary);
	otlp_write_locations(w, &dictionary);
	otlp_write_functions(w, &dictionary);
	put_bytes(&dictionary, WRITE_LINKS, "", 0);
	otlp_write_stacks(w, &dictionary);
	buf_add(&dictionary, buf_text(&w->strings), w->strings.len);
	buf_add(&dictionary, buf_text(&w->attributes), w->attributes.len);
	put_message(out, WRITE_DICTIONARY, &dictionary);
	buf_release(&scope);
	buf_release(&part);
	buf_release(&resource);
	buf_release(&dictionary);
}

int otlp_write(const struct profile *p, const struct otlp_write_options *options, struct buf *out, struct err *err)
{
	struct otlp_writer w = { .p = p, .options = options };
	struct buf message = { 0 };
	int rc = 0;

	w.string = mem_zalloc(strtab_count(p->str) + 1, sizeof(*w.string));
	w.attribute = mem_zalloc(p->n_labels + (size_t)1, sizeof(*w.attribute));
	otlp_number_stacks(&w);
	otlp_write_message(&w, &message);
	if (message.len > WRITE_MESSAGE_MAX)
		rc = err_set(err, ERR_LIMIT, "the profile has more than 2 GiB, the limit of protobuf");
	else
		buf_add(out, buf_text(&message), message.len);
	buf_release(&message);
	buf_release(&w.strings);
	buf_release(&w.attributes);
	buf_release(&w.list);
	free(w.string);
	free(w.attribute);
	free(w.stack);
	return rc;
}

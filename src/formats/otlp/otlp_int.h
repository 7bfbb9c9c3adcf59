/*
 * otlp_int.h - the parts of the OTLP reader
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_OTLP_OTLP_INT_H
#define FORMATS_OTLP_OTLP_INT_H

#include "base/idtab.h"
#include "formats/common/format.h"
#include "formats/common/location_table.h"
#include "formats/common/named_frames.h"
#include "formats/common/merged_rows.h"
#include "formats/common/skipped.h"
#include "formats/otlp/otlp.h"
#include "formats/pprof/cursor.h"
#include "profile/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- the wire format ---- */

/* A message, or the bytes of a field; borrowed. */
struct otlp_span {
	const uint8_t *data;
	size_t n;
};

struct otlp_spans {
	struct otlp_span *item;
	size_t n, cap;
};

struct otlp_ints {
	uint64_t *v;
	size_t n, cap;
};

static inline struct cursor otlp_cursor(struct otlp_span s)
{
	static const uint8_t none[1];
	const uint8_t *data = s.data ? s.data : none; /* of a message that is missing */

	return (struct cursor){ .at = data, .end = data + s.n };
}

static inline struct otlp_span otlp_field_span(const struct field *f)
{
	return (struct otlp_span){ f->data, f->n };
}

/* As cursor_field; a number has no data, and other fields have the value 0. */
static inline bool otlp_next_field(struct cursor *c, struct field *f)
{
	*f = (struct field){ 0 };
	return cursor_field(c, f);
}

/* The value of a number; sets c->error for a field with bytes. */
static inline uint64_t otlp_number(struct cursor *c, const struct field *f)
{
	if (f->type == WIRE_BYTES)
		c->error = "a field has the wrong wire type";
	return f->value;
}

/* ERR_FORMAT with the error of the cursor; 0 if there is none. */
int otlp_check(const struct cursor *c, struct err *err);

/* Append the numbers of a repeated field, packed or one of them. Fixed: each has eight bytes. */
int otlp_add_ints(struct otlp_ints *ints, const struct field *f, bool is_fixed, struct err *err);

void otlp_spans_add(struct otlp_spans *spans, const struct field *f);

/* ---- framing ---- */

enum otlp_framing { OTLP_BARE, OTLP_LENGTH32, OTLP_VARINT, OTLP_GRPC, OTLP_FRAMINGS };

/* Find the framing: the first one whose lengths end exactly at the end of the data. Return false if there is none. */
bool otlp_find_framing(const uint8_t *data, size_t n, enum otlp_framing *framing);

/* Set message to the next message of the data, and remove it. Return false at the end, and if a length is invalid. */
bool otlp_next_message(struct otlp_span *data, enum otlp_framing framing, struct otlp_span *message);

/* ---- releases ---- */

/* Releases with different numbers of fields, named after the first one. */
enum otlp_release { OTLP_1_3, OTLP_1_4, OTLP_1_6, OTLP_1_7, OTLP_1_8, OTLP_1_10, OTLP_RELEASES };

enum otlp_table {
	OTLP_MAPPINGS,
	OTLP_LOCATIONS,
	OTLP_FUNCTIONS,
	OTLP_LINKS,
	OTLP_STRINGS,
	OTLP_ATTRIBUTES,
	OTLP_UNITS,  /* of attributes, before 1.8 */
	OTLP_STACKS, /* since 1.8 */
	OTLP_TABLES
};

/* The numbers of the fields of a release; 0: it has no such field. */
struct otlp_fields {
	uint8_t table[OTLP_TABLES]; /* in the profile, the root or the dictionary */
	uint8_t profile_samples, profile_indices, profile_time, profile_duration, profile_period_type, profile_period;
	uint8_t profile_default_type, profile_comments;
	uint8_t profile_attributes;
	uint8_t sample_stack; /* index of the stack, or of the first location before 1.8 */
	uint8_t sample_length, sample_values, sample_attributes, sample_link, sample_times;
	uint8_t mapping_start, mapping_limit, mapping_offset, mapping_file, mapping_attributes, mapping_build_id;
	uint8_t location_mapping, location_address, location_lines, location_attributes;
	uint8_t function_name, function_system_name, function_file, function_start;
};
extern const struct otlp_fields otlp_fields[OTLP_RELEASES];

/*
 * Find the release of all messages.
 *
 * Fails   ERR_FORMAT for invalid messages, and for samples of different releases
 */
int otlp_find_release(struct otlp_span data, enum otlp_framing framing, enum otlp_release *release, struct err *err);

/* ---- the reader ---- */

/* A label of a resource, scope or sample. */
struct otlp_label {
	str_id key;
	uint32_t label; /* id in the builder */
};

/* The tables of a message, or of a profile before 1.6. */
struct otlp_tables {
	struct otlp_spans spans[OTLP_TABLES];
	str_id *string;             /* [spans[OTLP_STRINGS].n] */
	uint32_t *map, *loc, *func; /* ids in the builder, PROFILE_NONE for entries that mean none */
	uint32_t *stack;            /* ids in the builder; PROFILE_NONE: not yet */
	struct otlp_label *label;   /* of attributes; key 0: not yet */
	struct idtab unit_at;       /* index in OTLP_UNITS by its key */
	str_id *unit_key, *unit;
	size_t cap_strings, cap_maps, cap_locs, cap_funcs, cap_stacks, cap_labels, cap_unit_keys, cap_units;
	bool *has_line, *has_no_line; /* of mappings: of one of its locations at least */
	size_t cap_has_line, cap_has_no_line;
};

/* Keys of JSON that mean nothing in OTLP, and the name of the first one, maybe cut. */
struct otlp_skipped_keys {
	struct skipped count;
	char first[40];
};

enum { OTLP_TYPES_MAX = 64, OTLP_LABELS_MAX = 256, OTLP_FRAMES_PER_BYTE = 20 };

struct otlp_reader {
	const struct format_options *options;
	enum otlp_release release;
	const struct otlp_fields *fields;
	struct builder *b;
	struct named_frames *frames;
	struct location_table *locations;
	struct otlp_tables tables;
	bool finds_types; /* the first pass, in which only sample types and times are read */

	struct value_type type[OTLP_TYPES_MAX];
	size_t n_types;
	uint64_t first_time_ns;
	str_id default_type;

	struct otlp_label label[OTLP_LABELS_MAX];     /* of the resource, the scope and the sample */
	size_t n_labels, n_replaceable;               /* the first ones are inherited: others replace them */
	struct otlp_label inherited[OTLP_LABELS_MAX]; /* by all samples of a scope */
	size_t n_inherited;

	/* of the current profile */
	uint32_t column[OTLP_TYPES_MAX]; /* of its types */
	size_t n_columns;
	struct otlp_ints indices; /* of locations, before 1.8 */

	/* of the current sample */
	struct otlp_ints values, attributes, times, direct;
	uint32_t *stack;
	size_t cap_stack;

	struct merged_rows *rows;

	struct builder_line *line; /* of a location */
	size_t cap_lines;
	struct skipped empty, profile_attributes, location_attributes, untimed;
	const struct otlp_skipped_keys *unknown; /* NULL: not read from JSON */
	struct otlp_sources *sources;            /* NULL: samples are not marked with their source */
	size_t n_samples, n_profiles;
	uint64_t n_frames, max_frames; /* of all samples before 1.8, which may share their frames */
};

/* Read the tables of a message: a dictionary, the root, or a profile. */
int otlp_tables_read(struct otlp_reader *r, struct otlp_span message, struct err *err);
void otlp_tables_release(struct otlp_tables *t);

/* The string of an index; what: the name of the field. */
int otlp_string(const struct otlp_reader *r, uint64_t index, const char *what, str_id *out, struct err *err);

/* The id of the stack of an index, since 1.8. */
int otlp_stack(struct otlp_reader *r, uint64_t index, uint32_t *out, struct err *err);

/* The id of a stack of indices of locations. */
int otlp_stack_of(struct otlp_reader *r, const uint64_t *index, size_t n, uint32_t *out, struct err *err);

/* Add the labels of attributes with keys and values: of a resource or scope. */
int otlp_add_attribute(struct otlp_reader *r, struct otlp_span attribute, struct err *err);

/* Add the label of an attribute of the table. */
int otlp_add_table_attribute(struct otlp_reader *r, uint64_t index, struct err *err);

/* Add the labels of a link. */
int otlp_add_link(struct otlp_reader *r, uint64_t index, struct err *err);

/* The text value of an attribute of the table, if it has one of these keys. Sets out to 0 if not. */
int otlp_attribute_text(struct otlp_reader *r, uint64_t index, const char *const *keys, size_t *rank, str_id *out,
			struct err *err);

/* Read messages with the numbers of 1.10, each after its length as a varint. As otlp_read. unknown: of the JSON from which they come. */
int otlp_read_messages_of(const uint8_t *data, size_t n, const struct otlp_skipped_keys *unknown,
			  struct otlp_sources *sources, const struct format_options *options, struct profile **out,
			  struct err *err);

/* Note the labels of the current resource, and mark its samples. Fails with ERR_LIMIT. */
int otlp_sources_add_resource(struct otlp_reader *r, struct err *err);

/* Note a profile of the current resource, and mark its samples. Fails with ERR_LIMIT. */
int otlp_sources_add(struct otlp_reader *r, struct err *err);

/* As otlp_json_read, and otlp_read_sources. */
int otlp_json_read_sources(const uint8_t *data, size_t n, struct otlp_sources *sources,
			   const struct format_options *options, struct profile **out, struct err *err);

/* Read a sample. */
int otlp_read_sample(struct otlp_reader *r, struct otlp_span sample, struct err *err);

#endif

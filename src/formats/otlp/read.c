/*
 * read.c - OTLP messages as a profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The messages are read three times: for the release, for the sample types, which must be known before the first row,
 * and for the samples.
 */
#include "config.h"

#include "formats/otlp/otlp.h"
#include "formats/otlp/otlp_int.h"

#include "base/buf.h"
#include "base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { MESSAGE_RESOURCES = 1, MESSAGE_DICTIONARY, RESOURCE_OWN = 1, RESOURCE_SCOPES, SCOPE_OWN = 1, SCOPE_PROFILES };
enum { CONTAINER_PROFILE = 8, CONTAINER_ATTRIBUTES = 4 };
enum { PROFILE_TYPES = 1, INLINE_ATTRIBUTES = 18, ATTRIBUTES_OF_1_8 = 12, COMMENTS_OF_1_8 = 7, PROFILE_ID_BYTES = 16 };
enum { RESOURCE_ATTRIBUTES = 1, SCOPE_ATTRIBUTES = 3 };

typedef int (*otlp_read_fn)(struct otlp_reader *r, struct otlp_span message, struct err *err);

/* Call read for each message in a field. */
static int otlp_for_each(struct otlp_reader *r, struct otlp_span message, uint64_t number, otlp_read_fn read,
			 const char *what, struct err *err)
{
	struct cursor c = otlp_cursor(message);
	struct field f;
	size_t i = 0;
	int rc = 0;

	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number != number || f.type != WIRE_BYTES)
			continue;
		i++;
		rc = read(r, otlp_field_span(&f), err);
		if (rc < 0)
			err_wrap(err, "%s %zu", what, i);
	}
	return rc < 0 ? rc : otlp_check(&c, err);
}

/* Read a ValueType. */
static int otlp_read_type(const struct otlp_reader *r, struct otlp_span message, struct value_type *out,
			  struct err *err)
{
	struct cursor c = otlp_cursor(message);
	struct field f;
	int rc = 0;

	*out = (struct value_type){ 0 };
	while (rc == 0 && otlp_next_field(&c, &f))
		if (f.type == WIRE_VARINT && f.number <= 2)
			rc = otlp_string(r, f.value, f.number == 1 ? "type" : "unit",
					 f.number == 1 ? &out->name : &out->unit, err);
	return rc < 0 ? rc : otlp_check(&c, err);
}

/* The column of a type; in the first pass it is added. */
static int otlp_find_column(struct otlp_reader *r, const struct value_type *type, uint32_t *out, struct err *err)
{
	size_t i = 0;

	while (i < r->n_types && (r->type[i].name != type->name || r->type[i].unit != type->unit))
		i++;
	if (i == OTLP_TYPES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d sample types", (int)OTLP_TYPES_MAX);
	if (i == r->n_types)
		r->type[r->n_types++] = *type;
	*out = (uint32_t)i;
	return 0;
}

/* Add the type of a profile. */
static int otlp_add_type(struct otlp_reader *r, struct otlp_span message, struct err *err)
{
	struct value_type type;
	int rc = otlp_read_type(r, message, &type, err);

	if (rc == 0 && r->n_columns == OTLP_TYPES_MAX)
		return err_set(err, ERR_LIMIT, "more than %d sample types", (int)OTLP_TYPES_MAX);
	return rc < 0 ? rc : otlp_find_column(r, &type, &r->column[r->n_columns++], err);
}

/* Keep the earliest time of all profiles. */
static void otlp_set_time(struct otlp_reader *r, uint64_t time_ns)
{
	if (time_ns > 0 && time_ns <= INT64_MAX && (r->first_time_ns == 0 || time_ns < r->first_time_ns))
		r->first_time_ns = time_ns;
}

static int otlp_read_sample_number(struct otlp_reader *r, struct otlp_span sample, struct err *err)
{
	r->n_samples++;
	return otlp_read_sample(r, sample, err);
}

/* Add comments of releases before 1.8. */
static int otlp_add_profile_comments(struct otlp_reader *r, const struct field *f, struct err *err)
{
	struct otlp_ints index = { 0 };
	int rc = otlp_add_ints(&index, f, false, err);

	for (size_t i = 0; rc == 0 && i < index.n; i++) {
		str_id text;

		rc = otlp_string(r, index.v[i], "comment", &text, err);
		if (rc == 0)
			builder_comment(r->b, text);
	}
	free(index.v);
	return rc;
}

/* Is it a list of comments? In 1.8, which is read like 1.9, it has the number that the id of the profile has later. */
static bool otlp_has_comments(const struct otlp_reader *r, const struct field *f)
{
	if (r->release < OTLP_1_8)
		return r->fields->profile_comments && f->number == r->fields->profile_comments;
	return f->number == COMMENTS_OF_1_8 &&
	       (f->type == WIRE_VARINT ||
		(r->release == OTLP_1_8 && f->type == WIRE_BYTES && f->n != PROFILE_ID_BYTES));
}

/* Fill in the source of a profile. */
static int otlp_read_source(struct otlp_reader *r, struct otlp_span profile, struct otlp_source *to, struct err *err)
{
	const struct otlp_fields *n = r->fields;
	struct cursor c = otlp_cursor(profile);
	struct field f;
	int rc = 0;

	for (size_t i = 0; i < r->n_columns; i++)
		to->types |= UINT64_C(1) << r->column[i];
	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == n->profile_time && f.value <= INT64_MAX)
			to->time_ns = (int64_t)f.value;
		else if (f.number == n->profile_duration && f.value <= INT64_MAX)
			to->duration_ns = (int64_t)f.value;
		else if (f.number == n->profile_period)
			to->period = (int64_t)f.value;
		else if (f.number == n->profile_period_type && f.type == WIRE_BYTES && f.n > 0)
			rc = otlp_read_type(r, otlp_field_span(&f), &to->period_type, err);
	}
	to->has_period_type = to->period_type.name != 0;
	return rc;
}

/* Read the fields of a profile except its samples. */
static int otlp_read_profile_fields(struct otlp_reader *r, struct otlp_span profile, struct err *err)
{
	const struct otlp_fields *n = r->fields;
	struct profile_meta *meta = builder_meta(r->b);
	struct cursor c = otlp_cursor(profile);
	struct field f;
	int rc = 0;

	while (rc == 0 && otlp_next_field(&c, &f)) {
		if (f.number == PROFILE_TYPES && f.type == WIRE_BYTES) {
			rc = otlp_add_type(r, otlp_field_span(&f), err);
		} else if (n->profile_indices && f.number == n->profile_indices) {
			rc = otlp_add_ints(&r->indices, &f, false, err);
		} else if (f.number == n->profile_time) {
			otlp_set_time(r, f.value);
		} else if (f.number == n->profile_duration && f.value <= INT64_MAX) {
			meta->duration_ns = (int64_t)f.value > meta->duration_ns ? (int64_t)f.value : meta->duration_ns;
		} else if (f.number == n->profile_period_type && f.type == WIRE_BYTES && !meta->has_period_type) {
			rc = otlp_read_type(r, otlp_field_span(&f), &meta->period_type, err);
			meta->has_period_type = f.n > 0;
		} else if (f.number == n->profile_period && meta->period == 0) {
			meta->period = (int64_t)f.value;
		} else if ((n->profile_attributes && f.number == n->profile_attributes) ||
			   (r->release == OTLP_1_4 && f.number == INLINE_ATTRIBUTES) ||
			   (r->release == OTLP_1_8 && f.number == ATTRIBUTES_OF_1_8)) {
			skipped_add(&r->profile_attributes, r->n_profiles);
		} else if (!r->finds_types && otlp_has_comments(r, &f)) {
			rc = otlp_add_profile_comments(r, &f, err);
		}
	}
	return rc < 0 ? rc : otlp_check(&c, err);
}

/* Set the default sample type of the first profile that has one. */
static int otlp_set_default(struct otlp_reader *r, struct otlp_span profile, struct err *err)
{
	struct cursor c = otlp_cursor(profile);
	struct field f;

	while (otlp_next_field(&c, &f)) {
		if (!r->fields->profile_default_type || f.number != r->fields->profile_default_type || r->default_type)
			continue;
		if (r->release == OTLP_1_3 || r->release == OTLP_1_4)
			return otlp_string(r, f.value, "default sample type", &r->default_type, err);
		if (f.value < r->n_columns)
			r->default_type = r->type[r->column[f.value]].name;
	}
	return otlp_check(&c, err);
}

static int otlp_read_profile(struct otlp_reader *r, struct otlp_span profile, struct err *err)
{
	struct cursor c = otlp_cursor(profile);
	struct otlp_span inner = { 0 };
	struct field f;
	int rc = 0;

	r->n_profiles++;
	if (r->release == OTLP_1_3) {
		while (otlp_next_field(&c, &f)) {
			if (f.number == CONTAINER_PROFILE && f.type == WIRE_BYTES)
				inner = otlp_field_span(&f);
			else if (f.number == CONTAINER_ATTRIBUTES)
				skipped_add(&r->profile_attributes, r->n_profiles);
		}
		rc = otlp_check(&c, err);
		profile = inner;
	}
	if (rc == 0 && r->release <= OTLP_1_4)
		rc = otlp_tables_read(r, profile, err);
	r->n_columns = r->indices.n = 0;
	rc = rc < 0 ? rc : otlp_read_profile_fields(r, profile, err);
	rc = rc < 0 ? rc : otlp_set_default(r, profile, err);
	if (rc < 0 || r->finds_types)
		return rc;
	if (r->sources) {
		rc = otlp_sources_add(r, err);
		rc = rc < 0 ? rc : otlp_read_source(r, profile, &r->sources->source[r->sources->n - 1], err);
	}
	if (rc < 0)
		return rc;
	if (r->n_columns == 0)
		return profile.n ? err_set(err, ERR_FORMAT, "no sample type") : 0;
	return otlp_for_each(r, profile, r->fields->profile_samples, otlp_read_sample_number, "sample", err);
}

/* Add the attributes of a resource. */
static int otlp_read_own(struct otlp_reader *r, struct otlp_span own, struct err *err)
{
	return r->finds_types ? 0 : otlp_for_each(r, own, RESOURCE_ATTRIBUTES, otlp_add_attribute, "attribute", err);
}

static int otlp_read_scope_own(struct otlp_reader *r, struct otlp_span own, struct err *err)
{
	return r->finds_types ? 0 : otlp_for_each(r, own, SCOPE_ATTRIBUTES, otlp_add_attribute, "attribute", err);
}

static int otlp_read_scope(struct otlp_reader *r, struct otlp_span scope, struct err *err)
{
	struct otlp_label label[OTLP_LABELS_MAX]; /* of the resource */
	size_t n_labels = r->n_labels;
	int rc;

	memcpy(label, r->label, n_labels * sizeof(*label));
	r->n_replaceable = n_labels;
	rc = otlp_for_each(r, scope, SCOPE_OWN, otlp_read_scope_own, "scope", err);
	memcpy(r->inherited, r->label, r->n_labels * sizeof(*label));
	r->n_inherited = r->n_labels;
	rc = rc < 0 ? rc : otlp_for_each(r, scope, SCOPE_PROFILES, otlp_read_profile, "profile", err);
	memcpy(r->label, label, n_labels * sizeof(*label));
	r->n_labels = n_labels;
	return rc;
}

static int otlp_read_resource(struct otlp_reader *r, struct otlp_span resource, struct err *err)
{
	int rc;

	r->n_labels = r->n_replaceable = 0;
	rc = otlp_for_each(r, resource, RESOURCE_OWN, otlp_read_own, "resource", err);
	if (rc == 0 && r->sources && !r->finds_types)
		rc = otlp_sources_add_resource(r, err);
	return rc < 0 ? rc : otlp_for_each(r, resource, RESOURCE_SCOPES, otlp_read_scope, "scope", err);
}

static int otlp_read_message(struct otlp_reader *r, struct otlp_span message, struct err *err)
{
	struct cursor c = otlp_cursor(message);
	struct otlp_span dictionary = { 0 };
	struct field f;
	int rc = 0;

	while (r->release >= OTLP_1_7 && otlp_next_field(&c, &f))
		if (f.number == MESSAGE_DICTIONARY && f.type == WIRE_BYTES)
			dictionary = otlp_field_span(&f);
	if (r->release >= OTLP_1_6)
		rc = otlp_tables_read(r, r->release == OTLP_1_6 ? message : dictionary, err);
	return rc < 0 ? rc : otlp_for_each(r, message, MESSAGE_RESOURCES, otlp_read_resource, "resource", err);
}

/* Read all messages, for their types or their samples. */
static int otlp_read_messages(struct otlp_reader *r, struct otlp_span data, enum otlp_framing framing, struct err *err)
{
	struct otlp_span message;
	size_t i = 0;
	int rc = 0;

	while (rc == 0 && otlp_next_message(&data, framing, &message)) {
		i++;
		rc = otlp_read_message(r, message, err);
		if (rc < 0 && framing != OTLP_BARE)
			err_wrap(err, "message %zu", i);
	}
	return rc;
}

static void otlp_add_comments(struct otlp_reader *r)
{
	skipped_add_comment(&r->empty, r->b, "otlp: counted 0 for", "sample with neither a value nor a time stamp",
			    "samples with neither a value nor a time stamp", "sample");
	skipped_add_comment(&r->profile_attributes, r->b, "otlp: skipped", "list of attributes of a profile",
			    "lists of attributes of profiles", "profile");
	skipped_add_comment(&r->location_attributes, r->b, "otlp: skipped the attributes of", "location", "locations",
			    "entry");
	skipped_add_comment(&r->untimed, r->b, "otlp: left without times",
			    "sample with one value for several time stamps",
			    "samples with one value for several time stamps", "sample");
	if (r->unknown) {
		struct buf one = { 0 }, many = { 0 };

		buf_addf(&one, "unknown key of JSON, %s", r->unknown->first);
		buf_addf(&many, "unknown keys of JSON, the first one %s", r->unknown->first);
		skipped_add_comment(&r->unknown->count, r->b, "otlp: skipped", buf_text(&one), buf_text(&many), NULL);
		buf_release(&one);
		buf_release(&many);
	}
}

static int otlp_read_data(struct otlp_reader *r, struct otlp_span data, enum otlp_framing framing, struct err *err)
{
	struct profile_meta *meta = builder_meta(r->b);
	int rc;

	r->fields = &otlp_fields[r->release];
	r->finds_types = true;
	rc = otlp_read_messages(r, data, framing, err);
	if (rc == 0 && r->n_types == 0 && !r->sources)
		return err_set(err, ERR_FORMAT, "no profile");
	for (size_t i = 0; i < r->n_types; i++)
		builder_type(r->b, r->type[i].name, r->type[i].unit);
	meta->time_ns = (int64_t)r->first_time_ns;
	meta->default_type = r->default_type;
	r->finds_types = false;
	r->n_profiles = 0;
	memset(&r->profile_attributes, 0, sizeof(r->profile_attributes));
	rc = rc < 0 ? rc : otlp_read_messages(r, data, framing, err);
	if (rc == 0)
		otlp_add_comments(r);
	return rc;
}

static void otlp_release(struct otlp_reader *r)
{
	otlp_tables_release(&r->tables);
	location_table_free(r->locations);
	named_frames_free(r->frames);
	builder_free(r->b);
	merged_rows_free(r->rows);
	free(r->indices.v);
	free(r->values.v);
	free(r->attributes.v);
	free(r->times.v);
	free(r->direct.v);
	free(r->stack);
	free(r->line);
}

/* Read messages of a release. */
static int otlp_read_release(struct otlp_span data, enum otlp_framing framing, enum otlp_release release,
			     const struct otlp_skipped_keys *unknown, struct otlp_sources *sources,
			     const struct format_options *options, struct profile **out, struct err *err)
{
	struct otlp_reader r = { .options = options,
				 .release = release,
				 .unknown = unknown,
				 .sources = sources,
				 .b = builder_new(),
				 .max_frames = (uint64_t)data.n * OTLP_FRAMES_PER_BYTE };
	int rc;

	r.frames = named_frames_new(r.b, options);
	r.locations = location_table_new(r.b, options);
	r.rows = merged_rows_new(r.b, options, data.n);
	idtab_init(&r.tables.unit_at, 1);
	rc = otlp_read_data(&r, data, framing, err);
	if (rc == 0)
		*out = builder_seal(r.b);
	else
		err_wrap(err, "OTLP");
	otlp_release(&r);
	return rc;
}

/* As otlp_read_sources, for protocol buffers. sources may be NULL. */
static int otlp_read_proto(const uint8_t *data, size_t n, struct otlp_sources *sources,
			   const struct format_options *options, struct profile **out, struct err *err)
{
	const struct otlp_span all = { data, n };
	enum otlp_framing framing;
	enum otlp_release release;

	if (!otlp_find_framing(data, n, &framing)) {
		if (otlp_probe(data, n) != FORMAT_SURE)
			return ERR_UNKNOWN;
		return err_set(err, ERR_FORMAT, "OTLP profiles that are truncated");
	}
	if (otlp_find_release(all, framing, &release, err) < 0)
		return err_wrap(err, "OTLP");
	return otlp_read_release(all, framing, release, NULL, sources, options, out, err);
}

int otlp_read(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
	      struct err *err)
{
	return otlp_read_proto(data, n, NULL, options, out, err);
}

int otlp_read_sources(const uint8_t *data, size_t n, const struct format_options *options, struct otlp_sources *sources,
		      struct profile **out, struct err *err)
{
	int rc;

	if (n > 0 && data[0] == '{')
		return otlp_json_read_sources(data, n, sources, options, out, err);
	rc = otlp_read_proto(data, n, sources, options, out, err);
	return rc == ERR_UNKNOWN ? err_set(err, ERR_FORMAT, "not a message of OTLP profiles") : rc;
}

int otlp_read_messages_of(const uint8_t *data, size_t n, const struct otlp_skipped_keys *unknown,
			  struct otlp_sources *sources, const struct format_options *options, struct profile **out,
			  struct err *err)
{
	return otlp_read_release((struct otlp_span){ data, n }, OTLP_VARINT, OTLP_1_10, unknown, sources, options, out,
				 err);
}

/*
 * fields.c - the numbers of the fields in each release, and the release of a file
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * From the tags of github.com/open-telemetry/opentelemetry-proto. The numbers changed in releases 1.4, 1.6, 1.7, 1.8 and
 * 1.10. Those of samples changed without any other sign in 1.10: read with the numbers of 1.9, all values are missing.
 */
#include "config.h"

#include "formats/otlp/otlp_int.h"

#include "base/mem.h"

#include <stdlib.h>

enum { ROOT_RESOURCES = 1, ROOT_DICTIONARY, RESOURCE_SCOPES = 2, SCOPE_PROFILES = 2 };

const struct otlp_fields otlp_fields[OTLP_RELEASES] = {
	[OTLP_1_3] = { .table = { 3, 4, 5, 18, 6, 16, 17, 0 },
		       .profile_samples = 2,
		       .profile_indices = 15,
		       .profile_time = 9,
		       .profile_duration = 10,
		       .profile_period_type = 11,
		       .profile_period = 12,
		       .profile_default_type = 14,
		       .profile_comments = 13,
		       .sample_stack = 7,
		       .sample_length = 8,
		       .sample_values = 2,
		       .sample_attributes = 10,
		       .sample_link = 12,
		       .sample_times = 13,
		       .mapping_start = 2,
		       .mapping_limit = 3,
		       .mapping_offset = 4,
		       .mapping_file = 5,
		       .mapping_build_id = 6,
		       .mapping_attributes = 12,
		       .location_mapping = 2,
		       .location_address = 3,
		       .location_lines = 4,
		       .location_attributes = 7,
		       .function_name = 2,
		       .function_system_name = 3,
		       .function_file = 4,
		       .function_start = 5 },
	[OTLP_1_4] = { .table = { 3, 4, 6, 9, 10, 7, 8, 0 },
		       .profile_samples = 2,
		       .profile_indices = 5,
		       .profile_time = 11,
		       .profile_duration = 12,
		       .profile_period_type = 13,
		       .profile_period = 14,
		       .profile_default_type = 16,
		       .profile_attributes = 22,
		       .profile_comments = 15,
		       .sample_stack = 1,
		       .sample_length = 2,
		       .sample_values = 3,
		       .sample_attributes = 4,
		       .sample_link = 5,
		       .sample_times = 6,
		       .mapping_start = 1,
		       .mapping_limit = 2,
		       .mapping_offset = 3,
		       .mapping_file = 4,
		       .mapping_attributes = 5,
		       .location_mapping = 1,
		       .location_address = 2,
		       .location_lines = 3,
		       .location_attributes = 5,
		       .function_name = 1,
		       .function_system_name = 2,
		       .function_file = 3,
		       .function_start = 4 },
	[OTLP_1_6] = { .table = { 2, 3, 4, 5, 6, 7, 8, 0 },
		       .profile_samples = 2,
		       .profile_indices = 3,
		       .profile_time = 4,
		       .profile_duration = 5,
		       .profile_period_type = 6,
		       .profile_period = 7,
		       .profile_default_type = 9,
		       .profile_attributes = 14,
		       .profile_comments = 8,
		       .sample_stack = 1,
		       .sample_length = 2,
		       .sample_values = 3,
		       .sample_attributes = 4,
		       .sample_link = 5,
		       .sample_times = 6,
		       .mapping_start = 1,
		       .mapping_limit = 2,
		       .mapping_offset = 3,
		       .mapping_file = 4,
		       .mapping_attributes = 5,
		       .location_mapping = 1,
		       .location_address = 2,
		       .location_lines = 3,
		       .location_attributes = 5,
		       .function_name = 1,
		       .function_system_name = 2,
		       .function_file = 3,
		       .function_start = 4 },
	[OTLP_1_7] = { .table = { 1, 2, 3, 4, 5, 6, 7, 0 },
		       .profile_samples = 2,
		       .profile_indices = 3,
		       .profile_time = 4,
		       .profile_duration = 5,
		       .profile_period_type = 6,
		       .profile_period = 7,
		       .profile_default_type = 9,
		       .profile_attributes = 14,
		       .profile_comments = 8,
		       .sample_stack = 1,
		       .sample_length = 2,
		       .sample_values = 3,
		       .sample_attributes = 4,
		       .sample_link = 5,
		       .sample_times = 6,
		       .mapping_start = 1,
		       .mapping_limit = 2,
		       .mapping_offset = 3,
		       .mapping_file = 4,
		       .mapping_attributes = 5,
		       .location_mapping = 1,
		       .location_address = 2,
		       .location_lines = 3,
		       .location_attributes = 5,
		       .function_name = 1,
		       .function_system_name = 2,
		       .function_file = 3,
		       .function_start = 4 },
	[OTLP_1_8] = { .table = { 1, 2, 3, 4, 5, 6, 0, 7 },
		       .profile_samples = 2,
		       .profile_time = 3,
		       .profile_duration = 4,
		       .profile_period_type = 5,
		       .profile_period = 6,
		       .profile_attributes = 11,
		       .sample_stack = 1,
		       .sample_values = 2,
		       .sample_attributes = 3,
		       .sample_link = 4,
		       .sample_times = 5,
		       .mapping_start = 1,
		       .mapping_limit = 2,
		       .mapping_offset = 3,
		       .mapping_file = 4,
		       .mapping_attributes = 5,
		       .location_mapping = 1,
		       .location_address = 2,
		       .location_lines = 3,
		       .location_attributes = 4,
		       .function_name = 1,
		       .function_system_name = 2,
		       .function_file = 3,
		       .function_start = 4 },
	[OTLP_1_10] = { .table = { 1, 2, 3, 4, 5, 6, 0, 7 },
			.profile_samples = 2,
			.profile_time = 3,
			.profile_duration = 4,
			.profile_period_type = 5,
			.profile_period = 6,
			.profile_attributes = 11,
			.sample_stack = 1,
			.sample_attributes = 2,
			.sample_link = 3,
			.sample_values = 4,
			.sample_times = 5,
			.mapping_start = 1,
			.mapping_limit = 2,
			.mapping_offset = 3,
			.mapping_file = 4,
			.mapping_attributes = 5,
			.location_mapping = 1,
			.location_address = 2,
			.location_lines = 3,
			.location_attributes = 4,
			.function_name = 1,
			.function_system_name = 2,
			.function_file = 3,
			.function_start = 4 },
};

/* The signs of releases in all messages. */
struct otlp_signs {
	bool has_root_tables;                /* 1.6 */
	bool has_dictionary;                 /* since 1.7 */
	bool has_container, has_own_strings; /* 1.3; 1.4 */
	bool has_indices, has_fixed_time;    /* of a profile: 1.7; since 1.8 */
	bool has_stacks;                     /* since 1.8 */
	uint64_t n_attributes, n_links;      /* entries of the tables of the current message */

	/* Of samples since 1.8, read with the numbers of fields before 1.10 [0], and of 1.10 [1]. */
	bool has_wrong_type[2];    /* a list in place of a link */
	size_t n_wrong_indices[2]; /* attributes and links that do not exist */
	size_t n_empty[2];         /* samples without a value and a time stamp */
	size_t n_unpacked[2];      /* lists that are not packed, as libraries do */
};

/* The number of indices that do not exist. */
static size_t otlp_count_wrong(const struct field *f, uint64_t n, struct otlp_ints *ints)
{
	size_t wrong = 0;
	struct err err;

	ints->n = 0;
	if (otlp_add_ints(ints, f, false, &err) < 0)
		return 1;
	for (size_t i = 0; i < ints->n; i++)
		wrong += ints->v[i] >= n && ints->v[i] != 0;
	return wrong;
}

/* Samples before 1.10 have values 2, attributes 3 and link 4; since then attributes 2, link 3 and values 4. */
static void otlp_sign_sample(struct otlp_signs *s, struct otlp_span sample, struct otlp_ints *ints)
{
	struct cursor c = otlp_cursor(sample);
	struct field f;
	bool has[6] = { false };

	while (otlp_next_field(&c, &f)) {
		bool is_list = f.type == WIRE_BYTES;

		if (f.number < sizeof(has) / sizeof(has[0]))
			has[f.number] = true;
		if (f.number == 2) {
			s->n_wrong_indices[1] += otlp_count_wrong(&f, s->n_attributes, ints);
			s->n_unpacked[0] += !is_list;
			s->n_unpacked[1] += !is_list;
		} else if (f.number == 3) {
			s->n_wrong_indices[0] += otlp_count_wrong(&f, s->n_attributes, ints);
			s->n_unpacked[0] += !is_list;
			s->has_wrong_type[1] |= is_list;
			s->n_wrong_indices[1] += f.value != 0 && f.value >= s->n_links;
		} else if (f.number == 4) {
			s->n_unpacked[1] += !is_list;
			s->has_wrong_type[0] |= is_list;
			s->n_wrong_indices[0] += f.value != 0 && f.value >= s->n_links;
		}
	}
	s->n_empty[0] += !has[2] && !has[5];
	s->n_empty[1] += !has[4] && !has[5];
}

static void otlp_sign_profile(struct otlp_signs *s, struct otlp_span profile, struct otlp_ints *ints)
{
	struct cursor c = otlp_cursor(profile);
	struct field f;
	bool has_container = false, has_own_strings = false;

	while (otlp_next_field(&c, &f)) {
		has_container |= f.number == 2 && f.type == WIRE_FIXED64;
		has_container |= f.number == 8 && f.type == WIRE_BYTES;
		has_own_strings |= f.number == 10 && f.type == WIRE_BYTES;
		s->has_indices |= (f.number == 3 && f.type == WIRE_BYTES) || (f.number == 5 && f.type == WIRE_VARINT);
		s->has_fixed_time |=
			(f.number == 3 && f.type == WIRE_FIXED64) || (f.number == 5 && f.type == WIRE_BYTES);
		if (f.number == 2 && f.type == WIRE_BYTES)
			otlp_sign_sample(s, otlp_field_span(&f), ints);
	}
	s->has_own_strings |= has_own_strings;
	s->has_container |= has_container && !has_own_strings;
}

static void otlp_sign_dictionary(struct otlp_signs *s, struct otlp_span dictionary)
{
	struct cursor c = otlp_cursor(dictionary);
	struct field f, inner;

	s->has_dictionary = true;
	while (otlp_next_field(&c, &f)) {
		s->n_attributes += f.number == 6;
		s->n_links += f.number == 4;
		if (f.number == 7 && f.type == WIRE_BYTES) {
			struct cursor stack = otlp_cursor(otlp_field_span(&f));

			s->has_stacks |=
				otlp_next_field(&stack, &inner) && inner.number == 1 && inner.type == WIRE_BYTES;
		}
	}
}

/* Call sign for each profile of a resource. */
static void otlp_sign_resource(struct otlp_signs *s, struct otlp_span resource, struct otlp_ints *ints)
{
	struct cursor c = otlp_cursor(resource);
	struct field f, p;

	while (otlp_next_field(&c, &f)) {
		struct cursor scope;

		if (f.number != RESOURCE_SCOPES || f.type != WIRE_BYTES)
			continue;
		scope = otlp_cursor(otlp_field_span(&f));
		while (otlp_next_field(&scope, &p))
			if (p.number == SCOPE_PROFILES && p.type == WIRE_BYTES)
				otlp_sign_profile(s, otlp_field_span(&p), ints);
	}
}

static int otlp_sign_message(struct otlp_signs *s, struct otlp_span message, struct otlp_ints *ints, struct err *err)
{
	struct cursor c = otlp_cursor(message);
	struct field f;

	while (otlp_next_field(&c, &f))
		s->has_root_tables |= f.number > ROOT_DICTIONARY && f.type == WIRE_BYTES;
	s->n_attributes = s->n_links = 0;
	if (otlp_check(&c, err) < 0)
		return err->code;
	c = otlp_cursor(message);
	while (!s->has_root_tables && otlp_next_field(&c, &f))
		if (f.number == ROOT_DICTIONARY && f.type == WIRE_BYTES)
			otlp_sign_dictionary(s, otlp_field_span(&f));
	c = otlp_cursor(message);
	while (otlp_next_field(&c, &f))
		if (f.number == ROOT_RESOURCES && f.type == WIRE_BYTES)
			otlp_sign_resource(s, otlp_field_span(&f), ints);
	return 0;
}

/*
 * Return true if the samples are of release 1.10 or later. A writer may leave out fields and pack lists or not, so the
 * numbers of fields do not decide alone: the fields must make sense.
 */
static bool otlp_is_new(const struct otlp_signs *s)
{
	if (s->has_wrong_type[0] != s->has_wrong_type[1])
		return s->has_wrong_type[0];
	if ((s->n_wrong_indices[0] == 0) != (s->n_wrong_indices[1] == 0))
		return s->n_wrong_indices[1] == 0;
	if (s->n_empty[0] != s->n_empty[1])
		return s->n_empty[1] < s->n_empty[0];
	return s->n_unpacked[1] <= s->n_unpacked[0];
}

static int otlp_decide(const struct otlp_signs *s, enum otlp_release *release, struct err *err)
{
	if (s->has_root_tables) {
		*release = OTLP_1_6;
	} else if (!s->has_dictionary && (s->has_container || s->has_own_strings)) {
		if (s->has_container && s->has_own_strings)
			return err_set(err, ERR_FORMAT, "profiles of release 1.3 and of 1.4 in one file");
		*release = s->has_container ? OTLP_1_3 : OTLP_1_4;
	} else if (!s->has_stacks && s->has_indices && !s->has_fixed_time) {
		*release = OTLP_1_7;
	} else if (s->has_wrong_type[0] && s->has_wrong_type[1]) {
		return err_set(err, ERR_FORMAT, "samples of release 1.9 and of 1.10 in one file");
	} else {
		*release = otlp_is_new(s) ? OTLP_1_10 : OTLP_1_8;
	}
	return 0;
}

int otlp_find_release(struct otlp_span data, enum otlp_framing framing, enum otlp_release *release, struct err *err)
{
	struct otlp_signs signs = { 0 };
	struct otlp_ints ints = { 0 };
	struct otlp_span message;
	int rc = 0;

	while (rc == 0 && otlp_next_message(&data, framing, &message))
		rc = otlp_sign_message(&signs, message, &ints, err);
	free(ints.v);
	return rc < 0 ? rc : otlp_decide(&signs, release, err);
}

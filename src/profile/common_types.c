/*
 * common_types.c - sample types that profiles have in common, so that they can be added
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/common_types.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/unit.h"
#include "profile/keys.h"
#include "profile/scale.h"

#include <assert.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TYPES_SHOWN = 6, SHORT_NAME_MAX = 40 };

/* Matches types to those of the first profile, by name and, for duplicate names, by order. */
struct common_types_matcher {
	const struct common_types_options *options;
	struct strtab *names;
	bool has_space_type, has_objects_type; /* does the current profile have a type named space or objects? */
	struct keys slots;         /* name << 32 | number of earlier types of that name -> type of the first profile */
	uint32_t *count;           /* [n_counts] by name: types seen in the current profile */
	size_t n_counts;           /* at least the number of names */
	uint32_t *type_index;      /* [n][types of the first profile] index in profile i, or PROFILE_NONE */
	uint32_t *n_profiles_with; /* [types of the first profile] number of profiles with it */
};

static void common_types_matcher_init(struct common_types_matcher *c, const struct profile *const *src, size_t n,
				      const struct common_types_options *options)
{
	uint32_t n_types = src[0]->n_types;

	*c = (struct common_types_matcher){ .options = options, .names = strtab_new() };
	keys_init(&c->slots, 1, n_types);
	c->n_counts = 1; /* the name "" */
	for (size_t i = 0; i < n; i++)
		c->n_counts += src[i]->n_types;
	c->count = mem_zalloc(c->n_counts, sizeof(*c->count));
	c->type_index = mem_alloc(n * n_types, sizeof(*c->type_index));
	memset(c->type_index, 0xff, n * n_types * sizeof(*c->type_index));
	c->n_profiles_with = mem_zalloc(n_types, sizeof(*c->n_profiles_with));
}

static void common_types_matcher_release(struct common_types_matcher *c)
{
	strtab_free(c->names);
	keys_release(&c->slots);
	free(c->count);
	free(c->type_index);
	free(c->n_profiles_with);
}

/*
 * The name by which a type is compared. inuse_space in heap profiles of Go is the same as space in those of C++ and
 * others, unless a profile contains both.
 */
static str_id matcher_name(struct common_types_matcher *c, const struct profile *p, uint32_t type)
{
	str_id name = p->type[type].name;
	const char *text = profile_text(p, name);

	if (c->options->intersect && ((strcmp(text, "inuse_space") == 0 && !c->has_space_type) ||
				      (strcmp(text, "inuse_objects") == 0 && !c->has_objects_type)))
		return strtab_addz(c->names, text + strlen("inuse_"));
	return strtab_add(c->names, text, strtab_len(p->str, name));
}

static void find_plain_names(struct common_types_matcher *c, const struct profile *p)
{
	c->has_space_type = c->has_objects_type = false;
	for (uint32_t t = 0; t < p->n_types; t++) {
		c->has_space_type |= strcmp(profile_text(p, p->type[t].name), "space") == 0;
		c->has_objects_type |= strcmp(profile_text(p, p->type[t].name), "objects") == 0;
	}
}

static int match_type(struct common_types_matcher *c, const struct profile *p, uint32_t type, bool is_first,
		      uint32_t *slot, struct err *err)
{
	str_id name = matcher_name(c, p, type);
	uint64_t key = (uint64_t)name << 32 | c->count[name]++, h = keys_hash(&key, 1);

	*slot = PROFILE_NONE;
	if (is_first)
		return keys_add(&c->slots, &key, 1, h, slot, err);
	keys_find(&c->slots, &key, 1, h, slot);
	return 0;
}

/* Store the indices in profile i of the types of the first profile. */
static int match_profile(struct common_types_matcher *c, const struct profile *p, uint32_t n_types, size_t i,
			 struct err *err)
{
	uint32_t slot;

	find_plain_names(c, p);
	for (uint32_t t = 0; t < p->n_types; t++) {
		if (match_type(c, p, t, i == 0, &slot, err) < 0)
			return ERR_LIMIT;
		if (slot == PROFILE_NONE)
			continue;
		c->type_index[i * n_types + slot] = t;
		c->n_profiles_with[slot]++;
	}
	for (uint32_t t = 0; t < p->n_types; t++)
		c->count[matcher_name(c, p, t)] = 0;
	return 0;
}

static uint32_t count_common(const struct common_types_matcher *c, uint32_t n_types, size_t n_profiles)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < n_types; t++)
		n += c->n_profiles_with[t] == n_profiles;
	return n;
}

/* Append the names of the types: "cpu, wall". */
static void add_type_names(struct buf *b, const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types && t < TYPES_SHOWN; t++)
		buf_addf(b, "%s%.100s", t ? ", " : "", profile_text(p, p->type[t].name));
	if (p->n_types > TYPES_SHOWN)
		buf_addz(b, " and others");
}

/* The name of profile i in messages. */
static const char *profile_name(const struct common_types_options *options, size_t i, char buf[SHORT_NAME_MAX])
{
	if (options->name)
		return options->name[i];
	snprintf(buf, SHORT_NAME_MAX, "profile %zu", i + 1);
	return buf;
}

static int common_types_no_common_type(const struct profile *const *src, size_t i,
				       const struct common_types_options *options, struct err *err)
{
	struct buf other_names = { 0 }, first = { 0 };
	char a[SHORT_NAME_MAX], b[SHORT_NAME_MAX];

	add_type_names(&other_names, src[i]);
	add_type_names(&first, src[0]);
	err_set(err, ERR_FORMAT, "no common sample type: %.200s has %s, %.200s has %s", profile_name(options, 0, a),
		buf_text(&first), profile_name(options, i, b), buf_text(&other_names));
	buf_release(&other_names);
	buf_release(&first);
	return ERR_FORMAT;
}

/* Fill in the types that all profiles have. */
static void fill_types(const struct common_types_matcher *c, uint32_t n_types, size_t n, struct common_types *out)
{
	uint32_t n_kept = 0;

	out->n_types = count_common(c, n_types, n);
	out->column = mem_alloc(n * out->n_types, sizeof(*out->column));
	for (uint32_t t = 0; t < n_types; t++) {
		if (c->n_profiles_with[t] != n)
			continue;
		for (size_t i = 0; i < n; i++)
			out->column[i * out->n_types + n_kept] = c->type_index[i * n_types + t];
		n_kept++;
	}
}

static const char *unit_text(const struct common_types *a, const struct profile *const *src, size_t i, uint32_t t)
{
	return profile_text(src[i], src[i]->type[a->column[i * a->n_types + t]].unit);
}

static bool has_compatible_units(const struct common_types *a, const struct profile *const *src, size_t n, uint32_t t)
{
	for (size_t i = 1; i < n; i++)
		if (!unit_is_compatible(unit_text(a, src, 0, t), unit_text(a, src, i, t)))
			return false;
	return true;
}

/* Remove the types with incompatible units. */
static int drop_incompatible_units(const struct profile *const *src, size_t n,
				   const struct common_types_options *options, struct common_types *a, struct err *err)
{
	uint32_t all = a->n_types, n_kept = 0, *keep = mem_alloc(all, sizeof(*keep));

	for (uint32_t t = 0; t < all; t++)
		if (has_compatible_units(a, src, n, t))
			keep[n_kept++] = t;
	for (size_t i = 0; i < n; i++) /* this works in place, because entries only move toward the start */
		for (uint32_t k = 0; k < n_kept; k++)
			a->column[i * n_kept + k] = a->column[i * all + keep[k]];
	a->n_types = n_kept;
	free(keep);
	return n_kept ? 0 : common_types_no_common_type(src, n - 1, options, err);
}

static int find_types(const struct profile *const *src, size_t n, const struct common_types_options *options,
		      struct common_types *out, struct err *err)
{
	uint32_t n_types = src[0]->n_types;
	struct common_types_matcher c;
	int rc = 0;

	common_types_matcher_init(&c, src, n, options);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = match_profile(&c, src[i], n_types, i, err);
		if (rc == 0 && count_common(&c, n_types, i + 1) == 0)
			rc = common_types_no_common_type(src, i, options, err);
	}
	if (rc == 0)
		fill_types(&c, n_types, n, out);
	common_types_matcher_release(&c);
	return rc == 0 && options->intersect ? drop_incompatible_units(src, n, options, out, err) : rc;
}

static int incompatible_unit(const struct profile *const *src, size_t i, uint32_t t,
			     const struct common_types_options *options, const struct common_types *a, struct err *err)
{
	char first[SHORT_NAME_MAX], other[SHORT_NAME_MAX];

	return err_set(
		err, ERR_FORMAT, "sample type %.100s has incompatible units: %.200s uses %.100s, %.200s uses %.100s",
		profile_text(src[0], src[0]->type[a->column[t]].name), profile_name(options, a->unit_source[t], first),
		unit_text(a, src, a->unit_source[t], t), profile_name(options, i, other), unit_text(a, src, i, t));
}

static int find_unit(const struct profile *const *src, size_t n, uint32_t t, const struct common_types_options *options,
		     struct common_types *a, struct err *err)
{
	const char *finest = unit_text(a, src, 0, t);

	a->unit_source[t] = 0;
	for (size_t i = 1; i < n; i++) {
		const char *unit = unit_text(a, src, i, t);

		if (!unit_is_compatible(finest, unit))
			return incompatible_unit(src, i, t, options, a, err);
		if (scale_is_finer(finest, unit)) {
			finest = unit;
			a->unit_source[t] = (uint32_t)i;
		}
	}
	for (size_t i = 0; i < n; i++)
		a->ratio[i * a->n_types + t] = scale_ratio(unit_text(a, src, i, t), finest);
	return 0;
}

static bool text_equal(const struct profile *a, str_id a_id, const struct profile *b, str_id b_id)
{
	size_t n = strtab_len(a->str, a_id);

	return n == strtab_len(b->str, b_id) && memcmp(profile_text(a, a_id), profile_text(b, b_id), n) == 0;
}

static int incompatible_period(const struct profile *const *src, size_t a, size_t b,
			       const struct common_types_options *options, struct err *err)
{
	const struct profile *pa = src[a], *pb = src[b];
	char first[SHORT_NAME_MAX], other[SHORT_NAME_MAX];

	return err_set(
		err, ERR_FORMAT,
		"incompatible period types: %.200s has \"%.100s\" in \"%.100s\", %.200s has \"%.100s\" in \"%.100s\"",
		profile_name(options, a, first), profile_text(pa, pa->meta.period_type.name),
		profile_text(pa, pa->meta.period_type.unit), profile_name(options, b, other),
		profile_text(pb, pb->meta.period_type.name), profile_text(pb, pb->meta.period_type.unit));
}

/* A profile without a period type has the type "" with unit "", as in pprof. */
static int common_types_find_period(const struct profile *const *src, size_t n,
				    const struct common_types_options *options, struct common_types *a, struct err *err)
{
	a->period_source = 0;
	for (size_t i = 1; i < n; i++) {
		const struct profile *finest = src[a->period_source];
		const struct value_type *n_kept = &finest->meta.period_type;
		const struct value_type *type = &src[i]->meta.period_type;

		if (!text_equal(finest, n_kept->name, src[i], type->name) ||
		    !unit_is_compatible(profile_text(finest, n_kept->unit), profile_text(src[i], type->unit))) {
			if (!options->intersect)
				return incompatible_period(src, a->period_source, i, options, err);
			a->has_mixed_periods = true;
			a->period_source = 0;
			return 0;
		}
		if (scale_is_finer(profile_text(finest, n_kept->unit), profile_text(src[i], type->unit)))
			a->period_source = (uint32_t)i;
	}
	return 0;
}

static int profile_common_types_find(const struct profile *const *src, size_t n,
				     const struct common_types_options *options, struct common_types *out,
				     struct err *err)
{
	int rc;

	*out = (struct common_types){ 0 };
	rc = find_types(src, n, options, out, err);
	if (rc < 0)
		return rc;
	out->ratio = mem_alloc(n * out->n_types, sizeof(*out->ratio));
	out->unit_source = mem_alloc(out->n_types, sizeof(*out->unit_source));
	rc = common_types_find_period(src, n, options, out, err);
	for (uint32_t t = 0; rc == 0 && t < out->n_types; t++)
		rc = find_unit(src, n, t, options, out, err);
	return rc;
}

int common_types_find(const struct profile *const *src, size_t n, const struct common_types_options *options,
		      struct common_types *out, struct err *err)
{
	const struct common_types_options intersect_options = { .intersect = true };
	struct common_types other;
	struct err first_err;
	int rc = profile_common_types_find(src, n, options, out, &first_err);

	assert(n > 0 && src && options && out);
	if (rc == ERR_FORMAT && !options->intersect) {
		bool helps = profile_common_types_find(src, n, &intersect_options, &other, NULL) == 0;

		common_types_release(&other);
		return err_set(err, rc, "%.900s%s", first_err.msg,
			       helps ? "; use --intersect-types to add only the common types" : "");
	}
	return rc < 0 ? err_set(err, rc, "%s", first_err.msg) : 0;
}

void common_types_release(struct common_types *a)
{
	free(a->column);
	free(a->ratio);
	free(a->unit_source);
	*a = (struct common_types){ 0 };
}

str_id common_types_default(const struct common_types *a, const struct profile *p, size_t i)
{
	const uint32_t *column = a->column + i * a->n_types;
	bool moved = a->n_types != p->n_types;

	for (uint32_t t = 0; t < a->n_types; t++) {
		if (p->type[column[t]].name == p->meta.default_type)
			return p->meta.default_type;
		moved = moved || column[t] != t;
	}
	return moved ? p->type[column[0]].name : p->meta.default_type;
}

/*
 * agree.c - what profiles have in common, so that they can be added
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/agree.h"

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

enum { TYPES_SHOWN = 6, AGREE_NAME_MAX = 40 };

/* The types of the first profile by name and, for names that come again, which time it is. */
struct census {
	const struct agree_how *how;
	struct strtab *names;
	bool has_space, has_objects; /* the profile at hand calls a type so, and not only inuse_ so */
	struct keys slots;           /* name << 32 | how manieth -> type of the first profile */
	uint32_t *times;             /* [n_times] by name: how often in the profile at hand */
	size_t n_times;              /* at least the number of names, cleared between profiles */
	uint32_t *place;             /* [n][T of the first] where profile i keeps it, or PROFILE_NONE */
	uint32_t *n_having;          /* [T of the first] in how many profiles it was found so far */
};

static void census_init(struct census *c, const struct profile *const *src, size_t n, const struct agree_how *how)
{
	uint32_t n_types = src[0]->n_types;

	*c = (struct census){ .how = how, .names = strtab_new() };
	keys_init(&c->slots, 1, n_types);
	c->n_times = 1; /* the name "" */
	for (size_t i = 0; i < n; i++)
		c->n_times += src[i]->n_types;
	c->times = mem_zalloc(c->n_times, sizeof(*c->times));
	c->place = mem_alloc(n * n_types, sizeof(*c->place));
	memset(c->place, 0xff, n * n_types * sizeof(*c->place));
	c->n_having = mem_zalloc(n_types, sizeof(*c->n_having));
}

static void census_release(struct census *c)
{
	strtab_free(c->names);
	keys_release(&c->slots);
	free(c->times);
	free(c->place);
	free(c->n_having);
}

/*
 * The name that a type is compared by. What Go's heap profiles call inuse_space is space for C++ and
 * others, unless a profile has both.
 */
static str_id census_name(struct census *c, const struct profile *p, uint32_t type)
{
	str_id name = p->type[type].name;
	const char *text = profile_text(p, name);

	if (c->how->intersect && ((strcmp(text, "inuse_space") == 0 && !c->has_space) ||
				  (strcmp(text, "inuse_objects") == 0 && !c->has_objects)))
		return strtab_addz(c->names, text + strlen("inuse_"));
	return strtab_add(c->names, text, strtab_len(p->str, name));
}

static void census_aliases(struct census *c, const struct profile *p)
{
	c->has_space = c->has_objects = false;
	for (uint32_t t = 0; t < p->n_types; t++) {
		c->has_space |= strcmp(profile_text(p, p->type[t].name), "space") == 0;
		c->has_objects |= strcmp(profile_text(p, p->type[t].name), "objects") == 0;
	}
}

static int census_type(struct census *c, const struct profile *p, uint32_t type, bool is_first, uint32_t *slot,
		       struct err *err)
{
	str_id name = census_name(c, p, type);
	uint64_t key = (uint64_t)name << 32 | c->times[name]++, h = keys_hash(&key, 1);

	*slot = PROFILE_NONE;
	if (is_first)
		return keys_add(&c->slots, &key, 1, h, slot, err);
	keys_find(&c->slots, &key, 1, h, slot);
	return 0;
}

/* Note where profile i keeps the types of the first one. */
static int census_profile(struct census *c, const struct profile *p, uint32_t n_types, size_t i, struct err *err)
{
	uint32_t slot;

	census_aliases(c, p);
	for (uint32_t t = 0; t < p->n_types; t++) {
		if (census_type(c, p, t, i == 0, &slot, err) < 0)
			return ERR_LIMIT;
		if (slot == PROFILE_NONE)
			continue;
		c->place[i * n_types + slot] = t;
		c->n_having[slot]++;
	}
	for (uint32_t t = 0; t < p->n_types; t++)
		c->times[census_name(c, p, t)] = 0;
	return 0;
}

static uint32_t census_common(const struct census *c, uint32_t n_types, size_t n_profiles)
{
	uint32_t n = 0;

	for (uint32_t t = 0; t < n_types; t++)
		n += c->n_having[t] == n_profiles;
	return n;
}

/* "cpu, wall" */
static void types_list(struct buf *b, const struct profile *p)
{
	for (uint32_t t = 0; t < p->n_types && t < TYPES_SHOWN; t++)
		buf_addf(b, "%s%.100s", t ? ", " : "", profile_text(p, p->type[t].name));
	if (p->n_types > TYPES_SHOWN)
		buf_addz(b, " and others");
}

/* What profile i is called in messages. */
static const char *name_of(const struct agree_how *how, size_t i, char buf[AGREE_NAME_MAX])
{
	if (how->name)
		return how->name[i];
	snprintf(buf, AGREE_NAME_MAX, "profile %zu", i + 1);
	return buf;
}

static int nothing_common(const struct profile *const *src, size_t i, const struct agree_how *how, struct err *err)
{
	struct buf mine = { 0 }, first = { 0 };
	char a[AGREE_NAME_MAX], b[AGREE_NAME_MAX];

	types_list(&mine, src[i]);
	types_list(&first, src[0]);
	err_set(err, ERR_FORMAT, "no sample type is in all profiles: %.200s has %s, %.200s has %s", name_of(how, 0, a),
		buf_text(&first), name_of(how, i, b), buf_text(&mine));
	buf_release(&mine);
	buf_release(&first);
	return ERR_FORMAT;
}

/* Keep the types that all have. */
static void census_take(const struct census *c, uint32_t n_types, size_t n, struct agreement *out)
{
	uint32_t kept = 0;

	out->n_types = census_common(c, n_types, n);
	out->column = mem_alloc(n * out->n_types, sizeof(*out->column));
	for (uint32_t t = 0; t < n_types; t++) {
		if (c->n_having[t] != n)
			continue;
		for (size_t i = 0; i < n; i++)
			out->column[i * out->n_types + kept] = c->place[i * n_types + t];
		kept++;
	}
}

static const char *unit_text(const struct agreement *a, const struct profile *const *src, size_t i, uint32_t t)
{
	return profile_text(src[i], src[i]->type[a->column[i * a->n_types + t]].unit);
}

static bool units_fit(const struct agreement *a, const struct profile *const *src, size_t n, uint32_t t)
{
	for (size_t i = 1; i < n; i++)
		if (!unit_agree(unit_text(a, src, 0, t), unit_text(a, src, i, t)))
			return false;
	return true;
}

/* Leave out the types whose units cannot be added. */
static int drop_units(const struct profile *const *src, size_t n, const struct agree_how *how, struct agreement *a,
		      struct err *err)
{
	uint32_t all = a->n_types, kept = 0, *keep = mem_alloc(all, sizeof(*keep));

	for (uint32_t t = 0; t < all; t++)
		if (units_fit(a, src, n, t))
			keep[kept++] = t;
	for (size_t i = 0; i < n; i++) /* moved down, never onto what is still to be read */
		for (uint32_t k = 0; k < kept; k++)
			a->column[i * kept + k] = a->column[i * all + keep[k]];
	a->n_types = kept;
	free(keep);
	return kept ? 0 : nothing_common(src, n - 1, how, err);
}

static int agree_on_types(const struct profile *const *src, size_t n, const struct agree_how *how,
			  struct agreement *out, struct err *err)
{
	uint32_t n_types = src[0]->n_types;
	struct census c;
	int rc = 0;

	census_init(&c, src, n, how);
	for (size_t i = 0; rc == 0 && i < n; i++) {
		rc = census_profile(&c, src[i], n_types, i, err);
		if (rc == 0 && census_common(&c, n_types, i + 1) == 0)
			rc = nothing_common(src, i, how, err);
	}
	if (rc == 0)
		census_take(&c, n_types, n, out);
	census_release(&c);
	return rc == 0 && how->intersect ? drop_units(src, n, how, out, err) : rc;
}

static int unit_differs(const struct profile *const *src, size_t i, uint32_t t, const struct agree_how *how,
			const struct agreement *a, struct err *err)
{
	char first[AGREE_NAME_MAX], other[AGREE_NAME_MAX];

	return err_set(err, ERR_FORMAT,
		       "sample type %.100s: %.200s counts %.100s and %.200s %.100s, which cannot be added",
		       profile_text(src[0], src[0]->type[a->column[t]].name), name_of(how, a->unit_of[t], first),
		       unit_text(a, src, a->unit_of[t], t), name_of(how, i, other), unit_text(a, src, i, t));
}

static int agree_on_unit(const struct profile *const *src, size_t n, uint32_t t, const struct agree_how *how,
			 struct agreement *a, struct err *err)
{
	const char *finest = unit_text(a, src, 0, t);

	a->unit_of[t] = 0;
	for (size_t i = 1; i < n; i++) {
		const char *unit = unit_text(a, src, i, t);

		if (!unit_agree(finest, unit))
			return unit_differs(src, i, t, how, a, err);
		if (scale_is_finer(finest, unit)) {
			finest = unit;
			a->unit_of[t] = (uint32_t)i;
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

static int period_differs(const struct profile *const *src, size_t a, size_t b, const struct agree_how *how,
			  struct err *err)
{
	const struct profile *pa = src[a], *pb = src[b];
	char first[AGREE_NAME_MAX], other[AGREE_NAME_MAX];

	return err_set(err, ERR_FORMAT,
		       "period type: %.200s has \"%.100s\" in \"%.100s\" and %.200s \"%.100s\" in \"%.100s\", "
		       "so their samples do not mean the same",
		       name_of(how, a, first), profile_text(pa, pa->meta.period_type.name),
		       profile_text(pa, pa->meta.period_type.unit), name_of(how, b, other),
		       profile_text(pb, pb->meta.period_type.name), profile_text(pb, pb->meta.period_type.unit));
}

/* A profile without a period type has "" in "", as in pprof. */
static int agree_on_period(const struct profile *const *src, size_t n, const struct agree_how *how, struct agreement *a,
			   struct err *err)
{
	a->period_from = 0;
	for (size_t i = 1; i < n; i++) {
		const struct profile *finest = src[a->period_from];
		const struct value_type *kept = &finest->meta.period_type;
		const struct value_type *type = &src[i]->meta.period_type;

		if (!text_equal(finest, kept->name, src[i], type->name) ||
		    !unit_agree(profile_text(finest, kept->unit), profile_text(src[i], type->unit))) {
			if (!how->intersect)
				return period_differs(src, a->period_from, i, how, err);
			a->period_mixed = true;
			a->period_from = 0;
			return 0;
		}
		if (scale_is_finer(profile_text(finest, kept->unit), profile_text(src[i], type->unit)))
			a->period_from = (uint32_t)i;
	}
	return 0;
}

static int agree(const struct profile *const *src, size_t n, const struct agree_how *how, struct agreement *out,
		 struct err *err)
{
	int rc;

	*out = (struct agreement){ 0 };
	rc = agree_on_types(src, n, how, out, err);
	if (rc < 0)
		return rc;
	out->ratio = mem_alloc(n * out->n_types, sizeof(*out->ratio));
	out->unit_of = mem_alloc(out->n_types, sizeof(*out->unit_of));
	rc = agree_on_period(src, n, how, out, err);
	for (uint32_t t = 0; rc == 0 && t < out->n_types; t++)
		rc = agree_on_unit(src, n, t, how, out, err);
	return rc;
}

int agreement_find(const struct profile *const *src, size_t n, const struct agree_how *how, struct agreement *out,
		   struct err *err)
{
	const struct agree_how loose = { .intersect = true };
	struct agreement other;
	struct err why;
	int rc = agree(src, n, how, out, &why);

	assert(n > 0 && src && how && out);
	if (rc == ERR_FORMAT && !how->intersect) {
		bool helps = agree(src, n, &loose, &other, NULL) == 0;

		agreement_release(&other);
		return err_set(err, rc, "%.900s%s", why.msg,
			       helps ? "; --intersect-types adds what they have in common" : "");
	}
	return rc < 0 ? err_set(err, rc, "%s", why.msg) : 0;
}

void agreement_release(struct agreement *a)
{
	free(a->column);
	free(a->ratio);
	free(a->unit_of);
	*a = (struct agreement){ 0 };
}

str_id agreement_default(const struct agreement *a, const struct profile *p, size_t i)
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

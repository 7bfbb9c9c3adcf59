/*
 * sum_fit.c - do the profiles of a gate go together?
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/unit.h"
#include "profile/scale.h"
#include "report/gate/sum_int.h"

#include <string.h>

enum { TYPES_SHOWN = 300 }; /* bytes of a list of sample types in an error */

/* What the others are compared with, in words. */
static const char *first_word(const struct sum_adding *a)
{
	return a->sum->first.side == STATS_BASE && a->side == STATS_NEW ? "the base" : "the first profile";
}

static void add_types(const struct profile *p, struct buf *out)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(out, "%s%s/%s", t ? ", " : "", profile_text(p, p->type[t].name),
			 profile_text(p, p->type[t].unit));
}

static const char *copy(struct arena *mem, const char *text)
{
	return arena_strndup(mem, text, strlen(text));
}

static void note_first(struct sum_adding *a, const struct profile *p)
{
	struct sum_first *f = &a->sum->first;
	struct arena *mem = a->sum->mem;
	struct buf types = { 0 };

	f->side = a->side;
	f->n_types = p->n_types;
	f->types = arena_alloc(mem, p->n_types, sizeof(*f->types));
	for (uint32_t t = 0; t < p->n_types; t++)
		f->types[t] = (struct sum_type){ copy(mem, profile_text(p, p->type[t].name)),
						 copy(mem, profile_text(p, p->type[t].unit)) };
	add_types(p, &types);
	f->type_words = copy(mem, buf_text(&types));
	buf_release(&types);
	f->compared = f->types[a->kinds.type];
	f->period_type.name = f->period_type.unit = "";
	if (p->meta.has_period_type) {
		f->period_type.name = copy(mem, profile_text(p, p->meta.period_type.name));
		f->period_type.unit = copy(mem, profile_text(p, p->meta.period_type.unit));
	}
	f->period = p->meta.period;
}

static bool find_type(const struct profile *p, const struct sum_type *type, uint32_t *out)
{
	for (*out = 0; *out < p->n_types; ++*out)
		if (strcmp(profile_text(p, p->type[*out].name), type->name) == 0 &&
		    unit_agree(profile_text(p, p->type[*out].unit), type->unit))
			return true;
	return false;
}

static int check_types(struct sum_adding *a, const struct profile *p, uint32_t *type)
{
	const struct sum_first *f = &a->sum->first;
	struct buf own = { 0 };
	uint32_t t, found;
	int rc = 0;

	if (!find_type(p, &f->compared, type))
		return sum_refuse(a, ERR_FORMAT, "has no sample type %.100s/%.100s; %s has %.*s", f->compared.name,
				  f->compared.unit, first_word(a), TYPES_SHOWN, f->type_words);
	for (t = 0; t < f->n_types && find_type(p, &f->types[t], &found); t++)
		;
	if (t < f->n_types || p->n_types != f->n_types) {
		add_types(p, &own);
		rc = sum_refuse(a, ERR_FORMAT, "has the sample types %.*s; %s has %.*s", TYPES_SHOWN, buf_text(&own),
				first_word(a), TYPES_SHOWN, f->type_words);
		buf_release(&own);
	}
	return rc;
}

/* A profile that does not say what its period is may be one of anything. */
static int check_period(struct sum_adding *a, const struct profile *p)
{
	const struct sum_first *f = &a->sum->first;
	const char *name = profile_text(p, p->meta.period_type.name);
	const char *unit = profile_text(p, p->meta.period_type.unit);

	if (!p->meta.has_period_type || (!*name && !*unit) || (!*f->period_type.name && !*f->period_type.unit))
		return 0;
	if (strcmp(name, f->period_type.name) == 0 && unit_agree(unit, f->period_type.unit))
		return 0;
	return sum_refuse(a, ERR_FORMAT, "was sampled by %.100s/%.100s; %s by %.100s/%.100s", name, unit, first_word(a),
			  f->period_type.name, f->period_type.unit);
}

int64_t sum_period(const struct sum_adding *a, const struct profile *p)
{
	const char *first = a->sum->first.period_type.unit, *own = profile_text(p, p->meta.period_type.unit);
	int64_t period = p->meta.period;

	if (p->meta.has_period_type && unit_agree(own, first) && !scale_value(period, scale_ratio(own, first), &period))
		return period > 0 ? period : 0;
	return 0;
}

/* What a V of the column is worth in V of the first profile. */
static double unit_of(const struct sum_adding *a, const struct profile *p)
{
	const struct sum_first *f = &a->sum->first;
	const char *own = profile_text(p, p->meta.period_type.unit);

	if (!a->kinds.by_period)
		return scale_ratio(profile_text(p, p->type[a->kinds.type].unit), f->compared.unit);
	if (!p->meta.has_period_type || p->meta.period <= 0 || f->period <= 0 || !unit_agree(own, f->period_type.unit))
		return 1;
	return (double)p->meta.period * scale_ratio(own, f->period_type.unit) / (double)f->period;
}

int sum_fit(struct sum_adding *a, const struct profile *p)
{
	struct gate_sum *s = a->sum;
	struct buf *notes = s->first.is_noted ? NULL : a->notes; /* once for all files */
	uint32_t type;

	if (p->n_types == 0)
		return sum_refuse(a, ERR_FORMAT, "has no sample types");
	if (s->first.n_types == 0) {
		if (kinds_find(p, a->q->sample_index, &a->kinds, notes, a->err) < 0)
			return err_wrap(a->err, "%s: %s", sum_side_word(a->side), a->source);
		note_first(a, p);
	} else {
		if (check_types(a, p, &type) < 0 || check_period(a, p) < 0)
			return ERR_FORMAT;
		kinds_of_type(p, type, &a->kinds, notes);
	}
	s->first.is_noted |= a->kinds.rule == KINDS_WEIGHTS;
	a->unit = unit_of(a, p);
	return 0;
}

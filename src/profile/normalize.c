/*
 * normalize.c - make profiles comparable: by how much one is to be scaled to be as large as another
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/normalize.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "profile/scale.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool is_one_of(const char *word, const char *const *words)
{
	for (; *words; words++)
		if (strcmp(word, *words) == 0)
			return true;
	return false;
}

int normalize_parse(const char *mode, struct normalize *out, struct err *err)
{
	static const char *const off[] = { "", "none", "false", "False", "FALSE", "f", "F", "0", NULL };
	static const char *const total[] = { "total", "true", "True", "TRUE", "t", "T", "1", NULL };
	static const char label[] = "label:";

	*out = (struct normalize){ .by = NORMALIZE_NONE };
	if (is_one_of(mode, off))
		return 0;
	if (is_one_of(mode, total)) {
		out->by = NORMALIZE_TOTAL;
	} else if (strcmp(mode, "duration") == 0) {
		out->by = NORMALIZE_DURATION;
	} else if (strncmp(mode, label, strlen(label)) == 0 && mode[strlen(label)]) {
		out->by = NORMALIZE_LABEL;
		out->key = mode + strlen(label);
	} else {
		return err_set(err, ERR_USAGE, "-normalize=%s: choose none, total, duration or label:KEY", mode);
	}
	return 0;
}

static bool same_text(const struct profile *a, str_id a_id, const struct profile *b, str_id b_id)
{
	return strcmp(profile_text(a, a_id), profile_text(b, b_id)) == 0;
}

static bool same_type(const struct profile *a, const struct value_type *at, const struct profile *b,
		      const struct value_type *bt)
{
	return same_text(a, at->name, b, bt->name) && same_text(a, at->unit, b, bt->unit);
}

/* Sums can only be divided type by type when both have the same types. */
static int check_types(const struct profile *p, const struct profile *base, struct err *err)
{
	if (!same_type(p, &p->meta.period_type, base, &base->meta.period_type))
		return err_set(err, ERR_FORMAT,
			       "-normalize: the period types differ: %.100s in %.100s, in the base %.100s in %.100s",
			       profile_text(p, p->meta.period_type.name), profile_text(p, p->meta.period_type.unit),
			       profile_text(base, base->meta.period_type.name),
			       profile_text(base, base->meta.period_type.unit));
	if (p->n_types != base->n_types)
		return err_set(err, ERR_FORMAT, "-normalize: %" PRIu32 " sample types, the base has %" PRIu32,
			       p->n_types, base->n_types);
	for (uint32_t t = 0; t < p->n_types; t++)
		if (!same_type(p, &p->type[t], base, &base->type[t]))
			return err_set(err, ERR_FORMAT,
				       "-normalize: sample type %" PRIu32 " is %.100s in %.100s, in the base %.100s in "
				       "%.100s",
				       t + 1, profile_text(p, p->type[t].name), profile_text(p, p->type[t].unit),
				       profile_text(base, base->type[t].name), profile_text(base, base->type[t].unit));
	return 0;
}

static int type_sum(const struct profile *p, uint32_t type, int64_t *sum, struct err *err)
{
	*sum = 0;
	for (uint32_t row = 0; row < p->n_rows; row++)
		if (num_add(sum, p->value[SIDE_TARGET][type][row]))
			return err_set(err, ERR_RANGE,
				       "-normalize: sample %" PRIu32 ": the sum of %.100s leaves 64 bits", row + 1,
				       profile_text(p, p->type[type].name));
	return 0;
}

static int by_total(const struct profile *p, const struct profile *base, double *ratio, struct err *err)
{
	if (check_types(p, base, err) < 0)
		return ERR_FORMAT;
	for (uint32_t t = 0; t < p->n_types; t++) {
		int64_t own, other;

		if (type_sum(p, t, &own, err) < 0 || type_sum(base, t, &other, err) < 0)
			return ERR_RANGE;
		ratio[t] = own ? (double)other / (double)own : 0;
	}
	return 0;
}

static int by_duration(const struct profile *p, const struct profile *base, double *all, struct err *err)
{
	if (p->meta.duration_ns <= 0 || base->meta.duration_ns <= 0)
		return err_set(err, ERR_FORMAT, "-normalize=duration: %s does not say how long it took",
			       p->meta.duration_ns <= 0 ? "the profile" : "the base");
	*all = (double)base->meta.duration_ns / (double)p->meta.duration_ns;
	return 0;
}

/* The labels of this key in one set, in the unit of the first that was met at all. */
static int set_sum(const struct profile *p, const char *key, uint32_t set, const char **unit, double *sum,
		   struct err *err)
{
	const struct csr *sets = &p->label_sets;

	*sum = 0;
	for (uint32_t i = sets->off[set]; i < sets->off[set + 1]; i++) {
		uint32_t label = sets->item[i];
		const char *own = profile_text(p, p->label_unit[label]);

		if (p->label_is_text[label] || strcmp(profile_text(p, p->label_key[label]), key) != 0)
			continue;
		*unit = *unit ? *unit : own;
		if (strcmp(own, *unit) != 0 && !unit_agree(own, *unit))
			return err_set(err, ERR_FORMAT, "-normalize=label:%.100s: it is in %.100s and in %.100s", key,
				       *unit, own);
		*sum += (double)p->label_num[label] * scale_ratio(own, *unit);
	}
	return 0;
}

static int label_sum(const struct profile *p, const char *key, const char **unit, double *sum, struct err *err)
{
	uint32_t *times = mem_zalloc(p->label_sets.n, sizeof(*times));
	int rc = 0;

	*sum = 0;
	for (uint32_t row = 0; row < p->n_rows; row++)
		times[p->labels[row]]++;
	for (uint32_t set = 0; rc == 0 && set < p->label_sets.n; set++) {
		double of_set = 0;

		if (times[set])
			rc = set_sum(p, key, set, unit, &of_set, err);
		*sum += of_set * times[set];
	}
	free(times);
	return rc;
}

static int by_label(const char *key, const struct profile *p, const struct profile *base, double *all, struct err *err)
{
	const char *unit = NULL;
	double own, other;
	int rc = label_sum(p, key, &unit, &own, err);

	if (rc == 0)
		rc = label_sum(base, key, &unit, &other, err);
	if (rc < 0)
		return rc;
	if (!(own > 0) || !(other > 0))
		return err_set(err, ERR_FORMAT, "-normalize=label:%.100s: %s has no such number above 0", key,
			       own > 0 ? "the base" : "the profile");
	*all = other / own;
	return 0;
}

int normalize_ratios(const struct normalize *how, const struct profile *p, const struct profile *base, double *ratio,
		     struct err *err)
{
	double all = 1;
	int rc = 0;

	if (how->by == NORMALIZE_TOTAL)
		return by_total(p, base, ratio, err);
	if (how->by == NORMALIZE_DURATION)
		rc = by_duration(p, base, &all, err);
	else if (how->by == NORMALIZE_LABEL)
		rc = by_label(how->key, p, base, &all, err);
	for (uint32_t t = 0; rc == 0 && t < p->n_types; t++)
		ratio[t] = all;
	return rc;
}

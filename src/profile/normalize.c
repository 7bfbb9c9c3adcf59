/*
 * normalize.c - factors that scale a profile to the size of another, for comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "profile/normalize.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/str.h"
#include "base/unit.h"

#include <assert.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const normalize_modes[] = {
	[NORMALIZE_NONE] = "none",
	[NORMALIZE_TOTAL] = "total",
	[NORMALIZE_DURATION] = "duration",
	[NORMALIZE_LABEL] = "label",
};

static bool normalize_is_one_of(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (strcmp(word, *list) == 0)
			return true;
	return false;
}

int normalize_parse(const char *mode, struct normalize_options *out, struct err *err)
{
	static const char *const off[] = { "", "none", "false", "False", "FALSE", "f", "F", "0", NULL };
	static const char *const total[] = { "total", "true", "True", "TRUE", "t", "T", "1", NULL };
	static const char label[] = "label:";

	*out = (struct normalize_options){ .by = NORMALIZE_NONE };
	if (normalize_is_one_of(mode, off))
		return 0;
	if (normalize_is_one_of(mode, total)) {
		out->by = NORMALIZE_TOTAL;
	} else if (strcmp(mode, "duration") == 0) {
		out->by = NORMALIZE_DURATION;
	} else if (starts_with(mode, label) && strcspn(mode + strlen(label), "=") > 0) {
		out->by = NORMALIZE_LABEL;
		out->key = mode + strlen(label);
		out->n_key = strcspn(out->key, "=");
		out->value = out->key[out->n_key] ? out->key + out->n_key + 1 : NULL;
	} else {
		return err_set(err, ERR_USAGE, "-normalize=%s: must be none, total, duration or label:KEY[=VALUE]",
			       mode);
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

/* Check that both profiles have the same types, so that their sums can be divided type by type. */
static int normalize_check_types(const struct profile *p, const struct profile *base, struct err *err)
{
	if (!same_type(p, &p->meta.period_type, base, &base->meta.period_type))
		return err_set(
			err, ERR_FORMAT,
			"-normalize: the period types differ: %.100s in %.100s, but %.100s in %.100s in the base",
			profile_text(p, p->meta.period_type.name), profile_text(p, p->meta.period_type.unit),
			profile_text(base, base->meta.period_type.name),
			profile_text(base, base->meta.period_type.unit));
	if (p->n_types != base->n_types)
		return err_set(err, ERR_FORMAT,
			       "-normalize: the profile has %" PRIu32 " sample types, the base %" PRIu32, p->n_types,
			       base->n_types);
	for (uint32_t t = 0; t < p->n_types; t++)
		if (!same_type(p, &p->type[t], base, &base->type[t]))
			return err_set(err, ERR_FORMAT,
				       "-normalize: sample type %" PRIu32
				       " is %.100s in %.100s, but %.100s in %.100s in the "
				       "base",
				       t + 1, profile_text(p, p->type[t].name), profile_text(p, p->type[t].unit),
				       profile_text(base, base->type[t].name), profile_text(base, base->type[t].unit));
	return 0;
}

static int type_sum(const struct profile *p, uint32_t type, int64_t *sum, struct err *err)
{
	*sum = 0;
	for (uint32_t row = 0; row < p->n_rows; row++)
		if (num_add(sum, p->value[type][row]))
			return err_set(err, ERR_RANGE,
				       "-normalize: sample %" PRIu32 ": the sum of %.100s overflows 64 bits", row + 1,
				       profile_text(p, p->type[type].name));
	return 0;
}

static int by_total(const struct profile *p, const struct profile *base, double *ratio, struct err *err)
{
	if (normalize_check_types(p, base, err) < 0)
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
		return err_set(err, ERR_FORMAT, "-normalize=duration: %s has no duration",
			       p->meta.duration_ns <= 0 ? "the profile" : "the base");
	*all = (double)base->meta.duration_ns / (double)p->meta.duration_ns;
	return 0;
}

static bool has_key(const struct profile *p, uint32_t label, const struct normalize_options *options)
{
	const char *key = profile_text(p, p->label_key[label]);

	return strlen(key) == options->n_key && memcmp(key, options->key, options->n_key) == 0;
}

static bool normalize_label_matches(const struct profile *p, uint32_t label, const struct normalize_options *options)
{
	char number[24];

	if (!has_key(p, label, options))
		return false;
	if (!options->value)
		return true;
	if (p->label_is_text[label])
		return strcmp(profile_text(p, p->label_text[label]), options->value) == 0;
	snprintf(number, sizeof(number), "%" PRId64, p->label_num[label]);
	return strcmp(number, options->value) == 0;
}

/* Check whether the label has numeric values, and that their units are compatible. */
static int normalize_check_numbers(const struct normalize_options *options, const struct profile *p,
				   struct label_size *out, struct err *err)
{
	const char *unit = NULL;

	for (uint32_t i = 0; i < p->n_labels; i++) {
		const char *own = profile_text(p, p->label_unit[i]);

		if (options->value || p->label_is_text[i] || !has_key(p, i, options))
			continue;
		if (unit && strcmp(own, unit) != 0 && !unit_is_compatible(own, unit))
			return err_set(err, ERR_FORMAT,
				       "-normalize=label:%.*s: the label has incompatible units, %.100s and %.100s",
				       options->n_key < 100 ? (int)options->n_key : 100, options->key, unit, own);
		unit = own;
		out->is_numeric = true;
	}
	out->family = unit ? unit_find(unit, NULL) : NULL;
	return 0;
}

/*
 * The weight of a sample with this label set: the sum of the numbers of the label or, without numbers, 1 if the set
 * contains the label.
 */
static double normalize_set_size(const struct normalize_options *options, const struct profile *p, uint32_t set,
				 bool numbers)
{
	double size = 0, factor;

	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		if (!normalize_label_matches(p, label, options) || (numbers && p->label_is_text[label]))
			continue;
		if (!numbers)
			return 1;
		if (!unit_find(profile_text(p, p->label_unit[label]), &factor))
			factor = 1;
		size += (double)p->label_num[label] * factor;
	}
	return size;
}

int normalize_label_size(const struct normalize_options *options, const struct profile *p, const int64_t *column,
			 struct label_size *out, struct err *err)
{
	struct label_size s = { 0 };
	double *size_of_set;

	assert(options->by == NORMALIZE_LABEL && options->key);
	if (normalize_check_numbers(options, p, &s, err) < 0)
		return ERR_FORMAT;
	size_of_set = mem_alloc(p->label_sets.n, sizeof(*size_of_set));
	for (uint32_t set = 0; set < p->label_sets.n; set++)
		size_of_set[set] = normalize_set_size(options, p, set, s.is_numeric);
	for (uint32_t row = 0; row < p->n_rows; row++)
		s.size += size_of_set[p->labels[row]] * (s.is_numeric ? 1 : (double)num_abs(column[row]));
	free(size_of_set);
	*out = s;
	return 0;
}

/* The ratio between base and profile for a sample type of each. Returns 1 when numeric labels were used, else 0. */
static int label_ratio(const struct normalize_options *options, const struct profile *p, const struct profile *base,
		       uint32_t type, uint32_t base_type, double *ratio, struct err *err)
{
	struct label_size own, other;
	int n_key = options->n_key < 100 ? (int)options->n_key : 100;

	if (normalize_label_size(options, p, p->value[type], &own, err) < 0 ||
	    normalize_label_size(options, base, base->value[base_type], &other, err) < 0)
		return ERR_FORMAT;
	if (!(own.size > 0) || !(other.size > 0))
		return err_set(err, ERR_FORMAT, "-normalize=label:%.*s: %s has no such label, or its total is 0", n_key,
			       options->key, own.size > 0 ? "the base" : "the profile");
	if (own.is_numeric != other.is_numeric || own.family != other.family)
		return err_set(err, ERR_FORMAT, "-normalize=label:%.*s: the label has another type or unit in the base",
			       n_key, options->key);
	*ratio = other.size / own.size;
	return own.is_numeric;
}

/* Numeric labels yield the same ratio for all types; sample values yield a ratio for each type. */
static int by_label(const struct normalize_options *options, const struct profile *p, const struct profile *base,
		    double *ratio, struct err *err)
{
	int rc = label_ratio(options, p, base, 0, 0, &ratio[0], err);

	if (rc == 0 && normalize_check_types(p, base, err) < 0)
		return ERR_FORMAT;
	for (uint32_t t = 1; rc >= 0 && t < p->n_types; t++) {
		if (rc == 1)
			ratio[t] = ratio[0];
		else
			rc = label_ratio(options, p, base, t, t, &ratio[t], err);
	}
	return rc < 0 ? rc : 0;
}

int normalize_ratios(const struct normalize_options *options, const struct profile *p, const struct profile *base,
		     double *ratio, struct err *err)
{
	double all = 1;
	int rc = 0;

	assert(ratio || p->n_types == 0);
	if (options->by == NORMALIZE_TOTAL)
		return by_total(p, base, ratio, err);
	if (options->by == NORMALIZE_LABEL)
		return by_label(options, p, base, ratio, err);
	if (options->by == NORMALIZE_DURATION)
		rc = by_duration(p, base, &all, err);
	for (uint32_t t = 0; rc == 0 && t < p->n_types; t++)
		ratio[t] = all;
	return rc;
}

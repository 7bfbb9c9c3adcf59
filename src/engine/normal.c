/*
 * normal.c - normalize the two sides of a comparison
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/normal.h"

#include "base/unit.h"
#include "profile/scale.h"

#include <string.h>

/* The period in ns if values are sample counts; else 0. */
static double counted_period(const struct view *v)
{
	const struct profile_meta *m = &v->p->meta;
	const char *unit = profile_text(v->p, m->period_type.unit);

	if (strcmp(profile_text(v->p, v->p->type[v->type].name), "samples") != 0 || strcmp(v->unit, "count") != 0 ||
	    m->period <= 0 || !unit_is_compatible(unit, "ns"))
		return 0;
	return (double)m->period * scale_ratio(unit, "ns");
}

int normal_size(const struct normalize_options *options, const struct view *v, double ratio, struct normal_size *out,
		struct err *err)
{
	struct normal_size s = { .size = 1 };
	int rc = 0;

	switch (options->by) {
	case NORMALIZE_NONE:
		break;
	case NORMALIZE_TOTAL:
		s.size = (double)v->total * ratio;
		break;
	case NORMALIZE_DURATION:
		s.size = (double)v->p->meta.duration_ns;
		s.period_ns = counted_period(v);
		break;
	case NORMALIZE_LABEL:
		rc = normalize_label_size(options, v->p, v->val, &s.label, err);
		s.size = s.label.size * (s.label.is_numeric ? 1 : ratio);
		break;
	}
	*out = s;
	return rc;
}

int normal_factor(const struct normalize_options *options, const struct normal_size *to, const struct normal_size *own,
		  double *out, bool *by_period, struct err *err)
{
	const char *side = to->size > 0 ? "the profile to scale" : "the base";

	if ((!(to->size > 0) || !(own->size > 0)) && options->by == NORMALIZE_LABEL)
		return err_set(err, ERR_USAGE, "--normalize=label: no sample of %s has that label, or the sum is 0",
			       side);
	if (!(to->size > 0) || !(own->size > 0))
		return err_set(err, ERR_USAGE, "--normalize=%s: the %s of %s is 0 or unknown",
			       normalize_modes[options->by], normalize_modes[options->by], side);
	if (to->label.is_numeric != own->label.is_numeric || to->label.family != own->label.family)
		return err_set(err, ERR_USAGE,
			       "--normalize=label: the label differs in type or unit between the two sides");
	*out = to->size / own->size;
	*by_period = to->period_ns > 0 && own->period_ns > 0 && to->period_ns != own->period_ns;
	if (*by_period)
		*out *= own->period_ns / to->period_ns;
	return 0;
}

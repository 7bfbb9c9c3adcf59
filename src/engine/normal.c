/*
 * normal.c - how two sides of a comparison are made comparable
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/normal.h"

#include "base/num.h"
#include "base/unit.h"
#include "profile/scale.h"

#include <stdlib.h>
#include <string.h>

const char *const normal_words[] = {
	[NORMAL_NONE] = "none",
	[NORMAL_TOTAL] = "total",
	[NORMAL_DURATION] = "duration",
	[NORMAL_LABEL] = "label",
};

int normal_parse(const char *text, struct normal *out, struct err *err)
{
	static const char label[] = "label:";
	struct normal n = { 0 };

	if (!*text || strcmp(text, "none") == 0 || strcmp(text, "false") == 0) {
		n.mode = NORMAL_NONE;
	} else if (strcmp(text, "total") == 0 || strcmp(text, "true") == 0) {
		n.mode = NORMAL_TOTAL;
	} else if (strcmp(text, "duration") == 0) {
		n.mode = NORMAL_DURATION;
	} else if (strncmp(text, label, sizeof(label) - 1) == 0 && text[sizeof(label) - 1] &&
		   text[sizeof(label) - 1] != '=') {
		n.mode = NORMAL_LABEL;
		n.key = text + sizeof(label) - 1;
		n.n_key = strcspn(n.key, "=");
		n.value = n.key[n.n_key] ? n.key + n.n_key + 1 : NULL;
	} else {
		return err_set(err, ERR_USAGE, "--normalize=%.100s: choose none, total, duration or label:KEY[=VALUE]",
			       text);
	}
	*out = n;
	return 0;
}

static bool label_fits(const struct profile *p, uint32_t label, const struct normal *n)
{
	const char *key = profile_text(p, p->label_key[label]);

	if (strlen(key) != n->n_key || memcmp(key, n->key, n->n_key) != 0)
		return false;
	if (!n->value)
		return true;
	if (p->label_is_text[label])
		return strcmp(profile_text(p, p->label_text[label]), n->value) == 0;
	return *n->value && p->label_num[label] == strtoll(n->value, NULL, 10);
}

/* Sum of the magnitudes of the rows that carry the label. */
static double label_sum(const struct view *v, const struct normal *n, struct arena *mem)
{
	const struct profile *p = v->p;
	bool *fits = arena_zalloc(mem, p->n_labels, sizeof(*fits)), *set;
	uint64_t sum = 0;

	set = arena_zalloc(mem, p->label_sets.n, sizeof(*set));
	for (uint32_t i = 0; i < p->n_labels; i++)
		fits[i] = label_fits(p, i, n);
	for (uint32_t s = 0; s < p->label_sets.n; s++)
		for (uint32_t i = p->label_sets.off[s]; i < p->label_sets.off[s + 1]; i++)
			set[s] |= fits[p->label_sets.item[i]];
	for (uint32_t i = 0; i < v->n; i++)
		if (set[p->labels[i]])
			sum += num_abs(v->val[SIDE_TARGET][i]); /* view_make saw that it fits */
	return (double)sum;
}

/* Samples are counted, each worth a period of time. */
static double counted_period(const struct view *v)
{
	const struct profile_meta *m = &v->p->meta;
	const char *unit = profile_text(v->p, m->period_type.unit);

	if (strcmp(profile_text(v->p, v->p->type[v->type].name), "samples") != 0 || strcmp(v->unit, "count") != 0 ||
	    m->period <= 0 || !unit_agree(unit, "ns"))
		return 0;
	return (double)m->period * scale_ratio(unit, "ns");
}

struct normal_size normal_size(const struct normal *n, const struct view *v, double ratio)
{
	struct normal_size s = { .size = 1 };
	struct arena *mem = arena_new();

	switch (n->mode) {
	case NORMAL_NONE:
		break;
	case NORMAL_TOTAL:
		s.size = (double)v->total * ratio;
		break;
	case NORMAL_DURATION:
		s.size = (double)v->p->meta.duration_ns;
		s.period_ns = counted_period(v);
		break;
	case NORMAL_LABEL:
		s.size = label_sum(v, n, mem) * ratio;
		break;
	}
	arena_free(mem);
	return s;
}

int normal_factor(const struct normal *n, const struct normal_size *to, const struct normal_size *own, double *out,
		  bool *by_period, struct err *err)
{
	static const char *const what[] = { "", "total", "duration", "sum of the samples with that label" };

	if (!(to->size > 0) || !(own->size > 0))
		return err_set(err, ERR_USAGE, "--normalize=%s: the %s of %s is 0 or not known", normal_words[n->mode],
			       what[n->mode], to->size > 0 ? "what is to be scaled" : "the base");
	*out = to->size / own->size;
	*by_period = to->period_ns > 0 && own->period_ns > 0 && to->period_ns != own->period_ns;
	if (*by_period)
		*out *= own->period_ns / to->period_ns;
	return 0;
}

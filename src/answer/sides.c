/*
 * sides.c - two loaded profiles as one, for comparisons
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/sides.h"

#include "base/arena.h"
#include "base/mem.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "profile/normalize.h"

#include <stdlib.h>
#include <string.h>

static const char base_text[] = "true";

static void *copy_of(struct arena *mem, const void *column, size_t n, size_t size)
{
	void *copy = arena_alloc(mem, n, size);

	if (n)
		memcpy(copy, column, n * size);
	return copy;
}

/* A profile that may be edited as sides_take does: what that writes to is its own, all else is borrowed. */
static struct profile shadow_of(const struct profile *p, bool strings, struct arena *mem)
{
	struct profile s = *p;

	s.mem = mem;
	s.value[SIDE_TARGET] = arena_alloc(mem, p->n_types, sizeof(*s.value[SIDE_TARGET]));
	for (uint32_t t = 0; t < p->n_types; t++)
		s.value[SIDE_TARGET][t] =
			copy_of(mem, p->value[SIDE_TARGET][t], p->n_rows, sizeof(*s.value[SIDE_TARGET][t]));
	s.labels = copy_of(mem, p->labels, p->n_rows, sizeof(*s.labels));
	if (strings) {
		struct strtab *more = strtab_new();
		str_id id;

		if (!strtab_find(p->str, BASE_LABEL, strlen(BASE_LABEL), &id))
			strtab_addz(more, BASE_LABEL);
		if (!strtab_find(p->str, base_text, strlen(base_text), &id))
			strtab_addz(more, base_text);
		s.str = strtab_make_over(p->str, more, mem);
		strtab_free(more);
	}
	return s;
}

static int scale_to(struct profile *p, const struct profile *base, const struct normalize *how, struct err *err)
{
	double *ratio = mem_alloc(p->n_types, sizeof(*ratio));
	int rc = normalize_ratios(how, p, base, ratio, err);

	if (rc == 0)
		rc = profile_scale(p, ratio, err);
	free(ratio);
	return rc;
}

static int add_up(const struct profile *target, const struct profile *base, const struct sides_how *how,
		  struct profile **out, struct err *err)
{
	const struct profile *const both[] = { target, base };
	const char *const name[] = { how->target_name, how->base_name };
	struct merger *m = merger_new(how->intersect_types);
	int rc;

	merger_stop_by(m, how->stop);
	rc = merger_add(m, both, name, 2, err);
	if (rc == 0)
		*out = merger_finish(m);
	merger_free(m);
	return rc;
}

/* When the label is wanted, its strings are there. target is written to when it is to be normalized. */
static int take(struct profile *target, struct profile *base, const struct sides_how *how, struct profile **out,
		struct err *err)
{
	struct normalize by;
	str_id key, text;
	int rc = normalize_parse(how->normalize, &by, err);

	if (rc == 0 && how->apart && strtab_find(base->str, BASE_LABEL, strlen(BASE_LABEL), &key) &&
	    strtab_find(base->str, base_text, strlen(base_text), &text))
		rc = profile_set_label_ids(base, key, text, err);
	if (rc == 0 && by.by != NORMALIZE_NONE)
		rc = scale_to(target, base, &by, err);
	if (rc == 0 && (rc = profile_negate(base, err)) < 0)
		err_wrap(err, "%.200s", how->base_name);
	return rc == 0 ? add_up(target, base, how, out, err) : rc;
}

int sides_take(struct profile *target, struct profile *base, const struct sides_how *how, struct profile **out,
	       struct err *err)
{
	if (how->apart) {
		strtab_addz(base->str, BASE_LABEL);
		strtab_addz(base->str, base_text);
	}
	return take(target, base, how, out, err);
}

int sides_make(const struct profile *target, const struct profile *base, const struct sides_how *how,
	       struct profile **out, struct err *err)
{
	struct arena *mem = arena_new();
	struct profile b = shadow_of(base, how->apart, mem), t = *target;
	struct normalize by;
	int rc = normalize_parse(how->normalize, &by, err);

	if (rc == 0 && by.by != NORMALIZE_NONE)
		t = shadow_of(target, false, mem);
	if (rc == 0)
		rc = take(&t, &b, how, out, err);
	arena_free(mem);
	return rc;
}

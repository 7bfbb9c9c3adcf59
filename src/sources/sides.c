/*
 * sides.c - combine two loaded profiles for comparisons
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/sides.h"

#include "base/arena.h"
#include "base/mem.h"
#include "base/pool.h"
#include "engine/query.h"
#include "engine/sums.h"
#include "profile/edit.h"
#include "profile/merge.h"
#include "profile/normalize.h"
#include "profile/prune.h"
#include "sources/remote.h"
#include "sources/sums.h"
#include "sources/symbolize.h"

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

/* Copy the columns that sides_make_in_place modifies; borrow all others. */
static struct profile copy_modified(const struct profile *p, bool strings, struct arena *mem)
{
	struct profile s = *p;

	s.mem = mem;
	s.value = arena_alloc(mem, p->n_types, sizeof(*s.value));
	for (uint32_t t = 0; t < p->n_types; t++)
		s.value[t] = copy_of(mem, p->value[t], p->n_rows, sizeof(*s.value[t]));
	s.labels = copy_of(mem, p->labels, p->n_rows, sizeof(*s.labels));
	if (strings) {
		struct strtab *more = strtab_new();
		str_id id;

		if (!strtab_find(p->str, BASE_LABEL, strlen(BASE_LABEL), &id))
			strtab_addz(more, BASE_LABEL);
		if (!strtab_find(p->str, base_text, strlen(base_text), &id))
			strtab_addz(more, base_text);
		s.str = strtab_make_concat(p->str, more, mem);
		strtab_free(more);
	}
	return s;
}

static int scale_to(struct profile *p, const struct profile *base, const struct normalize_options *options,
		    struct err *err)
{
	double *ratio = mem_alloc(p->n_types, sizeof(*ratio));
	int rc = normalize_ratios(options, p, base, ratio, err);

	if (rc == 0)
		rc = profile_scale(p, ratio, err);
	free(ratio);
	return rc;
}

/* uses_up: the samples of the sides are freed */
static int merge_sides(struct profile *new, struct profile *base, const struct sides_options *options, bool uses_up,
		       struct profile **out, struct err *err)
{
	struct profile *const both[] = { new, base };
	const char *const name[] = { options->new_name, options->base_name };
	const struct merge_options merge = { name, options->intersect_types, options->stop, uses_up ? both : NULL };

	return profile_merge((const struct profile *const *)both, 2, &merge, out, err);
}

/*
 * With keep_sides the strings of the label must exist in base. new is modified only by normalizing.
 *
 * uses_up  the samples of both are freed
 */
static int sides_subtract(struct profile *new, struct profile *base, const struct sides_options *options, bool uses_up,
			  struct profile **out, struct err *err)
{
	struct normalize_options by;
	str_id key, text;
	int rc = normalize_parse(options->normalize, &by, err);

	if (rc == 0 && options->keep_sides && strtab_find(base->str, BASE_LABEL, strlen(BASE_LABEL), &key) &&
	    strtab_find(base->str, base_text, strlen(base_text), &text))
		rc = profile_set_label_ids(base, key, text, err);
	if (rc == 0 && by.by != NORMALIZE_NONE)
		rc = scale_to(new, base, &by, err);
	if (rc == 0 && (rc = profile_negate(base, err)) < 0)
		err_wrap(err, "%.200s", options->base_name);
	return rc == 0 ? merge_sides(new, base, options, uses_up, out, err) : rc;
}

int sides_make_in_place(struct profile *new, struct profile *base, const struct sides_options *options,
			struct profile **out, struct err *err)
{
	if (options->keep_sides) {
		strtab_addz(base->str, BASE_LABEL);
		strtab_addz(base->str, base_text);
	}
	return sides_subtract(new, base, options, true, out, err);
}

int sides_make(const struct profile *new, const struct profile *base, const struct sides_options *options,
	       struct profile **out, struct err *err)
{
	struct arena *mem = arena_new();
	struct profile b = copy_modified(base, options->keep_sides, mem), t = *new;
	struct normalize_options by;
	int rc = normalize_parse(options->normalize, &by, err);

	if (rc == 0 && by.by != NORMALIZE_NONE)
		t = copy_modified(new, false, mem);
	if (rc == 0)
		rc = sides_subtract(&t, &b, options, false, out, err);
	arena_free(mem);
	return rc;
}

struct side_load {
	struct source_set *load;
	struct profile *profile;
	struct err err;
	int rc;
};

static void load_side(void *arg, unsigned part)
{
	struct side_load *s = (struct side_load *)arg + part;

	s->rc = sources_set_read(s->load, &s->profile, &s->err);
}

static const char *side_name(const struct source_set *l, const char *several)
{
	return l->n == 1 ? l->source[0] : several;
}

/* Subtract the base. Both profiles are modified, even on failure. */
static int sides_subtract_base(const struct side_load side[N_SIDES], struct profile **out, struct err *err)
{
	const struct query *q = side[SIDE_NEW].load->q;
	const struct sides_options options = { .keep_sides = q->diff_base.n || q->keep_base ||
							     side[SIDE_NEW].load->keep_sides,
					       .intersect_types = q->intersect_types,
					       .normalize = q->normalize,
					       .new_name = side_name(side[SIDE_NEW].load, "sources"),
					       .base_name = side_name(side[SIDE_BASE].load, "bases"),
					       .stop = q->stop };

	return sides_make_in_place(side[SIDE_NEW].profile, side[SIDE_BASE].profile, &options, out, err);
}

static int load_sides(struct source_set *new, struct source_set *base, struct profile **out, struct err *err)
{
	struct side_load side[N_SIDES] = { [SIDE_BASE].load = base, [SIDE_NEW].load = new };
	enum side first = base->n ? SIDE_BASE : SIDE_NEW;
	int rc;

	new->is_side = base->is_side = base->n > 0;
	pool_run(load_side, side + first, N_SIDES - first);
	rc = side[SIDE_NEW].rc < 0 ? SIDE_NEW : side[SIDE_BASE].rc < 0 ? SIDE_BASE : N_SIDES;
	if (rc < N_SIDES) {
		*err = side[rc].err;
		rc = side[rc].rc;
	} else if (base->n) {
		rc = sides_subtract_base(side, out, err);
	} else {
		*out = side[SIDE_NEW].profile;
		return 0;
	}
	profile_free(side[SIDE_NEW].profile);
	profile_free(side[SIDE_BASE].profile);
	return rc;
}

static int drop_frames(struct source_set *l, struct profile *p, struct err *err)
{
	struct err warning = { 0 };
	int rc;

	if (l->q->all_frames)
		profile_clear_frame_filters(p);
	rc = profile_prune(p, &warning, err);
	if (*warning.msg)
		buf_addf(&l->notes, "%s\n", warning.msg);
	return rc;
}

/* Look up names. Sums are of functions with names, so they must remain the same functions, and none may be dropped. */
static int sides_name(struct profile *p, struct source_set *new, struct source_set *base, struct err *err)
{
	str_id *before = p->sums ? sums_names(p) : NULL;
	int rc = sources_symbolize(p, new, base, err);

	if (rc == 0 && p->sums && !(sums_names_are_same(p, before) && (new->q->all_frames || !p->meta.drop_frames)))
		rc = err_set(err, ERR_UNKNOWN, "functions were renamed or have to be dropped");
	free(before);
	return rc;
}

static int sides_read_named(struct source_set *new, struct source_set *base, struct profile **out, struct err *err)
{
	struct profile *p = NULL;
	struct strtab *whole = base->n == 0 ? sources_sums_try(new) : NULL;
	int rc;

	new->sums = whole;
	do {
		profile_free(p);
		p = NULL;
		rc = load_sides(new, base, &p, err);
		if (rc == 0)
			rc = sides_name(p, new, base, err);
		if (rc == 0)
			rc = drop_frames(new, p, err);
	} while (rc < 0 && (new->sums || (p && p->sums)) && sources_sums_restart(new));
	new->sums = NULL;
	strtab_free(whole);
	if (rc == 0)
		remote_remove_urls(p);
	if (rc < 0) {
		profile_free(p);
		return rc;
	}
	if (*new->q->add_comment)
		profile_add_comment(p, new->q->add_comment);
	*out = p;
	return 0;
}

int sides_read(struct source_set *new, struct source_set *base, struct profile **out, struct profile **separate,
	       struct err *err)
{
	int rc;

	if (separate)
		*separate = NULL;
	if (!separate || base->n == 0 || new->q->diff_base.n || new->q->keep_base)
		return sides_read_named(new, base, out, err);
	new->keep_sides = true;
	rc = sides_read_named(new, base, separate, err);
	if (rc == 0 && (rc = sides_join(*separate, out, err)) < 0) {
		profile_free(*separate);
		*separate = NULL;
	}
	return rc;
}

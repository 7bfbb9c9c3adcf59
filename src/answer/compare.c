/*
 * compare.c - load sources, subtract bases
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "answer/compare.h"

#include "answer/remote.h"
#include "answer/sides.h"
#include "answer/symbolize.h"
#include "base/pool.h"
#include "engine/query.h"
#include "profile/edit.h"
#include "profile/prune.h"

struct side_load {
	struct load *load;
	struct profile *profile;
	struct err err;
	int rc;
};

static void load_side(void *arg, unsigned part)
{
	struct side_load *s = (struct side_load *)arg + part;

	s->rc = load_profile(s->load, &s->profile, &s->err);
}

static const char *side_name(const struct load *l, const char *several)
{
	return l->n == 1 ? l->source[0] : several;
}

/* Subtract the base. Both profiles are modified, even on failure. */
static int answer_compare_subtract(const struct side_load side[N_SIDES], struct profile **out, struct err *err)
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

static int load_sides(struct load *new, struct load *base, struct profile **out, struct err *err)
{
	struct side_load side[N_SIDES] = { [SIDE_BASE].load = base, [SIDE_NEW].load = new };
	enum side first = base->n ? SIDE_BASE : SIDE_NEW;
	int rc;

	pool_run(load_side, side + first, N_SIDES - first);
	rc = side[SIDE_NEW].rc < 0 ? SIDE_NEW : side[SIDE_BASE].rc < 0 ? SIDE_BASE : N_SIDES;
	if (rc < N_SIDES) {
		*err = side[rc].err;
		rc = side[rc].rc;
	} else if (base->n) {
		rc = answer_compare_subtract(side, out, err);
	} else {
		*out = side[SIDE_NEW].profile;
		return 0;
	}
	profile_free(side[SIDE_NEW].profile);
	profile_free(side[SIDE_BASE].profile);
	return rc;
}

static int drop_frames(struct load *l, struct profile *p, struct err *err)
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

int compare_load(struct load *new, struct load *base, struct profile **out, struct err *err)
{
	struct profile *p = NULL;
	int rc = load_sides(new, base, &p, err);

	if (rc == 0)
		rc = answer_symbolize(p, new, base, err);
	if (rc == 0)
		rc = drop_frames(new, p, err);
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

int compare_load_sides(struct load *new, struct load *base, struct profile **out, struct profile **separate,
		       struct err *err)
{
	int rc;

	if (separate)
		*separate = NULL;
	if (!separate || base->n == 0 || new->q->diff_base.n || new->q->keep_base)
		return compare_load(new, base, out, err);
	new->keep_sides = true;
	rc = compare_load(new, base, separate, err);
	if (rc == 0 && (rc = sides_join(*separate, out, err)) < 0) {
		profile_free(*separate);
		*separate = NULL;
	}
	return rc;
}

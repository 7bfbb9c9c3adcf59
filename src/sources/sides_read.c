/*
 * sides_read.c - load sources, subtract bases
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "sources/sides_read.h"

#include "sources/remote.h"
#include "sources/sides.h"
#include "sources/symbolize.h"
#include "base/pool.h"
#include "profile/edit.h"
#include "profile/prune.h"

struct side_load {
	struct source_set *load;
	struct profile *profile;
	struct err err;
	int rc;
};

static void load_side(void *arg, unsigned part)
{
	struct side_load *s = (struct side_load *)arg + part;

	s->rc = source_set_read(s->load, &s->profile, &s->err);
}

static const char *side_name(const struct source_set *l, const char *several)
{
	return l->n == 1 ? l->source[0] : several;
}

/* Subtract the base. Both profiles are modified, even on failure. */
static int compare_subtract(const struct side_load side[2], struct profile **out, struct err *err)
{
	const struct query *q = side[0].load->q;
	const struct sides_options options = { .keep_sides = q->diff_base.n || q->keep_base,
					       .intersect_types = q->intersect_types,
					       .normalize = q->normalize,
					       .target_name = side_name(side[0].load, "sources"),
					       .base_name = side_name(side[1].load, "bases"),
					       .stop = q->stop };

	return sides_make_in_place(side[0].profile, side[1].profile, &options, out, err);
}

static int load_sides(struct source_set *target, struct source_set *base, struct profile **out, struct err *err)
{
	struct side_load side[2] = { { .load = target }, { .load = base } };
	int rc;

	pool_run(load_side, side, base->n ? 2 : 1);
	rc = side[0].rc < 0 ? 0 : side[1].rc < 0 ? 1 : 2;
	if (rc < 2) {
		*err = side[rc].err;
		rc = side[rc].rc;
	} else if (base->n) {
		rc = compare_subtract(side, out, err);
	} else {
		*out = side[0].profile;
		return 0;
	}
	profile_free(side[0].profile);
	profile_free(side[1].profile);
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

int sides_read(struct source_set *target, struct source_set *base, struct profile **out, struct err *err)
{
	struct profile *p = NULL;
	int rc = load_sides(target, base, &p, err);

	if (rc == 0)
		rc = sources_symbolize(p, target, base, err);
	if (rc == 0)
		rc = drop_frames(target, p, err);
	if (rc == 0)
		remote_remove_urls(p);
	if (rc < 0) {
		profile_free(p);
		return rc;
	}
	if (*target->q->add_comment)
		profile_add_comment(p, target->q->add_comment);
	*out = p;
	return 0;
}

int sides_read_both(struct source_set *target, struct source_set *base, struct profile **out, struct profile **separate,
		    struct err *err)
{
	const struct query *q = target->q;
	struct query keep = *q;
	int rc;

	if (separate)
		*separate = NULL;
	if (!separate || base->n == 0 || q->diff_base.n || q->keep_base)
		return sides_read(target, base, out, err);
	keep.keep_base = true;
	target->q = &keep;
	rc = sides_read(target, base, separate, err);
	target->q = q;
	if (rc == 0 && (rc = sides_join(*separate, out, err)) < 0) {
		profile_free(*separate);
		*separate = NULL;
	}
	return rc;
}

/*
 * view.c - the rows of a profile that a query selects
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "engine/view.h"

#include "base/buf.h"
#include "base/num.h"
#include "base/str.h"
#include "base/unit.h"
#include "engine/filter.h"
#include "engine/query_filter.h"
#include "profile/edit.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

static bool engine_view_find_type(const struct profile *p, const char *name, uint32_t *out)
{
	for (uint32_t t = 0; t < p->n_types; t++) {
		if (strcmp(profile_text(p, p->type[t].name), name) == 0) {
			*out = t;
			return true;
		}
	}
	return false;
}

static int unknown_type(const struct profile *p, const char *name, struct err *err)
{
	struct buf names = { 0 };
	int rc;

	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(&names, "%s%s", t ? " " : "", profile_text(p, p->type[t].name));
	rc = err_set(err, ERR_USAGE, "sample_index \"%s\" must be one of: [%s]", name, buf_text(&names));
	buf_release(&names);
	return rc;
}

int view_check_unit(const struct profile *p, const char *unit, struct err *err)
{
	struct buf choices = { 0 };
	int rc;

	if (unit_is_choice(unit))
		return 0;
	for (uint32_t t = 0; t < p->n_types; t++)
		if (strcmp(profile_text(p, p->type[t].unit), unit) == 0)
			return 0;
	for (uint32_t i = 0; i < p->n_labels; i++)
		if (!p->label_is_text[i] && strcmp(profile_text(p, p->label_unit[i]), unit) == 0)
			return 0;
	unit_add_choices(&choices);
	rc = err_set(err, ERR_USAGE, "-unit=%s: unknown unit; use minimum, auto, count or one of %s", unit,
		     buf_text(&choices));
	buf_release(&choices);
	return rc;
}

static int type_by_number(const struct profile *p, const char *number, uint32_t *out, struct err *err)
{
	bool negative = *number == '-';
	uint64_t i = 0;

	for (const char *c = number + (negative || *number == '+'); *c; c++)
		i = i < UINT32_MAX ? i * 10 + (uint64_t)(*c - '0') : i;
	if (i >= p->n_types || (negative && i))
		return err_set(err, ERR_USAGE, "sample_index %s is outside the range [0..%" PRIu32 "]", number,
			       p->n_types - 1);
	*out = (uint32_t)i;
	return 0;
}

/*
 * Find the type of an event by its names in profiles of perf_to_profile: EVENT_event, and EVENT_sample for the number of
 * samples, which is the first type if there is only one event.
 */
static bool view_find_event_type(const struct profile *p, const char *name, uint32_t *out)
{
	static const char event[] = "_event", sample[] = "_sample";
	const char *end = strrchr(name, '_');
	uint32_t type = 0;

	if (!end || (strcmp(end, event) != 0 && strcmp(end, sample) != 0))
		return false;
	for (; type < p->n_types; type++) {
		const char *text = profile_text(p, p->type[type].name);

		if (strlen(text) == (size_t)(end - name) && memcmp(text, name, (size_t)(end - name)) == 0)
			break;
	}
	if (type == p->n_types)
		return false;
	*out = type;
	if (strcmp(end, event) == 0)
		return true;
	*out = 0;
	return p->n_types == 2 && strcmp(profile_text(p, p->type[0].name), "samples") == 0;
}

int view_find_type(const struct profile *p, const char *name, uint32_t *out, struct err *err)
{
	static const char inuse[] = "inuse_", digits[] = "0123456789";

	if (!*name) {
		*out = p->n_types - 1;
		if (p->meta.default_type)
			engine_view_find_type(p, profile_text(p, p->meta.default_type), out);
		return 0;
	}
	if (name[1] && (*name == '-' || *name == '+') && name[1 + strspn(name + 1, digits)] == 0)
		return type_by_number(p, name, out, err);
	if (name[strspn(name, digits)] == 0)
		return type_by_number(p, name, out, err);
	for (uint32_t t = 0; t < p->n_types; t++) { /* first match, with or without inuse_, as in pprof */
		const char *type = profile_text(p, p->type[t].name);

		if (strcmp(type, name) == 0 ||
		    (starts_with(name, inuse) && strcmp(type, name + sizeof(inuse) - 1) == 0)) {
			*out = t;
			return 0;
		}
	}
	return view_find_event_type(p, name, out) ? 0 : unknown_type(p, name, err);
}

/* Does a row count for the total? All rows do, unless a mask of label sets excludes them. */
static bool view_counts(const struct view *v, const bool *only, uint32_t row)
{
	return !only || only[v->p->labels[row]];
}

/* Add up the magnitudes of a column; the sum over all rows must not overflow int64_t. */
static int column_total(const struct view *v, const int64_t *column, const bool *only, const char *what, int64_t *total,
			struct err *err)
{
	uint64_t sum = 0;

	for (uint32_t i = 0; i < v->n; i++) {
		uint64_t next = sum + num_abs(column[i]);

		if (!view_counts(v, only, i))
			continue;
		if (next < sum || next > INT64_MAX)
			return err_set(err, ERR_RANGE, "sample %" PRIu32 ": the sum of %s overflows 64 bits", i + 1,
				       what);
		sum = next;
	}
	*total = (int64_t)sum;
	return 0;
}

static int64_t view_column_sum(const struct view *v, const int64_t *column, const bool *only)
{
	int64_t sum = 0;

	for (uint32_t i = 0; i < v->n; i++)
		sum += view_counts(v, only, i) ? column[i] : 0;
	return sum;
}

/* Point to the columns of a profile, as loaded or after filters. */
static void use_rows(struct view *v, const struct profile *p)
{
	assert(v->type < p->n_types);
	v->p = p;
	v->n = p->n_rows;
	v->val = p->value[v->type];
	v->div = v->mean ? p->value[0] : NULL;
}

bool *view_base_sets(const struct profile *p, struct arena *mem)
{
	bool *is_base = arena_zalloc(mem, p->n_labels, sizeof(*is_base)), *of_base = NULL;
	bool any = false;

	for (uint32_t l = 0; l < p->n_labels; l++) {
		is_base[l] = p->label_is_text[l] && strcmp(profile_text(p, p->label_key[l]), BASE_LABEL) == 0 &&
			     strcmp(profile_text(p, p->label_text[l]), "true") == 0;
		any |= is_base[l];
	}
	if (!any)
		return NULL;
	of_base = arena_zalloc(mem, p->label_sets.n, sizeof(*of_base));
	for (uint32_t set = 0; set < p->label_sets.n; set++)
		for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++)
			of_base[set] |= is_base[p->label_sets.item[i]];
	return of_base;
}

/* Add up values above and below 0; column_total has checked that these do not overflow. */
static void view_find_sides(struct view *v)
{
	const int64_t *column = v->val;

	v->side_total[SIDE_NEW] = v->side_total[SIDE_BASE] = 0;
	for (uint32_t i = 0; i < v->n; i++) {
		v->side_total[SIDE_NEW] += column[i] > 0 ? column[i] : 0;
		v->side_total[SIDE_BASE] -= column[i] < 0 ? column[i] : 0;
	}
}

static int find_total(struct view *v, struct arena *mem, struct err *err)
{
	const struct profile *p = v->p;
	const bool *only = view_base_sets(p, mem);
	int64_t magnitude = 0;

	if (column_total(v, v->val, NULL, profile_text(p, p->type[v->type].name), &v->total, err) < 0)
		return ERR_RANGE;
	view_find_sides(v);
	assert(v->side_total[SIDE_NEW] >= 0 && v->side_total[SIDE_BASE] >= 0);
	assert(v->side_total[SIDE_NEW] + v->side_total[SIDE_BASE] == v->total);
	if (only && column_total(v, v->val, only, "", &magnitude, err) == 0 && magnitude > 0)
		v->total = magnitude;
	else
		only = NULL;
	if (!v->mean)
		return 0;
	if (column_total(v, v->div, NULL, profile_text(p, p->type[0].name), &magnitude, err) < 0)
		return ERR_RANGE;
	magnitude = view_column_sum(v, v->div, only);
	if (magnitude)
		v->total /= magnitude;
	return 0;
}

/*
 * Reject a profile whose inlined calls make its stacks huge: a location with 50 000 lines, 50 000 times on a stack,
 * fits into a compressed file of 1 KB. Real stacks have up to three frames per location.
 */
static int check_frames(const struct profile *p, struct err *err)
{
	enum { FREE = 1 << 26, MOST = 64 };
	uint64_t n_locs = p->stacks.off[p->stacks.n], n = 0;
	uint32_t longest = 0;

	for (uint32_t loc = 0; loc < p->n_locs; loc++)
		longest = p->loc_line[loc + 1] - p->loc_line[loc] > longest ? p->loc_line[loc + 1] - p->loc_line[loc]
									    : longest;
	if (longest <= MOST || n_locs * longest <= FREE)
		return 0;
	for (uint64_t i = 0; i < n_locs; i++)
		n += p->loc_line[stack_id_at(&p->stacks, i) + 1] - p->loc_line[stack_id_at(&p->stacks, i)];
	if (n <= FREE || n / MOST <= n_locs)
		return 0;
	return err_set(err, ERR_LIMIT,
		       "inlined calls make %" PRIu64 " frames of the %" PRIu64
		       " in its stacks; -noinlines leaves them out",
		       n, n_locs);
}

int view_make(const struct profile *p, const struct query_filter *q, struct arena *mem, struct view *out,
	      struct buf *notes, struct err *err)
{
	struct view v = { .mean = q->mean, .stop = q->stop };
	const struct profile *filtered;
	int rc;

	if (view_find_type(p, q->sample_index, &v.type, err) < 0 || view_check_unit(p, q->unit, err) < 0)
		return ERR_USAGE;
	v.unit = profile_text(p, p->type[v.type].unit);
	rc = filter_make(p, q, mem, &filtered, notes, err);
	if (rc < 0)
		return rc;
	if (!q->noinlines && check_frames(filtered, err) < 0)
		return ERR_LIMIT;
	use_rows(&v, p); /* sums over all rows must not overflow, even if the total is that of filtered rows */
	rc = find_total(&v, mem, err);
	use_rows(&v, filtered);
	if (rc == 0 && q->relative_percentages)
		rc = find_total(&v, mem, err);
	if (rc == 0)
		rc = stop_check(q->stop, err);
	if (rc == 0)
		*out = v;
	return rc;
}

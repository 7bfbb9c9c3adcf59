/*
 * profile.c - .cpuprofile and .heapprofile of V8
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/json/kind.h"
#include "formats/v8/v8.h"
#include "formats/v8/v8_int.h"

#include "base/num.h"

/* ---- .cpuprofile ---- */

static int v8_build_cpuprofile(struct v8 *v, size_t n)
{
	int rc = v8_link(v);

	v8_add_types(v);
	v->rows = merged_rows_new(v->b, v->options, n);
	rc = rc < 0 ? rc : v8_add_rows(v, 0, v->part, v->n_parts, NULL, 0);
	v8_add_comments(v, "cpuprofile");
	return rc;
}

int v8_read_cpuprofile(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		       struct err *err)
{
	struct v8_part part = { 0 };
	struct jsonr r;
	struct v8 v;
	int rc;

	v8_init(&v, options, err);
	v8_add_group(&v, &(struct v8_group){ 0 });
	jsonr_init(&r, data, n, JSONR_DEPTH_OF_CALLS, err);
	v8_read_object(&v, &r, &part);
	jsonr_end(&r);
	if (v.n_nodes == 0)
		jsonr_fail(&r, ERR_FORMAT, "the profile has no nodes");
	v8_add_part(&v, &part);
	rc = r.rc ? r.rc : v8_build_cpuprofile(&v, n);
	if (rc == 0)
		*out = builder_seal(v.b);
	jsonr_release(&r);
	v8_release(&v);
	return rc;
}

/* ---- .heapprofile ---- */

/* Read a sample: append its node and its count, if it has one. */
static void v8_read_heap_sample(struct v8 *v, struct jsonr *r, struct v8_range *counts)
{
	int64_t id = 0, count = 0;
	bool has_count = false;

	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r)) {
			if (jsonr_is(r, "nodeId"))
				jsonr_int(r, &id);
			else if (jsonr_is(r, "count"))
				has_count = jsonr_int(r, &count);
			else
				jsonr_skip(r);
		}
	if (!has_count)
		return;
	v8_add_number(v, id);
	v8_add_number(v, count);
	counts->n += 2;
}

static void v8_read_heap(struct v8 *v, struct jsonr *r, struct v8_range *counts)
{
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		if (jsonr_is(r, "head")) {
			v8_read_node(v, r, 0);
		} else if (jsonr_is(r, "samples")) {
			*counts = (struct v8_range){ .first = v->n_numbers };
			if (jsonr_open(r, JSONR_ARRAY))
				while (jsonr_item(r))
					v8_read_heap_sample(v, r, counts);
		} else {
			jsonr_skip(r);
		}
	}
}

static void v8_add_heap_counts(struct v8 *v, const struct v8_range *counts)
{
	for (size_t i = 0; i < counts->n; i += 2) {
		const int64_t *pair = v->number + counts->first + i;
		uint32_t node = v8_find_node(v, 0, pair[0]);

		if (node == STACK_TREE_NONE)
			skipped_add(&v->unknown_nodes, i);
		else
			v->node[node].n_samples = num_add_capped(v->node[node].n_samples, pair[1]);
	}
}

static int v8_build_heap(struct v8 *v, const struct v8_range *counts, size_t n_bytes)
{
	struct strtab *str = builder_strings(v->b);
	struct profile_meta *meta = builder_meta(v->b);
	int rc = v8_link(v);

	v8_add_heap_counts(v, counts);
	if (counts->n)
		builder_type(v->b, strtab_addz(str, "objects"), strtab_addz(str, "count"));
	builder_type(v->b, strtab_addz(str, "space"), strtab_addz(str, "bytes"));
	meta->default_type = strtab_addz(str, "space");
	v->rows = merged_rows_new(v->b, v->options, n_bytes);
	for (uint32_t i = 0; rc == 0 && i < v->n_nodes; i++) {
		const int64_t values[2] = { v->node[i].n_samples, v->node[i].self };
		size_t n;

		if (values[0] == 0 && values[1] == 0)
			continue;
		rc = stack_tree_walk(&v->tree, i, &n, v->err);
		if (rc == 0)
			rc = merged_rows_add(v->rows, counts->n ? values : &values[1], v->tree.stack, n, NULL, 0,
					     v->err);
	}
	v8_add_comments(v, "heapprofile");
	return rc;
}

int v8_read_heapprofile(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			struct err *err)
{
	struct v8_range counts = { 0 };
	struct jsonr r;
	struct v8 v;
	int rc;

	v8_init(&v, options, err);
	v.is_heap = true;
	v8_add_group(&v, &(struct v8_group){ 0 });
	jsonr_init(&r, data, n, JSONR_DEPTH_OF_CALLS, err);
	v8_read_heap(&v, &r, &counts);
	jsonr_end(&r);
	if (v.n_nodes == 0)
		jsonr_fail(&r, ERR_FORMAT, "the profile has no nodes");
	rc = r.rc ? r.rc : v8_build_heap(&v, &counts, n);
	if (rc == 0)
		*out = builder_seal(v.b);
	jsonr_release(&r);
	v8_release(&v);
	return rc;
}

/*
 * samples.c - the samples of V8 as rows
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The first delta is the time from the start to the first sample, so a sample lasts for the delta of the next one. Deltas
 * may be negative: V8 does not sort its samples.
 */
#include "config.h"

#include "formats/v8/v8_int.h"

#include "base/mem.h"
#include "base/num.h"

#include <stdlib.h>

enum { V8_NS_PER_US = 1000, V8_LABELS_MAX = 4 };

/* Recordings before this time, 2001 in ns since 1970, have times of a clock that began later. */
#define V8_EPOCH_MIN INT64_C(1000000000000000000)

/* A sample. */
struct v8_moment {
	int64_t time;
	uint32_t node, order;
	int32_t line, col; /* 0: not known */
};

void v8_read_field(struct v8 *v, struct jsonr *r, struct v8_part *part)
{
	struct v8_group *group = &v->group[part->group];

	if (jsonr_is(r, "nodes"))
		v8_read_nodes(v, r, part->group);
	else if (jsonr_is(r, "head"))
		v8_read_node(v, r, part->group);
	else if (jsonr_is(r, "samples"))
		part->samples = v8_read_numbers(v, r, 1);
	else if (jsonr_is(r, "timeDeltas"))
		part->deltas = v8_read_numbers(v, r, V8_NS_PER_US);
	else if (jsonr_is(r, "timestamps"))
		part->times = v8_read_numbers(v, r, V8_NS_PER_US);
	else if (jsonr_is(r, "lines"))
		part->lines = v8_read_numbers(v, r, 1);
	else if (jsonr_is(r, "columns"))
		part->columns = v8_read_numbers(v, r, 1);
	else if (jsonr_is(r, "startTime"))
		group->has_start = jsonr_scaled(r, V8_NS_PER_US, &group->start);
	else if (jsonr_is(r, "endTime"))
		group->has_end = jsonr_scaled(r, V8_NS_PER_US, &group->end);
	else
		jsonr_skip(r);
}

void v8_read_object(struct v8 *v, struct jsonr *r, struct v8_part *part)
{
	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r))
			v8_read_field(v, r, part);
}

void v8_add_part(struct v8 *v, const struct v8_part *part)
{
	if (part->samples.n == 0)
		return;
	v->part = mem_grow(v->part, &v->cap_parts, v->n_parts + 1, sizeof(*v->part));
	v->part[v->n_parts] = *part;
	v->part[v->n_parts].order = v->n_parts;
	v->n_parts++;
}

/* ---- rows ---- */

/* The part of a value of the first `sum` of `total` shares; total > 0. */
static int64_t v8_share(int64_t value, int64_t sum, int64_t total)
{
	return (int64_t)((__int128)value * sum / total);
}

static int v8_add_stack(struct v8 *v, uint32_t node, uint32_t leaf, const int64_t values[2], const uint32_t *labels,
			size_t n_labels)
{
	size_t n;
	int rc = stack_tree_walk(&v->tree, node, &n, v->err);

	if (rc < 0)
		return rc;
	if (n && leaf != STACK_TREE_NONE)
		v->tree.stack[0] = leaf;
	return merged_rows_add(v->rows, values, v->tree.stack, n, labels, n_labels, v->err);
}

/* Add a row whose leaf is at a line of its own. */
static int v8_add_line(struct v8 *v, uint32_t node, int64_t line, int64_t col, const int64_t values[2],
		       const uint32_t *labels, size_t n_labels)
{
	uint32_t leaf = STACK_TREE_NONE;
	int rc = 0;

	if (node != STACK_TREE_NONE && line > 0 && v->tree.loc[node] != STACK_TREE_NONE) {
		struct named_frame frame = v->node[node].frame;

		frame.line = line;
		frame.col = col > 0 ? col : 0;
		rc = named_frames_location(v->frames, &frame, &leaf, v->err);
	}
	return rc < 0 ? rc : v8_add_stack(v, node, leaf, values, labels, n_labels);
}

/* Add the rows of a node, whose samples are divided among its lines as its ticks are. */
static int v8_add_node_rows(struct v8 *v, uint32_t number, const uint32_t *labels, size_t n_labels)
{
	const struct v8_node *node = &v->node[number];
	const int64_t *tick = node->ticks.n ? v->number + node->ticks.first : NULL;
	int64_t total = 0, sum = 0;
	int rc = 0;

	for (size_t i = 0; i < node->ticks.n; i += 2)
		if (tick[i + 1] > 0)
			total = num_add_capped(total, tick[i + 1]);
	if (total == 0)
		return v8_add_stack(v, number, STACK_TREE_NONE, (const int64_t[]){ node->n_samples, node->time },
				    labels, n_labels);
	for (size_t i = 0; rc == 0 && i < node->ticks.n; i += 2) {
		int64_t next = tick[i + 1] > 0 ? num_add_capped(sum, tick[i + 1]) : sum;
		const int64_t values[2] = {
			v8_share(node->n_samples, next, total) - v8_share(node->n_samples, sum, total),
			v8_share(node->time, next, total) - v8_share(node->time, sum, total),
		};

		sum = next;
		if (values[0] || values[1])
			rc = v8_add_line(v, number, tick[i], 0, values, labels, n_labels);
	}
	return rc;
}

/* Add samples to a node. */
static void v8_touch_node(struct v8 *v, uint32_t number, int64_t n_samples, int64_t time)
{
	struct v8_node *node = &v->node[number];

	if (node->n_samples == 0) {
		v->touched = mem_grow(v->touched, &v->cap_touched, v->n_touched + 1, sizeof(*v->touched));
		v->touched[v->n_touched++] = number;
	}
	node->n_samples = num_add_capped(node->n_samples, n_samples);
	node->time = num_add_capped(node->time, time);
}

static int v8_add_touched_rows(struct v8 *v, const uint32_t *labels, size_t n_labels)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < v->n_touched; i++)
		rc = v8_add_node_rows(v, v->touched[i], labels, n_labels);
	v->n_touched = 0;
	return rc;
}

/* Add a sample: at once if it has a line or a time, else to its node. */
static int v8_add_moment(struct v8 *v, const struct v8_moment *moment, int64_t duration, int64_t start,
			 const uint32_t *labels, size_t n_labels)
{
	const int64_t values[2] = { 1, duration > 0 ? duration : 0 };
	uint32_t own[V8_LABELS_MAX];
	size_t n_own = 0;

	if (!v->options->keeps_times && moment->line <= 0 && moment->node != STACK_TREE_NONE) {
		v8_touch_node(v, moment->node, 1, values[1]);
		return 0;
	}
	for (; n_own < n_labels; n_own++)
		own[n_own] = labels[n_own];
	if (v->options->keeps_times) {
		int rc = builder_time_label(v->b, num_sub_capped(moment->time, start), &own[n_own++], v->err);

		if (rc < 0)
			return rc;
	}
	return v8_add_line(v, moment->node, moment->line, moment->col, values, own, n_own);
}

/* ---- times ---- */

static int compare_v8_moments(const void *a, const void *b)
{
	const struct v8_moment *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static int64_t v8_number_at(const struct v8 *v, const struct v8_range *range, size_t i)
{
	return i < range->n ? v->number[range->first + i] : 0;
}

/* A line or column; 0 if it is not possible. */
static int32_t v8_position(int64_t number)
{
	return number > 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

/* Append the samples of a part to at. time: of the last sample. */
static void v8_take_part(struct v8 *v, const struct v8_part *part, int64_t *time, struct v8_moment *at, size_t order)
{
	bool has_times = part->times.n > 0 && part->deltas.n == 0;
	size_t n_times = has_times ? part->times.n : part->deltas.n;

	if (n_times && n_times != part->samples.n)
		skipped_add(&v->unequal, 0);
	for (size_t i = 0; i < part->samples.n; i++, at++, order++) {
		if (has_times)
			*time = i < part->times.n ? v8_number_at(v, &part->times, i) : *time;
		else
			*time = num_add_capped(*time, v8_number_at(v, &part->deltas, i));
		*at = (struct v8_moment){
			.time = *time,
			.order = (uint32_t)order,
			.node = v8_find_node(v, part->group, v8_number_at(v, &part->samples, i)),
			.line = v8_position(v8_number_at(v, &part->lines, i)),
			.col = v8_position(v8_number_at(v, &part->columns, i)),
		};
		if (at->node == STACK_TREE_NONE)
			skipped_add(&v->unknown_nodes, order);
	}
}

/* Samples without any time: they are evenly distributed. */
static void v8_spread(struct v8 *v, const struct v8_group *group, struct v8_moment *moment, size_t n)
{
	int64_t span = group->has_end ? num_sub_capped(group->end, group->start) : 0;

	for (size_t i = 0; i < n; i++)
		moment[i].time = num_add_capped(group->start, v8_share(span > 0 ? span : 0, (int64_t)i, (int64_t)n));
	skipped_add(&v->unknown_times, 0);
}

/* The samples of the parts of a group, sorted by time. */
static struct v8_moment *v8_moments(struct v8 *v, const struct v8_group *group, const struct v8_part *part,
				    size_t n_parts, size_t *n)
{
	struct v8_moment *moment;
	int64_t time = group->start;
	size_t n_times = 0;
	bool is_sorted = true;

	*n = 0;
	for (size_t i = 0; i < n_parts; i++) {
		*n += part[i].samples.n;
		n_times += part[i].deltas.n + part[i].times.n;
	}
	moment = mem_alloc(*n ? *n : 1, sizeof(*moment));
	for (size_t i = 0, at = 0; i < n_parts; at += part[i++].samples.n)
		v8_take_part(v, &part[i], &time, moment + at, at);
	if (n_times == 0 && *n)
		v8_spread(v, group, moment, *n);
	for (size_t i = 1; i < *n; i++)
		is_sorted = is_sorted && moment[i - 1].time <= moment[i].time;
	if (!is_sorted)
		qsort(moment, *n, sizeof(*moment), compare_v8_moments);
	return moment;
}

/* A group without samples: the hits of its nodes, each for the mean interval. */
static void v8_count_hits(struct v8 *v, uint32_t number)
{
	const struct v8_group *group = &v->group[number];
	int64_t span = group->has_end ? num_sub_capped(group->end, group->start) : 0, total = 0, sum = 0;

	for (size_t i = 0; i < v->n_nodes; i++)
		if (v->node[i].group == number && v->node[i].self > 0)
			total = num_add_capped(total, v->node[i].self);
	for (uint32_t i = 0; i < v->n_nodes && total > 0; i++) {
		const struct v8_node *node = &v->node[i];
		int64_t next, time = 0;

		if (node->group != number || node->self <= 0)
			continue;
		next = num_add_capped(sum, node->self);
		if (span > 0)
			time = v8_share(span, next, total) - v8_share(span, sum, total);
		v8_touch_node(v, i, node->self, time);
		sum = next;
	}
}

/* Extend the time of the profile by that of a group. */
static void v8_add_time(struct v8 *v, const struct v8_group *group, int64_t end)
{
	struct profile_meta *meta = builder_meta(v->b);
	int64_t span = num_sub_capped(end, group->start);

	if (group->start >= V8_EPOCH_MIN && (meta->time_ns == 0 || group->start < meta->time_ns))
		meta->time_ns = group->start;
	if (group->has_start && span > meta->duration_ns)
		meta->duration_ns = span;
}

int v8_add_rows(struct v8 *v, uint32_t group, const struct v8_part *part, size_t n, const uint32_t *labels,
		size_t n_labels)
{
	const struct v8_group *g = &v->group[group];
	struct v8_moment *moment;
	size_t n_moments;
	int64_t end;
	int rc = 0;

	moment = v8_moments(v, g, part, n, &n_moments);
	end = g->has_end || n_moments == 0 ? g->end : moment[n_moments - 1].time;
	if (n_moments == 0)
		v8_count_hits(v, group);
	for (size_t i = 0; rc == 0 && i < n_moments; i++) {
		int64_t next = i + 1 < n_moments ? moment[i + 1].time : end;

		rc = v8_add_moment(v, &moment[i], num_sub_capped(next, moment[i].time), g->start, labels, n_labels);
	}
	free(moment);
	v8_add_time(v, g, end);
	return rc < 0 ? rc : v8_add_touched_rows(v, labels, n_labels);
}

void v8_add_types(struct v8 *v)
{
	struct strtab *str = builder_strings(v->b);

	builder_type(v->b, strtab_addz(str, "samples"), strtab_addz(str, "count"));
	builder_type(v->b, strtab_addz(str, "cpu"), strtab_addz(str, "nanoseconds"));
}

void v8_add_comments(struct v8 *v, const char *format)
{
	static const struct {
		size_t at;
		const char *one, *many;
	} comments[] = {
		{ offsetof(struct v8, unknown_nodes), "sample of a node that does not exist is without a stack",
		  "samples of nodes that do not exist are without a stack" },
		{ offsetof(struct v8, unknown_children), "node has a parent or child that does not exist",
		  "nodes have a parent or child that does not exist" },
		{ offsetof(struct v8, repeated_nodes), "node occurs twice; the first place counts",
		  "nodes occur twice; the first place counts" },
		{ offsetof(struct v8, unequal), "list of samples has another length than its times",
		  "lists of samples have another length than their times" },
		{ offsetof(struct v8, unknown_times),
		  "recording has samples without times; each lasts the mean interval",
		  "recordings have samples without times; each lasts the mean interval" },
	};
	struct buf what = { 0 };

	buf_addf(&what, "%s:", format);
	for (size_t i = 0; i < sizeof(comments) / sizeof(comments[0]); i++) {
		const struct skipped *s = (const void *)((const char *)v + comments[i].at);

		skipped_add_comment(s, v->b, buf_text(&what), comments[i].one, comments[i].many, NULL);
	}
	buf_release(&what);
}

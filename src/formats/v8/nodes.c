/*
 * nodes.c - the tree of calls in profiles of V8
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A node has its children in it (.heapprofile), or a list of their ids (.cpuprofile), or the id of its parent (traces).
 * One function reads all three, with a stack of its own.
 */
#include "config.h"

#include "formats/v8/v8_int.h"

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/url_escape.h"

#include <stdlib.h>
#include <string.h>

enum { V8_CALLS_MAX = 10000, V8_NODES_EXPECTED = 256 };

void v8_init(struct v8 *v, const struct format_options *options, struct err *err)
{
	*v = (struct v8){ .options = options, .err = err, .b = builder_new() };
	v->frames = named_frames_new(v->b, options);
	v->root = strtab_addz(builder_strings(v->b), "(root)");
	v->anonymous = strtab_addz(builder_strings(v->b), "(anonymous)");
	idtab_init(&v->node_at, V8_NODES_EXPECTED);
}

void v8_release(struct v8 *v)
{
	idtab_release(&v->node_at);
	stack_tree_release(&v->tree);
	named_frames_free(v->frames);
	merged_rows_free(v->rows);
	builder_free(v->b);
	free(v->node);
	free(v->child);
	free(v->number);
	free(v->group);
	free(v->part);
	free(v->touched);
}

uint32_t v8_add_group(struct v8 *v, const struct v8_group *group)
{
	v->group = mem_grow(v->group, &v->cap_groups, v->n_groups + 1, sizeof(*v->group));
	v->group[v->n_groups] = *group;
	return (uint32_t)v->n_groups++;
}

void v8_add_number(struct v8 *v, int64_t number)
{
	v->number = mem_grow(v->number, &v->cap_numbers, v->n_numbers + 1, sizeof(*v->number));
	v->number[v->n_numbers++] = number;
}

struct v8_range v8_read_numbers(struct v8 *v, struct jsonr *r, int64_t factor)
{
	struct v8_range range = { .first = v->n_numbers };

	if (jsonr_open(r, JSONR_ARRAY))
		while (jsonr_item(r)) {
			int64_t number = 0;

			jsonr_scaled(r, factor, &number);
			v8_add_number(v, number);
		}
	range.n = v->n_numbers - range.first;
	return range;
}

/* ---- frames ---- */

static str_id v8_text(struct v8 *v, struct jsonr *r)
{
	return jsonr_string(r) ? strtab_add(builder_strings(v->b), r->text, r->len) : 0;
}

/* The path of a URL with file:; other URLs, such as node:fs, are kept. */
static str_id v8_file(struct v8 *v, struct jsonr *r)
{
	static const char scheme[] = "file://";
	struct buf path = { 0 };
	const size_t n = sizeof(scheme) - 1;
	str_id file;

	if (!jsonr_string(r))
		return 0;
	if (r->len < n || memcmp(r->text, scheme, n) != 0)
		return strtab_add(builder_strings(v->b), r->text, r->len);
	if (!url_unescape(r->text + n, r->len - n, URL_PATH, &path)) {
		path.len = 0;
		buf_add(&path, r->text + n, r->len - n);
	}
	file = strtab_add(builder_strings(v->b), buf_text(&path), path.len);
	buf_release(&path);
	return file;
}

/* A line or column from 0 as one from 1; 0 if it is not known. */
static int64_t v8_from_one(struct jsonr *r)
{
	int64_t number = -1;

	jsonr_int(r, &number);
	return number < 0 || number == INT64_MAX ? 0 : number + 1;
}

/* Read a field of a frame. Returns false, without reading, if the key is none. */
static bool v8_read_frame_field(struct v8 *v, struct jsonr *r, struct named_frame *frame)
{
	if (jsonr_is(r, "functionName"))
		frame->name = v8_text(v, r);
	else if (jsonr_is(r, "url"))
		frame->file = v8_file(v, r);
	else if (jsonr_is(r, "lineNumber"))
		frame->line = v8_from_one(r);
	else if (jsonr_is(r, "columnNumber"))
		frame->col = v8_from_one(r);
	else
		return false;
	return true;
}

static void v8_read_frame(struct v8 *v, struct jsonr *r, struct named_frame *frame)
{
	if (jsonr_open(r, JSONR_OBJECT))
		while (jsonr_key(r))
			if (!v8_read_frame_field(v, r, frame))
				jsonr_skip(r);
}

/* ---- nodes ---- */

static struct v8_range v8_read_ticks(struct v8 *v, struct jsonr *r)
{
	struct v8_range range = { .first = v->n_numbers };

	if (!jsonr_open(r, JSONR_ARRAY))
		return range;
	while (jsonr_item(r)) {
		int64_t line = 0, ticks = 0;

		if (jsonr_open(r, JSONR_OBJECT))
			while (jsonr_key(r)) {
				if (jsonr_is(r, "line"))
					jsonr_int(r, &line);
				else if (jsonr_is(r, "ticks"))
					jsonr_int(r, &ticks);
				else
					jsonr_skip(r);
			}
		v8_add_number(v, line);
		v8_add_number(v, ticks);
	}
	range.n = v->n_numbers - range.first;
	return range;
}

/* Read a field of a node, except its children. Before 2016 the fields of its frame were its own, with lines from 1. */
static void v8_read_node_field(struct v8 *v, struct jsonr *r, struct v8_node *node)
{
	if (jsonr_is(r, "callFrame"))
		v8_read_frame(v, r, &node->frame);
	else if (jsonr_is(r, "id"))
		node->has_id = jsonr_int(r, &node->id);
	else if (jsonr_is(r, "parent"))
		node->has_parent_id = jsonr_int(r, &node->parent_id);
	else if (jsonr_is(r, v->is_heap ? "selfSize" : "hitCount"))
		jsonr_int(r, &node->self);
	else if (jsonr_is(r, "positionTicks"))
		node->ticks = v8_read_ticks(v, r);
	else if (jsonr_is(r, "lineNumber"))
		jsonr_int(r, &node->frame.line);
	else if (jsonr_is(r, "columnNumber"))
		jsonr_int(r, &node->frame.col);
	else if (!v8_read_frame_field(v, r, &node->frame))
		jsonr_skip(r);
}

/* Append a node and return its number; on error STACK_TREE_NONE. */
static uint32_t v8_add_node(struct v8 *v, struct jsonr *r, uint32_t group, uint32_t parent)
{
	if (format_exceeds(v->n_nodes + 1, v->options->max_count) || v->n_nodes >= STACK_TREE_NONE - 1) {
		jsonr_fail(r, ERR_LIMIT, "more than %zu nodes; raise the limit with --max-count", v->n_nodes);
		return STACK_TREE_NONE;
	}
	v->node = mem_grow(v->node, &v->cap_nodes, v->n_nodes + 1, sizeof(*v->node));
	v->node[v->n_nodes] = (struct v8_node){ .group = group };
	stack_tree_add(&v->tree, parent, STACK_TREE_NONE);
	return (uint32_t)v->n_nodes++;
}

static uint64_t v8_node_hash(uint32_t group, int64_t id)
{
	return hash_mix(hash_u64((uint64_t)id), hash_u64(group));
}

uint32_t v8_find_node(const struct v8 *v, uint32_t group, int64_t id)
{
	uint64_t hash = v8_node_hash(group, id);
	uint32_t i;

	for (size_t at = idtab_start(&v->node_at, hash); idtab_next(&v->node_at, hash, &at, &i);)
		if (v->node[i].group == group && v->node[i].id == id)
			return i;
	return STACK_TREE_NONE;
}

/* All fields of a node have been read. */
static void v8_end_node(struct v8 *v, struct jsonr *r, uint32_t number)
{
	struct v8_node *node = &v->node[number];

	if (!node->frame.name)
		node->frame.name = v->anonymous;
	node->frame.start = node->frame.line;
	if (!node->has_id)
		return;
	if (v8_find_node(v, node->group, node->id) == STACK_TREE_NONE)
		idtab_put(&v->node_at, v8_node_hash(node->group, node->id), number);
	else
		skipped_add(&v->repeated_nodes, r->start);
}

/* Read the next child in the list of a node: its id, or the child itself, whose number is then returned. */
static uint32_t v8_read_child(struct v8 *v, struct jsonr *r, uint32_t parent)
{
	const uint32_t group = v->node[parent].group;
	int64_t id = 0;

	if (jsonr_peek(r) == '{') {
		jsonr_open(r, JSONR_OBJECT);
		return v8_add_node(v, r, group, parent);
	}
	if (jsonr_int(r, &id)) {
		v->child = mem_grow(v->child, &v->cap_children, v->n_children + 1, sizeof(*v->child));
		v->child[v->n_children++] = (struct v8_child){ .parent = parent, .group = group, .id = id };
	}
	return STACK_TREE_NONE;
}

/* The open objects around the node that is read. */
struct v8_nesting {
	struct v8_open *open; /* [n] */
	size_t n, cap;
};

static void v8_push_node(struct jsonr *r, struct v8_nesting *nesting, uint32_t node)
{
	if (node == STACK_TREE_NONE)
		return;
	if (nesting->n == V8_CALLS_MAX) {
		jsonr_fail(r, ERR_LIMIT, "more than %d calls in each other", (int)V8_CALLS_MAX);
		return;
	}
	nesting->open = mem_grow(nesting->open, &nesting->cap, nesting->n + 1, sizeof(*nesting->open));
	nesting->open[nesting->n++] = (struct v8_open){ .node = node };
}

void v8_read_node(struct v8 *v, struct jsonr *r, uint32_t group)
{
	struct v8_nesting nesting = { 0 };

	if (jsonr_open(r, JSONR_OBJECT))
		v8_push_node(r, &nesting, v8_add_node(v, r, group, STACK_TREE_NONE));
	while (nesting.n && !r->rc) {
		struct v8_open *top = &nesting.open[nesting.n - 1];

		if (top->in_children) {
			top->in_children = jsonr_item(r);
			if (top->in_children)
				v8_push_node(r, &nesting, v8_read_child(v, r, top->node));
		} else if (!jsonr_key(r)) {
			v8_end_node(v, r, top->node);
			nesting.n--;
		} else if (jsonr_is(r, "children")) {
			top->in_children = jsonr_open(r, JSONR_ARRAY);
		} else {
			v8_read_node_field(v, r, &v->node[top->node]);
		}
	}
	free(nesting.open);
}

void v8_read_nodes(struct v8 *v, struct jsonr *r, uint32_t group)
{
	if (jsonr_open(r, JSONR_ARRAY))
		while (jsonr_item(r))
			v8_read_node(v, r, group);
}

/* ---- links ---- */

static void v8_link_child(struct v8 *v, const struct v8_child *child)
{
	uint32_t node = v8_find_node(v, child->group, child->id);

	if (node == STACK_TREE_NONE)
		skipped_add(&v->unknown_children, 0);
	else if (v->tree.parent[node] == STACK_TREE_NONE)
		v->tree.parent[node] = child->parent;
	else if (v->tree.parent[node] != child->parent)
		skipped_add(&v->repeated_nodes, 0);
}

int v8_link(struct v8 *v)
{
	int rc = 0;

	for (uint32_t i = 0; i < v->n_nodes; i++) {
		const struct v8_node *node = &v->node[i];

		if (!node->has_parent_id || v->tree.parent[i] != STACK_TREE_NONE)
			continue;
		v->tree.parent[i] = v8_find_node(v, node->group, node->parent_id);
		if (v->tree.parent[i] == STACK_TREE_NONE)
			skipped_add(&v->unknown_children, 0);
	}
	for (size_t i = 0; i < v->n_children; i++)
		v8_link_child(v, &v->child[i]);
	for (uint32_t i = 0; rc == 0 && i < v->n_nodes; i++)
		if (v->node[i].frame.name != v->root || v->tree.parent[i] != STACK_TREE_NONE)
			rc = named_frames_location(v->frames, &v->node[i].frame, &v->tree.loc[i], v->err);
	return rc;
}

/*
 * v8_int.h - the tree of calls and the samples of a profile of V8 while it is read
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_V8_V8_INT_H
#define FORMATS_V8_V8_INT_H

#include "base/idtab.h"
#include "formats/common/merged_rows.h"
#include "formats/common/named_frames.h"
#include "formats/common/skipped.h"
#include "formats/common/stack_tree.h"
#include "formats/json/jsonr.h"
#include "profile/builder.h"

/* Numbers of an array of the file, in v8.number. */
struct v8_range {
	size_t first, n;
};

/* A node of the tree. Its number is its index; ids are unique within a group. */
struct v8_node {
	int64_t id, parent_id; /* valid if has_ */
	bool has_id, has_parent_id;
	uint32_t group;
	struct named_frame frame;
	int64_t self;          /* hitCount, or selfSize */
	struct v8_range ticks; /* pairs of a line and its ticks */

	int64_t n_samples, time; /* sums of its samples that have no line of their own */
};

/* The id of a child in the list of a node. */
struct v8_child {
	uint32_t parent, group;
	int64_t id;
};

/* A recording of a thread: the file, or all events of a trace with the same pid and id. */
struct v8_group {
	int64_t pid, tid;   /* of the thread that was sampled */
	str_id id;          /* of the events; 0: none */
	int64_t start, end; /* ns */
	bool has_start, has_end;
};

/* The samples of a file or of an event. */
struct v8_part {
	uint32_t group;
	int64_t at; /* time of the event, by which parts are sorted */
	size_t order;
	struct v8_range samples, deltas, times, lines, columns; /* deltas and times in ns */
};

struct v8 {
	const struct format_options *options;
	struct builder *b;
	struct named_frames *frames;
	struct merged_rows *rows;
	struct err *err;
	bool is_heap;

	struct v8_node *node; /* [tree.n] */
	size_t n_nodes, cap_nodes;
	struct stack_tree tree; /* the same nodes, after v8_link */
	struct idtab node_at;   /* by group and id */
	struct v8_child *child;
	size_t n_children, cap_children;

	int64_t *number;
	size_t n_numbers, cap_numbers;

	struct v8_group *group;
	size_t n_groups, cap_groups;
	struct v8_part *part;
	size_t n_parts, cap_parts;

	uint32_t *touched; /* [n_touched] nodes of the current group with samples */
	size_t n_touched, cap_touched;

	str_id root, anonymous;
	struct skipped unknown_nodes, unknown_children, repeated_nodes, unequal, unknown_times;
};

/* An open object of the tree while it is read, or its list of children. */
struct v8_open {
	uint32_t node;
	bool in_children;
};

void v8_init(struct v8 *v, const struct format_options *options, struct err *err);
void v8_release(struct v8 *v);

/*
 * Read a node, which may have its children in it, or the array of all nodes. Nested calls are limited to 10,000.
 * nodes.c
 */
void v8_read_node(struct v8 *v, struct jsonr *r, uint32_t group);
void v8_read_nodes(struct v8 *v, struct jsonr *r, uint32_t group);

void v8_add_number(struct v8 *v, int64_t number);

/* Read an array of numbers, multiplied by a factor. */
struct v8_range v8_read_numbers(struct v8 *v, struct jsonr *r, int64_t factor);

/* After the last node: find parents, locations and the nodes of ids. */
int v8_link(struct v8 *v);

/* The node of an id, or STACK_TREE_NONE. */
uint32_t v8_find_node(const struct v8 *v, uint32_t group, int64_t id);

uint32_t v8_add_group(struct v8 *v, const struct v8_group *group);

/* Read a key of a profile and its value into a part, which has not been added yet. samples.c */
void v8_read_field(struct v8 *v, struct jsonr *r, struct v8_part *part);
void v8_read_object(struct v8 *v, struct jsonr *r, struct v8_part *part);

/* Append a part; parts without samples are dropped. */
void v8_add_part(struct v8 *v, const struct v8_part *part);

/* Add the rows of a group, whose parts are [n] in order. */
int v8_add_rows(struct v8 *v, uint32_t group, const struct v8_part *part, size_t n, const uint32_t *labels,
		size_t n_labels);

/* Add sample types, the comments on what was skipped, and the times of the recording. */
void v8_add_types(struct v8 *v);
void v8_add_comments(struct v8 *v, const char *format);

#endif

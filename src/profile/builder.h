/*
 * builder.h - make a profile: append, then seal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ids are given in order of appending, from 0. Nothing can be taken back. Every function that can
 * run into a limit of uint32_t ids says so with ERR_LIMIT.
 */
#ifndef PROFILE_BUILDER_H
#define PROFILE_BUILDER_H

#include "base/err.h"
#include "profile/profile.h"

#include <stddef.h>

struct builder;

struct builder_line {
	uint32_t func;
	int64_t no, col;
};

struct builder_location {
	uint64_t id, addr;
	uint32_t map; /* or PROFILE_NONE */
	bool folded;
};

struct builder_function {
	uint64_t id;
	str_id name, sysname, file;
	int64_t start;
};

struct builder_label {
	str_id key, text, unit;
	int64_t num;
	bool is_text;
};

/* Rows appended together; a thread may fill them while others are filled elsewhere. */
struct builder_rows {
	uint32_t first;           /* number of the first row */
	uint32_t *stack, *labels; /* [n] to be filled with ids */
};

struct builder *builder_new(void);
void builder_free(struct builder *b); /* takes NULL */

/* The strings, for ids to hand to the functions below. */
struct strtab *builder_strings(struct builder *b);

/* Times, period, comments and so on; every field may be set until builder_seal. */
struct profile_meta *builder_meta(struct builder *b);
void builder_comment(struct builder *b, str_id text);

/* All value types come before the first row. */
void builder_type(struct builder *b, str_id name, str_id unit);
uint32_t builder_n_types(const struct builder *b);

/* The profile so far: its types, meta and strings can be read, its columns not yet. Borrowed. */
const struct profile *builder_so_far(const struct builder *b);

int builder_mapping(struct builder *b, const struct mapping *m, uint32_t *id, struct err *err);
int builder_function(struct builder *b, const struct builder_function *f, uint32_t *id, struct err *err);

/* lines  [n] innermost first; functions and the mapping must have been appended */
int builder_location(struct builder *b, const struct builder_location *l, const struct builder_line *lines, size_t n,
		     uint32_t *id, struct err *err);

/*
 * The id of a stack; equal stacks share one.
 *
 * locs   [n] location ids, leaf first; n may be 0
 * hash   of these n ids by builder_stack_hash
 */
int builder_stack(struct builder *b, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *id, struct err *err);
uint64_t builder_stack_hash(const uint32_t *locs, size_t n);
uint32_t builder_n_stacks(const struct builder *b);

/* Have the table ready for a stack that is asked for soon. */
void builder_stack_prefetch(const struct builder *b, uint64_t hash);

/* Which stack is it most likely, if any? PROFILE_NONE is none for sure. Comes after builder_stack_prefetch. */
uint32_t builder_stack_likely(const struct builder *b, uint64_t hash);

/* Have the frames of that stack ready, a while after builder_stack_likely. */
void builder_stack_prefetch_frames(const struct builder *b, uint32_t id);

/* Before the first stack: expect about this many rows, and locations in all stacks together. */
void builder_expect(struct builder *b, size_t n_rows, size_t n_stack_items);

/* The id of a label, and of a list of labels in their order; equal ones share one. */
int builder_label(struct builder *b, const struct builder_label *l, uint32_t *id, struct err *err);
int builder_label_set(struct builder *b, const uint32_t *labels, size_t n, uint32_t *id, struct err *err);

/* Append n rows with all values 0, stack and labels not set. */
int builder_rows(struct builder *b, uint32_t n, struct builder_rows *rows, struct err *err);

/* The values of one type, [rows so far]; moves when rows are appended. */
int64_t *builder_values(struct builder *b, uint32_t type);

/* Append one row: values [T], locs [n] leaf first, labels [n_labels] ids from builder_label. */
int builder_sample(struct builder *b, const int64_t *values, const uint32_t *locs, size_t n, const uint32_t *labels,
		   size_t n_labels, struct err *err);

/* Make the profile; the builder is empty afterwards and only good for builder_free. */
struct profile *builder_seal(struct builder *b);

#endif

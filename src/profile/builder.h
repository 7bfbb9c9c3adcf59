/*
 * builder.h - build a profile: append, then seal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Ids are assigned in order of appending, from 0. Nothing can be removed. Functions that can run out of
 * uint32_t ids return ERR_LIMIT.
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
	uint32_t map; /* mapping id or PROFILE_NONE */
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

/* A range of appended rows. Several threads may fill different ranges at the same time. */
struct builder_rows {
	uint32_t first;           /* number of the first row */
	uint32_t *stack, *labels; /* [n] ids, to be filled by the caller */
};

struct builder *builder_new(void);
void builder_free(struct builder *b); /* takes NULL */

/* The string table, for the string ids that the functions below take. */
struct strtab *builder_strings(struct builder *b);

/* Times, period, comments and so on; the caller may set any field until builder_seal. */
struct profile_meta *builder_meta(struct builder *b);
void builder_comment(struct builder *b, str_id text);

/* Append a sample type. All types must be appended before the first row. */
void builder_type(struct builder *b, str_id name, str_id unit);
uint32_t builder_n_types(const struct builder *b);

/* Replace the name and the unit of a type. */
void builder_set_type(struct builder *b, uint32_t type, struct value_type to);

/* The unfinished profile: types, meta, strings and n_rows are valid, columns are not. Borrowed. */
const struct profile *builder_profile(const struct builder *b);

int builder_mapping(struct builder *b, const struct mapping *m, uint32_t *id, struct err *err);
int builder_function(struct builder *b, const struct builder_function *f, uint32_t *id, struct err *err);

/* lines  [n] innermost first; their functions and the mapping must have been appended before */
int builder_location(struct builder *b, const struct builder_location *l, const struct builder_line *lines, size_t n,
		     uint32_t *id, struct err *err);

/* Is this the location of an address in a mapping, or the row of a stack and labels? For tables of ids. */
bool builder_location_is(const struct builder *b, uint32_t loc, uint64_t addr, uint32_t map);
bool builder_row_is(const struct builder *b, uint32_t row, uint32_t stack, uint32_t labels);

/*
 * The id of a stack. Equal stacks have the same id.
 *
 * locs   [n] location ids, leaf first; n may be 0
 * hash   the builder_stack_hash of these n ids
 */
int builder_stack(struct builder *b, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *id, struct err *err);
uint64_t builder_stack_hash(const uint32_t *locs, size_t n);

/* Append a stack with a new id, even if an equal one exists; builder_stack does not find it. */
int builder_stack_append(struct builder *b, const uint32_t *locs, size_t n, uint32_t *id, struct err *err);

/*
 * Append stacks with new ids without a copy: write them one after the other, STACK_NARROW bytes per location, to the memory
 * that builder_stack_room returns, then count them with builder_stack_append_room.
 *
 * n        locations to be written
 * room     set to how many there is room for, at least n; some more may be overwritten: STACK_SPARE_IDS
 * end      [n] number of locations up to the end of each stack
 * ids      [n] set
 * Returns  NULL if locations take more bytes, or are too many; else valid until a stack is appended, or until the next call,
 *          which keeps what was written
 */
uint8_t *builder_stack_room(struct builder *b, size_t n, size_t *room);
int builder_stack_append_room(struct builder *b, const size_t *end, uint32_t n, uint32_t *ids, struct err *err);

/*
 * Give each row a stack of its own, so that row i has stack i. builder_stack does not find the stacks afterwards.
 *
 * stack    [n] of all rows so far, in which the ids are in order of their first use; no other row has a stack
 */
int builder_repeat_stacks(struct builder *b, uint32_t *stack, uint32_t n, struct err *err);

uint32_t builder_n_stacks(const struct builder *b);

/* Prefetch the hash table slot of a stack. */
void builder_stack_prefetch(const struct builder *b, uint64_t hash);

/* The probable id of a stack with this hash; PROFILE_NONE if there is certainly none. Call it some time after
   builder_stack_prefetch. */
uint32_t builder_stack_guess(const struct builder *b, uint64_t hash);

/* Prefetch the frames of a stack that builder_stack_guess returned; call it some time later. */
void builder_stack_prefetch_frames(const struct builder *b, uint32_t id);

/* Reserve memory for about this many rows, locations in all stacks together, and stacks of builder_stack. Call it before the
   first stack. */
void builder_reserve(struct builder *b, size_t n_rows, size_t n_stack_items, size_t n_distinct);

/* Reserve memory for about this many functions, and locations of one or two lines. Call it before the first function. */
void builder_reserve_tables(struct builder *b, size_t n_funcs, size_t n_locs);

/* Reserve memory for about this many rows. Call it after the last type, before the first row. */
void builder_reserve_rows(struct builder *b, size_t n_rows);

/* The id of the numeric label PROFILE_TIME_LABEL with a time in ns since the start of the recording. */
int builder_time_label(struct builder *b, int64_t ns, uint32_t *id, struct err *err);

/* The id of a label, and the id of an ordered list of labels. The label's strings are not checked. Equal labels and equal lists have the same id. */
int builder_label(struct builder *b, const struct builder_label *l, uint32_t *id, struct err *err);
int builder_label_set(struct builder *b, const uint32_t *labels, size_t n, uint32_t *id, struct err *err);

/*
 * builder_label_set for n lists at once, which takes less time. Another thread may meanwhile call functions that have
 * nothing to do with label sets.
 *
 * labels   all lists, one after the other
 * end      [n] end of each list in labels
 * ids      [n] set
 */
int builder_label_sets(struct builder *b, const uint32_t *labels, const size_t *end, uint32_t n, uint32_t *ids,
		       struct err *err);

/* Reserve memory for the label sets of n_all rows, if they are as different as those of the first n, which were added. */
void builder_reserve_label_sets(struct builder *b, size_t n, size_t n_all);

/*
 * Replace each location i of all stacks by to[i]. For a reader that knows stacks before locations. No stack may be appended
 * afterwards.
 *
 * to       [n] different locations, or PROFILE_NONE
 * Returns  false if a stack has a location that is not below n, or whose to is PROFILE_NONE
 */
bool builder_replace_locations(struct builder *b, const uint32_t *to, size_t n);

/*
 * Replace the strings of all labels. For a reader that knows labels before strings: the labels that it appended contain
 * indices instead.
 *
 * str      [n] the string for each index
 * Returns  false if an index is not below n, or two of a column have the same string, so that equal labels may have
 *          different ids
 */
bool builder_replace_label_strings(struct builder *b, const str_id *str, size_t n);

/* Append n rows with values 0 and without labels; stack is uninitialized. */
int builder_rows(struct builder *b, uint32_t n, struct builder_rows *rows, struct err *err);

/* The values of a type, and the label sets, [rows so far]; the pointers are valid until rows are appended. */
int64_t *builder_values(struct builder *b, uint32_t type);
uint32_t *builder_labels(struct builder *b);

/* Append a row: values [T], locs [n] leaf first, labels [n_labels] ids from builder_label. */
int builder_sample(struct builder *b, const int64_t *values, const uint32_t *locs, size_t n, const uint32_t *labels,
		   size_t n_labels, struct err *err);

/* Finish the profile. Afterwards only builder_free may be called. */
struct profile *builder_seal(struct builder *b);

#endif

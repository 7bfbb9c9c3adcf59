/*
 * reduce_int.h - parts of reduce*.c
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_READ_REDUCE_INT_H
#define STORE_LOCAL_READ_REDUCE_INT_H

#include "base/arena.h"
#include "base/mem.h"
#include "profile/forest.h"
#include "profile/keys.h"
#include "store/local/format/dict.h"
#include "store/local/read/reduce.h"
#include "store/local/tier/tier.h"

/* Distinct sample types, and how their columns are reduced. */
struct reduce_shape {
	uint32_t n_types;
	struct value_type *type;       /* [n_types] strings of the result */
	enum temporality *temporality; /* [n_types] */
	enum reduce *reduce;           /* [n_types] not REDUCE_DEFAULT */
	/* columns that are reduced by series, in order: all but sums; and those of them that are increases */
	uint32_t n_ordered, n_increase;
	uint32_t *ordered, *increase; /* [n] column */
};

/* Rows with several values each. */
struct reduce_matrix {
	uint32_t n, n_columns;
	size_t cap;
	uint32_t *row;    /* [n] */
	int64_t **column; /* [n_columns][n] */
};

void reduce_matrix_init(struct reduce_matrix *m, uint32_t n_columns);
void reduce_matrix_release(struct reduce_matrix *m);

/* Append a row of zeros. Returns its index. */
uint32_t reduce_matrix_add(struct reduce_matrix *m, uint32_t row);

/*
 * Profiles of one series with equal types, in order of time.
 *
 * Columns of the matrix: totals [n_ordered], first and last snapshot [n_increase each].
 */
struct reduce_element {
	uint32_t series, shape;
	bool is_first; /* of SLOT_FIRST: counters that may have been counted in the window, in the only columns */
	uint32_t n;    /* profiles; 0: this is the snapshot before the window, in the last columns */
	int64_t first_ns, last_ns; /* starts of the first and last profile */
	struct tier_process first, last;
	uint32_t n_restarts; /* between the profiles, if there are increases */
	struct reduce_matrix m;
};

/* The reduction of a series so far; rows of the result. */
struct reduce_state {
	struct reduce_element e;    /* n is 0 until there is a profile */
	struct reduce_element base; /* the latest snapshot before the first one; has_base */
	bool has_base, is_unordered;
	bool is_base_own; /* the base comes from the same series, not from another one of the instance */
};

struct reduce_series {
	uint8_t hash[16];
	bool is_match, is_unordered, needs_base;
	bool is_merged; /* it would match, but for labels that it has lost: see tier.h */
	bool is_kind;   /* is it of the kind of the query, whatever its labels? Only then it has an instance */
	bool has_older; /* the store has, or had, profiles of it before the window */
	uint32_t group; /* of values of the kept labels */
	uint32_t instance;
	str_id version;            /* its label of this name */
	bool has_instance_label;   /* a collector gives its targets the label "instance" */
	int64_t t0;                /* start of the window, by the cut */
	uint64_t profiles;         /* in the window */
	int64_t first_ns, last_ns; /* starts of its first and last profile or slot, if profiles is not 0 */
	int64_t *start;            /* [n_starts] starts of all profiles in the window that are not in slots */
	size_t n_starts, cap_starts;
};

/* See instance.h. Its series of all versions follow each other. */
struct reduce_instance {
	uint64_t profiles;    /* in the window */
	uint32_t first, last; /* the series of its first and its last profile; PROFILE_NONE without profiles */
	uint32_t n_series;    /* all series, also those that do not match */
	bool has_older;       /* the store has, or had, profiles of one of them before the window */
};

/* The increase between two snapshots of a series: the sum over its rows. */
struct reduce_gain {
	uint32_t series, shape, column;
	int64_t time_ns, value; /* start of the second one */
};

struct reduce_gains {
	struct reduce_gain *gain; /* [n] */
	size_t n, cap;
};

static inline void reduce_gains_add(struct reduce_gains *g, const struct reduce_gain *gain)
{
	g->gain = mem_grow(g->gain, &g->cap, g->n + 1, sizeof(*g->gain));
	g->gain[g->n++] = *gain;
}

/* Counters of first snapshots; the part that was counted in the window is unknown. */
struct reduce_unknown {
	struct value_type type;
	int64_t total;
	uint32_t n; /* series */
};

/* A meta of the profiles of a group, and the start of the first of them. */
struct reduce_meta {
	uint32_t group, meta;
	int64_t first_ns;
};

/* The sum of the profiles with equal types and values of kept labels. */
struct reduce_bucket {
	uint32_t shape, group;
	uint64_t profiles;
	int64_t first_ns, duration_ns;
	struct reduce_meta *meta; /* [n_metas] of the result */
	size_t n_metas, cap_metas;
	int64_t **sum; /* [n_types][cap_rows] by row of the result */
	size_t cap_rows;
};

struct reducer {
	const struct store_query *q;
	struct stop *stop;
	struct select_cut cut;
	struct dict dict; /* of the result */
	struct arena *arena;
	struct keys shape_keys, series_keys, group_keys, bucket_keys, state_keys;
	struct strtab *instance_names;    /* ids are those of instances; 0 is not used */
	struct reduce_instance *instance; /* [strtab_count(instance_names)] */
	uint32_t *needy;                /* [n_needy] series that need a snapshot of another series before their first */
	struct reduce_unknown *unknown; /* [n_unknown] */
	size_t cap_instances, n_needy, cap_needy, n_unknown, cap_unknown;
	uint64_t n_restarts;
	bool wants_gains;
	struct reduce_gains gains;
	struct reduce_element *first; /* [n_firsts] of SLOT_FIRST, in rows of the result */
	size_t n_firsts, cap_firsts;
	unsigned tiers;                                  /* 1 << tier of those that have profiles */
	int64_t tier_first[N_TIERS], tier_last[N_TIERS]; /* starts */
	struct reduce_shape *shape;                      /* [shape_keys.n] */
	struct reduce_series *series;                    /* [series_keys.n] */
	str_id *group;                                   /* [group_keys.n][q->n_keep] values */
	struct reduce_bucket *bucket;                    /* [bucket_keys.n] */
	struct reduce_state *state;                      /* [state_keys.n] by series and shape */
	size_t cap_shapes, cap_series, cap_groups, cap_buckets, cap_states;
	struct reduce_element *single; /* [n_singles] profiles of unordered series */
	size_t n_singles, cap_singles;
	uint32_t *slot; /* [cap_slots] by row of the result: index in a matrix, or PROFILE_NONE */
	size_t cap_slots;
	uint64_t profiles;
	int64_t first_ns, last_ns;
	struct select_rows selected; /* rows of the result; all of them if gains are wanted, else only at the end */
	/* the result as a forest, if that is wanted and the profiles permit it; its locations are those of dict */
	bool wants_forest, needs_rows;
	struct forest forest;
	size_t cap_trees, forest_bytes;
	int64_t *forest_total; /* [types] */
	const struct select_chapter
		*largest; /* the first chapter with the most rows, whose dictionary would be adopted */
	uint32_t *largest_locs, n_largest_locs; /* locations of its tree, in the order of a profile of its rows */
};

/* The tree of the rows of a chapter. */
struct reduce_tree {
	struct forest_tree packed;
	bool is_unfit;    /* these rows cannot be a tree */
	uint32_t n_types; /* 0: there are no rows */
	uint32_t n_locs;
	uint32_t *loc;  /* [n_locs] those of the chapter that it has, in the order of a profile of these rows */
	int64_t **leaf; /* [n_types][locations of the chapter + 1] sums of the samples that end at each; the last ones
			   are of empty stacks */
	int64_t *total; /* [n_types] */
	bool *has_set;  /* [label sets of the chapter] does a row have it? */
};

/* A block to read, or the sum of all blocks of a kind. */
struct reduce_item {
	uint32_t series, block; /* of a sum: the first one, and the index of the sum */
	bool is_done, is_sum;
};

/* A chapter while it is added. */
struct reduce_chapter {
	struct reduce_input *in;
	struct chapter *c;
	uint32_t *series;             /* [dict.n_series] also those that do not match */
	uint32_t *shape;              /* [dict.n_metas] */
	struct tier_process *process; /* [dict.n_metas] build: a string of the chapter */
	struct reduce_item *item;     /* [n_items] sorted by group, series, time */
	size_t n_items, cap_items;
	bool has_order;    /* blocks of a series must be in one slice */
	bool has_increase; /* snapshots before the window are needed */
	struct dict_translation *translation;
	bool is_adopted;             /* its dictionary became that of the result: no translation */
	struct select_rows selected; /* rows of the chapter, if gains are wanted */
	struct reduce_tree tree;
};

/* A value per row of the chapter, of several types. */
struct reduce_columns {
	uint32_t n_types;
	int64_t **value; /* [n_types][n_rows] NULL: not used, or a multiple */
	uint32_t *like;  /* [n_types] the type that a type is a multiple of; its own number if it is none */
	int64_t *factor; /* [n_types] */
};

void reduce_columns_init(struct reduce_columns *c, uint32_t n_types);
void reduce_columns_release(struct reduce_columns *c);

/*
 * Before a block is added: of a type that is a multiple of another one (like) in it, or of like = type. The type is a
 * multiple in all blocks, and has no values, or it gets values, to which those of the block are to be added. Returns
 * false if one overflows.
 *
 * is_first  it is the first block
 */
bool reduce_columns_prepare(struct reduce_columns *c, uint32_t type, uint32_t like, int64_t factor, bool is_first,
			    size_t n_rows);

/* Add the values of other, which has the same types. Returns false if one overflows. */
bool reduce_columns_add(struct reduce_columns *c, struct reduce_columns *other, size_t n_rows);

/* The value of a row. Returns false if it overflows. */
static inline bool reduce_columns_get(const struct reduce_columns *c, uint32_t type, uint32_t row, int64_t *v)
{
	const int64_t *value = c->value[c->like[type]];

	*v = value ? value[row] : 0;
	return !__builtin_mul_overflow(*v, c->factor[type], v);
}

/* Sum of profiles of a slice; rows of the chapter. */
struct reduce_sum {
	uint32_t shape, group;
	uint64_t profiles;
	int64_t duration_ns;
	struct reduce_matrix m; /* [n_types] columns; empty for a forest, which has dense */
	struct reduce_columns dense;
};

/* The result of a thread for some items of a chapter. */
struct reduce_slice {
	struct reduce_chapter *chapter;
	size_t lo, hi; /* items */
	int rc;
	struct err err;
	struct reduce_sum *sum;
	struct reduce_element *element;
	struct sum_start *start; /* for the statistics; series of the result */
	struct reduce_meta *meta;
	size_t n_sums, n_elements, n_starts, n_metas;
	size_t cap_sums, cap_elements, cap_starts, cap_metas;
	struct reduce_gains gains;
	uint64_t n_restarts; /* in slots */
};

/* reduce_slice.c: run a slice. Sets rc and err. */
void reduce_slice_run(const struct reducer *r, struct reduce_slice *s, enum reduce_pass pass);
void reduce_slice_release(struct reduce_slice *s);

/* reduce_join.c: add the slices [n] of a chapter to the result. */
int reduce_join_slices(struct reducer *r, struct reduce_chapter *c, struct reduce_slice *slice, size_t n,
		       enum reduce_pass pass, struct err *err);

/* reduce_chapter.c: find shapes and series of a decoded chapter, and list its items. */
int reduce_chapter_init(struct reducer *r, struct reduce_chapter *c, enum reduce_pass pass, struct err *err);
void reduce_chapter_release(struct reduce_chapter *c);

/* reduce_state.c: add an element, whose rows are those of the result; its matrix is moved. */
int reduce_state_add(struct reducer *r, struct reduce_element *e, bool is_sorted, struct err *err);
void reduce_state_release(struct reduce_state *s);

/* Add the counters of all SLOT_FIRST whose processes started in the window; note the others as unknown. */
int reduce_state_finish_firsts(struct reducer *r, struct err *err);

/* The same for a snapshot before the first one. is_own: is it of the same series? */
int reduce_state_add_base(struct reducer *r, struct reduce_element *e, bool is_own, struct err *err);

/* Replace the states of unordered series by their profiles, an element each. */
int reduce_state_add_sorted(struct reducer *r, struct reduce_element *e, size_t n, struct err *err);

/* Add the final values of all states to their buckets. */
int reduce_state_finish_all(struct reducer *r, struct err *err);

/* The order of two groups: by the values of the kept labels. */
int reduce_compare_groups(const struct reducer *r, uint32_t a, uint32_t b);

/*
 * reduce_forest.c: may the profiles of a chapter be a tree, by their types and locations? Frames are dropped from stacks only. Make
 * the tree of a chapter of its slices [n], whose sums are freed; fails with ERR_FORMAT if the nodes are damaged. Add
 * it to the result; sets needs_rows
 * if that cannot be a forest. List the locations of the result [dict.n_locs] in the order that they have in a profile of its
 * rows. Move the forest to a profile; loc: [dict.n_locs] the locations there.
 */
bool reduce_chapter_may_be_tree(const struct reduce_chapter *c);
int reduce_tree_make(struct reduce_chapter *c, struct reduce_slice *slice, size_t n, struct err *err);
void reduce_tree_release(struct reduce_tree *t);
int reduce_tree_join(struct reducer *r, struct reduce_chapter *c, struct err *err);
uint32_t *reduce_forest_order(const struct reducer *r);
void reduce_forest_finish(struct reducer *r, const uint32_t *loc, struct profile *p);
void reduce_forest_release(struct forest *f);

/* reduce_sum.c */
void reduce_fill_sum(struct reducer *r, struct store_sum *sum);

/* reduce_mean.c: add the means of all states to their buckets. */
int reduce_mean_finish(struct reducer *r, struct err *err);

/* reduce_order.c */
struct reduce_order {
	const struct dict *d;
	struct store_content content;
	struct keys nodes; /* of the tree of functions: parent, function */
	uint64_t *hash;    /* [nodes.n] of the path from the root */
	uint32_t *node;    /* [d->n_nodes] of a stack, or PROFILE_NONE */
	uint32_t *path;    /* buffer */
	size_t cap_hashes, cap_path;
};

struct reduce_ordered {
	uint32_t row, position;
};

void reduce_order_init(struct reduce_order *o, const struct dict *d);
void reduce_order_release(struct reduce_order *o);

/* Sort rows depth first, by their stacks. Children of a node are in an order that depends on the seed. Fails with ERR_LIMIT. */
int reduce_order_sort(struct reduce_order *o, uint64_t seed, struct reduce_ordered *row, size_t n, struct err *err);

/* The bucket of a shape and a group. */
int reduce_get_bucket(struct reducer *r, uint32_t shape, uint32_t group, struct reduce_bucket **out, struct err *err);

/* Make room for all rows of the result. */
void reduce_bucket_grow(struct reducer *r, struct reduce_bucket *b);

/* reduce_profile.c: the buckets as one profile. */
int reduce_make_profile(struct reducer *r, struct profile **out, struct err *err);

/* Error: a sum of this column overflows. */
int reduce_overflow(const struct reducer *r, const struct reduce_shape *s, uint32_t column, struct err *err);

/* ---- the memory of a thread that adds up blocks of a chapter ---- */

/* This header is only for reduce_slice.c and reduce_series.c. */

#define NO_PROFILE UINT32_MAX

/* Sums of the profiles of a shape in the current group. */
struct reduce_dense {
	uint32_t shape;
	bool has_profiles, has_values;
	uint64_t profiles;
	int64_t duration_ns;
	struct reduce_columns sum;
};

/* A range of the profiles of a block. */
struct reduce_range {
	uint32_t lo, hi;
	uint32_t base; /* the profile before the window, or NO_PROFILE */
};

struct reduce_work {
	const struct reducer *r;
	struct reduce_slice *s;
	const struct reduce_chapter *c;
	enum reduce_pass pass;
	size_t n_rows, n_elements; /* n_elements: allocated in vectors */
	uint32_t group;
	struct reduce_dense *dense; /* [n_dense] */
	size_t n_dense, cap_dense;
	int64_t *meta_first; /* [n_metas] INT64_MAX: not used */
	/* the current series and shape */
	const struct reduce_shape *shape;
	struct reduce_element e; /* without rows */
	bool has_base;
	int64_t base_ns;
	struct tier_process base;
	int64_t **vector; /* [n_vectors][n_rows]: see vector_of */
	size_t n_vectors, cap_vectors;
	uint32_t *touched; /* [n_touched] rows of the series */
	uint32_t n_touched;
	bool *is_touched;  /* [n_rows] */
	struct buf buffer; /* the current block */
	bool is_reset[BLOCK_PROFILES_MAX];
	/* if gains are wanted, of each increase: totals of the profiles of the block, and of the last one before it */
	uint64_t (*total)[BLOCK_PROFILES_MAX], *last_total;
	size_t cap_total, cap_last_total;
};

/* A column of a block that is being added. */
struct reduce_column {
	struct reduce_work *w;
	const struct block *b;
	struct reduce_range range;
	bool is_chain, is_cumulative, is_first_block, is_overflow, is_bad;
	enum reduce reduce;
	uint32_t i;   /* of the ordered column */
	uint32_t inc; /* of the increase */
	int64_t *sum; /* [n_rows] */
};

/* Reserve vectors with an element per row. Fails with ERR_LIMIT. */
int reduce_work_grow(struct reduce_work *w, size_t vectors, struct err *err);

struct reduce_column reduce_column_init(struct reduce_work *w, const struct block *b, const struct reduce_range *range,
					uint32_t column);

/* The error after adding a column, or 0. */
int reduce_column_check(const struct reduce_column *p, uint32_t column, struct err *err);

/* Expand a row to the values of profiles [0, end). */
static inline void reduce_expand(const struct reduce_column *p, uint32_t n, const uint32_t *cell, const int64_t *value,
				 uint32_t end, int64_t *out)
{
	uint64_t v = 0; /* differences wrap */
	uint32_t at = 0;

	for (uint32_t i = 0; i < n && cell[i] < end; i++) {
		while (at < cell[i])
			out[at++] = (int64_t)v;
		v = p->is_chain ? v + (uint64_t)value[i] : (uint64_t)value[i];
		out[at++] = (int64_t)v;
		if (!p->is_chain)
			v = 0;
	}
	while (at < end)
		out[at++] = (int64_t)v;
}

/* Make room for the current series and shape. */
int reduce_series_begin(struct reduce_work *w, struct err *err);

/* Add the ordered columns of a block to the current series. */
int reduce_series_add(struct reduce_work *w, const struct block *b, const struct reduce_range *range, struct err *err);

/* End the current series: its rows become elements of the slice. */
void reduce_series_end(struct reduce_work *w);

/* reduce_slot.c: add a block of slots that are not sums, see enum slot_role. */
int reduce_slot_add_snapshots(struct reduce_work *w, const struct block *b, struct err *err);

/* Check that slots can be reduced as the query says, and note their restarts and increases. */
int reduce_slot_check(struct reduce_work *w, const struct block *b, const struct reduce_range *range, struct err *err);

#endif

/*
 * dict.h - the dictionary of a chapter: everything that its profiles refer to, as append-only tables
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Entries are distinct; their ids count from 0 in the order of appending, and an entry refers only to earlier ones. So
 * a journal can log what was appended since the last batch, and a segment the whole tables, with the same encoding.
 *
 * Equality is that of profile/merge.c (pprof profile/merge.go), so that sums equal those of pprof:
 *	mapping   size rounded to 4 KiB, offset, build id or else file
 *	function  name, system name, file, start line
 *	location  mapping, address minus the start of the mapping, lines, folded
 *	row       stack of locations, label set; numeric labels and units count
 */
#ifndef STORE_LOCAL_FORMAT_DICT_H
#define STORE_LOCAL_FORMAT_DICT_H

#include "base/buf.h"
#include "base/err.h"
#include "base/strtab.h"
#include "profile/profile.h"
#include "profile/temporality.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Tables of a dictionary; the numbers are those of the sections of a segment. */
enum dict_table {
	DICT_STRINGS = 1,
	DICT_FUNCTIONS,
	DICT_MAPPINGS,
	DICT_LOCATIONS,
	DICT_NODES,
	DICT_LABELS,
	DICT_LABEL_SETS,
	DICT_ROWS,
	DICT_METAS,
	DICT_SERIES,
	DICT_TABLES_END
};

/* A mapping of the process that a profile describes. Equal mappings of other processes differ in these properties; the
   entry in the dictionary has those of the first process. */
struct dict_place {
	uint32_t map;
	uint64_t start, limit;
	str_id file, kernel_symbol;
	bool has_functions, has_filenames, has_line_numbers, has_inline_frames;
};

/* Properties shared by the profiles of a process. */
struct dict_meta {
	uint32_t n_types;
	struct value_type *type;       /* [n_types] */
	enum temporality *temporality; /* [n_types] */
	int64_t period;
	struct value_type period_type;
	bool has_period_type;
	str_id default_type, drop_frames, keep_frames, doc_url;
	uint32_t n_comments;
	str_id *comment; /* [n_comments] */
	uint32_t n_places;
	struct dict_place *place; /* [n_places] mappings in the order of the profile; the first is the program */
	/* the first metas with equal types, and with equal places; their lists are shared */
	uint32_t same_types, same_places;
};

/* A sequence of profiles: equal service (the chapter), kind and labels. */
struct dict_series {
	uint8_t hash[16]; /* of service, kind and labels: equal in all segments */
	str_id kind;
	uint32_t n_labels;
	str_id *name, *value; /* [n_labels] sorted by name, distinct names */
};

struct dict_index;

/* Capacities of the columns of each table. */
struct dict_caps {
	size_t funcs, maps, locs, lines, nodes, labels, sets, set_items, rows, metas, series;
};

struct dict {
	struct strtab *str;
	struct arena *mem; /* owns the lists of metas and series */

	uint32_t n_funcs;
	str_id *func_name, *func_sysname, *func_file; /* [n_funcs] */
	int64_t *func_start;

	uint32_t n_maps;
	struct mapping *map; /* [n_maps] id is not used */

	uint32_t n_locs;
	uint32_t *loc_map;  /* [n_locs] mapping or PROFILE_NONE */
	uint64_t *loc_addr; /* [n_locs] address minus the start of the mapping, modulo 2^64; the address without one */
	bool *loc_folded;
	uint32_t *loc_line; /* [n_locs + 1] */
	uint32_t n_lines;
	uint32_t *line_func;
	int64_t *line_no, *line_col;

	/* stacks as a tree: a node is a location called by its parent, which has a smaller id */
	uint32_t n_nodes;
	uint32_t *node_parent; /* [n_nodes] PROFILE_NONE for a root */
	uint32_t *node_loc;
	/* the encoding of the nodes [encoded_size] after dict_keep_nodes, in place of these columns */
	const uint8_t *encoded_nodes;
	size_t encoded_size;
	uint8_t *encoded_memory; /* of encoded_nodes, if that is not borrowed */

	uint32_t n_labels;
	str_id *label_key, *label_text, *label_unit;
	int64_t *label_num;
	bool *label_is_text;
	struct csr label_sets; /* texts before numbers, then by key; set 0 is empty and always present */

	uint32_t n_rows;
	uint32_t *row_node;   /* [n_rows] the leaf; PROFILE_NONE for an empty stack */
	uint32_t *row_labels; /* [n_rows] label set */

	uint32_t n_metas;
	struct dict_meta *meta;

	uint32_t n_series;
	struct dict_series *series;

	struct dict_index *index; /* hash tables for appending; NULL until the first append after dict_decode */
	struct dict_caps cap;
	size_t list_bytes; /* used in mem */
	size_t memory;     /* estimated bytes used, with the index */
};

void dict_init(struct dict *d);
void dict_release(struct dict *d);

/* Renumber the nodes so that they are in depth-first order: each follows its parent, or a descendant of an earlier child of that.
   There must be no stored data or translation that refers to them; rows keep their ids. */
void dict_sort_nodes(struct dict *d);

/* Free what finds equal entries; it is made again when entries are added. */
void dict_drop_index(struct dict *d);

/* Make the index if there is none. Fails with ERR_FORMAT when two entries are equal; ERR_LIMIT. */
int dict_index_make(struct dict *d, struct err *err);

/* The id of a row, which is added if it is new. There must be an index. */
int dict_add_row(struct dict *d, uint32_t node, uint32_t labels, uint32_t *id, struct err *err);

/* The number of entries of a table. */
uint32_t dict_count(const struct dict *d, enum dict_table table);

/* The hash of a series: XXH3-128 of service, kind and labels [n], each with its length. */
void dict_series_hash(const char *service, const char *kind, const struct store_label *labels, size_t n,
		      uint8_t hash[16]);

/*
 * The id of a series, which is added if it is new.
 *
 * labels  [n] sorted by name, distinct
 * Fails   ERR_LIMIT
 */
int dict_add_series(struct dict *d, const char *service, const char *kind, const struct store_label *labels, size_t n,
		    uint32_t *id, struct err *err);

/* The kinds of stored profiles of a tier. */
enum slot_role {
	SLOT_SUM,   /* all profiles of a series in a slot; columns of counters have their increase, gauges their sum */
	SLOT_FIRST, /* counters of the first snapshot of a series: they count if its process started in the window */
	SLOT_BASE, /* the last snapshot of a series as it was scraped, for the increase after it; not part of a window */
	N_SLOT_ROLES
};

/* The slot of a tier that a stored profile describes; zero-initialised for a profile as it was scraped. */
struct stored_slot {
	enum store_tier tier; /* TIER_RAW: the rest is not used */
	enum slot_role role;
	uint32_t n;        /* profiles of SLOT_SUM; 0 if another series of the slot counts them */
	uint32_t restarts; /* of processes between the snapshots */
};

/* One profile in terms of a dictionary. Rows whose values are all 0 are left out. */
struct stored {
	struct stored_slot slot;
	uint32_t series, meta;
	int64_t start_ns, duration_ns; /* since 1970 */
	uint32_t n;                    /* number of rows */
	uint32_t *row;                 /* [n] ascending, distinct */
	uint32_t n_columns;            /* number of sample types of the meta */
	int64_t *value;                /* [n_columns][n] */
};

void dict_release_stored(struct stored *s);

/*
 * Add everything that a profile refers to, and express the profile by it. Equal rows are added. The caller sets series;
 * time and duration are those of the profile.
 *
 * out    released with dict_release_stored
 * Fails  ERR_RANGE when a sum of equal rows overflows; ERR_LIMIT; ERR_FORMAT when decoded entries are equal. Entries that
 *        were added stay.
 */
int dict_add_profile(struct dict *d, const struct profile *p, struct stored *out, struct err *err);

/* Ids of another dictionary in this one; PROFILE_NONE for those not translated yet. */
struct dict_translation;
struct dict_translation *dict_translation_new(struct dict *to, const struct dict *from);
void dict_translation_free(struct dict_translation *t);

/*
 * Replace rows of the other dictionary by theirs in this one; the entries that they refer to are added too.
 *
 * row    [n] ascending, distinct
 * Fails  ERR_LIMIT, or ERR_FORMAT when decoded entries of the target are equal; row is then undefined
 */
int dict_translate_rows(struct dict_translation *t, uint32_t *row, size_t n, struct err *err);

/* A location and a label set of the other dictionary, and the row of a stack of only that location, or of none for PROFILE_NONE, without
   labels. Fail like dict_translate_rows. */
int dict_translate_location(struct dict_translation *t, uint32_t loc, uint32_t *id, struct err *err);
int dict_translate_label_set(struct dict_translation *t, uint32_t set, uint32_t *id, struct err *err);
int dict_translate_leaf(struct dict_translation *t, uint32_t loc, uint32_t *row, struct err *err);

/* The id of a meta or series of the other dictionary. Fails like dict_translate_rows. */
int dict_translate_meta(struct dict_translation *t, uint32_t meta, uint32_t *id, struct err *err);
int dict_translate_series(struct dict_translation *t, uint32_t series, uint32_t *id, struct err *err);

/*
 * Build a sealed profile from the rows and values of s, with the types, comments and so on of its meta. Only used entries
 * are in it, numbered from 1 in order of first use; the first mapping is that of the meta. The profile of s as it was
 * scraped equals the original as pprof's Merge leaves it, but for the order of samples.
 *
 * Fails    ERR_LIMIT
 */
struct dict_profile_options {
	/* Mappings that the meta lists have its addresses and other properties, as in the profile that was scraped. If
	   not set, mappings are those of the dictionary. */
	bool place_mappings;
	/* labels for every row that has no label of that name; "" values are left out */
	const struct store_label *more; /* [n_more] */
	size_t n_more;
	/* if not NULL: all locations are in the profile, in this order [n_locs], and loc [n_locs] is set to their ids there; all
	   label sets are in it too */
	const uint32_t *order;
	uint32_t *loc;
};
int dict_make_profile(const struct dict *d, const struct stored *s, const struct dict_profile_options *options,
		      struct profile **out, struct err *err);

/*
 * Append the encoding of the entries [from, dict_count) of a table: the number from, then columns of varints.
 * docs/store-format.md describes each table.
 */
void dict_encode(const struct dict *d, enum dict_table table, uint32_t from, struct buf *out);

/*
 * Append items entries from their encoding, which must begin with the number dict_count. Only a new dictionary also
 * accepts strings and label sets from 0, although it has "" and the empty set already. Nothing of the input is trusted:
 * references must be to earlier entries, counts must fit the data.
 *
 * Fails  ERR_FORMAT, naming the table and the entry, and ERR_LIMIT; the dictionary can then only be released
 */
int dict_decode(struct dict *d, enum dict_table table, uint32_t items, const uint8_t *data, size_t n, struct err *err);

/*
 * Like dict_decode for all nodes of a dictionary, but keep them encoded. Rows may then be decoded, and dict_nodes.h
 * reads the nodes; nothing else may need them until dict_decode_nodes, which fails like dict_decode.
 *
 * memory  NULL: data is borrowed; else it is in this memory, which is freed with the dictionary, but not after a
 *         failure
 */
int dict_keep_nodes(struct dict *d, uint32_t items, const uint8_t *data, size_t n, uint8_t *memory, struct err *err);
int dict_decode_nodes(struct dict *d, struct err *err);

/* Free the nodes and rows, as if there were none. */
void dict_drop_stacks(struct dict *d);

/* The name of a table, for messages: "locations". */
const char *dict_table_name(enum dict_table table);

/*
 * It distinguishes a profile that is stored again from another one of the same series and start. It is valid in one
 * process only, unless is_same_everywhere is set.
 */

/* Hashes of the entries of a dictionary; zero-initialised it is empty. */
struct store_content {
	uint64_t *func, *map, *loc, *node, *label, *set, *row;
	uint32_t n_funcs, n_maps, n_locs, n_nodes, n_labels, n_sets, n_rows; /* entries computed so far */
	size_t cap[7];
	bool is_same_everywhere; /* without a secret seed: somebody could choose content with equal hashes */
};

/* Compute the hashes of all entries. */
void content_extend(struct store_content *c, const struct dict *d);

/* The hash of the types, rows and values of a profile of d. d is the dictionary of earlier calls, which may have grown. */
uint64_t content_hash(struct store_content *c, const struct dict *d, const struct stored *s);
void content_release(struct store_content *c);

/* Bytes used. */
size_t content_memory(const struct store_content *c);

#endif

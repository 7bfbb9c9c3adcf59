/*
 * segment.h - segments: immutable files of chapters, one per service
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * docs/store-format.md describes the format. Every part has a CRC-32 that is checked when the part is first read; nothing that
 * a file contains is trusted.
 */
#ifndef STORE_LOCAL_FORMAT_SEGMENT_H
#define STORE_LOCAL_FORMAT_SEGMENT_H

#include "base/err.h"
#include "base/stop.h"
#include "store/local/format/block.h"
#include "store/local/format/dict.h"
#include "store/store.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena;

enum { SEGMENT_PIN = 1, SEGMENT_EXPORT = 2 }; /* flags */
enum { SEGMENT_BYTES_MAX = 256 << 20 };

/* A block of a chapter. */
struct block_entry {
	uint32_t series, profiles, n_columns;
	int64_t t0, t1;      /* first and last start in ns */
	int64_t *total;      /* [n_columns] sum over the profiles and rows of the block, modulo 2^64 */
	const uint8_t *data; /* [size] borrowed from the file or owned by the chapter */
	size_t size, raw;    /* bytes stored, and decompressed; equal if the block is not compressed */
	uint32_t crc;        /* of data */
};

/* The sum of all profiles of a kind, see sums.h. */
struct chapter_sum {
	str_id kind;
	uint32_t meta;       /* a meta with the types */
	const uint8_t *data; /* [size] as of a block */
	size_t size, raw;
	uint32_t crc;
};

/* A stored profile that was added up. */
struct sum_start {
	uint32_t series;
	uint32_t profiles;    /* of a slot, which may be 0, or 1 */
	enum store_tier tier; /* of the slot */
	int64_t start_ns;
};

/* A decoded sum. Released with chapter_close_sum. */
struct sum_content {
	int64_t duration_ns;         /* of all */
	uint64_t profiles, restarts; /* restarts: of slots */
	struct sum_start *start;     /* [n_starts] by series and start */
	size_t n_starts;
	struct sum_meta {
		uint32_t meta;
		int64_t first_ns; /* start of its first profile */
	} * meta;                 /* [n_metas] */
	size_t n_metas;
	struct block rows; /* of one profile: the sums */
	uint8_t *memory;   /* of rows; NULL: the data of the chapter */
};

/* All of one service in one segment, or in a journal. */
struct chapter {
	const char *service;
	int64_t t0, t1; /* first and last start in ns */
	uint64_t profiles;
	struct dict dict;
	uint32_t n_blocks;
	struct block_entry *block; /* [n_blocks] sorted by series, then t0 */
	uint32_t n_sums;
	struct chapter_sum *sum; /* [n_sums] of different kinds */
	uint32_t n_marks;
	struct store_mark *mark;
	const char *file;     /* name for messages; NULL if it is not from a file */
	const char *sources;  /* files from which it was made by downsampling, a line each; NULL: it was not */
	struct arena *memory; /* of everything here but the dictionary */
};

void chapter_free(struct chapter *c); /* takes NULL */

/* The value of a label of a series of a chapter, "service" and "kind" included; "" if it is missing. Borrowed. */
const char *chapter_label(const struct chapter *c, const struct dict_series *s, const char *name);

/* Decompress a block into a buffer of the caller and open it. The buffer must live as long as the block. */
int chapter_open_block(const struct chapter *c, uint32_t i, struct buf *buffer, struct block *out, struct err *err);

/* Decode a sum. Fails with ERR_FORMAT. */
int chapter_open_sum(const struct chapter *c, uint32_t i, struct sum_content *out, struct err *err);
void chapter_close_sum(struct sum_content *s);

/* --- making chapters --- */

struct chapter_builder;
struct chapter_builder *chapter_builder_new(const char *service);
void chapter_builder_free(struct chapter_builder *b);

/* The dictionary to which the added profiles refer. */
struct dict *chapter_builder_dict(struct chapter_builder *b);

/* Promise that profiles will be added by series, each by start. They are encoded and compressed while they are added, so only what is
   compressed is in memory, and the dictionary. level: of zstd. */
void chapter_builder_expect_sorted(struct chapter_builder *b, int level);

/* Add a profile, by copy, in any order unless it was promised. */
void chapter_builder_add(struct chapter_builder *b, const struct stored *s);

/* Add a profile with the rows of the profile that was added last; those of s are not used. They take no more memory. */
void chapter_builder_repeat(struct chapter_builder *b, const struct stored *s);
void chapter_builder_mark(struct chapter_builder *b, const struct store_mark *m);

/* The number of profiles added so far. */
uint64_t chapter_builder_profiles(const struct chapter_builder *b);

/*
 * Sort the profiles, and encode and compress them as blocks: by series, start, types; at most BLOCK_PROFILES_MAX.
 * Afterwards only chapter_builder_free may be called.
 *
 * level  of zstd
 * Fails  ERR_LIMIT when a profile has too many rows
 */
int chapter_builder_finish(struct chapter_builder *b, int level, struct chapter **out, struct err *err);

/* --- files --- */

struct segment_info {
	enum store_tier tier;
	unsigned level; /* of compaction */
	unsigned flags;
	uint8_t store[16]; /* uuid */
	int64_t t0, t1;    /* ms since 1970, t1 exclusive */
	int64_t made;      /* ms */
};

/* Writes a segment, chapter by chapter, in order of services. Bytes go to write, which returns 0 or ERR_* with err set. */
typedef int segment_write_fn(void *arg, const void *data, size_t n, struct err *err);
struct segment_writer;
struct segment_writer *segment_writer_new(const struct segment_info *info, int level, segment_write_fn *write,
					  void *arg);
int segment_writer_add(struct segment_writer *w, const struct chapter *c, struct err *err);

/* Write the directory. crc: of the directory section, for the catalogue. */
int segment_writer_finish(struct segment_writer *w, uint32_t *crc, struct err *err);
void segment_writer_free(struct segment_writer *w);

struct segment;

/* A row of the directory. */
struct segment_chapter {
	const char *service;
	uint64_t offset, length;
	int64_t t0, t1;
	uint64_t profiles;
};

/*
 * Map a segment and check its header, footer and directory.
 *
 * fd     a descriptor that may be closed afterwards; name is for messages
 * Fails  ERR_IO, ERR_FORMAT; a newer major version is an ERR_FORMAT that names the version of cpa needed
 */
int segment_open(int fd, const char *name, struct segment **out, struct err *err);
void segment_close(struct segment *s);
const struct segment_info *segment_get_info(const struct segment *s);
uint32_t segment_n_chapters(const struct segment *s);
const struct segment_chapter *segment_chapter_at(const struct segment *s, uint32_t i);

/* Decode a chapter. It borrows from the segment. Fails with ERR_FORMAT, naming the section. */
int segment_read_chapter(const struct segment *s, uint32_t i, struct chapter **out, struct err *err);

/* The number of entries of a table of a chapter, without decoding it; 0 if it cannot be decoded. */
uint32_t segment_count_entries(const struct segment *s, uint32_t i, enum dict_table table);

/* The same without the nodes and rows of its dictionary, as if there were none. Then read these, the nodes with
   dict_keep_nodes; at last decode the nodes, if that is needed. Fail like segment_read_chapter. */
int segment_read_chapter_frames(const struct segment *s, uint32_t i, struct chapter **out, struct err *err);
int segment_read_stacks(const struct segment *s, uint32_t i, struct chapter *c, struct err *err);
int chapter_decode_nodes(struct chapter *c, struct err *err);

/* Return the pages of a chapter that is not needed any more to the kernel, which may read them again. */
void segment_drop_pages(const struct segment *s, uint32_t i);

/* Like segment_read_chapter, but of the dictionary only strings, mappings, metas and series, and marks and blocks: enough for
   lists and totals, and quick. Its blocks cannot be opened. */
int segment_read_chapter_head(const struct segment *s, uint32_t i, struct chapter **out, struct err *err);

/*
 * Check every block of a chapter; deep: decode all values too, and compare the totals.
 *
 * Fails  ERR_FORMAT, ERR_STOPPED
 */
int verify_chapter(const struct chapter *ch, bool deep, struct stop *stop, struct err *err);

/* The same of all chapters of a segment. */
int verify_segment(const struct segment *s, bool deep, struct stop *stop, struct err *err);

#endif

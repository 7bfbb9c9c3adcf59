/*
 * segment_file.h - shared by the files of segment.h
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A file is a header, chapters, the directory and a footer; chapters and the directory consist of sections. Little-endian.
 *
 *	header   magic "CPASEG\r\n", u16 major, u16 minor, u8 tier, u8 level, u16 flags, 16 uuid, i64 t0, i64 t1, i64 made,
 *	         u32 0, u32 CRC of the bytes before
 *	section  u16 kind, u8 codec (1: zstd), u8 flags, u32 CRC of the stored bytes, u64 raw, u64 stored, u32 items,
 *	         u32 CRC of the bytes before; the stored bytes; zeros to a multiple of 8
 *	footer   u64 offset and length of the directory, u64 length of the file, u32 chapters, u32 CRC of the directory,
 *	         u64 0, u32 CRC of the bytes before, "CPAE"
 */
#ifndef STORE_LOCAL_FORMAT_SEGMENT_FILE_H
#define STORE_LOCAL_FORMAT_SEGMENT_FILE_H

#include "store/local/format/segment.h"

#define SEGMENT_MAGIC "CPASEG\r\n"
#define SEGMENT_END "CPAE"

/* Only segments with slots have the newer version, so that older programs refuse these alone. */
enum { SEGMENT_MAJOR_RAW = 1, SEGMENT_MAJOR = 2, SEGMENT_MINOR = 0 };
enum { SEGMENT_HEADER = 64, SEGMENT_FOOTER = 48, SEGMENT_SECTION = 32 };

/* Sections that are not tables of the dictionary, see enum dict_table. */
enum {
	SECTION_BLOCKS = 11,     /* list of blocks */
	SECTION_BLOCK_DATA = 12, /* the blocks, one after the other; each has its CRC in the list */
	SECTION_MARKS = 14,
	SECTION_DIRECTORY = 15,
	SECTION_SOURCES = 16,  /* text: chapter.sources */
	SECTION_SUMS = 17,     /* list of sums, see sums.h */
	SECTION_SUM_DATA = 18, /* the sums, one after the other; each has its CRC in the list */
};

/* Flags of sections. */
enum {
	SECTION_OPTIONAL = 1, /* readers that do not know the kind skip it */
	SECTION_NO_CRC = 2,   /* its parts have CRCs of their own */
};

/* Write and read n bytes of a number, little-endian. */
static inline void segment_put(uint8_t *at, unsigned n, uint64_t v)
{
	for (unsigned i = 0; i < n; i++)
		at[i] = (uint8_t)(v >> 8 * i);
}

static inline uint64_t segment_get(const uint8_t *at, unsigned n)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (uint64_t)at[i] << 8 * i;
	return v;
}

#endif

/*
 * block_int.h - shared by the files of block.h
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef STORE_LOCAL_FORMAT_BLOCK_INT_H
#define STORE_LOCAL_FORMAT_BLOCK_INT_H

#include "store/local/format/block.h"

/* The source of the cells and values of a column. */
enum block_mode {
	BLOCK_OWN,      /* cells of its own */
	BLOCK_SAME,     /* the cells of an earlier column, values of its own */
	BLOCK_MULTIPLE, /* an earlier column times a factor */
};

/* Added to the mode. */
enum { BLOCK_MODE_MASK = 3, BLOCK_CHAIN = 4, BLOCK_SIGNED = 8 };

/* A part of the data. */
struct block_part {
	const uint8_t *at, *end;
};

struct block_column {
	enum block_mode mode;
	bool is_signed;
	uint32_t like;            /* modes SAME and MULTIPLE: a column of mode OWN */
	int64_t factor;           /* mode MULTIPLE */
	struct block_part cells;  /* mode OWN: groups, places and rows */
	struct block_part values; /* modes OWN and SAME */
};

#endif

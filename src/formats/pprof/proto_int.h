/*
 * proto_int.h - the parts of the profile.proto reader
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * proto.c reads the top level and decodes the tables. proto_sample.c decodes the samples, which are nearly all bytes of
 * a file, in blocks on several threads.
 */
#ifndef FORMATS_PPROF_PROTO_INT_H
#define FORMATS_PPROF_PROTO_INT_H

#include "formats/common/format.h"
#include "formats/pprof/idmap.h"

#include "profile/builder.h"

/* Fields of Profile in profile.proto. */
enum {
	PROFILE_TYPE = 1,
	PROFILE_SAMPLE = 2,
	PROFILE_MAPPING = 3,
	PROFILE_LOCATION = 4,
	PROFILE_FUNCTION = 5,
	PROFILE_STRING = 6,
	PROFILE_DROP = 7,
	PROFILE_KEEP = 8,
	PROFILE_TIME = 9,
	PROFILE_DURATION = 10,
	PROFILE_PERIOD_TYPE = 11,
	PROFILE_PERIOD = 12,
	PROFILE_COMMENT = 13,
	PROFILE_DEFAULT_TYPE = 14,
	PROFILE_DOC_URL = 15,
	/* extensions of cpa, with numbers unlikely to collide: see proto/profile.proto */
	PROFILE_SOURCE_FILE = 6516833,
	PROFILE_SOURCE_LINE,
	PROFILE_SOURCE_TEXT,
};

/* A block of consecutive samples: SAMPLES_PER_BLOCK, fewer in the last block. */
enum { SAMPLES_PER_BLOCK = 4096 };
struct sample_block {
	const uint8_t *start; /* top-level field of the first sample */
	uint32_t first, n;    /* rows */
};

/* The result of reading the top level and decoding the tables. */
struct proto {
	const uint8_t *data, *end;
	const struct format_limits *limits;
	struct builder *builder;

	str_id *str; /* [n_str] the string table */
	size_t n_str, cap_str;

	uint32_t n_samples;
	size_t sample_bytes;
	struct sample_block *block; /* [n_blocks] */
	size_t n_blocks, cap_blocks;

	struct idmap locs; /* location id to index */
};

/* Decode all samples of p->block into rows of p->builder. */
int proto_samples(struct proto *p, struct err *err);

/*
 * The string at an index in the file's string table.
 *
 * what    name of the field, for the message
 * Fails   ERR_FORMAT when there is no such string
 */
int proto_string(const struct proto *p, uint64_t index, const char *what, str_id *out, struct err *err);

#endif

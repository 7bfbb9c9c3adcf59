/*
 * format.h - options, limits and compression; all formats use them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_FORMAT_H
#define FORMATS_COMMON_FORMAT_H

#include "base/err.h"
#include "base/io.h"
#include "profile/profile.h"
#include "profile/sample_walk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
	FORMAT_COUNT_DEFAULT = 100000000, /* of max_count */
	FORMAT_RATIO_FREE = 64 << 20,     /* bytes after decompression before max_ratio is checked */
};

/* Registers and the top of a stack, as the kernel copied them for a sample. */
struct format_stack_copy {
	uint64_t mask;       /* of registers: a bit for each, in the kernel's order */
	const uint64_t *reg; /* one per bit */
	const uint8_t *stack;
	size_t n_stack;
};

/* Unwinds stacks that a recording contains as copies. Readers have none of their own: it opens binaries. */
struct format_unwinder {
	void *arg;
	/* Open the memory of a process: its executable mappings, whose texts are those of p. Closed with close. */
	void *(*open)(void *arg, const struct profile *p, const struct mapping *map, size_t n);
	void (*close)(void *arg, void *space);
	/*
	 * pc       [max] out: leaf first, adjusted to the calls
	 * is_whole out: did it reach the first function of the thread, or the end of the copy?
	 * Returns the number of frames; 0 if this machine has other registers
	 */
	size_t (*walk)(void *arg, void *space, const struct format_stack_copy *s, uint64_t *pc, size_t max,
		       bool *is_whole);
};

/* Options of all readers. Each limit has an option of the same name; 0 means no limit. */
struct format_options {
	uint64_t max_inflated; /* bytes after decompression */
	uint64_t max_ratio;    /* decompressed bytes per compressed byte, checked above FORMAT_RATIO_FREE */
	uint64_t max_count;    /* entries of a table: samples, locations, functions, mappings, strings */
	uint64_t max_depth;    /* frames of a stack, labels of a sample */
	uint64_t max_nesting;  /* layers of compression */

	/*
	 * Formats with time stamps keep them as a numeric label "time" in nanoseconds since the start of the recording.
	 * Equal stacks at different times are then separate rows.
	 */
	bool keeps_times;

	/*
	 * Equal stacks may have different ids, for reports that only add up. A reader may then skip finding them where this
	 * costs more than it saves.
	 */
	bool repeats_stacks;

	/*
	 * Samples need no labels. A reader may then check labels without storing them, unless a key is BASE_LABEL, which
	 * changes totals.
	 */
	bool skips_labels;

	/* The content_hash of the profile is not needed. A reader that computes it in passing may still do so. */
	bool skips_hash;

	/* Uses samples while they are read, if a reader can do that. Labels are skipped. NULL: all stacks are kept */
	const struct sample_walk *walk;

	const struct format_unwinder *unwinder; /* NULL: copied stacks are not unwound */
	bool is_mapped;                         /* the input is a mapped file, whose pages can be given back */
};

/* The answer of a probe. FORMAT_MAYBE: text of other kinds looks the same, so a user must name the format. */
enum format_match { FORMAT_NO, FORMAT_MAYBE, FORMAT_SURE };

/*
 * Read a profile of a format from decompressed bytes.
 *
 * out     owned by the caller; unchanged on failure
 * Fails   ERR_UNKNOWN if the bytes are in another format: the next reader is tried; ERR_FORMAT if the bytes are
 *         invalid; ERR_LIMIT
 */
typedef int (*format_read_fn)(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			      struct err *err);

/*
 * Decompress all layers of compression.
 *
 * in      consumed: its data is freed as soon as it is no longer needed, and n is set to 0
 * out     owned by the caller; the bytes of in if it was not compressed
 * Fails   ERR_FORMAT, ERR_LIMIT
 */
int format_inflate(struct bytes *in, const struct format_options *options, struct bytes *out, struct err *err);

/* Return true if bytes begin like compressed ones. */
bool format_is_compressed(const uint8_t *data, size_t n);

/* Return true if n exceeds the limit (0: no limit). */
static inline bool format_exceeds(uint64_t n, uint64_t limit)
{
	return limit && n > limit;
}

#endif

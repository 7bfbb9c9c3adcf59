/*
 * legacy.h - build a profile from samples of addresses, for all legacy formats
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_LEGACY_LEGACY_H
#define FORMATS_LEGACY_LEGACY_H

#include "base/idtab.h"
#include "formats/common/format.h"
#include "formats/legacy/legacy_text.h"
#include "formats/legacy/memmap.h"
#include "profile/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Addresses that are return addresses; 1 is subtracted to get an address within the call. */
enum legacy_adjust { ADJUST_NONE, ADJUST_CALLERS, ADJUST_ALL };

/* Built-in drop_frames and keep_frames for a kind of profile. */
enum legacy_frames { FRAMES_CPU, FRAMES_HEAP, FRAMES_LOCK, FRAMES_JEMALLOC };

/* The entry of Java's location table for an address. */
struct legacy_line {
	bool is_known;
	uint32_t func; /* index in legacy.func */
	int64_t no;
};

struct legacy_func {
	str_id name, file;
	uint32_t id; /* function id in the builder, or PROFILE_NONE */
};

/* The numbers of a heap sample: "3: 96 [5: 160]". */
struct heap_pairs {
	struct slice count[2], size[2]; /* [0] in use, [1] allocated */
};

struct legacy_sample {
	size_t first; /* the frames of the sample are legacy.frame[first .. first + n) */
	uint32_t n;
};

/* A profile being read: samples of addresses, then data about addresses. */
struct legacy {
	const struct format_options *options;
	struct builder *b;

	uint32_t n_addrs;
	uint64_t *addr; /* [n_addrs] distinct, in order of first use */
	size_t cap_addrs;
	struct idtab by_addr;

	uint32_t *frame; /* [n_frames] indices in addr, leaf first */
	size_t n_frames, cap_frames;
	size_t sample_start; /* first frame of the current sample */

	struct legacy_sample *sample; /* [n_samples] */
	size_t n_samples, cap_samples;
	int64_t *value; /* [n_samples * types of b] */
	size_t cap_values;
	int64_t *block; /* [n_samples] value of the label "bytes"; NULL if the format has none */
	size_t cap_blocks;

	struct memmap map;

	struct legacy_line *line; /* [n_addrs] only for Java, else NULL */
	struct legacy_func *func; /* [n_funcs] */
	size_t n_funcs, cap_funcs;
	uint64_t n_funcs_used; /* functions added to the builder */
};

/* Initialize without samples. The caller must always call legacy_release. */
void legacy_init(struct legacy *l, const struct format_options *options);
void legacy_release(struct legacy *l);

/* Append a sample type, or set the period type. */
void legacy_add_type(struct legacy *l, const char *name, const char *unit);
void legacy_set_period(struct legacy *l, int64_t period, const char *name, const char *unit);

/*
 * Append a frame to the current sample, leaf first.
 *
 * Fails   ERR_LIMIT
 */
int legacy_add_frame(struct legacy *l, uint64_t addr, enum legacy_adjust adjust, struct err *err);

/* Find the index in l->addr of an address; false if no frame has it. */
bool legacy_find(const struct legacy *l, uint64_t addr, uint32_t *index);

/*
 * Append a frame for each 0x... number in a text.
 *
 * Fails   ERR_FORMAT when a number exceeds 64 bits, ERR_LIMIT
 */
int legacy_add_frames(struct legacy *l, struct slice text, enum legacy_adjust adjust, struct err *err);

/*
 * Finish the current sample.
 *
 * values  a value of each type
 * block   value of the label "bytes", or NULL when the format has none. 0 creates no label, since pprof
 *         encodes every profile as protobuf, which loses it
 * Fails   ERR_LIMIT
 */
int legacy_end_sample(struct legacy *l, const int64_t *values, const int64_t *block, struct err *err);

/* Discard the frames of the current sample. */
void legacy_discard_sample(struct legacy *l);

/*
 * Skip to the heading of the memory map, if there is one, and read the mappings after it.
 *
 * in      at the line after the samples
 */
int legacy_read_maps(struct legacy *l, struct lines *in, struct err *err);

/*
 * Read the location table of Java, which names the addresses of the samples. All samples must have been read.
 *
 * Fails   ERR_FORMAT with the line, ERR_LIMIT
 */
int legacy_read_java_table(struct legacy *l, struct lines *in, struct err *err);

/* Flags of legacy_finish. */
enum legacy_flags { FINISH_DROP_REPEATED_LEAF = 1, FINISH_CLEAR_ADDRESSES = 2 };

/*
 * Build the profile: correct the mappings and assign addresses to them; number locations, functions and
 * mappings 1..n, locations and functions in order of first use.
 *
 * flags   FINISH_DROP_REPEATED_LEAF removes the second frame if it repeats the leaf (once from the signal
 *         context, once from the unwinder); FINISH_CLEAR_ADDRESSES sets all addresses to 0
 * Like    pprof profile/legacy_profile.go, remapLocationIDs and its siblings
 */
int legacy_finish(struct legacy *l, enum legacy_frames frames, unsigned flags, struct profile **out, struct err *err);

/* Set drop_frames and keep_frames. Like pprof profile/legacy_profile.go, cpuProfilerRxStr and the expressions after it. */
void legacy_set_frames(struct builder *b, enum legacy_frames which);

/*
 * Scale the values of a heap sample to estimate all allocations: an allocation of this mean size is
 * sampled with probability 1 - exp(-size / count / rate).
 *
 * count, size   replaced; unchanged if rate <= 1; both 0 if either is
 * Fails   ERR_FORMAT when a result overflows int64_t
 * Like    pprof profile/legacy_profile.go, scaleHeapSample
 */
int legacy_scale_heap(int64_t *count, int64_t *size, int64_t rate, struct err *err);

/* The factor; 0 if count or size is 0. */
double legacy_heap_factor(int64_t count, int64_t size, int64_t rate);

/* Remove the numbers of a heap sample from the start of s; with minus, those in use may be negative. */
bool legacy_take_pairs(struct slice *s, bool minus, struct heap_pairs *p);

/* A double as int64_t, rounded toward zero. Fails with ERR_FORMAT when it does not fit. */
int legacy_truncate(double v, int64_t *out, struct err *err);

/* ERR_LIMIT if n exceeds options->max_count, else 0; what: the word for the objects in the message. */
int legacy_check_count(const struct format_options *options, uint64_t n, const char *what, struct err *err);

/* Like pprof profile/legacy_profile.go, which tries them in this order. Each is a format_read_fn. */

int legacy_read_cpu(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		    struct err *err); /* binary CPU profiles of gperftools and Java */
int legacy_read_heap(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		     struct err *err);
int legacy_read_go_count(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			 struct err *err);
int legacy_read_threads(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			struct err *err);
int legacy_read_contention(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
			   struct err *err);
int legacy_read_java(const uint8_t *data, size_t n, const struct format_options *options, struct profile **out,
		     struct err *err);

#endif

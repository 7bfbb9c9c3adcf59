/*
 * legacy.h - a profile from samples of addresses, as all legacy formats have them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef READER_LEGACY_H
#define READER_LEGACY_H

#include "reader/legacy_text.h"
#include "reader/memmap.h"
#include "reader/reader_int.h"

#include "base/idtab.h"
#include "profile/builder.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which addresses stand behind their call and are moved back onto it by 1. */
enum legacy_adjust { ADJUST_NONE, ADJUST_CALLERS, ADJUST_ALL };

/* Which built-in drop_frames and keep_frames a profile gets. */
enum legacy_frames { FRAMES_CPU, FRAMES_HEAP, FRAMES_LOCK };

/* What the location table of Java says about an address. */
struct legacy_line {
	bool known;
	uint32_t func; /* place in legacy.func */
	int64_t no;
};

struct legacy_func {
	str_id name, file;
	uint32_t id; /* in the builder, or PROFILE_NONE */
};

struct legacy_sample {
	size_t first; /* its frames are legacy.frame[first .. first + n) */
	uint32_t n;
};

/* A profile while it is collected: samples of addresses, then what is known about addresses. */
struct legacy {
	const struct reader_limits *limits;
	struct builder *b;

	uint32_t n_addrs;
	uint64_t *addr; /* [n_addrs] in order of appearance, each once */
	size_t cap_addrs;
	struct idtab by_addr;

	uint32_t *frame; /* [n_frames] places in addr, leaf first */
	size_t n_frames, cap_frames;
	size_t open; /* the first frame of the sample that is not closed yet */

	struct legacy_sample *sample; /* [n_samples] */
	size_t n_samples, cap_samples;
	int64_t *value; /* [n_samples * types of b] */
	size_t cap_values;
	int64_t *block; /* [n_samples] value of the label "bytes"; NULL without */
	size_t cap_blocks;

	struct memmap map;

	struct legacy_line *line; /* [n_addrs] NULL but for Java */
	struct legacy_func *func; /* [n_funcs] */
	size_t n_funcs, cap_funcs;
	uint64_t n_funcs_used; /* of them in the builder */
};

/* Start with no samples; the sample types go to l->b. Release in any case. */
void legacy_init(struct legacy *l, const struct reader_limits *limits);
void legacy_release(struct legacy *l);

/* Append a sample type or set the period type; C strings. */
void legacy_type(struct legacy *l, const char *name, const char *unit);
void legacy_period(struct legacy *l, int64_t period, const char *name, const char *unit);

/*
 * Append a frame to the open sample, leaf first.
 *
 * Fails   ERR_LIMIT
 */
int legacy_frame(struct legacy *l, uint64_t addr, enum legacy_adjust adjust, struct err *err);

/* Is this the address of some frame? Its place in l->addr then. */
bool legacy_find(const struct legacy *l, uint64_t addr, uint32_t *place);

/*
 * Append the frames of all 0x... numbers in a text.
 *
 * Fails   ERR_FORMAT when one leaves 64 bits, ERR_LIMIT
 */
int legacy_frames_of(struct legacy *l, struct slice text, enum legacy_adjust adjust, struct err *err);

/*
 * Close the open sample.
 *
 * values  one of each type
 * block   value of the label "bytes", or NULL when this format has none; 0 makes no label, as the
 *         proto encoding that pprof puts all its profiles through cannot hold it
 * Fails   ERR_LIMIT
 */
int legacy_close(struct legacy *l, const int64_t *values, const int64_t *block, struct err *err);

/* Forget the frames of the open sample. */
void legacy_discard(struct legacy *l);

/*
 * Go on to the heading of the memory map, if there is one, and read the mappings behind it.
 *
 * in      at the line where the samples ended
 */
int legacy_read_maps(struct legacy *l, struct lines *in, struct err *err);

/*
 * Read the location table of Java: it names the addresses of the samples, which all are known.
 *
 * Fails   ERR_FORMAT with the line, ERR_LIMIT
 */
int legacy_read_java_table(struct legacy *l, struct lines *in, struct err *err);

/* What legacy_finish does beside numbering. */
enum legacy_how { FINISH_LEAF_TWICE = 1, FINISH_NO_ADDRESSES = 2 };

/*
 * Make the profile: mappings are put right and found for each address; locations, functions and
 * mappings get the ids 1..n, locations and functions in order of first use.
 *
 * how     FINISH_LEAF_TWICE drops the caller of a leaf that is the same frame again (addresses of
 *         one signal and of the unwinder); FINISH_NO_ADDRESSES sets all addresses to 0
 * Like    pprof profile/legacy_profile.go, remapLocationIDs and its siblings
 */
int legacy_finish(struct legacy *l, enum legacy_frames frames, unsigned how, struct profile **out, struct err *err);

/* Set drop_frames and keep_frames. From Appendix C of pprof-behaviour.md. */
void legacy_set_frames(struct builder *b, enum legacy_frames which);

/*
 * Values of a heap sample, made those of all allocations: a sample of this mean size is taken with
 * probability 1 - exp(-size / count / rate).
 *
 * count, size   replaced; unchanged when rate is at most 1, both 0 when one is
 * Fails   ERR_FORMAT when a result leaves int64_t
 * Like    pprof profile/legacy_profile.go, scaleHeapSample
 */
int legacy_scale_heap(int64_t *count, int64_t *size, int64_t rate, struct err *err);

/* A double as int64_t, cut toward zero. Fails with ERR_FORMAT when it does not fit. */
int legacy_cut(double v, int64_t *out, struct err *err);

/* ERR_LIMIT for more than limits->max_count of something, else 0. */
int legacy_check_count(const struct reader_limits *limits, uint64_t n, const char *what, struct err *err);

#endif

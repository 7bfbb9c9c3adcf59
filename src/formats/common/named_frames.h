/*
 * named_frames.h - functions and locations of formats whose frames have names, but no addresses
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef FORMATS_COMMON_NAMED_FRAMES_H
#define FORMATS_COMMON_NAMED_FRAMES_H

#include "formats/common/format.h"
#include "profile/builder.h"

struct named_frames;

/* A frame. Strings are ids of the builder's strings; 0: empty. Without a system name, nothing demangles the name. */
struct named_frame {
	str_id name, system_name, file;
	int64_t start;     /* first line of the function; 0: not known */
	int64_t line, col; /* position in the function; 0: not known */
	uint32_t map;      /* mapping + 1; 0: none */
};

/* b: borrowed. Freed with named_frames_free, which takes NULL. */
struct named_frames *named_frames_new(struct builder *b, const struct format_options *options);
void named_frames_free(struct named_frames *f);

/*
 * The function of a frame, and its location. Frames with the same names, file and first line have the same function;
 * equal frames have the same location.
 *
 * Fails   ERR_LIMIT for more than options->max_count functions or locations
 */
int named_frames_function(struct named_frames *f, const struct named_frame *frame, uint32_t *out, struct err *err);
int named_frames_location(struct named_frames *f, const struct named_frame *frame, uint32_t *out, struct err *err);

#endif

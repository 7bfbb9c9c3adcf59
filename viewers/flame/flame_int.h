/*
 * flame_int.h - declarations shared within this folder
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_FLAME_INT_H
#define VIEWERS_FLAME_INT_H

#include "viewers/flame/flame.h"

/* Indices of colours. */
enum { COLOR_GROUPS = 12, COLOR_HEATS = 8, COLOR_STEPS = 4 };
enum {
	COLOR_NEUTRAL, /* rest boxes; without a base also the root */
	COLOR_LABEL,
	COLOR_UNKNOWN,
	COLOR_KERNEL,
	COLOR_OTHER, /* groups without their own colour */
	COLOR_GROUP,
	COLOR_HEAT = COLOR_GROUP + COLOR_GROUPS, /* steps of heat, from cold to hot */
	COLOR_SAME = COLOR_HEAT + COLOR_HEATS,
	COLOR_GREW, /* steps of growth, from small to large */
	COLOR_NEW = COLOR_GREW + COLOR_STEPS,
	COLOR_SHRANK,
	COLOR_GONE = COLOR_SHRANK + COLOR_STEPS,
	COLOR_END
};

/* A package, binary or file: its boxes have one colour. */
struct group {
	const char *name; /* untrusted */
	double area;      /* sum of the widths of its boxes */
	uint8_t color;
};

struct groups {
	uint32_t n;
	struct group *group; /* [n] groups, largest area first */
	uint8_t *color;      /* [f->n_frames] */
};

/* Find the groups of a picture and the colours of its frames. They live in mem. */
void groups_make(const struct flame *f, enum flame_color_by by, struct arena *mem, struct groups *out);

/* The colours of the frames of another picture f, consistent with groups g: [f->n_frames], lives in mem. */
const uint8_t *groups_color_like(const struct groups *g, const struct flame *f, enum flame_color_by by,
				 struct arena *mem);

/* The colour of each frame on the heat scale, by its share of flat over all its boxes. Lives in mem. */
const uint8_t *heat_colors(const struct flame *f, struct arena *mem);

/* The lowest flat share of a step of the heat scale, in percent. */
double heat_min_percent(int step);

/* Does a name end in a suffix of source files, such as .c? */
bool package_is_file(const char *name);

/* The sign of the change of a box, as in struct flame_tile, and its colour. Values must not be negative. */
char change_sign(const struct flame *f, uint32_t box, bool by_self);
uint8_t change_color(const struct flame *f, uint32_t box, bool by_self);

/*
 * Could a change be due to chance, if samples are independent of each other? The standard deviation of a count is its
 * square root, so 95 % of random changes are at most 2 sqrt(before + after). f->sample must be known.
 */
bool change_may_be_chance(const struct flame *f, uint32_t box, bool by_self);

/*
 * Append the change of a value: " (+12.5%)", " (new)", " (gone)"; nothing when it is unchanged.
 *
 * on_both_sides   the box exists on both sides: a value that was 0 is " (from 0)" instead of new
 */
void caption_add_change(int64_t before, int64_t after, bool on_both_sides, struct buf *out);

/*
 * Append the names of the files of a side, with as much of their paths as distinguishes the sides; without files append
 * fallback.
 */
void caption_add_sources(const struct flame *f, enum side side, const char *fallback, struct buf *out);

/* Append an untrusted text, with control characters escaped, shortened to fit into a number of columns. */
void caption_add_safe(const char *text, size_t columns, flame_fit_fn *fit, struct buf *out);

#endif

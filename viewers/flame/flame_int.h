/*
 * flame_int.h - what the files of this folder share
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_FLAME_INT_H
#define VIEWERS_FLAME_INT_H

#include "viewers/flame/flame.h"

/* What the numbers of colours mean. */
enum { COLOR_GROUPS = 12, COLOR_HEATS = 8, COLOR_STEPS = 4 };
enum {
	COLOR_NEUTRAL, /* the root and the rest */
	COLOR_LABEL,
	COLOR_UNKNOWN,
	COLOR_KERNEL,
	COLOR_OTHER, /* groups that are too many for a colour of their own */
	COLOR_GROUP,
	COLOR_HEAT = COLOR_GROUP + COLOR_GROUPS, /* from cold to hot */
	COLOR_SAME = COLOR_HEAT + COLOR_HEATS,
	COLOR_GREW, /* from a little to much */
	COLOR_NEW = COLOR_GREW + COLOR_STEPS,
	COLOR_SHRANK,
	COLOR_GONE = COLOR_SHRANK + COLOR_STEPS,
	COLOR_END
};

/* A package, binary or file that boxes are coloured by. */
struct group {
	const char *name; /* hostile */
	double area;      /* sum of the widths of its boxes */
	uint8_t color;
};

struct groups {
	uint32_t n;
	struct group *group; /* [n] the widest first */
	uint8_t *color;      /* [f->n_frames] */
};

/* The groups of a picture and the colours of its frames. They live in mem. */
void groups_make(const struct flame *f, enum flame_color_by by, struct arena *mem, struct groups *out);

/* The colours of the frames of another picture as those of g, which whole made, are; [f->n_frames] in mem. */
const uint8_t *groups_color_as(const struct groups *g, const struct flame *f, enum flame_color_by by,
			       struct arena *mem);

/* The step of heat of each frame: the share of its own value, wherever it is called. Lives in mem. */
const uint8_t *heat_make(const struct flame *f, struct arena *mem);

/* What a step of heat is, in percent. */
double heat_least(int step);

/* Does a name end as a source file does? */
bool package_is_file(const char *name);

/* How a box changed, as in struct flame_tile, and its colour. Values are not negative. */
char change_sign(const struct flame *f, uint32_t box, bool by_self);
uint8_t change_color(const struct flame *f, uint32_t box, bool by_self);

/*
 * May a change be chance, as far as samples tell that come independently of each other? Their number varies by
 * its root, so 19 of 20 changes without a cause are at most 2 sqrt(before + after). f->sample is known.
 */
bool change_may_be_chance(const struct flame *f, uint32_t box, bool by_self);

/* Append a number with commas; a value in the unit of the report, harmless, with + or - when asked. */
void words_add_count(uint64_t n, struct buf *out);
void words_add_value(const struct head *h, int64_t value, bool with_sign, struct buf *out);

/*
 * Append what became of a value: " (+12.5%)", " (new)", " (gone)"; nothing when it is the same. stays: what it is
 * of is on both sides, so that the value alone comes " (from 0)".
 */
void words_add_change(int64_t before, int64_t after, bool stays, struct buf *out);

/* Append the names of a side's sources, as much of their paths as tells the sides apart, or a word when there
   are none. */
void words_add_sources(const struct flame *f, enum flame_side side, const char *otherwise, struct buf *out);

/* Append a hostile text made harmless, at most so many columns of it. */
void words_add_safe(const char *text, size_t columns, struct buf *out);

#endif

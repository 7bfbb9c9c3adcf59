/*
 * functions.h - the boxes of a flame graph added up by function
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef VIEWERS_PDF_FUNCTIONS_H
#define VIEWERS_PDF_FUNCTIONS_H

#include "base/arena.h"
#include "report/flame.h"

#include <stddef.h>
#include <stdint.h>

struct function {
	uint32_t box;              /* its widest */
	int64_t width;             /* of its boxes, each stack counted once, as in cum */
	int64_t cum[FLAME_SIDES];  /* before: 0 without a base */
	int64_t flat[FLAME_SIDES]; /* the same */
};

/*
 * All functions that have a box of their own, the widest first and then by name. What was left out
 * of the picture does not count.
 *
 * out     lives in mem
 * Gives   how many
 */
size_t functions_make(const struct flame *f, struct arena *mem, struct function **out);

#endif

/*
 * flame.h - the command flame: which picture, in which format
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_FLAME_H
#define ANSWER_FLAME_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/query.h"
#include "engine/view.h"
#include "report/side.h"

#include <stdbool.h>

enum flame_format {
	FLAME_FORMAT_SVG,
	FLAME_FORMAT_PDF,
	FLAME_FORMAT_PNG,
	FLAME_FORMAT_HTML,
	FLAME_FORMAT_FOLDED,
	FLAME_FORMAT_JSON
};

/*
 * The format that --format or else the ending of the output asks for, in upper or lower case; SVG when
 * nothing says.
 *
 * Fails   ERR_USAGE for one that is unknown
 */
int answer_flame_format(const struct query *q, enum flame_format *out, struct err *err);

/* The suffix of a file in the format that is asked for, "svg"; NULL for folded stacks, which are text, and for a
   format that is unknown. */
const char *answer_flame_suffix(const struct query *q);

/*
 * Check the options of the picture, before anything is read.
 *
 * Fails   ERR_USAGE
 */
int answer_flame_check(const struct query *q, struct err *err);

/*
 * Append the picture.
 *
 * from      what the sides are called in the legend; n of the base is 0 when there is none
 * is_empty  set when there was nothing to draw
 * Fails     ERR_USAGE when the question has no answer for this profile or in this format, ERR_IO when
 *           a library is missing, ERR_LIMIT
 */
int answer_flame(const struct view *v, const struct side_sources from[N_SIDES], const struct query *q, struct buf *out,
		 bool *is_empty, struct err *err);

#endif

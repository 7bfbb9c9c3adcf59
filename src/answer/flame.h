/*
 * flame.h - the command flame: options, format and picture
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef ANSWER_FLAME_H
#define ANSWER_FLAME_H

#include "base/buf.h"
#include "base/err.h"
#include "engine/view.h"
#include "report/report.h"
#include "report/side.h"
#include "viewers/flame/flame.h"

#include <stdbool.h>
#include <stdint.h>

enum flame_format {
	FLAME_FORMAT_SVG,
	FLAME_FORMAT_PDF,
	FLAME_FORMAT_PNG,
	FLAME_FORMAT_HTML,
	FLAME_FORMAT_FOLDED,
	FLAME_FORMAT_JSON
};

/*
 * The format from --format, else from the suffix of the output file in upper or lower case, else SVG.
 *
 * Fails   ERR_USAGE for an unknown format or suffix
 */
int answer_flame_format(const struct query *q, enum flame_format *out, struct err *err);

/* File suffix of the requested format, such as "svg"; NULL for an unknown format and for folded stacks, which are
   text. */
const char *answer_flame_suffix(const struct query *q);

/*
 * Check the options of the picture, before sources are read.
 *
 * Fails   ERR_USAGE
 */
int answer_flame_check(const struct query *q, struct err *err);

/*
 * Append the picture.
 *
 * from      names of the sides for the legend; n of the base is 0 if there is none
 * is_empty  set to true if there was nothing to draw
 * Fails     ERR_USAGE when an option does not apply to this profile or format, ERR_IO when a library is
 *           missing, ERR_LIMIT
 */
int answer_flame(const struct view *v, const struct side_sources from[N_SIDES], const struct query *q, struct buf *out,
		 bool *is_empty, struct err *err);

/* A part of a flame graph, for a page that draws it itself. */
struct flame_part {
	const uint32_t *path; /* [n_path] as in struct flame_options */
	uint32_t n_path;
	double min_share;    /* omit boxes below this share of the last box of the path, or of the root */
	uint32_t max_levels; /* 0: the limit of pictures */
	int64_t max_boxes;
	bool wants_functions; /* as in struct flame_options, like the fields below */
	const struct flame_match *only, *pivot, *keep;
	enum flame_pivot part;
};

/*
 * Make a part of the flame graph as a report. Options for trimming do not apply to it.
 *
 * style   filled in from q
 * out     released with report_release
 * Fails   as answer_flame
 */
int answer_flame_part(const struct view *v, const struct side_sources from[N_SIDES], const struct query *q,
		      const struct flame_part *part, struct flame_style *style, struct report *out, struct err *err);

#endif

/*
 * skipped.h - counts parts of the input that a reader skipped, for one comment per kind
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Reports print the comments of a reader to stderr, so nothing is skipped silently, and a large file has few lines.
 */
#ifndef FORMATS_COMMON_SKIPPED_H
#define FORMATS_COMMON_SKIPPED_H

#include "profile/builder.h"

#include <stddef.h>

struct skipped {
	size_t n, first; /* number of parts; position of the first one */
};

static inline void skipped_add(struct skipped *s, size_t position)
{
	if (s->n++ == 0)
		s->first = position;
}

/*
 * Add the comment "WHAT N ONE|MANY, the first in PLACE POSITION" if parts were skipped.
 *
 * what    like "folded: skipped"
 * place   like "line"; NULL: without the position
 */
void skipped_add_comment(const struct skipped *s, struct builder *b, const char *what, const char *one,
			 const char *many, const char *place);

#endif

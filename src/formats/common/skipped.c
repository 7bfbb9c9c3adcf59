/*
 * skipped.c - counts parts of the input that a reader skipped, for one comment per kind
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "formats/common/skipped.h"

#include "base/buf.h"

void skipped_add_comment(const struct skipped *s, struct builder *b, const char *what, const char *one,
			 const char *many, const char *place)
{
	struct buf text = { 0 };

	if (s->n == 0)
		return;
	buf_addf(&text, "%s %zu %s", what, s->n, s->n == 1 ? one : many);
	if (place)
		buf_addf(&text, ", the first in %s %zu", place, s->first);
	builder_comment(b, strtab_addz(builder_strings(b), buf_text(&text)));
	buf_release(&text);
}

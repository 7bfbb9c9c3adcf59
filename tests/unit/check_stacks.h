/*
 * check_stacks.h - rows of a profile as text: "main|work 3 30 tid=7", root first
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef TEST_CHECK_STACKS_H
#define TEST_CHECK_STACKS_H

#include "base/buf.h"
#include "profile/stack_walk.h"
#include "tests/unit/check_profile.h"

/* Append a line per row: frames, values and labels. lines: add :LINE to frames that have one. */
static inline void stacks_add_rows(const struct profile *p, bool lines, struct buf *out)
{
	uint32_t loc;

	for (uint32_t row = 0; row < p->n_rows; row++) {
		bool is_first = true;

		for (struct stack_walk w = stack_walk(p, p->stack[row], STACK_ROOT_FIRST); stack_walk_next(&w, &loc);) {
			uint32_t line = p->loc_line[loc];

			buf_addf(out, "%s%s", is_first ? "" : "|", profile_text(p, p->func_name[p->line_func[line]]));
			if (lines && p->line_no[line])
				buf_addf(out, ":%" PRId64, p->line_no[line]);
			is_first = false;
		}
		for (uint32_t t = 0; t < p->n_types; t++)
			buf_addf(out, " %" PRId64, p->value[t][row]);
		for (uint32_t at = p->label_sets.off[p->labels[row]]; at < p->label_sets.off[p->labels[row] + 1];
		     at++) {
			uint32_t label = p->label_sets.item[at];

			buf_addf(out, " %s=", profile_text(p, p->label_key[label]));
			if (p->label_is_text[label])
				buf_addz(out, profile_text(p, p->label_text[label]));
			else
				buf_addf(out, "%" PRId64, p->label_num[label]);
		}
		buf_addz(out, "\n");
	}
}

#endif

/*
 * view_asm_inlined.c - where a function that has no code of its own is
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/shell/view_asm_int.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/regex.h"
#include "base/stop.h"

#include <stdlib.h>

/* Which functions match: [n_funcs]. */
static bool match_functions(const struct profile *p, const char *pattern, bool *out)
{
	struct regex *rx;
	int rc = regex_new(pattern, &rx, NULL);

	if (rc < 0)
		return false;
	for (uint32_t f = 0; rc == 0 && f < p->n_funcs; f++) {
		str_id name = p->func_name[f];

		rc = regex_match(rx, profile_text(p, name), strtab_len(p->str, name), &out[f], NULL);
	}
	regex_free(rx);
	return rc == 0;
}

/* Is a function that matches at a location inlined into another one? */
static bool is_inlined_at(const struct profile *p, const bool *match, uint32_t loc)
{
	uint32_t end = p->loc_line[loc + 1];

	for (uint32_t line = p->loc_line[loc]; line + 1 < end; line++)
		if (p->line_func[line] != PROFILE_NONE && match[p->line_func[line]])
			return true;
	return false;
}

/* What the samples of each location weigh: [n_locs]. */
static void weigh(const struct view *v, const struct stop *stop, uint64_t *weight)
{
	const struct profile *p = v->p;
	uint32_t *last = mem_zalloc((size_t)p->n_locs + 1, sizeof(*last)); /* row + 1 that was counted last */

	for (uint32_t row = 0; row < v->n; row++) {
		uint32_t lo = p->stacks.off[p->stack[row]], hi = p->stacks.off[p->stack[row] + 1];

		if (row % STOP_STEPS == 0 && stop_is_set(stop))
			break;
		for (uint32_t i = lo; i < hi; i++) {
			uint32_t loc = p->stacks.item[i];

			if (last[loc] != row + 1) /* sums of magnitudes fit, as view_make has checked */
				weight[loc] += num_abs(v->val[SIDE_TARGET][row]);
			last[loc] = row + 1;
		}
	}
	free(last);
}

bool asm_inlined_address(const struct view *v, const struct query *q, uint64_t *addr)
{
	const struct profile *p = v->p;
	bool *match = mem_zalloc((size_t)p->n_funcs + 1, sizeof(*match));
	uint64_t *weight = mem_zalloc((size_t)p->n_locs + 1, sizeof(*weight)), most = 0;

	if (match_functions(p, q->pattern, match)) {
		weigh(v, q->stop, weight);
		for (uint32_t loc = 0; loc < p->n_locs; loc++)
			if (weight[loc] > most && p->loc_addr[loc] && is_inlined_at(p, match, loc)) {
				most = weight[loc];
				*addr = p->loc_addr[loc];
			}
	}
	free(match);
	free(weight);
	return most > 0;
}

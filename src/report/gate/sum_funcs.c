/*
 * sum_funcs.c - the functions of a gate as its profiles bring them
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "report/gate/sum_int.h"

#include <string.h>

static int append(struct sum_adding *a, uint32_t func)
{
	struct gate_sum *s = a->sum;
	const char *name = match_name(s->match, func);
	bool folds = false;
	int rc = 0;

	if (s->options->fold)
		rc = regex_match(s->options->fold, name, strlen(name), &folds, a->err);
	if (rc < 0)
		return err_wrap(a->err, "--fold");
	s->func[func] = (struct gate_func){ .name = "", .file = "", .is = func };
	s->folds[func] = folds;
	s->new_line[func] = false;
	return 0;
}

/* The lowest line that says where a function starts, of the new side when that says so. */
static void take_start(struct gate_sum *s, enum stats_side side, uint32_t func, int64_t start)
{
	int64_t *line = &s->func[func].line;
	bool is_new = side == STATS_NEW;

	if (start <= 0 || (s->new_line[func] && !is_new))
		return;
	if (*line == 0 || start < *line || (is_new && !s->new_line[func]))
		*line = start;
	s->new_line[func] = is_new;
}

static void take_lines(struct sum_adding *a)
{
	const struct profile *p = a->view.p;

	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t n, lines = p->loc_line[loc + 1] - p->loc_line[loc];
		const uint32_t *func = places_of(&a->places, loc, &n);

		if (lines < n) /* no line at all: its place is a binary */
			continue;
		for (uint32_t i = 0; i < n; i++) /* without inlined calls the place is that of the last line */
			take_start(a->sum, a->side, func[i], p->func_start[p->line_func[p->loc_line[loc + 1] - n + i]]);
	}
}

int sum_take_functions(struct sum_adding *a)
{
	struct gate_sum *s = a->sum;
	uint32_t n = match_count(s->match);
	int rc = 0;

	s->func = mem_grow(s->func, &s->cap_funcs, n, sizeof(*s->func));
	s->folds = mem_grow(s->folds, &s->cap_folds, n, sizeof(*s->folds));
	s->new_line = mem_grow(s->new_line, &s->cap_lines, n, sizeof(*s->new_line));
	for (; rc == 0 && s->n_funcs < n; s->n_funcs++)
		rc = append(a, (uint32_t)s->n_funcs);
	if (rc == 0)
		take_lines(a);
	return rc;
}

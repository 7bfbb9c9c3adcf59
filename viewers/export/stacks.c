/*
 * stacks.c - stacks and frames, for the formats that write whole stacks
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "engine/query.h"
#include "profile/stack_walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

size_t export_stacks_depth(const struct places *pl, uint32_t stack)
{
	size_t depth = 0;
	uint32_t loc, n;

	for (struct stack_walk w = stack_walk(pl->p, stack, STACK_LEAF_FIRST); stack_walk_next(&w, &loc);) {
		places_of(pl, loc, &n);
		depth += n;
	}
	return depth;
}

uint32_t *export_stacks_copy(const struct places *pl, uint32_t stack, bool inverted, uint32_t *at)
{
	struct stack_walk w = stack_walk(pl->p, stack, inverted ? STACK_LEAF_FIRST : STACK_ROOT_FIRST);
	uint32_t loc, n;

	while (stack_walk_next(&w, &loc)) {
		const uint32_t *place = places_of(pl, loc, &n);

		if (inverted) {
			memcpy(at, place, n * sizeof(*at));
			at += n;
		}
		while (!inverted && n > 0)
			*at++ = place[--n];
	}
	return at;
}

int export_stacks_check_bytes(uint64_t bytes, struct err *err)
{
	uint64_t max = 2 * mem_quarter_of_ram();

	if (bytes <= max && buf_check_limit(bytes))
		return 0;
	if (bytes <= max)
		return err_set(err, ERR_LIMIT, "the stacks would take %" PRIu64 " bytes; select fewer samples", bytes);
	return err_set(err, ERR_LIMIT,
		       "the stacks would take %" PRIu64 " bytes, more than half of the memory of this machine", bytes);
}

int export_stacks_sum(const struct view *v, const struct query *q, uint32_t type, const char *tool, int64_t *sum,
		      int64_t *total, struct err *err)
{
	const struct profile *p = v->p;
	const char *name = profile_text(p, p->type[type].name);
	const double ratio = query_ratio(q);
	uint32_t *first = profile_equal_stacks(&p->stacks);
	bool overflows = false;

	*total = 0;
	memset(sum, 0, p->stacks.n * sizeof(*sum));
	for (uint32_t row = 0; row < p->n_rows; row++)
		overflows |= num_add(&sum[first[p->stack[row]]], p->value[type][row]);
	free(first);
	if (overflows)
		return err_set(err, ERR_RANGE, "the sum of %s overflows 64 bits", name);
	for (uint32_t i = 0; i < p->stacks.n; i++) {
		if (sum[i] < 0)
			return err_set(err, ERR_USAGE,
				       "%s has negative values, which %s cannot show; cpa folded writes both sides of "
				       "a comparison, cpa flame draws them",
				       name, tool);
		if (ratio != 1)
			sum[i] = num_trunc((double)sum[i] * ratio);
		if (num_add(total, sum[i]))
			return err_set(err, ERR_RANGE, "the sum of %s overflows 64 bits", name);
	}
	return 0;
}

uint32_t *export_function_files(const struct profile *p)
{
	uint32_t *func = mem_zalloc(strtab_count(p->str), sizeof(*func));

	for (uint32_t f = 0; f < p->n_funcs; f++)
		if (!func[p->func_name[f]] && p->func_file[f])
			func[p->func_name[f]] = f + 1;
	return func;
}

void export_frame_set(struct export_frame *f, const struct places *pl, uint32_t place, const uint32_t *func,
		      const struct query *q)
{
	const struct place *k = &pl->place[place];
	const struct place_detail *d = places_detail(pl, place);
	const struct profile *p = pl->p;

	f->name.len = f->file.len = 0;
	f->line = f->col = 0;
	if (k->name && !d->addr)
		buf_add(&f->name, profile_text(p, k->name), strtab_len(p->str, k->name));
	else
		places_add_name(pl, place, &f->name);
	if (k->file || d->line) {
		buf_addz(&f->file, places_file(pl, place));
		f->line = d->line;
		f->col = d->col;
	} else if (k->name && func[k->name]) {
		uint32_t function = func[k->name] - 1;

		path_add_clean(&f->file, places_source(p, p->func_file[function], &q->filter));
		f->line = p->func_start[function];
	}
}

void export_frame_release(struct export_frame *f)
{
	buf_release(&f->name);
	buf_release(&f->file);
}

void export_add_decimal(struct buf *out, int64_t v, unsigned digits)
{
	uint64_t factor = 1, size = num_abs(v);
	unsigned n = digits;

	for (unsigned i = 0; i < digits; i++)
		factor *= 10;
	buf_addf(out, "%s%" PRIu64, v < 0 ? "-" : "", size / factor);
	size %= factor;
	if (size == 0)
		return;
	for (; size % 10 == 0; n--)
		size /= 10;
	buf_addf(out, ".%0*" PRIu64, (int)n, size);
}

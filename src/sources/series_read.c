/*
 * series_read.c - values of cpa series that need samples: filters, functions, labels of samples
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/regex.h"
#include "engine/query.h"
#include "engine/view.h"
#include "sources/series.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW UINT32_MAX /* in place of a step */

struct step_reader {
	struct series_data *s;
	struct query q;
	const char *by;
	struct regex *function; /* NULL: no columns flat and cum */
	struct buf *notes;
};

static void series_read_add(int64_t *sum, int64_t v)
{
	*sum = num_add_capped(*sum, v);
}

/* Find the functions whose names match: [n_funcs]. */
static int series_read_match_functions(const struct step_reader *r, const struct profile *p, bool *out, struct err *err)
{
	int rc = 0;

	for (uint32_t f = 0; rc == 0 && f < p->n_funcs; f++) {
		const char *name = profile_text(p, p->func_name[f]);

		rc = regex_match(r->function, name, strtab_len(p->str, p->func_name[f]), &out[f], err);
	}
	return rc;
}

/* Does a stack have a matching function? is_flat: is it that of the leaf? */
static bool stack_matches(const struct profile *p, const bool *matches, uint32_t stack, bool *is_flat)
{
	bool is_leaf = true;

	*is_flat = false;
	for (uint32_t i = p->stacks.off[stack]; i < p->stacks.off[stack + 1]; i++) {
		uint32_t loc = stack_id_at(&p->stacks, i);

		for (uint32_t l = p->loc_line[loc]; l < p->loc_line[loc + 1]; l++) {
			bool yes = p->line_func[l] != PROFILE_NONE && matches[p->line_func[l]];

			*is_flat |= yes && is_leaf;
			is_leaf = false;
			if (yes)
				return true;
		}
		is_leaf = false;
	}
	return false;
}

/* The text of a label of a label set; "" if the set does not have it. */
static const char *series_read_label_text(const struct profile *p, uint32_t set, const char *key, struct buf *number)
{
	for (uint32_t i = p->label_sets.off[set]; i < p->label_sets.off[set + 1]; i++) {
		uint32_t label = p->label_sets.item[i];

		if (strcmp(profile_text(p, p->label_key[label]), key) != 0)
			continue;
		if (p->label_is_text[label])
			return profile_text(p, p->label_text[label]);
		number->len = 0;
		buf_addf(number, "%lld%s", (long long)p->label_num[label], profile_text(p, p->label_unit[label]));
		return buf_text(number);
	}
	return "";
}

/* Add the rows of a step to its totals and columns; of the window, to its total. */
static int series_read_add_rows(const struct step_reader *r, const struct view *v, uint32_t step, struct err *err)
{
	const struct profile *p = v->p;
	struct series_data *s = r->s;
	bool *matches = mem_zalloc(p->n_funcs + 1, sizeof(*matches)), is_flat;
	struct buf number = { 0 };
	uint32_t samples = 0;
	int rc = r->function ? series_read_match_functions(r, p, matches, err) : 0;

	while (samples < p->n_types && strcmp(profile_text(p, p->type[samples].name), "samples") != 0)
		samples++;
	for (uint32_t i = 0; rc == 0 && i < v->n; i++) {
		int64_t value = v->val[i];

		series_read_add(&s->out->total[step], value);
		if (samples < p->n_types)
			series_read_add(&s->out->n_samples[step], p->value[samples][i]);
		if (r->by)
			series_read_add(
				&series_column(s, r->by, series_read_label_text(p, p->labels[i], r->by, &number))
					 ->value[step],
				value);
		if (!r->function || !stack_matches(p, matches, p->stack[i], &is_flat))
			continue;
		series_read_add(&s->out->column[1].value[step], value);
		if (is_flat)
			series_read_add(&s->out->column[0].value[step], value);
	}
	buf_release(&number);
	free(matches);
	return rc;
}

static int series_read_add_window(const struct step_reader *r, const struct view *v)
{
	for (uint32_t i = 0; i < v->n; i++)
		series_read_add(&r->s->out->window, v->val[i]);
	return 0;
}

/* Read the profiles of a step, or of the window. */
static int read_step(const struct step_reader *r, const struct stored_source *source, uint32_t step, struct err *err)
{
	bool is_window = step == WINDOW;
	struct store_query q = is_window ? source->query : stored_step_query(&source->query, &r->s->totals, step);
	struct store_sum sum = { 0 };
	struct profile *p = NULL;
	struct arena *mem;
	struct view v;
	int rc;

	rc = store_read(source->store, &q, r->q.stop, &p, &sum, err);
	store_sum_release(&sum);
	if (rc < 0)
		return rc;
	mem = arena_new();
	rc = view_make(p, &r->q.filter, mem, &v, r->notes, err);
	if (rc == 0)
		rc = is_window ? series_read_add_window(r, &v) : series_read_add_rows(r, &v, step, err);
	arena_free(mem);
	profile_free(p);
	return rc;
}

/* Add the columns flat and cum. */
static void add_function_columns(struct series_data *s)
{
	static const char *const names[] = { "flat", "cum" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct series_values *c = series_column(s, "", names[i]);

		c->key = c->title = names[i];
	}
}

enum reduce series_reduce(const struct stored_source *source, const struct stored_type *type)
{
	if (source->query.reduce != REDUCE_DEFAULT)
		return source->query.reduce;
	return type->temporality == TEMPORALITY_GAUGE        ? REDUCE_MEAN
	       : type->temporality == TEMPORALITY_CUMULATIVE ? REDUCE_INCREASE
							     : REDUCE_SUM;
}

int series_read(const struct stored_source *source, const struct query *q, const char *by, struct series_data *s,
		struct buf *notes, struct err *err)
{
	struct step_reader r = { .s = s, .q = *q, .by = by, .notes = notes };
	enum reduce reduce = series_reduce(source, &s->totals.type[s->type]);
	bool is_sum = reduce == REDUCE_SUM || reduce == REDUCE_INCREASE;
	int rc = *q->function ? regex_new(q->function, &r.function, err) : 0;

	if (rc < 0)
		return err_wrap(err, "--function=%s", q->function);
	r.q.tagroot = ""; /* set by --by; here the labels are columns */
	r.q.sample_index = s->totals.type[s->type].name;
	if (r.function)
		add_function_columns(s);
	for (uint32_t step = 0; rc == 0 && step < s->totals.n_steps; step++)
		if (s->totals.profiles[step])
			rc = read_step(&r, source, step, err);
	if (rc == 0 && is_sum)
		for (uint32_t step = 0; step < s->totals.n_steps; step++)
			series_read_add(&s->out->window, s->out->total[step]);
	else if (rc == 0)
		rc = read_step(&r, source, WINDOW, err);
	regex_free(r.function);
	return rc;
}

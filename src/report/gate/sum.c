/*
 * sum.c - sum up the profiles of a gate
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * The sample types and the period of a profile must match those of the first one. Its view is summed per stack, its
 * functions are matched with those of the other profiles, and sum_walk.c adds the stacks to the functions.
 */
#include "config.h"

#include "base/mem.h"
#include "base/unit.h"
#include "engine/query.h"
#include "profile/scale.h"
#include "report/gate/names.h"
#include "report/gate/sampling.h"
#include "report/gate/sum_int.h"
#include "report/side.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gate_sum *gate_sum_new(const struct gate_options *options)
{
	struct gate_sum *s = mem_zalloc(1, sizeof(*s));

	s->options = options;
	s->match = match_new();
	s->mem = arena_new();
	return s;
}

void gate_sum_free(struct gate_sum *s)
{
	if (!s)
		return;
	match_free(s->match);
	for (size_t i = 0; i < s->n_files; i++)
		arena_free(s->stacks[i].mem);
	free(s->stacks);
	free(s->file);
	free(s->func);
	free(s->folds);
	free(s->new_line);
	arena_free(s->mem);
	free(s);
}

static const char *side_word(enum side side)
{
	return side == SIDE_BASE ? "base" : "new";
}

/* Set an error message that begins with side and source of the profile. Returns code. */
static __attribute__((format(printf, 3, 4))) int sum_fail(const struct sum_input *a, int code, const char *fmt, ...)
{
	char text[900];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	return err_set(a->err, code, "%s: %.*s %s", side_word(a->side), 100, a->source, text);
}

/* Prefix an error message with side and source. */
static int wrap_error(const struct sum_input *a, int rc)
{
	if (rc < 0 && rc != ERR_STOPPED)
		err_wrap(a->err, "%s: %.*s", side_word(a->side), 100, a->source);
	return rc;
}

enum { TYPES_SHOWN = 300 }; /* max bytes of the list of sample types in an error message */

/* The name of the reference profile in messages. */
static const char *reference_name(const struct sum_input *a)
{
	return a->sum->first.side == SIDE_BASE && a->side == SIDE_NEW ? "the base" : "the first profile";
}

static void sum_add_types(const struct profile *p, struct buf *out)
{
	for (uint32_t t = 0; t < p->n_types; t++)
		buf_addf(out, "%s%s/%s", t ? ", " : "", profile_text(p, p->type[t].name),
			 profile_text(p, p->type[t].unit));
}

static const char *sum_copy(struct arena *mem, const char *text)
{
	return arena_strndup(mem, text, strlen(text));
}

/* Record sample types and period of the first profile. */
static void record_first(struct sum_input *a, const struct profile *p)
{
	struct sum_first *f = &a->sum->first;
	struct arena *mem = a->sum->mem;
	struct buf types = { 0 };

	assert(p->n_types > 0 && a->sampling.named_type < p->n_types);
	f->side = a->side;
	f->n_types = p->n_types;
	f->types = arena_alloc(mem, p->n_types, sizeof(*f->types));
	for (uint32_t t = 0; t < p->n_types; t++)
		f->types[t] = (struct sum_type){ sum_copy(mem, profile_text(p, p->type[t].name)),
						 sum_copy(mem, profile_text(p, p->type[t].unit)) };
	sum_add_types(p, &types);
	f->type_words = sum_copy(mem, buf_text(&types));
	buf_release(&types);
	f->compared = f->types[a->sampling.named_type];
	f->period_type.name = f->period_type.unit = "";
	if (p->meta.has_period_type) {
		f->period_type.name = sum_copy(mem, profile_text(p, p->meta.period_type.name));
		f->period_type.unit = sum_copy(mem, profile_text(p, p->meta.period_type.unit));
	}
	f->period = p->meta.period;
	f->worth = a->sampling.worth > 0 ? a->sampling.worth : (double)f->period;
}

static bool sum_find_type(const struct profile *p, const struct sum_type *type, uint32_t *out)
{
	for (*out = 0; *out < p->n_types; ++*out)
		if (strcmp(profile_text(p, p->type[*out].name), type->name) == 0 &&
		    unit_is_compatible(profile_text(p, p->type[*out].unit), type->unit))
			return true;
	return false;
}

static int sum_check_types(struct sum_input *a, const struct profile *p, uint32_t *type)
{
	const struct sum_first *f = &a->sum->first;
	struct buf own = { 0 };
	uint32_t t, found;
	int rc = 0;

	if (!sum_find_type(p, &f->compared, type))
		return sum_fail(a, ERR_FORMAT, "has no sample type %.100s/%.100s; %s has %.*s", f->compared.name,
				f->compared.unit, reference_name(a), TYPES_SHOWN, f->type_words);
	for (t = 0; t < f->n_types && sum_find_type(p, &f->types[t], &found); t++)
		;
	if (t < f->n_types || p->n_types != f->n_types) {
		sum_add_types(p, &own);
		rc = sum_fail(a, ERR_FORMAT, "has the sample types %.*s; %s has %.*s", TYPES_SHOWN, buf_text(&own),
			      reference_name(a), TYPES_SHOWN, f->type_words);
		buf_release(&own);
	}
	return rc;
}

/* Check the period type. A profile without one matches any other. */
static int check_period(struct sum_input *a, const struct profile *p)
{
	const struct sum_first *f = &a->sum->first;
	const char *name = profile_text(p, p->meta.period_type.name);
	const char *unit = profile_text(p, p->meta.period_type.unit);

	if (!p->meta.has_period_type || (!*name && !*unit) || (!*f->period_type.name && !*f->period_type.unit))
		return 0;
	if (strcmp(name, f->period_type.name) == 0 && unit_is_compatible(unit, f->period_type.unit))
		return 0;
	return sum_fail(a, ERR_FORMAT, "was sampled by %.100s/%.100s; %s by %.100s/%.100s", name, unit,
			reference_name(a), f->period_type.name, f->period_type.unit);
}

/* Period of a profile in the unit of the first one; 0 if unknown. */
static int64_t sum_find_period(const struct sum_input *a, const struct profile *p)
{
	const char *first = a->sum->first.period_type.unit, *own = profile_text(p, p->meta.period_type.unit);
	int64_t period = p->meta.period;

	if (p->meta.has_period_type && unit_is_compatible(own, first) &&
	    !scale_value(period, scale_ratio(own, first), &period))
		return period > 0 ? period : 0;
	return 0;
}

/* Factor from the unit of the column to that of the first profile. */
static double sum_unit_of(const struct sum_input *a, const struct profile *p)
{
	const struct sum_first *f = &a->sum->first;
	const char *own = profile_text(p, p->meta.period_type.unit),
		   *column = profile_text(p, p->type[a->sampling.type].unit);
	double worth = a->sampling.worth > 0 ? a->sampling.worth : (double)p->meta.period;

	if (!a->sampling.by_period)
		return scale_ratio(column, f->compared.unit);
	if (a->sampling.type != a->sampling.named_type) /* time */
		return f->worth > 0 ? scale_ratio(column, f->period_type.unit) / f->worth
				    : scale_ratio(column, own) / worth;
	if (!p->meta.has_period_type || worth <= 0 || f->worth <= 0 || !unit_is_compatible(own, f->period_type.unit))
		return 1;
	return worth * scale_ratio(own, f->period_type.unit) / f->worth;
}

/*
 * Choose the type to compare. Check that the profile matches the first one, or record the first one. Fails ERR_USAGE,
 * ERR_FORMAT.
 */
static int match_first(struct sum_input *a, const struct profile *p)
{
	struct gate_sum *s = a->sum;
	struct buf *notes = s->first.is_noted ? NULL : a->notes; /* append the note once for all files */
	uint32_t type;

	if (p->n_types == 0)
		return sum_fail(a, ERR_FORMAT, "has no sample types");
	if (s->first.n_types == 0) {
		if (sampling_find(p, a->q->sample_index, &a->sampling, notes, a->err) < 0)
			return err_wrap(a->err, "%s: %s", side_word(a->side), a->source);
		record_first(a, p);
	} else {
		if (sum_check_types(a, p, &type) < 0 || check_period(a, p) < 0)
			return ERR_FORMAT;
		sampling_of_type(p, type, &a->sampling, notes);
	}
	s->first.is_noted |= a->sampling.rule == SAMPLING_WEIGHTS;
	a->unit = sum_unit_of(a, p);
	return 0;
}

/* Record the reason why the number of stacks is unknown, for the first such profile. */
static void sum_note_unknown(const struct sum_input *a)
{
	struct gate_sum *s = a->sum;
	struct buf text = { 0 };

	if (!a->sampling.unknown_reason || s->weights_unknown)
		return;
	buf_addf(&text, "the number of stacks is unknown: values of %.100s %s (%.100s); the result cannot be PASS",
		 s->first.compared.name, a->sampling.unknown_reason, a->source);
	s->weights_unknown = sum_copy(s->mem, buf_text(&text));
	buf_release(&text);
}

/* Reject profiles that are differences. */
static int check_signs(const struct sum_input *a, const struct profile *p, uint32_t type)
{
	const int64_t *v = p->value[type];

	for (uint32_t i = 0; i < p->n_rows; i++)
		if (v[i] < 0)
			return sum_fail(a, ERR_FORMAT,
					"has a negative value (%" PRId64 " %.100s in sample %" PRIu32
					"): a difference of profiles cannot be compared, pass both of them",
					v[i], profile_text(p, p->type[type].name), i + 1);
	return 0;
}

static int sum_make_view(struct sum_input *a, const struct profile *p)
{
	struct query own = *a->q;
	char number[16];
	int rc;

	if (own.mean)
		return sum_fail(a, ERR_USAGE, "cannot be compared with -mean");
	snprintf(number, sizeof(number), "%" PRIu32, a->sampling.type);
	own.sample_index = number;
	rc = view_make(p, &own.filter, a->mem, &a->view, a->notes, a->err);
	return wrap_error(a, rc);
}

static void add_variances(struct sum_input *a)
{
	const struct view *v = &a->view;
	const struct sampling *k = &a->sampling;
	const int64_t *with = k->partner == PROFILE_NONE ? NULL : v->p->value[k->partner];

	a->var = arena_own(a->mem, mem_zalloc(v->p->stacks.n, sizeof(*a->var)));
	for (uint32_t i = 0; i < v->n && !stop_step(v->stop, i); i++) {
		double var = sampling_variance(k, (double)v->val[i], with ? (double)with[i] : 0);

		a->var[v->p->stack[i]] += var;
		a->file.var += var * a->unit * a->unit;
	}
}

/* Sum up values and variances of the stacks of the view. */
static int sum_add_stacks(struct sum_input *a)
{
	const struct view *v = &a->view;
	const int64_t *stacks = a->sampling.rule == SAMPLING_STACKS ? v->p->value[a->sampling.partner] : NULL;
	int64_t total = 0;

	a->value = arena_own(a->mem, mem_zalloc(v->p->stacks.n, sizeof(*a->value)));
	stop_begin(v->stop, "summing up samples", v->n);
	for (uint32_t i = 0; i < v->n && !stop_step(v->stop, i); i++) {
		if (stacks && stacks[i] <= 0) /* skip CPU time without samples */
			continue;
		a->value[v->p->stack[i]] += v->val[i];
		total += v->val[i];
	}
	a->file.value = (double)total * a->unit;
	if (a->sampling.rule == SAMPLING_STEPS)
		a->file.var = sampling_variance(&a->sampling, (double)total, 0) * a->unit * a->unit;
	else
		add_variances(a);
	assert(!(a->file.var < 0));
	return stop_check(v->stop, a->err);
}

/* Reject a profile without samples: an empty profile does not mean a fast program. */
static int sum_check_totals(const struct sum_input *a, const struct profile *p)
{
	const struct sampling *k = &a->sampling;
	const int64_t *all = p->value[k->rule == SAMPLING_STACKS ? k->partner : k->type];
	const char *type = profile_text(p, p->type[k->named_type].name);
	uint32_t i;

	for (i = 0; i < p->n_rows && all[i] == 0; i++)
		;
	if (p->n_rows == 0)
		return sum_fail(a, ERR_FORMAT, "has no samples");
	if (i == p->n_rows)
		return sum_fail(a, ERR_FORMAT, "has no sample with a value of %.100s", type);
	if (!isfinite(a->file.value) || !isfinite(a->file.var))
		return sum_fail(a, ERR_RANGE, "has values of %.100s that are too large to compare", type);
	if (a->file.value <= 0)
		return sum_fail(a, ERR_FORMAT, "has no sample that passes the filters");
	return 0;
}

/* Add a function without samples. */
static int sum_add_function(struct sum_input *a, uint32_t func)
{
	struct gate_sum *s = a->sum;
	const char *name = match_name(s->match, func);
	bool folds = false;
	int rc = 0;

	if (s->options->fold)
		rc = regex_match(s->options->fold, name, strlen(name), &folds, a->err);
	if (rc < 0)
		return err_wrap(a->err, "--fold");
	s->func[func] = (struct gate_func){ .name = "", .file = "", .canonical = func };
	s->folds[func] = folds;
	s->new_line[func] = false;
	return 0;
}

/* Lower the start line of a function. Lines of the new side take precedence. */
static void set_start(struct gate_sum *s, enum side side, uint32_t func, int64_t start)
{
	int64_t *line = &s->func[func].line;
	bool is_new = side == SIDE_NEW;

	if (start <= 0 || (s->new_line[func] && !is_new))
		return;
	if (*line == 0 || start < *line || (is_new && !s->new_line[func]))
		*line = start;
	s->new_line[func] = is_new;
}

/* Set the start lines of the functions of the profile. */
static void set_starts(struct sum_input *a)
{
	const struct profile *p = a->view.p;

	for (uint32_t loc = 0; loc < p->n_locs; loc++) {
		uint32_t n, lines = p->loc_line[loc + 1] - p->loc_line[loc];
		const uint32_t *func = places_of(&a->places, loc, &n);

		if (lines < n) /* no lines: the place is a binary */
			continue;
		for (uint32_t i = 0; i < n; i++) /* without inlined calls the only place belongs to the last line */
			set_start(a->sum, a->side, func[i], p->func_start[p->line_func[p->loc_line[loc + 1] - n + i]]);
	}
}

/* Add the functions that are new in the match, and their lines. Fails ERR_LIMIT. */
static int sum_add_functions(struct sum_input *a)
{
	struct gate_sum *s = a->sum;
	uint32_t n = match_count(s->match);
	int rc = 0;

	s->func = mem_grow(s->func, &s->cap_funcs, n, sizeof(*s->func));
	s->folds = mem_grow(s->folds, &s->cap_folds, n, sizeof(*s->folds));
	s->new_line = mem_grow(s->new_line, &s->cap_lines, n, sizeof(*s->new_line));
	assert(s->n_funcs <= n);
	for (; rc == 0 && s->n_funcs < n; s->n_funcs++)
		rc = sum_add_function(a, (uint32_t)s->n_funcs);
	if (rc == 0)
		set_starts(a);
	return rc;
}

static int sum_match_functions(struct sum_input *a)
{
	struct gate_names names = { a->sum->options, a->side == SIDE_BASE };
	struct query q = *a->q;
	int rc;

	q.granularity = GRAIN_FUNCTIONS;
	rc = match_query(&q.filter, &q.filter, a->err);
	if (rc == 0)
		rc = places_make(a->view.p, &q.filter, a->mem, &a->places, a->err);
	if (rc < 0)
		return wrap_error(a, rc);
	match_set_names(a->sum->match, gate_names_add, &names);
	rc = match_places(a->sum->match, &a->places, a->err);
	match_set_names(a->sum->match, NULL, NULL);
	places_release(&a->places);
	if (rc == 0)
		rc = sum_add_functions(a);
	return wrap_error(a, rc);
}

/* Copy the metadata of the file. */
static void sum_describe(struct sum_input *a, const struct profile *p)
{
	const struct side_sources from = { .source = &a->source, .n = 1 };
	struct gate_file *f = &a->file;
	struct compare_side side;

	side_fill(&side, p, &from, 0, a->mem);
	f->side = a->side;
	f->source = sum_copy(a->sum->mem, a->source);
	f->seconds = p->meta.duration_ns > 0 ? (double)p->meta.duration_ns / 1e9 : 0;
	f->period = sum_find_period(a, p);
	f->time_ns = p->meta.time_ns;
	f->cpu_seconds = sampling_cpu_seconds(p);
	f->busy = weights_busy_share(p);
	f->build_id = sum_copy(a->sum->mem, side.build_id);
	f->host = sum_copy(a->sum->mem, side.host);
	f->builds.n = side.builds.n;
	f->builds.id = arena_alloc(a->sum->mem, side.builds.n, sizeof(*f->builds.id));
	for (size_t i = 0; i < side.builds.n; i++)
		f->builds.id[i] = sum_copy(a->sum->mem, side.builds.id[i]);
	f->binary = sum_copy(a->sum->mem, side.file);
}

/* Reject a file that is passed twice, even under different names: copies are not independent runs. */
static int check_copies(struct sum_input *a, const struct profile *p)
{
	const struct gate_sum *s = a->sum;

	a->file.content = p->content_hash;
	for (size_t i = 0; i < s->n_files; i++)
		if (p->content_hash && s->file[i].content == p->content_hash)
			return sum_fail(a, ERR_FORMAT, "has the same content as %.100s (%s); pass each run once",
					s->file[i].source, side_word(s->file[i].side));
	return 0;
}

static int gate_sum_add_(struct sum_input *a, const struct profile *p)
{
	struct gate_sum *s = a->sum;
	struct sum_stacks stacks = { .mem = a->mem };
	int rc = match_first(a, p);

	if (rc == 0)
		rc = check_copies(a, p);
	if (rc == 0)
		rc = check_signs(a, p, a->sampling.type);
	if (rc == 0 && a->sampling.partner != PROFILE_NONE)
		rc = check_signs(a, p, a->sampling.partner);
	if (rc == 0)
		rc = sum_make_view(a, p);
	if (rc == 0)
		rc = sum_add_stacks(a);
	if (rc == 0)
		rc = sum_check_totals(a, p);
	if (rc == 0)
		rc = sum_match_functions(a);
	if (rc == 0)
		rc = sum_walk(a, &stacks.of);
	if (rc == 0 && a->file.n_parts == 0)
		rc = sum_fail(a, ERR_FORMAT, "has no sample with a stack");
	if (rc < 0)
		return rc;
	assert(a->file.n_parts <= s->n_funcs && a->file.value > 0);
	sum_describe(a, p);
	s->is_time |= a->sampling.is_time;
	sum_note_unknown(a);
	s->file = mem_grow(s->file, &s->cap_files, s->n_files + 1, sizeof(*s->file));
	s->stacks = mem_grow(s->stacks, &s->cap_stacks, s->n_files + 1, sizeof(*s->stacks));
	s->stacks[s->n_files] = stacks;
	s->file[s->n_files++] = a->file;
	if (a->sampling.error > s->error)
		s->error = a->sampling.error;
	return 0;
}

int gate_sum_add(struct gate_sum *s, enum side side, const struct profile *p, const char *source, const struct query *q,
		 struct buf *notes, struct err *err)
{
	struct sum_input a = {
		.sum = s, .side = side, .source = source, .q = q, .notes = notes, .err = err, .mem = arena_new()
	};
	int rc;

	assert(side < N_SIDES && source);
	rc = gate_sum_add_(&a, p);
	if (rc < 0)
		arena_free(a.mem);
	return rc;
}

static void add_totals(struct gate_sum *s, struct gate_sums *all)
{
	for (size_t i = 0; i < s->n_files; i++) {
		all->total[s->file[i].side] += s->file[i].value;
		all->var[s->file[i].side] += s->file[i].var;
	}
}

/* List the stacks of all files, base first. */
static void list_stacks(struct gate_sum *s, struct gate_sums *all)
{
	struct gate_stacks *out = arena_alloc(s->mem, s->n_files + 1, sizeof(*out));

	for (int side = 0; side < N_SIDES; side++)
		for (size_t i = 0; i < s->n_files; i++)
			if ((int)s->file[i].side == side)
				out[all->n_stacks++] = s->stacks[i].of;
	all->stacks = out;
}

const struct gate_sums *gate_sum_finish(struct gate_sum *s)
{
	struct gate_sums *all = &s->all;
	const struct sum_first *f = &s->first;

	*all = (struct gate_sums){ .options = s->options,
				   .error = s->error,
				   .is_time = s->is_time,
				   .weights_unknown = s->weights_unknown,
				   .type = f->compared.name,
				   .unit = f->compared.unit,
				   .period_unit = f->period_type.unit,
				   .n_files = (uint32_t)s->n_files,
				   .file = s->file,
				   .n_funcs = (uint32_t)s->n_funcs,
				   .func = s->func,
				   .folds = s->folds,
				   .mem = s->mem };
	if (f->n_types == 0)
		all->type = all->unit = all->period_unit = "";
	for (uint32_t i = 0; i < s->n_funcs; i++) {
		s->func[i].name = match_name(s->match, i);
		s->func[i].file = match_file(s->match, i);
	}
	add_totals(s, all);
	list_stacks(s, all);
	return all;
}

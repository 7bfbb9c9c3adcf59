/*
 * flame.c - the flame report
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "report/flame.h"

#include "base/mem.h"
#include "base/num.h"
#include "base/path.h"
#include "base/regex.h"
#include "base/utf8.h"
#include "engine/boxes.h"
#include "engine/match.h"
#include "engine/places.h"
#include "engine/query.h"
#include "profile/normalize.h"
#include "profile/scale.h"
#include "report/head.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Side of the engine for each side of the flame graph. */
struct namer {
	const struct view *v;
	const struct query *q;
	const struct places *pl;
	struct arena *mem;
	struct buf text;           /* scratch buffer */
	const char **clean;        /* [strings] shortened file names; NULL until used */
	const char **module;       /* [maps] shortened names of binaries */
	uint32_t *number;          /* [places] frame + 1 */
	struct flame_frame *frame; /* [n] */
	str_id *file;              /* [n] file whose lines are counted; 0 for none yet */
	uint32_t n;
};

/* Copy a string as a C string, with NULs escaped and its length limited. */
static const char *make_safe(const char *text, size_t n, size_t max, struct arena *mem)
{
	struct buf brief = { 0 }, safe = { 0 };

	utf8_add_short(&brief, text, n, max);
	if (brief.len && memchr(brief.data, 0, brief.len))
		utf8_add_safe(&safe, brief.data, brief.len);
	else
		buf_add(&safe, brief.data, brief.len);
	text = arena_strndup(mem, buf_text(&safe), safe.len);
	buf_release(&brief);
	buf_release(&safe);
	return text;
}

static const char *clean_file(struct namer *x, str_id file)
{
	if (!x->clean[file]) {
		x->text.len = 0;
		path_add_clean(&x->text, places_source(x->v->p, file, &x->q->filter));
		x->clean[file] = make_safe(buf_text(&x->text), x->text.len, FLAME_PATH_MAX, x->mem);
	}
	return x->clean[file];
}

static const char *module_of(struct namer *x, uint32_t map)
{
	const struct profile *p = x->v->p;
	str_id file = p->map[map].file;

	if (!x->module[map])
		x->module[map] = make_safe(profile_text(p, file), strtab_len(p->str, file), FLAME_PATH_MAX, x->mem);
	return x->module[map];
}

/* Add a line to the frame of a place. Lines of a function with the same name in another file are ignored. */
static void report_flame_add_line(struct namer *x, uint32_t place, uint32_t line)
{
	uint32_t frame = x->number[place] - 1;
	const struct profile *p = x->v->p;
	struct flame_frame *f = &x->frame[frame];
	str_id file = p->func_file[p->line_func[line]];
	int64_t no = p->line_no[line];

	if (x->file[frame] == 0 && file) {
		x->file[frame] = file;
		f->line_lo = f->line_hi = 0;
		if (!*f->file)
			f->file = clean_file(x, file);
	}
	if (no <= 0 || (file != x->file[frame] && !x->pl->place[place].file))
		return;
	f->line_lo = f->line_lo && f->line_lo < no ? f->line_lo : no;
	f->line_hi = f->line_hi > no ? f->line_hi : no;
}

/* Add binary, file and lines of a location to its frames. */
static void report_flame_add_location(struct namer *x, uint32_t loc)
{
	const struct profile *p = x->v->p;
	uint32_t n, end = p->loc_line[loc + 1], first = p->loc_line[loc];
	const uint32_t *place = places_of(x->pl, loc, &n);

	for (uint32_t i = 0; i < n; i++) {
		uint32_t number = x->number[place[i]];

		if (!number || x->frame[number - 1].is_label)
			continue;
		if (!*x->frame[number - 1].module && p->loc_map[loc] != PROFILE_NONE)
			x->frame[number - 1].module = module_of(x, p->loc_map[loc]);
		if (first < end)
			report_flame_add_line(x, place[i], end - n + i);
	}
}

static const char *label_name(struct namer *x, uint32_t func)
{
	const struct profile *p = x->v->p;
	str_id key = p->func_file[func], value = p->func_name[func];

	x->text.len = 0;
	utf8_add_short(&x->text, profile_text(p, key), strtab_len(p->str, key), FLAME_NAME_MAX / 2);
	buf_addz(&x->text, ": ");
	if (value)
		buf_add(&x->text, profile_text(p, value), strtab_len(p->str, value));
	else
		buf_addz(&x->text, "(none)");
	return make_safe(x->text.data, x->text.len, FLAME_NAME_MAX, x->mem);
}

static const char *place_name(struct namer *x, uint32_t place)
{
	x->text.len = 0;
	places_add_name(x->pl, place, &x->text);
	return make_safe(buf_text(&x->text), x->text.len, FLAME_NAME_MAX, x->mem);
}

/* The name that filter expressions are matched against. */
static const char *report_flame_function_of(struct namer *x, uint32_t place, const char *whole)
{
	const struct place *k = &x->pl->place[place];
	const struct place_detail *d = places_detail(x->pl, place);
	const char *name = profile_text(x->v->p, k->name);
	size_t n = strtab_len(x->v->p->str, k->name);

	if (d->label || (!k->name && !k->file) || n > FLAME_NAME_MAX)
		return "";
	if (!k->name || (!d->addr && !d->line && !k->file))
		return whole;
	if (x->pl->name) { /* of a comparison */
		size_t start = match_name_start(name, n);

		n = match_name_len(name, n, places_file(x->pl, place)) - start;
		name += start;
	}
	return make_safe(name, n, FLAME_NAME_MAX, x->mem);
}

static uint32_t frame_of(struct namer *x, uint32_t place)
{
	struct flame_frame *f = &x->frame[x->n];
	const char *file;
	uint32_t label;

	if (place == BOXES_NONE)
		return FLAME_NONE;
	if (x->number[place])
		return x->number[place] - 1;
	*f = (struct flame_frame){ .file = "", .module = "" };
	label = places_detail(x->pl, place)->label;
	f->is_label = label != 0;
	f->name = label ? label_name(x, label - 1) : place_name(x, place);
	f->function = report_flame_function_of(x, place, f->name);
	file = places_file(x->pl, place); /* copied, since the places own the name and are freed */
	if (!label && *file)
		f->file = make_safe(file, strlen(file), FLAME_PATH_MAX, x->mem);
	x->number[place] = ++x->n;
	return x->n - 1;
}

static bool has_sum(const struct graph_sides *sums, uint32_t place)
{
	for (int side = 0; side < N_SIDES; side++)
		if (sums->cum[side][place])
			return true;
	return false;
}

/* Fill in flat and cum of frames, over all stacks. wants_functions: append the functions that have no box. */
static void report_flame_add_sums(struct namer *x, bool wants_functions, struct flame *out)
{
	struct graph_sides sums;

	assert(!x->v->mean);
	graph_make_sides(x->v, x->pl, x->mem, &sums);
	for (uint32_t place = 0; wants_functions && place < x->pl->n; place++)
		if (has_sum(&sums, place))
			frame_of(x, place);
	for (int i = out->has_base ? SIDE_BASE : SIDE_NEW; i < N_SIDES; i++) {
		int64_t *flat = arena_alloc(x->mem, x->n, sizeof(*flat)),
			*cum = arena_alloc(x->mem, x->n, sizeof(*cum));

		for (uint32_t place = 0; place < x->pl->n; place++) {
			if (!x->number[place])
				continue;
			flat[x->number[place] - 1] = sums.flat[i][place];
			cum[x->number[place] - 1] = sums.cum[i][place];
		}
		out->flat[i] = flat;
		out->cum[i] = cum;
	}
}

/* The place of each frame. */
static const uint32_t *places_of_frames(const struct namer *x)
{
	uint32_t *place = arena_alloc(x->mem, x->n, sizeof(*place));

	for (uint32_t i = 0; i < x->pl->n; i++)
		if (x->number[i])
			place[x->number[i] - 1] = i;
	return place;
}

static void name_boxes(const struct view *v, const struct query *q, const struct places *pl, const struct boxes *b,
		       const struct flame_options *options, struct arena *mem, struct flame *out)
{
	struct namer x = { .v = v, .q = q, .pl = pl, .mem = mem };
	uint32_t *frame = arena_alloc(mem, b->n, sizeof(*frame)), limit = pl->n + 1;

	if (!options->wants_functions && b->n < limit)
		limit = b->n;
	x.clean = mem_zalloc(strtab_count(v->p->str), sizeof(*x.clean));
	x.module = mem_zalloc(v->p->n_maps, sizeof(*x.module));
	x.number = mem_zalloc(pl->n, sizeof(*x.number));
	x.frame = arena_alloc(mem, limit, sizeof(*x.frame));
	x.file = mem_zalloc(limit, sizeof(*x.file));
	for (uint32_t i = 0; i < b->n; i++)
		frame[i] = frame_of(&x, b->place[i]);
	if (options->wants_sums && (b->n_cut || options->n_path) && !b->n_shrunk)
		report_flame_add_sums(&x, options->wants_functions && !options->n_path, out);
	for (uint32_t loc = 0; loc < v->p->n_locs; loc++)
		report_flame_add_location(&x, loc);
	assert(x.n <= limit);
	out->frame = frame;
	out->frames = x.frame;
	out->frame_place = places_of_frames(&x);
	out->n_frames = x.n;
	buf_release(&x.text);
	free(x.clean);
	free(x.module);
	free(x.number);
	free(x.file);
}

/* Does an expression match a function as the picture shows it? */
static int match_place(struct namer *x, const struct flame_match *m, struct regex *re, uint32_t place, bool *out,
		       struct err *err)
{
	uint32_t label = places_detail(x->pl, place)->label;
	const char *name = label ? label_name(x, label - 1) : place_name(x, place), *file = places_file(x->pl, place);
	const char *function = m->omits_files ? report_flame_function_of(x, place, name) : "";
	struct buf safe = { 0 };
	int rc;

	name = *function ? function : name;
	utf8_add_safe(&safe, name, strlen(name));
	rc = regex_match(re, buf_text(&safe), safe.len, out, err);
	if (rc == 0 && !*out && m->with_files && !label)
		rc = regex_match(re, file, strlen(file), out, err);
	buf_release(&safe);
	return rc;
}

/* Find the places that match: [places]. mem owns the result. */
static int match_places_of(const struct view *v, const struct query *q, const struct places *pl,
			   const struct flame_match *m, struct arena *mem, bool **out, struct err *err)
{
	struct namer x = { .v = v, .q = q, .pl = pl, .mem = arena_new() };
	bool *match = arena_zalloc(mem, pl->n, sizeof(*match));
	struct regex *re = NULL;
	int rc = regex_new(m->pattern, &re, err);

	if (rc < 0)
		rc = err_wrap(err, "search for %.200s", m->pattern);
	for (uint32_t i = 0; rc == 0 && i < pl->n; i++)
		rc = stop_step(v->stop, i) ? stop_check(v->stop, err) : match_place(&x, m, re, i, &match[i], err);
	if (re)
		regex_free(re);
	buf_release(&x.text);
	arena_free(x.mem);
	*out = match;
	return rc;
}

/* Find the stacks with a place that matches: [stacks], freed by the caller. */
static bool *report_flame_match_stacks(const struct view *v, const struct places *pl, const bool *match)
{
	const struct stack_lists *stacks = &v->p->stacks;
	bool *found = mem_zalloc(stacks->n, sizeof(*found)), *has = mem_zalloc(v->p->n_locs, sizeof(*has));
	uint32_t n;

	for (uint32_t loc = 0; loc < v->p->n_locs; loc++) {
		const uint32_t *place = places_of(pl, loc, &n);

		for (uint32_t k = 0; k < n; k++)
			has[loc] |= match[place[k]];
	}
	for (uint32_t s = 0; s < stacks->n; s++)
		for (uint32_t i = stacks->off[s]; i < stacks->off[s + 1]; i++)
			found[s] |= has[stack_id_at(stacks, i)];
	free(has);
	return found;
}

/* Set the values of stacks without a match to 0, unless no stack has one. */
static int keep_only(struct view *v, const struct query *q, const struct places *pl, const struct flame_match *only,
		     struct arena *mem, struct err *err)
{
	const int64_t *from = v->val;
	int64_t *to = arena_zalloc(mem, v->n, sizeof(*to));
	bool *match, *found, is_any = false;

	if (!only)
		return 0;
	if (match_places_of(v, q, pl, only, mem, &match, err) < 0)
		return err->code;
	found = report_flame_match_stacks(v, pl, match);
	for (uint32_t row = 0; row < v->n; row++) {
		to[row] = found[v->p->stack[row]] ? from[row] : 0;
		is_any |= to[row] != 0;
	}
	free(found);
	if (is_any)
		v->val = to;
	return 0;
}

static uint32_t count_values(const struct view *v, const struct places *pl, const bool *match, struct arena *mem)
{
	struct graph_sides sums;
	uint32_t n = 0;

	graph_make_sides(v, pl, mem, &sums);
	for (uint32_t i = 0; i < pl->n; i++)
		n += match[i] && has_sum(&sums, i);
	return n;
}

static void report_flame_fill(const struct view *v, const struct boxes *b, const struct flame_options *options,
			      struct flame *out)
{
	assert(b->n > 0 && b->min > 0);
	out->n = b->n;
	out->parent = b->parent;
	out->place = b->place;
	out->n_rest = b->n_rest;
	out->inlined = b->inlined;
	out->width = b->width;
	out->has_base = b->has_base;
	out->min = b->min;
	out->n_cut = b->n_cut;
	out->n_deep = b->n_deep;
	out->cut_width = b->cut_width;
	out->n_shrunk = b->n_shrunk;
	for (int i = 0; i < N_SIDES; i++) {
		out->self[i] = b->self[i];
		out->total[i] = b->total[i];
		if (options->from)
			out->from[i] = options->from[i];
		out->side_total[i] = v->side_total[i];
	}
}

/* Mean CPU time of a sample, but at least the period; the period if there is no sample type samples/count. */
static int64_t mean_cpu_time(const struct profile *p, uint32_t cpu)
{
	double mean = 0;

	for (uint32_t t = 0; t < p->n_types; t++)
		if (strcmp(profile_text(p, p->type[t].name), "samples") == 0 &&
		    strcmp(profile_text(p, p->type[t].unit), "count") == 0) {
			mean = mean_of_samples(p, t, cpu);
			break;
		}
	return mean > (double)p->meta.period ? num_trunc(mean) : p->meta.period;
}

/*
 * Value of one sample; 0 if unknown. A sample of CPU time counts for one period, or for several if cpa recorded it.
 * Values of heap profiles and of normalized sides are scaled, so their samples have no fixed value.
 */
static int64_t sample_value(const struct view *v, const struct query *q)
{
	const struct profile *p = v->p;
	const struct value_type *type = &p->type[v->type], *period = &p->meta.period_type;
	const char *name = profile_text(p, type->name), *unit = profile_text(p, type->unit);
	struct normalize_options normalize;

	if (normalize_parse(q->normalize, &normalize, NULL) < 0 || normalize.by != NORMALIZE_NONE)
		return 0;
	if (strcmp(name, "samples") == 0 && strcmp(unit, "count") == 0)
		return 1;
	if (strcmp(name, "cpu") == 0 && p->meta.has_period_type && period->name == type->name &&
	    period->unit == type->unit && p->meta.period > 0)
		return mean_cpu_time(p, v->type);
	return 0;
}

static struct boxes_options boxes_for(const struct query *q, const struct flame_options *options)
{
	static const enum parts_of part[] = {
		[FLAME_WHOLE] = PARTS_OF_STACK, [FLAME_CALLEES] = PARTS_OF_CALLEES, [FLAME_CALLERS] = PARTS_OF_CALLERS
	};
	int64_t limit = q->nodecount < 0 ? FLAME_BOXES_DEFAULT : q->nodecount;
	double min_width = options->n_path ? 0 : options->min_share;

	return (struct boxes_options){ .wants_base = q->base.n || q->diff_base.n,
				       .parts = { .inverted =
							  options->part ? options->part == FLAME_CALLERS : q->inverted,
						  .of = part[options->part] },
				       .drop_negative = q->drop_negative,
				       .min_share = q->trim ? fmax(min_width, q->nodefraction) : 0,
				       .path = options->path,
				       .n_path = options->n_path,
				       .path_share = q->trim ? options->min_share : 0,
				       .max_levels = options->max_levels,
				       .max_boxes = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX };
}

/* Fold the stacks of the view, and name the boxes. */
static int make_boxes(const struct view *v, const struct query *q, const struct flame_options *options,
		      const struct places *pl, struct report *r, struct err *err)
{
	struct boxes_options box_options = boxes_for(q, options);
	struct flame *f = arena_zalloc(r->mem, 1, sizeof(*f));
	bool *pivot = NULL, *keep = NULL;
	struct boxes b;
	int rc = options->part ? match_places_of(v, q, pl, options->pivot, r->mem, &pivot, err) : 0;

	if (rc == 0 && options->keep)
		rc = match_places_of(v, q, pl, options->keep, r->mem, &keep, err);
	box_options.parts.pivot = pivot;
	box_options.parts.keep = keep;
	if (rc == 0)
		rc = boxes_make(v, pl, &box_options, r->mem, &b, err);
	if (rc < 0)
		return rc;
	report_head_fill(&r->head, v, q, r->mem);
	r->head.out_unit = strcmp(q->unit, "minimum") == 0 ? "auto" : q->unit;
	report_flame_fill(v, &b, options, f);
	f->inverted = box_options.parts.inverted;
	f->sample = sample_value(v, q);
	f->is_picked = b.is_full || box_options.min_share > options->min_share;
	name_boxes(v, q, pl, &b, options, r->mem, f);
	if (pivot)
		f->n_pivot = count_values(v, pl, pivot, r->mem);
	r->flame = f;
	return stop_check(q->stop, err);
}

int report_flame_make(const struct view *v, const struct query *q, const struct flame_options *options,
		      struct report *out, struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "flame" } };
	struct view view = *v;
	struct places pl;
	int rc = places_join(v, &q->filter, r.mem, &pl, err);

	assert(!options->part || options->pivot);
	if (rc == 0) {
		rc = keep_only(&view, q, &pl, options->only, r.mem, err);
		if (rc == 0)
			rc = make_boxes(&view, q, options, &pl, &r, err);
		places_release(&pl);
	}
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}

/* Add up the values of the stacks with a match, and of those that end in one. */
static void sum_matches(const struct view *v, const struct places *pl, const bool *match, struct flame_sums *out)
{
	const struct stack_lists *stacks = &v->p->stacks;
	bool *found = report_flame_match_stacks(v, pl, match);
	uint32_t n;

	for (uint32_t row = 0; row < v->n; row++) {
		int64_t value = v->val[row];
		enum side side = value < 0 ? SIDE_BASE : SIDE_NEW;
		uint32_t s = v->p->stack[row], leaf = stacks->off[s];

		value = value < 0 ? -value : value;
		if (found[s])
			out->cum[side] += value;
		if (leaf < stacks->off[s + 1] && match[places_of(pl, stack_id_at(stacks, leaf), &n)[0]])
			out->flat[side] += value;
	}
	free(found);
}

int report_flame_search(const struct view *v, const struct query *q, const struct flame_match *match, struct arena *mem,
			struct flame_sums *out, struct err *err)
{
	struct flame_sums sums = { 0 };
	struct graph_sides all;
	struct places pl;
	bool *found;
	uint32_t *place;
	int rc = places_join(v, &q->filter, mem, &pl, err);

	if (rc < 0)
		return rc;
	rc = match_places_of(v, q, &pl, match, mem, &found, err);
	if (rc == 0) {
		sum_matches(v, &pl, found, &sums);
		graph_make_sides(v, &pl, mem, &all);
		sums.place = place = arena_alloc(mem, pl.n, sizeof(*place));
		for (uint32_t i = 0; i < pl.n; i++)
			if (found[i] && has_sum(&all, i))
				place[sums.n++] = i;
		rc = stop_check(v->stop, err);
		*out = sums;
	}
	places_release(&pl);
	return rc;
}

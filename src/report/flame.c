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
#include "base/utf8.h"
#include "engine/boxes.h"
#include "profile/normalize.h"
#include "report/head.h"
#include "report/mean.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Side of the engine for each side of the flame graph. */
static const enum side side_of[FLAME_SIDES] = { [FLAME_AFTER] = SIDE_TARGET, [FLAME_BEFORE] = SIDE_BASE };

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
		path_add_clean(&x->text, places_source(x->v->p, file, x->q));
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
static void add_line(struct namer *x, uint32_t place, uint32_t line)
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
static void add_location(struct namer *x, uint32_t loc)
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
			add_line(x, place[i], end - n + i);
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
static const char *function_of(struct namer *x, uint32_t place, const char *whole)
{
	const struct place *k = &x->pl->place[place];
	const char *name = profile_text(x->v->p, k->name);
	size_t n = strtab_len(x->v->p->str, k->name);

	if (k->label || (!k->name && !k->file) || n > FLAME_NAME_MAX)
		return "";
	if (!k->name || (!k->addr && !k->line && !k->file))
		return whole;
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
	label = x->pl->place[place].label;
	f->is_label = label != 0;
	f->name = label ? label_name(x, label - 1) : place_name(x, place);
	f->function = function_of(x, place, f->name);
	file = places_file(x->pl, place); /* copied, since the places own the name and are freed */
	if (!label && *file)
		f->file = make_safe(file, strlen(file), FLAME_PATH_MAX, x->mem);
	x->number[place] = ++x->n;
	return x->n - 1;
}

/* Fill in flat and cum of frames, over all stacks. */
static void add_sums(const struct namer *x, struct flame *out)
{
	struct boxes_sums sums;

	assert(!x->v->mean);
	boxes_sum(x->v, x->pl, x->mem, &sums);
	for (int i = 0; i < FLAME_SIDES && (i == FLAME_AFTER || out->has_base); i++) {
		int64_t *flat = arena_alloc(x->mem, x->n, sizeof(*flat)),
			*cum = arena_alloc(x->mem, x->n, sizeof(*cum));

		for (uint32_t place = 0; place < x->pl->n; place++) {
			if (!x->number[place])
				continue;
			flat[x->number[place] - 1] = sums.self[side_of[i]][place];
			cum[x->number[place] - 1] = sums.total[side_of[i]][place];
		}
		out->flat[i] = flat;
		out->cum[i] = cum;
	}
}

static void name_boxes(const struct view *v, const struct query *q, const struct places *pl, const struct boxes *b,
		       bool sums, struct arena *mem, struct flame *out)
{
	struct namer x = { .v = v, .q = q, .pl = pl, .mem = mem };
	uint32_t *frame = arena_alloc(mem, b->n, sizeof(*frame)), limit = pl->n < b->n ? pl->n + 1 : b->n;

	x.clean = mem_zalloc(strtab_count(v->p->str), sizeof(*x.clean));
	x.module = mem_zalloc(v->p->n_maps, sizeof(*x.module));
	x.number = mem_zalloc(pl->n, sizeof(*x.number));
	x.frame = arena_alloc(mem, limit, sizeof(*x.frame));
	x.file = mem_zalloc(limit, sizeof(*x.file));
	for (uint32_t i = 0; i < b->n; i++)
		frame[i] = frame_of(&x, b->place[i]);
	for (uint32_t loc = 0; loc < v->p->n_locs; loc++)
		add_location(&x, loc);
	assert(x.n <= limit);
	out->frame = frame;
	out->frames = x.frame;
	out->n_frames = x.n;
	if (sums && !b->n_shrunk)
		add_sums(&x, out);
	buf_release(&x.text);
	free(x.clean);
	free(x.module);
	free(x.number);
	free(x.file);
}

static void fill(const struct view *v, const struct boxes *b, const struct flame_options *options, struct flame *out)
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
	for (int i = 0; i < FLAME_SIDES; i++) {
		out->self[i] = b->self[side_of[i]];
		out->total[i] = b->total[side_of[i]];
		out->side[i] = options->side[i];
		out->side[i].total = v->side_total[side_of[i]];
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
	int64_t limit = q->nodecount < 0 ? FLAME_BOXES_DEFAULT : q->nodecount;
	double min_width = options->n_path ? 0 : options->min_share;

	return (struct boxes_options){ .wants_base = q->base.n || q->diff_base.n,
				       .inverted = q->inverted,
				       .drop_negative = q->drop_negative,
				       .min_share = q->trim ? fmax(min_width, q->nodefraction) : 0,
				       .path = options->path,
				       .n_path = options->n_path,
				       .path_share = q->trim ? options->min_share : 0,
				       .max_levels = options->max_levels,
				       .max_boxes = limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX };
}

int report_flame_make(const struct view *v, const struct query *q, const struct flame_options *options,
		      struct report *out, struct err *err)
{
	struct report r = { .mem = arena_new(), .head = { .command = "flame" } };
	const struct boxes_options box_options = boxes_for(q, options);
	struct flame *f = arena_zalloc(r.mem, 1, sizeof(*f));
	struct places pl;
	struct boxes b;
	int rc = places_make(v->p, q, r.mem, &pl, err);

	if (rc == 0) {
		rc = boxes_make(v, &pl, &box_options, r.mem, &b, err);
		if (rc == 0) {
			report_head_fill(&r.head, v, q, r.mem);
			r.head.out_unit = strcmp(q->unit, "minimum") == 0 ? "auto" : q->unit;
			fill(v, &b, options, f);
			f->inverted = q->inverted;
			f->sample = sample_value(v, q);
			f->is_picked = b.is_full || box_options.min_share > options->min_share;
			name_boxes(v, q, &pl, &b, options->wants_sums && (b.n_cut || options->n_path), r.mem, f);
			rc = stop_check(q->stop, err);
			r.flame = f;
		}
		places_release(&pl);
	}
	if (rc < 0)
		report_release(&r);
	else
		*out = r;
	return rc;
}

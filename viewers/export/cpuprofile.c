/*
 * cpuprofile.c - a profile as a .cpuprofile of V8
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Node 1 is (root), and node i of the tree of prefixes is i + 2. Samples have no order in a profile; here each follows the
 * one before when that ends. The last one is written twice, because speedscope gives no time to the last sample of a file.
 * Values that are no whole microseconds are fractions, so nothing is rounded.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/jsonw.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/unit.h"
#include "base/url_escape.h"
#include "engine/places.h"
#include "engine/query.h"

#include <inttypes.h>
#include <stdlib.h>

enum { CPUPROFILE_ROOT = 1, CPUPROFILE_FIRST = 2, CPUPROFILE_NS_DIGITS = 3, CPUPROFILE_NS_PER_US = 1000 };

struct cpuprofile_writer {
	const struct view *v;
	const struct query *q;
	struct places pl;
	struct stack_prefixes tree;
	int64_t *time;     /* [stacks] ns */
	uint32_t *child;   /* [tree.n + 1] first child + 1 of (root), then of each node; 0: none */
	uint32_t *sibling; /* [tree.n] next child + 1 of the same parent */
	struct json j;
};

static bool cpuprofile_is_time(const char *unit, double *factor)
{
	const struct unit_family *family = unit_find(unit, factor);

	return family && family == unit_find("ns", NULL);
}

/* Refuse a type that is not of time. */
static int cpuprofile_check_type(const struct profile *p, const struct value_type *t, double *factor, struct err *err)
{
	double other;

	if (cpuprofile_is_time(profile_text(p, t->unit), factor))
		return 0;
	for (uint32_t i = 0; i < p->n_types; i++)
		if (cpuprofile_is_time(profile_text(p, p->type[i].unit), &other))
			return err_set(err, ERR_USAGE,
				       "a .cpuprofile has times, and %s has none; select another type with "
				       "-sample_index=%s",
				       profile_text(p, t->name), profile_text(p, p->type[i].name));
	return err_set(err, ERR_USAGE, "a .cpuprofile has times, and the profile has no sample type of time");
}

/* Sum the times of stacks in ns. */
static int cpuprofile_sum(struct cpuprofile_writer *w, struct err *err)
{
	const struct profile *p = w->v->p;
	const struct value_type *t = &p->type[w->v->type];
	int64_t total = 0;
	double factor = 1;
	int rc = cpuprofile_check_type(p, t, &factor, err);

	rc = rc < 0 ? rc : export_stacks_sum(w->v, w->q, w->v->type, "V8", w->time, &total, err);
	total = 0;
	for (uint32_t i = 0; rc == 0 && i < p->stacks.n; i++) {
		if (factor != 1 && __builtin_mul_overflow(w->time[i], (int64_t)factor, &w->time[i]))
			total = INT64_MAX;
		if (num_add(&total, w->time[i]))
			rc = err_set(err, ERR_RANGE, "the sum of %s in ns overflows 64 bits", profile_text(p, t->name));
	}
	return rc;
}

static void cpuprofile_find_children(struct cpuprofile_writer *w)
{
	const struct stack_prefixes *t = &w->tree;

	w->child = mem_zalloc((size_t)t->n + 1, sizeof(*w->child));
	w->sibling = mem_zalloc((size_t)t->n + 1, sizeof(*w->sibling));
	for (uint32_t i = t->n; i-- > 0;) {
		uint32_t *first = &w->child[t->parent[i] == UINT32_MAX ? 0 : t->parent[i] + 1];

		w->sibling[i] = *first;
		*first = i + 1;
	}
}

/* A path becomes a URL; a name that is none is kept. */
static void cpuprofile_add_url(struct json *j, const struct buf *file)
{
	struct buf url = { 0 };

	if (file->len && *file->data == '/') {
		buf_addz(&url, "file://");
		url_escape(file->data, file->len, URL_PATH, &url);
	} else {
		buf_add(&url, buf_text(file), file->len);
	}
	jsonw_key(j, "url");
	jsonw_text(j, buf_text(&url), url.len);
	buf_release(&url);
}

/* Append a node. own: 0 for (root), else its number in the tree + 1. f: NULL for (root). */
static void cpuprofile_add_node(struct cpuprofile_writer *w, uint32_t own, const struct export_frame *f, bool has_hit)
{
	static const struct export_frame root;
	struct json *j = &w->j;

	jsonw_open(j, '{');
	j->is_one_line = true;
	jsonw_add_int(j, "id", own + CPUPROFILE_ROOT);
	jsonw_open_key(j, "callFrame", '{');
	jsonw_key(j, "functionName");
	if (f)
		jsonw_text(j, buf_text(&f->name), f->name.len);
	else
		jsonw_textz(j, "(root)");
	f = f ? f : &root;
	jsonw_add_text(j, "scriptId", "0");
	cpuprofile_add_url(j, &f->file);
	jsonw_add_int(j, "lineNumber", f->line > 0 ? f->line - 1 : -1);
	jsonw_add_int(j, "columnNumber", f->col > 0 ? f->col - 1 : -1);
	jsonw_close(j, '}');
	jsonw_add_int(j, "hitCount", has_hit);
	jsonw_open_key(j, "children", '[');
	for (uint32_t child = w->child[own]; child; child = w->sibling[child - 1])
		jsonw_int(j, (int64_t)child - 1 + CPUPROFILE_FIRST);
	jsonw_close(j, ']');
	jsonw_close(j, '}');
	j->is_one_line = false;
}

static void cpuprofile_add_nodes(struct cpuprofile_writer *w)
{
	const struct profile *p = w->v->p;
	uint32_t *func = export_function_files(p);
	bool *has_hit = mem_zalloc((size_t)w->tree.n + 1, sizeof(*has_hit));
	struct export_frame frame = { .line = 0 };

	for (uint32_t i = 0; i < p->stacks.n; i++)
		if (w->time[i])
			has_hit[w->tree.of_stack[i] == UINT32_MAX ? 0 : w->tree.of_stack[i] + 1] = true;
	jsonw_open_key(&w->j, "nodes", '[');
	cpuprofile_add_node(w, 0, NULL, has_hit[0]);
	for (uint32_t i = 0; i < w->tree.n && !stop_step(w->v->stop, i); i++) {
		export_frame_set(&frame, &w->pl, w->tree.place[i], func, w->q);
		cpuprofile_add_node(w, i + 1, &frame, has_hit[i + 1]);
	}
	jsonw_close(&w->j, ']');
	export_frame_release(&frame);
	free(has_hit);
	free(func);
}

static void cpuprofile_add_us(struct json *j, int64_t ns)
{
	struct buf text = { 0 };

	export_add_decimal(&text, ns, CPUPROFILE_NS_DIGITS);
	jsonw_raw(j, buf_text(&text), text.len);
	buf_release(&text);
}

/* The id of the node of a stack. */
static int64_t cpuprofile_node(const struct cpuprofile_writer *w, uint32_t stack)
{
	uint32_t node = w->tree.of_stack[stack];

	return node == UINT32_MAX ? CPUPROFILE_ROOT : (int64_t)node + CPUPROFILE_FIRST;
}

static void cpuprofile_add_samples(struct cpuprofile_writer *w)
{
	int64_t last = 0;

	jsonw_open_key(&w->j, "samples", '[');
	w->j.is_one_line = true;
	for (uint32_t i = 0; i < w->v->p->stacks.n && !stop_step(w->v->stop, i); i++) {
		if (!w->time[i])
			continue;
		last = cpuprofile_node(w, i);
		jsonw_int(&w->j, last);
	}
	if (last)
		jsonw_int(&w->j, last);
	jsonw_close(&w->j, ']');
	w->j.is_one_line = false;
}

static void cpuprofile_add_times(struct cpuprofile_writer *w)
{
	const struct profile *p = w->v->p;
	int64_t start = p->meta.time_ns > 0 ? p->meta.time_ns / CPUPROFILE_NS_PER_US * CPUPROFILE_NS_PER_US : 0;
	int64_t end = start, before = 0;

	jsonw_key(&w->j, "startTime");
	cpuprofile_add_us(&w->j, start);
	jsonw_open_key(&w->j, "timeDeltas", '[');
	w->j.is_one_line = true;
	for (uint32_t i = 0; i < p->stacks.n && !stop_step(w->v->stop, i); i++) {
		if (!w->time[i])
			continue;
		cpuprofile_add_us(&w->j, before);
		before = w->time[i];
		end = num_add_capped(end, before);
	}
	if (before)
		cpuprofile_add_us(&w->j, before);
	jsonw_close(&w->j, ']');
	w->j.is_one_line = false;
	jsonw_key(&w->j, "endTime");
	cpuprofile_add_us(&w->j, end);
}

static void cpuprofile_add_all(struct cpuprofile_writer *w)
{
	cpuprofile_find_children(w);
	jsonw_open(&w->j, '{');
	cpuprofile_add_nodes(w);
	cpuprofile_add_samples(w);
	cpuprofile_add_times(w);
	jsonw_close(&w->j, '}');
	buf_addz(w->j.out, "\n");
}

int export_cpuprofile(const struct view *v, const struct query *q, struct buf *out, struct err *err)
{
	struct cpuprofile_writer w = { .v = v, .q = q, .j = { .out = out } };
	struct arena *mem = arena_new();
	int rc = places_make(v->p, &q->filter, mem, &w.pl, err);

	if (rc == 0) {
		w.time = arena_alloc(mem, v->p->stacks.n, sizeof(*w.time));
		rc = cpuprofile_sum(&w, err);
		if (rc == 0)
			rc = export_prefixes_make(v, q, &w.pl, w.time, &w.tree, err);
		if (rc == 0)
			cpuprofile_add_all(&w);
		if (rc == 0)
			rc = stop_check(q->stop, err);
		places_release(&w.pl);
	}
	export_prefixes_release(&w.tree);
	free(w.child);
	free(w.sibling);
	arena_free(mem);
	return rc;
}

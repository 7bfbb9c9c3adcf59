/*
 * firefox.c - a profile for the Firefox Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A processed profile of version 49 with one thread, whose tables are objects of columns. The Firefox Profiler converts
 * it to its current version. A function, a frame and a place are the same. Samples are 1 ms apart, because their times
 * must increase; their weights have the values.
 */
#include "config.h"

#include "viewers/export/export.h"

#include "base/jsonw.h"
#include "base/num.h"
#include "base/path.h"
#include "base/strtab.h"
#include "base/unit.h"
#include "engine/places.h"
#include "engine/query.h"

#include <stdlib.h>
#include <string.h>

enum { FIREFOX_VERSION = 49, FIREFOX_GECKO_VERSION = 29, FIREFOX_NS_DIGITS = 6, FIREFOX_NS_PER_MS = 1000000 };

struct firefox_writer {
	const struct view *v;
	const struct query *q;
	struct places pl;
	struct stack_prefixes tree;
	int64_t *weight; /* [stacks] */
	const char *weight_type;
	unsigned digits; /* of the fraction of a weight */
	struct strtab *str;
	str_id *name, *file; /* [places] in str */
	int64_t *line, *col; /* [places] */
	struct json j;
};

/* Sum the weights by stack, times in ns. */
static int firefox_sum(struct firefox_writer *w, struct err *err)
{
	const struct profile *p = w->v->p;
	const struct value_type *t = &p->type[w->v->type];
	double factor = 1;
	const struct unit_family *family = unit_find(profile_text(p, t->unit), &factor);
	int64_t total;
	int rc = export_stacks_sum(w->v, w->q, w->v->type, "the Firefox Profiler", w->weight, &total, err);

	w->weight_type = "samples";
	if (family && family == unit_find("ns", NULL)) {
		w->weight_type = "tracing-ms";
		w->digits = FIREFOX_NS_DIGITS;
	} else if (family && family == unit_find("bytes", NULL)) {
		w->weight_type = "bytes";
	} else {
		factor = 1;
	}
	for (uint32_t i = 0; rc == 0 && i < p->stacks.n; i++)
		if (factor != 1 && __builtin_mul_overflow(w->weight[i], (int64_t)factor, &w->weight[i]))
			rc = err_set(err, ERR_RANGE, "the sum of %s overflows 64 bits", profile_text(p, t->name));
	return rc;
}

static void firefox_set_frames(struct firefox_writer *w, struct arena *mem)
{
	uint32_t *func = export_function_files(w->v->p);
	struct export_frame frame = { .line = 0 };

	w->name = arena_alloc(mem, w->pl.n, sizeof(*w->name));
	w->file = arena_alloc(mem, w->pl.n, sizeof(*w->file));
	w->line = arena_alloc(mem, w->pl.n, sizeof(*w->line));
	w->col = arena_alloc(mem, w->pl.n, sizeof(*w->col));
	for (uint32_t i = 0; i < w->pl.n; i++) {
		export_frame_set(&frame, &w->pl, i, func, w->q);
		w->name[i] = strtab_add(w->str, buf_text(&frame.name), frame.name.len);
		w->file[i] = strtab_add(w->str, buf_text(&frame.file), frame.file.len);
		w->line[i] = frame.line;
		w->col[i] = frame.col;
	}
	export_frame_release(&frame);
	free(func);
}

/* ---- columns ---- */

/* Open a column; it is one line. */
static void firefox_open(struct firefox_writer *w, const char *name)
{
	jsonw_open_key(&w->j, name, '[');
	w->j.is_one_line = true;
}

static void firefox_close(struct firefox_writer *w)
{
	jsonw_close(&w->j, ']');
	w->j.is_one_line = false;
}

/* Append a column with the same value, which is JSON, in each of n rows. */
static void firefox_fill(struct firefox_writer *w, const char *name, const char *value, size_t n)
{
	firefox_open(w, name);
	for (size_t i = 0; i < n; i++)
		jsonw_raw(&w->j, value, strlen(value));
	firefox_close(w);
}

/* Append a number; null if it is not positive. */
static void firefox_add_positive(struct json *j, int64_t v)
{
	if (v > 0)
		jsonw_int(j, v);
	else
		jsonw_raw(j, "null", 4);
}

static void firefox_add_lines(struct firefox_writer *w, const char *name, const int64_t *line)
{
	firefox_open(w, name);
	for (uint32_t i = 0; i < w->pl.n; i++)
		firefox_add_positive(&w->j, line[i]);
	firefox_close(w);
}

/* Append an empty table. names: its columns, up to a NULL. */
static void firefox_add_empty(struct firefox_writer *w, const char *table, const char *const *names)
{
	jsonw_open_key(&w->j, table, '{');
	jsonw_add_int(&w->j, "length", 0);
	for (; *names; names++)
		firefox_fill(w, *names, "", 0);
	jsonw_close(&w->j, '}');
}

/* ---- tables ---- */

static void firefox_add_funcs(struct firefox_writer *w)
{
	struct json *j = &w->j;
	const uint32_t n = w->pl.n;

	jsonw_open_key(j, "funcTable", '{');
	jsonw_add_int(j, "length", n);
	firefox_open(w, "name");
	for (uint32_t i = 0; i < n; i++)
		jsonw_int(j, w->name[i]);
	firefox_close(w);
	firefox_fill(w, "isJS", "false", n);
	firefox_fill(w, "relevantForJS", "false", n);
	firefox_fill(w, "resource", "-1", n);
	firefox_open(w, "fileName");
	for (uint32_t i = 0; i < n; i++)
		firefox_add_positive(j, w->file[i]); /* string 0 is empty */
	firefox_close(w);
	firefox_add_lines(w, "lineNumber", w->line);
	firefox_fill(w, "columnNumber", "null", n);
	jsonw_close(j, '}');
}

static void firefox_add_frames(struct firefox_writer *w)
{
	const uint32_t n = w->pl.n;

	jsonw_open_key(&w->j, "frameTable", '{');
	jsonw_add_int(&w->j, "length", n);
	firefox_open(w, "func");
	for (uint32_t i = 0; i < n; i++)
		jsonw_int(&w->j, i);
	firefox_close(w);
	firefox_fill(w, "address", "-1", n);
	firefox_fill(w, "inlineDepth", "0", n);
	firefox_fill(w, "category", "0", n);
	firefox_fill(w, "subcategory", "0", n);
	firefox_fill(w, "nativeSymbol", "null", n);
	firefox_fill(w, "innerWindowID", "0", n);
	firefox_fill(w, "implementation", "null", n);
	firefox_add_lines(w, "line", w->line);
	firefox_add_lines(w, "column", w->col);
	jsonw_close(&w->j, '}');
}

static void firefox_add_stacks(struct firefox_writer *w)
{
	const struct stack_prefixes *t = &w->tree;

	jsonw_open_key(&w->j, "stackTable", '{');
	jsonw_add_int(&w->j, "length", t->n);
	firefox_open(w, "prefix");
	for (uint32_t i = 0; i < t->n; i++)
		if (t->parent[i] == UINT32_MAX)
			jsonw_raw(&w->j, "null", 4);
		else
			jsonw_int(&w->j, t->parent[i]);
	firefox_close(w);
	firefox_open(w, "frame");
	for (uint32_t i = 0; i < t->n; i++)
		jsonw_int(&w->j, t->place[i]);
	firefox_close(w);
	firefox_fill(w, "category", "0", t->n);
	firefox_fill(w, "subcategory", "0", t->n);
	jsonw_close(&w->j, '}');
}

static void firefox_add_weights(struct firefox_writer *w)
{
	const uint32_t n_stacks = w->v->p->stacks.n;
	struct json *j = &w->j;
	uint32_t n = 0;

	jsonw_open_key(j, "samples", '{');
	firefox_open(w, "stack");
	for (uint32_t i = 0; i < n_stacks; i++) {
		if (!w->weight[i])
			continue;
		if (w->tree.of_stack[i] == UINT32_MAX)
			jsonw_raw(j, "null", 4);
		else
			jsonw_int(j, w->tree.of_stack[i]);
		n++;
	}
	firefox_close(w);
	firefox_open(w, "time");
	for (uint32_t i = 0; i < n; i++)
		jsonw_int(j, i);
	firefox_close(w);
	firefox_open(w, "weight");
	for (uint32_t i = 0; i < n_stacks; i++)
		if (w->weight[i]) {
			struct buf text = { 0 };

			export_add_decimal(&text, w->weight[i], w->digits);
			jsonw_raw(j, buf_text(&text), text.len);
			buf_release(&text);
		}
	firefox_close(w);
	jsonw_add_text(j, "weightType", w->weight_type);
	jsonw_add_int(j, "length", n);
	jsonw_close(j, '}');
}

static void firefox_add_strings(struct firefox_writer *w)
{
	jsonw_open_key(&w->j, "stringArray", '[');
	for (str_id i = 0; i < strtab_count(w->str); i++)
		jsonw_text(&w->j, strtab_text(w->str, i), strtab_len(w->str, i));
	jsonw_close(&w->j, ']');
}

static void firefox_add_thread(struct firefox_writer *w)
{
	static const char *const markers[] = { "category", "data", "endTime", "name", "phase", "startTime", NULL };
	static const char *const resources[] = { "lib", "name", "host", "type", NULL };
	static const char *const symbols[] = { "libIndex", "address", "name", "functionSize", NULL };
	const struct profile *p = w->v->p;
	struct json *j = &w->j;

	jsonw_open(j, '{');
	jsonw_add_text(j, "processType", "default");
	jsonw_add_int(j, "processStartupTime", 0);
	jsonw_key(j, "processShutdownTime");
	jsonw_raw(j, "null", 4);
	jsonw_add_int(j, "registerTime", 0);
	jsonw_key(j, "unregisterTime");
	jsonw_raw(j, "null", 4);
	firefox_fill(w, "pausedRanges", "", 0);
	jsonw_add_text(j, "name", profile_text(p, p->type[w->v->type].name));
	jsonw_add_bool(j, "isMainThread", true);
	jsonw_add_text(j, "pid", "0");
	jsonw_add_int(j, "tid", 0);
	firefox_add_weights(w);
	firefox_add_empty(w, "markers", markers);
	firefox_add_stacks(w);
	firefox_add_frames(w);
	firefox_add_funcs(w);
	firefox_add_empty(w, "resourceTable", resources);
	firefox_add_empty(w, "nativeSymbols", symbols);
	firefox_add_strings(w);
	jsonw_close(j, '}');
}

static void firefox_add_meta(struct firefox_writer *w)
{
	const struct profile *p = w->v->p;
	static const char *const extensions[] = { "id", "name", "baseURL", NULL };
	static const char categories[] = "[{\"name\": \"Other\", \"color\": \"grey\", \"subcategories\": [\"Other\"]}]";
	struct json *j = &w->j;
	struct buf name = { 0 };

	if (p->n_maps)
		path_add_base(&name, profile_text(p, p->map[0].file));
	jsonw_open_key(j, "meta", '{');
	jsonw_add_int(j, "preprocessedProfileVersion", FIREFOX_VERSION);
	jsonw_add_int(j, "version", FIREFOX_GECKO_VERSION);
	jsonw_add_int(j, "interval", 1);
	jsonw_add_int(j, "startTime", p->meta.time_ns > 0 ? p->meta.time_ns / FIREFOX_NS_PER_MS : 0);
	jsonw_add_int(j, "processType", 0);
	jsonw_add_text(j, "product", name.len ? name.data : "profile");
	jsonw_add_text(j, "importedFrom", "cpa");
	jsonw_add_int(j, "stackwalk", 0);
	jsonw_add_bool(j, "debug", false);
	jsonw_add_bool(j, "symbolicated", true);
	jsonw_add_bool(j, "usesOnlyOneStackType", true);
	jsonw_add_bool(j, "doesNotUseFrameImplementation", true);
	jsonw_add_bool(j, "sourceCodeIsNotOnSearchfox", true);
	firefox_add_empty(w, "extensions", extensions);
	jsonw_key(j, "categories");
	jsonw_raw(j, categories, sizeof(categories) - 1);
	firefox_fill(w, "markerSchema", "", 0);
	jsonw_close(j, '}');
	buf_release(&name);
}

static void firefox_add_all(struct firefox_writer *w)
{
	struct json *j = &w->j;

	jsonw_open(j, '{');
	firefox_add_meta(w);
	firefox_fill(w, "libs", "", 0);
	firefox_fill(w, "pages", "", 0);
	firefox_fill(w, "counters", "", 0);
	firefox_fill(w, "profilerOverhead", "", 0);
	jsonw_open_key(j, "threads", '[');
	firefox_add_thread(w);
	jsonw_close(j, ']');
	jsonw_close(j, '}');
	buf_addz(j->out, "\n");
}

int export_firefox(const struct view *v, const struct query *q, struct buf *out, struct err *err)
{
	struct firefox_writer w = { .v = v, .q = q, .j = { .out = out } };
	struct arena *mem = arena_new();
	int rc = places_make(v->p, &q->filter, mem, &w.pl, err);

	w.str = strtab_new();
	if (rc == 0) {
		w.weight = arena_alloc(mem, v->p->stacks.n, sizeof(*w.weight));
		rc = firefox_sum(&w, err);
		if (rc == 0)
			rc = export_prefixes_make(v, q, &w.pl, w.weight, &w.tree, err);
		if (rc == 0) {
			firefox_set_frames(&w, mem);
			firefox_add_all(&w);
			rc = stop_check(q->stop, err);
		}
		places_release(&w.pl);
	}
	strtab_free(w.str);
	export_prefixes_release(&w.tree);
	arena_free(mem);
	return rc;
}

/*
 * picker.c - windows that choose a sample type, granularity, unit or label
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "config.h"

#include "front/shell/widgets/menu.h"
#include "front/shell/option.h"
#include "front/shell/state.h"

#include "base/mem.h"
#include "base/unit.h"
#include "engine/query.h"
#include "engine/view.h"
#include "front/shell/quote.h"

#include <stdlib.h>
#include <string.h>

enum { PICKER_COLUMNS = 90, KEYS_MAX = 1000 };

struct picker_state {
	struct menu menu;
	char *title;
};

static void picker_draw(struct shell *s, struct overlay *o, struct grid *g)
{
	struct picker_state *p = o->state;

	(void)s;
	menu_draw(&p->menu, g, p->title, "type to filter  Enter select  Esc close", PICKER_COLUMNS);
}

static bool picker_key(struct shell *s, struct overlay *o, const struct event *e)
{
	struct picker_state *p = o->state;
	const struct menu_item *item = menu_selected(&p->menu);
	enum menu_result result = menu_key(&p->menu, e);
	char *line;

	if (result == MENU_CANCELLED) {
		overlay_close(s, o);
	} else if (result == MENU_CHOSEN) {
		item = menu_selected(&p->menu);
		line = mem_strndup(item->line, strlen(item->line));
		overlay_close(s, o);
		shell_run_line(s, line, true);
		free(line);
	}
	return true;
}

static void picker_release_state(struct overlay *o)
{
	struct picker_state *p = o->state;

	menu_release(&p->menu);
	free(p->title);
}

static const struct overlay_class picker = { .state_size = sizeof(struct picker_state),
					     .draw = picker_draw,
					     .key = picker_key,
					     .release = picker_release_state };

/* An item: a text to show and a line to run. The current item is marked. */
struct pick {
	const char *text, *line;
	bool is_marked;
};

/* Open a list to choose from; items are copied. */
static void open_list(struct shell *s, const char *title, const struct pick *item, size_t n)
{
	struct picker_state *p = overlay_open(s, &picker)->state;

	p->title = mem_strndup(title, strlen(title));
	for (size_t i = 0; i < n; i++)
		menu_add(&p->menu, item[i].text, item[i].line, item[i].line, item[i].is_marked);
	menu_filter(&p->menu);
	menu_select_marked(&p->menu);
}

/* ---- lists built from the profile ---- */

struct picks {
	struct pick *item;
	size_t n, cap;
	struct arena *mem;
};

static const char *picker_keep(struct picks *p, struct buf *text)
{
	char *own = arena_strndup(p->mem, buf_text(text), text->len);

	text->len = 0;
	return own;
}

/* Add a row for name=value. */
static void picker_add(struct picks *p, const char *text, const char *name, const char *value, bool is_marked)
{
	struct buf line = { 0 };

	option_add_line(name, value, &line);
	p->item = mem_grow(p->item, &p->cap, p->n + 1, sizeof(*p->item));
	p->item[p->n++] = (struct pick){ text, picker_keep(p, &line), is_marked };
	buf_release(&line);
}

static void open_picks(struct shell *s, const char *title, struct picks *p)
{
	open_list(s, title, p->item, p->n);
	free(p->item);
	arena_free(p->mem);
}

/* The current sample type. */
static uint32_t current_type(const struct shell *s)
{
	uint32_t type = 0;

	if (view_find_type(s->data->p, settings_query(s->settings)->sample_index, &type, NULL) < 0)
		return 0;
	return type;
}

void picker_types(struct shell *s)
{
	const struct profile *p = s->data->p;
	struct picks picks = { .mem = arena_new() };
	struct buf text = { 0 };

	for (uint32_t t = 0; t < p->n_types; t++) {
		const char *name = profile_text(p, p->type[t].name);

		buf_addf(&text, "%s, in %s", name, profile_text(p, p->type[t].unit));
		picker_add(&picks, picker_keep(&picks, &text), "sample_index", name, t == current_type(s));
	}
	buf_release(&text);
	open_picks(s, "Sample type", &picks);
}

void picker_grains(struct shell *s)
{
	static const struct {
		const char *value, *text;
		int grain;
	} grains[] = {
		{ "functions", "functions", GRAIN_FUNCTIONS },
		{ "filefunctions", "functions, split by file", GRAIN_FILEFUNCTIONS },
		{ "files", "source files", GRAIN_FILES },
		{ "lines", "source lines", GRAIN_LINES },
		{ "addresses", "addresses of instructions", GRAIN_ADDRESSES },
	};
	const struct query *q = settings_query(s->settings);
	struct picks picks = { .mem = arena_new() };

	for (size_t i = 0; i < sizeof(grains) / sizeof(grains[0]); i++)
		picker_add(&picks, grains[i].text, "granularity", grains[i].value, q->granularity == grains[i].grain);
	picker_add(&picks,
		   q->noinlines ? "show inlined functions separately" : "merge inlined functions into their callers",
		   "noinlines", q->noinlines ? "false" : "true", false);
	picker_add(&picks, q->showcolumns ? "merge the columns of a line" : "split lines by column", "showcolumns",
		   q->showcolumns ? "false" : "true", false);
	open_picks(s, "Granularity", &picks);
}

void picker_units(struct shell *s)
{
	static const char *const units[][2] = {
		{ "ns", "nanoseconds" }, { "us", "microseconds" }, { "ms", "milliseconds" }, { "s", "seconds" },
		{ "hrs", "hours" },      { "B", "bytes" },         { "kB", "kilobytes" },    { "MB", "megabytes" },
		{ "GB", "gigabytes" },   { "TB", "terabytes" },
	};
	const struct profile *p = s->data->p;
	const char *own = p->n_types ? profile_text(p, p->type[current_type(s)].unit) : "",
		   *now = settings_query(s->settings)->unit;
	bool is_text =
		shell_pane(s)->class == s->options.views[VIEW_TEXT]; /* other views treat the unit minimum as auto */
	bool is_minimum = strcmp(now, "minimum") == 0;
	struct picks picks = { .mem = arena_new() };

	picker_add(&picks, is_text ? "one unit for the whole report" : "one unit per report, in text views", "unit",
		   "minimum", is_minimum && is_text);
	picker_add(&picks, "a suitable unit for each value", "unit", "auto",
		   strcmp(now, "auto") == 0 || (is_minimum && !is_text));
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (unit_find(own, NULL) && unit_find(own, NULL) == unit_find(units[i][0], NULL))
			picker_add(&picks, units[i][1], "unit", units[i][0], strcmp(now, units[i][0]) == 0);
	open_picks(s, "Unit of values", &picks);
}

/* ---- labels ---- */

static int picker_by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int picker_by_id(const void *a, const void *b)
{
	const str_id *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Find the keys of labels, sorted and without duplicates, at most KEYS_MAX of them. */
static size_t find_keys(const struct profile *p, struct arena *mem, const char ***out)
{
	str_id *id = arena_alloc(mem, (size_t)p->n_labels + 1, sizeof(*id));
	size_t n = 0, n_keys = 0;

	for (uint32_t i = 0; i < p->n_labels; i++) /* skip repeated keys, which are frequent */
		if (n == 0 || id[n - 1] != p->label_key[i])
			id[n++] = p->label_key[i];
	if (n)
		qsort(id, n, sizeof(*id), picker_by_id);
	*out = arena_alloc(mem, KEYS_MAX, sizeof(**out));
	for (size_t i = 0; i < n && n_keys < KEYS_MAX; i++)
		if (i == 0 || id[i] != id[i - 1])
			(*out)[n_keys++] = profile_text(p, id[i]);
	if (n_keys)
		qsort(*out, n_keys, sizeof(**out), picker_by_text);
	return n_keys;
}

/* Add the actions for a key. */
static void picker_add_key(struct picks *picks, const struct query *q, const char *key)
{
	static const char *const name[] = { "tagroot", "tagleaf", "tagshow", "taghide" };
	static const char *const text[] = { "at the root of each stack, as a frame",
					    "at the leaf of each stack, as a frame",
					    "show only this key in traces and labels", "hide this key" };
	const char *const now[] = { q->tagroot, q->tagleaf, q->tagshow, q->taghide };
	struct buf shown = { 0 }, exact = { 0 };

	shell_quote(key, &exact);
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		const char *value = i < 2 ? key : buf_text(&exact);

		buf_addf(&shown, "%s: %s", key, text[i]);
		picker_add(picks, picker_keep(picks, &shown), name[i], value, strcmp(now[i], value) == 0);
	}
	buf_release(&shown);
	buf_release(&exact);
}

void picker_labels(struct shell *s)
{
	const struct query *q = settings_query(s->settings);
	struct picks picks = { .mem = arena_new() };
	const char **key;
	size_t n = find_keys(s->data->p, picks.mem, &key);

	if (n == 0) {
		shell_notify(s, false, "the samples of this profile have no labels");
		arena_free(picks.mem);
		return;
	}
	if (*q->tagroot)
		picker_add(&picks, "remove labels from the root", "tagroot", "", false);
	if (*q->tagleaf)
		picker_add(&picks, "remove labels from the leaf", "tagleaf", "", false);
	for (size_t i = 0; i < n; i++)
		picker_add_key(&picks, q, key[i]);
	open_picks(s, "Labels of samples", &picks);
}

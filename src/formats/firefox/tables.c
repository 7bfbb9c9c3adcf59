/*
 * tables.c - the tables of a processed profile of the Firefox Profiler
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A table is an object of columns. A stack has a frame and a prefix, which is a stack; a frame a function and a line; a
 * function a name, a file and a resource; a resource a library.
 */
#include "config.h"

#include "formats/firefox/firefox_int.h"

#include "base/mem.h"

#include <stdlib.h>
#include <string.h>

enum { FUNC_NAME, FUNC_FILE, FUNC_SOURCE, FUNC_LINE, FUNC_RESOURCE };
enum { FRAME_FUNC, FRAME_LINE, FRAME_COLUMN, FRAME_LIB };
enum { STACK_FRAME, STACK_PREFIX, STACK_OFFSET };

void firefox_read_column(struct jsonr *r, int64_t factor, struct firefox_column *c)
{
	c->n = 0;
	if (!jsonr_open(r, JSONR_ARRAY))
		return;
	while (jsonr_item(r)) {
		int64_t number = FIREFOX_NULL;

		jsonr_scaled(r, factor, &number);
		c->v = mem_grow(c->v, &c->cap, c->n + 1, sizeof(*c->v));
		c->v[c->n++] = number;
	}
}

/* Read the columns of the table at a position, unless they are there already. */
static void firefox_read_table(struct jsonr *r, size_t at, struct firefox_table *table)
{
	if (table->at == at)
		return;
	table->at = at;
	for (size_t i = 0; i < FIREFOX_COLUMNS_MAX; i++)
		table->column[i].n = 0;
	if (!at)
		return;
	jsonr_seek(r, at);
	if (!jsonr_open(r, JSONR_OBJECT))
		return;
	while (jsonr_key(r)) {
		size_t i = 0;

		while (table->name[i] && !jsonr_is(r, table->name[i]))
			i++;
		if (table->name[i])
			firefox_read_column(r, 1, &table->column[i]);
		else
			jsonr_skip(r);
	}
}

void firefox_tables_init(struct firefox_tables *t)
{
	t->sources = (struct firefox_table){ .name = { "filename" } };
	t->resources = (struct firefox_table){ .name = { "lib" } };
	t->funcs = (struct firefox_table){ .name = { [FUNC_NAME] = "name",
						     [FUNC_FILE] = "fileName",
						     [FUNC_SOURCE] = "source",
						     [FUNC_LINE] = "lineNumber",
						     [FUNC_RESOURCE] = "resource" } };
	t->frames = (struct firefox_table){
		.name = { [FRAME_FUNC] = "func", [FRAME_LINE] = "line", [FRAME_COLUMN] = "column", [FRAME_LIB] = "lib" }
	};
	t->prefixes = (struct firefox_table){
		.name = { [STACK_FRAME] = "frame", [STACK_PREFIX] = "prefix", [STACK_OFFSET] = "prefixOffset" }
	};
}

void firefox_tables_release(struct firefox_tables *t)
{
	struct firefox_table *const tables[] = { &t->sources, &t->resources, &t->funcs, &t->frames, &t->prefixes };

	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
		for (size_t j = 0; j < FIREFOX_COLUMNS_MAX; j++)
			free(tables[i]->column[j].v);
	free(t->strings.id);
	free(t->lib_map);
	stack_tree_release(&t->stacks);
}

/* ---- libraries ---- */

void firefox_read_libs(struct firefox_tables *t)
{
	struct jsonr *r = t->r;

	if (!jsonr_open(r, JSONR_ARRAY))
		return;
	while (jsonr_item(r)) {
		struct mapping m = { .has_functions = true };
		str_id name = 0;
		uint32_t id = 0;

		if (jsonr_open(r, JSONR_OBJECT))
			while (jsonr_key(r)) {
				if (jsonr_is(r, "path"))
					m.file = jsonr_string(r) ? strtab_add(builder_strings(t->b), r->text, r->len)
								 : 0;
				else if (jsonr_is(r, "name"))
					name = jsonr_string(r) ? strtab_add(builder_strings(t->b), r->text, r->len) : 0;
				else
					jsonr_skip(r);
			}
		m.id = t->n_libs + 1;
		m.file = m.file ? m.file : name;
		if (!r->rc)
			r->rc = builder_mapping(t->b, &m, &id, t->err);
		t->lib_map = mem_grow(t->lib_map, &t->cap_libs, t->n_libs + 1, sizeof(*t->lib_map));
		t->lib_map[t->n_libs++] = id + 1;
	}
}

/* ---- strings ---- */

static void firefox_read_strings(struct firefox_tables *t, size_t at)
{
	struct firefox_strings *s = &t->strings;
	struct jsonr *r = t->r;

	if (s->at == at)
		return;
	s->at = at;
	s->n = 0;
	if (!at)
		return;
	jsonr_seek(r, at);
	if (jsonr_open(r, JSONR_ARRAY))
		while (jsonr_item(r)) {
			bool has_text = jsonr_string(r);

			s->id = mem_grow(s->id, &s->cap, s->n + 1, sizeof(*s->id));
			s->id[s->n++] = has_text ? strtab_add(builder_strings(t->b), r->text, r->len) : 0;
		}
}

/* A string by its number; null is empty. */
static str_id firefox_string(struct firefox_tables *t, int64_t number)
{
	const struct firefox_strings *s = &t->strings;

	if (number >= 0 && (uint64_t)number < s->n)
		return s->id[number];
	if (number != FIREFOX_NULL)
		jsonr_fail(t->r, ERR_FORMAT, "string %lld does not exist; there are %zu", (long long)number, s->n);
	return 0;
}

/* ---- functions, frames, stacks ---- */

static int64_t firefox_positive(int64_t number)
{
	return number > 0 ? number : 0;
}

/* The mapping of a frame, + 1; 0: none. Before version 70 the resource of its function has the library. */
static uint32_t firefox_map(const struct firefox_tables *t, size_t frame, size_t func)
{
	int64_t resource = firefox_at(&t->funcs.column[FUNC_RESOURCE], func);
	int64_t lib = firefox_at(&t->frames.column[FRAME_LIB], frame);

	if (lib == FIREFOX_NULL && resource >= 0)
		lib = firefox_at(&t->resources.column[0], (size_t)resource);
	return lib >= 0 && (uint64_t)lib < t->n_libs ? t->lib_map[lib] : 0;
}

/* The file of a function: in the table of functions, or of sources. */
static str_id firefox_file(struct firefox_tables *t, size_t func)
{
	int64_t source = firefox_at(&t->funcs.column[FUNC_SOURCE], func);

	return firefox_string(t, source >= 0 ? firefox_at(&t->sources.column[0], (size_t)source)
					     : firefox_at(&t->funcs.column[FUNC_FILE], func));
}

/* The location of a frame. */
static uint32_t firefox_location(struct firefox_tables *t, int64_t number)
{
	struct named_frame frame = { 0 };
	int64_t func = number < 0 ? -1 : firefox_at(&t->frames.column[FRAME_FUNC], (size_t)number);
	uint32_t loc = 0;

	if (func < 0 || (uint64_t)func >= t->funcs.column[FUNC_NAME].n) {
		jsonr_fail(t->r, ERR_FORMAT, "frame %lld or its function does not exist", (long long)number);
		return 0;
	}
	frame.name = firefox_string(t, t->funcs.column[FUNC_NAME].v[func]);
	frame.file = firefox_file(t, (size_t)func);
	frame.start = firefox_positive(firefox_at(&t->funcs.column[FUNC_LINE], (size_t)func));
	frame.line = firefox_positive(firefox_at(&t->frames.column[FRAME_LINE], (size_t)number));
	frame.col = firefox_positive(firefox_at(&t->frames.column[FRAME_COLUMN], (size_t)number));
	frame.map = firefox_map(t, (size_t)number, (size_t)func);
	if (!t->r->rc)
		t->r->rc = named_frames_location(t->names, &frame, &loc, t->err);
	return loc;
}

/* The parent of a stack. Since version 66 it is its distance, 0 for none. */
static uint32_t firefox_parent(struct firefox_tables *t, size_t stack)
{
	int64_t prefix = firefox_at(&t->prefixes.column[STACK_PREFIX], stack);
	int64_t offset = firefox_at(&t->prefixes.column[STACK_OFFSET], stack);

	if (offset > 0 && (uint64_t)offset <= stack)
		prefix = (int64_t)stack - offset;
	else if (offset != FIREFOX_NULL && offset != 0)
		prefix = -1;
	if (prefix == FIREFOX_NULL)
		return STACK_TREE_NONE;
	if (prefix < 0 || (uint64_t)prefix >= t->prefixes.column[STACK_FRAME].n) {
		jsonr_fail(t->r, ERR_FORMAT, "the prefix of stack %zu does not exist", stack);
		return STACK_TREE_NONE;
	}
	return (uint32_t)prefix;
}

void firefox_read_tables(struct firefox_tables *t, const struct firefox_positions *at)
{
	const struct firefox_column *frames = &t->prefixes.column[STACK_FRAME];

	if (memcmp(at, &t->at, sizeof(*at)) == 0)
		return;
	t->at = *at;
	t->stacks.n = 0;
	firefox_read_strings(t, at->strings);
	firefox_read_table(t->r, at->sources, &t->sources);
	firefox_read_table(t->r, at->resources, &t->resources);
	firefox_read_table(t->r, at->funcs, &t->funcs);
	firefox_read_table(t->r, at->frames, &t->frames);
	firefox_read_table(t->r, at->stacks, &t->prefixes);
	if (t->prefixes.column[STACK_PREFIX].n != frames->n && t->prefixes.column[STACK_OFFSET].n != frames->n)
		jsonr_fail(t->r, ERR_FORMAT, "stackTable has %zu frames and %zu prefixes", frames->n,
			   t->prefixes.column[STACK_PREFIX].n);
	for (size_t i = 0; i < frames->n && !t->r->rc; i++)
		stack_tree_add(&t->stacks, firefox_parent(t, i), firefox_location(t, frames->v[i]));
}

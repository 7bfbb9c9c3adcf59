/*
 * dict.c - tables of a dictionary
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Tables are columns that grow by half. dict_index.c finds equal entries; a dictionary that is only read has no index.
 */
#include "config.h"

#include "store/local/format/dict.h"

#include "base/arena.h"
#include "base/mem.h"
#include "store/local/format/dict_int.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const char *const table_names[DICT_TABLES_END] = {
	[DICT_STRINGS] = "strings",       [DICT_FUNCTIONS] = "functions", [DICT_MAPPINGS] = "mappings",
	[DICT_LOCATIONS] = "locations",   [DICT_NODES] = "stack nodes",   [DICT_LABELS] = "labels",
	[DICT_LABEL_SETS] = "label sets", [DICT_ROWS] = "rows",           [DICT_METAS] = "metas",
	[DICT_SERIES] = "series",
};

const char *dict_table_name(enum dict_table table)
{
	assert(table >= DICT_STRINGS && table < DICT_TABLES_END);
	return table_names[table];
}

void dict_init(struct dict *d)
{
	*d = (struct dict){ .str = strtab_new(), .mem = arena_new() };
	d->loc_line = mem_grow(NULL, &d->cap.locs, 1, sizeof(*d->loc_line));
	d->cap.locs = 0; /* the other columns have no room yet */
	d->loc_line[0] = 0;
	dict_append_label_set(d, NULL, 0, NULL);
	dict_count_memory(d);
}

/* All columns. */
/* clang-format off */
#define EACH_COLUMN(X) \
	X(func_name) X(func_sysname) X(func_file) X(func_start) X(map) X(loc_map) X(loc_addr) X(loc_folded) X(loc_line) \
	X(line_func) X(line_no) X(line_col) X(node_parent) X(node_loc) X(label_key) X(label_text) X(label_unit) \
	X(label_num) X(label_is_text) X(label_sets.off) X(label_sets.item) X(row_node) X(row_labels) X(meta) X(series)
/* clang-format on */

void dict_release(struct dict *d)
{
	dict_index_free(d->index);
#define FREE(column) free(d->column);
	EACH_COLUMN(FREE)
#undef FREE
	free(d->encoded_memory);
	arena_free(d->mem);
	strtab_free(d->str);
	*d = (struct dict){ 0 };
}

void dict_drop_stacks(struct dict *d)
{
	dict_drop_index(d);
	free(d->node_parent);
	free(d->node_loc);
	free(d->row_node);
	free(d->row_labels);
	free(d->encoded_memory);
	d->node_parent = d->node_loc = d->row_node = d->row_labels = NULL;
	d->encoded_nodes = d->encoded_memory = NULL;
	d->n_nodes = d->n_rows = 0;
	d->cap.nodes = d->cap.rows = 0;
	dict_count_memory(d);
}

uint32_t dict_count(const struct dict *d, enum dict_table table)
{
	switch (table) {
	case DICT_STRINGS:
		return strtab_count(d->str);
	case DICT_FUNCTIONS:
		return d->n_funcs;
	case DICT_MAPPINGS:
		return d->n_maps;
	case DICT_LOCATIONS:
		return d->n_locs;
	case DICT_NODES:
		return d->n_nodes;
	case DICT_LABELS:
		return d->n_labels;
	case DICT_LABEL_SETS:
		return d->label_sets.n;
	case DICT_ROWS:
		return d->n_rows;
	case DICT_METAS:
		return d->n_metas;
	case DICT_SERIES:
		return d->n_series;
	case DICT_TABLES_END:
		break;
	}
	assert(!"a table");
	return 0;
}

void dict_release_stored(struct stored *s)
{
	free(s->row);
	free(s->value);
	s->row = NULL;
	s->value = NULL;
}

void *dict_copy_list(struct dict *d, const void *list, size_t n, size_t size)
{
	void *copy;

	if (n == 0)
		return NULL;
	copy = arena_alloc(d->mem, n, size);
	memcpy(copy, list, n * size);
	d->list_bytes += n * size;
	return copy;
}

void dict_count_memory(struct dict *d)
{
	const struct dict_caps *c = &d->cap;

	d->memory =
		sizeof(*d) + strtab_memory(d->str) + d->list_bytes +
		c->funcs * (sizeof(*d->func_name) * 3 + sizeof(*d->func_start)) + c->maps * sizeof(*d->map) +
		c->locs * (sizeof(*d->loc_map) + sizeof(*d->loc_addr) + sizeof(*d->loc_folded) + sizeof(*d->loc_line)) +
		c->lines * (sizeof(*d->line_func) + sizeof(*d->line_no) + sizeof(*d->line_col)) +
		c->nodes * (sizeof(*d->node_parent) + sizeof(*d->node_loc)) +
		c->labels * (sizeof(*d->label_key) * 3 + sizeof(*d->label_num) + sizeof(*d->label_is_text)) +
		c->sets * sizeof(*d->label_sets.off) + c->set_items * sizeof(*d->label_sets.item) +
		c->rows * (sizeof(*d->row_node) + sizeof(*d->row_labels)) + c->metas * sizeof(*d->meta) +
		c->series * sizeof(*d->series) + (d->index ? dict_index_memory(d->index) : 0);
}

static int dict_check_count(uint64_t n, enum dict_table table, struct err *err)
{
	if (n > DICT_ID_MAX)
		return err_set(err, ERR_LIMIT, "more than %u %s of one service", (unsigned)DICT_ID_MAX,
			       table_names[table]);
	return 0;
}

/*
 * The columns of a table share one capacity. GROW makes room in a column without updating it; the last column updates it
 * with mem_grow.
 */
#define GROW(column, cap, need) mem_grow(column, &(size_t){ cap }, need, sizeof(*(column)))

void dict_grow_functions(struct dict *d, size_t n)
{
	size_t *cap = &d->cap.funcs;

	if (n <= *cap)
		return;
	d->func_name = GROW(d->func_name, *cap, n);
	d->func_sysname = GROW(d->func_sysname, *cap, n);
	d->func_file = GROW(d->func_file, *cap, n);
	d->func_start = mem_grow(d->func_start, cap, n, sizeof(*d->func_start));
}

int dict_append_function(struct dict *d, const struct builder_function *f, struct err *err)
{
	uint32_t n = d->n_funcs;

	if (dict_check_count((uint64_t)n + 1, DICT_FUNCTIONS, err) < 0)
		return ERR_LIMIT;
	dict_grow_functions(d, (size_t)n + 1);
	d->func_name[n] = f->name;
	d->func_sysname[n] = f->sysname;
	d->func_file[n] = f->file;
	d->func_start[n] = f->start;
	d->n_funcs++;
	return 0;
}

int dict_append_mapping(struct dict *d, const struct mapping *m, struct err *err)
{
	if (dict_check_count((uint64_t)d->n_maps + 1, DICT_MAPPINGS, err) < 0)
		return ERR_LIMIT;
	d->map = mem_grow(d->map, &d->cap.maps, (size_t)d->n_maps + 1, sizeof(*d->map));
	d->map[d->n_maps] = *m;
	d->map[d->n_maps].id = (uint64_t)d->n_maps + 1;
	d->n_maps++;
	return 0;
}

void dict_grow_lines(struct dict *d, size_t n)
{
	size_t *cap = &d->cap.lines;

	if (n <= *cap)
		return;
	d->line_func = GROW(d->line_func, *cap, n);
	d->line_no = GROW(d->line_no, *cap, n);
	d->line_col = mem_grow(d->line_col, cap, n, sizeof(*d->line_col));
}

static void append_lines(struct dict *d, const struct builder_line *lines, size_t n)
{
	dict_grow_lines(d, d->n_lines + n);
	for (size_t i = 0; i < n; i++) {
		assert(lines[i].func < d->n_funcs);
		d->line_func[d->n_lines] = lines[i].func;
		d->line_no[d->n_lines] = lines[i].no;
		d->line_col[d->n_lines++] = lines[i].col;
	}
}

void dict_grow_locations(struct dict *d, size_t n)
{
	size_t *cap = &d->cap.locs, need = n + 1; /* loc_line has an extra entry */

	if (need <= *cap)
		return;
	d->loc_map = GROW(d->loc_map, *cap, need);
	d->loc_addr = GROW(d->loc_addr, *cap, need);
	d->loc_folded = GROW(d->loc_folded, *cap, need);
	d->loc_line = mem_grow(d->loc_line, cap, need, sizeof(*d->loc_line));
}

int dict_append_location(struct dict *d, const struct builder_location *l, const struct builder_line *lines, size_t n,
			 struct err *err)
{
	uint32_t id = d->n_locs;

	assert(l->map == PROFILE_NONE || l->map < d->n_maps);
	if (dict_check_count((uint64_t)id + 1, DICT_LOCATIONS, err) < 0 ||
	    dict_check_count(d->n_lines + (uint64_t)n, DICT_LOCATIONS, err) < 0)
		return ERR_LIMIT;
	dict_grow_locations(d, (size_t)id + 1);
	append_lines(d, lines, n);
	d->loc_map[id] = l->map;
	d->loc_addr[id] = l->addr;
	d->loc_folded[id] = l->folded;
	d->loc_line[id + 1] = d->n_lines;
	d->n_locs++;
	return 0;
}

void dict_grow_nodes(struct dict *d, size_t n)
{
	size_t *cap = &d->cap.nodes;

	if (n <= *cap)
		return;
	d->node_parent = GROW(d->node_parent, *cap, n);
	d->node_loc = mem_grow(d->node_loc, cap, n, sizeof(*d->node_loc));
}

int dict_append_node(struct dict *d, uint32_t parent, uint32_t loc, struct err *err)
{
	uint32_t n = d->n_nodes;

	assert((parent == PROFILE_NONE || parent < n) && loc < d->n_locs);
	if (dict_check_count((uint64_t)n + 1, DICT_NODES, err) < 0)
		return ERR_LIMIT;
	dict_grow_nodes(d, (size_t)n + 1);
	d->node_parent[n] = parent;
	d->node_loc[n] = loc;
	d->n_nodes++;
	return 0;
}

void dict_prefetch_paths(const struct dict *d, const uint32_t *leaf, size_t n)
{
	uint32_t at[DICT_PATHS];
	size_t n_at = 0;

	assert(n <= DICT_PATHS);
	for (size_t i = 0; i < n; i++)
		if (leaf[i] != PROFILE_NONE)
			at[n_at++] = leaf[i];
	while (n_at > 0) {
		size_t n_next = 0;

		for (size_t i = 0; i < n_at; i++) {
			uint32_t caller = d->node_parent[at[i]];

			__builtin_prefetch(&d->node_loc[at[i]]);
			if (caller != PROFILE_NONE)
				at[n_next++] = caller;
		}
		n_at = n_next;
	}
}

void dict_grow_labels(struct dict *d, size_t n)
{
	size_t *cap = &d->cap.labels;

	if (n <= *cap)
		return;
	d->label_key = GROW(d->label_key, *cap, n);
	d->label_text = GROW(d->label_text, *cap, n);
	d->label_unit = GROW(d->label_unit, *cap, n);
	d->label_is_text = GROW(d->label_is_text, *cap, n);
	d->label_num = mem_grow(d->label_num, cap, n, sizeof(*d->label_num));
}

int dict_append_label(struct dict *d, const struct builder_label *l, struct err *err)
{
	uint32_t n = d->n_labels;

	if (dict_check_count((uint64_t)n + 1, DICT_LABELS, err) < 0)
		return ERR_LIMIT;
	dict_grow_labels(d, (size_t)n + 1);
	d->label_key[n] = l->key;
	d->label_text[n] = l->text;
	d->label_unit[n] = l->unit;
	d->label_num[n] = l->num;
	d->label_is_text[n] = l->is_text;
	d->n_labels++;
	return 0;
}

void dict_grow_label_sets(struct dict *d, size_t n, size_t n_items)
{
	struct csr *s = &d->label_sets;

	s->off = mem_grow(s->off, &d->cap.sets, n + 1, sizeof(*s->off));
	s->item = mem_grow(s->item, &d->cap.set_items, n_items, sizeof(*s->item));
}

int dict_append_label_set(struct dict *d, const uint32_t *labels, size_t n, struct err *err)
{
	struct csr *s = &d->label_sets;
	uint32_t end = s->n ? s->off[s->n] : 0;

	if (dict_check_count((uint64_t)s->n + 1, DICT_LABEL_SETS, err) < 0 ||
	    dict_check_count(end + (uint64_t)n, DICT_LABEL_SETS, err) < 0)
		return ERR_LIMIT;
	dict_grow_label_sets(d, (size_t)s->n + 1, end + n);
	if (n)
		memcpy(s->item + end, labels, n * sizeof(*labels));
	s->off[s->n] = end;
	s->off[++s->n] = end + (uint32_t)n;
	return 0;
}

void dict_grow_rows(struct dict *d, size_t n)
{
	size_t *cap = &d->cap.rows;

	if (n <= *cap)
		return;
	d->row_node = GROW(d->row_node, *cap, n);
	d->row_labels = mem_grow(d->row_labels, cap, n, sizeof(*d->row_labels));
}

int dict_append_row(struct dict *d, uint32_t node, uint32_t labels, struct err *err)
{
	uint32_t n = d->n_rows;

	assert((node == PROFILE_NONE || node < d->n_nodes) && labels < d->label_sets.n);
	if (dict_check_count((uint64_t)n + 1, DICT_ROWS, err) < 0)
		return ERR_LIMIT;
	dict_grow_rows(d, (size_t)n + 1);
	d->row_node[n] = node;
	d->row_labels[n] = labels;
	d->n_rows++;
	return 0;
}

int dict_append_meta(struct dict *d, const struct dict_meta *m, struct err *err)
{
	assert(m->same_types <= d->n_metas && m->same_places <= d->n_metas);
	if (dict_check_count((uint64_t)d->n_metas + 1, DICT_METAS, err) < 0)
		return ERR_LIMIT;
	d->meta = mem_grow(d->meta, &d->cap.metas, (size_t)d->n_metas + 1, sizeof(*d->meta));
	d->meta[d->n_metas++] = *m;
	return 0;
}

int dict_append_series(struct dict *d, const struct dict_series *s, struct err *err)
{
	if (dict_check_count((uint64_t)d->n_series + 1, DICT_SERIES, err) < 0)
		return ERR_LIMIT;
	d->series = mem_grow(d->series, &d->cap.series, (size_t)d->n_series + 1, sizeof(*d->series));
	d->series[d->n_series++] = *s;
	return 0;
}

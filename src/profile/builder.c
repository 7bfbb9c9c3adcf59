/*
 * builder.c - build a profile: append, then seal
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Columns grow with realloc, which remaps pages of large blocks instead of copying them. Sealing passes
 * the columns to the arena of the profile.
 */
#include "config.h"

#include "profile/builder.h"

#include "base/arena.h"
#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "profile/stack_builder.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { ID_MAX = STACK_IDS_MAX, ROWS_KNOWN = 1000, CACHE_LINE = 64, SETS_AT_ONCE = 16 };

/* A struct csr that grows, with a hash table to find equal lists. */
struct lists {
	uint32_t n;
	uint32_t *off, *item;
	size_t cap_off, cap_item;
	struct idtab ids;
};

struct builder {
	struct profile *p;
	struct stack_builder stacks;
	struct idtab label_ids;
	size_t n_zero_labels; /* the first rows, whose labels are 0 and were not written */
	size_t cap_types, cap_comments, cap_labels, cap_locs, cap_lines, cap_funcs, cap_maps, cap_rows;
	/* not next to stacks: another thread may change them, and both would wait for the same cache line */
	struct lists sets;
};

/* Is the array full? Checking this here avoids most calls of mem_grow. */
static bool is_full(size_t cap, size_t need)
{
	return need > cap;
}

static void lists_init(struct lists *l)
{
	l->off = mem_grow(NULL, &l->cap_off, 2, sizeof(*l->off));
	l->off[0] = 0;
	l->item = mem_grow(NULL, &l->cap_item, 1, sizeof(*l->item));
	idtab_init(&l->ids, 16);
}

static void lists_release(struct lists *l)
{
	free(l->off);
	free(l->item);
	idtab_release(&l->ids);
}

static bool lists_equal(const struct lists *l, uint32_t id, const uint32_t *item, size_t n)
{
	return l->off[id + 1] - l->off[id] == n &&
	       (n == 0 || memcmp(l->item + l->off[id], item, n * sizeof(*item)) == 0);
}

static int lists_append(struct lists *l, const uint32_t *item, size_t n, uint32_t *id, struct err *err)
{
	uint32_t end = l->off[l->n];

	if (l->n >= ID_MAX || n > ID_MAX - end)
		return err_set(err, ERR_LIMIT, "more than %u entries in a table", (unsigned)ID_MAX);
	if (is_full(l->cap_item, end + n))
		l->item = mem_grow(l->item, &l->cap_item, end + n, sizeof(*l->item));
	if (n)
		memcpy(l->item + end, item, n * sizeof(*item));
	if (is_full(l->cap_off, (size_t)l->n + 2))
		l->off = mem_grow(l->off, &l->cap_off, (size_t)l->n + 2, sizeof(*l->off));
	l->off[l->n + 1] = end + (uint32_t)n;
	*id = l->n++;
	return 0;
}

static int lists_add(struct lists *l, const uint32_t *item, size_t n, uint64_t hash, uint32_t *id, struct err *err)
{
	for (size_t pos = idtab_start(&l->ids, hash); idtab_next(&l->ids, hash, &pos, id);)
		if (lists_equal(l, *id, item, n))
			return 0;
	if (lists_append(l, item, n, id, err) < 0)
		return ERR_LIMIT;
	idtab_put(&l->ids, hash, *id);
	return 0;
}

struct builder *builder_new(void)
{
	struct builder *b = mem_zalloc(1, sizeof(*b));
	uint32_t empty;

	b->p = mem_zalloc(1, sizeof(*b->p));
	b->p->mem = arena_new();
	b->p->str = strtab_new();
	builder_stacks_init(&b->stacks, 0, 0, 16);
	lists_init(&b->sets);
	idtab_init(&b->label_ids, 16);
	lists_add(&b->sets, NULL, 0, hash_bytes(NULL, 0), &empty, NULL);
	return b;
}

/* All columns that grow with realloc until sealed, except the values. */
/* clang-format off */
#define EACH_COLUMN(X) \
	X(type) X(stack) X(labels) X(label_key) X(label_text) X(label_unit) X(label_num) X(label_is_text) \
	X(loc_id) X(loc_addr) X(loc_map) X(loc_folded) X(loc_line) X(line_func) X(line_no) X(line_col) \
	X(func_id) X(func_name) X(func_sysname) X(func_file) X(func_start) X(map) X(meta.comment)
/* clang-format on */

static void profile_free_columns(struct profile *p)
{
#define FREE(column) free(p->column);
	EACH_COLUMN(FREE)
#undef FREE
	for (uint32_t t = 0; p->value && t < p->n_types; t++)
		free(p->value[t]);
	free(p->value);
}

void builder_free(struct builder *b)
{
	if (!b)
		return;
	builder_stacks_release(&b->stacks);
	lists_release(&b->sets);
	idtab_release(&b->label_ids);
	if (b->p) {
		profile_free_columns(b->p);
		profile_free(b->p);
	}
	free(b);
}

struct strtab *builder_strings(struct builder *b)
{
	assert(b->p);
	return b->p->str;
}

struct profile_meta *builder_meta(struct builder *b)
{
	assert(b->p);
	return &b->p->meta;
}

void builder_comment(struct builder *b, str_id text)
{
	struct profile_meta *m = &b->p->meta;

	assert(text < strtab_count(b->p->str));
	m->comment = mem_grow(m->comment, &b->cap_comments, (size_t)m->n_comments + 1, sizeof(*m->comment));
	m->comment[m->n_comments++] = text;
}

void builder_type(struct builder *b, str_id name, str_id unit)
{
	struct profile *p = b->p;

	assert(name < strtab_count(p->str) && unit < strtab_count(p->str));
	assert(p->n_rows == 0);
	p->value = mem_grow(p->value, &(size_t){ b->cap_types }, (size_t)p->n_types + 1, sizeof(*p->value));
	p->type = mem_grow(p->type, &b->cap_types, (size_t)p->n_types + 1, sizeof(*p->type));
	p->value[p->n_types] = NULL;
	p->type[p->n_types++] = (struct value_type){ name, unit };
}

void builder_set_type(struct builder *b, uint32_t type, struct value_type to)
{
	assert(type < b->p->n_types && to.name < strtab_count(b->p->str) && to.unit < strtab_count(b->p->str));
	b->p->type[type] = to;
}

uint32_t builder_n_types(const struct builder *b)
{
	return b->p->n_types;
}

const struct profile *builder_profile(const struct builder *b)
{
	assert(b->p);
	return b->p;
}

static int id_check(uint32_t n, const char *what, struct err *err)
{
	if (n >= ID_MAX)
		return err_set(err, ERR_LIMIT, "more than %u %s", (unsigned)ID_MAX, what);
	return 0;
}

int builder_mapping(struct builder *b, const struct mapping *m, uint32_t *id, struct err *err)
{
	struct profile *p = b->p;

	assert(m->file < strtab_count(p->str) && m->build_id < strtab_count(p->str));
	if (id_check(p->n_maps, "mappings", err) < 0)
		return ERR_LIMIT;
	p->map = mem_grow(p->map, &b->cap_maps, (size_t)p->n_maps + 1, sizeof(*p->map));
	p->map[p->n_maps] = *m;
	*id = p->n_maps++;
	return 0;
}

/*
 * The columns of a table share one capacity. GROW makes room in a column without updating it; the last
 * column updates it with mem_grow.
 */
#define GROW(column, cap, need) mem_grow(column, &(size_t){ *(cap) }, need, sizeof(*(column)))

static void functions_grow(struct profile *p, size_t *cap, size_t need)
{
	p->func_id = GROW(p->func_id, cap, need);
	p->func_name = GROW(p->func_name, cap, need);
	p->func_sysname = GROW(p->func_sysname, cap, need);
	p->func_file = GROW(p->func_file, cap, need);
	p->func_start = mem_grow(p->func_start, cap, need, sizeof(*p->func_start));
}

static void lines_grow(struct profile *p, size_t *cap, size_t need)
{
	p->line_func = GROW(p->line_func, cap, need);
	p->line_no = GROW(p->line_no, cap, need);
	p->line_col = mem_grow(p->line_col, cap, need, sizeof(*p->line_col));
}

/* need: one more than there will be locations, since loc_line needs an extra entry */
static void locations_grow(struct profile *p, size_t *cap, size_t need)
{
	p->loc_id = GROW(p->loc_id, cap, need);
	p->loc_addr = GROW(p->loc_addr, cap, need);
	p->loc_map = GROW(p->loc_map, cap, need);
	p->loc_folded = GROW(p->loc_folded, cap, need);
	p->loc_line = mem_grow(p->loc_line, cap, need, sizeof(*p->loc_line));
}

void builder_reserve_tables(struct builder *b, size_t n_funcs, size_t n_locs)
{
	functions_grow(b->p, &b->cap_funcs, n_funcs);
	lines_grow(b->p, &b->cap_lines, n_locs + n_locs / 2);
	if (n_locs > 0) /* builder_seal fills in the entry of a table without locations */
		locations_grow(b->p, &b->cap_locs, n_locs + 1);
}

int builder_function(struct builder *b, const struct builder_function *f, uint32_t *id, struct err *err)
{
	struct profile *p = b->p;
	uint32_t n = p->n_funcs;

	assert(f->name < strtab_count(p->str) && f->sysname < strtab_count(p->str) && f->file < strtab_count(p->str));
	if (id_check(n, "functions", err) < 0)
		return ERR_LIMIT;
	if (is_full(b->cap_funcs, (size_t)n + 1))
		functions_grow(p, &b->cap_funcs, (size_t)n + 1);
	p->func_id[n] = f->id;
	p->func_name[n] = f->name;
	p->func_sysname[n] = f->sysname;
	p->func_file[n] = f->file;
	p->func_start[n] = f->start;
	*id = p->n_funcs++;
	return 0;
}

static int builder_lines(struct builder *b, const struct builder_line *lines, size_t n, struct err *err)
{
	struct profile *p = b->p;

	if (n > ID_MAX - p->n_lines)
		return err_set(err, ERR_LIMIT, "more than %u lines", (unsigned)ID_MAX);
	if (is_full(b->cap_lines, p->n_lines + n))
		lines_grow(p, &b->cap_lines, p->n_lines + n);
	for (size_t i = 0; i < n; i++) {
		assert(lines[i].func < p->n_funcs);
		p->line_func[p->n_lines] = lines[i].func;
		p->line_no[p->n_lines] = lines[i].no;
		p->line_col[p->n_lines++] = lines[i].col;
	}
	return 0;
}

int builder_location(struct builder *b, const struct builder_location *l, const struct builder_line *lines,
		     size_t n_lines, uint32_t *id, struct err *err)
{
	struct profile *p = b->p;
	uint32_t n = p->n_locs;

	assert(lines || n_lines == 0);
	assert(l->map == PROFILE_NONE || l->map < p->n_maps);
	if (id_check(n, "locations", err) < 0 || builder_lines(b, lines, n_lines, err) < 0)
		return ERR_LIMIT;
	if (is_full(b->cap_locs, (size_t)n + 2))
		locations_grow(p, &b->cap_locs, (size_t)n + 2);
	p->loc_id[n] = l->id;
	p->loc_addr[n] = l->addr;
	p->loc_map[n] = l->map;
	p->loc_folded[n] = l->folded;
	p->loc_line[n] = p->n_lines - (uint32_t)n_lines;
	p->loc_line[n + 1] = p->n_lines;
	*id = p->n_locs++;
	return 0;
}

bool builder_location_is(const struct builder *b, uint32_t loc, uint64_t addr, uint32_t map)
{
	assert(loc < b->p->n_locs);
	return b->p->loc_addr[loc] == addr && b->p->loc_map[loc] == map;
}

bool builder_row_is(const struct builder *b, uint32_t row, uint32_t stack, uint32_t labels)
{
	assert(row < b->p->n_rows);
	return b->p->stack[row] == stack && b->p->labels[row] == labels;
}

uint64_t builder_stack_hash(const uint32_t *locs, size_t n)
{
	return hash_bytes(locs, n * sizeof(*locs));
}

uint32_t builder_n_stacks(const struct builder *b)
{
	return b->stacks.l.n;
}

void builder_stack_prefetch(const struct builder *b, uint64_t hash)
{
	idtab_prefetch(&b->stacks.ids, hash);
}

uint32_t builder_stack_guess(const struct builder *b, uint64_t hash)
{
	size_t pos = idtab_start(&b->stacks.ids, hash);
	uint32_t id;

	if (!idtab_next(&b->stacks.ids, hash, &pos, &id))
		return PROFILE_NONE;
	__builtin_prefetch(&b->stacks.l.off[id]);
	return id;
}

void builder_stack_prefetch_frames(const struct builder *b, uint32_t id)
{
	const uint8_t *packed = stack_address(&b->stacks.l, b->stacks.l.off[id]);

	__builtin_prefetch(packed);
	__builtin_prefetch(packed + CACHE_LINE);
}

int builder_stack(struct builder *b, const uint32_t *locs, size_t n, uint64_t hash, uint32_t *id, struct err *err)
{
	return builder_stacks_add(&b->stacks, locs, n, hash, id, err);
}

int builder_stack_append(struct builder *b, const uint32_t *locs, size_t n, uint32_t *id, struct err *err)
{
	return builder_stacks_append(&b->stacks, locs, n, id, err);
}

uint8_t *builder_stack_room(struct builder *b, size_t n, size_t *room)
{
	return builder_stacks_room(&b->stacks, n, room);
}

int builder_stack_append_room(struct builder *b, const size_t *end, uint32_t n, uint32_t *ids, struct err *err)
{
	return builder_stacks_append_room(&b->stacks, end, n, ids, err);
}

int builder_repeat_stacks(struct builder *b, uint32_t *stack, uint32_t n, struct err *err)
{
	return builder_stacks_repeat(&b->stacks, stack, n, err);
}

void builder_reserve(struct builder *b, size_t n_rows, size_t n_stack_items, size_t n_distinct)
{
	if (b->stacks.l.n)
		return;
	builder_stacks_release(&b->stacks);
	builder_stacks_init(&b->stacks, n_rows, n_stack_items, n_distinct);
}

static bool builder_label_equal(const struct profile *p, uint32_t id, const struct builder_label *l)
{
	return p->label_key[id] == l->key && p->label_text[id] == l->text && p->label_unit[id] == l->unit &&
	       p->label_num[id] == l->num && p->label_is_text[id] == l->is_text;
}

int builder_label(struct builder *b, const struct builder_label *l, uint32_t *id, struct err *err)
{
	struct profile *p = b->p;
	uint32_t n = p->n_labels;
	uint64_t words[3] = { (uint64_t)l->key << 32 | l->text, (uint64_t)l->unit << 1 | l->is_text, (uint64_t)l->num };
	uint64_t h = hash_bytes(words, sizeof(words));
	size_t *cap = &b->cap_labels;

	for (size_t pos = idtab_start(&b->label_ids, h); idtab_next(&b->label_ids, h, &pos, id);)
		if (builder_label_equal(p, *id, l))
			return 0;
	if (id_check(n, "labels", err) < 0)
		return ERR_LIMIT;
	if (is_full(*cap, (size_t)n + 1)) {
		p->label_key = GROW(p->label_key, cap, (size_t)n + 1);
		p->label_text = GROW(p->label_text, cap, (size_t)n + 1);
		p->label_unit = GROW(p->label_unit, cap, (size_t)n + 1);
		p->label_is_text = GROW(p->label_is_text, cap, (size_t)n + 1);
		p->label_num = mem_grow(p->label_num, cap, (size_t)n + 1, sizeof(*p->label_num));
	}
	p->label_key[n] = l->key;
	p->label_text[n] = l->text;
	p->label_unit[n] = l->unit;
	p->label_num[n] = l->num;
	p->label_is_text[n] = l->is_text;
	idtab_put(&b->label_ids, h, n);
	*id = p->n_labels++;
	return 0;
}

bool builder_replace_locations(struct builder *b, const uint32_t *to, size_t n)
{
	return builder_stacks_replace(&b->stacks, b->p->n_locs, to, n);
}

/* Replace the indices in a column of labels. False if an index is not below n, or two have the same string. */
static bool replace_indices(const struct profile *p, uint32_t *column, const str_id *str, size_t n)
{
	uint32_t *index_of = mem_zalloc(strtab_count(p->str), sizeof(*index_of)); /* [strings] index + 1 */
	uint32_t i = 0;

	for (; i < p->n_labels; i++) {
		uint32_t index = column[i];

		if (index >= n || (index_of[str[index]] && index_of[str[index]] != index + 1))
			break;
		index_of[str[index]] = index + 1;
		column[i] = str[index];
	}
	free(index_of);
	return i == p->n_labels;
}

bool builder_replace_label_strings(struct builder *b, const str_id *str, size_t n)
{
	if (b->p->n_labels == 0)
		return true;
	return replace_indices(b->p, b->p->label_key, str, n) && replace_indices(b->p, b->p->label_text, str, n) &&
	       replace_indices(b->p, b->p->label_unit, str, n);
}

int builder_time_label(struct builder *b, int64_t ns, uint32_t *id, struct err *err)
{
	const struct builder_label label = { .key = strtab_addz(b->p->str, PROFILE_TIME_LABEL),
					     .unit = strtab_addz(b->p->str, "nanoseconds"),
					     .num = ns };

	return builder_label(b, &label, id, err);
}

int builder_label_set(struct builder *b, const uint32_t *labels, size_t n, uint32_t *id, struct err *err)
{
	return builder_label_sets(b, labels, &n, 1, id, err);
}

/* Add at most SETS_AT_ONCE lists, the first one from at. */
static int label_sets_add(struct builder *b, const uint32_t *labels, size_t at, const size_t *end, uint32_t n,
			  uint32_t *ids, struct err *err)
{
	uint64_t hash[SETS_AT_ONCE];
	size_t from = at;

	for (uint32_t i = 0; i < n; from = end[i++]) {
		hash[i] = hash_bytes(labels + from, (end[i] - from) * sizeof(*labels));
		idtab_prefetch(&b->sets.ids, hash[i]);
	}
	for (uint32_t i = 0; i < n; at = end[i++]) {
		ids[i] = 0;
		if (end[i] > at && lists_add(&b->sets, labels + at, end[i] - at, hash[i], &ids[i], err) < 0)
			return err_wrap(err, "label sets");
	}
	return 0;
}

int builder_label_sets(struct builder *b, const uint32_t *labels, const size_t *end, uint32_t n, uint32_t *ids,
		       struct err *err)
{
	int rc = 0;

	assert(labels || n == 0 || end[n - 1] == 0);
	for (uint32_t i = 0; rc == 0 && i < n; i += SETS_AT_ONCE)
		rc = label_sets_add(b, labels, i ? end[i - 1] : 0, end + i, n - i < SETS_AT_ONCE ? n - i : SETS_AT_ONCE,
				    ids + i, err);
	return rc;
}

void builder_reserve_label_sets(struct builder *b, size_t n, size_t n_all)
{
	struct lists *l = &b->sets;
	double times = (double)n_all / (double)n;
	size_t n_sets = (size_t)(times * l->n);

	l->item = mem_grow(l->item, &l->cap_item, (size_t)(times * l->off[l->n]), sizeof(*l->item));
	l->off = mem_grow(l->off, &l->cap_off, n_sets + 1, sizeof(*l->off));
	idtab_reserve(&l->ids, n_sets);
}

/*
 * Make room for need rows. A large first allocation has no spare room, since readers know the number of rows. The pages of its
 * labels take no memory until a label is written.
 */
static void rows_grow(struct builder *b, size_t need)
{
	struct profile *p = b->p;
	size_t *cap = &b->cap_rows;
	bool first = *cap == 0 && need > ROWS_KNOWN;

	if (!is_full(*cap, need) && p->stack)
		return;
	for (uint32_t t = 0; t < p->n_types; t++)
		p->value[t] = first ? mem_alloc_large(need, sizeof(int64_t)) : GROW(p->value[t], cap, need);
	p->labels = first ? mem_zalloc(need, sizeof(*p->labels)) : GROW(p->labels, cap, need);
	p->stack = first ? mem_alloc_large(need, sizeof(*p->stack)) : mem_grow(p->stack, cap, need, sizeof(*p->stack));
	if (first)
		*cap = b->n_zero_labels = need;
}

void builder_reserve_rows(struct builder *b, size_t n_rows)
{
	assert(b->p->n_rows == 0);
	rows_grow(b, n_rows);
}

int builder_rows(struct builder *b, uint32_t n, struct builder_rows *rows, struct err *err)
{
	struct profile *p = b->p;

	if (n > ID_MAX - p->n_rows)
		return err_set(err, ERR_LIMIT, "more than %u samples", (unsigned)ID_MAX);
	rows_grow(b, (size_t)p->n_rows + n);
	for (uint32_t t = 0; t < p->n_types; t++)
		memset(p->value[t] + p->n_rows, 0, n * sizeof(int64_t));
	if ((size_t)p->n_rows + n > b->n_zero_labels)
		memset(p->labels + p->n_rows, 0, n * sizeof(*p->labels));
	*rows = (struct builder_rows){ p->n_rows, p->stack + p->n_rows, p->labels + p->n_rows };
	p->n_rows += n;
	assert(p->n_rows <= b->cap_rows);
	return 0;
}

uint32_t *builder_labels(struct builder *b)
{
	return b->p->labels;
}

int64_t *builder_values(struct builder *b, uint32_t type)
{
	assert(type < b->p->n_types);
	return b->p->value[type];
}

int builder_sample(struct builder *b, const int64_t *values, const uint32_t *locs, size_t n, const uint32_t *labels,
		   size_t n_labels, struct err *err)
{
	struct builder_rows rows;
	uint32_t stack, set;

	assert((values || b->p->n_types == 0) && (locs || n == 0));
	if (builder_stack(b, locs, n, builder_stack_hash(locs, n), &stack, err) < 0 ||
	    builder_label_set(b, labels, n_labels, &set, err) < 0 || builder_rows(b, 1, &rows, err) < 0)
		return ERR_LIMIT;
	rows.stack[0] = stack;
	rows.labels[0] = set;
	for (uint32_t t = 0; t < b->p->n_types; t++)
		builder_values(b, t)[rows.first] = values[t];
	return 0;
}

static void *own_column(struct profile *p, void *column)
{
	return arena_own(p->mem, column ? column : mem_zalloc(1, sizeof(uint64_t)));
}

static struct csr lists_seal(struct lists *l, struct profile *p)
{
	struct csr c = { l->n, own_column(p, l->off),
			 own_column(p, mem_trim(l->item, l->off[l->n], sizeof(*l->item))) };

	assert(l->off && l->off[l->n] <= l->cap_item && l->n < l->cap_off);
	idtab_release(&l->ids);
	*l = (struct lists){ 0 };
	return c;
}

struct profile *builder_seal(struct builder *b)
{
	struct profile *p = b->p;

	assert(b->p);
#define OWN(column) p->column = own_column(p, p->column);
	EACH_COLUMN(OWN)
#undef OWN
	for (uint32_t t = 0; t < p->n_types; t++)
		p->value[t] = own_column(p, mem_trim(p->value[t], p->n_rows, sizeof(int64_t)));
	p->value = own_column(p, p->value);
	p->stacks = builder_stacks_seal(&b->stacks, p->mem);
	p->label_sets = lists_seal(&b->sets, p);
	b->p = NULL;
	return p;
}

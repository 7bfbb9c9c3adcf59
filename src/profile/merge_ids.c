/*
 * merge_ids.c - map ids of a source profile to ids of the merged profile
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * An entry of a source is translated once, when a row first uses it, so merged entries are numbered in
 * order of first use. For a location that order is: mapping, functions from the innermost line outward,
 * then the location itself. From pprof profile/merge.go.
 */
#include "config.h"

#include "profile/merge_ids.h"

#include "base/mem.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE_BYTES = 4096, MAP_WORDS = 3, FUNC_WORDS = 3, LINE_WORDS = 3, LOC_WORDS = 2, KNOWN_LINES = 8 };

void merge_known_init(struct merge_known *k, const struct merge_target *to, bool is_relative)
{
	*k = (struct merge_known){ .to = *to, .is_relative = is_relative };
	keys_init(&k->maps, MAP_WORDS, 0);
	keys_init(&k->funcs, FUNC_WORDS, 0);
	keys_init(&k->locs, 0, 0);
}

static int add_mapping(void *b, const struct mapping *m, uint32_t *id, struct err *err)
{
	return builder_mapping(b, m, id, err);
}

static int merge_ids_add_function(void *b, const struct builder_function *f, uint32_t *id, struct err *err)
{
	return builder_function(b, f, id, err);
}

static int merge_ids_add_location(void *b, const struct builder_location *l, const struct builder_line *lines, size_t n,
				  uint32_t *id, struct err *err)
{
	return builder_location(b, l, lines, n, id, err);
}

static int merge_ids_add_label(void *b, const struct builder_label *l, uint32_t *id, struct err *err)
{
	return builder_label(b, l, id, err);
}

static int add_label_set(void *b, const uint32_t *labels, size_t n, uint32_t *id, struct err *err)
{
	return builder_label_set(b, labels, n, id, err);
}

void merge_known_init_builder(struct merge_known *k, struct builder *b)
{
	merge_known_init(k,
			 &(struct merge_target){ .arg = b,
						 .str = builder_strings(b),
						 .mapping = add_mapping,
						 .function = merge_ids_add_function,
						 .location = merge_ids_add_location,
						 .label = merge_ids_add_label,
						 .label_set = add_label_set },
			 false);
}

void merge_known_release(struct merge_known *k)
{
	keys_release(&k->maps);
	keys_release(&k->funcs);
	keys_release(&k->locs);
	free(k->map_start);
}

void merge_ids_init(struct merge_ids *m, struct merge_known *known)
{
	*m = (struct merge_ids){ .known = known };
}

static void source_release(struct merge_ids *m)
{
	free(m->str);
	free(m->map);
	free(m->func);
	free(m->loc);
	free(m->stack);
	free(m->label);
	free(m->set);
}

void merge_ids_release(struct merge_ids *m)
{
	source_release(m);
	free(m->word);
	free(m->line);
	free(m->list);
}

static uint32_t *merge_ids_alloc(uint32_t n)
{
	uint32_t *id = mem_alloc(n, sizeof(*id));

	memset(id, 0xff, n * sizeof(*id));
	return id;
}

str_id merge_ids_text(struct merge_ids *m, const struct profile *p, str_id id)
{
	return strtab_add_from(m->known->to.str, p->str, id);
}

static str_id translate_string(struct merge_ids *m, str_id id)
{
	if (m->str[id] == PROFILE_NONE)
		m->str[id] = merge_ids_text(m, m->src, id);
	return m->str[id];
}

/*
 * The size of the mapping is rounded up to pages, since the end of a mapping varies a little between runs of a
 * program. Empty mappings have the same key.
 *
 * str   ids of the strings in the result; NULL if the mapping has these ids
 */
static void map_key(uint64_t key[MAP_WORDS], const struct mapping *map, const str_id *str)
{
	uint64_t size = map->limit - map->start + PAGE_BYTES - 1;
	str_id name = map->build_id ? map->build_id : map->file;

	key[0] = size - size % PAGE_BYTES;
	key[1] = map->offset;
	key[2] = str ? str[name] : name;
}

/* The id of a mapping of the result, which is registered if it is new. */
static int known_mapping(struct merge_known *k, const struct mapping *map, uint32_t *id, struct err *err)
{
	uint32_t before = k->maps.n;
	uint64_t key[MAP_WORDS];

	map_key(key, map, NULL);
	if (keys_add(&k->maps, key, MAP_WORDS, keys_hash(key, MAP_WORDS), id, err) < 0)
		return err_wrap(err, "mappings");
	if (*id == before) {
		k->map_start = mem_grow(k->map_start, &k->cap_maps, (size_t)*id + 1, sizeof(*k->map_start));
		k->map_start[*id] = k->is_relative ? 0 : map->start;
	}
	return 0;
}

bool merge_known_mapping(struct merge_known *k, const struct mapping *m)
{
	uint32_t before = k->maps.n, id;

	return known_mapping(k, m, &id, NULL) == 0 && id == before;
}

int merge_ids_mapping(struct merge_ids *m, uint32_t map, uint32_t *id, struct err *err)
{
	struct mapping copy = m->src->map[map];
	uint32_t before = m->known->maps.n, new_id;

	*id = m->map[map];
	if (*id != PROFILE_NONE)
		return 0;
	copy.file = translate_string(m, copy.file);
	copy.build_id = translate_string(m, copy.build_id);
	copy.kernel_symbol = translate_string(m, copy.kernel_symbol);
	if (known_mapping(m->known, &copy, id, err) < 0)
		return ERR_LIMIT;
	copy.id = (uint64_t)*id + 1;
	if (*id == before && m->known->to.mapping(m->known->to.arg, &copy, &new_id, err) < 0)
		return ERR_LIMIT;
	m->map[map] = *id;
	return 0;
}

static void func_key(uint64_t key[FUNC_WORDS], str_id name, str_id sysname, str_id file, int64_t start)
{
	key[0] = (uint64_t)name << 32 | sysname;
	key[1] = file;
	key[2] = (uint64_t)start;
}

static int known_function(struct merge_known *k, const struct builder_function *f, uint32_t *id, struct err *err)
{
	uint64_t key[FUNC_WORDS];

	func_key(key, f->name, f->sysname, f->file, f->start);
	if (keys_add(&k->funcs, key, FUNC_WORDS, keys_hash(key, FUNC_WORDS), id, err) < 0)
		return err_wrap(err, "functions");
	return 0;
}

bool merge_known_function(struct merge_known *k, const struct builder_function *f)
{
	uint32_t before = k->funcs.n, id;

	return known_function(k, f, &id, NULL) == 0 && id == before;
}

static int translate_function(struct merge_ids *m, uint32_t func, uint32_t *id, struct err *err)
{
	const struct profile *p = m->src;
	uint32_t before = m->known->funcs.n, new_id;
	struct builder_function f;

	*id = m->func[func];
	if (*id != PROFILE_NONE)
		return 0;
	f = (struct builder_function){ .name = translate_string(m, p->func_name[func]),
				       .sysname = translate_string(m, p->func_sysname[func]),
				       .file = translate_string(m, p->func_file[func]),
				       .start = p->func_start[func] };
	if (known_function(m->known, &f, id, err) < 0)
		return ERR_LIMIT;
	f.id = (uint64_t)*id + 1;
	if (*id == before && m->known->to.function(m->known->to.arg, &f, &new_id, err) < 0)
		return ERR_LIMIT;
	m->func[func] = *id;
	return 0;
}

static void line_key(uint64_t key[LINE_WORDS], uint32_t func, int64_t no, int64_t col)
{
	key[0] = func;
	key[1] = (uint64_t)no;
	key[2] = (uint64_t)col;
}

static void loc_key(uint64_t key[LOC_WORDS], uint64_t addr, uint32_t map, bool folded)
{
	key[0] = addr;
	key[1] = (uint64_t)map << 1 | folded;
}

/* The id of a location of the result, which is registered if it is new. word: [LOC_WORDS + LINE_WORDS * n] is filled in. */
static int known_location(struct merge_known *k, const struct builder_location *l, const struct builder_line *lines,
			  size_t n, uint64_t *word, uint32_t *id, struct err *err)
{
	size_t n_words = LOC_WORDS + LINE_WORDS * n;

	loc_key(word, l->addr, l->map, l->folded);
	for (size_t i = 0; i < n; i++)
		line_key(word + LOC_WORDS + LINE_WORDS * i, lines[i].func, lines[i].no, lines[i].col);
	if (keys_add(&k->locs, word, n_words, keys_hash(word, n_words), id, err) < 0)
		return err_wrap(err, "locations");
	return 0;
}

bool merge_known_location(struct merge_known *k, const struct builder_location *l, const struct builder_line *lines,
			  size_t n)
{
	uint64_t *word = mem_alloc(LOC_WORDS + LINE_WORDS * n, sizeof(*word));
	uint32_t before = k->locs.n, id;
	bool is_new = known_location(k, l, lines, n, word, &id, NULL) == 0 && id == before;

	free(word);
	return is_new;
}

/* Translate the lines of a location to m->line. */
static int translate_lines(struct merge_ids *m, uint32_t first, size_t n, struct err *err)
{
	const struct profile *p = m->src;

	m->line = mem_grow(m->line, &m->cap_lines, n, sizeof(*m->line));
	for (size_t i = 0; i < n; i++) {
		struct builder_line *l = &m->line[i];

		if (translate_function(m, p->line_func[first + i], &l->func, err) < 0)
			return ERR_LIMIT;
		l->no = p->line_no[first + i];
		l->col = p->line_col[first + i];
	}
	return 0;
}

/*
 * If a mapping was loaded at another address, its addresses are adjusted, so that a position in a binary is the same
 * location in all profiles.
 */
static uint64_t adjust_address(const struct merge_ids *m, uint32_t loc, uint32_t map)
{
	const struct profile *p = m->src;
	uint64_t start = m->src_is_relative ? 0 : p->map[p->loc_map[loc]].start;

	return p->loc_addr[loc] - start + m->known->map_start[map];
}

int merge_ids_location(struct merge_ids *m, uint32_t loc, uint32_t *id, struct err *err)
{
	const struct profile *p = m->src;
	struct builder_location l = { .addr = p->loc_addr[loc], .map = p->loc_map[loc], .folded = p->loc_folded[loc] };
	size_t n = p->loc_line[loc + 1] - p->loc_line[loc];
	uint32_t before = m->known->locs.n, new_id;

	*id = m->loc[loc];
	if (*id != PROFILE_NONE)
		return 0;
	if (l.map != PROFILE_NONE) {
		if (merge_ids_mapping(m, p->loc_map[loc], &l.map, err) < 0)
			return ERR_LIMIT;
		l.addr = adjust_address(m, loc, l.map);
	}
	if (translate_lines(m, p->loc_line[loc], n, err) < 0)
		return ERR_LIMIT;
	m->word = mem_grow(m->word, &m->cap_words, LOC_WORDS + LINE_WORDS * n, sizeof(*m->word));
	if (known_location(m->known, &l, m->line, n, m->word, id, err) < 0)
		return ERR_LIMIT;
	l.id = (uint64_t)*id + 1;
	if (*id == before && m->known->to.location(m->known->to.arg, &l, m->line, n, &new_id, err) < 0)
		return ERR_LIMIT;
	m->loc[loc] = *id;
	return 0;
}

int merge_ids_frames(struct merge_ids *m, uint32_t stack, size_t *at, struct err *err)
{
	const struct stack_lists *s = &m->src->stacks;
	size_t more = s->off[stack + 1] - s->off[stack];
	uint32_t *list;

	m->list = mem_grow(m->list, &m->cap_list, *at + more, sizeof(*m->list));
	list = m->list + *at;
	stack_read(s, s->off[stack], more, list);
	for (size_t i = 0; i < more; i++) {
		uint32_t loc = list[i];

		list[i] = m->loc[loc];
		if (list[i] == PROFILE_NONE && merge_ids_location(m, loc, &list[i], err) < 0)
			return ERR_LIMIT;
	}
	*at += more;
	return 0;
}

/* A stack to translate; its frames are list[start .. start + n). */
struct merge_ids_new_stack {
	uint32_t stack, guess;
	size_t start, n;
	uint64_t hash;
};

/*
 * The stacks of the result are far larger than any cache. Finding a known stack takes three dependent
 * cache misses: slot, offset, frames. Each is prefetched for all stacks before the first is used.
 */
static void prefetch_stacks(const struct builder *b, struct merge_ids_new_stack *new_stacks, size_t n)
{
	for (size_t i = 0; i < n; i++)
		new_stacks[i].guess = builder_stack_guess(b, new_stacks[i].hash);
	for (size_t i = 0; i < n; i++)
		if (new_stacks[i].guess != PROFILE_NONE)
			builder_stack_prefetch_frames(b, new_stacks[i].guess);
}

/* A stack that occurs twice in a group is harmlessly looked up twice. */
int merge_ids_stacks(struct merge_ids *m, struct builder *b, const uint32_t *stack, size_t n_stacks, struct err *err)
{
	struct merge_ids_new_stack new_stacks[MERGE_STACKS];
	size_t n_new = 0, n = 0;

	assert(n_stacks <= MERGE_STACKS && m->src);
	for (size_t i = 0; i < n_stacks; i++) {
		struct merge_ids_new_stack *f = &new_stacks[n_new];

		if (m->stack[stack[i]] != PROFILE_NONE)
			continue;
		f->stack = stack[i];
		f->start = n;
		if (merge_ids_frames(m, stack[i], &n, err) < 0)
			return ERR_LIMIT;
		f->n = n - f->start;
		f->hash = builder_stack_hash(m->list + f->start, f->n);
		builder_stack_prefetch(b, f->hash);
		n_new++;
	}
	prefetch_stacks(b, new_stacks, n_new);
	for (size_t i = 0; i < n_new; i++)
		if (builder_stack(b, m->list + new_stacks[i].start, new_stacks[i].n, new_stacks[i].hash,
				  &m->stack[new_stacks[i].stack], err) < 0)
			return ERR_LIMIT;
	return 0;
}

/* Compare labels: texts before numbers, then by key, then by position. An argument is position << 32 | label. */
static int merge_ids_label_order(const struct profile *p, const uint64_t *a, const uint64_t *b)
{
	uint32_t la = (uint32_t)*a, lb = (uint32_t)*b;
	str_id ka = p->label_key[la], kb = p->label_key[lb];
	size_t na = strtab_len(p->str, ka), nb = strtab_len(p->str, kb);
	int rc = p->label_is_text[lb] - p->label_is_text[la];

	if (rc == 0 && ka != kb)
		rc = memcmp(profile_text(p, ka), profile_text(p, kb), na < nb ? na : nb);
	if (rc == 0)
		rc = (na > nb) - (na < nb);
	return rc ? rc : (*a > *b) - (*a < *b);
}

static int label_compare(const void *a, const void *b, void *ids)
{
	const struct merge_ids *m = ids;

	return merge_ids_label_order(m->src, a, b);
}

static int translate_label(struct merge_ids *m, uint32_t label, uint32_t *id, struct err *err)
{
	const struct profile *p = m->src;
	struct builder_label l;

	*id = m->label[label];
	if (*id != PROFILE_NONE)
		return 0;
	l = (struct builder_label){ .key = translate_string(m, p->label_key[label]),
				    .text = translate_string(m, p->label_text[label]),
				    .unit = translate_string(m, p->label_unit[label]),
				    .num = p->label_num[label],
				    .is_text = p->label_is_text[label] };
	if (m->known->to.label(m->known->to.arg, &l, id, err) < 0)
		return ERR_LIMIT;
	m->label[label] = *id;
	return 0;
}

/* Sort the labels of a set into m->word, so that sets with the same labels are equal. */
static void labels_sort(struct merge_ids *m, const uint32_t *src, size_t n)
{
	bool sorted = true;

	m->word = mem_grow(m->word, &m->cap_words, n, sizeof(*m->word));
	for (size_t i = 0; i < n; i++) {
		m->word[i] = (uint64_t)i << 32 | src[i];
		sorted = sorted && (i == 0 || merge_ids_label_order(m->src, &m->word[i - 1], &m->word[i]) < 0);
	}
	if (!sorted)
		qsort_r(m->word, n, sizeof(*m->word), label_compare, m);
}

int merge_ids_labels(struct merge_ids *m, uint32_t set, uint32_t *id, struct err *err)
{
	const uint32_t *src = m->src->label_sets.item + m->src->label_sets.off[set];
	size_t n = m->src->label_sets.off[set + 1] - m->src->label_sets.off[set];

	assert(m->src && set < m->src->label_sets.n);
	*id = m->set[set];
	if (*id != PROFILE_NONE)
		return 0;
	labels_sort(m, src, n);
	m->list = mem_grow(m->list, &m->cap_list, n, sizeof(*m->list));
	for (size_t i = 0; i < n; i++)
		if (translate_label(m, (uint32_t)m->word[i], &m->list[i], err) < 0)
			return ERR_LIMIT;
	if (m->known->to.label_set(m->known->to.arg, m->list, n, id, err) < 0)
		return ERR_LIMIT;
	m->set[set] = *id;
	return 0;
}

/*
 * Look up known entries in one loop per table, so that the CPU overlaps many cache misses. Following the order of the
 * samples, it would wait for each cache miss.
 */
static void find_known_strings(struct merge_ids *m)
{
	const struct strtab *known = m->known->to.str;

	for (uint32_t i = 0; i < strtab_count(m->src->str); i++)
		strtab_find_from(known, m->src->str, i, &m->str[i]);
}

static void find_known_functions(struct merge_ids *m)
{
	const struct profile *p = m->src;

	for (uint32_t i = 0; i < p->n_funcs; i++) {
		str_id name = m->str[p->func_name[i]], sysname = m->str[p->func_sysname[i]];
		uint64_t key[FUNC_WORDS];

		func_key(key, name, sysname, m->str[p->func_file[i]], p->func_start[i]);
		keys_find(&m->known->funcs, key, FUNC_WORDS, keys_hash(key, FUNC_WORDS), &m->func[i]);
	}
}

static uint32_t find_known_mapping(const struct merge_ids *m, uint32_t map)
{
	uint64_t key[MAP_WORDS];
	uint32_t id = PROFILE_NONE;

	map_key(key, &m->src->map[map], m->str);
	keys_find(&m->known->maps, key, MAP_WORDS, keys_hash(key, MAP_WORDS), &id);
	return id;
}

static void find_known_locations(struct merge_ids *m)
{
	const struct profile *p = m->src;
	uint64_t word[LOC_WORDS + LINE_WORDS * KNOWN_LINES];

	for (uint32_t i = 0; i < p->n_locs; i++) {
		uint32_t first = p->loc_line[i], n = p->loc_line[i + 1] - first, map = PROFILE_NONE;
		uint64_t addr = p->loc_addr[i];

		if (n > KNOWN_LINES)
			continue;
		if (p->loc_map[i] != PROFILE_NONE) {
			map = m->map[p->loc_map[i]];
			if (map == PROFILE_NONE)
				continue;
			addr = adjust_address(m, i, map);
		}
		loc_key(word, addr, map, p->loc_folded[i]);
		for (uint32_t l = 0; l < n; l++)
			line_key(word + LOC_WORDS + LINE_WORDS * l, m->func[p->line_func[first + l]],
				 p->line_no[first + l], p->line_col[first + l]);
		keys_find(&m->known->locs, word, LOC_WORDS + LINE_WORDS * n,
			  keys_hash(word, LOC_WORDS + LINE_WORDS * n), &m->loc[i]);
	}
}

static void find_known(struct merge_ids *m)
{
	find_known_strings(m);
	find_known_functions(m);
	for (uint32_t i = 0; i < m->src->n_maps; i++)
		m->map[i] = find_known_mapping(m, i);
	find_known_locations(m);
}

void merge_ids_set_source(struct merge_ids *m, const struct profile *src, bool is_relative)
{
	source_release(m);
	m->src = src;
	m->src_is_relative = is_relative;
	m->str = merge_ids_alloc(strtab_count(src->str));
	m->map = merge_ids_alloc(src->n_maps);
	m->func = merge_ids_alloc(src->n_funcs);
	m->loc = merge_ids_alloc(src->n_locs);
	m->stack = merge_ids_alloc(src->stacks.n);
	m->label = merge_ids_alloc(src->n_labels);
	m->set = merge_ids_alloc(src->label_sets.n);
	if (m->known->maps.n || m->known->locs.n)
		find_known(m);
}

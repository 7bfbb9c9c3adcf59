/*
 * match.c - find the same function in several profiles, at any address
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Functions of one name are matched together: those of earlier profiles with those of the new one. Nearly always there
 * is one on each side. Otherwise they are sorted by the end of their path, once per length of that end.
 */
#include "config.h"

#include "engine/match.h"

#include "base/mem.h"
#include "base/utf8.h"
#include "engine/query_filter.h"
#include "profile/keys.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PATH_PARTS_MAX = 8 }; /* max number of path parts that are compared, from the end of the path */

struct match {
	struct strtab *text;
	uint32_t n_funcs;
	struct match_func {
		str_id name, file;
		uint32_t next; /* previous function of the same name, + 1 */
	} * func;              /* [n_funcs] */
	size_t cap_funcs;
	uint32_t *first; /* [cap_first] by name: the function appended last, + 1 */
	size_t cap_first, n_first;
	struct keys rows; /* function, line, column */
	match_name_fn name;
	void *name_arg;
};

/* A function of the new profile. */
struct match_pair {
	str_id name, file;
	uint32_t func; /* matching function, if found */
	uint32_t next; /* previous function of the same name, + 1 */
};

struct match_candidate {
	const char *file, *end;
	uint32_t id;
	bool known; /* id is the index of a function of the match; otherwise of a pair */
};

struct match_builder {
	struct match *m;
	struct places *pl;
	struct keys keys;
	struct match_pair *pair;
	size_t cap_pairs;
	str_id *file;      /* [files of pl] id of the file in the match, + 1; 0 until needed */
	uint32_t *pair_of; /* [places] */
	struct match_candidate *list;
	size_t n_list, cap_list;
};

struct match *match_new(void)
{
	struct match *m = mem_zalloc(1, sizeof(*m));

	m->text = strtab_new();
	keys_init(&m->rows, 3, 0);
	return m;
}

void match_free(struct match *m)
{
	if (!m)
		return;
	strtab_free(m->text);
	free(m->func);
	free(m->first);
	keys_release(&m->rows);
	free(m);
}

void match_set_names(struct match *m, match_name_fn fn, void *arg)
{
	m->name = fn;
	m->name_arg = arg;
}

uint32_t match_count(const struct match *m)
{
	return m->rows.n;
}

static const struct match_func *func_of(const struct match *m, uint32_t row)
{
	assert(row < m->rows.n);
	return &m->func[m->rows.word[(size_t)row * m->rows.width]];
}

const char *match_name(const struct match *m, uint32_t row)
{
	return strtab_text(m->text, func_of(m, row)->name);
}

const char *match_file(const struct match *m, uint32_t row)
{
	return strtab_text(m->text, func_of(m, row)->file);
}

int64_t match_line(const struct match *m, uint32_t row)
{
	return (int64_t)m->rows.word[(size_t)row * m->rows.width + 1];
}

void match_add_label(const struct match *m, uint32_t row, bool with_file, struct buf *out)
{
	const char *name = match_name(m, row), *file = match_file(m, row);
	int64_t line = match_line(m, row), col = (int64_t)m->rows.word[(size_t)row * m->rows.width + 2];

	buf_addz(out, name);
	if (*name && !line && !(with_file && *file))
		return;
	if (*name)
		buf_addz(out, " ");
	buf_addz(out, file);
	if (line)
		buf_addf(out, ":%" PRId64, line);
	if (line && col)
		buf_addf(out, ":%" PRId64, col);
}

int match_query(const struct query_filter *q, struct query_filter *out, struct err *err)
{
	if (q->granularity == GRAIN_ADDRESSES)
		return err_set(err, ERR_USAGE,
			       "-addresses: addresses differ between builds; compare functions, files or lines");
	*out = *q;
	if (q->granularity == GRAIN_FUNCTIONS)
		out->granularity = GRAIN_FILEFUNCTIONS;
	return 0;
}

/* Make the name of a function: with the callback if there is one, otherwise by removing compiler suffixes. */
static int function_name(struct match_builder *mk, const char *name, size_t n, const char *file, str_id *id,
			 struct err *err)
{
	struct match *m = mk->m;
	struct buf own = { 0 };
	int rc = 0;

	if (memchr(name, 0, n)) {
		utf8_add_safe(&own, name, n); /* a C string cannot contain a NUL */
		*id = strtab_addz(m->text, buf_text(&own));
	} else if (m->name) {
		rc = m->name(m->name_arg, name, n, file, &own, err);
		*id = strtab_add(m->text, buf_text(&own), own.len);
	} else {
		size_t start = match_name_start(name, n);

		*id = strtab_add(m->text, name + start, match_name_len(name, n, file) - start);
	}
	buf_release(&own);
	return rc;
}

/* Make the name of a place. A place without name and file uses its printed text. */
static int match_name_of(struct match_builder *mk, const struct place *k, const char *file, str_id *id, struct err *err)
{
	const struct profile *p = mk->pl->p;
	struct buf printed = { 0 };

	*id = 0;
	if (k->name)
		return function_name(mk, profile_text(p, k->name), strtab_len(p->str, k->name), file, id, err);
	if (!k->file) {
		places_add_name(mk->pl, (uint32_t)(k - mk->pl->place), &printed);
		*id = strtab_addz(mk->m->text, buf_text(&printed));
		buf_release(&printed);
	}
	return 0;
}

static str_id match_file_of(struct match_builder *mk, uint32_t file)
{
	if (!mk->file[file])
		mk->file[file] = strtab_addz(mk->m->text, strtab_text(mk->pl->files, file)) + 1;
	return mk->file[file] - 1;
}

static int collect_pairs(struct match_builder *mk, struct err *err)
{
	const struct places *pl = mk->pl;

	for (uint32_t i = 0; i < pl->n; i++) {
		const struct place *k = &pl->place[i];
		struct match_pair pair = { .file = match_file_of(mk, k->file), .func = PROFILE_NONE };
		uint64_t word;
		uint32_t before = mk->keys.n;
		int rc = match_name_of(mk, k, strtab_text(mk->m->text, pair.file), &pair.name, err);

		if (rc < 0)
			return rc;
		word = (uint64_t)pair.name << 32 | pair.file;
		if (keys_add(&mk->keys, &word, 1, keys_hash(&word, 1), &mk->pair_of[i], err) < 0)
			return ERR_LIMIT;
		if (mk->keys.n == before)
			continue;
		mk->pair = mem_grow(mk->pair, &mk->cap_pairs, mk->keys.n, sizeof(*mk->pair));
		mk->pair[before] = pair;
	}
	return 0;
}

/* Chain the functions of the profile by name. Returns the last function of each chain, + 1, by name. */
static uint32_t *chain_pairs(struct match_builder *mk)
{
	uint32_t *last = mem_zalloc(strtab_count(mk->m->text), sizeof(*last));

	for (uint32_t i = 0; i < mk->keys.n; i++) {
		mk->pair[i].next = last[mk->pair[i].name];
		last[mk->pair[i].name] = i + 1;
	}
	return last;
}

static void candidate_add(struct match_builder *mk, str_id file, uint32_t id, bool known)
{
	mk->list = mem_grow(mk->list, &mk->cap_list, mk->n_list + 1, sizeof(*mk->list));
	mk->list[mk->n_list++] =
		(struct match_candidate){ .file = strtab_text(mk->m->text, file), .id = id, .known = known };
}

/* The last parts of a path, at most this many; 0 for the whole path. */
static const char *match_path_end(const char *path, unsigned parts)
{
	const char *end = path + strlen(path);

	if (parts == 0)
		return path;
	while (end > path && (end[-1] != '/' || --parts))
		end--;
	return end;
}

static int match_compare_candidates(const void *a, const void *b)
{
	const struct match_candidate *l = a, *r = b;
	int c = strcmp(l->end, r->end);

	if (c == 0)
		c = r->known - l->known;
	return c ? c : (l->id > r->id) - (l->id < r->id);
}

static void match_join(struct match_builder *mk, const struct match_candidate *known, const struct match_candidate *own)
{
	assert(known->known && !own->known);
	assert(known->id < mk->m->n_funcs && own->id < mk->keys.n);
	mk->pair[own->id].func = known->id;
	mk->m->func[known->id].file = mk->pair[own->id].file;
}

/* Join functions with the same path end if it is unique on both sides. */
static void join_by_end(struct match_builder *mk, unsigned parts)
{
	struct match_candidate *list = mk->list;
	size_t left = 0, end;

	for (size_t i = 0; i < mk->n_list; i++)
		list[i].end = match_path_end(list[i].file, parts);
	qsort(list, mk->n_list, sizeof(*list), match_compare_candidates);
	for (size_t i = 0; i < mk->n_list; i = end) {
		for (end = i + 1; end < mk->n_list && strcmp(list[end].end, list[i].end) == 0; end++)
			;
		if (end - i == 2 && list[i].known && !list[i + 1].known && (*list[i].end || parts == 0)) {
			match_join(mk, &list[i], &list[i + 1]);
			continue;
		}
		memmove(list + left, list + i, (end - i) * sizeof(*list));
		left += end - i;
	}
	assert(left <= mk->n_list);
	mk->n_list = left;
}

/* Join the two functions of a name, if each is the only one on its side; their files have nothing in common. */
static void join_only(struct match_builder *mk)
{
	const struct match_candidate *list = mk->list;

	assert(mk->n_list == 2);
	if (list[0].known != list[1].known)
		match_join(mk, &list[!list[0].known], &list[list[0].known]);
}

/* The function with a file, + 1, if there is only one; it also represents functions without a file. Otherwise 0. */
static uint32_t only_with_file(const struct match_builder *mk, uint32_t last)
{
	uint32_t found = 0;

	for (uint32_t i = last; i; i = mk->pair[i - 1].next) {
		if (mk->pair[i - 1].file && found)
			return 0;
		if (mk->pair[i - 1].file)
			found = i;
	}
	return found;
}

static int append_func(struct match *m, struct match_pair *pair, struct err *err)
{
	if (m->n_funcs >= PLACES_MANY - 1)
		return err_set(err, ERR_LIMIT, "too many functions to compare");
	assert(pair->func == PROFILE_NONE && pair->name < m->n_first);
	m->func = mem_grow(m->func, &m->cap_funcs, (size_t)m->n_funcs + 1, sizeof(*m->func));
	m->func[m->n_funcs] = (struct match_func){ pair->name, pair->file, m->first[pair->name] };
	pair->func = m->n_funcs++;
	m->first[pair->name] = m->n_funcs;
	return 0;
}

/* Match all functions of one name; last is the last function in the chain of the new profile. */
static int match_group(struct match_builder *mk, str_id name, uint32_t last, struct err *err)
{
	struct match *m = mk->m;
	uint32_t representative = name ? only_with_file(mk, last) : 0;
	size_t n;

	mk->n_list = 0;
	for (uint32_t i = last; i; i = mk->pair[i - 1].next)
		if (mk->pair[i - 1].file || !representative)
			candidate_add(mk, mk->pair[i - 1].file, i - 1, false);
	for (uint32_t f = m->first[name]; f; f = m->func[f - 1].next)
		candidate_add(mk, m->func[f - 1].file, f - 1, true);
	n = mk->n_list;
	join_by_end(mk, 0);
	for (unsigned parts = PATH_PARTS_MAX; parts > 0 && mk->n_list > 1 && (n > 2 || !name); parts--)
		join_by_end(mk, parts);
	if (name && n == 2 && mk->n_list == 2)
		join_only(mk);
	for (uint32_t i = last; i; i = mk->pair[i - 1].next)
		if (mk->pair[i - 1].func == PROFILE_NONE && (mk->pair[i - 1].file || !representative) &&
		    append_func(m, &mk->pair[i - 1], err) < 0)
			return ERR_LIMIT;
	for (uint32_t i = last; i && representative; i = mk->pair[i - 1].next)
		if (!mk->pair[i - 1].file)
			mk->pair[i - 1].func = mk->pair[representative - 1].func;
	return 0;
}

static int match_groups(struct match_builder *mk, struct err *err)
{
	struct match *m = mk->m;
	uint32_t *last = chain_pairs(mk);
	size_t n = strtab_count(m->text);
	int rc = 0;

	assert(n >= m->n_first);
	m->first = mem_grow(m->first, &m->cap_first, n, sizeof(*m->first));
	memset(m->first + m->n_first, 0, (n - m->n_first) * sizeof(*m->first));
	m->n_first = n;
	for (uint32_t i = 0; rc == 0 && i < mk->keys.n; i++)
		if (mk->pair[i].func == PROFILE_NONE)
			rc = match_group(mk, mk->pair[i].name, last[mk->pair[i].name], err);
	free(last);
	return rc;
}

static int match_rows(struct match_builder *mk, struct err *err)
{
	struct places *pl = mk->pl;
	uint32_t *row = mk->pair_of;

	for (uint32_t i = 0; i < pl->n; i++) {
		const struct place_detail *d = places_detail(pl, i);
		uint64_t word[3] = { mk->pair[mk->pair_of[i]].func, (uint64_t)d->line, (uint64_t)d->col };

		if (keys_add(&mk->m->rows, word, 3, keys_hash(word, 3), &row[i], err) < 0)
			return ERR_LIMIT;
		if (mk->m->rows.n >= PLACES_MANY)
			return err_set(err, ERR_LIMIT, "too many rows to compare");
	}
	places_renumber(pl, row);
	pl->n = mk->m->rows.n;
	assert(pl->n < PLACES_MANY);
	pl->place = NULL;
	return 0;
}

int match_places(struct match *m, struct places *pl, struct err *err)
{
	struct match_builder mk = { .m = m, .pl = pl };
	int rc;

	assert(pl->place || pl->n == 0); /* places can be converted to rows only once */
	keys_init(&mk.keys, 1, pl->n);
	mk.file = mem_zalloc(strtab_count(pl->files), sizeof(*mk.file));
	mk.pair_of = mem_alloc(pl->n, sizeof(*mk.pair_of));
	rc = collect_pairs(&mk, err);
	if (rc == 0)
		rc = match_groups(&mk, err);
	if (rc == 0)
		rc = match_rows(&mk, err);
	keys_release(&mk.keys);
	free(mk.file);
	free(mk.pair_of);
	free(mk.pair);
	free(mk.list);
	return rc;
}

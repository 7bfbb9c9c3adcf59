/*
 * places.c - places, the rows of a report
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * Most reports are by function. Then a place depends only on the name of the function, and needs no hash table. By file
 * and function, it is looked up once per function instead of once per line.
 */
#include "config.h"

#include "engine/places.h"

#include "base/hash.h"
#include "base/idtab.h"
#include "base/mem.h"
#include "base/path.h"
#include "engine/query_filter.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

/* The parts of a line that a granularity keeps. Like pprof internal/driver aggregate. */
struct keep {
	bool name, file, line, col, addr, inlines;
};

struct places_builder {
	struct places *pl;
	const struct query_filter *q;
	struct keep keep;
	bool by_object;
	struct idtab ids;
	size_t cap_places, n_details, cap_details;
	uint32_t *file;       /* [strings of the profile] file + 1 in places, by a function's file */
	uint32_t *func_place; /* [n_funcs] place + 1, if the place depends only on the function */
	uint32_t *name_place; /* [strings of the profile] place + 1, if it depends only on the name */
	size_t n_many, cap_many;
};

static struct keep keep_for(const struct query_filter *q)
{
	struct keep k = { .inlines = !q->noinlines };

	switch ((enum grain)q->granularity) {
	case GRAIN_FUNCTIONS:
		k.name = true;
		break;
	case GRAIN_FILEFUNCTIONS:
		k.name = k.file = true;
		break;
	case GRAIN_FILES:
		k.file = true;
		break;
	case GRAIN_LINES:
		k.name = k.file = k.line = true;
		k.col = q->showcolumns;
		break;
	case GRAIN_ADDRESSES: /* pprof keeps columns here unless inlines are dropped */
		k.name = k.file = k.line = k.addr = true;
		k.col = q->showcolumns || k.inlines;
		break;
	}
	return k;
}

static uint64_t place_hash(const struct place *k, const struct place_detail *d)
{
	uint64_t words[6] = {
		(uint64_t)k->name << 32 | k->file,    d->addr, (uint64_t)d->line, (uint64_t)d->col, (uint64_t)d->start,
		(uint64_t)d->label << 32 | d->objfile
	};

	return hash_bytes(words, sizeof(words));
}

static bool detail_equal(const struct place_detail *a, const struct place_detail *b)
{
	return a->addr == b->addr && a->line == b->line && a->col == b->col && a->start == b->start &&
	       a->objfile == b->objfile && a->label == b->label;
}

static uint32_t place_append(struct places_builder *m, struct place k)
{
	struct places *pl = m->pl;

	pl->place = mem_grow(pl->place, &m->cap_places, (size_t)pl->n + 1, sizeof(*pl->place));
	pl->place[pl->n] = k;
	return pl->n++;
}

static uint32_t detail_append(struct places_builder *m, const struct place_detail *d)
{
	struct places *pl = m->pl;

	pl->detail = mem_grow(pl->detail, &m->cap_details, m->n_details + 1, sizeof(*pl->detail));
	pl->detail[m->n_details] = *d;
	return (uint32_t)m->n_details++;
}

static uint32_t place_add(struct places_builder *m, struct place k, const struct place_detail *d)
{
	const struct places *pl = m->pl;
	uint64_t h = place_hash(&k, d);
	uint32_t id;

	for (size_t pos = idtab_start(&m->ids, h); idtab_next(&m->ids, h, &pos, &id);)
		if (pl->place[id].name == k.name && pl->place[id].file == k.file &&
		    detail_equal(places_detail(pl, id), d))
			return id;
	k.detail = detail_equal(&pl->detail[0], d) ? 0 : detail_append(m, d);
	id = place_append(m, k);
	idtab_put(&m->ids, h, id);
	return id;
}

/* The place of a name, which is not "". */
static uint32_t place_of_name(struct places_builder *m, str_id name)
{
	uint32_t *place = &m->name_place[name];

	if (!*place)
		*place = place_append(m, (struct place){ .name = name }) + 1;
	return *place - 1;
}

const char *places_source(const struct profile *p, str_id file, const struct query_filter *q)
{
	const char *path = profile_text(p, file);

	return q->whole_paths ? path : path_trim(path, q->trim_path, q->source_path);
}

static uint32_t places_file_of(struct places_builder *m, str_id path)
{
	struct buf clean = { 0 };
	uint32_t *file = &m->file[path];

	if (!*file) {
		path_add_clean(&clean, places_source(m->pl->p, path, m->q));
		*file = strtab_add(m->pl->files, buf_text(&clean), clean.len) + 1;
		buf_release(&clean);
	}
	return *file - 1;
}

static str_id objfile_of(const struct profile *p, uint32_t loc)
{
	return p->loc_map[loc] == PROFILE_NONE ? 0 : p->map[p->loc_map[loc]].file;
}

static uint32_t place_of_line(struct places_builder *m, uint32_t loc, uint32_t line)
{
	const struct profile *p = m->pl->p;
	uint32_t f = p->line_func[line], id;
	struct place_detail d;
	struct place k;
	bool by_function;

	if (m->name_place && p->func_name[f])
		return place_of_name(m, p->func_name[f]);
	k = (struct place){ .name = m->keep.name ? p->func_name[f] : 0 };
	k.file = m->keep.file ? places_file_of(m, p->func_file[f]) : 0;
	d = (struct place_detail){ .addr = m->keep.addr ? p->loc_addr[loc] : 0 };
	d.line = m->keep.line ? p->line_no[line] : 0;
	d.col = m->keep.col ? p->line_col[line] : 0;
	if (m->q->keep_labels && f >= p->n_funcs - p->n_label_funcs)
		d.label = f + 1;
	by_function = m->func_place && k.name;
	if (by_function && m->func_place[f])
		return m->func_place[f] - 1;
	if (m->by_object || (!k.name && m->keep.name)) {
		d.objfile = objfile_of(p, loc);
		d.start = p->func_start[f];
	} else if (!k.name && !k.file) {
		d.objfile = objfile_of(p, loc);
	}
	id = place_add(m, k, &d);
	if (by_function)
		m->func_place[f] = id + 1;
	return id;
}

static void location_add(struct places_builder *m, uint32_t loc)
{
	struct places *pl = m->pl;
	const struct profile *p = pl->p;
	uint32_t first = p->loc_line[loc], end = p->loc_line[loc + 1];

	if (first == end) {
		struct place_detail d = { .addr = m->keep.addr ? p->loc_addr[loc] : 0, .objfile = objfile_of(p, loc) };

		pl->list[loc] = place_add(m, (struct place){ 0 }, &d);
		return;
	}
	if (!m->keep.inlines)
		first = end - 1;
	if (end - first == 1) {
		pl->list[loc] = place_of_line(m, loc, first);
		return;
	}
	pl->list[loc] = (uint32_t)m->n_many | PLACES_MANY;
	pl->many = mem_grow(pl->many, &m->cap_many, m->n_many + 1 + (end - first) + PLACES_PADDED, sizeof(*pl->many));
	pl->many[m->n_many++] = end - first;
	for (uint32_t line = first; line < end; line++)
		pl->many[m->n_many++] = place_of_line(m, loc, line);
	for (uint32_t n = end - first; n < PLACES_PADDED; n++, m->n_many++)
		pl->many[m->n_many] = pl->many[m->n_many - 1];
}

int places_make(const struct profile *p, const struct query_filter *q, struct arena *mem, struct places *out,
		struct err *err)
{
	struct places pl = { .p = p, .files = strtab_new() };
	struct places_builder m = { .pl = &pl, .q = q, .keep = keep_for(q), .by_object = q->by_object };

	if ((uint64_t)p->n_lines + 4 * (uint64_t)p->n_locs >= PLACES_MANY) {
		strtab_free(pl.files);
		return err_set(err, ERR_LIMIT, "too many lines for one report");
	}
	pl.list = arena_alloc(mem, p->n_locs, sizeof(*pl.list));
	pl.place = mem_grow(NULL, &m.cap_places, p->n_funcs, sizeof(*pl.place));
	m.file = mem_zalloc(strtab_count(p->str), sizeof(*m.file));
	if (m.keep.name && !m.keep.file && !m.keep.line && !m.keep.addr && !m.by_object && !q->keep_labels)
		m.name_place = mem_zalloc(strtab_count(p->str), sizeof(*m.name_place));
	else if (!m.keep.line && !m.keep.addr)
		m.func_place = mem_zalloc(p->n_funcs, sizeof(*m.func_place));
	idtab_init(&m.ids, m.name_place ? 0 : p->n_funcs);
	detail_append(&m, &(struct place_detail){ 0 });
	stop_begin(q->stop, "finding places", p->n_locs);
	for (uint32_t loc = 0; loc < p->n_locs && !stop_step(q->stop, loc); loc++)
		location_add(&m, loc);
	arena_own(mem, pl.place);
	arena_own(mem, pl.detail);
	arena_own(mem, pl.many);
	idtab_release(&m.ids);
	free(m.func_place);
	free(m.name_place);
	free(m.file);
	if (stop_check(q->stop, err) < 0) {
		strtab_free(pl.files);
		return ERR_STOPPED;
	}
	assert(pl.n < PLACES_MANY && m.n_many < PLACES_MANY);
	pl.n_many = (uint32_t)m.n_many;
	*out = pl;
	return 0;
}

void places_release(struct places *pl)
{
	strtab_free(pl->files);
	pl->files = NULL;
}

const char *places_file(const struct places *pl, uint32_t place)
{
	assert(place < pl->n && pl->files);
	return strtab_text(pl->files, pl->place[place].file);
}

void places_renumber(struct places *pl, const uint32_t *number)
{
	for (uint32_t loc = 0; loc < pl->p->n_locs; loc++) {
		uint32_t *many;

		if (pl->list[loc] < PLACES_MANY) {
			pl->list[loc] = number[pl->list[loc]];
			continue;
		}
		many = &pl->many[pl->list[loc] - PLACES_MANY];
		for (uint32_t i = 0; i < *many || i < PLACES_PADDED; i++)
			many[i + 1] = number[many[i + 1]];
	}
}

void places_add_name(const struct places *pl, uint32_t place, struct buf *out)
{
	const struct place *k = &pl->place[place];
	const struct place_detail *d = places_detail(pl, place);
	size_t start = out->len;

	if (pl->name && pl->name[place]) {
		buf_addz(out, pl->name[place]);
		return;
	}
	if (d->addr)
		buf_addf(out, "%016" PRIx64, d->addr);
	if (k->name) {
		if (out->len > start)
			buf_add(out, " ", 1);
		buf_add(out, profile_text(pl->p, k->name), strtab_len(pl->p->str, k->name));
	}
	if (!d->line && !k->file && k->name)
		return;
	if (out->len > start)
		buf_add(out, " ", 1);
	if (d->line) {
		buf_addf(out, "%s:%" PRId64, places_file(pl, place), d->line);
		if (d->col)
			buf_addf(out, ":%" PRId64, d->col);
	} else if (k->file) {
		buf_addz(out, places_file(pl, place));
	} else if (d->objfile) {
		buf_add(out, "[", 1);
		path_add_base(out, profile_text(pl->p, d->objfile));
		buf_add(out, "]", 1);
	} else {
		buf_addz(out, "<unknown>");
	}
}

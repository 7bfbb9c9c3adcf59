/*
 * epoch.c - the dictionaries of a store in ClickHouse, as far as they are needed
 *
 * SPDX-License-Identifier: Apache-2.0
 *
 * A batch that was sent again has each row twice: rows are sorted, and the second one is ignored.
 */
#include "config.h"

#include "store/clickhouse/epoch.h"

#include "base/arena.h"
#include "base/mem.h"
#include "store/clickhouse/encode.h"
#include "store/clickhouse/rows.h"
#include "store/local/format/dict_append.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
	IDS_LISTED = 2000,          /* numbers in a condition; else their range */
	CLICK_NUMBER_MAX = 1 << 24, /* of entries of an epoch */
	CLICK_LIST_MAX = 1 << 20,
};

struct click_dictionary *click_dictionary_new(const char *service, uint64_t epoch)
{
	struct click_dictionary *e = mem_zalloc(1, sizeof(*e));

	e->service = mem_strndup(service, strlen(service));
	e->epoch = epoch;
	dict_init(&e->d);
	keys_init(&e->funcs, 3, 0);
	keys_init(&e->nodes, 1, 0);
	keys_init(&e->labels, 4, 0);
	keys_init(&e->sets, 0, 0);
	return e;
}

void click_dictionary_free(struct click_dictionary *e)
{
	free(e->service);
	dict_release(&e->d);
	free(e->rows.id);
	free(e->locs.id);
	free(e->maps.id);
	free(e->metas.id);
	keys_release(&e->funcs);
	keys_release(&e->nodes);
	keys_release(&e->labels);
	keys_release(&e->sets);
	free(e);
}

/* Note the entry of a number. Fails with ERR_FORMAT. */
static int click_ids_set(struct click_ids *x, uint32_t number, uint32_t id, struct err *err)
{
	if (number >= CLICK_NUMBER_MAX)
		return err_set(err, ERR_FORMAT, "the number %" PRIu32 " is too large", number);
	x->id = mem_grow(x->id, &x->cap, (size_t)number + 1, sizeof(*x->id));
	for (; x->n <= number; x->n++)
		x->id[x->n] = PROFILE_NONE;
	x->id[number] = id;
	return 0;
}

static str_id click_take_text(struct click_rows *r, struct dict *d)
{
	size_t n;
	const char *text = click_get_text(r, &n);

	return strtab_add(d->str, text, n);
}

/* Run "SELECT COLUMNS FROM TABLE" for the epoch, with a condition. */
static int click_dictionary_ask(const struct click_dictionary *e, struct click_server *s, const char *columns,
				const char *table, const char *condition, const char *order, struct stop *stop,
				struct bytes *out, struct err *err)
{
	struct buf sql = { 0 };
	int rc;

	buf_addf(&sql, "SELECT %s FROM %s WHERE service = ", columns, table);
	click_add_text(&sql, e->service);
	buf_addf(&sql, " AND epoch = %" PRIu64 "%s ORDER BY %s FORMAT RowBinary", e->epoch, condition, order);
	rc = click_server_ask(s, buf_text(&sql), true, stop, out, err);
	buf_release(&sql);
	return rc;
}

static int click_dictionary_damage(const struct click_dictionary *e, const char *table, struct err *err)
{
	return err_set(err, ERR_FORMAT, "the table %s of %.200s is damaged: epoch %" PRIu64, table, e->service,
		       e->epoch);
}

/* Append the condition that numbers [n], ascending, are selected. */
static void click_add_numbers(struct buf *out, const uint32_t *number, size_t n)
{
	if (n > IDS_LISTED) {
		buf_addf(out, " AND id >= %" PRIu32 " AND id <= %" PRIu32, number[0], number[n - 1]);
		return;
	}
	for (size_t i = 0; i < n; i++)
		buf_addf(out, "%s%" PRIu32, i ? "," : " AND id IN (", number[i]);
	buf_addz(out, ")");
}

/* ---- mappings and metas ---- */

static int click_take_mapping(struct click_dictionary *e, struct click_rows *r, struct err *err)
{
	uint32_t number = click_get_u32(r);
	struct mapping m = { .start = click_get_u64(r) };
	uint8_t flags;

	m.limit = click_get_u64(r);
	m.offset = click_get_u64(r);
	m.file = click_take_text(r, &e->d);
	m.build_id = click_take_text(r, &e->d);
	m.kernel_symbol = click_take_text(r, &e->d);
	flags = click_get_u8(r);
	m.has_functions = flags & CLICK_HAS_FUNCTIONS;
	m.has_filenames = flags & CLICK_HAS_FILENAMES;
	m.has_line_numbers = flags & CLICK_HAS_LINES;
	m.has_inline_frames = flags & CLICK_HAS_INLINE;
	if (r->is_bad || click_ids_get(&e->maps, number) != PROFILE_NONE)
		return 0;
	return dict_append_mapping(&e->d, &m, err) < 0 ? ERR_LIMIT
						       : click_ids_set(&e->maps, number, e->d.n_maps - 1, err);
}

static void click_take_place_fields(struct click_dictionary *e, struct click_rows *r, struct dict_place *place,
				    size_t n)
{
	size_t counts[5];

	counts[0] = click_get_count(r, 8);
	for (size_t i = 0; i < counts[0]; i++)
		i < n ? place[i].start = click_get_u64(r) : click_get_u64(r);
	counts[1] = click_get_count(r, 8);
	for (size_t i = 0; i < counts[1]; i++)
		i < n ? place[i].limit = click_get_u64(r) : click_get_u64(r);
	for (int field = 2; field < 4; field++) {
		counts[field] = click_get_count(r, 1);
		for (size_t i = 0; i < counts[field]; i++) {
			str_id text = click_take_text(r, &e->d);

			if (i < n && field == 2)
				place[i].file = text;
			else if (i < n)
				place[i].kernel_symbol = text;
		}
	}
	counts[4] = click_get_count(r, 1);
	for (size_t i = 0; i < counts[4]; i++) {
		uint8_t flags = click_get_u8(r);

		if (i >= n)
			continue;
		place[i].has_functions = flags & CLICK_HAS_FUNCTIONS;
		place[i].has_filenames = flags & CLICK_HAS_FILENAMES;
		place[i].has_line_numbers = flags & CLICK_HAS_LINES;
		place[i].has_inline_frames = flags & CLICK_HAS_INLINE;
	}
	for (int i = 0; i < 5; i++)
		r->is_bad |= counts[i] != n;
}

static struct dict_place *click_take_places(struct click_dictionary *e, struct click_rows *r, uint32_t *n)
{
	size_t count = click_get_count(r, 4);
	struct dict_place *place = mem_zalloc(count + 1, sizeof(*place));

	for (size_t i = 0; i < count; i++) {
		place[i].map = click_ids_get(&e->maps, click_get_u32(r));
		r->is_bad |= place[i].map == PROFILE_NONE;
	}
	click_take_place_fields(e, r, place, count);
	*n = (uint32_t)count;
	return place;
}

static void click_take_types(struct click_dictionary *e, struct click_rows *r, struct dict_meta *m)
{
	size_t n = click_get_count(r, 1), n_units, n_counted;

	m->n_types = (uint32_t)n;
	m->type = arena_alloc(e->d.mem, n + 1, sizeof(*m->type));
	m->temporality = arena_alloc(e->d.mem, n + 1, sizeof(*m->temporality));
	for (size_t i = 0; i < n; i++)
		m->type[i].name = click_take_text(r, &e->d);
	n_units = click_get_count(r, 1);
	for (size_t i = 0; i < n_units && i < n; i++)
		m->type[i].unit = click_take_text(r, &e->d);
	n_counted = click_get_count(r, 1);
	for (size_t i = 0; i < n_counted && i < n; i++) {
		uint8_t t = click_get_u8(r);

		r->is_bad |= t > TEMPORALITY_GAUGE;
		m->temporality[i] = (enum temporality)t;
	}
	r->is_bad |= n_units != n || n_counted != n;
}

static int click_take_meta(struct click_dictionary *e, struct click_rows *r, struct err *err)
{
	uint32_t number = click_get_u32(r);
	struct dict_meta m = { 0 };
	struct dict_place *place;
	size_t n;

	click_take_types(e, r, &m);
	m.period = click_get_i64(r);
	m.period_type.name = click_take_text(r, &e->d);
	m.period_type.unit = click_take_text(r, &e->d);
	m.has_period_type = click_get_u8(r);
	m.default_type = click_take_text(r, &e->d);
	m.drop_frames = click_take_text(r, &e->d);
	m.keep_frames = click_take_text(r, &e->d);
	m.doc_url = click_take_text(r, &e->d);
	n = click_get_count(r, 1);
	m.n_comments = (uint32_t)n;
	m.comment = arena_alloc(e->d.mem, n + 1, sizeof(*m.comment));
	for (size_t i = 0; i < n; i++)
		m.comment[i] = click_take_text(r, &e->d);
	place = click_take_places(e, r, &m.n_places);
	m.place = dict_copy_list(&e->d, place, m.n_places, sizeof(*place));
	free(place);
	if (r->is_bad || click_ids_get(&e->metas, number) != PROFILE_NONE)
		return 0;
	m.same_types = m.same_places = e->d.n_metas;
	return dict_append_meta(&e->d, &m, err) < 0 ? ERR_LIMIT
						    : click_ids_set(&e->metas, number, e->d.n_metas - 1, err);
}

typedef int click_take_fn(struct click_dictionary *e, struct click_rows *r, struct err *err);

static int click_dictionary_take(struct click_dictionary *e, struct bytes *bytes, const char *table,
				 click_take_fn *take, struct err *err)
{
	struct click_rows r = { bytes->data, bytes->data + bytes->n, false };
	int rc = 0;

	while (rc == 0 && click_has_row(&r))
		rc = take(e, &r, err);
	free(bytes->data);
	if (rc == 0 && r.is_bad)
		return click_dictionary_damage(e, table, err);
	return rc < 0 ? err_wrap(err, "table %s", table) : 0;
}

static int click_load_metas(struct click_dictionary *e, struct click_server *s, struct stop *stop, struct err *err)
{
	struct bytes bytes = { 0 };
	int rc = click_dictionary_ask(e, s, "id, start, limit, offset, file, build_id, symbol, flags", "mappings", "",
				      "id", stop, &bytes, err);

	rc = rc < 0 ? rc : click_dictionary_take(e, &bytes, "mappings", click_take_mapping, err);
	if (rc < 0)
		return rc;
	bytes = (struct bytes){ 0 };
	rc = click_dictionary_ask(
		e, s,
		"id, types, units, counted, period, period_type, period_unit, has_period_type, default_type, "
		"drop_frames, keep_frames, doc_url, comments, place_mappings, place_starts, place_limits, "
		"place_files, place_symbols, place_flags",
		"metas", "", "id", stop, &bytes, err);
	return rc < 0 ? rc : click_dictionary_take(e, &bytes, "metas", click_take_meta, err);
}

/* ---- locations ---- */

static int click_add_function(struct click_dictionary *e, const struct builder_function *f, uint32_t *id,
			      struct err *err)
{
	const uint64_t word[3] = { (uint64_t)f->name << 32 | f->sysname, f->file, (uint64_t)f->start };
	uint32_t before = e->funcs.n;

	if (keys_add(&e->funcs, word, 3, keys_hash(word, 3), id, err) < 0)
		return ERR_LIMIT;
	return *id == before ? dict_append_function(&e->d, f, err) : 0;
}

/* Read a line of a location. Returns the number of lines. */
static uint32_t click_take_line(struct click_dictionary *e, struct click_rows *r, uint32_t *depth,
				struct builder_function *f, struct builder_line *line, struct builder_location *l)
{
	uint32_t lines, mapping;

	*depth = click_get_u32(r);
	lines = click_get_u32(r);
	*f = (struct builder_function){ .name = click_take_text(r, &e->d) };
	f->sysname = click_take_text(r, &e->d);
	f->file = click_take_text(r, &e->d);
	f->start = click_get_i64(r);
	*line = (struct builder_line){ .no = click_get_i64(r) };
	line->col = click_get_i64(r);
	*l = (struct builder_location){ .addr = click_get_u64(r) };
	mapping = click_get_u32(r);
	l->map = mapping ? click_ids_get(&e->maps, mapping - 1) : PROFILE_NONE;
	r->is_bad |= mapping && l->map == PROFILE_NONE;
	l->folded = click_get_u8(r);
	return lines;
}

/* Read the rows of a location, which follow each other. */
static int click_take_location(struct click_dictionary *e, struct click_rows *r, struct err *err)
{
	uint32_t number = click_get_u32(r), n = 0, lines = 1, depth, func;
	struct builder_location l = { 0 };
	struct builder_line *line = NULL;
	size_t cap = 0;
	int rc = 0;

	for (bool is_first = true; !r->is_bad && rc == 0; is_first = false) {
		struct builder_function f;
		const uint8_t *at = r->at;

		if (!is_first && (!click_has_row(r) || click_get_u32(r) != number)) {
			r->at = at;
			break;
		}
		line = mem_grow(line, &cap, (size_t)n + 1, sizeof(*line));
		lines = click_take_line(e, r, &depth, &f, &line[n], &l);
		if (r->is_bad || lines == 0 || depth < n)
			continue; /* a location without lines, or a repeated row */
		r->is_bad |= depth > n;
		rc = click_add_function(e, &f, &func, err);
		line[n++].func = func;
	}
	r->is_bad |= n != lines;
	if (rc == 0 && !r->is_bad && click_ids_get(&e->locs, number) == PROFILE_NONE) {
		rc = dict_append_location(&e->d, &l, line, n, err);
		rc = rc < 0 ? rc : click_ids_set(&e->locs, number, e->d.n_locs - 1, err);
	}
	free(line);
	return rc;
}

static int click_compare_numbers(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Sort numbers, and remove those that are repeated or known. Returns their number. */
static size_t click_find_missing(const struct click_ids *known, uint32_t *number, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(number, n, sizeof(*number), click_compare_numbers);
	for (size_t i = 0; i < n; i++)
		if ((i == 0 || number[i] != number[i - 1]) && click_ids_get(known, number[i]) == PROFILE_NONE)
			number[kept++] = number[i];
	return kept;
}

static int click_load_locations(struct click_dictionary *e, struct click_server *s, uint32_t *number, size_t n,
				struct stop *stop, struct err *err)
{
	struct buf condition = { 0 };
	struct bytes bytes = { 0 };
	size_t n_missing = click_find_missing(&e->locs, number, n);
	int rc;

	if (!n_missing)
		return 0;
	click_add_numbers(&condition, number, n_missing);
	rc = click_dictionary_ask(
		e, s, "id, depth, lines, name, system_name, file, start_line, line, col, address, mapping, folded",
		"frames", buf_text(&condition), "id, depth", stop, &bytes, err);
	rc = rc < 0 ? rc : click_dictionary_take(e, &bytes, "frames", click_take_location, err);
	for (size_t i = 0; rc == 0 && i < n_missing; i++)
		if (click_ids_get(&e->locs, number[i]) == PROFILE_NONE)
			rc = click_dictionary_damage(e, "frames", err);
	buf_release(&condition);
	return rc;
}

/* ---- stacks ---- */

/* Add the numbers of the locations of all stacks of a result. */
static void click_find_locations(struct click_rows r, uint32_t **number, size_t *n)
{
	size_t cap = 0;

	*n = 0;
	while (click_has_row(&r)) {
		size_t count;

		click_get_u32(&r);
		count = click_get_count(&r, 4);
		*number = mem_grow(*number, &cap, *n + count, sizeof(**number));
		for (size_t i = 0; i < count; i++)
			(*number)[(*n)++] = click_get_u32(&r);
		for (int list = 0; list < 4; list++) { /* names, values and units of labels; flags */
			size_t length;

			count = click_get_count(&r, 1);
			for (size_t i = 0; i < count && !r.is_bad; i++)
				list < 3 ? (void)click_get_text(&r, &length) : (void)click_get_u8(&r);
		}
	}
}

/* The node of a stack [n] of locations, leaf first. */
static int click_add_nodes(struct click_dictionary *e, const uint32_t *loc, size_t n, uint32_t *node, struct err *err)
{
	*node = PROFILE_NONE;
	while (n-- > 0) {
		uint64_t word = (uint64_t)*node << 32 | loc[n];
		uint32_t before = e->nodes.n, id;

		if (keys_add(&e->nodes, &word, 1, keys_hash(&word, 1), &id, err) < 0 ||
		    (id == before && dict_append_node(&e->d, *node, loc[n], err) < 0))
			return ERR_LIMIT;
		*node = id;
	}
	return 0;
}

static int click_add_label(struct click_dictionary *e, struct builder_label *l, uint64_t *id, struct err *err)
{
	uint64_t word[4];
	uint32_t before = e->labels.n, label;
	const char *digits = strtab_text(e->d.str, l->text);
	char *end;

	if (!l->is_text) {
		errno = 0;
		l->num = strtoll(digits, &end, 10);
		if (errno || *end || end == digits)
			return err_set(err, ERR_FORMAT, "the value of a numeric label is not a number");
		l->text = 0;
	}
	word[0] = (uint64_t)l->key << 32 | l->unit;
	word[1] = l->text;
	word[2] = (uint64_t)l->num;
	word[3] = l->is_text;
	if (keys_add(&e->labels, word, 4, keys_hash(word, 4), &label, err) < 0)
		return ERR_LIMIT;
	*id = label;
	return label == before ? dict_append_label(&e->d, l, err) : 0;
}

static int click_add_set(struct click_dictionary *e, const uint64_t *label, size_t n, uint32_t *set, struct err *err)
{
	uint32_t before = e->sets.n, *list;
	int rc;

	*set = 0;
	if (!n)
		return 0;
	if (keys_add(&e->sets, label, n, keys_hash(label, n), set, err) < 0)
		return ERR_LIMIT;
	if (++*set <= before)
		return 0;
	list = mem_alloc(n, sizeof(*list));
	for (size_t i = 0; i < n; i++)
		list[i] = (uint32_t)label[i];
	rc = dict_append_label_set(&e->d, list, n, err);
	free(list);
	return rc;
}

/* Read the four lists of labels, and add their set. */
static int click_take_labels(struct click_dictionary *e, struct click_rows *r, uint32_t *set, struct err *err)
{
	size_t n = click_get_count(r, 1), n_values, n_units, n_flags;
	struct builder_label *l = mem_zalloc(n + 1, sizeof(*l));
	uint64_t *id = mem_zalloc(n + 1, sizeof(*id));
	int rc = 0;

	for (size_t i = 0; i < n; i++)
		l[i].key = click_take_text(r, &e->d);
	n_values = click_get_count(r, 1);
	for (size_t i = 0; i < n_values && i < n; i++)
		l[i].text = click_take_text(r, &e->d);
	n_units = click_get_count(r, 1);
	for (size_t i = 0; i < n_units && i < n; i++)
		l[i].unit = click_take_text(r, &e->d);
	n_flags = click_get_count(r, 1);
	for (size_t i = 0; i < n_flags && i < n; i++)
		l[i].is_text = !click_get_u8(r);
	r->is_bad |= n_values != n || n_units != n || n_flags != n;
	for (size_t i = 0; rc == 0 && i < n && !r->is_bad; i++)
		rc = click_add_label(e, &l[i], &id[i], err);
	if (rc == 0 && !r->is_bad)
		rc = click_add_set(e, id, n, set, err);
	free(l);
	free(id);
	return rc;
}

static int click_take_stack(struct click_dictionary *e, struct click_rows *r, struct err *err)
{
	uint32_t number = click_get_u32(r), node, set = 0;
	size_t n = click_get_count(r, 4);
	uint32_t *loc = mem_alloc(n + 1, sizeof(*loc));
	int rc;

	for (size_t i = 0; i < n; i++) {
		loc[i] = click_ids_get(&e->locs, click_get_u32(r));
		r->is_bad |= loc[i] == PROFILE_NONE;
	}
	rc = click_take_labels(e, r, &set, err);
	if (rc == 0 && !r->is_bad && click_ids_get(&e->rows, number) == PROFILE_NONE) {
		rc = click_add_nodes(e, loc, n, &node, err);
		rc = rc < 0 ? rc : dict_append_row(&e->d, node, set, err);
		rc = rc < 0 ? rc : click_ids_set(&e->rows, number, e->d.n_rows - 1, err);
	}
	free(loc);
	return rc;
}

static int click_load_stacks(struct click_dictionary *e, struct click_server *s, const uint32_t *missing, size_t n,
			     struct stop *stop, struct err *err)
{
	struct buf condition = { 0 };
	struct bytes bytes = { 0 };
	uint32_t *loc = NULL;
	size_t n_locs;
	int rc;

	click_add_numbers(&condition, missing, n);
	rc = click_dictionary_ask(e, s, "id, frames, label_names, label_values, label_units, label_is_number", "stacks",
				  buf_text(&condition), "id", stop, &bytes, err);
	buf_release(&condition);
	if (rc < 0)
		return rc;
	click_find_locations((struct click_rows){ bytes.data, bytes.data + bytes.n, false }, &loc, &n_locs);
	rc = click_load_locations(e, s, loc, n_locs, stop, err);
	free(loc);
	if (rc < 0) {
		free(bytes.data);
		return rc;
	}
	return click_dictionary_take(e, &bytes, "stacks", click_take_stack, err);
}

int click_dictionary_load(struct click_dictionary *e, struct click_server *s, const uint32_t *row, size_t n,
			  uint32_t meta, struct stop *stop, struct err *err)
{
	uint32_t *missing = mem_alloc(n + 1, sizeof(*missing));
	size_t n_missing;
	int rc = 0;

	if (n)
		memcpy(missing, row, n * sizeof(*missing));
	n_missing = click_find_missing(&e->rows, missing, n);
	if (n_missing || click_ids_get(&e->metas, meta) == PROFILE_NONE)
		rc = click_load_metas(e, s, stop, err);
	if (rc == 0 && n_missing)
		rc = click_load_stacks(e, s, missing, n_missing, stop, err);
	for (size_t i = 0; rc == 0 && i < n_missing; i++)
		if (click_ids_get(&e->rows, missing[i]) == PROFILE_NONE)
			rc = click_dictionary_damage(e, "stacks", err);
	free(missing);
	return rc;
}
